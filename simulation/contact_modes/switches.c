#include "simulation/contact_modes/switches.h"

#include "engine/multibody/coordinate.h"
#include "simulation/contact_modes/trial_set.h"

#include <math.h>

/// Lets go what is off now. Lists what comes on in contact->impact.touching; returns how many.
static int list_closing(trm_run *run, trm_switching *out)
{
    trm_contact *const contact = run->contact;
    int n = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int input = contact->model->contacts[k].input, on = trm_contact_is_on(contact, k);
        const int wanted = input >= 0 && run->system->inputs[input].now.value != 0;
        contact->impact.touching[n] = k;
        n += wanted && !on;
        out->any |= wanted != on;
        if (on && !wanted) {
            trm_contact_release(contact, k, 0);
        }
    }
    return n;
}

/// Where the closing rows are held from now on.
static void find_places(trm_run *run, int n, double near, trm_switching *out)
{
    trm_contact *const contact = run->contact;
    const trm_point_of_run *const now = &run->now;
    const double *const v = now->z + contact->nq;
    const trm_kinematics at = trm_assembler_kinematics(run->system, now->t, now->z, v, v);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        const trm_joint_row *const row = contact->model->contacts[k].of_joint;
        if (row) {
            trm_joint_row_move(row, at.pose, contact->place + TRM_COORDINATE_PLACE * k);
        }
    }
    trm_contact_measure(contact, run->system, now->t, now->z);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        const trm_joint_row *const row = contact->model->contacts[k].of_joint;
        contact->at[k] = contact->x[k];
        if (row && !row->moves && !(fabs(contact->x[k]) <= near) && !out->failure) {
            out->failure = TRM_SWITCH_APART;
            out->row = k;
        }
    }
}

/// The rates of the closing rows become zero: p = -W^+ u, which takes -u p/2.
static void strike(trm_run *run, int n, trm_switching *out)
{
    trm_contact *const contact = run->contact;
    double *const v = run->now.z + contact->nq, *const p = contact->impact.P, noise = 0;
    trm_contact_solve_responses(contact, run->system, n, contact->impact.touching);
    trm_contact_form_delassus(contact, run->system, n, contact->impact.touching);
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        p[i] = -contact->rate[k];
        noise = fmax(noise, fmax(trm_contact_rate_noise(contact, run, k),
                                 TRM_CONTACT_ROUNDOFF * fabs(p[i])));
    }
    const double least = fmax(noise, run->options.tolerance);
    const int worst = trm_contact_agree(contact, n, n, contact->impact.touching, p);
    const int moves = fabs(contact->problem.hi[worst]) > least;
    if (moves || trm_semidefinite_solve(&contact->problem.complementarity, n, NULL,
                                        contact->problem.W, n, INFINITY, p)) {
        out->failure = TRM_SWITCH_DRIVEN;
        out->row = contact->impact.touching[worst];
        return;
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->impact.touching[i];
        out->lost -= p[i] * contact->rate[k] / 2;
        const double rate = fabs(contact->rate[k]);
        out->struck = rate > noise ? fmax(rate, out->struck) : out->struck;
        run->now.z[run->n - 1] += trm_contact_driven(contact, run->system, k, p[i]);
        trm_sparse_row_add(&contact->sparse[k], p[i], contact->sparse[k].C, v);
    }
    run->now.z[run->n - 1] -= out->lost;
}

int trm_switches_take(trm_run *run, double near, trm_switching *out)
{
    trm_contact *const contact = run->contact;
    *out = (trm_switching){0};
    if (!contact || contact->model->nswitched == 0) {
        return 0;
    }
    const int n = list_closing(run, out);
    if (n == 0) {
        return 0;
    }
    find_places(run, n, near, out);
    const int code = trm_contact_evaluate_now(run);
    if (code || out->failure) {
        return code;
    }
    strike(run, n, out);
    for (int i = 0; i < n; i++) {
        contact->hold[contact->impact.touching[i]] = TRM_HOLD_STICKS;
    }
    return 0;
}

int trm_switches_overloaded(trm_run *run)
{
    trm_contact *const contact = run->contact;
    for (int k = 0; contact && k < contact->n; k++) {
        if (contact->model->contacts[k].input >= 0 && contact->hold[k] &&
            trm_contact_function(contact, k, 0) < 0) {
            return k;
        }
    }
    return -1;
}
