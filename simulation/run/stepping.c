/// Steps of a run, each measured, and rejected where it violates the constraints.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "base/subnormals.h"
#include "bodies/point.h"
#include "bodies/vector.h"
#include "engine/enclosure/switch_numbers.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A step is an attempt that goes through these states. In it no mode changes: where a switching
// function leaves its mode, the step is rejected and repeated up to that time, until the times
// agree to rounding.
//
//   state          what happens                                  goes on with
//   STEP_CONTACT   the contact that ended the step before, or    STEP_BEGIN; STEP_CHANGED after a
//                  changes at the beginning of this, changes     step was tried
//   STEP_CHANGED   events of modes that have changed at the      STEP_TRY
//                  beginning; then as STEP_BEGIN
//   STEP_BEGIN     modes, inputs, latest end of the step         STEP_TRY
//   STEP_TRY       a step; where it ends on no mode change, or   STEP_DONE
//                  on one to rounding, it is accepted
//                  a mode changes, or a peak is, within it       STEP_TRY, up to there
//                  a formula's mode changes at its beginning     STEP_CHANGED, STEP_BEGIN while
//                                                                inactive roots become active
//                  a contact changes at its beginning            STEP_CONTACT
//
// An event that ends the run ends it after any of them, where the run stands.
typedef enum step_state { STEP_CONTACT, STEP_CHANGED, STEP_BEGIN, STEP_TRY, STEP_DONE } step_state;

/// Step checkpoint: what a step changes besides the points of the run, restored at a rejection.
typedef struct step_checkpoint {
    double t_origin;
    long count;
    trm_stats stats;
} step_checkpoint;

typedef struct step_attempt {
    step_state state;
    double t_limit;             ///< s, end of the run
    double stop;                ///< s, latest end of the step
    step_checkpoint checkpoint; ///< at the beginning of the step
    double h_next;              ///< s, size that the method would try
    int is_tried;               ///< nonzero: a step was tried
    int tries;                  ///< steps that ended within at mode changes or peaks, in a row
    double t;                   ///< s, first time at which a function leaves its mode
    int which;                  ///< that function; -1: none
    int contact;                ///< the contact that has just changed; -1: none
    int changed;                ///< the one that has changed before the last step tried; -1: none
    int events_due; ///< nonzero: roots have become inactive or active, and no event has been
                    ///< evaluated
} step_attempt;

/// Rejects the last step, also in the history of the method.
static void restore_checkpoint(trm_run *run, const step_checkpoint *checkpoint)
{
    const long rejected = run->stats.rejected + 1;
    trm_run_advance(run);
    run->before.t = run->now.t; // there is no step to sample
    run->t_origin = checkpoint->t_origin;
    run->count = checkpoint->count;
    run->stats = checkpoint->stats;
    run->stats.rejected = rejected;
    run->shifted = 1;
    (void)trm_system_position(run->system, run->now.t, run->now.z); // where it succeeded before
}

static trm_status refuse_violation(trm_sim *sim, int row, const step_checkpoint *checkpoint,
                                   trm_error *err)
{
    trm_run *run = &sim->run;
    const trm_row_info *info = &sim->model->row_info[row];
    const double gap = trm_violation_gap(sim->model, run->system->g, row);
    const double h = run->now.t - run->before.t;
    const char *const space = *info->unit ? " " : "";
    char where[160];
    trm_run_name_row(run, row, where, sizeof where);
    restore_checkpoint(run, checkpoint);
    const trm_status status = TRM_FAIL(
        err, TRM_ERR_DIVERGED, where,
        "%sat t = %.6g s: the next step, of %.3g s, would violate the constraints: %s would "
        "be open by %.3g%s%s%s",
        run->stats.steps > 0 ? "stopped " : "", run->now.t, h, where, gap, space, info->unit,
        trm_run_is_adaptive(run) ? "" : "; the step is too large");
    return trm_at_time(err, run->now.t, status);
}

/// A load is that without friction over the determinant (contact.h): below 1/2 friction makes most
/// of it. It grows beyond all bounds towards 0, Painleve's paradox, and steps vanish.
static const double jam = 0.5; // half and double: campaign/numbers
trm_status trm_sim_refuse_jam(trm_sim *sim, trm_error *err)
{
    sim->run.step_vanished = 0;
    sim->forces.t_none = sim->run.now.t;
    trm_sim_go_on_by_impulses(sim);
    return trm_sim_refuse_contact(sim, sim->run.contact->trial.refused,
                                  "Painleve's paradox: friction makes most of the reaction that "
                                  "bounds it; it jams: lower its coefficient",
                                  err);
}

/// A step has failed with this status. The error gets the reason where one is known: contradictory
/// motors, a force that grows without bound, an undecided position, a change of the rank.
static trm_status explain(trm_sim *sim, trm_status status, trm_error *err)
{
    const int numerical = status == TRM_ERR_DIVERGED || status == TRM_ERR_SINGULAR;
    TRM_TRY(numerical && sim->run.contact ? trm_sim_refuse_drives(sim, 1, err) : TRM_OK);
    TRM_TRY(sim->run.step_vanished ? trm_sim_refuse_torn(sim, 1, err) : TRM_OK);
    const trm_contact *const contact = sim->run.contact;
    const int jams = contact && (contact->problem.unsolved || contact->problem.determinant < jam);
    const int contradicts = numerical && trm_sim_had_contradiction(sim);
    const int unsolved = sim->run.step_vanished || status == TRM_ERR_SINGULAR;
    if (jams && (contradicts || unsolved)) { // nor does it close what else would
        return trm_sim_refuse_jam(sim, err);
    }
    if (contradicts) {
        return trm_sim_refuse_contradiction(sim, err);
    }
    if (sim->run.step_vanished && sim->run.weak_row < 0 && err) {
        trm_sim_name_steepest(sim, err);
    }
    const char *const failed = status == TRM_ERR_CALLBACK ? sim->run.system->failed : NULL;
    const char *const rope = failed ? trm_sim_end_of_rope(sim->model, failed) : "";
    if (*rope && err) { // a square root of a straight part
        snprintf(err->message, sizeof err->message, "stopped at t = %.6g s: '%.60s'%s",
                 sim->run.now.t, failed, rope);
    }
    const double t = trm_crossing_record_met_undecided(&sim->monitor.record);
    if (numerical && err && isfinite(t)) {
        const size_t used = strlen(err->message);
        snprintf(
            err->message + used, sizeof err->message - used,
            "; undecided since t = %.6g s, where bars are unequal by less than double precision "
            "needs to tell which motion goes on",
            t);
    }
    if (numerical) {
        trm_sim_name_rank(sim, err);
    }
    sim->run.step_vanished = 0;
    return status;
}

static trm_status refuse_endless_events(const trm_sim *sim, trm_error *err)
{
    const trm_events *events = &sim->events;
    const int event = events->event[(events->count - 1) % TRM_EVENTS_KEPT];
    const trm_event_info *info = &sim->model->event_info[event];
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_DIVERGED, info->where,
                 "stopped at t = %.9g s: event '%s' happens again and again at this time, since "
                 "events set inputs that make others happen",
                 sim->run.now.t, info->name);
    return trm_at_time(err, sim->run.now.t, status);
}

/// Events of conditions that hold only at the instant at which modes change, or a run begins: p.x
/// == 1. The modes after it are in locator->mode_after.
static trm_status evaluate_at_instant(trm_sim *sim, int at_start, trm_error *err)
{
    trm_locator *const locator = &sim->locator;
    if (!trm_locator_enter_instant(locator, &sim->run, at_start)) {
        return TRM_OK;
    }
    trm_system_hold_modes(sim->run.system, locator->mode_after);
    const trm_status status =
        trm_events_evaluate_at_instant(&sim->events, sim->model, &sim->run, err);
    trm_locator_leave_instant(locator);
    trm_system_hold_modes(sim->run.system, locator->mode);
    return status;
}

/// Refuse to go on at a mode change, with the place of the formula.
static trm_status refuse_mode_change(trm_sim *sim, int which, const char *why, trm_error *err)
{
    char name[100];
    const char *const place = trm_locator_function_of(&sim->locator, which).formula->where;
    trm_locator_describe(&sim->locator, which, name, sizeof name);
    const trm_status status = TRM_FAIL(err, TRM_ERR_DIVERGED, *place ? place : name,
                                       "stopped at t = %.9g s: %s %s", sim->run.now.t, name, why);
    return trm_at_time(err, sim->run.now.t, status);
}

/// dg/dt of a switching function on both sides of its edge, the side below first. Returns zero when
/// they cannot be computed. Modes are restored, the rates at now are not.
static int rates_at_edge(trm_sim *sim, int which, double rate[2])
{
    trm_run *run = &sim->run;
    trm_locator *locator = &sim->locator;
    const trm_locator kept = *locator;
    const size_t size = (size_t)sim->model->nswitching_functions * sizeof *locator->mode;
    int64_t side[2] = {0, 0};
    int known = 1;
    const size_t roots_size = (size_t)sim->model->nswitching_functions * sizeof *locator->root;
    memcpy(locator->saved_modes, locator->mode, size);
    memcpy(locator->saved_modes + sim->model->nswitching_functions, locator->mode_after, size);
    memcpy(locator->saved_roots, locator->root, roots_size);
    for (int i = 0; i < 2 && known; i++) {
        trm_system_hold_modes(run->system, locator->mode);
        known = trm_sim_take_up_inputs(sim, NULL) == TRM_OK;
        side[i] = locator->mode[which];
        rate[i] = known ? trm_locator_function_rate(locator, run, which) : NAN;
        trm_locator_iterate_event(locator, run, which);
        trm_locator_apply_modes(locator);
    }
    if (side[0] > side[1]) { // modes rise with g
        const double above = rate[0];
        rate[0] = rate[1];
        rate[1] = above;
    }
    *locator = kept;
    locator->modes_changed = 1;
    memcpy(locator->mode, locator->saved_modes, size);
    memcpy(locator->mode_after, locator->saved_modes + sim->model->nswitching_functions, size);
    memcpy(locator->root, locator->saved_roots, roots_size);
    trm_system_hold_modes(run->system, locator->mode);
    return known && side[0] != side[1];
}

/// A sliding mode: the motion returns to an edge from both sides, to that of the function that has
/// changed last, or of one that stays within rounding of its edge and makes the other jump.
static trm_status refuse_sliding(trm_sim *sim, trm_error *err)
{
    const trm_locator *const locator = &sim->locator;
    for (int k = 0; k < sim->model->nswitching_functions; k++) {
        const int near_edge = k == locator->zeno.last ||
                              locator->root[k].rounding_changes >= TRM_EVENT_CHANGES_AT_EDGE;
        double rate[2];
        if (locator->is_of_time[k] || !near_edge || !rates_at_edge(sim, k, rate) ||
            !(rate[0] > 0 && rate[1] < 0)) {
            continue;
        }
        char why[200];
        snprintf(why, sizeof why,
                 "changes back and forth for ever; from both sides the motion comes back to this "
                 "edge (%.3g and %.3g 1/s), so it slides along it: give the jump a width",
                 rate[0], rate[1]);
        return refuse_mode_change(sim, k, why, err);
    }
    return TRM_OK;
}

/// Zeno guard: the run stops where mode changes come ever faster, as of mod(x, t - 1) before 1 s,
/// by rounding alone, as of sin(t)^2 + cos(t)^2 >= 1, or without end at one time. A sliding mode is
/// found sooner.
static trm_status refuse_zeno(trm_sim *sim, double t_limit, trm_error *err)
{
    enum { AT_ONE_TIME = 100 };
    const trm_run *const run = &sim->run;
    trm_locator *const locator = &sim->locator;
    const long changes = locator->zeno.changes - locator->zeno.mark;
    const double since = run->now.t - locator->zeno.t_mark, remaining = t_limit - run->now.t;
    const int many = AT_ONE_TIME + 2 * sim->model->nswitching_functions;
    if (sim->model->nswitching_functions > 0 &&
        locator->root[locator->zeno.last].tolerance_changes >= TRM_ZENO_CHANGES) {
        return refuse_mode_change(
            sim, locator->zeno.last,
            "changes back and forth for ever: farther from its edge than the "
            "tolerance the motion does not get any more, so it slides along it: "
            "give the jump a width",
            err);
    }
    if (changes < many) {
        return TRM_OK;
    }
    if (locator->zeno.at_one_time > many) {
        TRM_TRY(refuse_sliding(sim, err));
        return refuse_mode_change(sim, locator->zeno.last,
                                  "changes back and forth for ever at this time", err);
    }
    if (!isfinite(remaining) || since >= (double)changes * TRM_ZENO_PART * remaining) {
        locator->zeno.mark = locator->zeno.changes;
        locator->zeno.t_mark = run->now.t;
        return TRM_OK;
    }
    TRM_TRY(refuse_sliding(sim, err));
    if ((double)changes < TRM_ZENO_CHANGES) {
        return TRM_OK;
    }
    char why[160];
    snprintf(why, sizeof why,
             "changes too fast to be followed: %ld times in the last %.2g s, which would be %.1g "
             "times up to %.6g s",
             changes, since, remaining / since * (double)changes, t_limit);
    return refuse_mode_change(sim, locator->zeno.last, why, err);
}

/// The system's current point is the end of the step again, factored where steps leave it so.
static void return_to_now(trm_run *run)
{
    trm_system *system = run->system;
    (void)trm_system_position(system, run->now.t, run->now.z); // where it succeeded before
    if (system->nc > 0 && !run->unfactored) {
        (void)trm_system_factor(system, TRM_METRIC_MASS);
    }
}

/// Modes of the next step, and its latest end. Events at its beginning may set inputs, which may
/// cause further events.
static trm_status take_up_modes(trm_sim *sim, double t_limit, double *stop, trm_error *err)
{
    enum { AT_ONE_TIME = 1000 };
    trm_run *run = &sim->run;
    trm_locator *locator = &sim->locator;
    int anew = locator->modes_now != TRM_MODES_FOLLOW || run->inputs_changed;
    *stop = t_limit;
    if (!locator->active && !run->inputs_changed) {
        return TRM_OK;
    }
    locator->following.t_run_end = isfinite(t_limit) ? t_limit : run->now.t;
    if (locator->zeno.burst_changes > TRM_EVENT_PATIENCE + run->system->nswitching_functions) {
        return refuse_mode_change(sim, locator->zeno.burst_function,
                                  "changes too fast to be followed", err);
    }
    TRM_TRY(refuse_zeno(sim, t_limit, err));
    for (int times = 0; locator->active; times++) {
        const int inputs_changed = run->inputs_changed;
        if (!anew) {
            trm_locator_apply_modes(locator);
        }
        locator->t_expected = anew ? -INFINITY : locator->t_expected;
        *stop = trm_locator_step_limit(locator, run, t_limit);
        if (anew) { // modes of the time are known by then
            trm_locator_set_modes(locator, run);
        }
        trm_system_hold_modes(run->system, locator->mode);
        if (!anew && !locator->time_mode_changed) {
            break;
        }
        locator->modes_now = TRM_MODES_FOLLOW;
        run->inputs_changed = 0;
        TRM_TRY(times == 0 && run->stats.steps == 0 ? evaluate_at_instant(sim, 1, err) : TRM_OK);
        TRM_TRY(trm_events_evaluate(&sim->events, sim->model, run, err));
        anew = run->inputs_changed;
        run->inputs_changed |= inputs_changed;
        if (!anew) {
            break;
        }
        if (times == AT_ONE_TIME) {
            return refuse_endless_events(sim, err);
        }
    }
    if (run->inputs_changed || locator->modes_changed) {
        TRM_TRY(trm_sim_switch_joints(sim, err));
        TRM_TRY(trm_sim_take_up_inputs(sim, err));
    }
    if (run->observe) {
        return_to_now(run);
    }
    locator->modes_now = TRM_MODES_FOLLOW;
    locator->modes_changed = 0;
    return TRM_OK;
}

/// The same, and joints that are loaded above what they break at are let go.
static trm_status begin_step(trm_sim *sim, double t_limit, double *stop, trm_error *err)
{
    for (int i = 0; i <= sim->model->nswitched; i++) {
        int broken = 0;
        TRM_TRY(take_up_modes(sim, t_limit, stop, err));
        TRM_TRY(trm_sim_break_overloaded(sim, &broken, err));
        if (!broken) {
            return TRM_OK;
        }
    }
    return refuse_endless_events(sim, err);
}

/// The step is accepted; `which` as in trm_locator_accept_step. t_limit: the end of the run.
static trm_status finish_at_event(trm_sim *sim, int which, double t_limit, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_locator *const locator = &sim->locator;
    if (!locator->active) {
        return TRM_OK;
    }
    const long switched = locator->zeno.changes;
    const int contact = which - sim->model->nswitching_functions;
    trm_locator_accept_step(locator, run, which);
    sim->ended_by_contact = contact >= 0 ? 1 + contact : 0;
    if (run->now.t == t_limit) {
        trm_locator_end_run(locator, run);
    }
    if (locator->zeno.changes == switched) {
        return TRM_OK; // conditions change with switching functions only
    }
    TRM_TRY(evaluate_at_instant(sim, 0, err));
    trm_system_hold_modes(run->system, locator->mode_after);
    const trm_status status = trm_events_evaluate(&sim->events, sim->model, run, err);
    trm_system_hold_modes(run->system, locator->mode);
    return status;
}

/// Time at which a switching function leaves its mode in the step just taken; the system is then
/// again at the end of the step.
static double locate_event(trm_sim *sim, int *which)
{
    const trm_measure *const measure = &sim->measure;
    sim->locator.gap = (trm_drift){measure->position_max, measure->velocity_max, -1};
    const double t = trm_locator_find_first(&sim->locator, &sim->run, which);
    return_to_now(&sim->run);
    return t;
}

/// When a formula peaks in the step just taken, and no stage has seen it.
static double unseen_peak(trm_sim *sim)
{
    int moved;
    const double t = trm_locator_find_peak(&sim->locator, &sim->run, &moved);
    if (moved) {
        return_to_now(&sim->run);
    }
    return t < sim->run.now.t - trm_locator_time_tolerance(&sim->run) ? t
                                                                      : INFINITY; // its end is seen
}

/// How far off a balance may be, of its scale, before more is asked: half the accuracy asked for,
/// or half of what passes for good (docs/reference/verdicts.md).
static double balance_limit(const trm_run *run)
{
    const double asked = run->options.accuracy;
    return 0.5 * fmax(trm_accuracy_good(TRM_ACCURACY_ENERGY * asked), asked);
}

static int works(const trm_run *run)
{
    return run->now.z[run->n - 1] != run->before.z[run->n - 1];
}

/// Step sizes are chosen for the motion; over many periods of a force of the time, errors of the
/// work add up although the motion is right, and its dense output errs by more than the motion's.
/// Faults of the motion stay visible, since they are not in the work. Where the dense output does
/// not follow the motion (a step far beyond the method's stability after an implicit one) its work
/// fits less well, and the step's own work stays.
int trm_sim_weigh_work(trm_sim *sim, double t, trm_measure *at)
{
    const double own = trm_measure_imbalance(at), step = at->energy.work;
    const double may = balance_limit(&sim->run) * trm_measure_scale(at);
    if (!works(&sim->run) || !sim->run.method_ops->take_work || !(own > may)) {
        return 0;
    }
    at->energy.work = trm_sim_integrate_power(sim, t);
    at->energy.work = trm_measure_imbalance(at) < own ? at->energy.work : step;
    return 1;
}

/// W: (f(v) - f(0)) . v at the end of the step, the power of the forces that depend on the
/// velocity, however it is divided among elements and terms of formulas. NAN where the forces at
/// rest have no value.
static double power_of_velocity(trm_run *run)
{
    trm_system *const system = run->system;
    const int nv = system->nv;
    const double *const v = run->now.z + system->nq;
    double *const moving = run->work_v, *const rest = run->work_v2, work, power = 0;
    memset(moving, 0, (size_t)nv * sizeof(double));
    trm_system_hold_modes(system, NULL);
    if (trm_system_force(system, moving, rest, &work) ||
        trm_system_force(system, v, moving, &work)) {
        return NAN;
    }
    for (int i = 0; i < nv; i++) {
        power += (moving[i] - rest[i]) * v[i];
    }
    return power;
}

/// Where the largest error of the balance has grown in this step, from `before`, and is above its
/// limit, the energy that velocity-dependent forces have exchanged in the step enters the scale of
/// the balance: a relative error of a velocity makes their work wrong by the same part, however
/// small the net work is. This takes two evaluations of the forces, in such steps only.
static void weigh_dissipation(trm_sim *sim, double before)
{
    trm_run *const run = &sim->run;
    const double error = sim->measure.energy_error, may = balance_limit(run);
    if (!works(run) || !(error > before) || !(error > may * trm_measure_exchanged(&sim->measure))) {
        return;
    }
    const double energy = (run->now.t - run->before.t) * power_of_velocity(run);
    trm_measure_dissipated(&sim->measure, energy, error - before, may);
    return_to_now(run);
}

static void weigh_balance(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    const double before = sim->measure.energy_error;
    if (trm_sim_weigh_work(sim, run->now.t, &sim->measure)) {
        run->method_ops->take_work(run, sim->measure.energy.work);
        return_to_now(run);
    }
    trm_measure_balance(&sim->measure, run->now.z[run->n - 1]);
    trm_sim_note_balance(sim);
    weigh_dissipation(sim, before);
}

/// A switching function is not a number at the end of the step: the formula, its modes not held,
/// gives the reason.
static trm_status refuse_undefined(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    double power;
    trm_system_hold_modes(system, NULL);
    TRM_TRY(trm_events_evaluate(&sim->events, sim->model, run, err));
    int code = trm_system_position(system, run->now.t, run->now.z);
    code = code ? code : trm_system_force(system, run->now.z + system->nq, run->work_v, &power);
    trm_status status = code ? trm_run_fail_code(run, code, err) : TRM_OK;
    trm_system_hold_modes(system, sim->locator.mode);
    if (status == TRM_OK && run->contact) {
        trm_contact_measure(run->contact, system, run->now.t, run->now.z);
        status = trm_sim_refuse_undefined_gap(sim, err);
    }
    return status;
}

/// Takes the step back and begins it again, of the size that was to be tried and with what is known
/// of the stiffness: steps that end on switching functions in each turn would never find it.
static trm_status restart_step(trm_run *run, double h_next, trm_error *err)
{
    const trm_stiffness known = run->stiffness;
    TRM_TRY(run->method_ops->start(run, err));
    run->stiffness = known;
    run->h_next = h_next;
    return TRM_OK;
}

static trm_status conclude(trm_sim *sim, step_attempt *a, trm_error *err);

static trm_status reject(trm_sim *sim, step_attempt *a, trm_error *err)
{
    restore_checkpoint(&sim->run, &a->checkpoint);
    return restart_step(&sim->run, a->h_next, err);
}

/// Again up to `stop`.
static trm_status shorten(trm_sim *sim, step_attempt *a, double stop, trm_error *err)
{
    TRM_TRY(reject(sim, a, err));
    a->stop = stop;
    a->tries++;
    return TRM_OK;
}

/// A switching function is not a number at the end of the step. The step is halved: changes before
/// the end of the domain are then seen, and that end is found to rounding.
static trm_status leave_undefined(trm_sim *sim, step_attempt *a, trm_error *err)
{
    trm_run *const run = &sim->run;
    const double half = 0.5 * (run->now.t - run->before.t);
    if (sim->locator.never_defined >= 0) {
        restore_checkpoint(run, &a->checkpoint);
        return refuse_mode_change(sim, sim->locator.never_defined,
                                  "has no value where its branch is not taken; as sqrt(x) > 1 for "
                                  "x < 0: write sqrt(max(x, 0)) > 1",
                                  err);
    }
    if (half > trm_locator_time_tolerance(run)) {
        TRM_TRY(reject(sim, a, err));
        a->stop = run->now.t + half;
        return TRM_OK;
    }
    const trm_status status = refuse_undefined(sim, err);
    if (status != TRM_OK) {
        restore_checkpoint(run, &a->checkpoint);
        return status;
    }
    return conclude(sim, a, err);
}

/// A constraint holds an angle that jumps at a->t: the step ends a little before; the next step is
/// refused.
static trm_status stop_before_cut(trm_sim *sim, step_attempt *a, trm_error *err)
{
    trm_run *const run = &sim->run;
    const double last = a->t - 4 * trm_locator_time_tolerance(run);
    if (last > run->before.t) {
        return shorten(sim, a, last, err);
    }
    restore_checkpoint(run, &a->checkpoint);
    return trm_sim_refuse_cut(sim, a->which, a->t, err);
}

/// A step, split where the ends of a spring meet in it. Tells whether the rank rises.
static trm_status step_and_split(trm_sim *sim, const step_attempt *a, trm_error *err)
{
    enum { SPLITS = 30 }; // each leaves less than the dense output errs by
    trm_run *run = &sim->run;
    const double h_next = run->h_next;
    double stop = a->stop;
    for (int splits = 0;; splits++) {
        int moved = 0;
        TRM_TRY(run->method_ops->step(run, stop, err));
        trm_sim_rank_rises(sim);
        const double turn = splits == SPLITS
                                ? INFINITY
                                : trm_turning_ends_split(&sim->turning, sim->model, run, &moved);
        if (moved) {
            return_to_now(run);
        }
        if (!(turn < run->now.t)) {
            return TRM_OK;
        }
        stop = turn;
        restore_checkpoint(run, &a->checkpoint);
        TRM_TRY(restart_step(run, h_next, err));
    }
}

/// Whether a function that leaves its mode at t changes it at the beginning of the step just taken.
/// Where changes there have not helped, as in a step as short as the tolerance of the time, the
/// step is repeated up to t.
static int changes_at_start(const trm_sim *sim, double t)
{
    const trm_locator *locator = &sim->locator;
    const double begin = sim->run.before.t, slack = trm_locator_time_tolerance(&sim->run);
    const int turned = locator->zeno.at_one_time > 2 && begin - locator->zeno.t_last <= slack;
    return t <= begin + (turned ? 0 : slack);
}

/// Whether function `which` changes at the beginning of the step because its root is inactive
/// there, or was. All such functions change before events are evaluated: else conditions of several
/// would hold in between.
static int leaves_inactive(const trm_sim *sim, int which)
{
    return which >= 0 && which < sim->model->nswitching_functions &&
           trm_locator_changes_at_start(&sim->locator, which);
}

/// Changes the mode of function a->which, or a contact, at the beginning of the step. Events of
/// what changes with a contact come before its impact.
static trm_status change_at_start(trm_sim *sim, step_attempt *a, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_locator *const locator = &sim->locator;
    const int contact = a->which - sim->model->nswitching_functions;
    const int was_inactive = leaves_inactive(sim, a->which);
    restore_checkpoint(run, &a->checkpoint);
    trm_locator_iterate_event(locator, run, a->which);
    TRM_TRY(was_inactive ? TRM_OK : evaluate_at_instant(sim, 0, err));
    trm_locator_apply_modes(locator);
    if (contact >= 0) {
        sim->ended_by_contact = 1 + contact;
        a->state = STEP_CONTACT;
        return trm_events_evaluate(&sim->events, sim->model, run, err);
    }
    a->tries = 0; // mode changes have the bound of refuse_zeno
    a->changed = -1;
    a->events_due = was_inactive;
    a->state = was_inactive ? STEP_BEGIN : STEP_CHANGED;
    return restart_step(run, a->h_next, err);
}

/// What becomes of the step just tried, in which function a->which leaves its mode at a->t.
static trm_status conclude(trm_sim *sim, step_attempt *a, trm_error *err)
{
    enum { TRIES = 30 };
    trm_run *const run = &sim->run;
    trm_locator *const locator = &sim->locator;
    const int last = a->tries == TRIES;
    const int ends = !(a->t < run->now.t - trm_locator_time_tolerance(run)) || last;
    const int at_start = changes_at_start(sim, a->t);
    locator->h_tried = fmax(run->now.t - run->before.t, locator->h_tried);
    if (a->events_due && !(at_start && leaves_inactive(sim, a->which))) {
        a->events_due = 0;
        a->state = STEP_CHANGED;
        return reject(sim, a, err);
    }
    if (a->which >= 0 && (ends || at_start) &&
        trm_locator_is_at_branch_cut(locator, a->which, at_start)) {
        return stop_before_cut(sim, a, err);
    }
    const double peak = ends ? unseen_peak(sim) : INFINITY;
    if (ends && (!isfinite(peak) || last)) {
        locator->following.unproved += isfinite(peak) != 0;
        a->state = STEP_DONE;
        const trm_status status = finish_at_event(sim, a->which, a->t_limit, err);
        if (run->observe) {
            return_to_now(run);
        }
        return status;
    }
    if (ends) { // the end of the step sees the peak
        return shorten(sim, a, peak, err);
    }
    if (at_start) {
        return change_at_start(sim, a, err);
    }
    locator->t_expected = a->t;
    a->changed = -1;
    return shorten(sim, a, a->t, err);
}

/// STEP_TRY.
static trm_status try_step(trm_sim *sim, step_attempt *a, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_locator *const locator = &sim->locator;
    a->checkpoint = (step_checkpoint){run->t_origin, run->count, run->stats};
    a->h_next = run->h_next;
    a->is_tried = 1;
    TRM_TRY(step_and_split(sim, a, err));
    if (!locator->active) {
        a->state = STEP_DONE;
        return TRM_OK;
    }
    a->which = -1;
    a->t = locator->nstate > 0 ? locate_event(sim, &a->which) : INFINITY;
    if (trm_sim_is_interrupted(sim)) {
        TRM_TRY(reject(sim, a, err));
        return TRM_STOPPED;
    }
    return locator->undefined ? leave_undefined(sim, a, err) : conclude(sim, a, err);
}

/// STEP_CONTACT.
static trm_status change_contact(trm_sim *sim, step_attempt *a, trm_error *err)
{
    const int function = sim->ended_by_contact - 1;
    sim->ended_by_contact = 0;
    const trm_status status = trm_sim_change_contact_mode(sim, function, err);
    sim->ended_by_contact = status == TRM_STOPPED ? 1 + function : 0;
    TRM_TRY(status);
    if (sim->run.observe) { // forces have jumped
        trm_locator_velocities_jump(&sim->locator);
    }
    a->state = a->is_tried ? STEP_CHANGED : STEP_BEGIN;
    a->contact = trm_locator_contact_of(&sim->locator, sim->model->nswitching_functions + function);
    return a->is_tried ? restart_step(&sim->run, a->h_next, err) : TRM_OK;
}

/// The latest end of a step, up to `stop`, over which twists and tilts of balls count their turns.
/// A ball turns by sin d at most, d the distance of a tilt from its pole (angle_jump.c), by d/2 of
/// a twist, as its rate and acceleration tell. An angle then changes by pi/2 at most, and is
/// expected within a rad of where it was: less than half a turn apart. Nearer than the root of rtol
/// what acts has ended the run or is held. Nearer than A, the error of the motion, either way round
/// may be the right one; so may any number of turns where fixed steps lead further.
static double follow_balls(trm_sim *sim, double stop)
{
    trm_run *const run = &sim->run;
    const double *const v = run->now.z + run->system->nq, rtol = run->options.rtol;
    const int n = sim->model->npoles, adaptive = sim->locator.adaptive;
    const double end = adaptive ? stop : fmin(stop, run->now.t + run->options.h);
    if (n == 0) {
        return stop;
    }
    const trm_kinematics look = trm_assembler_kinematics(run->system, run->now.t, run->now.z, v,
                                                         run->now.dz + run->system->nq);
    for (int k = 0; k < n; k++) {
        const trm_pole *const pole = &sim->model->pole[k];
        const trm_joint_axis *const joint = &sim->model->joint_axis[pole->joint];
        trm_joint_motion at;
        double a[3], b[3], length[2];
        for (int second = 0; second < 2; second++) {
            const double *const V = second ? look.A : look.V;
            trm_to_world(look.pose, joint->a, V + 6 * joint->a + 3, a);
            trm_to_world(look.pose, joint->b, V + 6 * joint->b + 3, b);
            length[second] = sqrt(dot(subtract(b, a, b), b));
        }
        trm_joint_measure(joint, look.pose, look.V, &at);
        const double near = hypot(at.c, at.s);
        const double d = joint->freedom == TRM_FREEDOM_TWIST ? sqrt(near / 2) : near;
        const double most = fmax(d, pole->acts ? sqrt(rtol) : rtol);
        const double root = sqrt(length[0] * length[0] + 2 * length[1] * most);
        const double known = run->now.t + 2 * most / (length[0] + root);
        if (sim->uncounted == 0 &&
            (adaptive ? !pole->acts && d < run->options.accuracy : pole->acts < 2 && known < end)) {
            sim->uncounted = 1 + pole->joint;
            sim->t_uncounted = run->now.t;
        }
        stop = adaptive ? fmin(stop, known) : stop;
    }
    return_to_now(run);
    return stop;
}

/// STEP_BEGIN, STEP_CHANGED. Where the contact that was released at the beginning seems to change
/// there once more, the gap after release is below the step error: the step is halved.
static trm_status begin_attempt(trm_sim *sim, step_attempt *a, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_locator *const locator = &sim->locator;
    TRM_TRY(a->state == STEP_CHANGED ? trm_events_evaluate(&sim->events, sim->model, run, err)
                                     : TRM_OK);
    TRM_TRY(begin_step(sim, a->t_limit, &a->stop, err));
    if (!(a->stop >= run->now.t)) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, "the time cannot move", err);
    }
    const int again = a->contact >= 0 && a->contact == a->changed;
    a->stop = again ? fmin(a->stop, run->now.t + 0.5 * locator->h_tried) : a->stop;
    a->stop = follow_balls(sim, a->stop);
    locator->h_tried = a->is_tried && !again ? locator->h_tried : 0;
    a->changed = a->is_tried ? a->contact : -1;
    a->contact = -1;
    a->state = STEP_TRY;
    return TRM_OK;
}

static trm_status attempt(trm_sim *sim, step_attempt *a, trm_error *err)
{
    switch (a->state) {
    case STEP_CONTACT:
        return change_contact(sim, a, err);
    case STEP_TRY:
        return try_step(sim, a, err);
    default:
        return begin_attempt(sim, a, err);
    }
}

/// The time stands still when h is below its resolution at t: a run would never end.
static trm_status refuse_standing(trm_sim *sim, const step_checkpoint *checkpoint, trm_error *err)
{
    trm_run *run = &sim->run;
    restore_checkpoint(run, checkpoint);
    return trm_run_fail(run, TRM_ERR_DIVERGED, "a step does not move the time: it is too short",
                        err);
}

/// Whether drives may have taken a contact beyond its limit, out of which no impulse moves it.
static int is_driven_beyond(const trm_run *run)
{
    const trm_contact *const contact = run->contact;
    int beyond = 0, side;
    for (int k = contact->near[0]; run->system->moving && k < contact->n;
         k = contact->near[k + 1]) {
        beyond |= trm_contact_room(contact, k, &side) < -contact->given[k];
    }
    return beyond;
}

static void monitor_step(trm_sim *sim)
{
    if (sim->rank_rises) {
        trm_monitor_renew(&sim->monitor, &sim->run, 1);
    } else {
        trm_monitor_choose_rows(&sim->monitor, &sim->run);
        trm_monitor_update(&sim->monitor, &sim->run);
    }
}

/// Tries until one is accepted. *ended: an event has ended the run where it stands.
static trm_status take_step(trm_sim *sim, double t_limit, step_checkpoint *checkpoint, int *ended,
                            trm_error *err)
{
    trm_run *const run = &sim->run;
    const double t = run->now.t;
    step_attempt a = {.state = sim->ended_by_contact ? STEP_CONTACT : STEP_BEGIN,
                      .t_limit = t_limit,
                      .contact = -1,
                      .changed = -1};
    sim->events.stop = 0;
    run->rates_changed = 0;
    if (run->contact) {
        run->contact->problem.unsolved = 0;
    }
    *ended = 0;
    while (a.state != STEP_DONE && !*ended) {
        const trm_status status = attempt(sim, &a, err);
        if (status != TRM_OK && a.is_tried) {
            run->before.t = run->now.t; // the failed step has overwritten the point before
            return explain(sim, status, err);
        }
        TRM_TRY(status);
        *ended = sim->events.stop && !(run->now.t > t);
    }
    *checkpoint = a.checkpoint;
    return *ended || run->now.t > t ? TRM_OK : refuse_standing(sim, checkpoint, err);
}

/// What no step may lead to, beside an open joint: rows that contradict each other, a drive beyond
/// a limit, play above its bound (it is another mechanism), the pole of an angle.
static trm_status refuse_end(trm_sim *sim, trm_error *err)
{
    if (trm_sim_contradicts(sim)) {
        return trm_sim_refuse_contradiction(sim, err);
    }
    // within a projected step a drive has set out: it was chosen for less
    if (sim->projected.state == TRM_PROJECTED && sim->run.before.t > sim->projected.t_failed &&
        trm_contact_deepest(sim->run.contact) > sim->run.options.overlap * sim->whole) {
        return trm_run_fail(&sim->run, TRM_ERR_DIVERGED, "contacts overlap", err);
    }
    if (sim->run.method_ops->steps_contacts && is_driven_beyond(&sim->run)) {
        TRM_TRY(trm_sim_refuse_drives(sim, 0, err));
    }
    TRM_TRY(trm_sim_refuse_torn(sim, 0, err));
    if (trm_sim_play_passes(sim)) {
        const trm_status status = trm_sim_refuse_play(sim, err);
        trm_sim_name_rank(sim, err);
        return status;
    }
    return trm_sim_refuse_poles(sim, err);
}

static trm_status refuse_step(trm_sim *sim, const trm_drift *drift,
                              const step_checkpoint *checkpoint, trm_error *err)
{
    const double surely_whole = fmin(sim->size > 0 ? sim->size / 2 : 1, 1);
    const int open = !(drift->position <= surely_whole);
    const int row = open ? trm_violation_row(sim->model, sim->run.system->g, sim->size) : -1;
    if (row >= 0) {
        return explain(sim, refuse_violation(sim, row, checkpoint, err), err);
    }
    const trm_status status = refuse_end(sim, err);
    if (status != TRM_OK) {
        restore_checkpoint(&sim->run, checkpoint);
    }
    return status;
}

/// The step is accepted by its error and events: what follows the run looks at its end.
static trm_status note_step(trm_sim *sim, const trm_drift *drift, trm_error *err)
{
    trm_run *const run = &sim->run;
    const double *const z = run->now.z, *const v = z + run->system->nq;
    trm_system_wind(run->system, v);
    trm_measure_update(&sim->measure, run->system, v, drift, z[run->n - 1]);
    weigh_balance(sim);
    trm_sim_note_contacts(sim);
    trm_sim_note_play(sim);
    trm_null_accept(&run->system->solver.null);
    const long crossed = sim->monitor.record.count;
    monitor_step(sim);
    // beside a singular position forces rise and fall within a step, and nothing looks there
    sim->locator.following.unproved += run->observe && sim->monitor.record.count > crossed;
    trm_sim_note_forces(sim);
    run->system->found.known = 0;
    const int code = trm_sim_look_between(sim);
    return code < 0 ? trm_run_fail_code(run, code, err) : trm_sim_share_corner(sim, err);
}

static trm_status step_and_measure(trm_sim *sim, double t_limit, trm_error *err)
{
    trm_run *const run = &sim->run;
    step_checkpoint checkpoint = {0};
    int ended;
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (sim->start_rank == TRM_START_UNDECIDED) {
        return trm_run_fail(
            run, TRM_ERR_SINGULAR,
            "rows that nearly follow from others are below what double precision "
            "decides: neither held nor free; describe them exactly, or relax a joint",
            err);
    }
    if (trm_sim_is_interrupted(sim)) {
        return TRM_STOPPED;
    }
    TRM_TRY(take_step(sim, t_limit, &checkpoint, &ended, err));
    if (ended) {
        return TRM_OK;
    }
    TRM_TRY(sim->rank_rises ? trm_sim_raise_rank(sim, err) : TRM_OK);
    const trm_drift drift =
        trm_drift_of(run->system, run->now.z + run->system->nq, sim->measure.of.work);
    TRM_TRY(refuse_step(sim, &drift, &checkpoint, err));
    return note_step(sim, &drift, err);
}

static void note_limit(trm_run *run, double t_limit)
{
    if (t_limit != run->t_limit) {
        run->outside = run->now.t == run->t_limit;
        run->t_limit = t_limit;
    }
}

trm_status trm_sim_advance(trm_sim *sim, double t_limit, trm_error *err)
{
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    note_limit(&sim->run, t_limit);
    const unsigned mode = trm_subnormals_flush();
    const trm_status status = step_and_measure(sim, t_limit, err);
    trm_system_hold_modes(sim->run.system, NULL);
    sim->run.system->latest = INFINITY;
    trm_subnormals_restore(mode);
    return trm_sim_leave(sim, status);
}

void trm_sim_set_interrupt(trm_sim *sim, const volatile sig_atomic_t *flag)
{
    if (sim) {
        sim->interrupt = flag;
    }
}
