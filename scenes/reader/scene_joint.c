// Joints: the keys that all kinds have, and the points they act at.

#include "base/accuracy_policy.h"
#include "base/expression/motion_law.h"
#include "base/status.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BREAKS_AT_KEY                                                                              \
    TRM_KEY("breaks_at", NUMBER, trm_joint_draft, joint.breaks_at,                                 \
            "The force of the joint, or of the lock, at which it opens.", .range = TRM_POSITIVE,   \
            .unit = "N, of a lock N or N m", .needs = "switch")

const trm_key trm_joint_keys[] = {
    TRM_KEY("name", TEXT, trm_scene_joint, name,
            "Its name; no other joint, constraint or force may have it.", .required = 1,
            .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY_OWN("type", "Kind of joint.", .required = 1),
    TRM_KEY("bodies", BODY_PAIR, trm_scene_joint, body,
            "The two bodies, a and b; one of them may be \"ground\".", .required = 1),
    TRM_KEY_OWN(
        "at",
        "The point of the joint in the world while the bodies are in their initial pose, or "
        "two points, the first of a and the second of b; this or `on`.",
        .unit = "m",
        .schema =
            "{\"anyOf\":[{\"$ref\":\"#/$defs/vector_%d\"},{\"$ref\":\"#/$defs/two_points_%d\"}]}"),
    TRM_KEY_OWN("on",
                "The points in the frames of the bodies, by name: `{\"crank\": [1, 0], \"ground\": "
                "[0, 0]}`; this or `at`.",
                .unit = "m",
                .schema = "{\"type\":\"object\",\"minProperties\":2,\"maxProperties\":2,"
                          "\"additionalProperties\":{\"$ref\":\"#/$defs/vector_%d\"}}"),
    TRM_KEY("cut", BOOLEAN, trm_scene_joint, cut,
            "true: in joint coordinates its rows are kept, and it is none of the tree; a loop must "
            "go through it.",
            .fallback = "false"),
    TRM_JOINT_CONTACT_KEYS,
    TRM_KEY_OWN(
        "switch",
        "Events switch the joint, and this is how it begins: `closed` or `open`, of the whole "
        "joint; `locked` or `free`, of its coordinate; see Switched joints.",
        .schema = "{\"enum\":[\"closed\",\"open\",\"locked\",\"free\"]}"),
    BREAKS_AT_KEY,
    TRM_REPEAT_KEY,
    {.name = NULL},
};

const trm_key trm_freedom_keys[] = {
    TRM_JOINT_DRIVE_KEYS,
    TRM_JOINT_CONTACT_KEYS,
    TRM_KEY_OWN("switch",
                "Events lock the coordinate, and this is how it begins; see Switched joints.",
                .schema = "{\"enum\":[\"locked\",\"free\"]}"),
    BREAKS_AT_KEY,
    {.name = NULL},
};

/// No name of the file has a dot in it.
static trm_status name_after(trm_reader *reader, const trm_scene_joint *joint, const char *what,
                             char **out)
{
    const size_t length = strlen(joint->name), more = strlen(what);
    TRM_TRY(trm_reader_take(reader, length + more + 1, 1, out));
    memcpy(*out, joint->name, length);
    memcpy(*out + length, what, more);
    return TRM_OK;
}

/// A copy of the array with `more` entries behind it.
static trm_status grow(trm_reader *reader, void *array, int n, int more, size_t size)
{
    void *old, *grown = NULL;
    memcpy(&old, array, sizeof old);
    TRM_TRY(trm_reader_take(reader, (size_t)(n + more), size, &grown));
    if (n > 0) {
        memcpy(grown, old, (size_t)n * size);
    }
    memcpy(array, &grown, sizeof grown);
    return TRM_OK;
}

// --------------------------------------------------------------------------------- what rows need

/// The rows of a kind, asked with bodies 0 (a) and 1 (b) and some geometry.
static trm_row_list rows_of(const trm_joint_kind *kind, int dimension)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    trm_joint_frame frame = {.dimension = dimension, .b = 1, .length = 1};
    trm_row_list list = {0};
    for (int i = 0; i < 2; i++) {
        memcpy(frame.axis[i], x, sizeof x);
        memcpy(frame.side[i][0], y, sizeof y);
        memcpy(frame.side[i][1], z, sizeof z);
        memcpy(frame.axis2[i], y, sizeof y);
    }
    kind->rows(&frame, &list);
    return list;
}

/// Does the joint hold the rotation of that body (0: a, 1: b)?
static int holds_rotation(const trm_joint_kind *kind, int dimension, int side)
{
    const trm_row_list list = rows_of(kind, dimension);
    for (int i = 0; i < list.n; i++) {
        const trm_row *row = &list.row[i];
        const int both = row->kind == TRM_ROW_ALIGNED || row->kind == TRM_ROW_PERPENDICULAR ||
                         row->kind == TRM_ROW_ANGLE;
        if (both || (row->kind == TRM_ROW_IN_PLANE && row->a == side)) {
            return 1;
        }
    }
    return 0;
}

static const char *body_name(const trm_scene *scene, int body)
{
    return body == TRM_INDEX_GROUND ? "ground" : scene->bodies[body].name;
}

static trm_status check_point_masses(trm_reader *reader, const trm_node *node,
                                     const trm_scene_joint *joint)
{
    const trm_scene *scene = reader->scene;
    const int driven = joint->motor.text && trm_turns(joint->kind->freedom);
    for (int side = 0; side < 2; side++) {
        const int body = joint->body[side];
        if (body == TRM_INDEX_GROUND || !scene->bodies[body].point_mass) {
            continue;
        }
        if (driven || holds_rotation(joint->kind, scene->dimension, side)) {
            return TRM_REFUSE(
                reader, node,
                "a %s joint%s turns or holds \"%s\", but a point mass has no rotation",
                joint->kind->name, driven ? " with a motor" : "", scene->bodies[body].name);
        }
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------------ points

/// "at": [x, y] or [[x, y], [x, y]].
static trm_status read_at(trm_reader *reader, const trm_node *node, trm_scene_joint *joint,
                          double world[2][3])
{
    const int two =
        node->type == TRM_NODE_ARRAY && node->span > 1 && node[1].type == TRM_NODE_ARRAY;
    if (two) {
        TRM_TRY(trm_read_points(reader, node, 2, world));
    } else {
        TRM_TRY(trm_read_point(reader, node, world[0]));
        memcpy(world[1], world[0], sizeof world[1]);
    }
    if (!two && joint->kind->apart) {
        return TRM_REFUSE(reader, node, "a %s needs two points, one of \"%s\" and one of \"%s\"",
                          joint->kind->name, body_name(reader->scene, joint->body[0]),
                          body_name(reader->scene, joint->body[1]));
    }
    for (int i = 0; i < 2; i++) {
        trm_to_body_frame(reader->scene, joint->body[i], world[i], joint->local[i]);
    }
    return TRM_OK;
}

/// "on": {"crank": [1, 0], "ground": [0, 0]}.
static trm_status read_on(trm_reader *reader, const trm_node *node, trm_scene_joint *joint,
                          double world[2][3])
{
    const char *names[2];
    TRM_TRY(trm_read_object(reader, node));
    const trm_node *points[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        names[i] = body_name(reader->scene, joint->body[i]);
    }
    for (const trm_node *child = node + 1; child < node + node->span; child += child->span) {
        const char *key = NULL;
        TRM_TRY(trm_expand_text(reader, child, child->name, &key));
        const int side = !strcmp(key, names[0]) ? 0 : !strcmp(key, names[1]) ? 1 : -1;
        if (side < 0) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, child),
                            "unknown key \"%.60s\"; expected \"%s\" and \"%s\"", key, names[0],
                            names[1]);
        }
        points[side] = child;
    }
    for (int i = 0; i < 2; i++) {
        if (!points[i]) {
            return TRM_REFUSE(reader, node, "missing key \"%s\", the point of that body", names[i]);
        }
        TRM_TRY(trm_read_point(reader, points[i], joint->local[i]));
        trm_to_world_frame(reader->scene, joint->body[i], joint->local[i], world[i]);
    }
    return TRM_OK;
}

static trm_status read_points(trm_reader *reader, const trm_node *node, trm_scene_joint *joint)
{
    const trm_node *at = trm_node_find(node, "at"), *on = trm_node_find(node, "on");
    double world[2][3] = {{0}};
    TRM_TRY(trm_check_groups(reader, node, trm_point_groups));
    const trm_node *given = at ? at : on;
    TRM_TRY(at ? read_at(reader, at, joint, world) : read_on(reader, on, joint, world));
    TRM_TRY(trm_check_point_of(reader, given, joint->body[0], joint->local[0]));
    TRM_TRY(trm_check_point_of(reader, given, joint->body[1], joint->local[1]));
    const double distance = hypot(hypot(world[1][0] - world[0][0], world[1][1] - world[0][1]),
                                  world[1][2] - world[0][2]);
    if (!(distance > 0) && !joint->length_given && joint->kind->apart) {
        return TRM_REFUSE(reader, given,
                          "the two points of a %s must differ, or \"length\" be given",
                          joint->kind->name);
    }
    return TRM_OK;
}

/// Unit length; two axes of one joint are perpendicular to each other.
static trm_status finish_axes(trm_reader *reader, const trm_node *node, trm_scene_joint *joint)
{
    if (joint->axis_given) {
        trm_unit_vector(3, joint->axis);
    }
    if (joint->axis2_given) {
        trm_unit_vector(3, joint->axis2);
    }
    if (!joint->axis_given || !joint->axis2_given) {
        return TRM_OK;
    }
    double along[3];
    const double cosine = dot(joint->axis, joint->axis2);
    if (fabs(cosine) > TRM_FIT) {
        const trm_node *axis2 = trm_node_find(node, "axis2");
        return TRM_REFUSE(reader, axis2 ? axis2 : node,
                          "axis2 must be perpendicular to axis, but they enclose %.6g rad",
                          acos(cosine));
    }
    subtract(joint->axis2, scale(cosine, joint->axis, along), joint->axis2);
    trm_unit_vector(3, joint->axis2);
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- one joint

static trm_status read_kind(trm_reader *reader, const trm_node *node, const trm_joint_kind **out)
{
    enum { MOST = 32 };
    const char *word = NULL, *names[MOST];
    int n = 0, index = 0;
    TRM_TRY(trm_read_word(reader, node, "type", &word));
    for (int i = 0; trm_joint_kinds[i] && n < MOST; i++) {
        names[n++] = trm_joint_kinds[i]->name;
    }
    const trm_node *type = trm_node_find(node, "type");
    TRM_TRY(trm_read_choice(reader, type, "joint type", names, n, &index));
    *out = trm_joint_kinds[index];
    if ((*out)->dimension && (*out)->dimension != reader->scene->dimension) {
        return TRM_REFUSE(reader, type, "joint type \"%s\" is for scenes of dimension %d only",
                          (*out)->name, (*out)->dimension);
    }
    return TRM_OK;
}

// ---------------------------------------------------------------------------------- laws of motion

/// A move while it is being read.
typedef struct move_draft {
    trm_move move;
    double dwell;
    int to_given, dwell_given;
} move_draft;

const trm_key trm_move_keys[] = {
    TRM_KEY("to", NUMBER, move_draft, move.to,
            "Where the move goes, counted from the initial pose.",
            .given = offsetof(move_draft, to_given), .unit = "rad or m"),
    TRM_KEY("in", NUMBER, move_draft, move.duration,
            "How long it takes; `trapezoid` needs none, and is then as quick as its limits allow.",
            .range = TRM_POSITIVE, .unit = "s", .needs = "to"),
    TRM_KEY_OWN("law", "`345` (or `polynomial_345`), `cycloidal`, `modified_sine` or `trapezoid`.",
                .needs = "to",
                .schema = "{\"enum\":[\"345\",\"polynomial_345\",\"cycloidal\",\"modified_sine\","
                          "\"trapezoid\"]}"),
    TRM_KEY("speed", NUMBER, move_draft, move.speed,
            "The largest speed; a law that needs more is refused.", .range = TRM_POSITIVE,
            .unit = "rad/s or m/s", .needs = "to"),
    TRM_KEY("acceleration", NUMBER, move_draft, move.acceleration, "The largest acceleration.",
            .range = TRM_POSITIVE, .unit = "rad/s^2 or m/s^2", .needs = "to"),
    TRM_KEY("jerk", NUMBER, move_draft, move.jerk,
            "The largest change of the acceleration in time.", .range = TRM_POSITIVE,
            .unit = "rad/s^3 or m/s^3", .needs = "to"),
    TRM_KEY("dwell", NUMBER, move_draft, dwell, "Rest for so long, in the place of a move.",
            .given = offsetof(move_draft, dwell_given), .range = TRM_POSITIVE, .unit = "s",
            .excludes = "to"),
    {.name = NULL},
};

static trm_status read_law(trm_reader *reader, const trm_node *node, int *law)
{
    enum { MOST = 8 };
    const char *names[MOST];
    const trm_node *const given = trm_node_find(node, "law");
    int n = 0;
    *law = 0;
    while (n < MOST && trm_motion_law(n)) {
        names[n] = trm_motion_law(n);
        n++;
    }
    return given ? trm_read_choice(reader, given, "law of motion", names, n, law) : TRM_OK;
}

static trm_status check_move(trm_reader *reader, const trm_node *node, const trm_move *move,
                             int timed)
{
    const char *const missing = !timed                          ? NULL
                                : !isfinite(move->speed)        ? "speed"
                                : !isfinite(move->acceleration) ? "acceleration"
                                : !isfinite(move->jerk)         ? "jerk"
                                                                : NULL;
    if (missing || (!timed && !(move->duration > 0))) {
        return TRM_REFUSE(reader, node, "missing key \"%s\", which this law needs",
                          missing ? missing : "in");
    }
    return TRM_OK;
}

/// One entry; *t and *x go on to its end.
static trm_status put_entry(trm_reader *reader, const trm_node *node, double *t, double *x,
                            trm_text_buffer *out)
{
    const trm_key *const tables[] = {trm_move_keys};
    move_draft d = {.move = {.start = *t,
                             .from = *x,
                             .speed = INFINITY,
                             .acceleration = INFINITY,
                             .jerk = INFINITY}};
    double duration = 0, needed = 0;
    int law = 0;
    TRM_TRY(trm_read_object(reader, node));
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &d));
    if (d.dwell_given) {
        *t += d.dwell;
        return TRM_OK;
    }
    if (!d.to_given) {
        return TRM_REFUSE(reader, node, "expected a move with \"to\" or a \"dwell\"");
    }
    TRM_TRY(read_law(reader, node, &law));
    TRM_TRY(check_move(reader, node, &d.move, trm_motion_law_is_timed(law)));
    const char *const broken = trm_motion_law_put(law, &d.move, out, &duration, &needed);
    if (broken) {
        return TRM_REFUSE(reader, trm_node_find(node, broken),
                          "this move from %g to %g needs %s \"%s\" of %.6g", *x, d.move.to,
                          *broken == 'i' ? "at least an" : "a", broken, needed);
    }
    *t += duration;
    *x = d.move.to;
    return TRM_OK;
}

/// "motion": the formula of a motor.
static trm_status read_motion(trm_reader *reader, const trm_node *list, trm_scene_joint *joint)
{
    trm_text_buffer text = {0};
    double t = 0, x = 0;
    TRM_TRY(trm_check_list(reader, list, "moves"));
    trm_put(&text, "0");
    const trm_node *node = list + 1;
    trm_status status = TRM_OK;
    for (int i = trm_node_size(list); i > 0 && status == TRM_OK; i--, node += node->span) {
        status = put_entry(reader, node, &t, &x, &text);
    }
    const char *const kept =
        text.failed ? NULL : trm_pool_copy(reader->pool, text.data, strlen(text.data));
    trm_text_buffer_close(&text);
    TRM_TRY(status);
    return kept ? trm_compile_formula(reader, list, kept, &joint->motor)
                : trm_reader_no_memory(reader);
}

// ---------------------------------------------------------------------------------- switched
// joints

/// What a joint cannot have that may be open, or locked: it would act on, or against the lock.
static trm_status check_switch(trm_reader *reader, const trm_node *node,
                               const trm_scene_joint *joint)
{
    static const char *const keys[] = {"motor", "motion", "limits", "friction", "armature"};
    const int opens = joint->switched == TRM_SWITCH_ROWS, most = opens ? 5 : 2;
    for (int i = 0; i < most; i++) {
        const trm_node *const key = trm_node_find(node, keys[i]);
        if (key) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, key),
                            "a joint that is %s cannot have \"%s\": %s",
                            opens ? "closed and opened" : "locked", keys[i],
                            opens ? "it would act on the open joint too; a joint_force takes \"if\""
                                  : "the motor decides the coordinate that the lock would hold");
        }
    }
    return TRM_OK;
}

static trm_status read_switch(trm_reader *reader, const trm_node *node, trm_scene_joint *joint)
{
    static const char *const words[] = {"closed", "open", "locked", "free"};
    const trm_node *const key = trm_node_find(node, "switch");
    int which = 0;
    TRM_TRY(trm_read_choice(reader, key, "switch", words, 4, &which));
    joint->switched = which < 2 ? TRM_SWITCH_ROWS : TRM_SWITCH_LOCK;
    joint->on = which % 2 == 0;
    joint->input = reader->scene->ninputs++;
    if (joint->part > 0 && which < 2) {
        return TRM_REFUSE(reader, key,
                          "a freedom is \"locked\" or \"free\"; its joint is closed or open");
    }
    if (joint->switched == TRM_SWITCH_LOCK && joint->kind->freedom == TRM_FREEDOM_NONE) {
        return TRM_REFUSE(
            reader, key, "a %s joint has not one coordinate to be locked; it may be closed or open",
            joint->kind->name);
    }
    joint->parts = joint->switched == TRM_SWITCH_ROWS
                       ? rows_of(joint->kind, reader->scene->dimension).nlabels
                       : 1;
    reader->scene->ncontacts += joint->parts;
    return check_switch(reader, node, joint);
}

// --------------------------------------------------------------------------------------- freedoms

/// Along the axis of a freedom in the initial pose, and the direction from which it is counted.
static void place_part(const trm_scene_joint *joint, trm_part_axis axis, trm_scene_joint *out)
{
    double side[3], across[3];
    const int swap = axis == TRM_PART_BACKWARDS;
    for (int i = 0; i < 2; i++) {
        out->body[i] = joint->body[i != swap];
        memcpy(out->local[i], joint->local[i != swap], sizeof out->local[i]);
    }
    out->axis_given = 1;
    out->axis2_given = axis != TRM_PART_AXIS || joint->axis2_given;
    memcpy(out->axis, joint->axis, sizeof out->axis);
    memcpy(out->axis2, joint->axis2, sizeof out->axis2);
    if (axis == TRM_PART_AXIS) {
        return;
    }
    memcpy(out->axis2, joint->axis, sizeof out->axis2);
    if (swap) {
        scale(-1.0, joint->axis2, out->axis);
        return;
    }
    trm_joint_sides(joint, side, across);
    memcpy(out->axis, axis == TRM_PART_SIDE ? side : across, sizeof out->axis);
}

/// What stands under the name of a freedom, and is not for this one.
static trm_status check_part(trm_reader *reader, const trm_node *own, const trm_scene_joint *joint,
                             const trm_scene_joint *part)
{
    static const char *const keys[] = {"motor", "motion", "armature", "friction", "switch"};
    const int swings = part->kind->freedom == TRM_FREEDOM_SWING;
    const int opens = joint->switched == TRM_SWITCH_ROWS;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && swings; i++) {
        const trm_node *const key = trm_node_find(own, keys[i]);
        if (key) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, key),
                            "a swing cannot have \"%s\": at 0, where it begins, it has no "
                            "direction; \"angle\", \"angle_2\" and \"twist\" can",
                            keys[i]);
        }
    }
    return opens ? TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, own),
                            "a joint that is closed and opened has no drive, limit or friction in "
                            "its freedoms: it would act on the open joint too; a joint_force "
                            "takes \"if\"")
                 : TRM_OK;
}

/// What acts on the coordinate of a joint; `contact` has what keys gave.
static trm_status read_coordinate(trm_reader *reader, const trm_node *node, int index,
                                  trm_scene_contact *contact)
{
    trm_scene_joint *const joint = &reader->scene->joints[index];
    const trm_node *const motion = trm_node_find(node, "motion");
    TRM_TRY(motion ? read_motion(reader, motion, joint) : TRM_OK);
    TRM_TRY(trm_read_joint_contact(reader, node, index, contact));
    return trm_node_find(node, "switch") ? read_switch(reader, node, joint) : TRM_OK;
}

static trm_status add_part(trm_reader *reader, const trm_node *node, int of, int k)
{
    trm_scene *const scene = reader->scene;
    const trm_joint_part *const kind = &scene->joints[of].kind->parts[k];
    const trm_node *const own = trm_node_find(node, kind->name);
    const trm_key *const tables[] = {trm_freedom_keys};
    trm_joint_draft draft = {.joint = {.kind = kind->kind, .of = of, .part = k + 1}};
    char tail[16], *name = NULL;
    if (scene->njoints == reader->joint_room) {
        const int more = scene->njoints;
        TRM_TRY(grow(reader, &scene->joints, scene->njoints, more, sizeof *scene->joints));
        reader->joint_room += more;
    }
    if (own) {
        TRM_TRY(trm_read_object(reader, own));
        TRM_TRY(trm_read_keys(reader, own, tables, 1, &draft));
    }
    const trm_scene_joint *const joint = &scene->joints[of];
    trm_scene_joint *const part = &scene->joints[scene->njoints++];
    snprintf(tail, sizeof tail, ".%s", kind->name);
    TRM_TRY(name_after(reader, joint, tail, &name));
    *part = draft.joint;
    part->name = name;
    part->place = joint->place;
    place_part(joint, kind->axis, part);
    if (!own) {
        return TRM_OK;
    }
    TRM_TRY(check_part(reader, own, joint, part));
    TRM_TRY(trm_reader_place(reader, own, &part->place));
    return read_coordinate(reader, own, scene->njoints - 1, &draft.contact);
}

/// The freedoms of a joint that has several; those of turning need two bodies that turn.
static trm_status add_parts(trm_reader *reader, const trm_node *node, int of)
{
    trm_scene *const scene = reader->scene;
    const trm_joint_part *const parts = scene->joints[of].kind->parts;
    const int given = scene->joints[of].axis_given;
    int turning = given;
    for (int side = 0; side < 2; side++) {
        const int body = scene->joints[of].body[side];
        turning = turning && (body == TRM_INDEX_GROUND || !scene->bodies[body].point_mass);
    }
    scene->joints[of].first = scene->njoints;
    for (int k = 0; parts && parts[k].name; k++) {
        const trm_node *const own = trm_node_find(node, parts[k].name);
        if (given && (turning || !trm_turns(parts[k].kind->freedom))) {
            TRM_TRY(add_part(reader, node, of, k));
            scene->joints[of].nparts++;
        } else if (own) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, own),
                            given ? "joint \"%.60s\" has no \"%s\": a point mass does not turn"
                                  : "joint \"%.60s\" needs an \"axis\" to have \"%s\"",
                            scene->joints[of].name, parts[k].name);
        }
    }
    return TRM_OK;
}

static trm_status read_joint(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_joint *joint = &reader->scene->joints[index];
    trm_joint_draft draft = {.joint = {.name = NULL}};
    TRM_TRY(trm_read_object(reader, node));
    TRM_TRY(read_kind(reader, node, &draft.joint.kind));
    const trm_key *const tables[] = {trm_joint_keys, draft.joint.kind->keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 2, &draft));
    *joint = draft.joint;
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_JOINT, index, &joint->name));
    TRM_TRY(trm_reader_place(reader, node, &joint->place));
    TRM_TRY(read_coordinate(reader, node, index, &draft.contact));
    if (joint->thread_friction > 0 && !(joint->radius > 0)) {
        return TRM_REFUSE(reader, node,
                          "missing key \"radius\": friction of a screw acts at its thread");
    }
    TRM_TRY(finish_axes(reader, node, joint));
    TRM_TRY(check_point_masses(reader, node, joint));
    TRM_TRY(read_points(reader, node, joint));
    return add_parts(reader, node, index);
}

// ------------------------------------------------------------------------------------------ rotors

// Armatures: the inertia J that turns (or, along a slider, moves) with the coordinate x of a joint.
//
//   T = J x'^2/2: a body of inertia J on a hinge of the ground, with the coupling 0 = phi - (x -
//   x_0)
//
// This is the term of rank one, J grad x grad x^T, in the equations of the joint's bodies, exactly;
// the multiplier of the coupling is the torque that the rotor takes, -J x''. Rotor, hinge and
// coupling stand behind all others, so that no index changes.

extern const trm_joint_kind trm_joint_revolute;

/// Velocity of the world point p of a body, and its rate, in the world.
static void motion_of(const trm_scene *scene, int body, const double p[3], double u[3], double w[3])
{
    set3(u, 0.0, 0.0, 0.0);
    set3(w, 0.0, 0.0, 0.0);
    if (body == TRM_INDEX_GROUND) {
        return;
    }
    double R[9], d[3], turning[3];
    const trm_scene_body *b = &scene->bodies[body];
    trm_body_axes(scene, body, R);
    rotate(R, b->rate, w);
    cross(w, subtract(p, b->position, d), turning);
    add(b->velocity, turning, u);
}

/// x' at the start.
static double initial_rate(const trm_scene *scene, const trm_scene_joint *joint)
{
    static const double z[3] = {0.0, 0.0, 1.0};
    double p[3], u[2][3], w[2][3], difference[3];
    const int turns = trm_turns(joint->kind->freedom);
    trm_to_world_frame(scene, joint->body[1], joint->local[1], p);
    for (int i = 0; i < 2; i++) {
        motion_of(scene, joint->body[i], p, u[i], w[i]);
    }
    subtract(turns ? w[1] : u[1], turns ? w[0] : u[0], difference);
    return dot(joint->axis_given ? joint->axis : z, difference);
}

static void make_body(const trm_scene *scene, const trm_scene_joint *joint, const char *name,
                      trm_scene_body *out)
{
    const double J = joint->armature;
    *out = (trm_scene_body){.name = name,
                            .place = joint->place,
                            .mass = J,
                            .inertia = {J, 0, 0, 0, J, 0, 0, 0, J},
                            .quaternion = {1, 0, 0, 0},
                            .rate = {0, 0, initial_rate(scene, joint)},
                            .rotor = 1};
    trm_to_world_frame(scene, joint->body[0], joint->local[0], out->position);
}

static void make_hinge(const trm_scene *scene, const trm_scene_body *rotor, trm_scene_joint *out)
{
    *out = (trm_scene_joint){.name = rotor->name,
                             .place = rotor->place,
                             .kind = &trm_joint_revolute,
                             .body = {TRM_INDEX_GROUND, (int)(rotor - scene->bodies)},
                             .axis = {0, 0, 1},
                             .axis_given = scene->dimension == 3};
    memcpy(out->local[0], rotor->position, sizeof out->local[0]);
}

/// 0 = phi - x + x_0
static trm_status make_coupling(trm_reader *reader, int rotor, int joint, trm_scene_constraint *out)
{
    const trm_scene *scene = reader->scene;
    const trm_scene_joint *j = &scene->joints[joint];
    char *name = NULL;
    TRM_TRY(name_after(reader, j, ".armature", &name));
    *out = (trm_scene_constraint){.name = name,
                                  .place = j->place,
                                  .kind = &trm_relation_coupling,
                                  .unit = "rad",
                                  .joint = TRM_INDEX_NONE,
                                  .marker = TRM_INDEX_NONE,
                                  .markers = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                                  .joints = {.n = 2, .item = {rotor, joint}},
                                  .coefficients = {.n = 2, .item = {1, -1}}};
    return trm_write_relation(reader, reader->document->nodes, out);
}

static trm_status add_rotor(trm_reader *reader, int joint)
{
    trm_scene *scene = reader->scene;
    const trm_scene_joint *j = &scene->joints[joint];
    char *name = NULL;
    TRM_TRY(name_after(reader, j, ".rotor", &name));
    trm_scene_body *body = &scene->bodies[scene->nbodies++];
    make_body(scene, j, name, body);
    make_hinge(scene, body, &scene->joints[scene->njoints++]);
    return make_coupling(reader, scene->njoints - 1, joint,
                         &scene->constraints[scene->nconstraints++]);
}

trm_status trm_add_rotors(trm_reader *reader)
{
    trm_scene *scene = reader->scene;
    const int n = scene->njoints;
    int rotors = 0;
    for (int j = 0; j < n; j++) {
        rotors += scene->joints[j].armature > 0;
    }
    if (rotors == 0) {
        return TRM_OK;
    }
    TRM_TRY(grow(reader, &scene->bodies, scene->nbodies, rotors, sizeof *scene->bodies));
    TRM_TRY(grow(reader, &scene->joints, n, rotors, sizeof *scene->joints));
    TRM_TRY(
        grow(reader, &scene->constraints, scene->nconstraints, rotors, sizeof *scene->constraints));
    for (int j = 0; j < n; j++) {
        if (scene->joints[j].armature > 0) {
            TRM_TRY(add_rotor(reader, j));
        }
    }
    return TRM_OK;
}

/// The constraint that a screw has in one joint.
static trm_status add_thread(trm_reader *reader, const trm_scene_joint *joint)
{
    trm_scene *const scene = reader->scene;
    const trm_node *const root = reader->document->nodes;
    trm_scene_constraint *const def = &scene->constraints[scene->nconstraints++];
    char *name = NULL;
    TRM_TRY(name_after(reader, joint, ".thread", &name));
    *def = (trm_scene_constraint){.name = name,
                                  .place = joint->place,
                                  .kind = &trm_relation_screw,
                                  .unit = "",
                                  .joint = TRM_INDEX_NONE,
                                  .marker = TRM_INDEX_NONE,
                                  .body = TRM_INDEX_NONE,
                                  .markers = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                                  .joints = {.n = 2, .item = {joint->first + 1, joint->first}},
                                  .lead = joint->lead,
                                  .friction = joint->thread_friction,
                                  .radius = joint->radius};
    TRM_TRY(trm_write_relation(reader, root, def));
    return trm_read_relation_contact(reader, root, scene->nconstraints - 1);
}

trm_status trm_add_threads(trm_reader *reader)
{
    trm_scene *const scene = reader->scene;
    int threads = 0;
    for (int j = 0; j < scene->njoints; j++) {
        threads += scene->joints[j].lead != 0;
    }
    reader->scope = TRM_SCOPE_POSITION;
    TRM_TRY(threads == 0 ? TRM_OK
                         : grow(reader, &scene->constraints, scene->nconstraints, threads,
                                sizeof *scene->constraints));
    for (int j = 0; j < scene->njoints; j++) {
        TRM_TRY(scene->joints[j].lead != 0 ? add_thread(reader, &scene->joints[j]) : TRM_OK);
    }
    return TRM_OK;
}

/// The inputs of switches, behind those of the file.
static trm_status add_switches(trm_reader *reader)
{
    trm_scene *scene = reader->scene;
    int n = scene->nparameters;
    for (int j = 0; j < scene->njoints; j++) {
        n += scene->joints[j].switched != TRM_SWITCH_NONE;
    }
    TRM_TRY(grow(reader, &scene->parameters, scene->nparameters, n - scene->nparameters,
                 sizeof *scene->parameters));
    for (int j = 0; j < scene->njoints; j++) {
        const trm_scene_joint *const joint = &scene->joints[j];
        char *name = NULL;
        if (joint->switched != TRM_SWITCH_NONE) {
            TRM_TRY(name_after(reader, joint, ".switch", &name));
            scene->parameters[scene->nparameters++] = (trm_parameter){.name = name,
                                                                      .place = joint->place,
                                                                      .value = joint->on,
                                                                      .is_input = 1,
                                                                      .input = joint->input};
        }
    }
    return TRM_OK;
}

trm_status trm_read_joints(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    reader->scope = TRM_SCOPE_TIME;
    int n = 0;
    TRM_TRY(trm_count_elements(reader, array, &n));
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->joints, &scene->joints));
    scene->njoints = reader->joint_room = n;
    TRM_TRY(trm_read_elements(reader, array, read_joint));
    return add_switches(reader);
}
