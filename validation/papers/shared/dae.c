#include "validation/papers/shared/dae.h"

#include "trammel/trammel_error.h"

#include <math.h>
#include <stddef.h>

static double distance(const double a[2], const double b[2])
{
    return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
}

double trm_paper_dae_ex(const trm_paper_dae *dae, const trm_dae_state *state)
{
    double x[2];
    dae->x(state->t, x);
    return distance(state->x, x);
}

double trm_paper_dae_ey(const trm_paper_dae *dae, const trm_dae_state *state, double t_y)
{
    double By[2];
    dae->By(t_y, By);
    return distance(state->By, By);
}

trm_dae_options trm_paper_dae_options(trm_dae_method method, trm_dae_integrator integrator,
                                      double epsilon, int iterations)
{
    trm_dae_options options = trm_dae_default_options(method);
    options.integrator = integrator;
    options.h = 1e-3;
    options.epsilon = epsilon;
    options.iterations = iterations;
    options.start = TRM_DAE_START_GIVEN;
    options.y0 = NULL;
    return options;
}

trm_status trm_paper_dae_at(const trm_paper_dae *dae, const trm_dae_options *options, int ntimes,
                            const double *times, trm_paper_dae_fn *at, void *user, trm_error *err)
{
    trm_dae_sim *sim = NULL;
    TRM_TRY(trm_dae_sim_create(&dae->problem, options, 0, dae->x0, &sim, err));
    int running = 1;
    for (int k = 0; k < ntimes; k++) {
        running = running && trm_dae_sim_run(sim, times[k], err) == TRM_OK;
        at(dae, running ? sim : NULL, k, user);
    }
    trm_dae_sim_destroy(sim);
    return TRM_OK;
}
