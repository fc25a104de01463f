/// bench_rollouts: what saving and restoring a run costs beside one of its steps.
///
///     bench_rollouts SCENE [ROUNDS]
///
/// After 50 steps of the method that trammel run chooses, ROUNDS (200 by default) times: save, a
/// step, restore. Prints the bytes of a state and the shortest CPU times in microseconds. The
/// functions are called by name, so that callgrind counts their instructions as well.
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"
#include "validation/benchmarks/cpu_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM = 50, ROUNDS = 200 };

typedef struct costs {
    double save, step, restore; // us
} costs;

static trm_status round_trip(trm_sim *sim, char *bytes, size_t size, costs *least, trm_error *err)
{
    const double began = 1e6 * cpu_clock();
    trm_status status = trm_sim_save(sim, bytes, size, err);
    const double saved = 1e6 * cpu_clock();
    status = status ? status : trm_sim_step(sim, err);
    const double stepped = 1e6 * cpu_clock();
    status = status ? status : trm_sim_restore(sim, bytes, size, err);
    const double restored = 1e6 * cpu_clock();
    least->save = fmin(least->save, saved - began);
    least->step = fmin(least->step, stepped - saved);
    least->restore = fmin(least->restore, restored - stepped);
    return status;
}

static trm_status measure(trm_sim *sim, long rounds, trm_error *err)
{
    const size_t size = trm_sim_state_size(sim);
    char *const bytes = malloc(size + 1);
    costs least = {INFINITY, INFINITY, INFINITY};
    trm_status status = bytes ? TRM_OK : TRM_ERR_MEMORY;
    for (int i = 0; i < WARM && !status; i++) {
        status = trm_sim_step(sim, err);
    }
    for (long i = 0; i < rounds && !status; i++) {
        status = round_trip(sim, bytes, size, &least, err);
    }
    if (!status) {
        printf("%zu bytes; us: save %.2f, step %.2f, restore %.2f; save + restore %.2f of a step\n",
               size, least.save, least.step, least.restore,
               (least.save + least.restore) / least.step);
    }
    free(bytes);
    return status;
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    trm_error err = {.status = TRM_OK};
    if (argc < 2) {
        fputs("usage: bench_rollouts SCENE [ROUNDS]\n", stderr);
        return 2;
    }
    const long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : ROUNDS;
    const int failed = trm_scene_load(argv[1], &scene, &err) ||
                       trm_model_build(scene, &model, &err) ||
                       trm_choose_options(model, 1e-6, &options, NULL, &err) ||
                       trm_sim_create(model, &options, &sim, &err) || measure(sim, rounds, &err);
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}
