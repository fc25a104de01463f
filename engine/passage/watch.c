#include "engine/base/loops.h"
#include "engine/base/rank_numbers.h"
#include "engine/passage/foreseen.h"
#include "engine/passage/inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void followed_layout(trm_followed *f, const trm_system *system, int parts, trm_arena *arena)
{
    trm_direction_layout(&f->now, system, parts, arena);
    trm_direction_layout(&f->seen, system, parts, arena);
    trm_direction_layout(&f->lo, system, parts, arena);
    trm_direction_layout(&f->hi, system, parts, arena);
    trm_direction_layout(&f->from, system, parts, arena);
    f->to_t = trm_arena_doubles(arena, parts);
    f->to_sigma = trm_arena_doubles(arena, parts);
    f->how = trm_arena_take(arena, (size_t)parts, sizeof *f->how);
    f->sigma_max = trm_arena_doubles(arena, parts);
    f->cosine = trm_arena_doubles(arena, parts);
    f->lowest = trm_arena_doubles(arena, parts);
    f->anchor = trm_arena_doubles(arena, parts);
    f->number = trm_arena_take(arena, (size_t)parts, sizeof *f->number);
    f->inside = trm_arena_ints(arena, parts);
    f->turned = trm_arena_ints(arena, parts);
    f->aside = trm_arena_ints(arena, parts);
    f->shared = trm_arena_ints(arena, parts);
}

void trm_watch_layout(trm_watch *watch, const trm_run *run, trm_arena *arena)
{
    const trm_system *system = run->system;
    const int parts = watch->model->parts.n;
    trm_direction_layout(&watch->probe, system, parts, arena);
    for (int k = 0; k < TRM_FOLLOWED; k++) {
        followed_layout(&watch->followed[k], system, parts, arena);
    }
    watch->way = trm_arena_doubles(arena, parts);
    watch->most = trm_arena_ints(arena, parts);
    watch->x = trm_arena_doubles(arena, trm_direction_work(system));
    watch->z = trm_arena_doubles(arena, run->n);
    for (int k = 0; k < TRM_CLOSED; k++) {
        watch->shift.by[k] = trm_arena_doubles(arena, system->nq);
    }
    watch->work = trm_arena_doubles(arena, run->n);
    for (int r = 0; r < TRM_BY_ENDS; r++) {
        watch->ends[r] = trm_arena_doubles(arena, run->n);
    }
    trm_record_layout(&watch->record, system, arena);
    trm_offset_layout(&watch->offset, system, arena);
    trm_closing_layout(&watch->closing, system, arena);
}

// ------------------------------------------------------------------------------------------ points

/// Of the k-th direction, at any point.
static double least_of(const trm_watch *watch, int k, const trm_direction *d)
{
    double sigma = 1;
    for (int p = 0; p < watch->model->parts.n; p++) {
        sigma = k < watch->most[p] ? trm_lesser(d->sigma[p], sigma) : sigma;
    }
    return sigma;
}

void trm_watch_expect(trm_watch *watch, const trm_rank *rank)
{
    watch->nfollowed = 1;
    for (int p = 0; p < watch->model->parts.n; p++) {
        const int rows = rank ? trm_rank_rows(rank, p) : 0, held = rank ? rank->part[p].rank : 0;
        const int wanted = rows - held + 1 < TRM_FOLLOWED ? rows - held + 1 : TRM_FOLLOWED;
        watch->most[p] = held <= 1 || rows == held ? 1 : wanted < held ? wanted : held;
        watch->nfollowed = watch->most[p] > watch->nfollowed ? watch->most[p] : watch->nfollowed;
    }
}

/// One direction by itself.
static void find(trm_watch *watch, trm_run *run, double t, const trm_direction *from,
                 trm_direction *to)
{
    trm_directions_find(run->system, &watch->model->parts, t, 1, &from, &from, watch->x, &to);
}

static void any_direction(const trm_run *run, int k, trm_direction *d)
{
    for (int i = 0; i < run->system->nc; i++) {
        d->w[i] = cos(1.0 + i + 2.0 * k * i); // any
    }
}

void trm_watch_forget(trm_watch *watch)
{
    for (int k = 0; k < TRM_FOLLOWED; k++) {
        trm_followed *f = &watch->followed[k];
        memset(f->sigma_max, 0, (size_t)watch->model->parts.n * sizeof(double));
        memset(f->inside, 0, (size_t)watch->model->parts.n * sizeof(int));
        memset(f->turned, 0, (size_t)watch->model->parts.n * sizeof(int));
        memset(f->aside, 0, (size_t)watch->model->parts.n * sizeof(int));
    }
}

void trm_watch_learn(trm_watch *watch, trm_run *run, double t)
{
    trm_followed *f = &watch->followed[0];
    any_direction(run, 0, &watch->probe);
    find(watch, run, t, &watch->probe, &watch->probe);
    for (int p = 0; p < watch->model->parts.n; p++) {
        f->sigma_max[p] = trm_larger(watch->probe.sigma[p], f->sigma_max[p]);
    }
}

double trm_watch_sigma(trm_watch *watch, trm_run *run, double t)
{
    double sigma = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        find(watch, run, t, &watch->followed[k].now, &watch->probe);
        sigma = trm_lesser(least_of(watch, k, &watch->probe), sigma);
    }
    return sigma;
}

/// The run's weakest row at the point seen last, for messages.
static void tell_weakest(const trm_watch *watch, trm_run *run)
{
    run->weak_sigma = watch->sigma;
    run->weak_row = -1;
    double most = 0;
    const trm_parts *parts = &watch->model->parts;
    for (int k = 0; watch->sigma < TRM_NEAR && k < watch->nfollowed; k++) {
        const trm_direction *d = &watch->followed[k].now;
        for (int i = 0; i < run->system->nc; i++) {
            const int row = parts->row[i];
            if (d->sigma[parts->of_row[row]] == watch->sigma && d->w[i] * d->Dw[i] > most) {
                most = d->w[i] * d->Dw[i];
                run->weak_row = row;
            }
        }
    }
}

static void note_sigma(trm_watch *watch, trm_run *run)
{
    watch->sigma = 1;
    run->row_size = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        trm_followed *f = &watch->followed[k];
        watch->sigma = trm_lesser(least_of(watch, k, &f->now), watch->sigma);
        for (int p = 0; p < watch->model->parts.n; p++) {
            f->sigma_max[p] = trm_larger(f->now.sigma[p], f->sigma_max[p]);
            run->row_size =
                k < watch->most[p] ? trm_lesser(f->sigma_max[p], run->row_size) : run->row_size;
        }
    }
    if (watch->sigma < watch->sigma_min) {
        watch->sigma_min = watch->sigma;
        watch->t_sigma_min = run->now.t;
    }
    tell_weakest(watch, run);
}

static int is_near(const trm_followed *f, int p)
{
    return f->now.sigma[p] < TRM_NEAR * f->sigma_max[p];
}

int trm_watch_is_blind(const trm_watch *watch, int p)
{
    return watch->followed[0].sigma_max[p] < trm_direction_blind();
}

/// The least sigma^2 of part p beside its singular position, where bars are not quite equal; 0
/// where motions cross, below 0 where no position is. z is the point of `d`, the system's current
/// one, factored, which is kept; its lost directions have been found.
static double least_beside(trm_watch *watch, const trm_followed *f, trm_run *run, int p,
                           const trm_direction *d, const double *z)
{
    const double *across = d->sigma[p] < trm_direction_blind() ? f->seen.u : d->u;
    if (!(run->now.t > run->before.t) ||
        trm_larger(d->sigma[p], f->seen.sigma[p]) < trm_direction_blind()) {
        return 0; // the row's direction is not known
    }
    const double least =
        trm_offset_find(&watch->offset, run->system, &watch->model->parts, &run->extent,
                        watch->record.lost, p, d->t[p], z, d->w, across);
    (void)trm_system_position(run->system, d->t[p], z);
    return least;
}

/// delta of the next step: near a singular position that bars let pass only beside, a part of the
/// least sigma^2 there, which must not be damped, where that is more than pivots are known to; of
/// sigma^2 itself where it is small without such a position.
static void choose_damping(trm_watch *watch, trm_run *run)
{
    double rate = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        trm_followed *f = &watch->followed[k];
        for (int p = 0; p < watch->model->parts.n; p++) {
            double least = f->now.sigma[p] * f->now.sigma[p];
            if (is_near(f, p)) {
                trm_lost_find(watch->record.lost, run->system, &watch->model->parts, p,
                              TRM_NEAR * f->sigma_max[p]);
                const double beside = least_beside(watch, f, run, p, &f->now, run->now.z);
                least = beside < 0 ? least : beside;
                if (beside > 0) {
                    trm_watch_meets(run, beside);
                }
            }
            rate = least > trm_direction_blind() * trm_direction_blind() ? trm_lesser(least, rate)
                                                                         : rate;
        }
    }
    const double share = trm_larger(TRM_SHARE * rate, TRM_LEAST_DAMPING);
    run->system->solver.delta = trm_lesser(share, run->options.damping);
}

// --------------------------------------------------------------------------------------- crossings

/// max |v| in radians per second, or mechanisms, of part p or of the bodies involved in the last
/// crossing.
static double speed_of(const trm_watch *watch, const trm_run *run, int p, const double *v)
{
    double speed = 0;
    for (int i = 0; i < run->system->nv; i++) {
        const int counts =
            p < 0 ? watch->record.involved[i] : watch->model->parts.of_velocity[i] == p;
        speed = counts ? trm_larger(fabs(v[i]) / run->extent.v[i], speed) : speed;
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

/// The system is at the point of `d`, factored, where part p crosses; its sigma is the row's along
/// the run, and no less than what the description leaves.
static void describe(trm_watch *watch, trm_followed *f, trm_run *run, int p, const trm_direction *d)
{
    trm_crossing *crossing = trm_record_of(&watch->record, f->number[p]);
    trm_record_describe(&watch->record, watch->model, run->system, &watch->model->parts, p, d,
                        TRM_NEAR * f->sigma_max[p], crossing);
    const double *z = d->t[p] == run->now.t ? run->now.z : watch->z;
    const double least = least_beside(watch, f, run, p, d, z);
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
    return away <= 2 * TRM_NEAR * h;
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

/// Whether a corner that part p has gone round may be one that the gap of the joints has made: of
/// x y = e, with sigma^2 of some e, in units of the row's change by a radian.
static int is_of_the_gap(const trm_watch *watch, const trm_followed *f, int p)
{
    const double gap = trm_larger(watch->gap, watch->gap_before);
    const double size = f->sigma_max[p];
    return f->lowest[p] * f->lowest[p] < TRM_GAPS * gap * size * size;
}

/// Part p is far from its last singular position again. What has neither turned nor gone aside has
/// gone round a corner: of bars that are not equal, or of the gap.
static void judge(trm_watch *watch, trm_followed *f, int p)
{
    f->inside[p] = 0;
    if (f->shared[p]) {
        return;
    }
    trm_crossing *crossing = trm_record_of(&watch->record, f->number[p]);
    const int corner = !f->turned[p] && !f->aside[p] && f->lowest[p] > trm_direction_blind();
    crossing->resolved = corner && !is_of_the_gap(watch, f, p);
    crossing->undecided = crossing->resolved ? 0 : crossing->undecided || corner;
    crossing->branch_changed = f->aside[p];
    crossing->energy_lost = f->anchor[p] - watch->balance;
    trm_record_judged(&watch->record, crossing);
}

// ------------------------------------------------------------------------------------------- turns

/// Whether the gap of the joints explains that part p turns: open by e, x y = 0 in coordinates
/// along two motions that meet is x y = e, and the run may turn from one to the other where sigma^2
/// is some e, step by step, in units of the row's change by a radian. Where rows are redundant,
/// those that are null everywhere are opened by e as well, and tell nothing. With a gap above
/// 1/TRM_GAPS this holds in every position and says nothing more; the constraints are POOR then.
static int is_open(const trm_watch *watch, const trm_followed *f, int p)
{
    const double sigma = trm_lesser(f->seen.sigma[p], f->now.sigma[p]);
    const double gap = trm_larger(watch->gap, watch->gap_before);
    const double size = f->sigma_max[p];
    return watch->nfollowed == 1 && TRM_GAPS * gap < 1 &&
           sigma * sigma < TRM_GAPS * gap * size * size;
}

/// What the ends of the last step say of one direction of part p; TRM_INSIDE: they do not tell.
static trm_turning by_ends(const trm_watch *watch, trm_followed *f, const trm_run *run, int p,
                           int open)
{
    const int here = is_near(f, p);
    if (f->seen.sigma[p] < trm_direction_blind() ||
        (here && f->now.sigma[p] < trm_direction_blind())) {
        return TRM_KEPT; // a direction there says nothing
    }
    if (open) {
        return TRM_INSIDE;
    }
    if (!trm_inside_may_vanish(watch, run, p, &f->seen, &f->now)) {
        return TRM_KEPT;
    }
    if (fabs(f->cosine[p]) < TRM_ALIKE || !trm_inside_is_short(watch, run, p)) {
        return TRM_INSIDE;
    }
    trm_inside_turns_between(watch, f, p, &f->seen, &f->now);
    return f->cosine[p] > 0 ? TRM_KEPT : TRM_OVER;
}

/// f->how[p] of all directions of part p. Returns nonzero if the system has been moved.
static int judge_turns(trm_watch *watch, trm_run *run, int p)
{
    int open = 0, inside = 0;
    for (int k = 0; k < watch->most[p]; k++) {
        trm_followed *f = &watch->followed[k];
        open |= is_open(watch, f, p);
        f->how[p] = by_ends(watch, f, run, p, open);
        inside |= f->how[p] == TRM_INSIDE;
    }
    if (inside) {
        trm_inside_look(watch, run, p, open);
    }
    return inside;
}

/// Back to where the run is.
static void restore(trm_run *run)
{
    (void)trm_system_position(run->system, run->now.t, run->now.z);
    (void)trm_system_factor(run->system, TRM_METRIC_MASS);
}

static void note_turn(trm_followed *f, int p)
{
    f->turned[p] ^= f->how[p] == TRM_OVER;
    f->aside[p] |= f->how[p] == TRM_ASIDE;
}

/// Part p has turned over, or aside, in the last step, which began and ends outside.
static void pass(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    trm_direction *at = &f->now;
    if (f->how[p] == TRM_OVER) {
        at = &watch->probe;
        const double tau = trm_inside_locate(watch, f, run, p, at);
        if (!(tau >= 0 && at->sigma[p] < TRM_NEAR * f->sigma_max[p])) {
            return; // two directions have changed places
        }
        at->sigma[p] = tau;
    }
    cross(watch, f, run, p, at);
    note_turn(f, p);
    judge(watch, f, p);
}

// ------------------------------------------------------------------------------------------- steps

/// The row of part p may have turned over near a singular position that is counted: the zero lies
/// in between.
static void pin_down(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    trm_direction *at = &watch->probe;
    if (f->how[p] != TRM_OVER || f->shared[p]) {
        return;
    }
    const double tau = trm_inside_locate(watch, f, run, p, at);
    if (tau < f->lowest[p]) {
        at->sigma[p] = tau;
        describe(watch, f, run, p, at);
    }
}

/// A singular position has been reached where its row has turned, or vanishes, or the run rests. A
/// run that ends on the way there has not passed it.
static int is_reached(const trm_watch *watch, const trm_followed *f, int p)
{
    return f->turned[p] || f->aside[p] || f->now.sigma[p] < trm_direction_blind() ||
           trm_record_of(&watch->record, f->number[p])->bifurcation;
}

/// The last point lies inside: near a singular position of part p.
static void go_on_inside(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    if (!f->inside[p]) {
        cross(watch, f, run, p, &f->now);
        f->inside[p] = 1;
        watch->record.ahead |= !f->shared[p];
    } else if (!f->shared[p] && f->now.sigma[p] < f->lowest[p]) {
        describe(watch, f, run, p, &f->now);
    }
    note_turn(f, p);
    if (f->number[p] == watch->record.count && is_reached(watch, f, p)) {
        watch->record.ahead = 0;
    }
    pin_down(watch, f, run, p);
}

/// One direction of part p in the last step; the system is at its end. Returns nonzero where it has
/// been moved.
static int follow(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    const int here = is_near(f, p);
    if (here) {
        go_on_inside(watch, f, run, p);
    } else if (f->inside[p]) {
        note_turn(f, p);
        pin_down(watch, f, run, p);
        judge(watch, f, p);
    } else if (f->how[p] != TRM_KEPT) {
        pass(watch, f, run, p);
    }
    return here || f->inside[p] || f->how[p] != TRM_KEPT;
}

/// How far the bodies of each part move in the last step, the faster of its ends.
static void measure_way(trm_watch *watch, const trm_run *run)
{
    const int nq = run->system->nq;
    const double h = run->now.t - run->before.t;
    memset(watch->way, 0, (size_t)watch->model->parts.n * sizeof(double));
    for (int i = 0; i < run->system->nv; i++) {
        const int p = watch->model->parts.of_velocity[i];
        const double v = trm_larger(fabs(run->before.z[nq + i]), fabs(run->now.z[nq + i]));
        if (p >= 0) {
            watch->way[p] = trm_larger(h * v / run->extent.v[i], watch->way[p]);
        }
    }
}

/// The points behind are those of this one, where its direction is known.
static void remember(const trm_watch *watch, trm_followed *f, int always)
{
    for (int p = 0; p < watch->model->parts.n; p++) {
        if (always || f->now.sigma[p] >= trm_direction_blind() ||
            f->seen.sigma[p] < trm_direction_blind()) {
            trm_direction_copy(&watch->model->parts, p, &f->now, &f->seen);
        }
    }
}

/// Whether the direction of part p is not its smallest: d_i = w^T A w of w = L^-T e_i, |w| >= 1, so
/// that no sigma^2 is the smallest that exceeds a pivot d_i by more than it is known to. That w is
/// put in its place.
static int is_another(const trm_watch *watch, const trm_system *system, int p, trm_direction *d,
                      double *column)
{
    const trm_solver *solver = &system->solver;
    const trm_parts *parts = &watch->model->parts;
    const int first = parts->first_row[p], end = parts->first_row[p + 1];
    double least = d->sigma[p] * d->sigma[p] / (1 + TRM_SETTLED);
    int where = -1;
    for (int i = first; i < end; i++) {
        const int place = solver->pattern->place_of[parts->row[i]];
        const double d_i = solver->pivot[place] / solver->D[place];
        where = d_i < least ? place : where;
        least = trm_lesser(d_i, least);
    }
    if (where >= 0) {
        trm_solver_column(solver, where, column);
        for (int i = first; i < end; i++) {
            d->w[i] = column[parts->row[i]];
        }
    }
    return where >= 0;
}

/// The same at the start of the last step, of the parts that f->how tells.
static void renew_seen(trm_watch *watch, trm_followed *f, trm_run *run)
{
    const trm_parts *parts = &watch->model->parts;
    const trm_direction *from = &f->now;
    trm_direction *before = &watch->probe;
    if (!trm_system_position(run->system, run->before.t, run->before.z) &&
        !trm_system_factor(run->system, TRM_METRIC_MASS)) {
        trm_directions_find(run->system, parts, run->before.t, 1, &from, &from, watch->x, &before);
        for (int p = 0; p < parts->n; p++) {
            if (f->how[p] == TRM_INSIDE) {
                trm_direction_copy(parts, p, before, &f->seen);
            }
        }
    }
    restore(run);
}

/// One direction of a part is carried along, which is its smallest while directions do not change
/// their order: inverse iteration alone finds a new smallest one, which the old one has nothing of,
/// when it has vanished and is behind. Where they have, the smallest is found at both ends of the
/// step; where it cannot have vanished in it (TRM_REACH), at its end.
static void renew(trm_watch *watch, trm_run *run)
{
    const trm_parts *parts = &watch->model->parts;
    trm_followed *f = &watch->followed[0];
    trm_direction *now = &f->now;
    const trm_direction *from = now;
    int any = 0, seen = 0;
    for (int p = 0; p < parts->n; p++) {
        f->how[p] = is_another(watch, run->system, p, now, watch->x) ? TRM_INSIDE : TRM_KEPT;
        any |= f->how[p] == TRM_INSIDE;
    }
    if (!any) {
        return;
    }
    trm_directions_find(run->system, parts, run->now.t, 1, &from, &from, watch->x, &now);
    for (int p = 0; p < parts->n; p++) {
        if (f->how[p] == TRM_INSIDE && now->sigma[p] > TRM_REACH * watch->way[p]) {
            trm_direction_copy(parts, p, now, &f->seen);
            f->seen.t[p] = run->before.t;
            f->how[p] = TRM_KEPT;
        }
        seen |= f->how[p] == TRM_INSIDE;
    }
    if (seen) {
        renew_seen(watch, f, run);
    }
}

/// All directions at run->now, the system's current point, factored.
static void look(trm_watch *watch, trm_run *run)
{
    trm_direction *now[TRM_FOLLOWED];
    const trm_direction *from[TRM_FOLLOWED], *seen[TRM_FOLLOWED];
    for (int k = 0; k < watch->nfollowed; k++) {
        from[k] = now[k] = &watch->followed[k].now;
        seen[k] = &watch->followed[k].seen;
    }
    trm_directions_find(run->system, &watch->model->parts, run->now.t, watch->nfollowed, from, seen,
                        watch->x, now);
    if (watch->nfollowed == 1 && run->now.t > run->before.t) {
        renew(watch, run);
    }
    note_sigma(watch, run);
}

/// Part p in the last step. `moved`: the system is not at its end. Returns nonzero where it then is
/// not.
static int follow_part(trm_watch *watch, trm_run *run, int p, int moved)
{
    moved |= judge_turns(watch, run, p);
    for (int k = 0; k < watch->most[p]; k++) {
        trm_followed *f = &watch->followed[k];
        if (moved && is_near(f, p)) {
            restore(run);
            moved = 0;
        }
        moved |= follow(watch, f, run, p);
    }
    return moved;
}

void trm_watch_update(trm_watch *watch, trm_run *run)
{
    if (!watch->active) {
        return;
    }
    if (run->unfactored && trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return;
    }
    measure_way(watch, run);
    look(watch, run);
    trm_watch_foresee(watch, run);
    choose_damping(watch, run);
    int moved = 0;
    for (int p = 0; p < watch->model->parts.n; p++) {
        moved = follow_part(watch, run, p, moved);
    }
    if (moved) {
        restore(run);
    }
    for (int k = 0; k < watch->nfollowed; k++) {
        remember(watch, &watch->followed[k], 0);
    }
    watch->balance_before = watch->balance;
    watch->gap_before = watch->gap;
}

void trm_watch_shifted(trm_watch *watch, trm_run *run)
{
    if (watch->active) {
        look(watch, run);
        for (int k = 0; k < watch->nfollowed; k++) {
            remember(watch, &watch->followed[k], 1);
        }
        watch->balance_before = watch->balance;
    }
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
    const double speed = speed_of(watch, run, -1, v);
    return !(speed * speed > TRM_REST * TRM_REST * speed_of(watch, run, -1, a));
}

/// The run starts in a singular position.
static void start_inside(trm_watch *watch, trm_followed *f, trm_run *run)
{
    for (int p = 0; p < watch->model->parts.n; p++) {
        if (is_near(f, p)) {
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

void trm_watch_renew(trm_watch *watch, trm_run *run, int singular)
{
    for (int k = 0; k < watch->nfollowed; k++) {
        memset(watch->followed[k].number, 0, (size_t)watch->model->parts.n * sizeof(long));
        memset(watch->followed[k].inside, 0, (size_t)watch->model->parts.n * sizeof(int));
        memset(watch->followed[k].turned, 0, (size_t)watch->model->parts.n * sizeof(int));
        memset(watch->followed[k].aside, 0, (size_t)watch->model->parts.n * sizeof(int));
        any_direction(run, k, &watch->followed[k].now);
        if (k > 0) {
            memcpy(watch->followed[k].sigma_max, watch->followed[0].sigma_max,
                   (size_t)watch->model->parts.n * sizeof(double));
        }
    }
    look(watch, run);
    watch->balance_before = watch->balance;
    for (int k = 0; k < watch->nfollowed; k++) {
        if (singular) {
            start_inside(watch, &watch->followed[k], run);
        }
        remember(watch, &watch->followed[k], 1);
    }
}

void trm_watch_start(trm_watch *watch, trm_run *run, int singular)
{
    trm_record_start(&watch->record);
    watch->sigma_min = 1;
    watch->sigma = 1;
    watch->t_sigma_min = run->now.t;
    watch->gap = watch->gap_before = 0;
    run->weak_row = -1;
    run->weak_sigma = 1;
    run->t_singular = INFINITY;
    if (!watch->active) {
        return;
    }
    trm_watch_renew(watch, run, singular);
}
