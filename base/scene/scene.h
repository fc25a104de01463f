/// A scene as plain data: what the file says, names resolved to indices, numbers evaluated.
/// Knows keys and units; no mass matrix, no constraint, no time.
#pragma once

#include "base/expression/expression.h"
#include "base/scene/key.h"
#include "base/scene/touch_pair.h"
#include "program/settings.h"
#include "program/view.h"
#include "trammel/trammel_scene.h"

/// Where an element stands in the file: "41:17" and "/joints/3/axis".
typedef struct trm_place {
    int line, column;    ///< counted from 1; column in bytes; 0 when there is no file
    const char *pointer; ///< JSON pointer (RFC 6901), owned by the scene
} trm_place;

/// What a name in a formula stands for at run time.
typedef enum trm_variable_kind {
    TRM_VARIABLE_TIME,     ///< t
    TRM_VARIABLE_POSITION, ///< tip.x tip.y tip.z      world position of a marker, m
    TRM_VARIABLE_VELOCITY, ///< tip.vx tip.vy tip.vz   m/s; forces only
    TRM_VARIABLE_ANGLE,    ///< arm.angle              planar body, rad, not wrapped
    TRM_VARIABLE_RATE,     ///< arm.rate, arm.wx ...   rad/s, spatial: body axes; forces only
    TRM_VARIABLE_JOINT, ///< O.angle S.position     coordinate of a joint with one freedom, rad or m
    TRM_VARIABLE_JOINT_RATE, ///< O.rate S.rate        rad/s or m/s; forces only
    TRM_VARIABLE_GUIDE, ///< wire.parameter (axis 0) of a curve, and how far its point is beside it
                        ///< (axes 1 and 2), m; index: of the constraint
    TRM_VARIABLE_TOUCH, ///< of a roller on a plane: its gap, m (axis 0), and how fast it slips
                        ///< along and across, m/s (axes 1 and 2); index: of the constraint
    TRM_VARIABLE_INPUT, ///< u                      a parameter set while the run goes on
    TRM_VARIABLE_ROTATION, ///< entry [axis][axis2] of the body-to-world matrix; arm.roll,
                           ///< arm.pitch, arm.yaw are compiled to expressions of these
    TRM_VARIABLE_STATE,    ///< i                      a state of the scene; forces only
    TRM_VARIABLE_READING   ///< O.motor, tip.ax: what a sensor reads once the equations are solved;
                           ///< outputs only; index: among scene->readings
} trm_variable_kind;

typedef struct trm_variable {
    trm_variable_kind kind;
    int index; ///< of the marker, body (TRM_INDEX_GROUND: the ground), joint or input
    int axis, axis2;
} trm_variable;

/// An expression kept for run time. Unused ones are all zero.
typedef struct trm_formula {
    const char *text;
    trm_place place;
    trm_expression *code;
    int nvariables;
    trm_variable *variables; ///< [nvariables]
} trm_formula;

/// A moving body. Its frame sits in the centre of mass.
typedef struct trm_scene_body {
    const char *name;
    trm_place place;
    int point_mass;       ///< nonzero: no rotation, no inertia
    double mass;          ///< kg
    double inertia[9];    ///< kg m^2 about the centre of mass, body axes; planar: only [8]
    double position[3];   ///< m, centre of mass, world
    double angle;         ///< rad, planar
    double quaternion[4]; ///< wxyz, body to world, unit length, spatial
    double velocity[3];   ///< m/s, world
    double rate[3];       ///< rad/s, body axes; planar: [2]
    trm_shape shape;      ///< how it looks; the inertia that follows is above
    int nlooks;           ///< of scene->looks
    double drawn;         ///< m, the distance of its `ends`; 0 when it was placed otherwise
    int rotor;            ///< nonzero: stands for the armature of a joint
} trm_scene_body;

typedef struct trm_scene_marker {
    const char *name;
    trm_place place;
    int body;        ///< or TRM_INDEX_GROUND
    double local[3]; ///< m, body frame (ground: world)
} trm_scene_marker;

struct trm_joint_kind;    // constraints/joint.h
struct trm_force_kind;    // bodies/forces/force.h
struct trm_relation_kind; // constraints/transmissions/relation.h

/// How two gears meet.
typedef enum trm_mesh { TRM_MESH_EXTERNAL, TRM_MESH_INTERNAL, TRM_MESH_BEVEL } trm_mesh;

/// Dry friction of a joint, in N m (revolute) or N (prismatic).
typedef struct trm_scene_friction {
    double sliding;     ///< while it moves
    double sticking;    ///< what it holds at most, >= sliding
    double stribeck;    ///< rad/s or m/s: from sticking to sliding over this rate; 0: at once
    double viscous;     ///< N m s/rad or N s/m, beside
    double coefficient; ///< of Coulomb, times the force that presses; 0: it does not depend on it
    double holding;     ///< the same while it sticks; 0: no other one
    int wraps;          ///< of a rope about a drum: 2 tanh(x/2) of that times the bound, x
    double radius;      ///< m, of a hinge: where that acts
    double regularized; ///< rad/s or m/s: a smooth law that creeps instead; 0: it sticks
    trm_formula bound;  ///< N m or N, 0 where it is below: sliding and sticking are 1, times this
    int given, sticking_given, sliding_given, radius_given;
} trm_scene_friction;

/// What an input switches on and off in a run: the rows of a joint, or a lock of its coordinate.
typedef enum trm_switch { TRM_SWITCH_NONE, TRM_SWITCH_ROWS, TRM_SWITCH_LOCK } trm_switch;

/// A coordinate x that stays in [lo, hi], and has friction: limits and friction of a joint, stops,
/// contacts of shapes; or that is held while an input says so.
typedef struct trm_scene_contact {
    const char *name;
    trm_place place;
    trm_formula x;               ///< rad or m
    const trm_touch_pair *touch; ///< of two shapes, then x has no formula; else NULL
    int joint;                   ///< whose coordinate it is, or TRM_INDEX_NONE
    int constraint;   ///< whose reaction rubs, or in whose place it is, or TRM_INDEX_NONE
    double limits[2]; ///< lo, hi; infinite where there is none
    int limits_given, restitution_given;
    double restitution; ///< 0 to 1
    double stiffness;   ///< N/m^exponent or N m/rad^exponent; 0: rigid
    trm_formula varies; ///< times this, where it has code
    double damping;     ///< s/m or s/rad, of Hunt and Crossley
    double exponent;    ///< of the compression
    trm_scene_friction friction;
    int normal;  ///< of the friction of a stop: how many places before this one the stop is; else 0
    int mate;    ///< of that friction in space: how many places behind this one the row across is
    int axis;    ///< of `touch`: which of its rows
    int one_way; ///< nonzero: x may grow, and its lower limit follows it
    double teeth; ///< rad or m, then: from tooth to tooth of a ratchet; 0: a freewheel
    int rope;     ///< 1 + the force that does not stretch beyond it; 0: none
    trm_switch switched;
    int input;        ///< that holds x while it is not 0
    int part, parts;  ///< then: row `part` of `parts` that are switched together; it has no formula
    double breaks_at; ///< N, in a lock N or N m: where their forces together let go
    int faced;        ///< nonzero: a stop from the line or plane through marker `on`; for pictures
    int on;
    double face[3]; ///< then its unit normal in the frame of the marker's body
    double apart;   ///< m, a stop that keeps two points apart: for pictures; else 0
} trm_scene_contact;

/// The formula times which its force is: a compliant row has no friction of a bound.
static inline const trm_formula *trm_scene_scale(const trm_scene_contact *contact)
{
    return contact->stiffness > 0 ? &contact->varies : &contact->friction.bound;
}

typedef struct trm_scene_joint {
    const char *name;
    trm_place place;
    const struct trm_joint_kind *kind;
    int body[2];              ///< a, b; TRM_INDEX_GROUND on either side, not on both
    double local[2][3];       ///< m, the joint's point in the frame of a and of b
    double axis[3], axis2[3]; ///< world directions in the initial pose, unit length
    int axis_given, axis2_given;
    double length; ///< m
    int length_given;
    int of, part;      ///< part > 0: the freedom number part - 1 of joint `of`, without rows
    int first, nparts; ///< its own freedoms, if there are several: joints, from `first` on
    double lead, thread_friction, radius; ///< of a screw
    int cut;           ///< nonzero: in joint coordinates its rows are kept, it is none of the tree
    double armature;   ///< kg m^2 or kg, of the rotor that turns with the joint's coordinate
    trm_formula motor; ///< rad or m, of t alone; text NULL without one
    trm_switch switched;
    int input, on;              ///< of the switch: its input, and whether it is on at the start
    int parts;                  ///< how many rows it switches
    double breaks_at;           ///< see trm_scene_contact; 0: nowhere
    trm_scene_contact *contact; ///< [ncontacts] its limits and friction, friction beside compliant
    int ncontacts;              ///< limits by itself
} trm_scene_joint;

enum { TRM_CONSTRAINT_ROWS = 3 };

/// A constraint, each row 0 = expression: as the file has it, or as its kind writes it of the rest.
typedef struct trm_scene_constraint {
    const char *name;
    trm_place place;
    const struct trm_relation_kind *kind;
    int nrows;
    trm_formula expression[TRM_CONSTRAINT_ROWS];
    int of_velocity[TRM_CONSTRAINT_ROWS];   ///< nonzero: linear in velocities, held by them alone
    const char *label[TRM_CONSTRAINT_ROWS]; ///< of several: "contact"
    const char *unit; ///< of g, or of its integral: "m", "rad", or "" where nobody knows

    trm_index_list joints;   ///< whose coordinates are related
    int joint, marker, body; ///< TRM_INDEX_NONE where not given
    int markers[2];          ///< likewise
    double normal[3], radius_of[3];
    int shape;
    trm_number_list coefficients, polynomial, radii;
    double constant, ratio, radius, lead, direction[3];
    int constant_given, ratio_given, friction_given;
    int mesh;                                        ///< a trm_mesh
    int crossed;                                     ///< of a belt
    double friction;                                 ///< of a screw: Coulomb's coefficient
    double efficiency, backlash, restitution, teeth; ///< 0 where not given
    int one_way, restitution_given;
    trm_scene_contact *contact; ///< its friction, or what stands in the place of its equation; NULL
    trm_formula profile;        ///< of a cam
    int composed;               ///< nonzero: all of its equations are those of its kind, and none
                                ///< has a formula of the user
    const char *along;          ///< of a curve: the name of its parameter; NULL: s
    int closed;                 ///< likewise
    struct trm_curve *curve;    ///< NULL: none
    int guide;                  ///< then its number among those with one
    trm_touch_pair touch;       ///< of a roller on a plane in space
} trm_scene_constraint;

enum { TRM_FORCE_VALUES = 12 }; ///< formulas of a force at most: those of a bushing
typedef struct trm_scene_force {
    const char *name;
    trm_place place;
    const struct trm_force_kind *kind;
    int body[2], marker[2], joint; ///< what it acts on; TRM_INDEX_NONE where not given
    double stiffness, damping, rest;
    int rest_given;
    trm_index_list markers;    ///< of a tendon
    const char *length, *rate; ///< of a tendon, as formulas, m and m/s; else NULL
    const char *lying;         ///< m: the same of a rope that lies on all of its pulleys
    int inextensible;          ///< a tendon that is a stop: its force is a contact's
    trm_number_list pulleys;   ///< m, at each of its markers; > 0: turned about to the left
    int drum;                  ///< the joint of the drum that pays it out
    double drum_radius, restitution;
    int axle[2];                        ///< in space two markers along its pulleys' axis
    int rubs;                           ///< the body with the pulleys that it rubs about
    trm_scene_friction friction;        ///< there, times the angle that it turns by
    trm_formula along;                  ///< m, the coordinate of that
    trm_formula slack;                  ///< m: what it has been paid out, less its length
    double preload;                     ///< N m or N
    double mu;                          ///< m^3/s^2
    double stiffnesses[3], dampings[3]; ///< N/m, N s/m
    double turning_stiffnesses[3], turning_dampings[3]; ///< N m/rad, N m s/rad
    double limit;                                       ///< N m or N
    int limit_given;
    double gain, integral_limit, lag; ///< of a servo; 0: no integral, no limit, no lag; of a motor
                                      ///< its constant, limit of voltage and inductance
    int integral,
        lagging; ///< then the states of these, else TRM_INDEX_NONE; of a motor its current
    trm_formula value[TRM_FORCE_VALUES]; ///< force or torque; servo, tendon: all of it in the
                                         ///< first; of springs and bushings what varies
    int axes;                            ///< 0 world, 1 body
} trm_scene_force;

/// A state: z' = rate, with the rate among the forces.
typedef struct trm_scene_state {
    const char *name, *unit; ///< unit "" where none is given
    trm_place place;
    double start, scale; ///< of z
} trm_scene_state;

/// A named number of a run: any formula, of what sensors read too.
typedef struct trm_scene_output {
    const char *name, *unit; ///< unit "" where none is given
    trm_formula value;
} trm_scene_output;

/// The name of a sensor in the formula of an output.
typedef struct trm_reading {
    const char *name;
    trm_place place; ///< of the first formula that has it
} trm_reading;

/// A condition that a run watches.
typedef struct trm_scene_event {
    const char *name;
    trm_place place;
    trm_formula when; ///< not 0 where it holds
    double every;     ///< s, of a sampled block, whose `when` holds at multiples of it; else 0
    int stop;         ///< nonzero: the run ends where it begins to hold
    int nsettings;
    struct trm_setting *settings; ///< [nsettings]
} trm_scene_event;

/// What an event does to an input, or to a state.
typedef struct trm_setting {
    const char *name;
    int input, state; ///< the other one is TRM_INDEX_NONE
    trm_formula value;
} trm_setting;

typedef struct trm_parameter {
    const char *name;
    trm_place place;
    double value;
    int is_input;  ///< nonzero: it may be set while a run goes on; value is where it starts
    int input;     ///< then its index among the inputs
    double smooth; ///< s, then: a new value is taken up over this time; 0: at once
} trm_parameter;

/// A coordinate of a joint, or its rate, with which a run starts.
typedef struct trm_scene_start {
    int joint, is_rate;
    double value; ///< rad or m, or that per s
    trm_place place;
} trm_scene_start;

struct trm_scene {
    const char *path;  ///< as given to trm_scene_load; "scene" for trm_scene_parse
    const char *title; ///< "" without one
    int dimension;     ///< 2 or 3
    double gravity[3]; ///< m/s^2
    int impact;        ///< 0: Newton's law, 1: Poisson's
    trm_simulation simulation;

    int nparameters, ninputs, nbodies, nmarkers, njoints, nconstraints, nforces, nevents, ncontacts,
        noutputs, nstates, nguides; ///< constraints with a curve
    trm_parameter *parameters;
    trm_scene_body *bodies;
    trm_scene_marker *markers;
    trm_scene_joint *joints;
    trm_scene_constraint *constraints;
    trm_scene_force *forces;
    trm_scene_event *events;
    trm_scene_output *outputs; ///< [noutputs] those of the file, then the states
    trm_scene_state *states;
    int first_state; ///< among the forces: the rates of the states, which are the last
    int nreadings;
    trm_reading *readings; ///< [nreadings]
    int nstarts;
    trm_scene_start *starts;     ///< [nstarts]
    trm_scene_contact *contacts; ///< of joints, in their order, of screws, then the stops

    int nunused;
    trm_unused_info *unused; ///< [nunused]
    int nlooks;
    trm_look_view *looks; ///< [nlooks] of the bodies in their order, then of the ground
    int nfiles;
    trm_file_info *files; ///< [nfiles] what its tables and meshes were read from

    int nuser_forces, nuser_constraints; ///< added by program
    trm_force_def *user_forces;          ///< names are copies
    trm_constraint_def *user_constraints;

    struct trm_scene_store *store; ///< the text, the overrides and all memory behind the above
};

/// "scenes/x.json:41:17 /joints/3/axis", for trm_error.where.
void trm_scene_where(const trm_scene *scene, trm_place place, char *out, size_t size);
