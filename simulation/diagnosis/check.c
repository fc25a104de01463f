/// Rank, freedoms, redundancy and consistency of a model in its initial state.
///
/// The rank is that of engine/rank/conditioning.h. A dependent row is a combination of independent
/// ones; those with a coefficient form its dependent set, which need not be minimal.
#include "base/linear/sums.h"
#include "base/status.h"
#include "engine/linear/conjugate_gradients.h"
#include "engine/multibody/consistency.h"
#include "engine/rank/conditioning.h"
#include "engine/system/terms.h"
#include "integrators/registry.h"
#include "simulation/run/misfit.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A coefficient below this counts as none.
static const double negligible = 1e-6;

typedef struct checking {
    trm_check check; ///< first, so that the caller's pointer is ours
    trm_conditioning conditioning;
    trm_sim *start; ///< where rows repeat others except for a misfit; NULL: nowhere
    trm_closing closing;
    double *q, *v;             ///< the state
    double *unit;              ///< [nc] of rows
    double *room;              ///< [trm_units_room]
    trm_redundancy *redundant; ///< [nc - rank]
    trm_pool pool;
} checking;

static trm_status no_memory(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a check");
}

static int take_state(checking *c)
{
    trm_conditioning *const p = &c->conditioning;
    double *const x = trm_pool_take(&c->pool, 2 * (size_t)p->nq + (size_t)p->nv, sizeof *x);
    c->unit = trm_pool_take(&c->pool, (size_t)p->nc + trm_units_room(p->model), sizeof *x);
    if (!x || !c->unit) {
        return 0;
    }
    c->room = c->unit + p->nc;
    c->q = x;
    c->v = c->q + p->nq;
    c->closing = (trm_closing){.q = c->v + p->nv, .dx = p->z, .c = p->y, .unit = c->unit};
    return 1;
}

/// The dependent sets of the basis, superfluous row first. Returns 0 without memory.
static int list_redundant(checking *c)
{
    const trm_row_basis *const basis = &c->conditioning.basis;
    const size_t rank = (size_t)basis->rank,
                 nredundant = (size_t)(c->conditioning.nc - basis->rank);
    int *next = trm_pool_take(&c->pool, nredundant * (rank + 1), sizeof *next);
    c->redundant = trm_pool_take(&c->pool, nredundant, sizeof *c->redundant);
    if (!next || !c->redundant) {
        return 0;
    }
    for (size_t k = 0; k < nredundant; k++) {
        const double *const coefficient = basis->C + k * rank;
        int *const rows = next;
        *next++ = basis->order[rank + k];
        for (size_t i = 0; i < rank; i++) {
            if (fabs(coefficient[i]) > negligible) {
                *next++ = basis->order[i];
            }
        }
        c->redundant[k] = (trm_redundancy){
            .rows = rows, .nrows = (int)(next - rows), .kind = TRM_REDUNDANCY_STRUCTURAL};
    }
    return 1;
}

static trm_status examine(checking *c, const trm_options *options, trm_error *err)
{
    trm_check *const check = &c->check;
    trm_conditioning *const p = &c->conditioning;
    trm_model_initial_state(p->model, c->q, c->v);
    trm_system_normalize(p->system, c->q);
    int code = trm_system_position(p->system, 0, c->q);
    if (!code && options->assemble) {
        code = trm_units_at(p->system, p->model, 0, c->q, c->room, c->unit);
        code = code ? code : trm_close(p->system, &c->closing, 0, c->q, c->v);
    }
    code = code ? code : trm_units_at(p->system, p->model, 0, c->q, c->room, c->unit);
    if (code) {
        return trm_terms_fail(p->system, "at", 0, 1, err);
    }
    const trm_residual r = trm_residual_in(p->system, c->v, c->unit, p->y);
    check->sizes = p->model->sizes;
    check->position = r.position;
    check->velocity = r.velocity;
    check->position_row = r.position_row;
    check->velocity_row = r.velocity_row;
    check->consistent =
        r.position <= options->tolerance &&
        trm_velocities_fit(p->system, c->v, p->y, c->unit, options->tolerance, p->r, p->z);
    if (!trm_conditioning_rank(p) || !list_redundant(c)) {
        return no_memory(err);
    }
    check->rank = p->basis.rank;
    check->degrees_of_freedom = trm_conditioning_freedoms(p);
    check->nredundant = check->sizes.nc - check->rank;
    check->redundant = c->redundant;
    return TRM_OK;
}

// ------------------------------------------------------------------------------------------ kinds

/// A nearby closed position: a small step anywhere, closed again. Returns whether it closes.
static int go_nearby(checking *c)
{
    const double step = 1e-2; // of the size, or rad
    trm_conditioning *const p = &c->conditioning;
    trm_conditioning_any_motion(p, step, p->z);
    trm_conditioning_move(p, p->z, c->q);
    if (trm_close(p->system, &c->closing, 0, c->q, c->v)) {
        return 0;
    }
    return trm_residual_in(p->system, c->v, c->unit, p->y).position <= 1e-8 * p->size;
}

/// Dependent rows of the start, in their order, that add to the independent ones nearby: `rest` of
/// each is its part orthogonal to all before.
static void find_raised(checking *c, const trm_row_basis *independent, double *rest)
{
    const int nv = c->conditioning.nv;
    for (int k = 0; k < c->check.nredundant; k++) {
        double *const x = rest + (size_t)k * (size_t)nv;
        memcpy(x, c->conditioning.J + (size_t)c->redundant[k].rows[0] * (size_t)nv,
               (size_t)nv * sizeof *x);
        for (int pass = 0; pass < 2; pass++) {
            trm_row_basis_remove(independent, nv, x);
            for (int i = 0; i < k; i++) {
                trm_project_out(nv, rest + (size_t)i * (size_t)nv, x);
            }
        }
        const double length = trm_length(nv, x);
        const int raises = length > TRM_DEPENDENT;
        for (int j = 0; j < nv; j++) {
            x[j] = raises ? x[j] / length : 0;
        }
        c->redundant[k].kind = raises ? TRM_REDUNDANCY_SINGULAR_HERE : TRM_REDUNDANCY_STRUCTURAL;
    }
}

/// With the same rows independent, the others in turn; all are structural where the rank is
/// no higher. Returns 0 without memory.
static int compare_nearby(checking *c)
{
    trm_conditioning *const p = &c->conditioning;
    const size_t rank = (size_t)c->check.rank, nv = (size_t)p->nv;
    const size_t nredundant = (size_t)c->check.nredundant;
    int *const here = trm_pool_take(&c->pool, rank, sizeof *here);
    int *const order = trm_pool_take(&c->pool, rank, sizeof *order);
    if (!here || !order) {
        return 0;
    }
    memcpy(here, p->basis.order, rank * sizeof *here);
    if (!trm_conditioning_rank(p)) {
        return 0;
    }
    if (p->basis.rank <= c->check.rank) {
        return 1;
    }
    double *const rows = trm_pool_take(&c->pool, (2 * rank + nredundant) * nv, sizeof *rows);
    if (!rows) {
        return 0;
    }
    trm_row_basis independent = {.order = order, .Q = rows + rank * nv};
    trm_conditioning_unit_rows(p);
    for (size_t i = 0; i < rank; i++) {
        memcpy(rows + i * nv, p->J + (size_t)here[i] * nv, nv * sizeof *rows);
    }
    if (!trm_row_rank(c->check.rank, p->nv, rows, TRM_DEPENDENT, &independent)) {
        return 0;
    }
    find_raised(c, &independent, rows + 2 * rank * nv);
    return 1;
}

/// Whether a closing, some ten factorizations, takes more than seconds: only with absurdly
/// many joints between the same bodies.
static int takes_too_long(const trm_pattern *pattern)
{
    const double most = 1e9; // multiplications of one factorization
    double work = 0;
    for (int k = 0; k < pattern->nblocks; k++) {
        const double size = pattern->size[k];
        work += size * size * size * (pattern->targets[k + 1] - pattern->targets[k]);
    }
    return work > most;
}

/// Separate rows redundant everywhere from rows redundant only here, by one nearby
/// position; a diagnosis uses more positions.
static trm_status classify(checking *c, trm_error *err)
{
    if (c->check.nredundant == 0) {
        return TRM_OK;
    }
    if (takes_too_long(c->conditioning.model->pattern)) {
        for (int k = 0; k < c->check.nredundant; k++) {
            c->redundant[k].kind = TRM_REDUNDANCY_UNCLASSIFIED;
        }
        return TRM_OK;
    }
    if (go_nearby(c)) {
        return compare_nearby(c) ? TRM_OK : no_memory(err);
    }
    for (int k = 0; !c->check.consistent && k < c->check.nredundant; k++) {
        c->redundant[k].kind = TRM_REDUNDANCY_CONTRADICTORY;
    }
    return TRM_OK;
}

trm_status trm_check_create(const trm_model *model, const trm_options *options, trm_check **out,
                            trm_error *err)
{
    TRM_CLEAR(out);
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the check, got NULL");
    }
    const trm_options defaults = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    options = options ? options : &defaults;
    TRM_TRY(trm_options_check(options, err));
    checking *const c = calloc(1, sizeof *c);
    if (!c) {
        return no_memory(err);
    }
    const double misfit = options->misfit < 0 ? model->misfit : options->misfit;
    trm_status status = trm_misfit_find(model, misfit, &c->start, err);
    if (status == TRM_OK) {
        status = trm_conditioning_open(&c->conditioning, model, TRM_CONDITIONING_RANK,
                                       options->damping, trm_misfit_null(c->start), err);
    }
    if (status == TRM_OK) {
        status = take_state(c) ? examine(c, options, err) : no_memory(err);
    }
    status = status == TRM_OK ? classify(c, err) : status;
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
        checking *const c = (checking *)check;
        trm_conditioning_close(&c->conditioning);
        trm_sim_destroy(c->start);
        trm_pool_close(&c->pool);
        free(c);
    }
}
