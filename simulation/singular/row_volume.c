#include "simulation/singular/row_volume.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/row_signs.h"

#include <math.h>
#include <string.h>

/// ln of sqrt(det G M^-1 G^T), by pivots. Of one freedom along v this is that of the minors of G,
/// which are no matter of masses and smooth where they vanish, and of sqrt(v^T M v)/|v|.
static double volume_of(const trm_singularity_monitor *monitor, trm_run *run, int p)
{
    const trm_connected_components *c = &monitor->model->components;
    const trm_solver *solver = &run->system->solver;
    const double *const v = run->now.z + run->system->nq;
    const int columns = c->first_column[p + 1] - c->first_column[p];
    double part = 1, sum = 0, square = 0;
    for (int i = c->first_row[p]; i < c->first_row[p + 1]; i++) {
        part *= solver->pivot[solver->pattern->place_of[c->row[i]]];
        if (part < 1e-100 || part > 1e100) { // before it leaves the range of numbers
            sum += log(part);
            part = 1;
        }
    }
    if (columns - monitor->held[p] == 1 && !run->system->moving) {
        memset(run->work_v, 0, (size_t)run->system->nv * sizeof(double));
        for (int i = c->first_column[p]; i < c->first_column[p + 1]; i++) {
            const int j = c->column[i];
            run->work_v[j] = v[j];
            square += v[j] * v[j] / (run->extent.v[j] * run->extent.v[j]);
        }
        part *= square / trm_system_kinetic(run->system, run->work_v);
    }
    return (sum + log(part)) / 2;
}

/// What the volume of component p without n directions from the first on was before the last step,
/// as a part of what it is now.
static double part_before(const trm_singularity_monitor *monitor, int p, int first, int n)
{
    double before = monitor->volume[0][p] - monitor->volume[1][p];
    for (const trm_continuation *f = monitor->continuation + first;
         f < monitor->continuation + first + n; f++) {
        before += log(f->now.sigma[p] / f->seen.sigma[p]);
    }
    return exp(before);
}

void trm_volume_measure(trm_singularity_monitor *monitor, trm_run *run)
{
    const double h = run->now.t - run->before.t;
    for (int p = 0; p < monitor->model->components.n; p++) {
        monitor->volume[0][p] = monitor->volume[1][p];
        monitor->volume[1][p] = volume_of(monitor, run, p);
        monitor->falls[0][p] = monitor->falls[1][p];
        const int least = trm_continuation_smallest(monitor, p);
        monitor->falls[1][p] = fabs(1 - part_before(monitor, p, least, 1)) / h;
    }
}

int trm_volume_may_vanish(const trm_singularity_monitor *monitor, const trm_run *run, int p,
                          int first, int n)
{
    const double h = run->now.t - run->before.t;
    const double before = part_before(monitor, p, first, n);
    const double change = trm_larger(fabs(1 - before), h * monitor->falls[0][p] * before);
    return monitor->model->joints || TRM_REACH * monitor->motion[p] > 1 ||
           !(trm_lesser(1, before) >= change);
}
