/// Fixed steps and stops, also such that one falls on the singular position.
#include "validation/singular/mechanisms.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <math.h>
#include <stdio.h>

/// Time of the first crossing.
static double first_crossing(const trm_model *model)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    trm_crossing crossing = {0};
    const trm_options options = adaptive(TRM_INTEGRATOR_DOP853, 1e-13);
    crossings_wanted wanted = {1};
    if (trm_sim_create(model, &options, &sim, &err) ||
        trm_sim_run(sim, 10, enough, &wanted, &err) != TRM_STOPPED) {
        stop(&err);
    }
    trm_sim_crossing(sim, 0, &crossing);
    trm_sim_destroy(sim);
    return crossing.t;
}

/// Made to stop at every period, the times of which meet t_star, as a control loop does.
static void stopping_row(const char *mechanism, const char *method, const trm_model *model,
                         const trm_options *options, double period)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    result r = {.status = trm_sim_create(model, options, &sim, &err)};
    for (long k = 1; !r.status && (double)k * period < 10; k++) {
        r.status = trm_sim_step_to(sim, (double)k * period, &err);
    }
    r.status = r.status ? r.status : trm_sim_step_to(sim, 10, &err);
    r.report = trm_sim_report(sim);
    r.stats = trm_sim_stats(sim);
    printf("| %s | %s | %ld | %s | %.1e | %.1e | %ld | %ld | %.8f |\n", mechanism, method,
           r.report.crossings, verdict(&r), r.report.energy_error_relative, r.report.position_drift,
           r.stats.steps, r.stats.rejected, trm_sim_state(sim).q[2]);
    trm_sim_destroy(sim);
}

static void stopping_rows(const char *mechanism, const trm_model *model, double t_star)
{
    const trm_options o[] = {fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1),
                             fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH2, 1),
                             chosen(model, 1e-6), adaptive(TRM_INTEGRATOR_DOP853, 1e-12)};
    const char *name[] = {"rk4", "heun", "default", "dop853, rtol 1e-12"};
    for (int k = 0; k < 4; k++) {
        for (int m = 1; m <= 100; m *= 10) {
            const double period = t_star / m;
            char method[64];
            trm_options options = o[k];
            options.h = options.h > 0 ? fmin(period, 0.01) : 0;
            snprintf(method, sizeof method, "%s, stops every %.6g s", name[k], period);
            stopping_row(mechanism, method, model, &options, period);
        }
    }
}

void steps_table(const char *scenes)
{
    const char *names[] = {"double_four_bar", "slider_crank_turn"};
    puts("\n## Fixed steps and stops, also such that one falls on the singular position; t = 10 "
         "s\n");
    head(run_columns, 9);
    for (int i = 0; i < 2; i++) {
        trm_model *model = load(scenes, names[i]);
        const double t_star = first_crossing(model);
        for (int k = 0; k < 6; k++) {
            const double h = k < 3 ? pow(10, -2 - k) : t_star / round(t_star * pow(10, k - 1));
            char name[64];
            snprintf(name, sizeof name, "rk4, h = %.6g%s", h, k < 3 ? "" : " (hits)");
            const trm_options options = fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h);
            run_row(names[i], name, model, &options, 10);
        }
        stopping_rows(names[i], model, t_star);
        trm_model_destroy(model);
    }
}
