/// Runs, and what a row of a table says of one.
#include "validation/singular/runs.h"

#include "validation/singular/mechanisms.h"

#include <stdio.h>
#include <time.h>

static double now_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

trm_options chosen(const trm_model *model, double accuracy)
{
    trm_error err = {0};
    trm_options options;
    if (trm_choose_options(model, accuracy, &options, NULL, &err)) {
        stop(&err);
    }
    options.assemble = 1;
    return options;
}

trm_options adaptive(trm_integrator integrator, double rtol)
{
    trm_options options = trm_default_options(integrator, TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = rtol;
    options.assemble = 1;
    return options;
}

trm_options fixed(trm_integrator integrator, trm_stabilization stabilization, double h)
{
    trm_options options = trm_default_options(integrator, stabilization);
    options.h = h;
    options.assemble = 1;
    return options;
}

int enough(trm_sim *sim, void *user)
{
    const crossings_wanted *wanted = user;
    return wanted->count > 0 && trm_sim_report(sim).crossings >= wanted->count;
}

result run(const trm_model *model, const trm_options *options, double t_end, long crossings)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    crossings_wanted wanted = {crossings};
    result r = {.status = trm_sim_create(model, options, &sim, &err)};
    if (r.status) {
        return r;
    }
    const double before = now_s();
    r.status = trm_sim_run(sim, t_end, enough, &wanted, &err);
    r.status = r.status == TRM_STOPPED ? TRM_OK : r.status;
    r.cpu = now_s() - before;
    r.report = trm_sim_report(sim);
    r.stats = trm_sim_stats(sim);
    r.t = trm_sim_state(sim).t;
    r.angle = trm_sim_state(sim).q[2];
    trm_sim_destroy(sim);
    return r;
}

const char *verdict(const result *r)
{
    return r->status                         ? trm_status_name(r->status)
           : r->report.undecided > 0         ? "undecided"
           : r->report.branch_changes > 0    ? "CHANGED"
           : r->report.position_drift > 1e-6 ? "OPEN"
                                             : "kept";
}

void head(const char *columns, int n)
{
    printf("| %s |\n|", columns);
    for (int i = 0; i < n; i++) {
        printf("---|");
    }
    putchar('\n');
}

const char *const run_columns = "mechanism | method | crossings | branch | energy | gap | "
                                "steps | rejected | angle of the first body";

void run_row(const char *first, const char *second, const trm_model *model,
             const trm_options *options, double t_end)
{
    const result r = run(model, options, t_end, 0);
    printf("| %s | %s | %ld | %s | %.1e | %.1e | %ld | %ld | %.8f |\n", first, second,
           r.report.crossings, verdict(&r), r.report.energy_error_relative, r.report.position_drift,
           r.stats.steps, r.stats.rejected, r.angle);
}
