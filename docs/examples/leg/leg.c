/// A five-bar leg under a controller of 1 kHz: the foot runs round an ellipse.
///
/// Every millisecond the program reads the two hip angles, asks the inverse kinematics where they
/// should be, sets two motor torques, and lets the leg move on. It says how well the foot kept to
/// its path, and how much faster than real time the loop was.
///
///     cmake -B build && cmake --build build && build/leg
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <trammel/trammel.h>

#ifndef SCENE
#define SCENE "leg.json"
#endif

static const double pi = 3.14159265358979323846;
static const double period = 1e-3;                        // s
static const double hip = 0.05, thigh = 0.2, shank = 0.3; // m, as in the scene
static const double kp = 300, kd = 6, most = 40;          // N m/rad, N m s/rad, N m

typedef struct leg {
    trm_sim *sim;
    int torque[2];                      // inputs: left, right
    trm_sensor angle[2], rate[2], foot; // of the hips
    double zero[2];                     // rad, angles of the thighs in the initial pose
    double centre[2];                   // m, of the ellipse
} leg;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Where the foot should be: an ellipse that grows in the first half second.
static void path(const leg *l, double t, double foot[2])
{
    const double s = fmin(t / 0.5, 1), grown = s * s * (3 - 2 * s);
    foot[0] = l->centre[0] + 0.06 * grown * cos(3 * pi * t);
    foot[1] = l->centre[1] + 0.03 * grown * sin(3 * pi * t);
}

/// Angles of the thighs, knees outward, that bring the foot there.
static void inverse_kinematics(const double foot[2], double angle[2])
{
    for (int side = 0; side < 2; side++) {
        const double outward = side == 0 ? -1 : 1;
        const double x = foot[0] - outward * hip, y = foot[1], r = hypot(x, y);
        const double bend = acos((thigh * thigh + r * r - shank * shank) / (2 * thigh * r));
        angle[side] = atan2(y, x) + outward * bend;
    }
}

/// Torques for the period that begins at t.
static int control(leg *l, double t, trm_error *err)
{
    double here[2], there[2], want[2], next[2];
    path(l, t, here);
    path(l, t + period, there);
    inverse_kinematics(here, want);
    inverse_kinematics(there, next);
    for (int side = 0; side < 2; side++) {
        double angle, rate;
        if (trm_sim_read(l->sim, &l->angle[side], &angle, err) ||
            trm_sim_read(l->sim, &l->rate[side], &rate, err)) {
            return 1;
        }
        const double torque = kp * (want[side] - l->zero[side] - angle) +
                              kd * ((next[side] - want[side]) / period - rate);
        if (trm_sim_set_input(l->sim, l->torque[side], fmax(-most, fmin(most, torque)), err)) {
            return 1;
        }
    }
    return 0;
}

/// Names become indices and sensors once, before the loop.
static int prepare(leg *l, const trm_model *model, trm_error *err)
{
    double foot[3];
    l->torque[0] = trm_model_find(model, TRM_ELEMENT_INPUT, "torque_left");
    l->torque[1] = trm_model_find(model, TRM_ELEMENT_INPUT, "torque_right");
    if (trm_model_sensor(model, "hip_left.coordinate", &l->angle[0], err) ||
        trm_model_sensor(model, "hip_right.coordinate", &l->angle[1], err) ||
        trm_model_sensor(model, "hip_left.coordinate_rate", &l->rate[0], err) ||
        trm_model_sensor(model, "hip_right.coordinate_rate", &l->rate[1], err) ||
        trm_model_sensor(model, "foot.position", &l->foot, err) ||
        trm_sim_read(l->sim, &l->foot, foot, err)) {
        return 1;
    }
    l->centre[0] = foot[0];
    l->centre[1] = foot[1];
    inverse_kinematics(foot, l->zero);
    return 0;
}

static int run(leg *l, int periods, trm_error *err)
{
    double square = 0, worst = 0;
    const double begin = now();
    for (int k = 0; k < periods; k++) {
        double want[2], foot[3];
        const double before = now();
        if (control(l, k * period, err) || trm_sim_step_to(l->sim, (k + 1) * period, err)) {
            return 1;
        }
        worst = fmax(worst, now() - before);
        if (trm_sim_read(l->sim, &l->foot, foot, err)) {
            return 1;
        }
        path(l, (k + 1) * period, want);
        square += pow(foot[0] - want[0], 2) + pow(foot[1] - want[1], 2);
    }
    const double taken = now() - begin;
    printf("foot off its path by %.2f mm (root mean square)\n", 1e3 * sqrt(square / periods));
    printf("energy balance off by %.1e of what moved\n",
           trm_sim_report(l->sim).energy_error / trm_sim_report(l->sim).energy_scale);
    printf("%d periods of 1 ms in %.3f s: %.0f times faster than real time, worst period %.0f us\n",
           periods, taken, periods * period / taken, 1e6 * worst);
    return 0;
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    leg l = {.sim = NULL};
    trm_error err;
    // one step in each period, and so the same work: what a control loop wants
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    options.h = period;
    const int failed = trm_scene_load(argc > 1 ? argv[1] : SCENE, &scene, &err) ||
                       trm_model_build(scene, &model, &err) ||
                       trm_sim_create(model, &options, &l.sim, &err) || prepare(&l, model, &err) ||
                       run(&l, 3000, &err);
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    trm_sim_destroy(l.sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}
