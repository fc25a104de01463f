// Where a body is: "position" with one of the forms of orientation, or "ends"; "start".

#include "base/accuracy_policy.h"
#include "base/status.h"
#include "base/text/suggest.h"
#include "bodies/rotation.h"
#include "program/suggest.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <string.h>

const trm_key trm_axis_angle_keys[] = {
    {.name = "axis",
     .type = TRM_KEY_VECTOR3,
     .offset = 0,
     .required = 1,
     .range = TRM_NOT_ZERO,
     .doc = "Direction of the axis, of any length."},
    {.name = "angle",
     .type = TRM_KEY_NUMBER,
     .offset = 3 * sizeof(double),
     .required = 1,
     .unit = "rad",
     .doc = "Angle of the rotation, right-handed about the axis."},
    {.name = NULL},
};

const trm_key_group trm_body_groups[] = {
    {0, {"ends", "position"}},
    {0, {"ends", "angle", "quat_wxyz", "rpy", "axis_angle", "matrix"}},
    {0, {"rate", "rate_world"}},
    {1, {"mass", "density"}},
    {0, {NULL}},
};

/// The body's x axis runs from the first to the second end, its origin is in the middle.
static trm_status pose_from_ends(trm_reader *reader, trm_body_draft *draft, const trm_node *node)
{
    double ends[2][3], u[3];
    TRM_TRY(trm_read_points(reader, node, 2, ends));
    for (int i = 0; i < 3; i++) {
        draft->body.position[i] = ends[0][i] + (ends[1][i] - ends[0][i]) / 2;
        u[i] = ends[1][i] - ends[0][i];
    }
    draft->length = draft->body.drawn = hypot(hypot(u[0], u[1]), u[2]);
    if (!trm_unit_vector(3, u)) {
        return TRM_REFUSE(reader, node, "the two ends must be different points");
    }
    draft->body.angle = atan2(u[1], u[0]);
    if (reader->scene->dimension == 3) {
        draft->body.angle = 0;
        trm_quaternion_from_x_axis(u, draft->body.quaternion);
    }
    return TRM_OK;
}

static trm_status pose_from_axis_angle(trm_reader *reader, trm_body_draft *draft,
                                       const trm_node *node)
{
    double value[4];
    const trm_key *const tables[] = {trm_axis_angle_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, value));
    trm_quaternion_from_axis(value, value[3], draft->body.quaternion);
    return TRM_OK;
}

static trm_status pose_from_matrix(trm_reader *reader, trm_body_draft *draft)
{
    const trm_node *node = trm_node_find(draft->node, "matrix");
    double distance = 0;
    const int proper = trm_quaternion_from_matrix(draft->matrix, draft->body.quaternion, &distance);
    if (!(distance <= TRM_FIT)) {
        return TRM_REFUSE(reader, node,
                          "matrix must be orthogonal, but R^T R differs from 1 by %.2g", distance);
    }
    if (!proper) {
        return TRM_REFUSE(reader, node,
                          "matrix must be a rotation, but it mirrors (determinant -1)");
    }
    return TRM_OK;
}

static trm_status read_orientation(trm_reader *reader, trm_body_draft *draft)
{
    const trm_node *ends = trm_node_find(draft->node, "ends");
    const trm_node *axis_angle = trm_node_find(draft->node, "axis_angle");
    if (ends) {
        return pose_from_ends(reader, draft, ends);
    }
    if (axis_angle) {
        return pose_from_axis_angle(reader, draft, axis_angle);
    }
    if (draft->matrix_given) {
        return pose_from_matrix(reader, draft);
    }
    if (draft->rpy_given) {
        trm_quaternion_from_rpy(draft->rpy, draft->body.quaternion);
    }
    trm_unit_vector(4, draft->body.quaternion);
    return TRM_OK;
}

trm_status trm_finish_pose(trm_reader *reader, trm_body_draft *draft)
{
    TRM_TRY(read_orientation(reader, draft));
    if (draft->rate_world_given) {
        double R[9];
        trm_rotation_matrix(draft->body.quaternion, R);
        trm_rotate_back(R, draft->rate_world, draft->body.rate);
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------ points of a placed body

void trm_body_axes(const trm_scene *scene, int body, double R[9])
{
    if (body == TRM_INDEX_GROUND) {
        memcpy(R, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *R);
        return;
    }
    const trm_scene_body *b = &scene->bodies[body];
    if (scene->dimension == 3) {
        trm_rotation_matrix(b->quaternion, R);
        return;
    }
    const double c = cos(b->angle), s = sin(b->angle);
    memcpy(R, (const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof *R);
}

void trm_to_body_frame(const trm_scene *scene, int body, const double world[3], double local[3])
{
    if (body == TRM_INDEX_GROUND) {
        memcpy(local, world, 3 * sizeof *local);
        return;
    }
    double R[9], d[3];
    trm_body_axes(scene, body, R);
    for (int i = 0; i < 3; i++) {
        d[i] = world[i] - scene->bodies[body].position[i];
    }
    trm_rotate_back(R, d, local);
}

void trm_to_world_frame(const trm_scene *scene, int body, const double local[3], double world[3])
{
    if (body == TRM_INDEX_GROUND) {
        memcpy(world, local, 3 * sizeof *world);
        return;
    }
    double R[9];
    trm_body_axes(scene, body, R);
    trm_rotate(R, local, world);
    for (int i = 0; i < 3; i++) {
        world[i] += scene->bodies[body].position[i];
    }
}

trm_status trm_check_point_of(trm_reader *reader, const trm_node *node, int body, double local[3])
{
    if (body == TRM_INDEX_GROUND || !reader->scene->bodies[body].point_mass) {
        return TRM_OK;
    }
    const trm_scene_body *b = &reader->scene->bodies[body];
    const double distance = hypot(hypot(local[0], local[1]), local[2]);
    const double scale =
        fmax(fabs(b->position[0]), fmax(fabs(b->position[1]), fabs(b->position[2])));
    if (distance > 1e-9 * fmax(1, scale)) {
        return TRM_REFUSE(reader, node,
                          "\"%s\" is a point mass; a point %g m away from it is not part of it",
                          b->name, distance);
    }
    memset(local, 0, 3 * sizeof *local); // what is left of it is rounding
    return TRM_OK;
}

// ------------------------------------------------------------------------- in coordinates of
// joints

/// "hinge" or "hinge.rate".
static trm_status find_coordinate(trm_reader *reader, const trm_node *node, const char *name,
                                  trm_scene_start *out)
{
    static const char rate[] = ".rate";
    const trm_scene *scene = reader->scene;
    const size_t length = strlen(name), tail = sizeof rate - 1;
    out->is_rate = length > tail && !strcmp(name + length - tail, rate);
    const size_t own = out->is_rate ? length - tail : length;
    const trm_name found = trm_find_link(reader, name, own);
    if (!found.text || found.kind != TRM_NAME_JOINT) {
        trm_suggestion near = trm_suggest(name, own);
        char hint[100];
        for (int j = 0; j < scene->njoints; j++) {
            trm_suggest_consider(&near, scene->joints[j].name);
        }
        return TRM_REFUSE(reader, node, "a run cannot start at \"%.64s\": no joint has this name%s",
                          name, trm_suggest_text(&near, hint, sizeof hint));
    }
    out->joint = found.index;
    if (scene->joints[out->joint].motor.code) {
        return TRM_REFUSE(reader, node,
                          "a run cannot start at \"%.64s\": the motor of the joint decides it",
                          name);
    }
    TRM_TRY(trm_reader_place(reader, node, &out->place));
    return trm_check_coordinate(reader, node, out->joint);
}

/// The place in scene->starts of what `one` names, which may be the next one.
static trm_scene_start *place_of(trm_scene *scene, const trm_scene_start *one)
{
    for (int k = 0; k < scene->nstarts; k++) {
        trm_scene_start *const other = &scene->starts[k];
        if (other->joint == one->joint && other->is_rate == one->is_rate) {
            return other;
        }
    }
    return &scene->starts[scene->nstarts++];
}

trm_status trm_read_start(trm_reader *reader, const trm_node *object)
{
    static const char prefix[] = "start.";
    trm_scene *const scene = reader->scene;
    TRM_TRY(object ? trm_read_object(reader, object) : TRM_OK);
    TRM_TRY(
        trm_reader_take(reader, 2 * (size_t)scene->njoints, sizeof *scene->starts, &scene->starts));
    const int n = object ? trm_node_size(object) : 0;
    const trm_node *node = object ? object + 1 : NULL;
    for (int i = 0; i < n; i++, node += node->span) {
        trm_scene_start one = {0};
        TRM_TRY(find_coordinate(reader, node, node->name, &one));
        TRM_TRY(trm_read_number(reader, node, &one.value));
        *place_of(scene, &one) = one;
    }
    const trm_node *const at = object ? object : reader->document->nodes;
    for (int i = 0; i < reader->overrides->n; i++) {
        const char *const name = reader->overrides->items[i].parameter;
        trm_scene_start one = {0};
        if (!strncmp(name, prefix, sizeof prefix - 1)) {
            TRM_TRY(find_coordinate(reader, at, name + sizeof prefix - 1, &one));
            TRM_TRY(trm_evaluate_override(reader, name, reader->overrides->items[i].expression,
                                          &one.value));
            *place_of(scene, &one) = one;
        }
    }
    return TRM_OK;
}
