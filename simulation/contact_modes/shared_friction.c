/// Friction of several points in space: which stick, and how they share a load.
#include "simulation/contact_modes/trial_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// What a candidate does in the next try, contact->trial.state: the side that it slides to, or
enum { HELD = 0, SLIDES = 1, OPEN = 2 };

/// As all is held now.
void trm_active_set_note_candidates(trm_contact *contact, const int *as)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->trial.state[k] = !as[k] || contact->hold[k] ? HELD
                                  : contact->slip[k]         ? contact->slip[k]
                                                             : OPEN;
    }
}

/// One try: pairs as contact->trial.state says, what else may be held as it is now. Rows that
/// depend on each other share as before.
static trm_active_set_result try_states(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (as[k]) {
            contact->hold[k] = contact->trial.state[k] == HELD ? as[k] : TRM_HOLD_FREE;
            contact->at[k] = trm_active_set_place(contact, k, as[k]);
            contact->slip[k] = contact->trial.state[k] == OPEN ? 0 : contact->trial.state[k];
            contact->force[k] = 0;
            contact->at_rest[k] = 0;
        }
    }
    const trm_active_set_result o = trm_active_set_try(run, as);
    memcpy(contact->trial.force, contact->force, (size_t)contact->n * sizeof *contact->trial.force);
    return o;
}

/// The rows of pairs among the n listed, places in W: into contact->trial.row. Returns how many.
static int list_pairs(trm_contact *contact, int n)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (contact->model->contacts[contact->problem.list[i]].mate >= 0) {
            contact->trial.row[m++] = i;
        }
    }
    return m;
}

/// mu N of a held row's pair.
static double bound_of(const trm_contact *contact, int k)
{
    const int normal = contact->model->contacts[k].normal;
    return trm_contact_coefficient(contact, k) * fabs(contact->trial.force[normal]);
}

/// contact->problem.p of m rows := S W (W S W)^+ W T, S = s^2: of all that do what forces T do, the
/// least of sum (p/s)^2. Returns nonzero where it is not found.
static int weighted_least_squares(trm_contact *contact, int m, int stride, const double *s,
                                  const double *T)
{
    double *const A = contact->problem.J, *const W = contact->problem.part,
                  *const y = contact->problem.h;
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int j = 0; j < m; j++) {
            W[i * m + j] =
                contact->problem.W[contact->trial.row[i] * stride + contact->trial.row[j]];
            y[i] += W[i * m + j] * T[j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            A[i * m + j] = 0;
            for (int k = 0; k < m; k++) {
                A[i * m + j] += W[i * m + k] * s[k] * s[k] * W[k * m + j];
            }
        }
    }
    const int code =
        trm_semidefinite_solve(&contact->problem.complementarity, m, NULL, A, m, INFINITY, y);
    for (int i = 0; i < m; i++) {
        contact->problem.p[i] = 0;
        for (int j = 0; j < m; j++) {
            contact->problem.p[i] += s[i] * s[i] * W[i * m + j] * y[j];
        }
    }
    return code;
}

/// Of a block of `stride` rows that hold, listed: shares of the friction that sticks, from its
/// forces in the last try, so that the largest part of
/// its bound that a pair uses is small: weighted least squares, the weights multiplied by these
/// parts in turn [Lawson 1961; Rice, Usow, Math. Comp. 22 (1968)]. Returns that largest part.
static double balance_block(trm_contact *contact, int stride)
{
    // both chosen: shares at half of their bounds leave room for loads that double or turn. The
    // best of all turns is kept; a body that is not held by then counts as one that slips
    enum { TURNS = 200 };
    const double enough = 0.5;
    double *const T = contact->problem.phi, *const s = contact->impact.back, best = INFINITY;
    const int m = list_pairs(contact, stride);
    for (int i = 0; i < m; i++) {
        const int k = contact->problem.list[contact->trial.row[i]];
        T[i] = contact->trial.force[k];
        s[i] = bound_of(contact, k); // the weight is (bound/s)^2
    }
    for (int turn = 0; turn < TURNS && best > enough; turn++) {
        double largest = 0;
        if (weighted_least_squares(contact, m, stride, s, T)) {
            break;
        }
        for (int i = 0; i + 1 < m; i += 2) { // the rows of a pair stand together
            const double bound = bound_of(contact, contact->problem.list[contact->trial.row[i]]);
            const double part =
                bound > 0 ? hypot(contact->problem.p[i], contact->problem.p[i + 1]) / bound : 0;
            largest = fmax(largest, part);
            s[i] = s[i + 1] = part > 0 ? s[i] / sqrt(part) : s[i];
        }
        for (int i = 0; i < m; i++) {
            s[i] *= sqrt(largest); // of size one again: a common factor changes nothing
            if (largest < best) {
                contact->share[contact->problem.list[contact->trial.row[i]]] =
                    contact->problem.p[i];
            }
        }
        best = fmin(largest, best);
    }
    return best;
}

/// The same of all that holds.
static double balance_shares(trm_run *run)
{
    trm_contact *const contact = run->contact;
    const int held = trm_contact_list_held(contact);
    int *const all = contact->blocks.all;
    double worst = 0;
    memcpy(all, contact->problem.list, (size_t)held * sizeof *all);
    trm_contact_solve_responses(contact, run->system, held, all);
    const int blocks = trm_contact_find_blocks(contact, held, all);
    for (int b = 0; b < blocks; b++) {
        const int n = trm_contact_take_block(contact, b, 0, NULL);
        trm_contact_form_delassus(contact, run->system, n, contact->problem.list);
        worst = fmax(balance_block(contact, n), worst);
    }
    return worst;
}

/// Points that stick on a rigid body share its load in many ways. They hold it under the smallest
/// forces that press where there is one in their cones. bound: what holds without shares is at its
/// bound, and does not count.
trm_active_set_result trm_active_set_share_friction(trm_run *run, const int *as, int bound)
{
    trm_contact *contact = run->contact;
    memset(contact->share, 0, (size_t)contact->n * sizeof *contact->share);
    const trm_active_set_result o = try_states(run, as);
    if (o.code || (o.fits && !bound) || (!o.fits && o.worst < 0)) {
        return o;
    }
    return balance_shares(run) < 1 - 2 * TRM_CONTACT_SHARE
               ? try_states(run, as)
               : (trm_active_set_result){.worst = bound ? 0 : o.worst};
}

static void keep(trm_contact *contact, int back)
{
    const size_t ints = (size_t)contact->n * sizeof(int);
    const size_t doubles = (size_t)contact->n * sizeof(double);
    memcpy(back ? contact->hold : contact->trial.hold_before,
           back ? contact->trial.hold_before : contact->hold, ints);
    memcpy(back ? contact->slip : contact->trial.slip_before,
           back ? contact->trial.slip_before : contact->slip, ints);
    memcpy(back ? contact->share : contact->trial.share_before,
           back ? contact->trial.share_before : contact->share, doubles);
}

/// By the shares found last, which leave no friction to be had: what is at its bound slides.
static void let_used_up_slide(trm_contact *contact, const int *as)
{
    const double near = 1e-3; // a part is known to 1e-6; 0.5 and 2 times: campaign/numbers
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int mate = contact->model->contacts[k].mate;
        const int sticks = mate > k && as[k] && contact->trial.state[k] == HELD;
        if (sticks &&
            trm_contact_length(contact, contact->share, k) >= (1 - near) * bound_of(contact, k)) {
            trm_contact_aim(contact, contact->share, -1, k);
            contact->trial.state[k] = contact->trial.state[mate] = SLIDES;
        }
    }
}

/// Row `loose`, a pair, has come to the bound of its friction: the other points may take more.
trm_active_set_result trm_active_set_redistribute(trm_run *run, const int *as, int loose)
{
    trm_contact *contact = run->contact;
    keep(contact, 0);
    memset(contact->trial.state, 0, (size_t)contact->n * sizeof *contact->trial.state);
    if (!trm_contact_is_dependent(contact, run, loose)) {
        return (trm_active_set_result){.worst = -1};
    }
    trm_active_set_result o = trm_active_set_share_friction(run, as, 1);
    if (!o.code && !o.fits) {
        let_used_up_slide(contact, as);
        o = try_states(run, as);
    }
    if (!o.fits) {
        keep(contact, 1);
    }
    return o;
}
