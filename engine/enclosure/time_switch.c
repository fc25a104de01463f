#include "engine/enclosure/time_switch.h"

#include "base/pi.h"
#include "engine/enclosure/switch_numbers.h"

#include <float.h>
#include <math.h>

enum { DEPTH = 64 }; // intervals waiting: more than halvings to 1e-13

typedef struct box {
    double from, to;
    int settled; // its ends decide
} box;

typedef struct search {
    const trm_time_formula *formula;
    int k; // its switching function
    const trm_time_context *context;
    trm_switching_mode mode; // the mode in force
    double least;            // width of an interval that is not halved
} search;

static trm_switching_mode mode_at(const search *s, double t)
{
    return trm_time_formula_mode(s->formula, s->k, t, s->context);
}

static int has_no_zero(trm_interval x)
{
    return x.lo > 0 || x.hi < 0;
}

/// Modes rise with g.
static int keeps_its_mode(const search *s, trm_interval g)
{
    const trm_switching_mode first = trm_switching_mode_at(s->formula->code, s->k, g.lo);
    return first != TRM_SWITCHING_MODE_NONE &&
           first == trm_switching_mode_at(s->formula->code, s->k, g.hi);
}

static trm_time_domain enclosure(const search *s, double from, double to, int order, trm_series *g)
{
    const trm_time_query query = {.t = {from, to}, .order = order};
    return trm_time_formula_switching_series(s->formula, s->k, &query, s->context, g);
}

/// Whether g keeps its mode in the box by the mean value theorem: g(middle) + g' (t - middle), with
/// what it is enclosed by, x. Terms that change together, as the spans of a rope over a pulley,
/// have a slope of their own.
static int keeps_by_slope(const search *s, double from, double to, const trm_series *x)
{
    const trm_interval slope = x->c[1], away = {-0.5 * (to - from), 0.5 * (to - from)};
    if (!isfinite(slope.lo) || !isfinite(slope.hi)) {
        return 0;
    }
    const trm_interval change = trm_interval_scale(1 + 4 * DBL_EPSILON, // the middle is rounded
                                                   trm_interval_multiply(slope, away));
    trm_series middle;
    const double t = from + 0.5 * (to - from);
    enclosure(s, t, t, 0, &middle);
    const trm_interval g = trm_interval_add(middle.c[0], change);
    const trm_interval both = {fmax(g.lo, x->c[0].lo), fmin(g.hi, x->c[0].hi)};
    return both.lo <= both.hi && keeps_its_mode(s, both);
}

/// The midpoint of its slope at a time.
static double slope_at(const search *s, double t)
{
    trm_series here;
    enclosure(s, t, t, 1, &here);
    return 0.5 * (here.c[1].lo + here.c[1].hi);
}

static double middle_of(double a, double b)
{
    return a + 0.5 * (b - a);
}

/// Where the slope changes its sign, to the nearest double.
static double extremum(const search *s, double from, double to)
{
    const int rises = slope_at(s, from) > 0;
    for (;;) {
        const double t = middle_of(from, to);
        if (!(from < t && t < to)) {
            return to;
        }
        if ((slope_at(s, t) > 0) == rises) {
            from = t;
        } else {
            to = t;
        }
    }
}

/// Neighbouring times between which the mode in force ends.
static trm_mode_change enclose(const search *s, double from, double to)
{
    for (;;) {
        const double t = middle_of(from, to);
        if (!(from < t && t < to)) {
            return (trm_mode_change){from, to, 1};
        }
        if (mode_at(s, t) == s->mode) {
            from = t;
        } else {
            to = t;
        }
    }
}

/// Whether an angle may go round within the box, which its values at the ends do not show.
static int may_go_round(const search *s, const box *here, const trm_series *x)
{
    const double rate = fmax(fabs(x->c[1].lo), fabs(x->c[1].hi));
    return trm_expression_switching_function(s->formula->code, s->k).kind == TRM_SWITCHING_ANGLE &&
           !(rate * (here->to - here->from) < TRM_PI);
}

/// The halves of a box, the earlier one on top.
static void split(const search *s, const box *whole, trm_time_domain has, const trm_series *x,
                  box out[2])
{
    const int bends = has == TRM_DOMAIN_WHOLE && has_no_zero(x->c[2]) && !may_go_round(s, whole, x);
    const double middle =
        bends ? extremum(s, whole->from, whole->to) : middle_of(whole->from, whole->to);
    out[0] = (box){middle, whole->to, bends};
    out[1] = (box){whole->from, middle, bends};
}

trm_mode_change trm_next_mode_change(const trm_time_formula *formula, int k, double from, double to,
                                     const trm_time_context *context)
{
    const double rounding = 4 * DBL_EPSILON * fmax(fabs(from), fabs(to));
    search s = {formula, k, context, 0, fmax(TRM_EVENT_CLOSE * (to - from), rounding)};
    s.mode = mode_at(&s, from);
    box waiting[DEPTH] = {{from, to, 0}};
    int n = 1, looked = 0;
    while (n > 0) {
        const box here = waiting[--n];
        const int tired = looked++ >= TRM_EVENT_PATIENCE;
        trm_series x;
        const trm_time_domain has = enclosure(&s, here.from, here.to, 2, &x);
        const trm_switching_mode last = mode_at(&s, here.to);
        if (has == TRM_DOMAIN_WHOLE &&
            (keeps_its_mode(&s, x.c[0]) || keeps_by_slope(&s, here.from, here.to, &x))) {
            continue;
        }
        const int wide = here.to - here.from > s.least;
        const int round = wide && may_go_round(&s, &here, &x);
        const int has_end = last != TRM_SWITCHING_MODE_NONE;
        const int tells = has_end && !round && has_no_zero(x.c[1]);
        if (has == TRM_DOMAIN_NOTHING || !wide || here.settled || tells || tired) {
            if (last != s.mode) {
                trm_mode_change found = enclose(&s, here.from, here.to);
                found.proved = looked <= TRM_EVENT_PATIENCE;
                return found;
            }
            continue;
        }
        split(&s, &here, has, &x, waiting + n);
        n += 2;
    }
    return (trm_mode_change){INFINITY, INFINITY, looked <= TRM_EVENT_PATIENCE};
}
