/// A kind of constraint: keys of the scene file and an equation 0 = g between coordinates, written
/// as a formula. One file each; constraints/transmissions/registry.c lists them.
///
///   coupling          0 = sum c_i x_i - constant,   0 = x_0 - p(x_1)
///   gear              0 = r_1 phi_1 +- r_2 phi_2,   phi relative to the carrier
///   rack_and_pinion   0 = x - x_0 - r phi
///   screw             0 = x - x_0 - lead phi/(2 pi)
///   belt              0 = r_1 phi_1 -+ r_2 phi_2
///   cam               0 = x - f(...)
///   curve             0 = g_1, g_2, beside the curve
///   velocity          0 = b . v + c, of the file
///   knife_edge        0 = n . u
///   rolling           contact, and no velocity where it touches
#pragma once

#include "base/scene/scene.h"
#include "base/text/text_buffer.h"
#include "constraints/joint.h"

enum { TRM_RELATION_PARTS = 20 };

/// The key of a constraint between two joints; what they are in a sentence.
#define TRM_TWO_JOINTS(sentence)                                                                   \
    TRM_KEY(                                                                                       \
        "joints", JOINTS, trm_scene_constraint, joints, (sentence), .required = 1,                 \
        .schema =                                                                                  \
            "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2,\"maxItems\":2,"   \
            "\"uniqueItems\":true}")

/// Keys of what a relation of joints loses, and what it may be in the place of an equation
/// (scenes/reader/scene_contact.c).
#define TRM_LOOSE_KEYS(beside, bounces)                                                            \
    TRM_KEY("efficiency", NUMBER, trm_scene_constraint, efficiency,                                \
            "Up to 1: the part of the power that passes, from either of two joints to the other; " \
            "friction of its own reaction takes the rest.",                                        \
            .range = TRM_POSITIVE, .fallback = "1", .excludes = beside),                           \
        TRM_KEY("backlash", NUMBER, trm_scene_constraint, backlash,                                \
                "The play, half of it either way: two stops in the place of the equation.",        \
                .range = TRM_POSITIVE, .unit = "m or rad"),                                        \
        TRM_KEY("restitution", NUMBER, trm_scene_constraint, restitution,                          \
                "0 to 1: the part of the rate that an impact there sends back.",                   \
                .given = offsetof(trm_scene_constraint, restitution_given),                        \
                .range = TRM_NOT_NEGATIVE, .fallback = "0", .needs = bounces),                     \
        TRM_KEY_OWN(                                                                               \
            "friction",                                                                            \
            "A clutch in the place of the equation: dry friction of this bound, or beside "        \
            "`backlash`; as that of a joint (under Stops), without `coefficient`.",                \
            .unit = "N or N m",                                                                    \
            .schema =                                                                              \
                "{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},{\"$ref\":\"#/$defs/friction\"}]}")

/// A row being written.
typedef struct trm_relation_row {
    trm_text_buffer g;     ///< the equation, in the words below
    trm_text_buffer shown; ///< the same with the names of the scene
    const char *label;     ///< of several: "contact"
    int of_velocity;       ///< nonzero: 0 = b . v + c
} trm_relation_row;

/// An entry as a kind reads it, and the equations that it writes. Names in
/// equations, beside functions and numbers:
///
///   _0 _1 ...               coordinates of def->joints
///   _x _y _z, _X _Y _Z      place of the marker, of the first of two; of the second
///   _u _v _w, _U _V _W      their velocities
///   _R00 ... _R22, _S00 ... body to world, of the bodies of these markers; spatial
///   _q, _Q                  angles of these bodies; planar
///   _a _b _c, _A _B _C      their rates in body axes; planar: _c, _C
///   _g1 _g2                 how far the first marker is beside the curve of the second
///   _t0 _t1 _t2             gap and slip of `touch`
///   _l0 _l1 ...             part[0], part[1] ..., each computed once
///   _p                      def->profile
typedef struct trm_relation {
    const trm_scene *scene;
    const trm_scene_constraint *def;
    double point[TRM_MOST_LISTED][3]; ///< m, world, initial pose: where joint i of def->joints
                                      ///< stands, or marker i of def->markers
    double x0[TRM_MOST_LISTED];       ///< rad or m, the coordinate of the joint there
    double axes[2][9];                ///< body to world there, of the bodies of def->markers

    int row; ///< the row being written
    trm_touch_pair touch;
    trm_relation_row rows[TRM_CONSTRAINT_ROWS];
    trm_text_buffer part[TRM_RELATION_PARTS];
    const char *unit; ///< of g: "m", "rad", or "" where it is unknown
    const char *key;  ///< the key with a wrong value; NULL: none
    char wrong[240];  ///< and why
} trm_relation;

typedef struct trm_relation_kind {
    const char *name; ///< "gear"
    const char *doc;  ///< one sentence for scene_format.md
    const trm_key *keys;
    const trm_key_group *groups;           ///< NULL: none
    trm_freedom of[2];                     ///< what the joints must have; NONE: either
    int joints;                            ///< how many; 0: any number
    void (*write)(trm_relation *relation); ///< NULL: the file has the expression itself
    int of_velocity;                       ///< nonzero: the equation is one of velocities
    int strands;                           ///< nonzero: a belt joins two wheels
} trm_relation_kind;

/// All kinds, in the order of scene_format.md; ends with NULL. The first kind has entries without a
/// type.
extern const trm_relation_kind *const trm_relation_kinds[];

extern const trm_relation_kind trm_relation_coupling; ///< used for armatures
extern const trm_relation_kind trm_relation_screw;    ///< used for joints that are screws
extern const trm_relation_kind trm_relation_curve;    ///< whose curve the reader makes

/// The joints of an entry.
const trm_scene_joint *trm_relation_joint(const trm_relation *relation, int i);

/// Record what is wrong with the value of a key.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void trm_relation_refuse(trm_relation *relation, const char *key, const char *format, ...);

/// Returns nonzero if the body of marker i turns: neither the ground nor a point mass.
int trm_relation_turns(const trm_relation *relation, int i);
/// What it is otherwise: "the ground" or "a point mass".
const char *trm_relation_place(const trm_relation *relation, int i);
/// The markers are on two bodies that turn, the second one or on the ground. `first`, `second`:
/// what their markers' bodies lack else ("does not roll"); NULL: nothing. Returns 0 where not,
/// noted.
int trm_relation_check_markers(trm_relation *relation, const char *first, const char *second);

/// Begin the next row; `shown` is its label.
void trm_begin_row(trm_relation *relation, const char *label, const char *shown, int of_velocity);

/// Append text, a number, or the coordinate of joint i, to the
/// equation for computing and for display.
void trm_put_relation(trm_relation *relation, const char *text);
void trm_put_factor(trm_relation *relation, double number);
void trm_put_coordinate(trm_relation *relation, int i);
/// Append c times the coordinate of joint i; `first`: it is the first term.
void trm_put_term(trm_relation *relation, int first, double c, int i);
/// Append "- c", or nothing for 0.
void trm_put_constant(trm_relation *relation, double c);

/// Both joints turn or slide on one body. sign[i]: of the motion of the other body relative to it.
/// Returns 0 where there is no such body, which is then noted.
int trm_relation_carrier(trm_relation *relation, double sign[2]);
/// The axis of joint i in the world; in the plane a hinge has z.
void trm_relation_axis(const trm_relation *relation, int i, double axis[3]);
/// Of parallel axes: 1 or -1 by their directions, and their distance, m; else 0, which is noted.
int trm_relation_parallel(trm_relation *relation, double *distance);
