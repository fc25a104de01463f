#include "simulation/singular/approach.h"
#include "simulation/singular/row_signs.h"

#include <math.h>
#include <string.h>

/// tau, the row at a point along the row here, is a line by the last two points, as far as the
/// bodies turn by less than a radian. Returns the time to the nearest zero of part p.
static double predict_part(trm_singularity_monitor *monitor, const trm_run *run, int p)
{
    const double h = run->now.t - run->before.t;
    double nearest = INFINITY;
    for (int k = 0; k < monitor->most[p]; k++) {
        trm_continuation *f = &monitor->continuation[k];
        const double cosine =
            trm_direction_cosine(&monitor->model->components, p, &f->seen, &f->now);
        const double tau = f->now.sigma[p], before = cosine * f->seen.sigma[p];
        const double left = h * tau / (before - tau);
        if (fabs(left) * monitor->motion[p] < h && fabs(left) < fabs(nearest)) {
            nearest = left;
            monitor->foreseen[p] = k;
        }
    }
    monitor->t_foreseen[p] = run->now.t + nearest;
    return nearest;
}

void trm_monitor_predict(trm_singularity_monitor *monitor, trm_run *run)
{
    double nearest = INFINITY;
    for (int p = 0; p < monitor->model->components.n; p++) {
        const double left = predict_part(monitor, run, p);
        if (fabs(left) < fabs(nearest)) {
            nearest = left;
            monitor->predicted[0] = monitor->foreseen[p];
            monitor->predicted[1] = p;
        }
    }
    const double t = run->now.t + nearest;
    const int same = fabs(t - run->t_singular) < fabs(nearest) / 2;
    run->meeting = same ? run->meeting : TRM_MEETING_UNKNOWN;
    if (run->meeting == TRM_MEETING_UNKNOWN || run->meeting == TRM_MEETING_CORNER) {
        run->t_singular = t;
    }
}

/// monitor->z := run->now, `left` seconds on: along its acceleration, then closed, apart from rows
/// that nearly vanish. The system's current point, factored. Returns a system's code.
static int predict(trm_singularity_monitor *monitor, trm_run *run, double left)
{
    enum { CLOSINGS = 2 };
    trm_system *system = run->system;
    const int nq = system->nq, nv = system->nv;
    double *z = monitor->z, *dx = monitor->closing.dx;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < nv; i++) {
        dx[i] = left * (z[nq + i] + left / 2 * run->now.dz[nq + i]);
        z[nq + i] += left * run->now.dz[nq + i];
    }
    trm_system_move(system, dx, z);
    int code = trm_system_position(system, run->now.t + left, z);
    for (int k = 0; !code && k < CLOSINGS; k++) {
        const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
        code = trm_close_once(system, &monitor->closing, run->now.t + left, z,
                              trm_monitor_damping(monitor, monitor->predicted[1], gap));
    }
    return code ? code : trm_system_factor(system, TRM_METRIC_MASS);
}

/// The least sigma^2 beside the position foreseen, which is found by secants; 0 where motions
/// cross, below 0 where none is, or where the last probe is too far from it to tell.
static double least_there(trm_singularity_monitor *monitor, trm_run *run)
{
    enum { PROBES = 6 }; // what is not found from here is, from nearer
    const trm_connected_components *components = &monitor->model->components;
    trm_continuation *f = &monitor->continuation[monitor->predicted[0]];
    trm_direction *const at = &monitor->probe;
    const trm_direction *const here = &f->now;
    const int p = monitor->predicted[1];
    const double low = monitor->offset.near * monitor->sigma_max[p];
    double left = run->t_singular - run->now.t, left_before = 0, tau_before = here->sigma[p];
    double least = -1;
    for (int k = 0; k < PROBES && least < 0; k++) {
        if (predict(monitor, run, left)) {
            return -1;
        }
        trm_directions_find(run->system, components, run->now.t + left, 1, monitor->most, &here,
                            &here, monitor->x, &at);
        if (at->sigma[p] < low || k + 1 == PROBES) {
            trm_rank_loss_find(monitor->record.loss, run->system, components, p, low);
            least = trm_offset_find(&monitor->offset, run->system, components, &run->extent,
                                    monitor->record.loss, p, run->now.t + left, monitor->z, at->w,
                                    here->u);
            const int blind = k + 1 == PROBES && at->sigma[p] < trm_direction_blind();
            least = least > 0 || monitor->offset.exact || blind ? least : -1;
        }
        if (least >= 0) {
            run->t_singular = run->now.t + left + monitor->offset.time_to_position;
        }
        const double tau = trm_direction_cosine(components, p, here, at) * at->sigma[p];
        const double next = left + tau * (left - left_before) / (tau_before - tau);
        left_before = left, tau_before = tau;
        left = next;
    }
    return least;
}

void trm_monitor_set_meeting(trm_run *run, double least)
{
    const double seen = trm_direction_blind() * trm_direction_blind();
    run->least_there = least;
    run->meeting = least < 0      ? TRM_MEETING_UNKNOWN
                   : least > seen ? TRM_MEETING_CORNER
                   : least > 0    ? TRM_MEETING_HIDDEN
                                  : TRM_MEETING_CROSSING;
}

void trm_monitor_find_meeting(trm_singularity_monitor *monitor, trm_run *run)
{
    trm_monitor_set_meeting(run, least_there(monitor, run));
}
