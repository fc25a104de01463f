/// A run by another method that goes on where a run is: it takes over state, work, inputs, events,
/// counters and report.
#include "base/status.h"
#include "simulation/run/simulation.h"
#include "simulation/singular/row_signs.h"
#include "simulation/studies/stiff_switching.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <string.h>

/// The checks so far; the room to work in stays.
static void take_measure(trm_measure *measure, const trm_measure *from)
{
    const trm_measure_arrays own = measure->of, *const its = &from->of;
    const size_t size = (size_t)from->n * sizeof(double);
    *measure = *from;
    measure->of = own;
    memcpy(own.mass, its->mass, size);
    memcpy(own.gone, its->gone, size);
    memcpy(own.way, its->way, size);
    memcpy(own.fastest, its->fastest, size);
}

/// Sizes, and units of rows, are those at the start of the first run: where a mechanism has come
/// together since then, the distances of its points are no measure.
static void take_sizes(trm_sim *sim, const trm_sim *from)
{
    const trm_extents *const of = &from->run.extent;
    trm_extents *const to = &sim->run.extent;
    const trm_sizes n = from->model->sizes;
    memcpy(to->q, of->q, (size_t)n.nq * sizeof(double));
    memcpy(to->v, of->v, (size_t)n.nv * sizeof(double));
    memcpy(to->g, of->g, (size_t)n.nc * sizeof(double));
    to->least_g = of->least_g;
    to->known = of->known;
    trm_motion_range_take(&sim->run.range, &from->run.range);
    sim->size = from->size;
    sim->whole = from->whole;
    memcpy(sim->closing.unit, from->closing.unit, (size_t)n.nc * sizeof(double));
    memcpy(sim->run.system->solver.scale[TRM_METRIC_MASS], // the measure of reactions' least norm
           from->run.system->solver.scale[TRM_METRIC_MASS],
           (size_t)sim->run.system->nc * sizeof(double));
}

/// A condition that holds now has begun to hold before: its event does not happen again, and sets
/// no input again.
static void take_events(trm_sim *sim, const trm_sim *from)
{
    trm_events *const events = &sim->events;
    const trm_events_arrays own = events->of, *const its = &from->events.of;
    *events = from->events;
    events->of = own;
    if (events->n > 0) {
        memcpy(own.holds, its->holds, (size_t)events->n);
        memcpy(own.state, its->state, TRM_EVENTS_KEPT * events->width * sizeof *own.state);
    }
}

/// How formulas have been followed so far, and how often modes have changed: changes that come ever
/// faster do so whatever the method.
static void take_changes(trm_locator *locator, const trm_locator *from)
{
    locator->zeno.changes = from->zeno.changes;
    locator->zeno.mark = from->zeno.mark;
    locator->zeno.t_mark = from->zeno.t_mark;
    locator->zeno.last = from->zeno.last;
    locator->following.unproved = from->following.unproved;
    locator->following.deviation = from->following.deviation;
}

/// The impacts so far; methods that step contacts have counted their own. What forces and rates of
/// contacts are parts of are the largest of the whole run.
static void take_impacts(trm_sim *sim, const trm_sim *from)
{
    const size_t n = sim->run.contact ? (size_t)sim->run.contact->n : 0;
    const trm_impacts begun = sim->impacts; // by what has struck at this start
    sim->impacts = from->impacts;
    sim->impacts.count += begun.count;
    sim->impacts.energy_lost += begun.energy_lost;
    sim->impacts.settled += begun.settled;
    sim->impacts.last = begun.count > 0 ? begun.last : sim->impacts.last;
    if (n > 0) {
        trm_contact *const contact = sim->run.contact;
        memcpy(contact->past.most, from->run.contact->past.most, n * sizeof(double));
        memcpy(contact->past.fastest, from->run.contact->past.fastest, n * sizeof(double));
        contact->impact.count = sim->impacts.count;
        contact->impact.energy_lost = sim->impacts.energy_lost;
    }
}

/// A crossing that is counted, and near, is none of the new run's.
static void take_crossings(trm_singularity_monitor *monitor, const trm_singularity_monitor *from)
{
    monitor->balance_before = from->balance;
    for (int p = 0; p < monitor->model->components.n && from->active; p++) {
        int counted = 0;
        for (int k = 0; k < from->most[p] && !from->record.last_not_reached; k++) {
            const trm_continuation *const f = &from->continuation[k];
            counted |= f->counted_near[p] && isnan(f->stands[p]);
        }
        for (int k = 0; k < monitor->most[p] && counted; k++) {
            trm_continuation *const f = &monitor->continuation[k];
            f->counted_near[p] = f->is_shared[p] = trm_continuation_is_near(monitor, f, p);
            f->number[p] = -1;
            f->stands[p] = NAN;
            monitor->record.count = 0; // by the start
        }
    }
}

static trm_status take_over(trm_sim *sim, const trm_sim *from, trm_error *err)
{
    const trm_run *const run = &from->run;
    const int w = run->n - 1;
    for (int i = 0; i < from->model->sizes.ninput; i++) {
        sim->run.system->inputs[i] = run->system->inputs[i];
    }
    const trm_report past = trm_sim_report(from);
    const trm_stats stats = trm_sim_stats(from);
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    if (run->contact) {
        sim->run.contact->problem.coulomb.checks = run->contact->problem.coulomb.checks;
    }
    sim->run.now.t = run->now.t;
    memcpy(sim->run.now.z, run->now.z, (size_t)w * sizeof(double));
    trm_system_take_winding(sim->run.system, run->system);
    TRM_TRY(trm_sim_leave(sim, trm_sim_begin_here(sim, err)));
    for (int i = 0; i < from->model->sizes.ninput; i++) { // the start has settled them
        sim->run.system->inputs[i] = run->system->inputs[i];
    }
    sim->run.now.z[w] += run->now.z[w]; // to that of impacts at this start
    sim->run.shifted = 1;
    take_sizes(sim, from);
    take_measure(&sim->measure, &from->measure);
    take_events(sim, from);
    take_changes(&sim->locator, &from->locator);
    take_impacts(sim, from);
    take_crossings(&sim->monitor, &from->monitor);
    sim->past = past;
    sim->asked = from->asked;
    sim->forces = from->forces;
    sim->interrupt = from->interrupt;
    sim->run.stats = stats;
    sim->run.system->force_evals += stats.force_evals;
    sim->run.system->jacobian_evals += stats.jacobian_evals;
    sim->run.system->factorizations += stats.factorizations;
    return TRM_OK;
}

trm_status trm_sim_create_from(const trm_sim *from, const trm_options *options, trm_sim **out,
                               trm_error *err)
{
    if (!from || !options || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !from      ? "from"
                        : !options ? "options"
                                   : "out",
                        "expected a run, options and a place for the new run, got NULL");
    }
    trm_sim *sim = NULL;
    *out = NULL;
    TRM_TRY(trm_sim_check_ready(from, err));
    TRM_TRY(trm_sim_create(from->model, options, &sim, err));
    const trm_status status = take_over(sim, from, err);
    if (status != TRM_OK) {
        trm_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return TRM_OK;
}
