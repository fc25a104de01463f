/// Given motions that contradict each other: motors, and constraints that move with the time, may
/// ask for a position that does not exist. The remaining gaps look like drift, and fixed steps
/// continue, with reactions that grow without bound. The test: drift can be closed.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The gap of the current point, relative to the mechanism: with what is left open by motions that
/// are given, or by rows that no longer follow from others.
static double gap_here(trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    const double gap = trm_extents_gap(&sim->run.extent, system->nc, system->g);
    const int counts = isfinite(sim->t_off) || trm_play_of_time(sim, sim->measure.of.work);
    return counts ? fmax(trm_sim_play(sim), gap) : gap;
}

int trm_sim_close_at(trm_sim *sim, double t)
{
    trm_run *run = &sim->run;
    double *z = sim->sample.z;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    const int code = t < run->now.t ? run->method_ops->dense(run, t, z) : 0;
    return code ? code : trm_close(run->system, &sim->closing, t, z, z + run->system->nq);
}

/// The gap that remains then, relative to the mechanism.
static double gap_of_closed(trm_sim *sim, double t)
{
    return trm_sim_close_at(sim, t) ? 0 : gap_here(sim);
}

/// When within the last step it begins: the current point of the system is there or a little later.
static double time_of_opening(trm_sim *sim)
{
    enum { HALVINGS = 30 };
    double closed = sim->run.before.t;
    double open = sim->run.now.t;
    for (int k = 0; k < HALVINGS; k++) {
        const double t = (closed + open) / 2;
        if (gap_of_closed(sim, t) > sim->run.options.tolerance) {
            open = t;
        } else {
            closed = t;
        }
    }
    return open;
}

/// The current point is the end of the step again.
static void return_to_now(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    (void)trm_system_position(run->system, run->now.t, run->now.z); // where it succeeded before
    (void)trm_system_factor(run->system, TRM_METRIC_MASS);
}

int trm_sim_play_passes(trm_sim *sim)
{
    if (!(trm_sim_play(sim) > trm_play_most(sim)) || trm_play_of_time(sim, sim->measure.of.work)) {
        return 0; // motions that contradict each other are no play
    }
    (void)gap_of_closed(sim, sim->run.now.t);
    const int passes = trm_sim_play(sim) > trm_play_most(sim);
    if (!passes) {
        return_to_now(sim);
    }
    return passes;
}

void trm_sim_note_play(trm_sim *sim)
{
    const trm_run *const run = &sim->run;
    const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    const int drifted = gap > run->options.tolerance && trm_sim_play(sim) > TRM_NO_MISFIT;
    if (drifted) { // rows that follow from others do so to first order: drift opens them as well
        (void)gap_of_closed(sim, run->now.t);
    }
    trm_play_note(sim);
    if (drifted) {
        return_to_now(sim);
    }
}

/// Drift closes to roundoff.
static const double remaining = 1e-3;

int trm_sim_contradicts(trm_sim *sim)
{
    const double visible = 100; // times the tolerance
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    const double gap = system->moving ? gap_here(sim) : 0;
    if (!(gap > visible * run->options.tolerance && gap > 2 * sim->gap_closed)) {
        return 0;
    }
    const int contradicts =
        gap_of_closed(sim, run->now.t) > fmax(remaining * gap, run->options.tolerance);
    if (!contradicts) {
        sim->gap_closed = gap;
        return_to_now(sim);
    }
    return contradicts;
}

/// s: the time in which the given motions move by this fraction of the size.
static double time_of_motion(const trm_sim *sim, double fraction)
{
    const trm_system *system = sim->run.system;
    const double rate = trm_extents_gap(&sim->run.extent, system->nc, system->g_t);
    return rate > 0 ? fraction / rate : 0;
}

static int closes_at(trm_sim *sim, double t)
{
    return !trm_sim_close_at(sim, t) && gap_here(sim) <= sim->run.options.tolerance;
}

int trm_sim_had_contradiction(trm_sim *sim)
{
    const double little = 1e-4; // of the mechanism
    const double astray = 1e-2; // likewise: a run with this gap may not be able to close
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    if (!system->moving || trm_system_position(system, run->now.t, run->now.z) ||
        !(gap_here(sim) < astray)) {
        return 0;
    }
    const double step = time_of_motion(sim, little);
    return !closes_at(sim, run->now.t) || !closes_at(sim, run->now.t + step);
}

/// Whether row i moves with the time and is open by this part of the gap of all.
static int is_involved(const trm_sim *sim, int i, double gap)
{
    const trm_system *system = sim->run.system;
    const double open = system->g[i] + (system->play ? system->play[i] : 0);
    return system->g_t[i] != 0 && fabs(open) >= gap * sim->run.extent.g[i];
}

/// The joints of those rows, "joint 'A' and joint 'B'"; *first the
/// first of these rows. Returns how many.
static int name_motions(const trm_sim *sim, double gap, char *names, size_t size, int *first)
{
    const trm_run *run = &sim->run;
    const char *last = "";
    int count = 0;
    names[0] = '\0';
    for (int i = 0; i < run->system->nc && strlen(names) + 90 < size; i++) {
        const char *const name = run->row_info[i].name;
        if (is_involved(sim, i, gap) && strcmp(name, last) != 0) {
            char place[80];
            const size_t used = strlen(names);
            trm_run_name_row(run, i, place, sizeof place);
            snprintf(names + used, size - used, "%s%s", count > 0 ? " and " : "", place);
            *first = count++ == 0 ? i : *first;
            last = name;
        }
    }
    return count;
}

trm_status trm_sim_refuse_contradiction(trm_sim *sim, trm_error *err)
{
    const double fraction = 0.1;
    const trm_run *run = &sim->run;
    const double gap = gap_here(sim);
    char names[300], where[80] = "";
    int first = 0;
    int count = name_motions(sim, fraction * gap, names, sizeof names, &first);
    count = count > 0 ? count : name_motions(sim, 0, names, sizeof names, &first);
    if (isfinite(sim->t_off)) { // by a rank that was the rank of the start
        (void)trm_run_fail(run, TRM_ERR_DIVERGED, "the constraints open", err);
        trm_sim_name_rank(sim, err);
        return TRM_ERR_DIVERGED;
    }
    if (count == 0) { // no motion is given at this time
        return trm_run_fail(run, TRM_ERR_DIVERGED, "there is no closed position", err);
    }
    trm_run_name_row(run, first, where, sizeof where);
    const double t = time_of_opening(sim);
    const trm_status status = TRM_FAIL(
        err, TRM_ERR_DIVERGED, where,
        "stopped at t = %.6g s: the motions given to %s %s; there is no closed position", t, names,
        count > 1 ? "contradict each other" : "lead out of the mechanism's reach");
    return trm_at_time(err, t, status);
}
