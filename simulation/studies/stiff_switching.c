/// Another method where a run is stiff, and back. On the public functions alone.
#include "base/status.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <string.h>

enum {
    WINDOW = 64, // steps that a pace is taken over
    TRIAL = 128, // steps of ida before it is judged: its first are short, of order 1
    PROBE = 512  // steps of ida until the explicit pair shows whether the run is still stiff;
                 // doubled where it is
};

/// ida with the stabilization that goes with constraints, or without.
static int find_ida(const trm_model *model, const trm_options *options, trm_options *out)
{
    const trm_stabilization stabilization =
        trm_model_sizes(model).nc > 0 ? TRM_STABILIZATION_GGL : TRM_STABILIZATION_PLAIN;
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_IDA &&
            methods[i].stabilization == stabilization) {
            *out = trm_default_options(TRM_INTEGRATOR_IDA, stabilization);
            out->rtol = options->rtol;
            out->atol = options->atol;
            out->tolerance = options->tolerance;
            return 1;
        }
    }
    return 0;
}

void trm_stiff_switching_start(trm_stiff_switching *switching, const trm_model *model,
                               const trm_options *options, int chosen)
{
    if (!switching || !model || !options) {
        return;
    }
    *switching = (trm_stiff_switching){.of_choice = *options, .t_retry = -INFINITY, .probe = PROBE};
    switching->of_choice.assemble = 0; // it is closed by then
    switching->may_change = find_ida(model, options, &switching->implicit) && chosen;
}

/// Pace, in s of the motion per evaluation, since the last mark; sets the next mark.
static double take_pace(trm_stiff_switching *switching, double t, const trm_stats *stats)
{
    const long evaluations = stats->force_evals - switching->evals_mark;
    const double pace = evaluations > 0 ? (t - switching->t_mark) / (double)evaluations : 0;
    switching->t_mark = t;
    switching->evals_mark = stats->force_evals;
    switching->step_mark = stats->steps;
    return pace;
}

/// The explicit pair goes on where ida is slower; then ida is not tried again before ten times the
/// time of the steps that showed it, however long it has paid before. The explicit pair also goes
/// on from time to time to see whether the run is still stiff.
static void observe_ida(trm_stiff_switching *switching, double t, const trm_stats *stats)
{
    if (stats->steps - switching->step_mark < TRIAL) {
        return;
    }
    const double since = switching->t_mark;
    const int slower = take_pace(switching, t, stats) < switching->pace;
    if (slower) {
        switching->t_retry = t + 10 * (t - since);
    }
    switching->change_wanted = slower || stats->steps - switching->step_entered >= switching->probe;
}

void trm_stiff_switching_observe(trm_stiff_switching *switching, trm_sim *sim)
{
    if (!switching || !sim) {
        return;
    }
    const trm_stats stats = trm_sim_stats(sim);
    const double t = trm_sim_state(sim).t;
    switching->ida_steps += switching->in_ida;
    if (switching->in_ida) {
        observe_ida(switching, t, &stats);
        return;
    }
    if (stats.steps - switching->step_mark < WINDOW) {
        return;
    }
    const double pace = take_pace(switching, t, &stats);
    trm_stiff stiff;
    if (!trm_sim_stiff(sim, &stiff)) {
        return;
    }
    if (!switching->found) {
        switching->found = 1;
        switching->t_found = t;
        switching->stiff = stiff;
    }
    switching->change_wanted = switching->may_change && t >= switching->t_retry;
    switching->pace = pace;
    switching->probe *= switching->method_changes > 0 ? 2 : 1;
}

trm_status trm_stiff_switching_apply(trm_stiff_switching *switching, trm_sim **sim, trm_error *err)
{
    if (!switching || !sim || !*sim) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, !switching ? "change" : "sim",
                        "expected a run, got NULL");
    }
    trm_sim *next = NULL;
    trm_error refused = {0};
    switching->change_wanted = 0;
    const trm_options *const options =
        switching->in_ida ? &switching->of_choice : &switching->implicit;
    const trm_status status = trm_sim_create_from(*sim, options, &next, &refused);
    if (status == TRM_ERR_MEMORY) {
        if (err) {
            *err = refused;
        }
        return status;
    }
    if (status != TRM_OK) { // no gain
        switching->may_change = 0;
        return TRM_OK;
    }
    trm_sim_destroy(*sim);
    *sim = next;
    switching->in_ida = !switching->in_ida;
    switching->method_changes++;
    switching->t_entered = trm_sim_state(next).t;
    const trm_stats stats = trm_sim_stats(next);
    switching->step_entered = stats.steps;
    (void)take_pace(switching, switching->t_entered, &stats);
    return TRM_OK;
}

const char *trm_stiff_unit(const trm_stiff *stiff)
{
    return !stiff             ? ""
           : stiff->is_spring ? (stiff->is_rotation ? "N m/rad" : "N/m")
                              : (stiff->is_rotation ? "N m s/rad" : "N s/m");
}
