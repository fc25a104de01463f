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

#include <string.h>

int trm_ida_eliminated(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    trm_ida *ida = run->method;
    const int n = ida->n;
    for (int i = 0; i < n; i++) {
        ida->z[i] = y[i] + ida->closed[1][i];
    }
    const int code = trm_run_rates(run, t, ida->z, ida->dz, run->before.lambda);
    for (int i = 0; !code && i < n; i++) {
        r[i] = dy[i] - ida->dz[i];
    }
    trm_ida_keep_norm(run, ida->z, r);
    return code;
}

int trm_ida_bordered(trm_run *run, double t, double c, const double *y, const double *dy)
{
    trm_ida *ida = run->method;
    const size_t n = (size_t)ida->n, nq = (size_t)run->system->nq;
    memcpy(ida->z, y, n * sizeof *y);
    const int code = trm_run_rates(run, t, ida->z, ida->dz, ida->kept);
    memcpy(ida->z + n, ida->kept, (size_t)run->system->nc * sizeof *y);
    memcpy(ida->dz, dy, nq * sizeof *y);
    return code ? code : trm_ida_newton(run, t, c, ida->z, ida->dz);
}

int trm_ida_differences(trm_run *run, double t, double c, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    memcpy(ida->kept, y, (size_t)ida->n * sizeof *y);
    trm_ida_choose_moves(run, c, y, dy);
    TRM_TRY(trm_ida_eliminated(run, t, y, dy, ida->r0));
    for (int j = 0; j < ida->n; j++) {
        double *const column = trm_sundials.SUNDenseMatrix_Column(ida->slopes, j);
        y[j] += ida->moved[j];
        const double shift = y[j] - ida->kept[j];
        const int code = trm_ida_eliminated(run, t, y, dy, ida->r1);
        y[j] = ida->kept[j];
        if (code) {
            return code;
        }
        for (int i = 0; i < ida->n; i++) {
            column[i] = (ida->r1[i] - ida->r0[i]) / shift;
        }
    }
    return 0;
}
