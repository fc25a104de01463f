#include "simulation/contact_modes/trial_set.h"
#include "base/accuracy_policy.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_contact_release(trm_contact *contact, int k, int slip)
{
    const int rows[] = {k, contact->model->contacts[k].mate};
    for (int i = 0; i < 2 && rows[i] >= 0; i++) {
        contact->hold[rows[i]] = TRM_HOLD_FREE;
        contact->force[rows[i]] = 0;
        contact->at_rest[rows[i]] = 0;
        contact->slip[rows[i]] = contact->model->contacts[k].friction.given ? slip : 0;
    }
}

double trm_active_set_place(const trm_contact *contact, int k, int as)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    return as == TRM_HOLD_LOW    ? row->lo
           : as == TRM_HOLD_HIGH ? row->hi
           : row->input >= 0     ? contact->at[k]
                                 : contact->x[k];
}

int trm_contact_accelerate(trm_run *run)
{
    trm_point_of_run *now = &run->now;
    return trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
}

double trm_contact_moved(const trm_contact *contact, const double *a, int k)
{
    return contact->rest[k] + trm_sparse_row_product(&contact->sparse[k], contact->sparse[k].G, a);
}

double trm_contact_slip_grows(const trm_contact *contact, const double *a, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return (contact->rate[k] * trm_contact_moved(contact, a, k) +
            contact->rate[mate] * trm_contact_moved(contact, a, mate)) /
           trm_contact_length(contact, contact->rate, k);
}

/// The part of the mechanism, without contacts, that velocity j belongs to.
static int part_of(const trm_contact *contact, const trm_run *run, int j)
{
    return run->range.group[contact->nq + j] / 2 - contact->nv;
}

/// The most of what moves row k, and of all that it moves: no zeros. Returns whether that grows.
static int join(trm_contact *contact, const trm_run *run, int k)
{
    const trm_sparse_row *const own = &contact->sparse[k];
    const int motions = trm_system_motions(run->system);
    double most = 0;
    int grows = 0;
    for (int i = 0; i < own->n && own->column[i] < motions; i++) {
        const double stirred = contact->stirred[part_of(contact, run, own->column[i])];
        most = own->G[i] != 0 ? fmax(stirred, most) : most;
    }
    for (int i = 0; i < own->n && own->column[i] < motions; i++) {
        double *const of = &contact->stirred[part_of(contact, run, own->column[i])];
        grows |= own->G[i] != 0 && *of < most;
        *of = own->G[i] != 0 ? fmax(most, *of) : *of;
    }
    return grows;
}

/// Accelerations of each part, in units of its sizes, or of a part that rows which may act join it
/// to: where no row does, forces there leave no rounding here.
void trm_contact_note_stirred(trm_contact *contact, trm_run *run, const int *as)
{
    const int nq = contact->nq, nv = contact->nv, motions = trm_system_motions(run->system);
    double *const turning = contact->stirred + nv, power;
    const double *const dz = run->now.dz;
    (void)trm_system_free_acceleration(run->system, run->now.z + run->system->nq, contact->work.f,
                                       &power); // where it succeeded before
    memset(contact->stirred, 0, 2 * (size_t)nv * sizeof(double));
    for (int i = 0; i < nq; i++) {
        double *const of = &turning[run->range.group[i] / 2];
        *of = fmax(fabs(dz[i]) / run->extent.q[i], *of);
    }
    for (int j = 0; j < motions; j++) {
        const int part = part_of(contact, run, j);
        const double sum =
            fabs(dz[nq + j]) + fabs(contact->work.f[j]) + turning[part] * fabs(run->now.z[nq + j]);
        contact->stirred[part] = fmax(sum / run->extent.v[j], contact->stirred[part]);
    }
    int grows = 1;
    for (int pass = 0; grows && pass <= contact->n; pass++) {
        grows = 0;
        for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
            const int acts = as[k] || contact->hold[k] || contact->slip[k];
            grows |= acts && join(contact, run, k);
        }
    }
}

/// contact->unsure: velocities are known to A of their range; where that is below A of what
/// accelerations give in its size, and in the plane, of these. Named tolerances: test_uneven_feet.
void trm_contact_note_unsure(trm_run *run)
{
    trm_contact *const contact = run->contact;
    const trm_options *const o = &run->options;
    const double width = 1.0; // A: half and double in campaign/numbers
    const double part = width * TRM_ACCURACY_STEPS * o->rtol;
    contact->blends = run->pair->adaptive && o->by_motion;
    for (int j = 0; j < contact->nv; j++) {
        const double given = run->extent.v[j] * sqrt(contact->stirred[part_of(contact, run, j)]);
        const double range = run->range.most[run->range.group[contact->nq + j]];
        const int known = range > part * given && contact->model->npairs > 0;
        contact->unsure[j] = !run->pair->adaptive ? 0
                             : o->by_motion       ? part * (known ? range : fmax(range, given))
                                                  : o->atol + o->rtol * range;
    }
}

/// What of x'' is roundoff: a part of what accelerations could make of x in any direction.
double trm_contact_noise(const trm_contact *contact, const trm_run *run, int k)
{
    const trm_sparse_row *const own = &contact->sparse[k];
    const int motions = trm_system_motions(run->system);
    double reach = 0;
    for (int i = 0; i < own->n && own->column[i] < motions; i++) {
        const int j = own->column[i];
        reach += fabs(own->G[i]) * run->extent.v[j] * contact->stirred[part_of(contact, run, j)];
    }
    return TRM_CONTACT_ROUNDOFF * (fabs(contact->rest[k]) + reach);
}

double trm_contact_rate_noise(const trm_contact *contact, const trm_run *run, int k)
{
    const trm_sparse_row *const reach = &contact->sparse[k];
    const double *v = run->now.z + run->system->nq;
    double scale = 0;
    for (int i = 0; i < reach->n; i++) {
        scale += fabs(reach->G[i] * v[reach->column[i]]);
    }
    return TRM_CONTACT_ROUNDOFF * scale;
}

double trm_contact_unresolved(const trm_run *run, int k)
{
    const double steps = run->contact->blends ? TRM_ACCURACY_STEPS : 1;
    return run->pair->adaptive && run->stats.steps > 0
               ? trm_contact_exact(run->contact, run->now.z + run->system->nq, k) / steps
               : run->contact->given[k] * run->contact->pace;
}

int trm_contact_evaluate_at(trm_run *run, double t, const double *z)
{
    trm_system *system = run->system;
    int code = trm_system_position(system, t, z);
    code = code || system->nc == 0 ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (!code) {
        trm_contact_evaluate(run->contact, system, t, z, TRM_CONTACT_ALL);
    }
    return code;
}

int trm_contact_evaluate_now(trm_run *run)
{
    return trm_contact_evaluate_at(run, run->now.t, run->now.z);
}

void trm_contact_candidates(trm_run *run, int *as)
{
    trm_contact *contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *row = &contact->model->contacts[k];
        const double little = contact->given[k];
        int side;
        const int there = trm_contact_room(contact, k, &side) <= little &&
                          fabs(contact->rate[k]) <= little * contact->pace;
        const int limit = side > 0 ? TRM_HOLD_LOW : TRM_HOLD_HIGH;
        contact->at_rest[k] = contact->at_rest[k] && (contact->slip[k] || there); // or it has left
        as[k] = row->input >= 0        ? TRM_HOLD_FREE // none of what forces decide
                : !contact->at_rest[k] ? contact->hold[k]
                : contact->slip[k]     ? TRM_HOLD_STICKS
                                       : limit;
    }
}

void trm_contact_set_held(trm_contact *contact, const int *as, int k, int held)
{
    contact->hold[k] = held ? as[k] : TRM_HOLD_FREE;
    contact->at[k] = held ? trm_active_set_place(contact, k, as[k]) : contact->at[k];
    contact->force[k] = 0;
    contact->at_rest[k] = 0;
    for (int i = contact->near[0]; i < contact->n; i = contact->near[i + 1]) {
        if (contact->model->contacts[i].normal == k || contact->model->contacts[i].mate == k) {
            contact->hold[i] = held ? as[i] : TRM_HOLD_FREE;
            contact->at[i] = contact->x[i];
            contact->force[i] = 0;
        }
    }
}

/// Distance of a pair of friction in space from its condition, in units of its roundoff. What
/// begins to slide does so along its acceleration, by forces that are known to shares.
static double misfit_of_pair(trm_contact *contact, trm_run *run, int k, int mate)
{
    if (contact->hold[k]) {
        return (trm_contact_length(contact, contact->force, k) - contact->load[k]) /
               (trm_contact_pair_grain(contact, k) + DBL_MIN);
    }
    const double a = trm_contact_acceleration(contact, run, k),
                 b = trm_contact_acceleration(contact, run, mate);
    const double along = contact->aim[k] * a + contact->aim[mate] * b;
    const double across = fabs(contact->aim[k] * b - contact->aim[mate] * a);
    const double aslant =
        trm_contact_is_driven(contact, k) ? 0 : across - 2 * TRM_CONTACT_SHARE * hypot(a, b);
    const double own = trm_contact_square(contact, run->system, k, 1, contact->sparse[k].G);
    return fmax(-along, aslant) /
           (trm_contact_noise(contact, run, k) + trm_contact_noise(contact, run, mate) +
            trm_contact_shared(contact, k) * own + DBL_MIN);
}

/// How far candidate k is from its condition, in units of its roundoff; more than one: it has to
/// change.
static double misfit(trm_contact *contact, trm_run *run, const int *as, int k)
{
    const int mate = contact->model->contacts[k].mate;
    if (mate >= 0) {
        return trm_contact_is_second(contact, k) ? 0 : misfit_of_pair(contact, run, k, mate);
    }
    if (contact->hold[k]) {
        double lo, hi;
        trm_contact_bounds(contact, k, &lo, &hi);
        const double p = contact->force[k];
        return fmax(lo - p, p - hi) / (contact->grain[k] + DBL_MIN);
    }
    const int limit = as[k] == TRM_HOLD_LOW ? 1 : as[k] == TRM_HOLD_HIGH ? -1 : contact->slip[k];
    return -limit * trm_contact_acceleration(contact, run, k) /
           (trm_contact_noise(contact, run, k) + DBL_MIN);
}

static void note_roundoff(trm_contact *contact, const trm_run *run)
{
    const int n = trm_contact_list_held(contact);
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        const int mate = contact->model->contacts[k].mate; // may have no way to move, and no noise
        const double own = contact->problem.own[mate >= 0 ? mate : k];
        const double W = fmax(fmax(contact->problem.own[k], own), DBL_MIN);
        contact->floor[k] = trm_contact_noise(contact, run, k) / W;
        contact->grain[k] = fmax(contact->grain[k], contact->floor[k]);
    }
}

trm_active_set_result trm_active_set_try(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    trm_active_set_result o = {.worst = -1};
    double most = 1;
    int slides = 0;
    const int code = trm_contact_accelerate(run);
    o.paradox = contact->problem.determinant <= 0;
    o.code = code < 0 ? code : trm_contact_evaluate_now(run);
    if (code || o.code) {
        return o;
    }
    trm_contact_note_stirred(contact, run, as);
    trm_contact_note_unsure(run);
    note_roundoff(contact, run);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal;
        const int idle = normal >= 0 && !contact->hold[normal];
        const double m = as[k] && !idle ? misfit(contact, run, as, k) : 0;
        o.worst = m > most ? k : o.worst;
        most = fmax(m, most);
        const double a = fabs(trm_contact_acceleration(contact, run, k));
        slides |= contact->slip[k] && !contact->hold[k] &&
                  !(as[k] && a <= trm_contact_noise(contact, run, k));
    }
    o.fits = o.worst < 0;
    o.paradox = o.paradox && slides; // a determinant says nothing of what rests at its bound
    return o;
}

/// The held rows of the block of row k, limits alone or all, then k itself, into
/// contact->problem.list. Returns how many are held.
static int list_beside(trm_contact *contact, int k, int limits)
{
    int *const list = contact->problem.list, held = 0, n = 0;
    const int all = trm_contact_list_held(contact);
    for (int i = 0; i < all; i++) {
        list[held] = list[i];
        held += !limits || trm_hold_is_limit(contact->hold[list[i]]);
    }
    list[held] = k;
    (void)trm_contact_find_blocks(contact, held + 1, list);
    for (int i = 0; i < held; i++) {
        list[n] = list[i];
        n += contact->blocks.block[i] == contact->blocks.block[held];
    }
    list[n] = k;
    return n;
}

/// S[r*r] := W of the r rows behind the n held ones in contact->problem.list, without what these
/// move; contact->problem.b: by which sum of them the last one moves. Returns nonzero where numbers
/// are not finite.
static int leave_held(trm_contact *contact, trm_run *run, int n, int r, double *S)
{
    const int m = n + r;
    const double *const W = contact->problem.W;
    double *const x = contact->problem.b;
    int code = 0;
    trm_contact_solve_responses(contact, run->system, m, contact->problem.list);
    trm_contact_form_delassus(contact, run->system, m, contact->problem.list);
    for (int j = n; j < m && !code; j++) {
        for (int i = 0; i < n; i++) {
            x[i] = W[i * m + j];
        }
        code =
            trm_semidefinite_solve(&contact->problem.complementarity, n, NULL, W, m, INFINITY, x);
        for (int i = n; i < m; i++) {
            double *const left = &S[(i - n) * r + j - n];
            *left = W[i * m + j];
            for (int h = 0; h < n; h++) {
                *left -= W[i * m + h] * x[h];
            }
        }
    }
    return code;
}

int trm_contact_depends_on(trm_contact *contact, trm_run *run, int k, int limits)
{
    const int n = list_beside(contact, k, limits), last = (n + 1) * (n + 1) - 1;
    double left;
    return !leave_held(contact, run, n, 1, &left) &&
           left <= TRM_CONTACT_ALIKE * contact->problem.W[last];
}

/// Turns the tangents of the pair of row k by an angle, and looks at the rows anew.
static void turn_pair(trm_contact *contact, trm_run *run, int k, double angle)
{
    const int mate = contact->model->contacts[k].mate;
    double *const turned[] = {contact->at, contact->aim, contact->force, contact->share};
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        trm_plane_turn(turned[i] + k, turned[i] + mate, cos(angle), sin(angle));
    }
    trm_plane_turn(contact->turn + k, contact->turn + mate, cos(angle), -sin(angle));
    trm_contact_evaluate(contact, run->system, run->now.t, run->now.z, TRM_CONTACT_ALL);
}

int trm_contact_turn_to_joints(trm_contact *contact, trm_run *run, int k)
{
    const int mate = contact->model->contacts[k].mate, rows[] = {k, mate};
    const trm_sparse_row *const own = &contact->sparse[k], *const other = &contact->sparse[mate];
    double *const G = contact->work.f, *const along = contact->trial.a, whole;
    trm_contact_solve_responses(contact, run->system, 2, rows);
    trm_contact_form_delassus(contact, run->system, 2, rows);
    const double *const W = contact->problem.W;
    const double angle = 0.5 * atan2(2 * W[1], W[0] - W[3]), c = cos(angle), s = sin(angle);
    for (int i = 0; i < own->n; i++) {
        G[i] = c * other->G[i] - s * own->G[i];
        along[i] = c * other->C[i] - s * own->C[i];
    }
    const int depends = trm_contact_depends(contact, run->system, k, G, along, &whole);
    if (depends) {
        turn_pair(contact, run, k, angle);
    }
    return depends;
}

int trm_contact_turn_to_held(trm_contact *contact, trm_run *run, int k, int limits)
{
    const int n = list_beside(contact, k, limits), m = n + 2;
    const double *const W = contact->problem.W;
    double S[4];
    contact->problem.list[n + 1] = contact->model->contacts[k].mate;
    if (leave_held(contact, run, n, 2, S)) {
        return 0;
    }
    const double whole = TRM_CONTACT_ALIKE * (W[n * m + n] + W[(n + 1) * m + n + 1]);
    const double apart = S[0] - S[3], part = hypot(apart, 2 * S[1]), sum = S[0] + S[3];
    const int decided = (n > 0 && sum - part <= 2 * whole) + (n > 0 && sum + part <= 2 * whole);
    if (decided == 1) {
        turn_pair(contact, run, k, 0.5 * atan2(2 * S[1], apart));
    }
    return decided;
}

/// What is free and does not move: limits without force, and friction at its bound that others keep
/// from sliding.
void trm_contact_note_at_rest(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal;
        if (normal >= 0 && !contact->hold[normal]) { // friction of what is open
            trm_contact_release(contact, k, 0);
            continue;
        }
        const int still =
            as[k] && !contact->hold[k] &&
            fabs(trm_contact_acceleration(contact, run, k)) <= trm_contact_noise(contact, run, k);
        const int halted = contact->at_rest[k] && contact->driven[k] == TRM_CONTACT_LED;
        contact->at_rest[k] =
            halted ||
            (still && (trm_hold_is_limit(as[k]) || trm_contact_depends_on(contact, run, k, 0)));
        if (trm_contact_is_second(contact, k)) {
            const int first = contact->model->contacts[k].mate;
            contact->at_rest[k] = contact->at_rest[first] =
                contact->at_rest[k] && contact->at_rest[first];
        }
    }
}
