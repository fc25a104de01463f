#include "engine/passage/inside.h"
#include "engine/base/loops.h"
#include "engine/base/rank_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ points

/// Gaps, in mechanisms or radians, that hide nothing: open by e, sigma^2 is e at least where two
/// motions meet. Roundoff of g is not closed: that of nc rows, of coordinates so large.
static double closed_enough(const trm_run *run)
{
    const double away = trm_extents_away(&run->extent, run->system->nq, run->now.z);
    const double roundoff = TRM_FEW * DBL_EPSILON * away * sqrt(run->system->nc);
    return trm_larger(0.01 * trm_direction_blind() * trm_direction_blind(), roundoff);
}

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

/// Directions at one point, each found from another one.
typedef struct look {
    int n;
    const trm_direction *from[TRM_FOLLOWED];
    trm_direction *to[TRM_FOLLOWED];
} look;

/// `l` at watch->z, factored.
static int find_at(trm_watch *watch, trm_run *run, double t, const look *l)
{
    int code = trm_system_position(run->system, t, watch->z);
    code = code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
    if (!code) {
        trm_directions_find(run->system, &watch->model->parts, t, l->n, l->from, l->from, watch->x,
                            l->to);
    }
    return code;
}

static double least_sigma(const trm_watch *watch, const look *l, int p)
{
    double least = INFINITY;
    for (int k = 0; k < l->n && k < watch->most[p]; k++) {
        least = trm_lesser(l->to[k]->sigma[p], least);
    }
    return least;
}

/// Make t, within the last step, the system's current point, factored, as closed as part p needs.
/// watch->shift is what the point before was moved to be closed, and begins this one.
static int look_at(trm_watch *watch, trm_run *run, int p, double t, closeness need, const look *l)
{
    enum { CLOSINGS = 2 }; // of Newton's method each: what is left is the gap to the fourth power
    const int nq = run->system->nq;
    double *z = watch->z;
    int code = watch->rough ? trm_run_hermite(run, t, z) : run->method_ops->dense(run, t, z);
    for (int i = 0; i < nq; i++) {
        const double open = z[i];
        z[i] += watch->shift[i];
        watch->shift[i] = -open;
    }
    code = code ? code : find_at(watch, run, t, l);
    const double near = TRM_NEAR * watch->followed[0].sigma_max[p];
    for (int k = 0; !code && k < CLOSINGS; k++) {
        const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
        const double enough = gap_allowed(run, need, near, least_sigma(watch, l, p));
        if (gap <= enough) {
            break;
        }
        code = close_at(watch, run, t, need, gap, enough);
        code = code ? code : find_at(watch, run, t, l);
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

// ------------------------------------------------------------------------------------------- zeros

/// tau of part p: its row at `at` along the row at `a`, of either sign. It passes zero where the
/// row vanishes, whatever the row is across.
static double tau_of(trm_watch *watch, trm_followed *f, int p, const trm_direction *a,
                     const trm_direction *at)
{
    trm_direction_cosines(&watch->model->parts, a, at, f->cosine);
    return f->cosine[p] * at->sigma[p];
}

/// The zero of tau of part p, which turns over between f->from and f->to; by false position
/// (Illinois). Leaves the system there, closed, apart from the row that vanishes. Returns |tau|,
/// NaN where none is.
static double find_zero(trm_watch *watch, trm_followed *f, trm_run *run, int p, trm_direction *at)
{
    enum { PROBES = 12 }; // false position takes 4 to 7; what is left of a zero is told by tau
    const trm_direction *a = &f->from;
    double t0 = a->t[p], t1 = f->to_t[p], y0 = a->sigma[p], y1 = -f->to_sigma[p];
    const double whole = t1 - t0;
    double y = NAN;
    int side = 0;
    for (int k = 0; k < PROBES; k++) {
        const double t = t0 + (t1 - t0) * y0 / (y0 - y1);
        const look one = {.n = 1, .from = {k == 0 ? a : at}, .to = {at}};
        if (look_at(watch, run, p, t, FOR_SIGN, &one)) {
            return NAN;
        }
        y = tau_of(watch, f, p, a, at);
        if (fabs(y) <= trm_direction_blind() || fabs(t1 - t0) < TRM_LEAST_SCALE * whole) {
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

/// Beyond the first zero the y of x y = e can only be closed where x is larger: where it is left at
/// the zero, too large for a position that counts as singular, it is closed where the row is ten
/// times as large, and kept from there.
double trm_inside_locate(trm_watch *watch, trm_followed *f, trm_run *run, int p, trm_direction *at)
{
    const trm_direction *a = &f->from;
    forget_shift(watch, run);
    const double tau = find_zero(watch, f, run, p, at);
    if (!(at->sigma[p] > TRM_NEAR * f->sigma_max[p])) {
        return tau;
    }
    const double slope = (a->sigma[p] + f->to_sigma[p]) / (f->to_t[p] - a->t[p]);
    const double t = trm_larger(at->t[p] - TRM_TANGENT * at->sigma[p] / slope, a->t[p]);
    const look one = {.n = 1, .from = {a}, .to = {at}};
    return look_at(watch, run, p, t, FOR_MOTION, &one) ? NAN : find_zero(watch, f, run, p, at);
}

// ------------------------------------------------------------------------------------------ pieces

/// Whether a piece is short enough for its ends to tell: rows turn by a rad at most; or there are
/// eight such pieces.
static int is_short(const trm_watch *watch, const trm_run *run, int p, double piece)
{
    const double part = piece / (run->now.t - run->before.t);
    return TRM_REACH * watch->way[p] * part <= 1 || part <= 0.125;
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

static void copy(const trm_watch *watch, const trm_direction *from, trm_direction *to)
{
    for (int p = 0; p < watch->model->parts.n; p++) {
        trm_direction_copy(&watch->model->parts, p, from, to);
    }
}

void trm_inside_turns_between(const trm_watch *watch, trm_followed *f, int p,
                              const trm_direction *a, const trm_direction *b)
{
    trm_direction_copy(&watch->model->parts, p, a, &f->from);
    f->to_t[p] = b->t[p];
    f->to_sigma[p] = b->sigma[p];
}

/// The end of the step as it is known, its sign that in which w goes on. Returns 0 where its
/// direction is another.
static int take_end(trm_watch *watch, trm_followed *f, int p)
{
    const trm_parts *parts = &watch->model->parts;
    copy(watch, &f->now, &f->hi);
    trm_direction_cosines(parts, &f->lo, &f->hi, f->cosine);
    const double alike = trm_direction_overlap(parts, p, &f->lo, &f->hi);
    f->cosine[p] = alike < 0 ? -f->cosine[p] : f->cosine[p];
    return fabs(alike) >= TRM_ALIKE && fabs(f->cosine[p]) >= TRM_ALIKE;
}

/// f->hi of all directions at t, and their cosines with f->lo.
static int look_ahead(trm_watch *watch, trm_run *run, int p, double t, closeness need)
{
    int known = t == run->now.t && need == FOR_DIRECTION;
    for (int k = 0; known && k < watch->most[p]; k++) {
        known = take_end(watch, &watch->followed[k], p);
    }
    if (known) {
        return 0;
    }
    look all = {.n = watch->nfollowed};
    for (int k = 0; k < all.n; k++) {
        all.from[k] = &watch->followed[k].lo;
        all.to[k] = &watch->followed[k].hi;
    }
    forget_shift(watch, run);
    const int code = look_at(watch, run, p, t, need, &all);
    for (int k = 0; k < all.n; k++) {
        trm_followed *f = &watch->followed[k];
        trm_direction_cosines(&watch->model->parts, &f->lo, &f->hi, f->cosine);
    }
    return code;
}

/// Whether the ends of a piece tell what a direction of part p does between them.
static int tells(const trm_followed *f, int p, int open)
{
    return fabs(f->cosine[p]) >= (open ? 1 - TRM_NEAR : TRM_ALIKE);
}

static int may_have_vanished(const trm_watch *watch, const trm_run *run, const trm_followed *f,
                             int p, int open)
{
    return open || trm_inside_may_vanish(watch, run, p, &f->lo, &f->hi);
}

static int all_tell(const trm_watch *watch, const trm_run *run, int p, int open)
{
    int all = 1;
    for (int k = 0; k < watch->most[p]; k++) {
        const trm_followed *f = &watch->followed[k];
        all &= tells(f, p, open) || !may_have_vanished(watch, run, f, p, open);
    }
    return all;
}

/// What the piece says of one direction.
static void conclude(const trm_watch *watch, const trm_run *run, trm_followed *f, int p, int open)
{
    if (!may_have_vanished(watch, run, f, p, open)) {
        return;
    }
    // far from where motions meet, two directions have changed their order instead
    const double gap = trm_larger(watch->gap, watch->gap_before);
    const int meet = !open || f->lo.sigma[p] * f->hi.sigma[p] < TRM_TANGENT * gap;
    if (!tells(f, p, open)) {
        f->how[p] = meet ? TRM_ASIDE : f->how[p];
    } else if (f->cosine[p] < 0) {
        trm_inside_turns_between(watch, f, p, &f->lo, &f->hi);
        f->how[p] = f->how[p] == TRM_KEPT ? TRM_OVER : f->how[p];
    }
}

/// The beginning of the step, closed where it is open.
static int begin(trm_watch *watch, trm_run *run, int p, int open)
{
    look first = {.n = watch->nfollowed};
    for (int k = 0; k < first.n; k++) {
        trm_followed *f = &watch->followed[k];
        f->how[p] = TRM_KEPT;
        copy(watch, &f->seen, &f->lo);
        first.from[k] = &f->seen;
        first.to[k] = &f->lo;
    }
    forget_shift(watch, run);
    return open ? look_at(watch, run, p, run->before.t, FOR_MOTION, &first) : 0;
}

/// What the rows of part p do in the last step, whose ends do not tell: followed from piece to
/// piece of it, each at closed positions and as short as it takes. A step that is `open` is closed
/// at its ends as well: near to each other they may lie on two motions. These meet at any angle, in
/// the metric of M; a row that has not gone over turns no more than the bodies: hardly at all.
/// Between two motions positions close to where these meet: directions are blind there, and those
/// before and behind are compared.
static void look_closer(trm_watch *watch, trm_run *run, int p, int open)
{
    const closeness need = open ? FOR_MOTION : FOR_DIRECTION;
    const double end = run->now.t, least = (end - run->before.t) * TRM_LEAST_PIECE;
    const double longest = longest_piece(watch, run, p, open);
    double piece = longest, t = run->before.t;
    if (begin(watch, run, p, open)) {
        return;
    }
    for (int looks = 0; looks < TRM_MOST_LOOKS && t < end; looks++) {
        const double next = t + piece > end - least ? end : t + piece;
        if (look_ahead(watch, run, p, next, need)) {
            return;
        }
        if (piece > least && !all_tell(watch, run, p, open)) {
            piece /= 2;
            continue;
        }
        for (int k = 0; k < watch->nfollowed; k++) {
            trm_followed *f = &watch->followed[k];
            if (k < watch->most[p]) {
                conclude(watch, run, f, p, open);
            }
            copy(watch, &f->hi, &f->lo);
        }
        t = next;
        piece = trm_lesser(2 * piece, longest);
    }
}

static int is_kept(const trm_watch *watch, int p)
{
    int kept = 1;
    for (int k = 0; k < watch->most[p]; k++) {
        kept &= watch->followed[k].how[p] == TRM_KEPT;
    }
    return kept;
}

void trm_inside_look(trm_watch *watch, trm_run *run, int p, int open)
{
    // Nearly always nothing turns over, and the step by its ends alone tells so, without further
    // evaluations: a cubic, which a turn by a rad puts off by 1/384. In longer steps, and where
    // something does, the dense output is asked.
    if (!open && watch->way[p] <= 1) {
        watch->rough = 1;
        look_closer(watch, run, p, 0);
        watch->rough = 0;
        if (is_kept(watch, p)) {
            return;
        }
    }
    look_closer(watch, run, p, open);
}

int trm_inside_may_vanish(const trm_watch *watch, const trm_run *run, int p, const trm_direction *a,
                          const trm_direction *b)
{
    const double part = (b->t[p] - a->t[p]) / (run->now.t - run->before.t);
    return a->sigma[p] + b->sigma[p] < TRM_REACH * watch->way[p] * trm_larger(part, 1e-300);
}

int trm_inside_is_short(const trm_watch *watch, const trm_run *run, int p)
{
    return is_short(watch, run, p, run->now.t - run->before.t);
}
