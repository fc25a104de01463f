/// bench_control: what a period of a control loop costs.
///
///     bench_control ACCURACY SCENE
///
/// Steps of 1 ms. In each the coordinate of every joint pin_1, ... is read, and its torque, the
/// input u1, ..., is set. Prints evaluations of a period, and of the periods the least and the
/// median CPU time of blocks of 50, in microseconds; the first 200 do not count.
#include "trammel/trammel_methods.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"
#include "validation/benchmarks/cpu_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32, WARM = 200, BLOCK = 50, BLOCKS = 40 };

typedef struct loop {
    trm_sim *sim;
    trm_sensor sensor[MOST];
    int n;
} loop;

/// The periods first ... last-1.
static trm_status control(const loop *l, int first, int last, trm_error *err)
{
    trm_status status = TRM_OK;
    for (int k = first; k < last && !status; k++) {
        for (int i = 0; i < l->n && !status; i++) {
            double angle;
            status = trm_sim_read(l->sim, &l->sensor[i], &angle, err);
            status =
                status ? status : trm_sim_set_input(l->sim, i, sin(0.02 * k + i) - 40 * angle, err);
        }
        status = status ? status : trm_sim_step_to(l->sim, 1e-3 * (k + 1), err);
    }
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static trm_status measure(const loop *l, trm_error *err)
{
    double spent[BLOCKS];
    trm_status status = control(l, 0, WARM, err);
    const long before = trm_sim_stats(l->sim).force_evals;
    for (int b = 0; b < BLOCKS && !status; b++) {
        const int first = WARM + b * BLOCK;
        const double began = 1e6 * cpu_clock();
        status = control(l, first, first + BLOCK, err);
        spent[b] = (1e6 * cpu_clock() - began) / BLOCK;
    }
    if (!status) {
        qsort(spent, BLOCKS, sizeof *spent, by_size);
        printf("%.2f | %.2f | %.2f\n",
               (double)(trm_sim_stats(l->sim).force_evals - before) / (BLOCK * BLOCKS), spent[0],
               spent[BLOCKS / 2]);
    }
    return status;
}

static trm_status open_loop(loop *l, const trm_model *model, double accuracy, trm_error *err)
{
    trm_options options;
    trm_status status = trm_choose_options(model, accuracy, &options, NULL, err);
    status = status ? status : trm_sim_create(model, &options, &l->sim, err);
    for (l->n = 0; l->n < MOST && l->n < trm_model_sizes(model).ninput && !status; l->n++) {
        char name[32];
        snprintf(name, sizeof name, "pin_%d.coordinate", l->n + 1);
        status = trm_model_sensor(model, name, &l->sensor[l->n], err);
    }
    return status;
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err;
    loop l = {NULL};
    if (argc != 3) {
        fputs("usage: bench_control ACCURACY SCENE\n", stderr);
        return 2;
    }
    trm_status status = trm_scene_load(argv[2], &scene, &err);
    status = status ? status : trm_model_build(scene, &model, &err);
    status = status ? status : open_loop(&l, model, strtod(argv[1], NULL), &err);
    status = status ? status : measure(&l, &err);
    if (status) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    trm_sim_destroy(l.sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status != TRM_OK;
}
