///     relative = max over bodies of   |x - x'| / X,   |angle| / A,   |u - u'| / U,   |w - w'| / W
///
/// x: centre of mass, u: its velocity, w: rate in body axes, angle: of the rotation that takes one
/// orientation to the other. X, A, U, W: trm_compare_scale.
#include "tools/compare/error.h"

#include <math.h>

/// |a - b|; b NULL: |a|.
static double gap(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double d = b != NULL ? a[i] - b[i] : a[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/// Of the rotation from p to q, both wxyz of about unit length: conj(p) q = (cos a/2, n sin a/2).
static double turn(const double p[4], const double q[4])
{
    const double c = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    const double x = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
    const double y = p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3];
    const double z = p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1];
    return 2 * atan2(sqrt(x * x + y * y + z * z), fabs(c));
}

static trm_distance distance_of_body(int dimension, int rotates, const double *q, const double *v,
                                     const double *q2, const double *v2)
{
    const int d = dimension;
    trm_distance out = {.position = gap(d, q, q2), .velocity = gap(d, v, v2)};
    if (rotates && d == 2) {
        out.angle = fabs(q[2] - q2[2]);
        out.rate = fabs(v[2] - v2[2]);
    } else if (rotates) {
        out.angle = turn(q + 3, q2 + 3);
        out.rate = gap(3, v + 3, v2 + 3);
    }
    return out;
}

trm_distance trm_distance_max(trm_distance a, trm_distance b)
{
    trm_distance out = {
        .position = fmax(a.position, b.position),
        .angle = fmax(a.angle, b.angle),
        .velocity = fmax(a.velocity, b.velocity),
        .rate = fmax(a.rate, b.rate),
        .relative = fmax(a.relative, b.relative),
    };
    for (int k = 0; k < TRM_FORCE_KINDS; k++) {
        out.forces[k] = fmax(a.forces[k], b.forces[k]);
    }
    return out;
}

static double over(double x, double scale)
{
    return scale > 0 ? x / scale : 0;
}

trm_distance trm_compare_distance(const trm_scene *scene, const trm_model *model,
                                  const trm_distance *scale, const double *q, const double *v,
                                  const double *q2, const double *v2)
{
    const int d = trm_scene_get_info(scene).dimension;
    trm_distance out = {0};
    for (int i = 0; i < trm_model_sizes(model).nbody; i++) {
        const trm_body_info b = trm_model_body_info(model, i);
        out = trm_distance_max(
            out, distance_of_body(d, b.nv > d, q + b.q0, v + b.v0, q2 + b.q0, v2 + b.v0));
    }
    if (scale != NULL) {
        out.relative =
            fmax(fmax(over(out.position, scale->position), over(out.angle, scale->angle)),
                 fmax(over(out.velocity, scale->velocity), over(out.rate, scale->rate)));
    }
    return out;
}

static trm_distance speeds(const trm_scene *scene, const trm_model *model, const double *v)
{
    trm_distance out = {0};
    const int d = trm_scene_get_info(scene).dimension;
    for (int i = 0; i < trm_model_sizes(model).nbody; i++) {
        const trm_body_info b = trm_model_body_info(model, i);
        out.velocity = fmax(out.velocity, gap(d, v + b.v0, NULL));
        out.rate = fmax(out.rate, gap(b.nv - d, v + b.v0 + d, NULL));
    }
    return out;
}

trm_distance trm_compare_scale(const trm_scene *scene, const trm_model *model,
                               const trm_reference *r)
{
    const trm_sizes n = trm_model_sizes(model);
    trm_distance scale = speeds(scene, model, r->v0);
    for (int k = 0; k < r->n; k++) {
        const double *const q = r->q + (size_t)k * (size_t)n.nq;
        const double *const v = r->v + (size_t)k * (size_t)n.nv;
        const trm_distance moved = trm_compare_distance(scene, model, NULL, r->q0, r->v0, q, r->v0);
        scale = trm_distance_max(scale, moved);
        scale = trm_distance_max(scale, speeds(scene, model, v));
    }
    // what moves by roundoff alone does not move
    static const trm_distance least = {1e-12, 1e-9, 1e-12, 1e-9, 0, {0}};
    scale.position = scale.position < least.position ? 0 : scale.position;
    scale.angle = scale.angle < least.angle ? 0 : fmin(scale.angle, 1);
    scale.velocity = scale.velocity < least.velocity ? 0 : scale.velocity;
    scale.rate = scale.rate < least.rate ? 0 : scale.rate;
    return scale;
}
