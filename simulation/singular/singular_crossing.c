#include "simulation/singular/singular_crossing.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "engine/rank/rank_masks.h"
#include "simulation/singular/row_signs.h"
#include "simulation/singular/step_interior.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <string.h>

/// M^-1 G^T w of component p some way off the position.
static const double *across_of(const trm_continuation *f, int p, const trm_direction *d)
{
    return d->sigma[p] < trm_direction_blind() ? f->seen.u : d->u;
}

double trm_monitor_least_beside(trm_singularity_monitor *monitor, const trm_continuation *f,
                                trm_run *run, int p, const trm_direction *d, const double *z)
{
    if (!(run->now.t > run->before.t) ||
        trm_larger(d->sigma[p], f->seen.sigma[p]) < trm_direction_blind()) {
        return 0; // the row's direction is not known
    }
    const double least =
        trm_offset_find(&monitor->offset, run->system, &monitor->model->components, &run->extent,
                        monitor->record.loss, p, d->t[p], z, d->w, across_of(f, p, d));
    (void)trm_system_position(run->system, d->t[p], z);
    return least;
}

/// max |v| in radians per second, or mechanisms, of the bodies involved in the last crossing.
static double speed_of(const trm_singularity_monitor *monitor, const trm_run *run, const double *v)
{
    double speed = 0;
    for (int i = 0; i < run->system->nv; i++) {
        speed =
            monitor->record.involved[i] ? trm_larger(fabs(v[i]) / run->extent.v[i], speed) : speed;
    }
    return speed;
}

/// Whether the bodies involved are at rest at t, within the last step, against what they do at its
/// ends.
static int rests_at(const trm_singularity_monitor *monitor, const trm_run *run, double t)
{
    const int nq = run->system->nq;
    const double x = (t - run->before.t) / (run->now.t - run->before.t);
    const double *const v0 = run->before.z + nq, *const v1 = run->now.z + nq;
    double *const v = monitor->probe.u;
    for (int i = 0; i < run->system->nv; i++) {
        v[i] = (1 - x) * v0[i] + x * v1[i];
    }
    const double usual = trm_larger(speed_of(monitor, run, v0), speed_of(monitor, run, v1));
    return !(speed_of(monitor, run, v) > TRM_REST * usual);
}

/// The same, looked for once more from the position found where the point is too far from it to
/// tell: all runs find one offset, however far from the position their zero is.
static double least_known(trm_singularity_monitor *monitor, const trm_continuation *f, trm_run *run,
                          int p, const trm_direction *d, const double *z)
{
    trm_offset *offset = &monitor->offset;
    offset->blurred = 0;
    double least = trm_monitor_least_beside(monitor, f, run, p, d, z);
    if (offset->blurred) {
        least = trm_offset_nearer(offset, run->system, &monitor->model->components, &run->extent,
                                  monitor->record.loss, p, TRM_NEAR * monitor->sigma_max[p],
                                  d->t[p], z, across_of(f, p, d));
        (void)trm_system_position(run->system, d->t[p], z);
        (void)trm_system_factor(run->system, TRM_METRIC_MASS);
    }
    return least;
}

/// sigma^2 of a corner that is no mechanism's: below what damping tells of a mechanism with a
/// misfit motions cross, and a misfit F is taken from g there (x y = F has a corner of sigma^2 =
/// F).
static double shared_out(const trm_singularity_monitor *monitor, const trm_system *system, int p)
{
    return system->play ? trm_larger(system->solver.delta, TRM_TANGENT * monitor->misfit[p]) : 0;
}

/// The system is at the point of `d`, factored, where component p crosses; its sigma is the row's
/// along the run, and no less than what the description leaves.
static void describe(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                     const trm_direction *d)
{
    trm_crossing *crossing = trm_crossing_record_of(&monitor->record, f->number[p]);
    trm_crossing_record_describe(&monitor->record, monitor->model, run->system,
                                 &monitor->model->components, p, d,
                                 TRM_NEAR * monitor->sigma_max[p], crossing);
    const double *z = d->t[p] == monitor->t ? monitor->place : monitor->z;
    const double least = least_known(monitor, f, run, p, d, z);
    crossing->undecided |= least > shared_out(monitor, run->system, p);
    crossing->sigma = trm_larger(crossing->sigma, sqrt(trm_larger(least, 0)));
    f->sigma_least[p] = crossing->sigma;
    if (crossing->sigma < monitor->sigma_min) {
        monitor->sigma_min = crossing->sigma;
        monitor->t_sigma_min = d->t[p];
    }
}

/// When component p had its last crossing.
static double last_time(const trm_singularity_monitor *monitor, int p)
{
    const long last = monitor->last[p];
    return last > 0 ? trm_crossing_record_of(&monitor->record, last)->t : -INFINITY;
}

/// Whether one more direction of component p is lost in a crossing that the last step has met.
static int is_lost_together(const trm_singularity_monitor *monitor, const trm_run *run, int p)
{
    return monitor->lost[p] > 0 && last_time(monitor, p) >= run->before.t;
}

/// Whether that was another direction's: of as many as are lost there, where it is in the last
/// step; or at about the same time, before the component moves by twice what counts as near, since
/// either is known to that.
static int is_known(trm_singularity_monitor *monitor, const trm_run *run, int p, double t)
{
    const double h = run->now.t - run->before.t;
    const int together = is_lost_together(monitor, run, p);
    monitor->lost[p] -= together;
    return together || fabs(t - last_time(monitor, p)) * monitor->motion[p] <= 4 * TRM_NEAR * h;
}

/// What stands still does so by any branch; what moves has met its crossing at rest.
static void leave_rest(trm_singularity_monitor *monitor, trm_continuation *f, int p)
{
    if (!isnan(f->stands[p]) && monitor->motion[p] > 0) {
        trm_crossing_record_bifurcation(&monitor->record, f->number[p], f->stands[p]);
        f->stands[p] = NAN;
    }
}

static void cross(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                  const trm_direction *d)
{
    f->reversed[p] = f->left_branch[p] = 0;
    f->sigma_least[p] = d->sigma[p];
    f->is_shared[p] = is_known(monitor, run, p, d->t[p]);
    if (f->is_shared[p]) {
        f->number[p] = monitor->last[p];
        return;
    }
    trm_crossing *crossing = trm_crossing_record_new(&monitor->record);
    crossing->h = run->now.t - run->before.t;
    f->number[p] = monitor->last[p] = monitor->record.count;
    describe(monitor, f, run, p, d);
    monitor->lost[p] = crossing->rank_before - crossing->rank_at - 1;
    f->energy_before[p] = monitor->balance_before;
    f->stands[p] = crossing->h > 0 && rests_at(monitor, run, crossing->t) ? crossing->t : NAN;
    leave_rest(monitor, f, p);
}

/// Component p is far from its last singular position again. What has neither turned nor left its
/// branch has gone round a corner: of bars that are not equal, or of the gap.
static void assess(trm_singularity_monitor *monitor, trm_continuation *f, int p)
{
    if (f->is_shared[p]) {
        return;
    }
    trm_crossing *crossing = trm_crossing_record_of(&monitor->record, f->number[p]);
    const int corner =
        !f->reversed[p] && !f->left_branch[p] && f->sigma_least[p] > trm_direction_blind();
    crossing->resolved = corner && !trm_continuation_gap_explains(monitor, p, f->sigma_least[p]);
    crossing->undecided = crossing->resolved ? 0 : crossing->undecided || corner;
    crossing->branch_changed = f->left_branch[p];
    crossing->energy_lost = f->energy_before[p] - monitor->balance;
    trm_crossing_record_judged(&monitor->record, crossing);
}

void trm_monitor_restore(const trm_singularity_monitor *monitor, trm_run *run)
{
    (void)trm_system_position(run->system, monitor->t, monitor->place);
    (void)trm_system_factor(run->system, TRM_METRIC_MASS);
}

/// Where component p changed its sign: the zero, in f->probe, the system there; else the last
/// point, where two directions have changed places, or no zero is found.
static trm_direction *find_reversal(trm_singularity_monitor *monitor, trm_continuation *f,
                                    trm_run *run, int p)
{
    trm_direction *at = &f->probe;
    const double tau = trm_inside_locate(monitor, f, run, p);
    if (tau >= 0 && at->sigma[p] < trm_continuation_near_zero(monitor, run, f, p)) {
        at->sigma[p] = tau;
        return at;
    }
    trm_monitor_restore(monitor, run);
    return &f->now;
}

/// Whether masked rows, too, allow the motion that those kept have lost at the point of `d`, the
/// system's: k rows kept that open by less than near open m, which is no more than
/// TRM_MASKED_PART of each, by that and sqrt(k) more.
static int is_lost_by_all(const trm_singularity_monitor *monitor, trm_run *run, int p,
                          const trm_direction *d)
{
    const trm_connected_components *const components = &monitor->model->components;
    const trm_solver *const solver = &run->system->solver;
    double *const u = run->work_v, *const y = run->work_c;
    double most = 0;
    memset(u, 0, (size_t)run->system->nv * sizeof(double));
    for (int i = components->first_column[p]; i < components->first_column[p + 1]; i++) {
        u[components->column[i]] = d->u[i];
    }
    const double size = sqrt(2 * trm_system_kinetic(run->system, u));
    trm_system_multiply_G(run->system, u, y);
    for (int i = 0; i < run->system->nc; i++) {
        most = trm_larger(fabs(y[i]) / sqrt(solver->D[solver->pattern->place_of[i]]), most);
    }
    const double rows = components->first_row[p + 1] - components->first_row[p];
    return most < TRM_MASKED_PART * sqrt(rows) * trm_monitor_near(monitor, p) *
                      monitor->sigma_max[p] * size;
}

int trm_monitor_follow(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p)
{
    leave_rest(monitor, f, p);
    const trm_null_vector_change how = trm_continuation_change(monitor, run, f, p);
    const int near = trm_continuation_is_near(monitor, f, p), inside = f->counted_near[p];
    const int known = inside ? f->is_shared[p] : is_lost_together(monitor, run, p);
    const int finds = how == TRM_NULL_VECTOR_REVERSED && !known;
    const trm_direction *at = finds ? find_reversal(monitor, f, run, p) : &f->now;
    if (!near && !inside && (how == TRM_NULL_VECTOR_KEPT || (finds && at == &f->now))) {
        if (finds) { // two directions have changed places, or a passage is not found
            trm_crossing_record_untold(&monitor->record, f->now.t[p]);
        }
        return finds;
    }
    if (!known && run->system->solver.null.used.masks > 0 && !is_lost_by_all(monitor, run, p, at)) {
        return 1;
    }
    if (!inside) {
        cross(monitor, f, run, p, at);
        monitor->record.last_not_reached |= near && !f->is_shared[p];
    } else if (!f->is_shared[p] && at->sigma[p] < f->sigma_least[p]) {
        describe(monitor, f, run, p, at);
    }
    f->counted_near[p] = near;
    f->reversed[p] ^= how == TRM_NULL_VECTOR_REVERSED;
    f->left_branch[p] |= how == TRM_NULL_VECTOR_LEFT;
    // It is reached where the row has turned, or vanishes, or the run rests: not on the way there.
    monitor->record.last_not_reached &=
        f->number[p] != monitor->record.count ||
        !(f->reversed[p] || f->left_branch[p] || f->now.sigma[p] < trm_direction_blind() ||
          !isnan(f->stands[p]) || trm_crossing_record_last(&monitor->record)->bifurcation);
    if (!near) {
        assess(monitor, f, p);
    }
    return 1;
}

/// At rest, bodies involved: |v|^2 is negligible relative to what free fall through the mechanism
/// would give.
static int rests_at_start(const trm_singularity_monitor *monitor, trm_run *run)
{
    trm_system *system = run->system;
    const double *v = run->now.z + system->nq;
    double *a = monitor->probe.u, power = 0;
    if (trm_system_free_acceleration(system, v, a, &power)) {
        return 0;
    }
    const double speed = speed_of(monitor, run, v);
    return !(speed * speed > TRM_REST * TRM_REST * speed_of(monitor, run, a));
}

void trm_monitor_start_inside(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        if (trm_continuation_is_near(monitor, f, p)) {
            cross(monitor, f, run, p, &f->now);
            f->counted_near[p] = 1;
            trm_crossing *crossing = trm_crossing_record_last(&monitor->record);
            crossing->rank_before = 0;
            f->stands[p] = !f->is_shared[p] && rests_at_start(monitor, run) ? run->now.t : NAN;
        }
    }
}
