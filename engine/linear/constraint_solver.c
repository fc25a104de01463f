#include "engine/linear/constraint_solver.h"
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/quad.h"
#include "base/rank_numbers.h"
#include "base/row_length.h"
#include "engine/linear/block_ldl.h"
#include "engine/linear/pair_ldl.h"
#include "engine/linear/pivots.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena)
{
    const int room = (pattern->n + 3) / 4 * 4; // for the pivots to be judged four at a time
    solver->pattern = pattern;
    solver->n = pattern->rows;
    solver->values = pattern->values;
    solver->delta = delta;
    solver->damped = 0;
    solver->ratio_min = 0;
    solver->S = trm_arena_doubles(arena, pattern->values);
    TRM_ARENA_DOUBLES(arena, room, &solver->pivot, &solver->inverse_pivot, &solver->D);
    TRM_ARENA_DOUBLES(arena, pattern->n, &solver->scale[0], &solver->scale[1]);
    solver->work = trm_arena_doubles(arena, pattern->n + room);
    solver->null = (trm_null_space){.most = 0};
}

void trm_solver_forget_scales(trm_solver *solver)
{
    const size_t bytes = (size_t)solver->pattern->n * sizeof(double);
    memset(solver->scale[0], 0, bytes);
    memset(solver->scale[1], 0, bytes);
    solver->noted[0] = solver->noted[1] = 0;
    solver->damped = 0;
}

void trm_solver_reset(trm_solver *solver)
{
    trm_solver_forget_scales(solver);
    solver->null.used = (trm_null_size){.components = 0};
    solver->null.most = solver->null.nullity = 0;
}

static void set_scale_to(trm_solver *solver, int which, const double *D)
{
    memmove(solver->scale[which], D, (size_t)solver->pattern->n * sizeof(double));
    solver->noted[which] = 1;
}

void trm_solver_note_scale(trm_solver *solver, int which, const trm_solver *of)
{
    set_scale_to(solver, which, of->D);
}

void trm_solver_note_beside(trm_solver *solver, int which, const trm_solver *of)
{
    double *const scale = solver->work;
    for (int i = 0; i < solver->pattern->n; i++) {
        const double here = sqrt(solver->scale[which][i]);
        const double length = trm_row_length(here, sqrt(of->D[i]));
        scale[i] = length > here ? length * length : solver->scale[which][i];
    }
    set_scale_to(solver, which, scale);
}

/// x by row of g -> by row of S: x itself without fillers, else in work.
static double *fill(const trm_pattern *p, double *x, double *work)
{
    if (p->n == p->rows) {
        return x;
    }
    for (int row = 0; row < p->rows; row++) {
        work[p->place_of[row]] = x[row];
    }
    for (int k = 0; k < p->n - p->rows; k++) {
        work[p->filler[k]] = 0;
    }
    return work;
}

/// And back, from what fill returned.
static void drop_fillers(const trm_pattern *p, const double *filled, double *x)
{
    for (int row = 0; filled != x && row < p->rows; row++) {
        x[row] = filled[p->place_of[row]];
    }
}

void trm_solver_clear(trm_solver *solver)
{
    memset(solver->S, 0, (size_t)solver->values * sizeof(double));
}

// ---------------------------------------------------------------------------- the factorization

/// Every entry of D at least that of a row of roundoff. The identity adds m to rad, so that only
/// its own rows tell how long one is; so do rows of the user.
static void bound_scale(const trm_solver *solver, int which)
{
    const int n = solver->pattern->n;
    const double *const least = which == 0 ? solver->pattern->least : NULL;
    const double part = least ? 0 : TRM_LEAST_SCALE * trm_max_norm(n, solver->D);
    for (int i = 0; i < n; i++) {
        solver->D[i] = trm_larger(solver->D[i], least ? least[i] : part);
    }
}

/// D. A scale that was noted is bounded already. Fillers have 1, all that stands in their rows.
static void set_scale(const trm_solver *solver, int which)
{
    const trm_pattern *p = solver->pattern;
    for (int k = 0; k < p->n - p->rows; k++) {
        solver->S[p->pivot[p->filler[k]]] = 1;
    }
    trm_pivots_scale(p, solver->S, solver->scale[which], solver->D);
    if (!solver->noted[which]) {
        bound_scale(solver, which);
    }
}

/// S := S + delta D.
static void damp(trm_solver *solver, double delta)
{
    const trm_pattern *p = solver->pattern;
    solver->damping = delta;
    for (int i = 0; i < p->n; i++) {
        solver->S[p->pivot[i]] += delta * solver->D[i];
    }
}

/// A step of inverse iteration, which takes a solve for each column; parts do not touch each other.
/// Returns the shortest length of a direction.
static double iterate_null_space(trm_solver *solver, const double *from)
{
    const trm_pattern *p = solver->pattern;
    double shortest = DBL_MAX;
    for (int k = 0; k < solver->null.most; k++) {
        if (!solver->null.component->all) {
            memset(solver->work, 0, (size_t)p->n * sizeof(double));
        }
        trm_null_right_side(&solver->null, from, k, solver->D, solver->work);
        trm_ldl_solve(p, solver->S, solver->inverse_pivot, solver->work);
        shortest =
            trm_lesser(trm_null_solution(&solver->null, k, solver->D, solver->work), shortest);
    }
    return shortest;
}

/// W at the current point. (S + delta D)^-1 lengthens null directions by 1/delta: what has become
/// shorter than half of that has turned by more than 60 degrees, or is open.
static void bring_null_space(trm_solver *solver)
{
    if (iterate_null_space(solver, solver->null.accepted) * solver->damping < 0.5) {
        iterate_null_space(solver, solver->null.W);
    }
}

/// x[n] := S^-1 r, x that of S_0 (null_space.h).
static void make_light(const trm_solver *solver, double *x)
{
    const trm_light_axes *const light = &solver->null.light;
    const int n = solver->pattern->n, axes = solver->light;
    for (int k = 0; k < axes; k++) {
        light->x[k] = trm_dot(n, light->B + k * n, x);
    }
    trm_cholesky_solve(axes, light->K, light->x);
    for (int k = 0; k < axes; k++) {
        for (int i = 0; i < n; i++) {
            x[i] -= light->x[k] * light->Z[k * n + i];
        }
    }
}

/// Z and K for that. Returns nonzero where K is not positive definite.
static int factor_light(trm_solver *solver)
{
    const trm_pattern *p = solver->pattern;
    const trm_light_axes *const light = &solver->null.light;
    const int n = p->n, axes = solver->light;
    for (int k = 0; k < axes; k++) {
        double *const B = light->B + k * n, *const Z = light->Z + k * n;
        trm_null_leave_out(&solver->null, B);
        memcpy(Z, B, (size_t)n * sizeof *Z);
        trm_ldl_solve(p, solver->S, solver->inverse_pivot, Z);
        trm_null_leave_out_of_solution(&solver->null, Z);
    }
    for (int k = 0; k < axes * axes; k++) {
        light->K[k] = trm_dot(n, light->B + k / axes * n, light->Z + k % axes * n);
        light->K[k] += k / axes == k % axes ? light->over_C[k / axes] : 0;
    }
    return axes > 0 && trm_cholesky(axes, light->K);
}

/// min d/D, pivots of directions that are left out aside: as many as these are the smallest.
static double smallest_left(trm_solver *solver)
{
    double *const largest = solver->work; // of D/d, the largest first
    const int left_out = solver->null.nullity;
    int n = 0;
    for (int i = 0; i < solver->pattern->n; i++) {
        const double ratio = solver->inverse_pivot[i] * solver->D[i];
        if (n > left_out && !(ratio > largest[left_out])) {
            continue;
        }
        int k = n;
        for (; k > 0 && largest[k - 1] < ratio; k--) {
            largest[k] = largest[k - 1];
        }
        if (k <= left_out) {
            largest[k] = ratio;
            n = n <= left_out ? n + 1 : n;
        }
    }
    return n > left_out ? 1 / largest[left_out] : 1;
}

// ------------------------------------------------------------------------------------ the solve

/// r := damping D x
TRM_WIDE static void left_by_damping(int n, double damping, const double *D, const double *x,
                                     double *r)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        *trm_quad_to(r + i) = damping * *trm_quad_at(D + i) * *trm_quad_at(x + i);
    }
    for (; i < n; i++) {
        r[i] = damping * D[i] * x[i];
    }
}

TRM_WIDE static void add(int n, const double *r, double *x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        *trm_quad_to(x + i) += *trm_quad_at(r + i);
    }
    for (; i < n; i++) {
        x[i] += r[i];
    }
}

/// x := S^+ x, the work of trm_ldl_solve done to x0, of fill.
static void finish_solve(const trm_solver *solver, double *x0, double *x)
{
    const trm_pattern *p = solver->pattern;
    if (solver->light > 0) {
        make_light(solver, x0); // x_0 = (S + delta D)^-1 r
    }
    if (solver->damped) {
        double *r = solver->work + p->n; // r - S x_0 = delta D x_0
        left_by_damping(p->n, solver->damping, solver->D, x0, r);
        trm_ldl_solve(p, solver->S, solver->inverse_pivot, r);
        if (solver->light > 0) {
            make_light(solver, r);
        }
        add(p->n, r, x0);
    }
    trm_null_leave_out_of_solution(&solver->null, x0);
    drop_fillers(p, x0, x);
}

void trm_solver_solve(const trm_solver *solver, double *x)
{
    double *x0 = fill(solver->pattern, x, solver->work);
    trm_null_leave_out(&solver->null, x0);
    trm_ldl_solve(solver->pattern, solver->S, solver->inverse_pivot, x0);
    finish_solve(solver, x0, x);
}

void trm_solver_iterate(const trm_solver *solver, double *x)
{
    const trm_pattern *p = solver->pattern;
    double *x0 = fill(p, x, solver->work);
    trm_null_leave_out(&solver->null, x0);
    trm_ldl_solve(p, solver->S, solver->inverse_pivot, x0);
    if (solver->light > 0) {
        make_light(solver, x0);
    }
    trm_null_leave_out_of_solution(&solver->null, x0);
    drop_fillers(p, x0, x);
}

void trm_solver_leave_out_of_solution(const trm_solver *solver, double *x)
{
    double *x0 = fill(solver->pattern, x, solver->work);
    trm_null_leave_out_of_solution(&solver->null, x0);
    drop_fillers(solver->pattern, x0, x);
}

void trm_solver_leave_out(const trm_solver *solver, double *b)
{
    double *x0 = fill(solver->pattern, b, solver->work);
    trm_null_leave_out(&solver->null, x0);
    drop_fillers(solver->pattern, x0, b);
}

int trm_solver_is_damped_little(const trm_solver *solver)
{
    return solver->damped && solver->damping < TRM_SHARE * TRM_SHARE * solver->ratio_min;
}

void trm_solver_column(const trm_solver *solver, int i, double *x)
{
    const trm_pattern *p = solver->pattern;
    double *e = p->n == p->rows ? x : solver->work;
    memset(e, 0, (size_t)p->n * sizeof(double));
    e[i] = 1;
    trm_ldl_backward(p, solver->S, e);
    drop_fillers(p, e, x);
}

void trm_solver_left_out(const trm_solver *solver, int k, double *x)
{
    const trm_pattern *p = solver->pattern;
    double *x0 = p->n == p->rows ? x : solver->work;
    trm_null_column(&solver->null, k, p->n, x0);
    drop_fillers(p, x0, x);
}

int trm_solver_factor(trm_solver *solver, int which, double delta, int damped, double *x)
{
    const trm_pattern *p = solver->pattern;
    const int redundant = solver->null.used.components > 0;
    double *const on_the_way = x && !redundant ? fill(p, x, solver->work) : NULL;
    solver->light = which == 0 ? solver->null.used.light : 0;
    set_scale(solver, which);
    for (int i = 0; i < solver->null.used.masks; i++) {
        double *const pivot = &solver->S[p->pivot[i]];
        *pivot = solver->null.kept[i] > 0 ? *pivot : TRM_MASKED * solver->D[i];
    }
    if (on_the_way) {
        trm_null_leave_out(&solver->null, on_the_way);
    }
    solver->damped = delta > 0 && (damped || redundant);
    if (solver->damped) {
        damp(solver, delta);
    }
    const int may_fail = delta > 0 && !solver->damped, keep = may_fail && x && on_the_way == x;
    if (keep) {
        memcpy(solver->work, x, (size_t)p->n * sizeof(double));
    }
    trm_ldl_factor(p, solver->S, solver->pivot, solver->inverse_pivot, on_the_way);
    const double largest = trm_pivots_decide(p->n, solver->inverse_pivot, solver->D);
    const int definite = largest <= DBL_MAX;
    solver->ratio_min = largest > 0 ? 1 / largest : 1;
    if (may_fail && !(definite && solver->ratio_min > TRM_WELL * delta)) {
        if (keep) {
            memcpy(x, solver->work, (size_t)p->n * sizeof(double));
        }
        return TRM_SOLVER_AGAIN;
    }
    if (!definite) {
        return 1;
    }
    if (redundant) {
        bring_null_space(solver);
        solver->ratio_min = smallest_left(solver);
        if (factor_light(solver)) {
            return 1;
        }
    }
    if (on_the_way) {
        trm_ldl_backward(p, solver->S, on_the_way);
        finish_solve(solver, on_the_way, x);
    } else if (x) {
        trm_solver_solve(solver, x);
    }
    return 0;
}

void trm_solver_solve_two(const trm_solver *solver, double *x, double *y)
{
    const trm_pattern *p = solver->pattern;
    if (solver->damped || !p->pairs || solver->null.used.masks > 0) {
        trm_solver_solve(solver, x);
        trm_solver_solve(solver, y);
        return;
    }
    double *x0 = fill(p, x, solver->work), *y0 = fill(p, y, solver->work + p->n);
    trm_pairs_solve_two(p, solver->S, solver->inverse_pivot, x0, y0);
    drop_fillers(p, x0, x);
    drop_fillers(p, y0, y);
}
