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
    const trm_stabilization stabilization = trm_model_sizes(model).nc > 0 ? TRM_GGL : TRM_PLAIN;
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_IDA && methods[i].stabilization == stabilization) {
            *out = trm_default_options(TRM_IDA, stabilization);
            out->rtol = options->rtol;
            out->atol = options->atol;
            out->tolerance = options->tolerance;
            return 1;
        }
    }
    return 0;
}

void trm_change_method_start(trm_change_method *change, const trm_model *model,
                             const trm_options *options, int chosen)
{
    if (!change || !model || !options) {
        return;
    }
    *change = (trm_change_method){.of_choice = *options, .t_retry = -INFINITY, .probe = PROBE};
    change->of_choice.assemble = 0; // it is closed by then
    change->may = find_ida(model, options, &change->implicit) && chosen;
}

/// Pace, in s of the motion per evaluation, since the last mark; sets the next mark.
static double take_pace(trm_change_method *change, double t, const trm_stats *stats)
{
    const long evaluations = stats->force_evals - change->evals_mark;
    const double pace = evaluations > 0 ? (t - change->t_mark) / (double)evaluations : 0;
    change->t_mark = t;
    change->evals_mark = stats->force_evals;
    change->step_mark = stats->steps;
    return pace;
}

/// The explicit pair goes on where ida is slower; then ida is not tried again before ten times the
/// time of the steps that showed it, however long it has paid before. The explicit pair also goes
/// on from time to time to see whether the run is still stiff.
static void look_in_ida(trm_change_method *change, double t, const trm_stats *stats)
{
    if (stats->steps - change->step_mark < TRIAL) {
        return;
    }
    const double since = change->t_mark;
    const int slower = take_pace(change, t, stats) < change->pace;
    if (slower) {
        change->t_retry = t + 10 * (t - since);
    }
    change->wanted = slower || stats->steps - change->step_entered >= change->probe;
}

void trm_change_method_look(trm_change_method *change, trm_sim *sim)
{
    if (!change || !sim) {
        return;
    }
    const trm_stats stats = trm_sim_stats(sim);
    const double t = trm_sim_state(sim).t;
    change->ida_steps += change->in_ida;
    if (change->in_ida) {
        look_in_ida(change, t, &stats);
        return;
    }
    if (stats.steps - change->step_mark < WINDOW) {
        return;
    }
    const double pace = take_pace(change, t, &stats);
    trm_stiff stiff;
    if (!trm_sim_stiff(sim, &stiff)) {
        return;
    }
    if (!change->found) {
        change->found = 1;
        change->t_found = t;
        change->stiff = stiff;
    }
    change->wanted = change->may && t >= change->t_retry;
    change->pace = pace;
    change->probe *= change->turns > 0 ? 2 : 1;
}

trm_status trm_change_method_do(trm_change_method *change, trm_sim **sim, trm_error *err)
{
    if (!change || !sim || !*sim) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, !change ? "change" : "sim",
                        "expected a run, got NULL");
    }
    trm_sim *next = NULL;
    trm_error refused = {0};
    change->wanted = 0;
    const trm_options *const options = change->in_ida ? &change->of_choice : &change->implicit;
    const trm_status status = trm_sim_go_on(*sim, options, &next, &refused);
    if (status == TRM_ERR_MEMORY) {
        if (err) {
            *err = refused;
        }
        return status;
    }
    if (status != TRM_OK) { // no gain
        change->may = 0;
        return TRM_OK;
    }
    trm_sim_destroy(*sim);
    *sim = next;
    change->in_ida = !change->in_ida;
    change->turns++;
    change->t_entered = trm_sim_state(next).t;
    const trm_stats stats = trm_sim_stats(next);
    change->step_entered = stats.steps;
    (void)take_pace(change, change->t_entered, &stats);
    return TRM_OK;
}

const char *trm_stiff_unit(const trm_stiff *stiff)
{
    return !stiff          ? ""
           : stiff->spring ? (stiff->turns ? "N m/rad" : "N/m")
                           : (stiff->turns ? "N m s/rad" : "N s/m");
}
