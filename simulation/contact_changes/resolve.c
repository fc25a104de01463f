/// All contacts that touch now: impacts, bouncing that ends, then the rows that are held.
#include "base/status.h"
#include "simulation/contact_changes/contact_changes.h"

#include <math.h>
#include <string.h>

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
        trm_contact_restart_slip(run->contact, as);
        code = trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    }
    const double lost = before - trm_system_kinetic(run->system, v);
    z[run->n - 1] -= lost;
    sim->impacts.energy_lost += lost;
    sim->impacts.settled++;
    trm_locator_velocities_jump(&sim->locator);
    return code ? code : trm_contact_accelerate(run);
}

int trm_sim_may_project(const trm_sim *sim)
{
    return sim->run.options.hand_over && !sim->run.method_ops->steps_contacts;
}

trm_status trm_sim_fail_contacts(trm_sim *sim, int code, trm_error *err)
{
    sim->forces.t_none = code >= TRM_ACTIVE_SET_NO_FORCES ? sim->run.now.t : NAN;
    if (code >= TRM_ACTIVE_SET_NO_FORCES && code < TRM_ACTIVE_SET_GAINS) {
        TRM_TRY(trm_sim_refuse_drives(sim, err));
        sim->projected.state =
            trm_sim_may_project(sim) ? TRM_PROJECTED_NO_FORCES : sim->projected.state;
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

trm_status trm_sim_resolve_contacts(trm_sim *sim, int closed, int at, trm_error *err)
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
        const int limit = k == closed ? at : trm_contact_limit_touched(sim, k);
        as[k] = limit ? limit : as[k];
    }
    if (!code) {
        const int known = closed >= 0 && contact->driven[closed];
        trm_contact_free_driven(run, as);
        TRM_TRY(known && contact->driven[closed] ? trm_sim_refuse_drives(sim, err) : TRM_OK);
    }
    memcpy(was, as, (size_t)contact->n * sizeof *was);
    code = code ? code : trm_sim_strike_contacts(sim, as);
    if (code >= TRM_ACTIVE_SET_NO_FORCES && trm_sim_is_interrupted(sim)) {
        return TRM_STOPPED; // before the impact
    }
    trm_sim_stop_slow_rows(sim, was, as);
    memcpy(contact->trial.kept, as, (size_t)contact->n * sizeof *as);
    code = code ? code : trm_contact_find_active_set(run, as, TRM_ACTIVE_SET_ALL_ANEW);
    if (!code) {
        memcpy(as, contact->trial.kept, (size_t)contact->n * sizeof *as);
        const double shortest = flights(sim, was, as, &ended);
        sim->locator.t_flight_ends = run->now.t + stretch * shortest;
        code = ended ? come_to_rest(sim, as) : 0;
    }
    return code ? trm_sim_fail_contacts(sim, code, err) : TRM_OK;
}
