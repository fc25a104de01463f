/// One model, eight threads, each with runs of its own: every method on several
/// scenes, with inputs, sensors, rollouts, checks and the reading of scenes beside it,
/// gives the bits that one thread gives.
///
/// usage: threads SCENE.json...    (meant to be built with the thread sanitizer too)
#include "trammel/trammel_check.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

#include <trammel/trammel.h>
#include <trammel/trammel_check.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, LARGEST = 400, PERIODS = 5 };

typedef struct work {
    const trm_model *model;
    const char *path;
    int first, stride; ///< methods first, first + stride, ...
    double (*end)[LARGEST];
    char message[300];
    trm_status status;
    pthread_t thread;
} work;

/// Torques, steps, sensors, a rollout that is taken back.
static trm_status control(trm_sim *sim, const trm_model *model, char *bytes, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(model);
    const size_t size = trm_sim_state_size(sim);
    trm_status status = TRM_OK;
    for (int k = 0; k < PERIODS && !status; k++) {
        for (int i = 0; i < n.ninput && !status; i++) {
            status = trm_sim_set_input(sim, i, 0.3 * k - i, err);
        }
        status = status ? status : trm_sim_step_to(sim, 2e-3 * (k + 1), err);
        if (!status && k == PERIODS / 2 && size > 0) {
            status = trm_sim_save(sim, bytes, size, err);
            status = status ? status : trm_sim_step_to(sim, 2e-3 * (k + 2), err);
            status = status ? status : trm_sim_restore(sim, bytes, size, err);
        }
        for (int j = 0; j < n.njoint && !status; j++) {
            char name[100];
            trm_sensor force;
            double out[3];
            snprintf(name, sizeof name, "%s.force", trm_model_joint_info(model, j).name);
            status = trm_model_sensor(model, name, &force, err);
            status = status ? status : trm_sim_read(sim, &force, out, err);
        }
    }
    return status;
}

static trm_status one_run(const work *w, const trm_method *method, double *end, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(w->model);
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    trm_sim *sim = NULL;
    trm_status status = trm_sim_create(w->model, &options, &sim, err);
    if (status) {
        return status;
    }
    char *const bytes = malloc(trm_sim_state_size(sim) + 1);
    status = bytes ? control(sim, w->model, bytes, err) : TRM_ERR_MEMORY;
    memcpy(end, trm_sim_state(sim).q, (size_t)n.nq * sizeof *end);
    memcpy(end + n.nq, trm_sim_state(sim).v, (size_t)n.nv * sizeof *end);
    free(bytes);
    trm_sim_destroy(sim);
    return status;
}

/// What else a thread may do with a model, or with a scene of its own.
static trm_status look_around(const work *w, trm_error *err)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_check *check = NULL;
    trm_options options;
    trm_status status = trm_scene_load(w->path, &scene, err);
    status = status ? status : trm_model_build(scene, &model, err);
    status = status ? status : trm_choose_options(w->model, 1e-5, &options, NULL, err);
    status = status ? status : trm_check_create(w->model, NULL, &check, err);
    trm_check_destroy(check);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}

static void *run(void *user)
{
    work *w = user;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    trm_error err = {.status = TRM_OK};
    w->status = look_around(w, &err);
    for (int i = w->first; i < n && !w->status; i += w->stride) {
        if (trm_method_fits(&methods[i], w->model, NULL) == TRM_OK) {
            w->status = one_run(w, &methods[i], w->end[i], &err);
        }
    }
    if (w->status) {
        snprintf(w->message, sizeof w->message, "%s", err.message);
    }
    return NULL;
}

/// Returns zero when all went well.
static int on_threads(const work *task, int threads)
{
    work w[THREADS];
    int failed = 0, started = 0;
    for (; started < threads && !failed; started += !failed) {
        w[started] = *task;
        w[started].first = started;
        w[started].stride = threads;
        failed = pthread_create(&w[started].thread, NULL, run, &w[started]);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(w[i].thread, NULL);
        if (w[i].status) {
            fprintf(stderr, "%s: %s\n", task->path, w[i].message);
            failed = 1;
        }
    }
    return failed;
}

static int compare(const char *path, const trm_model *model)
{
    const trm_method *methods = NULL;
    const size_t n = (size_t)trm_methods(&methods);
    double(*serial)[LARGEST] = calloc(n, sizeof *serial);
    double(*parallel)[LARGEST] = calloc(n, sizeof *parallel);
    const trm_sizes sizes = trm_model_sizes(model);
    int failed = !serial || !parallel || sizes.nq + sizes.nv > LARGEST;
    work task = {.model = model, .path = path, .end = serial};
    failed = failed || on_threads(&task, 1);
    task.end = parallel;
    failed = failed || on_threads(&task, THREADS);
    if (!failed) {
        failed = memcmp(serial, parallel, n * sizeof *serial) != 0;
        printf("%s: %zu methods on %d threads, %s\n", path, n, THREADS,
               failed ? "not the same" : "the same bits");
    }
    free(serial);
    free(parallel);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++) {
        trm_scene *scene = NULL;
        trm_model *model = NULL;
        trm_error err = {.status = TRM_OK};
        if (trm_scene_load(argv[i], &scene, &err) || trm_model_build(scene, &model, &err)) {
            fprintf(stderr, "%s: %s\n", err.where, err.message);
            failed = 1;
        } else {
            failed |= compare(argv[i], model);
        }
        trm_model_destroy(model);
        trm_scene_destroy(scene);
    }
    return failed;
}
