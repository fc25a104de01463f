/// A model: a scene compiled, or equations of the user. Immutable, shareable between threads.
#pragma once

#include "base/arena.h"
#include "bodies/bodies.h"
#include "bodies/forces/force.h"
#include "bodies/formulas/variable.h"
#include "bodies/joint_freedom.h"
#include "constraints/joint.h"
#include "constraints/rows.h"
#include "engine/enclosure/time_formula.h"
#include "engine/multibody/pins.h"
#include "engine/system/structure.h"
#include "engine/system/system.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_model.h"

/// The rows of one joint or constraint: one dense block of G, one diagonal block of S.
typedef struct trm_block {
    int row, rows;     ///< first row in g, how many
    int body, nbodies; ///< its bodies are block_bodies[body ...]; the ground among them or not
    int G;             ///< its entries in G begin here: [nbodies][rows][width]
} trm_block;

/// A row with c(t) subtracted: a motor.
typedef struct trm_drive {
    int row, joint;
    const char *name;
    trm_function c;
    double
        period; ///< rad: g is taken to the nearest turn, where an angle is known up to turns; or 0
} trm_drive;

/// A row given by an expression.
/// The row of a contact that is held as a constraint, in queries: x - at = 0, or x' = 0 of shapes
/// along their surface.
typedef struct trm_held_row {
    int contact, of_velocity;
    double at;       ///< m or rad
    double place[6]; ///< engine/multibody/coordinate.h
} trm_held_row;

typedef struct trm_expression_row {
    int block, r;    ///< row r of that block
    int of_velocity; ///< nonzero: 0 = b(q,t) . v + c(q,t), with no row of positions: its g is 0
    const char *name;
    trm_function e;
    trm_held_row held; ///< of what has no function: of a contact
} trm_expression_row;

/// Rows given by a user's functions, over all bodies.
typedef struct trm_user_rows {
    int block;
    trm_constraint_def def; ///< name owned by the model
} trm_user_rows;

/// All forces of one kind.
typedef struct trm_force_group {
    const trm_force_kind *kind;
    int n;
    void *elements;                    ///< [n], kind->size bytes each
    const char *const *names;          ///< [n]
    const trm_function *const *values; ///< [n] the formulas of each; NULL: there are none
} trm_force_group;

/// Where a force of the scene is: groups[group], element of it.
typedef struct trm_force_place {
    int group, element;
} trm_force_place;

/// A force with an effort: a drive (servo, joint_force), behind these a spring or a rope.
typedef struct trm_actuator {
    trm_actuator_info info;
    trm_force_place at;
} trm_actuator;

/// The part of a block of G that belongs to one of its moving bodies; in the plane, one row of it.
typedef struct trm_side {
    int body;
    int v0, columns; ///< its velocities are v[v0 ... v0+columns-1]
    int row, rows;
    int G;              ///< its entries begin here, one row every `width`
    double fixed_point; ///< sign of the body if the joint fixes a point (sides.h), else 0
} trm_side;

/// S_ij += G_i W G_j^T over one body that blocks i and j share.
typedef struct trm_coupling {
    int body;
    int Gi, rows_i; ///< the block of G whose rows are rows of the stored block of S
    int Gj, rows_j;
    int S;              ///< where the stored block begins
    int more;           ///< nonzero: they share another moving body too, which comes first
    int stride;         ///< from one of its rows to the next
    double fixed_point; ///< product of the signs of both, see trm_side
} trm_coupling;

/// Values of S that are only added to, or not written at all.
typedef struct trm_blank {
    int begin, count;
} trm_blank;

/// A formula of the time, or with switches: a run looks ahead in it.
typedef struct trm_switching_formula {
    const char *name;      ///< of its element
    const char *where;     ///< its place in the file
    int event;             ///< its number; -1: a motor's, constraint's or force's
    int driven;            ///< nonzero: a motor or a constraint
    int reads;             ///< nonzero: sensors, of what follows from the equations
    trm_function f;        ///< its switches are those from f.first_switching_function on
    trm_time_formula time; ///< its parts of the time alone
    int signals;           ///< of these, how many
    int peaking;           ///< results that may peak with the state (engine/enclosure/peak.h)
} trm_switching_formula;

/// An output: its formula, in which sensors may stand (engine/compiler/sensor_names.h).
typedef struct trm_output_formula {
    trm_output_info info;
    trm_function value; ///< of a variable of the kind READING axis is the number of the reading
} trm_output_formula;

/// An event sets an input, or a state.
typedef struct trm_event_setting {
    int event, input, state; ///< the other one is negative
    const char *name;        ///< of either
    double scale;            ///< of the state
    trm_function value;
} trm_event_setting;

/// A row of a joint that is switched in a run, as a coordinate of its own.
typedef struct trm_joint_row {
    trm_row row; ///< the entry, by the initial pose
    int part;    ///< which of its scalar rows
    int moves;   ///< nonzero: where the joint closes, its place follows from there: a weld
    double w[3]; ///< then: row.ub, as a carries it along
} trm_joint_row;

/// A coordinate x that stays in [lo, hi], and has friction (engine/contact).
typedef struct trm_contact_row {
    const char *name, *where;
    const char *unit; ///< of x: "m" or "rad"
    trm_function x;
    trm_touch_pair *touch;   ///< of two shapes, instead of x; else NULL
    int axis;                ///< then: 0 the gap, 1 and 2 along the surface
    trm_joint_row *of_joint; ///< likewise of a joint that is switched; else NULL
    int input;               ///< that holds x while it is not 0; -1: limits and friction do
    int one_way;             ///< nonzero: x is counted from where it may not fall below
    double teeth;            ///< rad or m, then: of a ratchet; 0: of a freewheel, wherever it is
    int joint, parts;        ///< then: whose it is, and how many rows
    int rope;                ///< 1 + the force that does not stretch beyond it; 0: none
    int held;                ///< the row of g that holds it in queries; -1: none
    int first;               ///< of the rows of a stop, contact or joint: the gap of the former
    double breaks_at;        ///< their force that lets go, N or N m; infinite: none
    int nbodies;
    const int *bodies; ///< [nbodies] that x depends on, the ground among them or not
    int nparts;
    int *part; ///< [nparts] what it moves, with its mate and what loads it: of bodies that joints
               ///< tie together the component
    double lo, hi; ///< infinite where there is no limit
    double restitution;
    double stiffness, damping, exponent; ///< of Hunt and Crossley; stiffness 0: rigid
    trm_scene_friction friction;
    trm_function scale; ///< times which its friction or stiffness is; without code: 1
    int normal;         ///< the row whose force presses, of a stop's friction; else -1
    int mate;           ///< of that friction in space: the row across; else -1
    int across;         ///< the same of a smooth law too
    int row, rows;      ///< of g whose multipliers press, of a joint's or a screw's friction
    double coefficient; ///< friction.coefficient, times the radius; 0: friction of a bound alone
    double more;        ///< part of it that it takes besides while it sticks
    int dof; ///< in joint coordinates: 1 + the dof whose coordinate x is; 0: x depends on others
} trm_contact_row;

/// An angle of a ball joint: it has a pole (simulation/run/angle_jump.c).
typedef struct trm_pole {
    int joint, acts; ///< acts: 1: something acts on it; 2: a motor holds it
    const char *where;
} trm_pole;

/// Connected components by number: what shares no moving body belongs to another one. Those that
/// hold rows.
typedef struct trm_connected_components {
    int n;
    int *of_row, *of_velocity;  ///< [nc], [nv]; velocities of bodies that no row holds: -1
    int *first_row, *row;       ///< component p has the rows row[first_row[p] ... first_row[p+1]-1]
    int *first_column, *column; ///< and these velocities
} trm_connected_components;

/// Elements of one kind by name: a hash table.
typedef struct trm_name_table {
    const void *elements; ///< structs of `size` bytes, with their names at `at`
    size_t size, at, slots;
    int *slot; ///< [slots] 1 + the element; 0: none
} trm_name_table;

enum { TRM_NAMED_KINDS = 6 }; ///< of trm_element

struct trm_model {
    trm_sizes sizes;
    double *q0, *v0; ///< initial state
    trm_body_info *body_info;
    trm_row_info *row_info;
    trm_marker_info *marker_info; ///< [sizes.nmarker]
    trm_joint_info *joint_info;   ///< [sizes.njoint]
    trm_input_info *input_info;   ///< [sizes.ninput]
    trm_name_table names[TRM_NAMED_KINDS];
    trm_joint_axis *joint_axis; ///< [sizes.njoint]
    trm_turn *turns;            ///< of a trm_pose with which runs begin: x alone
    int npoles;
    trm_pole *pole;       ///< [npoles]
    trm_pattern *pattern; ///< of S
    int *component;       ///< [sizes.nv] equal where joints tie velocities together; NULL: all are
    int *body_of;         ///< [sizes.nv] the first velocity of its body; NULL: there are no bodies
    trm_connected_components components;
    int may_lose_rank; ///< zero when the joints form a tree: then G always has full rank
    int from_equations;
    double misfit; ///< see trm_options; 0 for equations, whose numbers come from no drawing
    trm_structure structure;
    trm_equations equations; ///< name owned by the model

    // what follows belongs to models from scenes
    trm_bodies bodies;
    int nblocks, nG; ///< nG: entries of G
    trm_block *blocks;
    int *block_bodies;
    trm_pins pins;
    const struct trm_joint_tree *joints; ///< its coordinates are those of joints; NULL: of bodies
    struct trm_model *in_joints; ///< the same model in joint coordinates, in which runs are made;
                                 ///< NULL: they are made in this one,
    const char *why_absolute;    ///< by this reason
    struct trm_model *absolute;  ///< of a model in joint coordinates: that of the bodies,
    struct trm_model *cut;       ///< and that with the rows that the tree leaves, which it owns
    const char *lengths; ///< [nq + nv] of such a model: nonzero: a length, not an angle. Of its
                         ///< body_info the coordinates are those of the joint the body hangs by
    trm_row_batch batch[TRM_ROW_KINDS]; ///< rows that are no pins
    int nkinds, kind[TRM_ROW_KINDS];    ///< of which there are any
    int ndrives, nexpressions, nuser_rows;
    trm_drive *drives;
    trm_expression_row *expressions;
    int nspeeds;      ///< of these, rows of velocity
    const int *speed; ///< [sizes.nc] nonzero: a row of velocity; NULL: there are none
    trm_user_rows *user_rows;
    int nsides, ncouplings, nblanks;
    trm_side *sides;         ///< of blocks that are no pins
    trm_coupling *couplings; ///< where at least one of the blocks is no pin
    trm_blank *blanks;       ///< set to zero before S is formed
    int ngroups, nuser_forces;
    int time_forces; ///< nonzero: the formula of a force has t in it
    trm_force_group *groups;
    int nforces;
    trm_force_place *force_at; ///< [nforces] in scene order
    trm_actuator *actuators;   ///< [neffort], the drives first: [sizes.nactuator]
    int neffort;
    trm_force_def *user_forces;
    int nswitching_formulas, nswitching_functions; ///< nswitching_functions: of all formulas
    int nunsearched; ///< of all formulas: may peak, and are not searched
    trm_switching_formula *switching_formulas;
    trm_event_info *event_info; ///< [sizes.nevent]
    int nsettings;
    trm_event_setting *settings; ///< by event
    trm_output_formula *outputs; ///< [sizes.noutput]
    int nreadings, observed;     ///< observed: nonzero where conditions or settings have some
    trm_sensor *readings;        ///< [nreadings] in outputs and events, of one number each
    int output_room;             ///< doubles that one of them needs at most
    int ncontacts, poisson;      ///< poisson: impacts by that law
    int nloaded;                 ///< of the contacts, with a coefficient
    int nswitched, nbreaking;    ///< of them, rows that inputs switch, and that break
    int npairs;                  ///< of them, frictions of stops in space
    int contact_room;            ///< of them, the most that may move each other at once
    int contacts_at_once;        ///< and the most that may act at once
    trm_contact_row *contacts;   ///< [ncontacts] of joints, then screws, then stops
    const double *weights;       ///< [slots] of all forces those that depend on nothing
    const double *constant_f;    ///< [nv] all forces but gyroscopic ones, where they are constant
    const double *constant_a;    ///< [nv] M^-1 f likewise
    int nguides;
    trm_guide *guides; ///< [nguides] points on curves
    int scratch;       ///< doubles of pose.scratch
    int room;          ///< doubles of pose.room
    int user_work;     ///< doubles that user rows need: largest rows * nv

    trm_arena arena; ///< all arrays above
};

/// Whether row i moves as the time or an input says: of a motor, or of a constraint of these.
int trm_model_is_given(const trm_model *model, int i);

/// Coordinate or velocity k of a body is one of turning.
static inline int trm_model_q_turns(const trm_model *model, const trm_body_info *body, int k)
{
    return model->lengths ? !model->lengths[body->q0 + k] : k >= model->bodies.dimension;
}

static inline int trm_model_v_turns(const trm_model *model, const trm_body_info *body, int k)
{
    return model->lengths ? !model->lengths[model->sizes.nq + body->v0 + k]
                          : k >= model->bodies.dimension;
}

/// As trm_model_build, with coordinates of joints whatever the scene says.
trm_status trm_model_build_in_joints(const trm_scene *scene, trm_model **out, trm_error *err);
/// As trm_model_build, of bodies, with n rows more behind all others.
trm_status trm_model_build_held(const trm_scene *scene, int n, const trm_held_row *held,
                                trm_model **out, trm_error *err);

/// A system for one run. Counts or carves its memory from `arena`; see arena.h. The returned
/// pointer is NULL while counting.
trm_system *trm_assembler_layout(const trm_model *model, double delta, trm_arena *arena);
trm_system *trm_equations_layout(const trm_model *model, double delta, trm_arena *arena);

/// The poses of the bodies of a run at (t, q), velocities and
/// accelerations in slots (bodies/pose.h).
typedef struct trm_kinematics {
    const trm_pose *pose;
    const double *V, *A;
} trm_kinematics;

/// An element has failed: records the first of its n formulas that gives the reason.
void trm_assembler_blame(trm_system *system, const trm_pose *pose, const double *V,
                         const char *name, const trm_function *formulas, int n);

/// For models from scenes, a as it is mapped by N alone. Moves the current point, but leaves the
/// rows where they were.
trm_kinematics trm_assembler_kinematics(trm_system *system, double t, const double *q,
                                        const double *v, const double *a);

/// The same of n bodies alone: all others stay where they are. The ground has been looked at
/// before.
trm_kinematics trm_assembler_kinematics_of(trm_system *system, double t, const double *q,
                                           const double *v, int n, const int *list);

/// Of a coordinate x of the bodies, whose gradient is in slots: row[nv] := its gradient in
/// velocities of the system, at the point looked at last. Returns what bodies add to x'' by T' v,
/// where velocities of the bodies are T v.
double trm_assembler_row(trm_system *system, const double *slots, double *row);

/// Of an assembler: its pose, for others to write;
trm_pose *trm_assembler_pose(trm_system *system);
/// room for the coordinates of the bodies, for functions of the user; NULL: there are none;
double *trm_assembler_user_q(trm_system *system);
/// what follows from a pose that stands, as from a position: rows; the state of motion; switching
/// functions.
int trm_assembler_rows(trm_system *system, double t);
trm_kinematics trm_assembler_moving(trm_system *system, double t, const double *v, const double *a);
void trm_assembler_switching(trm_system *system, double t, const double *v, int only, double *g);
enum { TRM_PIN_BLOCK = 12 };
/// G of a block of rows, [bodies][rows][width], in `room` where it is a pin.
const double *trm_assembler_block(const trm_system *system, int block, double room[TRM_PIN_BLOCK]);

/// The system of the model: of bodies, of joint coordinates (engine/joint_coordinates) or of
/// equations.
trm_system *trm_model_system(const trm_model *model, double delta, trm_arena *arena);

/// model->names. While the arena counts only room is taken.
void trm_model_index_names(trm_model *model);

/// model->components, by model->component and the blocks of rows. While the arena counts only room
/// is taken.
void trm_model_find_components(trm_model *model);
