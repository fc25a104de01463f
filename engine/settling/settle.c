/// Which contacts are held, stick, slide or open at now. Forces of all that touch and rest are one
/// complementarity problem (complementarity.h, coulomb.h); friction by a joint's reaction makes it
/// nonlinear. So a solution is found in turn by
///
///   1  all held, redundant ones sharing their load;
///   2  the complementarity problem, by a method that ends;
///   3  changing the row that fits worst, from there;
///   4  all ways in which each may be held, slide or open, where they are few.
///
/// Each is tried on the equations themselves: what fits there is what counts.
#include "engine/settling/settle.h"

#include "engine/contact/projected.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_contact_let_go(trm_contact *contact, int k, int slip)
{
    const int rows[] = {k, contact->model->contacts[k].mate};
    for (int i = 0; i < 2 && rows[i] >= 0; i++) {
        contact->hold[rows[i]] = TRM_FREE;
        contact->force[rows[i]] = 0;
        contact->rests[rows[i]] = 0;
        contact->slip[rows[i]] = contact->model->contacts[k].friction.given ? slip : 0;
    }
}

static double held_at(const trm_contact *contact, int k, int as)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    return as == TRM_AT_LOW ? row->lo : as == TRM_AT_HIGH ? row->hi : contact->x[k];
}

static int is_limit(int as)
{
    return as == TRM_AT_LOW || as == TRM_AT_HIGH;
}

int trm_contact_accelerate(trm_run *run)
{
    trm_point_of_run *now = &run->now;
    return trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
}

double trm_contact_acceleration(const trm_contact *contact, const trm_run *run, int k)
{
    const double *a = run->now.dz + run->system->nq, *G = contact->G + k * contact->nv;
    double sum = contact->rest[k];
    for (int i = 0; i < contact->nv; i++) {
        sum += G[i] * a[i];
    }
    return sum;
}

/// What of that is roundoff: a part of what the accelerations could make of x in any direction,
/// those by the forces alone (contact->f) and those that the rates give, since a direction is known
/// to roundoff too.
static double noise(const trm_contact *contact, const trm_run *run, int k)
{
    const int nq = run->system->nq;
    const double *a = run->now.dz + nq, *v = run->now.z + nq, *G = contact->G + k * contact->nv;
    const double *size = run->extent.v;
    double reach = 0, most = 0, turning = 0;
    for (int i = 0; i < nq; i++) {
        turning = fmax(fabs(run->now.dz[i]) / run->extent.q[i], turning);
    }
    for (int i = 0; i < contact->nv; i++) {
        reach += fabs(G[i]) * size[i];
        most = fmax((fabs(a[i]) + fabs(contact->f[i]) + turning * fabs(v[i])) / size[i], most);
    }
    return TRM_CONTACT_ROUNDOFF * (fabs(contact->rest[k]) + reach * most);
}

double trm_contact_rate_noise(const trm_contact *contact, const trm_run *run, int k)
{
    const double *v = run->now.z + run->system->nq, *G = contact->G + k * contact->nv;
    double scale = 0;
    for (int i = 0; i < contact->nv; i++) {
        scale += fabs(G[i] * v[i]);
    }
    return TRM_CONTACT_ROUNDOFF * scale;
}

int trm_contact_look_now(trm_run *run)
{
    trm_system *system = run->system;
    int code = trm_system_position(system, run->now.t, run->now.z);
    code = code || system->nc == 0 ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (!code) {
        trm_contact_look(run->contact, system, run->now.t, run->now.z);
    }
    return code;
}

void trm_contact_candidates(trm_run *run, int *as)
{
    trm_contact *contact = run->contact;
    const double little = run->options.tolerance;
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *row = &contact->model->contacts[k];
        const double below = contact->x[k] - row->lo, above = row->hi - contact->x[k];
        const int there = fmin(below, above) <= little && fabs(contact->rate[k]) <= little;
        const int limit = below <= above ? TRM_AT_LOW : TRM_AT_HIGH;
        contact->rests[k] = contact->rests[k] && (contact->slip[k] || there); // or it has left
        as[k] = !contact->rests[k] ? contact->hold[k] : contact->slip[k] ? TRM_STICKS : limit;
    }
}

// --------------------------------------------------------------------------------------- one try

/// Row k is held, or free; friction that it loads goes with it.
void trm_contact_set_held(trm_contact *contact, const int *as, int k, int held)
{
    contact->hold[k] = held ? as[k] : TRM_FREE;
    contact->at[k] = held ? held_at(contact, k, as[k]) : contact->at[k];
    contact->force[k] = 0;
    contact->rests[k] = 0;
    for (int i = 0; i < contact->n; i++) {
        if (contact->model->contacts[i].normal == k || contact->model->contacts[i].mate == k) {
            contact->hold[i] = held ? as[i] : TRM_FREE;
            contact->at[i] = contact->x[i];
            contact->force[i] = 0;
        }
    }
}

/// Friction of stops: none where they are open; where they have just closed it sticks or slides as
/// it moves.
static void set_tangents(const trm_run *run, int *as)
{
    trm_contact *contact = run->contact;
    for (int k = 0; k < contact->n; k++) {
        const int normal = contact->model->contacts[k].normal;
        if (normal < 0 || trm_contact_is_second(contact, k)) {
            continue;
        }
        const double still = run->stats.steps == 0 ? run->options.tolerance
                                                   : trm_contact_rate_noise(contact, run, k);
        if (!as[normal]) {
            trm_contact_let_go(contact, k, 0);
            as[k] = TRM_FREE;
        } else if (!as[k] && !contact->slip[k]) {
            const double rate = trm_contact_length(contact, contact->rate, k);
            as[k] = rate <= still ? TRM_STICKS : TRM_FREE;
            trm_contact_aim(contact, contact->rate, 1, k);
            trm_contact_let_go(contact, k, as[k] ? 0 : contact->rate[k] > 0 ? 1 : -1);
        }
        if (contact->model->contacts[k].mate >= 0) {
            as[contact->model->contacts[k].mate] = as[k];
        }
    }
}

/// The largest acceleration by a force of one along the pair of row k, by its bodies alone: what
/// joints hold moves less.
static double response(const trm_contact *contact, trm_run *run, int k)
{
    const int nv = contact->nv;
    double *const a = contact->dz, sum = 0;
    memcpy(a, contact->G + k * nv, (size_t)nv * sizeof *a);
    trm_system_solve_M(run->system, a);
    for (int i = 0; i < nv; i++) {
        sum += contact->G[k * nv + i] * a[i];
    }
    return sum;
}

/// The same of friction in space.
static double misfit_of_pair(const trm_contact *contact, trm_run *run, int k, int mate)
{
    if (contact->hold[k]) {
        return (trm_contact_length(contact, contact->force, k) - contact->load[k]) /
               (trm_contact_pair_grain(contact, k) + DBL_MIN);
    }
    const double along = contact->aim[k] * trm_contact_acceleration(contact, run, k) +
                         contact->aim[mate] * trm_contact_acceleration(contact, run, mate);
    const double shared = contact->model->npairs > 1 ? TRM_CONTACT_SHARE * contact->load[k] : 0;
    return -along / (noise(contact, run, k) + noise(contact, run, mate) +
                     shared * response(contact, run, k) + DBL_MIN);
}

/// How far candidate k is from its condition, in units of its roundoff; more than one: it has to
/// change.
static double misfit(const trm_contact *contact, trm_run *run, const int *as, int k)
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
    const int limit = as[k] == TRM_AT_LOW ? 1 : as[k] == TRM_AT_HIGH ? -1 : contact->slip[k];
    return -limit * trm_contact_acceleration(contact, run, k) / (noise(contact, run, k) + DBL_MIN);
}

static void note_floors(trm_contact *contact, const trm_run *run)
{
    int n = trm_contact_list_held(contact), m = n;
    for (int k = 0; k < contact->n; k++) {
        m += trm_contact_is_loaded(contact, k);
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->list[i];
        const double W = fmax(contact->W[i * m + i], DBL_MIN);
        contact->floor[k] = noise(contact, run, k) / W;
        contact->grain[k] = fmax(contact->grain[k], contact->floor[k]);
    }
}

/// What a try has shown.
typedef struct outcome {
    int code;    ///< a system's
    int fits;    ///< as all is held now
    int paradox; ///< with a determinant that Painleve's cases have
    int worst;   ///< else the row that fits worst; -1: no forces at all
} outcome;

static outcome try_now(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    outcome o = {.worst = -1};
    double power, most = 1;
    const int code = trm_contact_accelerate(run);
    o.paradox = contact->determinant <= 0;
    o.code = code < 0 ? code : trm_contact_look_now(run);
    if (code || o.code) {
        return o;
    }
    (void)trm_system_free_acceleration(run->system, run->now.z + run->system->nq, contact->f,
                                       &power); // where it succeeded before
    note_floors(contact, run);
    for (int k = 0; k < contact->n; k++) {
        const int normal = contact->model->contacts[k].normal;
        const int idle = normal >= 0 && !contact->hold[normal];
        const double m = as[k] && !idle ? misfit(contact, run, as, k) : 0;
        o.worst = m > most ? k : o.worst;
        most = fmax(m, most);
    }
    o.fits = o.worst < 0;
    return o;
}

/// Whether x of row k can only move where one of the held rows does.
static int is_dependent(trm_contact *contact, trm_run *run, int k)
{
    const int n = trm_contact_list_held(contact), m = n + 1;
    contact->list[n] = k;
    trm_contact_respond(contact, run->system, m, contact->list);
    double own = contact->W[n * m + n], left = own;
    for (int i = 0; i < n; i++) {
        contact->b[i] = contact->W[i * m + n];
    }
    if (trm_semidefinite_solve(&contact->complementarity, n, NULL, contact->W, m, INFINITY,
                               contact->b)) {
        return 0;
    }
    for (int i = 0; i < n; i++) {
        left -= contact->W[n * m + i] * contact->b[i];
    }
    return left <= TRM_CONTACT_ALIKE * own;
}

/// What is free and does not move: limits without force, and friction at its bound that others keep
/// from sliding.
static void note_rests(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    for (int k = 0; k < contact->n; k++) {
        const int normal = contact->model->contacts[k].normal;
        const int idle = normal >= 0 && !contact->hold[normal];
        const int still = as[k] && !contact->hold[k] && !idle &&
                          fabs(trm_contact_acceleration(contact, run, k)) <= noise(contact, run, k);
        contact->rests[k] = still && (is_limit(as[k]) || is_dependent(contact, run, k));
        if (trm_contact_is_second(contact, k)) {
            const int first = contact->model->contacts[k].mate;
            contact->rests[k] = contact->rests[first] = contact->rests[k] && contact->rests[first];
        }
    }
}

// --------------------------------------------------------------------- the complementarity problem

/// Candidates and the friction that slides on them, into contact->list, and their places by row.
static int list_problem(trm_contact *contact, const int *as)
{
    int n = 0;
    for (int k = 0; k < contact->n; k++) {
        const int normal = contact->model->contacts[k].normal;
        const int slides = normal >= 0 && as[normal] && contact->slip[k];
        contact->kin[k] = as[k] || slides ? n : -1;
        n += contact->kin[k] >= 0;
        if (contact->kin[k] >= 0) {
            contact->list[contact->kin[k]] = k;
        }
    }
    return n;
}

/// Its rows, with all candidates free.
static void set_problem(trm_run *run, const int *as, int n)
{
    trm_contact *contact = run->contact;
    for (int i = 0; i < n; i++) {
        const int k = contact->list[i], normal = contact->model->contacts[k].normal;
        trm_coulomb_row *row = &contact->coulomb.row[i];
        *row = (trm_coulomb_row){.kin = -1, .mate = -1};
        contact->hold[k] = as[k];
        trm_contact_bounds(contact, k, &row->lo, &row->hi);
        contact->hold[k] = TRM_FREE;
        if (normal >= 0) {
            row->kin = contact->kin[normal];
            row->mu = contact->model->contacts[k].coefficient;
            row->slip = as[k] ? 0 : contact->slip[k];
        }
        const int mate = contact->model->contacts[k].mate;
        trm_contact_find_way(contact, run->now.z + run->system->nq, k);
        row->way = contact->way[k];
        row->mate = mate >= 0 ? contact->kin[mate] : -1;
        contact->lo[i] = row->lo;
        contact->hi[i] = row->hi;
        contact->b[i] = trm_contact_acceleration(contact, run, k);
        contact->noise[i] = noise(contact, run, k);
        contact->floor[k] = contact->noise[i] / fmax(contact->W[i * n + i], DBL_MIN);
    }
}

/// The same with friction in space, to roundoff of the accelerations.
static int solve_in_space(trm_contact *contact, int n)
{
    enum { SWEEPS = 100000 };
    double least = DBL_MIN;
    for (int i = 0; i < n; i++) {
        least = fmax(least, contact->noise[i]);
        contact->p[i] = 0;
    }
    return trm_projected_solve(n, contact->coulomb.row, contact->W, contact->b, least, SWEEPS,
                               contact->p);
}

/// Forces contact->p of its n rows, and accelerations contact->u with them. Returns nonzero where
/// none are found.
static int solve_problem(trm_contact *contact, int n)
{
    const int failed =
        contact->model->npairs > 0 ? solve_in_space(contact, n)
        : contact->model->nloaded > 0
            ? trm_coulomb_solve(&contact->coulomb, n, contact->W, contact->b, contact->noise,
                                contact->p)
            : trm_complementarity_solve(&contact->complementarity, n, contact->W, contact->b,
                                        contact->lo, contact->hi, contact->noise, contact->p);
    for (int i = 0; !failed && i < n; i++) {
        contact->u[i] = contact->b[i];
        for (int j = 0; j < n; j++) {
            contact->u[i] += contact->W[i * n + j] * contact->p[j];
        }
    }
    return failed;
}

/// Rows i and j of the problem, friction in space, both set as held, stick or slide.
static void adopt_pair(trm_contact *contact, int i, int j)
{
    const trm_coulomb_row *row = &contact->coulomb.row[i];
    const int k = contact->list[i], mate = contact->list[j];
    const double press = contact->p[row->kin], most = row->mu * press;
    const double p = hypot(contact->p[i], contact->p[j]), w = hypot(contact->u[i], contact->u[j]);
    if (!(press > 0)) {
        trm_contact_let_go(contact, k, 0);
    } else if (p >= most * (1 - TRM_CONTACT_USED_UP) && w > contact->noise[i] + contact->noise[j]) {
        contact->aim[k] = contact->u[i] / w;
        contact->aim[mate] = contact->u[j] / w;
        trm_contact_let_go(contact, k, 1);
    }
}

/// Row i of the problem is held, or free to move the way that its acceleration points. Returns
/// nonzero where it has broken loose from friction that holds more than it slides with.
static int adopt_row(trm_contact *contact, const int *as, int i)
{
    const trm_coulomb_row *row = &contact->coulomb.row[i];
    const int k = contact->list[i], friction = row->kin >= 0;
    const double p = contact->p[i], w = contact->u[i], least = contact->noise[i];
    const double most = friction ? row->mu * contact->p[row->kin] : 0;
    const double lo = friction ? -most : row->lo, hi = friction ? most : row->hi;
    const double rim = friction ? TRM_CONTACT_USED_UP * most : 0;
    const trm_scene_friction *f = &contact->model->contacts[k].friction;
    contact->hold[k] = as[k];
    contact->at[k] = held_at(contact, k, as[k]);
    contact->rests[k] = 0;
    if (row->mate >= 0) {
        if (row->mate < i) {
            adopt_pair(contact, row->mate, i);
        }
        return 0;
    }
    if (friction && !(contact->p[row->kin] > 0)) {
        trm_contact_let_go(contact, k, 0);
    } else if ((p <= lo + rim && w > least) || (p >= hi - rim && w < -least)) {
        trm_contact_let_go(contact, k, p <= lo + rim ? 1 : -1);
        return f->given && f->sticking > f->sliding;
    } else if (p == 0 && (lo == 0 || hi == 0)) {
        trm_contact_let_go(contact, k, 0);
    }
    return 0;
}

/// The same of friction in space whose first row is i of the problem.
static void set_pair_used_up(trm_run *run, int i, int loose)
{
    trm_contact *contact = run->contact;
    const int k = contact->row[i], j = contact->coulomb.row[i].mate;
    const int mate = contact->model->contacts[k].mate;
    if (mate < k || contact->hold[k] != TRM_STICKS) {
        return;
    }
    const double x = contact->back[i], y = contact->back[j], p = hypot(x, y);
    contact->hold[k] = contact->hold[mate] = TRM_FREE;
    const int used = p > 0 && p >= contact->phi[i] * (1 - TRM_CONTACT_USED_UP);
    if (used &&
        (k == loose || (is_dependent(contact, run, k) && is_dependent(contact, run, mate)))) {
        contact->aim[k] = -x / p;
        contact->aim[mate] = -y / p;
        trm_contact_let_go(contact, k, 1);
    } else {
        contact->hold[k] = contact->hold[mate] = TRM_STICKS;
    }
}

/// Friction used up, of rows that do not slide since others keep them: their force stays at its
/// bound. Of row `loose` it is, and about to slide.
static void set_used_up(trm_run *run, int n, int loose)
{
    trm_contact *contact = run->contact;
    for (int i = 0; i < n; i++) {
        const int k = contact->row[i];
        if (k >= 0 && contact->model->contacts[k].mate >= 0) {
            set_pair_used_up(run, i, loose);
        } else if (k >= 0 && contact->hold[k] == TRM_STICKS) {
            const double p = contact->back[i], most = contact->phi[i];
            contact->hold[k] = TRM_FREE;
            if (fabs(p) >= most * (1 - TRM_CONTACT_USED_UP) &&
                (k == loose || is_dependent(contact, run, k))) {
                trm_contact_let_go(contact, k, p < 0 ? 1 : -1);
            } else {
                contact->hold[k] = TRM_STICKS;
            }
        }
    }
}

/// The complementarity problem of all candidates, with accelerations that none of them presses.
/// *n: its rows, those of contact->list. Returns a system's code.
static int pose_problem(trm_run *run, const int *as, int *n)
{
    trm_contact *contact = run->contact;
    double power;
    for (int k = 0; k < contact->n; k++) {
        if (as[k]) {
            trm_contact_let_go(contact, k, 0);
        }
    }
    int code = trm_contact_accelerate(run);
    code = code ? code : trm_contact_look_now(run);
    if (code) {
        return code;
    }
    *n = list_problem(contact, as);
    trm_contact_respond(contact, run->system, *n, contact->list);
    (void)trm_system_free_acceleration(run->system, run->now.z + run->system->nq, contact->f,
                                       &power); // where it succeeded before
    set_problem(run, as, *n);
    return 0;
}

/// All candidates as the complementarity problem says. *broken: see adopt_row. Returns a system's
/// code, or 1: it has no solution.
static int propose(trm_run *run, const int *as, int loose, int *broken)
{
    trm_contact *contact = run->contact;
    int n;
    const int code = pose_problem(run, as, &n);
    if (code || solve_problem(contact, n)) {
        return code ? code : 1;
    }
    *broken = 0;
    for (int i = 0; i < n; i++) {
        const int k = contact->list[i];
        const trm_coulomb_row *row = &contact->coulomb.row[i];
        contact->back[i] = contact->p[i];
        const trm_scene_friction *f = &contact->model->contacts[k].friction;
        const int drops = row->lo != -row->hi || f->sticking > f->sliding;
        contact->phi[i] = row->kin >= 0 ? row->mu * contact->p[row->kin] : row->hi;
        contact->row[i] = as[k] && (row->kin >= 0 || !drops) ? k : -1;
        *broken |= as[k] ? adopt_row(contact, as, i) : 0;
        contact->share[k] = 0;
    }
    set_used_up(run, n, loose);
    return 0;
}

// ------------------------------------------------------------------------------ shares of friction

/// What a candidate does in the next try: contact->stays.
enum { HELD, SLIDES, OPEN };

/// As all is held now.
static void note_stays(trm_contact *contact, const int *as)
{
    for (int k = 0; k < contact->n; k++) {
        const int slides = contact->model->contacts[k].mate >= 0 && contact->slip[k];
        contact->stays[k] = !as[k] || contact->hold[k] ? HELD : slides ? SLIDES : OPEN;
    }
}

/// One try: pairs as contact->stays says, what else may be held as it is now. Rows that depend on
/// each other share as before.
static outcome try_stays(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    for (int k = 0; k < contact->n; k++) {
        if (as[k]) {
            contact->hold[k] = contact->stays[k] == HELD ? as[k] : TRM_FREE;
            contact->at[k] = held_at(contact, k, as[k]);
            contact->slip[k] = contact->stays[k] == SLIDES;
            contact->force[k] = 0;
            contact->rests[k] = 0;
        }
    }
    const outcome o = try_now(run, as);
    memcpy(contact->press, contact->force, (size_t)contact->n * sizeof *contact->press);
    return o;
}

/// The forces of friction under the loads of the last try; the rows of contact->list. Returns a
/// system's code, or 1: there are none.
static int solve_under_loads(trm_run *run, const int *as, int *n)
{
    trm_contact *contact = run->contact;
    const int code = pose_problem(run, as, n);
    for (int i = 0; !code && i < *n; i++) {
        trm_coulomb_row *row = &contact->coulomb.row[i];
        const int k = contact->list[i], begins = as[k] && contact->stays[k] == SLIDES;
        if (row->kin >= 0) {
            trm_coulomb_row *normal = &contact->coulomb.row[row->kin];
            normal->lo = normal->hi = fmax(contact->press[contact->list[row->kin]], 0);
            row->slip = begins ? 1 : row->slip;
            row->way = begins ? contact->aim[k] : row->way;
        }
    }
    return code ? code : solve_problem(contact, *n);
}

/// The rows of pairs that stick in the last try, places among those of W: into contact->row.
/// Returns how many; *stride is that of W.
static int list_pairs(trm_contact *contact, int *stride)
{
    const int held = trm_contact_list_held(contact);
    int m = 0;
    *stride = held;
    for (int k = 0; k < contact->n; k++) {
        *stride += trm_contact_is_loaded(contact, k);
    }
    for (int i = 0; i < held; i++) {
        if (contact->model->contacts[contact->list[i]].mate >= 0) {
            contact->row[m++] = i;
        }
    }
    return m;
}

/// mu N of a held row's pair.
static double bound_of(const trm_contact *contact, int k)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    return row->coefficient * fabs(contact->press[row->normal]);
}

/// contact->p of m rows := S W (W S W)^+ W T, S = s^2: of all that do what forces T do, the least
/// of sum (p/s)^2. Returns nonzero where it is not found.
static int weigh(trm_contact *contact, int m, int stride, const double *s, const double *T)
{
    double *const A = contact->J, *const W = contact->part, *const y = contact->h;
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int j = 0; j < m; j++) {
            W[i * m + j] = contact->W[contact->row[i] * stride + contact->row[j]];
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
    const int code = trm_semidefinite_solve(&contact->complementarity, m, NULL, A, m, INFINITY, y);
    for (int i = 0; i < m; i++) {
        contact->p[i] = 0;
        for (int j = 0; j < m; j++) {
            contact->p[i] += s[i] * s[i] * W[i * m + j] * y[j];
        }
    }
    return code;
}

/// Shares of the friction that sticks, from its forces in the last try, so that the largest part of
/// its bound that a pair uses is small: weighted least squares, the weights multiplied by these
/// parts in turn [Lawson 1961; Rice, Usow, Math. Comp. 22 (1968)]. Returns that largest part.
static double balance(trm_contact *contact)
{
    enum { TURNS = 200 };
    const double enough = 0.5; // a load may double, or turn by half a right angle
    double *const T = contact->phi, *const s = contact->back, best = INFINITY;
    int stride;
    const int m = list_pairs(contact, &stride);
    for (int i = 0; i < m; i++) {
        const int k = contact->list[contact->row[i]];
        T[i] = contact->press[k];
        s[i] = bound_of(contact, k); // the weight is (bound/s)^2
    }
    for (int turn = 0; turn < TURNS && best > enough; turn++) {
        double largest = 0;
        if (weigh(contact, m, stride, s, T)) {
            break;
        }
        for (int i = 0; i + 1 < m; i += 2) { // the rows of a pair stand together
            const double bound = bound_of(contact, contact->list[contact->row[i]]);
            const double part = bound > 0 ? hypot(contact->p[i], contact->p[i + 1]) / bound : 0;
            largest = fmax(largest, part);
            s[i] = s[i + 1] = part > 0 ? s[i] / sqrt(part) : s[i];
        }
        for (int i = 0; i < m; i++) {
            s[i] *= sqrt(largest); // of size one again: a common factor changes nothing
            if (largest < best) {
                contact->share[contact->list[contact->row[i]]] = contact->p[i];
            }
        }
        best = fmin(largest, best);
    }
    return best;
}

/// Points that stick on a rigid body share its load in many ways. They hold it under the smallest
/// forces that press where there is one in their cones. bound: what holds without shares is at its
/// bound, and does not count.
static outcome spread(trm_run *run, const int *as, int bound)
{
    trm_contact *contact = run->contact;
    memset(contact->share, 0, (size_t)contact->n * sizeof *contact->share);
    const outcome o = try_stays(run, as);
    if (o.code || (o.fits && !bound) || (!o.fits && o.worst < 0)) {
        return o;
    }
    return balance(contact) < 1 - 2 * TRM_CONTACT_SHARE ? try_stays(run, as)
                                                        : (outcome){.worst = bound ? 0 : o.worst};
}

/// What begins to slide, by the forces that press in the last try; these follow from that in turn.
static outcome slide_in_turn(trm_run *run, const int *as)
{
    enum { TURNS = 50 };
    trm_contact *contact = run->contact;
    outcome o = {.worst = -1};
    for (int turn = 0; turn < TURNS && !o.code && !o.fits; turn++) {
        int n;
        const int code = solve_under_loads(run, as, &n);
        if (code) {
            return (outcome){.code = code < 0 ? code : 0, .worst = -1};
        }
        for (int i = 0; i < n; i++) {
            const int k = contact->list[i], j = contact->coulomb.row[i].mate;
            if (j > i && as[k] && contact->stays[k] != OPEN) {
                contact->hold[k] = contact->hold[contact->list[j]] = TRM_STICKS;
                adopt_pair(contact, i, j);
                contact->stays[k] = contact->stays[contact->list[j]] =
                    contact->hold[k] ? HELD : SLIDES;
            }
        }
        o = spread(run, as, 0);
    }
    return o;
}

// ------------------------------------------------------------------------------------ other ways

static void change(trm_contact *contact, const int *as, int k)
{
    if (!contact->hold[k]) {
        const int mate = contact->model->contacts[k].mate;
        contact->slip[k] = 0;
        contact->slip[mate >= 0 ? mate : k] = 0;
        trm_contact_set_held(contact, as, k, 1);
        return;
    }
    double lo, hi;
    trm_contact_bounds(contact, k, &lo, &hi);
    const int slip = contact->force[k] < lo ? 1 : -1;
    trm_contact_aim(contact, contact->force, -1, k);
    trm_contact_set_held(contact, as, k, 0);
    trm_contact_let_go(contact, k, as[k] == TRM_STICKS ? slip : 0);
}

/// From what is held now, the worst row first.
static outcome change_worst(trm_run *run, const int *as)
{
    enum { CHANGES = 20 }; // per row
    outcome o = try_now(run, as);
    for (int k = 0; k < CHANGES * (run->contact->n + 1); k++) {
        if (o.code || o.fits || o.worst < 0) {
            break;
        }
        change(run->contact, as, o.worst);
        o = try_now(run, as);
    }
    return o;
}

enum { WAYS = 4096 }; ///< of six corners with friction; as many evaluations

/// In how many ways row k may be held. Friction in space at rest, both rows of it, sticks or slides
/// towards its aim.
static int ways_of(const trm_contact *contact, const int *as, int k)
{
    const int pair = contact->model->contacts[k].mate >= 0;
    return !as[k] || trm_contact_is_second(contact, k) ? 1 : as[k] == TRM_STICKS && !pair ? 3 : 2;
}

/// Row k in its way `way`: held, open or sliding.
static void set_way(trm_contact *contact, const int *as, int k, int way)
{
    const int normal = contact->model->contacts[k].normal, mate = contact->model->contacts[k].mate;
    const int idle = normal >= 0 && as[normal] && !contact->hold[normal];
    if (!as[k] || trm_contact_is_second(contact, k)) {
        return;
    }
    trm_contact_let_go(contact, k, 0);
    if (way == 0 && !idle) {
        contact->hold[k] = as[k];
        contact->at[k] = held_at(contact, k, as[k]);
        contact->hold[mate >= 0 ? mate : k] = as[k];
        contact->at[mate >= 0 ? mate : k] = held_at(contact, mate >= 0 ? mate : k, as[k]);
    } else if (as[k] == TRM_STICKS && !idle) {
        trm_contact_let_go(contact, k, way == 1 ? 1 : -1);
    }
}

/// Number `number` of all ways. Returns zero where another number says the same: friction of what
/// is open.
static int set_ways(trm_contact *contact, const int *as, long number)
{
    int own = 1;
    for (int k = 0; k < contact->n; k++) { // a stop stands before its friction
        const int ways = ways_of(contact, as, k), way = (int)(number % ways);
        const int normal = contact->model->contacts[k].normal;
        number /= ways;
        set_way(contact, as, k, way);
        own &= !(normal >= 0 && as[k] && !contact->hold[normal] && way > 0);
    }
    return own;
}

/// Whether two motions are the same.
static int is_same(const trm_contact *contact, const trm_run *run, const double *a)
{
    const double *now = run->now.dz + run->system->nq;
    double most = 0, apart = 0;
    for (int i = 0; i < contact->nv; i++) {
        most = fmax(most, (fabs(now[i]) + fabs(contact->f[i])) / run->extent.v[i]);
        apart = fmax(apart, fabs(now[i] - a[i]) / run->extent.v[i]);
    }
    return apart <= 1e3 * TRM_CONTACT_ROUNDOFF * most;
}

/// The first of all ways that fits; several, where two of them move differently. Returns a system's
/// code, TRM_NO_FORCES where there are too many to be tried, or Painleve's.
static int try_all(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    long ways = 1, first = -1, count = 0;
    for (int k = 0; k < contact->n && ways <= WAYS; k++) {
        ways *= ways_of(contact, as, k);
    }
    for (long i = 0; ways <= WAYS && i < ways; i++) {
        const outcome o = set_ways(contact, as, i) ? try_now(run, as) : (outcome){0};
        if (o.code) {
            return o.code;
        }
        if (o.fits && count++ == 0) {
            first = o.paradox ? -1 : i;
            memcpy(contact->a, run->now.dz + run->system->nq, (size_t)contact->nv * sizeof(double));
        } else if (o.fits && !is_same(contact, run, contact->a)) {
            return TRM_SEVERAL_MOTIONS;
        }
    }
    if (ways > WAYS) {
        return TRM_NO_FORCES;
    }
    (void)(first >= 0 && set_ways(contact, as, first));
    return first < 0 ? TRM_NO_MOTION : try_now(run, as).code;
}

/// The row that a refusal names: a stop that is loaded, or friction of a joint.
static int row_to_name(const trm_contact *contact, const int *as)
{
    int named = -1;
    for (int k = contact->n - 1; k >= 0; k--) {
        const int loaded = contact->slip[k] && contact->model->contacts[k].coefficient > 0;
        const int normal = contact->model->contacts[k].normal;
        named = (as[k] && named < 0) || loaded ? (normal >= 0 ? normal : k) : named;
    }
    return named < 0 ? 0 : named;
}

static void hold_all(trm_contact *contact, const int *as)
{
    for (int k = 0; k < contact->n; k++) {
        if (as[k]) {
            contact->slip[k] = 0;
            contact->hold[k] = as[k];
            contact->at[k] = held_at(contact, k, as[k]);
            contact->rests[k] = 0;
        }
    }
}

/// Friction of what is open.
static void drop_tangents(trm_contact *contact)
{
    for (int k = 0; k < contact->n; k++) {
        const int normal = contact->model->contacts[k].normal;
        if (normal >= 0 && !contact->hold[normal]) {
            trm_contact_let_go(contact, k, 0);
        }
    }
}

static void keep(trm_contact *contact, int back)
{
    const size_t ints = (size_t)contact->n * sizeof(int);
    const size_t doubles = (size_t)contact->n * sizeof(double);
    memcpy(back ? contact->hold : contact->hold_before, back ? contact->hold_before : contact->hold,
           ints);
    memcpy(back ? contact->slip : contact->slip_before, back ? contact->slip_before : contact->slip,
           ints);
    memcpy(back ? contact->share : contact->share_before,
           back ? contact->share_before : contact->share, doubles);
}

/// By the shares found last, which leave no friction to be had: what is at its bound slides.
static void let_used_up_slide(trm_contact *contact, const int *as)
{
    const double near = 1e-3; // far above what a part is known to, far below what is not used up
    for (int k = 0; k < contact->n; k++) {
        const int mate = contact->model->contacts[k].mate;
        const int sticks = mate > k && as[k] && contact->stays[k] == HELD;
        if (sticks &&
            trm_contact_length(contact, contact->share, k) >= (1 - near) * bound_of(contact, k)) {
            trm_contact_aim(contact, contact->share, -1, k);
            contact->stays[k] = contact->stays[mate] = SLIDES;
        }
    }
}

/// Row `loose`, a pair, has come to the bound of its friction: the other points may take more.
static outcome others_take_more(trm_run *run, const int *as, int loose)
{
    trm_contact *contact = run->contact;
    keep(contact, 0);
    memset(contact->stays, 0, (size_t)contact->n * sizeof *contact->stays);
    if (!is_dependent(contact, run, loose)) {
        return (outcome){.worst = -1};
    }
    outcome o = spread(run, as, 1);
    if (!o.code && !o.fits) {
        let_used_up_slide(contact, as);
        o = try_stays(run, as);
    }
    if (!o.fits) {
        keep(contact, 1);
    }
    return o;
}

/// What fits, from the first try `o` on.
static outcome search(trm_run *run, const int *as, int loose, outcome o)
{
    trm_contact *contact = run->contact;
    const int pairs = contact->model->npairs > 0;
    int broken = 0;
    if (pairs) {
        memset(contact->stays, 0, (size_t)contact->n * sizeof *contact->stays);
        o = spread(run, as, 0);
    }
    if (o.code || o.fits || o.paradox) {
        return o;
    }
    const int code = propose(run, as, loose, &broken);
    if (code < 0) {
        return (outcome){.code = code, .worst = -1};
    }
    o = code ? o : try_now(run, as);
    if (pairs && !code && !o.code && !o.fits && !o.paradox) {
        note_stays(contact, as);
        o = spread(run, as, 0);
        o = o.code || o.fits ? o : slide_in_turn(run, as);
    }
    return o.code || o.fits || o.paradox ? o : change_worst(run, as);
}

int trm_contact_settle(trm_run *run, int *as, int loose)
{
    trm_contact *contact = run->contact;
    outcome o = {.worst = -1};
    int code = trm_contact_look_now(run);
    if (code) {
        return code;
    }
    set_tangents(run, as);
    const int name = row_to_name(contact, as);
    if (loose == TRM_ALL_ANEW) {
        hold_all(contact, as);
        memset(contact->share, 0, (size_t)contact->n * sizeof *contact->share);
    }
    if (loose >= 0 && contact->model->contacts[loose].mate >= 0) {
        o = others_take_more(run, as, loose);
    }
    o = o.code || o.fits ? o : try_now(run, as);
    o = o.code || o.fits || o.paradox ? o : search(run, as, loose, o);
    code = o.code;
    if (!code && (o.paradox || !o.fits)) {
        code = try_all(run, as);
        code = code >= TRM_NO_MOTION && !o.paradox && contact->model->nloaded == 0 ? TRM_NO_FORCES
                                                                                   : code;
        code = code >= TRM_NO_FORCES ? code + name : code;
    }
    if (!code) {
        note_rests(run, as);
        drop_tangents(contact);
    }
    return code;
}
