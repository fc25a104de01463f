/// Steps across a singular position.
///
/// Measure: rho, the smallest pivot of G M^-1 G^T of a stage in units of its row; at a singular
/// position t* it touches zero like (t - t*)^2. A residual of size e, roundoff at least, turns the
/// direction that the vanishing row forbids by e/sqrt(rho) and the acceleration by about v^2 e/rho.
/// An error estimate takes that for an error of the step and shrinks it, which brings the stages
/// nearer to t*: the tighter the tolerance, the worse the answer. The remedy is a step that has t*
/// between its last two abscissas: rho is not evaluated near its zero, and no stage is built on others
/// that lie on both sides of it.
#ifndef TRM_DIP_H
#define TRM_DIP_H

#include "integrators/integrator.h"

enum { TRM_DIP_STAGES = 17 };

/// The stages of the last trial step, and where they place the zero of rho.
typedef struct trm_dip {
    int active;
    double
        *pivot_max; ///< [nc] largest ratio of each row so far: rows redundant everywhere have none
    double *root_mass;         ///< [nv] sqrt of the diagonal of M
    const double *usual_ratio; ///< [nc] that of the run
    int nredundant;            ///< rows that never had a ratio worth mentioning
    double t[TRM_DIP_STAGES];  ///< s, ascending
    double rho[TRM_DIP_STAGES];
    double relative[TRM_DIP_STAGES]; ///< the same, each row in units of its largest ratio
    int count;
    double t_begin, relative_begin;     ///< the same of the start of the step; INFINITY: not known
    double t_zero;                      ///< s, INFINITY when none is in sight
    double t_tried, h_tried, err_tried; ///< the last rejected step across a zero, at t_tried
} trm_dip;

void trm_dip_layout(trm_dip *dip, const trm_run *run, trm_arena *arena);
void trm_dip_reset(trm_dip *dip, const trm_run *run);
/// rho of the last factorization, a stage at t.
void trm_dip_note(trm_dip *dip, const trm_system *system, double t);
/// t_zero from the stages noted since trm_dip_clear.
void trm_dip_locate(trm_dip *dip);
/// The last of them is where the next step begins: it counts among its stages for trm_dip_bottom.
void trm_dip_begin(trm_dip *dip);
/// Where they are lowest, each row in units of its largest ratio; NAN where none is low.
double trm_dip_bottom(const trm_dip *dip);
/// The least sqrt(rho) of those stages, 1 when there is none.
double trm_dip_lowest(const trm_dip *dip);
/// The largest, 1 when there is none.
double trm_dip_highest(const trm_dip *dip);
void trm_dip_clear(trm_dip *dip);
/// Clear all but the last two, for methods of few stages whose steps are always accepted.
void trm_dip_go_on(trm_dip *dip);
/// Whether the velocity jumps in the last trial step, of size h from run->now to run->before, across a dip.
int trm_dip_jumps(const trm_dip *dip, const trm_run *run, double h);
/// The largest step <= h from t that does not bring a stage of it, or of the next ones of the same
/// size, close to t_zero; the gap is between the abscissas gap[0] and gap[1].
double trm_dip_step(const trm_dip *dip, double t, double h, const double gap[2]);

/// Whether the error estimate of the last trial step, of size h from t, is roundoff: so near to
/// t_zero it may be, and an earlier try that was longer had an error that was hardly larger. `size` is
/// that of the coordinates in units of what an error of a velocity may be.
int trm_dip_noisy(trm_dip *dip, double t, double h, double err, double size);

#endif
