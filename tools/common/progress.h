/// A bar on stderr while a run takes longer than a blink; nothing when stderr is no terminal.
#ifndef TRM_PROGRESS_H
#define TRM_PROGRESS_H

#include <time.h>

typedef struct trm_progress {
    int active;
    double end;           ///< s, simulation time at 100 %
    double started, next; ///< s of wall clock: of the start, and when to draw again
    int drawn;            ///< columns to wipe at the end
} trm_progress;

/// `wanted`: zero keeps it silent in any case.
trm_progress trm_progress_start(double end, int wanted);
void trm_progress_draw(trm_progress *progress, double t, long steps);
void trm_progress_clear(trm_progress *progress);

/// s on the wall, from some beginning.
static inline double trm_wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
