#include "engine/dae_system.h"
#include "engine/dense.h"
#include "engine/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Beyond this products of components overflow.
static const double astronomical = 1e150;
/// The square is still an int.
enum { largest_nx = 30000 };

const char *trm_dae_place(const trm_dae_problem *problem, const char *function, char text[128])
{
    snprintf(text, 128, "problem '%s'%s%s", problem->name ? problem->name : "",
             function ? ", function " : "", function ? function : "");
    return text;
}

static const char *missing(const trm_dae_problem *problem)
{
    return !problem->f ? "f" : !problem->B ? "B" : !problem->g ? "g" : !problem->G ? "G" : NULL;
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
    if (problem->nx > largest_nx) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, NULL, text),
                        "nx = %d is too large for dense matrices; at most %d", problem->nx,
                        largest_nx);
    }
    if (missing(problem)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, missing(problem), text),
                        "the function is missing");
    }
    return TRM_OK;
}

void trm_dae_system_layout(trm_dae_system *system, const trm_dae_problem *problem, double pivot,
                           trm_arena *arena)
{
    const int nx = problem->nx;
    const int ny = problem->ny;
    *system = (trm_dae_system){.problem = *problem, .pivot = problem->linear ? pivot : 0};
    system->f = trm_arena_doubles(arena, nx);
    system->B = trm_arena_doubles(arena, nx * ny);
    system->g = trm_arena_doubles(arena, ny);
    system->G = trm_arena_doubles(arena, ny * nx);
    system->g_t = trm_arena_doubles(arena, ny);
    system->GB = trm_arena_doubles(arena, ny * ny);
    system->GB_lu = trm_arena_doubles(arena, ny * ny);
    system->exchanged = trm_arena_ints(arena, ny);
    system->probe = trm_arena_doubles(arena, nx);
}

// ------------------------------------------------------------------------------------ evaluation

int trm_dae_finite(int n, const double *x)
{
    int finite = 1;
    for (int i = 0; i < n; i++) {
        finite &= isfinite(x[i]) != 0;
    }
    return finite;
}

static trm_dae_code call(trm_dae_system *system, const char *name, trm_dae_fn *function,
                         const double *x, int n, double *out)
{
    const int answer = function(system->t, x, out, system->problem.user);
    const trm_dae_code code = answer > 0                ? TRM_DAE_OUTSIDE
                              : answer < 0              ? TRM_DAE_ABORTED
                              : !trm_dae_finite(n, out) ? TRM_DAE_NOT_FINITE
                                                        : TRM_DAE_FINE;
    if (code != TRM_DAE_FINE) {
        system->failed = name;
    }
    return code;
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
    if (!code && what & TRM_DAE_WITH_F) {
        system->f_evals++;
        code = call(system, "f", def->f, x, nx, system->f);
    }
    if (!code && what & TRM_DAE_WITH_B) {
        code = call(system, "B", def->B, x, nx * ny, system->B);
    }
    if (!code && what & TRM_DAE_WITH_GAP) {
        code = call(system, "g", def->g, x, ny, system->g);
    }
    if (!code && what & TRM_DAE_WITH_JACOBIAN) {
        system->jacobian_evals++;
        code = call(system, "G", def->G, x, ny * nx, system->G);
    }
    if (!code && what & TRM_DAE_WITH_G_T && def->g_t) {
        code = call(system, "g_t", def->g_t, x, ny, system->g_t);
    }
    return code;
}

void trm_dae_multiply_B(const trm_dae_system *system, const double *y, double *out)
{
    const int ny = system->problem.ny;
    for (int i = 0; i < system->problem.nx; i++) {
        out[i] = 0;
        for (int j = 0; j < ny; j++) {
            out[i] += system->B[i * ny + j] * y[j];
        }
    }
}

void trm_dae_multiply_G(const trm_dae_system *system, const double *x, double *out)
{
    const int nx = system->problem.nx;
    for (int i = 0; i < system->problem.ny; i++) {
        out[i] = 0;
        for (int j = 0; j < nx; j++) {
            out[i] += system->G[i * nx + j] * x[j];
        }
    }
}

void trm_dae_hidden(const trm_dae_system *system, double *out)
{
    trm_dae_multiply_G(system, system->f, out);
    for (int i = 0; i < system->problem.ny; i++) {
        out[i] += system->g_t[i];
    }
}

// --------------------------------------------------------------------------------------- GB and E

void trm_dae_form_GB(trm_dae_system *system)
{
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
    const int ny = system->problem.ny;
    trm_dae_form_GB(system);
    memcpy(system->GB_lu, system->GB, (size_t)(ny * ny) * sizeof(double));
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

void trm_dae_solve_GB(const trm_dae_system *system, double *r)
{
    trm_lu_solve(system->problem.ny, system->GB_lu, system->exchanged, r);
}

void trm_dae_apply_E(const trm_dae_system *system, trm_E E, double *r, double *work)
{
    const int ny = system->problem.ny;
    switch (E) {
    case TRM_E_IDENTITY:
        break;
    case TRM_E_GB_TRANSPOSED:
        memcpy(work, r, (size_t)ny * sizeof(double));
        for (int i = 0; i < ny; i++) {
            r[i] = 0;
            for (int j = 0; j < ny; j++) {
                r[i] += system->GB[j * ny + i] * work[j];
            }
        }
        break;
    case TRM_E_GB_INVERSE:
        trm_dae_solve_GB(system, r);
        break;
    }
}

double trm_dae_drift(int ny, const double *g)
{
    double drift = 0;
    for (int i = 0; i < ny; i++) {
        drift = fmax(drift, fabs(g[i]));
    }
    return drift;
}

// ----------------------------------------------------------------------------------------- errors

static trm_status fail_function(const trm_dae_system *system, const char *what, trm_error *err)
{
    char text[128];
    return TRM_FAIL(err, TRM_ERR_CALLBACK, trm_dae_place(&system->problem, system->failed, text),
                    "%s", what);
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
        return TRM_FAIL(err, TRM_ERR_SINGULAR, where,
                        "GB or the matrix of the method is singular here");
    case TRM_DAE_DIVERGED:
        return TRM_FAIL(err, TRM_ERR_DIVERGED, where,
                        "x grows beyond all bounds; a smaller h or a larger epsilon may help");
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
