/// A kind of joint: keys of the scene file and the rows of g it is made of. One file each;
/// constraints/registry.c lists them.
#pragma once

#include "base/scene/scene.h"
#include "bodies/joint_freedom.h"
#include "constraints/rows.h"
#include "program/view.h"

enum { TRM_JOINT_ROWS = 8 }; ///< scalar rows of one joint at most, motor included

/// A joint's geometry in the frames of its two bodies.
typedef struct trm_joint_frame {
    int dimension;
    int a, b;             ///< body indices, ground = nbody
    double point[2][3];   ///< m, in a and in b
    double axis[2][3];    ///< unit, in a and in b; planar without an axis: zero
    double side[2][2][3]; ///< [a or b][1st, 2nd] unit, completing axis to a right-handed frame;
                          ///< equal in the initial pose. Planar: side[.][0] is perpendicular to
                          ///< axis. Without an axis the spatial frame is the world's.
    double axis2[2][3];   ///< unit, in a and in b; zero when not given
    double length;        ///< m, given or measured in the initial pose
    double angle; ///< rad, planar: angle of b minus that of a in the initial pose; else unused
} trm_joint_frame;

typedef struct trm_row_list {
    int n;
    trm_row row[TRM_JOINT_ROWS];
    const char *label[TRM_JOINT_ROWS]; ///< of each scalar row: "x", "y", "angle", "n"
    const char *unit[TRM_JOINT_ROWS];  ///< "m" or "rad", of g; lambda has N or N m
    int nlabels;
} trm_row_list;

struct trm_joint_kind;

/// Where the axis of a freedom lies in the frame of its joint.
typedef enum trm_part_axis {
    TRM_PART_AXIS,     ///< along the axis, angles from the first side
    TRM_PART_SIDE,     ///< along the first side; angles are those of the axis
    TRM_PART_ACROSS,   ///< along the second side, likewise
    TRM_PART_BACKWARDS ///< of a relative to b, about axis2, which is fixed in b
} trm_part_axis;

/// One of several freedoms of a joint, in scenes JOINT.NAME.
typedef struct trm_joint_part {
    const char *name; ///< NULL behind the last
    const struct trm_joint_kind *kind;
    trm_part_axis axis;
} trm_joint_part;

typedef struct trm_joint_kind {
    const char *name;            ///< "revolute"
    int dimension;               ///< 0: both
    const char *doc;             ///< one sentence for scene_format.md
    const trm_key *keys;         ///< beyond name, type, bodies, at, on
    trm_freedom freedom;         ///< its one coordinate, which all that acts on a joint acts on
    const trm_joint_part *parts; ///< its freedoms, if there are several: slides before angles; else
                                 ///< NULL
    trm_joint_symbol symbol;     ///< in pictures
    int seats; ///< which points say where on its body the joint sits: 1 that of a, 2 that
               ///< of b. A slide has none
    int apart; ///< nonzero: its two points may not coincide
    /// What b does against a, from a outwards, as a joint of a tree (engine/joint_coordinates):
    /// P, X, Y: it slides along the axis, along the sides; R, U: it turns about the axis, axis2; B:
    /// about all. NULL: the joint is always one of those that a tree leaves.
    const char *dofs;
    /// Append the rows (without the motor's) in the order of lambda.
    void (*rows)(const trm_joint_frame *frame, trm_row_list *out);
} trm_joint_kind;

/// The key `axis` of a kind; in_dimension 0: in both.
#define TRM_JOINT_AXIS_KEY(in_dimension, text)                                                     \
    TRM_KEY("axis", VECTOR, trm_scene_joint, axis, text,                                           \
            .given = offsetof(trm_scene_joint, axis_given), .required = 1,                         \
            .dimension = in_dimension, .range = TRM_NOT_ZERO)

/// What drives a freedom: the keys of kinds that have one.
#define TRM_JOINT_DRIVE_KEYS                                                                       \
    TRM_KEY_OWN(                                                                                   \
        "motion", "A motor that goes from place to place by laws of motion; see Laws of motion.",  \
        .excludes = "motor", .unit = "rad or m",                                                   \
        .schema = "{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#/$defs/move\"}}"),    \
        TRM_KEY("motor", FORMULA, trm_scene_joint, motor,                                          \
                "Prescribes the coordinate as a formula of t alone: the angle of b relative to "   \
                "a, counted from the initial pose, or the displacement of b's point from a's "     \
                "along the axis.",                                                                 \
                .unit = "rad or m"),                                                               \
        TRM_KEY(                                                                                   \
            "armature", NUMBER, trm_scene_joint, armature,                                         \
            "Inertia that turns or moves with the coordinate: a motor's rotor behind a gear of "   \
            "ratio n has n^2 times its own. It appears among the bodies, as `NAME.rotor`.",        \
            .range = TRM_NOT_NEGATIVE, .unit = "kg m^2 or kg", .fallback = "0")

/// The keys of one freedom among several, an object.
#define TRM_JOINT_PART_KEY(freedom, text)                                                          \
    TRM_KEY_OWN(freedom, text "; see Freedoms.", .schema = "{\"$ref\":\"#/$defs/freedom\"}")

/// Which way the first of two slides, or of two angles, goes.
#define TRM_JOINT_SIDE_KEY                                                                         \
    TRM_KEY("axis2", VECTOR, trm_scene_joint, axis2,                                               \
            "Direction of the first side, perpendicular to `axis`: of `slide`, and that about "    \
            "which `angle` tilts it. Without it any.",                                             \
            .given = offsetof(trm_scene_joint, axis2_given), .range = TRM_NOT_ZERO,                \
            .needs = "axis")

/// The freedoms of turning of a point that is held, and their keys.
#define TRM_JOINT_BALL_PARTS                                                                       \
    {"angle", &trm_joint_angle, TRM_PART_SIDE}, {"angle_2", &trm_joint_angle, TRM_PART_ACROSS},    \
        {"twist", &trm_joint_twist, TRM_PART_AXIS}, {"swing", &trm_joint_swing, TRM_PART_AXIS},    \
    {                                                                                              \
        NULL, NULL, TRM_PART_AXIS                                                                  \
    }
#define TRM_JOINT_BALL_KEYS                                                                        \
    TRM_JOINT_SIDE_KEY, TRM_JOINT_PART_KEY("angle", "How far the axis of b tilts about `axis2`"),  \
        TRM_JOINT_PART_KEY("angle_2", "How far it tilts about the second side"),                   \
        TRM_JOINT_PART_KEY("twist", "The turn about the axis, beside the swing"),                  \
        TRM_JOINT_PART_KEY("swing", "The angle between the axis of a and that of b, 0 to pi, "     \
                                    "which nothing drives: at 0 it has no direction")

extern const trm_joint_kind trm_joint_slide, trm_joint_angle, trm_joint_twist, trm_joint_swing;

/// All kinds, in the order of scene_format.md; ends with NULL. Planar and spatial joints that share
/// a name (revolute) are one kind.
extern const trm_joint_kind *const trm_joint_kinds[];

/// World directions that complete the axis of a spatial joint to a right-handed frame, the first
/// one `axis2` where that is given.
void trm_joint_sides(const trm_scene_joint *joint, double side[3], double across[3]);

/// Append the row that measures the joint's freedom, for a motor: angle or distance minus c(t).
void trm_joint_motor_row(const trm_joint_kind *kind, const trm_joint_frame *frame,
                         trm_row_list *out);

// for the files of the joints
void trm_rows_coincident(const trm_joint_frame *frame, trm_row_list *out);
void trm_rows_in_plane(const trm_joint_frame *frame, const double normal_a[3], const char *label,
                       trm_row_list *out);
/// axis_a along axis_b
void trm_rows_aligned(const trm_joint_frame *frame, trm_row_list *out);
void trm_rows_perpendicular(const trm_joint_frame *frame, const double u_a[3], const double w_b[3],
                            const char *label, trm_row_list *out);
void trm_rows_angle(const trm_joint_frame *frame, const char *label, trm_row_list *out);
void trm_rows_distance(const trm_joint_frame *frame, trm_row_list *out);
