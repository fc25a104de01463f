#include "simulation/run/events.h"

#include "base/status.h"
#include "program/run_details.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <string.h>

/// What is known of a condition: whether it has held when it was looked at last, and in the last
/// instant. As switching functions of its formula change there, one after the other, it may not
/// hold in between.
enum { HOLDS = 1, HELD_AT_INSTANT = 2 };

void trm_events_layout(trm_events *events, const trm_model *model, trm_arena *arena)
{
    const trm_sizes *sizes = model->joints ? &model->absolute->sizes : &model->sizes;
    const size_t width = (size_t)(sizes->nq + sizes->nv);
    events->width = width;
    events->nq = sizes->nq;
    events->n = sizes->nevent;
    events->of.holds = trm_arena_take(arena, (size_t)events->n, 1);
    events->of.begins = trm_arena_take(arena, (size_t)events->n, 1);
    events->of.value = trm_arena_doubles(arena, model->nsettings);
    events->of.state = trm_arena_take(arena, events->n > 0 ? TRM_EVENTS_KEPT * width : 0,
                                      sizeof *events->of.state);
}

void trm_events_start(trm_events *events)
{
    events->count = 0;
    events->stop = 0;
    events->t_instant = -INFINITY;
    if (events->n > 0) {
        memset(events->of.holds, 0, (size_t)events->n);
    }
}

/// An event has set inputs: conditions but its own and samples may begin anew at this time.
static void forget_instant(trm_events *events, const trm_model *model, int event)
{
    for (int i = 0; i < events->n; i++) {
        const int stays = i == event || model->event_info[i].every > 0;
        events->of.holds[i] &= (unsigned char)(stays ? HOLDS | HELD_AT_INSTANT : HOLDS);
    }
}

static void record(trm_events *events, const trm_model *model, const trm_run *run, int event)
{
    const size_t slot = (size_t)(events->count % TRM_EVENTS_KEPT);
    double *const state = events->of.state + slot * events->width;
    events->t[slot] = run->now.t;
    events->event[slot] = event;
    if (model->joints) {
        trm_joint_system_bodies(run->system, run->now.z, run->now.z + run->system->nq, state,
                                state + events->nq);
    } else {
        memcpy(state, run->now.z, events->width * sizeof *state);
    }
    events->count++;
    events->stop |= model->event_info[event].stops;
}

/// What a setting sets, by its own branches, as an output.
static trm_status find_value(const trm_model *model, trm_run *run, const trm_event_setting *s,
                             const trm_kinematics *kinematics, double *value, trm_error *err)
{
    const trm_function *const f = &s->value;
    double *const x = kinematics->pose->scratch;
    trm_function_variables(f, kinematics->pose, kinematics->V, x);
    *value = trm_expression_value(f->code, x, x + f->n);
    return isfinite(*value)
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_CALLBACK, f->where,
                          "stopped at t = %.9g s: event '%s' would set '%s' to %g", run->now.t,
                          model->event_info[s->event].name, s->name, *value);
}

/// Two events that set one input at one time leave open which of them does.
static trm_status check_single(const trm_events *events, const trm_model *model, const trm_run *run,
                               int i, trm_error *err)
{
    const trm_event_setting *const s = &model->settings[i];
    for (int k = 0; k < i; k++) {
        const trm_event_setting *const other = &model->settings[k];
        if (events->of.begins[other->event] && other->input == s->input &&
            other->state == s->state) {
            return TRM_FAIL(err, TRM_ERR_DIVERGED, s->value.where,
                            "stopped at t = %.9g s: events '%s' and '%s' set '%s' at one time, to "
                            "%.9g and to %.9g",
                            run->now.t, model->event_info[other->event].name,
                            model->event_info[s->event].name, s->name, events->of.value[k],
                            events->of.value[i]);
        }
    }
    return TRM_OK;
}

static void set(trm_run *run, const trm_event_setting *s, double value)
{
    const trm_system *const system = run->system;
    if (s->state >= 0) {
        run->now.z[system->nq + trm_system_motions(system) + s->state] = value / s->scale;
        run->inputs_changed = 1;
    } else {
        run->inputs_changed |= trm_input_set(&run->system->inputs[s->input], run->now.t, value);
    }
}

/// Those that begin happen together.
static trm_status happen(trm_events *events, const trm_model *model, trm_run *run, trm_error *err)
{
    const double *q = run->now.z, *v = q + model->sizes.nq;
    const trm_kinematics kinematics = trm_assembler_kinematics(run->system, run->now.t, q, v, v);
    for (int i = 0; i < model->nsettings; i++) {
        if (events->of.begins[model->settings[i].event]) {
            TRM_TRY(find_value(model, run, &model->settings[i], &kinematics, &events->of.value[i],
                               err));
            TRM_TRY(check_single(events, model, run, i, err));
        }
    }
    for (int i = 0; i < events->n; i++) {
        if (events->of.begins[i] && !(model->event_info[i].every > 0)) {
            record(events, model, run, i);
        }
    }
    for (int i = 0; i < model->nsettings; i++) {
        const trm_event_setting *s = &model->settings[i];
        if (events->of.begins[s->event]) {
            set(run, s, events->of.value[i]);
            forget_instant(events, model, s->event);
        }
    }
    return TRM_OK;
}

static trm_status refuse_undefined(const trm_model *model, const trm_run *run,
                                   const trm_switching_formula *formula,
                                   const trm_kinematics *kinematics, trm_error *err)
{
    const trm_event_info *info = &model->event_info[formula->event];
    char why[100] = "";
    (void)trm_function_reason(&formula->f, kinematics->pose, kinematics->V, why, sizeof why);
    return trm_at_time(
        err, run->now.t,
        TRM_FAIL(err, TRM_ERR_CALLBACK, info->where,
                 "%sat t = %.9g s: the condition of event '%s' is not defined: \"%.100s\"%s%s; "
                 "each part needs a value, also behind and, or",
                 run->stats.steps > 0 ? "stopped " : "", run->now.t, info->name, info->when,
                 *why ? ", " : "", why));
}

static trm_status evaluate(trm_events *events, const trm_model *model, trm_run *run, int at_instant,
                           trm_error *err)
{
    if (events->n == 0) {
        return TRM_OK;
    }
    const int there = run->now.t - events->t_instant <= trm_locator_time_tolerance(run);
    const double *q = run->now.z, *v = q + model->sizes.nq;
    int any = 0;
    if (run->observe) {
        run->observe(run, run->now.t, run->now.z);
    }
    memset(events->of.begins, 0, (size_t)events->n);
    for (int i = 0; i < model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &model->switching_formulas[i];
        if (formula->event < 0) {
            continue;
        }
        const trm_kinematics kinematics =
            trm_assembler_kinematics(run->system, run->now.t, q, v, v);
        const double value = trm_function_value(&formula->f, kinematics.pose, kinematics.V);
        if (isnan(value)) {
            return refuse_undefined(model, run, formula, &kinematics, err);
        }
        unsigned char *const holds = &events->of.holds[formula->event];
        const int was = there ? *holds : *holds & HOLDS, is = value != 0;
        const int instant = at_instant ? is || was : was & HELD_AT_INSTANT;
        const int now =
            is || (at_instant && was & HOLDS); // what only the instant interrupts goes on
        *holds = (unsigned char)((now ? HOLDS : 0) | (instant ? HELD_AT_INSTANT : 0));
        events->of.begins[formula->event] = is && !was;
        any |= is && !was;
    }
    return any ? happen(events, model, run, err) : TRM_OK;
}

trm_status trm_events_evaluate(trm_events *events, const trm_model *model, trm_run *run,
                               trm_error *err)
{
    return evaluate(events, model, run, 0, err);
}

trm_status trm_events_evaluate_at_instant(trm_events *events, const trm_model *model, trm_run *run,
                                          trm_error *err)
{
    const trm_status status = evaluate(events, model, run, 1, err);
    events->t_instant = run->now.t;
    return status;
}

long trm_sim_events(const trm_sim *sim)
{
    return sim ? sim->events.count : 0;
}

int trm_sim_event(const trm_sim *sim, long i, trm_event *out)
{
    if (!sim || !out || i < 0 || i >= sim->events.count ||
        i < sim->events.count - TRM_EVENTS_KEPT) {
        return 0;
    }
    const trm_events *const events = &sim->events;
    const size_t slot = (size_t)(i % TRM_EVENTS_KEPT);
    const double *q = events->of.state + slot * events->width;
    *out = (trm_event){
        .t = events->t[slot], .event = events->event[slot], .q = q, .v = q + events->nq};
    return 1;
}

trm_input_coverage trm_sim_input_coverage(const trm_sim *sim)
{
    if (!sim) {
        return (trm_input_coverage){0};
    }
    const trm_locator *locator = &sim->locator;
    const trm_model *model = sim->model;
    const int timed = locator->nsignals > 0;
    const int user = model->from_equations || model->nuser_forces > 0 || model->nuser_rows > 0;
    const int unproved =
        locator->following.unproved > 0 || locator->following.deviation > sim->run.options.rtol;
    trm_inputs_covered inputs = user ? TRM_INPUTS_SAMPLED : TRM_INPUTS_NONE;
    if (timed || unproved) {
        inputs = unproved ? TRM_INPUTS_UNCHECKED : TRM_INPUTS_PROVED;
        inputs = user && inputs == TRM_INPUTS_PROVED ? TRM_INPUTS_SAMPLED : inputs;
    }
    return (trm_input_coverage){.inputs = inputs,
                                .missed = locator->following.deviation,
                                .unproved = locator->following.unproved,
                                .mode_changes = locator->zeno.changes,
                                .user_forces = user,
                                .unsearched = model->nunsearched};
}
