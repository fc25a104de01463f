#include "integrators/rk/stage_closing.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "integrators/stabilization/post.h"
#include "integrators/stabilization/post_damping.h"

#include <math.h>

int trm_stage_closing_is_near(const trm_run *run, double h)
{
    return fabs(run->t_singular - run->now.t) < TRM_REACH_OF_STEPS * h;
}

int trm_stage_closing_is_out_of_reach(const trm_run *run, double h)
{
    const double left = run->t_singular - run->now.t;
    return left > 0 && run->h_next <= 2 * (1 - run->h_next / h) * left;
}

int trm_stage_closing_is_one(trm_run *run)
{
    if (run->meeting == TRM_MEETING_UNKNOWN && run->find_meeting) {
        run->find_meeting(run);
    }
    return run->meeting == TRM_MEETING_CROSSING || run->meeting == TRM_MEETING_HIDDEN;
}

int trm_stage_closing_closes(const trm_run *run)
{
    return run->stabilization->closes && !run->contact;
}

int trm_stage_closing_close(trm_run *run, double t, double *z, double *open)
{
    trm_system *system = run->system;
    trm_system_normalize(system, z);
    int code = trm_system_position(system, t, z);
    *open = trm_larger(trm_extents_gap(&run->extent, system->nc, system->g), *open);
    code = code ? code : trm_post_factor(run);
    for (int pass = 0; pass < 2 && !code; pass++) {
        trm_post_pass(run, TRM_POST_BOTH, z, z + system->nq);
        code = trm_system_position(system, t, z);
        code = code || pass ? code : trm_post_factor_again(run);
    }
    return code;
}

int trm_stage_closing_closes_end(const trm_run *run)
{
    return run->closes_stages ||
           (run->meeting == TRM_MEETING_CORNER && trm_stage_closing_closes(run));
}

/// The damping of the correction at the end of a step whose stages were closed, `open` by so much.
static double crossed(const trm_run *run, double open)
{
    double aside;
    const double noise = trm_post_damping(open, run->row_size, run->system->solver.delta, &aside);
    return fmax(noise, aside);
}

int trm_stage_closing_take(trm_run *run, double open, int count, double *const *x)
{
    trm_system *system = run->system;
    int code = trm_system_factor_damped(system, TRM_METRIC_MASS, crossed(run, open), NULL);
    for (int k = 0; k < count && !code; k++) {
        trm_system_multiply_G(system, x[k], run->work_c);
        trm_system_solve_S(system, run->work_c);
        trm_system_spread(system, TRM_METRIC_MASS, run->work_c, x[k]);
    }
    return code ? code : trm_system_factor(system, TRM_METRIC_MASS);
}

int trm_stage_closing_close_end(trm_run *run, double t, double *z, double open)
{
    trm_system *system = run->system;
    const int corner = run->meeting == TRM_MEETING_CORNER;
    const double damping = corner ? system->solver.delta : crossed(run, open);
    int code = trm_system_position(system, t, z);
    code = code ? code : trm_system_factor_damped(system, TRM_METRIC_MASS, damping, NULL);
    if (!code) {
        trm_post_project(run, TRM_METRIC_MASS, z + system->nq);
    }
    return code;
}

/// s: how far the nearest stage of a step of size h is from t*.
static double nearest(const trm_run *run, int n, const double *c, double h)
{
    const double left = run->t_singular - run->now.t;
    double apart = INFINITY;
    for (int i = 0; i < n; i++) {
        apart = trm_lesser(fabs(c[i] * h - left), apart);
    }
    return apart;
}

double trm_stage_closing_postpone(const trm_run *run, int n, const double *c, double h,
                                  double least)
{
    const double other[] = {h / least, least * h};
    double size = h, far = 2 * nearest(run, n, c, h);
    for (int k = 0; k < 2; k++) {
        const double apart = nearest(run, n, c, other[k]);
        if (apart > far) {
            size = other[k], far = apart;
        }
    }
    return size;
}

double trm_stage_closing_may_err(const trm_run *run, int n, const double *c, double h)
{
    const double apart = nearest(run, n, c, h);
    const double sigma = run->weak_sigma * apart / (run->t_singular - run->now.t);
    const double turned = run->least_there / (sigma * sigma) * (h / apart);
    const double play = run->system->play ? sqrt(run->system->solver.delta / TRM_GAPS) : 0;
    return TRM_NOISY + play / run->options.rtol +
           (run->meeting == TRM_MEETING_HIDDEN ? turned / run->options.rtol : 0);
}

/// The least abscissa above x, at most 1.
static double next_above(int n, const double *c, double x)
{
    double next = 1;
    for (int i = 0; i < n; i++) {
        next = c[i] > x ? trm_lesser(c[i], next) : next;
    }
    return next;
}

double trm_stage_closing_place(const trm_run *run, int n, const double *c, double most)
{
    const double left = run->t_singular - run->now.t;
    double longest = 0, from = 0;
    for (int i = 0; i < n && from < 1; i++) {
        const double to = next_above(n, c, from);
        const double h = left / ((from + to) / 2);
        if ((to - from) * n > 1 && h <= most) {
            longest = trm_larger(h, longest);
        }
        from = to;
    }
    return longest;
}
