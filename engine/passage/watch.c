#include "engine/passage/watch.h"
#include "engine/base/loops.h"
#include "engine/base/rank_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void followed_layout(trm_followed *f, const trm_system *system, int parts, trm_arena *arena)
{
    trm_direction_layout(&f->now, system, parts, arena);
    trm_direction_layout(&f->seen, system, parts, arena);
    f->sigma_max = trm_arena_doubles(arena, parts);
    f->cosine = trm_arena_doubles(arena, parts);
    f->lowest = trm_arena_doubles(arena, parts);
    f->anchor = trm_arena_doubles(arena, parts);
    f->inside = trm_arena_ints(arena, parts);
    f->turned = trm_arena_ints(arena, parts);
    f->aside = trm_arena_ints(arena, parts);
    f->shared = trm_arena_ints(arena, parts);
}

void trm_watch_layout(trm_watch *watch, const trm_run *run, trm_arena *arena)
{
    const trm_system *system = run->system;
    const int parts = watch->model->parts.n;
    for (int i = 0; i < 2; i++) {
        trm_direction_layout(&watch->probe[i], system, parts, arena);
    }
    trm_direction_layout(&watch->from, system, parts, arena);
    trm_direction_layout(&watch->to, system, parts, arena);
    for (int k = 0; k < TRM_FOLLOWED; k++) {
        followed_layout(&watch->followed[k], system, parts, arena);
    }
    watch->way = trm_arena_doubles(arena, parts);
    watch->most = trm_arena_ints(arena, parts);
    watch->x = trm_arena_doubles(arena, system->nc);
    watch->z = trm_arena_doubles(arena, run->n);
    watch->shift = trm_arena_doubles(arena, system->nq);
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

static const trm_passes until_known = {1, 3};

/// Where several directions are followed each by itself goes over to the smallest, the more the
/// more often it is iterated.
static void find(trm_watch *watch, trm_run *run, double t, const trm_direction *from,
                 trm_direction *to)
{
    const trm_passes passes = watch->nfollowed > 1 ? (trm_passes){2, 2} : until_known;
    trm_direction_find(run->system, &watch->model->parts, t, from, passes, NULL, 0, watch->x, to);
}

/// The k-th direction at run->now, those before it left out.
static void find_now(trm_watch *watch, trm_run *run, int k, const trm_direction *from)
{
    const double *others[TRM_FOLLOWED];
    for (int j = 0; j < k; j++) {
        others[j] = watch->followed[j].now.w;
    }
    trm_direction_find(run->system, &watch->model->parts, run->now.t, from, until_known, others, k,
                       watch->x, &watch->followed[k].now);
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
    any_direction(run, 0, &watch->probe[0]);
    find(watch, run, t, &watch->probe[0], &watch->probe[0]);
    for (int p = 0; p < watch->model->parts.n; p++) {
        f->sigma_max[p] = trm_larger(watch->probe[0].sigma[p], f->sigma_max[p]);
    }
}

double trm_watch_sigma(trm_watch *watch, trm_run *run, double t)
{
    double sigma = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        find(watch, run, t, &watch->followed[k].now, &watch->probe[0]);
        sigma = trm_lesser(least_of(watch, k, &watch->probe[0]), sigma);
    }
    return sigma;
}

/// The run's weakest row at the point seen last, for messages.
static void tell_weakest(const trm_watch *watch, trm_run *run)
{
    run->weak_sigma = watch->sigma;
    run->weak_row = -1;
    double most = 0;
    const trm_solver *solver = &run->system->solver;
    for (int k = 0; watch->sigma < TRM_NEAR && k < watch->nfollowed; k++) {
        const trm_direction *d = &watch->followed[k].now;
        for (int i = 0; i < solver->n; i++) {
            const double part = fabs(d->w[i]) * sqrt(solver->D[solver->pattern->place_of[i]]);
            if (d->sigma[watch->model->parts.of_row[i]] == watch->sigma && part > most) {
                most = part;
                run->weak_row = i;
            }
        }
    }
}

static void note_sigma(trm_watch *watch, trm_run *run)
{
    watch->sigma = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        trm_followed *f = &watch->followed[k];
        watch->sigma = trm_lesser(least_of(watch, k, &f->now), watch->sigma);
        for (int p = 0; p < watch->model->parts.n; p++) {
            f->sigma_max[p] = trm_larger(f->now.sigma[p], f->sigma_max[p]);
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

/// Below this inverse iteration does not see directions: the damping of the solve, as a singular
/// value.
static double blind(const trm_run *run)
{
    (void)run;
    return TRM_FEW * sqrt(TRM_LEAST_DAMPING);
}

/// Gaps, in mechanisms or radians, that hide nothing: open by e, sigma^2 is e at least where two
/// motions meet. Roundoff of g is not closed: that of nc rows, of coordinates so large.
static double closed_enough(const trm_run *run)
{
    double away = 1;
    for (int i = 0; i < run->system->nq; i++) {
        away = trm_larger(fabs(run->now.z[i]) / run->extent.q[i], away);
    }
    const double roundoff = TRM_FEW * DBL_EPSILON * away * sqrt(run->system->nc);
    return trm_larger(0.01 * blind(run) * blind(run), roundoff);
}

int trm_watch_is_blind(const trm_watch *watch, const trm_run *run, int p)
{
    return watch->followed[0].sigma_max[p] < blind(run);
}

/// The least sigma^2 of part p beside its singular position, where bars are not quite equal; 0
/// where motions cross, below 0 where no position is. z is the point of `d`, the system's current
/// one, factored, which is kept; its lost directions have been found.
static double least_beside(trm_watch *watch, const trm_followed *f, trm_run *run, int p,
                           const trm_direction *d, const double *z)
{
    const double *across = d->sigma[p] < blind(run) ? f->seen.u : d->u;
    if (!(run->now.t > run->before.t) || trm_larger(d->sigma[p], f->seen.sigma[p]) < blind(run)) {
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
            }
            rate = least > blind(run) * blind(run) ? trm_lesser(least, rate) : rate;
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
    trm_record_describe(&watch->record, watch->model, run->system, &watch->model->parts, p, d,
                        TRM_NEAR * f->sigma_max[p]);
    const double *z = d->t[p] == run->now.t ? run->now.z : watch->z;
    trm_crossing *crossing = trm_record_last(&watch->record);
    const double least = least_beside(watch, f, run, p, d, z);
    crossing->undecided |= least > 0;
    crossing->sigma = trm_larger(crossing->sigma, sqrt(trm_larger(least, 0)));
    f->lowest[p] = crossing->sigma;
    if (crossing->sigma < watch->sigma_min) {
        watch->sigma_min = crossing->sigma;
        watch->t_sigma_min = d->t[p];
    }
}

/// Whether another direction of part p has crossed at about the same time: before it moves by twice
/// what counts as near, since either is known to that.
static int is_known(const trm_watch *watch, const trm_run *run, int p, double t)
{
    const double h = run->now.t - run->before.t;
    const double away = fabs(t - trm_record_last(&watch->record)->t) * watch->way[p];
    return watch->record.count > 0 && watch->last_part == p && away <= 2 * TRM_NEAR * h;
}

static void cross(trm_watch *watch, trm_followed *f, trm_run *run, int p, const trm_direction *d)
{
    f->turned[p] = f->aside[p] = 0;
    f->lowest[p] = d->sigma[p];
    f->shared[p] = is_known(watch, run, p, d->t[p]);
    if (f->shared[p]) {
        return;
    }
    trm_crossing *crossing = trm_record_new(&watch->record);
    crossing->h = run->now.t - run->before.t;
    watch->last_part = p;
    describe(watch, f, run, p, d);
    f->anchor[p] = watch->balance_before;
    if (crossing->h > 0 && rests_at(watch, run, crossing->t)) {
        trm_record_bifurcation(&watch->record);
    }
}

/// Part p is far from its last singular position again.
static void judge(trm_watch *watch, trm_followed *f, const trm_run *run, int p)
{
    trm_crossing *crossing = trm_record_last(&watch->record);
    f->inside[p] = 0;
    if (f->shared[p]) {
        return;
    }
    crossing->resolved = !f->turned[p] && !f->aside[p] && f->lowest[p] > blind(run);
    crossing->undecided &= !crossing->resolved;
    crossing->branch_changed = f->aside[p];
    crossing->energy_lost = f->anchor[p] - watch->balance;
    trm_record_judged(&watch->record);
}

// ----------------------------------------------------------------------------------- inside a step

static double least_extent(const trm_run *run)
{
    double least = INFINITY;
    for (int i = 0; i < run->system->nc; i++) {
        least = trm_lesser(run->extent.g[i], least);
    }
    return least;
}

/// Positions inside a step are closed as far as what is asked there needs: the sign of tau, the
/// direction of the row, or on which of two motions that meet the point lies.
typedef enum closeness { FOR_SIGN, FOR_DIRECTION, FOR_MOTION } closeness;

/// Gaps, in mechanisms or radians, that are closed enough where sigma is at most so large. Open by
/// e, two motions that meet, x y = 0, are x y = e: y stays, tau is x, and sigma^2 is x^2 + y^2. The
/// direction of the row errs by y/x, a tenth of a radian where sigma^2 is 10 e. A tenth of `near`
/// is what y may be where tau passes zero.
static double gap_allowed(const trm_run *run, closeness need, double near, double sigma)
{
    const double enough = need == FOR_SIGN        ? sigma * near / TRM_TANGENT
                          : need == FOR_DIRECTION ? sigma * sigma / TRM_TANGENT
                                                  : 0;
    return trm_larger(enough, closed_enough(run));
}

/// `to` at watch->z, factored.
static int find_at(trm_watch *watch, trm_run *run, double t, const trm_direction *from,
                   trm_direction *to)
{
    int code = trm_system_position(run->system, t, watch->z);
    code = code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
    if (!code) {
        find(watch, run, t, from, to);
    }
    return code;
}

/// Close watch->z, the system's current point. For the sign of tau a row is left alone where it is
/// less than some gaps: a step that closes x y = e there moves x, not y.
static int close_at(trm_watch *watch, trm_run *run, double t, closeness need, double gap,
                    double enough)
{
    return need == FOR_SIGN ? trm_close_once(run->system, &watch->closing, t, watch->z,
                                             trm_larger(TRM_GAPS * gap * gap, TRM_LEAST_DAMPING))
                            : trm_close_positions(run->system, &watch->closing, t, watch->z,
                                                  enough * least_extent(run));
}

/// Make t, within the last step, the system's current point, factored, as closed as part p needs;
/// `to` from `from`. watch->shift is what the point before was moved to be closed, and begins this.
static int look_at(trm_watch *watch, const trm_followed *f, trm_run *run, int p, double t,
                   closeness need, const trm_direction *from, trm_direction *to)
{
    const int nq = run->system->nq;
    double *z = watch->z;
    int code = watch->rough ? trm_run_hermite(run, t, z) : run->method_ops->dense(run, t, z);
    for (int i = 0; i < nq; i++) {
        const double open = z[i];
        z[i] += watch->shift[i];
        watch->shift[i] = -open;
    }
    code = code ? code : find_at(watch, run, t, from, to);
    const double gap = code ? 0 : trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    const double enough = gap_allowed(run, need, TRM_NEAR * f->sigma_max[p], to->sigma[p]);
    if (gap > enough) {
        code = close_at(watch, run, t, need, gap, enough);
        code = code ? code : find_at(watch, run, t, to, to);
    }
    for (int i = 0; i < nq; i++) {
        watch->shift[i] += z[i];
    }
    return code;
}

static void forget_shift(trm_watch *watch, const trm_run *run)
{
    memset(watch->shift, 0, (size_t)run->system->nq * sizeof(double));
}

/// tau of part p: its row at `at` along the row at `a`, of either sign. It passes zero where the
/// row vanishes, whatever the row is across.
static double tau_of(trm_watch *watch, trm_followed *f, trm_run *run, int p, const trm_direction *a,
                     const trm_direction *at)
{
    trm_direction_cosines(&watch->model->parts, run->system->nv, a, at, f->cosine);
    return f->cosine[p] * at->sigma[p];
}

/// The zero of tau of part p, which turns over between a and b; by false position (Illinois).
/// Leaves the system there, closed but for the row that vanishes. Returns |tau|, NaN where none is.
static double find_zero(trm_watch *watch, trm_followed *f, trm_run *run, int p,
                        const trm_direction *a, const trm_direction *b, trm_direction *at)
{
    enum { PROBES = 12 };
    double t0 = a->t[p], t1 = b->t[p], y0 = a->sigma[p], y1 = -b->sigma[p];
    const double whole = t1 - t0;
    double y = NAN;
    int side = 0;
    for (int k = 0; k < PROBES; k++) {
        const double t = t0 + (t1 - t0) * y0 / (y0 - y1);
        if (look_at(watch, f, run, p, t, FOR_SIGN, k == 0 ? a : at, at)) {
            return NAN;
        }
        y = tau_of(watch, f, run, p, a, at);
        if (fabs(y) <= blind(run) || fabs(t1 - t0) < TRM_LEAST_SCALE * whole) {
            break;
        }
        if (y > 0) {
            t0 = t, y0 = y;
            y1 = side > 0 ? y1 / 2 : y1;
            side = 1;
        } else {
            t1 = t, y1 = y;
            y0 = side < 0 ? y0 / 2 : y0;
            side = -1;
        }
    }
    return fabs(y);
}

/// The same from a to b, whose shifts are not known. The y of x y = e can only be closed where x is
/// larger: where it is left at the zero, too large for a position that counts as singular, it is
/// closed where the row is ten times as large, and kept from there.
static double locate(trm_watch *watch, trm_followed *f, trm_run *run, int p, const trm_direction *a,
                     const trm_direction *b, trm_direction *at)
{
    forget_shift(watch, run);
    const double tau = find_zero(watch, f, run, p, a, b, at);
    if (!(at->sigma[p] > TRM_NEAR * f->sigma_max[p])) {
        return tau;
    }
    const double whole = b->t[p] - a->t[p], slope = (a->sigma[p] + b->sigma[p]) / whole;
    const double t = trm_larger(at->t[p] - TRM_TANGENT * at->sigma[p] / slope, a->t[p]);
    return look_at(watch, f, run, p, t, FOR_MOTION, a, at) ? NAN
                                                           : find_zero(watch, f, run, p, a, b, at);
}

typedef enum turning { KEPT, OVER, ASIDE } turning;

/// Whether the row of part p may have vanished between two points of the last step.
static int may_vanish(const trm_watch *watch, const trm_run *run, int p, const trm_direction *a,
                      const trm_direction *b)
{
    const double part = (b->t[p] - a->t[p]) / (run->now.t - run->before.t);
    return a->sigma[p] + b->sigma[p] < TRM_REACH * watch->way[p] * trm_larger(part, 1e-300);
}

/// Whether the gap of the joints explains that part p turns: open by e, x y = 0 in coordinates
/// along two motions that meet is x y = e, and the run may turn from one to the other where sigma^2
/// is some e, step by step. Where rows are redundant, those that are null everywhere are opened by
/// e as well, and tell nothing. With a gap above 1/TRM_GAPS this holds in every position and says
/// nothing more; the constraints are POOR then.
static int is_open(const trm_watch *watch, const trm_followed *f, int p)
{
    const double sigma = trm_lesser(f->seen.sigma[p], f->now.sigma[p]);
    const double gap = trm_larger(watch->gap, watch->gap_before);
    return watch->nfollowed == 1 && TRM_GAPS * gap < 1 && sigma * sigma < TRM_GAPS * gap;
}

/// Whether a piece is short enough for its ends to tell: rows turn by a rad at most; or there are
/// eight such pieces.
static int is_short(const trm_watch *watch, const trm_run *run, int p, double piece)
{
    const double part = piece / (run->now.t - run->before.t);
    return TRM_REACH * watch->way[p] * part <= 1 || part <= 0.125;
}

static void turns_between(trm_watch *watch, const trm_run *run, int p, const trm_direction *a,
                          const trm_direction *b)
{
    trm_direction_copy(run->system, &watch->model->parts, p, a, &watch->from);
    trm_direction_copy(run->system, &watch->model->parts, p, b, &watch->to);
}

/// The longest piece of the step, in halves, whose ends can tell.
static double longest_piece(const trm_watch *watch, const trm_run *run, int p, int open)
{
    double piece = run->now.t - run->before.t;
    for (int k = 0; k < 3 && !open && !is_short(watch, run, p, piece); k++) {
        piece /= 2;
    }
    return piece;
}

/// look_at, and the cosine between both. At the end of the step stands the point that is known, its
/// sign that in which w goes on, unless its direction is another.
static int look_ahead(trm_watch *watch, trm_followed *f, trm_run *run, int p, double t,
                      closeness need, const trm_direction *lo, trm_direction *hi)
{
    const trm_parts *parts = &watch->model->parts;
    if (t == run->now.t && need == FOR_DIRECTION) {
        trm_direction_copy(run->system, parts, p, &f->now, hi);
        trm_direction_cosines(parts, run->system->nv, lo, hi, f->cosine);
        const double alike = trm_direction_overlap(run->system, parts, p, lo, hi);
        f->cosine[p] = alike < 0 ? -f->cosine[p] : f->cosine[p];
        if (fabs(alike) >= TRM_ALIKE && fabs(f->cosine[p]) >= TRM_ALIKE) {
            return 0;
        }
    }
    forget_shift(watch, run);
    const int code = look_at(watch, f, run, p, t, need, lo, hi);
    trm_direction_cosines(parts, run->system->nv, lo, hi, f->cosine);
    return code;
}

/// What the row of part p does in the last step, whose ends do not tell: followed from piece to
/// piece of it, each at closed positions and as short as it takes. A step that is `open` is closed
/// at its ends as well: near to each other they may lie on two motions. These meet at any angle, in
/// the metric of M; a row that has not gone over turns no more than the bodies: hardly at all.
/// Between two motions positions close to where these meet: directions are blind there, and those
/// before and behind are compared.
static turning look_closer(trm_watch *watch, trm_followed *f, trm_run *run, int p, int open)
{
    const double clear = open ? 1 - TRM_NEAR : TRM_ALIKE;
    const closeness need = open ? FOR_MOTION : FOR_DIRECTION;
    const double end = run->now.t, whole = end - run->before.t, least = whole * TRM_LEAST_PIECE;
    trm_direction *lo = &watch->probe[0], *hi = &watch->probe[1];
    const double longest = longest_piece(watch, run, p, open);
    double piece = longest;
    turning how = KEPT;
    trm_direction_copy(run->system, &watch->model->parts, p, &f->seen, lo);
    forget_shift(watch, run);
    if (open && look_at(watch, f, run, p, run->before.t, FOR_MOTION, &f->seen, lo)) {
        return KEPT;
    }
    for (int k = 0; k < TRM_MOST_LOOKS && lo->t[p] < end; k++) {
        const int last = lo->t[p] + piece > end - least;
        if (look_ahead(watch, f, run, p, last ? end : lo->t[p] + piece, need, lo, hi)) {
            return how;
        }
        const int may = open || may_vanish(watch, run, p, lo, hi);
        const int tells = fabs(f->cosine[p]) >= clear;
        if (may && !tells && piece > least) {
            piece /= 2;
            continue;
        }
        // far from where motions meet, two directions have changed their order instead
        const double gap = trm_larger(watch->gap, watch->gap_before);
        const int meet = !open || lo->sigma[p] * hi->sigma[p] < TRM_TANGENT * gap;
        how = may && !tells && meet ? ASIDE : how;
        if (may && tells && f->cosine[p] < 0) {
            turns_between(watch, run, p, lo, hi);
            how = how == KEPT ? OVER : how;
        }
        trm_direction_copy(run->system, &watch->model->parts, p, hi, lo);
        piece = trm_lesser(2 * piece, longest);
    }
    return how;
}

/// Nearly always nothing turns over, and the step by its ends alone tells so, without further
/// evaluations: a cubic, which a turn by a rad puts off by 1/384. In longer steps, and where
/// something does, the dense output is asked.
static turning look_inside(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    turning roughly = OVER;
    if (watch->way[p] <= 1) {
        watch->rough = 1;
        roughly = look_closer(watch, f, run, p, 0);
        watch->rough = 0;
    }
    return roughly == KEPT ? KEPT : look_closer(watch, f, run, p, 0);
}

static turning turning_of(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    const int open = is_open(watch, f, p);
    if (f->seen.sigma[p] < blind(run)) {
        return KEPT; // a start in the position: the direction there says nothing
    }
    if (open) {
        return look_closer(watch, f, run, p, 1);
    }
    if (!may_vanish(watch, run, p, &f->seen, &f->now)) {
        return KEPT;
    }
    trm_direction_cosines(&watch->model->parts, run->system->nv, &f->seen, &f->now, f->cosine);
    const double cosine = f->cosine[p];
    if (fabs(cosine) >= TRM_ALIKE && is_short(watch, run, p, run->now.t - run->before.t)) {
        turns_between(watch, run, p, &f->seen, &f->now);
        return cosine > 0 ? KEPT : OVER;
    }
    return look_inside(watch, f, run, p);
}

static void note_turn(trm_followed *f, int p, turning how)
{
    f->turned[p] ^= how == OVER;
    f->aside[p] |= how == ASIDE;
}

/// Part p has turned over, or aside, in the last step, which began and ends outside.
static void pass(trm_watch *watch, trm_followed *f, trm_run *run, int p, turning how)
{
    trm_direction *at = &watch->probe[0];
    if (how == OVER) {
        const double tau = locate(watch, f, run, p, &watch->from, &watch->to, at);
        if (!(tau >= 0 && at->sigma[p] < TRM_NEAR * f->sigma_max[p])) {
            return; // two directions have changed places
        }
        at->sigma[p] = tau;
    }
    cross(watch, f, run, p, at);
    note_turn(f, p, how);
    judge(watch, f, run, p);
}

// ------------------------------------------------------------------------------------------- steps

/// The row of part p has turned over near a singular position that is counted: the zero lies in
/// between.
static void pin_down(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    trm_direction *at = &watch->probe[0];
    if (f->shared[p]) {
        return;
    }
    const double tau = locate(watch, f, run, p, &watch->from, &watch->to, at);
    if (tau < f->lowest[p]) {
        at->sigma[p] = tau;
        describe(watch, f, run, p, at);
    }
}

/// The last point lies inside: near a singular position of part p.
static void go_on_inside(trm_watch *watch, trm_followed *f, trm_run *run, int p, turning how)
{
    if (!f->inside[p]) {
        cross(watch, f, run, p, &f->now);
        f->inside[p] = 1;
    } else if (!f->shared[p] && f->now.sigma[p] < f->lowest[p]) {
        describe(watch, f, run, p, &f->now);
    }
    note_turn(f, p, how);
    if (how == OVER) {
        pin_down(watch, f, run, p);
    }
}

/// Part p of the last step. Returns nonzero if the system has been moved.
static int follow(trm_watch *watch, trm_followed *f, trm_run *run, int p)
{
    const int here = is_near(f, p), open = is_open(watch, f, p);
    if (!here && !f->inside[p] && !open && !may_vanish(watch, run, p, &f->seen, &f->now)) {
        return 0;
    }
    if (here && f->now.sigma[p] < blind(run)) {
        go_on_inside(watch, f, run, p, KEPT); // its direction says nothing
        return 1;
    }
    const turning how = turning_of(watch, f, run, p);
    if (here) {
        go_on_inside(watch, f, run, p, how);
    } else if (f->inside[p]) {
        note_turn(f, p, how);
        if (how == OVER) {
            pin_down(watch, f, run, p);
        }
        judge(watch, f, run, p);
    } else if (how != KEPT) {
        pass(watch, f, run, p, how);
    }
    return 1;
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
static void remember(const trm_watch *watch, trm_followed *f, const trm_run *run, int always)
{
    for (int p = 0; p < watch->model->parts.n; p++) {
        if (always || f->now.sigma[p] >= blind(run) || f->seen.sigma[p] < blind(run)) {
            trm_direction_copy(run->system, &watch->model->parts, p, &f->now, &f->seen);
        }
    }
}

/// All directions at run->now, the system's current point, factored.
static void look(trm_watch *watch, trm_run *run)
{
    trm_direction *now[TRM_FOLLOWED];
    const trm_direction *seen[TRM_FOLLOWED];
    for (int k = 0; k < watch->nfollowed; k++) {
        find_now(watch, run, k, &watch->followed[k].now);
        now[k] = &watch->followed[k].now;
        seen[k] = &watch->followed[k].seen;
    }
    if (watch->nfollowed > 1) {
        trm_direction_separate(run->system, &watch->model->parts, watch->nfollowed, now, seen);
    }
    note_sigma(watch, run);
}

/// One direction of all parts in the last step.
static void follow_all(trm_watch *watch, int k, trm_run *run)
{
    trm_followed *f = &watch->followed[k];
    for (int p = 0; p < watch->model->parts.n; p++) {
        if (k < watch->most[p] && follow(watch, f, run, p)) { // back to where the run is
            (void)trm_system_position(run->system, run->now.t, run->now.z);
            (void)trm_system_factor(run->system, TRM_METRIC_MASS);
        }
    }
    remember(watch, f, run, 0);
}

void trm_watch_update(trm_watch *watch, trm_run *run)
{
    if (!watch->active) {
        return;
    }
    if (run->unfactored && trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return;
    }
    watch->gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    look(watch, run);
    measure_way(watch, run);
    choose_damping(watch, run);
    for (int k = 0; k < watch->nfollowed; k++) {
        follow_all(watch, k, run);
    }
    watch->balance_before = watch->balance;
    watch->gap_before = watch->gap;
}

void trm_watch_shifted(trm_watch *watch, trm_run *run)
{
    if (watch->active) {
        look(watch, run);
        for (int k = 0; k < watch->nfollowed; k++) {
            remember(watch, &watch->followed[k], run, 1);
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
    double *a = watch->probe[0].u, power = 0;
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
            trm_record_last(&watch->record)->rank_before = 0;
            if (!f->shared[p] && rests_at_start(watch, run)) {
                trm_record_bifurcation(&watch->record);
            }
        }
    }
}

void trm_watch_start(trm_watch *watch, trm_run *run, int singular)
{
    trm_record_start(&watch->record);
    watch->sigma_min = 1;
    watch->sigma = 1;
    watch->t_sigma_min = run->now.t;
    watch->rough = 0;
    watch->gap = watch->gap_before = 0;
    run->weak_row = -1;
    run->weak_sigma = 1;
    if (!watch->active) {
        return;
    }
    for (int k = 0; k < watch->nfollowed; k++) {
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
        remember(watch, &watch->followed[k], run, 1);
    }
}
