/// The horizon of a run: when formulas of the time change their mode, and how long a step may be to
/// follow them.
#include "simulation/events/event_location.h"

#include "engine/enclosure/switch_numbers.h"
#include "engine/enclosure/time_switch.h"
#include "integrators/registry.h"
#include "trammel/trammel_model.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- layout

/// What the formulas need at most: bytes of workspace, signals of one, signals of all.
typedef struct needs {
    int room, most, signals;
    int variables, widest; ///< of all formulas, of one
    int peaking, highest;  ///< results that may peak, likewise
} needs;

static needs needs_of(const trm_model *model)
{
    needs n = {0};
    for (int i = 0; i < model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &model->switching_formulas[i];
        const int room = trm_time_formula_room(formula->time.code);
        n.room = room > n.room ? room : n.room;
        n.most = formula->signals > n.most ? formula->signals : n.most;
        n.signals += formula->signals;
        n.peaking += formula->peaking;
        n.highest = formula->peaking > n.highest ? formula->peaking : n.highest;
        n.variables += formula->f.n;
        n.widest = formula->f.n > n.widest ? formula->f.n : n.widest;
    }
    return n;
}

static int user_times(const trm_model *model)
{
    int n = 0;
    for (int i = 0; i < model->nuser_forces; i++) {
        n += model->user_forces[i].ntimes;
    }
    return n;
}

/// Finds the switching functions of the time alone.
static void sort_switching_functions(trm_locator *locator, const trm_model *model)
{
    locator->nstate = locator->nfunctions - model->nswitching_functions;
    for (int i = 0; i < model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &model->switching_formulas[i];
        for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
            const int timed = trm_time_formula_is_switching(&formula->time, k);
            locator->is_of_time[formula->f.first_switching_function + k] = (unsigned char)timed;
            locator->nstate += !timed;
        }
    }
}

void trm_locator_layout(trm_locator *locator, const trm_model *model, const trm_run *run,
                        trm_arena *arena)
{
    const needs n = needs_of(model);
    const size_t count = (size_t)model->nswitching_functions;
    locator->model = model;
    const int located = run->method_ops->steps_contacts ? 0 : model->ncontacts;
    locator->nfunctions = model->nswitching_functions + TRM_CONTACT_FUNCTIONS * located;
    locator->mode = trm_arena_take(arena, count, sizeof *locator->mode);
    locator->mode_after = trm_arena_take(arena, count, sizeof *locator->mode_after);
    locator->saved_modes = trm_arena_take(arena, 2 * count, sizeof *locator->saved_modes);
    locator->saved_roots = trm_arena_take(arena, count, sizeof *locator->saved_roots);
    locator->is_of_time = trm_arena_take(arena, count, 1);
    locator->next_change = trm_arena_doubles(arena, model->nswitching_functions);
    locator->t_leaves = trm_arena_doubles(arena, model->nswitching_functions);
    locator->values.g0 = trm_arena_doubles(arena, locator->nfunctions);
    locator->values.g1 = trm_arena_doubles(arena, locator->nfunctions);
    locator->values.path = trm_arena_take(arena, (size_t)n.variables, sizeof *locator->values.path);
    locator->values.path_sample = trm_arena_doubles(arena, n.widest);
    locator->values.g_middle = trm_arena_doubles(arena, locator->nfunctions);
    locator->values.g_before = trm_arena_doubles(arena, locator->nfunctions);
    locator->values.g_inside = trm_arena_doubles(arena, locator->nfunctions);
    locator->values.bands = trm_arena_doubles(arena, model->nswitching_functions);
    locator->values.g_samples =
        trm_arena_doubles(arena, (TRM_EVENT_SUBSTEPS - 1) * locator->nfunctions);
    locator->root = trm_arena_take(arena, count, sizeof *locator->root);
    locator->z = trm_arena_doubles(arena, run->n);
    locator->rows = trm_arena_doubles(arena, run->system->nc);
    locator->following.range =
        trm_arena_take(arena, 2 * (size_t)n.signals, sizeof *locator->following.range);
    const int series = n.most > n.highest ? n.most : n.highest;
    locator->following.series =
        trm_arena_take(arena, (size_t)series, sizeof *locator->following.series);
    locator->following.hull = trm_arena_doubles(arena, 2 * n.highest);
    locator->following.nvariables = n.variables;
    locator->following.history.x = trm_arena_take(arena, n.peaking > 0 ? (size_t)n.variables : 0,
                                                  sizeof *locator->following.history.x);
    locator->following.history.z = trm_arena_doubles(arena, run->n);
    locator->following.variable_range =
        trm_arena_take(arena, (size_t)n.widest, sizeof *locator->following.variable_range);
    locator->following.room = trm_arena_take(arena, (size_t)n.room, 1);
    if (locator->is_of_time || model->nswitching_functions == 0) {
        sort_switching_functions(locator, model);
    }
    locator->nsignals = n.signals;
    locator->following.npeaking = n.peaking;
    locator->active = model->nswitching_formulas > 0 || located > 0 || user_times(model) > 0 ||
                      run->options.max_step > 0;
}

void trm_locator_start(trm_locator *locator, const trm_run *run)
{
    const trm_method_code code =
        trm_method_find(run->options.integrator, run->options.stabilization);
    const needs n = needs_of(locator->model);
    locator->adaptive = code.method->adaptive;
    locator->order =
        code.method->order < TRM_SERIES_ORDER - 2 ? code.method->order : TRM_SERIES_ORDER - 2;
    locator->following.start = locator->following.horizon = run->now.t;
    locator->following.t_run_end = run->now.t;
    locator->following.h_shortened = INFINITY;
    locator->following.t_proved = -INFINITY;
    locator->t_expected = -INFINITY;
    locator->modes_now = TRM_MODES_START;
    locator->following.t_user = -INFINITY;
    locator->following.history.count = 0;
    locator->modes_changed = 0;
    locator->h_before = 0;
    locator->zeno.changes = locator->following.unproved = 0;
    locator->zeno.at_one_time = locator->zeno.burst_changes = 0;
    locator->zeno.mark = locator->steps_without_change = 0;
    locator->zeno.t_mark = run->now.t;
    locator->zeno.t_burst = run->now.t;
    locator->t_flight_ends = INFINITY;
    locator->following.deviation = 0;
    locator->band = 0;
    locator->gap = (trm_drift){0, 0, -1};
    for (int i = 0; i < 2 * n.signals; i++) {
        locator->following.range[i] = (trm_signal_range){INFINITY, -INFINITY};
    }
    for (int k = 0; k < locator->model->nswitching_functions; k++) {
        locator->next_change[k] = locator->is_of_time[k] ? -INFINITY : INFINITY; // to be searched
        locator->root[k] = (trm_root){.state = TRM_ROOT_ACTIVE};
        locator->t_leaves[k] = INFINITY;
    }
}

// ------------------------------------------------------------------------------------ the horizon

static trm_time_context context_of(const trm_locator *locator, const trm_run *run)
{
    return (trm_time_context){.inputs = run->system->inputs, .room = locator->following.room};
}

/// The size of step that the method is likely to take next.
static double likely_step(const trm_run *run)
{
    return fmax(fmax(run->h_next, run->options.h), run->stats.h);
}

/// Ranges of all signals from here to the new horizon.
static void update_ranges(trm_locator *locator, const trm_run *run, double from)
{
    const trm_time_context context = context_of(locator, run);
    const trm_interval t = {from, locator->following.horizon};
    trm_signal_range *range = locator->following.range;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        for (int s = 0; s < formula->signals; s++, range += 2) {
            trm_signal_look(&formula->time, s, 0, t, &context, locator->following.series,
                            &range[0]);
            if (formula->driven) {
                trm_signal_look(&formula->time, s, 2, t, &context, locator->following.series,
                                &range[1]);
            }
        }
    }
}

/// Extends the horizon to the end of the run where that is known, then, and where it is not, to
/// twice the time simulated so far.
static void extend_horizon(trm_locator *locator, const trm_run *run, double t_limit)
{
    const double t = run->now.t, likely = likely_step(run);
    const double least = 16 * DBL_EPSILON * fabs(t); // else the time stands still
    const double end = isfinite(t_limit) ? fmax(t_limit - t, least) : INFINITY;
    const double step = fmin(likely > 0 ? fmax(likely, least) : 1, end); // 1 s: nobody knows yet
    const double needed = isfinite(t_limit) ? t_limit : t + 2 * step;
    if (!(locator->following.horizon < needed) && !run->inputs_changed) {
        return;
    }
    const double before = run->inputs_changed ? t : locator->following.horizon;
    const double past = t - locator->following.start;
    const double far = past > 0 || isinf(end) ? t + fmax(10 * step, past) : t_limit;
    locator->following.horizon =
        fmax(locator->following.horizon, isfinite(t_limit) ? fmax(t_limit, far) : far);
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_function *const f = &locator->model->switching_formulas[i].f;
        const int anew = run->inputs_changed && trm_function_reads(f, TRM_VARIABLE_INPUT);
        for (int k = 0; k < trm_expression_switching_functions(f->code); k++) {
            const int which = f->first_switching_function + k;
            if (locator->is_of_time[which] && (anew || isinf(locator->next_change[which]))) {
                locator->next_change[which] = -INFINITY;
            }
        }
    }
    update_ranges(locator, run, fmax(before, locator->following.start));
}

// ------------------------------------------------------------------------------- times of changes

/// The next change of switching function k of a formula after `t`, the time of its last change. No
/// step contains a mode that begins and ends at the same time, as of t == 1; the search goes on
/// behind it.
static double search_mode_change(trm_locator *locator, const trm_run *run,
                                 const trm_switching_formula *formula, int k, double t)
{
    enum { INSTANTS = 4 }; // that rounding can make of one edge
    const trm_time_context context = context_of(locator, run);
    const double slack = fmax(trm_locator_time_tolerance(run), // or at t = 0 an edge of t itself
                              DBL_EPSILON * DBL_EPSILON * (locator->following.horizon - t));
    double next = t;
    for (int i = 0; i < INSTANTS && next - t <= slack && locator->following.horizon > next; i++) {
        const trm_mode_change found =
            trm_next_mode_change(&formula->time, k, next, locator->following.horizon, &context);
        next = found.after;
        locator->following.unproved += !found.proved;
    }
    return next;
}

/// The next change of every switching function of the time, searched where it is not known or lies
/// behind.
static double next_time_event(trm_locator *locator, const trm_run *run)
{
    const double t = run->now.t;
    double first = INFINITY;
    locator->time_mode_changed = 0;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        double *next = locator->next_change + formula->f.first_switching_function;
        for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
            if (next[k] <= t && locator->following.horizon > t) {
                next[k] = search_mode_change(locator, run, formula, k, t);
            }
            first = fmin(first, next[k]);
        }
    }
    return first;
}

/// The next time that a force of the user names.
static double next_user_time(const trm_model *model, double t)
{
    double first = INFINITY;
    for (int i = 0; i < model->nuser_forces; i++) {
        const trm_force_def *def = &model->user_forces[i];
        for (int k = 0; k < def->ntimes && first > t; k++) {
            first = def->times[k] > t ? fmin(first, def->times[k]) : first;
        }
    }
    return first;
}

/// When an input of a formula with signals has arrived: its third derivative jumps there.
static double next_arrival(const trm_locator *locator, const trm_run *run)
{
    double first = INFINITY;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        for (int k = 0; formula->signals > 0 && k < formula->f.n; k++) {
            const int source = formula->time.source[k];
            if (source >= 0) {
                const trm_input *input = &run->system->inputs[source];
                const double arrival = input->now.since + input->smooth;
                first = arrival > run->now.t ? fmin(first, arrival) : first;
            }
        }
    }
    return first;
}

/// Counts mode changes of the time within an interval too short to be resolved.
static void note_burst(trm_locator *locator, const trm_run *run, int which)
{
    if (run->now.t - locator->zeno.t_burst >
        TRM_EVENT_CLOSE * (locator->following.horizon - locator->following.start)) {
        locator->zeno.t_burst = run->now.t;
        locator->zeno.burst_changes = 0;
    }
    locator->zeno.burst_changes++;
    locator->zeno.burst_function = locator->zeno.last = which;
}

void trm_locator_apply_time_modes(trm_locator *locator, const trm_run *run)
{
    const trm_time_context context = context_of(locator, run);
    // 8*0.009 and 9*0.008 differ by rounding, and are one time; half of what the search skips, so
    // that a change found anew, an ulp away, is skipped too
    const double now = run->now.t + trm_locator_time_tolerance(run) / 2;
    double together =
        run->now.t; // modes of one time: a guard and what it guards change by one root
    for (int k = 0; k < locator->model->nswitching_functions; k++) {
        const int changes = locator->is_of_time[k] && locator->next_change[k] <= now;
        together = fmax(together, changes ? locator->next_change[k] : -INFINITY);
    }
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
            const int number = formula->f.first_switching_function + k;
            double *const next = &locator->next_change[number];
            if (locator->is_of_time[number] && *next <= now) {
                locator->mode_after[number] =
                    trm_time_formula_mode(&formula->time, k, together, &context);
                *next = fmin(*next, run->now.t); // the search goes on behind it
                locator->modes_changed |=
                    trm_expression_switching_function(formula->f.code, k).smoothness < 1;
                locator->zeno.changes++;
                note_burst(locator, run, number);
            }
        }
    }
}

/// Sets the modes of the time between now and the stop, where none changes.
static void set_time_modes(trm_locator *locator, const trm_run *run, double stop)
{
    const trm_time_context context = context_of(locator, run);
    const double t = run->now.t, end = fmin(stop, locator->following.horizon);
    const double middle = end > t ? t + 0.5 * (end - t) : t;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
            const int number = formula->f.first_switching_function + k;
            if (!locator->is_of_time[number]) {
                continue;
            }
            const trm_switching_mode mode =
                trm_time_formula_mode(&formula->time, k, middle, &context);
            const int jumps = trm_expression_switching_function(formula->f.code, k).smoothness < 1;
            locator->modes_changed |= jumps && mode != locator->mode[number];
            locator->time_mode_changed |= mode != locator->mode_after[number];
            locator->mode[number] = locator->mode_after[number] = mode;
        }
    }
}

// -------------------------------------------------------------------------------------- following

/// Numbers below this may be the roundoff of others.
static const double nothing = DBL_MIN / DBL_EPSILON;

/// Deviation of one signal in a step of size h: the larger of those of phi and phi'', over their
/// ranges.
static double part_missed(const trm_locator *locator, const trm_series *c,
                          const trm_signal_range *range, int driven, double h)
{
    double largest = 0;
    for (int d = 0; d <= (driven ? 2 : 0); d += 2) {
        const trm_signal_range *r = &range[d / 2];
        const double left = trm_signal_deviation(c, locator->order, d, h);
        const double part = left / fmax(r->hi - r->lo, nothing);
        largest = fmax(largest, left > nothing ? part : 0);
    }
    return largest;
}

/// The largest deviation of all signals in a step from t of size h, over their ranges. With h = 0:
/// the error of a single value by the rounding of t and of the formula.
static double deviation(trm_locator *locator, const trm_run *run, double t, double h)
{
    const trm_time_context context = context_of(locator, run);
    const trm_signal_range *range = locator->following.range;
    double largest = 0;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        if (formula->signals == 0) {
            continue;
        }
        const int order = h > 0 ? locator->order : 0;
        const trm_time_query query = {
            .t = {t, t + h}, .order = order + (formula->driven ? 2 : 0), .frozen = 1};
        trm_time_formula_signals(&formula->time, &query, &context, locator->following.series);
        for (int s = 0; s < formula->signals; s++, range += 2) {
            const trm_series *c = &locator->following.series[s];
            largest = fmax(largest, part_missed(locator, c, range, formula->driven, h));
        }
    }
    return largest;
}

/// Takes the values of all signals at t into their ranges: of what is short in the horizon the
/// search for ranges may have seen nothing.
static void see_signals(trm_locator *locator, const trm_run *run, double t)
{
    const trm_time_context context = context_of(locator, run);
    trm_signal_range *range = locator->following.range;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        const trm_time_query query = {.t = trm_interval_of(t), .order = formula->driven ? 2 : 0};
        if (formula->signals > 0) {
            trm_time_formula_signals(&formula->time, &query, &context, locator->following.series);
        }
        for (int s = 0; s < formula->signals; s++, range += 2) {
            const trm_interval *const c = locator->following.series[s].c;
            trm_signal_see(c[0], &range[0]);
            if (formula->driven) {
                trm_signal_see(trm_interval_scale(2, c[2]), &range[1]);
            }
        }
    }
}

/// The longest step of the method; without a bound of its own, as long as permitted.
static double longest_step(const trm_run *run)
{
    const double stretched = 1.05;
    return run->h_next > 0 ? stretched * run->h_next : INFINITY;
}

/// The part of its range by which a formula may deviate in a step of size h: rtol. `least` is the
/// shortest pulse that must not be missed; in a shorter step the deviation may be as large as
/// keeps the impulse within rtol of the impulse of that pulse. No formula is followed more closely
/// than it is computed.
static double allowed_part(trm_locator *locator, const trm_run *run, double h, double least)
{
    const double rounding = 4 * deviation(locator, run, run->now.t + h / 2, 0);
    return fmax(run->options.rtol * fmax(1, least / h), rounding);
}

/// Whether the next step from t is part of one that is proved.
static int is_proved(const trm_locator *locator, const trm_run *run, double t)
{
    const int parts = run->method_ops->parts;
    const double proved = locator->following.t_proved;
    const int within =
        parts > 0 && !locator->modes_changed && t + longest_step(run) / parts <= proved;
    return !run->inputs_changed && (within || (isinf(longest_step(run)) && proved > t));
}

/// The end of the longest step, up to `stop`, that follows all signals.
static double longest_followed_step(trm_locator *locator, const trm_run *run, double stop)
{
    const double t = run->now.t;
    const double least = 1e-9 * (locator->following.horizon -
                                 locator->following.start); // what lasts longer is not missed
    const double longest = fmin(fmin(stop, locator->following.horizon) - t, longest_step(run));
    if (is_proved(locator, run, t)) {
        return fmin(stop, locator->following.t_proved);
    }
    if (longest <= least) {
        return stop; // such short steps are left to the method, for example at the end of a
                     // formula's domain
    }
    double h = fmin(longest, fmax(2 * locator->following.h_shortened, least));
    double part = deviation(locator, run, t, h), allowed = run->options.rtol;
    if (!(part <= allowed)) {
        see_signals(locator, run, t + h / 2);
        part = deviation(locator, run, t, h);
        allowed = allowed_part(locator, run, h, least);
    }
    while (!(part <= allowed) && h > (isfinite(part) ? trm_locator_time_tolerance(run) : least)) {
        const double shrink = 0.9 * pow(allowed / part, 1.0 / locator->order);
        const double shorter = h * fmin(fmax(shrink, 0.125), 0.75);
        h = h > least ? fmax(shorter, least) : shorter; // a domain that ends within `least` shows
        allowed = allowed_part(locator, run, h, least);
        part = deviation(locator, run, t, h);
    }
    locator->following.unproved += !(part <= allowed);
    if (!isfinite(part)) {
        return stop; // a formula has no value this near: the step meets the end of its domain
    }
    const int bound = h < longest;
    locator->following.h_shortened = bound ? h : INFINITY;
    locator->following.t_proved = t + h;
    return bound || isinf(longest_step(run)) ? fmin(stop, t + h) : stop;
}

/// Fixed steps are chosen by the user: what they may have missed is reported.
static void note_deviation(trm_locator *locator, const trm_run *run, double stop)
{
    const double h = fmin(stop - run->now.t, run->options.h);
    locator->following.deviation =
        fmax(locator->following.deviation, deviation(locator, run, run->now.t, h));
}

double trm_locator_time_tolerance(const trm_run *run)
{
    return 16 * DBL_EPSILON * fmax(fabs(run->now.t), run->now.t - run->before.t);
}

double trm_locator_step_limit(trm_locator *locator, trm_run *run, double t_limit)
{
    const double t = run->now.t, longest = run->options.max_step;
    double stop = longest > 0 ? fmin(t_limit, t + longest) : t_limit;
    locator->modes_changed |= t >= locator->following.t_user &&
                              t - locator->following.t_user < trm_locator_time_tolerance(run);
    locator->following.t_user = next_user_time(locator->model, t);
    run->system->latest =
        locator->following.t_user - 4 * DBL_EPSILON * fabs(locator->following.t_user);
    stop = fmin(stop, locator->following.t_user);
    stop = locator->t_expected > t ? fmin(stop, locator->t_expected) : stop;
    stop = locator->t_flight_ends > t ? fmin(stop, locator->t_flight_ends) : stop;
    if (locator->steps_without_change > 0 &&
        locator->adaptive) { // a step as long as the last one showed a change
        stop = fmin(stop, t + 0.5 * locator->h_tried); // that a shorter one has not
    }
    if (locator->model->nswitching_formulas == 0) {
        return stop;
    }
    extend_horizon(locator, run, t_limit);
    stop = fmin(stop, next_arrival(locator, run));
    stop = fmin(stop, next_time_event(locator, run));
    set_time_modes(locator, run, stop);
    if (locator->nsignals == 0 || !(stop > t)) {
        return stop;
    }
    if (locator->adaptive) {
        return longest_followed_step(locator, run, stop);
    }
    note_deviation(locator, run, stop);
    return stop;
}
