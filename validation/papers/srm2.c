/// Runs behind Tables 6.1-6.3 of [AL95]: examples of index 2, Heun's method, h = 1e-3.
#include "trammel/trammel_error.h"
#include "validation/papers/shared/dae.h"
#include "validation/papers/tables/tables.h"

#include <math.h>

/// Where the errors and drifts of iterates first ... last go: two rows for each.
typedef struct target {
    double *ours;
    int columns, first, last;
} target;

static void errors_at(const trm_paper_dae *dae, const trm_dae_sim *sim, int k, void *user)
{
    const target *const to = user;
    for (int s = to->first; s <= to->last; s++) {
        double *const cell = to->ours + 2 * (s - to->first) * to->columns + k;
        if (sim == NULL) {
            cell[0] = cell[to->columns] = NAN;
            continue;
        }
        const trm_dae_state state = trm_dae_sim_state(sim, s);
        cell[0] = trm_paper_dae_ex(dae, &state);
        cell[to->columns] = state.drift;
    }
}

static trm_dae_options options_of(trm_dae_method method, double epsilon, int iterations,
                                  trm_srm_matrix E)
{
    trm_dae_options options =
        trm_paper_dae_options(method, TRM_DAE_INTEGRATOR_HEUN, epsilon, iterations);
    options.E = E;
    options.alpha2 = method == TRM_DAE_METHOD_BAUMGARTE ? 1 / options.h : 1;
    return options;
}

trm_status trm_paper_run_srm2_6_1(double *ours, trm_error *err)
{
    static const double times[] = {0.1, 0.5, 1};
    static const trm_srm_matrix E[] = {TRM_SRM_MATRIX_IDENTITY, TRM_SRM_MATRIX_GB_TRANSPOSED,
                                       TRM_SRM_MATRIX_GB_INVERSE};
    const trm_paper_dae *const dae = &trm_paper_al95_61;
    enum { COLUMNS = 3, ONE = 2 * COLUMNS, BAUMGARTE = 3 * ONE, ITERATED = 4 * ONE, ITERATES = 4 };
    for (int i = 0; i < 3; i++) {
        const trm_dae_options penalty = options_of(TRM_DAE_METHOD_PENALTY, 1e-8, 1, E[i]);
        target to = {ours + ONE * i, COLUMNS, 1, 1};
        TRM_TRY(trm_paper_dae_at(dae, &penalty, COLUMNS, times, errors_at, &to, err));
        const trm_dae_options srm = options_of(TRM_DAE_METHOD_SRM, 5e-3, ITERATES, E[i]);
        to = (target){ours + ITERATED + ONE * ITERATES * i, COLUMNS, 1, ITERATES};
        TRM_TRY(trm_paper_dae_at(dae, &srm, COLUMNS, times, errors_at, &to, err));
    }
    const trm_dae_options baumgarte =
        options_of(TRM_DAE_METHOD_BAUMGARTE, 1, 1, TRM_SRM_MATRIX_GB_INVERSE);
    target to = {ours + BAUMGARTE, COLUMNS, 1, 1};
    return trm_paper_dae_at(dae, &baumgarte, COLUMNS, times, errors_at, &to, err);
}

static const double singular_times[] = {0.1, 0.3, 0.5, 0.7, 1};

enum { SINGULAR_COLUMNS = 5, TWO_ROWS = 2 * SINGULAR_COLUMNS };

/// Iterates first ... last of the singular form, the last of which is carried.
static trm_status singular_rows(const trm_paper_dae *dae, const trm_dae_options *options, int first,
                                double *ours, trm_error *err)
{
    target to = {ours, SINGULAR_COLUMNS, first, options->iterations};
    return trm_paper_dae_at(dae, options, SINGULAR_COLUMNS, singular_times, errors_at, &to, err);
}

trm_status trm_paper_run_srm2_6_2(double *ours, trm_error *err)
{
    const trm_paper_dae *const dae = &trm_paper_al95_62;
    trm_dae_options penalty =
        options_of(TRM_DAE_METHOD_PENALTY, 1e-10, 1, TRM_SRM_MATRIX_GB_INVERSE);
    const trm_dae_options srm =
        options_of(TRM_DAE_METHOD_SRM_SINGULAR, 1e-3, 4, TRM_SRM_MATRIX_GB_INVERSE);
    const trm_dae_options baumgarte =
        options_of(TRM_DAE_METHOD_BAUMGARTE, 1, 1, TRM_SRM_MATRIX_GB_INVERSE);
    penalty.alpha2 = 1 / penalty.h;
    TRM_TRY(singular_rows(dae, &penalty, 1, ours, err));
    TRM_TRY(singular_rows(dae, &srm, 1, ours + TWO_ROWS, err));
    return singular_rows(dae, &baumgarte, 1, ours + 5 * TWO_ROWS, err);
}

trm_status trm_paper_run_srm2_6_3(double *ours, trm_error *err)
{
    const trm_paper_dae *const dae = &trm_paper_al95_63;
    const trm_dae_options srm =
        options_of(TRM_DAE_METHOD_SRM_SINGULAR, 1e-3, 3, TRM_SRM_MATRIX_GB_INVERSE);
    const trm_dae_options baumgarte =
        options_of(TRM_DAE_METHOD_BAUMGARTE, 1, 1, TRM_SRM_MATRIX_GB_INVERSE);
    TRM_TRY(singular_rows(dae, &srm, 3, ours, err));
    return singular_rows(dae, &baumgarte, 1, ours + TWO_ROWS, err);
}
