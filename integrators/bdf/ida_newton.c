/// Newton's matrix of IDA, dF/dy + c dF/dy', in the pattern of newton_matrix.h. M, N, G and
/// G^T are taken as they are, a group of columns at a time; d/dq and the nonlinear part of
/// d/dv, by differences of residuals.
///
///     [ c + d/dq(q' - N u)                   -N          .        N W G^T ]      u = v - W G^T mu
///     [ d/dq(M v' + G^T lambda - f)     c M - df/dv     G^T         .     ]
///     [ d/dq(r)                         dr/dv + c G   -delta        .     ]   r = G v' - gamma ...
///     [ dg/dq                                .           .       -delta   ]
///
/// Index 1 has no last row and column; in index 2 r = G v + g_t and the entry below c M is G.
#include "integrators/bdf/ida.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Largest |x_i|, `least` where that is less; 1 when all are zero.
static double size_of(int n, const double *x, double least)
{
    double size = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
    }
    return size > 0 ? fmax(size, least) : 1;
}

/// m/s, rad/s: slower motions count by their absolute tolerance. Where a mechanism comes to rest
/// its velocities go down to 1e-300: differences over a part of that are roundoff of the forces,
/// and 0/0 in the end.
static double least_velocity(const trm_options *o)
{
    return fmin(1, o->atol / o->rtol);
}

/// r1 = F with the columns of group k moved by about d; shift[j] says how far.
static int move_group(trm_run *run, const trm_column_groups *groups, int k, double d,
                      trm_ida_residual *residual, double t, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    for (int m = groups->first[k]; m < groups->first[k + 1]; m++) {
        const int j = groups->member[m];
        y[j] += d;
        ida->shift[j] = y[j] - ida->kept[j];
    }
    const int code = residual(run, t, y, dy, ida->r1);
    for (int m = groups->first[k]; m < groups->first[k + 1]; m++) {
        y[groups->member[m]] = ida->kept[groups->member[m]];
    }
    return code;
}

static double difference(const trm_ida *ida, int i, int j)
{
    return (ida->r1[i] - ida->r0[i]) / ida->shift[j];
}

/// m or rad: the smallest extent of a coordinate. Rounding of points is a part of the size of their
/// mechanism, though coordinates of joints may all be near 0.
static double least_position(const trm_run *run)
{
    double least = INFINITY;
    for (int i = 0; i < run->system->nq; i++) {
        least = fmin(least, run->extent.q[i]);
    }
    return least;
}

/// The columns of q.
static int position_columns(trm_run *run, double t, double c, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    trm_newton_matrix *J = &ida->newton;
    const double d = sqrt(DBL_EPSILON) * size_of(run->system->nq, y, least_position(run));
    for (int k = 0; k < J->q.n; k++) {
        const int code = move_group(run, &J->q, k, d, ida->form->residual, t, y, dy);
        if (code) {
            return code;
        }
        for (int m = J->q.first[k]; m < J->q.first[k + 1]; m++) {
            const int j = J->q.member[m];
            for (int p = J->column[j]; p < J->column[j + 1]; p++) {
                J->values[p] = difference(ida, J->row[p], j);
            }
            J->values[J->diagonal[j]] += c;
        }
    }
    return 0;
}

/// The columns of v except G, at the position where the system is. Differences have df/dv alone,
/// since M and G are known. Over eps^(2/3) of the velocities rounding leaves 6e-6 of the slope of a
/// law, which Newton's method does not feel, and a law as narrow as 1e-10 of them still shows its
/// slope: smooth friction, tanh(k v), is that narrow. Over sqrt(eps) it would show none.
static int velocity_columns(trm_run *run, double t, double c, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    trm_newton_matrix *J = &ida->newton;
    trm_system *system = run->system;
    const int nq = system->nq, nv = system->nv;
    const double d = pow(DBL_EPSILON, 2.0 / 3) * size_of(nv, y + nq, least_velocity(&run->options));
    for (int k = 0; k < J->v.n; k++) {
        const int *member = J->v.member + J->v.first[k];
        const int members = J->v.first[k + 1] - J->v.first[k];
        const int code = move_group(run, &J->v, k, d, ida->form->residual_here, t, y, dy);
        if (code) {
            return code;
        }
        memset(ida->x, 0, (size_t)nv * sizeof(double));
        for (int m = 0; m < members; m++) {
            ida->x[member[m] - nq] = 1;
        }
        trm_system_rates(system, y, ida->x, ida->unit_q); // the columns of N
        trm_system_multiply_M(system, ida->x);
        for (int m = 0; m < members; m++) {
            for (int p = J->column[member[m]]; p < J->column[member[m] + 1]; p++) {
                const int i = J->row[p];
                J->M[p] = i >= nq && i < nq + nv ? ida->x[i - nq] : 0;
                J->values[p] = i < nq                  ? -ida->unit_q[i]
                               : i < nq + nv           ? c * J->M[p] + difference(ida, i, member[m])
                               : ida->form->index == 1 ? difference(ida, i, member[m])
                                                       : 0;
            }
        }
    }
    return 0;
}

/// The columns of lambda and mu of a group, whose unit vectors stand in e, and G.
static void multiplier_group(trm_run *run, double c, const double *q, const int *member,
                             int members)
{
    trm_ida *ida = run->method;
    trm_newton_matrix *J = &ida->newton;
    trm_system *system = run->system;
    const double of_G = ida->form->index == 1 ? c : 1;
    trm_system_multiply_GT(system, ida->e, ida->x);
    for (int m = 0; m < members; m++) {
        for (int p = J->column[member[m]]; p < J->column[member[m] + 1]; p++) {
            if (J->mirror[p] >= 0) {
                const double G = ida->x[J->row[p] - J->nv0];
                J->values[p] = G;
                J->values[J->mirror[p]] += of_G * G;
            }
        }
    }
    if (ida->form->multipliers > 1) {
        trm_system_spread(system, trm_ida_metric(run), ida->e, ida->x);
        trm_system_rates(system, q, ida->x, ida->unit_q);
        for (int m = 0; m < members; m++) {
            const int j = member[m] + system->nc;
            for (int p = J->column[j]; p < J->column[j + 1] && J->row[p] < J->nv0; p++) {
                J->values[p] = ida->unit_q[J->row[p]];
            }
        }
    }
}

/// After the columns of v.
static void multiplier_columns(trm_run *run, double c, const double *q)
{
    trm_ida *ida = run->method;
    trm_newton_matrix *J = &ida->newton;
    const trm_system *system = run->system;
    for (int k = 0; k < J->lambda.n; k++) {
        const int *member = J->lambda.member + J->lambda.first[k];
        const int members = J->lambda.first[k + 1] - J->lambda.first[k];
        for (int m = 0; m < members; m++) {
            ida->e[member[m] - J->nl0] = 1;
        }
        multiplier_group(run, c, q, member, members);
        for (int m = 0; m < members; m++) {
            ida->e[member[m] - J->nl0] = 0;
        }
    }
    for (int i = 0; i < system->nc; i++) {
        for (int l = 0; l < ida->form->multipliers; l++) {
            const int j = J->nl0 + l * system->nc + i;
            J->values[J->diagonal[j]] = -trm_ida_delta(run, l, i);
        }
    }
}

int trm_ida_newton(trm_run *run, double t, double c, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    memcpy(ida->kept, y, (size_t)ida->n * sizeof *y);
    ida->per_rate = fmin(1, 1 / c);
    int code = ida->form->residual(run, t, y, dy, ida->r0);
    code = code ? code : velocity_columns(run, t, c, y, dy);
    if (!code) {
        multiplier_columns(run, c, y);
        code = position_columns(run, t, c, y, dy); // the last: it moves the system
    }
    return code;
}
