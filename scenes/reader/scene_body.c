// Bodies and markers.

#include "base/status.h"
#include "scenes/reader/reader.h"

#include <string.h>

const trm_key trm_body_keys[] = {
    {.name = "name",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_body_draft, body.name),
     .required = 1,
     .doc = "Its name; no other body or marker may have it.",
     .schema = "{\"$ref\":\"#/$defs/name\"}"},
    {.name = "position",
     .type = TRM_KEY_VECTOR,
     .offset = offsetof(trm_body_draft, body.position),
     .unit = "m",
     .fallback = "the origin",
     .doc = "The centre of mass in the world."},
    {.name = "angle",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_body_draft, body.angle),
     .dimension = 2,
     .unit = "rad",
     .fallback = "0",
     .doc = "From the world's x axis to the body's, counterclockwise."},
    {.name = "quat_wxyz",
     .type = TRM_KEY_VECTOR4,
     .offset = offsetof(trm_body_draft, body.quaternion),
     .dimension = 3,
     .range = TRM_NOT_ZERO,
     .fallback = "[1, 0, 0, 0]",
     .doc = "Orientation as a quaternion w, x, y, z that takes body to world; any length."},
    {.name = "rpy",
     .type = TRM_KEY_VECTOR3,
     .offset = offsetof(trm_body_draft, rpy),
     .given = offsetof(trm_body_draft, rpy_given),
     .dimension = 3,
     .unit = "rad",
     .doc = "Orientation as roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)."},
    {.name = "axis_angle",
     .type = TRM_KEY_SPECIAL,
     .dimension = 3,
     .doc = "Orientation as one rotation: `{\"axis\": [x, y, z], \"angle\": a}`.",
     .schema = "{\"$ref\":\"#/$defs/axis_angle\"}"},
    {.name = "matrix",
     .type = TRM_KEY_MATRIX3,
     .offset = offsetof(trm_body_draft, matrix),
     .given = offsetof(trm_body_draft, matrix_given),
     .dimension = 3,
     .doc = "Orientation as a rotation matrix, by rows, body to world; orthogonal to 1e-6."},
    {.name = "ends",
     .type = TRM_KEY_SPECIAL,
     .unit = "m",
     .doc = "Two points of the world, instead of position and orientation: the centre of mass is "
            "in their middle, the body's x axis runs from the first to the second (in 3-D by the "
            "smallest rotation that takes the world's x axis there), and the shape, unless given, "
            "is a rod of that length.",
     .schema = "{\"$ref\":\"#/$defs/two_points_%d\"}"},
    {.name = "mass",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_body_draft, body.mass),
     .given = offsetof(trm_body_draft, mass_given),
     .range = TRM_POSITIVE,
     .unit = "kg",
     .doc = "Mass; this or `density`."},
    {.name = "density",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_body_draft, density),
     .dimension = 2,
     .range = TRM_POSITIVE,
     .unit = "kg/m^2; rod: kg/m",
     .doc = "Mass per area of the shape, of a rod per length; this or `mass`."},
    {.name = "density",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_body_draft, density),
     .dimension = 3,
     .range = TRM_POSITIVE,
     .unit = "kg/m^3",
     .doc = "Mass per volume of the shape; this or `mass`."},
    {.name = "inertia",
     .type = TRM_KEY_SPECIAL,
     .dimension = 2,
     .unit = "kg m^2",
     .fallback = "from the shape",
     .doc = "Moment of inertia about the centre of mass.",
     .schema = "{\"$ref\":\"#/$defs/positive\"}"},
    {.name = "inertia",
     .type = TRM_KEY_SPECIAL,
     .dimension = 3,
     .unit = "kg m^2",
     .fallback = "from the shape",
     .doc = "Inertia about the centre of mass in body axes: three principal moments, or a "
            "symmetric matrix by rows.",
     .schema = "{\"anyOf\":[{\"$ref\":\"#/$defs/vector_3\"},{\"$ref\":\"#/$defs/matrix\"}]}"},
    {.name = "shape",
     .type = TRM_KEY_SPECIAL,
     .doc = "How it looks, and its inertia unless that is given; see Shapes.",
     .schema = "{\"$ref\":\"#/$defs/shape_%d\"}"},
    {.name = "shapes",
     .type = TRM_KEY_SPECIAL,
     .dimension = 3,
     .doc = "What is drawn in the place of `shape`; see Shapes for eyes.",
     .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/look_3\"}}"},
    {.name = "velocity",
     .type = TRM_KEY_VECTOR,
     .offset = offsetof(trm_body_draft, body.velocity),
     .unit = "m/s",
     .fallback = "zero",
     .doc = "Initial velocity of the centre of mass."},
    {.name = "rate",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_body_draft, body.rate[2]),
     .dimension = 2,
     .unit = "rad/s",
     .fallback = "0",
     .doc = "Initial angular velocity, counterclockwise."},
    {.name = "rate",
     .type = TRM_KEY_VECTOR3,
     .offset = offsetof(trm_body_draft, body.rate),
     .dimension = 3,
     .unit = "rad/s",
     .fallback = "zero",
     .doc = "Initial angular velocity in body axes."},
    {.name = "rate_world",
     .type = TRM_KEY_VECTOR3,
     .offset = offsetof(trm_body_draft, rate_world),
     .given = offsetof(trm_body_draft, rate_world_given),
     .dimension = 3,
     .unit = "rad/s",
     .doc = "Initial angular velocity in world axes, instead of `rate`."},
    TRM_REPEAT_KEY,
    {.name = NULL},
};

/// A marker while it is being read.
typedef struct marker_draft {
    trm_scene_marker marker;
    double at[3], on[3];
} marker_draft;

const trm_key trm_marker_keys[] = {
    {.name = "name",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(marker_draft, marker.name),
     .required = 1,
     .doc = "Its name; no other body or marker may have it.",
     .schema = "{\"$ref\":\"#/$defs/name\"}"},
    {.name = "body",
     .type = TRM_KEY_BODY,
     .offset = offsetof(marker_draft, marker.body),
     .required = 1,
     .doc = "What it is fixed to; it may be \"ground\"."},
    {.name = "at",
     .type = TRM_KEY_VECTOR,
     .offset = offsetof(marker_draft, at),
     .unit = "m",
     .doc = "Its place in the world while the bodies are in their initial pose; this or `on`."},
    {.name = "on",
     .type = TRM_KEY_VECTOR,
     .offset = offsetof(marker_draft, on),
     .unit = "m",
     .doc = "Its place in the body's frame; this or `at`."},
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
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, array),
                        "a scene needs at least one body");
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
