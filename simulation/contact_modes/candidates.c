/// The complementarity problem of all candidates, and what is held by its solution.
#include "engine/contact/projected.h"
#include "simulation/contact_modes/trial_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Candidates and the friction that slides on them, block by block, into contact->problem.list, and
/// their places by row.
static int list_problem(trm_contact *contact, const int *as)
{
    int n = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal;
        const int slides = normal >= 0 && as[normal] && contact->slip[k];
        contact->impact.kin[k] = -1;
        contact->blocks.all[n] = k;
        n += as[k] || slides;
    }
    contact->blocks.count = trm_contact_find_blocks(contact, n, contact->blocks.all);
    for (int i = 0; i < n; i++) {
        contact->problem.list[i] = contact->blocks.all[contact->blocks.order[i]];
        contact->impact.kin[contact->problem.list[i]] = i;
    }
    return n;
}

/// Rows of the complementarity problem, with all candidates free.
static void set_problem(trm_run *run, const int *as, int n)
{
    trm_contact *contact = run->contact;
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
        contact->problem.lo[i] = row->lo;
        contact->problem.hi[i] = row->hi;
        contact->problem.b[i] = trm_contact_acceleration(contact, run, k);
        contact->problem.noise[i] = trm_contact_noise(contact, run, k);
        contact->floor[k] =
            contact->problem.noise[i] /
            fmax(trm_contact_square(contact, run->system, k, 0, contact->sparse[k].C), DBL_MIN);
    }
}

/// enough: chosen; forces at half of their bounds leave room for loads that double or turn. stage:
/// of delta from one stage to the next. Half and double of both: campaign/numbers.
static const double enough = 0.5, stage = 1e-2;

/// Sequential regularization: p[n] of the n rows from row `from` on by proximal steps from 0, W p +
/// delta D (p - p_before), D the diagonal of W. Of all forces that do the same the least that fit
/// are taken, as sums of squares in D: what presses at all is pressed.
static int solve_regularized(trm_contact *contact, int from, int n, double least)
{
    enum { SWEEPS = 100000, STAGES = 5 }; // down to 1e-10
    double *const p = contact->problem.p + from, *const b = contact->problem.b + from;
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
        code = trm_projected_solve(&contact->problem.rows, contact->problem.coulomb.row + from,
                                   near, least, SWEEPS, p);
    }
    for (int i = 0; i < n; i++) {
        W[i * n + i] = own[i];
        p[i] = fabs(p[i]) * own[i] <= contact->problem.noise[from + i] ? 0 : p[i];
    }
    trm_projected_link(&contact->problem.rows, n, W);
    return code;
}

/// Whether the pair i, j of friction in space that may stick among the n rows from row `from` on
/// moves by the forces contact->problem.p.
static int pair_moves(const trm_contact *contact, int from, int i, double least)
{
    const trm_coulomb_row *const row = contact->problem.coulomb.row + from;
    const double *const p = contact->problem.p + from, *const b = contact->problem.b + from;
    return row[i].mate > i && !row[i].slip &&
           hypot(trm_projected_rate(&contact->problem.rows, b, p, i),
                 trm_projected_rate(&contact->problem.rows, b, p, row[i].mate)) > 4 * least;
}

/// Points that stick on a rigid body share its load in many ways. All use half of their bounds at
/// most, to leave room for loads that double or turn; or else 7/8, 31/32, ... up to what shares are
/// known to. contact->problem.p of the n rows from row `from` on, which solves the whole problem,
/// becomes such a solution.
static void leave_room(trm_contact *contact, int from, int n, double least)
{
    trm_coulomb_row *const row = contact->problem.coulomb.row + from;
    double *const p = contact->problem.p + from, *const whole = contact->problem.phi;
    int fits = 1, pairs = 0;
    memcpy(whole, p, (size_t)n * sizeof *p);
    for (int i = 0; i < n; i++) {
        const int j = row[i].mate;
        const double length = j > i ? fmax(hypot(p[i], p[j]), DBL_MIN) : 0;
        if (pair_moves(contact, from, i, least)) {
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
        fits = !solve_regularized(contact, from, n, least);
        for (int i = 0; i < n; i++) {
            row[i].mu /= row[i].kin < 0 || row[i].slip ? 1 : 1 - left;
            fits = fits && !pair_moves(contact, from, i, least);
        }
    }
    memmove(p, fits ? p : whole, (size_t)n * sizeof *p);
}

/// Rows of a block with friction in space, to roundoff of the accelerations.
static int solve_in_space(trm_contact *contact, int from, int n)
{
    double least = DBL_MIN;
    for (int i = from; i < from + n; i++) {
        least = fmax(least, contact->problem.noise[i]);
    }
    const int code = solve_regularized(contact, from, n, least);
    if (!code) {
        leave_room(contact, from, n, least);
    }
    return code;
}

/// Places that n rows name move.
static void shift(trm_coulomb_row *row, int n, int by)
{
    for (int i = 0; i < n; i++) {
        row[i].kin += row[i].kin >= 0 ? by : 0;
        row[i].mate += row[i].mate >= 0 ? by : 0;
    }
}

static int solve_block(trm_run *run, int from, int n)
{
    trm_contact *const contact = run->contact;
    trm_coulomb coulomb = contact->problem.coulomb;
    const double *const b = contact->problem.b + from, *const noise = contact->problem.noise + from;
    double *const p = contact->problem.p + from;
    coulomb.row += from;
    trm_contact_form_delassus(contact, run->system, n, contact->problem.list + from);
    shift(coulomb.row, n, -from);
    const int failed = contact->model->npairs > 0 ? solve_in_space(contact, from, n)
                       : contact->model->nloaded > 0
                           ? trm_coulomb_solve(&coulomb, n, contact->problem.W, b, noise, p)
                           : trm_complementarity_solve(
                                 &contact->problem.complementarity, n, contact->problem.W, b,
                                 contact->problem.lo + from, contact->problem.hi + from, noise, p);
    shift(coulomb.row, n, from);
    for (int i = 0; !failed && i < n; i++) {
        contact->impact.u[from + i] = b[i];
        for (int j = 0; j < n; j++) {
            contact->impact.u[from + i] += contact->problem.W[i * n + j] * p[j];
        }
    }
    return failed;
}

/// Forces contact->problem.p of its n rows, and accelerations contact->impact.u with them. Returns
/// nonzero where none are found.
static int solve_problem(trm_run *run, int n)
{
    const int *const first = run->contact->blocks.first;
    int failed = 0;
    for (int block = 0; n > 0 && !failed && block < run->contact->blocks.count; block++) {
        failed = solve_block(run, first[block], first[block + 1] - first[block]);
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

/// Friction used up, of rows that do not slide since others keep them: their force stays at its
/// bound. Of row `loose` it is, and about to slide.
static void set_used_up(trm_run *run, int n, int loose)
{
    trm_contact *contact = run->contact;
    for (int i = 0; i < n; i++) {
        const int k = contact->trial.row[i], mate = k < 0 ? k : contact->model->contacts[k].mate;
        if (k < 0 || contact->hold[k] != TRM_HOLD_STICKS || trm_contact_is_second(contact, k)) {
            continue;
        }
        const double p = trm_contact_length(contact, contact->force, k);
        const int slip = mate >= 0 || contact->force[k] < 0 ? 1 : -1;
        const double most = contact->problem.phi[i], borne = fmax(contact->problem.borne[k], most);
        const double least = mate < 0 ? TRM_CONTACT_USED_UP * most : 2 * TRM_CONTACT_SHARE * borne;
        const int other = mate < 0 ? k : mate, used = p + least >= most;
        contact->hold[k] = contact->hold[other] = TRM_HOLD_FREE;
        const int kept = used && trm_contact_depends_on(contact, run, k, 0) &&
                         trm_contact_depends_on(contact, run, other, 0);
        contact->hold[k] = contact->hold[other] = TRM_HOLD_STICKS;
        if (kept || (used && k == loose)) {
            trm_contact_aim(contact, contact->force, -1, k);
            trm_contact_release(contact, k, slip);
            contact->at_rest[k] = mate < 0 && kept;
        }
    }
}

/// The complementarity problem of all candidates, with accelerations that none of them presses.
/// *n: its rows, those of contact->problem.list. Returns a system's code.
static int pose_problem(trm_run *run, const int *as, int *n)
{
    trm_contact *contact = run->contact;
    double power;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (as[k]) {
            trm_contact_release(contact, k, 0);
        }
    }
    int code = trm_contact_accelerate(run);
    code = code ? code : trm_contact_evaluate_now(run);
    if (code) {
        return code;
    }
    *n = list_problem(contact, as);
    trm_contact_solve_responses(contact, run->system, *n, contact->problem.list);
    (void)trm_system_free_acceleration(run->system, run->now.z + run->system->nq, contact->work.f,
                                       &power); // where it succeeded before
    trm_contact_note_stirred(contact, run, as);
    set_problem(run, as, *n);
    return 0;
}

int trm_active_set_propose(trm_run *run, const int *as, int loose)
{
    trm_contact *contact = run->contact;
    int n;
    const int code = pose_problem(run, as, &n);
    if (code || solve_problem(run, n)) {
        return code ? code : 1;
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        const trm_coulomb_row *row = &contact->problem.coulomb.row[i];
        contact->problem.phi[i] = row->kin >= 0 ? row->mu * contact->problem.p[row->kin] : row->hi;
        contact->trial.row[i] = as[k] && (row->kin >= 0 || row->lo == -row->hi) ? k : -1;
        if (as[k]) {
            adopt_row(contact, as, i);
        }
        contact->force[k] = contact->problem.p[i];
        contact->share[k] = contact->model->npairs > 0 ? contact->problem.p[i] : 0;
    }
    set_used_up(run, n, loose);
    return 0;
}
