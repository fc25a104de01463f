#include "engine/system/dae_system.h"
#include "base/linear/dense.h"
#include "base/status.h"
#include "engine/system/dae_operators.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Beyond this products of components overflow.
static const double astronomical = 1e150;
/// The square is still an int.
enum { largest_nx = 30000 };

static const char *missing(const trm_dae_problem *problem)
{
    const int dense = !problem->large;
    return !problem->f            ? "f"
           : dense && !problem->B ? "B"
           : !problem->g          ? "g"
           : dense && !problem->G ? "G"
                                  : NULL;
}

trm_status trm_dae_check_problem(const trm_dae_problem *problem, trm_error *err)
{
    char text[128];
    if (!problem) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "problem", "expected a problem, got NULL");
    }
    if (problem->nx < 1 || problem->ny < 1 || problem->ny > problem->nx) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, NULL, text),
                        "expected 1 <= ny <= nx, got nx = %d, ny = %d", problem->nx, problem->ny);
    }
    if (!problem->large && problem->nx > largest_nx) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, NULL, text),
                        "nx = %d is too large for dense matrices; at most %d, or `large`",
                        problem->nx, largest_nx);
    }
    if (missing(problem)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, missing(problem), text),
                        "the function is missing");
    }
    return problem->large ? trm_dae_check_large(problem, err) : TRM_OK;
}

void trm_dae_system_layout(trm_dae_system *system, const trm_dae_problem *problem, double pivot,
                           trm_arena *arena)
{
    const int nx = problem->nx;
    const int ny = problem->ny;
    *system = (trm_dae_system){.problem = *problem, .pivot = problem->linear ? pivot : 0};
    system->f = trm_arena_doubles(arena, nx);
    TRM_ARENA_DOUBLES(arena, ny, &system->g, &system->g_t);
    if (problem->large) {
        return;
    }
    system->B = trm_arena_doubles(arena, nx * ny);
    system->G = trm_arena_doubles(arena, ny * nx);
    TRM_ARENA_DOUBLES(arena, ny * ny, &system->GB, &system->GB_lu);
    system->exchanged = trm_arena_ints(arena, ny);
    system->probe = trm_arena_doubles(arena, nx);
}

// ------------------------------------------------------------------------------------ evaluation

static trm_dae_code call(trm_dae_system *system, const char *name, trm_dae_fn *function,
                         const double *x, int n, double *out)
{
    const int answer = function(system->t, x, out, system->problem.user);
    return trm_dae_answer(system, name, answer, n, out);
}

static int astronomical_state(int n, const double *x)
{
    int within = 1;
    for (int i = 0; i < n; i++) {
        within &= fabs(x[i]) < astronomical;
    }
    return !within;
}

trm_dae_code trm_dae_at(trm_dae_system *system, double t, const double *x, unsigned what)
{
    const trm_dae_problem *def = &system->problem;
    const int nx = def->nx;
    const int ny = def->ny;
    trm_dae_code code = astronomical_state(nx, x) ? TRM_DAE_DIVERGED : TRM_DAE_FINE;
    system->t = t;
    system->x = x;
    system->trouble = TRM_DAE_FINE;
    if (!code && system->large) {
        code = trm_dae_operators_at(system, what);
    }
    if (!code && what & TRM_DAE_WITH_F) {
        system->f_evals++;
        code = call(system, "f", def->f, x, nx, system->f);
    }
    if (!code && what & TRM_DAE_WITH_B && !system->large) {
        code = call(system, "B", def->B, x, nx * ny, system->B);
    }
    if (!code && what & TRM_DAE_WITH_GAP) {
        code = call(system, "g", def->g, x, ny, system->g);
    }
    if (!code && what & TRM_DAE_WITH_JACOBIAN) {
        system->jacobian_evals++;
    }
    if (!code && what & TRM_DAE_WITH_JACOBIAN && !system->large) {
        code = call(system, "G", def->G, x, ny * nx, system->G);
    }
    if (!code && what & TRM_DAE_WITH_G_T && def->g_t) {
        code = call(system, "g_t", def->g_t, x, ny, system->g_t);
    }
    return code;
}

void trm_dae_multiply_B(trm_dae_system *system, const double *y, double *out)
{
    if (system->large) {
        trm_dae_product_B(system, y, out);
        return;
    }
    const int ny = system->problem.ny;
    for (int i = 0; i < system->problem.nx; i++) {
        out[i] = 0;
        for (int j = 0; j < ny; j++) {
            out[i] += system->B[i * ny + j] * y[j];
        }
    }
}

void trm_dae_multiply_G(trm_dae_system *system, const double *x, double *out)
{
    if (system->large) {
        trm_dae_product_G(system, x, out);
        return;
    }
    const int nx = system->problem.nx;
    for (int i = 0; i < system->problem.ny; i++) {
        out[i] = 0;
        for (int j = 0; j < nx; j++) {
            out[i] += system->G[i * nx + j] * x[j];
        }
    }
}

void trm_dae_hidden(trm_dae_system *system, double *out)
{
    trm_dae_multiply_G(system, system->f, out);
    for (int i = 0; i < system->problem.ny; i++) {
        out[i] += system->g_t[i];
    }
}

// --------------------------------------------------------------------------------------- GB and E

void trm_dae_form_GB(trm_dae_system *system)
{
    if (system->large) { // formed where it is solved with
        return;
    }
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    for (int i = 0; i < ny; i++) {
        for (int j = 0; j < ny; j++) {
            double sum = 0;
            for (int k = 0; k < nx; k++) {
                sum += system->G[i * nx + k] * system->B[k * ny + j];
            }
            system->GB[i * ny + j] = sum;
            system->largest = fmax(system->largest, fabs(sum));
        }
    }
}

trm_dae_code trm_dae_factor_GB(trm_dae_system *system)
{
    if (system->large) {
        return TRM_DAE_FINE;
    }
    const int ny = system->problem.ny;
    trm_dae_form_GB(system);
    memcpy(system->GB_lu, system->GB, (size_t)(ny * ny) * sizeof(double));
    for (int i = 0; i < ny && system->delta > 0; i++) {
        system->GB_lu[i * ny + i] += system->delta;
    }
    trm_lu(ny, system->GB_lu, system->exchanged);
    system->factorizations++;
    trm_dae_code code = TRM_DAE_FINE;
    for (int i = 0; i < ny; i++) {
        // written so that a NaN is singular too
        if (!(fabs(system->GB_lu[i * ny + i]) > system->pivot * system->largest)) {
            code = TRM_DAE_SINGULAR;
        }
    }
    return code;
}

/// r := (GB)^-1 r of a large problem, from the guess 0.
static void solve_large(trm_dae_system *system, double *r)
{
    double *y = system->large->guess;
    memset(y, 0, (size_t)system->problem.ny * sizeof(double));
    const trm_dae_code code = trm_dae_solve_shifted(system, system->delta, 1, r, y);
    memcpy(r, y, (size_t)system->problem.ny * sizeof(double));
    system->trouble = system->trouble ? system->trouble : code;
}

void trm_dae_solve_GB(trm_dae_system *system, double *r)
{
    if (system->large) {
        solve_large(system, r);
        return;
    }
    trm_lu_solve(system->problem.ny, system->GB_lu, system->exchanged, r);
}

/// r := (GB)^T r = B^T G^T r of a large problem.
static void transposed_large(trm_dae_system *system, double *r)
{
    trm_dae_product_Gt(system, r, system->large->v);
    trm_dae_product_Bt(system, system->large->v, r);
}

void trm_dae_apply_E(trm_dae_system *system, trm_srm_matrix E, double *r, double *work)
{
    const int ny = system->problem.ny;
    if (system->large && E == TRM_SRM_MATRIX_GB_TRANSPOSED) {
        transposed_large(system, r);
        return;
    }
    switch (E) {
    case TRM_SRM_MATRIX_IDENTITY:
    case TRM_SRM_MATRIX_BLOCKS: // refused before
        break;
    case TRM_SRM_MATRIX_GB_TRANSPOSED:
        memcpy(work, r, (size_t)ny * sizeof(double));
        for (int i = 0; i < ny; i++) {
            r[i] = 0;
            for (int j = 0; j < ny; j++) {
                r[i] += system->GB[j * ny + i] * work[j];
            }
        }
        break;
    case TRM_SRM_MATRIX_GB_INVERSE:
        trm_dae_solve_GB(system, r);
        break;
    }
}

// ----------------------------------------------------------------------------------------- errors

static trm_status fail_function(const trm_dae_system *system, const char *what, trm_error *err)
{
    char text[128];
    return TRM_FAIL(err, TRM_ERR_CALLBACK, trm_dae_place(&system->problem, system->failed, text),
                    "%s", what);
}

/// An unstable mode dominates in the end, and the step then shows its rate.
static trm_status fail_diverged(const trm_dae_system *system, const char *where, trm_error *err)
{
    if (system->stiffness_limit > 0 && system->stiffness > system->stiffness_limit) {
        return TRM_FAIL(err, TRM_ERR_DIVERGED, where,
                        "x grows beyond all bounds: h times the fastest rate of the equations is "
                        "%.3g, and this integrator is stable up to %g",
                        system->stiffness, system->stiffness_limit);
    }
    return TRM_FAIL(err, TRM_ERR_DIVERGED, where,
                    "x grows beyond all bounds; a smaller h or a larger epsilon may help");
}

static trm_status fail(const trm_dae_system *system, trm_dae_code code, trm_error *err)
{
    char text[128];
    const char *where = trm_dae_place(&system->problem, NULL, text);
    switch (code) {
    case TRM_DAE_OUTSIDE:
        return fail_function(system,
                             "the function returned > 0: its argument is outside the domain", err);
    case TRM_DAE_ABORTED:
        return fail_function(system, "the function returned < 0: it asked to abort", err);
    case TRM_DAE_NOT_FINITE:
        return fail_function(system, "the function wrote a value that is not finite", err);
    case TRM_DAE_SINGULAR:
        return TRM_FAIL(err, TRM_ERR_SINGULAR, where, "%s",
                        system->detail[0] ? system->detail
                                          : "GB or the matrix of the method is singular here");
    case TRM_DAE_UNSOLVED:
        return TRM_FAIL(err, TRM_ERR_DIVERGED, where, "%s", system->detail);
    case TRM_DAE_NO_MEMORY:
        return TRM_FAIL(err, TRM_ERR_MEMORY, where, "no memory for sparse factors");
    case TRM_DAE_DIVERGED:
        return fail_diverged(system, where, err);
    case TRM_DAE_FINE:
        break;
    }
    return TRM_OK;
}

trm_status trm_dae_fail(const trm_dae_system *system, trm_dae_code code, double t, trm_error *err)
{
    const trm_status status = fail(system, code, err);
    if (err && status != TRM_OK) {
        err->t = t;
    }
    return status;
}
