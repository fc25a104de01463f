/// Index 1 with the multipliers eliminated by the engine: to IDA y = (q, v) and
///
///     F = y' - (N v, a(t, q, v)),     [M  G^T] [a     ]   [f                                   ]
///                                     [G   0 ] [lambda] = [gamma - alpha1 (G v + g_t) - alpha0 g]
///
/// The matrix c - d(N v, a)/dy is full. Its Newton step x solves a sparse system too, the one of
/// ida_index1.c at a and lambda: with x_lambda = -d lambda, da = c x_v - F_v,
///
///     [ c - d(N v)/dq                     -N             .    ] [x_q     ]   [F_q  ]
///     [ d(M a + G^T lambda - f)/dq    c M - df/dv       G^T   ] [x_v     ] = [M F_v]
///     [ d(G a - gamma ...)/dq         c G - d(..)/dv  -delta  ] [x_lambda]   [G F_v]
///
/// Newton's method needs fewer iterations than with lambda among the unknowns, since
/// lambda is exact in each iteration.
#include "integrators/bdf/ida.h"

#include <stdlib.h>
#include <string.h>

int trm_ida_eliminated(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    trm_ida *ida = run->method;
    const int n = ida->n;
    memcpy(ida->z, y, (size_t)n * sizeof *y);
    const int code = run->stabilization->rates(run, t, ida->z, ida->dz, run->before.lambda);
    for (int i = 0; !code && i < n; i++) {
        r[i] = dy[i] - ida->dz[i];
    }
    trm_ida_keep_norm(run, y, r);
    return code;
}

int trm_ida_bordered(trm_run *run, double t, double c, const double *y, const double *dy)
{
    trm_ida *ida = run->method;
    const size_t n = (size_t)ida->n, nq = (size_t)run->system->nq;
    memcpy(ida->z, y, n * sizeof *y);
    const int code = run->stabilization->rates(run, t, ida->z, ida->dz, ida->kept);
    memcpy(ida->z + n, ida->kept, (size_t)run->system->nc * sizeof *y);
    memcpy(ida->dz, dy, nq * sizeof *y);
    return code ? code : trm_ida_newton(run, t, c, ida->z, ida->dz);
}

// ---------------------------------------------------------------------------- the solver for IDA

/// The content of the solver.
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
    return SUNLinSolSetup(b->inner, J);
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
    fill_right_hand_side(&ida->newton, N_VGetArrayPointer(F), N_VGetArrayPointer(ida->full_r));
    const int code = SUNLinSolSolve(b->inner, J, ida->full_y, ida->full_r, tolerance);
    memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(ida->full_y), (size_t)ida->n * sizeof(double));
    return code;
}

static int give_back(SUNLinearSolver solver)
{
    bordered *b = solver->content;
    if (b) {
        SUNLinSolFree(b->inner);
        free(b);
    }
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver trm_ida_bordered_solver(trm_run *run, SUNLinearSolver inner)
{
    trm_ida *ida = run->method;
    SUNLinearSolver solver = SUNLinSolNewEmpty(ida->context);
    bordered *b = malloc(sizeof *b);
    if (!solver || !b) {
        SUNLinSolFree(inner);
        free(b);
        if (solver) {
            SUNLinSolFreeEmpty(solver);
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
