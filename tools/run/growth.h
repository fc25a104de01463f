/// How small disturbances grow, from a companion that runs beside a part of the run.
///
/// A fifth of the way on a second run starts beside it, and follows for as long as it costs less
/// than a tenth of the run. Their distance, velocities over the own frequency w = |a|/|v| of the
/// motion, is measured by the motion itself, in its radians; x' = (v, a/w):
///
///     D = w |y(t + s) - x(t)| / max(|x'|, its root mean square)
///
/// Where nothing depends on the time, s is the shift at which the two are nearest: two points of
/// one orbit stay on it, and do not part. Where D is a hundredth, y is brought back along the line
/// between the two, and its distance counts on [Benettin et al. 1980].
///
/// Regular motion parts in proportion to the time, in N own periods by 1 + 2 pi N. The companion's
/// own errors, rtol a step, part in the same way, so that they grow with N^2: up to D = 1e-3 in
/// sqrt(1e-3/rtol) periods, one e-fold:
///
///     own = N sqrt(rtol/1e-3)         and rtol is chosen such that own = 1, N expected
///
/// With D_0 at the start of the window W, D_1 the largest in its first half, D_2 in the whole,
/// there is exponential growth where one of
///
///     mu W = ln(D_2/D_0) - ln(1 + 2 pi N) - own
///     mu W = 2 (ln(D_2/D_1) - ln 4 - own)         N >= 8; 4: what grows with N^2 in N/2 to N
///
/// is positive; the larger counts. It goes on over the whole run, in proportion to the way that the
/// motion goes, the integral of |v|: what comes to rest grows no more. digits = mu W
/// way(T)/(way(W) ln 10). An exponential shows above the smaller of ln(1 + 2 pi N) + own and
/// 2 (ln 4 + own): `unseen`, over the whole run.
///
/// One freedom that nothing moves with the time cannot be chaotic [Poincare, Bendixson]: there it
/// is not tried.
#ifndef TRM_TOOLS_GROWTH_H
#define TRM_TOOLS_GROWTH_H

#include "engine/trammel.h"

enum { TRM_GROWTH_KEPT = 512 };

typedef struct trm_growth {
    const trm_model *model;
    trm_options options; ///< of the companion
    double t_end;        ///< s
    trm_sim *companion;  ///< NULL before and after the window
    double *z;           ///< [nq + nv] where the companion is set out
    double t_start;      ///< s
    double offset;       ///< ln of what the companion was brought back by
    double shift;        ///< s, of the companion's time against the run's
    int n;               ///< moments kept, in the order of time
    double t[TRM_GROWTH_KEPT], log_D[TRM_GROWTH_KEPT];
    double a2, v2, seen;   ///< integrals of |a|^2, |v|^2 and 1, up to the window
    double usual;          ///< the root mean square of |x'|, m/s
    double spent;          ///< evaluations of companions before the present one
    long look_step;        ///< of the run, when the next look is due
    double way, way_start; ///< the integral of |v|
    double per_way, unseen_per_way;
    int autonomous, never, tried, known;
    double digits; ///< lost over the whole run; 0: none beyond regular growth
    double unseen; ///< an exponential growth of so many digits would not show
} trm_growth;

/// `moves`: nonzero when something changes with the time by itself; then, and with more than one
/// freedom, it is tried.
void trm_growth_start(trm_growth *growth, const trm_model *model, const trm_options *options,
                      double t_end, int freedoms, int moves);
/// After an accepted step.
void trm_growth_look(trm_growth *growth, const trm_sim *sim);
/// The run has ended: what is known by then.
void trm_growth_finish(trm_growth *growth);

#endif
