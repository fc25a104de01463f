#include "engine/events/peak.h"

#include <float.h>
#include <math.h>

enum { BOXES = 64 }; // thirty halvings, two each

typedef struct search {
    const trm_time_formula *formula;
    const trm_time_context *context;
    trm_peak_view *view;
    int results;
} search;

/// An interval of times, and how far its values may lie beyond those at the points, 1 allowed.
typedef struct box {
    trm_interval t;
    double beyond;
} box;

/// room.series at the times t, of order 0 or 1.
static void values(const search *s, trm_interval t, int order)
{
    const trm_time_query query = {.t = t, .order = order, .frozen = 1};
    trm_time_formula_results(s->formula, &query, s->context, s->view->series);
}

/// Of result i, how far x lies beyond its values at the points.
static double beyond(const search *s, int i, trm_interval x)
{
    static const double constant = 0.01;                 // of its size, see peak.h
    static const double nothing = DBL_MIN / DBL_EPSILON; // may be the roundoff of others
    const double lo = s->view->hull[2 * i], hi = s->view->hull[2 * i + 1];
    const double may = (hi - lo) / 2 + constant * fmax(fabs(lo), fabs(hi)) + nothing;
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
    values(s, trm_interval_of(t), 0);
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
    values(s, t, 0);
    for (int i = 0; i < s->results; i++) {
        most = fmax(most, beyond(s, i, s->view->series[i].c[0]));
    }
    return most;
}

/// Lowest and highest values at the points.
static void look_at_points(const search *s, trm_interval t)
{
    double *const hull = s->view->hull;
    for (int i = 0; i < s->results; i++) {
        hull[2 * i] = INFINITY;
        hull[2 * i + 1] = -INFINITY;
    }
    for (int j = 0; j < s->view->nseen; j++) {
        values(s, trm_interval_of(t.lo + (t.hi - t.lo) * s->view->seen[j]), 0);
        for (int i = 0; i < s->results; i++) {
            const double x = middle_of(s->view->series[i].c[0]);
            if (!isnan(x)) { // beyond all numbers counts: of exp(x) in 1/exp(x) nothing is hidden
                hull[2 * i] = fmin(hull[2 * i], x);
                hull[2 * i + 1] = fmax(hull[2 * i + 1], x);
            }
        }
    }
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

/// The search for the highest value, among boxes that may lie higher.
static double highest(const search *s, trm_interval t)
{
    box boxes[BOXES] = {{t, beyond_in(s, t)}};
    double most = 1, at = INFINITY;
    for (int n = 1; n < BOXES; n++) {
        box *const worst = &boxes[worst_of(boxes, n)];
        if (!(worst->beyond > (at < INFINITY ? 2 : 1) * most)) {
            return at;
        }
        const double middle = middle_of(worst->t), here = beyond_at(s, middle);
        at = here > most ? middle : at;
        most = fmax(most, here);
        const trm_interval later = {middle, worst->t.hi};
        worst->t.hi = middle;
        boxes[n] = (box){later, beyond_in(s, later)};
        worst->beyond = beyond_in(s, worst->t);
    }
    return at;
}

double trm_peak(const trm_time_formula *formula, int results, trm_interval t,
                const trm_time_context *context, trm_peak_view *view)
{
    const search s = {formula, context, view, results};
    if (trm_time_formula_is_mild(formula, t, context)) {
        return INFINITY;
    }
    look_at_points(&s, t);
    const double at = highest(&s, t);
    if (at < INFINITY) {
        view->touched |= touches(&s, t);
    }
    return at;
}
