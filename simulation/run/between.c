/// The constraints between the ends of a step.
///
/// The dense output is a polynomial through points that fulfil 0 = g; in between it fulfils them up
/// to its own error, or not at all where a motor has moved there and back within the step. A sample
/// is brought to the constraints like the end of a step; the report has its distance before.
#include "base/loops.h"
#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <string.h>

void trm_sim_remember(trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    sim->counted[0] = system->force_evals;
    sim->counted[1] = system->jacobian_evals;
    sim->counted[2] = system->factorizations;
}

void trm_sim_recall(trm_sim *sim)
{
    trm_system *system = sim->run.system;
    system->force_evals = sim->counted[0];
    system->jacobian_evals = sim->counted[1];
    system->factorizations = sim->counted[2];
}

/// z at t within the last step. Returns a system's code.
static int trm_sim_interpolate(trm_sim *sim, double t, double *z)
{
    trm_system *system = sim->run.system;
    trm_system_hold_modes(system,
                          sim->locator.mode); // the dense output may need more stages of that step
    const int code = sim->run.method_ops->dense(&sim->run, t, z);
    trm_system_hold_modes(system, NULL);
    return code;
}

/// The weights of a pair follow the force; under one of the time that turns by 2 radians a step,
/// the power turns by 4, and they integrate it some 2^8 times worse. Gauss' formula of six points
/// errs by 2e-16 x^12 of a power that turns by x radians: the velocities of the dense output are
/// what is left.
double trm_sim_integrate_power(trm_sim *sim, double t)
{
    enum { POINTS = 6 };
    static const double place[POINTS] = {0.0337652428984240, 0.1693953067668677,
                                         0.3806904069584016, 0.6193095930415985,
                                         0.8306046932331323, 0.9662347571015760};
    static const double weight[POINTS] = {0.0856622461895852, 0.1803807865240693,
                                          0.2339569672863455, 0.2339569672863455,
                                          0.1803807865240693, 0.0856622461895852};
    trm_run *const run = &sim->run;
    const double begin = run->before.t;
    double *const rate = sim->sample.dz, power = 0;
    int code = 0;
    for (int p = 0; !code && p < POINTS; p++) {
        const double here = begin + place[p] * (t - begin);
        code = trm_sim_interpolate(sim, here, sim->between);
        trm_system_hold_modes(run->system, sim->locator.mode);
        code = code ? code : trm_run_rates(run, here, sim->between, rate, sim->sample.lambda);
        trm_system_hold_modes(run->system, NULL);
        power += weight[p] * rate[run->n - 1];
    }
    return code ? NAN : run->before.z[run->n - 1] + (t - begin) * power;
}

/// The gap of the current point, t within the step.
static double note_gap(trm_sim *sim, double t)
{
    const trm_run *run = &sim->run;
    const double *g = run->system->g;
    double relative = 0;
    int row = -1;
    for (int i = 0; i < run->system->nc; i++) {
        const double gap = fabs(g[i]) / run->extent.g[i];
        row = trm_is_worse(gap, relative) ? i : row;
        relative = trm_is_worse(gap, relative) ? gap : relative;
    }
    if (row >= 0) {
        trm_measure_between(&sim->measure, relative, fabs(g[row]), row, t);
    }
    return relative;
}

/// z := the same on the constraints, by as many corrections as needed; a correction that does not
/// help is taken back. Of closed positions rounding may make more, which is no reason to leave
/// velocities as they are.
static int close(trm_sim *sim, double t, double *z, double gap)
{
    enum { CORRECTIONS = 4 };
    const double closed = 1e-12; // of the size; a correction squares what it finds
    trm_run *run = &sim->run;
    const size_t bytes = (size_t)run->n * sizeof(double);
    for (int k = 0; k < CORRECTIONS && (k == 0 || gap > closed); k++) {
        memcpy(sim->between, z, bytes);
        int code = trm_run_correct(run, t, z);
        trm_system_normalize(run->system, z);
        code = code ? code : trm_system_position(run->system, t, z);
        const double left = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
        if (code || !trm_all_finite(run->n, z) || !(left <= fmax(gap, closed))) {
            memcpy(z, sim->between, bytes);
            return code < 0 ? code : 0;
        }
        gap = left;
    }
    return 0;
}

int trm_sim_state_within(trm_sim *sim, double t)
{
    trm_run *run = &sim->run;
    double *z = sim->sample.z;
    int code = trm_sim_interpolate(sim, t, z);
    if (code || run->system->nc == 0) {
        return code;
    }
    TRM_TRY(trm_system_position(run->system, t, z));
    const double gap = note_gap(sim, t);
    return run->stabilization && run->stabilization->correct ? close(sim, t, z, gap) : 0;
}

int trm_sim_look_between(trm_sim *sim)
{
    static const double place[] = {0.2, 0.5, 0.8};
    trm_run *run = &sim->run;
    if (!sim->drives_of_time || run->system->nc == 0) {
        return 0;
    }
    const double h = run->now.t - run->before.t;
    int code = 0;
    trm_sim_remember(sim);
    for (size_t i = 0; !code && i < sizeof place / sizeof *place; i++) {
        const double t = run->before.t + place[i] * h;
        code = trm_sim_interpolate(sim, t, sim->sample.z);
        code = code ? code : trm_system_position(run->system, t, sim->sample.z);
        if (!code) {
            note_gap(sim, t);
            const double *v = sim->sample.z + run->system->nq;
            trm_measure_moved(&sim->measure, trm_system_kinetic(run->system, v),
                              trm_extents_speed(&run->extent, trm_system_motions(run->system), v));
        }
    }
    const int back = trm_system_position(run->system, run->now.t, run->now.z);
    trm_sim_recall(sim);
    return code ? code : back;
}

// -------------------------------------------------------------------------------------- what moves

static int has_time(const trm_function *function)
{
    return trm_function_reads(function, TRM_VARIABLE_TIME);
}

static int moves(const trm_function *function)
{
    return has_time(function) || trm_function_reads(function, TRM_VARIABLE_INPUT);
}

void trm_sim_note_inputs(trm_sim *sim)
{
    const trm_model *model = sim->model;
    int rows = model->from_equations && model->equations.g_t;
    for (int i = 0; i < model->ndrives; i++) {
        rows |= moves(&model->drives[i].c);
    }
    for (int i = 0; i < model->nexpressions; i++) {
        rows |= moves(&model->expressions[i].e);
    }
    for (int i = 0; i < model->nuser_rows; i++) {
        rows |= model->user_rows[i].def.g_t != NULL;
    }
    sim->drives_of_time = rows;
}
