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
#include "base/status.h"
#include "integrators/bdf/ida.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// 1/s: the fastest velocity in units of extents: of y, or what the accelerations make of it in a
/// step; with given tolerances their absolute one at least, else a part of the fastest so far.
/// Forces that moved v0 in the time 1/c round by eps c v0 M: over eps^(2/3) of `part` v0 that is
/// 1e-3 of c M, which Newton's method does not feel. More would be too coarse for a law as narrow
/// as where a motion comes to rest; less, down to 1e-300 at rest, 0/0 in the end.
static double speed_of(const trm_run *run, double c, const double *v, const double *a)
{
    const trm_options *const o = &run->options;
    const int nq = run->system->nq, nv = run->system->nv;
    const double part = 1e3 * cbrt(DBL_EPSILON);
    double speed =
        fmax(trm_extents_speed(&run->extent, nv, v), trm_extents_speed(&run->extent, nv, a) / c);
    for (int j = 0; j < nv && o->by_motion; j++) {
        speed = fmax(speed, part * run->range.most[run->range.group[nq + j]] / run->extent.v[j]);
    }
    speed = fmax(speed, o->by_motion ? 0 : fmin(1, o->atol / o->rtol));
    return speed > 0 ? speed : 1;
}

void trm_ida_choose_moves(trm_run *run, double c, const double *y, const double *dy)
{
    double *const moved = ((trm_ida *)run->method)->moved;
    const int nq = run->system->nq, nv = run->system->nv;
    const double speed = speed_of(run, c, y + nq, dy + nq);
    for (int j = 0; j < nq; j++) {
        moved[j] = sqrt(DBL_EPSILON) * fmax(run->extent.q[j], fabs(y[j]));
    }
    for (int j = 0; j < nv; j++) {
        moved[nq + j] = pow(DBL_EPSILON, 2.0 / 3) * speed * run->extent.v[j];
    }
}

/// r1 = F with the columns of group k moved; shift[j] says how far.
static int move_group(trm_run *run, const trm_column_groups *groups, int k,
                      trm_ida_residual *residual, double t, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    for (int m = groups->first[k]; m < groups->first[k + 1]; m++) {
        const int j = groups->member[m];
        y[j] += ida->moved[j];
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

/// The columns of q.
static int position_columns(trm_run *run, double t, double c, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    trm_newton_matrix *J = &ida->newton;
    for (int k = 0; k < J->q.n; k++) {
        TRM_TRY(move_group(run, &J->q, k, ida->form->residual, t, y, dy));
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
/// since M and G are known.
static int velocity_columns(trm_run *run, double t, double c, double *y, const double *dy)
{
    trm_ida *ida = run->method;
    trm_newton_matrix *J = &ida->newton;
    trm_system *system = run->system;
    const int nq = system->nq, nv = system->nv;
    for (int k = 0; k < J->v.n; k++) {
        const int *member = J->v.member + J->v.first[k];
        const int members = J->v.first[k + 1] - J->v.first[k];
        TRM_TRY(move_group(run, &J->v, k, ida->form->residual_here, t, y, dy));
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
    trm_ida_choose_moves(run, c, y, dy);
    ida->per_rate = fmin(trm_ida_period(run), 1 / c);
    int code = ida->form->residual(run, t, y, dy, ida->r0);
    code = code ? code : velocity_columns(run, t, c, y, dy);
    if (!code) {
        multiplier_columns(run, c, y);
        code = position_columns(run, t, c, y, dy); // the last: it moves the system
    }
    return code;
}
