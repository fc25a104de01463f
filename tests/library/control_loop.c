/// A control loop under observation: prints "begin" and "end" around what must not allocate, lock,
/// print, ask for the time or call the system in any other way. The linker brings the library's own
/// calls of the functions below here, where they are counted; tests/library/control_loop_test.py
/// runs the program once more under strace.
///
/// usage: control_loop SCENE.json    (with inputs torque_left and torque_right)
#include "trammel/trammel_methods.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <trammel/trammel.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int watching;
static long calls;

// what the library could call
#define COUNTED(type, name, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        calls += watching;                                                                         \
        return __real_##name arguments;                                                            \
    }

COUNTED(void *, malloc, (size_t size), (size))
COUNTED(void *, calloc, (size_t count, size_t size), (count, size))
COUNTED(void *, realloc, (void *old, size_t size), (old, size))
COUNTED(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
COUNTED(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))

enum { PERIODS = 60, SENSORS = 8 };

typedef struct loop {
    trm_sim *sim;
    int torque[2];
    trm_sensor sensor[SENSORS];
    char *state;
    size_t size;
} loop;

static trm_status one_period(loop *l, int k, trm_error *err)
{
    trm_sample sample;
    double out[8];
    trm_status status = TRM_OK;
    for (int side = 0; side < 2 && !status; side++) {
        status = trm_sim_set_input(l->sim, l->torque[side], (k % 7) - 3.0 * side, err);
    }
    status = status ? status : trm_sim_step_to(l->sim, (k + 1) * 1e-3, err);
    for (int i = 0; i < SENSORS && !status; i++) {
        status = trm_sim_read(l->sim, &l->sensor[i], out, err);
    }
    status = status ? status : trm_sim_sample(l->sim, (k + 0.999) * 1e-3, &sample, err);
    if (!status && k % 10 == 9) { // a rollout
        status = trm_sim_save(l->sim, l->state, l->size, err);
        status = status ? status : trm_sim_step_to(l->sim, (k + 4) * 1e-3, err);
        status = status ? status : trm_sim_restore(l->sim, l->state, l->size, err);
    }
    (void)trm_sim_report(l->sim);
    return status;
}

static void say(const char *word)
{
    if (write(1, word, strlen(word)) < 0) {
        exit(1);
    }
}

static trm_status watch(loop *l, trm_error *err)
{
    trm_status status = TRM_OK;
    say("begin\n");
    watching = 1;
    for (int k = 0; k < PERIODS && !status; k++) {
        status = one_period(l, k, err);
    }
    watching = 0;
    say("end\n");
    return status;
}

static trm_status prepare(loop *l, const trm_model *model, trm_error *err)
{
    static const char *const names[SENSORS] = {
        "foot.position",   "foot.velocity",     "foot.acceleration", "hip_left.coordinate",
        "hip_left.torque", "motor_left.effort", "energy.kinetic",    "ankle.lambda"};
    l->torque[0] = trm_model_find(model, TRM_ELEMENT_INPUT, "torque_left");
    l->torque[1] = trm_model_find(model, TRM_ELEMENT_INPUT, "torque_right");
    for (int i = 0; i < SENSORS; i++) {
        const trm_status status = trm_model_sensor(model, names[i], &l->sensor[i], err);
        if (status) {
            return status;
        }
    }
    l->size = trm_sim_state_size(l->sim);
    l->state = malloc(l->size);
    return l->state ? TRM_OK : TRM_ERR_MEMORY;
}

static trm_status with_method(const trm_model *model, const trm_method *method, trm_error *err)
{
    loop l = {.sim = NULL};
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    if (!method->adaptive) {
        options.h = 1e-3;
    }
    trm_status status = trm_sim_create(model, &options, &l.sim, err);
    status = status ? status : prepare(&l, model, err);
    status = status ? status : watch(&l, err);
    free(l.state);
    trm_sim_destroy(l.sim);
    if (status || calls > 0) {
        fprintf(stderr, "%s with %s: %ld calls, %s\n", method->integrator_name,
                method->stabilization_name, calls, status ? err->message : "done");
    }
    return status;
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err = {.status = TRM_OK};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    trm_status status = trm_scene_load(argc > 1 ? argv[1] : "leg.json", &scene, &err);
    status = status ? status : trm_model_build(scene, &model, &err);
    for (int i = 0; i < n && !status; i++) {
        const int fits = trm_method_fits(&methods[i], model, NULL) == TRM_OK;
        if (fits && methods[i].integrator != TRM_INTEGRATOR_IDA) { // SUNDIALS does as it pleases
            status = with_method(model, &methods[i], &err);
        }
    }
    if (status) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status || calls > 0;
}
