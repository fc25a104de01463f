#include "engine/rank/closing.h"
#include "base/linear/dense.h"
#include "base/linear/sums.h"

#include <math.h>
#include <string.h>

enum { STEPS = 120, STALLED = 6 };

/// Weighted r of the chosen rows; zero for the others.
static int residual(trm_conditioning *p, const trm_closing_task *task, const double *q)
{
    const int code = trm_conditioning_at(p, task->t, q);
    for (int i = 0; !code && i < p->nc; i++) {
        const double weight = task->weight ? task->weight[i] : 1;
        p->r[i] = task->row_off && task->row_off[i] ? 0 : weight * p->r[i];
    }
    return code;
}

static double largest(const trm_conditioning *p, const trm_closing_task *task)
{
    double max = 0;
    for (int i = 0; i < p->nc; i++) {
        const double r = fabs(p->r[i]) / (task->weight ? task->weight[i] : 1);
        max = r <= max ? max : r;
    }
    return max / p->size;
}

static void jacobian(trm_conditioning *p, const trm_closing_task *task)
{
    trm_conditioning_J(p);
    for (int i = 0; i < p->nc; i++) {
        double *const row = p->J + (size_t)i * (size_t)p->nv;
        const int off = task->row_off && task->row_off[i];
        const double weight = off ? 0 : task->weight ? task->weight[i] : 1;
        for (int j = 0; j < p->nv; j++) {
            row[j] *= task->held && task->held[j] ? 0 : weight;
        }
    }
}

/// S = J J^T + mu I, lower triangle.
static void normal_matrix(trm_conditioning *p, double mu)
{
    const size_t nc = (size_t)p->nc, nv = (size_t)p->nv;
    for (size_t i = 0; i < nc; i++) {
        const double *const a = p->J + i * nv;
        int n = 0;
        for (int k = 0; k < p->nv; k++) {
            p->nonzero[n] = k;
            n += a[k] != 0;
        }
        for (size_t j = 0; j < nc; j++) {
            const double *const b = p->J + j * nv;
            double sum = i == j ? mu : 0;
            for (int k = 0; k < n; k++) {
                sum += a[p->nonzero[k]] * b[p->nonzero[k]];
            }
            p->S[i * nc + j] = sum;
        }
    }
}

/// z = -J^T (J J^T + mu I)^-1 r, no longer than L/2. Returns 0 where S has no factors.
static int direction(trm_conditioning *p, double mu)
{
    const double n = p->nc, most = 0.5 * p->size;
    p->work += n * n * n / 3 + n * p->nv * p->nc;
    normal_matrix(p, mu);
    if (trm_cholesky(p->nc, p->S)) {
        return 0;
    }
    memcpy(p->y, p->r, (size_t)p->nc * sizeof(double));
    trm_cholesky_solve(p->nc, p->S, p->y);
    memset(p->z, 0, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nc; i++) {
        for (int j = 0; j < p->nv; j++) {
            p->z[j] -= p->J[(size_t)i * (size_t)p->nv + (size_t)j] * p->y[i];
        }
    }
    const double length = trm_length(p->nv, p->z);
    for (int j = 0; length > most && j < p->nv; j++) {
        p->z[j] *= most / length;
    }
    return isfinite(length);
}

/// Try the step z from q. Returns the new |r|, INFINITY where there is none.
static double attempt(trm_conditioning *p, const trm_closing_task *task, const double *q)
{
    memcpy(p->q, q, (size_t)p->nq * sizeof(double));
    trm_conditioning_move(p, p->z, p->q);
    const double norm = residual(p, task, p->q) ? INFINITY : trm_length(p->nc, p->r);
    return isfinite(norm) ? norm : INFINITY;
}

static void accept(trm_conditioning *p, double *q, double *moved)
{
    memcpy(q, p->q, (size_t)p->nq * sizeof(double));
    for (int j = 0; moved && j < p->nv; j++) {
        moved[j] += p->z[j];
    }
}

double trm_conditioning_close_rows(trm_conditioning *conditioning, const trm_closing_task *task,
                                   double *q, double *moved)
{
    double damping = 1e-2;
    int stalled = 0;
    if (moved) {
        memset(moved, 0, (size_t)conditioning->nv * sizeof(double));
    }
    if (residual(conditioning, task, q)) {
        return INFINITY;
    }
    double norm = trm_length(conditioning->nc, conditioning->r);
    for (int k = 0; k < STEPS && norm > 1e-15 * conditioning->size && stalled < STALLED; k++) {
        jacobian(conditioning, task);
        const double mu = fmax(1e-13, damping * norm / conditioning->size);
        const double next = direction(conditioning, mu) ? attempt(conditioning, task, q) : INFINITY;
        if (next < norm) {
            stalled = next > norm * (1 - 1e-10) ? stalled + 1 : 0;
            norm = next;
            damping = fmax(damping / 4, 1e-6);
            accept(conditioning, q, moved);
        } else {
            stalled += damping > 1e6 || norm < 1e-13 * conditioning->size;
            damping *= 8;
        }
        if (residual(conditioning, task, q)) {
            return INFINITY;
        }
    }
    return largest(conditioning, task);
}
