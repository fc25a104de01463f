/// Impacts of contacts: what touches, the impulses, and what leaves behind them.
#include "base/status.h"
#include "simulation/contact_changes/contact_changes.h"

#include <math.h>

int trm_contact_limit_touched(const trm_sim *sim, int k)
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

int trm_contact_side_of(int as)
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
        const int k = contact->impact.touching[i], side = trm_contact_side_of(as[k]);
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
            trm_contact_release(contact, k, trm_contact_side_of(as[k]));
            as[k] = TRM_HOLD_FREE;
        }
    }
}

void trm_contact_restart_slip(trm_contact *contact, int *as)
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

int trm_sim_slips_slowly(const trm_sim *sim, int k)
{
    const trm_contact *const contact = sim->run.contact;
    const trm_scene_friction *const f = &contact->model->contacts[k].friction;
    return contact->slip[k] && !trm_contact_is_second(contact, k) && f->sticking <= f->sliding &&
           trm_contact_length(contact, contact->rate, k) <= trm_contact_unresolved(&sim->run, k);
}

void trm_sim_stop_slow_rows(const trm_sim *sim, const int *was, int *as)
{
    const trm_contact *const contact = sim->run.contact;
    for (int k = 0; k < contact->n; k++) {
        const int leaves = was[k] == TRM_HOLD_LOW || was[k] == TRM_HOLD_HIGH;
        if (trm_sim_slips_slowly(sim, k) && !leaves) {
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
        contact->impact.impulse[k] =
            closing > 0 ? trm_contact_side_of(as[k]) * contact->impact.P[i] : 0;
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

int trm_sim_strike_contacts(trm_sim *sim, int *as)
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
        trm_contact_restart_slip(contact, as);
    }
    return 0;
}
