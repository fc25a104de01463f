/// Impacts: rows that touch, what strikes, what leaves, and what comes to rest behind it. See
/// docs/explanation/contact.md.
#include "base/status.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <string.h>

/// The limit that row k touches now. A free row touches its limit if it is there within roundoff
/// and a slack of the time.
static int touches(const trm_sim *sim, int k)
{
    enum { SOME = 16 };
    const trm_contact *contact = sim->run.contact;
    int side;
    const double room = trm_contact_room(contact, k, &side);
    const double near =
        contact->at_rest[k] || sim->run.stats.steps == 0
            ? contact->given[k]
            : fmax(4 * trm_locator_time_tolerance(&sim->run) * fabs(contact->rate[k]),
                   SOME * contact->roundoff[k]);
    return trm_hold_is_limit(contact->hold[k]) ? contact->hold[k]
           : !(room <= near)                   ? TRM_HOLD_FREE
           : side > 0                          ? TRM_HOLD_LOW
                                               : TRM_HOLD_HIGH;
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
        const double given = run->stats.steps == 0 ? contact->given[k] * contact->pace : 0;
        const double others =
            TRM_CONTACT_ROUNDOFF * most * sqrt(fmax(contact->problem.W[i * n + i], 0));
        contact->impact.still[i] = fmax(fmax(own, others), given);
    }
}

/// The rows of block b of contact->blocks.all, into contact->impact.touching and kin. Returns how
/// many.
static int take_block(trm_contact *contact, int b)
{
    const int n = trm_contact_take_block(contact, b, 0, NULL);
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], normal = contact->model->contacts[k].normal;
        contact->trial.row[k] = i;
        contact->impact.kin[i] = normal >= 0 ? contact->trial.row[normal] : -1;
        contact->impact.touching[i] = k;
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
        const int k = contact->impact.touching[i], side = trm_hold_side(as[k]);
        contact->impact.u[i] = side * contact->rate[k];
        contact->impact.e[i] =
            contact->impact.kin[i] >= 0 ? 0 : contact->model->contacts[k].restitution;
        contact->impact.mu[i] = trm_contact_coefficient(contact, k);
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
        if (trm_hold_is_limit(as[k]) && contact->impact.leaves[k] > 0) {
            trm_contact_release(contact, k, trm_hold_side(as[k]));
            as[k] = TRM_HOLD_FREE;
        }
    }
}

/// Rows with friction whose rate an impact has changed.
static void restart_slip(trm_contact *contact, int *as)
{ // of a stop's friction that has just closed too
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (contact->model->contacts[k].friction.given && !trm_hold_is_limit(as[k])) {
            const double rate = contact->rate[k];
            const int slips =
                trm_contact_length(contact, contact->rate, k) > contact->impact.slack[k];
            as[k] = slips ? TRM_HOLD_FREE : TRM_HOLD_STICKS;
            trm_contact_aim(contact, contact->rate, 1, k);
            trm_contact_release(contact, k, rate > 0 ? 1 : -1);
        }
    }
}

/// The rate at which row k counts as zero. The joints decide that of a driven row, and it is known
/// to its band; where another one has come to its halt, to what it changes by in the time in which
/// that rate was within its own band.
static double halting_rate(trm_sim *sim, int k, int with)
{
    const trm_run *const run = &sim->run;
    const trm_contact *const contact = run->contact;
    if (!trm_contact_is_driven(contact, k)) {
        return trm_contact_unresolved(run, k);
    }
    const double own = trm_contact_band(contact, k);
    const int together = with >= 0 && with != k && trm_contact_is_driven(contact, with);
    const double a = together ? fabs(trm_contact_acceleration(contact, run, with)) : 0;
    const double off = together ? fabs(contact->rate[with]) + trm_contact_band(contact, with) : 0;
    const double changes = fabs(trm_contact_acceleration(contact, run, k));
    return a > 0 ? fmax(own, changes * off / a) : own;
}

int trm_sim_may_stick(trm_sim *sim, int k, int with)
{
    trm_contact *const contact = sim->run.contact;
    const trm_scene_friction *const f = &contact->model->contacts[k].friction;
    return contact->slip[k] && !trm_contact_is_second(contact, k) &&
           trm_contact_length(contact, contact->rate, k) <= halting_rate(sim, k, with) &&
           ((f->sticking <= f->sliding && !(contact->model->contacts[k].more > 0)) ||
            trm_contact_depends_on(contact, &sim->run, k, 0));
}

/// What slides slowly where another contact closes may stick; what leaves its limit was[k] does
/// not: it comes back (flights).
static void stop_slow_rows(trm_sim *sim, const int *was, int *as)
{
    const trm_contact *const contact = sim->run.contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (!trm_hold_is_limit(was[k]) && trm_sim_may_stick(sim, k, -1)) {
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
        for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
            const int normal = contact->model->contacts[k].normal, at = normal < 0 ? k : normal;
            if ((normal >= 0) == friction && trm_hold_is_limit(as[at])) {
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
        contact->impact.impulse[k] = closing > 0 ? trm_hold_side(as[k]) * contact->impact.P[i] : 0;
        contact->impact.leaves[k] = contact->impact.u[i] > contact->impact.still[i];
    }
    *most = fmax(closing, *most);
    return lost;
}

void trm_sim_note_impact(trm_sim *sim, double lost)
{
    sim->impacts.count++;
    sim->impacts.energy_lost += lost;
    sim->impacts.last = sim->run.now.t;
    trm_stiffness_forget(&sim->run.stiffness); // across a jump points of a cycle look smooth
    trm_locator_velocities_jump(&sim->locator);
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
    trm_sim_note_impact(sim, lost);
}

/// Impulses of all rows that touch, block by block; as[n] := how each row may be held. Returns 0;
/// or TRM_ACTIVE_SET_NO_FORCES: no impulses fit.
static int strike(trm_sim *sim, int *as)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    trm_contact_renew_driven(run, as);
    const int n = list_touching(contact, as);
    const double switched = contact->impact.switched;
    double most = 0, lost = 0;
    contact->impact.switched = 0;
    trm_contact_solve_responses(contact, run->system, n, contact->blocks.all);
    const int blocks = trm_contact_find_blocks(contact, n, contact->blocks.all);
    sim->returns.bounces = 0;
    for (int b = 0; b < blocks; b++) {
        lost += strike_block(sim, b, as, &most);
        if (isnan(lost)) {
            contact->trial.refused = contact->impact.touching[0];
            return TRM_ACTIVE_SET_NO_FORCES;
        }
    }
    const double largest = fmax(most, switched);
    for (int k = contact->near[0]; k < contact->n;
         k = contact->near[k + 1]) { // an impact leaves roundoff of what was before it
        contact->impact.slack[k] =
            fmax(trm_contact_rate_noise(contact, run, k), TRM_CONTACT_ROUNDOFF * largest);
    }
    if (most > 0) {
        apply_impulses(sim, n, lost);
    }
    part(contact, n, as);
    if (largest > 0) {
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
/// the shortest of the other flights, s; *ended: whether some have, 2: that bounce; *apex: half of
/// the longest flight of those.
static double flights(trm_sim *sim, const int *was, int *as, int *ended, double *apex)
{
    enum { EVENTS = 64 };
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    double shortest = INFINITY;
    int n = 0; // rows at rest, by gap and rate
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->problem.list[n] = k;
        n += trm_hold_is_limit(as[k]);
    }
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (!trm_hold_is_limit(was[k]) || as[k] || contact->hold[k] || contact->at_rest[k]) {
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
            *apex = flight < INFINITY ? fmax(*apex, flight / 2) : *apex;
            // the impact of another one, or one that does not bounce, leaves rounding alone
            const int bounces = e > 0 && fabs(contact->rate[k]) > contact->impact.slack[k];
            *ended |= bounces ? 2 : 1;
            sim->impacts.rest = bounces ? run->now.t + flight / (1 - e) // e = 1 lasts for ever
                                        : sim->impacts.rest;
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
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        if (row->axis != TRM_TOUCH_TIPS || contact->hold[k] || !contact->hold[row->normal]) {
            continue;
        }
        const double u = trm_contact_length(contact, contact->rate, k);
        const double *const a = sim->run.now.dz + sim->run.system->nq;
        const double rises = u > 0 ? -trm_contact_slip_grows(contact, a, k) : 0;
        if (u > 0 && u * u <= 2 * TRM_TOUCH_FLAT * rises) {
            as[k] = as[row->mate] = TRM_HOLD_STICKS;
            any = 1;
        }
    }
    return any;
}

/// The flights that are left out take what rest takes in their time: v += (f - r) apex, of the
/// accelerations f in flight and r at rest, makes rates zero. What slides keeps its impulses by
/// that, which a projection of v leaves out; where it stops, others part, or rates that are not yet
/// zero leave no forces at rest, that is all there is.
static void take_flights(trm_run *run, double apex, int *as)
{
    trm_contact *const contact = run->contact;
    double *const v = run->now.z + run->system->nq, *const a = run->now.dz + run->system->nq;
    double *const flying = contact->work.dz;
    int *const before = contact->trial.was, others = 0;
    memcpy(flying, a, (size_t)contact->nv * sizeof *a);
    memcpy(before, contact->hold, (size_t)contact->n * sizeof *before);
    memcpy(contact->trial.kept, as, (size_t)contact->n * sizeof *as);
    trm_contact_hold_all(contact, as);
    const int code = trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int lands = !before[k] && trm_hold_is_limit(contact->hold[k]);
        others |= contact->hold[k] != before[k] && !lands;
    }
    for (int j = 0; !code && !others && j < contact->nv; j++) {
        v[j] += (flying[j] - a[j]) * apex;
    }
    memcpy(as, contact->trial.kept, (size_t)contact->n * sizeof *as);
    trm_contact_hold_all(contact, as);
}

/// Rows come to rest: their rates become zero, and the energy in them is lost. What slid with them
/// may have stopped, or turned, so that forces come behind that.
static int come_to_rest(trm_sim *sim, int bounced, double apex, int *as)
{
    trm_run *run = &sim->run;
    double *const z = run->now.z, *const v = z + run->system->nq;
    const double before = trm_system_kinetic(run->system, v);
    take_flights(run, apex, as);
    int code = trm_contact_correct(run->contact, run->system, run->now.t, z);
    if (!code) {
        trm_contact_measure(run->contact, run->system, run->now.t, z);
        restart_slip(run->contact, as);
        code = trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    }
    const double lost = before - trm_system_kinetic(run->system, v);
    z[run->n - 1] -= lost;
    sim->impacts.energy_lost += lost;
    sim->impacts.settled += bounced;
    sim->impacts.rest = bounced ? fmax(sim->impacts.rest, run->now.t) : sim->impacts.rest; // rocks
    trm_locator_velocities_jump(&sim->locator);
    return code ? code : trm_contact_accelerate(run);
}

/// What slides at a rate that the joints decide has no other motion: there impulses are forces
/// times the step, and fit no better.
void trm_sim_go_on_by_impulses(trm_sim *sim)
{
    const int given = trm_contact_is_driven(sim->run.contact, sim->run.contact->trial.refused);
    if (!given && sim->run.options.hand_over && !sim->run.method_ops->steps_contacts) {
        sim->projected.state = TRM_PROJECTED_NO_FORCES;
    }
}

/// Why the active set was not found around this row.
static const char *reason_of(const trm_sim *sim, int kind, int row)
{
    switch (kind) {
    case TRM_ACTIVE_SET_SEVERAL_MOTIONS:
        return "Painleve's paradox: under this friction it has two motions, pressed and open";
    case TRM_ACTIVE_SET_NO_MOTION:
        return sim->model->contacts[row].rows > 0
                   ? "Painleve's paradox: no friction fits the reaction that it changes; it jams: "
                     "lower its coefficient"
                   : "Painleve's paradox: under this friction no force holds it, and without one "
                     "it closes";
    default:
        return "no forces fit: the stops that touch leave no motion, or numbers are not finite";
    }
}

trm_status trm_sim_refuse_active_set(trm_sim *sim, int code, trm_error *err)
{
    if (sim->run.contact->blocks.full) {
        return trm_run_fail(&sim->run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    sim->forces.t_none = code >= TRM_ACTIVE_SET_NO_FORCES ? sim->run.now.t : NAN;
    if (code < TRM_ACTIVE_SET_NO_FORCES) {
        return trm_run_fail_code(&sim->run, code, err);
    }
    TRM_TRY(trm_sim_refuse_drives(sim, 1, err));
    trm_sim_go_on_by_impulses(sim);
    const int row = sim->run.contact->trial.refused;
    return trm_sim_refuse_contact(sim, row, reason_of(sim, code, row), err);
}

trm_status trm_sim_resolve_contacts(trm_sim *sim, int closed, int at, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    int *const as = contact->trial.as, *const was = contact->trial.was;
    const double stretch = 1.5; // a flight under a force that changes
    double apex = 0;
    int code = trm_contact_evaluate_now(run), ended = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        trm_contact_follow(contact, k);
    }
    trm_contact_candidates(run, as);
    for (int k = contact->near[0]; !code && k < contact->n; k = contact->near[k + 1]) {
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
        const double shortest = flights(sim, was, as, &ended, &apex);
        sim->locator.t_flight_ends = run->now.t + stretch * shortest;
        ended |= stop_rocking(sim, as) ? 2 : 0;
        code = ended ? come_to_rest(sim, ended >= 2, apex, as) : 0;
    }
    return code ? trm_sim_refuse_active_set(sim, code, err) : TRM_OK;
}

trm_status trm_sim_settle_contacts(trm_sim *sim, int closed, int at, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_contact_seat(run->contact, run->system, run->now.t, run->now.z, 0);
    TRM_TRY(trm_sim_resolve_contacts(sim, closed, at, err));
    for (int k = 0; k < run->contact->n &&
                    trm_contact_tip(run->contact, run->system, run->now.t, run->now.z) > 0;
         k++) {
        TRM_TRY(trm_sim_resolve_contacts(sim, -1, TRM_HOLD_FREE, err));
    }
    trm_contact_follow_rims(run->contact, 0);
    return TRM_OK;
}

trm_status trm_sim_land_rim(trm_sim *sim, int k, trm_error *err)
{
    trm_contact *const contact = sim->run.contact;
    const long count = sim->impacts.count;
    double other = -INFINITY;
    for (int i = 0; i < TRM_CONTACT_WAVES && other < -contact->impact.slack[k]; i++) {
        const long before = sim->impacts.count;
        TRM_TRY(trm_sim_resolve_contacts(sim, k, TRM_HOLD_LOW, err));
        const int held = contact->hold[k], struck = sim->impacts.count > before;
        sim->impacts.count = count + (sim->impacts.count > count);
        contact->hold[k] = TRM_HOLD_LOW;
        (void)trm_contact_turn_over(contact, k);
        trm_contact_measure(contact, sim->run.system, sim->run.now.t, sim->run.now.z);
        other = struck ? contact->rate[k] : 0; // what an impact leaves alone is its roundoff
        if (other > contact->impact.slack[k] || (other >= -contact->impact.slack[k] && !held)) {
            (void)trm_contact_turn_over(contact, k);
            contact->hold[k] = held;
            return TRM_OK;
        }
    }
    trm_contact_lay(contact, k);
    return trm_sim_settle_contacts(sim, k, TRM_HOLD_LOW, err);
}
