/// Steps of a run, each by the method that is due.
#include "base/status.h"
#include "simulation/run/simulation.h"
#include "simulation/studies/projected_steps.h"
#include "simulation/studies/stiff_switching.h"
#include "trammel/trammel_simulate.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>

/// No forces fit. Projected steps go on; where they find none either, the first error stays.
static trm_status step_at_impulses(trm_sim *sim, double t_limit, trm_error *err)
{
    const trm_error first = err ? *err : (trm_error){.status = TRM_OK};
    trm_status status = trm_projected_steps_where_due(sim, err);
    status = status ? status : trm_sim_advance(sim, t_limit, err);
    if (err) {
        *err = status == TRM_OK ? (trm_error){.status = TRM_OK} : first;
    }
    return status;
}

/// A projected step finds no end, or one that is refused: events are located from its begin on, so
/// that what is told is told at its own time. Where that leads here again, the error stays.
static trm_status step_at_events(trm_sim *sim, double t_limit, trm_error *err)
{
    sim->projected.t_failed = sim->run.now.t;
    trm_status status = trm_projected_steps_back(sim, err);
    status = status ? status : trm_sim_advance(sim, t_limit, err);
    if (err && status == TRM_OK) {
        *err = (trm_error){.status = TRM_OK};
    }
    return status;
}

/// Methods change before the step, so that the last one could be sampled until now. Where IDA
/// finds no step, changes of contacts without end, or no forces (beside the constraints, where its
/// iterates are, held rows contradict each other), the method that it was taken for tries, and
/// projected steps behind it.
static trm_status step(trm_sim *sim, double t_limit, trm_error *err)
{
    TRM_TRY(trm_stiff_switching_where_due(sim, err));
    TRM_TRY(trm_projected_steps_where_due(sim, err));
    trm_status status = trm_sim_advance(sim, t_limit, err);
    if (status < 0 && sim->projected.state == TRM_PROJECTED &&
        sim->run.now.t > sim->projected.t_failed) {
        status = step_at_events(sim, t_limit, err);
    }
    if (status < 0 && sim->projected.state == TRM_PROJECTED_NO_FORCES) {
        return step_at_impulses(sim, t_limit, err);
    }
    const int may_help =
        sim->run.solver_failed || isfinite(sim->forces.t_none) || status == TRM_ERR_SINGULAR;
    if (status == TRM_OK || !may_help || !sim->stiff_switching.in_ida) {
        return status;
    }
    trm_error no_way_back = {.status = TRM_OK};
    if (trm_stiff_switching_failed(sim, &no_way_back) != TRM_OK) {
        return status; // and its error: ida was the last to find a step
    }
    if (sim->projected.state != TRM_PROJECTED_NO_FORCES) {
        status = trm_sim_advance(sim, t_limit, err);
    }
    return status < 0 && sim->projected.state == TRM_PROJECTED_NO_FORCES
               ? step_at_impulses(sim, t_limit, err)
               : status;
}

trm_status trm_sim_step(trm_sim *sim, trm_error *err)
{
    return step(sim, INFINITY, err);
}

/// Fixed steps are counted, and the count is exact up to 2^53.
static trm_status check_countable(const trm_run *run, double t_end, trm_error *err)
{
    const double most = 9007199254740992.0;
    const double steps = (t_end - run->now.t) / run->options.h;
    return steps > most && !trm_run_is_adaptive(run)
               ? TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end",
                          "%.1e steps of %g s to t = %g s are too many", steps, run->options.h,
                          t_end)
               : TRM_OK;
}

trm_status trm_sim_run(trm_sim *sim, double t_end, trm_observer_fn *observe, void *user,
                       trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (t_end == INFINITY) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end", "the end must be finite, got %g", t_end);
    }
    if (!(t_end >= sim->run.now.t)) { // or not a number
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end",
                        "expected an end at or after t = %.9g, got %.9g", sim->run.now.t, t_end);
    }
    TRM_TRY(check_countable(&sim->run, t_end, err));
    while (t_end - sim->run.now.t >= DBL_MIN) { // steps count subnormal numbers as zero
        TRM_TRY(step(sim, t_end, err));
        const int ended = sim->events.stop;
        sim->observing = observe != NULL;
        const int stop = observe && observe(sim, user);
        sim->observing = 0;
        if (stop || ended) {
            return TRM_STOPPED;
        }
    }
    return TRM_OK;
}

static int count_down(trm_sim *sim, void *left)
{
    (void)sim;
    return --*(long *)left <= 0;
}

trm_status trm_sim_steps_to(trm_sim *sim, double t, long most, trm_error *err)
{
    const trm_status status = trm_sim_run(sim, t, count_down, &most, err);
    return status == TRM_STOPPED && !sim->events.stop ? TRM_OK : status;
}
