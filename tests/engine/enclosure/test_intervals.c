/// Intervals, their Taylor series, and the times at which formulas switch, against values at
/// points, closed forms and the exact roots of functions.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/enclosure/follow.h"
#include "engine/enclosure/time_switch.h"
#include "tests/claim.h"

/// A formula of t alone, or of t, the state x and an input u.
typedef struct formula {
    trm_expression *code;
    int *source;
    unsigned char *role;
    int signals;
    trm_time_formula time;
    trm_time_context context;
} formula;

enum { THE_INPUT = 1 }; // 0: not taken

static int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    int *source = user;
    const int is_t = length == 1 && name[0] == 't', is_x = length == 1 && name[0] == 'x';
    const int is_u = length == 1 && name[0] == 'u';
    if (!is_t && !is_x && !is_u) {
        return 0;
    }
    const int wanted = is_t ? TRM_SOURCE_TIME : is_x ? TRM_SOURCE_STATE : THE_INPUT;
    int i = 0;
    while (source[i] != 0 && source[i] != wanted) {
        i++;
    }
    source[i] = wanted;
    *out = (trm_symbol){.index = i, .of_time = is_t};
    return 1;
}

static formula open_formula(const char *text)
{
    formula f = {.source = calloc(4, sizeof(int))};
    trm_expression_error wrong;
    if (trm_expression_compile(NULL, text, resolve, f.source, &f.code, &wrong) != TRM_OK) {
        fail_msg("%s: %s", text, wrong.message);
    }
    f.role = malloc((size_t)trm_time_formula_length(f.code));
    f.signals = trm_time_formula_roles(f.code, f.source, f.role);
    f.time = (trm_time_formula){f.code, f.source, f.role, -1};
    f.context.room = malloc((size_t)trm_time_formula_room(f.code));
    return f;
}

static void close_formula(formula *f)
{
    trm_expression_destroy(f->code);
    free(f->role);
    free(f->source);
    free(f->context.room);
}

static trm_series series_of(const formula *f, double from, double to, int order, int frozen)
{
    trm_series out[8];
    const trm_time_query query = {.t = {from, to}, .order = order, .frozen = frozen};
    assert_in_range(f->signals, 1, 8);
    trm_time_formula_signals(&f->time, &query, &f->context, out);
    return out[0];
}

static const char *const smooth[] = {
    "sin(3*t)*cos(t)^2",        "exp(-((t-1)/0.3)^2)",
    "tan(0.3*t)/(1 + t^2)",     "asin(0.3*t)*acos(0.2*t)",
    "atan(2*t)*t^2.5",          "sinh(t)*cosh(0.5*t)*tanh(t)",
    "sqrt(1 + t*t)*log(2 + t)", "atan2(1 + t, 2 - t)*hypot(1, t)",
    "(1 + t)^(0.5*t)*t^7*t^11", "t^(-3)*(2 + t)^-1.5",
    "step(t, 0.1, 2)*t",        "dircos(t - 0.9, 0.3 - t)",
};

/// Of any interval: the enclosure holds what intervals that are points hold.
CLAIM(test_series_enclose_points)
{
    srand(7);
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        formula f = open_formula(smooth[i]);
        for (int trial = 0; trial < 200; trial++) {
            const double a = 0.2 + 1.2 * rand() / RAND_MAX, width = 0.5 * rand() / RAND_MAX;
            const trm_series box = series_of(&f, a, a + width, TRM_SERIES_ORDER, 0);
            const double t = a + width * rand() / RAND_MAX;
            const trm_series at = series_of(&f, t, t, TRM_SERIES_ORDER, 0);
            for (int k = 0; k <= TRM_SERIES_ORDER; k++) {
                const double middle = 0.5 * (at.c[k].lo + at.c[k].hi);
                if (!(box.c[k].lo <= middle && middle <= box.c[k].hi)) {
                    fail_msg("%s, order %d: %.17g not in [%.17g, %.17g]", smooth[i], k, middle,
                             box.c[k].lo, box.c[k].hi);
                }
            }
        }
        close_formula(&f);
    }
}

/// At a point: the value, and the two derivatives that the evaluation has.
CLAIM(test_series_are_those_of_the_jets)
{
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        formula f = open_formula(smooth[i]);
        double work[400], jet[3];
        for (double t = 0.2; t < 1.9; t += 0.13) {
            trm_expression_jet(f.code, (const double[][3]){{t, 1, 0}}, work, jet);
            const trm_series at = series_of(&f, t, t, 2, 1);
            jet[2] /= 2;
            for (int k = 0; k <= 2; k++) {
                const double scale = 1e-12 * (1 + fabs(jet[k]));
                if (!(at.c[k].lo - scale <= jet[k] && jet[k] <= at.c[k].hi + scale)) {
                    fail_msg("%s at %g, order %d: %.17g not in [%.17g, %.17g]", smooth[i], t, k,
                             jet[k], at.c[k].lo, at.c[k].hi);
                }
            }
        }
        close_formula(&f);
    }
}

/// High orders: the series at t gives the value at t + d, to the next power of d.
CLAIM(test_series_continue_the_function)
{
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        formula f = open_formula(smooth[i]);
        double work[400];
        const double t = 0.71, d = 0.01;
        const trm_series at = series_of(&f, t, t, TRM_SERIES_ORDER, 1);
        double sum = 0;
        for (int k = TRM_SERIES_ORDER; k >= 0; k--) {
            sum = sum * d + 0.5 * (at.c[k].lo + at.c[k].hi);
        }
        const double x = t + d, value = trm_expression_value(f.code, &x, work);
        if (!(fabs(sum - value) <= 1e-14 * (1 + fabs(value)))) {
            fail_msg("%s: %.17g, not %.17g", smooth[i], sum, value);
        }
        close_formula(&f);
    }
}

/// Kinks, jumps and pieces: the enclosure of a wide interval holds the values, whatever the branch.
CLAIM(test_enclosures_hold_across_switches)
{
    static const char *const kinked[] = {
        "abs(t - 1)*t",
        "max(0, min(1, 10*(t-0.7), 10*(1.1-t)))",
        "if(t < 1, sin(t), 3)",
        "floor(3*t) + mod(t, 0.3)",
        "sign(sin(9*t))",
        "step(t, 0.5, 0.6)*5",
        "pulse(t, 0.1, 0.5)",
        "clamp(t, 0.4, 0.9)^2",
        "t > 1 and t < 1.2 ? t : -t",
    };
    srand(3);
    for (size_t i = 0; i < sizeof kinked / sizeof *kinked; i++) {
        formula f = open_formula(kinked[i]);
        double work[400];
        for (int trial = 0; trial < 300; trial++) {
            const double a = 1.5 * rand() / RAND_MAX, width = 0.5 * rand() / RAND_MAX;
            const double t = a + width * rand() / RAND_MAX;
            double sum = 0;
            trm_series out[8];
            const trm_time_query query = {.t = {a, a + width}, .order = 1};
            trm_time_formula_signals(&f.time, &query, &f.context, out);
            double lo = 0, hi = 0;
            for (int s = 0; s < f.signals; s++) {
                lo += out[s].c[0].lo;
                hi += out[s].c[0].hi;
            }
            sum = trm_expression_value(f.code, &t, work);
            if (!(lo - 1e-12 <= sum && sum <= hi + 1e-12)) {
                fail_msg("%s at %.17g in [%g, %g]: %.17g not in [%.17g, %.17g]", kinked[i], t, a,
                         a + width, sum, lo, hi);
            }
        }
        close_formula(&f);
    }
}

CLAIM(test_signals_are_parts_of_the_time)
{
    static const struct {
        const char *text;
        int signals;
    } cases[] = {
        {"x", 0},
        {"x*sin(t) + max(0, t - 1) - 2", 2},
        {"sin(t) + 3*t", 2},
        {"if(t < 1, x, -x)", 1},
        {"x*max(0, sin(t)^2 - x)", 1},
        {"7", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        formula f = open_formula(cases[i].text);
        assert_int_equal(f.signals, cases[i].signals);
        close_formula(&f);
    }
}

/// The next time at which any switch changes.
static trm_mode_change next_of(const formula *f, double from, double to)
{
    trm_mode_change first = {INFINITY, INFINITY, 1};
    for (int k = 0; k < trm_expression_switching_functions(f->code); k++) {
        if (trm_time_formula_is_switching(&f->time, k)) {
            const trm_mode_change t = trm_next_mode_change(&f->time, k, from, to, &f->context);
            first = t.after < first.after ? t : first;
        }
    }
    return first;
}

/// However short the window: 1e-9 of the search.
CLAIM(test_pulses_are_found)
{
    srand(11);
    for (int trial = 0; trial < 1000; trial++) {
        const double start = 9.0 * rand() / RAND_MAX + 0.1;
        const double length = pow(10, -9 + 8.0 * rand() / RAND_MAX);
        char text[160];
        snprintf(text, sizeof text, "max(0, min(1, 1e12*(t - %.17g), 1e12*(%.17g - t)))", start,
                 start + length);
        formula f = open_formula(text);
        const trm_mode_change found = next_of(&f, 0, 10);
        assert_true(found.proved);
        assert_true(fabs(found.after - start) < 1e-12);
        const trm_mode_change end = next_of(&f, start + length / 2, 10);
        assert_true(fabs(end.after - (start + length)) < 2e-12);
        close_formula(&f);
    }
}

CLAIM(test_roots_are_exact)
{
    static const struct {
        const char *text;
        double from, root; // INFINITY: none up to 100
    } cases[] = {
        {"abs(sin(t))", 0.1, 3.14159265358979323846},
        {"abs(t^2 - 2)", 0, 1.41421356237309504880},
        {"abs(exp(t) - 3)", 0, 1.09861228866810969140},
        {"sign(cos(1000*t) - 0.999999999)", 0.003, 0.00628314058576},
        {"abs(2 + sin(t))", 0, INFINITY},
        {"abs((t - 3)^2)", 0, INFINITY}, // it touches zero and turns back
        {"floor(t)", 0.5, 1},
        {"mod(t, 0.3)", 0.31, 0.6},
        {"if(t < 7, 1, 0)", 1, 7},
        {"abs(max(0, t - 50) - 2)", 51, 52},
        {"max(0, max(0, t - 50))", 0, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        formula f = open_formula(cases[i].text);
        const trm_mode_change found = next_of(&f, cases[i].from, 100);
        const int good = isfinite(cases[i].root) ? fabs(found.after - cases[i].root) < 1e-12
                                                 : isinf(found.after);
        if (!good || !found.proved) {
            fail_msg("%s: %.17g, proved %d", cases[i].text, found.after, found.proved);
        }
        assert_true(nextafter(found.before, INFINITY) == found.after || isinf(found.after));
        close_formula(&f);
    }
}

/// The bound on what a polynomial leaves holds, and a step across a sharp bump is refused.
CLAIM(test_deviation)
{
    formula f = open_formula("exp(-((t-5)/0.01)^2)");
    const double across = 10;
    const trm_series wide = series_of(&f, 0, across, 8, 1);
    assert_true(trm_signal_deviation(&wide, 8, 0, across) >= 0.5);
    const trm_series far = series_of(&f, 0, 4.5, 8, 1);
    assert_true(trm_signal_deviation(&far, 8, 0, 4.5) < 1e-100);
    trm_signal_range range = {INFINITY, -INFINITY};
    trm_series room[8];
    trm_signal_look(&f.time, 0, 0, (trm_interval){0, 10}, &f.context, room, &range);
    assert_true(range.hi - range.lo > 0.33 && range.hi - range.lo <= 1);
    close_formula(&f);

    formula wave = open_formula("sin(t)");
    const trm_series step = series_of(&wave, 1, 1.5, 8, 1);
    const double d = trm_signal_deviation(&step, 8, 0, 0.5);
    assert_true(d <= 2 * pow(0.125, 8) / 40320 * 1.0001 && d > 0);
    close_formula(&wave);
}

/// cos(3)^n, a negative number, within a box around pi: the whole of n is odd or even, however
/// large.
CLAIM(test_large_whole_powers_of_negative_numbers)
{
    static const char *const peaks[] = {"cos(t)^1000", "cos(t)^2000", "cos(t)^2001", "cos(t)^20000",
                                        "1/cos(t)^2001"};
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        formula f = open_formula(peaks[i]);
        const trm_series box = series_of(&f, 0.8, 3.7, 8, 1);
        double work[400];
        for (double t = 0.8; t <= 3.7; t += 0.001) {
            const double value = trm_expression_value(f.code, &t, work);
            if (!(box.c[0].lo <= value && value <= box.c[0].hi)) {
                fail_msg("%s: %.17g outside [%g, %g]", peaks[i], value, box.c[0].lo, box.c[0].hi);
            }
        }
        assert_true(trm_signal_deviation(&box, 8, 0, 2.9) > 0.1);
        close_formula(&f);
    }
}

/// From 0 at t = 1 to 2 at t = 1.5 along 2 (10 s^3 - 15 s^4 + 6 s^5), s = 2 (t - 1): all
/// coefficients on both sides of the end are in the enclosure across it, the third among them,
/// which is 2*(10 - 60 + 60)*8 just before and 0 behind.
CLAIM(test_a_ramp_is_enclosed_across_its_end)
{
    trm_input inputs[THE_INPUT + 1] = {{0}};
    trm_input *const u = &inputs[THE_INPUT];
    u->smooth = 0.5;
    trm_input_settle(u, 0);
    assert_true(trm_input_set(u, 1, 2));
    formula f = open_formula("abs(u)");
    f.context.inputs = inputs;
    const double last = 2 * 6 * 32;
    const double before[] = {2, 0, 0, 2 * 10 * 8, 2 * (-15 + 6 * 5) * 16.0, last};
    const trm_time_query across = {.t = {1.5 - 1e-5, 1.5 + 1e-5}, .order = TRM_SERIES_ORDER};
    trm_series box;
    trm_time_formula_switching_series(&f.time, 0, &across, &f.context, &box);
    for (int k = 0; k <= TRM_SERIES_ORDER; k++) {
        const double x = k < 6 ? before[k] : 0, behind = k == 0 ? 2 : 0;
        assert_true(box.c[k].lo <= fmin(x, behind) && fmax(x, behind) <= box.c[k].hi);
    }
    assert_true(box.c[0].lo > 1.9 && box.c[0].hi < 2.1);
    close_formula(&f);
}

/// Where the argument of a switch is not a number, nothing is known.
CLAIM(test_a_switch_of_no_number_is_unknown)
{
    static const char *const texts[] = {"floor(log(t))", "mod(log(t), 2)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        formula f = open_formula(texts[i]);
        const trm_series box = series_of(&f, -2, -1, TRM_SERIES_ORDER, i % 2);
        for (int k = 0; k <= TRM_SERIES_ORDER; k++) {
            if (!(box.c[k].lo == -INFINITY && box.c[k].hi == INFINITY)) {
                fail_msg("%s, order %d: [%g, %g]", texts[i], k, box.c[k].lo, box.c[k].hi);
            }
        }
        close_formula(&f);
    }
}

/// When the first switch of a formula of the time changes, from 0 to 1.
static trm_mode_change first_change(const char *text)
{
    formula f = open_formula(text);
    const trm_mode_change found = trm_next_mode_change(&f.time, 0, 0, 1, &f.context);
    close_formula(&f);
    return found;
}

/// A damped rope over points that stay together, to rounding: of the quotient of what is left of
/// them intervals know nothing, and the search runs out; direction cosines are at most 1.
CLAIM(test_points_that_meet_leave_nothing_open)
{
    static const char x[] = "(1 + 1e-17*t - 1)", y[] = "(2 - 1e-17*t - 2)", w[] = "1e-13*cos(5*t)";
    char cosine[300], quotient[300];
    snprintf(cosine, sizeof cosine, "max(0, 0.1 + dircos(%s, %s)*%s)", x, y, w);
    snprintf(quotient, sizeof quotient, "max(0, 0.1 + %s*%s/(1e-300 + hypot(%s, %s)))", x, w, x, y);
    assert_false(first_change(quotient).proved);
    const trm_mode_change found = first_change(cosine);
    assert_true(found.proved && found.after == INFINITY);
}

/// A rope over a pulley: a span of 2 km grows as another one shrinks, and what is left of their sum
/// is a millimetre.
CLAIM(test_spans_that_change_together)
{
    const trm_mode_change found =
        first_change("max(0, hypot(1000 + 1000*t, 0.01) + hypot(3000 - 1000*t, 0.01) - 3999.999)");
    assert_true(found.proved && found.after == INFINITY);
}

/// Enclosures of x/hypot(x, y) are those of its corners, and hold 0 where x and y do.
CLAIM(test_direction_cosines)
{
    static const double from[][4] = {// x, y; the range
                                     {3, 3, 4, 4},       {-4, 4, -3, 3}, {0, 4, 0, 3},
                                     {3, 6, -4, 0},      {-6, -3, 2, 4}, {0, 0, 0, 0},
                                     {0, INFINITY, 1, 2}};
    static const double range[][2] = {
        {0.6, 0.6}, {-1, 1}, {0, 1}, {0.6, 1}, {-0.94868329805051377, -0.6}, {0, 0}, {-1, 1}};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        const trm_interval c = trm_interval_dircos((trm_interval){from[i][0], from[i][1]},
                                                   (trm_interval){from[i][2], from[i][3]});
        assert_true(c.lo <= range[i][0] && range[i][0] - c.lo < 2e-15);
        assert_true(c.hi >= range[i][1] && c.hi - range[i][1] < 2e-15);
    }
}
