/// Turned by: planar |angle' - angle|; spatial, for unit
/// quaternions p, p' (and -p', the same pose),
///
///     |p - p'| = 2 sin(angle/4)
///
/// which does not cancel at small angles.
#include "tools/common/assembly.h"

#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static double quaternion_angle(const double *p, const double *r)
{
    const double minus[4] = {-r[0], -r[1], -r[2], -r[3]};
    const double chord = fmin(distance(4, p, r), distance(4, p, minus));
    return 4 * asin(fmin(1, chord / 2));
}

static trm_assembly_body measure_body(const trm_scene *scene, const trm_model *model, int i,
                                      const double *q, const double *v, const trm_state *state)
{
    const trm_body_info info = trm_model_body_info(model, i);
    const int d = trm_scene_get_info(scene).dimension, rotates = info.nv > d;
    const double *const q0 = q + info.q0, *const q1 = state->q + info.q0;
    const double *const v0 = v + info.v0, *const v1 = state->v + info.v0;
    trm_assembly_body body = {.name = info.name, .rotates = rotates};
    body.moved = distance(d, q0, q1);
    body.velocity = distance(d, v0, v1);
    if (rotates) {
        body.turned = d == 2 ? fabs(q1[2] - q0[2]) : quaternion_angle(q0 + 3, q1 + 3);
        body.rate = distance(d == 2 ? 1 : 3, v0 + d, v1 + d);
    }
    return body;
}

trm_status trm_assembly_measure(const trm_scene *scene, const trm_model *model,
                                const trm_state *state, trm_assembly *out, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(model);
    double *const q = calloc((size_t)(n.nq + n.nv + 1), sizeof *q);
    out->body = calloc((size_t)(n.nbody + 1), sizeof *out->body);
    out->nbody = n.nbody;
    if (q == NULL || out->body == NULL) {
        free(q);
        trm_assembly_destroy(out);
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    double *const v = q + n.nq;
    trm_model_initial_state(model, q, v);
    for (int i = 0; i < n.nbody; i++) {
        out->body[i] = measure_body(scene, model, i, q, v, state);
    }
    free(q);
    return TRM_OK;
}

void trm_assembly_destroy(trm_assembly *assembly)
{
    free(assembly->body);
    *assembly = (trm_assembly){0};
}

/// Below what roundoff leaves of metres, radians and their rates, a change is none.
static double told(double x)
{
    return x < 1e-14 ? 0 : x;
}

void trm_assembly_print(const trm_assembly *assembly)
{
    static const double noticeable = 1e-12;
    int still = 0;
    for (int i = 0; i < assembly->nbody; i++) {
        const trm_assembly_body *const b = &assembly->body[i];
        if (fmax(fmax(b->moved, b->turned), fmax(b->velocity, b->rate)) <= noticeable) {
            still++;
            continue;
        }
        printf("%-13s%-12s moved %.3g m", i == still ? "Assembly" : "", b->name, told(b->moved));
        if (b->rotates) {
            printf(", turned %.3g rad", told(b->turned));
        }
        printf("; velocity by %.3g m/s", told(b->velocity));
        if (b->rotates) {
            printf(", rate by %.3g rad/s", told(b->rate));
        }
        putchar('\n');
    }
    if (still == assembly->nbody) {
        printf("%-13snothing had to move\n", "Assembly");
    }
}

void trm_assembly_json(const trm_assembly *assembly, trm_json *json)
{
    trm_json_key(json, "assembly");
    trm_json_object(json);
    trm_json_key(json, "bodies");
    trm_json_object(json);
    for (int i = 0; i < assembly->nbody; i++) {
        const trm_assembly_body *const b = &assembly->body[i];
        trm_json_key(json, b->name);
        trm_json_object(json);
        trm_json_key_number(json, "moved", b->moved);
        trm_json_key_number(json, "turned", b->rotates ? b->turned : NAN);
        trm_json_key_number(json, "velocity", b->velocity);
        trm_json_key_number(json, "rate", b->rotates ? b->rate : NAN);
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}
