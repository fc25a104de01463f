/// Runs behind Tables 4.1-4.4 of the thesis: (4.65) with forward Euler, E = I, p_0 = 0 in every
/// step. eu belongs to the time of the column, ep to the step before it: the pressure of the step
/// from t_n is compared with p(t_n).
#include "trammel/trammel_error.h"
#include "validation/papers/flow/collocated.h"
#include "validation/papers/tables/tables.h"

#include <math.h>
#include <stdlib.h>

enum { TIMES = 6, CELLS = 10 };

static const double times[TIMES] = {0, 1, 2, 3, 4, 5}; // the first is k

/// One run of `iterates`; rows eu, ep of the iterates from `first` on.
typedef struct block {
    double mu, k, alpha1, epsilon;
    int upwind, first, iterates;
} block;

static trm_dae_options options_of(const block *b)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.integrator = TRM_DAE_INTEGRATOR_FORWARD_EULER;
    options.h = b->k;
    options.epsilon = b->epsilon;
    options.iterations = b->iterates;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.alpha1 = b->alpha1;
    options.alpha2 = 1;
    options.start = TRM_DAE_START_GIVEN;
    options.tolerance = 10; // div of the exact velocity is O(h) on this grid
    return options;
}

static int on_time(const block *b, double t, int column)
{
    return fabs(t - (column == 0 ? b->k : times[column])) < 1e-6 * b->k;
}

/// ours of one run; NAN from where it blew up.
static trm_status fill(const trm_paper_collocated *flow, const block *b, trm_dae_sim *sim,
                       double *ours, trm_error *err)
{
    const int steps = (int)lround(times[TIMES - 1] / b->k);
    trm_status status = TRM_OK;
    for (int n = 0; n < steps && status == TRM_OK; n++) {
        const double t = (n + 1) * b->k;
        for (int c = 0; c < TIMES; c++) {
            for (int s = b->first; on_time(b, t, c) && s <= b->iterates; s++) {
                const trm_dae_state now = trm_dae_sim_state(sim, s);
                ours[(2 * (s - b->first) + 1) * TIMES + c] =
                    trm_paper_collocated_ep(flow, now.t, now.y);
            }
        }
        status = trm_dae_sim_step(sim, err);
        for (int c = 0; c < TIMES && status == TRM_OK; c++) {
            for (int s = b->first; on_time(b, t, c) && s <= b->iterates; s++) {
                const trm_dae_state now = trm_dae_sim_state(sim, s);
                ours[2 * (s - b->first) * TIMES + c] = trm_paper_collocated_eu(flow, now.t, now.x);
            }
        }
    }
    return status;
}

static trm_status run(const block *b, double *ours, trm_error *err)
{
    trm_paper_collocated flow;
    trm_dae_sim *sim = NULL;
    const trm_dae_options options = options_of(b);
    trm_status status = trm_paper_collocated_open(&flow, CELLS, b->mu, b->upwind, err);
    if (status != TRM_OK) {
        return status;
    }
    double *const x0 = calloc((size_t)flow.problem.nx, sizeof *x0);
    if (x0 == NULL) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    } else {
        trm_paper_collocated_exact(&flow, 0, x0);
        status = trm_dae_sim_create(&flow.problem, &options, 0, x0, &sim, err);
    }
    if (status == TRM_OK) {
        status = fill(&flow, b, sim, ours, err);
    }
    trm_dae_sim_destroy(sim);
    free(x0);
    trm_paper_collocated_close(&flow);
    return status;
}

/// The four blocks of Tables 4.1 and 4.2: three iterates with epsilon = 0.5, one with 1e-3.
static trm_status two_epsilons(double mu, int upwind, double *ours, trm_error *err)
{
    const block large = {mu, 0.01, 1, 0.5, upwind, 1, 3};
    const block small = {mu, 0.01, 1, 1e-3, upwind, 1, 1};
    const trm_status status = run(&large, ours, err);
    return status == TRM_OK ? run(&small, ours + 6 * TIMES, err) : status;
}

trm_status trm_paper_run_thesis_4_1(double *ours, trm_error *err)
{
    return two_epsilons(0.1, 0, ours, err);
}

trm_status trm_paper_run_thesis_4_2(double *ours, trm_error *err)
{
    return two_epsilons(0.001, 1, ours, err);
}

trm_status trm_paper_run_thesis_4_3(double *ours, trm_error *err)
{
    const block large_step = {0.001, 0.1, 1, 1e-3, 1, 1, 1};
    return run(&large_step, ours, err);
}

trm_status trm_paper_run_thesis_4_4(double *ours, trm_error *err)
{
    const block no_solve = {0.1, 5e-4, 0, 0.5, 0, 2, 2};
    return run(&no_solve, ours, err);
}
