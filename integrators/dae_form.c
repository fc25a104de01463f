#include "integrators/dae_form.h"
#include "engine/status.h"

#include <math.h>
#include <string.h>

trm_dae_options trm_dae_default_options(trm_dae_method method)
{
    const double h = 1e-3;
    return (trm_dae_options){.method = method,
                             .integrator = TRM_DAE_HEUN,
                             .h = h,
                             .epsilon = method == TRM_DAE_PENALTY ? 1e-8 : h,
                             .iterations = 2,
                             .E = TRM_E_GB_INVERSE,
                             .alpha1 = 0,
                             .alpha2 = method == TRM_DAE_BAUMGARTE ? 1 / h : 1,
                             .start = TRM_DAE_START_EXACT,
                             .tolerance = 1e-9,
                             .shift = 0.5,
                             .pivot = 1e-13,
                             .struct_size = sizeof(trm_dae_options)};
}

/// The name of a field that holds no number it may hold; NULL when all do.
static const char *bad_field(const trm_dae_options *o)
{
    const struct {
        const char *name;
        int good;
    } fields[] = {
        {"method", trm_dae_form_of(o->method) != NULL},
        {"integrator", o->integrator >= TRM_DAE_HEUN && o->integrator <= TRM_DAE_BACKWARD_EULER},
        {"h", o->h > 0 && isfinite(o->h)},
        {"epsilon", o->epsilon > 0 && isfinite(o->epsilon)},
        {"iterations", o->iterations >= 1 && o->iterations <= 1000},
        {"E", o->E >= TRM_E_IDENTITY && o->E <= TRM_E_GB_INVERSE},
        {"alpha1", o->alpha1 >= 0 && isfinite(o->alpha1)},
        {"alpha2", o->alpha2 >= 0 && isfinite(o->alpha2)},
        {"start", o->start == TRM_DAE_START_EXACT || o->start == TRM_DAE_START_GIVEN},
        {"tolerance", o->tolerance >= 0},
        {"shift", o->shift > -1 && o->shift < 1},
        {"pivot", o->pivot >= 0 && o->pivot < 1},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].good) {
            return fields[i].name;
        }
    }
    return NULL;
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
    if (options->integrator == TRM_DAE_BACKWARD_EULER && !problem->linear) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "backward Euler is for problems with linear set");
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
    law->y0 = trm_arena_doubles(arena, ny);
    law->r = trm_arena_doubles(arena, ny);
    law->u = trm_arena_doubles(arena, ny);
    law->w = trm_arena_doubles(arena, nx);
    law->K = trm_arena_doubles(arena, nx * nx);
    law->exchanged = trm_arena_ints(arena, nx);
    law->z = trm_arena_doubles(arena, law->nz);
    law->spare = trm_arena_doubles(arena, law->nr);
    law->J = trm_arena_matrix(arena, law->nz, law->nz);
    law->c = trm_arena_doubles(arena, law->nz);
    if (law->y0 && options->y0) {
        memcpy(law->y0, options->y0, (size_t)ny * sizeof(double));
    }
    law->options.y0 = NULL; // the caller's; law->y0 is ours
}

void trm_dae_residual(const trm_dae_law *law, double *r)
{
    const trm_dae_system *system = &law->system;
    const double alpha1 = law->options.alpha1;
    if (alpha1 > 0) {
        trm_dae_hidden(system, r);
    }
    for (int i = 0; i < system->problem.ny; i++) {
        r[i] = law->options.alpha2 * system->g[i] + (alpha1 > 0 ? alpha1 * r[i] : 0);
    }
}

trm_dae_code trm_dae_affine(trm_dae_law *law, double t, const double *before)
{
    const int n = law->nz;
    memset(law->z, 0, (size_t)n * sizeof(double));
    trm_dae_code code = law->form->rates(law, t, law->z, before, law->c, law->spare);
    for (int j = 0; j < n && !code; j++) {
        // row j of J for the moment, column j at last
        law->z[j] = 1;
        code = law->form->rates(law, t, law->z, before, law->J + j * n, law->spare);
        law->z[j] = 0;
    }
    for (int i = 0; i < n && !code; i++) {
        law->J[i * n + i] -= law->c[i];
        for (int j = 0; j < i; j++) {
            const double upper = law->J[j * n + i] - law->c[i];
            law->J[j * n + i] = law->J[i * n + j] - law->c[j];
            law->J[i * n + j] = upper;
        }
    }
    return code;
}
