/// Another method where a run is stiff, and back. On the public functions alone.
#include "base/status.h"
#include "integrators/trajectory/stiffness.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <string.h>

enum {
    WINDOW = TRM_STIFF_SPAN * TRM_STIFF_POINTS, // steps that a pace is taken over
    TRIAL = 64,  // steps of ida over which it is judged; its first as many are short, of order 1
    PROBE = 512, // steps of ida until the explicit pair shows whether the run is still stiff;
                 // doubled where it is
    TIGHTEST = 2 // times that its tolerances are tightened
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
    switching->may_change = find_ida(model, options, &switching->implicit) && chosen;
    // ida leaves gaps of its tolerance
    switching->of_choice.assemble = switching->implicit.assemble = 1;
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

/// ida is no faster than the explicit pair. Where a law is much narrower than the tolerance, as
/// tanh(1e7 x), the tolerance lets the motion jump over all of it: the law is saturated on either
/// side, its derivative 0, and Newton's method sees no stiffness; ida moves back and forth within
/// the tolerance as the explicit pair does. Tolerances that are tighter let it see the law. The
/// width is not known: they are tightened a thousandfold, a factor of 3 in steps of order 5. Where
/// that does not help either the explicit pair goes on, and ida is not tried again before ten times
/// the time of the steps that showed it, unless the explicit pair becomes slower than ida was.
static void leave_ida(trm_stiff_switching *switching, double t, double since, double pace)
{
    static const double tighter = 1e-3, finest = 1e-12; // finest: above rounding
    trm_options *const ida = &switching->implicit;
    switching->change_wanted = 1;
    switching->tightens = switching->tightened < TIGHTEST && tighter * ida->rtol >= finest;
    const double factor = switching->tightens ? tighter : pow(tighter, -switching->tightened);
    ida->rtol *= factor;
    ida->atol *= factor;
    switching->tightened = switching->tightens ? switching->tightened + 1 : 0;
    switching->t_retry = switching->tightens ? switching->t_retry : t + 10 * (t - since);
    switching->pace_ida = switching->tightens ? switching->pace_ida : pace;
}

/// The explicit pair goes on where ida is slower, and from time to time, to see whether the run is
/// still stiff.
static void observe_ida(trm_stiff_switching *switching, double t, const trm_stats *stats,
                        int dwells)
{
    if (stats->steps - switching->step_mark < TRIAL) {
        return;
    }
    const double since = switching->t_mark;
    const int first = switching->step_mark == switching->step_entered;
    const double pace = take_pace(switching, t, stats);
    if (first) {
        return;
    }
    if (pace < (dwells ? 2 : 1) * switching->pace) { // of one trap they have paces like each other
        leave_ida(switching, t, since, pace);
    } else {
        switching->change_wanted = stats->steps - switching->step_entered >= switching->probe;
    }
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
        observe_ida(switching, t, &stats, trm_sim_dwells(sim));
        return;
    }
    if (stats.steps - switching->step_mark < WINDOW) {
        return;
    }
    const long steps = stats.steps - switching->step_mark;
    const double each = (double)(stats.force_evals - switching->evals_mark) / (double)steps;
    // where stiffness has begun within the window, its first steps were longer
    const double pace = fmin(take_pace(switching, t, &stats), stats.h / each);
    trm_stiff stiff;
    if (!trm_sim_stiff(sim, &stiff)) {
        return;
    }
    if (!switching->found) {
        switching->found = 1;
        switching->t_found = t;
        switching->stiff = stiff;
    }
    switching->change_wanted =
        switching->may_change && (t >= switching->t_retry || pace < switching->pace_ida);
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
    const int to_ida = !switching->in_ida || switching->tightens;
    const trm_options *const options = to_ida ? &switching->implicit : &switching->of_choice;
    switching->tightens = 0;
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
    switching->method_changes += to_ida != switching->in_ida;
    switching->in_ida = to_ida;
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
