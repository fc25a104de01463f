#include "integrators/stabilization/singular_limit.h"
#include "base/linear/sums.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "engine/rank/pivoting.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

trm_limit *trm_limit_layout(const trm_run *run, trm_arena *arena)
{
    void *placed;
    trm_limit counted, *limit = trm_arena_struct(arena, sizeof counted, &counted, &placed);
    const int nc = run->system->nc, nv = run->system->nv;
    const size_t workspace = arena->used;
    trm_rank_loss_layout(&limit->loss, nc, nv, arena);
    const int room = limit->loss.room;
    limit->h = trm_arena_matrix(arena, room, nv);
    limit->p = trm_arena_matrix(arena, room, nv);
    limit->y = trm_arena_matrix(arena, room, nc);
    TRM_ARENA_DOUBLES(arena, room, &limit->c, &limit->rate);
    limit->K = trm_arena_matrix(arena, room, room);
    limit->step = -1;
    TRM_ARENA_DOUBLES(arena, room, &limit->right, &limit->mu);
    TRM_ARENA_INTS(arena, room, &limit->row, &limit->column);
    limit->q = trm_arena_doubles(arena, run->system->nq);
    TRM_ARENA_DOUBLES(arena, nv, &limit->a, &limit->free);
    TRM_ARENA_DOUBLES(arena, nc, &limit->lambda, &limit->gamma, &limit->gamma2);
    trm_arena_workspace(arena, workspace);
    return placed;
}

static double *entry(double *x, int k, int n)
{
    return x + (size_t)k * (size_t)n;
}

/// Make (t + tau, q + tau N v) the current point, and add what the derivatives need of it with this
/// weight.
static int add_side(trm_run *run, double t, const double *z, double tau, double weight)
{
    trm_system *system = run->system;
    trm_limit *limit = run->limit;
    const int nv = system->nv, nc = system->nc;
    const double *v = z + system->nq;
    for (int i = 0; i < nv; i++) {
        limit->a[i] = tau * v[i];
    }
    memcpy(limit->q, z, (size_t)system->nq * sizeof(double));
    trm_system_move(system, limit->a, limit->q);
    int code = trm_system_position(system, t + tau, limit->q);
    code = code ? code : trm_system_gamma(system, v, limit->gamma2);
    for (int k = 0; !code && k < limit->loss.count; k++) {
        const double *w = entry(limit->loss.W, k, nc);
        trm_system_multiply_GT(system, w, limit->a);
        for (int i = 0; i < nv; i++) {
            entry(limit->h, k, nv)[i] += weight * limit->a[i];
        }
        limit->c[k] += weight / 3 * trm_dot(nc, w, limit->gamma2);
        limit->rate[k] += weight * trm_dot(nc, w, system->g_t);
    }
    return code;
}

/// h, c and the rate of each direction; the current point is then (t, q) again.
static int differentiate(trm_run *run, double t, const double *z, double tau)
{
    trm_limit *limit = run->limit;
    memset(limit->h, 0, (size_t)(limit->loss.count * run->system->nv) * sizeof(double));
    memset(limit->c, 0, (size_t)limit->loss.count * sizeof(double));
    memset(limit->rate, 0, (size_t)limit->loss.count * sizeof(double));
    int code = add_side(run, t, z, tau, 1 / (2 * tau));
    code = code ? code : add_side(run, t, z, -tau, -1 / (2 * tau));
    return code ? code : trm_system_position(run->system, t, z);
}

/// p and y of each direction, K = h p, and what is right of K mu = h a - c.
static void set_up(trm_run *run)
{
    trm_system *system = run->system;
    trm_limit *limit = run->limit;
    const int n = limit->loss.count, nv = system->nv;
    for (int k = 0; k < n; k++) {
        double *p = entry(limit->p, k, nv);
        memcpy(p, entry(limit->h, k, nv), (size_t)nv * sizeof(double));
        trm_system_solve_M(system, p);
        trm_rank_loss_keep_others(&limit->loss, system, NULL, p, entry(limit->y, k, system->nc));
    }
    for (int k = 0; k < n; k++) {
        const double *h = entry(limit->h, k, nv);
        limit->right[k] = trm_dot(nv, h, limit->a) - limit->c[k];
        for (int l = 0; l < n; l++) {
            limit->K[k * n + l] = trm_dot(nv, h, entry(limit->p, l, nv));
        }
    }
}

/// Whether the velocity is along one motion, or all but. In each direction [ACC] asks for r =
/// w^T (G a - gamma), a of the other rows. It is a product of sigma and the acceleration that the
/// limit has there, or of the velocity across the motion, 2 h v, `part` of the speed. Nothing
/// corrects that here, so that it is known to the tolerances of some steps only. A corner
/// turns the velocity by about a right angle.
static int is_tangent(trm_run *run, double part, double speed)
{
    trm_system *system = run->system;
    const trm_limit *limit = run->limit;
    const int nc = system->nc, nv = system->nv, n = limit->loss.count;
    double *r = run->work_c;
    trm_system_multiply_G(system, limit->a, r);
    for (int i = 0; i < nc; i++) {
        r[i] -= limit->gamma[i];
    }
    for (int k = 0; k < n; k++) {
        double *p = entry(limit->p, k, nv);
        const double size = sqrt(trm_larger(trm_dot(nv, entry(limit->h, k, nv), p), 0)); // of h
        const double turn = size > 0 ? limit->right[k] / size : 0;
        const double sigma = limit->loss.sigma[k];
        const double may = TRM_TANGENT * sigma * (fabs(turn) + size * speed);
        const double across = part * size * speed;
        if (!(fabs(trm_dot(nc, entry(limit->loss.W, k, nc), r)) <= may + across)) {
            return 0;
        }
    }
    return 1;
}

/// mu of each direction. Returns zero if they are not determined.
static int solve(trm_limit *limit)
{
    const int n = limit->loss.count;
    const int rank = trm_eliminate(n, n, limit->K, TRM_DEPENDENT, limit->row, limit->column);
    trm_eliminate_solve(n, rank, limit->K, limit->row, limit->column, limit->right, limit->mu);
    return rank == n;
}

/// a, lambda and the power of moving rows plus what each direction adds.
static void add(trm_run *run, double *a, double *lambda, double *power)
{
    const trm_system *system = run->system;
    const trm_limit *limit = run->limit;
    for (int k = 0; k < limit->loss.count; k++) {
        const double mu = limit->mu[k];
        const double *y = entry(limit->y, k, system->nc), *p = entry(limit->p, k, system->nv);
        for (int i = 0; i < system->nv; i++) {
            a[i] -= p[i] * mu;
        }
        for (int i = 0; i < system->nc; i++) {
            lambda[i] -= y[i] * mu;
        }
        *power += mu * (limit->rate[k] - trm_dot(system->nc, y, system->g_t));
    }
}

/// mu := the part of it that the solves have left out, proximal step and refinement: of
/// each direction (delta/(sigma^2 + delta))^4 mu.
static void take_part(const trm_limit *limit, double delta)
{
    for (int k = 0; k < limit->loss.count; k++) {
        const double sigma = limit->loss.sigma[k], share = delta / (sigma * sigma + delta);
        limit->mu[k] *= share * share * share * share;
    }
}

static double least_sigma(const trm_rank_loss *loss)
{
    double least = INFINITY;
    for (int k = 0; k < loss->count; k++) {
        least = trm_lesser(loss->sigma[k], least);
    }
    return least;
}

int trm_run_limit(trm_run *run, double t, const double *z, double free_power, double *dz,
                  double *lambda)
{
    trm_system *system = run->system;
    trm_limit *limit = run->limit;
    const double *v = z + system->nq;
    const double delta = system->solver.delta;
    const double gap = trm_extents_gap(&run->extent, system->nc, system->g) + DBL_EPSILON;
    const int fixed = !trm_run_is_adaptive(run); // others refuse a step whose stages are too open
    // the limit errs by sigma, [ACC] of an accepted point that is open by e/sigma; gaps of stages
    // belong to the method, whose errors cancel in the step
    const double apart = t == run->now.t ? sqrt(gap) : TRM_FEW * gap;
    const double open = fixed ? trm_larger(apart, TRM_FEW * sqrt(delta)) : 0;
    const double low = trm_larger(open, sqrt(TRM_WELL * delta));
    if (!(system->solver.ratio_min < TRM_WELL * low * low) ||
        trm_rank_loss_find(&limit->loss, system, NULL, -1, low) == 0) {
        return 0;
    }
    const double speed = trm_extents_speed(&run->extent, trm_system_motions(system), v);
    if (!(speed > 0)) {
        return 0;
    }
    TRM_TRY(trm_system_gamma(system, v, limit->gamma));
    TRM_TRY(differentiate(run, t, z, TRM_DIFFERENCE / speed));
    memcpy(limit->a, limit->free, (size_t)system->nv * sizeof(double));
    trm_rank_loss_keep_others(&limit->loss, system, limit->gamma, limit->a, limit->lambda);
    set_up(run);
    // what hides below the gap or the damping is no corner, and what [ACC] asks for there is an
    // error over sigma
    const int hidden = fixed && least_sigma(&limit->loss) < open;
    if (!(hidden || is_tangent(run, fixed ? TRM_TANGENT * gap : TRM_NEAR, speed)) ||
        !solve(limit)) {
        return 0;
    }
    if (hidden) {
        memcpy(dz + system->nq, limit->a, (size_t)system->nv * sizeof(double));
        memcpy(lambda, limit->lambda, (size_t)system->nc * sizeof(double));
        dz[run->n - 1] = free_power + trm_dot(system->nc, lambda, system->g_t);
    } else {
        take_part(limit, delta);
    }
    if (limit->step != run->stats.steps) { // else counted
        limit->step = run->stats.steps;
        run->stats.closed_steps++;
    }
    add(run, dz + system->nq, lambda, &dz[run->n - 1]);
    return 0;
}
