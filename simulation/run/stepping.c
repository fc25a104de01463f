/// Steps of a run, each measured, and taken back where it has torn the mechanism.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "base/subnormals.h"
#include "engine/enclosure/switch_numbers.h"
#include "simulation/run/constraint_violation.h"
#include "simulation/run/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// What a step changes besides the points of the run.
typedef struct mesh {
    double t_origin;
    long count;
    trm_stats stats;
} mesh;

/// Takes back the step that has torn the mechanism at `row`, also in the history of the method.
static void take_back(trm_run *run, const mesh *left)
{
    const long rejected = run->stats.rejected + 1;
    trm_run_advance(run);
    run->before.t = run->now.t; // there is no step to sample
    run->t_origin = left->t_origin;
    run->count = left->count;
    run->stats = left->stats;
    run->stats.rejected = rejected;
    run->shifted = 1;
    (void)trm_system_position(run->system, run->now.t, run->now.z); // where it succeeded before
}

static trm_status refuse_torn(trm_sim *sim, int row, const mesh *left, trm_error *err)
{
    trm_run *run = &sim->run;
    const trm_row_info *info = &sim->model->row_info[row];
    const double gap = trm_tear_gap(sim->model, run->system->g, row);
    const double h = run->now.t - run->before.t;
    const char *const space = *info->unit ? " " : "";
    char where[160];
    trm_run_name_row(run, row, where, sizeof where);
    take_back(run, left);
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_DIVERGED, where,
                 "%sat t = %.6g s: the next step, of %.3g s, would tear the mechanism: %s would "
                 "be open by %.3g%s%s%s",
                 run->stats.steps > 0 ? "stopped " : "", run->now.t, h, where, gap, space,
                 info->unit, trm_run_is_adaptive(run) ? "" : "; the step is too large");
    if (err) {
        err->t = run->now.t;
    }
    return status;
}

static trm_status refuse_contradiction(trm_sim *sim, const mesh *left, trm_error *err)
{
    const trm_status status = trm_sim_refuse_contradiction(sim, err);
    take_back(&sim->run, left);
    return status;
}

/// A step has failed with this status. The error gets the reason where one is known: contradictory
/// motors, a force that grows without bound, an undecided position, a change of the rank.
static trm_status explain(trm_sim *sim, trm_status status, trm_error *err)
{
    const int numerical = status == TRM_ERR_DIVERGED || status == TRM_ERR_SINGULAR;
    if (numerical && trm_sim_has_parted(sim)) {
        return trm_sim_refuse_contradiction(sim, err);
    }
    if (sim->run.vanished && sim->run.weak_row < 0 && err) {
        trm_sim_name_steepest(sim, err);
    }
    sim->run.vanished = 0;
    const double t = trm_record_met_undecided(&sim->watch.record);
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
    return status;
}

static trm_status refuse_for_ever(const trm_sim *sim, trm_error *err)
{
    const trm_events *events = &sim->events;
    const int event = events->event[(events->count - 1) % TRM_EVENTS_KEPT];
    const trm_event_info *info = &sim->model->event_info[event];
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_DIVERGED, info->where,
                 "stopped at t = %.9g s: event '%s' happens again and again at this time, since "
                 "events set inputs that make others happen",
                 sim->run.now.t, info->name);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

/// Events of the moment in which switches change, or a run begins, which no step holds: p.x == 1.
/// The branches behind the edges are in ahead->then.
static trm_status look_at_moments(trm_sim *sim, int at_start, trm_error *err)
{
    trm_ahead *const ahead = &sim->ahead;
    if (!trm_ahead_enter_moment(ahead, &sim->run, at_start)) {
        return TRM_OK;
    }
    trm_system_hold(sim->run.system, ahead->then);
    const trm_status status = trm_events_look_at_moment(&sim->events, sim->model, &sim->run, err);
    trm_ahead_leave_moment(ahead);
    trm_system_hold(sim->run.system, ahead->branch);
    return status;
}

/// Why a run ends at a switch, with the place of its formula.
static trm_status refuse_switch(trm_sim *sim, int which, const char *why, trm_error *err)
{
    char name[100];
    int k = 0;
    const char *const place = trm_ahead_formula(&sim->ahead, which, &k)->where;
    trm_ahead_name(&sim->ahead, which, name, sizeof name);
    const trm_status status = TRM_FAIL(err, TRM_ERR_DIVERGED, *place ? place : name,
                                       "stopped at t = %.9g s: %s %s", sim->run.now.t, name, why);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

/// The rates of the function of a switch on both sides of its edge, the side below first. Returns
/// zero when they cannot be computed. The branches stay what they are, the rates at now do not.
static int rates_at_edge(trm_sim *sim, int which, double rate[2])
{
    trm_run *run = &sim->run;
    trm_ahead *ahead = &sim->ahead;
    const trm_ahead kept = *ahead;
    const size_t size = (size_t)sim->model->nswitches * sizeof *ahead->branch;
    int64_t side[2] = {0, 0};
    int known = 1;
    const size_t hovers = (size_t)sim->model->nswitches * sizeof *ahead->hover;
    memcpy(ahead->kept, ahead->branch, size);
    memcpy(ahead->kept + sim->model->nswitches, ahead->then, size);
    memcpy(ahead->kept_hover, ahead->hover, hovers);
    for (int i = 0; i < 2 && known; i++) {
        trm_system_hold(run->system, ahead->branch);
        known = trm_sim_take_up_inputs(sim, NULL) == TRM_OK;
        side[i] = ahead->branch[which];
        rate[i] = known ? trm_ahead_rate(ahead, run, which) : NAN;
        trm_ahead_flip(ahead, run, which);
        trm_ahead_turn(ahead);
    }
    if (side[0] > side[1]) { // branches rise with g
        const double above = rate[0];
        rate[0] = rate[1];
        rate[1] = above;
    }
    *ahead = kept;
    ahead->changed = 1;
    memcpy(ahead->branch, ahead->kept, size);
    memcpy(ahead->then, ahead->kept + sim->model->nswitches, size);
    memcpy(ahead->hover, ahead->kept_hover, hovers);
    trm_system_hold(run->system, ahead->branch);
    return known && side[0] != side[1];
}

/// Where the motion returns to the edge of a switch from both sides, it slides: the one that has
/// changed last, or one that has not strayed from its edge and makes the function of that one jump.
static trm_status refuse_sliding(trm_sim *sim, trm_error *err)
{
    const trm_ahead *const ahead = &sim->ahead;
    for (int k = 0; k < sim->model->nswitches; k++) {
        const int stays = k == ahead->latest || ahead->hover[k].count >= TRM_SWITCH_HOVERS;
        double rate[2];
        if (ahead->timed[k] || !stays || !rates_at_edge(sim, k, rate) ||
            !(rate[0] > 0 && rate[1] < 0)) {
            continue;
        }
        char why[200];
        snprintf(why, sizeof why,
                 "changes back and forth for ever; from both sides the motion comes back to this "
                 "edge (%.3g and %.3g 1/s), so it slides along it: give the jump a width",
                 rate[0], rate[1]);
        return refuse_switch(sim, k, why, err);
    }
    return TRM_OK;
}

/// Changes that come ever faster, as of mod(x, t - 1) before 1 s, or by rounding alone, as of
/// sin(t)^2 + cos(t)^2 >= 1, or again and again at one time, would not let the run end. Where a
/// motion slides, this is found sooner.
static trm_status refuse_crawl(trm_sim *sim, double t_limit, trm_error *err)
{
    enum { AT_ONE_TIME = 100 };
    const trm_run *const run = &sim->run;
    trm_ahead *const ahead = &sim->ahead;
    const long changes = ahead->switched - ahead->mark;
    const double since = run->now.t - ahead->t_mark, left = t_limit - run->now.t;
    const int many = AT_ONE_TIME + 2 * sim->model->nswitches;
    if (sim->model->nswitches > 0 && ahead->hover[ahead->latest].within >= TRM_SWITCH_PACE) {
        return refuse_switch(sim, ahead->latest,
                             "changes back and forth for ever: farther from its edge than the "
                             "tolerance the motion does not get any more, so it slides along it: "
                             "give the jump a width",
                             err);
    }
    if (changes < many) {
        return TRM_OK;
    }
    if (ahead->stuck > many) {
        TRM_TRY(refuse_sliding(sim, err));
        return refuse_switch(sim, ahead->latest, "changes back and forth for ever at this time",
                             err);
    }
    if (!isfinite(left) || since >= (double)changes * TRM_SWITCH_PART * left) {
        ahead->mark = ahead->switched;
        ahead->t_mark = run->now.t;
        return TRM_OK;
    }
    TRM_TRY(refuse_sliding(sim, err));
    if ((double)changes < TRM_SWITCH_PACE) {
        return TRM_OK;
    }
    char why[160];
    snprintf(why, sizeof why,
             "changes too fast to be followed: %ld times in the last %.2g s, which would be %.1g "
             "times up to %.6g s",
             changes, since, left / since * (double)changes, t_limit);
    return refuse_switch(sim, ahead->latest, why, err);
}

/// The branches of the next step, and its latest end. Events at its beginning may set
/// inputs, which may cause further events.
static trm_status look_ahead(trm_sim *sim, double t_limit, double *stop, trm_error *err)
{
    enum { AT_ONE_TIME = 1000 };
    trm_run *run = &sim->run;
    trm_ahead *ahead = &sim->ahead;
    const int jumped = ahead->jumped && sim->model->nswitches > 0;
    int anew = ahead->unsettled || run->inputs_changed || jumped;
    *stop = t_limit;
    if (!ahead->active && !run->inputs_changed) {
        return TRM_OK;
    }
    ahead->until = isfinite(t_limit) ? t_limit : run->now.t;
    if (ahead->crowd > TRM_SWITCH_PATIENCE + run->system->nswitches) {
        return refuse_switch(sim, ahead->crowded, "changes too fast to be followed", err);
    }
    TRM_TRY(refuse_crawl(sim, t_limit, err));
    for (int times = 0; ahead->active; times++) {
        const int inputs_changed = run->inputs_changed;
        if (!anew) {
            trm_ahead_turn(ahead);
        }
        ahead->expected = anew ? -INFINITY : ahead->expected;
        *stop = trm_ahead_stop(ahead, run, t_limit);
        if (anew) { // branches of the time are known by then
            trm_ahead_settle(ahead, run);
        }
        trm_system_hold(run->system, ahead->branch);
        if (!anew && !ahead->passed) {
            break;
        }
        ahead->unsettled = ahead->jumped = 0;
        run->inputs_changed = 0;
        TRM_TRY(times == 0 && run->stats.steps == 0 ? look_at_moments(sim, 1, err) : TRM_OK);
        TRM_TRY(trm_events_look(&sim->events, sim->model, run, err));
        anew = run->inputs_changed;
        run->inputs_changed |= inputs_changed;
        if (!anew) {
            break;
        }
        if (times == AT_ONE_TIME) {
            return refuse_for_ever(sim, err);
        }
    }
    if (run->inputs_changed || ahead->changed || jumped) {
        TRM_TRY(trm_sim_take_up_inputs(sim, err));
    }
    ahead->changed = ahead->unsettled = 0;
    return TRM_OK;
}

/// The step is accepted; `which` as in trm_ahead_accept. t_limit: the end of the run.
static trm_status accept_step(trm_sim *sim, int which, double t_limit, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_ahead *const ahead = &sim->ahead;
    if (!ahead->active) {
        return TRM_OK;
    }
    const long switched = ahead->switched;
    const int contact = which - sim->model->nswitches;
    trm_ahead_accept(ahead, run, which);
    sim->struck = contact >= 0 ? 1 + contact : 0;
    if (run->now.t == t_limit) {
        trm_ahead_end(ahead, run);
    }
    if (ahead->switched == switched) {
        return TRM_OK; // conditions change with switches only
    }
    TRM_TRY(look_at_moments(sim, 0, err));
    trm_system_hold(run->system, ahead->then);
    const trm_status status = trm_events_look(&sim->events, sim->model, run, err);
    trm_system_hold(run->system, ahead->branch);
    return status;
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

/// When a switch leaves its branch in the step just taken; the system is
/// then again at the end of the step.
static double locate_switch(trm_sim *sim, int *which)
{
    const trm_measure *const measure = &sim->measure;
    sim->ahead.gap = (trm_drift){measure->position_max, measure->velocity_max, -1};
    const double t = trm_ahead_locate(&sim->ahead, &sim->run, which);
    return_to_now(&sim->run);
    return t;
}

/// When a formula peaks in the step just taken, and no stage has seen it.
static double unseen_peak(trm_sim *sim)
{
    int moved;
    const double t = trm_ahead_peak(&sim->ahead, &sim->run, &moved);
    if (moved) {
        return_to_now(&sim->run);
    }
    return t < sim->run.now.t - trm_ahead_slack(&sim->run) ? t : INFINITY; // its end is seen
}

/// How far off a balance may be, of its scale, before more is asked: half the accuracy asked for,
/// or half of what passes for good (docs/recordings.md).
static double balance_limit(const trm_run *run)
{
    const double asked = TRM_STEPS_IN_A * run->options.rtol;
    return 0.5 * fmax(fmin(TRM_USUALLY_GOOD, TRM_PROMISED_OF_ENERGY * asked), asked);
}

static int works(const trm_run *run)
{
    return run->now.z[run->n - 1] != run->before.z[run->n - 1];
}

/// Whether a balance off by `error` says more than half of what is told: of the energy, or of the
/// motion, which may be off by ten times the accuracy asked for.
static int is_off(const trm_sim *sim, double error)
{
    const double asked = TRM_STEPS_IN_A * sim->run.options.rtol, told = TRM_PROMISED * asked;
    const double scale = trm_measure_scale(&sim->measure);
    return error > balance_limit(&sim->run) * scale ||
           (error > asked * scale &&
            trm_measure_part(&sim->measure, error, sim->run.extent.v) > told / 2);
}

/// Where the balance of energy is off (is_off), the work of the step just measured is integrated
/// again, more accurately. Step sizes are chosen for the motion; over many periods of a force of
/// the time, errors of the work add up although the motion is right. Faults of the motion stay
/// visible, since they are not in the work. Where the dense output does not follow the motion (a
/// step far beyond the method's stability after an implicit one) its work fits less well, and the
/// step's own work stays.
static void weigh_work(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    trm_measure *const measure = &sim->measure;
    const double own = trm_measure_imbalance(measure);
    double W = NAN;
    if (!works(run) || !run->method_ops->work || !is_off(sim, own)) {
        return;
    }
    trm_system_hold(run->system, sim->ahead.branch);
    const int code = run->method_ops->work(run, &W);
    trm_system_hold(run->system, NULL);
    return_to_now(run);
    measure->energy.work = W;
    if (!code && trm_measure_imbalance(measure) < own) {
        run->method_ops->take_work(run, W);
    }
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
    trm_system_hold(system, NULL);
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
    const trm_run *const run = &sim->run;
    const double before = sim->measure.energy_error;
    weigh_work(sim);
    trm_measure_balance(&sim->measure, run->now.z[run->n - 1]);
    trm_sim_note_balance(sim);
    weigh_dissipation(sim, before);
}

/// A function of a switch is not a number at the end of the step: the formula, its
/// branches not held, gives the reason.
static trm_status refuse_undefined(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    double power;
    trm_system_hold(system, NULL);
    TRM_TRY(trm_events_look(&sim->events, sim->model, run, err));
    int code = trm_system_position(system, run->now.t, run->now.z);
    code = code ? code : trm_system_force(system, run->now.z + system->nq, run->work_v, &power);
    trm_status status = code ? trm_run_fail_code(run, code, err) : TRM_OK;
    trm_system_hold(system, sim->ahead.branch);
    if (status == TRM_OK && run->contact) {
        trm_contact_measure(run->contact, system, run->now.t, run->now.z);
        status = trm_sim_refuse_undefined_gap(sim, err);
    }
    return status;
}

/// The step just taken ends where a function of a switch is not a number. It is taken back and
/// halved: changes before the end of the domain are then seen, and that end is found to rounding.
/// Returns zero where the step cannot become shorter.
static int halve(trm_sim *sim, const mesh *left, double *stop)
{
    const trm_run *run = &sim->run;
    const double half = 0.5 * (run->now.t - run->before.t);
    if (!(half > trm_ahead_slack(run))) {
        return 0;
    }
    take_back(&sim->run, left);
    *stop = run->now.t + half;
    return 1;
}

/// A step that was taken back is begun again, of the size that was to be tried and with what is
/// known of the stiffness: steps that end on switches in each turn would never find it.
static trm_status begin_again(trm_run *run, double h_next, trm_error *err)
{
    const trm_stiffness known = run->stiffness;
    TRM_TRY(run->method_ops->start(run, err));
    run->stiffness = known;
    run->h_next = h_next;
    return TRM_OK;
}

/// A constraint holds an angle that jumps at t: the step ends a
/// little before; the next step is refused.
static trm_status stop_before_cut(trm_sim *sim, int which, double t, const mesh *left, double *stop,
                                  trm_error *err)
{
    trm_run *run = &sim->run;
    const double last = t - 4 * trm_ahead_slack(run);
    take_back(run, left);
    if (!(last > run->now.t)) {
        return trm_sim_refuse_cut(sim, which, t, err);
    }
    *stop = last;
    return TRM_OK;
}

/// Whether a switch that leaves its branch at t, in the step just taken, changes at the beginning
/// of the step. Where changes there have not helped, as in a step as short as the slack, the step
/// is done again up to t.
static int leaves_at_once(const trm_sim *sim, double t)
{
    const trm_ahead *ahead = &sim->ahead;
    const double begin = sim->run.before.t, slack = trm_ahead_slack(&sim->run);
    const int turned = ahead->stuck > 2 && begin - ahead->t_stuck <= slack;
    return t <= begin + (turned ? 0 : slack);
}

/// A step that leaves the positions of the rank of the run is shortened to end near them.
static trm_status step_near_rank(trm_sim *sim, double stop, const mesh *left, trm_error *err)
{
    trm_run *run = &sim->run;
    for (;;) { // nearer a bounded number of times
        TRM_TRY(run->method_ops->step(run, stop, err));
        const double nearer = trm_sim_rank_rises(sim);
        if (!(nearer > 0)) {
            return TRM_OK;
        }
        take_back(run, left);
        TRM_TRY(begin_again(run, nearer, err));
    }
}

/// Whether switch `which` changes at the beginning of the step since it rests there, or has rested.
/// All that do so change before events are looked at: else conditions of several would hold in
/// between.
static int turns_by_rest(const trm_sim *sim, int which)
{
    return which >= 0 && which < sim->model->nswitches && sim->ahead.hover[which].turns;
}

/// Switch `which`, or a contact, changes at the beginning of the step. Events of what changes with
/// a contact come before its impact; where they end the run it is left to the next step.
static trm_status change_at_once(trm_sim *sim, int which, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_ahead *const ahead = &sim->ahead;
    const int contact = which - sim->model->nswitches;
    const int rested = turns_by_rest(sim, which);
    trm_ahead_flip(ahead, run, which);
    TRM_TRY(rested ? TRM_OK : look_at_moments(sim, 0, err));
    trm_ahead_turn(ahead);
    if (contact >= 0) {
        TRM_TRY(trm_events_look(&sim->events, sim->model, run, err));
        sim->struck = sim->events.stop ? 1 + contact : 0;
        return sim->struck ? TRM_OK : trm_sim_turn_contact(sim, contact, err);
    }
    return TRM_OK;
}

/// Events of switches that have changed at the beginning of the step, and how it goes on.
static trm_status see_changes(trm_sim *sim, double t_limit, double *stop, trm_error *err)
{
    TRM_TRY(trm_events_look(&sim->events, sim->model, &sim->run, err));
    return look_ahead(sim, t_limit, stop, err);
}

/// Where the next step ends at the latest. What a contact that lets go does at first is below the
/// error of a long step. Where that shows the contact that has changed at the beginning, *turned,
/// to change there once more, a step of half the length knows better.
static double shorter(const trm_run *run, trm_ahead *ahead, int contact, int *turned, double stop)
{
    const int again = contact >= 0 && contact == *turned;
    const double half = run->now.t + 0.5 * ahead->tried;
    ahead->tried = again ? 0 : ahead->tried;
    *turned = contact;
    return again ? fmin(stop, half) : stop;
}

/// A step in which no switch changes. Where a switch leaves its branch on the way, the step is
/// taken back and repeated up to there, until the times agree to rounding.
static trm_status step_to_switch(trm_sim *sim, double stop, double t_limit, trm_error *err)
{
    enum { TRIES = 30 };
    trm_run *run = &sim->run;
    trm_ahead *ahead = &sim->ahead;
    ahead->tried = 0;
    int turned = -1; // the contact that has changed at its beginning last
    int unseen = 0;  // switches have left their rest, or begun it, and no event has been looked at
    for (int tries = 0;; tries++) {
        const mesh left = {run->t_origin, run->count, run->stats};
        const double h_next = run->h_next;
        TRM_TRY(step_near_rank(sim, stop, &left, err));
        int which = -1;
        const double t = ahead->nstate > 0 ? locate_switch(sim, &which) : INFINITY;
        if (ahead->undefined && halve(sim, &left, &stop)) {
            TRM_TRY(begin_again(run, h_next, err));
            tries--;
            continue;
        }
        const trm_status defined = ahead->undefined ? refuse_undefined(sim, err) : TRM_OK;
        if (defined != TRM_OK) {
            take_back(run, &left);
            return defined;
        }
        const int ends = !(t < run->now.t - trm_ahead_slack(run)) || tries == TRIES;
        ahead->tried = fmax(run->now.t - run->before.t, ahead->tried);
        const int at_once = leaves_at_once(sim, t);
        const int turns = at_once && turns_by_rest(sim, which);
        if (unseen && !turns) {
            take_back(run, &left);
            TRM_TRY(begin_again(run, h_next, err));
            TRM_TRY(see_changes(sim, t_limit, &stop, err));
            if (sim->events.stop) {
                return TRM_OK; // without a step
            }
            unseen = 0;
            tries--;
            continue;
        }
        if (which >= 0 && (ends || at_once) && trm_ahead_at_cut(ahead, which, at_once)) {
            TRM_TRY(stop_before_cut(sim, which, t, &left, &stop, err));
            TRM_TRY(begin_again(run, h_next, err));
            continue;
        }
        const double peak = ends ? unseen_peak(sim) : INFINITY;
        if (ends && (!isfinite(peak) || tries == TRIES)) {
            ahead->unproved += isfinite(peak) != 0;
            return accept_step(sim, which, t_limit, err);
        }
        take_back(run, &left);
        if (ends) { // again up to the peak: the end of the step sees it
            TRM_TRY(begin_again(run, h_next, err));
            stop = peak;
            continue;
        }
        TRM_TRY(at_once ? change_at_once(sim, which, err) : TRM_OK);
        TRM_TRY(begin_again(run, h_next, err));
        if (!at_once) {
            stop = ahead->expected = t;
        } else if (sim->struck) {
            return TRM_OK; // an event ends the run before the impact
        } else if (turns) {
            TRM_TRY(look_ahead(sim, t_limit, &stop, err));
            unseen = 1;
        } else {
            TRM_TRY(see_changes(sim, t_limit, &stop, err));
        }
        const int contact = at_once ? trm_ahead_contact_of(ahead, which) : -1;
        stop = shorter(run, ahead, contact, &turned, stop);
        if (sim->events.stop) {
            return TRM_OK; // without a step
        }
        // with other branches anew: changes of switches have the bound of refuse_crawl
        tries = at_once && contact < 0 ? -1 : tries - at_once;
    }
}

/// The time stands still when h is below its resolution at t: a run would never end.
static trm_status refuse_standing(trm_sim *sim, const mesh *left, trm_error *err)
{
    trm_run *run = &sim->run;
    take_back(run, left);
    return trm_run_fail(run, TRM_ERR_DIVERGED, "a step does not move the time: it is too short",
                        err);
}

static void watch_step(trm_sim *sim)
{
    if (sim->rises) {
        trm_watch_renew(&sim->watch, &sim->run, 1);
    } else {
        trm_watch_update(&sim->watch, &sim->run);
    }
}

static trm_status step_and_measure(trm_sim *sim, double t_limit, trm_error *err)
{
    trm_run *run = &sim->run;
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (sim->undecided) {
        return trm_run_fail(
            run, TRM_ERR_SINGULAR,
            "rows that nearly follow from others are below what double precision "
            "decides: neither held nor free; describe them exactly, or relax a joint",
            err);
    }
    double stop;
    sim->events.stop = 0;
    run->turned = 0;
    if (sim->struck) {
        const int which = sim->struck - 1;
        sim->struck = 0;
        TRM_TRY(trm_sim_turn_contact(sim, which, err));
    }
    TRM_TRY(look_ahead(sim, t_limit, &stop, err));
    if (sim->events.stop) {
        return TRM_OK; // without a step
    }
    const double t = run->now.t;
    const mesh left = {run->t_origin, run->count, run->stats};
    const trm_status status = sim->ahead.active ? step_to_switch(sim, stop, t_limit, err)
                                                : step_near_rank(sim, stop, &left, err);
    if (status != TRM_OK) {
        run->before.t = run->now.t; // the failed step has overwritten the point before
        return explain(sim, status, err);
    }
    if (run->now.t == t && sim->events.stop) {
        return TRM_OK; // an event has ended the run where it stood
    }
    if (!(run->now.t > t)) {
        return refuse_standing(sim, &left, err);
    }
    TRM_TRY(sim->rises ? trm_sim_raise_rank(sim, err) : TRM_OK);
    const double *z = run->now.z;
    const double *v = z + run->system->nq;
    const trm_drift drift = trm_drift_of(run->system, v, sim->measure.work);
    const double surely_whole = fmin(sim->size > 0 ? sim->size / 2 : 1, 1);
    if (!(drift.position <= surely_whole)) {
        const int row = trm_tear_row(sim->model, run->system->g, sim->size);
        if (row >= 0) {
            return explain(sim, refuse_torn(sim, row, &left, err), err);
        }
    }
    if (trm_sim_contradicts(sim)) {
        return refuse_contradiction(sim, &left, err);
    }
    trm_system_wind(run->system, v);
    trm_measure_update(&sim->measure, run->system, v, &drift, z[run->n - 1]);
    weigh_balance(sim);
    trm_sim_note_contacts(sim);
    trm_null_accept(&run->system->solver.null);
    watch_step(sim);
    run->system->found.known = 0;
    const int code = trm_sim_look_between(sim);
    return code < 0 ? trm_run_fail_code(run, code, err) : TRM_OK;
}

static trm_status step(trm_sim *sim, double t_limit, trm_error *err)
{
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    const unsigned mode = trm_subnormals_flush();
    const trm_status status = step_and_measure(sim, t_limit, err);
    trm_system_hold(sim->run.system, NULL);
    sim->run.system->latest = INFINITY;
    trm_subnormals_restore(mode);
    return trm_sim_leave(sim, status);
}

trm_status trm_sim_step(trm_sim *sim, trm_error *err)
{
    return step(sim, INFINITY, err);
}

/// Fixed steps are counted, and the count is exact up to 2^53.
static trm_status check_countable(const trm_run *run, double t_end, trm_error *err)
{
    const double most = 9007199254740992.0;
    const double steps = (t_end - run->now.t) / run->options.h;
    return steps > most && !trm_run_is_adaptive(run)
               ? TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end",
                          "%.1e steps of %g s to t = %g s are too many", steps, run->options.h,
                          t_end)
               : TRM_OK;
}

trm_status trm_sim_run(trm_sim *sim, double t_end, trm_observer_fn *observe, void *user,
                       trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (t_end == INFINITY) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end", "the end must be finite, got %g", t_end);
    }
    if (!(t_end >= sim->run.now.t)) { // or not a number
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end",
                        "expected an end at or after t = %.9g, got %.9g", sim->run.now.t, t_end);
    }
    TRM_TRY(check_countable(&sim->run, t_end, err));
    while (t_end - sim->run.now.t >= DBL_MIN) { // steps count subnormal numbers as zero
        TRM_TRY(step(sim, t_end, err));
        const int ended = sim->events.stop;
        sim->observing = observe != NULL;
        const int stop = observe && observe(sim, user);
        sim->observing = 0;
        if (stop || ended) {
            return TRM_STOPPED;
        }
    }
    return TRM_OK;
}

trm_status trm_sim_step_to(trm_sim *sim, double t, trm_error *err)
{
    return trm_sim_run(sim, t, NULL, NULL, err);
}
