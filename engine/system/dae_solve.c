/// Solutions with c0 I + c1 GB and with I - c L.
///
/// Where a symmetric matrix is factored, conjugate gradients still solve, with the factors as
/// preconditioner: one iteration if the factors are exact, two or three where GB has a null vector
/// z. There K + d e_j e_j^T is factored, j the largest entry of z and d = K_jj, which differs from
/// K by one rank and is nonsingular for every c0 >= 0. Without symmetry and with c0 = 0 the same
/// matrix gives the solution at once: with z.r = 0, z^T (K + d e_j e_j^T) y = d z_j y_j = 0, so
/// that y_j = 0.
#include "base/linear/sums.h"
#include "engine/system/dae_operators.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- factors

typedef struct matrix {
    trm_dae_shifted *shifted;
    const trm_sparse *A, *B; ///< A B, or A
    double c0, c1;
    long stamp;
    int symmetric;
    int factors; ///< nonzero: factor it
    int pinned;  ///< the entry, or -1
} matrix;

static double diagonal_of(const trm_sparse *K, int i)
{
    for (int k = K->start[i]; k < K->start[i + 1]; k++) {
        if (K->column[k] == i) {
            return K->value[k];
        }
    }
    return 0;
}

static void add_to_diagonal(trm_sparse *K, int i, double value)
{
    for (int k = K->start[i]; k < K->start[i + 1]; k++) {
        K->value[k] += K->column[k] == i ? value : 0;
    }
}

static trm_dae_code factor(trm_dae_system *system, const matrix *m)
{
    trm_dae_shifted *shifted = m->shifted;
    const int n = shifted->K.rows;
    if (!shifted->factor) {
        shifted->factor = trm_factor_create(&shifted->K, m->symmetric);
    }
    if (!shifted->factor) {
        return TRM_DAE_NO_MEMORY;
    }
    const double pin = m->pinned < 0 ? 0 : shifted->diagonal[m->pinned];
    if (pin != 0) {
        add_to_diagonal(&shifted->K, m->pinned, pin);
    }
    // a sum of n products is off by n roundoffs
    const int failed = trm_factor_renew(shifted->factor, n * DBL_EPSILON);
    if (pin != 0) {
        add_to_diagonal(&shifted->K, m->pinned, -pin);
    }
    system->factorizations++;
    if (failed > 0) {
        snprintf(
            system->detail, sizeof system->detail,
            "c0 I + c1 A with c0 = %.3g, c1 = %.3g has a pivot at roundoff or below zero: a GB "
            "that is singular needs its null vector",
            m->c0, m->c1);
    }
    return failed < 0 ? TRM_DAE_NO_MEMORY : failed ? TRM_DAE_SINGULAR : TRM_DAE_FINE;
}

/// K of the current point in shifted->K, with its diagonal and its factors.
static trm_dae_code prepare(trm_dae_system *system, const matrix *m)
{
    trm_dae_shifted *shifted = m->shifted;
    if (shifted->stamp == m->stamp && shifted->c0 == m->c0 && shifted->c1 == m->c1) {
        return TRM_DAE_FINE;
    }
    if (!shifted->K.start && trm_sparse_pattern(m->A, m->B, &shifted->K)) {
        return TRM_DAE_NO_MEMORY;
    }
    trm_sparse_fill(m->c0, m->c1, m->A, m->B, system->large->fill, &shifted->K);
    for (int i = 0; i < shifted->K.rows; i++) {
        shifted->diagonal[i] = diagonal_of(&shifted->K, i);
    }
    shifted->stamp = -1;
    const trm_dae_code code = m->factors ? factor(system, m) : TRM_DAE_FINE;
    if (!code) {
        shifted->c0 = m->c0;
        shifted->c1 = m->c1;
        shifted->stamp = m->stamp;
    }
    return code;
}

// ------------------------------------------------------------------------- products for the solver

typedef struct task {
    trm_dae_system *system;
    const trm_dae_shifted *shifted;
    double c0, c1;
} task;

static int by_products(void *user, const double *v, double *out)
{
    const task *now = user;
    trm_dae_system *system = now->system;
    trm_dae_product_B(system, v, system->large->v);
    trm_dae_product_G(system, system->large->v, out);
    for (int i = 0; i < system->problem.ny; i++) {
        out[i] = now->c0 * v[i] + now->c1 * out[i];
    }
    return system->trouble != TRM_DAE_FINE;
}

static int by_rows(void *user, const double *v, double *out)
{
    const task *now = user;
    trm_sparse_multiply(&now->shifted->K, v, out);
    return 0;
}

static int by_diagonal(void *user, const double *r, double *out)
{
    const task *now = user;
    for (int i = 0; i < now->shifted->K.rows; i++) {
        const double d = now->shifted->diagonal[i];
        out[i] = d > 0 ? r[i] / d : r[i];
    }
    return 0;
}

static int by_factors(void *user, const double *r, double *out)
{
    const task *now = user;
    memcpy(out, r, (size_t)now->shifted->K.rows * sizeof(double));
    return trm_factor_solve(now->shifted->factor, out);
}

static trm_dae_code call_hook(trm_dae_system *system, const char *name, trm_dae_solve_fn *hook,
                              double c0, double c1, const double *r, int n, double *out)
{
    const int returned = hook(c0, c1, system->t, system->x, r, out, system->problem.user);
    const trm_dae_code code = trm_dae_answer(system, name, returned, n, out);
    system->trouble = code ? code : system->trouble;
    return code;
}

static int by_user(void *user, const double *r, double *out)
{
    const task *now = user;
    return call_hook(now->system, "precondition", now->system->large->given.precondition, now->c0,
                     now->c1, r, now->system->problem.ny, out) != TRM_DAE_FINE;
}

// ------------------------------------------------------------------------------------- what failed

static trm_dae_code report(trm_dae_system *system, const trm_cg *cg, trm_cg_result result)
{
    system->large->iterations += result.iterations;
    char *detail = system->detail;
    const size_t size = sizeof system->detail;
    if (result.end == TRM_CG_DONE) {
        return TRM_DAE_FINE;
    }
    if (result.end == TRM_CG_FAILED) {
        return system->trouble ? system->trouble : TRM_DAE_DIVERGED;
    }
    if (result.end == TRM_CG_NEGATIVE) {
        snprintf(
            detail, size,
            "v.K v/v.v = %.3g for K = epsilon I + alpha1 GB: GB (or its preconditioner) is not "
            "positive, or singular without a null vector",
            result.curvature);
        return TRM_DAE_UNSOLVED;
    }
    // what is left of r is near the eigenvectors of the smallest eigenvalues
    double *const left = cg->work, *const Kp = cg->work + 3 * cg->n;
    cg->multiply(cg->user, left, Kp);
    const double small = trm_dot(cg->n, left, Kp) / trm_dot(cg->n, left, left);
    const int singular = small < cg->tolerance * system->large->norm;
    snprintf(
        detail, size,
        "conjugate gradients leave %.2g of the right side after %d iterations; there v.K v/v.v "
        "= %.2g%s",
        result.residual, result.iterations, small,
        singular ? ": a singular GB needs its null vector" : "");
    return TRM_DAE_UNSOLVED;
}

/// The residual of a direct solution, against r.
static trm_dae_code check_direct(trm_dae_system *system, task *now, const double *r,
                                 const double *y)
{
    trm_dae_operators *large = system->large;
    const int n = now->shifted->K.rows;
    by_rows(now, y, large->cg);
    double off = 0, scale = 0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(large->cg[i] - r[i]));
        scale = fmax(scale, fabs(r[i]));
    }
    if (off <= large->tolerance * scale || scale == 0) {
        return TRM_DAE_FINE;
    }
    snprintf(system->detail, sizeof system->detail,
             "sparse factors leave a residual of %.3g beside a right side of %.3g", off, scale);
    return TRM_DAE_UNSOLVED;
}

// ------------------------------------------------------------------------------------ c0 I + c1 GB

static trm_dae_code direct(trm_dae_system *system, task *now, const double *r, double *y)
{
    memcpy(y, r, (size_t)now->shifted->K.rows * sizeof(double));
    if (trm_factor_solve(now->shifted->factor, y)) {
        return TRM_DAE_NO_MEMORY;
    }
    return check_direct(system, now, r, y);
}

static trm_dae_code iterate(trm_dae_system *system, task *now, const double *r, double *y)
{
    trm_dae_operators *large = system->large;
    const int rows = now->shifted->K.start != NULL;
    const trm_cg cg = {.n = system->problem.ny,
                       .multiply = rows ? by_rows : by_products,
                       .precondition = large->given.precondition                 ? by_user
                                       : large->solver == TRM_DAE_SOLVER_FACTORS ? by_factors
                                       : rows                                    ? by_diagonal
                                                                                 : NULL,
                       .user = now,
                       .null = large->null,
                       .work = large->cg,
                       .tolerance = large->tolerance,
                       .most = large->most};
    return report(system, &cg, trm_cg_solve(&cg, r, y));
}

static trm_dae_code solve(trm_dae_system *system, double c0, double c1, const double *r, double *y)
{
    trm_dae_operators *large = system->large;
    const int ny = system->problem.ny;
    if (large->given.solve) {
        return call_hook(system, "solve", large->given.solve, c0, c1, r, ny, y);
    }
    task now = {system, &large->GB, c0, c1};
    if (large->G.start && large->B.start) {
        const int pin = large->null && (large->symmetric || c0 == 0);
        const matrix m = {.shifted = &large->GB,
                          .A = &large->G,
                          .B = &large->B,
                          .c0 = c0,
                          .c1 = c1,
                          .stamp = large->stamp,
                          .symmetric = large->symmetric,
                          .factors = large->solver == TRM_DAE_SOLVER_FACTORS,
                          .pinned = pin ? large->pinned : -1};
        TRM_DAE_TRY(prepare(system, &m));
    }
    return large->symmetric ? iterate(system, &now, r, y) : direct(system, &now, r, y);
}

trm_dae_code trm_dae_solve_shifted(trm_dae_system *system, double c0, double c1, const double *r,
                                   double *y)
{
    trm_dae_operators *large = system->large;
    const int ny = system->problem.ny;
    large->solves++;
    memcpy(large->r, r, (size_t)ny * sizeof(double));
    if (large->null) {
        trm_project_out(ny, large->null, large->r);
    }
    const trm_dae_code code = solve(system, c0, c1, large->r, y);
    if (large->null) {
        trm_project_out(ny, large->null, y);
    }
    return code;
}

// ----------------------------------------------------------------------------------------- I - c L

trm_dae_code trm_dae_solve_implicit(trm_dae_system *system, double c, double *x)
{
    trm_dae_operators *large = system->large;
    const int nx = system->problem.nx;
    memcpy(large->r, x, (size_t)nx * sizeof(double));
    if (large->given.solve_L) {
        return call_hook(system, "solve_L", large->given.solve_L, 1, -c, large->r, nx, x);
    }
    const int factors =
        large->solver != TRM_DAE_SOLVER_CG && trm_factor_available(large->symmetric_L);
    const matrix m = {.shifted = &large->implicit,
                      .A = &large->L,
                      .c0 = 1,
                      .c1 = -c,
                      .stamp = 0,
                      .symmetric = large->symmetric_L,
                      .factors = factors,
                      .pinned = -1};
    TRM_DAE_TRY(prepare(system, &m));
    task now = {system, &large->implicit, 1, -c};
    if (factors) {
        return direct(system, &now, large->r, x);
    }
    const trm_cg cg = {.n = nx,
                       .multiply = by_rows,
                       .precondition = by_diagonal,
                       .user = &now,
                       .work = large->cg,
                       .tolerance = large->tolerance,
                       .most = large->most};
    return report(system, &cg, trm_cg_solve(&cg, large->r, x));
}
