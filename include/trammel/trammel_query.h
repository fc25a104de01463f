/// @file
/// Trammel: what a roboticist asks of a mechanism.
///
/// Jacobians of points, inverse dynamics, equilibria, and the
/// linearization of the motion on the constraints:
///
///   Z[nv*d]   the motions that the constraints allow:  G Z = 0,  Z^T M Z = I,  d = nv - rank G
///   W[d*nv]   = Z^T M, its inverse on them:  W Z = I
///   x = (y, w)   deviation from a state:  y = W P (q - q0),  w = W (v - v0),  P = (N^T N)^-1 N^T
///   x' = drift + A x + B u,    output - output_0 = C x + D u
///
/// Around a state in which spatial bodies turn, a linearization measures of their turns the part
/// about their own axes alone, M' in place of M in Z^T M Z and W: spinning wheels then do not carry
/// the directions of their frames into A. Where constraints hold velocities alone, y has more
/// entries, p, than w, d: see trm_linear.
///
/// P (q - q0) are displacements that belong to v: for a body in the plane (dx, dy, dangle). In
/// these units of sqrt(kg) m a conservative mechanism at rest has a symmetric stiffness. Redundant
/// constraints are allowed. A singular position, where the rank of G is lower than nearby, is
/// refused with TRM_ERR_SINGULAR: the motions do not form a surface there. Rank is judged as by
/// trm_diagnosis: on rows and columns scaled by the size of the model.
///
/// Shapes, units and signs are those of trammel.h; t in s, q[nq], v[nv]. The matrices are dense:
/// meant for up to about a hundred bodies.
///
/// @code
///     trm_query *query = NULL;
///     double linear[3 * 6];
///     const double tip[3] = {1, 0, 0};
///     if (!trm_query_create(model, &query, &err) && !trm_query_close(query, 0, q, v, &err)) {
///         trm_model_jacobian(model, trm_model_find(model, TRM_ELEMENT_BODY, "arm"), tip, q, NULL,
///                            &(trm_jacobian){.linear = linear}, &err);
///     }
///     trm_query_destroy(query);
/// @endcode
#ifndef TRAMMEL_QUERY_H
#define TRAMMEL_QUERY_H

#include "trammel_model.h"
#include "trammel_scene.h"

TRM_API_BEGIN

/// What has a name of its own in a model.
typedef enum trm_element {
    TRM_ELEMENT_BODY,
    TRM_ELEMENT_MARKER,
    TRM_ELEMENT_JOINT,
    TRM_ELEMENT_INPUT,
    TRM_ELEMENT_ACTUATOR,
    TRM_ELEMENT_CONTACT
} trm_element;

/// The index of the element of that kind and name; -1 if there is none.
int trm_model_find(const trm_model *model, trm_element kind, const char *name);

// -------------------------------------------------------------------------------------- Jacobians

/// How a body-fixed point moves: x' = linear v, omega = angular v, in world axes. NULL: not wanted.
typedef struct trm_jacobian {
    double *linear;       ///< [3*nv]
    double *angular;      ///< [3*nv] zero for a point mass, which does not turn
    double *linear_bias;  ///< [3] m/s^2, linear' v: the point's acceleration where a = 0
    double *angular_bias; ///< [3] rad/s^2, angular' v
} trm_jacobian;

/// Jacobians of a point of `body`, `local` (m) in its frame; negative: of the ground. `v` may be
/// NULL when no bias is wanted. In the plane the third row of `linear` and the first two of
/// `angular` vanish. Linear^T F is the generalized force of a world force F, as trm_model_push has
/// it. Allocates nothing. Errors: OPTIONS (NULL, no such body, not finite, a model from equations).
trm_status trm_model_jacobian(const trm_model *model, int body, const double local[3],
                              const double *q, const double *v, const trm_jacobian *out,
                              trm_error *err);

// ----------------------------------------------------------------------------------- the questions

/// Working memory for questions about a model, for one thread at a time. Borrows the model. The
/// functions below may allocate, and free everything except what they return. A query counts no
/// turns: the angle of a spatial hinge lies within half a turn of the start's.
typedef struct trm_query trm_query;

/// Errors: OPTIONS (NULL), MEMORY, CALLBACK (the model cannot be evaluated in its initial state).
trm_status trm_query_create(const trm_model *model, trm_query **out, trm_error *err);
void trm_query_destroy(trm_query *query);

/// What one force of the scene (trammel_view.h) exerts: F[6*nbody], force (N) and moment (N m)
/// about the centre of mass, world axes. Errors: OPTIONS (NULL, no such force, not finite),
/// CALLBACK (a formula of it is no number there).
trm_status trm_query_force(trm_query *query, int force, double t, const double *q, const double *v,
                           double *F, trm_error *err);

/// Inputs of the scene are constant in a query: the values of the scene, until they are set here.
/// Errors: OPTIONS (NULL), and those of trm_sim_set_input.
trm_status trm_query_set_input(trm_query *query, int input, double value, trm_error *err);

/// Spatial hinges count their turns from those of the run: a query takes the angle nearest to
/// the angle of the run; before this call, the angle within half a turn of the start's. Inputs
/// get the values of the run. With the `scene` of the model the contacts that press or stick at the
/// end of the last step, and joints that a switch has closed, are constraints from now on: motions
/// and linearizations are those that keep them. NULL: none are. Errors: OPTIONS (NULL, another
/// model, a contact that presses and slips with friction), MEMORY.
trm_status trm_query_take_run(trm_query *query, const trm_scene *scene, const trm_sim *sim,
                              trm_error *err);

/// The closed position nearest to q, and in it the velocity nearest to v that [VEL] allows, in the
/// mass metric. With motors: where the mechanism is at t, from where it was a little earlier.
/// Errors: OPTIONS, INCONSISTENT (nothing near closes; q and v are then as they were), CALLBACK.
trm_status trm_query_close(trm_query *query, double t, double *q, double *v, trm_error *err);

/// d at (t, q), or -1 on failure. Errors: OPTIONS, CALLBACK, MEMORY.
int trm_query_freedoms(trm_query *query, double t, const double *q, trm_error *err);

/// Z[nv*d] and W[d*nv] at (t, q), each may be NULL; give room for nv*nv entries, or ask for d
/// first. Errors: OPTIONS, CALLBACK, MEMORY.
trm_status trm_query_motions(trm_query *query, double t, const double *q, int *d, double *Z,
                             double *W, trm_error *err);

// -------------------------------------------------------------------------------- inverse dynamics

/// force[njoint]: what the motor of each joint must give at (t, q, v) for the motion it prescribes,
/// N or N m, positive along the joint's coordinate, without dry friction; 0 without a motor.
/// unique[njoint] (may be NULL): zero where several motors, or a motor and a redundant constraint,
/// share a force that is not determined; the force returned belongs to the multipliers of least
/// sum, see trm_diagnosis.unique. Errors: OPTIONS, CALLBACK, SINGULAR, MEMORY.
trm_status trm_query_motor_forces(trm_query *query, double t, const double *q, const double *v,
                                  double *force, int *unique, trm_error *err);

/// column[nv] := the generalized force of force 1 (N or N m) along the coordinate of a revolute or
/// prismatic joint at q, positive on b, as its motor or a joint_force would give: a column of B
/// below. Allocates nothing. Errors: OPTIONS (no such joint, or it has no coordinate).
trm_status trm_query_joint_direction(trm_query *query, int joint, const double *q, double *column,
                                     trm_error *err);

/// A question of inverse dynamics: which tau gives M a = f + B tau - G^T lambda?
typedef struct trm_drive_task {
    const double *a; ///< [nv] the acceleration wanted
    const double *B; ///< [nv*nu] column k: generalized force of actuator k at force 1
    int nu;          ///< actuators, >= 0
    const double
        *weight; ///< [nu] > 0; NULL: 1. Where many tau do, the sum of weight tau^2 is least
} trm_drive_task;

/// Answer of an inverse dynamics task; NULL: not wanted. Memory is the caller's.
typedef struct trm_drive_forces {
    double *tau;     ///< [nu] N or N m
    int *unique;     ///< [nu] nonzero: this tau is determined
    double *lambda;  ///< [nc] the multipliers that go with it
    double *missing; ///< [nv] M a - f - B tau + G^T lambda, the generalized force that is missing,
                     ///< the least possible in the metric of M^-1
    // written by the call
    int rank;       ///< of the actuators on the motions Z: d means that every motion can be driven
    int realizable; ///< nonzero: `missing` is roundoff
    double
        shortfall; ///< |missing| over |M a - f| without constraint forces; 0 when it is realizable
    double gap;    ///< max |(G a - gamma)_i|, m/s^2 or rad/s^2: how far `a` is off the constraints
    int gap_row;   ///< where; -1 without constraints
} trm_drive_forces;

/// Inverse dynamics at (t, q, v), closed loops and redundant constraints or not. `a` is taken as it
/// is, off the constraints (`gap`) or on them. Errors: OPTIONS, CALLBACK, SINGULAR, MEMORY.
trm_status trm_query_inverse_dynamics(trm_query *query, double t, const double *q, const double *v,
                                      const trm_drive_task *task, trm_drive_forces *out,
                                      trm_error *err);

// ------------------------------------------------------------------------------------ joint space

/// A question of joint-space dynamics, and where its answer goes; NULL: not wanted. theta are the
/// coordinates of n revolute or prismatic joints, v = S theta' + what motors give:
///
///   M theta'' + h = S^T (a force of the caller),    h = C theta' + gravity and forces of the scene
typedef struct trm_joint_space {
    const trm_scene
        *scene;        ///< that of the model, unchanged; NULL: the model is in joint coordinates
    int n;             ///< as many as freedoms, or fewer: what is left moves by itself
    const int *joints; ///< [n] indices
    double *M;         ///< [n*n] kg m^2, kg m or kg
    double *h;         ///< [n] N m or N: also Coriolis and centrifugal forces
    double *C;         ///< [n*n] of Christoffel's symbols: M' - 2 C is skew; no motor moves
    double *S;         ///< [nv*n] J S is the Jacobian of a point in theta
} trm_joint_space;

/// M, h, C and S at (t, q, v) by recursion along the spanning tree (Featherstone), closed loops by
/// their cuts. The forces are those of a state without contacts and dry friction. Errors: OPTIONS
/// (more joints than freedoms, one without a coordinate, one closed by a switch, a model from
/// equations), SINGULAR (the coordinates do not determine the motion here), SCENE, CALLBACK,
/// MEMORY.
trm_status trm_query_joint_space(trm_query *query, double t, const double *q, const double *v,
                                 const trm_joint_space *out, trm_error *err);

// ----------------------------------------------------------------------------------- linearization

/// One scalar to observe: the displacement of a body-fixed point along an axis, or the turn of a
/// body about it, or a derivative of these.
typedef struct trm_output {
    int body;        ///< negative: the ground, which does not move
    double local[3]; ///< m, the point in the body's frame; not used for turns
    double axis[3];  ///< world; its length is a factor
    int turn;        ///< nonzero: about the axis, else along it
    int derivative;  ///< 0: m or rad, 1: per s, 2: per s^2
} trm_output;

typedef enum trm_stability {
    TRM_STABILITY_STABLE,   ///< every deviation dies out
    TRM_STABILITY_MARGINAL, ///< none grows, some do not die out: undamped, or free to move
    TRM_STABILITY_UNSTABLE, ///< some deviation grows
    TRM_STABILITY_UNKNOWN   ///< of an equilibrium in a singular position
} trm_stability;

/// An eigenvalue s = re + i im of A, with im >= 0 (the conjugate is left out), and its eigenvector.
typedef struct trm_mode {
    double re, im;    ///< 1/s
    double error;     ///< 1/s, estimated from the error of A; large where eigenvalues coincide
    double frequency; ///< Hz, im/(2 pi)
    double damping;   ///< -re/|s|: the damping ratio; NAN where s is zero
    const double *shape_re, *shape_im; ///< [nv] displacements; the largest entry is 1
} trm_mode;

/// The linearization; all arrays belong to it. n = p + d. Where constraints hold velocities alone
/// (`rolling`) there are more freedoms of position, p, than of velocity, d; else d is p and the
/// number of states of the scene, which are the last of w. The first d columns of Z are the motions
/// allowed.
typedef struct trm_linear {
    double t;
    int d, n, nu, ny;
    int p;               ///< freedoms of position, of y
    const double *q, *v; ///< [nq], [nv] the state it is taken at
    const double *Z;     ///< [nv*m], m the larger of p and d: displacements = Z y by its first p
                         ///< columns, dv = Z w by its first d
    const double *W;     ///< [m*nv] y = W displacements by its first p rows, w = W dv by d
    const double *A, *B; ///< [n*n], [n*nu]
    const double *C, *D; ///< [ny*n], [ny*nu]
    const double *drift; ///< [n] x' in the state itself
    int at_rest;         ///< nonzero: the state is an equilibrium: v and the acceleration vanish
    double acceleration; ///< sqrt(kg) m/s^2, |W a|: zero in an equilibrium
    double error; ///< estimated largest error of A relative to its fastest rate omega: of rates
                  ///< over omega, of the stiffness dw'/dy over omega^2
    int nmodes;   ///< eigenvalues with im >= 0
    const trm_mode *modes;   ///< [nmodes] slowest first: by |s|
    trm_stability stability; ///< by the eigenvalues; a statement about the motion only if at_rest
    double growth;           ///< 1/s, the largest real part
    int nzeros; ///< of the transfer function from the last input to the last output, im >= 0
    const double *zeros; ///< [2*nzeros] 1/s, re and im of each
} trm_linear;

/// What a linearization contains besides A. Zero it and set what is wanted.
typedef struct trm_linear_task {
    const double *forces;      ///< [nv*nforce] generalized forces of inputs at u = 1
    int nforce;                ///< these come first in u
    const int *inputs;         ///< [ninput] inputs of the scene, by index; they come next
    int ninput;                ///< u is then the deviation from the value that the query has
    const trm_output *outputs; ///< [noutput]
    int noutput;
    const trm_sensor *sensors; ///< [nsensor] further outputs, by name: every number of each
    int nsensor;               ///< contacts are taken to be open
} trm_linear_task;

/// Linearize the motion around (t, q, v). q and v must be closed to 1e-8 of the model's size.
/// `task` may be NULL. Around a state in motion it is the linearization of the vector field of x at
/// this t, with `drift`: A then belongs to the coordinates x, as it does wherever x' is not zero,
/// and its eigenvalues are no property of the mechanism. (The dw'/dy of a rod about its end is 3
/// g/(2 l) sin(angle) - 3/4 rate^2; in its angle alone the last term would be missing.)
///
/// What has a closed form is exact: d y'/dw, B of forces, C and D of displacements. The rest are
/// central differences of the constrained acceleration along curves that stay on the constraints,
/// extrapolated (Ridders 1982) from steps of 1/20 of the shortest body downwards; `error` is the
/// spread of the last extrapolations. Errors: OPTIONS (an input that moves a motor or a constraint
/// among them), INCONSISTENT (q or v is not closed), SINGULAR (G loses rank here), CALLBACK,
/// MEMORY, DIVERGED (an eigenvalue was not found). *out goes to trm_linear_destroy.
trm_status trm_query_linearize(trm_query *query, double t, const double *q, const double *v,
                               const trm_linear_task *task, trm_linear **out, trm_error *err);
void trm_linear_destroy(trm_linear *linear);

/// x[n]: the deviation of another state (q, v), for feedback u = -K x.
/// Allocates nothing. Errors: OPTIONS (NULL).
trm_status trm_linear_deviation(const trm_linear *linear, const double *q, const double *v,
                                double *x, trm_error *err);

// -------------------------------------------------------------------------------------- equilibria

/// Start from trm_default_equilibrium_options.
typedef struct trm_equilibrium_options {
    double t;           ///< s, at which forces of time are taken
    int stable;         ///< nonzero: go downhill, to a minimum of the potential energy if there is
                        ///< one; zero: the equilibrium nearest by, stable or not
    int iterations;     ///< at most, >= 1
    double tolerance;   ///< > 0: force left over, relative to the largest met on the way
    size_t struct_size; ///< set by trm_default_equilibrium_options; leave it alone
    double *states;     ///< [nstate] as the last of v: the start, and on success those of the
                        ///< equilibrium; NULL: from the start of the scene, and not told
} trm_equilibrium_options;

void trm_get_default_equilibrium_options(trm_equilibrium_options *out, size_t size);
/// As a value.
static inline trm_equilibrium_options trm_default_equilibrium_options(void)
{
    trm_equilibrium_options out;
    trm_get_default_equilibrium_options(&out, sizeof out);
    return out;
}

/// What is left when the search ends, well or not.
typedef struct trm_equilibrium {
    int iterations;
    double residual; ///< sqrt(kg) m/s^2: length of the constrained acceleration in the mass metric
    double relative; ///< the same relative to the largest met on the way: what `tolerance` bounds
    int body;        ///< where f - G^T lambda is largest against its mass; -1 without bodies
    int component;   ///< of v, that of the largest; -1 when nothing is left
    double force;    ///< N or N m, (f - G^T lambda) there
    trm_stability stability; ///< of the linearized motion
    double growth;           ///< 1/s, its largest real part; NAN when it cannot be linearized
} trm_equilibrium;

/// Look for a position where the mechanism stays at rest: g = 0, v = 0, f = G^T lambda. q is the
/// start, closed first if it is open, and on success the equilibrium; on failure the last position
/// tried. lambda[nc] (NULL: not wanted): the multipliers there. `options`: NULL for the defaults.
///
/// Newton's method on W a(q) = 0 in the coordinates y. With `stable` the eigenvalues of the
/// symmetric part of the stiffness are taken by their size, so that every step goes downhill, and a
/// rest on a saddle is left along its steepest descent; else Levenberg-Marquardt steps, and one
/// downhill where |W a| gains less than a tenth. A step is bounded by a part of the model's size
/// and must lower the energy (f must do work), or |W a|. Turns of spatial hinges are counted on the
/// way, and from the equilibrium on afterwards, as by trm_query_take_run. States of the scene
/// are held while this is done; from there, or from the start where nothing was found, Newton's
/// method solves for positions and states together. Errors: OPTIONS,
/// INCONSISTENT (the start does not close; or a motor moves at t), SINGULAR, CALLBACK, MEMORY,
/// DIVERGED (none found: the sentence names the body that is still pushed).
trm_status trm_query_equilibrium(trm_query *query, const trm_equilibrium_options *options,
                                 double *q, double *lambda, trm_equilibrium *out, trm_error *err);

TRM_API_END

#endif
