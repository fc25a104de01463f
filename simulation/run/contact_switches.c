/// Joints and locks that inputs switch in a run. While a switch is on, its rows hold as those of
/// joints do (engine/contact/contact.h); where it comes on, an impact makes their rates zero.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "engine/multibody/coordinate.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <stdio.h>

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
