// Idle freedoms: motions that move one body between others and nothing else.
//
//   J_b z_b = 0 over the columns of body b, which touches at least two other bodies. A body with
//   one neighbour (a pendulum, a wheel) moves alone, too, but not idly.

#include "base/linear/sums.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 6 };

static int touches(const trm_model *m, const trm_block *block, int body)
{
    for (int i = 0; i < block->nbodies; i++) {
        if (m->block_bodies[block->body + i] == body) {
            return 1;
        }
    }
    return 0;
}

/// Whether the joints of the body lead to more than one other body.
static int has_two_neighbours(const trm_model *m, int body)
{
    int first = -1;
    for (int b = 0; b < m->nblocks; b++) {
        const trm_block *const block = &m->blocks[b];
        for (int i = 0; touches(m, block, body) && i < block->nbodies; i++) {
            const int other = m->block_bodies[block->body + i];
            if (other != body && first >= 0 && other != first) {
                return 1;
            }
            first = other != body ? other : first;
        }
    }
    return 0;
}

/// Freedoms of the body with all others held, at the current point; z gets one of them.
static int alone(trm_diagnosis_context *d, int body, double *A, int *order, double *Q,
                 double z[WIDTH])
{
    trm_conditioning *const p = &d->conditioning;
    const trm_body_info *const b = &d->model->body_info[body];
    trm_row_basis basis = {.order = order, .Q = Q};
    for (int i = 0; i < p->nc; i++) {
        double *const row = A + (size_t)i * (size_t)b->nv;
        memcpy(row, p->J + (size_t)i * (size_t)p->nv + b->v0, (size_t)b->nv * sizeof(double));
        const double length = trm_length(b->nv, row);
        for (int j = 0; j < b->nv; j++) {
            row[j] *= length > 1e-9 * p->size ? 1 / length : length > 0 ? 1 / p->size : 0;
        }
    }
    if (!trm_row_rank(p->nc, b->nv, A, TRM_DEPENDENT, &basis)) {
        return -1;
    }
    double length = 0; // of the part of a random vector orthogonal to the rows: rarely short, and
                       // not repeatedly
    for (int tries = 0; tries < 100 && basis.rank < b->nv && length < 1e-3; tries++) {
        for (int j = 0; j < b->nv; j++) {
            z[j] = trm_conditioning_chance(p);
        }
        trm_row_basis_remove(&basis, b->nv, z);
        trm_row_basis_remove(&basis, b->nv, z);
        length = trm_length(b->nv, z);
    }
    return b->nv - basis.rank;
}

/// The line of a motion: along omega through c + omega x v / |omega|^2, or along v.
static trm_idle line_of(trm_diagnosis_context *d, int body, const double z[WIDTH])
{
    static const double local[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    trm_conditioning *const p = &d->conditioning;
    const trm_body_info *const b = &d->model->body_info[body];
    double x[4][3], u[3] = {0}, w[3] = {0};
    memset(p->v, 0, (size_t)p->nv * sizeof(double));
    for (int j = 0; j < b->nv; j++) {
        p->v[b->v0 + j] = z[j] * p->column[b->v0 + j];
    }
    const int turn = b->nv == 3 ? 2 : 3;
    const int planar = d->model->bodies.width == 3;
    for (int k = 0; k < 4; k++) {
        trm_model_point(d->model, body, local[k], d->q, p->v, x[k], k == 0 ? u : NULL);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; !planar && k < 3 && b->nv == WIDTH; k++) {
            w[i] += p->v[b->v0 + turn + k] * (x[k + 1][i] - x[0][i]);
        }
    }
    w[2] += planar && b->nv == 3 ? p->v[b->v0 + 2] : 0;
    trm_idle idle = {.body = body};
    const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    idle.slides = !(sqrt(ww) * p->size > 1e-6 * trm_length(3, u));
    const double *const along = idle.slides ? u : w;
    const double length = trm_length(3, along);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        idle.axis[i] = along[i] / (length > 0 ? length : 1);
        idle.point[i] = x[0][i] + (idle.slides ? 0 : (w[j] * u[k] - w[k] * u[j]) / ww);
    }
    return idle;
}

trm_status trm_diagnosis_idle(trm_diagnosis_context *context, trm_error *err)
{
    trm_conditioning *const p = &context->conditioning;
    const int nbody = context->model->from_equations ? 0 : context->model->sizes.nbody;
    trm_idle *const idle = trm_pool_take(&context->pool, (size_t)nbody, sizeof *idle);
    double *const A = trm_pool_take(&context->pool, (size_t)p->nc * 2 * WIDTH, sizeof(double));
    int *const order = trm_pool_take(&context->pool, (size_t)p->nc, sizeof(int));
    context->found.idle = idle;
    if (!idle || !A || !order) {
        return trm_diagnosis_no_memory(err);
    }
    double *const Q = A + (size_t)p->nc * WIDTH;
    for (int b = 0; b < nbody; b++) {
        double z[WIDTH] = {0};
        if (!has_two_neighbours(context->model, b)) {
            continue;
        }
        trm_conditioning_at(p, context->generic_t, context->generic);
        trm_conditioning_J(p);
        int free = alone(context, b, A, order, Q, z);
        if (free > 0) {
            trm_conditioning_at(p, 0, context->q);
            trm_conditioning_J(p);
            free = alone(context, b, A, order, Q, z);
        }
        if (free < 0) {
            return trm_diagnosis_no_memory(err);
        }
        if (free > 0) {
            context->found.idle = idle;
            idle[context->found.nidle++] = line_of(context, b, z);
        }
    }
    return TRM_OK;
}
