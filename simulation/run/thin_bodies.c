/// Bodies that are light about an axis, s^2 of their largest inertia, held by redundant rows.
///
/// Null directions are told from others by sigma in the mass metric (null_space.h). A row that
/// turns such a body about that axis is 1/s times as long there as it is by the body's size. Then
/// sums and differences of such rows are sound and have a sigma of s, and inverse iteration leaves
/// (delta + e^2)/(delta + s^2) of them beside a misfit e. Open by e of that, rows turn the body by
/// e/s.
#include "base/rank_numbers.h"
#include "base/status.h"
#include "simulation/run/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// rad per rad by which a body may be turned so. A step turns directions by some hundredths of a
/// radian, and that leaves TRM_NOISY times the error of a step of 1e-8. From five times of it on,
/// doors, four-bars and Bennett linkages do not end; at forty times doors stand still.
static const double MOST = 1e-4;

static double turned_by(const trm_sim *sim, double misfit, double light)
{
    const double delta = sim->run.system->solver.delta, e2 = misfit * misfit;
    return (delta + e2) / (delta + light * light) * misfit / light;
}

/// s by the larger of the diagonal entries of I and of its inverse.
static double lightness(const trm_bodies *bodies, int b)
{
    const double *const I = bodies->inertia + 9 * b, *const W = bodies->inverse_inertia + 9 * b;
    return 1 / sqrt(fmax(I[0], fmax(I[4], I[8])) * fmax(W[0], fmax(W[4], W[8])));
}

/// The same for the row F[6] on body b, u = M^-1 F: its length with the largest inertia about every
/// axis over its length in the mass metric.
static double lightness_of_row(const trm_bodies *bodies, int b, const double *F, const double *u)
{
    const double *const I = bodies->inertia + 9 * b;
    double force = 0, torque = 0, own = 0;
    for (int i = 0; i < 6; i++) {
        *(i < 3 ? &force : &torque) += F[i] * F[i];
        own += F[i] * u[i];
    }
    const double round = force / bodies->mass[b] + torque / fmax(I[0], fmax(I[4], I[8]));
    return own > 0 ? sqrt(round / own) : 1;
}

static void look_at_row(trm_sim *sim, int row)
{
    trm_system *const system = sim->run.system;
    const trm_model *const model = sim->model;
    trm_thin *const thin = &sim->thin;
    const double left = sim->rank.component[model->components.of_row[row]].left;
    double *const F = sim->closing.dx, *const u = sim->run.work_v, *const one = sim->measure.work;
    memset(one, 0, (size_t)system->nc * sizeof(double));
    one[row] = 1;
    trm_system_multiply_GT(system, one, F);
    memcpy(u, F, (size_t)system->nv * sizeof(double));
    trm_system_solve_M(system, u);
    for (int b = 0; b < model->sizes.nbody; b++) {
        const int at = model->body_info[b].v0, solid = model->body_info[b].nv == 6;
        const double s = solid ? lightness_of_row(&model->bodies, b, F + at, u + at) : 1;
        const double turned = turned_by(sim, left, s);
        if (turned > thin->turned || (turned == thin->turned && s < thin->light)) {
            *thin = (trm_thin){.light = s, .misfit = left, .turned = turned, .body = b, .row = row};
        }
    }
}

/// Whether any misfit that is allowed could turn any body so.
static int may_be_thin(const trm_sim *sim)
{
    const trm_model *const model = sim->model;
    int may = 0;
    for (int b = 0; b < model->sizes.nbody; b++) {
        may |= model->body_info[b].nv == 6 &&
               turned_by(sim, sim->run.options.misfit, lightness(&model->bodies, b)) > MOST;
    }
    return may;
}

void trm_sim_find_thin(trm_sim *sim)
{
    const double part = 1e-3; // of the largest
    const trm_model *const model = sim->model;
    const trm_solver *const solver = &sim->run.system->solver;
    double *const w = sim->closing.c;
    if (model->bodies.dimension != 3 || model->joints || model->from_equations ||
        !may_be_thin(sim)) {
        return;
    }
    for (int k = 0; k < solver->null.most; k++) {
        double most = 0;
        trm_solver_left_out(solver, k, w);
        for (int i = 0; i < sim->run.system->nc; i++) {
            most = fmax(fabs(w[i]) * sim->run.extent.g[i], most);
        }
        for (int i = 0; i < sim->run.system->nc; i++) {
            if (fabs(w[i]) * sim->run.extent.g[i] > part * most) {
                look_at_row(sim, i);
            }
        }
    }
}

/// The misfit seen so far of its part.
static double misfit_of(const trm_sim *sim)
{
    const int part = sim->model->components.of_row[sim->thin.row];
    return fmax(sim->thin.misfit, sim->monitor.misfit[part]);
}

int trm_sim_is_thin(const trm_sim *sim)
{
    return sim->thin.light < 1 && turned_by(sim, misfit_of(sim), sim->thin.light) > MOST;
}

trm_status trm_sim_refuse_thin(const trm_sim *sim, trm_error *err)
{
    if (!trm_sim_is_thin(sim)) {
        return TRM_OK;
    }
    const trm_row_info *const info = &sim->model->row_info[sim->thin.row];
    const double misfit = misfit_of(sim);
    double enough = sim->thin.light;
    for (int k = 0; k < DBL_MANT_DIG && turned_by(sim, misfit, enough) > MOST; k++) {
        enough *= 2;
    }
    const trm_status status = TRM_FAIL(
        err, TRM_ERR_SINGULAR, info->where,
        "at t = %.6g s: '%s' and other redundant joints miss each other by %.2g, and the inertia "
        "of '%s' about an axis is %.2g of its largest: its motion is not resolved; give it an "
        "\"inertia\" or a \"radius\" with %.1g of it, or more digits, or one joint less",
        sim->run.now.t, info->name, misfit, sim->model->body_info[sim->thin.body].name,
        sim->thin.light * sim->thin.light, enough * enough);
    return trm_at_time(err, sim->run.now.t, status);
}
