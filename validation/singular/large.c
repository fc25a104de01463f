/// Many singular positions at once, rows that are always redundant, both.
#include "validation/singular/mechanisms.h"
#include "validation/singular/runs.h"
#include "validation/singular/tables.h"

#include <stdio.h>

static const crank equal[] = {
    {0, 1, 1.57079632679489662}, {1, 1, 1.57079632679489662}, {2, 1, 1.57079632679489662}};

void large_table(const char *scenes)
{
    text t;
    puts("\n## Many at once, always redundant, both; default method, t = 10 s\n");
    head(run_columns, 9);
    const char *names[] = {"four_bar_40", "bricard"};
    for (int i = 0; i < 2; i++) {
        trm_model *model = load(scenes, names[i]);
        const trm_options options = chosen(model, 1e-6);
        run_row(names[i], "default", model, &options, 10);
        trm_model_destroy(model);
    }
    for (int n = 2; n <= 3; n++) {
        four_bars(&t, 1, n, equal);
        trm_model *model = parse(&t);
        const trm_options options = chosen(model, 1e-6);
        run_row(n == 2 ? "four-bar of spatial hinges" : "double four-bar of spatial hinges",
                "default", model, &options, 10);
        trm_model_destroy(model);
    }
}
