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
/// e, two motions that meet, x y = 0, are x y = e: y stays, tau is x, whatever y is, and sigma^2 is
/// x^2 + y^2. The direction of the row errs by y/x, a tenth of a radian where sigma^2 is 10 e.
static double gap_allowed(const trm_run *run, closeness need, double sigma)
{
    return need == FOR_SIGN ? INFINITY
                            : trm_larger(need == FOR_DIRECTION ? sigma * sigma / TRM_TANGENT : 0,
                                         closed_enough(run));
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

/// Add to z[nq] what closes it at t: the polynomial through all that has been closed.
static void add_shift(const trm_shift *shift, double t, int nq, double *z)
{
    for (int k = 0; k < shift->n; k++) {
        double weight = 1;
        for (int j = 0; j < shift->n; j++) {
            weight *= j == k ? 1 : (t - shift->t[j]) / (shift->t[k] - shift->t[j]);
        }
        for (int i = 0; i < nq; i++) {
            z[i] += weight * shift->by[k][i];
        }
    }
}

/// Make t, within the last step, the system's current point, factored, as closed as part p needs.
static int look_at(trm_watch *watch, trm_run *run, int p, double t, closeness need, const look *l)
{
    double *z = watch->z;
    int code = watch->rough ? trm_run_hermite(run, t, z) : run->method_ops->dense(run, t, z);
    add_shift(&watch->shift, t, run->system->nq, z);
    code = code ? code : find_at(watch, run, t, l);
    const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    const double enough = gap_allowed(run, need, least_sigma(watch, l, p));
    if (!code && gap > enough) {
        code = trm_close_positions(run->system, &watch->closing, t, z, enough * least_extent(run));
        code = code ? code : find_at(watch, run, t, l);
    }
    return code;
}

// ------------------------------------------------------------------------------------------- zeros

/// tau of part p: its row at `at` along the row at `a`, of either sign. It passes zero where the
/// row vanishes, whatever the row is across.
static double tau_of(const trm_watch *watch, int p, const trm_direction *a, const trm_direction *at)
{
    return trm_direction_cosine(&watch->model->parts, p, a, at) * at->sigma[p];
}

/// The zero of tau of part p, which turns over between f->from and f->to; by false position
/// (Illinois). Leaves the system there. Returns |tau|, NaN where none is.
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
        y = tau_of(watch, p, a, at);
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

/// Close the position at t, `away` from a zero, unless one has been as near as makes the
/// polynomial magnify what is left of both. Returns a system's code.
static int close_here(trm_watch *watch, trm_run *run, int p, double t, double away, const look *l)
{
    trm_shift *shift = &watch->shift;
    for (int k = 0; k < shift->n; k++) {
        if (fabs(t - shift->t[k]) < away / TRM_TANGENT) {
            return 0;
        }
    }
    int code = look_at(watch, run, p, t, FOR_MOTION, l);
    code = code ? code : run->method_ops->dense(run, t, watch->open);
    for (int i = 0; i < run->system->nq; i++) {
        shift->by[shift->n][i] = watch->z[i] - watch->open[i];
    }
    shift->t[shift->n++] = t;
    return code;
}

/// Open by e, y may be anything up to sigma where sigma^2 is some e, so that a point may be closed
/// onto the other motion: this sigma, or ten times y, is far enough. 0 where neither gap nor y is
/// seen; sigma of a row that turns with the bodies is up to tau/TRM_ALIKE without any y.
static double far_enough(const trm_run *run, double y)
{
    const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    return trm_larger(gap, TRM_ALIKE * y) > trm_direction_blind()
               ? trm_larger(TRM_TANGENT * y, sqrt(TRM_TANGENT * gap))
               : 0;
}

/// The zero of tau, y closed. At the zero nothing tells the y of x y = e; it is closed before and
/// behind, and a polynomial through all these shifts leaves of it what the dense output does
/// otherwise in between. On it nearer points are closed, too. Zeros of directions that are lost
/// together lie apart by y, or by the gap.
static double find_closed_zero(trm_watch *watch, trm_followed *f, trm_run *run, int p,
                               trm_direction *at)
{
    const trm_direction *a = &f->from;
    const double slope = (a->sigma[p] + f->to_sigma[p]) / (f->to_t[p] - a->t[p]);
    const look one = {.n = 1, .from = {a}, .to = {at}};
    double tau = find_zero(watch, f, run, p, at);
    double nearest = INFINITY, far = far_enough(run, at->sigma[p]);
    for (int k = 0; k < TRM_CLOSED / 2 && far > 0; k++) {
        const double t = at->t[p], away = trm_lesser(far / slope, nearest);
        if (close_here(watch, run, p, trm_larger(t - away, a->t[p]), away, &one) ||
            close_here(watch, run, p, trm_lesser(t + away, f->to_t[p]), away, &one)) {
            return NAN;
        }
        tau = find_zero(watch, f, run, p, at);
        nearest = away / 2; // 4 and 8: the tables count the same
        far = far_enough(run, at->sigma[p]);
    }
    return tau;
}

/// Of the zero, by Newton's method: what is left is the gap to the fourth power.
enum { CLOSINGS = 2 };

double trm_inside_locate(trm_watch *watch, trm_followed *f, trm_run *run, int p, trm_direction *at)
{
    watch->shift.n = 0;
    const double tau = find_closed_zero(watch, f, run, p, at);
    watch->shift.n = 0; // what looks closer has none
    const look one = {.n = 1, .from = {at}, .to = {at}};
    for (int k = 0; k < CLOSINGS; k++) {
        const double t = at->t[p];
        const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
        if (!(gap > closed_enough(run))) {
            break;
        }
        const double least = trm_larger(TRM_GAPS * gap * gap, TRM_LEAST_DAMPING);
        if (trm_close_once(run->system, &watch->closing, t, watch->z, least) ||
            find_at(watch, run, t, &one)) {
            return NAN;
        }
    }
    return tau;
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
    const double cosine = trm_direction_cosine(parts, p, &f->lo, &f->hi);
    const double alike = trm_direction_overlap(parts, p, &f->lo, &f->hi);
    f->cosine[p] = alike < 0 ? -cosine : cosine;
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
    const int code = look_at(watch, run, p, t, need, &all);
    for (int k = 0; k < all.n; k++) {
        trm_followed *f = &watch->followed[k];
        f->cosine[p] = trm_direction_cosine(&watch->model->parts, p, &f->lo, &f->hi);
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
    const double size = f->sigma_max[p];
    const int meet = !open || f->lo.sigma[p] * f->hi.sigma[p] < TRM_TANGENT * gap * size * size;
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
