/// Bars that are not quite equal: the mechanism comes near to singular positions and misses them.
#include "validation/singular/mechanisms.h"
#include "validation/singular/reduced.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/// A mechanism that comes near to singular positions.
typedef struct near_miss {
    const char *name;
    void (*write)(text *t, double d);
    double (*exact)(double d, double w, double t_end); ///< the angle of its first body
} near_miss;

static void longer_rod(text *t, double d)
{
    slider_crank(t, 2 * (1 + d), pi / 4, 2 * sqrt(2));
}

static double longer_rod_angle(double d, double w, double t_end)
{
    return reduced_crank_angle(2 * (1 + d), pi / 4, w, t_end);
}

static void shorter_crank(text *t, double d)
{
    const crank cranks[] = {{0, 1 - d, pi / 2}, {1, 1, reduced_loop_at(1 - d, pi / 2).phi}};
    four_bars(t, 0, 2, cranks);
}

static double shorter_crank_angle(double d, double w, double t_end)
{
    return reduced_loop_angle(1 - d, w, t_end);
}

static const near_miss near_misses[] = {
    {"slider-crank, rod longer", longer_rod, longer_rod_angle},
    {"four-bar, crank shorter", shorter_crank, shorter_crank_angle},
};

/// The rate of the first body at the start, assembled.
static double start_rate(const trm_model *model)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    const trm_options options = chosen(model, 1e-6);
    if (trm_sim_create(model, &options, &sim, &err)) {
        stop(&err);
    }
    const double w = trm_sim_state(sim).v[2];
    trm_sim_destroy(sim);
    return w;
}

static const char *const near_miss_columns =
    "mechanism | d | method | passages | resolved | branch | energy | gap (m) | steps | angle of "
    "the first body | exact";

/// The first `methods` of default, dop853 and dopri5 with tight tolerances.
static void near_miss_rows(const near_miss *m, double d, int methods, double t_end)
{
    text t;
    m->write(&t, d);
    trm_model *model = parse(&t);
    const trm_options o[] = {chosen(model, 1e-6), adaptive(TRM_INTEGRATOR_DOP853, 1e-12),
                             adaptive(TRM_INTEGRATOR_DOPRI5, 1e-10)};
    const char *name[] = {"default", "dop853 1e-12", "dopri5 1e-10"};
    const int known = d > 1e-13; // below, the integral is roundoff
    const double exact = known ? m->exact(d, start_rate(model), t_end) : NAN;
    for (int k = 0; k < methods; k++) {
        const result r = run(model, &o[k], t_end, 0);
        printf("| %s | %g | %s | %ld | %ld | %s | %.1e | %.1e | %ld | %.6f | ", m->name, d, name[k],
               r.report.crossings, r.report.resolved, verdict(&r), r.report.energy_error_relative,
               r.report.position_drift, r.stats.steps, r.angle);
        printf(known ? "%.6f |\n" : "- |\n", exact);
    }
    trm_model_destroy(model);
}

void unequal_table(const char *scenes)
{
    (void)scenes;
    const double off[] = {0, 1e-14, 1e-12, 1e-11, 1e-10, 1e-9, 1e-7, 1e-5, 1e-3};
    puts("\n## Bars that are not quite equal, t = 5 s\n");
    head(near_miss_columns, 11);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 9; i++) {
            near_miss_rows(&near_misses[k], off[i], off[i] < 1e-9 ? 1 : 3, 5);
        }
    }
    puts("\n## The same for a thousand passages, t = 930 s\n");
    head(near_miss_columns, 11);
    for (int k = 0; k < 2; k++) {
        for (int i = 5; i < 8; i++) {
            near_miss_rows(&near_misses[k], off[i], 1, 930);
        }
    }
}
