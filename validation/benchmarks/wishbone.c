/// A wheel on a double wishbone drives over a bump of 0.1 m at 10 m/s, at many places of the road:
/// is one missed?
///
/// usage: wishbone SCENE [PLACES]
///
/// The bump lasts 10 ms of a run of 4 s, anywhere in it; accuracies A go from 1e-2 to 1e-11 with
/// the places. Each run is compared with one by another method, dopri5 at 1e-12 in steps of at most
/// 0.5 ms, which meets the bump whether it looks for it or not. What is compared is the wheel, 20
/// ms behind the bump: how high it is, and how fast it goes up. Errors count in parts of what the
/// bump does to these, found by a run without one. Returns nonzero when a bump was missed (an error
/// above one half) or an error was above A and that tolerance.
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double speed = 10, length = 0.1, end = 4; // m/s, m, s
static const double compared_at = 1e-12;

/// The wheel at t_look.
typedef struct glance {
    double t_look;
    double z, vz; ///< m, m/s
    int failed;
    trm_body_info wheel;
    trm_error err;
} glance;

static int look(trm_sim *sim, void *user)
{
    glance *g = user;
    trm_sample sample;
    if (trm_sim_state(sim).t < g->t_look) {
        return 0;
    }
    g->failed = trm_sim_sample(sim, g->t_look, &sample, &g->err) != TRM_OK;
    g->z = sample.state.q[g->wheel.q0 + 2];
    g->vz = sample.state.v[g->wheel.v0 + 2];
    return 1;
}

static trm_status set(trm_scene *scene, const char *name, double value, trm_error *err)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return trm_scene_set(scene, name, text, err);
}

static trm_status find_wheel(const trm_model *model, glance *g)
{
    for (int b = 0; b < trm_model_sizes(model).nbody; b++) {
        const trm_body_info info = trm_model_body_info(model, b);
        if (strcmp(info.name, "wheel") == 0) {
            g->wheel = info;
        }
    }
    return g->wheel.name ? TRM_OK : TRM_ERR_SCENE;
}

/// A: of the run; 0: the one to compare with.
static glance drive(const char *path, double x0, double height, double A)
{
    glance g = {.t_look = (x0 + length) / speed + 0.02};
    char reason[256];
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = compared_at;
    options.max_step = 5e-4;
    trm_error *const err = &g.err;
    trm_status status = trm_scene_load(path, &scene, err);
    status = status == TRM_OK ? set(scene, "L", length, err) : status;
    status = status == TRM_OK ? set(scene, "h", height, err) : status;
    status = status == TRM_OK ? set(scene, "x0", x0, err) : status;
    status = status == TRM_OK ? trm_model_build(scene, &model, err) : status;
    status = status == TRM_OK ? find_wheel(model, &g) : status;
    if (status == TRM_OK && A > 0) {
        status = trm_choose_options(model, A, &options, reason, err);
    }
    status = status == TRM_OK ? trm_sim_create(model, &options, &sim, err) : status;
    status = status == TRM_OK ? trm_sim_run(sim, end, look, &g, err) : status;
    if (status != TRM_STOPPED || g.failed) {
        fprintf(stderr, "x0 = %g, A = %g: %s (%s)\n", x0, A, err->message, err->where);
        g.z = g.vz = NAN;
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return g;
}

/// The larger of both differences, in parts of what the bump does. *known: the tolerance of the run
/// to compare with, in the same parts.
static double error_of(const char *path, double x0, double A, double *known)
{
    const double height = 0.05;
    const glance run = drive(path, x0, height, A);
    const glance exact = drive(path, x0, height, 0), flat = drive(path, x0, 0, 0);
    const double z = fabs(exact.z - flat.z), vz = fabs(exact.vz - flat.vz);
    *known = compared_at / fmin(z, vz);
    return fmax(fabs(run.z - exact.z) / z, fabs(run.vz - exact.vz) / vz);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: wishbone SCENE [PLACES]\n");
        return 2;
    }
    const int places = argc > 2 ? atoi(argv[2]) : 200;
    int missed = 0, wrong = 0;
    double worst = 0;
    for (int i = 0; i < places; i++) {
        // anywhere: parts of the golden ratio; not nearer to the end than it is looked
        const double x0 = 0.1 + 39 * fmod((i + 0.5) * 0.6180339887498949, 1);
        const double A = pow(10, -2 - i % 10);
        double known;
        const double error = error_of(argv[1], x0, A, &known);
        missed += !(error < 0.5);
        wrong += !(error <= A + known);
        worst = fmax(worst, error / (A + known));
        if (!(error <= A + known)) {
            fprintf(stderr, "x0 = %.17g, A = %g: error %g\n", x0, A, error);
        }
    }
    printf("%d places, %d missed, %d wrong, worst error/(A + what is known) %.3g\n", places, missed,
           wrong, worst);
    return missed + wrong > 0;
}
