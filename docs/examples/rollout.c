/// Model-predictive control with save and restore: a cart brings a hanging bar to another place.
///
/// Ten times a second the program tries plans for the second ahead - the one it has, and others
/// drawn around it - by running the model on from where it is and restoring it; the best plan's
/// first force is then really applied. Nothing but the model is known of the mechanism: no
/// equations, no gains.
///
///     cc rollout.c $(pkg-config --cflags --libs trammel) -lm -o rollout && ./rollout cart.json
#include <trammel/trammel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 12, PLANS = 40, PERIODS = 50 };

static const double period = 0.1; // s
static const double goal = 1;     // m
static const double most = 6;     // N

typedef struct controller {
    trm_sim *sim;
    int force;                            // the input
    trm_sensor place, speed, swing, rate; // of cart and bar
    char *here;                           // the saved state
    size_t size;
    double plan[AHEAD]; // N
    unsigned long long seed;
} controller;

/// Uniform in -1 to 1, the same in every run of the program.
static double draw(controller *c)
{
    c->seed = c->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(c->seed >> 33) / 1073741824.0 - 1;
}

/// How far from where it should be: at the goal, at rest, bar hanging.
static double distance(const controller *c)
{
    double x = NAN, v = NAN, angle = NAN, w = NAN;
    trm_sim_read(c->sim, &c->place, &x, NULL);
    trm_sim_read(c->sim, &c->speed, &v, NULL);
    trm_sim_read(c->sim, &c->swing, &angle, NULL);
    trm_sim_read(c->sim, &c->rate, &w, NULL);
    return (x - goal) * (x - goal) + 0.1 * v * v + 0.5 * angle * angle + 0.05 * w * w;
}

static trm_status apply(controller *c, double force, trm_error *err)
{
    const double t = trm_sim_state(c->sim).t;
    const trm_status status = trm_sim_set_input(c->sim, c->force, force, err);
    return status ? status : trm_sim_step_to(c->sim, t + period, err);
}

/// What a plan would cost; the run is then where it was.
static trm_status try_plan(controller *c, const double *plan, double *cost, trm_error *err)
{
    trm_status status = TRM_OK;
    *cost = 0;
    for (int k = 0; k < AHEAD && !status; k++) {
        status = apply(c, plan[k], err);
        *cost += distance(c) * (k == AHEAD - 1 ? 5 : 1) + 1e-4 * plan[k] * plan[k];
    }
    return status ? status : trm_sim_restore(c->sim, c->here, c->size, err);
}

/// Draw plans around the one there is, narrower and narrower, and keep the best.
static trm_status improve(controller *c, trm_error *err)
{
    double best = 0;
    trm_status status = trm_sim_save(c->sim, c->here, c->size, err);
    status = status ? status : try_plan(c, c->plan, &best, err);
    for (int i = 0; i < PLANS && !status; i++) {
        double other[AHEAD], cost = 0;
        const double wide = most * pow(0.9, i);
        for (int k = 0; k < AHEAD; k++) {
            other[k] = fmax(-most, fmin(most, c->plan[k] + wide * draw(c)));
        }
        status = try_plan(c, other, &cost, err);
        if (!status && cost < best) {
            best = cost;
            memcpy(c->plan, other, sizeof other);
        }
    }
    return status;
}

static trm_status run(controller *c, trm_error *err)
{
    trm_status status = TRM_OK;
    for (int k = 0; k < PERIODS && !status; k++) {
        status = improve(c, err);
        status = status ? status : apply(c, c->plan[0], err);
        memmove(c->plan, c->plan + 1, (AHEAD - 1) * sizeof c->plan[0]); // the last one stays
    }
    return status;
}

static trm_status prepare(controller *c, const trm_model *model, trm_error *err)
{
    c->force = trm_model_find(model, TRM_ELEMENT_INPUT, "force");
    c->size = trm_sim_state_size(c->sim);
    c->here = malloc(c->size);
    trm_status status = trm_model_sensor(model, "rail.coordinate", &c->place, err);
    status = status ? status : trm_model_sensor(model, "rail.coordinate_rate", &c->speed, err);
    status = status ? status : trm_model_sensor(model, "pin.coordinate", &c->swing, err);
    return status ? status : trm_model_sensor(model, "pin.coordinate_rate", &c->rate, err);
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    controller c = {.seed = 1};
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    trm_error err;
    options.h = 0.02;
    const int failed = trm_scene_load(argc > 1 ? argv[1] : "cart.json", &scene, &err) ||
                       trm_model_build(scene, &model, &err) ||
                       trm_sim_create(model, &options, &c.sim, &err) || prepare(&c, model, &err) ||
                       run(&c, &err);
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    } else {
        double x = 0, angle = 0;
        trm_sim_read(c.sim, &c.place, &x, NULL);
        trm_sim_read(c.sim, &c.swing, &angle, NULL);
        printf("cart at %.3f m, bar %.3f rad off the vertical, after %g s and %d rollouts\n", x,
               angle, trm_sim_state(c.sim).t, PERIODS * (PLANS + 1));
    }
    free(c.here);
    trm_sim_destroy(c.sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}
