/// The complementarity problem of all candidates, and what is held by its solution.
#include "base/linear/sums.h"
#include "engine/contact/projected.h"
#include "simulation/contact_modes/trial_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Candidates and the friction that slides on them, into contact->blocks.all. Returns how many.
static int list_problem(trm_contact *contact, const int *as)
{
    int n = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal;
        const int slides = normal >= 0 && as[normal] && contact->slip[k];
        contact->impact.kin[k] = -1;
        contact->trial.row[k] = 0;
        contact->blocks.all[n] = k;
        n += as[k] || slides;
    }
    return n;
}

/// Rows of the complementarity problem of block b, with its candidates free. Returns how many.
static int set_block(trm_run *run, const int *as, int b)
{
    trm_contact *contact = run->contact;
    const int n = trm_contact_take_block(contact, b, 0, NULL);
    for (int i = 0; i < n; i++) {
        contact->impact.kin[contact->problem.list[i]] = i;
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], normal = contact->model->contacts[k].normal;
        trm_coulomb_row *row = &contact->problem.coulomb.row[i];
        *row = (trm_coulomb_row){.kin = -1, .mate = -1};
        contact->hold[k] = as[k];
        trm_contact_bounds(contact, k, &row->lo, &row->hi);
        row->mu = normal >= 0 ? trm_contact_coefficient(contact, k) : 0;
        contact->hold[k] = TRM_HOLD_FREE;
        if (normal >= 0) {
            row->kin = contact->impact.kin[normal];
            row->slip = as[k] ? 0 : contact->slip[k];
        }
        const int mate = contact->model->contacts[k].mate;
        trm_contact_find_way(contact, run->now.z + run->system->nq, k);
        row->way = contact->slip_direction[k];
        row->mate = mate >= 0 ? contact->impact.kin[mate] : -1;
        contact->problem.b[i] = trm_contact_acceleration(contact, run, k);
        contact->problem.noise[i] = trm_contact_noise(contact, run, k);
        contact->floor[k] =
            contact->problem.noise[i] /
            fmax(trm_contact_square(contact, run->system, k, 0, contact->sparse[k].C), DBL_MIN);
    }
    return n;
}

/// enough: chosen; forces at half of their bounds leave room for loads that double or turn. stage:
/// of delta from one stage to the next. Half and double of both: campaign/numbers.
static const double enough = 0.5, stage = 1e-2;

/// Sequential regularization: p[n] by proximal steps from 0, W p +
/// delta D (p - p_before), D the diagonal of W. Of all forces that do the same the least that fit
/// are taken, as sums of squares in D: what presses at all is pressed.
static int solve_regularized(trm_contact *contact, int n, double least)
{
    enum { SWEEPS = 100000, STAGES = 5 }; // down to 1e-10
    double *const p = contact->problem.p, *const b = contact->problem.b;
    double *const W = contact->problem.W, *const own = contact->problem.h, delta = 1;
    int code = 0;
    for (int i = 0; i < n; i++) {
        own[i] = W[i * n + i];
        p[i] = 0;
    }
    for (int step = 0; step < STAGES && !code; step++) {
        double *const near = contact->problem.residual;
        delta *= stage;
        for (int i = 0; i < n; i++) {
            near[i] = b[i] - delta * own[i] * p[i];
            W[i * n + i] = (1 + delta) * own[i];
        }
        trm_projected_link(&contact->problem.rows, n, W);
        code = trm_projected_solve(&contact->problem.rows, contact->problem.coulomb.row, near,
                                   least, SWEEPS, p);
    }
    for (int i = 0; i < n; i++) {
        W[i * n + i] = own[i];
        p[i] = fabs(p[i]) * own[i] <= contact->problem.noise[i] ? 0 : p[i];
    }
    trm_projected_link(&contact->problem.rows, n, W);
    return code;
}

/// Whether the pair i, j of friction in space that may stick moves by the forces
/// contact->problem.p.
static int pair_moves(const trm_contact *contact, int i, double least)
{
    const trm_coulomb_row *const row = contact->problem.coulomb.row;
    const double *const p = contact->problem.p, *const b = contact->problem.b;
    return row[i].mate > i && !row[i].slip &&
           hypot(trm_projected_rate(&contact->problem.rows, b, p, i),
                 trm_projected_rate(&contact->problem.rows, b, p, row[i].mate)) > 4 * least;
}

/// Points that stick on a rigid body share its load in many ways. All use half of their bounds at
/// most, to leave room for loads that double or turn; or else 7/8, 31/32, ... up to what shares are
/// known to. contact->problem.p of the n rows, which solves the whole problem, becomes such a
/// solution.
static void leave_room(trm_contact *contact, int n, double least)
{
    trm_coulomb_row *const row = contact->problem.coulomb.row;
    double *const p = contact->problem.p, *const whole = contact->problem.phi;
    int fits = 1, pairs = 0;
    memcpy(whole, p, (size_t)n * sizeof *p);
    for (int i = 0; i < n; i++) {
        const int j = row[i].mate;
        const double length = j > i ? fmax(hypot(p[i], p[j]), DBL_MIN) : 0;
        if (pair_moves(contact, i, least)) {
            row[i].slip = row[j].slip = 1;
            row[i].way = -p[i] / length;
            row[j].way = -p[j] / length;
        }
        pairs += j > i;
        fits &= j <= i || row[i].slip || length <= enough * row[i].mu * p[row[i].kin];
    }
    fits |= pairs < 2; // as in the plane
    for (double left = 1 - enough; left > 2 * TRM_CONTACT_SHARE && !fits; left /= 4) {
        for (int i = 0; i < n; i++) {
            row[i].mu *= row[i].kin < 0 || row[i].slip ? 1 : 1 - left;
        }
        fits = !solve_regularized(contact, n, least);
        for (int i = 0; i < n; i++) {
            row[i].mu /= row[i].kin < 0 || row[i].slip ? 1 : 1 - left;
            fits = fits && !pair_moves(contact, i, least);
        }
    }
    memmove(p, fits ? p : whole, (size_t)n * sizeof *p);
}

/// Rows of a block with friction in space, to roundoff of the accelerations.
static int solve_in_space(trm_contact *contact, int n)
{
    const double least = fmax(trm_max_norm(n, contact->problem.noise), DBL_MIN);
    const int code = solve_regularized(contact, n, least);
    if (!code) {
        leave_room(contact, n, least);
    }
    return code;
}

/// Forces contact->problem.p of the n rows of a block, and accelerations contact->impact.u with
/// them. Returns nonzero where none are found.
static int solve_block(trm_run *run, int n)
{
    trm_contact *const contact = run->contact;
    const double *const W = contact->problem.W, *const b = contact->problem.b;
    double *const p = contact->problem.p;
    trm_contact_form_delassus(contact, run->system, n, contact->problem.list);
    const int failed = contact->model->npairs > 0 ? solve_in_space(contact, n)
                                                  : trm_contact_pivot(&contact->problem, n, W, b,
                                                                      contact->problem.noise, p);
    for (int i = 0; !failed && i < n; i++) {
        contact->impact.u[i] = b[i] + trm_dot(n, W + i * n, p);
    }
    return failed;
}

/// Row i of the problem is held, or free to move the way that its acceleration points.
static void adopt_row(trm_contact *contact, const int *as, int i)
{
    const trm_coulomb_row *row = &contact->problem.coulomb.row[i];
    const int k = contact->problem.list[i], friction = row->kin >= 0;
    const double p = contact->problem.p[i], w = contact->impact.u[i],
                 least = contact->problem.noise[i];
    const double most = friction ? row->mu * contact->problem.p[row->kin] : fmin(-row->lo, row->hi);
    const double lo = friction ? -most : row->lo, hi = friction ? most : row->hi;
    const double rim = TRM_CONTACT_USED_UP * most; // of limits 0
    contact->hold[k] = as[k];
    contact->at[k] = trm_active_set_place(contact, k, as[k]);
    contact->at_rest[k] = 0;
    if (friction && !(contact->problem.p[row->kin] > 0)) {
        trm_contact_release(contact, k, 0);
    } else if (row->mate >= 0) {
        contact->aim[k] = row->slip ? row->way : contact->aim[k];
        contact->hold[k] = row->slip ? TRM_HOLD_FREE : as[k];
        contact->slip[k] = row->slip;
    } else if ((p <= lo + rim && w > least) || (p >= hi - rim && w < -least)) {
        trm_contact_release(contact, k, p <= lo + rim ? 1 : -1);
    } else if (p == 0 && (lo == 0 || hi == 0) && as[k] != TRM_HOLD_STICKS) { // an open limit
        trm_contact_release(contact, k, 0);
    }
}

/// What the problem of a block says of its n rows, and contact->trial.row: of those that stick,
/// whose friction is used up.
static void adopt_block(trm_contact *contact, const int *as, int n)
{
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        if (as[k]) {
            adopt_row(contact, as, i);
        }
        contact->impact.kin[k] = -1;
        contact->force[k] = contact->problem.p[i];
        contact->share[k] = contact->model->npairs > 0 ? contact->problem.p[i] : 0;
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], mate = contact->model->contacts[k].mate;
        const trm_coulomb_row *row = &contact->problem.coulomb.row[i];
        const double p = trm_contact_length(contact, contact->force, k);
        const double most = row->kin >= 0 ? row->mu * contact->problem.p[row->kin] : row->hi;
        const double borne = fmax(contact->problem.borne[k], most);
        const double least = mate < 0 ? TRM_CONTACT_USED_UP * most : 2 * TRM_CONTACT_SHARE * borne;
        contact->trial.row[k] = as[k] && (row->kin >= 0 || row->lo == -row->hi) &&
                                contact->hold[k] == TRM_HOLD_STICKS &&
                                !trm_contact_is_second(contact, k) && p + least >= most;
    }
}

/// Friction used up, of rows that do not slide since others keep them: their force stays at its
/// bound. Of row `loose` it is, and about to slide.
static void set_used_up(trm_run *run, int loose)
{
    trm_contact *contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int mate = contact->model->contacts[k].mate, other = mate < 0 ? k : mate;
        if (!contact->trial.row[k]) {
            continue;
        }
        const int slip = mate >= 0 || contact->force[k] < 0 ? 1 : -1;
        contact->hold[k] = contact->hold[other] = TRM_HOLD_FREE;
        const int kept = trm_contact_depends_on(contact, run, k, 0) &&
                         trm_contact_depends_on(contact, run, other, 0);
        contact->hold[k] = contact->hold[other] = TRM_HOLD_STICKS;
        if (kept || k == loose) {
            trm_contact_aim(contact, contact->force, -1, k);
            trm_contact_release(contact, k, slip);
            contact->at_rest[k] = mate < 0 && kept;
        }
    }
}

int trm_active_set_propose(trm_run *run, const int *as, int loose)
{
    trm_contact *contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (as[k]) {
            trm_contact_release(contact, k, 0);
        }
    }
    int code = trm_contact_accelerate(run); // none of the candidates presses
    code = code ? code : trm_contact_evaluate_now(run);
    if (code) {
        return code;
    }
    const int n = list_problem(contact, as);
    trm_contact_solve_responses(contact, run->system, n, contact->blocks.all);
    trm_contact_note_stirred(contact, run, as);
    const int blocks = trm_contact_find_blocks(contact, n, contact->blocks.all);
    for (int b = 0; b < blocks; b++) {
        const int m = set_block(run, as, b);
        if (solve_block(run, m)) {
            return 1;
        }
        adopt_block(contact, as, m);
    }
    set_used_up(run, loose);
    return 0;
}
