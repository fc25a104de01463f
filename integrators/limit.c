#include "integrators/limit.h"
#include "engine/loops.h"
#include "engine/singularity.h"
#include "integrators/jump.h"
#include "integrators/stabilization.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Below this, sigma counts as zero in a step that is known to meet it.
static const double beside = 1e-3;

enum { PAIRS = 3 };
static const double weight[PAIRS] = {3.0 / 2, -3.0 / 5, 1.0 / 10};

void trm_limit_layout(trm_limit *limit, const trm_run *run, trm_arena *arena)
{
    const trm_system *system = run->system;
    limit->root_mass = trm_arena_doubles(arena, system->nv);
    limit->way = trm_arena_doubles(arena, system->nv);
    limit->z = trm_arena_doubles(arena, run->n);
    limit->closed = trm_arena_doubles(arena, run->n);
    limit->f = trm_arena_doubles(arena, system->nv);
    limit->a = trm_arena_doubles(arena, system->nv);
    limit->lambda = trm_arena_doubles(arena, system->nc);
    limit->even_z = trm_arena_doubles(arena, run->n);
    limit->even_a = trm_arena_doubles(arena, system->nv + 1);
    limit->even_lambda = trm_arena_doubles(arena, system->nc);
    limit->uncorrected = trm_arena_doubles(arena, run->n);
}

// ----------------------------------------------------------------------------------- where it is

/// Whether a row that has rank elsewhere has next to none in the last factorization. Damping leaves a few times
/// itself in the pivot of a row that depends on others; a solver that refines has told it from that.
static int lacks_row(const trm_run *run, trm_metric metric, int i)
{
    const double left_over = 30; // times delta
    const trm_solver *solver = &run->system->solver;
    const double most = run->limit.pivot_max[i];
    const int tells = solver->refines && !solver->in_it[metric];
    const double zero = tells ? 0 : fmin(left_over * solver->delta, beside * beside);
    const double rho = run->limit.near ? beside * beside * most : 0;
    return most > trm_redundant && solver->ratio[i] < fmax(zero, rho);
}

static int is_singular(const trm_run *run, trm_metric metric)
{
    const trm_solver *solver = &run->system->solver;
    int found = 0;
    if (run->limit.pivot_max && solver->delta > 0 && solver->ratio_min[metric] < beside * beside) {
        for (int i = 0; !found && i < solver->n; i++) {
            found = lacks_row(run, metric, i);
        }
    }
    return found;
}

// ------------------------------------------------------------------------------------ next to it

/// work_v := row i of G.
static void take_row(trm_run *run, int i)
{
    trm_system *system = run->system;
    memset(run->work_c, 0, (size_t)system->nc * sizeof(double));
    run->work_c[i] = 1;
    trm_system_multiply_GT(system, run->work_c, run->work_v);
}

/// way := v of the mechanisms that lack a row, of all when there is no telling them apart. The time goes with them
/// where it moves one of their rows.
static void choose_way(trm_run *run, const double *v)
{
    trm_system *system = run->system;
    trm_limit *limit = &run->limit;
    double *const moves = limit->even_a;
    memcpy(limit->way, v, (size_t)system->nv * sizeof(double));
    limit->timed = system->moving;
    if (!limit->part) {
        return;
    }
    memset(moves, 0, (size_t)system->nv * sizeof(double));
    for (int i = 0; i < system->nc; i++) {
        if (lacks_row(run, TRM_METRIC_MASS, i)) {
            take_row(run, i);
            for (int k = 0; k < system->nv; k++) {
                moves[limit->part[k]] += fabs(run->work_v[k]);
            }
        }
    }
    limit->timed = 0;
    for (int i = 0; i < system->nc && system->moving && !limit->timed; i++) {
        if (system->g_t[i] != 0) {
            take_row(run, i);
            for (int k = 0; k < system->nv; k++) {
                limit->timed |= run->work_v[k] != 0 && moves[limit->part[k]] > 0;
            }
        }
    }
    for (int k = 0; k < system->nv; k++) {
        limit->way[k] = moves[limit->part[k]] > 0 ? v[k] : 0;
    }
}

static double time_beside(const trm_run *run, double t, double x)
{
    return run->limit.timed ? t + x : t;
}

/// A user's function that wants the run to end is heard here, too.
static int heed(trm_run *run, int code)
{
    if (code < 0) {
        run->limit.abort = code;
    }
    return code;
}

/// Newton's method in the mass metric, from next to the constraints, and v once onto [VEL]. Leaves (t, q) the
/// current point, factored last.
static int close_point(trm_run *run, double t, double *q, double *v)
{
    enum { PASSES = 8 };
    trm_system *system = run->system;
    double before = INFINITY;
    for (int k = 0; k < PASSES; k++) {
        const int code = heed(run, trm_system_position(system, t, q));
        if (code || trm_system_factor(system, TRM_METRIC_MASS)) {
            return 1;
        }
        const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
        if (gap <= DBL_EPSILON || !(gap < 0.5 * before)) {
            break;
        }
        before = gap;
        for (int i = 0; i < system->nc; i++) {
            run->work_c[i] = -system->g[i];
        }
        trm_system_solve_S(system, run->work_c);
        trm_system_spread(system, TRM_METRIC_MASS, run->work_c, run->work_v);
        trm_system_move(system, run->work_v, q);
    }
    for (int k = 0; k < 2; k++) {
        trm_system_velocity_residual(system, v, run->work_c);
        trm_system_solve_S(system, run->work_c);
        trm_system_spread(system, TRM_METRIC_MASS, run->work_c, run->work_v);
        for (int i = 0; i < system->nv; i++) {
            v[i] -= run->work_v[i];
        }
    }
    return 0;
}

/// limit->z := z(x), the current point of the system, factored. Returns nonzero where that fails, or
/// where the velocity is not that of the same motion.
static int go_beside(trm_run *run, double t, const double *z, double x)
{
    const double smooth = 0.2;
    trm_system *system = run->system;
    const trm_limit *limit = &run->limit;
    double *const q = limit->z, *const v = limit->z + system->nq;
    memcpy(q, z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < system->nv; i++) {
        run->work_v[i] = x * limit->way[i];
    }
    trm_system_move(system, run->work_v, q);
    trm_system_normalize(system, q);
    if (close_point(run, time_beside(run, t, x), q, v)) {
        return 1;
    }
    const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
    return !(gap <= run->options.tolerance) ||
           trm_run_jump(run, limit->root_mass, 0, z, z, q, q, NULL) > smooth;
}

static double sigma_of(const trm_run *run)
{
    const double *const most = run->limit.pivot_max;
    return sqrt(trm_relative_rho(most, most, &run->system->solver));
}

/// tau, for which sigma is a few times what it must be; 0 when there is none. The system is at (t, z), and
/// sigma grows in proportion.
static double choose_tau(trm_run *run, double t, const double *z)
{
    enum { TRIES = 12 };
    const double sure = 5e-3;
    const double wanted = fmax(sure, 5 * sigma_of(run));
    const double step = run->now.t - run->before.t;
    double x = 0.1 * (step > 0 ? step : run->options.h > 0 ? run->options.h : run->h_next);
    for (int k = 0; k < TRIES && !run->limit.abort; k++) {
        const int failed = go_beside(run, t, z, x);
        const double part = failed ? 4 : sigma_of(run) / wanted;
        if (part > 1 && part < 3) {
            return x;
        }
        x *= fmin(20, fmax(0.05, 1.5 / part));
    }
    return 0;
}

/// limit->a and limit->lambda of z(x), the current point, factored, under the forces of (t, z): they change
/// smoothly, and a user's need not be defined off the motion. *power is that of moving constraints.
static int solve_beside(trm_run *run, double *power)
{
    trm_system *system = run->system;
    const trm_limit *limit = &run->limit;
    const double *v = limit->z + system->nq;
    memcpy(limit->a, limit->f, (size_t)system->nv * sizeof(double));
    trm_system_solve_M(system, limit->a);
    const int code = trm_system_acceleration_residual(system, v, limit->a, limit->lambda);
    trm_system_solve_S(system, limit->lambda);
    trm_system_spread(system, TRM_METRIC_MASS, limit->lambda, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        limit->a[i] -= run->work_v[i];
    }
    *power = 0;
    for (int i = 0; system->moving && i < system->nc; i++) {
        *power += limit->lambda[i] * system->g_t[i];
    }
    return heed(run, code);
}

/// Add w times z(x) and what goes with it to the even part.
static int add_rates(trm_run *run, double w)
{
    const trm_system *system = run->system;
    const trm_limit *limit = &run->limit;
    double power = 0;
    const int code = solve_beside(run, &power);
    for (int i = 0; i < system->nq + system->nv; i++) {
        limit->even_z[i] += w * limit->z[i];
    }
    for (int i = 0; i < system->nv; i++) {
        limit->even_a[i] += w * limit->a[i];
    }
    limit->even_a[system->nv] += w * power;
    for (int i = 0; i < system->nc; i++) {
        limit->even_lambda[i] += w * limit->lambda[i];
    }
    return code;
}

/// Whether the points on both sides are one motion: then what is interpolated between them is closed. Bars that
/// are not quite equal turn in between, and one side is another motion's.
static int is_one_motion(trm_run *run, double t)
{
    const double part = 1e-11;                 // of the mechanism
    const double rounding = 1e3 * DBL_EPSILON; // of its coordinates
    trm_system *system = run->system;
    double *const q = run->limit.even_z;
    double far = 0;
    trm_system_normalize(system, q);
    for (int i = 0; i < system->nq; i++) {
        far = trm_larger(fabs(q[i]) / run->extent.q[i], far);
    }
    return !trm_system_position(system, t, q) &&
           trm_extents_gap(&run->extent, system->nc, system->g) <= part + rounding * far;
}

/// The even part at x = 0. Returns nonzero when there is none.
static int interpolate(trm_run *run, double t, const double *z)
{
    trm_system *system = run->system;
    trm_limit *limit = &run->limit;
    trm_system_mass_diagonal(system, limit->root_mass);
    for (int i = 0; i < system->nv; i++) {
        limit->root_mass[i] = sqrt(limit->root_mass[i]);
    }
    const double tau = choose_tau(run, t, z);
    int code = !(tau > 0);
    memset(limit->even_z, 0, (size_t)run->n * sizeof(double));
    memset(limit->even_a, 0, (size_t)(system->nv + 1) * sizeof(double));
    memset(limit->even_lambda, 0, (size_t)system->nc * sizeof(double));
    for (int k = 1; !code && k <= PAIRS; k++) {
        for (int side = -1; !code && side <= 1; side += 2) {
            code = go_beside(run, t, z, side * k * tau);
            code = code ? code : add_rates(run, weight[k - 1] / 2);
        }
    }
    return code || !is_one_motion(run, t);
}

/// The same with fine damping: what is closed has no error in the direction of a small pivot. The system is at
/// (t, z).
static int take_limit(trm_run *run, double t, const double *z)
{
    trm_system *system = run->system;
    trm_solver *solver = &system->solver;
    const int refines = solver->refines;
    const int in_it = solver->in_it[TRM_METRIC_MASS];
    double power = 0;
    choose_way(run, z + system->nq);
    run->limit.abort = 0;
    int code = heed(run, trm_system_force(system, z + system->nq, run->limit.f, &power));
    if (code) {
        return code;
    }
    solver->refines = 1;
    solver->in_it[TRM_METRIC_MASS] = 0;
    code = interpolate(run, t, z);
    run->limit.even_a[system->nv] += power;
    solver->refines = refines;
    solver->in_it[TRM_METRIC_MASS] = in_it;
    return run->limit.abort ? run->limit.abort : code;
}

int trm_run_limit(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    trm_system *system = run->system;
    const trm_limit *limit = &run->limit;
    if (!is_singular(run, TRM_METRIC_MASS)) {
        return 0;
    }
    const int none = take_limit(run, t, z);
    if (none < 0) {
        return none;
    }
    if (!none) {
        trm_system_rates(system, z, limit->even_z + system->nq, dz);
        memcpy(dz + system->nq, limit->even_a, (size_t)(system->nv + 1) * sizeof(double));
        memcpy(lambda, limit->even_lambda, (size_t)system->nc * sizeof(double));
    }
    const int code = trm_system_position(system, t, z);
    return code ? code : trm_system_factor(system, TRM_METRIC_MASS);
}

/// Whether the state of the run is closed but for what a step errs by: one that drifts goes its own way.
static int is_closed(trm_run *run)
{
    const double part = 1e-3; // of the mechanism, or opens by it in a step
    trm_system *system = run->system;
    const double h = run->now.t - run->before.t;
    if (trm_system_position(system, run->now.t, run->now.z)) {
        return 0;
    }
    trm_system_velocity_residual(system, run->now.z + system->nq, run->work_c);
    return trm_extents_gap(&run->extent, system->nc, system->g) < part &&
           h * trm_extents_gap(&run->extent, system->nc, run->work_c) < part;
}

int trm_run_meets(trm_run *run, double t)
{
    const double met = 0.05;
    trm_system *system = run->system;
    const trm_point_of_run *now = &run->now, *before = &run->before;
    const double d = t - now->t, h = now->t - before->t;
    double *const q = run->limit.closed;
    if (!run->limit.pivot_max || !is_closed(run)) {
        return 0;
    }
    for (int i = 0; i < system->nq; i++) {
        const double bend = h > 0 ? (now->dz[i] - before->dz[i]) / h : 0;
        q[i] = now->z[i] + d * now->dz[i] + d * d / 2 * bend;
    }
    trm_system_normalize(system, q);
    return trm_system_position(system, t, q) || trm_system_factor(system, TRM_METRIC_MASS) ||
           sigma_of(run) < met;
}

/// limit->closed := z, closed unless it is singular.
static int close_stage(trm_run *run, double t, const double *z)
{
    trm_system *system = run->system;
    double *const closed = run->limit.closed;
    memcpy(closed, z, (size_t)run->n * sizeof(double));
    int code = trm_system_position(system, t, closed);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (!code && !is_singular(run, TRM_METRIC_MASS)) {
        code = close_point(run, t, closed, closed + system->nq);
    }
    return code;
}

int trm_run_rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    int code = 0;
    if (run->limit.near) {
        code = close_stage(run, t, z);
        z = run->limit.closed;
    }
    code = code ? code : run->stabilization->rates(run, t, z, dz, lambda);
    return code ? code : trm_run_limit(run, t, z, dz, lambda);
}

// ------------------------------------------------------------------------------------ correction

int trm_run_correct(trm_run *run, double t, double *z)
{
    const double coarse = 1e-5;
    trm_solver *const solver = &run->system->solver;
    const trm_metric metric = run->options.mass_metric ? TRM_METRIC_MASS : TRM_METRIC_IDENTITY;
    const size_t bytes = (size_t)run->n * sizeof(double);
    if (!run->stabilization->correct) {
        return 0;
    }
    memcpy(run->limit.uncorrected, z, bytes);
    int code = run->stabilization->correct(run, t, z);
    if (!code && is_singular(run, metric)) {
        const double delta = solver->delta;
        const int refines = solver->refines;
        memcpy(z, run->limit.uncorrected, bytes);
        solver->delta = coarse;
        solver->refines = 0;
        code = run->stabilization->correct(run, t, z);
        solver->delta = delta;
        solver->refines = refines;
    }
    return code;
}
