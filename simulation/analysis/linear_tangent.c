/// The basis of a linearization: motions that velocities may take, then
/// motions that only positions may take.
///
///   Z^T M' Z = 1,  W = M' Z,  M' = P M P,  P leaves of the turn of a body the part along its axis
#include "base/linear/sums.h"
#include "base/status.h"
#include "simulation/analysis/query.h"

#include <math.h>
#include <string.h>

static const double spins = 1e-6; // of the fastest turn: slower bodies do not spin

typedef struct metric {
    const trm_model *model;
    trm_system *system;
    const double *axis; ///< [3*nbody] unit or zero; NULL: M
} metric;

/// Of the turns of spinning bodies the part along their axes.
static void project(const metric *m, double *x)
{
    for (int b = 0; m->axis && b < m->model->sizes.nbody; b++) {
        const double *n = m->axis + 3 * (size_t)b;
        double *turn = x + m->model->body_info[b].v0 + 3;
        const double along = trm_dot(3, n, n) > 0 ? trm_dot(3, n, turn) : 0;
        for (int k = 0; k < 3 && trm_dot(3, n, n) > 0; k++) {
            turn[k] = along * n[k];
        }
    }
}

static void weigh(const metric *m, const double *x, double *out)
{
    memcpy(out, x, (size_t)m->system->nv * sizeof *out);
    project(m, out);
    trm_system_multiply_M(m->system, out);
    project(m, out);
}

/// Axes of the bodies that turn, or NULL where none does. Returns 0 without memory.
static int find_axes(const trm_query *query, const double *v, trm_pool *pool, double **axis)
{
    const trm_model *model = query->model;
    double fastest = 0;
    *axis = NULL;
    if (model->from_equations || model->bodies.dimension == 2) {
        return 1;
    }
    double *n = trm_pool_take(pool, 3 * (size_t)model->sizes.nbody + 1, sizeof *n);
    if (!n) {
        return 0;
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        const double *turn = v + model->body_info[b].v0 + 3;
        fastest = model->body_info[b].nv == 6 ? fmax(fastest, trm_dot(3, turn, turn)) : fastest;
    }
    for (int b = 0; b < model->sizes.nbody && fastest > 0; b++) {
        const double *turn = v + model->body_info[b].v0 + 3;
        const double square = model->body_info[b].nv == 6 ? trm_dot(3, turn, turn) : 0;
        for (int k = 0; k < 3 && square > spins * spins * fastest; k++) {
            n[3 * b + k] = turn[k] / sqrt(square);
        }
    }
    *axis = fastest > 0 ? n : NULL;
    return 1;
}

/// x less its parts along the first n rows of Z.
static void take_out(const trm_tangent *T, int n, int nv, double *x)
{
    for (int k = 0; k < n; k++) {
        const double part = trm_dot(nv, T->W + (size_t)k * (size_t)nv, x);
        for (int i = 0; i < nv; i++) {
            x[i] -= part * T->Z[(size_t)k * (size_t)nv + (size_t)i];
        }
    }
}

/// Of rows [from, p) of x[p*nv] the next is the row with the largest part orthogonal to the first n
/// rows of Z. Returns its length relative to the length before.
static double extend(const metric *m, trm_tangent *T, int n, double *x, int rows)
{
    const size_t nv = (size_t)m->system->nv;
    double most = -1, *const w = T->W + (size_t)n * nv, *const z = T->Z + (size_t)n * nv;
    const double *best = x;
    for (int k = 0; k < rows; k++) {
        double *const row = x + (size_t)k * nv;
        take_out(T, n, m->system->nv, row);
        take_out(T, n, m->system->nv, row);
        weigh(m, row, w);
        const double square = trm_dot(m->system->nv, row, w);
        if (square > most) {
            most = square;
            best = row;
        }
    }
    weigh(m, best, w);
    const double length = sqrt(most);
    for (size_t i = 0; i < nv; i++) {
        z[i] = best[i] / length;
        w[i] /= length;
    }
    return length;
}

/// out[p*nv] := the motions that the rows of positions alone
/// allow. Returns p, or -1 without memory.
static int motions_of_position(trm_conditioning *conditioning, trm_pool *pool, double **out)
{
    const size_t nv = (size_t)conditioning->nv;
    conditioning->positions_only = 1;
    int ok = trm_conditioning_rank(conditioning);
    conditioning->positions_only = 0;
    const int p = conditioning->nv - conditioning->basis.rank;
    *out = ok ? trm_pool_take(pool, (size_t)p * nv + 1, sizeof **out) : NULL;
    ok = *out && trm_row_basis_complement(&conditioning->basis, conditioning->nv, *out);
    for (size_t i = 0; ok && i < (size_t)p * nv; i++) {
        (*out)[i] *= conditioning->column[i % nv];
    }
    return ok ? p : -1;
}

/// Z and W anew in this metric, from the motions in `held`[d*nv] and `wide`[p*nv], by way of
/// room[p*nv]. Returns 0 where it sees less than all of them.
static int renew(const metric *m, trm_tangent *T, const double *held, const double *wide,
                 double *room)
{
    const double least = 1e-6; // of the motion in the metric M, whose length is 1
    for (int n = 0; n < T->p; n++) {
        const int rows = n < T->d ? T->d : T->p;
        if (n == 0 || n == T->d) {
            const size_t size = (size_t)rows * (size_t)m->system->nv;
            memcpy(room, n < T->d ? held : wide, size * sizeof *room);
        }
        if (!(extend(m, T, n, room, rows) > least)) {
            return 0;
        }
    }
    return 1;
}

static trm_status mechanism_of_state(trm_query *query, trm_pool *pool, const double *v,
                                     trm_tangent *tangent, trm_error *err)
{
    trm_conditioning *const conditioning = &query->conditioning;
    const size_t nv = (size_t)conditioning->nv;
    double *axis = NULL, *wide = NULL;
    if (!find_axes(query, v, pool, &axis)) {
        return trm_query_no_memory(err);
    }
    if (!axis && !conditioning->system->speed) {
        return TRM_OK;
    }
    const int p =
        conditioning->system->speed ? motions_of_position(conditioning, pool, &wide) : tangent->d;
    const size_t size = p < 0 ? 0 : (size_t)p * nv + 1;
    double *const Z = trm_pool_take(pool, size + 1, sizeof *Z);
    double *const W = trm_pool_take(pool, size + 1, sizeof *W);
    double *const room = trm_pool_take(pool, size + 1, sizeof *room);
    if (p < 0 || !Z || !W || !room) {
        return trm_query_no_memory(err);
    }
    trm_tangent made = {.d = tangent->d, .p = p, .Z = Z, .W = W};
    metric m = {.model = query->model, .system = conditioning->system, .axis = axis};
    if (!renew(&m, &made, tangent->Z, wide, room)) {
        m.axis = NULL;
        renew(&m, &made, tangent->Z, wide, room);
    }
    made.other_measure = m.axis != NULL;
    *tangent = made;
    return TRM_OK;
}

/// States of the scene are directions of velocity behind those of the mechanism.
trm_status trm_tangent_of_state(trm_query *query, trm_pool *pool, const double *v,
                                trm_tangent *tangent, trm_error *err)
{
    const trm_system *const system = query->conditioning.system;
    const size_t nv = (size_t)system->nv, states = (size_t)system->states;
    TRM_TRY(mechanism_of_state(query, pool, v, tangent, err));
    if (states == 0) {
        return TRM_OK;
    }
    if (tangent->p != tangent->d) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                        "states beside constraints that hold velocities alone (rolling) are not "
                        "linearized");
    }
    const size_t d = (size_t)tangent->d, bytes = d * nv * sizeof(double);
    double *const Z = trm_pool_take(pool, 2 * (d + states) * nv, sizeof *Z);
    if (!Z) {
        return trm_query_no_memory(err);
    }
    double *const W = Z + (d + states) * nv;
    memcpy(Z, tangent->Z, bytes);
    memcpy(W, tangent->W, bytes);
    for (size_t k = 0; k < states; k++) {
        const size_t at = (d + k) * nv + nv - states + k;
        Z[at] = W[at] = 1;
    }
    tangent->Z = Z;
    tangent->W = W;
    tangent->d += system->states;
    return TRM_OK;
}
