/// Peaks of formulas between the stages of a step, and how far switching functions err by.
///
/// The variables of a formula are sampled in the step and become polynomials of t; its values are
/// then functions of the time. The first search for a peak uses five points of the cubic through
/// the ends of the step with their rates, which takes no evaluation. If it finds one, a second one
/// uses nine points of the dense output.
#include "base/linear/sums.h"
#include "simulation/events/event_location.h"

#include "engine/enclosure/peak.h"
#include "engine/enclosure/switch_numbers.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_locator_hermite_state(trm_run *run, double s, double *z)
{
    const trm_point_of_run *a = &run->before, *b = &run->now;
    const double h = b->t - a->t, r = 1 - s;
    for (int i = 0; i < run->n; i++) {
        z[i] = r * r * ((1 + 2 * s) * a->z[i] + s * h * a->dz[i]) +
               s * s * ((1 + 2 * r) * b->z[i] - r * h * b->dz[i]);
    }
    trm_system_normalize(run->system, z);
}

/// The path of a formula's variables, in locator->values.path.
static double (*samples_of(const trm_locator *locator,
                           const trm_switching_formula *wanted))[TRM_TIME_PATH_PARTS + 1]
{
    double(*at)[TRM_TIME_PATH_PARTS + 1] = locator->values.path;
    for (const trm_switching_formula *f = locator->model->switching_formulas; f < wanted; f++) {
        at += f->f.n;
    }
    return at;
}

static trm_kinematics kinematics_at(const trm_locator *locator, trm_run *run, double t)
{
    const double *q = locator->z, *v = q + run->system->nq;
    return trm_assembler_kinematics(run->system, t, q, v, v);
}

/// All variables of a formula, to[][j].
static void sample_one(const trm_locator *locator, const trm_kinematics *kinematics,
                       const trm_switching_formula *formula, double (*to)[TRM_TIME_PATH_PARTS + 1],
                       int j)
{
    double *const x = locator->values.path_sample;
    trm_function_variables(&formula->f, kinematics->pose, kinematics->V, x);
    for (int k = 0; k < formula->f.n; k++) {
        to[k][j] = x[k];
    }
}

/// Samples the variables of all formulas in the state locator->z, to[][j].
static void sample(trm_locator *locator, trm_run *run, double t,
                   double (*to)[TRM_TIME_PATH_PARTS + 1], int j)
{
    const trm_kinematics kinematics = kinematics_at(locator, run, t);
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        sample_one(locator, &kinematics, &locator->model->switching_formulas[i], to, j);
        to += locator->model->switching_formulas[i].f.n;
    }
}

/// The state of the step at the part s of it, in locator->z: nonzero where there is none.
static int state_at(trm_locator *locator, trm_run *run, double s, int dense)
{
    const trm_point_of_run *a = &run->before, *b = &run->now;
    const double h = b->t - a->t;
    if (s <= 0 || s >= 1) {
        memcpy(locator->z, s <= 0 ? a->z : b->z, (size_t)run->n * sizeof(double));
        return 0;
    }
    if (dense) {
        return run->method_ops->dense(run, a->t + s * h, locator->z);
    }
    trm_locator_hermite_state(run, s, locator->z);
    return 0;
}

/// Returns nonzero where the dense output is not known.
static int fit(trm_locator *locator, trm_run *run, int parts)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    int code = 0, n = 0;
    for (int j = 0; j <= parts && !code; j++) {
        code = state_at(locator, run, (double)j / parts, parts == TRM_TIME_PATH_PARTS);
        sample(locator, run, t0 + h * j / parts, locator->values.path, j);
    }
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        n += locator->model->switching_formulas[i].f.n;
    }
    for (int k = 0; k < n; k++) {
        trm_time_path_fit(parts, locator->values.path[k]);
    }
    locator->values.path_parts = parts;
    return code;
}

/// The motion of the variables of a formula.
static trm_time_path path_of(const trm_locator *locator, const trm_run *run,
                             const trm_switching_formula *formula)
{
    return (trm_time_path){.t0 = run->before.t,
                           .h = run->now.t - run->before.t,
                           .degree = locator->values.path_parts,
                           .c = (const double(*)[TRM_TIME_PATH_PARTS + 1])
                               samples_of(locator, formula)};
}

/// Appends the state at an end of the step to the trail; the other states move up by a place.
static void append_history(trm_locator *locator, trm_run *run, const trm_point_of_run *point)
{
    trm_step_history *const history = &locator->following.history;
    for (int i = 0; i < 2; i++) {
        history->t[i] = history->t[i + 1];
    }
    for (int k = 0; k < locator->following.nvariables; k++) {
        history->x[k][0] = history->x[k][1];
        history->x[k][1] = history->x[k][2];
    }
    memcpy(locator->z, point->z, (size_t)run->n * sizeof(double));
    memcpy(history->z, point->z, (size_t)run->n * sizeof(double));
    sample(locator, run, point->t, history->x, 2);
    history->t[2] = point->t;
    history->count = history->count < 3 ? history->count + 1 : 3;
}

/// How far variable x moves beyond its values at the ends of the step, at most. By the middle of
/// the step, or by the curvature from the end before: 4 times the rise of a parabola over its
/// chord, which a sine in steps of two radians makes 2.4 times too small.
static double bulge(const trm_step_history *history, const double *x, int by_middle)
{
    if (by_middle) {
        return fabs(x[TRM_STEP_HISTORY_MIDDLE] - 0.5 * (x[1] + x[2])) * 2;
    }
    const double h = history->t[2] - history->t[1], before = history->t[1] - history->t[0];
    return fabs((x[2] - x[1]) - (x[1] - x[0]) * h / before) * h / (h + before);
}

/// Whether a formula has no room for a peak in the step. Half of the movement is added on either
/// side, since a motion is not a parabola: a sine through two radians differs by 4 % of the
/// movement, through three by 10 %.
static int is_mild(const trm_locator *locator, const trm_run *run,
                   const trm_switching_formula *formula, int by_middle)
{
    const trm_step_history *const history = &locator->following.history;
    double(*const x)[TRM_TIME_PATH_PARTS + 1] =
        history->x + (samples_of(locator, formula) - locator->values.path);
    const trm_interval t = {run->before.t, run->now.t};
    const trm_time_context context = {.inputs = run->system->inputs,
                                      .room = locator->following.room,
                                      .range = locator->following.variable_range};
    for (int k = 0; k < formula->f.n; k++) {
        const double more = 0.5 * fabs(x[k][2] - x[k][1]) + bulge(history, x[k], by_middle);
        locator->following.variable_range[k].lo = fmin(x[k][1], x[k][2]) - more;
        locator->following.variable_range[k].hi = fmax(x[k][1], x[k][2]) + more;
    }
    return trm_time_formula_is_mild(&formula->time, t, &context);
}

/// The system's current point is then the end of the step again.
static void sample_middle(trm_locator *locator, trm_run *run)
{
    const double t0 = run->before.t, t1 = run->now.t;
    (void)state_at(locator, run, 0.5, 0);
    sample(locator, run, t0 + 0.5 * (t1 - t0), locator->following.history.x,
           TRM_STEP_HISTORY_MIDDLE);
    (void)state_at(locator, run, 1, 0);
    sample(locator, run, t1, locator->following.history.x, 2);
}

/// Whether no formula has room for a peak. Most steps need a single evaluation of the motion, at
/// their end.
static int is_mild_step(trm_locator *locator, trm_run *run)
{
    trm_step_history *const history = &locator->following.history;
    const trm_point_of_run *const a = &run->before, *const b = &run->now;
    if (history->t[2] != a->t || memcmp(history->z, a->z, (size_t)run->n * sizeof(double)) != 0) {
        history->count = 0;
    }
    if (history->count == 0) {
        append_history(locator, run, a);
    }
    append_history(locator, run, b);
    int by_middle = 0;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        if (formula->peaking == 0 || (history->count == 3 && is_mild(locator, run, formula, 0))) {
            continue;
        }
        if (!by_middle) {
            sample_middle(locator, run);
            by_middle = 1;
        }
        if (!is_mild(locator, run, formula, 1)) {
            return 0;
        }
    }
    return 1;
}

/// First peak on the path at hand.
static double peak_of_path(trm_locator *locator, const trm_run *run, trm_peak_view *view)
{
    const trm_interval t = {run->before.t, run->now.t};
    double first = INFINITY;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        const trm_time_path path = path_of(locator, run, formula);
        const trm_time_context context = {
            .inputs = run->system->inputs, .room = locator->following.room, .path = &path};
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

double trm_locator_find_peak(trm_locator *locator, trm_run *run, int *moved)
{
    const trm_method_ops *const ops = run->method_ops;
    double seen[TRM_MOST_SEEN];
    *moved = 0;
    if (locator->following.npeaking == 0 || is_mild_step(locator, run)) {
        return INFINITY;
    }
    trm_peak_view view = {
        .seen = seen, .hull = locator->following.hull, .series = locator->following.series};
    view.nseen = ops->seen ? ops->seen(run, seen, &view.nmore) : see_ends(seen, &view.nmore);
    (void)fit(locator, run, TRM_TIME_PATH_PARTS / 2);
    double t = peak_of_path(locator, run, &view);
    if (isfinite(t) && !view.touched) { // or the cubic has its error for a peak
        *moved = 1;
        view.open = fit(locator, run, TRM_TIME_PATH_PARTS);
        t = view.open ? INFINITY : peak_of_path(locator, run, &view);
    }
    const int unsearchable = isfinite(t) && !ops->adaptive; // no shorter step will look at it
    locator->following.unproved += unsearchable || (view.open && !isfinite(t));
    return unsearchable ? INFINITY : t;
}

double trm_locator_horizon(const trm_locator *locator)
{
    return fmax(locator->following.horizon, locator->following.t_run_end) -
           locator->following.start;
}

/// Of all coordinates at a point: the largest place and speed, and what no speed is less than.
typedef struct terms {
    int tied;
    double place, speed, least;
} terms;

/// Rows tie all coordinates to each other; rates that move them in the horizon by less than their
/// rounding, or that of the size of the mechanism, wherever it is, are rounding. `still`: places
/// are known to be no better than that.
static terms terms_at(const trm_locator *locator, const trm_run *run, const trm_point_of_run *at,
                      int still)
{
    const int held = run->contact && trm_contact_list_held(run->contact) > 0;
    const int nq = run->system->nq, tied = held || run->system->nc > 0;
    const double time = trm_locator_horizon(locator), own = trm_max_norm(nq, at->z);
    const double whole = fmax(own, trm_max_norm(nq, run->extent.q));
    return (terms){tied, still && tied ? whole : own, trm_max_norm(run->system->nv, at->z + nq),
                   tied && time > 0 ? whole / time : 0};
}

/// Largest of the terms that a variable is a sum of: its rounding is theirs. A marker on a wheel
/// that touches the floor at 0 is its centre plus a spoke.
static double term_of(const terms *of, const trm_quantity *x)
{
    const double arm = trm_max_norm(3, x->local);
    switch (x->kind) {
    case TRM_VARIABLE_POSITION:
        return fmax(of->place, arm);
    case TRM_VARIABLE_JOINT:
    case TRM_VARIABLE_GUIDE:
        return of->place;
    case TRM_VARIABLE_VELOCITY:
        return fmax(of->speed * fmax(1, arm), of->least);
    case TRM_VARIABLE_JOINT_RATE:
        return fmax(of->speed, of->least);
    case TRM_VARIABLE_ANGLE:
    case TRM_VARIABLE_ROTATION:
        return of->tied ? of->place : 0;
    case TRM_VARIABLE_RATE:
        return of->tied ? fmax(of->speed, of->least) : 0;
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

const double *trm_locator_tolerance_bands(trm_locator *locator, trm_run *run,
                                          const trm_switching_formula *formula,
                                          const trm_point_of_run *at, double part,
                                          const trm_drift *gap, int still)
{
    const double t = at->t, slack = fmax(trm_locator_time_tolerance(run), DBL_MIN); // 0 at t = 0
    double(*const x)[TRM_TIME_PATH_PARTS + 1] = samples_of(locator, formula);
    memcpy(locator->z, at->z, (size_t)run->n * sizeof(double));
    if (run->observe) {
        run->observe(run, t, at->z);
    }
    const trm_kinematics kinematics = kinematics_at(locator, run, t);
    sample_one(locator, &kinematics, formula, x, 0);
    const terms of = terms_at(locator, run, at, still);
    trm_interval *const range = locator->following.variable_range;
    // forces, and their moments, balance to rounding
    const double balance = TRM_EVENT_BAND * DBL_EPSILON * run->observed *
                           fmax(1, trm_max_norm(run->system->nq, run->extent.q));
    for (int i = 0; i < formula->f.n; i++) {
        const trm_quantity *const of_x = &formula->f.x[i];
        const double off = part * fmax(fabs(x[i][0]), term_of(&of, of_x)) +
                           (of_x->kind == TRM_VARIABLE_READING ? balance
                            : gap                              ? gap_of(of_x, gap)
                                                               : 0);
        range[i] = (trm_interval){x[i][0] - off, x[i][0] + off};
    }
    const trm_time_context context = {
        .inputs = run->system->inputs, .room = locator->following.room, .range = range};
    const trm_time_query around = {.t = {t - slack, t + slack}, .order = 0, .frozen = 1};
    double *const band = locator->values.bands;
    trm_time_formula_switching_widths(&formula->time, &around, &context, band);
    for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
        band[k] = isfinite(band[k]) ? 0.5 * band[k] : 0;
    }
    locator->values.at_rest = NULL;
    return band;
}
