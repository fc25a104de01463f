/// How small disturbances grow, from a companion that runs beside a part of the run.
///
/// A fifth of the way on a second run starts beside it, 1e-3 of the size away, with tolerances of
/// 1e-5 at least, which are enough to see it part; it follows for as long as it costs less than a
/// tenth of the run. Where it has gone a twentieth of the size away it is brought back along the
/// line between the two, and its distance D counts on [Benettin et al. 1980]. With D_0 at the start
/// of its window of length W, D_1 the largest in the first half, D_2 in the whole:
///
///     regular motion parts in proportion to the time, by 1 + 2 pi N over N own periods at most:
///         mu = ln(D_2/D_0 / (1 + 2 pi N))/W
///     and by no more in the second half than in the first, D_2 <= 2 D_1, were it not for D
///     swinging with the motion, by up to a factor of 4 over eight periods or more (2 is too
///     little, 8 finds the same chaos):
///         mu = ln(D_2/D_1 / 2)/(W/2)              N >= 8, D_2 > 8 D_1
///
/// The larger of both is exponential growth. It goes on over the whole run, in proportion to
/// the way that the motion goes, the integral of |v|: what comes to rest grows no more.
/// digits = mu W way(T)/(way(W) ln 10).
///
/// What grows by less than that cannot be told from regular motion: some ten digits may be lost
/// unsaid. One freedom that nothing moves with the time cannot be chaotic [Poincare,
/// Bendixson]: there it is not tried.
#ifndef TRM_TOOLS_GROWTH_H
#define TRM_TOOLS_GROWTH_H

#include "engine/trammel.h"

enum { TRM_GROWTH_KEPT = 512 };

typedef struct trm_growth {
    const trm_model *model;
    trm_options options;
    double t_end, size;     ///< s, m
    trm_sim *companion;     ///< NULL before and after the window
    double *z;              ///< [nq + nv] where the companion is set out
    double t_start, offset; ///< s; ln of what the companion was brought back by
    int n;                  ///< moments kept, in the order of time
    double t[TRM_GROWTH_KEPT], log_D[TRM_GROWTH_KEPT];
    double a2, v2;  ///< of the accelerations and velocities met, for own periods
    double spent;   ///< evaluations of companions before the present one
    long look_step; ///< of the run, when the next look is due
    double way, way_start,
        per_way; ///< the integral of |v|; at the start of the window; ln of growth
    int never, tried, known;
    double digits; ///< lost over the whole run; 0: none beyond regular growth
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
