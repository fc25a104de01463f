#include "tools/page/page_scene.h"

#include "program/view.h"
#include "tools/drawing/lines/lines.h"
#include "trammel/trammel_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- bodies

static void write_shape(trm_json *json, const trm_scene *scene, const trm_body_view *b)
{
    static const char *const names[] = {"none", "point",  "rod",     "disc",
                                        "box",  "sphere", "cylinder"};
    double size[3], turn[4];
    trm_json_key_string(json, "shape", names[b->shape.kind]);
    trm_json_key_vector(json, "size", 3, b->shape.size);
    trm_json_key_integer(json, "axis", b->shape.axis);
    if (trm_scene_get_info(scene).dimension == 3 && b->shape.kind == TRM_SHAPE_NONE &&
        !b->point_mass && !b->rotor && trm_page_inertia_box(b->mass, b->inertia, size, turn)) {
        trm_json_key_vector(json, "box", 3, size);
        trm_json_key_vector(json, "turn", 4, turn);
    }
}

static void write_figure(trm_json *json, const trm_figure *f)
{
    static const char *const kinds[] = {"bar", "ball", "solid"};
    trm_json_key_string(json, "kind", kinds[f->kind]);
    trm_json_key_number(json, "radius", f->radius);
    trm_json_key_vector(json, "points", 3 * f->n, &f->point[0][0]);
    trm_json_key_integers(json, "edges", 2 * f->nedges, &f->edge[0][0]);
    trm_json_key_boolean(json, "hidden", f->is_hidden);
}

static void write_body(trm_json *json, const trm_scene *scene, int body, const trm_figure *f)
{
    const trm_body_view body_view = trm_view_body(scene, body), *const b = &body_view;
    trm_json_object(json);
    trm_json_key_string(json, "name", b->name);
    trm_json_key_number(json, "mass", b->mass);
    trm_json_key_boolean(json, "point_mass", b->point_mass);
    trm_json_key_boolean(json, "rotor", b->rotor);
    write_figure(json, f);
    write_shape(json, scene, b);
    trm_json_end(json);
}

/// Numbers to a millionth of the largest: what a picture cannot show is not kept.
static void write_points(trm_json *json, const char *key, size_t n, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    const double quantum = largest > 0 ? pow(10, floor(log10(largest)) - 6) : 1;
    trm_json_key(json, key);
    trm_json_array(json);
    for (size_t i = 0; i < n; i++) {
        char number[32];
        snprintf(number, sizeof number, "%.7g", quantum * rint(x[i] / quantum));
        trm_json_number(json, strtod(number, NULL));
    }
    trm_json_end(json);
}

/// Triangles of a mesh stand with the first shape that has it.
static void write_look(trm_json *json, const trm_scene *scene, int i, const trm_figure *f)
{
    static const char *const kinds[] = {"sphere",  "box",       "cylinder",
                                        "capsule", "ellipsoid", "mesh"};
    const trm_look_view look = trm_view_look(scene, i);
    trm_json_object(json);
    write_figure(json, f);
    trm_json_key_integer(json, "body", look.body);
    trm_json_key_string(json, "look", kinds[look.kind]);
    trm_json_key_vector(json, "size", 3, look.size);
    trm_json_key_vector(json, "at", 3, look.at);
    trm_json_key_vector(json, "turn", 4, look.turn);
    if (look.coloured) {
        trm_json_key_vector(json, "rgba", 4, look.rgba);
    }
    if (look.mesh >= 0) {
        trm_json_key_integer(json, "mesh", look.mesh);
    }
    if (look.mesh == i) {
        write_points(json, "vertices", 3 * look.nvertices, look.vertices);
        trm_json_key(json, "corners");
        trm_json_array(json);
        for (size_t k = 0; k < look.ncorners; k++) {
            trm_json_integer(json, (long)look.corners[k]);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
}

// ----------------------------------------------------------------------------------------- joints

static void write_joint(trm_json *json, const trm_scene *scene, const trm_model *model, int joint,
                        const double *q0, int redundant)
{
    const trm_joint_view view = trm_view_joint(scene, joint), *const j = &view;
    const trm_joint_info info = trm_model_joint_info(model, joint);
    static const char *const looks[TRM_JOINT_SYMBOLS] = {"pin",  "slider", "sleeve", "slot",
                                                         "rod",  "weld",   "ball",   "cross",
                                                         "puck", "track",  "point",  "nut"};
    double axis[3];
    trm_json_object(json);
    trm_json_key_string(json, "name", j->name);
    trm_json_key_string(json, "type", info.type);
    trm_json_key_string(json, "look", looks[j->symbol]);
    trm_json_key_boolean(json, "rotor", j->rotor);
    trm_json_key_integer(json, "a", j->body[0]);
    trm_json_key_integer(json, "b", j->body[1]);
    trm_json_key_vector(json, "at_a", 3, j->local[0]);
    trm_json_key_vector(json, "at_b", 3, j->local[1]);
    if (j->axis_given || trm_scene_get_info(scene).dimension == 2) {
        trm_direction_in(model, j->body[0], q0, j->axis, axis);
        trm_json_key_vector(json, "axis_a", 3, axis);
        trm_direction_in(model, j->body[1], q0, j->axis, axis);
        trm_json_key_vector(json, "axis_b", 3, axis);
    }
    if (j->axis2_given) {
        trm_direction_in(model, j->body[1], q0, j->axis2, axis);
        trm_json_key_vector(json, "axis2_b", 3, axis);
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
        trm_json_key_vector(json, "at", 3, marker.local);
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
        trm_json_key_integers(json, "over", f.nmarkers, f.markers);
        if (f.pulleys != NULL) {
            trm_json_key_vector(json, "pulleys", f.nmarkers, f.pulleys);
        }
        if (f.axle[0] != TRM_INDEX_NONE) {
            trm_json_key_integers(json, "axis", 2, f.axle);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
}

// -------------------------------------------------------------------------------- lines and links

static void write_lines(trm_json *json, const trm_lines *lines)
{
    static const char *const kinds[TRM_LINES] = {"wire",    "wheel", "face", "limit",
                                                 "pointer", "keep",  "blade"};
    trm_json_key(json, "lines");
    trm_json_list(json);
    for (int i = 0; i < lines->n; i++) {
        const trm_line *const l = &lines->line[i];
        trm_json_object(json);
        trm_json_key_string(json, "kind", kinds[l->kind]);
        trm_json_key_string(json, "name", l->name);
        trm_json_key_integer(json, "body", l->body);
        trm_json_key_boolean(json, "closed", l->closed);
        write_points(json, "points", 3 * (size_t)l->n, l->point[0]);
        if (l->kind == TRM_LINE_FACE) {
            trm_json_key_vector(json, "normal", 3, l->normal);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_links(trm_json *json, const trm_lines *lines)
{
    trm_json_key(json, "links");
    trm_json_list(json);
    for (int i = 0; i < lines->nlinks; i++) {
        const trm_link *const l = &lines->link[i];
        trm_json_object(json);
        trm_json_key_string(json, "kind", l->kind == TRM_LINK_STRAND ? "strand" : "stop");
        trm_json_key_string(json, "name", l->name);
        trm_json_key_integer(json, "a", l->body[0]);
        trm_json_key_integer(json, "b", l->body[1]);
        trm_json_key_vector(json, "at_a", 3, l->local[0]);
        trm_json_key_vector(json, "at_b", 3, l->local[1]);
        if (l->kind == TRM_LINK_STRAND) {
            trm_json_key_vector(json, "radii", 2, l->radius);
            trm_json_key_number(json, "side", l->side);
            trm_json_key_vector(json, "axis", 3, l->axis);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
}

void trm_page_scene(trm_json *json, const trm_scene *scene, const trm_model *model,
                    const trm_figure *figure, const trm_lines *lines)
{
    trm_json_key_string(json, "title", trm_scene_get_info(scene).title);
    const trm_scene_view view = trm_view_scene(scene);
    const char *const slash = strrchr(view.path, '/'); // no folder of the author in it
    trm_json_key_string(json, "scene", slash != NULL ? slash + 1 : view.path);
    trm_json_key_integer(json, "dimension", view.dimension);
    trm_json_key_vector(json, "gravity", 3, view.gravity);
    trm_json_key(json, "bodies");
    trm_json_list(json);
    for (int i = 0; i < view.nbodies; i++) {
        write_body(json, scene, i, &figure[i]);
    }
    trm_json_end(json);
    trm_json_key(json, "looks");
    trm_json_list(json);
    for (int i = 0; i < view.nlooks; i++) {
        write_look(json, scene, i, &figure[view.nbodies + i]);
    }
    trm_json_end(json);
    write_joints(json, scene, model);
    write_markers(json, scene);
    write_forces(json, scene);
    write_lines(json, lines);
    write_links(json, lines);
}
