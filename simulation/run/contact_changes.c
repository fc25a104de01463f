/// When contacts change in a run: impacts, rows that are caught, rows that are let go. See
/// docs/explanation/contact.md.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "program/run_details.h"
#include "simulation/contact_modes/switches.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --------------------------------------------------------------------------------------- refusals

/// A limit of row k: the lower one for side 1, the upper one for side -1.
static double limit_of(const trm_sim *sim, int k, int side)
{
    const trm_contact_row *row = &sim->model->contacts[k];
    return side > 0 ? row->lo : row->hi;
}

/// Row k is outside its limit of side `from`. How far row j is beyond its limit of the given side
/// when row k is brought back to its own, m or rad; zero where the joints leave the two rows other
/// motions than against each other. Rows are looked at, joints factored.
static double left_outside(trm_sim *sim, int k, int from, int j, int side)
{
    trm_contact *contact = sim->run.contact;
    const int rows[] = {k, j};
    trm_contact_solve_responses(contact, sim->run.system, 2, rows);
    trm_contact_form_delassus(contact, sim->run.system, 2, rows);
    const double *W = contact->problem.W, opposite = -from * side * W[1];
    if (!(opposite > 0) || opposite * opposite < (1 - TRM_CONTACT_ALIKE) * W[0] * W[3]) {
        return 0;
    }
    const double need = from * (limit_of(sim, k, from) - contact->x[k]);
    const double room = side * (contact->x[j] - limit_of(sim, j, side));
    return fmax(opposite / W[0] * need - room, 0);
}

/// The row that leaves row k no position, where row k is outside its limit of side `from`; -1:
/// none. *by: how far that row would be outside, m or rad.
static int contradicting(trm_sim *sim, int k, int from, double *by)
{
    int worst = -1;
    *by = sim->run.contact->given[k];
    for (int j = 0; j < sim->model->ncontacts && !trm_contact_evaluate_now(&sim->run); j++) {
        for (int side = -1; side <= 1; side += 2) {
            const int has = j != k && isfinite(limit_of(sim, j, side)) &&
                            !(sim->model->contacts[j].stiffness > 0);
            const double beyond = has ? left_outside(sim, k, from, j, side) : 0;
            worst = beyond > *by ? j : worst;
            *by = fmax(beyond, *by);
        }
    }
    return worst;
}

static trm_status refuse_outside(trm_sim *sim, int row, trm_error *err)
{
    const trm_contact_row *info = &sim->model->contacts[row];
    const double x = sim->run.contact->x[row];
    const int below = x < info->lo;
    double by;
    const int other = contradicting(sim, row, below ? 1 : -1, &by);
    const trm_contact_row *against = other >= 0 ? &sim->model->contacts[other] : NULL;
    const trm_status status =
        against ? TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                           "'%.60s' and '%.60s' (%.200s) leave no position: the start is %.6g %s "
                           "outside the first, and at its limit it would be %.6g %s outside the "
                           "second",
                           info->name, against->name, against->where,
                           below ? info->lo - x : x - info->hi, info->unit, by, against->unit)
                : TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                           "the start is outside the limits of '%.60s': it is at %.6g %s, %s %.6g",
                           info->name, x, info->unit, below ? "below" : "above",
                           below ? info->lo : info->hi);
    return trm_at_time(err, sim->run.now.t, status);
}

// ---------------------------------------------------------------------------------------- impacts

/// The limit that row k touches now. A free row touches its limit if it is there within roundoff
/// and a slack of the time.
static int touches(const trm_sim *sim, int k)
{
    enum { SOME = 16 };
    const trm_contact *contact = sim->run.contact;
    const trm_contact_row *row = &contact->model->contacts[k];
    const double near =
        contact->at_rest[k] || sim->run.stats.steps == 0
            ? contact->given[k]
            : fmax(4 * trm_locator_time_tolerance(&sim->run) * fabs(contact->rate[k]),
                   SOME * contact->roundoff[k]);
    if (row->stiffness > 0) {
        return TRM_HOLD_FREE;
    }
    if (contact->hold[k] == TRM_HOLD_LOW || contact->hold[k] == TRM_HOLD_HIGH) {
        return contact->hold[k];
    }
    return contact->x[k] - row->lo <= near   ? TRM_HOLD_LOW
           : row->hi - contact->x[k] <= near ? TRM_HOLD_HIGH
                                             : TRM_HOLD_FREE;
}

/// Roundoff of the rates of the n rows that touch: of the terms of each rate, and of the rates
/// that impulses carry over from the other rows, u/sqrt(W) of each.
static void note_still(const trm_sim *sim, int n)
{
    const trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    double most = 0;
    for (int i = 0; i < n; i++) {
        const double w = contact->problem.W[i * n + i];
        most = w > 0 ? fmax(most, fabs(contact->impact.u[i]) / sqrt(w)) : most;
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        const double own = trm_contact_rate_noise(contact, run, k);
        const double given = run->stats.steps == 0 ? contact->given[k] : 0;
        const double others =
            TRM_CONTACT_ROUNDOFF * most * sqrt(fmax(contact->problem.W[i * n + i], 0));
        contact->impact.still[i] = fmax(fmax(own, others), given);
    }
}

static int side_of(int as)
{
    return as == TRM_HOLD_HIGH ? -1 : 1;
}

/// The rows of block b of contact->blocks.all, into contact->impact.touching and kin. Returns how
/// many.
static int take_block(trm_contact *contact, int b)
{
    int n = 0;
    for (int i = contact->blocks.first[b]; i < contact->blocks.first[b + 1]; i++) {
        const int k = contact->blocks.all[contact->blocks.order[i]],
                  normal = contact->model->contacts[k].normal;
        contact->trial.row[k] = n;
        contact->impact.kin[n] = normal >= 0 ? contact->trial.row[normal] : -1;
        contact->impact.touching[n++] = k;
    }
    return n;
}

/// Rates and responses of the n rows of a block that touch, in signs of impact.c. Returns the
/// largest rate that closes. *sends_back: whether it bounces.
static double prepare(trm_sim *sim, int n, const int *as, int *sends_back)
{
    const trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    double most = 0;
    trm_contact_form_delassus(contact, run->system, n, contact->impact.touching);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i], side = side_of(as[k]);
        contact->impact.u[i] = side * contact->rate[k];
        contact->impact.e[i] =
            contact->impact.kin[i] >= 0 ? 0 : contact->model->contacts[k].restitution;
        contact->impact.mu[i] = contact->model->contacts[k].coefficient;
        for (int j = 0; j < n; j++) {
            contact->problem.W[i * n + j] *= side;
            contact->problem.W[j * n + i] *= side;
        }
    }
    note_still(sim, n);
    for (int i = 0; i < n; i++) {
        const int closes =
            contact->impact.kin[i] < 0 && contact->impact.u[i] < -contact->impact.still[i];
        *sends_back |= closes && contact->impact.e[i] > 0;
        most = closes ? fmax(most, -contact->impact.u[i]) : most;
    }
    return most;
}

/// Limits that touch, and leave by more than roundoff, are free; the others may be held.
static void part(trm_contact *contact, int n, int *as)
{
    for (int i = 0; i < n; i++) {
        const int k = contact->blocks.all[i];
        const int limit = as[k] == TRM_HOLD_LOW || as[k] == TRM_HOLD_HIGH;
        if (limit && contact->impact.leaves[k] > 0) {
            trm_contact_release(contact, k, side_of(as[k]));
            as[k] = TRM_HOLD_FREE;
        }
    }
}

/// Rows with friction whose rate an impact has changed.
static void restart_slip(trm_contact *contact, int *as)
{ // of a stop's friction that has just closed too
    for (int k = 0; k < contact->n; k++) {
        const int limit = as[k] == TRM_HOLD_LOW || as[k] == TRM_HOLD_HIGH;
        if (contact->model->contacts[k].friction.given && !limit) {
            const double rate = contact->rate[k];
            const int slips =
                trm_contact_length(contact, contact->rate, k) > contact->impact.slack[k];
            as[k] = slips ? TRM_HOLD_FREE : TRM_HOLD_STICKS;
            trm_contact_aim(contact, contact->rate, 1, k);
            trm_contact_release(contact, k, rate > 0 ? 1 : -1);
        }
    }
}

/// Whether friction that slides at a rate that cannot be told from zero may stick, as what it holds
/// is no more than what it slides with, so that forces decide which way it goes, or as it cannot
/// move but where held rows do. Once for a pair.
static int may_stick(trm_sim *sim, int k)
{
    trm_contact *const contact = sim->run.contact;
    const trm_scene_friction *const f = &contact->model->contacts[k].friction;
    return contact->slip[k] && !trm_contact_is_second(contact, k) &&
           trm_contact_length(contact, contact->rate, k) <= trm_contact_unresolved(&sim->run, k) &&
           (f->sticking <= f->sliding || trm_contact_is_dependent(contact, &sim->run, k));
}

/// What slides slowly where another contact closes may stick; what leaves its limit was[k] does
/// not: it comes back (flights).
static void stop_slow_rows(trm_sim *sim, const int *was, int *as)
{
    const trm_contact *const contact = sim->run.contact;
    for (int k = 0; k < contact->n; k++) {
        const int leaves = was[k] == TRM_HOLD_LOW || was[k] == TRM_HOLD_HIGH;
        if (!leaves && may_stick(sim, k)) {
            const int mate = contact->model->contacts[k].mate;
            as[k] = as[mate >= 0 ? mate : k] = TRM_HOLD_STICKS;
        }
    }
}

/// Lists the rows at their limits, then the rows of friction that belong to them, in
/// contact->blocks.all. Returns how many.
static int list_touching(trm_contact *contact, const int *as)
{
    int n = 0;
    for (int friction = 0; friction < 2; friction++) {
        for (int k = 0; k < contact->n; k++) {
            const int normal = contact->model->contacts[k].normal, at = normal < 0 ? k : normal;
            if ((normal >= 0) == friction && (as[at] == TRM_HOLD_LOW || as[at] == TRM_HOLD_HIGH)) {
                contact->blocks.all[n++] = k;
            }
        }
    }
    return n;
}

/// Impulses of the rows of block b: contact->impact.impulse and leaves of its rows. *most: the
/// largest rate that closes so far. Returns what they take, J; NAN where there are none.
static double strike_block(trm_sim *sim, int b, const int *as, double *most)
{
    trm_contact *contact = sim->run.contact;
    const int n = take_block(contact, b);
    const double closing = prepare(sim, n, as, &sim->returns.bounces);
    double lost = 0;
    if (closing > 0) {
        lost = trm_contact_strike(contact, n, contact->impact.e, contact->impact.still,
                                  sim->interrupt, contact->impact.P);
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        contact->impact.impulse[k] = closing > 0 ? side_of(as[k]) * contact->impact.P[i] : 0;
        contact->impact.leaves[k] = contact->impact.u[i] > contact->impact.still[i];
    }
    *most = fmax(closing, *most);
    return lost;
}

/// The impulses of the n rows of contact->blocks.all, which take `lost` J.
static void apply_impulses(trm_sim *sim, int n, double lost)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    double *const v = run->now.z + run->system->nq, *const work = &run->now.z[run->n - 1];
    for (int i = 0; i < n; i++) {
        const int k = contact->blocks.all[i];
        trm_sparse_row_add(&contact->sparse[k], contact->impact.impulse[k], contact->sparse[k].C,
                           v);
        *work += trm_contact_driven(contact, run->system, k, contact->impact.impulse[k]);
    }
    *work -= lost;
    sim->impacts.count++;
    sim->impacts.energy_lost += lost;
    sim->impacts.last = run->now.t;
    trm_locator_velocities_jump(&sim->locator);
}

/// Impulses of all rows that touch, block by block; as[n] := how each row may be held. Returns 0;
/// or a row plus TRM_ACTIVE_SET_NO_FORCES (no impulses fit) or TRM_ACTIVE_SET_GAINS (they would add
/// energy).
static int strike(trm_sim *sim, int *as)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const int n = list_touching(contact, as);
    double most = 0, lost = 0;
    trm_contact_solve_responses(contact, run->system, n, contact->blocks.all);
    const int blocks = trm_contact_find_blocks(contact, n, contact->blocks.all);
    sim->returns.bounces = 0;
    for (int b = 0; b < blocks; b++) {
        lost += strike_block(sim, b, as, &most);
        if (isnan(lost)) {
            return TRM_ACTIVE_SET_NO_FORCES + contact->impact.touching[0];
        }
    }
    for (int k = 0; k < contact->n; k++) { // an impact leaves roundoff of what was before it
        contact->impact.slack[k] =
            fmax(trm_contact_rate_noise(contact, run, k), TRM_CONTACT_ROUNDOFF * most);
    }
    if (lost <
        -TRM_CONTACT_ROUNDOFF * trm_system_kinetic(run->system, run->now.z + run->system->nq)) {
        return TRM_ACTIVE_SET_GAINS + contact->blocks.all[0];
    }
    if (most > 0) {
        apply_impulses(sim, n, lost);
    }
    part(contact, n, as);
    if (most > 0) {
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
        restart_slip(contact, as);
    }
    return 0;
}

/// How long row k, which has left its limit of side `side`, is in flight, s; INFINITY: for ever.
static double flight_of(const trm_sim *sim, int k, int side)
{
    const trm_run *run = &sim->run;
    const double a = side * trm_contact_acceleration(run->contact, run, k);
    const double u = side * run->contact->rate[k];
    return a < 0 && u > 0 ? -2 * u / a : INFINITY;
}

/// Whether the rates of the first n rows of contact->problem.list, of those in the block of the
/// last of them, can be zero together. Motors give driven feet rates against each other, which no
/// impulse changes.
static int can_rest(const trm_sim *sim, int n)
{
    trm_contact *contact = sim->run.contact;
    int *const rows = contact->impact.touching, m = 0;
    double least = 0;
    (void)trm_contact_find_blocks(contact, n, contact->problem.list);
    for (int i = 0; i < n; i++) {
        rows[m] = contact->problem.list[i];
        m += contact->blocks.block[i] == contact->blocks.block[n - 1];
    }
    trm_contact_solve_responses(contact, sim->run.system, m, rows);
    trm_contact_form_delassus(contact, sim->run.system, m, rows);
    for (int i = 0; i < m; i++) {
        contact->problem.p[i] = -contact->rate[rows[i]];
        least = fmax(least, contact->impact.slack[rows[i]]);
    }
    return !trm_semidefinite_solve(&contact->problem.complementarity, m, NULL, contact->problem.W,
                                   m, least, contact->problem.p);
}

/// Bouncing ends with a flight that is too short for two events to be told apart, or too low for a
/// gap to be seen; all flights behind it last e/(1 - e) times as long. The time of an event is
/// known to 16 roundings, a gap to its resolution: 64 of either are known to two digits, less is
/// noise, which does not fall any more. as[n] := with the rows whose bouncing has ended. Returns
/// the shortest of the other flights, s; *ended: whether some have.
static double flights(trm_sim *sim, const int *was, int *as, int *ended)
{
    enum { EVENTS = 64 };
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    double shortest = INFINITY;
    int n = 0; // rows at rest, by gap and rate
    for (int k = 0; k < contact->n; k++) {
        const int limit = as[k] == TRM_HOLD_LOW || as[k] == TRM_HOLD_HIGH;
        contact->problem.list[n] = k;
        n += limit;
    }
    for (int k = 0; k < contact->n; k++) {
        const int limit = was[k] == TRM_HOLD_LOW || was[k] == TRM_HOLD_HIGH;
        if (!limit || as[k] || contact->hold[k] || contact->at_rest[k]) {
            continue;
        }
        const double flight = flight_of(sim, k, was[k] == TRM_HOLD_HIGH ? -1 : 1);
        const double height = flight * fabs(contact->rate[k]) / 4;
        const double e = contact->model->contacts[k].restitution;
        const int tells = flight > EVENTS * trm_locator_time_tolerance(run) &&
                          height > EVENTS * contact->roundoff[k];
        contact->problem.list[n] = k;
        if (!tells && e < 1 && can_rest(sim, n + 1)) {
            n++;
            as[k] = was[k];
            *ended = 1;
            sim->impacts.rest = run->now.t + flight / (1 - e); // e = 1 lasts for ever
        } else {
            shortest = fmin(shortest, flight);
            sim->returns.bounces &= tells;
        }
    }
    return shortest;
}

/// Rocking ends where the next tilt, u^2/(2 |a|) high, counts as flat. as[n] := with the tilts of
/// such faces held. Returns whether there are any.
static int stop_rocking(const trm_sim *sim, int *as)
{
    const trm_contact *const contact = sim->run.contact;
    int any = 0;
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        if (row->axis != TRM_TOUCH_TIPS || contact->hold[k] || !contact->hold[row->normal]) {
            continue;
        }
        const double u = trm_contact_length(contact, contact->rate, k);
        const double rises =
            u > 0 ? -(contact->rate[k] * trm_contact_acceleration(contact, &sim->run, k) +
                      contact->rate[row->mate] *
                          trm_contact_acceleration(contact, &sim->run, row->mate)) /
                        u
                  : 0;
        if (u > 0 && u * u <= 2 * TRM_TOUCH_FLAT * rises) {
            as[k] = as[row->mate] = TRM_HOLD_STICKS;
            any = 1;
        }
    }
    return any;
}

/// Rows that bounced come to rest: their rates become zero, and the energy in them is lost.
static int come_to_rest(trm_sim *sim, int *as)
{
    trm_run *run = &sim->run;
    double *const z = run->now.z, *const v = z + run->system->nq;
    int code = trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    const double before = trm_system_kinetic(run->system, v);
    code = code ? code : trm_contact_correct(run->contact, run->system, run->now.t, z);
    if (!code) { // what slid may have stopped, or turned
        trm_contact_measure(run->contact, run->system, run->now.t, z);
        restart_slip(run->contact, as);
        code = trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    }
    const double lost = before - trm_system_kinetic(run->system, v);
    z[run->n - 1] -= lost;
    sim->impacts.energy_lost += lost;
    sim->impacts.settled++;
    trm_locator_velocities_jump(&sim->locator);
    return code ? code : trm_contact_accelerate(run);
}

/// Whether the run may go on at the impulse level (simulation/studies/projected_steps.c).
static int may_project(const trm_sim *sim)
{
    return sim->run.options.hand_over && !sim->run.method_ops->steps_contacts;
}

static trm_status fail(trm_sim *sim, int code, trm_error *err)
{
    if (sim->run.contact->blocks.full) {
        return trm_run_fail(&sim->run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    sim->forces.t_none = code >= TRM_ACTIVE_SET_NO_FORCES ? sim->run.now.t : NAN;
    if (code >= TRM_ACTIVE_SET_NO_FORCES && code < TRM_ACTIVE_SET_GAINS) {
        TRM_TRY(trm_sim_refuse_drives(sim, 1, err));
        sim->projected.state = may_project(sim) ? TRM_PROJECTED_NO_FORCES : sim->projected.state;
    }
    if (code >= TRM_ACTIVE_SET_GAINS) {
        return trm_sim_refuse_contact(
            sim, code - TRM_ACTIVE_SET_GAINS,
            "this impact would gain energy: Newton's restitution, with different values "
            "at once or with friction, may; \"impact\": \"poisson\" does not with one "
            "value and no friction",
            err);
    }
    if (code >= TRM_ACTIVE_SET_SEVERAL_MOTIONS) {
        return trm_sim_refuse_contact(
            sim, code - TRM_ACTIVE_SET_SEVERAL_MOTIONS,
            "Painleve's paradox: under this friction it has two motions, pressed and "
            "open",
            err);
    }
    if (code >= TRM_ACTIVE_SET_NO_MOTION) {
        const int joint = sim->model->contacts[code - TRM_ACTIVE_SET_NO_MOTION].rows > 0;
        return trm_sim_refuse_contact(
            sim, code - TRM_ACTIVE_SET_NO_MOTION,
            joint ? "Painleve's paradox: no friction fits the reaction that it changes; "
                    "what slides here would stop at once"
                  : "Painleve's paradox: under this friction no force holds it, and "
                    "without one it closes",
            err);
    }
    return code >= TRM_ACTIVE_SET_NO_FORCES
               ? trm_sim_refuse_contact(
                     sim, code - TRM_ACTIVE_SET_NO_FORCES,
                     "no forces fit: the stops that touch leave no motion, or numbers are not "
                     "finite",
                     err)
               : trm_run_fail_code(&sim->run, code, err);
}

/// Handles all rows that touch now, among them row `closed` (-1: none) at its limit `at`: impacts
/// first, then the choice of the rows to be held.
static trm_status resolve(trm_sim *sim, int closed, int at, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    int *const as = contact->trial.as, *const was = contact->trial.was;
    const double stretch = 1.5; // a flight under a force that changes
    int code = trm_contact_evaluate_now(run), ended = 0;
    for (int k = 0; k < contact->n; k++) {
        trm_contact_follow(contact, k);
    }
    trm_contact_candidates(run, as);
    for (int k = 0; !code && k < contact->n; k++) {
        const int limit = k == closed ? at : touches(sim, k);
        as[k] = limit ? limit : as[k];
    }
    if (!code) {
        const int known = closed >= 0 && contact->driven[closed];
        trm_contact_free_driven(run, as);
        TRM_TRY(known && contact->driven[closed] ? trm_sim_refuse_drives(sim, 0, err) : TRM_OK);
    }
    memcpy(was, as, (size_t)contact->n * sizeof *was);
    code = code ? code : strike(sim, as);
    if (code >= TRM_ACTIVE_SET_NO_FORCES && trm_sim_is_interrupted(sim)) {
        return TRM_STOPPED; // before the impact
    }
    stop_slow_rows(sim, was, as);
    memcpy(contact->trial.kept, as, (size_t)contact->n * sizeof *as);
    code = code ? code : trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    if (!code) {
        memcpy(as, contact->trial.kept, (size_t)contact->n * sizeof *as);
        const double shortest = flights(sim, was, as, &ended);
        sim->locator.t_flight_ends = run->now.t + stretch * shortest;
        ended |= stop_rocking(sim, as);
        code = ended ? come_to_rest(sim, as) : 0;
    }
    return code ? fail(sim, code, err) : TRM_OK;
}

/// The same, until no face is left that tips: those stand on their rims, which may touch anew.
static trm_status settle(trm_sim *sim, int closed, int at, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_contact_seat(run->contact, run->system, run->now.t, run->now.z, 0);
    TRM_TRY(resolve(sim, closed, at, err));
    for (int k = 0; k < run->contact->n &&
                    trm_contact_tip(run->contact, run->system, run->now.t, run->now.z) > 0;
         k++) {
        TRM_TRY(resolve(sim, -1, TRM_HOLD_FREE, err));
    }
    trm_contact_follow_rims(run->contact, 0);
    return TRM_OK;
}

/// The rim of row k comes down flat, and its other side strikes. As long as the one that has not
/// struck last closes it strikes in turn. Then the body flies, rolls over the side, or lies.
static trm_status land(trm_sim *sim, int k, trm_error *err)
{
    enum { WAVES = 200 }; // as of one impact
    trm_contact *const contact = sim->run.contact;
    const long count = sim->impacts.count;
    double other = -INFINITY;
    for (int i = 0; i < WAVES && other < -contact->impact.slack[k]; i++) {
        TRM_TRY(resolve(sim, k, TRM_HOLD_LOW, err));
        sim->impacts.count = count + (sim->impacts.count > count);
        const int held = contact->hold[k];
        contact->hold[k] = TRM_HOLD_LOW;
        (void)trm_contact_turn_over(contact, k);
        trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
        other = contact->rate[k];
        if (other > contact->impact.slack[k] || (other >= -contact->impact.slack[k] && !held)) {
            (void)trm_contact_turn_over(contact, k);
            contact->hold[k] = held;
            return TRM_OK;
        }
    }
    trm_contact_lay(contact, k);
    return settle(sim, k, TRM_HOLD_LOW, err);
}

// ----------------------------------------------------------------------------------------- events

/// The force of the held row k is at a bound: the row moves the way the force pushes it, unless
/// the other rows hold it.
static int release(trm_sim *sim, int k, int which)
{
    trm_contact *contact = sim->run.contact;
    trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
    trm_contact_candidates(&sim->run, contact->trial.as);
    trm_contact_aim(contact, contact->force, -1, k);
    trm_contact_set_held(contact, contact->trial.as, k, 0);
    trm_contact_release(contact, k, which == 0 ? 1 : -1);
    return trm_contact_find_active_set(&sim->run, contact->trial.as, k);
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
    const int mate = contact->model->contacts[k].mate;
    contact->trial.as[k] = TRM_HOLD_STICKS;
    contact->slip[k] = 0;
    if (mate >= 0) {
        contact->trial.as[mate] = TRM_HOLD_STICKS;
        contact->slip[mate] = 0;
    }
    trm_contact_set_held(contact, contact->trial.as, k, 1);
}

/// Row k slides to a halt; k = -1: the sliding rows have no forces that fit, or several. Points of
/// a rigid body come to rest together when the body stops: rows whose rates cannot be told from
/// that of k halt with it, and those that cannot move but where it does.
static int halt(trm_sim *sim, int k)
{
    trm_contact *contact = sim->run.contact;
    trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
    trm_contact_candidates(&sim->run, contact->trial.as);
    int code = trm_contact_evaluate_now(&sim->run);
    if (k >= 0) {
        catch_row(contact, k);
    }
    for (int j = 0; !code && k >= 0 && j < contact->n; j++) {
        if (may_stick(sim, j)) {
            catch_row(contact, j);
        }
    }
    code = code ? code
                : trm_contact_find_active_set(&sim->run, contact->trial.as, TRM_ACTIVE_SET_AS_NOW);
    trm_locator_velocities_jump(&sim->locator); // what was zero to rounding is zero
    return code ? code
                : trm_contact_correct(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
}

/// Whether the rate of the pair of row k, now perpendicular to its direction at the beginning of
/// the step, has only turned: it is larger than the errors of the steps, and friction would not
/// bring it to zero in another such step.
static int has_turned(trm_sim *sim, int k)
{
    const trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const int mate = sim->model->contacts[k].mate;
    const double h = run->now.t - run->before.t;
    if (mate < 0 || contact->hold[k]) {
        return 0;
    }
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    if (trm_contact_measure_driven(&sim->run, run->now.t, run->now.z)) {
        return 0;
    }
    const double band = trm_contact_is_driven(contact, k) ? trm_contact_band(contact, k) : 0;
    const double u = trm_contact_length(contact, contact->rate, k);
    const double taken = h * (contact->rate[k] * trm_contact_acceleration(contact, run, k) +
                              contact->rate[mate] * trm_contact_acceleration(contact, run, mate));
    return u > fmax(trm_contact_unresolved(run, k), band) &&
           (run->pair->adaptive || u * u > fabs(taken));
}

/// Of what contacts hold and how they slide.
static uint64_t sum_of_holds(const trm_contact *contact)
{
    const size_t size = (size_t)contact->n * sizeof *contact->hold;
    return trm_saved_sum(trm_saved_sum(0, contact->hold, size), contact->slip, size);
}

/// Whether contacts return again and again, at a time that cannot be told from this one, to what
/// was held there already. An impact that sends back is no return: its rates have fallen. A foot
/// may come and go once with every other one, and slide or stick in turn: some sixteen times.
static int returns_without_end(trm_sim *sim, int k)
{
    enum { EVENTS = 64, AT_ONE_TIME = 16 };
    trm_returns *const r = &sim->returns;
    const uint64_t now = sum_of_holds(sim->run.contact);
    if (!(sim->run.now.t <= r->t + EVENTS * trm_locator_time_tolerance(&sim->run))) {
        *r = (trm_returns){.t = sim->run.now.t, .other = -1};
    }
    int seen = 0;
    for (int i = 0; i < r->n && i < TRM_RETURNS_KEPT; i++) {
        seen |= r->seen[i] == now;
    }
    if (!seen) {
        r->seen[r->n++ % TRM_RETURNS_KEPT] = now;
    }
    r->count += seen && !r->bounces;
    r->bounces = 0;
    const int without_end = r->count > AT_ONE_TIME * (sim->run.contact->n + 1);
    r->other = without_end ? r->other : k;
    return without_end;
}

static trm_status refuse_for_ever(trm_sim *sim, int k, trm_error *err)
{
    char what[200];
    const int other = sim->returns.other;
    if (may_project(sim)) {
        sim->projected.state = TRM_PROJECTED_NO_FORCES;
    }
    const int two = other >= 0 && other != k;
    snprintf(
        what, sizeof what, "it strikes, or is caught and let go, without end at this time%s%.60s%s",
        two ? ", in turn with '" : "", two ? sim->model->contacts[other].name : "", two ? "'" : "");
    return trm_sim_refuse_contact(sim, k, what, err);
}

/// Whether contacts have changed without end at this time. Their changes are counted by halves of
/// the span that is taken as a single time: so the count does not depend on where a span begins.
static int changes_without_end(trm_sim *sim)
{
    // Bouncing ends behind ln(1e-9/1e-14)/ln(1/e) impacts within one_time: more for e > 0.9999.
    enum { AT_ONE_TIME = 100000 };
    const double one_time = 1e-9; // of the time
    const double t = sim->run.now.t, half = 0.5 * one_time * fabs(t);
    if (t > sim->t_contact_changes + half) {
        sim->contact_changes_before =
            t > sim->t_contact_changes + 2 * half ? 0 : sim->contact_changes;
        sim->contact_changes = 0;
        sim->t_contact_changes = t;
    }
    sim->contact_changes++;
    return sim->contact_changes_before + sim->contact_changes > AT_ONE_TIME;
}

/// Counts a change of contact k that projected steps would save: of a rigid gap, not of friction
/// beside it. On the way to rest flights shorten as e^n, so that pauses between its changes fall at
/// least half as much. Where they do not, another contact has set it going again; a body that rocks
/// to rest shortens these longer pauses in turn.
static void count_change(trm_sim *sim, int k, int function)
{
    trm_contact_past *const past = &sim->run.contact->past;
    trm_projected *const p = &sim->projected;
    const trm_contact_row *const row = &sim->model->contacts[k];
    if (function >= TRM_CONTACT_SLIP || row->stiffness > 0 || (isinf(row->lo) && isinf(row->hi))) {
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

trm_status trm_sim_change_contact_mode(trm_sim *sim, int which, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const int k = which / TRM_CONTACT_FUNCTIONS, function = which % TRM_CONTACT_FUNCTIONS;
    const trm_contact_row *row = &sim->model->contacts[k];
    int code = 0;
    sim->locator.t_flight_ends = INFINITY;
    if (changes_without_end(sim) || (!(row->stiffness > 0) && returns_without_end(sim, k))) {
        return refuse_for_ever(sim, k, err);
    }
    if (row->input >= 0) {
        run->inputs_changed |= trm_input_set(&run->system->inputs[row->input], run->now.t, 0);
        return TRM_OK;
    }
    if (function == TRM_CONTACT_UPPER && contact->hold[k] && trm_contact_is_rim(contact, k)) {
        sim->locator.h_before = 0;
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
        if (!trm_contact_turn_over(contact, k)) {
            return TRM_OK; // it has gone by
        }
    }
    if (function == TRM_CONTACT_SLIP && row->teeth > 0) { // it turns behind another tooth
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
        trm_contact_follow(contact, k);
        return TRM_OK;
    }
    const int watched = trm_contact_is_watched(contact, k);
    if (function == TRM_CONTACT_SLIP && !watched && has_turned(sim, k)) {
        trm_contact_aim(contact, contact->rate, 1, k);
        sim->locator.h_before = 0;
        return TRM_OK;
    }
    contact->blocks.full = 0; // of a step that was tried
    sim->impacts.changes += !contact->driven[k];
    count_change(sim, k, function);
    if (function == TRM_CONTACT_SLIP && watched) {
        code = depart(sim, k);
    } else if (function == TRM_CONTACT_UPPER && contact->hold[k] &&
               trm_contact_is_rim(contact, k)) {
        TRM_TRY(land(sim, k, err));
    } else if (function != TRM_CONTACT_DETERMINANT && contact->hold[k]) {
        code = release(sim, k, function);
    } else if (function == TRM_CONTACT_SLIP && row->one_way) {
        TRM_TRY(resolve(sim, k, TRM_HOLD_LOW, err));
    } else if (function >= TRM_CONTACT_SLIP) {
        code = halt(sim, function == TRM_CONTACT_DETERMINANT ? -1 : k);
    } else if (row->stiffness > 0) {
        contact->presses[k] = contact->presses[k] ? 0 : function == TRM_CONTACT_LOWER ? -1 : 1;
        code = trm_contact_accelerate(run);
    } else {
        TRM_TRY(settle(sim, k, function == TRM_CONTACT_LOWER ? TRM_HOLD_LOW : TRM_HOLD_HIGH, err));
    }
    if (contact->blocks.full) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    if (code) {
        return fail(sim, code, err);
    }
    if (trm_contact_tip(contact, run->system, run->now.t, run->now.z) > 0) {
        TRM_TRY(settle(sim, -1, TRM_HOLD_FREE, err));
    }
    run->shifted = 1;
    sim->locator.h_before = 0;
    sim->locator.t_expected = -INFINITY;
    code = trm_sim_measure_shifted(sim);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

static trm_status refuse_switch(const trm_sim *sim, const trm_switching *s, double near,
                                trm_error *err)
{
    const trm_contact_row *const row = &sim->model->contacts[s->row];
    char what[200];
    if (s->failure == TRM_SWITCH_APART) {
        snprintf(what, sizeof what,
                 "it cannot close here: it is %.6g %s apart, and closes within %.3g; a weld closes "
                 "where it is",
                 sim->run.contact->x[s->row], row->unit, near);
    } else {
        snprintf(what, sizeof what,
                 "it cannot close here: motors or other joints keep its bodies moving against each "
                 "other, by %.6g %s/s",
                 sim->run.contact->rate[s->row], row->unit);
    }
    return trm_sim_refuse_contact(sim, s->row, what, err);
}

/// What the inputs of switches say. Positions are known to the accuracy of the run.
static trm_status take_switches(trm_sim *sim, int *any, trm_error *err)
{
    trm_run *const run = &sim->run;
    const double known = TRM_ACCURACY_MOTION * run->options.accuracy;
    const double near = fmax(run->options.tolerance, known * (sim->size > 0 ? sim->size : 1));
    trm_switching s;
    const int code = trm_switches_take(run, near, &s);
    *any = s.any;
    if (code || s.failure) {
        return code ? trm_run_fail_code(run, code, err) : refuse_switch(sim, &s, near, err);
    }
    if (s.struck) {
        sim->impacts.count++;
        sim->impacts.energy_lost += s.lost;
        sim->impacts.last = run->now.t;
        if (run->method_ops->steps_contacts) {
            run->contact->impact.count++;
            run->contact->impact.energy_lost += s.lost;
        }
        trm_locator_velocities_jump(&sim->locator);
    }
    return TRM_OK;
}

trm_status trm_sim_switch_joints(trm_sim *sim, trm_error *err)
{
    trm_run *const run = &sim->run;
    int any = 0;
    TRM_TRY(take_switches(sim, &any, err));
    if (!any) {
        return TRM_OK;
    }
    trm_contact_measure(run->contact, run->system, run->now.t, run->now.z);
    TRM_TRY(run->method_ops->steps_contacts ? TRM_OK : settle(sim, -1, TRM_HOLD_FREE, err));
    sim->locator.h_before = 0;
    sim->locator.t_expected = -INFINITY;
    const int code = trm_sim_measure_shifted(sim);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_break_overloaded(trm_sim *sim, int *any, trm_error *err)
{
    trm_run *const run = &sim->run;
    if (sim->model->nbreaking == 0 || run->method_ops->steps_contacts) {
        return TRM_OK;
    }
    const int code = trm_contact_accelerate(run);
    const int k = code ? -1 : trm_switches_overloaded(run);
    if (k >= 0) {
        *any = 1;
        run->inputs_changed |=
            trm_input_set(&run->system->inputs[sim->model->contacts[k].input], run->now.t, 0);
    }
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_refuse_undefined_gap(trm_sim *sim, trm_error *err)
{
    const trm_run *run = &sim->run;
    const trm_contact *contact = run->contact;
    if (contact && contact->blocks.full) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    for (int k = 0; contact && k < contact->n; k++) {
        const trm_contact_row *info = &sim->model->contacts[k];
        if (!isnan(contact->x[k])) {
            continue;
        }
        const trm_status status =
            TRM_FAIL(err, TRM_ERR_CALLBACK, info->where,
                     "%sat t = %.9g s: the gap of '%.60s' is not defined%s",
                     run->stats.steps > 0 ? "stopped " : "", run->now.t, info->name,
                     info->touch ? ": the shapes have no normal there" : "");
        return trm_at_time(err, run->now.t, status);
    }
    return TRM_OK;
}

/// Parts what overlaps at a start by the least motion in the mass metric: W p + x - lo >= 0 _|_ p
/// >= 0, by Newton's method. What no motion parts is left, and refused.
static void part_overlaps(trm_sim *sim)
{
    enum { PASSES = 10 }; // it converges by squares
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    trm_contact_seat(contact, run->system, run->now.t, run->now.z, trm_contact_deepest(contact));
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    for (int pass = 0; pass < PASSES; pass++) {
        const double deep = trm_contact_deepest(contact);
        if (!(deep > 0) || trm_contact_evaluate_now(run) ||
            trm_contact_part(contact, run->system, deep, run->now.z) ||
            trm_run_correct(run, run->now.t, run->now.z)) {
            break;
        }
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    }
    contact->blocks.full = 0; // of the start, not of what follows
}

/// m, or 1 rad: the least size of the parts that x of row k depends on.
static double size_of_row(const trm_sim *sim, int k)
{
    const trm_model *const model = sim->model;
    const trm_contact_row *const row = &model->contacts[k];
    double least = INFINITY;
    for (int i = 0; i < row->nbodies; i++) {
        const int b = row->bodies[i];
        least = b >= 0 && b < model->sizes.nbody ? fmin(least, sim->run.extent.size[b]) : least;
    }
    const double whole = sim->size > 0 ? sim->size : 1;
    return row->unit[0] != 'm' ? 1 : isfinite(least) ? least : whole;
}

trm_status trm_sim_begin_contacts(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    sim->ended_by_contact = 0;
    sim->contact_changes = sim->contact_changes_before = 0;
    sim->t_contact_changes = -INFINITY;
    sim->returns = (trm_returns){.t = -INFINITY, .other = -1};
    sim->impacts = (trm_impacts){.last = NAN, .rest = NAN};
    sim->projected = (trm_projected){.state = sim->projected.state == TRM_PROJECTED ? TRM_PROJECTED
                                                                                    : TRM_LOCATED,
                                     .t_mark = run->now.t};
    if (!contact) {
        return TRM_OK;
    }
    trm_contact_start(contact);
    contact->rtol = run->pair->adaptive ? run->options.rtol : 0;
    contact->atol = run->pair->adaptive ? run->options.atol : 0;
    for (int i = 0; i < contact->nv; i++) { // of large bodies the part of their speed counts
        contact->unit[i] = fmin(run->extent.v[i], 1);
    }
    for (int k = 0; k < contact->n; k++) {
        contact->given[k] = run->options.tolerance * size_of_row(sim, k);
    }
    contact->closed = run->options.tolerance;
    sim->locator.t_flight_ends = INFINITY;
    trm_contact_seat(contact, run->system, run->now.t, run->now.z, 0);
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    trm_contact_begin_one_way(contact, run->options.tolerance);
    TRM_TRY(trm_sim_refuse_undefined_gap(sim, err));
    if (run->options.assemble) {
        part_overlaps(sim);
    }
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *row = &sim->model->contacts[k];
        const double x = contact->x[k], tolerance = contact->given[k];
        const int below = x<row->lo - tolerance, above = x> row->hi + tolerance;
        if (row->stiffness > 0) {
            contact->presses[k] = x < row->lo ? -1 : x > row->hi;
        } else if (below || above) {
            return refuse_outside(sim, k, err);
        }
        if (row->one_way && row->teeth > 0 && row->teeth <= tolerance) {
            return TRM_FAIL(err, TRM_ERR_SCENE, row->where,
                            "'%s': teeth of %g %s are below the tolerance of %g %s; leave `teeth` "
                            "out for a freewheel",
                            row->name, row->teeth, row->unit, tolerance, row->unit);
        }
        if (row->friction.given) {
            const int still = trm_contact_length(contact, contact->rate, k) <= tolerance;
            trm_contact_aim(contact, contact->rate, 1, k);
            contact->slip[k] = still ? 0 : contact->rate[k] > 0 ? 1 : -1;
            contact->hold[k] = still ? TRM_HOLD_STICKS : TRM_HOLD_FREE;
            contact->at[k] = x;
        }
    }
    int any = 0;
    TRM_TRY(take_switches(sim, &any, err));
    if (run->method_ops->steps_contacts) {
        trm_contact_let_go(contact);
        return TRM_OK;
    }
    const trm_status status = settle(sim, -1, TRM_HOLD_FREE, err);
    return sim->projected.state == TRM_PROJECTED_NO_FORCES ? TRM_OK : status;
}

/// The impacts that a method's own steps have found.
static void note_impacts(trm_sim *sim)
{
    const trm_contact *contact = sim->run.contact;
    sim->impacts.last =
        contact->impact.count > sim->impacts.count ? sim->run.now.t : sim->impacts.last;
    sim->impacts.count = contact->impact.count;
    sim->impacts.energy_lost = contact->impact.energy_lost;
}

void trm_sim_note_contacts(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    if (!contact) {
        return;
    }
    if (run->method_ops->steps_contacts) {
        note_impacts(sim);
    }
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    trm_contact_follow_rims(contact, run->method_ops->steps_contacts);
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *row = &sim->model->contacts[k];
        const double outside = fmax(row->lo - contact->x[k], contact->x[k] - row->hi);
        // What has left is at its limits where they are, not beyond them by what resting allows.
        const int left = -outside > contact->given[k] && !run->method_ops->steps_contacts;
        contact->at_rest[k] = contact->at_rest[k] && (contact->slip[k] || !left);
        contact->driven[k] = contact->driven[k] && (row->friction.given || !left);
        if (contact->driven[k] && trm_contact_is_freewheel(contact, k)) {
            trm_contact_follow(contact, k);
        }
        const double gap = contact->hold[k]     ? fabs(contact->x[k] - contact->at[k])
                           : row->stiffness > 0 ? 0
                                                : fmax(outside, 0);
        const double size = row->unit[0] == 'm' && sim->size > 0 ? sim->size : 1;
        sim->measure.gap_max = fmax(sim->measure.gap_max, gap / size);
    }
}

// -------------------------------------------------------------------------------------- the caller

trm_contact_info trm_model_contact_info(const trm_model *model, int contact)
{
    if (!model || contact < 0 || contact >= model->ncontacts) {
        return (trm_contact_info){0};
    }
    const trm_contact_row *row = &model->contacts[contact];
    return (trm_contact_info){row->name, row->where, row->unit, row->lo, row->hi};
}

/// Sliding friction has a direction, or with a bound of 0 a viscous part alone.
static trm_contact_mode mode_of(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    if (row->input >= 0) {
        return contact->hold[k] ? TRM_CONTACT_MODE_LOCKED : TRM_CONTACT_MODE_OPEN;
    }
    if (contact->hold[k]) {
        return (trm_contact_mode)contact->hold[k];
    }
    if (trm_contact_is_smooth(contact, k)) {
        return TRM_CONTACT_MODE_REGULARIZED;
    }
    if (trm_contact_is_undetermined(contact, k)) {
        return TRM_CONTACT_UNDETERMINED;
    }
    const int acts = row->friction.given &&
                     (contact->slip[k] || trm_contact_length(contact, contact->force, k) > 0);
    return !acts                 ? TRM_CONTACT_MODE_OPEN
           : contact->at_rest[k] ? TRM_CONTACT_MODE_STICKS // at its bound, kept by others
                                 : TRM_CONTACT_SLIDES;
}

int trm_sim_contact(const trm_sim *sim, int contact, trm_contact_state *out)
{
    if (!sim || !out || !sim->run.contact || contact < 0 || contact >= sim->model->ncontacts) {
        return 0;
    }
    trm_contact *const c = sim->run.contact;
    const trm_state now = trm_sim_state_of(&sim->run, &sim->run.now);
    if (trm_sim_enter(sim, NULL)) { // another thread's
        return 0;
    }
    const int code = sim->ready ? trm_sim_press(sim, &now) : 1; // samples have moved the forces
    trm_contact_measure_one(c, sim->run.system, sim->run.now.t, sim->run.now.z, contact);
    (void)trm_sim_leave(sim, TRM_OK);
    *out = (trm_contact_state){.mode = mode_of(c, contact),
                               .x = trm_contact_along(c, c->x, contact) + c->base[contact],
                               .rate = trm_contact_along(c, c->rate, contact),
                               .force = code ? NAN : trm_contact_along(c, c->force, contact)};
    return 1;
}

double trm_sim_friction_bound(const trm_sim *sim, int contact)
{
    trm_contact_state state;
    if (!trm_sim_contact(sim, contact, &state) || isnan(state.force)) {
        return NAN;
    }
    const trm_contact_row *const row = &sim->model->contacts[contact];
    const trm_contact *const at = sim->run.contact;
    return row->friction.given ? trm_contact_sticking(at, contact) + at->load[contact] : NAN;
}

trm_impacts trm_sim_impacts(const trm_sim *sim)
{
    trm_impacts out = sim ? sim->impacts : (trm_impacts){.last = NAN, .rest = NAN};
    out.projected = sim ? sim->projected.told : out.projected;
    return out;
}
