#include "simulation/singular/row_volume.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/row_signs.h"

#include <math.h>
#include <string.h>

/// ln of sqrt(det G M^-1 G^T), by pivots: of the length of the vector of minors of G, which passes
/// zero as smoothly as these.
static double volume_of(const trm_singularity_monitor *monitor, const trm_run *run, int p)
{
    const trm_connected_components *c = &monitor->model->components;
    const trm_solver *solver = &run->system->solver;
    double part = 1, sum = 0;
    for (int i = c->first_row[p]; i < c->first_row[p + 1]; i++) {
        part *= solver->pivot[solver->pattern->place_of[c->row[i]]];
        if (part < 1e-100 || part > 1e100) { // before it leaves the range of numbers
            sum += log(part);
            part = 1;
        }
    }
    return (sum + log(part)) / 2;
}

int trm_volume_may_vanish(const trm_singularity_monitor *monitor, const trm_run *run, int p,
                          int first, int n)
{
    double then = monitor->fell[p], now = monitor->volume[0][p] - monitor->volume[1][p];
    for (int k = first; k < first + n; k++) {
        const trm_continuation *f = &monitor->continuation[k];
        now += log(f->now.sigma[p] / f->seen.sigma[p]);
        then += f->fell[p];
    }
    const double before = exp(now), steps = (run->now.t - run->before.t) / monitor->h_before;
    const double change = fmax(fabs(1 - before), steps * fabs(1 - exp(then)) * before);
    // rows of joints turn with all bodies inwards: what is begun within a step is not known before
    // it
    const int ahead = monitor->model->joints ? 2 : 1;
    return ahead * TRM_REACH * monitor->motion[p] > 1 || !(trm_lesser(1, before) >= ahead * change);
}

void trm_volume_measure(trm_singularity_monitor *monitor, const trm_run *run)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        monitor->volume[1][p] = volume_of(monitor, run, p);
    }
}

void trm_volume_start(trm_singularity_monitor *monitor, const trm_run *run)
{
    trm_volume_measure(monitor, run);
    for (int p = 0; p < monitor->model->components.n; p++) {
        monitor->volume[0][p] = monitor->volume[1][p];
        monitor->fell[p] = NAN;
    }
    monitor->h_before = 0;
}

void trm_volume_keep(trm_singularity_monitor *monitor, const trm_run *run)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        for (int k = 0; k < monitor->most[p]; k++) {
            trm_continuation *const f = &monitor->continuation[k];
            f->fell[p] = log(f->now.sigma[p] / f->seen.sigma[p]);
        }
        monitor->fell[p] = monitor->volume[0][p] - monitor->volume[1][p];
        monitor->volume[0][p] = monitor->volume[1][p];
    }
    monitor->h_before = run->now.t - run->before.t;
}
