/// @file
/// Trammel: a model, the scene compiled: names resolved, coordinates and rows numbered.
///
/// @code
///     trm_model *model = NULL;
///     if (trm_model_build(scene, &model, &err) == TRM_OK) {
///         const trm_sizes n = trm_model_sizes(model);
///         for (int i = 0; i < n.nc; i++) {
///             const trm_row_info row = trm_model_row_info(model, i);
///             printf("%s %s [%s]\n", row.name, row.label, row.unit);
///         }
///     }
///     trm_model_destroy(model);
/// @endcode
#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include "trammel_scene.h"

TRM_API_BEGIN

typedef struct trm_sizes {
    int nbody; ///< moving bodies, in scene order
    int nq;    ///< coordinates: planar body 3 (x, y, angle), spatial 7 (x, y, z, quaternion wxyz)
    int nv;    ///< velocities: planar 3, spatial 6 (linear in world axes, angular in body axes);
               ///< behind those of all bodies the states of the scene, in units of their scales
    int nc;    ///< constraint rows, in scene order, user rows last
    int nmarker, njoint, ninput; ///< in scene order; see trm_sim_set_input for inputs
    int nevent;                  ///< conditions that a run watches, in scene order
    int nactuator;               ///< servos and joint forces, in scene order
    int noutput;                 ///< formulas under "outputs", then "states", in scene order
    int nstate;                  ///< "states" of the scene, the last of the nv velocities
    int ncontact; ///< joints with limits or friction, then screws, then stops; trammel_contact.h
} trm_sizes;

/// Errors: SCENE (e.g. a joint names a missing body), MEMORY.
trm_status trm_model_build(const trm_scene *scene, trm_model **out, trm_error *err);
void trm_model_destroy(trm_model *model);

trm_sizes trm_model_sizes(const trm_model *model);

typedef struct trm_body_info {
    const char *name;
    int q0, nq; ///< its coordinates are q[q0] ... q[q0+nq-1]
    int v0, nv; ///< its velocities likewise
} trm_body_info;

typedef struct trm_row_info {
    const char *name;  ///< the joint, motor or constraint that owns the row
    const char *label; ///< which of its rows: "x", "y", "angle"; "" when it is the only one
    const char *unit;  ///< of g_i: "m" or "rad"; the multiplier's is N or N m
    const char *where; ///< "a.json:14:7 /joints/2"; "" without a file
} trm_row_info;

typedef struct trm_joint_info {
    const char *name;
    const char *type; ///< "revolute"
    int a, b;         ///< its bodies; -1: the ground
    int row, rows;    ///< its rows of g, the motor's last
    int has_motor;
    const char *unit; ///< of its coordinate, "rad" or "m"; "" without one
    int of;           ///< -1; of a freedom, as `J.slide`, the joint that it belongs to
} trm_joint_info;

/// A parameter that the scene marks as an input; see trm_sim_set_input.
typedef struct trm_input_info {
    const char *name;
    double value;  ///< at the start of a run
    double smooth; ///< s, a new value is taken up over this time; 0: at once
} trm_input_info;

/// A servo or a joint_force; what it exerts is the sensor NAME.effort.
typedef struct trm_actuator_info {
    const char *name;
    int joint;        ///< whose coordinate it drives
    const char *unit; ///< of its effort: "N m" (revolute) or "N" (prismatic)
} trm_actuator_info;

/// A formula under "outputs" of the scene, or a state; the sensor of its name reads it.
typedef struct trm_output_info {
    const char *name;
    const char *unit;  ///< as given, "W"; "" without one
    const char *value; ///< the formula as written
} trm_output_info;

/// A condition of the scene.
typedef struct trm_event_info {
    const char *name;
    const char *when;  ///< the condition as written
    const char *where; ///< "a.json:14:7 /events/2/when"; "" without a file
    int stops;         ///< nonzero: trm_sim_run ends where it begins to hold
    double every;      ///< s, of a sampled block, which trm_sim_events leaves out; else 0
} trm_event_info;

/// Description of an element by its index, 0 to nbody - 1 and so on; another index gives a name
/// that is NULL.
trm_body_info trm_model_body_info(const trm_model *model, int body);
trm_row_info trm_model_row_info(const trm_model *model, int row);
trm_marker_info trm_model_marker_info(const trm_model *model, int marker);
trm_joint_info trm_model_joint_info(const trm_model *model, int joint);
trm_input_info trm_model_input_info(const trm_model *model, int input);
trm_actuator_info trm_model_actuator_info(const trm_model *model, int actuator);
trm_event_info trm_model_event_info(const trm_model *model, int event);
trm_output_info trm_model_output_info(const trm_model *model, int output);

/// Something that can be read of a run, looked up by name once:
///
///   t                                     s
///   INPUT                                 the value in force
///   OUTPUT                                a formula under "outputs" of the scene
///   POINT.position velocity acceleration  [3] m, m/s, m/s^2, world axes; POINT: a marker, or the
///   POINT.x y z vx vy vz ax ay az         centre of mass of a body; in the plane the third is zero
///   BODY.angle rate angular_acceleration  planar: rad, rad/s, rad/s^2
///   BODY.quat_wxyz rate angular_acceleration   [4], [3], [3]: spatial, body axes;   BODY.wx wy wz
///   JOINT.coordinate coordinate_rate      of a revolute (rad, rad/s) or prismatic joint (m, m/s);
///                                         zero in the initial pose, as for motors
///   JOINT.force torque                    [3] N, N m: what a exerts on b through all rows of the
///                                         joint, its motor's included, in world axes, the torque
///                                         about the joint's point of b
///   JOINT.force_x y z torque_x y z        single components; in the plane force_x, force_y and
///                                         torque_z
///   JOINT.motor                           N m or N: what its motor exerts, positive on b
///   JOINT.lambda, CONSTRAINT.lambda       [rows] its multipliers
///   FORCE.effort                          N m or N: of a servo, motor, joint force or joint
///                                         spring, positive on b; N: the tension of a spring, or of
///                                         a rope that stretches
///   CONTACT.gap contact_force             m or rad, N or N m: the coordinate of a stop, or of a
///                                         joint with limits or friction, and what the limit, the
///                                         stop and friction exert along it
///   CONTACT.contact_undetermined          N or N m: so far off friction may be in a dwell, in
///                                         models with motors or expressions
///   energy.kinetic potential work         J, as trm_energy
///
/// Where joints are redundant, what they share is not unique; see trm_state.lambda.
typedef struct trm_sensor {
    int size;               ///< how many numbers it shows
    const char *unit;       ///< of each, "m/s^2"; never NULL
    const trm_model *model; ///< whose runs it reads; what follows is Trammel's
    int kind, index, first;
} trm_sensor;

/// Errors: OPTIONS (NULL, no such name or quantity; the message lists what there is).
trm_status trm_model_sensor(const trm_model *model, const char *name, trm_sensor *out,
                            trm_error *err);

/// The initial state as the scene gives it, q[nq] and v[nv], at t = 0.
void trm_model_initial_state(const trm_model *model, double *q, double *v);

/// World position x[3] (m) and velocity u[3] (m/s) of a body-fixed point; v and u may be NULL. A
/// negative `body` is the ground, here and below.
void trm_model_point(const trm_model *model, int body, const double local[3], const double *q,
                     const double *v, double x[3], double *u);
/// f[nv] += the generalized force of a world force F[3] (N) at a body-fixed point.
void trm_model_push(const trm_model *model, int body, const double local[3], const double F[3],
                    const double *q, double *f);

TRM_API_END

#endif
