/// A second run with a tenth of the error: its difference from the first is the error of the first,
/// less that tenth.
///
///     z_1 = z + e,   z_2 = z + r e      =>      e = (z_1 - z_2)/(1 - r)
///
/// with r = 1/10, or r = 10 where double precision has no finer tolerance, or the finer run fails.
/// Where disturbances have grown to the size of the motion, errors are no longer in proportion to
/// tolerances, and the whole difference counts. What both runs lose alike the difference does not
/// show; gaps and energy of the second run do. A coarser run would always be the cheaper one; but
/// where it has parted it tells nothing of the finer one, which may be right still.
#include "base/status.h"
#include "integrators/registry.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <string.h>

static const double parted = 0.1;   // of the size of the mechanism, or rad
static const double finest = 1e-14; // relative tolerance: a hundred roundings

/// The options whose errors are r times those of o.
static trm_options scaled_options(const trm_options *o, double r)
{
    trm_options out = *o;
    const trm_method *const method = trm_method_find(o->integrator, o->stabilization).method;
    if (method->adaptive) {
        out.rtol = r * o->rtol;
        out.atol = r * o->atol;
    } else {
        out.h = o->h * pow(r, 1.0 / method->order);
    }
    return out;
}

static int can_be_finer(const trm_options *o)
{
    const trm_method *const method = trm_method_find(o->integrator, o->stabilization).method;
    return !method->adaptive || o->rtol / 10 >= finest;
}

static double distance(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

/// Angle of the rotation between two unit quaternions: |p - q| = 2
/// sin(angle/4), or |p + q| of the other sign.
static double angle_between(const double *p, const double *q)
{
    double other[4];
    for (int i = 0; i < 4; i++) {
        other[i] = -q[i];
    }
    return 4 * asin(fmin(1, fmin(distance(4, p, q), distance(4, p, other)) / 2));
}

static trm_difference compare(const trm_model *model, int b, const trm_state *one,
                              const trm_state *other)
{
    const trm_body_info *const body = &model->body_info[b];
    const int linear = model->bodies.dimension;
    const double *const q1 = one->q + body->q0, *const q2 = other->q + body->q0;
    const double *const v1 = one->v + body->v0, *const v2 = other->v + body->v0;
    trm_difference d = {.position = distance(linear, q1, q2), .velocity = distance(linear, v1, v2)};
    if (body->nq > linear) {
        d.angle = linear == 2 ? fabs(q1[2] - q2[2]) : angle_between(q1 + 3, q2 + 3);
        d.rate = distance(body->nv - linear, v1 + linear, v2 + linear);
    }
    return d;
}

static void scale(double factor, trm_difference *d)
{
    d->position *= factor;
    d->angle *= factor;
    d->velocity *= factor;
    d->rate *= factor;
}

/// The differences as errors: over |1 - r|, or all of what has parted.
static void judge(const trm_sim *second, const trm_state *end, trm_difference *bodies,
                  trm_verification *out)
{
    const trm_model *const model = second->model;
    const trm_state other = trm_sim_state(second);
    out->shared = trm_sim_report(second).motion_error_grown;
    for (int b = 0; b < model->sizes.nbody && !model->from_equations; b++) {
        trm_difference d = compare(model, b, end, &other);
        const double size = second->run.extent.q[model->body_info[b].q0];
        const double apart = fmax(d.position / size, d.angle);
        const double part = apart < parted ? 1 / fabs(1 - out->ratio) : 1;
        scale(part, &d);
        if (out->body < 0 || !(part * apart <= out->relative)) {
            out->body = b;
            out->relative = part * apart;
        }
        out->position = fmax(out->position, d.position);
        out->angle = fmax(out->angle, d.angle);
        if (bodies) {
            bodies[b] = d;
        }
    }
}

/// To t, past events that stop a run: one that has ended the first may come a rounding earlier
/// here.
static trm_status step_past_stops(trm_sim *sim, double t, trm_error *err)
{
    trm_status status = TRM_STOPPED;
    while (status == TRM_STOPPED) { // each call but the last has made a step
        status = trm_sim_step_to(sim, t, err);
    }
    return status;
}

/// The run whose errors are r times those of the first.
static trm_status run_second(const trm_model *model, const trm_options *options, double r,
                             const trm_state *end, trm_difference *bodies, trm_verification *out,
                             trm_error *err)
{
    const trm_options second = scaled_options(options, r);
    trm_sim *sim = NULL;
    *out = (trm_verification){.body = -1, .ratio = r};
    TRM_TRY(trm_sim_create(model, &second, &sim, err));
    const trm_status status = step_past_stops(sim, end->t, err);
    out->steps = trm_sim_stats(sim).steps;
    if (status == TRM_OK) {
        judge(sim, end, bodies, out);
    }
    trm_sim_destroy(sim);
    return status;
}

trm_status trm_verify(const trm_model *model, const trm_options *options, const trm_state *end,
                      trm_difference *bodies, trm_verification *out, trm_error *err)
{
    if (!model || !options || !end || !end->q || !end->v || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !model     ? "model"
                        : !options ? "options"
                        : !out     ? "out"
                                   : "end",
                        "expected a model, options, a state and a place for the outcome, got NULL");
    }
    *out = (trm_verification){.body = -1, .ratio = 1};
    TRM_TRY(trm_options_check(options, err));
    if (can_be_finer(options) &&
        run_second(model, options, 0.1, end, bodies, out, NULL) == TRM_OK) {
        return TRM_OK;
    }
    return run_second(model, options, 10, end, bodies, out, err);
}
