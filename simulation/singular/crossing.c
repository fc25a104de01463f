#include "simulation/singular/crossing.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/row_signs.h"
#include "simulation/singular/step_interior.h"

#include <math.h>

/// M^-1 G^T w of part p some way off the position.
static const double *across_of(const trm_followed *f, int p, const trm_direction *d)
{
    return d->sigma[p] < trm_direction_blind() ? f->seen.u : d->u;
}

double trm_passing_least_beside(trm_watch *watch, const trm_followed *f, trm_run *run, int p,
                                const trm_direction *d, const double *z)
{
    if (!(run->now.t > run->before.t) ||
        trm_larger(d->sigma[p], f->seen.sigma[p]) < trm_direction_blind()) {
        return 0; // the row's direction is not known
    }
    const double least =
        trm_offset_find(&watch->offset, run->system, &watch->model->parts, &run->extent,
                        watch->record.lost, p, d->t[p], z, d->w, across_of(f, p, d));
    (void)trm_system_position(run->system, d->t[p], z);
    return least;
}

/// max |v| in radians per second, or mechanisms, of the bodies involved in the last crossing.
static double speed_of(const trm_watch *watch, const trm_run *run, const double *v)
{
    double speed = 0;
    for (int i = 0; i < run->system->nv; i++) {
        speed =
            watch->record.involved[i] ? trm_larger(fabs(v[i]) / run->extent.v[i], speed) : speed;
    }
    return speed;
}

/// Whether the bodies involved are at rest at t, within the last step, against what they do at its
/// ends.
static int rests_at(const trm_watch *watch, const trm_run *run, double t)
{
    const int nq = run->system->nq;
    const double x = (t - run->before.t) / (run->now.t - run->before.t);
    double speed = 0, usual = 0;
    for (int i = 0; i < run->system->nv; i++) {
        const double v0 = run->before.z[nq + i], v1 = run->now.z[nq + i];
        if (watch->record.involved[i]) {
            const double v = ((1 - x) * v0 + x * v1) / run->extent.v[i];
            speed = trm_larger(fabs(v), speed);
            usual = trm_larger(trm_larger(fabs(v0), fabs(v1)) / run->extent.v[i], usual);
        }
    }
    return !(speed > TRM_REST * usual);
}

/// The same, looked for once more from the position found where the point is too far from it to
/// tell: all runs find one offset, however far from the position their zero is.
static double least_known(trm_watch *watch, const trm_followed *f, trm_run *run, int p,
                          const trm_direction *d, const double *z)
{
    trm_offset *offset = &watch->offset;
    offset->blurred = 0;
    double least = trm_passing_least_beside(watch, f, run, p, d, z);
    if (offset->blurred) {
        least = trm_offset_nearer(offset, run->system, &watch->model->parts, &run->extent,
                                  watch->record.lost, p, TRM_NEAR * f->sigma_max[p], d->t[p], z,
                                  across_of(f, p, d));
        (void)trm_system_position(run->system, d->t[p], z);
        (void)trm_system_factor(run->system, TRM_METRIC_MASS);
    }
    return least;
}

/// The system is at the point of `d`, factored, where part p crosses; its sigma is the row's along
/// the run, and no less than what the description leaves.
static void describe(trm_watch *watch, trm_followed *f, trm_run *run, int p, const trm_direction *d)
{
    trm_crossing *crossing = trm_record_of(&watch->record, f->number[p]);
    trm_record_describe(&watch->record, watch->model, run->system, &watch->model->parts, p, d,
                        TRM_NEAR * f->sigma_max[p], crossing);
    const double *z = d->t[p] == watch->t ? watch->place : watch->z;
    const double least = least_known(watch, f, run, p, d, z);
    crossing->undecided |= least > 0;
    crossing->sigma = trm_larger(crossing->sigma, sqrt(trm_larger(least, 0)));
    f->lowest[p] = crossing->sigma;
    if (crossing->sigma < watch->sigma_min) {
        watch->sigma_min = crossing->sigma;
        watch->t_sigma_min = d->t[p];
    }
}

/// The last crossing of part p by any of its directions; 0: none.
static long last_number(const trm_watch *watch, int p)
{
    long last = 0;
    for (int k = 0; k < watch->nfollowed; k++) {
        const long number = watch->followed[k].number[p];
        last = number > last ? number : last;
    }
    return last;
}

/// Whether that was another direction's, at about the same time: before the part moves by twice
/// what counts as near, since either is known to that.
static int is_known(const trm_watch *watch, const trm_run *run, int p, double t)
{
    const long last = last_number(watch, p);
    const double h = run->now.t - run->before.t;
    const double away =
        last > 0 ? fabs(t - trm_record_of(&watch->record, last)->t) * watch->way[p] : INFINITY;
    return away <= 4 * TRM_NEAR * h;
}

static void cross(trm_watch *watch, trm_followed *f, trm_run *run, int p, const trm_direction *d)
{
    f->turned[p] = f->aside[p] = 0;
    f->lowest[p] = d->sigma[p];
    f->shared[p] = is_known(watch, run, p, d->t[p]);
    if (f->shared[p]) {
        f->number[p] = last_number(watch, p);
        return;
    }
    trm_crossing *crossing = trm_record_new(&watch->record);
    crossing->h = run->now.t - run->before.t;
    f->number[p] = watch->record.count;
    describe(watch, f, run, p, d);
    f->anchor[p] = watch->balance_before;
    if (crossing->h > 0 && rests_at(watch, run, crossing->t)) {
        trm_record_bifurcation(&watch->record, crossing);
    }
}

/// Part p is far from its last singular position again. What has neither turned nor gone aside has
/// gone round a corner: of bars that are not equal, or of the gap.
static void judge(trm_watch *watch, trm_followed *f, int p)
{
    if (f->shared[p]) {
        return;
    }
    trm_crossing *crossing = trm_record_of(&watch->record, f->number[p]);
    const int corner = !f->turned[p] && !f->aside[p] && f->lowest[p] > trm_direction_blind();
    crossing->resolved = corner && !trm_turns_of_the_gap(watch, f, p, f->lowest[p]);
    crossing->undecided = crossing->resolved ? 0 : crossing->undecided || corner;
    crossing->branch_changed = f->aside[p];
    crossing->energy_lost = f->anchor[p] - watch->balance;
    trm_record_judged(&watch->record, crossing);
}

void trm_passing_restore(const trm_watch *watch, trm_run *run)
{
    (void)trm_system_position(run->system, watch->t, watch->place);
    (void)trm_system_factor(run->system, TRM_METRIC_MASS);
}

/// Where part p turned over: the zero, in watch->probe, the system there; else the last point,
/// where two directions have changed places, or no zero is found.
static trm_direction *find_turn(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    trm_direction *at = &watch->probe;
    const double tau = trm_inside_locate(watch, f, run, p, at);
    if (tau >= 0 && at->sigma[p] < TRM_NEAR * f->sigma_max[p]) {
        at->sigma[p] = tau;
        return at;
    }
    trm_passing_restore(watch, run);
    return &f->now;
}

/// A singular position has been reached where its row has turned, or vanishes, or the run rests. A
/// run that ends on the way there has not passed it.
static int is_reached(const trm_watch *watch, const trm_followed *f, int p)
{
    return f->turned[p] || f->aside[p] || f->now.sigma[p] < trm_direction_blind() ||
           trm_record_of(&watch->record, f->number[p])->bifurcation;
}

int trm_passing_follow(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    const trm_turning how = trm_turns_of(watch, run, f, p);
    const int near = trm_turns_near(f, p), inside = f->inside[p];
    const int finds = how == TRM_OVER && !(inside && f->shared[p]);
    const trm_direction *at = finds ? find_turn(watch, f, run, p) : &f->now;
    if (!near && !inside && (how == TRM_KEPT || (finds && at == &f->now))) {
        return finds;
    }
    if (!inside) {
        cross(watch, f, run, p, at);
        watch->record.ahead |= near && !f->shared[p];
    } else if (!f->shared[p] && at->sigma[p] < f->lowest[p]) {
        describe(watch, f, run, p, at);
    }
    f->inside[p] = near;
    f->turned[p] ^= how == TRM_OVER;
    f->aside[p] |= how == TRM_ASIDE;
    if (f->number[p] == watch->record.count && is_reached(watch, f, p)) {
        watch->record.ahead = 0;
    }
    if (!near) {
        judge(watch, f, p);
    }
    return 1;
}

/// At rest, bodies involved: |v|^2 is negligible relative to what free fall through the mechanism
/// would give.
static int rests_at_start(const trm_watch *watch, trm_run *run)
{
    trm_system *system = run->system;
    const double *v = run->now.z + system->nq;
    double *a = watch->probe.u, power = 0;
    if (trm_system_free_acceleration(system, v, a, &power)) {
        return 0;
    }
    const double speed = speed_of(watch, run, v);
    return !(speed * speed > TRM_REST * TRM_REST * speed_of(watch, run, a));
}

void trm_passing_start(trm_watch *watch, trm_followed *f, trm_run *run)
{
    for (int p = 0; p < watch->model->parts.n; p++) {
        if (trm_turns_near(f, p)) {
            cross(watch, f, run, p, &f->now);
            f->inside[p] = 1;
            trm_crossing *crossing = trm_record_last(&watch->record);
            crossing->rank_before = 0;
            if (!f->shared[p] && rests_at_start(watch, run)) {
                trm_record_bifurcation(&watch->record, crossing);
            }
        }
    }
}
