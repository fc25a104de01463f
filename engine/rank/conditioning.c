#include "engine/rank/conditioning.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

double trm_length(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/// The rows of a tree of joints are independent everywhere: its rank needs no J.
static int has_J(const trm_posture *p)
{
    return p->use == TRM_POSTURE_ALL || p->model->may_lose_rank;
}

static void layout(trm_posture *p, double damping)
{
    trm_arena *const arena = &p->arena;
    const size_t nc = has_J(p) ? (size_t)p->nc : 0, nv = (size_t)p->nv;
    const size_t all = p->use == TRM_POSTURE_ALL ? nc : 0;
    p->system = trm_model_system(p->model, damping, arena);
    p->column = trm_arena_doubles(arena, p->nv);
    p->row = trm_arena_doubles(arena, p->nc);
    p->length = trm_arena_doubles(arena, p->nc);
    p->J = trm_arena_take(arena, nc * nv, sizeof(double));
    p->r = trm_arena_doubles(arena, p->nc);
    p->S = trm_arena_take(arena, all * nc, sizeof(double));
    p->y = trm_arena_doubles(arena, p->nc);
    p->z = trm_arena_doubles(arena, p->nv);
    p->v = trm_arena_doubles(arena, p->nv);
    p->q = trm_arena_doubles(arena, p->nq);
    p->nonzero = trm_arena_ints(arena, p->nv);
    p->turns = trm_arena_take(arena, nv, 1);
    p->basis.order = trm_arena_ints(arena, p->nc);
    p->basis.C = trm_arena_take(arena, nc * nc / 4 + nc, sizeof(double));
    double *const Q = trm_arena_take(arena, all * nv, sizeof(double));
    p->basis.Q = all > 0 ? Q : NULL;
}

// ---------------------------------------------------------------------------------------- scales

/// Velocities of a body that turn it begin here; equations have no bodies.
static int first_turn(const trm_model *model, int body)
{
    const trm_body_info *const b = &model->body_info[body];
    const int linear = model->bodies.width == 3 ? 2 : 3;
    return b->v0 + (b->nv < linear ? b->nv : linear);
}

static int end_of(const trm_model *model, int body)
{
    return model->body_info[body].v0 + model->body_info[body].nv;
}

/// The largest distance that a joint point of a body moves when the body turns by one radian.
static double reach(const trm_posture *p, int body)
{
    const int from = first_turn(p->model, body);
    const int n = end_of(p->model, body) - from;
    double longest = 0;
    for (int i = 0; i < p->nc; i++) {
        if (strcmp(p->model->row_info[i].unit, "rad") != 0) {
            longest = fmax(longest, trm_length(n, p->J + (size_t)i * (size_t)p->nv + from));
        }
    }
    return longest;
}

/// The diagonal of the box around all bodies, and the longest rod.
static double extent(const trm_posture *p, const double *q)
{
    const trm_model *const m = p->model;
    const int dimension = m->bodies.width == 3 ? 2 : 3;
    double sum = 0, rod = 0;
    for (int k = 0; k < dimension && m->sizes.nbody > 0; k++) {
        double low = q[m->body_info[0].q0 + k], high = low;
        for (int b = 1; b < m->sizes.nbody; b++) {
            low = fmin(low, q[m->body_info[b].q0 + k]);
            high = fmax(high, q[m->body_info[b].q0 + k]);
        }
        sum += (high - low) * (high - low);
    }
    for (int i = 0; i < m->batch[TRM_ROW_DISTANCE].n; i++) {
        rod = fmax(rod, m->batch[TRM_ROW_DISTANCE].constant[i]);
    }
    return fmax(sqrt(sum), rod);
}

/// For equations of the user: C from the masses.
static void scale_by_mass(trm_posture *p)
{
    double least = INFINITY;
    trm_system_mass_diagonal(p->system, p->v);
    for (int i = 0; i < p->nv; i++) {
        least = fmin(least, p->v[i]);
    }
    for (int i = 0; i < p->nv && least > 0; i++) {
        p->column[i] = sqrt(least / p->v[i]);
    }
}

static void scale_columns(trm_posture *p, const double *q)
{
    if (p->model->from_equations) {
        scale_by_mass(p);
        return;
    }
    const int nbody = p->model->sizes.nbody;
    p->size = nbody > 0 ? extent(p, q) : 1;
    for (int b = 0; b < nbody; b++) {
        p->size = fmax(p->size, reach(p, b));
    }
    p->size = p->size > 0 ? p->size : 1;
    p->grain = p->size;
    for (int i = 0; i < p->nv; i++) {
        p->column[i] = 1;
    }
    for (int b = 0; b < nbody; b++) {
        const double l = reach(p, b);
        p->grain = l > 1e-3 * p->size ? fmin(l, p->grain) : p->grain;
        for (int i = first_turn(p->model, b); i < end_of(p->model, b); i++) {
            p->column[i] = 1 / (l > 1e-9 * p->size ? l : p->size);
            p->turns[i] = 1;
        }
    }
}

/// Rows in m stay, rows in rad are multiplied by L, rows of unknown unit become unit length here.
static void scale_rows(trm_posture *p)
{
    for (int i = 0; i < p->nc; i++) {
        const char *const unit = p->model->row_info ? p->model->row_info[i].unit : "";
        double *const row = p->J + (size_t)i * (size_t)p->nv;
        for (int j = 0; j < p->nv; j++) {
            row[j] *= p->column[j];
        }
        const double length = trm_length(p->nv, row);
        p->row[i] = *unit == 'm' ? 1 : *unit == 'r' ? p->size : length > 0 ? 1 / length : 1;
    }
}

trm_status trm_posture_open(trm_posture *posture, const trm_model *model, trm_posture_use use,
                            double damping, trm_error *err)
{
    *posture = (trm_posture){.model = model,
                             .use = use,
                             .nq = model->sizes.nq,
                             .nv = model->sizes.nv,
                             .nc = model->sizes.nc,
                             .size = 1,
                             .grain = 1,
                             .chance = 88172645463325252ULL};
    layout(posture, damping);
    if (!trm_arena_open(&posture->arena)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a diagnosis");
    }
    layout(posture, damping);
    for (int i = 0; i < posture->nv; i++) {
        posture->column[i] = 1;
    }
    for (int i = 0; i < posture->nc; i++) {
        posture->row[i] = 1;
    }
    trm_model_initial_state(model, posture->q, posture->v);
    trm_system_normalize(posture->system, posture->q);
    if (trm_posture_at(posture, 0, posture->q)) {
        return TRM_FAIL(err, TRM_ERR_CALLBACK, posture->system->failed,
                        "the model cannot be evaluated in its initial state");
    }
    if (has_J(posture)) {
        trm_posture_J(posture);
        scale_columns(posture, posture->q);
        scale_rows(posture);
    }
    return TRM_OK;
}

void trm_posture_close(trm_posture *posture)
{
    trm_arena_close(&posture->arena);
}

// ------------------------------------------------------------------------------------- the point

int trm_posture_at(trm_posture *posture, double t, const double *q)
{
    const int code = trm_system_position(posture->system, t, q);
    for (int i = 0; !code && i < posture->nc; i++) {
        posture->r[i] = posture->row[i] * posture->system->g[i];
    }
    return code;
}

void trm_posture_J(trm_posture *posture)
{
    for (int i = 0; i < posture->nc; i++) {
        double *const row = posture->J + (size_t)i * (size_t)posture->nv;
        memset(posture->y, 0, (size_t)posture->nc * sizeof(double));
        const int left_out =
            posture->positions_only && posture->system->speed && posture->system->speed[i];
        posture->y[i] = left_out ? 0 : posture->row[i];
        trm_system_multiply_GT(posture->system, posture->y, row);
        for (int j = 0; j < posture->nv; j++) {
            row[j] *= posture->column[j];
        }
    }
}

void trm_posture_unit_rows(trm_posture *posture)
{
    trm_posture_J(posture);
    for (int i = 0; i < posture->nc; i++) {
        double *const row = posture->J + (size_t)i * (size_t)posture->nv;
        const double length = trm_length(posture->nv, row);
        const double scale = length > 1e-12 ? 1 / length : 0; // no direction at all: dependent
        posture->length[i] = length;
        for (int j = 0; j < posture->nv; j++) {
            row[j] *= scale;
        }
    }
}

int trm_posture_rank(trm_posture *posture)
{
    if (!has_J(posture)) {
        for (int i = 0; i < posture->nc; i++) {
            posture->basis.order[i] = i;
        }
        posture->basis.rank = posture->nc;
        return 1;
    }
    trm_posture_unit_rows(posture);
    return trm_row_rank(posture->nc, posture->nv, posture->J, TRM_DEPENDENT, &posture->basis);
}

void trm_posture_move(trm_posture *posture, const double *z, double *q)
{
    for (int i = 0; i < posture->nv; i++) {
        posture->v[i] = posture->column[i] * z[i];
    }
    trm_system_move(posture->system, posture->v, q);
    trm_system_normalize(posture->system, q);
}

double trm_posture_chance(trm_posture *posture)
{
    unsigned long long x = posture->chance; // xorshift64
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    posture->chance = x;
    return (double)(x >> 11) / 4503599627370496.0 - 1;
}

void trm_posture_any_motion(trm_posture *posture, double amplitude, double *z)
{
    for (int i = 0; i < posture->nv; i++) {
        const double unit = posture->turns[i] ? 1 / posture->column[i] : posture->size;
        z[i] = amplitude * unit * trm_posture_chance(posture);
    }
}

int trm_posture_free_motion(trm_posture *posture, double *z)
{
    if (posture->basis.rank >= posture->nv) {
        return 0;
    }
    for (int i = 0; i < posture->nv; i++) {
        z[i] = trm_posture_chance(posture);
    }
    trm_row_basis_remove(&posture->basis, posture->nv, z);
    trm_row_basis_remove(&posture->basis, posture->nv, z);
    const double length = trm_length(posture->nv, z);
    for (int i = 0; i < posture->nv; i++) {
        z[i] /= length;
    }
    return length > 0;
}
