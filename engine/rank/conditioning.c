#include "engine/rank/conditioning.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "engine/system/terms.h"

#include <math.h>
#include <string.h>

/// The rows of a tree of joints are independent everywhere: its rank needs no J.
static int has_J(const trm_conditioning *p)
{
    return p->use == TRM_CONDITIONING_ALL || p->model->may_lose_rank;
}

/// Room for the play of the directions of `null`.
static void layout_play(trm_system *system, const trm_null_space *null, trm_arena *arena)
{
    if (null) {
        trm_null_layout(&system->solver.null, null->used, arena);
        TRM_ARENA_DOUBLES(arena, system->nc, &system->play, &system->bias);
    }
}

static void layout(trm_conditioning *p, double damping, const trm_null_space *null)
{
    trm_arena *const arena = &p->arena;
    const size_t nc = has_J(p) ? (size_t)p->nc : 0, nv = (size_t)p->nv;
    const size_t all = p->use == TRM_CONDITIONING_ALL ? nc : 0;
    p->system = trm_model_system(p->model, damping, arena);
    p->column = trm_arena_doubles(arena, p->nv);
    TRM_ARENA_DOUBLES(arena, p->nc, &p->row, &p->length);
    p->J = trm_arena_take(arena, nc * nv, sizeof(double));
    p->r = trm_arena_doubles(arena, p->nc);
    p->S = trm_arena_take(arena, all * nc, sizeof(double));
    p->y = trm_arena_doubles(arena, p->nc);
    TRM_ARENA_DOUBLES(arena, p->nv, &p->z, &p->v);
    p->q = trm_arena_doubles(arena, p->nq);
    p->nonzero = trm_arena_ints(arena, p->nv);
    trm_extents_layout(&p->extents, p->nq, p->nv, p->nc, arena);
    p->extents.size = trm_arena_doubles(arena, p->model->sizes.nbody);
    p->turns = trm_arena_take(arena, nv, 1);
    p->basis.order = trm_arena_ints(arena, p->nc);
    p->basis.C = trm_arena_take(arena, nc * nc / 4 + nc, sizeof(double));
    if (p->system) {
        layout_play(p->system, null, arena);
    } else if (null) {
        trm_system sizes = {.nc = p->nc};
        layout_play(&sizes, null, arena);
    }
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
static double reach(const trm_conditioning *p, int body)
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

/// For equations of the user: C from the masses.
static void scale_by_mass(trm_conditioning *p)
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

static void scale_columns(trm_conditioning *p, const double *q)
{
    if (p->model->from_equations) {
        scale_by_mass(p);
        return;
    }
    const int nbody = p->model->sizes.nbody;
    trm_extents_measure(&p->extents, p->model, q);
    p->size = nbody > 0 ? 0 : 1;
    for (int b = 0; b < nbody; b++) {
        p->size = fmax(p->size, p->extents.size[b]);
    }
    p->grain = p->size;
    for (int i = 0; i < p->nv; i++) {
        p->column[i] = 1;
    }
    for (int b = 0; b < nbody; b++) {
        const double l = reach(p, b), size = p->extents.size[b];
        p->grain = l > 1e-3 * size ? fmin(l, p->grain) : p->grain;
        for (int i = first_turn(p->model, b); i < end_of(p->model, b); i++) {
            p->column[i] = 1 / (l > 1e-9 * size ? l : size);
            p->turns[i] = 1;
        }
    }
}

/// Rows in m stay, rows in rad are multiplied by L, rows of unknown unit become unit length here.
static void scale_rows(trm_conditioning *p)
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

trm_status trm_conditioning_open(trm_conditioning *conditioning, const trm_model *model,
                                 trm_conditioning_use use, double damping,
                                 const trm_null_space *null, trm_error *err)
{
    *conditioning = (trm_conditioning){.model = model,
                                       .bound = TRM_DEPENDENT,
                                       .use = use,
                                       .nq = model->sizes.nq,
                                       .nv = model->sizes.nv,
                                       .nc = model->sizes.nc,
                                       .size = 1,
                                       .grain = 1,
                                       .chance = 88172645463325252ULL};
    layout(conditioning, damping, null);
    if (!trm_arena_open(&conditioning->arena)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a diagnosis");
    }
    layout(conditioning, damping, null);
    if (null) {
        trm_null_copy(null, &conditioning->system->solver.null);
        conditioning->basis.most = conditioning->nc - null->nullity;
    }
    for (int i = 0; i < conditioning->nv; i++) {
        conditioning->column[i] = 1;
    }
    for (int i = 0; i < conditioning->nc; i++) {
        conditioning->row[i] = 1;
    }
    trm_model_initial_state(model, conditioning->q, conditioning->v);
    trm_system_normalize(conditioning->system, conditioning->q);
    if (trm_conditioning_at(conditioning, 0, conditioning->q)) {
        return trm_terms_fail(conditioning->system, "at", 0, 1, err);
    }
    if (has_J(conditioning)) {
        trm_conditioning_J(conditioning);
        scale_columns(conditioning, conditioning->q);
        scale_rows(conditioning);
    }
    return TRM_OK;
}

void trm_conditioning_close(trm_conditioning *conditioning)
{
    trm_arena_close(&conditioning->arena);
}

// ------------------------------------------------------------------------------------- the point

int trm_conditioning_at(trm_conditioning *conditioning, double t, const double *q)
{
    int code = trm_system_position(conditioning->system, t, q);
    if (!code && conditioning->system->play) {
        code = trm_system_factor(conditioning->system, TRM_METRIC_MASS);
    }
    for (int i = 0; !code && i < conditioning->nc; i++) {
        conditioning->r[i] = conditioning->row[i] * conditioning->system->g[i];
    }
    return code;
}

void trm_conditioning_J(trm_conditioning *conditioning)
{
    for (int i = 0; i < conditioning->nc; i++) {
        double *const row = conditioning->J + (size_t)i * (size_t)conditioning->nv;
        memset(conditioning->y, 0, (size_t)conditioning->nc * sizeof(double));
        const int left_out = conditioning->positions_only && conditioning->system->speed &&
                             conditioning->system->speed[i];
        conditioning->y[i] = left_out ? 0 : conditioning->row[i];
        trm_system_multiply_GT(conditioning->system, conditioning->y, row);
        for (int j = 0; j < conditioning->nv; j++) {
            row[j] *= conditioning->column[j];
        }
    }
}

void trm_conditioning_unit_rows(trm_conditioning *conditioning)
{
    trm_conditioning_J(conditioning);
    for (int i = 0; i < conditioning->nc; i++) {
        double *const row = conditioning->J + (size_t)i * (size_t)conditioning->nv;
        const double length = trm_length(conditioning->nv, row);
        const double scale = length > 1e-12 ? 1 / length : 0; // no direction at all: dependent
        conditioning->length[i] = length;
        for (int j = 0; j < conditioning->nv; j++) {
            row[j] *= scale;
        }
    }
}

int trm_conditioning_rank(trm_conditioning *conditioning)
{
    if (!has_J(conditioning)) {
        for (int i = 0; i < conditioning->nc; i++) {
            conditioning->basis.order[i] = i;
        }
        conditioning->basis.rank = conditioning->nc;
        return 1;
    }
    trm_conditioning_unit_rows(conditioning);
    return trm_row_rank(conditioning->nc, conditioning->nv, conditioning->J, conditioning->bound,
                        &conditioning->basis);
}

void trm_conditioning_move(trm_conditioning *conditioning, const double *z, double *q)
{
    for (int i = 0; i < conditioning->nv; i++) {
        conditioning->v[i] = conditioning->column[i] * z[i];
    }
    trm_system_move(conditioning->system, conditioning->v, q);
    trm_system_normalize(conditioning->system, q);
}

double trm_conditioning_chance(trm_conditioning *conditioning)
{
    unsigned long long x = conditioning->chance; // xorshift64
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    conditioning->chance = x;
    return (double)(x >> 11) / 4503599627370496.0 - 1;
}

void trm_conditioning_any_motion(trm_conditioning *conditioning, double amplitude, double *z)
{
    for (int i = 0; i < conditioning->nv; i++) {
        const double unit =
            conditioning->turns[i] ? 1 / conditioning->column[i] : conditioning->size;
        z[i] = amplitude * unit * trm_conditioning_chance(conditioning);
    }
}

int trm_conditioning_free_motion(trm_conditioning *conditioning, double *z)
{
    if (trm_conditioning_freedoms(conditioning) <= 0) {
        return 0;
    }
    for (int i = 0; i < conditioning->nv; i++) {
        const int moves = i < trm_system_motions(conditioning->system);
        z[i] = moves ? trm_conditioning_chance(conditioning) : 0;
    }
    trm_row_basis_remove(&conditioning->basis, conditioning->nv, z);
    trm_row_basis_remove(&conditioning->basis, conditioning->nv, z);
    const double length = trm_length(conditioning->nv, z);
    for (int i = 0; i < conditioning->nv; i++) {
        z[i] /= length;
    }
    return length > 0;
}
