/// When a contact changes its mode in a run: rows that are caught, let go, switched. What closes
/// strikes (impacts.c). See docs/explanation/contact.md.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "engine/multibody/coordinate.h"
#include "simulation/contact_modes/trial_set.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Whether j, a limit without a force or friction at its bound, which rests, is moved against its
/// side where row k, held so far, moves this way and the other held rows stay.
static int closes_with(trm_sim *sim, int k, int way, int j)
{
    trm_contact *const contact = sim->run.contact;
    const trm_contact_problem *const problem = &contact->problem;
    const int as = contact->trial.as[j], single = contact->model->contacts[j].mate < 0;
    const int side = trm_hold_is_limit(as) ? trm_hold_side(as) : single ? contact->slip[j] : 0;
    double moves = 0; // of j by k; the list ends with j
    if (side && contact->at_rest[j] && trm_contact_depends_on(contact, &sim->run, j, 0)) {
        for (int i = 0; problem->list[i] != j; i++) {
            moves = problem->list[i] == k ? problem->b[i] : moves;
        }
    }
    return way * side * moves < 0;
}

/// The force of the held row k is at a bound: the row moves the way the force pushes it, unless
/// the other rows hold it, or one that it moves against its side bears what it has borne, as the
/// fourth corner of a body does where its load crosses the diagonal.
static int release(trm_sim *sim, int k, int which)
{
    trm_contact *contact = sim->run.contact;
    int *const as = contact->trial.as, j = contact->n;
    const int way = which == 0 ? 1 : -1;
    trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
    trm_contact_candidates(&sim->run, as);
    for (int i = contact->near[0]; i < contact->n && j == contact->n; i = contact->near[i + 1]) {
        j = closes_with(sim, k, way, i) ? i : j;
    }
    trm_contact_aim(contact, contact->force, -1, k);
    trm_contact_set_held(contact, as, k, 0);
    trm_contact_release(contact, k, way);
    j = j < contact->n && trm_contact_depends_on(contact, &sim->run, k, 0) ? contact->n : j;
    for (int i = j; i < contact->n; i = contact->near[i + 1]) { // friction stands behind its limit
        const double u = trm_contact_length(contact, contact->rate, i);
        const int own = contact->model->contacts[i].normal == j;
        as[i] = own && u <= trm_contact_unresolved(&sim->run, i) ? TRM_HOLD_STICKS : as[i];
    }
    if (j < contact->n) {
        contact->slip[j] = 0;
        trm_contact_set_held(contact, as, j, 1);
    }
    return trm_contact_find_active_set(&sim->run, as, k);
}

/// Friction of row k, without a rate so far, slides from now on in the direction that the step has
/// shown.
static int depart(trm_sim *sim, int k)
{
    trm_contact *contact = sim->run.contact;
    const int mate = contact->model->contacts[k].mate, pair = mate >= 0;
    trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
    trm_contact_candidates(&sim->run, contact->trial.as);
    contact->trial.as[k] = contact->trial.as[pair ? mate : k] = TRM_HOLD_FREE;
    trm_contact_release(contact, k, pair || contact->aim[k] > 0 ? 1 : -1);
    return trm_contact_find_active_set(&sim->run, contact->trial.as, TRM_ACTIVE_SET_AS_NOW);
}

/// Row k, or its pair, may stick from now on.
static void catch_row(trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate, other = mate >= 0 ? mate : k;
    contact->trial.as[k] = contact->trial.as[other] = TRM_HOLD_STICKS;
    contact->slip[k] = contact->slip[other] = 0;
    trm_contact_set_held(contact, contact->trial.as, k, 1);
}

/// By how much row k, that slides one way, moves the other way, beyond what the time of a halt is
/// known to: what came to rest beside it has turned it.
static double moves_back(const trm_run *run, int k)
{
    const trm_contact *const contact = run->contact;
    const double a = fabs(trm_contact_acceleration(contact, run, k));
    return contact->model->contacts[k].mate >= 0 || contact->driven[k]
               ? 0
               : fmax(-contact->slip[k] * contact->rate[k] - a * trm_locator_time_tolerance(run),
                      0);
}

/// Row k slides to a halt; k = -1: the sliding rows have no forces that fit, or several, and slow
/// ones may stick. Points of a rigid body come to rest together when the body stops: rows whose
/// rates cannot be told from that of k halt with it, and those that cannot move but where it does.
static int halt(trm_sim *sim, int k)
{
    trm_contact *contact = sim->run.contact;
    trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
    trm_contact_candidates(&sim->run, contact->trial.as);
    int code = trm_contact_evaluate_now(&sim->run);
    const double back = k >= 0 ? moves_back(&sim->run, k) : 0;
    const int turns = k >= 0 && back > trm_contact_unresolved(&sim->run, k);
    if (turns) {
        contact->slip[k] = -contact->slip[k];
    } else if (k >= 0) {
        catch_row(contact, k);
    }
    for (int j = contact->near[0]; !code && !turns && j < contact->n; j = contact->near[j + 1]) {
        if (trm_sim_may_stick(sim, j, k)) {
            catch_row(contact, j);
        }
    }
    trm_locator_velocities_jump(&sim->locator); // what was zero to rounding is zero
    const int pair = k >= 0 && sim->model->contacts[k].mate >= 0 && !contact->driven[k];
    if (!code && (pair || back > 0)) { // what slides on does so from rest, along its acceleration
        code = trm_contact_correct(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
    }
    code = code ? code
                : trm_contact_find_active_set(&sim->run, contact->trial.as, TRM_ACTIVE_SET_AS_NOW);
    contact->problem.way = k < 0 && contact->problem.determinant < 0 ? -1 : 1;
    return code ? code
                : trm_contact_correct(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
}

/// Whether the pair of row k comes to rest by what velocities are known to. Where others stick, a
/// small rate of it may be that of a large motion, which its friction does not end.
static int may_rest(trm_sim *sim, int k)
{
    const trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    const int mate = contact->model->contacts[k].mate, nq = contact->nq;
    double *const z = contact->work.z, moved = 0;
    memcpy(z, run->now.z, (size_t)run->n * sizeof *z);
    contact->hold[k] = contact->hold[mate] = TRM_HOLD_STICKS;
    contact->at[k] = contact->x[k];
    contact->at[mate] = contact->x[mate];
    const int code = trm_contact_correct(contact, run->system, run->now.t, z);
    contact->hold[k] = contact->hold[mate] = TRM_HOLD_FREE;
    const trm_sparse_row *const own = &contact->sparse[k], *const other = &contact->sparse[mate];
    for (int i = 0; i < own->n; i++) {
        const int j = nq + own->column[i];
        moved += hypot(own->G[i], other->G[i]) * fabs(z[j] - run->now.z[j]);
    }
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    return code || moved <= trm_contact_exact(contact, run->now.z + nq, k);
}

/// Whether the rate of the pair of row k, now perpendicular to its direction at the beginning of
/// the step, has only turned: friction would not bring it to zero in another such step. Within the
/// width of slip it halts: friction is along the aim there, in part, and leaves a rate across it.
static int has_turned(trm_sim *sim, int k)
{
    const trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const double h = run->now.t - run->before.t;
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    if (sim->model->contacts[k].mate < 0 || contact->hold[k] ||
        trm_contact_measure_driven(&sim->run, run->now.t, run->now.z)) {
        return 0;
    }
    const double steps = contact->blends ? TRM_ACCURACY_STEPS : 1;
    const double band = trm_contact_is_driven(contact, k) ? trm_contact_band(contact, k) : 0;
    const double u = trm_contact_length(contact, contact->rate, k);
    const double *const a = run->now.dz + run->system->nq;
    return (u > fmax(steps * trm_contact_unresolved(run, k), band) ||
            (contact->blends && !may_rest(sim, k))) &&
           trm_contact_along_aim(contact, k) < u / 2 &&
           (run->pair->adaptive || u > fabs(h * trm_contact_slip_grows(contact, a, k)));
}

/// Of what contacts hold and how they slide.
static uint64_t sum_of_holds(const trm_contact *contact)
{
    const size_t size = (size_t)contact->n * sizeof *contact->hold;
    return trm_saved_sum(trm_saved_sum(0, contact->hold, size), contact->slip, size);
}

/// Part of the time that is taken as a single time where changes have no end.
#define ONE_TIME 1e-9

/// Whether contacts return again and again, at a time that cannot be told from this one, to what
/// was held there already. An impact that sends back is no return: its rates have fallen. A foot
/// may come and go once with every other one, and slide or stick in turn: some sixteen times.
/// Bouncing ends behind ln(1e-9/1e-14)/ln(1/e) impacts within ONE_TIME: more for e > 0.9999.
static int changes_without_end(trm_sim *sim, int k, int rigid)
{
    enum { EVENTS = 64, AT_ONE_TIME = 16, CHANGES = 100000 };
    const double t = sim->run.now.t,
                 span = fmax(EVENTS * trm_locator_time_tolerance(&sim->run), ONE_TIME * fabs(t));
    trm_returns *const r = &sim->returns;
    const uint64_t now = sum_of_holds(sim->run.contact);
    if (!(t <= r->t + span)) {
        *r = (trm_returns){.t = t, .other = -1};
    }
    int seen = !rigid;
    for (int i = 0; i < r->n && i < TRM_RETURNS_KEPT; i++) {
        seen |= r->seen[i] == now;
    }
    if (!seen) {
        r->seen[r->n++ % TRM_RETURNS_KEPT] = now;
    }
    r->count += rigid && seen && !r->bounces;
    r->bounces = 0;
    const int without_end =
        r->count > AT_ONE_TIME * (sim->run.contact->n + 1) || r->changes++ > CHANGES;
    r->other = without_end ? r->other : k;
    return without_end;
}

static trm_status refuse_for_ever(trm_sim *sim, int k, trm_error *err)
{
    char what[280];
    const int other = sim->returns.other;
    trm_sim_go_on_by_impulses(sim);
    sim->run.solver_failed = 1;
    const int two = other >= 0 && other != k;
    snprintf(what, sizeof what,
             "it strikes, or is caught and let go, without end at this time%s%.60s%s%s",
             two ? ", in turn with '" : "", two ? sim->model->contacts[other].name : "",
             two ? "'" : "",
             sim->model->nswitching_functions > 0
                 ? "; so does a formula that jumps at rate 0: give the jump a width"
                 : "");
    return trm_sim_refuse_contact(sim, k, what, err);
}

/// Counts a change of contact k that projected steps would save: of a rigid gap, not of friction
/// beside it. On the way to rest flights shorten as e^n, so that pauses between its changes fall at
/// least half as much. Where they do not, another contact has set it going again; a body that rocks
/// to rest shortens these longer pauses in turn. What impacts.changes leaves out is left out here
/// too: take() in projected_steps.c divides by it.
static void count_change(trm_sim *sim, int k, int function)
{
    trm_contact_past *const past = &sim->run.contact->past;
    trm_projected *const p = &sim->projected;
    const trm_contact_row *const row = &sim->model->contacts[k];
    if (function >= TRM_CONTACT_SLIP || row->stiffness > 0 || sim->run.contact->driven[k] ||
        (isinf(row->lo) && isinf(row->hi))) {
        return;
    }
    const double share = (1 + row->restitution) / 2;
    const double pause = sim->run.now.t - past->changed[k];
    const int again = past->mark[k] == p->mark;
    const int anew = again && pause > share * past->pause[k];
    p->concerned += !again;
    p->set_going += anew && pause > share * past->idle[k];
    past->idle[k] = anew ? pause : again ? past->idle[k] : 0;
    past->mark[k] = p->mark;
    past->pause[k] = again ? pause : INFINITY;
    past->changed[k] = sim->run.now.t;
}

/// Whether `function` of row k is that of the other side of a rim which is held.
static int lands(const trm_contact *contact, int k, int function)
{
    return function == TRM_CONTACT_UPPER && contact->hold[k] && trm_contact_is_rim(contact, k) &&
           contact->model->contacts[k].input < 0;
}

/// What becomes of row k whose `function` has left its mode, where that changes no force. Returns
/// zero elsewhere.
static int change_alone(trm_sim *sim, int k, int function)
{
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    const trm_contact_row *const row = &sim->model->contacts[k];
    const int slip = function == TRM_CONTACT_SLIP;
    if (row->input >= 0) { // of a switch, which lets go
        run->inputs_changed |= trm_input_set(&run->system->inputs[row->input], run->now.t, 0);
        return 1;
    }
    if (slip && row->teeth > 0) { // free, behind the next tooth
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
        trm_contact_follow(contact, k);
        return 1;
    }
    if (slip && !trm_contact_is_watched(contact, k) && has_turned(sim, k)) {
        trm_contact_aim(contact, contact->rate, 1, k);
        sim->locator.h_before = 0;
        return 1;
    }
    if (lands(contact, k, function)) {
        sim->locator.h_before = 0;
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
        return !trm_contact_turn_over(contact, k); // it has gone by
    }
    return 0;
}

/// The same where forces change.
static trm_status change(trm_sim *sim, int k, int function, trm_error *err)
{
    trm_contact *const contact = sim->run.contact;
    const trm_contact_row *const row = &sim->model->contacts[k];
    const int slip = function == TRM_CONTACT_SLIP, lower = function == TRM_CONTACT_LOWER;
    int code = 0;
    if (slip && trm_contact_is_watched(contact, k)) { // had no rate so far
        code = depart(sim, k);
    } else if (function == TRM_CONTACT_DETERMINANT) { // slides under a load
        code = halt(sim, -1);
    } else if (lands(contact, k, function)) { // flat, rolls over its side, or flies
        TRM_TRY(trm_sim_land_rim(sim, k, err));
    } else if (contact->hold[k]) { // slides, or opens
        code = release(sim, k, function);
    } else if (slip && row->one_way) { // held, after an impact
        TRM_TRY(trm_sim_resolve_contacts(sim, k, TRM_HOLD_LOW, err));
    } else if (slip) { // sticks, with what halts together
        code = halt(sim, k);
    } else if (row->stiffness > 0) { // presses, or does not any more
        contact->presses[k] = contact->presses[k] ? 0 : lower ? -1 : 1;
        code = trm_contact_accelerate(&sim->run);
    } else { // held at its limit, after an impact
        TRM_TRY(trm_sim_settle_contacts(sim, k, lower ? TRM_HOLD_LOW : TRM_HOLD_HIGH, err));
    }
    return code || contact->blocks.full ? trm_sim_refuse_active_set(sim, code, err) : TRM_OK;
}

/// Velocities or forces have jumped: the next step knows nothing of the last.
static trm_status begin_anew(trm_sim *sim, trm_error *err)
{
    sim->locator.h_before = 0;
    sim->locator.t_expected = -INFINITY;
    const int code = trm_sim_measure_shifted(sim);
    return code ? trm_run_fail_code(&sim->run, code, err) : TRM_OK;
}

trm_status trm_sim_change_contact_mode(trm_sim *sim, int which, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const int k = which / TRM_CONTACT_FUNCTIONS, function = which % TRM_CONTACT_FUNCTIONS;
    const int rigid = !(sim->model->contacts[k].stiffness > 0);
    sim->locator.t_flight_ends = INFINITY;
    if (changes_without_end(sim, k, rigid)) {
        return refuse_for_ever(sim, k, err);
    }
    if (change_alone(sim, k, function)) {
        return TRM_OK;
    }
    contact->blocks.full = 0; // of a step that was tried
    sim->impacts.changes += !contact->driven[k];
    count_change(sim, k, function);
    TRM_TRY(change(sim, k, function, err));
    if (trm_contact_tip(contact, run->system, run->now.t, run->now.z) > 0) {
        TRM_TRY(trm_sim_settle_contacts(sim, -1, TRM_HOLD_FREE, err));
    }
    run->shifted = 1;
    return begin_anew(sim, err);
}

// ---------------------------------------------------------------------------------------- switches
//
// Joints and locks that inputs switch. While a switch is on, its rows hold as those of joints do;
// where it comes on, an impact makes their rates zero.

/// What closes is zero to so much, m or rad, and stays so.
static double nearness(const trm_sim *sim)
{
    const trm_options *const options = &sim->run.options;
    const double known = TRM_ACCURACY_MOTION * options->accuracy;
    return fmax(options->tolerance, known * sim->whole);
}

/// Lets go what is off now. Lists what comes on in contact->impact.touching; returns how many.
static int list_closing(trm_run *run, int *any)
{
    trm_contact *const contact = run->contact;
    int n = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int input = contact->model->contacts[k].input, on = trm_contact_is_on(contact, k);
        const int wanted = input >= 0 && run->system->inputs[input].now.value != 0;
        contact->impact.touching[n] = k;
        n += wanted && !on;
        *any |= wanted != on;
        if (on && !wanted) {
            trm_contact_release(contact, k, 0);
        }
    }
    return n;
}

/// Where the n closing rows are held from now on: joints where their rows are near zero; a weld,
/// and a lock, where they are.
static trm_status find_places(trm_sim *sim, int n, trm_error *err)
{
    trm_contact *const contact = sim->run.contact;
    const trm_point_of_run *const now = &sim->run.now;
    const double *const v = now->z + contact->nq, near = nearness(sim);
    const trm_kinematics at = trm_assembler_kinematics(sim->run.system, now->t, now->z, v, v);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        const trm_joint_row *const row = contact->model->contacts[k].of_joint;
        if (row) {
            trm_joint_row_move(row, at.pose, contact->place + TRM_COORDINATE_PLACE * k);
        }
    }
    trm_contact_measure(contact, sim->run.system, now->t, now->z);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        const trm_joint_row *const row = contact->model->contacts[k].of_joint;
        contact->at[k] = contact->x[k];
        if (row && !row->moves && !(fabs(contact->x[k]) <= near)) {
            char what[200];
            snprintf(what, sizeof what,
                     "it cannot close here: it is %.6g %s apart, and closes within %.3g; a weld "
                     "closes where it is",
                     contact->x[k], sim->model->contacts[k].unit, near);
            return trm_sim_refuse_contact(sim, k, what, err);
        }
    }
    return TRM_OK;
}

/// The rates of the n closing rows become zero: p = -W^+ u, which takes -u p/2. Refused where the
/// joints keep one of them.
static trm_status strike(trm_sim *sim, int n, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    double *const v = run->now.z + contact->nq, *const work = &run->now.z[run->n - 1];
    double *const p = contact->impact.P, noise = 0, struck = 0, lost = 0;
    trm_contact_solve_responses(contact, run->system, n, contact->impact.touching);
    trm_contact_form_delassus(contact, run->system, n, contact->impact.touching);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        p[i] = -contact->rate[k];
        noise = fmax(noise, fmax(trm_contact_rate_noise(contact, run, k),
                                 TRM_CONTACT_ROUNDOFF * fabs(p[i])));
    }
    const int worst = trm_contact_agree(contact, n, n, contact->impact.touching, p);
    const int moves = fabs(contact->problem.hi[worst]) > fmax(noise, run->options.tolerance);
    if (moves || trm_semidefinite_solve(&contact->problem.complementarity, n, NULL,
                                        contact->problem.W, n, INFINITY, p)) {
        const int k = contact->impact.touching[worst];
        char what[200];
        snprintf(what, sizeof what,
                 "it cannot close here: motors or other joints keep its bodies moving against each "
                 "other, by %.6g %s/s",
                 contact->rate[k], sim->model->contacts[k].unit);
        return trm_sim_refuse_contact(sim, k, what, err);
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        const double rate = fabs(contact->rate[k]);
        lost -= p[i] * contact->rate[k] / 2;
        struck = rate > noise ? fmax(rate, struck) : struck;
        *work += trm_contact_driven(contact, run->system, k, p[i]);
        trm_sparse_row_add(&contact->sparse[k], p[i], contact->sparse[k].C, v);
        contact->hold[k] = TRM_HOLD_STICKS;
    }
    *work -= lost;
    if (struck > 0) {
        contact->impact.switched = struck;
        contact->impact.count += run->method_ops->steps_contacts;
        contact->impact.energy_lost += run->method_ops->steps_contacts ? lost : 0;
        trm_sim_note_impact(sim, lost);
    }
    return TRM_OK;
}

trm_status trm_sim_take_switches(trm_sim *sim, int *any, trm_error *err)
{
    const int n = sim->run.contact && sim->model->nswitched > 0 ? list_closing(&sim->run, any) : 0;
    if (n == 0) {
        return TRM_OK;
    }
    TRM_TRY(find_places(sim, n, err));
    const int code = trm_contact_evaluate_now(&sim->run);
    return code ? trm_run_fail_code(&sim->run, code, err) : strike(sim, n, err);
}

trm_status trm_sim_break_overloaded(trm_sim *sim, int *any, trm_error *err)
{
    trm_run *const run = &sim->run;
    const trm_contact *const contact = run->contact;
    if (sim->model->nbreaking == 0 || run->method_ops->steps_contacts) {
        return TRM_OK;
    }
    const int code = trm_contact_accelerate(run);
    for (int k = 0; k < contact->n && !code && !*any; k++) {
        if (trm_contact_is_on(contact, k) &&
            trm_contact_function(contact, k, TRM_CONTACT_LOWER) < 0) {
            trm_input *const input = &run->system->inputs[sim->model->contacts[k].input];
            run->inputs_changed |= trm_input_set(input, run->now.t, 0);
            *any = 1;
        }
    }
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_refuse_torn(trm_sim *sim, int vanished, trm_error *err)
{
    enum { PASSES = 10 }; // what a step leaves open is closed first, by squares
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    const double most = vanished ? run->options.tolerance : nearness(sim);
    if (!contact || sim->model->nswitched == 0) {
        return TRM_OK;
    }
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    for (int k = contact->near[0], pass = 0; k < contact->n; k = contact->near[k + 1]) {
        const double apart = contact->x[k] - contact->at[k];
        const int torn = trm_contact_is_on(contact, k) && !(fabs(apart) <= most);
        if (torn && !vanished && pass++ < PASSES) {
            (void)trm_run_correct(run, run->now.t, run->now.z); // without it, it stays torn
            trm_contact_measure(contact, run->system, run->now.t, run->now.z);
            k = -1; // all once more
        } else if (torn) {
            char what[200];
            snprintf(what, sizeof what,
                     "it cannot stay closed: motors or other joints move its bodies against each "
                     "other, by %.6g %s",
                     apart, sim->model->contacts[k].unit);
            return trm_sim_refuse_contact(sim, k, what, err);
        }
    }
    return TRM_OK;
}

trm_status trm_sim_switch_joints(trm_sim *sim, trm_error *err)
{
    trm_run *const run = &sim->run;
    int any = 0;
    TRM_TRY(trm_sim_take_switches(sim, &any, err));
    if (!any) {
        return TRM_OK;
    }
    trm_contact_measure(run->contact, run->system, run->now.t, run->now.z);
    TRM_TRY(run->method_ops->steps_contacts ? TRM_OK
                                            : trm_sim_settle_contacts(sim, -1, TRM_HOLD_FREE, err));
    return begin_anew(sim, err);
}
