#include "engine/system/system.h"

#include <string.h>

static int has_play(const trm_system *system)
{
    return system->play && trm_null_is_used(system->solver.null.used);
}

int trm_system_position(trm_system *system, double t, const double *q)
{
    system->jacobian_evals++;
    system->failed = NULL;
    system->found.known = 0;
    const int code = system->ops->position(system, t, q);
    if (has_play(system)) {
        for (int i = 0; i < system->nc; i++) {
            system->g[i] -= system->play[i];
        }
    }
    return code;
}

void trm_system_renew_play(trm_system *system)
{
    if (has_play(system)) {
        for (int i = 0; i < system->nc; i++) {
            const double open = system->g[i] + system->play[i];
            system->g[i] = open - system->bias[i];
            system->play[i] = open;
        }
        trm_solver_leave_out(&system->solver, system->g);
        for (int i = 0; i < system->nc; i++) {
            system->play[i] -= system->g[i];
        }
    }
}

void trm_system_leave_out(trm_system *system, double *r)
{
    if (has_play(system)) {
        trm_solver_leave_out(&system->solver, r);
    }
}

trm_planar_place trm_system_place(trm_system *system)
{
    return system->ops->place(system, 0);
}

void trm_system_arrive(trm_system *system, double t)
{
    (void)system->ops->place(system, t);
    system->jacobian_evals++;
    system->failed = NULL;
    system->found.known = 1;
}

int trm_system_force(trm_system *system, const double *v, double *f, double *power)
{
    system->force_evals++;
    return system->ops->force(system, v, f, power);
}

int trm_system_free_acceleration(trm_system *system, const double *v, double *a, double *power)
{
    if (system->constant_a) {
        system->force_evals++;
        *power = 0;
        memcpy(a, system->constant_a, (size_t)system->nv * sizeof(double));
        return 0;
    }
    if (system->ops->free_acceleration) {
        system->force_evals++;
        return system->ops->free_acceleration(system, v, a, power);
    }
    const int code = trm_system_force(system, v, a, power);
    if (!code) {
        trm_system_solve_M(system, a);
    }
    return code;
}

int trm_system_acceleration_residual(trm_system *system, const double *v, const double *a,
                                     double *r)
{
    return system->ops->acceleration_residual(system, v, a, 0, r);
}

int trm_system_acceleration_residual_again(trm_system *system, const double *v, const double *a,
                                           double *r)
{
    return system->ops->acceleration_residual(system, v, a, 1, r);
}

int trm_system_gamma(trm_system *system, const double *v, double *gamma)
{
    const int code = trm_system_acceleration_residual(system, v, NULL, gamma);
    for (int i = 0; i < system->nc; i++) {
        gamma[i] = -gamma[i];
    }
    return code;
}

void trm_system_multiply_M(trm_system *system, double *x)
{
    system->ops->multiply_M(system, x);
}

void trm_system_solve_M(trm_system *system, double *x)
{
    system->ops->solve_M(system, x);
}

void trm_system_solve_heavy_M(trm_system *system, double *x)
{
    const int heavy = system->ops->solve_heavy_M && system->solver.null.used.light > 0;
    (heavy ? system->ops->solve_heavy_M : system->ops->solve_M)(system, x);
}

void trm_system_multiply_G(trm_system *system, const double *x, double *y)
{
    system->ops->multiply_G(system, x, y);
}

void trm_system_multiply_GT(trm_system *system, const double *y, double *x)
{
    trm_system_spread(system, TRM_METRIC_IDENTITY, y, x);
}

void trm_system_velocity_residual(trm_system *system, const double *v, double *r)
{
    trm_system_multiply_G(system, v, r);
    for (int i = 0; i < system->nc; i++) {
        r[i] += system->g_t[i];
    }
    trm_system_leave_out(system, r);
}

int trm_system_factor_damped(trm_system *system, trm_metric metric, double delta, double *y)
{
    const int which = metric == TRM_METRIC_IDENTITY;
    system->factorizations++;
    system->found.iterated = 0;
    system->ops->form_S(system, metric, system->solver.S);
    int code = trm_solver_factor(&system->solver, which, delta, 0, y);
    if (code == TRM_SOLVER_AGAIN) {
        system->ops->form_S(system, metric, system->solver.S);
        code = trm_solver_factor(&system->solver, which, delta, 1, y);
    }
    if (!code) {
        trm_system_renew_play(system);
    }
    return code;
}

int trm_system_factor(trm_system *system, trm_metric metric)
{
    return trm_system_factor_damped(system, metric, system->solver.delta, NULL);
}

void trm_system_solve_S(trm_system *system, double *y)
{
    trm_solver_solve(&system->solver, y);
}

void trm_system_iterate_S(trm_system *system, double *y)
{
    trm_solver_iterate(&system->solver, y);
}

/// work[nc] := the part of y in null directions of all rows: where S is sigma^2 D, a step of
/// inverse iteration leaves delta/sigma^2 of it, two the square.
static void take_null_part(trm_system *system, const double *y, double *work)
{
    const trm_solver *const solver = &system->solver;
    memcpy(work, y, (size_t)system->nc * sizeof *work);
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < system->nc; i++) {
            work[i] *= solver->damping * solver->D[solver->pattern->place_of[i]];
        }
        trm_solver_iterate(solver, work);
    }
}

int trm_system_make_least(trm_system *system, double *y, double *work)
{
    enum { PASSES = 4 }; // each leaves TRM_SHARE of it, the error of pivots delta
    trm_null_space *const null = &system->solver.null;
    const trm_null_size used = null->used;
    null->used = (trm_null_size){.components = 0};
    const int code = trm_system_factor(system, TRM_METRIC_MASS);
    for (int pass = 0; pass < PASSES && !code && system->solver.damped; pass++) {
        take_null_part(system, y, work);
        for (int i = 0; i < system->nc; i++) {
            y[i] -= work[i];
        }
    }
    null->used = used;
    return trm_system_factor(system, TRM_METRIC_MASS);
}

int trm_system_least(trm_system *system, double *y, double *work)
{
    return system->solver.null.used.masks > 0 ? trm_system_make_least(system, y, work) : 0;
}

void trm_system_solve_two(trm_system *system, double *x, double *y)
{
    trm_solver_solve_two(&system->solver, x, y);
}

void trm_system_spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    system->ops->spread(system, metric, y, x);
}

void trm_system_spread_both(trm_system *system, const double *y, double *f, double *u)
{
    if (!system->ops->spread_both || !system->ops->spread_both(system, y, f, u)) {
        trm_system_multiply_GT(system, y, f);
        memcpy(u, f, (size_t)system->nv * sizeof(double));
        trm_system_solve_heavy_M(system, u);
    }
}

void trm_system_subtract_spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    system->ops->subtract_spread(system, metric, y, x);
}

void trm_system_respond(trm_system *system, double *a, double *lambda)
{
    trm_system_solve_M(system, a);
    if (system->nc > 0) {
        trm_system_multiply_G(system, a, lambda);
        trm_system_solve_S(system, lambda);
        trm_system_subtract_spread(system, TRM_METRIC_MASS, lambda, a);
    }
}

void trm_system_rates(trm_system *system, const double *q, const double *v, double *qdot)
{
    system->ops->rates(system, q, v, qdot);
}

void trm_system_move(trm_system *system, const double *dx, double *q)
{
    system->ops->move(system, dx, q);
}

void trm_system_normalize(trm_system *system, double *q)
{
    system->ops->normalize(system, q);
}

void trm_system_wind(trm_system *system, const double *v)
{
    if (system->ops->wind) {
        system->ops->wind(system, v);
    }
}

void *trm_system_winding(const trm_system *system, size_t *bytes)
{
    *bytes = 0;
    return system->ops->turns ? system->ops->turns(system, bytes) : NULL;
}

void trm_system_take_winding(trm_system *system, const trm_system *from)
{
    size_t bytes;
    void *const turns = trm_system_winding(system, &bytes);
    if (turns) {
        memcpy(turns, from ? trm_system_winding(from, &bytes) : system->first_turns, bytes);
    }
}

double trm_system_kinetic(trm_system *system, const double *v)
{
    return system->ops->kinetic(system, v);
}

double trm_system_potential(trm_system *system)
{
    return system->ops->potential(system);
}

void trm_system_mass_diagonal(trm_system *system, double *m)
{
    system->ops->mass_diagonal(system, m);
}

void trm_system_hold_modes(trm_system *system, const int64_t *mode)
{
    if (system->nswitching_functions > 0) {
        system->ops->hold(system, mode);
    }
}

void trm_system_switching_values(trm_system *system, double t, const double *q, const double *v,
                                 int only, double *g)
{
    if (system->nswitching_functions > 0) {
        system->ops->switching(system, t, q, v, only, g);
    }
}

int trm_system_check_finite(trm_system *system, const char *name, int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * 0;
    }
    if (sum == 0) {
        return 0;
    }
    system->failed = name;
    return 1;
}
