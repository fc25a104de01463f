/// A test rig: one scene file, its model and one run, through the public header alone.
///
/// Every function fails the running test, with Trammel's own message, when something goes wrong.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/claim.h"
#include "trammel/trammel.h"

static const double pi = 3.14159265358979323846;

/// Of long lists of cases the EVERYth ones are run: all, but in the programs that run once for each
/// number of a header made larger, and smaller (tests/tools/numbers).
#ifdef TRM_SCALED_NAMES
enum { EVERY = 16 };
#else
enum { EVERY = 1 };
#endif

typedef struct rig {
    trm_scene *scene;
    trm_model *model;
    trm_sim *sim;
} rig;

/// The project's root: the environment variable TRAMMEL_SOURCE, else the working directory.
static inline const char *rig_root(void)
{
    const char *root = getenv("TRAMMEL_SOURCE");
    return root != NULL ? root : ".";
}

static inline void rig_ok(trm_status status, const trm_error *err)
{
    if (status != TRM_OK) {
        fail_msg("%s: %s: %s (t = %.17g, raised in %s:%d)", trm_status_name(status), err->where,
                 err->message, err->t, err->file, err->line);
    }
}

/// Load scenes/NAME.json with `settings` = {"v0", "2", ..., NULL} (NULL: none) and compile it.
static inline rig rig_load(const char *name, const char *const *settings)
{
    char path[512];
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};

    snprintf(path, sizeof path, "%s/scenes/%s.json", rig_root(), name);
    rig_ok(trm_scene_load(path, &r.scene, &err), &err);
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i += 2) {
        rig_ok(trm_scene_set(r.scene, settings[i], settings[i + 1], &err), &err);
    }
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    return r;
}

/// From now on in these coordinates; the run ends.
static inline void rig_take(rig *r, trm_coordinates coordinates)
{
    trm_error err = {.status = TRM_OK};
    trm_sim_destroy(r->sim);
    trm_model_destroy(r->model);
    r->sim = NULL;
    r->model = NULL;
    rig_ok(trm_scene_set_coordinates(r->scene, coordinates, &err), &err);
    rig_ok(trm_model_build(r->scene, &r->model, &err), &err);
}

/// The same from the text of a scene.
static inline rig rig_parse(const char *json)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};

    rig_ok(trm_scene_parse(json, strlen(json), &r.scene, &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    return r;
}

/// The same from equations.
static inline rig rig_equations(const trm_equations *equations)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};

    rig_ok(trm_model_from_equations(equations, &r.model, &err), &err);
    return r;
}

static inline void rig_close(rig *r)
{
    trm_sim_destroy(r->sim);
    trm_model_destroy(r->model);
    trm_scene_destroy(r->scene);
    *r = (rig){NULL, NULL, NULL};
}

/// The state of the run in memory of its own, which the caller frees.
static inline char *rig_save(const rig *r)
{
    trm_error err = {.status = TRM_OK};
    const size_t size = trm_sim_state_size(r->sim);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    rig_ok(trm_sim_save(r->sim, bytes, size, &err), &err);
    return bytes;
}

static inline void rig_restore(rig *r, const char *bytes)
{
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_restore(r->sim, bytes, trm_sim_state_size(r->sim), &err), &err);
}

/// Whether this method can run the model.
static inline int rig_fits(const rig *r, const trm_method *method)
{
    return trm_method_fits(method, r->model, NULL) == TRM_OK;
}

/// What Trammel chooses when the user names no method.
static inline trm_options rig_choose(const rig *r, double accuracy)
{
    char reason[256];
    trm_error err = {.status = TRM_OK};
    trm_options options;

    rig_ok(trm_choose_options(r->model, accuracy, &options, reason, &err), &err);
    assert_true(strlen(reason) > 0);
    return options;
}

static inline trm_options rig_fixed(trm_integrator integrator, trm_stabilization stabilization,
                                    double h)
{
    trm_options options = trm_default_options(integrator, stabilization);
    options.h = h;
    return options;
}

static inline trm_options rig_adaptive(trm_integrator integrator, trm_stabilization stabilization,
                                       double rtol, double atol)
{
    trm_options options = trm_default_options(integrator, stabilization);
    options.rtol = rtol;
    options.atol = atol;
    return options;
}

/// Begin a run; one already in progress is dropped.
static inline void rig_start(rig *r, trm_options options)
{
    trm_error err = {.status = TRM_OK};

    trm_sim_destroy(r->sim);
    r->sim = NULL;
    rig_ok(trm_sim_create(r->model, &options, &r->sim, &err), &err);
}

static inline void rig_observe(rig *r, double t_end, trm_observer_fn *observe, void *user)
{
    trm_error err = {.status = TRM_OK};

    rig_ok(trm_sim_run(r->sim, t_end, observe, user, &err), &err);
    assert_true(trm_sim_state(r->sim).t == t_end);
}

static inline void rig_run(rig *r, double t_end)
{
    rig_observe(r, t_end, NULL, NULL);
}

static inline trm_contact_state rig_contact(const rig *r, int i)
{
    trm_contact_state state;
    assert_int_equal(trm_sim_contact(r->sim, i, &state), 1);
    return state;
}

/// Of the exchanged energy.
static inline double rig_energy_error(const rig *r)
{
    const trm_report report = trm_sim_report(r->sim);
    return report.energy_error / report.energy_scale;
}

static inline int rig_body(const rig *r, const char *name)
{
    const int body = trm_model_find(r->model, TRM_ELEMENT_BODY, name);
    if (body < 0) {
        fail_msg("no body \"%s\"", name);
    }
    return body;
}

/// Coordinate k of a body (planar: x, y, angle), and its velocity k.
static inline double rig_q(const rig *r, const char *body, int k)
{
    return trm_sim_state(r->sim).q[trm_model_body_info(r->model, rig_body(r, body)).q0 + k];
}

static inline double rig_v(const rig *r, const char *body, int k)
{
    return trm_sim_state(r->sim).v[trm_model_body_info(r->model, rig_body(r, body)).v0 + k];
}

/// World position x[3] of a body-fixed point.
static inline void rig_point(const rig *r, const char *body, const double local[3], double x[3])
{
    const trm_state s = trm_sim_state(r->sim);
    trm_model_point(r->model, rig_body(r, body), local, s.q, s.v, x, NULL);
}

/// |x - expected| <= tolerance; `what` names x in the message.
static inline void near(const char *what, double x, double expected, double tolerance)
{
    if (!(fabs(x - expected) <= tolerance)) {
        fail_msg("%s = %.15g, expected %.15g within %g, off by %.3g", what, x, expected, tolerance,
                 x - expected);
    }
}

/// x < bound.
static inline void below(const char *what, double x, double bound)
{
    if (!(x < bound)) {
        fail_msg("%s = %.6g, expected less than %g", what, x, bound);
    }
}

/// M = I of equations in code.
static inline int rig_unit_M(const trm_model *model, double t, const double *q, double *M,
                             void *user)
{
    (void)t, (void)q, (void)user;
    const int nv = trm_model_sizes(model).nv;
    for (int i = 0; i < nv * nv; i++) {
        M[i] = i % (nv + 1) == 0 ? 1.0 : 0.0;
    }
    return 0;
}
