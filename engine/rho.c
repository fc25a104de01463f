#include "engine/rho.h"
#include "engine/loops.h"

#include <math.h>
#include <string.h>

double trm_monitor_rho(const trm_monitor *monitor, const trm_system *system)
{
    double rho = 1;
    for (int i = 0; monitor->active && i < system->nc; i++) {
        if (monitor->pivot_max[i] > trm_redundant) {
            rho = system->solver.ratio[i] < rho ? system->solver.ratio[i] : rho;
        }
    }
    return fmax(rho, 0);
}

double trm_monitor_sigma(trm_monitor *monitor, const trm_system *system)
{
    int at = -1;
    double sigma = 1;
    for (int i = 0; monitor->active && i < system->nc; i++) {
        const double ratio = system->solver.ratio[i];
        if (monitor->pivot_max[i] > trm_redundant && (at < 0 || ratio < system->solver.ratio[at])) {
            at = i;
        }
    }
    if (at >= 0) {
        trm_solver_dependence(&system->solver, TRM_METRIC_MASS, at, monitor->passport.y, &sigma);
    }
    return sigma;
}

void trm_rho_note(trm_monitor *monitor, double rho, double t)
{
    if (rho < monitor->rho_min) {
        monitor->rho_min = rho;
        monitor->t_rho_min = t;
    }
}

static int count_redundant(const double *pivot_max, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += !(pivot_max[i] > trm_redundant);
    }
    return count;
}

/// The largest pivot; where rows are redundant, which share what the others leave them, a few times the usual one,
/// if that is less: a row that falls to zero and rises again like sin^2 has its largest pivot at four times
/// the geometric mean.
static void choose_units(trm_monitor *monitor, int nc)
{
    const double few = 6;
    const int share = count_redundant(monitor->pivot_max, nc) > 0;
    for (int i = 0; i < nc; i++) {
        const double most = monitor->pivot_max[i];
        const double usual = few * monitor->mean[i];
        monitor->unit[i] = share && usual < most ? usual : most;
    }
}

void trm_monitor_learn(trm_monitor *monitor, const trm_system *system)
{
    for (int i = 0; i < system->nc; i++) {
        monitor->pivot_max[i] = trm_larger(system->solver.ratio[i], monitor->pivot_max[i]);
    }
    choose_units(monitor, system->nc);
}

void trm_rho_learn_usual(trm_monitor *monitor, const trm_run *run, double T)
{
    const double least = 1e-12; // a crossing met exactly counts as much as one passed closely
    const double *const v = run->now.z + run->system->nq;
    double speed = 0;
    if (count_redundant(monitor->pivot_max, run->system->nc) == 0) {
        return;
    }
    for (int i = 0; i < run->system->nv; i++) {
        speed = trm_larger(fabs(v[i]) / run->extent.v[i], speed);
    }
    monitor->way += T * speed;
    for (int i = 0; i < run->system->nc; i++) {
        monitor->log_ratio[i] += T * speed * log(trm_larger(run->system->solver.ratio[i], least));
        monitor->mean[i] = monitor->way > 0 ? exp(monitor->log_ratio[i] / monitor->way) : INFINITY;
    }
    choose_units(monitor, run->system->nc);
}

/// What damping has left in every pivot of the last factorization.
static double left_over(const double *pivot_max, const trm_solver *solver)
{
    const double part = 30; // of delta
    return count_redundant(pivot_max, solver->n) > 0 && !solver->corner ? part * solver->delta : 0;
}

/// The smallest ratio in units of its row, redundant rows left out.
static double smallest_part(int n, const double *pivot_max, const double *unit, const double *ratio,
                            double none)
{
    double rho = 1;
    for (int i = 0; i < n; i++) {
        if (pivot_max[i] > trm_redundant) {
            rho = trm_lesser((ratio[i] - none) / unit[i], rho);
        }
    }
    return fmax(rho, 0);
}

double trm_relative_rho(const double *pivot_max, const double *unit, const trm_solver *solver)
{
    return smallest_part(solver->n, pivot_max, unit, solver->ratio, left_over(pivot_max, solver));
}

void trm_rho_keep(const trm_monitor *monitor, const trm_solver *solver, trm_seen *seen)
{
    seen->spared = left_over(monitor->pivot_max, solver);
    memcpy(seen->ratio, solver->ratio, (size_t)solver->n * sizeof(double));
}

void trm_rho_measure(const trm_monitor *monitor, int nc, trm_seen *seen)
{
    seen->rho = smallest_part(nc, monitor->pivot_max, monitor->unit, seen->ratio, seen->spared);
}

double trm_rho_of(trm_monitor *monitor, const trm_system *system, double t)
{
    trm_monitor_learn(monitor, system);
    trm_rho_note(monitor, trm_monitor_rho(monitor, system), t);
    return trm_relative_rho(monitor->pivot_max, monitor->unit, &system->solver);
}
