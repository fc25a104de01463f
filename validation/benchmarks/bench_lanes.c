/// What lanes save: the same runs of models that differ in one parameter, alone and in 2, 4 and 8
/// lanes, models built and runs started before.
///
///     bench_lanes SCENE.json PARAMETER FROM TO END [H]
///     valgrind --tool=callgrind --toggle-collect=trm_sim_run
///         --toggle-collect=trm_lanes_prepare
///         bench_lanes SCENE.json PARAMETER FROM TO END H WIDTH
///
/// The first prints runs per CPU second, the best of several times each in turn, and the ratio; the
/// second counts the instructions of all runs in that width. H: steps of rk4, s; 0: what `auto`
/// chooses.
#define _POSIX_C_SOURCE 200809L
#include "program/lanes.h"
#include "trammel/trammel_methods.h"
#include "validation/benchmarks/cpu_clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 64, REPEATS = 7, WIDTHS = 4, MOST = 8 };

typedef struct bench {
    trm_model *model[RUNS];
    trm_sim *sim[RUNS];
    trm_options options;
    double end;
} bench;

static void demand(trm_status status, const trm_error *err)
{
    if (status != TRM_OK) {
        fprintf(stderr, "%s: %s\n", err->where, err->message);
        exit(1);
    }
}

static void build(bench *b, int argc, char **argv)
{
    trm_error err;
    const double from = atof(argv[3]), to = atof(argv[4]);
    for (int i = 0; i < RUNS; i++) {
        trm_scene *scene = NULL;
        char value[32], why[256];
        snprintf(value, sizeof value, "%.17g", from + (to - from) * i / (RUNS - 1));
        demand(trm_scene_load(argv[1], &scene, &err), &err);
        demand(trm_scene_set(scene, argv[2], value, &err), &err);
        demand(trm_model_build(scene, &b->model[i], &err), &err);
        trm_scene_destroy(scene);
        if (i == 0) {
            demand(trm_choose_options(b->model[0], 1e-6, &b->options, why, &err), &err);
        }
    }
    b->end = atof(argv[5]);
    const double h = argc > 6 ? atof(argv[6]) : 0;
    if (h > 0) {
        b->options = trm_default_options(TRM_INTEGRATOR_RK4, b->options.stabilization);
        b->options.h = h;
    }
}

static int pause_here(trm_sim *sim, void *user)
{
    (void)sim, (void)user;
    return 1;
}

/// A step of the run in a lane. Returns whether it was the last.
static int step(const bench *b, trm_sim *sim)
{
    trm_error err;
    const trm_status status = trm_sim_run(sim, b->end, pause_here, NULL, &err);
    demand(status == TRM_STOPPED ? TRM_OK : status, &err);
    return !(trm_sim_state(sim).t < b->end);
}

static void run_in_lanes(const bench *b, trm_lanes *lanes)
{
    const int width = trm_lanes_width(lanes);
    trm_sim *at[MOST] = {NULL};
    double end[MOST];
    for (int next = 0, left = RUNS; left > 0;) {
        for (int l = 0; l < width; l++) {
            if (!at[l] && next < RUNS) {
                at[l] = b->sim[next++];
                const char *const why = trm_lanes_take_slot(lanes, l, at[l]);
                if (why) {
                    fprintf(stderr, "no lanes: %s\n", why);
                    exit(1);
                }
            }
            end[l] = b->end;
        }
        trm_lanes_prepare(lanes, at, end);
        for (int l = 0; l < width; l++) {
            if (at[l] && step(b, at[l])) {
                at[l] = NULL;
                trm_lanes_take_slot(lanes, l, NULL);
                left--;
            }
        }
    }
}

/// s; width 1: alone.
static double time_of(bench *b, int width)
{
    trm_error err;
    trm_lanes *lanes = NULL;
    demand(trm_lanes_create(width, &lanes, &err), &err);
    for (int i = 0; i < RUNS; i++) {
        demand(trm_sim_create(b->model[i], &b->options, &b->sim[i], &err), &err);
    }
    const double began = cpu_clock();
    if (width > 1) {
        run_in_lanes(b, lanes);
    }
    for (int i = 0; width == 1 && i < RUNS; i++) {
        demand(trm_sim_run(b->sim[i], b->end, NULL, NULL, &err), &err);
    }
    const double took = cpu_clock() - began;
    for (int i = 0; i < RUNS; i++) {
        trm_sim_destroy(b->sim[i]);
    }
    trm_lanes_destroy(lanes);
    return took;
}

static void compare(bench *b)
{
    double best[WIDTHS];
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (int k = 0; k < WIDTHS; k++) {
            const double took = time_of(b, 1 << k);
            best[k] = repeat == 0 || took < best[k] ? took : best[k];
        }
    }
    for (int k = 0; k < WIDTHS; k++) {
        printf("%d  %8.0f runs/s  %5.2f\n", 1 << k, RUNS / best[k], best[0] / best[k]);
    }
}

int main(int argc, char **argv)
{
    static bench b;
    if (argc < 6 || argc > 8) {
        fprintf(stderr, "usage: bench_lanes SCENE.json PARAMETER FROM TO END [H [WIDTH]]\n");
        return 1;
    }
    build(&b, argc, argv);
    if (argc > 7) {
        (void)time_of(&b, atoi(argv[7]));
    } else {
        compare(&b);
    }
    for (int i = 0; i < RUNS; i++) {
        trm_model_destroy(b.model[i]);
    }
    return 0;
}
