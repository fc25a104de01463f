/// Sequential regularization without x' [thesis (5.5)-(5.6)]: x = f - B y, 0 = g(x,t),
///
///     x_s = f - B y_s,    y_s = y_{s-1} + (1/epsilon) E g(x_s, t)
///
/// g is affine in x, so that g(x_s) = g(f) - GB y_s and
///
///     (epsilon I + E GB) y_s = epsilon y_{s-1} + E g(f, t).
///
/// The error falls by epsilon/(epsilon + lambda) in each iterate,
/// lambda the smallest eigenvalue of E GB.
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "engine/system/dae_operators.h"
#include "integrators/dae/dae_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trm_dae_static {
    trm_arena arena;
    trm_dae_law law;
    double t;
    double *f;        ///< [nx]
    double *gap;      ///< [ny] g(f, t)
    double *x, *zero; ///< [nx]
    double *y;        ///< [ny]
    double *By;       ///< [nx]
};

static void layout(trm_dae_static *s, const trm_dae_problem *problem,
                   const trm_dae_options *options, trm_arena *arena)
{
    trm_dae_law_layout(&s->law, problem, options, arena);
    TRM_ARENA_DOUBLES(arena, problem->nx, &s->f, &s->x, &s->zero, &s->By);
    TRM_ARENA_DOUBLES(arena, problem->ny, &s->gap, &s->y);
}

/// x = f - B y and g there.
static trm_dae_code settle(trm_dae_static *s)
{
    trm_dae_system *system = &s->law.system;
    trm_dae_multiply_B(system, s->y, s->By);
    for (int i = 0; i < system->problem.nx; i++) {
        s->x[i] = s->f[i] - s->By[i];
    }
    const trm_dae_code trouble = system->trouble;
    const trm_dae_code code = trm_dae_at(system, s->t, s->x, TRM_DAE_WITH_GAP);
    return trouble ? trouble : code;
}

/// The dense matrix epsilon I + GB, or GB itself, factored into GB_lu.
static trm_dae_code factor_dense(trm_dae_static *s)
{
    trm_dae_system *system = &s->law.system;
    const int ny = system->problem.ny;
    if (s->law.options.E == TRM_SRM_MATRIX_GB_INVERSE) {
        return trm_dae_factor_GB(system);
    }
    trm_dae_form_GB(system);
    for (int i = 0; i < ny * ny; i++) {
        system->GB_lu[i] = system->GB[i] + (i % (ny + 1) == 0 ? s->law.epsilon : 0);
    }
    trm_lu(ny, system->GB_lu, system->exchanged);
    system->factorizations++;
    for (int i = 0; i < ny; i++) {
        if (!(fabs(system->GB_lu[i * ny + i]) > 0)) {
            return TRM_DAE_SINGULAR;
        }
    }
    return TRM_DAE_FINE;
}

trm_status trm_dae_static_renew(trm_dae_static *s, double t, trm_error *err)
{
    if (!s || !isfinite(t)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, s ? "t" : "problem",
                        s ? "expected a finite time" : "expected a problem, got NULL");
    }
    trm_dae_system *system = &s->law.system;
    const int nx = system->problem.nx;
    s->t = t;
    trm_dae_code code = trm_dae_at(system, t, s->zero, TRM_DAE_WITH_F);
    memcpy(s->f, system->f, (size_t)nx * sizeof(double));
    code = code ? code
                : trm_dae_at(system, t, s->f,
                             TRM_DAE_WITH_B | TRM_DAE_WITH_GAP | TRM_DAE_WITH_JACOBIAN);
    memcpy(s->gap, system->g, (size_t)system->problem.ny * sizeof(double));
    code = code || system->large ? code : factor_dense(s);
    code = code ? code : settle(s);
    return trm_dae_fail(system, code, t, err);
}

static trm_status check(const trm_dae_problem *problem, const trm_dae_options *options,
                        trm_error *err)
{
    TRM_TRY(trm_dae_check_problem(problem, err));
    TRM_TRY(trm_dae_check_options(problem, options, err));
    if (options->method != TRM_DAE_METHOD_SRM || options->E == TRM_SRM_MATRIX_GB_TRANSPOSED) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "a problem without x' goes with SRM and E = I or (GB)^-1");
    }
    return TRM_OK;
}

/// g is affine: g(2 v) - 2 g(v) + g(0) = 0 for the vector v = f.
static trm_status check_affine(trm_dae_static *s, trm_error *err)
{
    trm_dae_system *system = &s->law.system;
    const trm_dae_problem *problem = &system->problem;
    double scale = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < problem->nx; j++) {
            s->x[j] = k * sin(1.0 + 1.7 * j);
        }
        if (trm_dae_at(system, s->t, s->x, TRM_DAE_WITH_GAP)) {
            return TRM_OK; // the run reports it
        }
        for (int i = 0; i < problem->ny; i++) {
            s->y[i] += (k == 1 ? -2 : 1) * system->g[i];
            scale = fmax(scale, fabs(system->g[i]));
        }
    }
    for (int i = 0; i < problem->ny; i++) {
        off = fmax(off, fabs(s->y[i]));
    }
    char text[128];
    return off <= 1e-9 * scale
               ? TRM_OK
               : TRM_FAIL(
                     err, TRM_ERR_OPTIONS, trm_dae_place(problem, "g", text),
                     "without x' g must be affine in x: g(2 v) - 2 g(v) + g(0) = %.3g beside %.3g",
                     off, scale);
}

static trm_status start(trm_dae_static *s, trm_error *err)
{
    trm_dae_law *law = &s->law;
    law->options.start = TRM_DAE_START_GIVEN;
    law->options.alpha1 = 1; // E GB stands in the equation of y
    TRM_TRY(trm_dae_prepare_law(law, s->t, s->zero, err));
    TRM_TRY(check_affine(s, err));
    memcpy(s->y, law->y0, (size_t)law->system.problem.ny * sizeof(double));
    return trm_dae_static_renew(s, s->t, err);
}

trm_status trm_dae_static_create(const trm_dae_problem *problem, const trm_dae_options *options,
                                 double t, trm_dae_static **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!out || !isfinite(t)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, out ? "t" : "out",
                        "expected a finite time and a place for the solution");
    }
    TRM_TRY(check(problem, options, err));
    trm_dae_static *s = calloc(1, sizeof *s);
    trm_arena counting = {0};
    if (s) {
        layout(s, problem, options, &counting);
        s->arena = counting;
    }
    if (!s || !trm_arena_open(&s->arena)) {
        free(s);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a solution");
    }
    layout(s, problem, options, &s->arena);
    s->t = t;
    const trm_status status = start(s, err);
    if (status != TRM_OK) {
        trm_dae_static_destroy(s);
        return status;
    }
    *out = s;
    return TRM_OK;
}

void trm_dae_static_destroy(trm_dae_static *s)
{
    if (s) {
        trm_dae_law_close(&s->law);
        trm_arena_close(&s->arena);
        free(s);
    }
}

/// y := the next iterate.
static trm_dae_code next_y(trm_dae_static *s)
{
    trm_dae_law *law = &s->law;
    trm_dae_system *system = &law->system;
    const int ny = system->problem.ny;
    const double epsilon = law->epsilon;
    memcpy(law->r, s->gap, (size_t)ny * sizeof(double));
    if (system->large) {
        memcpy(law->spare, s->y, (size_t)ny * sizeof(double));
        const trm_dae_code code = trm_dae_regularized(law, 1, law->spare, law->r, s->y);
        return code ? code : system->trouble;
    }
    const int inverse = law->options.E == TRM_SRM_MATRIX_GB_INVERSE;
    if (inverse) {
        trm_dae_solve_GB(system, law->r);
    }
    for (int i = 0; i < ny; i++) {
        s->y[i] = (epsilon * s->y[i] + law->r[i]) / (inverse ? epsilon + 1 : 1);
    }
    if (!inverse) {
        trm_lu_solve(ny, system->GB_lu, system->exchanged, s->y);
    }
    return TRM_DAE_FINE;
}

trm_status trm_dae_static_iterate(trm_dae_static *s, trm_error *err)
{
    if (!s) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "problem", "expected a problem, got NULL");
    }
    trm_dae_code code = next_y(s);
    code = code ? code : settle(s); // tells an x, and so a y, beyond all bounds
    return trm_dae_fail(&s->law.system, code, s->t, err);
}

trm_dae_state trm_dae_static_state(const trm_dae_static *s)
{
    if (!s) {
        return (trm_dae_state){.t = NAN, .drift = NAN};
    }
    const trm_dae_system *system = &s->law.system;
    return (trm_dae_state){.t = s->t,
                           .x = s->x,
                           .y = s->y,
                           .By = s->By,
                           .g = system->g,
                           .drift = trm_max_norm(system->problem.ny, system->g)};
}
