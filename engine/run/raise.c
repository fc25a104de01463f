/// A run begins by the rank of its own motion, which may be less than that of positions nearby
/// (survey.h), and its motion may leave the positions of that rank later, pushed or driven: from
/// there on rows hold that were left out.
#include "engine/base/rank_numbers.h"
#include "engine/run/simulation.h"

#include <math.h>
#include <string.h>

/// The sum of sigma^2 of the directions that are left out.
static double square_of_left_out(trm_sim *sim)
{
    trm_system *system = sim->run.system;
    const size_t bytes = (size_t)system->nv * sizeof(double);
    double *const w = sim->closing.c, *const f = sim->closing.dx, *const u = sim->run.work_v;
    double sum = 0;
    for (int k = 0; k < system->solver.null.most; k++) {
        trm_solver_left_out(&system->solver, k, w);
        trm_system_multiply_GT(system, w, f);
        memcpy(u, f, bytes);
        trm_system_solve_M(system, u);
        for (int i = 0; i < system->nv; i++) {
            sum += f[i] * u[i];
        }
    }
    return sum;
}

int trm_sim_rank_rises(trm_sim *sim)
{
    const trm_run *run = &sim->run;
    trm_system *system = run->system;
    if (system->solver.null.used.parts == 0 || run->unfactored ||
        !(square_of_left_out(sim) > TRM_DEPENDENT * TRM_DEPENDENT)) {
        return 0;
    }
    return trm_rank_rises(&sim->rank, system, &run->extent, &system->solver.null);
}

trm_status trm_sim_raise_rank(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    int code = trm_sim_leave_out(sim, &sim->rank);
    code = code ? code : trm_system_position(run->system, run->now.t, run->now.z);
    code = code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    trm_watch_expect(&sim->watch, &sim->rank);
    trm_watch_renew(&sim->watch, run, 1);
    return run->method_ops->start(run, err);
}
