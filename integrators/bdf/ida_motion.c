// The equations common to all forms.

#include "base/pi.h"
#include "base/rank_numbers.h"
#include "integrators/bdf/ida.h"

#include <math.h>
#include <string.h>

/// The rate at which the norm of a quaternion returns to 1, per period of the fastest motion. An
/// implicit method takes it as an algebraic equation when steps are much longer than 1/kappa; it is
/// zero on the exact motion.
static const double kappa = 1e4;

void trm_ida_keep_norm(trm_run *run, const double *q, double *r)
{
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    if (system->nq == trm_system_motions(system)) {
        return;
    }
    const double rate = kappa / trm_ida_period(run);
    memcpy(ida->unit_q, q, (size_t)system->nq * sizeof(double));
    trm_system_normalize(system, ida->unit_q);
    for (int i = 0; i < system->nq; i++) {
        r[i] -= rate * (ida->unit_q[i] - q[i]);
    }
}

trm_metric trm_ida_metric(const trm_run *run)
{
    return run->options.mass_metric ? TRM_METRIC_MASS : TRM_METRIC_IDENTITY;
}

/// Whether rows come near dependence here, judged at the last accepted point. delta must be nonzero
/// before the steps are there: without delta Newton's method multiplies roundoff by the inverse of
/// the smallest singular value of G.
static int is_near_singular(const trm_run *run)
{
    return !(run->weak_sigma * run->weak_sigma > TRM_REGULAR);
}

void trm_ida_note_rate(trm_run *run)
{
    trm_ida *const ida = run->method;
    const trm_system *const system = run->system;
    const double *const dz = run->now.dz;
    double strongest = 0; // 1/s^2, of rows: D lambda
    for (int i = 0; i < system->nc; i++) {
        const double D = system->solver.scale[TRM_METRIC_MASS][system->solver.pattern->place_of[i]];
        strongest = fmax(strongest, D * fabs(run->now.lambda[i]) / run->extent.g[i]);
    }
    const double rate = trm_extents_rate(&run->extent, system->nq, system->nv, dz, dz + system->nq);
    ida->fastest = fmax(ida->fastest, fmax(rate, sqrt(strongest)));
}

double trm_ida_period(const trm_run *run)
{
    const trm_ida *const ida = run->method;
    return ida->fastest > 0 ? 2 * TRM_PI / ida->fastest : 1;
}

double trm_ida_delta(const trm_run *run, int multiplier, int row)
{
    const trm_solver *solver = &run->system->solver;
    if (multiplier == 1 && run->system->speed && run->system->speed[row]) {
        return 1; // no g: 0 = mu
    }
    const int near = is_near_singular(run);
    if (!(solver->delta > 0) || !(near || solver->null.used.components > 0)) {
        return 0;
    }
    const trm_ida *ida = run->method;
    const int of_mass = multiplier == 0 || run->options.mass_metric;
    const double D = of_mass ? solver->scale[TRM_METRIC_MASS][solver->pattern->place_of[row]] : 1;
    return run->options.damping * D *
           (ida->form->index == 1 ? 1
            : near                ? trm_ida_period(run)
                                  : ida->per_rate);
}

void trm_ida_damp(trm_run *run, int multiplier, const double *x, double *rows)
{
    const trm_solver *solver = &run->system->solver;
    const int nc = run->system->nc,
              all = solver->null.used.components == 0 || is_near_singular(run);
    double *const left = run->work_c2;
    if (!all) {
        memcpy(left, x, (size_t)nc * sizeof(double));
        trm_solver_leave_out_of_solution(solver, left);
    }
    if (!all &&
        run->system->play) { // what redundant rows contradict each other by has no multiplier
        trm_solver_leave_out(solver, rows);
    }
    for (int i = 0; i < nc; i++) {
        const int speed = multiplier == 1 && run->system->speed && run->system->speed[i];
        rows[i] -= trm_ida_delta(run, multiplier, i) * (all || speed ? x[i] : x[i] - left[i]);
    }
}

int trm_ida_motion(trm_run *run, const double *y, const double *dy, const double *u, double *r)
{
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    const int nq = system->nq, nv = system->nv;
    double power;
    trm_system_rates(system, y, u, r);
    for (int i = 0; i < nq; i++) {
        r[i] = dy[i] - r[i];
    }
    trm_ida_keep_norm(run, y, r);
    memcpy(r + nq, dy + nq, (size_t)nv * sizeof(double));
    trm_system_multiply_M(system, r + nq);
    trm_system_multiply_GT(system, y + nq + nv, ida->x2);
    const int code = trm_system_force(system, y + nq, ida->x, &power);
    for (int i = 0; i < nv; i++) {
        r[nq + i] += ida->x2[i] - ida->x[i];
    }
    return code;
}
