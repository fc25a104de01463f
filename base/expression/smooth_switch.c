// Formulas of the time whose words have kinks, and which have none: x^3 (10 - 15 x + 6 x^2) with
// x = clamp(t, 0, 1).
//
// The line of times is cut where switching functions change. That is known where every g is linear
// in t between the cuts of the switching functions before it. The time of a cut is known to
//
//     blur = e/|g'| + eps |t|,       e: what rounding makes of g there (switching.h),
//
// and two cuts nearer than the sum of theirs are a single cut, whose blur covers both. At each cut
// the formula and its two derivatives with the modes of the left side are those with the
// modes of the right side, or it has a kink:
//
//     |f_left^(k) - f_right^(k)| <= what it differs by around the cut + its rounding,  k = 0, 1, 2
//
// the former in five times within its blur: where the pieces join, the difference goes through zero
// there. The latter is a bound (switching.h): five values do not show it, and x^3 (10 - 15 x + 6
// x^2) has terms 15 times as large as its slope. A jump stays what it is.
//
// Of p.y - s(t) the switching functions are of the time alone, and p.y is any number. Both modes
// are analytic in it: where they meet for numbers taken at random they meet for all, and so do the
// derivatives by it. Numbers of both signs and of sizes from 0.01 to 100 stand for it, the same in
// every run.
#include "base/expression/switching.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 64 };

typedef struct cut {
    double t, blur;
} cut;

typedef struct time_line {
    const trm_expression *code;
    int time;  ///< which variable is t
    int trial; ///< numbers the values that stand for the others
    int switching, cuts;
    cut cut[MOST_CUTS];       ///< rising
    double (*x)[3];           ///< [variables]
    const double (*curve)[3]; ///< the same
    double (*g)[3];           ///< [nswitching_functions]
    double *workspace;
    double *now, *error;              ///< [variables], [nswitching_functions]
    trm_switching_mode *left, *right; ///< [nswitching_functions]
} time_line;

static int open_line(time_line *line, const trm_expression *code, int time)
{
    const size_t n = (size_t)trm_expression_switching_functions(code);
    *line = (time_line){.code = code, .time = time, .switching = (int)n};
    line->x = calloc((size_t)trm_expression_variables(code) + 1, sizeof *line->x);
    line->g = calloc(n + 1, sizeof *line->g);
    line->workspace = calloc(2 * (size_t)trm_expression_workspace(code) + 1, sizeof(double));
    line->now = calloc((size_t)trm_expression_variables(code) + 1, sizeof(double));
    line->error = calloc(n + 1, sizeof(double));
    line->left = calloc(2 * n + 1, sizeof *line->left);
    line->right = line->left ? line->left + n : NULL;
    line->curve = (const double(*)[3])line->x;
    return line->x && line->g && line->workspace && line->now && line->error && line->left;
}

static void close_line(time_line *line)
{
    free(line->x);
    free(line->g);
    free(line->workspace);
    free(line->now);
    free(line->error);
    free(line->left);
}

/// What stands for variable i: multiples of the golden ratio are spread evenly over [0, 1).
static double any_number(int i, int trial)
{
    static const double golden = 0.6180339887498949;
    const double turn = golden * (31 * trial + 7 * i + 1), part = turn - floor(turn);
    const int sign = (trial >> (i % 4)) & 1 ? -1 : 1; // four variables have all signs in 16 trials
    return sign * pow(10, 4 * part - 2);
}

static void go_to(time_line *line, double t)
{
    for (int i = 0; i < trm_expression_variables(line->code); i++) {
        const int is_time = i == line->time;
        line->now[i] = line->x[i][0] = is_time ? t : any_number(i, line->trial);
        line->x[i][1] = is_time;
        line->x[i][2] = 0;
    }
}

/// A time at this part of piece i, between cut i - 1 and cut i.
static double within(const time_line *line, int i, double part)
{
    if (line->cuts == 0) {
        return part;
    }
    const double lo = line->cut[i > 0 ? i - 1 : 0].t, hi = line->cut[i < line->cuts ? i : i - 1].t;
    return i == 0            ? hi - part * (1 + fabs(hi))
           : i == line->cuts ? lo + part * (1 + fabs(lo))
                             : lo + part * (hi - lo);
}

/// Two cuts that are the same as far as rounding tells become a single cut. Returns 0 when there
/// are too many.
static int add_cut(time_line *line, cut new)
{
    int i = 0;
    for (int k = 0; k < line->cuts; k++) {
        cut *const here = &line->cut[k];
        const double apart = fabs(here->t - new.t);
        if (apart <= here->blur + new.blur) {
            here->blur = fmax(here->blur, apart + new.blur);
            return 1;
        }
        i += here->t < new.t;
    }
    if (line->cuts == MOST_CUTS) {
        return 0;
    }
    memmove(&line->cut[i + 1], &line->cut[i], (size_t)(line->cuts - i) * sizeof line->cut[0]);
    line->cut[i] = new;
    line->cuts++;
    return 1;
}

/// Where g of switching function k, linear in piece i, is `level`: t is NaN where it is not linear,
/// infinite where it is elsewhere.
static cut time_of(time_line *line, int k, int i, double level)
{
    const double third = within(line, i, 1.0 / 3), half = within(line, i, 0.5);
    const cut lo = i > 0 ? line->cut[i - 1] : (cut){-INFINITY, 0};
    const cut hi = i < line->cuts ? line->cut[i] : (cut){INFINITY, 0};
    go_to(line, third);
    trm_expression_switching_jets(line->code, line->curve, NULL, line->workspace, line->g);
    const double value = line->g[k][0], slope = line->g[k][1], curvature = line->g[k][2];
    go_to(line, half);
    trm_expression_switching_jets(line->code, line->curve, NULL, line->workspace, line->g);
    if (!(curvature == 0 && line->g[k][2] == 0 && line->g[k][1] == slope)) {
        return (cut){NAN, 0};
    }
    double t = slope != 0 ? third + (level - value) / slope : INFINITY;
    if (!isfinite(t)) {
        return (cut){INFINITY, 0};
    }
    go_to(line, t); // to the rounding of t, not of third
    trm_expression_switching_jets(line->code, line->curve, NULL, line->workspace, line->g);
    t += (level - line->g[k][0]) / slope;
    go_to(line, t);
    trm_expression_switching_rounding(line->code, line->now, line->workspace, line->error);
    const double blur = line->error[k] / fabs(slope) + DBL_EPSILON * fabs(t);
    const int here = t >= lo.t - lo.blur - blur && t <= hi.t + hi.blur + blur;
    return (cut){here ? t : INFINITY, blur};
}

/// Cut where switching function k changes. Returns 0 where that is not known.
static int cut_at(time_line *line, int k)
{
    const trm_switching_kind kind = trm_expression_switching_function(line->code, k).kind;
    const int levels = kind == TRM_SWITCHING_SIGN ? 1 : kind == TRM_SWITCHING_STEP ? 2 : 0;
    cut found[2 * MOST_CUTS + 2];
    int n = 0, known = levels > 0;
    for (int i = 0; known && i <= line->cuts; i++) {
        for (int level = 0; level < levels; level++) {
            found[n] = time_of(line, k, i, level);
            known = known && !isnan(found[n].t);
            n += isfinite(found[n].t) != 0;
        }
    }
    for (int i = 0; known && i < n; i++) {
        known = add_cut(line, found[i]);
    }
    return known;
}

/// The modes in piece i.
static void learn(time_line *line, int i, trm_switching_mode *mode)
{
    go_to(line, within(line, i, 0.75));
    trm_expression_switching_jets(line->code, line->curve, NULL, line->workspace, line->g);
    for (int k = 0; k < line->switching; k++) {
        mode[k] = trm_switching_mode_at(line->code, k, line->g[k][0]);
    }
}

typedef void jet_of(const trm_expression *code, const double (*x)[3],
                    const trm_switching_mode *mode, double *workspace, double out[3]);

/// At t: `of` the left side and `sign` times `of` the right side.
static void both_sides(time_line *line, double t, jet_of *of, double sign, double out[3])
{
    double right[3];
    go_to(line, t);
    of(line->code, line->curve, line->left, line->workspace, out);
    of(line->code, line->curve, line->right, line->workspace, right);
    for (int k = 0; k < 3; k++) {
        out[k] += sign * right[k];
    }
}

/// Left less right at t.
static void difference(time_line *line, double t, double out[3])
{
    both_sides(line, t, trm_expression_jet_in, -1, out);
}

/// At cut i; -1 where the formula has no value.
static int meets(time_line *line, int i)
{
    const double t = line->cut[i].t, blur = line->cut[i].blur;
    double d[3], lo[3], hi[3], own[3];
    int all = 1;
    both_sides(line, t, trm_expression_jet_rounding, 1, own); // bounds add
    difference(line, t, d);
    if (isnan(d[0])) {
        return -1;
    }
    memcpy(lo, d, sizeof lo);
    memcpy(hi, d, sizeof hi);
    for (int j = -2; j <= 2; j++) {
        double near[3];
        difference(line, t + 0.5 * j * blur, near);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(near[k], lo[k]);
            hi[k] = fmax(near[k], hi[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        const double spread = hi[k] - lo[k]; // infinite where a derivative is
        all = all && isfinite(spread + own[k]) && fabs(d[k]) <= spread + own[k];
    }
    return all;
}

/// At every cut, and the formula has a value there.
static int meets_everywhere(time_line *line)
{
    int smooth = 1;
    for (int i = 0; smooth > 0 && i < line->cuts; i++) {
        learn(line, i, line->left);
        learn(line, i + 1, line->right);
        smooth = meets(line, i);
    }
    return smooth;
}

/// Whether what is not smooth changes with the time alone.
static int kinks_in_time(const trm_expression *code)
{
    int all = 1;
    for (int k = 0; k < trm_expression_switching_functions(code); k++) {
        const trm_switching_function s = trm_expression_switching_function(code, k);
        const int smooth = s.kind == TRM_SWITCHING_ANGLE || s.smoothness >= 2;
        all = all && (smooth || (s.of_time && !s.of_rest));
    }
    return all;
}

int trm_expression_is_smooth_in_time(const trm_expression *code, int time)
{
    enum { TRIALS = 16 };
    time_line line;
    if (time < 0 || !kinks_in_time(code)) {
        return 0;
    }
    int smooth = open_line(&line, code, time), met = 0;
    for (int k = 0; smooth && k < line.switching; k++) {
        const trm_switching_function s = trm_expression_switching_function(code, k);
        smooth =
            (s.of_rest && s.smoothness >= 2) || s.kind == TRM_SWITCHING_ANGLE || cut_at(&line, k);
    }
    const int trials = trm_expression_is_of_time(code) ? 1 : TRIALS;
    for (; smooth && line.trial < trials; line.trial++) {
        const int here = meets_everywhere(&line);
        met += here > 0;
        smooth = here != 0; // outside its domain it says nothing
    }
    close_line(&line);
    return smooth && met > 0;
}
