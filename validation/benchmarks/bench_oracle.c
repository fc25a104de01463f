/// bench_oracle: evaluations of a run beside those of an oracle: DOP853 whose steps have, each,
/// the same true error.
///
///     bench_oracle ACCURACY NAME SCENE
///
/// Both integrate the same equations, in the coordinates that the run chooses, and correct the ends
/// of their steps alike. The true error of a step is its distance from three steps of a third. For
/// each of some errors a step the oracle goes to the end; its evaluations at the error that the run
/// has there are interpolated. Errors: of all coordinates and velocities at the end, as parts of
/// their ranges, beside a run to 1e-12. Rejected steps of the oracle cost nothing, so 1.1 times as
/// many is what a step control may cost. Errors of equal steps cancel over a turn, those of a
/// control, which knows a step by those before it, do less: hence a second oracle, whose errors
/// scatter as much as those of the steps of the run do, by a normal distribution of their
/// logarithms (the mean of three). Scenes with events, contacts or stiffness have none, and those
/// that cross singular positions, at which the run closes its stages.
#include "base/status.h"
#include "integrators/rk/dormand_prince.h"
#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulate.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 12, LEVELS = 11, SEEDS = 3 };

typedef struct oracle {
    const trm_scene *scene;
    const trm_model *model;
    trm_run *run; ///< at its start, whose equations are asked
    int n;        ///< coordinates and velocities; the work behind them does not count
    double end;
    long most;      ///< evaluations; more: a step led to where there is none
    double scatter; ///< standard deviation of the logarithm of what steps may err by
    uint64_t seed;
    double *unit, *best, *k[STAGES], *stage, *one, *third, *lambda; ///< [n + 1] each; [nc]
} oracle;

static double *room(int n)
{
    double *const x = calloc((size_t)n + 1, sizeof *x);
    if (!x) {
        abort();
    }
    return x;
}

static int rates(const oracle *o, double t, const double *z, double *dz)
{
    for (int i = 0; i < o->n; i++) {
        if (!(fabs(z[i]) < 1e9)) {
            return 1; // of a step that is far too long
        }
    }
    return trm_run_rates(o->run, t, z, dz, o->lambda);
}

/// out := a step from z, whose rates are in k[0].
static int step(const oracle *o, double t, const double *z, double h, double *out)
{
    const trm_embedded *const pair = &trm_embedded_8;
    int code = 0;
    for (int s = 1; !code && s <= STAGES; s++) {
        double *const to = s < STAGES ? o->stage : out;
        for (int i = 0; i <= o->n; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++) {
                sum += pair->a[s][j] * o->k[j][i];
            }
            to[i] = z[i] + h * sum;
        }
        code = s < STAGES ? rates(o, t + pair->c[s] * h, to, o->k[s])
                          : trm_run_correct(o->run, t + h, out);
    }
    return code;
}

/// o->one := a step from z; its true error.
static double error_of(const oracle *o, double t, const double *z, double h)
{
    double most = 0;
    int code = rates(o, t, z, o->k[0]);
    code = code ? code : step(o, t, z, h, o->one);
    memcpy(o->third, z, (size_t)(o->n + 1) * sizeof *z);
    for (int i = 0; !code && i < 3; i++) {
        code = rates(o, t + i * h / 3, o->third, o->k[0]);
        code = code ? code : step(o, t + i * h / 3, o->third, h / 3, o->third);
    }
    for (int i = 0; i < o->n; i++) {
        most = fmax(most, fabs(o->one[i] - o->third[i]) / o->unit[i]);
    }
    return code || !isfinite(most) ? 1e9 : most;
}

/// Of a standard normal distribution, nearly: the sum of twelve numbers from 0 to 1, less 6.
static double normal(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX
        sum += (double)(*seed >> 11) * 0x1p-53;
    }
    return sum;
}

/// Evaluations to the end in steps of the error `level`; z: the start, and then the end.
static long walk(oracle *o, double level, double *z)
{
    enum { TRIES = 12 };
    double t = 0, h = o->end / 100;
    long n = 0;
    while (t < o->end && n < o->most) {
        const double wanted = level * exp(o->scatter * normal(&o->seed));
        double error = 1e9, tried = h;
        for (int i = 0; i < TRIES; i++) {
            const double error_before = error, tried_before = tried;
            tried = fmin(h, o->end - t);
            error = error_of(o, t, z, tried);
            const int is_rounding = tried < tried_before && error >= error_before && error < 1e-9;
            if (is_rounding || (error <= wanted && (tried == o->end - t || error > 0.7 * wanted))) {
                break;
            }
            h = tried * fmin(4, fmax(0.1, pow(0.85 * wanted / fmax(error, 1e-18), 1.0 / 8)));
        }
        memcpy(z, o->one, (size_t)(o->n + 1) * sizeof *z);
        t = tried == o->end - t ? o->end : t + tried;
        n += STAGES;
    }
    return n;
}

static int note(trm_sim *sim, void *user)
{
    double *const *const range = user;
    for (int i = 0; i < sim->run.n; i++) {
        range[0][i] = fmin(range[0][i], sim->run.now.z[i]);
        range[1][i] = fmax(range[1][i], sim->run.now.z[i]);
    }
    return 0;
}

/// Logarithms of the true errors of the steps of a run.
typedef struct judged {
    const oracle *o;
    double t, *z; ///< where the step began
    double sum, squares;
    int n;
} judged;

static int judge(trm_sim *sim, void *user)
{
    judged *const j = user;
    const double x = log(fmax(error_of(j->o, j->t, j->z, sim->run.now.t - j->t), 1e-18));
    j->sum += x;
    j->squares += x * x;
    j->n++;
    j->t = sim->run.now.t;
    memcpy(j->z, sim->run.now.z, (size_t)(j->o->n + 1) * sizeof *j->z);
    return 0;
}

static trm_status open_sim(const oracle *o, double accuracy, trm_sim **sim, trm_error *err)
{
    trm_options options;
    TRM_TRY(trm_choose_options(o->model, accuracy, &options, NULL, err));
    options.assemble = trm_scene_simulation(o->scene).assemble;
    return trm_sim_create(o->model, &options, sim, err);
}

/// A run to 1e-12: o->best is its end, o->unit the ranges of the motion.
static trm_status run_best(oracle *o, trm_error *err)
{
    double *range[2] = {room(o->n), room(o->n)}, most = 0;
    trm_sim *sim = NULL;
    TRM_TRY(open_sim(o, 1e-12, &sim, err));
    memcpy(range[0], sim->run.now.z, (size_t)(o->n + 1) * sizeof *o->best);
    memcpy(range[1], sim->run.now.z, (size_t)(o->n + 1) * sizeof *o->best);
    TRM_TRY(trm_sim_run(sim, o->end, note, range, err));
    memcpy(o->best, sim->run.now.z, (size_t)(o->n + 1) * sizeof *o->best);
    for (int i = 0; i < o->n; i++) {
        most = fmax(most, range[1][i] - range[0][i]);
    }
    for (int i = 0; i < o->n; i++) {
        o->unit[i] = fmax(range[1][i] - range[0][i], 1e-3 * most);
    }
    trm_sim_destroy(sim);
    free(range[0]);
    free(range[1]);
    return TRM_OK;
}

/// A run to `accuracy`: z at its end, its evaluations, and how much the errors of its steps
/// scatter.
static trm_status run(const oracle *o, double accuracy, double *z, long *evaluations,
                      double *scatter, trm_error *err)
{
    judged steps = {.o = o, .z = room(o->n)};
    trm_sim *sim = NULL;
    TRM_TRY(open_sim(o, accuracy, &sim, err));
    memcpy(steps.z, sim->run.now.z, (size_t)(o->n + 1) * sizeof *z);
    TRM_TRY(trm_sim_run(sim, o->end, judge, &steps, err));
    memcpy(z, sim->run.now.z, (size_t)(o->n + 1) * sizeof *z);
    *evaluations = trm_sim_stats(sim).force_evals;
    const double mean = steps.sum / steps.n;
    *scatter = sqrt(steps.squares / steps.n - mean * mean);
    trm_sim_destroy(sim);
    free(steps.z);
    return TRM_OK;
}

static double apart(const oracle *o, const double *z)
{
    double most = 0;
    for (int i = 0; i < o->n; i++) {
        most = fmax(most, fabs(z[i] - o->best[i]) / o->unit[i]);
    }
    return most;
}

/// Evaluations of the oracle at the error `at`, which it has between two of its levels.
static double interpolated(oracle *o, double at, double *z)
{
    double before[2] = {0, 0}, here[2] = {0, 0};
    for (int level = 0; level < LEVELS; level++) {
        memcpy(before, here, sizeof here);
        memcpy(z, o->run->now.z, (size_t)(o->n + 1) * sizeof *z);
        here[1] = log((double)walk(o, pow(10, -5 - level), z));
        here[0] = log(fmax(apart(o, z), 1e-16));
        if (here[0] < log(at)) {
            const double part = level ? (log(at) - before[0]) / (here[0] - before[0]) : 1;
            return exp(level ? before[1] + part * (here[1] - before[1]) : here[1]);
        }
    }
    return NAN;
}

static trm_status compare(oracle *o, const char *name, double accuracy, trm_error *err)
{
    trm_sim *sim = NULL;
    long spent = 0;
    double scatter, scattered = 0;
    TRM_TRY(open_sim(o, accuracy, &sim, err));
    o->run = &sim->run;
    o->n = sim->run.n - 1;
    o->end = trm_scene_simulation(o->scene).end;
    double **const arrays[] = {&o->unit, &o->best, &o->stage, &o->one, &o->third};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = room(o->n);
    }
    for (int s = 0; s < STAGES; s++) {
        o->k[s] = room(o->n);
    }
    o->lambda = room(sim->run.system->nc);
    double *const z = room(o->n);
    TRM_TRY(run_best(o, err));
    TRM_TRY(run(o, accuracy, z, &spent, &scatter, err));
    o->most = 10 * spent;
    const double error = apart(o, z), n = interpolated(o, error, z);
    o->scatter = scatter;
    for (int i = 0; i < SEEDS; i++) {
        o->seed = (uint64_t)i + 1;
        scattered += interpolated(o, error, z) / SEEDS;
    }
    printf("| %s | %.1e | %ld | %.0f | %.2f | %.1f | ", name, error, spent, n, (double)spent / n,
           exp(scatter));
    printf(isnan(scattered) ? "- |\n" : "%.2f |\n", (double)spent / scattered);
    return TRM_OK;
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err;
    if (argc != 4) {
        fputs("usage: bench_oracle ACCURACY NAME SCENE\n", stderr);
        return 2;
    }
    trm_status status = trm_scene_load(argv[3], &scene, &err);
    status = status ? status : trm_model_build(scene, &model, &err);
    oracle o = {.scene = scene, .model = model};
    status = status ? status : compare(&o, argv[2], strtod(argv[1], NULL), &err);
    if (status != TRM_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    return status != TRM_OK;
}
