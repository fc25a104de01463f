/// Contacts between steps: how far they are off their limits, and what the caller sees of them.
#include "program/run_details.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <math.h>

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
    const int code =
        sim->phase == TRM_SIM_READY ? trm_sim_press(sim, &now) : 1; // samples have moved the forces
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
