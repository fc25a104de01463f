#include "tools/page/page_scene.h"

#include <stdlib.h>
#include <string.h>

static void key_vector(trm_json *json, const char *key, int n, const double *x)
{
    trm_json_key(json, key);
    trm_json_vector(json, n, x);
}

// ----------------------------------------------------------------------------------------- bodies

static void write_shape(trm_json *json, const trm_scene *scene, const trm_body_view *b)
{
    static const char *const names[] = {"none", "point",  "rod",     "disc",
                                        "box",  "sphere", "cylinder"};
    double size[3], turn[4];
    trm_json_key_string(json, "shape", names[b->shape.kind]);
    key_vector(json, "size", 3, b->shape.size);
    trm_json_key_integer(json, "axis", b->shape.axis);
    if (trm_scene_dimension(scene) == 3 && b->shape.kind == TRM_SHAPE_NONE && !b->point_mass &&
        trm_page_inertia_box(b->mass, b->inertia, size, turn)) {
        key_vector(json, "box", 3, size);
        key_vector(json, "turn", 4, turn);
    }
}

static void write_body(trm_json *json, const trm_scene *scene, int body, const trm_figure *f)
{
    static const char *const kinds[] = {"bar", "ball", "solid"};
    const trm_body_view body_view = trm_view_body(scene, body), *const b = &body_view;
    trm_json_object(json);
    trm_json_key_string(json, "name", b->name);
    trm_json_key_number(json, "mass", b->mass);
    trm_json_key_boolean(json, "point_mass", b->point_mass);
    trm_json_key_string(json, "kind", kinds[f->kind]);
    trm_json_key_number(json, "radius", f->radius);
    key_vector(json, "points", 3 * f->n, &f->point[0][0]);
    trm_json_key(json, "edges");
    trm_json_array(json);
    for (int i = 0; i < 2 * f->nedges; i++) {
        trm_json_integer(json, f->edge[i / 2][i % 2]);
    }
    trm_json_end(json);
    write_shape(json, scene, b);
    trm_json_end(json);
}

// ----------------------------------------------------------------------------------------- joints

/// World direction in the initial pose -> frame of the body.
static void to_body(const trm_model *model, int body, const double *q, const double w[3],
                    double out[3])
{
    static const double zero[3] = {0, 0, 0};
    double origin[3], x[3];
    memcpy(out, w, 3 * sizeof *out);
    if (body < 0) {
        return;
    }
    trm_model_point(model, body, zero, q, NULL, origin, NULL);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        trm_model_point(model, body, unit, q, NULL, x, NULL);
        out[k] = (x[0] - origin[0]) * w[0] + (x[1] - origin[1]) * w[1] + (x[2] - origin[2]) * w[2];
    }
}

static void write_joint(trm_json *json, const trm_scene *scene, const trm_model *model, int joint,
                        const double *q0, int redundant)
{
    const trm_joint_view view = trm_view_joint(scene, joint), *const j = &view;
    const trm_joint_info info = trm_model_joint_info(model, joint);
    double axis[3];
    trm_json_object(json);
    trm_json_key_string(json, "name", j->name);
    trm_json_key_string(json, "type", info.type);
    trm_json_key_integer(json, "a", j->body[0]);
    trm_json_key_integer(json, "b", j->body[1]);
    key_vector(json, "at_a", 3, j->local[0]);
    key_vector(json, "at_b", 3, j->local[1]);
    if (j->axis_given || trm_scene_dimension(scene) == 2) {
        to_body(model, j->body[0], q0, j->axis, axis);
        key_vector(json, "axis_a", 3, axis);
        to_body(model, j->body[1], q0, j->axis, axis);
        key_vector(json, "axis_b", 3, axis);
    }
    if (j->axis2_given) {
        to_body(model, j->body[1], q0, j->axis2, axis);
        key_vector(json, "axis2_b", 3, axis);
    }
    trm_json_key_string(json, "unit", info.unit);
    trm_json_key_boolean(json, "driven", trm_joint_is_driven(model, joint));
    trm_json_key_integer(json, "redundant", redundant);
    trm_json_end(json);
}

/// redundant[joint] := 1 + the kind (trm_redundancy_kind) of a row of it that follows from others;
/// else 0.
static void find_redundant(const trm_model *model, int *redundant)
{
    enum { MOST_ROWS = 600 };
    const trm_sizes n = trm_model_sizes(model);
    trm_check *check = NULL;
    if (n.nc > MOST_ROWS || trm_check_create(model, NULL, &check, NULL) != TRM_OK) {
        return;
    }
    for (int i = 0; i < check->nredundant; i++) {
        for (int k = 0; k < n.njoint; k++) {
            const trm_joint_info info = trm_model_joint_info(model, k);
            const int row = check->redundant[i].rows[0];
            if (row >= info.row && row < info.row + info.rows) {
                redundant[k] = 1 + (int)check->redundant[i].kind;
            }
        }
    }
    trm_check_destroy(check);
}

static void write_joints(trm_json *json, const trm_scene *scene, const trm_model *model)
{
    const trm_sizes n = trm_model_sizes(model);
    double *const q0 = calloc((size_t)(n.nq + n.nv) + 1, sizeof *q0);
    int *const redundant = calloc((size_t)n.njoint + 1, sizeof *redundant);
    trm_json_key(json, "joints");
    trm_json_list(json);
    if (q0 != NULL && redundant != NULL) {
        trm_model_initial_state(model, q0, q0 + n.nq);
        find_redundant(model, redundant);
        for (int i = 0; i < n.njoint; i++) {
            write_joint(json, scene, model, i, q0, redundant[i]);
        }
    }
    trm_json_end(json);
    free(q0);
    free(redundant);
}

// ----------------------------------------------------------------------------- markers and struts

static void write_markers(trm_json *json, const trm_scene *scene)
{
    trm_json_key(json, "markers");
    trm_json_list(json);
    trm_marker_info marker;
    for (int i = 0; (marker = trm_scene_marker_info(scene, i)).name != NULL; i++) {
        trm_json_object(json);
        trm_json_key_string(json, "name", marker.name);
        trm_json_key_integer(json, "body", marker.body);
        key_vector(json, "at", 3, marker.local);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_forces(trm_json *json, const trm_scene *scene)
{
    trm_json_key(json, "forces");
    trm_json_list(json);
    const int n = trm_view_scene(scene).nforces;
    for (int i = 0; i < n; i++) {
        const trm_force_view f = trm_view_force(scene, i);
        trm_json_object(json);
        trm_json_key_string(json, "name", f.name);
        trm_json_key_string(json, "kind", f.type);
        trm_json_key_integer(json, "from", f.marker[0]);
        trm_json_key_integer(json, "to", f.marker[1]);
        trm_json_key_number(json, "stiffness", f.stiffness);
        trm_json_key_number(json, "damping", f.damping);
        trm_json_end(json);
    }
    trm_json_end(json);
}

void trm_page_scene(trm_json *json, const trm_scene *scene, const trm_model *model,
                    const trm_figure *figure)
{
    trm_json_key_string(json, "title", trm_scene_title(scene));
    const trm_scene_view view = trm_view_scene(scene);
    trm_json_key_string(json, "scene", view.path);
    trm_json_key_integer(json, "dimension", view.dimension);
    key_vector(json, "gravity", 3, view.gravity);
    trm_json_key(json, "bodies");
    trm_json_list(json);
    for (int i = 0; i < view.nbodies; i++) {
        write_body(json, scene, i, &figure[i]);
    }
    trm_json_end(json);
    write_joints(json, scene, model);
    write_markers(json, scene);
    write_forces(json, scene);
}
