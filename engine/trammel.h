/// @file
/// Trammel: dynamics of mechanisms, from a scene file to a trajectory.
///
///   [EOM]  M(q) a = f(t,q,v) - G(t,q)^T lambda,    q' = N(q) v,    0 = g(t,q)
///   [VEL]  0 = G v + g_t       g_t: partial derivative in t, zero unless a row is driven
///   [ACC]  0 = G a - gamma     gamma: minus everything in g'' that is free of a
///
/// Units    SI and radians, everywhere; there is no unit option. Double precision only.
/// Signs    -G^T lambda is the constraint force on the mechanism.
/// Shapes   name[rows] or name[rows*cols], row-major; indices start at 0.
/// Memory   *_load, *_build, *_create pair with *_destroy, which accepts NULL. Arguments are copied
///          unless called "borrowed". Between trm_sim_create and trm_sim_destroy Trammel itself
///          allocates nothing, except that trm_sim_set_state may while it looks for redundant rows; with
///          TRM_IDA SUNDIALS may.
/// Threads  No globals. A trm_model may serve many threads, a trm_scene or trm_sim one at a time; a
///          second call at work on a run, from another thread or from a function or observer that it
///          has called, is refused where it is seen.
/// Misuse   NULL where something is needed, an index or a size out of range, numbers that are not
///          finite: OPTIONS and a sentence. Functions without a status give zeros, NAN or NULL.
/// Sources  [AL95] Ascher & Lin, sequential regularization, nonlinear higher index (1995).
///          [AL93] the same, linear index 2 (1993).  [ACPR95] Ascher, Chin, Petzold & Reich (1995).
///          [B72] Baumgarte, CMAME 1 (1972).  Symbols: engine/NOTATION.md.
#ifndef TRAMMEL_H
#define TRAMMEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default) // all that the shared library shows
#endif

#define TRM_VERSION "0.1.0"
const char *trm_version(void); ///< Version of the linked library; compare with TRM_VERSION.

// ---------------------------------------------------------------------------------------- errors

/// Every function that can fail returns one: 0 success, > 0 orderly early stop, < 0 failure.
/// X(name, value, sentence): one list, so that no code can lack its sentence.
#define TRM_STATUS_LIST(X)                                                                         \
    X(TRM_OK, 0, "done")                                                                           \
    X(TRM_STOPPED, 1, "the observer or an event asked to stop; the state is valid")                \
    X(TRM_ERR_IO, -1, "file missing, unreadable or not writable")                                  \
    X(TRM_ERR_SYNTAX, -2, "not JSON")                                                              \
    X(TRM_ERR_SCENE, -3, "JSON, but no meaningful scene: unknown key, bad name, mass <= 0")        \
    X(TRM_ERR_OPTIONS, -4, "value out of range, or integrator and stabilization do not mix")       \
    X(TRM_ERR_INCONSISTENT, -5, "the initial state violates g = 0 or [VEL]")                       \
    X(TRM_ERR_SINGULAR, -6, "the constraints contradict each other here")                          \
    X(TRM_ERR_DIVERGED, -7, "state not finite, or step size underflow")                            \
    X(TRM_ERR_CALLBACK, -8, "a user function or an expression failed")                             \
    X(TRM_ERR_MEMORY, -9, "allocation failed")

typedef enum trm_status {
#define TRM_STATUS_ENUM(name, value, sentence) name = value,
    TRM_STATUS_LIST(TRM_STATUS_ENUM)
#undef TRM_STATUS_ENUM
} trm_status;

const char *trm_status_name(trm_status status); ///< "TRM_ERR_SCENE"; never NULL.

/// Filled on failure, untouched on success. Every `err` argument below may be NULL.
typedef struct trm_error {
    trm_status status;
    char message[256]; ///< one sentence: what was found, and what was expected
    char where[160];   ///< in the user's world: "a.json:14:7 /bodies/2/mass", "joint 'rod' row 0"
    double t;          ///< s, simulation time; NAN before the first step
    const char *file;  ///< in Trammel's world: the source file, line and function that raised it
    const char *func;
    int line;
} trm_error;

// ----------------------------------------------------------------------------------------- scene

/// An editable description: bodies, forces, constraints, initial state. Holds no numerics.
typedef struct trm_scene trm_scene;

/// Errors: IO, SYNTAX, SCENE, MEMORY. On failure *out is NULL.
trm_status trm_scene_load(const char *path, trm_scene **out, trm_error *err);
trm_status trm_scene_parse(const char *json, size_t length, trm_scene **out, trm_error *err);
void trm_scene_destroy(trm_scene *scene);

/// Override a parameter of the scene by a constant expression ("7*pi/4"), as --set does: every
/// number of the file that depends on it is evaluated anew. Errors: SCENE (no such parameter, or
/// the scene makes no sense with this value), SYNTAX, MEMORY; the scene is then as it was before.
trm_status trm_scene_set(trm_scene *scene, const char *parameter, const char *expression,
                         trm_error *err);

/// End a run where this condition ("tip.y < 0") begins to hold, as an event with the name "until" and
/// `stop` would; NULL: no longer. Errors: SCENE, SYNTAX, MEMORY; the scene is then as it was before.
trm_status trm_scene_stop_when(trm_scene *scene, const char *condition, trm_error *err);

/// What a scene file says of its own run, "simulation": {...}. Defaults for a front end.
typedef struct trm_simulation {
    double end;      ///< s; 0 when the file does not say
    double every;    ///< s, interval of recording; 0: every accepted step
    double accuracy; ///< see trm_choose_options; 0 when the file does not say
    int assemble;    ///< nonzero: "assemble": true
} trm_simulation;

const char *trm_scene_title(const trm_scene *scene); ///< "" without one; never NULL.
trm_simulation trm_scene_simulation(const trm_scene *scene);
int trm_scene_dimension(const trm_scene *scene); ///< 2 or 3

/// A named point of a body.
typedef struct trm_marker_info {
    const char *name; ///< borrowed from the model, or from the scene until it changes; NULL: none
    int body;         ///< index as in trm_model; -1: the ground
    double local[3];  ///< m, body frame (ground: world)
} trm_marker_info;

typedef struct trm_parameter_info {
    const char *name; ///< borrowed from the scene until it changes; NULL: no such parameter
    double value;
} trm_parameter_info;

/// Elements 0, 1, ... in the order of the file; the first without a name ends the list.
trm_marker_info trm_scene_marker_info(const trm_scene *scene, int marker);
trm_parameter_info trm_scene_parameter_info(const trm_scene *scene, int parameter);

/// Texts generated from the tables that drive the reader.
typedef enum trm_text {
    TRM_TEXT_SCHEMA,  ///< JSON schema, draft 2020-12: scenes/scene.schema.json
    TRM_TEXT_FORMAT,  ///< Markdown reference of the scene format: scenes/FORMAT.md
    TRM_TEXT_ELEMENTS ///< one line per element, for terminals
} trm_text;

/// *out is a terminated text, to be given to trm_text_destroy. Errors: MEMORY.
trm_status trm_text_create(trm_text which, char **out, trm_error *err);
void trm_text_destroy(char *text);

/// The scene compiled: names resolved, coordinates and rows numbered. Immutable; needs no scene.
typedef struct trm_model trm_model;

/// User functions. Return 0; or > 0 when the argument is outside the domain (adaptive integrators
/// retry with a smaller step, fixed-step ones fail); or < 0 to abort. They run on the thread that
/// steps, must not keep the pointers they get, and must give equal results for equal arguments.
typedef int trm_force_fn(const trm_model *model, double t, const double *q, const double *v,
                         double *f, void *user);
typedef int trm_position_fn(const trm_model *model, double t, const double *q, double *out,
                            void *user);
typedef int trm_velocity_fn(const trm_model *model, double t, const double *q, const double *v,
                            double *out, void *user);

/// Anything that adds to the right-hand side f of [EOM].
typedef struct trm_force_def {
    const char *name;    ///< for messages and reports
    trm_force_fn *force; ///< f[nv] += generalized force, N or N m
    void *user;          ///< borrowed until the last destroy
    const double
        *times; ///< [ntimes] s, rising, copied; may be NULL: when the force changes suddenly.
                ///< A step ends at each; up to there the function is called with earlier
                ///< times, from there on with that time and later ones
    int ntimes;
} trm_force_def;

/// Rows appended to g in [EOM].
typedef struct trm_constraint_def {
    const char *name;
    int rows;               ///< scalar equations, >= 1
    trm_position_fn *g;     ///< out[rows] = g, m or rad
    trm_position_fn *G;     ///< out[rows*nv] = (dg/dq) N
    trm_position_fn *g_t;   ///< out[rows], see [VEL]; NULL when g does not depend on t
    trm_velocity_fn *gamma; ///< out[rows], see [ACC]; NULL: central differences along the motion
    void *user;             ///< borrowed until the last destroy
} trm_constraint_def;

/// Errors: SCENE (duplicate name, missing function, rows < 1), MEMORY.
trm_status trm_scene_add_force(trm_scene *scene, const trm_force_def *def, trm_error *err);
trm_status trm_scene_add_constraint(trm_scene *scene, const trm_constraint_def *def,
                                    trm_error *err);

// ----------------------------------------------------------------------------------------- model

typedef struct trm_sizes {
    int nbody; ///< moving bodies, in scene order
    int nq;    ///< coordinates: planar body 3 (x, y, angle), spatial 7 (x, y, z, quaternion wxyz)
    int nv;    ///< velocities: planar 3, spatial 6 (linear in world axes, angular in body axes)
    int nc;    ///< constraint rows, in scene order, user rows last
    int nmarker, njoint, ninput; ///< in scene order; see trm_sim_set_input for inputs
    int nevent;                  ///< conditions that a run watches, in scene order
    int nactuator;               ///< servos and joint forces, in scene order
} trm_sizes;

/// Errors: SCENE (e.g. a joint names a missing body), MEMORY.
trm_status trm_model_build(const trm_scene *scene, trm_model **out, trm_error *err);
void trm_model_destroy(trm_model *model);

trm_sizes trm_model_sizes(const trm_model *model);
/// The index of the body, marker, joint or input of that name; -1 if there is none.
int trm_model_body(const trm_model *model, const char *name);
int trm_model_marker(const trm_model *model, const char *name);
int trm_model_joint(const trm_model *model, const char *name);
int trm_model_input(const trm_model *model, const char *name);

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
    const char *unit; ///< of its coordinate, "rad" (revolute) or "m" (prismatic); "" without one
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

/// A condition of the scene.
typedef struct trm_event_info {
    const char *name;
    const char *when;  ///< the condition as written
    const char *where; ///< "a.json:14:7 /events/2/when"; "" without a file
    int stops;         ///< nonzero: trm_sim_run ends where it begins to hold
} trm_event_info;

/// Of index 0 to nbody - 1 and so on; another index has a name that is NULL.
trm_body_info trm_model_body_info(const trm_model *model, int body);
trm_row_info trm_model_row_info(const trm_model *model, int row);
trm_marker_info trm_model_marker_info(const trm_model *model, int marker);
trm_joint_info trm_model_joint_info(const trm_model *model, int joint);
trm_input_info trm_model_input_info(const trm_model *model, int input);
trm_actuator_info trm_model_actuator_info(const trm_model *model, int actuator);
trm_event_info trm_model_event_info(const trm_model *model, int event);

/// The initial state as the scene gives it, q[nq] and v[nv], at t = 0.
void trm_model_initial_state(const trm_model *model, double *q, double *v);

/// World position x[3] (m) and velocity u[3] (m/s) of a body-fixed point; v and u may be NULL. A
/// negative `body` is the ground, here and below.
void trm_model_point(const trm_model *model, int body, const double local[3], const double *q,
                     const double *v, double x[3], double *u);
/// f[nv] += the generalized force of a world force F[3] (N) at a body-fixed point.
void trm_model_push(const trm_model *model, int body, const double local[3], const double F[3],
                    const double *q, double *f);

// ----------------------------------------------------------------- models from equations alone

/// A model without a scene: [EOM] given by functions, for equations derived by hand or by a
/// symbolic tool. All functions but g_t and N are required; shapes as in trm_model_sizes.
typedef struct trm_equations {
    const char *name;
    int nq, nv, nc;
    const double *q0, *v0;  ///< [nq], [nv] initial state at t = 0, copied; NULL: zero
    trm_position_fn *M;     ///< out[nv*nv], symmetric positive definite
    trm_velocity_fn *f;     ///< out[nv], everything but M v' and G^T lambda
    trm_position_fn *g;     ///< out[nc]
    trm_position_fn *G;     ///< out[nc*nv]
    trm_position_fn *g_t;   ///< out[nc]; NULL when g does not depend on t
    trm_velocity_fn *gamma; ///< out[nc]; only methods that use [ACC] ask for it
    trm_position_fn *N;     ///< out[nq*nv]; NULL when q' = v
    void *user;             ///< borrowed until the last destroy
} trm_equations;

/// Errors: OPTIONS (missing function, sizes), MEMORY.
trm_status trm_model_from_equations(const trm_equations *eq, trm_model **out, trm_error *err);

// ------------------------------------------------------------------------------------ simulation

/// How time advances. Files: integrators/.
typedef enum trm_integrator {
    TRM_HEUN,     ///< explicit trapezoid, order 2, the papers' scheme          rk.c
    TRM_MIDPOINT, ///< explicit midpoint, order 2                               rk.c
    TRM_RK4,      ///< classical Runge-Kutta, order 4                           rk.c
    TRM_DOPRI5,   ///< Dormand-Prince 5(4), adaptive, dense output              dormand_prince.c
    TRM_DOP853,   ///< Dormand-Prince 8(5,3), adaptive, dense output            dormand_prince.c
    TRM_HEM3,     ///< half-explicit, order 3, no second derivatives of g       hem3.c
    TRM_IDA       ///< BDF of order 1 to 5, adaptive, implicit: SUNDIALS IDA    ida.c
} trm_integrator;

/// How the constraints are kept. Files: integrators/. Which pairs mix: integrators/registry.c.
typedef enum trm_stabilization {
    TRM_PLAIN,         ///< [EOM] with [ACC]; drift grows like t^2               plain.c
    TRM_BAUMGARTE,     ///< [B72]: g'' + alpha1 g' + alpha0 g = 0 for [ACC]      baumgarte.c
    TRM_SRM,           ///< [AL95 (5.3)-(5.4)]; with E = I nothing but M is inverted   srm.c
    TRM_SRM_SINGULAR,  ///< [AL95 (5.5)-(5.6)]; passes isolated rank loss of G   srm_singular.c
    TRM_S_BOTH2,       ///< [ACPR95 (5.4)] applied twice after each step         s_both2.c
    TRM_PROJECTION,    ///< after each step, iterate to g = 0 and [VEL]          projection.c
    TRM_S_FULL,        ///< [ACPR95 (5.4)] once, F = H^T (H H^T)^-1              s_full.c
    TRM_S_BOTH,        ///< [ACPR95 (5.4)] once                                  s_both.c
    TRM_S_VEL,         ///< [ACPR95 (5.4)] once, velocity constraints only       s_vel.c
    TRM_S_POS,         ///< [ACPR95 (5.4)] once, position constraints only       s_pos.c
    TRM_S_IMPLICIT,    ///< [ACPR95 (5.2)]: F h at the end of the step           s_implicit.c
    TRM_S_CONTINUOUS,  ///< [ACPR95 (4.3)]: z' = fhat - gamma F h                s_continuous.c
    TRM_SRM_P,         ///< [AL95 (5.5)-(5.6)] in the limit epsilon -> 0, lambda predicted  srm_p.c
    TRM_ALF,           ///< [AL95 (4.4)-(4.5)], E = I: augmented Lagrangian      alf.c
    TRM_SRM_INVARIANT, ///< [AL95 (4.12)]: index 1, its invariants regularized  srm_invariant.c
    TRM_STATE_SPACE,   ///< [ACPR95 (3.1)-(3.2)]: independent local coordinates  state_space.c
    TRM_GGL,           ///< [ACPR95 (3.3)] with g = 0 and [VEL]: stabilized index 2    ggl.c
    TRM_TREE           ///< the angles of an open planar tree of pins; nothing to stabilize  tree.c
} trm_stabilization;

/// The matrix E of [AL95 (5.3)]; GB = G M^-1 G^T.
typedef enum trm_E { TRM_E_IDENTITY, TRM_E_GB_TRANSPOSED, TRM_E_GB_INVERSE } trm_E;

/// How an adaptive integrator chooses its steps. [ACPR95] does not say how its code did; the
/// second control is the one that comes nearest to its Table 6.4.
typedef enum trm_step_control {
    TRM_CONTROL_PI,  ///< error against the last one as well; scale atol + rtol |z|
    TRM_CONTROL_ACPR ///< the last error only, target 1/4; scale max(atol, rtol |z|); no care for
                     ///< singular positions
} trm_step_control;

/// BAUMGARTE, and ALF for g' and g.
typedef struct trm_baumgarte_options {
    double alpha1; ///< 1/s, >= 0: on g'
    double alpha0; ///< 1/s^2, >= 0: on g
} trm_baumgarte_options;

typedef struct trm_alf_options {
    double alpha2; ///< >= 0: on g''; 0 leaves second derivatives of g out
} trm_alf_options;

/// SRM, SRM_INVARIANT, SRM_SINGULAR and ALF.
typedef struct trm_srm_options {
    double epsilon;   ///< s: regularization [AL95 (5.3)]; 0 lets Trammel choose from h, E, G
    int iterations;   ///< iterates m carried per step, 1 to 1000; order p needs about p
    trm_E E;          ///< the matrix E; SRM and SRM_INVARIANT
    int lambda0_zero; ///< nonzero starts from lambda_0(t) = 0 as the tables do, else exactly
} trm_srm_options;

/// Post-stabilization, S_*.
typedef struct trm_post_options {
    double alpha;   ///< factor of F h: 0 < alpha < 2; S_IMPLICIT: any alpha > 0
    double gamma;   ///< 1/s, >= 0: S_CONTINUOUS; gamma times the step within RK stability
    int as_printed; ///< S_BOTH2: all of F kept in the second pass; else G^T anew, as the tables
} trm_post_options;

typedef struct trm_srm_p_options {
    int passes; ///< 1, or 2 to repeat each step with what the first one learned
    int degree; ///< of the polynomial that predicts lambda, 0 to 2
} trm_srm_p_options;

typedef struct trm_state_space_options {
    int tangent; ///< R G^T = 0; else coordinate partitioning
} trm_state_space_options;

/// Start from trm_default_options and change what you mean to change; a zeroed struct is refused, and so is
/// a value other than the default in an option that the method does not read (trm_method.parameters).
typedef struct trm_options {
    trm_integrator integrator;
    trm_stabilization stabilization;
    double h;          ///< s, > 0: the step; adaptive: the first one, 0 lets Trammel choose
    double rtol, atol; ///< adaptive integrators only; atol in the unit of each component
    trm_step_control step_control; ///< adaptive integrators; ACPR is meant for DOPRI5
    double max_step; ///< s: no step is longer; 0: no bound. For forces of functions of yours, which
                     ///< a step sees at its stages only; formulas need none
    int mass_metric; ///< S_*, PROJECTION: F = M^-1 G^T (G M^-1 G^T)^-1, else G^T (G G^T)^-1
    trm_baumgarte_options baumgarte;
    trm_alf_options alf;
    trm_srm_options srm;
    trm_post_options post;
    trm_srm_p_options srm_p;
    trm_state_space_options state_space;
    double tolerance;   ///< largest |g_i| and |(G v + g_t)_i| that counts as consistent
    int assemble;       ///< nonzero: close the initial state first instead of refusing it
    double damping;     ///< relative delta of the proximal solve with G M^-1 G^T
    size_t struct_size; ///< set by trm_default_options; leave it alone
} trm_options;

trm_options trm_default_options(trm_integrator integrator, trm_stabilization stabilization);

/// The method Trammel recommends for a global error of about `accuracy` (between 0 and 1, relative
/// to the size of the motion), and one sentence that says why. Errors: OPTIONS.
///
/// What `accuracy` sets: the tolerance of one step, rtol = atol = accuracy/100 (at least 1e-13).
/// Errors of steps add up and grow along a run. Over some ten to a hundred times the time scale of a
/// mechanism the energy error stays below `accuracy` of the kinetic energy and positions are right to
/// about `accuracy`; runs longer than that, or through many singular positions, lose up to a factor of
/// fifty, and chaotic motion loses its end state to any method.
trm_status trm_choose_options(const trm_model *model, double accuracy, trm_options *out,
                              char reason[256], trm_error *err);

/// One integrator with one stabilization.
typedef struct trm_method {
    trm_integrator integrator;
    trm_stabilization stabilization;
    const char *integrator_name, *stabilization_name; ///< "rk4", "s-both2": as on the command line
    const char *integrator_doc, *stabilization_doc;   ///< a clause about each
    const char *source;                               ///< equation of the papers
    int order;              ///< of the global error, with default parameters
    int adaptive;           ///< nonzero: uses rtol and atol, else h
    const char *parameters; ///< the fields of trm_options it reads besides h or rtol and atol
} trm_method;

/// Every pair that goes together; returns how many.
int trm_methods(const trm_method **out);

/// Whether this method can run this model: TREE takes open planar trees of pins, all others take any.
/// Errors: OPTIONS (the sentence names the joint or body in the way).
trm_status trm_method_fits(const trm_method *method, const trm_model *model, trm_error *err);

/// One run in progress: state, workspace, counters. Borrows its model.
typedef struct trm_sim trm_sim;

/// Errors: OPTIONS, INCONSISTENT, MEMORY.
trm_status trm_sim_create(const trm_model *model, const trm_options *options, trm_sim **out,
                          trm_error *err);
void trm_sim_destroy(trm_sim *sim);

/// Restart from t (s), q[nq], v[nv]; counters go back to zero. Errors: INCONSISTENT; the run then has
/// no state to go on from until another is set.
trm_status trm_sim_set_state(trm_sim *sim, double t, const double *q, const double *v,
                             trm_error *err);

/// Give input number `input` a value from now on, until it is set again. At once, or, for an input
/// that is "smooth", within that time: the value then has two continuous derivatives, which motors
/// and constraints need. Work, history of the method and step size go on; the next step begins with
/// the new value, and what was computed before (accelerations, multipliers) stays as it is until
/// then. A restart keeps the values and ends what is on its way. The value an input already has
/// changes nothing. Errors: OPTIONS (no such input, a value that is not finite).
trm_status trm_sim_set_input(trm_sim *sim, int input, double value, trm_error *err);
double trm_sim_input(const trm_sim *sim, int input); ///< As set last; NAN if there is none.

/// Add dq[nq] and dv[nv] (NULL: nothing) to the state between two steps, as noise or a shock would.
/// Nothing is checked or closed, and all counters go on; what was before cannot be sampled any more. With
/// TREE the angles and rates count, and from the next step on the rest follows from them.
/// Not for observers. Errors: OPTIONS (an entry that is not finite), SINGULAR, CALLBACK; the state is
/// then what it was.
trm_status trm_sim_shift(trm_sim *sim, const double *dq, const double *dv, trm_error *err);

/// Advance by one accepted step. After a failure the state is the last accepted one: nothing is
/// reset, clamped or repaired behind your back. On x86-64 numbers below 2.2e-308 count as zero during
/// the step, also in functions of yours that it calls. Errors: SINGULAR, DIVERGED, CALLBACK.
trm_status trm_sim_step(trm_sim *sim, trm_error *err);

/// Rollouts. A state is all that a run remembers: history of the method, counters, checks, options.
/// A run that goes on from it takes the same steps, to the last bit, as if it had not stopped; it
/// may be this run or another one of the same model, method and process. The bytes may be copied
/// and kept anywhere; what user functions remember is not in them.
/// Where another library keeps the history of a method the size is 0, and saving is refused.
size_t trm_sim_state_size(const trm_sim *sim); ///< bytes; the same as long as the run lives
/// Errors: OPTIONS (`size` < trm_sim_state_size, or that is 0), INCONSISTENT (the last restart was
/// refused).
trm_status trm_sim_save(const trm_sim *sim, void *buffer, size_t size, trm_error *err);
/// Errors: OPTIONS (bytes that are not a whole state of this model and method; the run is then as it
/// was before). The check finds accidents; a sum that anyone can compute is no signature: bytes that
/// somebody may have made on purpose are not to be restored or imported.
trm_status trm_sim_restore(trm_sim *sim, const void *buffer, size_t size, trm_error *err);

/// The same for the disk: bytes, as many as trm_sim_state_size, that a run of another process may go on from: of the
/// same build of the library, a model of the same scene, and the same options. Both take memory for the while.
/// Errors: as trm_sim_save; MEMORY.
trm_status trm_sim_export(const trm_sim *sim, void *buffer, size_t size, trm_error *err);
/// Errors: as trm_sim_restore; MEMORY. What of the scene is compared are its sizes, the names of rows and all options.
trm_status trm_sim_import(trm_sim *sim, const void *buffer, size_t size, trm_error *err);

/// Called after each accepted step; return nonzero to stop the run. It may sample, not step.
typedef int trm_observer_fn(trm_sim *sim, void *user);

/// Step until t_end (s) is hit exactly; the last step is shortened. `observe` may be NULL. Returns
/// STOPPED where an event of the scene that stops has begun to hold, or where the observer says so.
trm_status trm_sim_run(trm_sim *sim, double t_end, trm_observer_fn *observe, void *user,
                       trm_error *err);

/// The same without an observer, for control loops: called with t = k * period after the inputs are
/// set, it lands on t exactly with any integrator. Errors: as trm_sim_step, OPTIONS (t lies behind).
trm_status trm_sim_step_to(trm_sim *sim, double t, trm_error *err);

// ---------------------------------------------------------------------------------------- check

typedef enum trm_redundancy_kind {
    TRM_STRUCTURAL,    ///< dependent in a neighbourhood too
    TRM_SINGULAR_HERE, ///< dependent in this position only
    TRM_CONTRADICTORY, ///< dependent, and no nearby position satisfies them
    TRM_UNCLASSIFIED   ///< dependent here; a nearby position would take too long to find
} trm_redundancy_kind;

/// A row that follows from others, with those others.
typedef struct trm_redundancy {
    const int *rows; ///< [nrows] a dependent set, the superfluous row first
    int nrows;
    trm_redundancy_kind kind;
} trm_redundancy;

/// What can be said of a model in its initial state.
typedef struct trm_check {
    trm_sizes sizes;
    int rank;                       ///< of G, rows and columns scaled so that no unit matters
    int degrees_of_freedom;         ///< nv - rank
    int consistent;                 ///< nonzero: both residuals are within the tolerance
    double position, velocity;      ///< max |g_i| and max |(G v + g_t)_i|, m or rad (per s)
    int position_row, velocity_row; ///< where; -1 without constraints
    int nredundant;
    const trm_redundancy *redundant; ///< [nredundant] = nc - rank
} trm_check;

/// With options->assemble the state after assembly is checked. `options` may be NULL.
/// Errors: OPTIONS, MEMORY, CALLBACK. *out goes to trm_check_destroy.
trm_status trm_check_create(const trm_model *model, const trm_options *options, trm_check **out,
                            trm_error *err);
void trm_check_destroy(trm_check *check);

// ------------------------------------------------------------------ what a simulation has to say

/// Borrowed pointers, valid until the next call that takes a non-const trm_sim.
typedef struct trm_state {
    double t;        ///< s
    const double *q; ///< [nq] m, rad
    const double *v; ///< [nv] m/s, rad/s
    const double *a; ///< [nv] m/s^2, rad/s^2, from [EOM] at (t, q, v)
    const double
        *lambda; ///< [nc] N or N m, by row; where G loses rank one solution of many: of rows
                 ///< left idle (closed by others so far) about 0
} trm_state;

typedef struct trm_drift {
    double position; ///< max_i |g_i|, m or rad
    double velocity; ///< max_i |(G v + g_t)_i|, m/s or rad/s
    int row;         ///< where `position` is attained; -1 without constraints
} trm_drift;

/// kinetic + potential - work is constant along the exact motion.
typedef struct trm_energy {
    double kinetic;   ///< J, v^T M v / 2
    double potential; ///< J, gravity and springs
    double work;      ///< J, done since the start by dampers, drives and user forces
} trm_energy;

typedef struct trm_stats {
    long steps, rejected;
    long force_evals;    ///< of f
    long jacobian_evals; ///< of G
    long factorizations; ///< of G M^-1 G^T
    long closed_steps;   ///< that met a singular position: an acceleration is its limit there
    long fallbacks;      ///< steps that SRM_P took without its history
    long switches;       ///< times that STATE_SPACE chose another partition on the way
    double epsilon;      ///< s: what SRM really used; 0 otherwise
    double epsilon_safe; ///< s: smallest epsilon that was stable at the start; 0 otherwise
    double h;            ///< s: size of the last step
} trm_stats;

/// What is known of how a run followed the inputs that change with the time: formulas of t, inputs, tables, users'
/// functions.
typedef enum trm_inputs_followed {
    TRM_INPUTS_NONE, ///< nothing changes with the time by itself
    TRM_INPUTS_PROVED, ///< no change can have been missed: steps end on switches, intervals cover the rest
    TRM_INPUTS_SAMPLED, ///< users' functions: seen where the steps looked, at least every max_step
    TRM_INPUTS_UNCHECKED ///< seen where the steps looked, and nowhere else: a short pulse may be lost
} trm_inputs_followed;

/// What independent checks say of the run so far, taken at every accepted step.
typedef struct trm_report {
    double position_drift, velocity_drift; ///< largest so far; see trm_drift
    int worst_row;         ///< where position_drift was attained; -1 without constraints
    double energy_initial; ///< J, kinetic + potential at the start
    double energy_error;   ///< J, max |kinetic + potential - work - energy_initial|
    double
        energy_error_relative; ///< energy_error over the largest kinetic energy; over energy_scale at rest
    double
        energy_scale; ///< J, largest kinetic energy, change of potential energy, or work so far, and
                      ///< at least 1e-6 of the potential energy: what energy_error compares with
    long branch_changes;           ///< times the velocity jumped at a rank drop of G
    double first_branch_change;    ///< s; NAN when there was none
    long crossings;                ///< times the rank of G dropped and came back; what trm_sim_step
                                   ///< passes may count with the next step only
    long resolved;                 ///< of these, times it only came near to that; see trm_crossing
    double crossing_energy_lost;   ///< J, the largest |energy_lost| of a crossing
    double t_crossing_energy_lost; ///< s: when; NAN when there was none
    double
        rcond_min; ///< smallest pivot of G M^-1 G^T against its own diagonal entry, rows that are
                   ///< dependent everywhere left out; 1 without constraints
    double t_rcond_min;       ///< s: when
    long bifurcations;        ///< crossings where the velocity did not say which motion to continue
    double first_bifurcation; ///< s; NAN when there was none
    double
        position_drift_relative; ///< largest |g_i| over the size of its mechanism (in rad: as it is)
    double
        between_relative; ///< the same within the steps, of the dense output before it is brought to the
    ///< constraints: at every sample, and at three points of each step where rows move
    ///< with the time; what a recording invents there shows here
    double between;   ///< m or rad: that |g_i|
    int between_row;  ///< where; -1: nowhere
    double t_between; ///< s: when; NAN: never
    trm_inputs_followed inputs;
} trm_report;

trm_report trm_sim_report(const trm_sim *sim);

// --------------------------------------------------------------------------------------- sensors

/// Something that can be read of a run, looked up by name once:
///
///   t                                     s
///   INPUT                                 the value in force
///   POINT.position velocity acceleration  [3] m, m/s, m/s^2, world axes; POINT: a marker, or a body
///   POINT.x y z vx vy vz ax ay az         (its centre of mass); in the plane the third is zero
///   BODY.angle rate angular_acceleration  planar: rad, rad/s, rad/s^2
///   BODY.quat_wxyz rate angular_acceleration   [4], [3], [3]: spatial, body axes;   BODY.wx wy wz
///   JOINT.coordinate coordinate_rate      of a revolute (rad, rad/s) or prismatic one (m, m/s); zero
///                                         in the initial pose, as for motors
///   JOINT.force torque                    [3] N, N m: what a exerts on b through all rows of the
///                                         joint, its motor's included, in world axes, the torque
///                                         about the joint's point of b
///   JOINT.force_x y z torque_x y z        single components; in the plane force_x, force_y, torque_z
///   JOINT.motor                           N m or N: what its motor exerts, positive on b
///   JOINT.lambda, CONSTRAINT.lambda       [rows] its multipliers
///   DRIVE.effort                          N m or N: of a servo or joint_force, positive on b
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

/// out[sensor->size] at the end of the last step; accelerations, forces and multipliers are those
/// with the inputs of that step. No allocation; the run goes on as if it had not been asked.
/// Errors: OPTIONS (NULL, a sensor of another model), INCONSISTENT (the last restart was refused),
/// CALLBACK.
trm_status trm_sim_read(const trm_sim *sim, const trm_sensor *sensor, double *out, trm_error *err);

/// Passage through a position where G loses rank. What lies behind t is known once the mechanism is
/// far from it again (`judged`).
typedef struct trm_crossing {
    double t; ///< s
    double h; ///< s, size of the step that passed it
    double
        sigma; ///< smallest singular value of D^-1/2 G M^-1/2 that is not zero everywhere; D: the
               ///< largest diagonal entries of G M^-1 G^T so far
    int rank_before, rank_at,
        rank_after; ///< of G; before is 0 when the run starts there, after is 0
                    ///< until judged
    int nrows;
    const int *rows; ///< [nrows] the rows that depend on each other there; where more than 64 rows
                     ///< lose their rank at once, what the others depend on is left out, and sigma
                     ///< is a bound
    int bifurcation; ///< nonzero: (almost) at rest there, so that several motions continue this one
    int judged;
    int resolved; ///< nonzero: near a singular position only (bars not quite equal), and the steps
                  ///< show a regular motion there
    int branch_changed; ///< nonzero: the velocity jumped
    double energy_lost; ///< J, of kinetic + potential - work, from before to behind
} trm_crossing;

/// Crossing i, 0 <= i < report.crossings. Returns 0 when it is no longer kept: the last 100 are.
int trm_sim_crossing(const trm_sim *sim, long i, trm_crossing *out);

/// A condition of the scene has begun to hold; or held at the start.
typedef struct trm_event {
    double t;            ///< s
    int event;           ///< which, as in trm_model_event_info
    const double *q, *v; ///< [nq], [nv] the state there; borrowed until the next call
} trm_event;

/// How many there were so far, and number i of them, 0 <= i. Returns 0 when it is no longer kept: the
/// last 100 are.
long trm_sim_events(const trm_sim *sim);
int trm_sim_event(const trm_sim *sim, long i, trm_event *out);

/// How the run has followed formulas of t, docs/events.md.
typedef struct trm_following {
    trm_inputs_followed inputs;
    double missed;   ///< fixed steps: largest part of a formula's range that a step may have missed
    long unproved;   ///< steps for which there was no proof
    long switched;   ///< times that a formula has changed its branch
    int user_forces; ///< nonzero: the model has functions of the user, which are sampled
} trm_following;

trm_following trm_sim_following(const trm_sim *sim);

trm_state trm_sim_state(const trm_sim *sim);
trm_drift trm_sim_drift(const trm_sim *sim);
trm_energy trm_sim_energy(const trm_sim *sim);
trm_stats trm_sim_stats(const trm_sim *sim);

/// Rows of G that do not follow from others: the rank at the present point, by the rule of trm_check, or, where
/// this point is singular, the higher one that the pivots of the run have shown before. The degrees of freedom are
/// nv less that. With redundant rows it takes a dense factorization and memory of its own: not for every step.
/// (Beyond 1000 rows the pivots alone count; they see no row that is within 1e-3 of the others.) 0 for NULL.
int trm_sim_rank(const trm_sim *sim);

/// All of it at a time between two steps.
typedef struct trm_sample {
    trm_state state;
    trm_drift drift;
    trm_energy energy;
    double rcond;                      ///< as trm_report.rcond_min, at this time
    long crossings;                    ///< as in trm_report, up to this time
    long bifurcations, branch_changes; ///< up to the end of the step
} trm_sample;

/// The sample at t (s) within the last accepted step, by the integrator's dense output; a and
/// lambda are evaluated there. Errors: OPTIONS (t outside the step), CALLBACK.
trm_status trm_sim_sample(trm_sim *sim, double t, trm_sample *out, trm_error *err);

/// What n sensors show in a sample of the last step: out has room for the sum of their sizes, one
/// after the other. All of it belongs to the time of the sample: forces are evaluated in its state,
/// inputs have the value of that time. No allocation; the run goes on as if it had not been asked.
/// Errors: as trm_sim_read.
trm_status trm_sim_read_sample(const trm_sim *sim, const trm_sample *sample, int n,
                               const trm_sensor *sensors, double *out, trm_error *err);

/// *sigma := the smallest singular value of D^-1/2 G M^-1/2 at t (s) within the last accepted step, D and what is
/// left out as in trm_crossing; from above, y^T S y/(y^T D y) of the smallest pivot's y: exact to
/// first order where it vanishes. 1 where the joints form a tree. Costs a factorization; the run goes
/// on as if it had not been asked. Errors: OPTIONS (NULL, t outside the step), CALLBACK.
trm_status trm_sim_singular_value(trm_sim *sim, double t, double *sigma, trm_error *err);

// --------------------------------------------------------------------------------------- stiffness

/// What limits the steps of an explicit pair (DOPRI5, DOP853) by stability, not by accuracy.
typedef struct trm_stiff {
    double rate; ///< 1/s: the largest eigenvalue, as the stages show it
    const char *
        source; ///< the force with the largest share in it, borrowed from the model; "" where none has half
    double
        share_rate; ///< 1/s: coefficient/inertia of a damper, sqrt(coefficient/inertia) of a spring
    double
        coefficient; ///< N s/m or N/m (N m s/rad or N m/rad where it turns), along the stiff direction
    double inertia; ///< kg or kg m^2, likewise
    int turns;      ///< nonzero: the stiff direction is mostly a rotation
    int spring;     ///< nonzero: by position; else by velocity
} trm_stiff;

/// Nonzero when the steps of the run are limited by stability now; *out says why. No allocation.
int trm_sim_stiff(trm_sim *sim, trm_stiff *out);

/// A run with other options that goes on where `from` is: its state, work, inputs, counters and report. `from` is as it
/// was. Kept crossings (trm_sim_crossing) are those of the new run. Errors: as trm_sim_create.
trm_status trm_sim_go_on(const trm_sim *from, const trm_options *options, trm_sim **out,
                         trm_error *err);

// ------------------------------------------------------------------------------ length and accuracy

/// How long a run is for its mechanism, and what it can keep.
typedef struct trm_span {
    double periods;  ///< own periods of the motion in the run, as its beginning tells; 0: not known
    double accuracy; ///< what double precision can keep over so many: what was wanted, or more
} trm_span;

/// Tolerances for a run from the initial state to t_end (s) with a global error of about `accuracy`: those in
/// `options` (trm_choose_options has set them for some ten own periods) times (10/periods)^2, since steps of one sign
/// change the energy in proportion to the time and the phase in proportion to its square; 1e-13 at least. The periods
/// come from the first twentieth of the run or its first three, which is run for this: kinetic energy of the
/// accelerations over that of the velocities is the square of the mean frequency. Integrators with fixed steps, and
/// starts that are refused, leave `options` as they are. Errors: OPTIONS, MEMORY.
trm_status trm_fit_length(const trm_model *model, double accuracy, double t_end,
                          trm_options *options, trm_span *out, trm_error *err);

/// How far two runs are apart at their end, for one body.
typedef struct trm_difference {
    double position; ///< m, of the centre of mass
    double angle;    ///< rad; in space, of the rotation from one to the other
    double velocity; ///< m/s
    double rate;     ///< rad/s
} trm_difference;

/// What a second run says of the first.
typedef struct trm_verification {
    int body;        ///< the one that is known least; -1: there are no bodies
    double relative; ///< its error, over the size of the mechanism or in rad
    double position; ///< m: largest error of a position
    double angle;    ///< rad: largest error of an angle
    double ratio;    ///< of the errors of the second run to those of the first: 0.1 or 10
    long steps;      ///< of the second run
} trm_verification;

/// A second run from the model's initial state to end->t, with a tenth of the tolerances, or fixed steps so much shorter
/// that their error is a tenth, and its difference from `end`, where a run with `options` has come to. With errors in
/// proportion that difference is 0.9 of the error of the first run: bodies[nbody] (NULL: not wanted) and *out are the
/// error; where the runs have parted, by a tenth of the size or more, the difference. Where double precision has no
/// finer tolerance, the second run is ten times as coarse, and the error a ninth of the difference. Inputs keep their
/// initial values. Errors: OPTIONS, MEMORY, and those of the second run.
trm_status trm_verify(const trm_model *model, const trm_options *options, const trm_state *end,
                      trm_difference *bodies, trm_verification *out, trm_error *err);

// --------------------------------------------------------------------------------------- queries

/// The terms of [EOM], [VEL] and [ACC], dense; NULL: not wanted. Memory is the caller's.
typedef struct trm_terms {
    double *M;      ///< [nv*nv]
    double *f;      ///< [nv] gravity, forces and gyroscopic terms; without `force`
    double *g;      ///< [nc]
    double *G;      ///< [nc*nv]
    double *g_t;    ///< [nc]
    double *gamma;  ///< [nc]
    double *N;      ///< [nq*nv]
    double *a;      ///< [nv] forward dynamics: M a = f + force - G^T lambda, G a = gamma
    double *lambda; ///< [nc] likewise
} trm_terms;

/// The terms at any t (s), q[nq], v[nv], on the constraints or off them; `force`[nv] (NULL: none), N
/// and N m, is a generalized force of the caller, a control input say. The run lends its memory and
/// goes on as if it had not been asked. Errors: OPTIONS (NULL, not finite), CALLBACK, SINGULAR.
trm_status trm_sim_terms(trm_sim *sim, double t, const double *q, const double *v,
                         const double *force, const trm_terms *out, trm_error *err);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
