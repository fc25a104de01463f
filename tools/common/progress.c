#include "tools/common/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 30 };
static const double delay = 0.4, interval = 0.1; // s: before the first drawing, and between two

trm_progress trm_progress_start(double end, int wanted)
{
    const double now = trm_wall_clock();
    return (trm_progress){
        .active = wanted && end > 0 && isatty(STDERR_FILENO),
        .end = end,
        .started = now,
        .next = now + delay,
    };
}

void trm_progress_draw(trm_progress *progress, double t, long steps)
{
    const double now = progress->active ? trm_wall_clock() : 0;
    if (!progress->active || now < progress->next) {
        return;
    }
    const double part = t / progress->end;
    const double left = part > 0 ? (now - progress->started) * (1 - part) / part : 0;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++) {
        bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    const int n = fprintf(stderr, "\r%s %3.0f %%  t = %.4g s  %ld steps  %.0f s left ", bar,
                          100 * part, t, steps, left);
    for (int i = n; i < progress->drawn; i++) {
        fputc(' ', stderr);
    }
    progress->drawn = n > progress->drawn ? n : progress->drawn;
    progress->next = now + interval;
}

void trm_progress_clear(trm_progress *progress)
{
    if (progress->drawn > 0) {
        fprintf(stderr, "\r%*s\r", progress->drawn, "");
        fflush(stderr);
    }
    progress->drawn = 0;
}
