#include "engine/enclosure/follow.h"

#include <math.h>

/// Coefficient k of the derivative: phi''/k! has c''_k = (k + 2)(k + 1) c_{k+2}.
static double coefficient(const trm_series *c, int k, int derivative)
{
    const double magnitude = trm_interval_magnitude(c->c[k + derivative]);
    return derivative == 2 ? (k + 2) * (k + 1) * magnitude : magnitude;
}

double trm_signal_deviation(const trm_series *c, int order, int derivative, double h)
{
    const trm_interval all = c->c[derivative];
    double least = 0.5 * (all.hi - all.lo) * (derivative == 2 ? 2 : 1);
    double power = 1;
    for (int k = 1; k <= order && h > 0; k++) {
        power *= h / 4;
        const double d = 2 * power * coefficient(c, k, derivative);
        least = d < least || isnan(least) ? d : least;
    }
    return isnan(least) ? INFINITY : least;
}

// ------------------------------------------------------------------------------------------ range

enum { BOXES = 64 }; // intervals looked at

/// An interval of times, and the enclosure of the signal in it.
typedef struct box {
    trm_interval t, value;
    double whole; ///< s, length of all boxes together
} box;

typedef struct look {
    const trm_time_formula *formula;
    const trm_time_context *context;
    trm_series *room;
    int which, derivative;
} look;

static trm_interval values_in(const look *at, trm_interval t)
{
    const trm_time_query query = {.t = t, .order = at->derivative};
    trm_time_formula_signals(at->formula, &query, at->context, at->room);
    const trm_interval c = at->room[at->which].c[at->derivative];
    return at->derivative == 2 ? trm_interval_scale(2, c) : c;
}

void trm_signal_see(trm_interval value, trm_signal_range *range)
{
    if (isfinite(value.lo) && isfinite(value.hi)) {
        range->lo = fmin(range->lo, value.hi);
        range->hi = fmax(range->hi, value.lo);
    }
}

/// Takes the value in the middle into the range.
static double sample(const look *at, trm_interval t, trm_signal_range *range)
{
    const double middle = t.lo + 0.5 * (t.hi - t.lo);
    trm_signal_see(values_in(at, trm_interval_of(middle)), range);
    return middle;
}

/// How far the enclosure of a box reaches beyond the range. A box with times at which the formula
/// has no value is halved until it is a sixteenth of all: outside of its domain there is nothing to
/// follow.
static double excess(const box *b, const trm_signal_range *range)
{
    if (!isfinite(b->value.lo) || !isfinite(b->value.hi)) {
        return b->t.hi - b->t.lo > b->whole / 16 ? INFINITY : 0;
    }
    return fmax(b->value.hi - range->hi, range->lo - b->value.lo);
}

static int widest(const box *boxes, int n, const trm_signal_range *range)
{
    int found = 0;
    for (int i = 1; i < n; i++) {
        found = excess(&boxes[i], range) > excess(&boxes[found], range) ? i : found;
    }
    return found;
}

void trm_signal_look(const trm_time_formula *formula, int which, int derivative, trm_interval t,
                     const trm_time_context *context, trm_series *room, trm_signal_range *range)
{
    const look at = {formula, context, room, which, derivative};
    const double whole = t.hi - t.lo;
    box boxes[BOXES] = {{t, values_in(&at, t), whole}};
    sample(&at, trm_interval_of(t.lo), range);
    sample(&at, trm_interval_of(t.hi), range);
    for (int n = 1; n < BOXES; n++) {
        box *const worst = &boxes[widest(boxes, n, range)];
        if (excess(worst, range) <= range->hi - range->lo) {
            return;
        }
        const double middle = sample(&at, worst->t, range);
        const trm_interval later = {middle, worst->t.hi};
        worst->t.hi = middle;
        boxes[n] = (box){later, values_in(&at, later), whole};
        worst->value = values_in(&at, worst->t);
    }
}
