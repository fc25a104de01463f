/// A thousand crossings.
#include "tools/singular/mechanisms.h"
#include "tools/singular/runs.h"
#include "tools/singular/tables.h"

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
}
