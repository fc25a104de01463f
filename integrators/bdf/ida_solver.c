/// The solver of Newton's steps: of F of (q, v) alone by the sparse system of ida_eliminated.c
/// where the form eliminates, and in units of the mechanism, so that pivots are chosen alike at
/// every size.
#include "integrators/bdf/ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// unit[k] := the largest entry of each row (`of_rows`), or column, of a block in the units of the
/// other: rows and columns [row0, row1) x [column0, column1). 1 where there is none.
static void measure_block(trm_ida *ida, int of_rows, int row0, int row1, int column0, int column1)
{
    const trm_newton_matrix *const J = &ida->newton;
    double *const unit = of_rows ? ida->row_unit : ida->column_unit;
    const int first = of_rows ? row0 : column0, last = of_rows ? row1 : column1;
    memset(unit + first, 0, (size_t)(last - first) * sizeof *unit);
    for (int j = column0; j < column1; j++) {
        for (int p = J->column[j]; p < J->column[j + 1]; p++) {
            const int i = J->row[p];
            if (i >= row0 && i < row1) {
                const double size = of_rows ? fabs(J->values[p]) * ida->column_unit[j]
                                            : fabs(J->values[p]) / ida->row_unit[i];
                unit[of_rows ? i : j] = fmax(unit[of_rows ? i : j], size);
            }
        }
    }
    for (int k = first; k < last; k++) {
        unit[k] = !(unit[k] > 0) ? 1 : of_rows ? unit[k] : 1 / unit[k];
    }
}

void trm_ida_measure_units(trm_run *run, double c)
{
    trm_ida *const ida = run->method;
    const int nv0 = ida->newton.nv0, nl0 = ida->newton.nl0, n = ida->full;
    for (int j = 0; j < nv0; j++) {
        ida->column_unit[j] = run->extent.q[j];
        ida->row_unit[j] = c * run->extent.q[j];
    }
    for (int j = nv0; j < nl0; j++) {
        ida->column_unit[j] = c * run->extent.v[j - nv0];
    }
    measure_block(ida, 1, nv0, nl0, nv0, nl0); // c M
    measure_block(ida, 0, 0, nl0, nl0, n);     // G^T
    measure_block(ida, 1, nl0, n, 0, nl0);     // G
}

/// Its content.
typedef struct bordered {
    trm_ida *ida;
    SUNLinearSolver inner;
} bordered;

static SUNLinearSolver_Type type_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int set_up(SUNLinearSolver solver, SUNMatrix J)
{
    bordered *b = solver->content;
    return trm_sundials.SUNLinSolSetup(b->inner, J);
}

/// r = (F_q, M F_v, G F_v) with M and G as they are in the matrix: a matrix that is old then still
/// gives x_v = F_v/c for large c.
static void fill_right_hand_side(const trm_newton_matrix *J, const double *F, double *r)
{
    memset(r, 0, (size_t)J->n * sizeof *r);
    memcpy(r, F, (size_t)J->nv0 * sizeof *r);
    for (int j = J->nv0; j < J->nl0; j++) {
        for (int p = J->column[j]; p < J->column[j + 1]; p++) {
            r[J->row[p]] += J->M[p] * F[j];
        }
    }
    for (int j = J->nl0; j < J->n; j++) {
        for (int p = J->column[j]; p < J->column[j + 1]; p++) {
            r[j] += J->mirror[p] >= 0 ? J->values[p] * F[J->row[p]] : 0;
        }
    }
}

static int solve(SUNLinearSolver solver, SUNMatrix J, N_Vector x, N_Vector F, sunrealtype tolerance)
{
    bordered *b = solver->content;
    trm_ida *ida = b->ida;
    double *const r = trm_sundials.N_VGetArrayPointer(ida->full_r), *const out =
                                                                        trm_sundials
                                                                            .N_VGetArrayPointer(x);
    const double *const scaled = trm_sundials.N_VGetArrayPointer(ida->full_y);
    if (ida->form->eliminates) {
        fill_right_hand_side(&ida->newton, trm_sundials.N_VGetArrayPointer(F), r);
    } else {
        memcpy(r, trm_sundials.N_VGetArrayPointer(F), (size_t)ida->full * sizeof *r);
    }
    for (int i = 0; i < ida->full; i++) {
        r[i] /= ida->row_unit[i];
    }
    const int code = trm_sundials.SUNLinSolSolve(b->inner, J, ida->full_y, ida->full_r, tolerance);
    for (int j = 0; j < ida->n; j++) {
        out[j] = scaled[j] * ida->column_unit[j];
    }
    return code;
}

static int give_back(SUNLinearSolver solver)
{
    bordered *b = solver->content;
    if (b) {
        trm_sundials.SUNLinSolFree(b->inner);
        free(b);
    }
    solver->content = NULL;
    trm_sundials.SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver trm_ida_bordered_solver(trm_run *run, SUNLinearSolver inner)
{
    trm_ida *ida = run->method;
    SUNLinearSolver solver = trm_sundials.SUNLinSolNewEmpty(ida->context);
    bordered *b = malloc(sizeof *b);
    if (!solver || !b) {
        trm_sundials.SUNLinSolFree(inner);
        free(b);
        if (solver) {
            trm_sundials.SUNLinSolFreeEmpty(solver);
        }
        return NULL;
    }
    *b = (bordered){ida, inner};
    solver->content = b;
    solver->ops->gettype = type_of;
    solver->ops->setup = set_up;
    solver->ops->solve = solve;
    solver->ops->free = give_back;
    return solver;
}
