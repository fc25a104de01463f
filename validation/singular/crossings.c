/// A thousand crossings.
#include "validation/singular/mechanisms.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/// The ground is the shortest link of both loops: all cranks turn, and never come into line.
static const crank never_aligned[] = {
    {0, 1, 1.5707963267948966}, {0.5, 1, 1.0471975511965976}, {1, 1, 0.52359877559829882}};

static void crossings_row(const char *name, const trm_model *model, double far)
{
    const trm_options options = chosen(model, 1e-6);
    const result r = run(model, &options, 5000, 1000);
    const double cost = 1e6 * r.cpu / r.t;
    printf("| %s | %ld | %.1f | %s | %.1e | %.1e | %.1e | %.1f | %.1f | %.2f |\n", name,
           r.report.crossings, r.t, verdict(&r), r.report.energy_error_relative,
           r.report.position_drift, r.report.velocity_drift, (double)r.stats.steps / r.t, cost,
           cost / far);
}

static double cost_far(const trm_model *model, const char *name, double t_end)
{
    const trm_options options = chosen(model, 1e-6);
    const result r = run(model, &options, t_end, 0);
    printf("| %s | %ld | %.1f | %s | %.1e | %.1e | %.1e | %.1f | %.1f | 1 |\n", name,
           r.report.crossings, r.t, verdict(&r), r.report.energy_error_relative,
           r.report.position_drift, r.report.velocity_drift, (double)r.stats.steps / r.t,
           1e6 * r.cpu / r.t);
    return 1e6 * r.cpu / r.t;
}

/// With fixed steps: what is the method's error, and what is lost at crossings.
static void fixed_rows(const char *scenes)
{
    const char *names[] = {"double_four_bar", "slider_crank_turn"};
    const double t_end[] = {970.6, 929.9};
    puts("\n## The same with rk4\n");
    head("mechanism | h (s) | crossings | branch | energy | lost at one crossing, at most", 6);
    for (int i = 0; i < 2; i++) {
        trm_model *model = load(scenes, names[i]);
        for (int k = 0; k < 4; k++) {
            const double h = 0.01 / pow(2, k);
            const trm_options options = fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h);
            const result r = run(model, &options, t_end[i], 0);
            const double lost = fabs(r.report.crossing_energy_lost) / r.report.energy_scale;
            printf("| %s | %g | %ld | %s | %.1e | %.1e |\n", names[i], h, r.report.crossings,
                   verdict(&r), r.report.energy_error_relative, lost);
        }
        trm_model_destroy(model);
    }
}

void crossings_table(const char *scenes)
{
    text t;
    puts("\n## A thousand crossings\n");
    head("mechanism | crossings | t (s) | branch | energy | gap (m) | gap (m/s) | steps/s | us/s | "
         "to far",
         10);
    four_bars(&t, 0, 3, never_aligned);
    trm_model *far = parse(&t);
    double cost = cost_far(far, "double four-bar that never aligns", 1000);
    trm_model_destroy(far);
    trm_model *model = load(scenes, "double_four_bar");
    crossings_row("double_four_bar", model, cost);
    trm_model_destroy(model);
    slider_crank(&t, 3, pi / 4, 2 * sqrt(2));
    far = parse(&t);
    cost = cost_far(far, "slider-crank, rod of 1.5 cranks", 1000);
    trm_model_destroy(far);
    model = load(scenes, "slider_crank_turn");
    crossings_row("slider_crank_turn", model, cost);
    trm_model_destroy(model);
    fixed_rows(scenes);
}
