/// A mechanism made of the bytes, diagnosed and asked: counts agree,
/// answers are finite, nothing is kept.
#include "tests/fuzz/mechanism.h"

static void diagnose(const trm_scene *scene, const trm_model *model)
{
    trm_error err = {.status = TRM_OK};
    trm_diagnosis *d = NULL;
    trm_check *check = NULL;
    const trm_sizes n = trm_model_sizes(model);
    if (trm_diagnosis_create(scene, model, NULL, 1, &d, &err) == TRM_OK) {
        PROMISE(d->rank >= 0 && d->rank <= n.nc && d->rank <= n.nv);
        PROMISE(d->degrees_of_freedom == n.nv - d->rank);
        PROMISE(d->mobility <= d->degrees_of_freedom);
        PROMISE(d->nsets - d->nconflicts <= n.nc);
    }
    PROMISE(d != NULL || err.message[0] != '\0');
    trm_diagnosis_destroy(d);
    if (trm_check_create(model, NULL, &check, &err) == TRM_OK) {
        PROMISE(check->nredundant == n.nc - check->rank);
    }
    trm_check_destroy(check);
}

static void ask(const trm_model *model)
{
    trm_error err = {.status = TRM_OK};
    trm_query *query = NULL;
    trm_linear *linear = NULL;
    const trm_sizes n = trm_model_sizes(model);
    double *const q = calloc((size_t)n.nq, sizeof *q), *const v = calloc((size_t)n.nv, sizeof *v);
    PROMISE(q != NULL && v != NULL);
    trm_model_initial_state(model, q, v);
    if (trm_query_create(model, &query, &err) == TRM_OK &&
        trm_query_close(query, 0, q, v, &err) == TRM_OK) {
        for (int i = 0; i < n.nq; i++) {
            PROMISE(isfinite(q[i]));
        }
        (void)trm_query_freedoms(query, 0, q, &err);
        if (trm_query_linearize(query, 0, q, v, NULL, &linear, &err) != TRM_OK) {
            PROMISE(linear == NULL && err.message[0] != '\0');
        }
        trm_linear_destroy(linear);
    }
    trm_query_destroy(query);
    free(q);
    free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bytes_left b = {bytes, size};
    trm_scene *scene = NULL;
    trm_model *const model = model_of_mechanism(&b, &scene);
    if (model) {
        diagnose(scene, model);
        ask(model);
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
