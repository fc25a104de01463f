/// Rows that are redundant everywhere are better left idle (constraint_solver.h). None is known to be so: a
/// row is left idle while nothing speaks against it, and wakes in the first step at whose end something does.
#include "engine/loops.h"
#include "engine/simulation.h"
#include "integrators/stabilization.h"

#include <math.h>
#include <string.h>

/// The pivots of the current point without damping that would show in them. largest[nc] := the largest so far.
static int note_pivots(trm_system *system, double *largest)
{
    const double finest = 1e-13;
    trm_solver *solver = &system->solver;
    const double delta = solver->delta;
    const int refines = solver->refines;
    solver->delta = finest;
    solver->refines = 0;
    const int code = trm_system_factor(system, TRM_METRIC_MASS);
    solver->delta = delta;
    solver->refines = refines;
    for (int i = 0; !code && i < system->nc; i++) {
        largest[i] = fmax(largest[i], solver->ratio[i]);
    }
    return code;
}

/// Whether the positions of sim->sample.z are others than those of the start.
static int has_moved(const trm_sim *sim)
{
    const double moved = 1e-3; // of the mechanism, or rad
    const double *start = sim->run.now.z;
    double farthest = 0;
    for (int i = 0; i < sim->run.system->nq; i++) {
        const double distance = fabs(sim->sample.z[i] - start[i]) / sim->run.extent.q[i];
        farthest = trm_larger(distance, farthest);
    }
    return farthest > moved;
}

/// largest[nc] := the largest pivots at the start and at other closed positions near to it. Returns zero if
/// not enough of those were found: what cannot move shows nothing.
static int survey(trm_sim *sim, double *largest)
{
    enum { TRIES = 6, ENOUGH = 3 };
    trm_run *run = &sim->run;
    int found = 0;
    memset(largest, 0, (size_t)run->system->nc * sizeof(double));
    int code = trm_system_position(run->system, run->now.t, run->now.z);
    code = code ? code : note_pivots(run->system, largest);
    for (int k = 0; !code && k < TRIES && found < ENOUGH; k++) {
        if (trm_sim_close_nearby(sim, k)) {
            found += has_moved(sim);
            code = note_pivots(run->system, largest);
        }
    }
    return !code && found == ENOUGH;
}

int trm_sim_choose_idle(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    trm_solver *solver = &system->solver;
    double *largest = sim->sample.lambda;
    if (!run->stabilization || !run->stabilization->correct || !(solver->delta > 0)) {
        return 0;
    }
    trm_solver_remember(solver, &sim->remembered);
    const int known = survey(sim, largest);
    trm_solver_recall(solver, &sim->remembered);
    for (int i = 0; i < system->nc; i++) {
        if (known && largest[i] <= trm_roundoff_ratio) {
            trm_solver_set_idle(solver, i, 1);
        }
    }
    double *z = run->now.z;
    return run->stabilization->rates(run, run->now.t, z, run->now.dz, run->now.lambda);
}

/// What the rows at work leave open, times what a row that follows from them may make of it; at least the
/// tolerance. A loose correction opens redundant rows with the others, and none of them should wake.
static double opening(const trm_sim *sim, const double *residual)
{
    const double follows = 100;
    double largest = 0;
    for (int i = 0; i < sim->run.system->nc; i++) {
        if (sim->run.system->solver.idle[i] <= 0) {
            largest = trm_larger(fabs(residual[i]), largest);
        }
    }
    return fmax(follows * largest, sim->run.options.tolerance);
}

int trm_sim_wake(trm_sim *sim)
{
    const double left_over = 100; // of the damping, in the pivots of redundant rows
    trm_system *system = sim->run.system;
    trm_solver *solver = &system->solver;
    const double pivot = trm_roundoff_ratio + (solver->damped ? left_over * solver->delta : 0);
    const double *velocity = sim->measure.work;
    int woken = 0;
    if (solver->nidle == 0) {
        return 0;
    }
    trm_residual_of(system, sim->run.now.z + system->nq, sim->measure.work);
    const double gap = opening(sim, system->g), speed = opening(sim, velocity);
    for (int i = 0; i < system->nc; i++) {
        const int holds = fabs(system->g[i]) <= gap && fabs(velocity[i]) <= speed;
        if (solver->idle[i] > 0 && (!holds || solver->ratio[i] > pivot)) {
            trm_solver_set_idle(solver, i, 0);
            woken++;
        }
    }
    return woken;
}
