/// Starting in the singular position.
#include "validation/singular/mechanisms.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

void start_table(const char *scenes)
{
    (void)scenes;
    const crank in_line[] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
    text t;
    puts("\n## Starting in the singular position, to t = 10 s\n");
    head(run_columns, 9);
    slider_crank(&t, 2, pi / 2, 2 * sqrt(2));
    trm_model *crank_model = parse(&t);
    four_bars(&t, 0, 3, in_line);
    trm_model *bars = parse(&t);
    const trm_options o[] = {chosen(bars, 1e-6),
                             fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-2),
                             fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3)};
    const char *name[] = {"default", "rk4, h = 0.01", "rk4, h = 0.001"};
    for (int k = 0; k < 3; k++) {
        run_row("slider-crank, upright", name[k], crank_model, &o[k], 10);
    }
    for (int k = 0; k < 3; k++) {
        run_row("double four-bar, in line", name[k], bars, &o[k], 10);
    }
    trm_model_destroy(crank_model);
    trm_model_destroy(bars);
}
