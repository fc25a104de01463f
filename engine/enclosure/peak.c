#include "engine/enclosure/peak.h"

#include "engine/enclosure/switch_numbers.h"

#include <float.h>
#include <math.h>

enum { ROOM = 128 }; // for boxes, the number of them twice

typedef struct search {
    const trm_time_formula *formula;
    const trm_time_context *context;
    trm_peak_view *view;
    int results;
    int narrow; ///< nonzero: boxes are enclosed by the mean value theorem too, for thrice the work
} search;

/// An interval of times, and how far its values may lie beyond those at the points, 1 allowed.
typedef struct box {
    trm_interval t;
    double beyond;
} box;

/// room.series at the times t.
static void values(const search *s, trm_interval t)
{
    const trm_time_query query = {.t = t, .frozen = 1};
    if (s->narrow && t.lo < t.hi) {
        trm_time_formula_narrow(s->formula, t, s->context, s->view->series);
    } else {
        trm_time_formula_results(s->formula, &query, s->context, s->view->series);
    }
}

/// Of result i, how far x lies beyond its values at the points.
static double beyond(const search *s, int i, trm_interval x)
{
    // below it the rounding of a number is subnormal, and no longer eps of the number
    static const double nothing = DBL_MIN / DBL_EPSILON;
    const double lo = s->view->hull[2 * i], hi = s->view->hull[2 * i + 1];
    const double size = fmax(fabs(lo), fabs(hi));
    const double may = TRM_PEAK_SPREAD * (hi - lo) + TRM_PEAK_CONSTANT * size + nothing;
    const double excess = fmax(x.hi - hi, lo - x.lo);
    return excess > 0 ? excess / may : 0; // and where x is no number
}

static double middle_of(trm_interval t)
{
    return t.lo + 0.5 * (t.hi - t.lo);
}

/// How far the value at one time lies beyond: its rounding does not count.
static double beyond_at(const search *s, double t)
{
    double most = 0;
    values(s, trm_interval_of(t));
    for (int i = 0; i < s->results; i++) {
        const trm_interval x = s->view->series[i].c[0];
        if (isfinite(x.lo) && isfinite(x.hi)) {
            most = fmax(most, beyond(s, i, (trm_interval){x.hi, x.lo}));
        }
    }
    return most;
}

static double beyond_in(const search *s, trm_interval t)
{
    double most = 0;
    values(s, t);
    for (int i = 0; i < s->results; i++) {
        most = fmax(most, beyond(s, i, s->view->series[i].c[0]));
    }
    return most;
}

/// Lowest and highest values at the points. What has no value at a stage is in a mode that the step
/// does not take: any value of it is as good.
static void look_at_points(const search *s, trm_interval t)
{
    double *const hull = s->view->hull;
    for (int i = 0; i < s->results; i++) {
        hull[2 * i] = INFINITY;
        hull[2 * i + 1] = -INFINITY;
    }
    for (int j = 0; j < s->view->nseen; j++) {
        values(s, trm_interval_of(t.lo + (t.hi - t.lo) * s->view->seen[j]));
        for (int i = 0; i < s->results; i++) {
            const trm_interval x = s->view->series[i].c[0]; // a value and its rounding
            const double middle = middle_of(x); // beyond all numbers counts, as exp(x) in 1/exp(x)
            const double lo = isfinite(x.lo) ? x.lo : middle, hi = isfinite(x.hi) ? x.hi : middle;
            hull[2 * i] = isnan(middle) ? -INFINITY : fmin(hull[2 * i], lo);
            hull[2 * i + 1] = isnan(middle) ? INFINITY : fmax(hull[2 * i + 1], hi);
        }
    }
}

/// Of a box whose middle is not beyond; halves of one as narrow as the shortest peak hide nothing.
static double beyond_in_half(const search *s, trm_interval t, double whole)
{
    return t.hi - t.lo > TRM_PEAK_SHORTEST * whole ? beyond_in(s, t) : 0;
}

/// Whether a result that is no residual may be beyond in the box; where it has no value in the
/// middle either, as the root in a mode that is not taken, there is nothing to follow.
static int leaves_open(const search *s, trm_interval t)
{
    int open = 0;
    for (int i = 0; i < s->results - s->view->residual && !open; i++) {
        values(s, t);
        if (beyond(s, i, s->view->series[i].c[0]) > 1) {
            values(s, trm_interval_of(middle_of(t)));
            const trm_interval x = s->view->series[i].c[0];
            open = isfinite(x.lo) && isfinite(x.hi);
        }
    }
    return open;
}

/// The search ran out: whether a peak may be in one of the boxes that are left.
static int is_open(const search *s, const box *boxes, int n)
{
    int open = 0;
    for (int i = 0; i < n && !open; i++) {
        open = boxes[i].beyond > 1 && leaves_open(s, boxes[i].t);
    }
    return open;
}

static int worst_of(const box *boxes, int n)
{
    int worst = 0;
    for (int i = 1; i < n; i++) {
        worst = boxes[i].beyond > boxes[worst].beyond ? i : worst;
    }
    return worst;
}

/// Whether a point of the dense output is beyond what was seen: it is then no measure of the
/// motion.
static int touches(const search *s, trm_interval t)
{
    int beyond = 0;
    for (int j = 0; j < s->view->nmore; j++) {
        const double part = s->view->seen[s->view->nseen + j];
        beyond |= beyond_at(s, t.lo + (t.hi - t.lo) * part) > 1;
    }
    return beyond;
}

/// The search for the highest value, among boxes that may lie higher. *open: it ran out.
static double highest(const search *s, trm_interval t, int *open)
{
    box boxes[ROOM] = {{t, beyond_in(s, t)}};
    const int patience = (int)fmin(TRM_PEAK_BOXES, ROOM);
    double most = 1, at = INFINITY;
    *open = 0;
    for (int n = 1; n < patience; n++) {
        box *const worst = &boxes[worst_of(boxes, n)];
        if (!(worst->beyond > (at < INFINITY ? 2 : 1) * most)) {
            return at;
        }
        const double middle = middle_of(worst->t), here = beyond_at(s, middle);
        at = here > most ? middle : at;
        most = fmax(most, here);
        const trm_interval later = {middle, worst->t.hi};
        worst->t.hi = middle;
        boxes[n] = (box){later, beyond_in_half(s, later, t.hi - t.lo)};
        worst->beyond = beyond_in_half(s, worst->t, t.hi - t.lo);
    }
    *open = !(at < INFINITY) && is_open(s, boxes, patience);
    return at;
}

double trm_peak(const trm_time_formula *formula, int results, trm_interval t,
                const trm_time_context *context, trm_peak_view *view)
{
    search s = {formula, context, view, results, 0};
    int open;
    if (trm_time_formula_is_mild(formula, t, context)) {
        return INFINITY;
    }
    look_at_points(&s, t);
    double at = highest(&s, t, &open);
    if (open) {
        s.narrow = 1;
        at = highest(&s, t, &open);
    }
    view->open |= open;
    if (at < INFINITY) {
        view->touched |= touches(&s, t);
    }
    return at;
}
