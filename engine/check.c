/// What can be said of a model in its initial state: rank, freedoms, redundancy, consistency.
///
/// Rank is that of S = G M^-1 G^T scaled to a unit diagonal (so units and sizes do not matter), by
/// pivoted Cholesky. A dependent row is a combination of independent ones; those with a
/// coefficient form its dependent set.
#include "engine/consistency.h"
#include "engine/dense.h"
#include "engine/model.h"
#include "engine/status.h"
#include "integrators/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A pivot below this part of the row's own square counts as dependent, and a coefficient below
/// its root as none.
static const double dependent = 1e-11;
static const double negligible = 1e-6;

typedef struct checking {
    trm_check check; ///< first, so that the caller's pointer is ours
    const trm_model *model;
    trm_system *system;
    trm_closing closing;
    double *q, *v, *dx; ///< the state, and a disturbance of it
    double *r;          ///< [nc]
    double *A;          ///< [nc*nc] scaled S
    int *order;         ///< [nc]
    int *rows;          ///< dependent sets, one after the other
    trm_redundancy *redundant;
    trm_arena arena;
} checking;

static void layout(checking *c, double damping)
{
    trm_arena *arena = &c->arena;
    const trm_sizes n = c->model->sizes;
    trm_system sizes = {.nq = n.nq, .nv = n.nv, .nc = n.nc};
    c->system = trm_model_system(c->model, damping, arena);
    trm_closing_layout(&c->closing, c->system ? c->system : &sizes, arena);
    c->q = trm_arena_doubles(arena, n.nq);
    c->v = trm_arena_doubles(arena, n.nv);
    c->dx = trm_arena_doubles(arena, n.nv);
    c->r = trm_arena_doubles(arena, n.nc);
    c->A = trm_arena_take(arena, c->model->may_lose_rank ? (size_t)n.nc * (size_t)n.nc : 0,
                          sizeof(double));
    c->order = trm_arena_ints(arena, n.nc);
    c->redundant = trm_arena_take(arena, (size_t)n.nc, sizeof *c->redundant);
}

/// A = D S D with unit diagonal at the system's current point.
static void scaled_S(checking *c)
{
    const int n = c->system->nc;
    for (int i = 0; i < n; i++) {
        double *row = c->A + (size_t)i * (size_t)n;
        memset(c->r, 0, (size_t)n * sizeof(double));
        c->r[i] = 1;
        trm_system_spread(c->system, TRM_METRIC_MASS, c->r, c->dx);
        trm_system_multiply_G(c->system, c->dx, row);
    }
    for (int i = 0; i < n; i++) {
        c->r[i] = 1 / sqrt(fmax(c->A[(size_t)i * (size_t)n + (size_t)i], 1e-300));
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c->A[(size_t)i * (size_t)n + (size_t)j] *= c->r[i] * c->r[j];
        }
    }
}

/// Rank at the current point; A and order are then as trm_rank leaves them. -1 without memory.
static int rank_here(checking *c)
{
    if (!c->model->may_lose_rank) {
        return c->system->nc;
    }
    scaled_S(c);
    return trm_rank(c->system->nc, c->A, dependent, c->order);
}

/// The dependent sets of A, superfluous row first. Returns 0 without memory.
static int list_redundant(checking *c, int rank)
{
    const int n = c->system->nc;
    size_t used = 0;
    c->rows = malloc(((size_t)(n - rank) * (size_t)(rank + 1) + 1) * sizeof(int));
    if (!c->rows) {
        return 0;
    }
    for (int k = 0; k < n - rank; k++) {
        const double *coefficient = c->A + (size_t)(rank + k) * (size_t)n;
        int *rows = c->rows + used;
        int nrows = 0;
        rows[nrows++] = c->order[rank + k];
        for (int i = 0; i < rank; i++) {
            if (fabs(coefficient[i]) > negligible) {
                rows[nrows++] = c->order[i];
            }
        }
        c->redundant[k] = (trm_redundancy){.rows = rows, .nrows = nrows, .kind = TRM_STRUCTURAL};
        used += (size_t)nrows;
    }
    return 1;
}

/// Whether the rank is higher in a nearby closed position: a step in a fixed pseudo-random
/// direction, closed again. -1 without memory.
static int rank_nearby(checking *c)
{
    const double step = 1e-2;
    unsigned long state = 12345;
    double largest = 0;
    for (int i = 0; i < c->system->nv; i++) {
        state = (state * 1103515245UL + 12345UL) % 2147483648UL;
        c->dx[i] = (double)state / 1073741824.0 - 1;
        largest = fmax(largest, fabs(c->dx[i]));
    }
    for (int i = 0; i < c->system->nv; i++) {
        c->dx[i] *= step / largest;
    }
    trm_system_move(c->system, c->dx, c->q);
    if (trm_close(c->system, &c->closing, 0, c->q, c->v)) {
        return 0;
    }
    return rank_here(c);
}

static trm_status examine(checking *c, const trm_options *options, trm_error *err)
{
    trm_check *check = &c->check;
    trm_model_initial_state(c->model, c->q, c->v);
    trm_system_normalize(c->system, c->q);
    int code = trm_system_position(c->system, 0, c->q);
    if (!code && options->assemble) {
        code = trm_close(c->system, &c->closing, 0, c->q, c->v);
    }
    if (code) {
        return TRM_FAIL(err, TRM_ERR_CALLBACK, c->system->failed,
                        "the model cannot be evaluated in its initial state");
    }
    const trm_residual r = trm_residual_of(c->system, c->v, c->r);
    check->sizes = c->model->sizes;
    check->position = r.position;
    check->velocity = r.velocity;
    check->position_row = r.position_row;
    check->velocity_row = r.velocity_row;
    check->consistent = r.position <= options->tolerance && r.velocity <= options->tolerance;
    check->rank = rank_here(c);
    if (check->rank < 0 || !list_redundant(c, check->rank)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a check");
    }
    check->degrees_of_freedom = check->sizes.nv - check->rank;
    check->nredundant = check->sizes.nc - check->rank;
    check->redundant = c->redundant;
    return TRM_OK;
}

/// Tell what is redundant everywhere from what is so only here.
static trm_status classify(checking *c, trm_error *err)
{
    if (c->check.nredundant == 0) {
        return TRM_OK;
    }
    const int nearby = rank_nearby(c);
    if (nearby < 0) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a check");
    }
    const trm_residual r = trm_residual_of(c->system, c->v, c->r);
    const int closed = r.position <= 1e-8;
    for (int k = 0; k < c->check.nredundant; k++) {
        c->redundant[k].kind = !closed && !c->check.consistent ? TRM_CONTRADICTORY
                               : nearby > c->check.rank        ? TRM_SINGULAR_HERE
                                                               : TRM_STRUCTURAL;
    }
    return TRM_OK;
}

trm_status trm_check_create(const trm_model *model, const trm_options *options, trm_check **out,
                            trm_error *err)
{
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the check, got NULL");
    }
    *out = NULL;
    const trm_options defaults = trm_default_options(TRM_RK4, TRM_PLAIN);
    options = options ? options : &defaults;
    TRM_TRY(trm_options_check(options, err));
    checking *c = calloc(1, sizeof *c);
    if (!c) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a check");
    }
    c->model = model;
    layout(c, options->damping);
    trm_status status = TRM_ERR_MEMORY;
    if (trm_arena_open(&c->arena)) {
        layout(c, options->damping);
        status = examine(c, options, err);
        status = status == TRM_OK ? classify(c, err) : status;
    } else {
        TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a check");
    }
    if (status != TRM_OK) {
        trm_check_destroy(&c->check);
        return status;
    }
    *out = &c->check;
    return TRM_OK;
}

void trm_check_destroy(trm_check *check)
{
    if (check) {
        checking *c = (checking *)check;
        trm_arena_close(&c->arena);
        free(c->rows);
        free(c);
    }
}
