/// Coordinates disturbed after every step.
#include "validation/singular/mechanisms.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <stdio.h>

/// A 64-bit linear congruential generator; uniform in (-1, 1).
static double uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(*seed >> 11) / 4503599627370496.0 - 1;
}

/// Whether a run with every coordinate disturbed after every step keeps energy, branch and joints.
static int survives(const trm_model *model, const trm_options *options, double noise, int seed,
                    double t_end)
{
    double dq[64] = {0};
    unsigned long long state = (unsigned long long)seed * 7919 + 1;
    trm_error err = {0};
    trm_sim *sim = NULL;
    const int nq = trm_model_sizes(model).nq;
    int ok = trm_sim_create(model, options, &sim, &err) == TRM_OK;
    while (ok && trm_sim_state(sim).t < t_end) {
        ok = trm_sim_step(sim, &err) == TRM_OK && trm_sim_stats(sim).steps < 20000;
        for (int i = 0; i < nq; i++) {
            dq[i] = noise * uniform(&state);
        }
        ok = ok && trm_sim_perturb(sim, dq, NULL, &err) == TRM_OK;
    }
    if (ok) {
        const trm_report report = trm_sim_report(sim);
        ok = report.branch_changes == 0 && report.energy_error_relative < 0.05;
    }
    trm_sim_destroy(sim);
    return ok;
}

void noise_table(const char *scenes)
{
    enum { SEEDS = 12 };
    const double size[] = {1e-10, 1e-7, 1e-5};
    trm_options o[] = {fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 2e-3),
                       fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_BAUMGARTE, 2e-3),
                       fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 2e-3),
                       fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PROJECTION, 2e-3),
                       fixed(TRM_INTEGRATOR_HEM3, TRM_STABILIZATION_PROJECTION, 2e-3),
                       adaptive(TRM_INTEGRATOR_ADAMS, 1e-10),
                       adaptive(TRM_INTEGRATOR_DOP853, 1e-10)};
    const char *name[] = {"rk4, plain",
                          "rk4, baumgarte (100, 2500)",
                          "rk4, s-both2",
                          "rk4, projection",
                          "hem3, projection",
                          "adams, srm, rtol 1e-10",
                          "dop853, s-both2, rtol 1e-10"};
    o[5].stabilization = TRM_STABILIZATION_SRM;
    o[1].baumgarte.alpha1 = 100;
    o[1].baumgarte.alpha0 = 2500;
    puts("\n## Noise: slider_crank_turn, T = 30 s, h = 0.002 s, right answers out of 12 seeds\n");
    head("method | 1e-10 | 1e-7 | 1e-5", 4);
    trm_model *model = load(scenes, "slider_crank_turn");
    for (int k = 0; k < 7; k++) {
        printf("| %s |", name[k]);
        for (int i = 0; i < 3; i++) {
            int right = 0;
            for (int seed = 1; seed <= SEEDS; seed++) {
                right += survives(model, &o[k], size[i], seed, 30);
            }
            printf(" %d |", right);
            fflush(stdout);
        }
        putchar('\n');
    }
    trm_model_destroy(model);
}
