#include "engine/system/dae_operators.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------ what must be given

static trm_status check_rows(const trm_dae_problem *problem, const char *name,
                             const trm_dae_rows *rows, int n, int columns, trm_error *err)
{
    char text[128];
    const char *where = trm_dae_place(problem, name, text);
    if (!rows->start) {
        return TRM_OK;
    }
    if (!rows->column || !rows->values) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "column or values is missing");
    }
    for (int i = 0; i < n; i++) {
        const int first = rows->start[i];
        const int end = rows->start[i + 1];
        if (first < 0 || end < first || (i == 0 && first != 0)) {
            return TRM_FAIL(
                err, TRM_ERR_OPTIONS, where,
                "expected start to begin with 0 and not to fall, got %d and %d at row %d", first,
                end, i);
        }
        for (int k = first; k < end; k++) {
            const int j = rows->column[k];
            if (j < 0 || j >= columns || (k > first && j <= rows->column[k - 1])) {
                return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                                "expected ascending columns below %d in row %d, got %d", columns, i,
                                j);
            }
        }
    }
    return TRM_OK;
}

static trm_status once(const trm_dae_problem *problem, const char *name, int product, int rows,
                       int dense, trm_error *err)
{
    char text[128];
    if (product + rows + dense != 1) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, name, text),
                        "expected a product or rows in `large`, and one of them; got %d",
                        product + rows + dense);
    }
    return TRM_OK;
}

trm_status trm_dae_check_large(const trm_dae_problem *problem, trm_error *err)
{
    const trm_dae_large *large = problem->large;
    const int nx = problem->nx;
    const int ny = problem->ny;
    TRM_TRY(
        once(problem, "B", large->B != NULL, large->B_rows.start != NULL, problem->B != NULL, err));
    TRM_TRY(
        once(problem, "G", large->G != NULL, large->G_rows.start != NULL, problem->G != NULL, err));
    TRM_TRY(check_rows(problem, "B_rows", &large->B_rows, nx, ny, err));
    TRM_TRY(check_rows(problem, "G_rows", &large->G_rows, ny, nx, err));
    return check_rows(problem, "L_rows", &large->L_rows, nx, nx, err);
}

// ---------------------------------------------------------------------------------------- memory

/// The matrix without its values. NULL pattern: rows that are not given.
static int open_rows(trm_sparse *A, const trm_dae_rows *rows, int n, int columns)
{
    *A = (trm_sparse){n, columns, rows->start, rows->column, NULL};
    if (rows->start) {
        A->value = calloc((size_t)rows->start[n] + 1, sizeof *A->value);
        return A->value == NULL;
    }
    return 0;
}

static int open_work(trm_dae_operators *large, int nx, int ny)
{
    const size_t n = (size_t)(nx > ny ? nx : ny);
    large->block = calloc((size_t)nx + (size_t)ny + 9 * n, sizeof *large->block);
    if (!large->block) {
        return -1;
    }
    double *next = large->block;
    large->v = next;
    large->null = large->given.null ? next + nx : NULL;
    next += nx + ny;
    large->cg = next;
    large->r = next + 4 * n;
    large->fill = next + 5 * n;
    large->GB.diagonal = next + 6 * n;
    large->implicit.diagonal = next + 7 * n;
    large->guess = next + 8 * n;
    return 0;
}

/// The null vector of unit length, and the entry that is largest.
static void take_null(trm_dae_operators *large, int ny)
{
    double square = 0;
    for (int i = 0; large->null && i < ny; i++) {
        large->null[i] = large->given.null[i];
        square += large->null[i] * large->null[i];
        if (fabs(large->null[i]) > fabs(large->null[large->pinned])) {
            large->pinned = i;
        }
    }
    for (int i = 0; large->null && i < ny; i++) {
        large->null[i] /= sqrt(square);
    }
    large->given.null = NULL; // the caller's
}

trm_status trm_dae_operators_create(trm_dae_system *system, const trm_dae_options *options,
                                    trm_error *err)
{
    const trm_dae_problem *problem = &system->problem;
    trm_dae_operators *large = calloc(1, sizeof *large);
    system->large = large;
    if (!large) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a large problem");
    }
    large->given = *problem->large;
    large->tolerance = options->solve_tolerance;
    large->most = options->solve_iterations;
    large->GB.stamp = large->implicit.stamp = large->saddle.stamp = -1;
    int failed = open_rows(&large->B, &large->given.B_rows, problem->nx, problem->ny);
    failed |= open_rows(&large->G, &large->given.G_rows, problem->ny, problem->nx);
    failed |= open_rows(&large->L, &large->given.L_rows, problem->nx, problem->nx);
    failed = failed || open_work(large, problem->nx, problem->ny);
    if (failed) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a large problem");
    }
    take_null(large, problem->ny);
    return TRM_OK;
}

static void close_shifted(trm_dae_shifted *shifted)
{
    trm_factor_destroy(shifted->factor);
    trm_sparse_free(&shifted->K);
}

static void destroy_saddle(trm_dae_saddle *saddle)
{
    trm_factor_destroy(saddle->factor);
    free((void *)(size_t)saddle->K.start);
    free((void *)(size_t)saddle->K.column);
    free(saddle->K.value);
    free(saddle->work);
}

void trm_dae_operators_destroy(trm_dae_system *system)
{
    trm_dae_operators *large = system->large;
    if (large) {
        close_shifted(&large->GB);
        close_shifted(&large->implicit);
        destroy_saddle(&large->saddle);
        free(large->B.value);
        free(large->G.value);
        free(large->L.value);
        free(large->block);
        free(large);
        system->large = NULL;
    }
}

// --------------------------------------------------------------------------------------- products

static trm_dae_code evaluate(trm_dae_system *system, const char *name, trm_dae_fn *values,
                             trm_sparse *A)
{
    const int returned = values(system->t, system->x, A->value, system->problem.user);
    return trm_dae_answer(system, name, returned, A->start[A->rows], A->value);
}

trm_dae_code trm_dae_operators_at(trm_dae_system *system, unsigned what)
{
    trm_dae_operators *large = system->large;
    const int first = large->stamp == 0;
    trm_dae_code code = TRM_DAE_FINE;
    if (large->given.constant && !first) {
        return code;
    }
    if (first && large->L.start) {
        code = evaluate(system, "L", large->given.L_rows.values, &large->L);
    }
    // all together: a stamp then belongs to one point
    if (what & (TRM_DAE_WITH_B | TRM_DAE_WITH_JACOBIAN)) {
        large->stamp++;
        if (!code && large->B.start) {
            code = evaluate(system, "B", large->given.B_rows.values, &large->B);
        }
        if (!code && large->G.start) {
            code = evaluate(system, "G", large->given.G_rows.values, &large->G);
        }
    }
    return code;
}

static void product(trm_dae_system *system, const char *name, trm_dae_product_fn *multiply,
                    const double *v, int n, double *out)
{
    const int returned = multiply(system->t, system->x, v, out, system->problem.user);
    const trm_dae_code code = trm_dae_answer(system, name, returned, n, out);
    if (code && !system->trouble) {
        system->trouble = code;
    }
}

void trm_dae_product_B(trm_dae_system *system, const double *v, double *out)
{
    const trm_dae_operators *large = system->large;
    if (large->B.start) {
        trm_sparse_multiply(&large->B, v, out);
    } else {
        product(system, "B", large->given.B, v, system->problem.nx, out);
    }
}

void trm_dae_product_G(trm_dae_system *system, const double *v, double *out)
{
    const trm_dae_operators *large = system->large;
    if (large->G.start) {
        trm_sparse_multiply(&large->G, v, out);
    } else {
        product(system, "G", large->given.G, v, system->problem.ny, out);
    }
}

void trm_dae_product_Bt(trm_dae_system *system, const double *v, double *out)
{
    const trm_dae_operators *large = system->large;
    if (large->B.start) {
        trm_sparse_multiply_transposed(&large->B, v, out);
    } else {
        product(system, "B_transposed", large->given.B_transposed, v, system->problem.ny, out);
    }
}

void trm_dae_product_Gt(trm_dae_system *system, const double *v, double *out)
{
    const trm_dae_operators *large = system->large;
    if (large->G.start) {
        trm_sparse_multiply_transposed(&large->G, v, out);
    } else {
        product(system, "G_transposed", large->given.G_transposed, v, system->problem.nx, out);
    }
}
