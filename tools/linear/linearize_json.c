/// trammel linearize --json: one object; vectors of bodies in the order of their velocities.
#include "tools/common/json_out.h"
#include "tools/linear/linearize.h"
#include "trammel/trammel_contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_error(trm_json *json, const trm_linearized *l)
{
    trm_json_key(json, "error");
    if (l->status == TRM_OK) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    trm_json_key_string(json, "code", trm_status_name(l->status));
    trm_json_key_string(json, "message", l->error.message);
    trm_json_key_string(json, "where", l->error.where);
    trm_json_key_number(json, "t", l->error.t);
    trm_json_end(json);
}

static void write_matrix(trm_json *json, const char *key, int rows, int columns, const double *A)
{
    trm_json_key(json, key);
    trm_json_list(json);
    for (int i = 0; i < rows; i++) {
        trm_json_vector(json, columns, A + (size_t)i * (size_t)columns);
    }
    trm_json_end(json);
}

static void write_equilibrium(trm_json *json, const trm_linearized *l)
{
    trm_json_key(json, "equilibrium");
    if (!l->searched) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    trm_json_key_integer(json, "iterations", l->found.iterations);
    trm_json_key_number(json, "residual", l->found.residual);
    trm_json_key_number(json, "residual_relative", l->found.relative);
    trm_json_key_string(json, "stability", trm_stability_name(l->found.stability));
    trm_json_end(json);
}

static void write_state(trm_json *json, const trm_linearized *l)
{
    const int nbody = trm_model_sizes(l->model).nbody, d = trm_linearized_dimension(l);
    trm_json_key(json, "state");
    trm_json_object(json);
    trm_json_key(json, "bodies");
    trm_json_object(json);
    for (int b = 0; b < nbody; b++) {
        const trm_body_info info = trm_model_body_info(l->model, b);
        const double *const q = l->q + info.q0, *const v = l->v + info.v0;
        trm_json_key(json, info.name);
        trm_json_object(json);
        trm_json_key_vector(json, "position", d, q);
        trm_json_key_vector(json, "velocity", d, v);
        if (info.nv == 3 && d == 2) {
            trm_json_key_number(json, "angle", q[2]);
            trm_json_key_number(json, "rate", v[2]);
        } else if (info.nv == 6) {
            trm_json_key_vector(json, "quat_wxyz", 4, q + 3);
            trm_json_key_vector(json, "rate", 3, v + 3);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}

static void write_shape(trm_json *json, const trm_linearized *l, const char *key,
                        const double *shape)
{
    const int nbody = trm_model_sizes(l->model).nbody;
    trm_json_key(json, key);
    trm_json_object(json);
    for (int b = 0; b < nbody; b++) {
        const trm_body_info info = trm_model_body_info(l->model, b);
        trm_json_key_vector(json, info.name, info.nv, shape + info.v0);
    }
    trm_json_end(json);
}

static void write_modes(trm_json *json, const trm_linearized *l)
{
    trm_json_key(json, "modes");
    trm_json_list(json);
    for (int k = 0; k < l->linear->nmodes; k++) {
        const trm_mode *const mode = &l->linear->modes[k];
        trm_json_object(json);
        trm_json_key_vector(json, "eigenvalue", 2, (const double[2]){mode->re, mode->im});
        trm_json_key_number(json, "error", mode->error);
        trm_json_key_number(json, "frequency_hz", mode->frequency);
        trm_json_key_number(json, "damping_ratio", mode->damping);
        write_shape(json, l, "shape_re", mode->shape_re);
        write_shape(json, l, "shape_im", mode->shape_im);
        trm_json_end(json);
    }
    trm_json_end(json);
}

/// Names of what u and the outputs are.
static void write_names(trm_json *json, const trm_linearized *l)
{
    static const char *const axes[] = {"x", "y", "z"};
    const int d = trm_linearized_dimension(l);
    char name[128];
    trm_json_key(json, "inputs");
    trm_json_array(json);
    for (int k = 0; k < l->ninput; k++) {
        trm_json_string(json, trm_model_input_info(l->model, l->inputs[k]).name);
    }
    trm_json_end(json);
    trm_json_key(json, "outputs");
    trm_json_array(json);
    for (int k = 0; k < l->noutput; k++) {
        snprintf(name, sizeof name, "%s.%s", trm_model_marker_info(l->model, k / d).name,
                 axes[k % d]);
        trm_json_string(json, name);
    }
    if (l->nsensor > 0) {
        trm_json_string(json, strchr(l->arguments.response, ',') + 1);
    }
    trm_json_end(json);
}

/// [f in Hz, real part, imaginary part] of each frequency.
static void write_response(trm_json *json, const trm_linearized *l)
{
    if (l->nresponse > 0) {
        trm_json_key(json, "response");
        trm_json_array(json);
        for (int i = 0; i < l->nresponse; i++) {
            const trm_response *const r = &l->response[i];
            trm_json_vector(json, 3, (const double[]){r->f, r->re, r->im});
        }
        trm_json_end(json);
    }
    if (l->nresponse > 0 || l->nstep > 0) {
        write_matrix(json, "zeros", l->linear->nzeros, 2, l->linear->zeros);
        write_matrix(json, "step", l->nstep, 2, l->step);
    }
}

static void write_linear(trm_json *json, const trm_linearized *l)
{
    const trm_linear *const f = l->linear;
    trm_json_key_boolean(json, "at_rest", f->at_rest);
    trm_json_key_integer(json, "degrees_of_freedom", f->d);
    trm_json_key_integer(json, "freedoms_of_position", f->p);
    trm_json_key_number(json, "acceleration", f->acceleration);
    trm_json_key_string(json, "stability", trm_stability_name(f->stability));
    trm_json_key_number(json, "growth", f->growth);
    write_modes(json, l);
    write_state(json, l);
    trm_json_key(json, "held");
    trm_json_array(json);
    for (int k = 0; k < l->nheld; k++) {
        trm_json_string(json, trm_model_contact_info(l->model, l->held[k]).name);
    }
    trm_json_end(json);
    write_names(json, l);
    write_response(json, l);
    trm_json_key_number(json, "A_error", f->error);
    write_matrix(json, "A", f->n, f->n, f->A);
    write_matrix(json, "B", f->n, f->nu, f->B);
    write_matrix(json, "C", f->ny, f->n, f->C);
    write_matrix(json, "D", f->ny, f->nu, f->D);
    write_matrix(json, "W", f->p, trm_model_sizes(l->model).nv, f->W);
    trm_json_key_vector(json, "drift", f->n, f->drift);
}

void trm_linearized_json(const trm_linearized *l)
{
    trm_json json = {.out = stdout};
    trm_json_object(&json);
    trm_json_key_string(&json, "scene", l->arguments.scene);
    trm_json_key_string(&json, "title", l->scene ? trm_scene_get_info(l->scene).title : NULL);
    trm_json_key_string(&json, "status", l->status == TRM_OK ? "done" : trm_status_name(l->status));
    write_error(&json, l);
    trm_json_key_number(&json, "t", l->t);
    write_equilibrium(&json, l);
    if (l->linear) {
        write_linear(&json, l);
    }
    if (l->assembly.body) {
        trm_assembly_json(&l->assembly, &json);
    }
    trm_json_end(&json);
}
