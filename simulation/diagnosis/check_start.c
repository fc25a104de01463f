// The initial state: position, velocity, acceleration, and the position to examine.
//
//   0 = g,   0 = G v + g_t,   G a = gamma solvable:  w . gamma = 0 for all w in null(G^T)

#include "base/status.h"
#include "engine/multibody/consistency.h"
#include "engine/system/terms.h"
#include "simulation/diagnosis/diagnosis_context.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12 };

static int given_state(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    trm_model_initial_state(d->model, d->q, d->v);
    trm_system_normalize(p->system, d->q);
    int code = trm_conditioning_at(p, 0, d->q);
    code = code ? code : trm_units_at(p->system, d->model, 0, d->q, d->room, d->unit);
    if (!code && d->assemble) {
        const trm_closing closing = {.q = p->q, .dx = p->z, .c = p->y, .unit = d->unit};
        code = trm_close(p->system, &closing, 0, d->q, d->v);
        code = code ? code : trm_units_at(p->system, d->model, 0, d->q, d->room, d->unit);
    }
    return code;
}

/// The part of gamma that no acceleration satisfies, row by dependent row, rows of unit length.
static int acceleration(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    double *const gamma = p->y;
    int code = trm_conditioning_at(p, 0, d->q);
    if (!code && !trm_conditioning_rank(p)) {
        d->no_memory = 1;
    }
    if (code || d->no_memory) {
        return code;
    }
    code = trm_system_gamma(p->system, d->v, gamma);
    double largest = 0;
    for (int i = 0; !code && i < p->nc; i++) {
        gamma[i] *= p->length[i] > 0 ? p->row[i] / p->length[i] : 0;
        largest = fmax(largest, fabs(gamma[i]));
    }
    const int rank = p->basis.rank;
    for (int k = 0; !code && k < p->nc - rank; k++) {
        const int row = p->basis.order[rank + k];
        double rest = gamma[row];
        for (int i = 0; i < rank; i++) {
            rest -= p->basis.C[(size_t)k * (size_t)rank + (size_t)i] * gamma[p->basis.order[i]];
        }
        const double part = fmax(1e-5, TRM_GAPS * d->found.misfit);
        if (fabs(rest) > fmax(part * largest, d->found.acceleration)) {
            d->found.acceleration = fabs(rest);
            d->found.acceleration_row = row;
        }
    }
    return code;
}

/// The position that the rest of the diagnosis examines.
static void choose_position(trm_diagnosis_context *d)
{
    const trm_closing_task all = {0};
    memcpy(d->trial, d->q, (size_t)d->conditioning.nq * sizeof(double));
    if (!trm_diagnosis_closes(d, &all, TRIES, d->trial)) {
        d->found.examined = TRM_EXAMINED_OPEN;
        return;
    }
    memcpy(d->q, d->trial, (size_t)d->conditioning.nq * sizeof(double));
    d->found.examined =
        d->found.position <= d->tolerance ? TRM_EXAMINED_GIVEN : TRM_EXAMINED_CLOSED;
}

trm_status trm_diagnosis_start(trm_diagnosis_context *context, trm_error *err)
{
    trm_diagnosis *const found = &context->found;
    int code = given_state(context);
    found->acceleration_row = -1;
    found->misfit = trm_sim_report(context->start).misfit;
    found->misfit_row = trm_misfit_row(context->start);
    if (!code) {
        trm_conditioning *const p = &context->conditioning;
        const trm_residual r = trm_residual_in(p->system, context->v, context->unit, p->y);
        const double tolerance = context->tolerance;
        found->position = r.position;
        found->velocity = r.velocity;
        found->position_row = r.position_row;
        found->velocity_row = r.velocity_row;
        found->consistent =
            r.position <= tolerance &&
            trm_velocities_fit(p->system, context->v, p->y, context->unit, tolerance, p->r, p->z);
    }
    if (!code && found->consistent && context->conditioning.nc > 0) {
        code = acceleration(context);
    }
    if (code) {
        return trm_terms_fail(context->conditioning.system, "at", 0, 1, err);
    }
    choose_position(context);
    return TRM_OK;
}
