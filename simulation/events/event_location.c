/// The time ahead of a run: when formulas of the time change their branch, and how long a step may
/// be to follow them.
#include "simulation/events/event_location.h"

#include "engine/enclosure/switch_numbers.h"
#include "engine/enclosure/time_switch.h"
#include "integrators/registry.h"

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
    for (int i = 0; i < model->nchanging; i++) {
        const trm_changing *formula = &model->changing[i];
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

/// Finds the switches that depend on the time alone.
static void sort_switches(trm_ahead *ahead, const trm_model *model)
{
    ahead->nstate = ahead->nall - model->nswitches;
    for (int i = 0; i < model->nchanging; i++) {
        const trm_changing *formula = &model->changing[i];
        for (int k = 0; k < trm_expression_switches(formula->f.code); k++) {
            const int timed = trm_time_formula_switches(&formula->time, k);
            ahead->timed[formula->f.first_switch + k] = (unsigned char)timed;
            ahead->nstate += !timed;
        }
    }
}

void trm_ahead_layout(trm_ahead *ahead, const trm_model *model, const trm_run *run,
                      trm_arena *arena)
{
    const needs n = needs_of(model);
    const size_t count = (size_t)model->nswitches;
    ahead->model = model;
    const int located = run->method_ops->steps_contacts ? 0 : model->ncontacts;
    ahead->nall = model->nswitches + TRM_CONTACT_FUNCTIONS * located;
    ahead->branch = trm_arena_take(arena, count, sizeof *ahead->branch);
    ahead->then = trm_arena_take(arena, count, sizeof *ahead->then);
    ahead->kept = trm_arena_take(arena, 2 * count, sizeof *ahead->kept);
    ahead->kept_hover = trm_arena_take(arena, count, sizeof *ahead->kept_hover);
    ahead->timed = trm_arena_take(arena, count, 1);
    ahead->next = trm_arena_doubles(arena, model->nswitches);
    ahead->leaves = trm_arena_doubles(arena, model->nswitches);
    ahead->g0 = trm_arena_doubles(arena, ahead->nall);
    ahead->g1 = trm_arena_doubles(arena, ahead->nall);
    ahead->path = trm_arena_take(arena, (size_t)n.variables, sizeof *ahead->path);
    ahead->path_sample = trm_arena_doubles(arena, n.widest);
    ahead->g_middle = trm_arena_doubles(arena, ahead->nall);
    ahead->g_left = trm_arena_doubles(arena, ahead->nall);
    ahead->g_inside = trm_arena_doubles(arena, ahead->nall);
    ahead->g_parts = trm_arena_doubles(arena, (TRM_STEP_PARTS - 1) * ahead->nall);
    ahead->hover = trm_arena_take(arena, count, sizeof *ahead->hover);
    ahead->z = trm_arena_doubles(arena, run->n);
    ahead->rows = trm_arena_doubles(arena, run->system->nc);
    ahead->range = trm_arena_take(arena, 2 * (size_t)n.signals, sizeof *ahead->range);
    const int series = n.most > n.highest ? n.most : n.highest;
    ahead->series = trm_arena_take(arena, (size_t)series, sizeof *ahead->series);
    ahead->hull = trm_arena_doubles(arena, 2 * n.highest);
    ahead->nvariables = n.variables;
    ahead->trail.x =
        trm_arena_take(arena, n.peaking > 0 ? (size_t)n.variables : 0, sizeof *ahead->trail.x);
    ahead->trail.z = trm_arena_doubles(arena, run->n);
    ahead->reach = trm_arena_take(arena, (size_t)n.widest, sizeof *ahead->reach);
    ahead->room = trm_arena_take(arena, (size_t)n.room, 1);
    if (ahead->timed || model->nswitches == 0) {
        sort_switches(ahead, model);
    }
    ahead->nsignals = n.signals;
    ahead->npeaking = n.peaking;
    ahead->active =
        model->nchanging > 0 || located > 0 || user_times(model) > 0 || run->options.max_step > 0;
}

void trm_ahead_start(trm_ahead *ahead, const trm_run *run)
{
    const trm_method_code code =
        trm_method_find(run->options.integrator, run->options.stabilization);
    const needs n = needs_of(ahead->model);
    ahead->adaptive = code.method->adaptive;
    ahead->order =
        code.method->order < TRM_SERIES_ORDER - 2 ? code.method->order : TRM_SERIES_ORDER - 2;
    ahead->start = ahead->horizon = run->now.t;
    ahead->until = run->now.t;
    ahead->length = INFINITY;
    ahead->proved = -INFINITY;
    ahead->expected = -INFINITY;
    ahead->unsettled = 1;
    ahead->user_time = -INFINITY;
    ahead->trail.count = 0;
    ahead->changed = 0;
    ahead->h_before = 0;
    ahead->switched = ahead->unproved = 0;
    ahead->stuck = ahead->crowd = 0;
    ahead->mark = ahead->missed = 0;
    ahead->t_mark = run->now.t;
    ahead->t_crowd = run->now.t;
    ahead->landing = INFINITY;
    ahead->jumped = 0;
    ahead->deviation = 0;
    ahead->given = 0;
    ahead->gap = (trm_drift){0, 0, -1};
    for (int i = 0; i < 2 * n.signals; i++) {
        ahead->range[i] = (trm_signal_range){INFINITY, -INFINITY};
    }
    for (int k = 0; k < ahead->model->nswitches; k++) {
        ahead->next[k] = ahead->timed[k] ? -INFINITY : INFINITY; // to be searched
        ahead->hover[k] = (trm_hover){.t_left = -INFINITY, .t_away = -INFINITY};
        ahead->leaves[k] = INFINITY;
    }
}

// ------------------------------------------------------------------------------------ the horizon

static trm_time_context context_of(const trm_ahead *ahead, const trm_run *run)
{
    return (trm_time_context){.inputs = run->system->inputs, .room = ahead->room};
}

/// The size of step that the method is likely to take next.
static double likely_step(const trm_run *run)
{
    return fmax(fmax(run->h_next, run->options.h), run->stats.h);
}

/// Ranges of all signals from here to the new horizon.
static void look_at_ranges(trm_ahead *ahead, const trm_run *run, double from)
{
    const trm_time_context context = context_of(ahead, run);
    const trm_interval t = {from, ahead->horizon};
    trm_signal_range *range = ahead->range;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        for (int s = 0; s < formula->signals; s++, range += 2) {
            trm_signal_look(&formula->time, s, 0, t, &context, ahead->series, &range[0]);
            if (formula->driven) {
                trm_signal_look(&formula->time, s, 2, t, &context, ahead->series, &range[1]);
            }
        }
    }
}

/// How far to look: to the end of the run where that is known;
/// else as far again as the run has come.
static void extend_horizon(trm_ahead *ahead, const trm_run *run, double t_limit)
{
    const double t = run->now.t, likely = likely_step(run);
    const double step = likely > 0 ? likely : 1; // s, where nobody knows yet
    const double needed = isfinite(t_limit) ? t_limit : t + 2 * step;
    if (!(ahead->horizon < needed) && !run->inputs_changed) {
        return;
    }
    const double before = run->inputs_changed ? t : ahead->horizon;
    const double far = t + fmax(10 * step, t - ahead->start);
    ahead->horizon = fmax(ahead->horizon, isfinite(t_limit) ? fmax(t_limit, far) : far);
    for (int k = 0; k < ahead->model->nswitches; k++) {
        if (ahead->timed[k] && (run->inputs_changed || isinf(ahead->next[k]))) {
            ahead->next[k] = -INFINITY;
        }
    }
    look_at_ranges(ahead, run, fmax(before, ahead->start));
}

// ------------------------------------------------------------------------------- times of changes

/// The next change of switch k of a formula after `t`, the time of its last change. No step
/// contains a branch that begins and ends at the same time, as of t == 1; the search goes on
/// behind it.
static double search_switch(trm_ahead *ahead, const trm_run *run, const trm_changing *formula,
                            int k, double t)
{
    enum { MOMENTS = 4 }; // that a function can make of its rounding at an edge
    const trm_time_context context = context_of(ahead, run);
    const double slack = trm_ahead_slack(run);
    double next = t;
    for (int i = 0; i < MOMENTS && next - t <= slack && ahead->horizon > next; i++) {
        const trm_switch_time found =
            trm_next_switch(&formula->time, k, next, ahead->horizon, &context);
        next = found.after;
        ahead->unproved += !found.proved;
    }
    return next;
}

/// The next change of every switch of the time, searched where it is not known or lies behind.
static double next_switch(trm_ahead *ahead, const trm_run *run)
{
    const double t = run->now.t;
    double first = INFINITY;
    ahead->passed = 0;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        double *next = ahead->next + formula->f.first_switch;
        for (int k = 0; k < trm_expression_switches(formula->f.code); k++) {
            if (next[k] <= t && ahead->horizon > t) {
                next[k] = search_switch(ahead, run, formula, k, t);
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
static double next_arrival(const trm_ahead *ahead, const trm_run *run)
{
    double first = INFINITY;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
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

/// A switch of the time changes.
static void note_crowd(trm_ahead *ahead, const trm_run *run, int which)
{
    if (run->now.t - ahead->t_crowd > TRM_SWITCH_CLOSE * (ahead->horizon - ahead->start)) {
        ahead->t_crowd = run->now.t;
        ahead->crowd = 0;
    }
    ahead->crowd++;
    ahead->crowded = ahead->latest = which;
}

void trm_ahead_arrive(trm_ahead *ahead, const trm_run *run)
{
    const trm_time_context context = context_of(ahead, run);
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        for (int k = 0; k < trm_expression_switches(formula->f.code); k++) {
            const int number = formula->f.first_switch + k;
            if (ahead->timed[number] && ahead->next[number] <= run->now.t) {
                ahead->then[number] =
                    trm_time_formula_branch(&formula->time, k, run->now.t, &context);
                ahead->changed |= trm_expression_switch(formula->f.code, k).smoothness < 1;
                ahead->switched++;
                note_crowd(ahead, run, number);
            }
        }
    }
}

/// Branches of the time between now and the stop: nothing changes there.
static void set_timed_branches(trm_ahead *ahead, const trm_run *run, double stop)
{
    const trm_time_context context = context_of(ahead, run);
    const double t = run->now.t, end = fmin(stop, ahead->horizon);
    const double middle = end > t ? t + 0.5 * (end - t) : t;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        for (int k = 0; k < trm_expression_switches(formula->f.code); k++) {
            const int number = formula->f.first_switch + k;
            if (!ahead->timed[number]) {
                continue;
            }
            const trm_branch branch = trm_time_formula_branch(&formula->time, k, middle, &context);
            const int jumps = trm_expression_switch(formula->f.code, k).smoothness < 1;
            ahead->changed |= jumps && branch != ahead->branch[number];
            ahead->passed |= branch != ahead->then[number];
            ahead->branch[number] = ahead->then[number] = branch;
        }
    }
}

// -------------------------------------------------------------------------------------- following

/// Numbers below this may be the roundoff of others.
static const double nothing = DBL_MIN / DBL_EPSILON;

/// Deviation of one signal in a step of size h: the larger of those of phi and phi'', over their
/// ranges.
static double part_left(const trm_ahead *ahead, const trm_series *c, const trm_signal_range *range,
                        int driven, double h)
{
    double largest = 0;
    for (int d = 0; d <= (driven ? 2 : 0); d += 2) {
        const trm_signal_range *r = &range[d / 2];
        const double left = trm_signal_deviation(c, ahead->order, d, h);
        const double part = left / fmax(r->hi - r->lo, nothing);
        largest = fmax(largest, left > nothing ? part : 0);
    }
    return largest;
}

/// The largest deviation of all signals in a step from t of size h, over their ranges. With h = 0:
/// the error of a single value by the rounding of t and of the formula.
static double deviation(trm_ahead *ahead, const trm_run *run, double t, double h)
{
    const trm_time_context context = context_of(ahead, run);
    const trm_signal_range *range = ahead->range;
    double largest = 0;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        if (formula->signals == 0) {
            continue;
        }
        const int order = h > 0 ? ahead->order : 0;
        const trm_time_query query = {
            .t = {t, t + h}, .order = order + (formula->driven ? 2 : 0), .frozen = 1};
        trm_time_formula_signals(&formula->time, &query, &context, ahead->series);
        for (int s = 0; s < formula->signals; s++, range += 2) {
            const trm_series *c = &ahead->series[s];
            largest = fmax(largest, part_left(ahead, c, range, formula->driven, h));
        }
    }
    return largest;
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
static double allowed_part(trm_ahead *ahead, const trm_run *run, double h, double least)
{
    const double rounding = 4 * deviation(ahead, run, run->now.t + h / 2, 0);
    return fmax(run->options.rtol * fmax(1, least / h), rounding);
}

/// The end of the longest step, up to `stop`, that follows all signals.
static double followed(trm_ahead *ahead, const trm_run *run, double stop)
{
    const double t = run->now.t;
    const double least = 1e-9 * (ahead->horizon - ahead->start); // what lasts longer is not missed
    const double longest = fmin(fmin(stop, ahead->horizon) - t, longest_step(run));
    if (isinf(longest_step(run)) && ahead->proved > t && !run->inputs_changed) {
        return fmin(stop, ahead->proved);
    }
    if (longest <= least) {
        return stop; // such short steps are left to the method, for example at the end of a
                     // formula's domain
    }
    double h = fmin(longest, fmax(2 * ahead->length, least));
    double part = deviation(ahead, run, t, h), allowed = run->options.rtol;
    while (!(part <= allowed) && h > (isfinite(part) ? trm_ahead_slack(run) : least)) {
        const double shrink = 0.9 * pow(allowed / part, 1.0 / ahead->order);
        const double shorter = h * fmin(fmax(shrink, 0.125), 0.75);
        h = h > least ? fmax(shorter, least) : shorter; // a domain that ends within `least` shows
        allowed = allowed_part(ahead, run, h, least);
        part = deviation(ahead, run, t, h);
    }
    ahead->unproved += !(part <= allowed);
    if (!isfinite(part)) {
        return stop; // a formula has no value this near: the step meets the end of its domain
    }
    const int bound = h < longest;
    ahead->length = bound ? h : INFINITY;
    ahead->proved = t + h;
    return bound || isinf(longest_step(run)) ? fmin(stop, t + h) : stop;
}

/// Fixed steps are chosen by the user: what they may have missed is reported.
static void note_deviation(trm_ahead *ahead, const trm_run *run, double stop)
{
    const double h = fmin(stop - run->now.t, run->options.h);
    ahead->deviation = fmax(ahead->deviation, deviation(ahead, run, run->now.t, h));
}

double trm_ahead_slack(const trm_run *run)
{
    return 16 * DBL_EPSILON * fmax(fabs(run->now.t), run->now.t - run->before.t);
}

double trm_ahead_stop(trm_ahead *ahead, trm_run *run, double t_limit)
{
    const double t = run->now.t, longest = run->options.max_step;
    double stop = longest > 0 ? fmin(t_limit, t + longest) : t_limit;
    ahead->changed |= t >= ahead->user_time && t - ahead->user_time < trm_ahead_slack(run);
    ahead->user_time = next_user_time(ahead->model, t);
    run->system->latest = ahead->user_time - 4 * DBL_EPSILON * fabs(ahead->user_time);
    stop = fmin(stop, ahead->user_time);
    stop = ahead->expected > t ? fmin(stop, ahead->expected) : stop;
    stop = ahead->landing > t ? fmin(stop, ahead->landing) : stop;
    if (ahead->missed > 0 && ahead->adaptive) {    // a step as long as the last one showed a change
        stop = fmin(stop, t + 0.5 * ahead->tried); // that a shorter one has not
    }
    if (ahead->model->nchanging == 0) {
        return stop;
    }
    extend_horizon(ahead, run, t_limit);
    stop = fmin(stop, next_arrival(ahead, run));
    stop = fmin(stop, next_switch(ahead, run));
    set_timed_branches(ahead, run, stop);
    if (ahead->nsignals == 0 || !(stop > t)) {
        return stop;
    }
    if (ahead->adaptive) {
        return followed(ahead, run, stop);
    }
    note_deviation(ahead, run, stop);
    return stop;
}
