/// Tolerances: tighter is never worse.
#include "validation/singular/mechanisms.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <math.h>
#include <stdio.h>

void tolerances_table(const char *scenes)
{
    const char *names[] = {"double_four_bar", "slider_crank_turn", "four_bar_40"};
    puts("\n## Tolerances: tighter is never worse; t = 10 s\n");
    head(run_columns, 9);
    for (int i = 0; i < 3; i++) {
        trm_model *model = load(scenes, names[i]);
        for (int pair = 0; pair < (i < 2 ? 2 : 1); pair++) {
            for (int k = 4; k <= 12; k++) {
                char name[64];
                snprintf(name, sizeof name, "%s, rtol 1e-%02d", pair ? "dopri5" : "dop853", k);
                const trm_options options =
                    adaptive(pair ? TRM_INTEGRATOR_DOPRI5 : TRM_INTEGRATOR_DOP853, pow(10, -k));
                run_row(names[i], name, model, &options, 10);
            }
        }
        trm_model_destroy(model);
    }
}
