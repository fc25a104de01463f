// Alternative assemblies of small planar linkages with one freedom: one body is held where it is,
// the others start at random positions, and every closed position found counts once.

#include "base/linear/sums.h"
#include "base/pi.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { STARTS = 80, MOST_BODIES = 8, MOST_LOOPS = 3, MOST = 32 };

static int on_ground(const trm_model *m, int body)
{
    int found = 0;
    for (int b = 0; b < m->nblocks; b++) {
        int here = 0, ground = 0;
        for (int i = 0; i < m->blocks[b].nbodies; i++) {
            const int other = m->block_bodies[m->blocks[b].body + i];
            here |= other == body;
            ground |= other == m->sizes.nbody;
        }
        found |= here && ground;
    }
    return found;
}

/// Whether the others cannot move when the body is held, at the generic position.
static int fixes_all(trm_diagnosis_context *d, int body)
{
    trm_conditioning *const p = &d->conditioning;
    const trm_body_info *const b = &d->model->body_info[body];
    trm_conditioning_at(p, d->generic_t, d->generic);
    trm_conditioning_J(p);
    for (int i = 0; i < p->nc; i++) {
        double *const row = p->J + (size_t)i * (size_t)p->nv;
        memset(row + b->v0, 0, (size_t)b->nv * sizeof(double));
        const double length = trm_length(p->nv, row);
        for (int j = 0; j < p->nv; j++) {
            row[j] /= length > 1e-12 ? length : 1;
        }
    }
    d->no_memory |= !trm_row_rank(p->nc, p->nv, p->J, TRM_DEPENDENT, &p->basis);
    return p->basis.rank == trm_system_motions(p->system) - b->nv;
}

/// The body on the ground that drives all others, the first by name; -1.
static int body_to_hold(trm_diagnosis_context *d)
{
    int best = -1;
    for (int b = 0; b < d->model->sizes.nbody; b++) {
        const char *const name = d->model->body_info[b].name;
        if (on_ground(d->model, b) &&
            (best < 0 || strcmp(name, d->model->body_info[best].name) < 0) && fixes_all(d, b)) {
            best = b;
        }
    }
    return best;
}

/// Whether two positions are equal, angles up to full turns.
static int same(const trm_diagnosis_context *d, const double *a, const double *b)
{
    for (int i = 0; i < d->model->sizes.nbody; i++) {
        const trm_body_info *const body = &d->model->body_info[i];
        for (int k = 0; k < body->nq; k++) {
            const double x = a[body->q0 + k] - b[body->q0 + k];
            const double off = k < 2 ? fabs(x) / d->conditioning.size : fabs(sin(x / 2));
            if (off > 1e-5) {
                return 0;
            }
        }
    }
    return 1;
}

/// One random start, closed with the body held.
static int land(trm_diagnosis_context *d, double *q)
{
    trm_conditioning *const p = &d->conditioning;
    const trm_closing_task task = {.held = d->held};
    memcpy(q, d->q, (size_t)p->nq * sizeof(double));
    trm_conditioning_any_motion(p, TRM_PI, d->moved);
    for (int i = 0; i < p->nv; i++) {
        d->moved[i] *= d->held[i] ? 0 : p->turns[i] ? 1 : 0.5;
    }
    trm_conditioning_move(p, d->moved, q);
    return trm_conditioning_close_rows(p, &task, q, NULL) <= TRM_CLOSED;
}

static int keep_new(trm_diagnosis_context *d, const double *q, double **list)
{
    int *const n = &d->found.nassemblies;
    for (int i = 0; i < *n; i++) {
        if (same(d, q, list[i])) {
            return 1;
        }
    }
    list[*n] = trm_pool_take(&d->pool, (size_t)d->conditioning.nq, sizeof(double));
    if (!list[*n]) {
        return 0;
    }
    memcpy(list[(*n)++], q, (size_t)d->conditioning.nq * sizeof(double));
    return 1;
}

static int small_linkage(const trm_diagnosis_context *d)
{
    const int nbody = d->model->sizes.nbody, loops = d->model->nblocks - nbody;
    return d->model->bodies.width == 3 && d->found.mobility == 1 && nbody > 1 &&
           nbody <= MOST_BODIES && loops >= 1 && loops <= MOST_LOOPS &&
           d->found.examined != TRM_EXAMINED_OPEN;
}

trm_status trm_diagnosis_assemblies(trm_diagnosis_context *context, trm_error *err)
{
    context->found.held = small_linkage(context) ? body_to_hold(context) : -1;
    if (context->found.held < 0) {
        return TRM_OK;
    }
    const trm_body_info *const b = &context->model->body_info[context->found.held];
    double **const list = trm_pool_take(&context->pool, MOST, sizeof *list);
    int ok = list && keep_new(context, context->q, list);
    memset(context->held, 0, (size_t)context->conditioning.nv);
    memset(context->held + b->v0, 1, (size_t)b->nv);
    for (int k = 0; ok && k < STARTS && context->found.nassemblies < MOST; k++) {
        if (land(context, context->trial)) {
            ok = keep_new(context, context->trial, list);
        }
    }
    context->found.assemblies = (const double *const *)list;
    return ok ? TRM_OK : trm_diagnosis_no_memory(err);
}
