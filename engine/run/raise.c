/// A run begins by the rank of its own motion, which may be less than that of positions nearby
/// (survey.h), and its motion may leave the positions of that rank later, pushed or driven: from
/// there on rows hold that were left out.
///
/// Where two sets of motions cross in the positions of less rank, x y = 0, the motion takes one of
/// them, y = 0, as far as its forces push along x. Until the rank rises y is free, and errs by
/// the part of x that forces across the motion turn into y'' meanwhile. The step is taken again,
/// half as long, until the velocity across is what a step may err by, or the row is too short to be
/// judged. (From x = 0, by the higher rank, a step does not know which of the two sets goes on.)
#include "engine/base/rank_numbers.h"
#include "engine/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The sum of sigma^2 of the directions that are left out. across[nv] := the velocity that their
/// rows would take out, were one of them not null.
static double square_of_left_out(trm_sim *sim, double *across)
{
    trm_system *system = sim->run.system;
    const int nv = system->nv, nc = system->nc;
    double *const w = sim->closing.c, *const f = sim->closing.dx, *const u = sim->run.work_v;
    double *const open = sim->measure.work;
    double sum = 0;
    trm_system_velocity_residual(system, sim->run.now.z + system->nq, open);
    memset(across, 0, (size_t)nv * sizeof(double));
    for (int k = 0; k < system->solver.null.most; k++) {
        double rate = 0;
        trm_solver_left_out(&system->solver, k, w);
        trm_system_multiply_GT(system, w, f);
        memcpy(u, f, (size_t)nv * sizeof(double));
        trm_system_solve_M(system, u);
        for (int i = 0; i < nc; i++) {
            rate += w[i] * open[i];
        }
        for (int i = 0; i < nv; i++) {
            sum += f[i] * u[i];
            across[i] += rate * u[i];
        }
    }
    for (int i = 0; i < nv && sum > 0; i++) {
        across[i] /= sum;
    }
    return sum;
}

/// Whether rows that are left out are more than dependent. Open by e, directions that are null
/// everywhere have sigma = e; where the motion has left a set of less rank, y^2 = 0, sigma is
/// sqrt(e): e^(3/4) lies between.
static int is_off(const trm_sim *sim, double square)
{
    const trm_system *system = sim->run.system;
    const double gap = trm_extents_gap(&sim->run.extent, system->nc, system->g);
    return square > fmax(TRM_DEPENDENT * TRM_DEPENDENT, gap * sqrt(gap));
}

/// Whether a velocity is more than a step may err by.
static int is_large(const trm_run *run, const double *across)
{
    const double *v = run->now.z + run->system->nq;
    int large = 0;
    for (int i = 0; i < run->system->nv; i++) {
        large |= fabs(across[i]) > run->options.atol + run->options.rtol * fabs(v[i]);
    }
    return large;
}

/// The length of a step that comes nearer to the positions of the rank of the run, or 0.
static double nearer(trm_sim *sim, double h)
{
    enum { MOST = 50 }; // h falls to its own rounding
    if (sim->halvings == MOST || h <= sim->h_below) {
        return 0;
    }
    sim->halvings++;
    return sim->h_below > 0 ? sim->h_below : h / 2;
}

double trm_sim_rank_rises(trm_sim *sim)
{
    const trm_run *run = &sim->run;
    trm_system *system = run->system;
    const double h = run->now.t - run->before.t;
    sim->rises = 0;
    if (system->solver.null.used.parts == 0 || run->unfactored) {
        return 0; // a method that solves nothing with S has left nothing out
    }
    double *const across = run->work_v2;
    const int off = is_off(sim, square_of_left_out(sim, across));
    sim->t_off = off ? fmin(run->now.t, sim->t_off) : INFINITY;
    sim->rises = off && trm_rank_rises(&sim->rank, system, &run->extent, &system->solver.null);
    if (!sim->rises) {
        sim->h_below = sim->halvings > 0 ? h : 0;
        return 0;
    }
    return trm_run_is_adaptive(run) && is_large(run, across) ? nearer(sim, h) : 0;
}

void trm_sim_name_rank(const trm_sim *sim, trm_error *err)
{
    const trm_system *system = sim->run.system;
    const size_t used = err ? strlen(err->message) : 0;
    if (err && isfinite(sim->t_off)) {
        snprintf(
            err->message + used, sizeof err->message - used,
            "; pushed off the positions of rank %d of its start since t = %.6g s: no motion, or "
            "no single motion, goes on",
            system->nc - system->solver.null.nullity, sim->t_off);
    }
}

trm_status trm_sim_raise_rank(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_point_of_run *now = &run->now;
    int code = trm_sim_leave_out(sim, &sim->rank);
    code = code ? code
                : trm_close(run->system, &sim->closing, now->t, now->z, now->z + run->system->nq);
    if (!code && run->stabilization) {
        code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    }
    code = code ? code : trm_system_position(run->system, now->t, now->z);
    code = code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
    trm_watch_expect(&sim->watch, &sim->rank);
    sim->t_off = INFINITY;
    sim->halvings = 0;
    sim->h_below = 0;
    run->shifted = 1;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}
