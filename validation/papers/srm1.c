/// Runs behind the tables of [AL93]: linear examples of index 2. Our y is the negative of theirs.
#include "trammel/trammel_error.h"
#include "validation/papers/shared/dae.h"
#include "validation/papers/tables/tables.h"

#include <math.h>
#include <stddef.h>

// -------------------------------------------------- Tables 5.1, 5.2: boundary values, midpoints

enum { ITERATES = 3 };

static trm_status open_boundary(double epsilon, trm_dae_bvp **out, trm_error *err)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    options.epsilon = epsilon;
    options.start = TRM_DAE_START_GIVEN; // y_0 = 0
    return trm_dae_bvp_create(&trm_paper_al93_1.problem, &options, &trm_paper_al93_1_boundary, out,
                              err);
}

static trm_status iterate(trm_dae_bvp *bvp, int times, trm_error *err)
{
    for (int s = 0; s < times; s++) {
        TRM_TRY(trm_dae_bvp_iterate(bvp, err));
    }
    return TRM_OK;
}

/// Rows ex, ey and, if asked for, drift at the mesh points.
static void boundary_errors(const trm_dae_bvp *bvp, int n, const int *points, int with_drift,
                            double *ours)
{
    for (int k = 0; k < n; k++) {
        const trm_dae_state state = trm_dae_bvp_state(bvp, points[k]);
        ours[k] = trm_paper_dae_ex(&trm_paper_al93_1, &state);
        ours[n + k] =
            trm_paper_dae_ey(&trm_paper_al93_1, &state, trm_dae_bvp_midpoint(bvp, points[k]));
        if (with_drift) {
            ours[2 * n + k] = state.drift;
        }
    }
}

trm_status trm_paper_run_srm1_5_1(double *ours, trm_error *err)
{
    static const double epsilon[] = {1e-1, 5e-2, 1e-2, 1e-3, 1e-6};
    static const int points[] = {1, 10, 30, 50, 100};
    enum { COLUMNS = 5, ROWS = 3 };
    for (int i = 0; i < 5; i++) {
        trm_dae_bvp *bvp = NULL;
        trm_status status = open_boundary(epsilon[i], &bvp, err);
        for (int s = 0; status == TRM_OK && s < ITERATES; s++) {
            status = iterate(bvp, 1, err);
            boundary_errors(bvp, COLUMNS, points, 1, ours + (i * ITERATES + s) * ROWS * COLUMNS);
        }
        trm_dae_bvp_destroy(bvp);
        TRM_TRY(status);
    }
    return TRM_OK;
}

static trm_status shoot_back(trm_dae_bvp *bvp, trm_error *err)
{
    TRM_TRY(iterate(bvp, ITERATES, err));
    TRM_TRY(trm_dae_bvp_shoot_back(bvp, ITERATES, err));
    return TRM_OK;
}

trm_status trm_paper_run_srm1_5_2(double *ours, trm_error *err)
{
    static const double epsilon[] = {1e-1, 5e-2, 1e-2, 1e-3};
    static const int points[] = {1, 10, 30, 50};
    enum { COLUMNS = 4, ROWS = 2 };
    for (int i = 0; i < 4; i++) {
        trm_dae_bvp *bvp = NULL;
        trm_status status = open_boundary(epsilon[i], &bvp, err);
        status = status == TRM_OK ? shoot_back(bvp, err) : status;
        if (status == TRM_OK) {
            boundary_errors(bvp, COLUMNS, points, 0, ours + i * ROWS * COLUMNS);
        }
        trm_dae_bvp_destroy(bvp);
        TRM_TRY(status);
    }
    return TRM_OK;
}

// ------------------------------------------------------------ Tables 5.3 - 5.7: initial values

static const double one = -1; // y_0 = 1 there

static trm_dae_options euler(trm_dae_integrator integrator, double epsilon, int iterations)
{
    trm_dae_options options =
        trm_paper_dae_options(TRM_DAE_METHOD_SRM_SINGULAR, integrator, epsilon, iterations);
    options.y0 = &one;
    return options;
}

enum { TIMES = 5 };

static void three_rows_at(const trm_paper_dae *dae, const trm_dae_sim *sim, int k, void *user)
{
    double *const ours = user;
    for (int s = 0; sim != NULL && s < ITERATES; s++) {
        const trm_dae_state state = trm_dae_sim_state(sim, s + 1);
        double *const cell = ours + 3 * TIMES * s + k;
        cell[0] = trm_paper_dae_ex(dae, &state);
        cell[TIMES] = trm_paper_dae_ey(dae, &state, state.t);
        cell[2 * TIMES] = state.drift;
    }
}

static trm_status example_2(trm_dae_integrator integrator, double *ours, trm_error *err)
{
    static const double times[TIMES] = {0.001, 0.1, 0.3, 0.5, 1};
    const trm_dae_options options = euler(integrator, 0.1, ITERATES);
    return trm_paper_dae_at(&trm_paper_al93_1, &options, TIMES, times, three_rows_at, ours, err);
}

trm_status trm_paper_run_srm1_5_3(double *ours, trm_error *err)
{
    return example_2(TRM_DAE_INTEGRATOR_BACKWARD_EULER, ours, err);
}

trm_status trm_paper_run_srm1_5_4(double *ours, trm_error *err)
{
    return example_2(TRM_DAE_INTEGRATOR_FORWARD_EULER, ours, err);
}

static const trm_dae_integrator eulers[] = {TRM_DAE_INTEGRATOR_BACKWARD_EULER,
                                            TRM_DAE_INTEGRATOR_FORWARD_EULER};
static const double weights[] = {0, 1e-3, 1}; // alpha1 = 0, h, 1

static void two_cells_at(const trm_paper_dae *dae, const trm_dae_sim *sim, int k, void *user)
{
    double *const ours = user;
    (void)k;
    if (sim != NULL) {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        ours[0] = trm_paper_dae_ex(dae, &state);
        ours[1] = trm_paper_dae_ey(dae, &state, state.t);
    }
}

trm_status trm_paper_run_srm1_5_5(double *ours, trm_error *err)
{
    static const double singular = 0.5;
    for (int row = 0; row < 6; row++) {
        trm_dae_options options = euler(eulers[row / 3], 0.1, ITERATES);
        options.alpha1 = weights[row % 3];
        TRM_TRY(trm_paper_dae_at(&trm_paper_al93_1, &options, 1, &singular, two_cells_at,
                                 ours + 2 * row, err));
    }
    return TRM_OK;
}

/// Largest ex and ey over the mesh of [0, 1].
static trm_status largest(const trm_paper_dae *dae, const trm_dae_options *options, double *ours,
                          trm_error *err)
{
    trm_dae_sim *sim = NULL;
    TRM_TRY(trm_dae_sim_create(&dae->problem, options, 0, dae->x0, &sim, err));
    const int steps = (int)lround(1 / options->h);
    trm_status status = TRM_OK;
    ours[0] = ours[1] = 0;
    for (int i = 0; i < steps && status == TRM_OK; i++) {
        status = trm_dae_sim_step(sim, err);
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        ours[0] = fmax(ours[0], trm_paper_dae_ex(dae, &state));
        ours[1] = fmax(ours[1], trm_paper_dae_ey(dae, &state, state.t));
    }
    trm_dae_sim_destroy(sim);
    return status;
}

trm_status trm_paper_run_srm1_5_6(double *ours, trm_error *err)
{
    for (int row = 0; row < 12; row++) {
        trm_dae_options options = euler(eulers[row % 6 / 3], 0.1, ITERATES);
        options.alpha1 = weights[row % 3];
        options.y0 = row < 6 ? &one : NULL;
        TRM_TRY(largest(&trm_paper_al93_3, &options, ours + 2 * row, err));
    }
    return TRM_OK;
}

trm_status trm_paper_run_srm1_5_7(double *ours, trm_error *err)
{
    static const double epsilon[] = {1e-1, 1e-3, 1e-5};
    for (int i = 0; i < 3; i++) {
        const trm_dae_options srm = euler(TRM_DAE_INTEGRATOR_BACKWARD_EULER, epsilon[i], 4);
        trm_dae_options park = trm_paper_dae_options(
            TRM_DAE_METHOD_PARK_CHIOU, TRM_DAE_INTEGRATOR_BACKWARD_EULER, epsilon[i], 1);
        park.start = TRM_DAE_START_EXACT;
        park.E = TRM_SRM_MATRIX_IDENTITY;
        TRM_TRY(largest(&trm_paper_al93_4, &srm, ours + 2 * i, err));
        TRM_TRY(largest(&trm_paper_al93_4, &park, ours + 6 + 2 * i, err));
    }
    return TRM_OK;
}
