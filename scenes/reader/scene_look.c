// Shapes for eyes, of bodies and of the ground. They are drawn and count for nothing else.

#include "base/status.h"
#include "scenes/mesh/mesh.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const trm_key trm_look_keys[] = {
    {.name = "on",
     .type = TRM_KEY_VECTOR3,
     .offset = offsetof(trm_look_view, at),
     .unit = "m",
     .fallback = "the origin",
     .doc = "Its centre, of a mesh the origin of its file, in the body's frame; of the ground: in "
            "the world."},
    {.name = "quat_wxyz",
     .type = TRM_KEY_VECTOR4,
     .offset = offsetof(trm_look_view, turn),
     .range = TRM_NOT_ZERO,
     .fallback = "[1, 0, 0, 0]",
     .doc = "Takes its axes to that frame; any length."},
    {.name = "rgba",
     .type = TRM_KEY_VECTOR4,
     .offset = offsetof(trm_look_view, rgba),
     .given = offsetof(trm_look_view, coloured),
     .range = TRM_NOT_NEGATIVE,
     .fallback = "as the body",
     .doc = "Red, green, blue and opacity, 0 to 1."},
    {.name = NULL},
};

#define LENGTH(key, index, text)                                                                   \
    {                                                                                              \
        .name = key, .type = TRM_KEY_NUMBER, .offset = offsetof(trm_look_view, size[index]),       \
        .required = 1, .range = TRM_POSITIVE, .unit = "m", .doc = text                             \
    }
#define LENGTHS(key, text)                                                                         \
    {                                                                                              \
        .name = key, .type = TRM_KEY_VECTOR3, .offset = offsetof(trm_look_view, size),             \
        .required = 1, .range = TRM_POSITIVE, .unit = "m", .doc = text                             \
    }
static const trm_key sphere_keys[] = {LENGTH("radius", 0, "Radius."), {.name = NULL}};
static const trm_key box_keys[] = {LENGTHS("size", "Edges along its axes."), {.name = NULL}};
static const trm_key ellipsoid_keys[] = {LENGTHS("semi_axes", "Along its axes."), {.name = NULL}};
static const trm_key cylinder_keys[] = {
    LENGTH("radius", 0, "Radius."), LENGTH("length", 1, "Along its z axis."), {.name = NULL}};
static const trm_key capsule_keys[] = {
    LENGTH("radius", 0, "Radius, of the ends too."),
    LENGTH("length", 1, "Of the straight part, along its z axis."),
    {.name = NULL}};
static const trm_key mesh_keys[] = {
    {.name = "file",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_look_view, file),
     .required = 1,
     .doc = "STL (binary or text) or OBJ, in the folder of the scene or below (another folder: "
            "`--allow-files DIR`)."},
    {.name = "scale",
     .type = TRM_KEY_VECTOR3,
     .offset = offsetof(trm_look_view, size),
     .range = TRM_NOT_ZERO,
     .fallback = "[1, 1, 1]",
     .doc = "Takes the numbers of the file to metres, along its axes."},
    {.name = NULL}};

/// In the order of trm_look_kind.
const trm_shape_form trm_look_forms[] = {
    {"sphere", 3, "A ball.", sphere_keys},
    {"box", 3, "A block along its axes.", box_keys},
    {"cylinder", 3, "A round block.", cylinder_keys},
    {"capsule", 3, "A round bar with round ends.", capsule_keys},
    {"ellipsoid", 3, "An ellipsoid.", ellipsoid_keys},
    {"mesh", 3, "Triangles of a file.", mesh_keys},
    {NULL, 0, NULL, NULL},
};

/// A file is read once; a scene has few.
static const trm_look_view *same_mesh(const trm_scene *scene, const char *path)
{
    for (int i = 0; i < scene->nlooks; i++) {
        const trm_look_view *const one = &scene->looks[i];
        if (one->first && one->ncorners > 0 && !strcmp(one->file, path)) {
            return one;
        }
    }
    return NULL;
}

static trm_status read_mesh(trm_reader *reader, const trm_node *node, trm_look_view *look)
{
    char *shown = NULL;
    trm_bytes bytes;
    trm_triangles mesh;
    TRM_TRY(trm_path_beside(reader, look->file, &shown));
    const trm_look_view *const same = same_mesh(reader->scene, shown);
    if (same) {
        look->file = same->file;
        look->corners = same->corners;
        look->ncorners = same->ncorners;
        return TRM_OK;
    }
    TRM_TRY(trm_read_file(reader, node, look->file, &bytes));
    const trm_status status =
        trm_mesh_parse(look->file, bytes.text, bytes.length, &mesh, reader->err);
    free(bytes.text);
    TRM_TRY(trm_file_failed(reader, node, look->file, status));
    double *corners = NULL;
    const trm_status taken = trm_reader_take(reader, 3 * mesh.n, sizeof *corners, &corners);
    if (taken == TRM_OK) {
        memcpy(corners, mesh.corners, 3 * mesh.n * sizeof *corners);
    }
    free(mesh.corners);
    look->file = shown;
    look->first = 1;
    look->corners = corners;
    look->ncorners = mesh.n;
    return taken;
}

static trm_status read_look(trm_reader *reader, const trm_node *node, int body)
{
    trm_look_view look = {.body = body, .turn = {1, 0, 0, 0}};
    const trm_shape_form *form = NULL;
    int kind = 0;
    TRM_TRY(trm_find_form(reader, node, trm_look_forms, NULL, &form, &kind));
    look.kind = (trm_look_kind)kind;
    for (int i = 0; look.kind == TRM_LOOK_MESH && i < 3; i++) {
        look.size[i] = 1;
    }
    const trm_key *const tables[] = {trm_shape_keys, form->keys, trm_look_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 3, &look));
    for (int i = 0; i < 4; i++) {
        if (look.rgba[i] > 1) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, trm_node_find(node, "rgba")),
                            "rgba: numbers are from 0 to 1, got %g", look.rgba[i]);
        }
    }
    const double *const q = look.turn;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        look.turn[i] /= norm;
    }
    if (look.kind == TRM_LOOK_MESH) {
        TRM_TRY(read_mesh(reader, trm_node_find(node, "file"), &look));
    }
    trm_scene *const scene = reader->scene;
    trm_look_view *const out =
        trm_pool_more(reader->pool, &scene->looks, &scene->nlooks, sizeof *out);
    if (!out) {
        return trm_reader_no_memory(reader);
    }
    *out = look;
    return TRM_OK;
}

trm_status trm_read_looks(trm_reader *reader, const trm_node *array, int body)
{
    if (!array) {
        return TRM_OK;
    }
    TRM_TRY(trm_read_array(reader, array));
    const trm_node *child = array + 1;
    for (int i = 0; i < trm_node_size(array); i++, child += child->span) {
        TRM_TRY(trm_read_object(reader, child));
        TRM_TRY(read_look(reader, child, body));
    }
    return TRM_OK;
}
