/// Collocation at the points t_j = t_{i-1} + c_j h of a step, j = 1..k, of x' = J x + d:
///
///     X'_j = J_j X_j + d_j,   X_j = x_{i-1} + h sum_l a_jl X'_l,
///     x_i = x_{i-1} + h sum_j b_j X'_j
///
/// with a_jl and b_l the integrals over [0, c_j] and [0, 1] of the polynomial that is 1 at c_l and
/// 0 at the other nodes [Ascher, Mattheij, Russell, Numerical Solution of Boundary Value Problems
/// for ODEs, 5.4]. The slopes of a step are eliminated from its own k nx equations.
#include "validation/papers/boundary/collocation.h"
#include "base/linear/dense.h"

#include <math.h>
#include <string.h>

static void nodes(trm_dae_points points, int k, double *c)
{
    const double third = 1.0 / 3, w15 = sqrt(15) / 10, w6 = sqrt(6) / 10;
    const double gauss[3][3] = {
        {0.5}, {0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6}, {0.5 - w15, 0.5, 0.5 + w15}};
    const double radau[3][3] = {{1}, {third, 1}, {0.4 - w6, 0.4 + w6, 1}};
    memcpy(c, points == TRM_DAE_POINTS_RADAU ? radau[k - 1] : gauss[k - 1], (size_t)k * sizeof *c);
}

/// The integral over [0, end] of the polynomial that is 1 at c[l] and 0 at the other k - 1 nodes.
static double integral(int k, const double *c, int l, double end)
{
    double p[TRM_DAE_MOST_POINTS] = {1}; // coefficients, the constant first
    int degree = 0;
    for (int m = 0; m < k; m++) {
        if (m == l) {
            continue;
        }
        const double scale = 1 / (c[l] - c[m]);
        for (int i = ++degree; i >= 0; i--) {
            p[i] = scale * ((i > 0 ? p[i - 1] : 0) - c[m] * (i < degree ? p[i] : 0));
        }
    }
    double sum = 0;
    for (int i = degree; i >= 0; i--) {
        sum = end * (p[i] / (i + 1) + sum);
    }
    return sum;
}

void trm_dae_collocation_choose(trm_dae_collocation *rule, trm_dae_points points, int k)
{
    rule->k = k;
    nodes(points, k, rule->c);
    for (int l = 0; l < k; l++) {
        rule->b[l] = integral(k, rule->c, l, 1);
        for (int j = 0; j < k; j++) {
            rule->a[j][l] = integral(k, rule->c, l, rule->c[j]);
        }
    }
}

void trm_dae_collocation_layout(trm_dae_collocation *rule, int nx, trm_arena *arena)
{
    const int n = rule->k * nx;
    rule->J = trm_arena_matrix(arena, n, nx);
    rule->d = trm_arena_doubles(arena, n);
    rule->W = trm_arena_matrix(arena, n, n);
    rule->exchanged = trm_arena_ints(arena, n);
    rule->slope = trm_arena_doubles(arena, n);
    rule->S = trm_arena_matrix(arena, nx, nx);
    rule->s = trm_arena_doubles(arena, nx);
}

void trm_dae_collocation_take(trm_dae_collocation *rule, const trm_dae_law *law, int j)
{
    const int nx = law->nz;
    memcpy(rule->J + j * nx * nx, law->J, (size_t)(nx * nx) * sizeof(double));
    memcpy(rule->d + j * nx, law->c, (size_t)nx * sizeof(double));
}

trm_dae_code trm_dae_collocation_factor(trm_dae_collocation *rule, int nx, double h)
{
    const int n = rule->k * nx;
    for (int row = 0; row < n; row++) {
        const int j = row / nx;
        for (int column = 0; column < n; column++) {
            const int l = column / nx;
            const double J = rule->J[row * nx + column % nx];
            rule->W[row * n + column] = (row == column ? 1 : 0) - h * rule->a[j][l] * J;
        }
    }
    trm_lu(n, rule->W, rule->exchanged);
    for (int i = 0; i < n; i++) {
        if (!(fabs(rule->W[i * n + i]) > 0)) {
            return TRM_DAE_SINGULAR;
        }
    }
    return TRM_DAE_FINE;
}

/// out[nx] := h sum_j weight_j X'_j
static void add_up(const trm_dae_collocation *rule, int nx, double h, const double *weight,
                   double *out)
{
    for (int i = 0; i < nx; i++) {
        double sum = 0;
        for (int j = 0; j < rule->k; j++) {
            sum += weight[j] * rule->slope[j * nx + i];
        }
        out[i] = h * sum;
    }
}

void trm_dae_collocation_condense(trm_dae_collocation *rule, int nx, double h)
{
    const int n = rule->k * nx;
    double *const column = rule->s; // of S for the moment
    for (int m = 0; m < nx; m++) {
        for (int row = 0; row < n; row++) {
            rule->slope[row] = rule->J[row * nx + m];
        }
        trm_lu_solve(n, rule->W, rule->exchanged, rule->slope);
        add_up(rule, nx, h, rule->b, column);
        for (int i = 0; i < nx; i++) {
            rule->S[i * nx + m] = (i == m ? 1 : 0) + column[i];
        }
    }
    memcpy(rule->slope, rule->d, (size_t)n * sizeof(double));
    trm_lu_solve(n, rule->W, rule->exchanged, rule->slope);
    add_up(rule, nx, h, rule->b, rule->s);
}

void trm_dae_collocation_slopes(trm_dae_collocation *rule, int nx, const double *x)
{
    const int n = rule->k * nx;
    for (int row = 0; row < n; row++) {
        double sum = rule->d[row];
        for (int i = 0; i < nx; i++) {
            sum += rule->J[row * nx + i] * x[i];
        }
        rule->slope[row] = sum;
    }
    trm_lu_solve(n, rule->W, rule->exchanged, rule->slope);
}

void trm_dae_collocation_point(const trm_dae_collocation *rule, int nx, double h, const double *x,
                               int j, double *out)
{
    add_up(rule, nx, h, rule->a[j], out);
    for (int i = 0; i < nx; i++) {
        out[i] += x[i];
    }
}
