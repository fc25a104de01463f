/// Changes of switches of the state within a step that the ends of the step do not show: a window
/// that lasts a thousandth of the step, exp(-((x - 5)/0.001)^2) > 0.5.
///
/// The variables of a formula are sampled in the step and become polynomials of t. Its switches
/// are then functions of the time, and the search that proves when such a switch changes
/// (engine/enclosure/time_switch.h) finds the changes on the sampled motion. The first search uses
/// five points of the cubic through the ends of the step with their rates, which takes no
/// evaluation. If it finds a change, a second one uses nine points of the dense output; its change
/// counts if the switch is outside on the dense output itself.
#include "simulation/events/event_location.h"

#include "engine/enclosure/peak.h"
#include "engine/enclosure/switch_numbers.h"
#include "engine/enclosure/time_switch.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_ahead_between(trm_run *run, double s, double *z)
{
    const trm_point_of_run *a = &run->before, *b = &run->now;
    const double h = b->t - a->t, r = 1 - s;
    for (int i = 0; i < run->n; i++) {
        z[i] = r * r * ((1 + 2 * s) * a->z[i] + s * h * a->dz[i]) +
               s * s * ((1 + 2 * r) * b->z[i] - r * h * b->dz[i]);
    }
    trm_system_normalize(run->system, z);
}

/// The path of a formula's variables, in ahead->path.
static double (*samples_of(const trm_ahead *ahead,
                           const trm_changing *wanted))[TRM_TIME_PATH_PARTS + 1]
{
    double(*at)[TRM_TIME_PATH_PARTS + 1] = ahead->path;
    for (const trm_changing *f = ahead->model->changing; f < wanted; f++) {
        at += f->f.n;
    }
    return at;
}

static trm_look look_at(const trm_ahead *ahead, trm_run *run, double t)
{
    const double *q = ahead->z, *v = q + run->system->nq;
    return trm_assembler_look(run->system, t, q, v, v);
}

/// All variables of a formula, to[][j].
static void sample_one(const trm_ahead *ahead, const trm_look *look, const trm_changing *formula,
                       double (*to)[TRM_TIME_PATH_PARTS + 1], int j)
{
    double *const x = ahead->path_sample;
    trm_function_variables(&formula->f, look->pose, look->V, x);
    for (int k = 0; k < formula->f.n; k++) {
        to[k][j] = x[k];
    }
}

/// Those of all formulas in the state ahead->z.
static void sample(trm_ahead *ahead, trm_run *run, double t, double (*to)[TRM_TIME_PATH_PARTS + 1],
                   int j)
{
    const trm_look look = look_at(ahead, run, t);
    for (int i = 0; i < ahead->model->nchanging; i++) {
        sample_one(ahead, &look, &ahead->model->changing[i], to, j);
        to += ahead->model->changing[i].f.n;
    }
}

/// The state of the step at the part s of it, in ahead->z: nonzero where there is none.
static int state_at(trm_ahead *ahead, trm_run *run, double s, int dense)
{
    const trm_point_of_run *a = &run->before, *b = &run->now;
    const double h = b->t - a->t;
    if (s <= 0 || s >= 1) {
        memcpy(ahead->z, s <= 0 ? a->z : b->z, (size_t)run->n * sizeof(double));
        return 0;
    }
    if (dense) {
        return run->method_ops->dense(run, a->t + s * h, ahead->z);
    }
    trm_ahead_between(run, s, ahead->z);
    return 0;
}

/// Returns nonzero where the dense output is not known.
static int fit(trm_ahead *ahead, trm_run *run, int parts)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    int code = 0, n = 0;
    for (int j = 0; j <= parts && !code; j++) {
        code = state_at(ahead, run, (double)j / parts, parts == TRM_TIME_PATH_PARTS);
        sample(ahead, run, t0 + h * j / parts, ahead->path, j);
    }
    for (int i = 0; i < ahead->model->nchanging; i++) {
        n += ahead->model->changing[i].f.n;
    }
    for (int k = 0; k < n; k++) {
        trm_time_path_fit(parts, ahead->path[k]);
    }
    ahead->path_parts = parts;
    return code;
}

/// The motion of the variables of a formula.
static trm_time_path path_of(const trm_ahead *ahead, const trm_run *run,
                             const trm_changing *formula)
{
    return (trm_time_path){.t0 = run->before.t,
                           .h = run->now.t - run->before.t,
                           .degree = ahead->path_parts,
                           .c = (const double(*)[TRM_TIME_PATH_PARTS + 1])
                               samples_of(ahead, formula)};
}

/// When switch k of the formula changes first on the path, before `to`; INFINITY: it does not.
static double change(const trm_ahead *ahead, const trm_run *run, const trm_changing *formula, int k,
                     double to)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    const trm_branch branch = ahead->branch[formula->f.first_switch + k];
    const trm_time_path path = path_of(ahead, run, formula);
    const trm_time_context context = {
        .inputs = run->system->inputs, .room = ahead->room, .path = &path};
    const trm_time_query whole = {.t = {t0, to}, .order = 0};
    trm_series g;
    trm_time_formula_switching(&formula->time, k, &whole, &context, &g);
    if (trm_switch_branch(formula->f.code, k, g.c[0].lo) == branch &&
        trm_switch_branch(formula->f.code, k, g.c[0].hi) == branch) {
        return INFINITY;
    }
    for (int i = 0; i < TRM_SWITCH_TRIES; i++) {
        const double from = t0 + h * trm_try(i, TRM_SWITCH_BEHIND, TRM_SWITCH_BEHIND_RATIO);
        if (from < to && trm_time_formula_branch(&formula->time, k, from, &context) == branch) {
            return trm_next_switch(&formula->time, k, from, to, &context).after;
        }
    }
    return INFINITY;
}

double trm_ahead_hidden(trm_ahead *ahead, trm_run *run, const trm_changing *formula, int k,
                        double to)
{
    const trm_switch said = trm_expression_switch(formula->f.code, k);
    if (!said.curved || said.kind == TRM_SWITCH_ANGLE || !(to > run->before.t)) {
        return INFINITY; // it has no windows of its own; branches of angles overlap
    }
    if (ahead->path_parts == 0) {
        (void)fit(ahead, run, TRM_TIME_PATH_PARTS / 2);
    }
    double t = change(ahead, run, formula, k, to);
    if (isfinite(t) && ahead->path_parts < TRM_TIME_PATH_PARTS) {
        t = fit(ahead, run, TRM_TIME_PATH_PARTS) ? INFINITY : change(ahead, run, formula, k, to);
    }
    return t;
}

/// Appends the state at an end of the step to the trail; the other states move up by a place.
static void follow(trm_ahead *ahead, trm_run *run, const trm_point_of_run *point)
{
    trm_trail *const trail = &ahead->trail;
    for (int i = 0; i < 2; i++) {
        trail->t[i] = trail->t[i + 1];
    }
    for (int k = 0; k < ahead->nvariables; k++) {
        trail->x[k][0] = trail->x[k][1];
        trail->x[k][1] = trail->x[k][2];
    }
    memcpy(ahead->z, point->z, (size_t)run->n * sizeof(double));
    memcpy(trail->z, point->z, (size_t)run->n * sizeof(double));
    sample(ahead, run, point->t, trail->x, 2);
    trail->t[2] = point->t;
    trail->count = trail->count < 3 ? trail->count + 1 : 3;
}

/// How far variable x moves beyond its values at the ends of the step, at most. By the middle of
/// the step, or by the curvature from the end before: 4 times the rise of a parabola over its
/// chord, which a sine in steps of two radians makes 2.4 times too small.
static double bulge(const trm_trail *trail, const double *x, int by_middle)
{
    if (by_middle) {
        return fabs(x[TRM_TRAIL_MIDDLE] - 0.5 * (x[1] + x[2])) * 2;
    }
    const double h = trail->t[2] - trail->t[1], before = trail->t[1] - trail->t[0];
    return fabs((x[2] - x[1]) - (x[1] - x[0]) * h / before) * h / (h + before);
}

/// Whether a formula has no room for a peak in the step. Half of the movement is added on either
/// side, since a motion is not a parabola: a sine through two radians differs by 4 % of the
/// movement, through three by 10 %.
static int is_mild(const trm_ahead *ahead, const trm_run *run, const trm_changing *formula,
                   int by_middle)
{
    const trm_trail *const trail = &ahead->trail;
    double(*const x)[TRM_TIME_PATH_PARTS + 1] =
        trail->x + (samples_of(ahead, formula) - ahead->path);
    const trm_interval t = {run->before.t, run->now.t};
    const trm_time_context context = {
        .inputs = run->system->inputs, .room = ahead->room, .range = ahead->reach};
    for (int k = 0; k < formula->f.n; k++) {
        const double more = 0.5 * fabs(x[k][2] - x[k][1]) + bulge(trail, x[k], by_middle);
        ahead->reach[k].lo = fmin(x[k][1], x[k][2]) - more;
        ahead->reach[k].hi = fmax(x[k][1], x[k][2]) + more;
    }
    return trm_time_formula_is_mild(&formula->time, t, &context);
}

/// The system's current point is then the end of the step again.
static void look_at_middle(trm_ahead *ahead, trm_run *run)
{
    const double t0 = run->before.t, t1 = run->now.t;
    (void)state_at(ahead, run, 0.5, 0);
    sample(ahead, run, t0 + 0.5 * (t1 - t0), ahead->trail.x, TRM_TRAIL_MIDDLE);
    (void)state_at(ahead, run, 1, 0);
    sample(ahead, run, t1, ahead->trail.x, 2);
}

/// The same for all formulas. Most steps need a single look at the motion, at their end.
static int is_mild_step(trm_ahead *ahead, trm_run *run)
{
    trm_trail *const trail = &ahead->trail;
    const trm_point_of_run *const a = &run->before, *const b = &run->now;
    if (trail->t[2] != a->t || memcmp(trail->z, a->z, (size_t)run->n * sizeof(double)) != 0) {
        trail->count = 0;
    }
    if (trail->count == 0) {
        follow(ahead, run, a);
    }
    follow(ahead, run, b);
    int by_middle = 0;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        if (formula->peaking == 0 || (trail->count == 3 && is_mild(ahead, run, formula, 0))) {
            continue;
        }
        if (!by_middle) {
            look_at_middle(ahead, run);
            by_middle = 1;
        }
        if (!is_mild(ahead, run, formula, 1)) {
            return 0;
        }
    }
    return 1;
}

/// On the path at hand.
static double peak_of_path(trm_ahead *ahead, const trm_run *run, trm_peak_view *view)
{
    const trm_interval t = {run->before.t, run->now.t};
    double first = INFINITY;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        const trm_time_path path = path_of(ahead, run, formula);
        const trm_time_context context = {
            .inputs = run->system->inputs, .room = ahead->room, .path = &path};
        if (formula->peaking > 0) {
            view->residual = formula->driven && formula->peaking > 1;
            first = fmin(first, trm_peak(&formula->time, formula->peaking, t, &context, view));
        }
    }
    return first;
}

/// What every method sees: the rates at both ends of the step.
static int see_ends(double *places, int *more)
{
    places[0] = 0;
    places[1] = 1;
    *more = 0;
    return 2;
}

double trm_ahead_peak(trm_ahead *ahead, trm_run *run, int *moved)
{
    const trm_method_ops *const ops = run->method_ops;
    double seen[TRM_MOST_SEEN];
    *moved = 0;
    if (ahead->npeaking == 0 || is_mild_step(ahead, run)) {
        return INFINITY;
    }
    trm_peak_view view = {.seen = seen, .hull = ahead->hull, .series = ahead->series};
    view.nseen = ops->seen ? ops->seen(run, seen, &view.nmore) : see_ends(seen, &view.nmore);
    (void)fit(ahead, run, TRM_TIME_PATH_PARTS / 2);
    double t = peak_of_path(ahead, run, &view);
    if (isfinite(t) && !view.touched) { // or the cubic has its error for a peak
        *moved = 1;
        view.open = fit(ahead, run, TRM_TIME_PATH_PARTS);
        t = view.open ? INFINITY : peak_of_path(ahead, run, &view);
    }
    const int lost = isfinite(t) && !ops->adaptive; // no shorter step will look at it
    ahead->unproved += lost || (view.open && !isfinite(t));
    return lost ? INFINITY : t;
}

double trm_ahead_time(const trm_ahead *ahead)
{
    return fmax(ahead->horizon, ahead->until) - ahead->start;
}

/// The largest magnitude of n numbers.
static double most_of(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/// Of the terms that a variable is a sum of, the largest: rounding is that of these. A marker on a
/// wheel that touches the floor at 0 is its centre plus a spoke. Rows tie all coordinates to each
/// other; rates that move them in the time looked ahead by less than their rounding, or that of the
/// size of the mechanism, wherever it is, are rounding. `still`: places are known to be no better
/// than that.
static double terms_of(const trm_ahead *ahead, const trm_run *run, const trm_point_of_run *at,
                       const trm_quantity *x, int still)
{
    const trm_system *const system = run->system;
    const double *const q = at->z, *const v = q + system->nq;
    const double arm = most_of(3, x->local);
    const double time = trm_ahead_time(ahead);
    const int tied = system->nc > 0;
    const double own = most_of(system->nq, q), size = most_of(system->nq, run->extent.q);
    const double place = still && tied ? fmax(own, size) : own, speed = most_of(system->nv, v);
    const double least = tied && time > 0 ? fmax(own, size) / time : 0;
    switch (x->kind) {
    case TRM_VARIABLE_POSITION:
        return fmax(place, arm);
    case TRM_VARIABLE_JOINT:
    case TRM_VARIABLE_GUIDE:
        return place;
    case TRM_VARIABLE_VELOCITY:
        return fmax(speed * fmax(1, arm), least);
    case TRM_VARIABLE_JOINT_RATE:
        return fmax(speed, least);
    case TRM_VARIABLE_ANGLE:
    case TRM_VARIABLE_ROTATION:
        return tied ? place : 0;
    case TRM_VARIABLE_RATE:
        return tied ? fmax(speed, least) : 0;
    default: // a number of its own
        return 0;
    }
}

/// The gap that a variable may be off by.
static double gap_of(const trm_quantity *x, const trm_drift *gap)
{
    switch (x->kind) {
    case TRM_VARIABLE_VELOCITY:
    case TRM_VARIABLE_RATE:
    case TRM_VARIABLE_JOINT_RATE:
        return gap->velocity;
    case TRM_VARIABLE_TIME:
    case TRM_VARIABLE_INPUT:
        return 0;
    default:
        return gap->position;
    }
}

double trm_ahead_blur(trm_ahead *ahead, trm_run *run, const trm_changing *formula, int k,
                      const trm_point_of_run *at, double part, const trm_drift *gap, int still)
{
    const double t = at->t, slack = fmax(trm_ahead_slack(run), DBL_MIN); // 0 at t = 0
    double(*const x)[TRM_TIME_PATH_PARTS + 1] = samples_of(ahead, formula);
    memcpy(ahead->z, at->z, (size_t)run->n * sizeof(double));
    const trm_look look = look_at(ahead, run, t);
    sample_one(ahead, &look, formula, x, 0);
    for (int i = 0; i < formula->f.n; i++) {
        x[i][1] = part * fmax(fabs(x[i][0]), terms_of(ahead, run, at, &formula->f.x[i], still)) +
                  (gap ? gap_of(&formula->f.x[i], gap) : 0);
    }
    ahead->path_parts = 0; // what it held is overwritten
    const trm_time_path path = {
        .t0 = t, .h = slack, .degree = 1, .c = (const double(*)[TRM_TIME_PATH_PARTS + 1]) x};
    const trm_time_context context = {
        .inputs = run->system->inputs, .room = ahead->room, .path = &path};
    const trm_time_query around = {.t = {t - slack, t + slack}, .order = 0, .frozen = 1};
    trm_series g;
    trm_time_formula_switching(&formula->time, k, &around, &context, &g);
    const double width = g.c[0].hi - g.c[0].lo;
    return isfinite(width) ? 0.5 * width : 0;
}
