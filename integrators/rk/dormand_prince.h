/// Embedded pairs of Dormand and Prince: tableaux; and the stages of a step that is still to come.
#ifndef TRM_DORMAND_PRINCE_H
#define TRM_DORMAND_PRINCE_H

#include "integrators/rk/stage_sum.h"
#include "integrators/trajectory/integrator.h"

enum { TRM_EMBEDDED_STAGES = 16 };

typedef struct trm_embedded {
    int order;
    int stages;       ///< the solution is row `stages` of a; stage number `stages` is z' at the end
    int extended;     ///< stages, including those of the dense output alone
    int interpolants; ///< rows of d
    double exponent, beta;   ///< of the step-size control
    double safety;           ///< of the step-size control, < 1: less means fewer steps refused
    double slowest, fastest; ///< largest change of the step size, down and up
    double border;           ///< of h times the largest eigenvalue: where stability ends
    double gap[2]; ///< abscissas between the last two stages: where a singular position may lie
    double c[TRM_EMBEDDED_STAGES];
    double a[TRM_EMBEDDED_STAGES][TRM_EMBEDDED_STAGES];
    double e[TRM_EMBEDDED_STAGES];    ///< error estimate
    double b3[TRM_EMBEDDED_STAGES];   ///< order 8: the third-order solution of its second estimate
    double d[4][TRM_EMBEDDED_STAGES]; ///< dense output
} trm_embedded;

extern const trm_embedded trm_embedded_5, trm_embedded_8;

/// The stages of the first try of the next step, k_1 ... k_(stages-1), which may be computed
/// together with those of other runs. Nothing else may be asked of the run until that step.
typedef struct trm_trial {
    double h; ///< s
    int n, stages;
    const double *y;              ///< [n] at the beginning of the step
    double *const *k;             ///< [stages][n], k_0 known
    const trm_stage_weights *row; ///< [stages] of the arguments of the stages
    double *argument;             ///< [n] room
    long counted[3];              ///< evaluations so far
} trm_trial;

/// The trial of a step that ends at t_limit at the latest. Returns 0 for runs of other methods.
int trm_trial_begin(trm_run *run, double t_limit, trm_trial *out);
/// k_stage at trial->argument by the run itself. Returns a system's code.
int trm_trial_rates(trm_run *run, const trm_trial *trial, int stage);
/// k_1 ... k_(known-1) are what the run would have found.
void trm_trial_end(trm_run *run, const trm_trial *trial, int known);

#endif
