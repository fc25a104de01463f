#include "integrators/stabilization/post.h"
#include "base/loops.h"
#include "engine/rank/pivoting.h"
#include "integrators/stabilization/post_damping.h"

#include <float.h>
#include <string.h>

trm_metric trm_post_metric(const trm_run *run)
{
    return run->options.mass_metric ? TRM_METRIC_MASS : TRM_METRIC_IDENTITY;
}

/// r := alpha r
static void shorten(const trm_run *run, double *r)
{
    for (int i = 0; i < run->system->nc; i++) {
        r[i] *= run->options.post.alpha;
    }
}

void trm_post_stabilizer(trm_run *run, double *r, double *x)
{
    trm_system_solve_S(run->system, r);
    shorten(run, r);
    trm_system_spread(run->system, trm_post_metric(run), r, x);
}

/// With S^-1 h: the second pass keeps of the first what M^-1 G^T takes, as it keeps S.
static void correct(trm_run *run, trm_post_part part, double *rq, double *rv, double *q, double *v)
{
    const trm_metric W = run->options.mass_metric ? TRM_METRIC_MASS_NEAR : TRM_METRIC_IDENTITY;
    if (part & TRM_POST_VELOCITY) {
        shorten(run, rv);
        trm_system_subtract_spread(run->system, W, rv, v); // v - alpha F (G v + g_t)
    }
    if (part & TRM_POST_POSITION) {
        shorten(run, rq);
        trm_system_spread(run->system, W, rq, run->work_v); // -alpha F g
        trm_system_move(run->system, run->work_v, q);
    }
}

/// rq := -g, rv := G v + g_t.
static void residuals(trm_run *run, const double *v, double *rq, double *rv)
{
    trm_system *system = run->system;
    for (int i = 0; i < system->nc; i++) {
        rq[i] = -system->g[i];
    }
    trm_system_velocity_residual(system, v, rv);
}

void trm_post_pass(trm_run *run, trm_post_part part, double *q, double *v)
{
    trm_system *system = run->system;
    double *rq = run->work_c, *rv = run->work_c2;
    residuals(run, v, rq, rv);
    if (part == TRM_POST_BOTH) {
        trm_system_solve_two(system, rq, rv);
    } else {
        trm_system_solve_S(system, part & TRM_POST_POSITION ? rq : rv);
    }
    correct(run, part, rq, rv, q, v);
}

void trm_post_pass_of_two(trm_run *run, double *q, double *v)
{
    trm_system *system = run->system;
    const trm_solver *solver = &system->solver;
    if (solver->null.used.components == 0 || !trm_solver_is_damped_little(solver)) {
        trm_post_pass(run, TRM_POST_BOTH, q, v);
        return;
    }
    double *rq = run->work_c, *rv = run->work_c2;
    residuals(run, v, rq, rv);
    trm_system_iterate_S(system, rq);
    trm_system_iterate_S(system, rv);
    correct(run, TRM_POST_BOTH, rq, rv, q, v);
}

/// max |g_i| that remains of g after a correction with the last factorization, relative to
/// the size of the mechanism, or in rad.
static double left_of(trm_run *run)
{
    trm_system *system = run->system;
    double *x = run->work_c, *left = run->work_c2;
    memcpy(x, system->g, (size_t)system->nc * sizeof(double));
    trm_system_solve_S(system, x);
    trm_system_spread(system, trm_post_metric(run), x, run->work_v);
    trm_system_multiply_G(system, run->work_v, left);
    for (int i = 0; i < system->nc; i++) {
        left[i] -= system->g[i];
    }
    return trm_extents_gap(&run->extent, system->nc, left);
}

/// By how much rows change when bodies turn by a radian, in the metric of the corrections: that of
/// lengths knows no masses.
static double row_size(const trm_run *run)
{
    return run->options.mass_metric ? run->row_size : 1;
}

int trm_post_factor(trm_run *run)
{
    trm_system *system = run->system;
    const trm_metric metric = trm_post_metric(run);
    const double least = system->solver.delta;
    const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
    run->gap_corrected = gap;
    run->damping_corrected = 0;
    if (!(least > 0)) {
        return trm_system_factor(system, metric);
    }
    double aside;
    const double noise = trm_post_damping(gap, row_size(run), least, &aside);
    run->damping_corrected = trm_larger(noise, aside);
    int code = trm_system_factor_damped(system, metric, run->damping_corrected, NULL);
    if (code == 0 && noise > aside && system->solver.damped &&
        left_of(run) > TRM_FEW * DBL_EPSILON) {
        run->damping_corrected = aside;
        code = trm_system_factor_damped(system, metric, aside, NULL);
    }
    return code;
}

int trm_post_factor_again(trm_run *run)
{
    trm_system *system = run->system;
    const double ratio = system->solver.ratio_min;
    const trm_null_space *const null = &system->solver.null;
    const double least = null->used.light > 0 ? trm_lesser(null->light.lightest, ratio) : ratio;
    return least < trm_post_turned(run->gap_corrected) && ratio > TRM_WELL * run->damping_corrected
               ? trm_system_factor_damped(system, trm_post_metric(run), run->damping_corrected,
                                          NULL)
               : 0;
}

void trm_post_project(trm_run *run, trm_metric metric, double *v)
{
    trm_system *system = run->system;
    for (int k = 0; k < 2; k++) {
        trm_system_velocity_residual(system, v, run->work_c);
        trm_system_solve_S(system, run->work_c);
        trm_system_spread(system, metric, run->work_c, run->work_v);
        for (int i = 0; i < system->nv; i++) {
            v[i] -= run->work_v[i];
        }
    }
}

void trm_post_rows(trm_run *run, trm_metric metric, double *out)
{
    const int nc = run->system->nc;
    memset(run->work_c, 0, (size_t)nc * sizeof(double));
    for (int i = 0; i < nc; i++) {
        run->work_c[i] = 1;
        trm_system_spread(run->system, metric, run->work_c, out + i * run->system->nv);
        run->work_c[i] = 0;
    }
}

int trm_post_eliminate(trm_run *run, const double *D, double *GD, int *row, int *column)
{
    const int nc = run->system->nc;
    for (int k = 0; k < nc; k++) {
        trm_system_multiply_G(run->system, D + k * run->system->nv, run->work_c);
        trm_system_leave_out(run->system, run->work_c);
        for (int i = 0; i < nc; i++) {
            GD[i * nc + k] = run->work_c[i];
        }
    }
    return trm_eliminate(nc, nc, GD, TRM_PIVOT, row, column);
}

int trm_post_correct(trm_run *run, trm_post_part part, double t, double *z)
{
    trm_system *system = run->system;
    if (system->nc == 0) {
        return 0;
    }
    int code = trm_system_position(system, t, z);
    code = code ? code : trm_post_factor(run);
    if (!code) {
        trm_post_pass(run, part, z, z + system->nq);
    }
    return code;
}
