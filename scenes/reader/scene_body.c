// Bodies, their shapes for eyes and those of the ground, and markers.

#include "base/status.h"
#include "scenes/mesh/mesh.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const trm_key trm_body_keys[] = {
    TRM_KEY("name", TEXT, trm_body_draft, body.name,
            "Its name; no other body or marker may have it.", .required = 1,
            .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY("position", VECTOR, trm_body_draft, body.position, "The centre of mass in the world.",
            .unit = "m", .fallback = "the origin"),
    TRM_KEY("angle", NUMBER, trm_body_draft, body.angle,
            "From the world's x axis to the body's, counterclockwise.", .dimension = 2,
            .unit = "rad", .fallback = "0"),
    TRM_KEY("quat_wxyz", VECTOR4, trm_body_draft, body.quaternion,
            "Orientation as a quaternion w, x, y, z that takes body to world; any length.",
            .dimension = 3, .range = TRM_NOT_ZERO, .fallback = "[1, 0, 0, 0]"),
    TRM_KEY("rpy", VECTOR3, trm_body_draft, rpy,
            "Orientation as roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll).",
            .given = offsetof(trm_body_draft, rpy_given), .dimension = 3, .unit = "rad"),
    TRM_KEY_OWN("axis_angle", "Orientation as one rotation: `{\"axis\": [x, y, z], \"angle\": a}`.",
                .dimension = 3, .schema = "{\"$ref\":\"#/$defs/axis_angle\"}"),
    TRM_KEY("matrix", MATRIX3, trm_body_draft, matrix,
            "Orientation as a rotation matrix, by rows, body to world; orthogonal to 2e-3.",
            .given = offsetof(trm_body_draft, matrix_given), .dimension = 3),
    TRM_KEY_OWN(
        "ends",
        "Two points of the world, instead of position and orientation. The centre of mass is "
        "in their middle. The body's x axis runs from the first to the second, in 3-D by the "
        "smallest rotation that takes the world's x axis there. Without a shape the body is a "
        "rod of that length.",
        .unit = "m", .schema = "{\"$ref\":\"#/$defs/two_points_%d\"}"),
    TRM_KEY("mass", NUMBER, trm_body_draft, body.mass, "Mass; this or `density`.",
            .given = offsetof(trm_body_draft, mass_given), .range = TRM_POSITIVE, .unit = "kg"),
    TRM_KEY("density", NUMBER, trm_body_draft, density,
            "Mass per area of the shape, of a rod per length; this or `mass`.", .dimension = 2,
            .range = TRM_POSITIVE, .unit = "kg/m^2; rod: kg/m"),
    TRM_KEY("density", NUMBER, trm_body_draft, density,
            "Mass per volume of the shape; this or `mass`.", .dimension = 3, .range = TRM_POSITIVE,
            .unit = "kg/m^3"),
    TRM_KEY_OWN("inertia", "Moment of inertia about the centre of mass.", .dimension = 2,
                .unit = "kg m^2", .fallback = "from the shape",
                .schema = "{\"$ref\":\"#/$defs/positive\"}"),
    TRM_KEY_OWN("inertia",
                "Inertia about the centre of mass in body axes: three principal moments, or a "
                "symmetric matrix by rows.",
                .dimension = 3, .unit = "kg m^2", .fallback = "from the shape",
                .schema =
                    "{\"anyOf\":[{\"$ref\":\"#/$defs/vector_3\"},{\"$ref\":\"#/$defs/matrix\"}]}"),
    TRM_KEY_OWN("shape", "How it looks, and its inertia unless that is given; see Shapes.",
                .schema = "{\"$ref\":\"#/$defs/shape_%d\"}"),
    TRM_KEY_OWN("shapes", "What is drawn in the place of `shape`; see Shapes for eyes.",
                .dimension = 3,
                .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/look_3\"}}"),
    TRM_KEY("velocity", VECTOR, trm_body_draft, body.velocity,
            "Initial velocity of the centre of mass.", .unit = "m/s", .fallback = "zero"),
    TRM_KEY("rate", NUMBER, trm_body_draft, body.rate[2],
            "Initial angular velocity, counterclockwise.", .dimension = 2, .unit = "rad/s",
            .fallback = "0"),
    TRM_KEY("rate", VECTOR3, trm_body_draft, body.rate, "Initial angular velocity in body axes.",
            .dimension = 3, .unit = "rad/s", .fallback = "zero"),
    TRM_KEY("rate_world", VECTOR3, trm_body_draft, rate_world,
            "Initial angular velocity in world axes, instead of `rate`.",
            .given = offsetof(trm_body_draft, rate_world_given), .dimension = 3, .unit = "rad/s"),
    TRM_REPEAT_KEY,
    {.name = NULL},
};

/// A marker while it is being read.
typedef struct marker_draft {
    trm_scene_marker marker;
    double at[3], on[3];
} marker_draft;

const trm_key trm_marker_keys[] = {
    TRM_KEY("name", TEXT, marker_draft, marker.name,
            "Its name; no other body or marker may have it.", .required = 1,
            .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY("body", BODY, marker_draft, marker.body, "What it is fixed to; it may be \"ground\".",
            .required = 1),
    TRM_KEY("at", VECTOR, marker_draft, at,
            "Its place in the world while the bodies are in their initial pose; this or `on`.",
            .unit = "m"),
    TRM_KEY("on", VECTOR, marker_draft, on, "Its place in the body's frame; this or `at`.",
            .unit = "m"),
    TRM_REPEAT_KEY,
    {.name = NULL},
};

const trm_key_group trm_point_groups[] = {{1, {"at", "on"}}, {0, {NULL}}};

static trm_status read_body(trm_reader *reader, const trm_node *node, int index)
{
    trm_body_draft draft = {.node = node, .body.quaternion = {1, 0, 0, 0}};
    const trm_key *const tables[] = {trm_body_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &draft));
    TRM_TRY(trm_read_name(reader, node, &reader->points, TRM_NAME_BODY, index, &draft.body.name));
    TRM_TRY(trm_reader_place(reader, node, &draft.body.place));
    TRM_TRY(trm_check_groups(reader, node, trm_body_groups));
    TRM_TRY(trm_finish_pose(reader, &draft));
    TRM_TRY(trm_read_shape(reader, &draft));
    TRM_TRY(trm_finish_inertia(reader, &draft));
    const int before = reader->scene->nlooks;
    TRM_TRY(trm_read_looks(reader, trm_node_find(node, "shapes"), index));
    draft.body.nlooks = reader->scene->nlooks - before;
    reader->scene->bodies[index] = draft.body;
    return TRM_OK;
}

trm_status trm_read_bodies(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    int n = 0;
    TRM_TRY(trm_count_elements(reader, array, &n));
    if (n == 0) {
        return TRM_REFUSE(reader, array, "a scene needs at least one body");
    }
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->bodies, &scene->bodies));
    scene->nbodies = n;
    return trm_read_elements(reader, array, read_body);
}

static trm_status read_marker(trm_reader *reader, const trm_node *node, int index)
{
    marker_draft draft = {0};
    trm_scene_marker *marker = &draft.marker;
    const trm_key *const tables[] = {trm_marker_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &draft));
    TRM_TRY(trm_read_name(reader, node, &reader->points, TRM_NAME_MARKER, index, &marker->name));
    TRM_TRY(trm_reader_place(reader, node, &marker->place));
    TRM_TRY(trm_check_groups(reader, node, trm_point_groups));
    const trm_node *at = trm_node_find(node, "at");
    memcpy(marker->local, draft.on, sizeof draft.on);
    if (at) {
        trm_to_body_frame(reader->scene, marker->body, draft.at, marker->local);
    }
    TRM_TRY(trm_check_point_of(reader, at ? at : trm_node_find(node, "on"), marker->body,
                               marker->local));
    reader->scene->markers[index] = *marker;
    return TRM_OK;
}

trm_status trm_read_markers(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    int n = 0;
    TRM_TRY(trm_count_elements(reader, array, &n));
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->markers, &scene->markers));
    scene->nmarkers = n;
    return trm_read_elements(reader, array, read_marker);
}

// --------------------------------------------------------------------------------- shapes for eyes

const trm_key trm_look_keys[] = {
    TRM_KEY("on", VECTOR3, trm_look_view, at,
            "Its centre, of a mesh the origin of its file, in the body's frame; of the ground: in "
            "the world.",
            .unit = "m", .fallback = "the origin"),
    TRM_KEY("quat_wxyz", VECTOR4, trm_look_view, turn, "Takes its axes to that frame; any length.",
            .range = TRM_NOT_ZERO, .fallback = "[1, 0, 0, 0]"),
    TRM_KEY("rgba", VECTOR4, trm_look_view, rgba, "Red, green, blue and opacity, 0 to 1.",
            .given = offsetof(trm_look_view, coloured), .range = TRM_NOT_NEGATIVE,
            .fallback = "as the body"),
    {.name = NULL},
};

#define LENGTH(key, index, text)                                                                   \
    TRM_KEY(key, NUMBER, trm_look_view, size[index], text, .required = 1, .range = TRM_POSITIVE,   \
            .unit = "m")
#define LENGTHS(key, text)                                                                         \
    TRM_KEY(key, VECTOR3, trm_look_view, size, text, .required = 1, .range = TRM_POSITIVE,         \
            .unit = "m")
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
    TRM_KEY("file", TEXT, trm_look_view, file,
            "STL (binary or text) or OBJ, in the folder of the scene or below (another folder: "
            "`--allow-files DIR`).",
            .required = 1),
    TRM_KEY("scale", VECTOR3, trm_look_view, size,
            "Takes the numbers of the file to metres, along its axes.", .range = TRM_NOT_ZERO,
            .fallback = "[1, 1, 1]"),
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

/// A file is read once. Of n files each costs n comparisons, which are less than to open it.
static const trm_look_view *same_mesh(const trm_reader *reader, const char *path)
{
    for (int i = 0; i < reader->nmeshes; i++) {
        const trm_look_view *const one = &reader->scene->looks[reader->meshes[i]];
        if (!strcmp(one->file, path)) {
            return one;
        }
    }
    return NULL;
}

static trm_status keep_mesh(trm_reader *reader, const trm_triangles *mesh, trm_look_view *look)
{
    double *vertices = NULL;
    uint32_t *corners = NULL;
    int *const listed =
        trm_pool_more(&reader->names, &reader->meshes, &reader->nmeshes, sizeof *listed);
    if (!listed) {
        return trm_reader_no_memory(reader);
    }
    *listed = look->mesh = reader->scene->nlooks;
    TRM_TRY(trm_reader_take(reader, 3 * mesh->nvertices, sizeof *vertices, &vertices));
    TRM_TRY(trm_reader_take(reader, mesh->n, sizeof *corners, &corners));
    memcpy(vertices, mesh->vertices, 3 * mesh->nvertices * sizeof *vertices);
    memcpy(corners, mesh->corners, mesh->n * sizeof *corners);
    look->nvertices = mesh->nvertices;
    look->ncorners = mesh->n;
    look->vertices = vertices;
    look->corners = corners;
    return TRM_OK;
}

static trm_status read_mesh(trm_reader *reader, const trm_node *node, trm_look_view *look)
{
    char *shown = NULL;
    trm_bytes bytes;
    trm_triangles mesh;
    TRM_TRY(trm_path_beside(reader, look->file, &shown));
    const trm_look_view *const same = same_mesh(reader, shown);
    if (same) {
        look->file = same->file;
        look->mesh = same->mesh;
        look->nvertices = same->nvertices;
        look->ncorners = same->ncorners;
        look->vertices = same->vertices;
        look->corners = same->corners;
        return TRM_OK;
    }
    TRM_TRY(trm_read_file(reader, node, look->file, &bytes));
    const trm_status status =
        trm_mesh_parse(look->file, bytes.text, bytes.length, &mesh, reader->err);
    free(bytes.text);
    TRM_TRY(trm_file_failed(reader, node, look->file, status));
    look->file = shown;
    const trm_status kept = keep_mesh(reader, &mesh, look);
    trm_triangles_free(&mesh);
    return kept;
}

static trm_status read_look(trm_reader *reader, const trm_node *node, int body)
{
    trm_look_view look = {.body = body, .turn = {1, 0, 0, 0}, .mesh = -1};
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
            return TRM_REFUSE(reader, trm_node_find(node, "rgba"),
                              "rgba: numbers are from 0 to 1, got %g", look.rgba[i]);
        }
    }
    double *const q = look.turn, most = 0, square = 0;
    for (int i = 0; i < 4; i++) {
        most = fmax(most, fabs(q[i]));
    }
    for (int i = 0; i < 4; i++) {
        square += q[i] / most * (q[i] / most); // of any length, without overflow
    }
    for (int i = 0; i < 4; i++) {
        q[i] = q[i] / most / sqrt(square);
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
