/// A kind of joint: keys of the scene file and the rows of g it is made of. One file each;
/// constraints/registry.c lists them.
#ifndef TRM_JOINT_H
#define TRM_JOINT_H

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

typedef struct trm_joint_kind {
    const char *name;        ///< "revolute"
    int dimension;           ///< 0: both
    const char *doc;         ///< one sentence for scene_format.md
    const trm_key *keys;     ///< beyond name, type, bodies, at, on
    trm_freedom freedom;     ///< what a motor drives and a joint spring acts on
    trm_joint_symbol symbol; ///< in pictures
    int seats; ///< which points say where on its body the joint sits: 1 that of a, 2 that
               ///< of b. A slide has none
    int apart; ///< nonzero: its two points may not coincide
    /// What b does against a, from a outwards, as a joint of a tree (engine/joint_coordinates):
    /// P, X, Y: it slides along the axis, along the sides; R, U: it turns about the axis, axis2; B:
    /// about all. NULL: the joint is always one of those that a tree leaves.
    const char *steps;
    /// Append the rows (without the motor's) in the order of lambda.
    void (*rows)(const trm_joint_frame *frame, trm_row_list *out);
} trm_joint_kind;

/// The key `axis` of a kind; in_dimension 0: in both.
#define TRM_JOINT_AXIS_KEY(in_dimension, text)                                                     \
    {                                                                                              \
        .name = "axis", .type = TRM_KEY_VECTOR, .offset = offsetof(trm_scene_joint, axis),         \
        .given = offsetof(trm_scene_joint, axis_given), .required = 1, .dimension = in_dimension,  \
        .range = TRM_NOT_ZERO, .doc = text                                                         \
    }

/// The key `motion` of kinds with a freedom, in the place of `motor`.
#define TRM_JOINT_MOTION_KEY                                                                       \
    {                                                                                              \
        .name = "motion", .type = TRM_KEY_SPECIAL, .excludes = "motor", .unit = "rad or m",        \
        .doc = "A motor that goes from place to place by laws of motion; see Laws of motion.",     \
        .schema = "{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#/$defs/move\"}}"      \
    }

/// All kinds, in the order of scene_format.md; ends with NULL. Planar and spatial joints that share
/// a name (revolute) are one kind.
extern const trm_joint_kind *const trm_joint_kinds[];

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

#endif
