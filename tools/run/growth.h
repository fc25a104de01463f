/// How small disturbances grow, from a companion that runs beside a tenth of the run.
///
/// In the middle of the run a second one starts beside it, 1e-7 of the size away, and follows for a tenth of the time.
/// Regular motion parts from it in proportion to the time, by 1 + 2 pi N over N own periods; what has grown beyond that
/// has grown exponentially, and does so over the whole run:
///
///     mu = ln(D/D_0 / (1 + 2 pi N))/window,     digits = mu T / ln 10
///
/// One freedom that nothing moves with the time cannot be chaotic [Poincare, Bendixson]: there it is not tried.
#ifndef TRM_TOOLS_GROWTH_H
#define TRM_TOOLS_GROWTH_H

#include "engine/trammel.h"

typedef struct trm_growth {
    const trm_model *model;
    trm_options options;
    double t_end, size;             ///< s, m
    trm_sim *companion;             ///< NULL before and after the window
    double t_start, first, largest; ///< s; distances D_0 and max D
    double a2, v2;                  ///< of the accelerations and velocities met, for own periods
    long steps, most; ///< of the run at the start of the window; that the companion may take
    int tried, known;
    double digits; ///< lost over the whole run; 0: none beyond regular growth
} trm_growth;

/// `moves`: nonzero when something changes with the time by itself; then, and with more than one freedom, it is tried.
void trm_growth_start(trm_growth *growth, const trm_model *model, const trm_options *options,
                      double t_end, int freedoms, int moves);
/// After an accepted step.
void trm_growth_look(trm_growth *growth, const trm_sim *sim);
void trm_growth_finish(trm_growth *growth);

#endif
