/// The next try of a step of an explicit Runge-Kutta method, which may be computed together with
/// those of other runs (integrators/lanes): stages k_1 ... k_(stages-1), then the end of the step,
/// corrected, and its derivative. The step that follows finds what it would have computed.
#pragma once

#include "integrators/rk/stage_sum.h"
#include "integrators/trajectory/integrator.h"

/// What has been found of a try of size h.
typedef struct trm_handed {
    double h;      ///< s
    int stages;    ///< k_1 ... k_(stages-1); 0: nothing
    int end;       ///< nonzero: run->before, S factored there, its place in the system, and
                   ///< system->found; the current point is another one
    long evals[3]; ///< forces, Jacobians, factorizations that it took, not yet counted
} trm_handed;

/// Nothing else may be asked of the run until the step has been taken.
struct trm_trial {
    double t, t_end, h; ///< s: where it begins and ends, and its size
    int n, stages;
    const double *y;              ///< [n] at the beginning of the step
    double *end;                  ///< [n] at its end
    double *const *k;             ///< [stages+1][n], k_0 known; the last is that at the end
    const trm_stage_weights *row; ///< [stages+1] of the arguments of the stages and of the end
    const double *c;              ///< [stages] abscissas
    double *argument;             ///< [n] room; with an end that is corrected, the end before that
    /// y' by the run itself. Returns a system's code.
    int (*rates)(trm_run *run, double t, const double *y, double *dy);
    trm_handed *handed;
};

/// What is known of the try of size h that begins; its evaluations are counted now.
trm_handed trm_handed_take(trm_handed *handed, double h, trm_system *system);
