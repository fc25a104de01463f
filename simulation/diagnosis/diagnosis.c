// The diagnosis of a mechanism: its parts, one after the other.
#include "base/status.h"
#include "engine/multibody/consistency.h"
#include "integrators/registry.h"
#include "simulation/diagnosis/diagnosis_context.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 400 }; // beyond this dense algebra takes too long, and trm_check is used

static trm_status take_memory(trm_diagnosis_context *d, trm_error *err)
{
    const size_t nq = (size_t)d->model->sizes.nq, nv = (size_t)d->model->sizes.nv;
    const size_t nc = (size_t)d->model->sizes.nc;
    double *const x = trm_pool_take(&d->pool, 5 * nq + 3 * nv, sizeof *x);
    d->unit = trm_pool_take(&d->pool, nc + trm_units_room(d->model), sizeof *x);
    d->row_off = trm_pool_take(&d->pool, nc + nv, 1);
    d->sets = trm_pool_take(&d->pool, 2 * nc + 2, sizeof *d->sets);
    d->conflict = trm_pool_take(&d->pool, 2, sizeof *d->conflict);
    if (!x || !d->unit || !d->row_off || !d->sets || !d->conflict) {
        return trm_diagnosis_no_memory(err);
    }
    d->room = d->unit + nc;
    d->held = d->row_off + nc;
    d->q = x;
    d->generic = d->q + nq;
    d->trial = d->generic + nq;
    d->from = d->trial + nq;
    d->attempt = d->from + nq;
    d->v = d->attempt + nq;
    d->moved = d->v + nv;
    d->direction = d->moved + nv;
    return TRM_OK;
}

static trm_status examine(trm_diagnosis_context *d, trm_error *err)
{
    TRM_TRY(take_memory(d, err));
    const double misfit = d->options->misfit < 0 ? d->model->misfit : d->options->misfit;
    TRM_TRY(trm_misfit_find(d->model, misfit, &d->start, err));
    TRM_TRY(trm_conditioning_open(&d->conditioning, d->model, TRM_CONDITIONING_ALL, d->damping,
                                  trm_misfit_null(d->start), err));
    TRM_TRY(trm_diagnosis_start(d, err));
    TRM_TRY(trm_diagnosis_motion(d, err));
    TRM_TRY(trm_diagnosis_sets(d, err));
    TRM_TRY(trm_diagnosis_drive(d, err));
    TRM_TRY(trm_diagnosis_idle(d, err));
    TRM_TRY(trm_diagnosis_given(d, err));
    TRM_TRY(trm_diagnosis_assemblies(d, err));
    d->found.q = d->q;
    d->found.complete = 1;
    TRM_TRY(trm_diagnosis_relax(d, err));
    return d->no_memory ? trm_diagnosis_no_memory(err) : TRM_OK;
}

/// The reduced diagnosis of equations and of very large models.
static trm_status count_only(trm_diagnosis_context *d, trm_error *err)
{
    trm_check *check = NULL;
    trm_diagnosis *const found = &d->found;
    TRM_TRY(take_memory(d, err));
    TRM_TRY(trm_check_create(d->model, d->options, &check, err));
    trm_model_initial_state(d->model, d->q, d->v);
    found->q = d->q;
    found->examined = check->position <= d->tolerance ? TRM_EXAMINED_GIVEN : TRM_EXAMINED_OPEN;
    found->consistent = check->consistent;
    found->position = check->position;
    found->velocity = check->velocity;
    found->position_row = check->position_row;
    found->velocity_row = check->velocity_row;
    found->acceleration_row = -1;
    found->gruebler = check->sizes.nv - check->sizes.nstate - check->sizes.nc;
    found->rank = found->rank_nearby = check->rank;
    found->degrees_of_freedom = found->mobility = check->degrees_of_freedom;
    found->freedoms_of_position = d->model->nspeeds > 0 ? -1 : check->degrees_of_freedom;
    int *const unique = trm_pool_take(&d->pool, (size_t)check->sizes.nc, sizeof(int));
    for (int i = 0; unique && i < check->sizes.nc; i++) {
        unique[i] = 1;
    }
    for (int k = 0; unique && k < check->nredundant; k++) {
        for (int i = 0; i < check->redundant[k].nrows; i++) {
            found->nundetermined += unique[check->redundant[k].rows[i]];
            unique[check->redundant[k].rows[i]] = 0;
        }
    }
    found->unique = unique;
    found->nsets = check->nredundant;
    found->sets = check->redundant;
    d->large = check;
    return unique ? TRM_OK : trm_diagnosis_no_memory(err);
}

/// Whether the scene has the elements of the model: the parts that change the scene rely on it.
static int belongs_to(const trm_scene *scene, const trm_model *model)
{
    return scene->nbodies == model->sizes.nbody && scene->njoints == model->sizes.njoint &&
           scene->dimension == model->bodies.dimension;
}

trm_status trm_diagnosis_create(const trm_scene *scene, const trm_model *model,
                                const trm_options *options, double end, trm_diagnosis **out,
                                trm_error *err)
{
    TRM_CLEAR(out);
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the diagnosis, got NULL");
    }
    if (scene && !belongs_to(scene, model)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "scene",
                        "expected the scene that the model was built from, got another one");
    }
    if (!(end >= 0) || isinf(end)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "end", "expected a time to follow drives to, got %g",
                        end);
    }
    const trm_options defaults = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    options = options ? options : &defaults;
    TRM_TRY(trm_options_check(options, err));
    trm_diagnosis_context *const d = calloc(1, sizeof *d);
    if (!d) {
        return trm_diagnosis_no_memory(err);
    }
    d->scene = scene;
    d->model = model;
    d->options = options;
    d->damping = options->damping;
    d->tolerance = options->tolerance;
    d->assemble = options->assemble;
    d->end = end > 0 ? end : 1;
    d->found.sizes = model->sizes;
    d->found.held = -1;
    d->found.misfit_row = -1;
    const int small = !model->from_equations && model->sizes.nc <= MOST_ROWS;
    trm_status status = small ? examine(d, err) : count_only(d, err);
    status = status == TRM_OK ? trm_diagnosis_ends(d, err) : status;
    d->options = NULL; // borrowed for this call only
    if (status != TRM_OK) {
        trm_diagnosis_destroy(&d->found);
        return status;
    }
    *out = &d->found;
    return TRM_OK;
}

void trm_diagnosis_destroy(trm_diagnosis *diagnosis)
{
    if (diagnosis) {
        trm_diagnosis_context *const d = (trm_diagnosis_context *)diagnosis;
        trm_check_destroy(d->large);
        trm_conditioning_close(&d->conditioning);
        trm_sim_destroy(d->start);
        trm_pool_close(&d->pool);
        free(d);
    }
}
