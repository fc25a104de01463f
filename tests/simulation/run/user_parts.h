/// What several tests of functions of the user share.
#pragma once

#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"
#include "validation/papers/problems/problems_crank.h"

// -------------------------------------------------------------------------------- user constraints

#define PENDULUM(more)                                                                             \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bob\", \"mass\": 2,"    \
    " \"inertia\": 0.3, \"position\": [1, 0], \"angle\": 0.2, \"rate\": 0.7}], \"markers\": "      \
    "[{\"name\": \"pin\", \"body\": \"bob\", \"on\": [0.1, 0.3]}]" more "}"

static const char free_bob[] = PENDULUM("");

/// The pin's distance from the origin.
typedef struct rod {
    double length;
    double swing; ///< m: the length is length + swing sin(3 t)
    int asked;    ///< calls of gamma
} rod;

static const double pin[3] = {0.1, 0.3, 0.0};

static inline double rod_length(const rod *d, double t)
{
    return d->length + d->swing * sin(3.0 * t);
}

static inline int rod_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    double x[3];
    const double L = rod_length(user, t);
    trm_model_point(model, 0, pin, q, NULL, x, NULL);
    out[0] = (x[0] * x[0] + x[1] * x[1] - L * L) / 2.0;
    return 0;
}

/// G = x^T dx/dv, which is what a push with F = x gives.
static inline int rod_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)user;
    double x[3];
    memset(out, 0, 3 * sizeof *out);
    trm_model_point(model, 0, pin, q, NULL, x, NULL);
    trm_model_push(model, 0, pin, x, q, out);
    return 0;
}

/// g'' = u.u + x.x'' - L'^2 - L L'';  free of v': x.x'' = -rate^2 x.r
static inline int rod_gamma(const trm_model *model, double t, const double *q, const double *v,
                            double *out, void *user)
{
    rod *d = user;
    double x[3], u[3];
    d->asked++;
    trm_model_point(model, 0, pin, q, v, x, u);
    const double r[2] = {x[0] - q[0], x[1] - q[1]};
    const double L1 = 3.0 * d->swing * cos(3.0 * t), L2 = -9.0 * d->swing * sin(3.0 * t);
    out[0] = -(u[0] * u[0] + u[1] * u[1] - v[2] * v[2] * (x[0] * r[0] + x[1] * r[1]) - L1 * L1 -
               rod_length(d, t) * L2);
    return 0;
}

/// A free bob with user rows, or with what stands in `json`.
static inline rig open_with(const char *json, const trm_constraint_def *rows,
                            const trm_force_def *force)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};
    rig_ok(trm_scene_parse(json, strlen(json), &r.scene, &err), &err);
    if (rows) {
        rig_ok(trm_scene_add_constraint(r.scene, rows, &err), &err);
    }
    if (force) {
        rig_ok(trm_scene_add_force(r.scene, force, &err), &err);
    }
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    return r;
}

static inline void check_bob(rig *a, rig *b, double t_end, double tolerance)
{
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11);
    options.assemble = 1;
    rig_start(a, options);
    rig_start(b, options);
    for (int k = 1; k <= 4; k++) {
        rig_run(a, t_end * k / 4.0);
        rig_run(b, t_end * k / 4.0);
        for (int i = 0; i < 3; i++) {
            near("q", rig_q(a, "bob", i), rig_q(b, "bob", i), tolerance);
            near("v", rig_v(a, "bob", i), rig_v(b, "bob", i), 10.0 * tolerance);
        }
    }
    below("energy error", trm_sim_report(a->sim).energy_error_relative, 1e-8);
}
