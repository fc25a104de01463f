// The smallest set of given values that cannot hold together with the joints, by deletion.
//
//   velocities   values v_K are kept: is  G_free v_free = -g_t - G_K v_K  solvable?
//   poses        bodies K are held where they are given: do the joints close?

#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { MOST_VELOCITIES = 90, MOST_BODIES = 30, TRIES = 3 };

/// S = J_free J_free^T + mu I.
static void free_matrix(trm_diagnosis_context *d, double mu)
{
    trm_conditioning *const p = &d->conditioning;
    for (int i = 0; i < p->nc; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? mu : 0;
            for (int k = 0; k < p->nv; k++) {
                const double both = p->J[(size_t)i * (size_t)p->nv + (size_t)k] *
                                    p->J[(size_t)j * (size_t)p->nv + (size_t)k];
                sum += d->held[k] ? 0 : both;
            }
            p->S[(size_t)i * (size_t)p->nc + (size_t)j] = sum;
            p->S[(size_t)j * (size_t)p->nc + (size_t)i] = sum;
        }
    }
}

/// The remaining part of the right-hand side, mu y with (S + mu I) y
/// = rhs, relative to the velocities.
static double unsolvable(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    const double mu = 1e-12;
    double speed = 0;
    for (int i = 0; i < p->nv; i++) {
        p->v[i] = d->held[i] ? d->v[i] : 0;
        speed = fmax(speed, fabs(p->v[i] / p->column[i]));
    }
    trm_system_velocity_residual(p->system, p->v, p->y);
    for (int i = 0; i < p->nc; i++) {
        p->y[i] *= p->row[i];
        speed = fmax(speed, fabs(p->y[i]));
    }
    free_matrix(d, mu);
    if (trm_cholesky(p->nc, p->S)) {
        return 0;
    }
    trm_cholesky_solve(p->nc, p->S, p->y);
    return speed > 0 ? mu * trm_length(p->nc, p->y) / speed : 0;
}

/// Release the value; keep it again when this ends the conflict.
static void try_without(trm_diagnosis_context *d, int i)
{
    d->held[i] = 0;
    d->held[i] = !(unsolvable(d) > 1e-6);
}

static trm_status conflicting_velocities(trm_diagnosis_context *d, trm_error *err)
{
    trm_conditioning *const p = &d->conditioning;
    int *const index = trm_pool_take(&d->pool, (size_t)p->nv, sizeof(int));
    double *const value = trm_pool_take(&d->pool, (size_t)p->nv, sizeof(double));
    if (!index || !value) {
        return trm_diagnosis_no_memory(err);
    }
    trm_conditioning_at(p, 0, d->q);
    trm_conditioning_J(p);
    memset(d->held, 1, (size_t)p->nv);
    for (int pass = 0; pass < 2; pass++) { // zeros first: they may not have been given at all
        for (int i = p->nv - 1; i >= 0; i--) {
            if (d->held[i] && (d->v[i] == 0) == (pass == 0)) {
                try_without(d, i);
            }
        }
    }
    d->found.velocities.index = index;
    d->found.velocities.value = value;
    for (int i = 0; i < p->nv && unsolvable(d) > 1e-6; i++) {
        if (d->held[i]) {
            value[d->found.velocities.n] = d->v[i];
            index[d->found.velocities.n++] = i;
        }
    }
    return TRM_OK;
}

static void hold(trm_diagnosis_context *d, int body, char held)
{
    const trm_body_info *const b = &d->model->body_info[body];
    memset(d->held + b->v0, held, (size_t)b->nv);
}

static int closes_held(trm_diagnosis_context *d)
{
    const trm_closing_task task = {.held = d->held};
    trm_model_initial_state(d->model, d->trial, d->conditioning.v);
    trm_system_normalize(d->conditioning.system, d->trial);
    return trm_diagnosis_closes(d, &task, TRIES, d->trial);
}

static trm_status conflicting_poses(trm_diagnosis_context *d, trm_error *err)
{
    const int nbody = d->model->sizes.nbody;
    int *const index = trm_pool_take(&d->pool, (size_t)nbody, sizeof(int));
    if (!index) {
        return trm_diagnosis_no_memory(err);
    }
    memset(d->held, 1, (size_t)d->conditioning.nv);
    for (int b = nbody - 1; b >= 0; b--) {
        hold(d, b, 0);
        hold(d, b, (char)closes_held(d));
    }
    d->found.poses.index = index;
    for (int b = 0; b < nbody; b++) {
        if (d->held[d->model->body_info[b].v0]) {
            index[d->found.poses.n++] = b;
        }
    }
    return TRM_OK;
}

trm_status trm_diagnosis_given(trm_diagnosis_context *context, trm_error *err)
{
    const trm_diagnosis *const found = &context->found;
    if (found->examined == TRM_EXAMINED_CLOSED && found->sizes.nbody <= MOST_BODIES) {
        return conflicting_poses(context, err);
    }
    if (found->examined == TRM_EXAMINED_GIVEN && !found->consistent &&
        found->sizes.nv <= MOST_VELOCITIES) {
        return conflicting_velocities(context, err);
    }
    return TRM_OK;
}
