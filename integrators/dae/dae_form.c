#include "integrators/dae/dae_form.h"
#include "base/sized.h"
#include "base/status.h"
#include "engine/system/dae_operators.h"

#include <float.h>
#include <math.h>
#include <string.h>

static trm_dae_options dae_default_options(trm_dae_method method)
{
    const double h = 1e-3;
    return (trm_dae_options){.method = method,
                             .integrator = TRM_DAE_INTEGRATOR_HEUN,
                             .h = h,
                             .epsilon = method == TRM_DAE_METHOD_PENALTY ? 1e-8 : h,
                             .iterations = 2,
                             .E = TRM_SRM_MATRIX_GB_INVERSE,
                             .alpha1 = 0,
                             .alpha2 = method == TRM_DAE_METHOD_BAUMGARTE ? 1 / h : 1,
                             .start = TRM_DAE_START_EXACT,
                             .tolerance = 1e-9,
                             .shift = 0.5,
                             .pivot = 1e-13,
                             .solver = TRM_DAE_SOLVER_AUTO,
                             .solve_tolerance = 1e-10,
                             .solve_iterations = 10000,
                             .struct_size = sizeof(trm_dae_options)};
}

void trm_dae_get_default_options(trm_dae_method method, trm_dae_options *out, size_t size)
{
    const trm_dae_options known = dae_default_options(method);
    trm_hand_out(out, size, &known, sizeof known);
}

/// The name of a field whose number is out of range; NULL when there is none.
static const char *bad_field(const trm_dae_options *o)
{
    const struct {
        const char *name;
        int good;
    } fields[] = {
        {"method", trm_dae_form_of(o->method) != NULL},
        {"integrator",
         o->integrator >= TRM_DAE_INTEGRATOR_HEUN && o->integrator <= TRM_DAE_INTEGRATOR_IMEX},
        {"h", o->h > 0 && isfinite(o->h)},
        {"epsilon", o->epsilon > 0 && isfinite(o->epsilon)},
        {"iterations", o->iterations >= 1 && o->iterations <= 1000},
        {"E", o->E >= TRM_SRM_MATRIX_IDENTITY && o->E <= TRM_SRM_MATRIX_GB_INVERSE},
        {"delta", o->delta >= 0 && isfinite(o->delta)},
        {"alpha1", o->alpha1 >= 0 && isfinite(o->alpha1)},
        {"alpha2", o->alpha2 >= 0 && isfinite(o->alpha2)},
        {"start", o->start >= TRM_DAE_START_EXACT && o->start <= TRM_DAE_START_FUNCTION},
        {"y0_of_t", o->start != TRM_DAE_START_FUNCTION || o->y0_of_t},
        {"tolerance", o->tolerance >= 0},
        {"shift", o->shift > -1 && o->shift < 1},
        {"pivot", o->pivot >= 0 && o->pivot < 1},
        {"solver", o->solver >= TRM_DAE_SOLVER_AUTO && o->solver <= TRM_DAE_SOLVER_FACTORS},
        {"solve_tolerance", o->solve_tolerance > 0 && o->solve_tolerance < 1},
        {"solve_iterations", o->solve_iterations >= 1},
        {"project", o->project >= 0},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].good) {
            return fields[i].name;
        }
    }
    return NULL;
}

static int is_imex(const trm_dae_options *options)
{
    return options->integrator == TRM_DAE_INTEGRATOR_IMEX_EULER ||
           options->integrator == TRM_DAE_INTEGRATOR_IMEX;
}

/// Requirements of a step of backward Euler for a large problem (engine/system/dae_saddle.c).
static trm_status check_backward(const trm_dae_large *large, const trm_dae_options *o,
                                 trm_error *err)
{
    if (!large->B_rows.start || !large->G_rows.start || !large->L_rows.start ||
        o->method != TRM_DAE_METHOD_SRM || o->E != TRM_SRM_MATRIX_IDENTITY) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "backward Euler of a large problem goes with SRM and E = I, and needs "
                        "B_rows, G_rows and L_rows");
    }
    if (!trm_factor_available(0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "backward Euler of a large problem needs KLU, which this build has not");
    }
    return TRM_OK;
}

/// Options without a form for large problems.
static trm_status check_large_options(const trm_dae_large *large, const trm_dae_options *o,
                                      trm_error *err)
{
    const int transposed =
        o->E == TRM_SRM_MATRIX_GB_TRANSPOSED &&
        (o->method == TRM_DAE_METHOD_SRM || o->method == TRM_DAE_METHOD_PENALTY ||
         o->method == TRM_DAE_METHOD_SRM_SINGULAR);
    const int products = (large->B_rows.start || large->B_transposed) &&
                         (large->G_rows.start || large->G_transposed);
    if (o->integrator == TRM_DAE_INTEGRATOR_BACKWARD_EULER) {
        TRM_TRY(check_backward(large, o, err));
    }
    if (transposed && (o->alpha1 > 0 || o->method == TRM_DAE_METHOD_PENALTY)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "E = (GB)^T goes with alpha1 = 0 only in large problems");
    }
    if (o->delta > 0 && o->alpha1 > 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "delta > 0 goes with alpha1 = 0 only in large problems");
    }
    if (transposed && !products) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "E = (GB)^T needs B_transposed and G_transposed, or rows");
    }
    return TRM_OK;
}

static trm_status check_integrator(const trm_dae_problem *problem, const trm_dae_options *options,
                                   trm_error *err)
{
    const trm_dae_large *large = problem->large;
    if (options->integrator == TRM_DAE_INTEGRATOR_BACKWARD_EULER && !problem->linear) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "backward Euler is for problems with linear set");
    }
    if (is_imex(options) && !(large && (large->L_rows.start || large->solve_L))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "an IMEX integrator needs L_rows or solve_L of `large`");
    }
    if (options->method == TRM_DAE_METHOD_SRM_INDEX3 && (large || options->project > 0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options", "srm-index-3 goes with %s",
                        large ? "matrices: not with `large` problems"
                              : "project = 0: its (GB)^-1 is not that of x");
    }
    return large ? check_large_options(large, options, err) : TRM_OK;
}

trm_status trm_dae_check_options(const trm_dae_problem *problem, const trm_dae_options *options,
                                 trm_error *err)
{
    if (!options) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options", "expected options, got NULL");
    }
    if (options->struct_size != sizeof *options) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "the options did not start from trm_dae_default_options");
    }
    const char *bad = bad_field(options);
    if (bad) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options", "%s is out of range", bad);
    }
    TRM_TRY(check_integrator(problem, options, err));
    if (options->method == TRM_DAE_METHOD_SRM_SINGULAR && options->alpha1 > 0 &&
        options->E != TRM_SRM_MATRIX_GB_INVERSE) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "SRM_SINGULAR with alpha1 > 0 goes with E = (GB)^-1 only");
    }
    if (trm_dae_form_of(options->method)->iterates && options->alpha1 == 0 &&
        options->alpha2 == 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options", "alpha1 and alpha2 are both zero");
    }
    return TRM_OK;
}

void trm_dae_law_layout(trm_dae_law *law, const trm_dae_problem *problem,
                        const trm_dae_options *options, trm_arena *arena)
{
    const int nx = problem->nx;
    const int ny = problem->ny;
    const trm_dae_form *form = trm_dae_form_of(options->method);
    *law = (trm_dae_law){.options = *options, .form = form, .epsilon = options->epsilon};
    law->nz = form->y_in_state ? nx + ny : nx;
    law->nr = form->carries_By ? nx : ny;
    trm_dae_system_layout(&law->system, problem, options->pivot, arena);
    law->system.delta = options->delta;
    TRM_ARENA_DOUBLES(arena, ny, &law->y0, &law->r, &law->u, &law->spare_y);
    law->w = trm_arena_doubles(arena, nx);
    law->spare = trm_arena_doubles(arena, law->nr);
    if (!problem->large) {
        law->K = trm_arena_doubles(arena, nx * nx);
        law->exchanged = trm_arena_ints(arena, nx);
        law->z = trm_arena_doubles(arena, law->nz);
        law->J = trm_arena_matrix(arena, law->nz, law->nz);
        law->c = trm_arena_doubles(arena, law->nz);
    }
    if (law->y0 && options->y0) {
        memcpy(law->y0, options->y0, (size_t)ny * sizeof(double));
    }
    law->options.y0 = NULL; // the caller's; law->y0 is ours
}

trm_dae_code trm_dae_y0(trm_dae_law *law, double t, const double *x)
{
    trm_dae_system *system = &law->system;
    const int answer = law->options.y0_of_t(t, x, law->y0, system->problem.user);
    return trm_dae_answer(system, "y0_of_t", answer, system->problem.ny, law->y0);
}

trm_dae_code trm_dae_rates(trm_dae_law *law, double t, const double *z, const double *before,
                           double *dz, double *reaction)
{
    trm_dae_code code = TRM_DAE_FINE;
    if (!before && law->options.start == TRM_DAE_START_FUNCTION) {
        code = trm_dae_y0(law, t, z);
    }
    code = code ? code : law->form->rates(law, t, z, before, dz, reaction);
    return code ? code : law->system.trouble;
}

static int has_E(const trm_dae_options *options)
{
    return options->method == TRM_DAE_METHOD_SRM || options->method == TRM_DAE_METHOD_PENALTY ||
           options->method == TRM_DAE_METHOD_SRM_INDEX3;
}

trm_status trm_dae_prepare_law(trm_dae_law *law, double t, const double *x, trm_error *err)
{
    const trm_dae_options *options = &law->options;
    if (!law->system.problem.large) {
        TRM_TRY(law->form->check ? law->form->check(law, t, x, err) : TRM_OK);
        return trm_dae_check_functions(&law->system, t, x, err);
    }
    const int inverse = law->form->inverts_GB || options->start == TRM_DAE_START_EXACT ||
                        options->project > 0 ||
                        (has_E(options) && options->E == TRM_SRM_MATRIX_GB_INVERSE);
    const int solves = inverse || options->method == TRM_DAE_METHOD_PENALTY ||
                       (options->method == TRM_DAE_METHOD_SRM && options->alpha1 > 0);
    TRM_TRY(trm_dae_operators_create(&law->system, options, err));
    return trm_dae_check_operators(&law->system, options, t, x, solves,
                                   has_E(options) && options->E == TRM_SRM_MATRIX_GB_INVERSE, err);
}

void trm_dae_law_close(trm_dae_law *law)
{
    trm_dae_operators_destroy(&law->system);
}

static void transpose(int n, double *J)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const double upper = J[j * n + i];
            J[j * n + i] = J[i * n + j];
            J[i * n + j] = upper;
        }
    }
}

trm_dae_code trm_dae_affine(trm_dae_law *law, double t, const double *before)
{
    const int n = law->nz;
    memset(law->z, 0, (size_t)n * sizeof *law->z);
    trm_dae_code code = trm_dae_rates(law, t, law->z, before, law->c, law->spare);
    for (int j = 0; j < n && !code; j++) {
        double *const column = law->J + j * n; // a row for the moment
        law->z[j] = 1;
        code = trm_dae_rates(law, t, law->z, before, column, law->spare);
        law->z[j] = 0;
        for (int i = 0; i < n; i++) {
            column[i] -= law->c[i];
        }
    }
    transpose(n, law->J);
    return code;
}
