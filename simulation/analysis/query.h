/// What the questions of trammel_query.h share: a model in one position, and the motions that its
/// constraints allow there.
#pragma once

#include "base/pool.h"
#include "engine/multibody/consistency.h"
#include "engine/rank/conditioning.h"
#include "engine/system/terms.h"
#include "trammel/trammel_query.h"

/// The model in joint coordinates, once joint_space.c has been asked for it.
typedef struct trm_joint_room {
    const trm_model *model; ///< the query's, or
    trm_model *built;       ///< of its scene
    trm_system *system;
    trm_arena arena;
} trm_joint_room;

struct trm_query {
    const trm_model *given; ///< what the caller knows
    const trm_model *model; ///< the same, or
    trm_model *held;        ///< one in which contacts of a run are held; else NULL
    trm_conditioning conditioning;
    trm_closing closing;
    trm_terms_work work;
    double *q, *v, *a; ///< [nq], [nv], [nv]
    double *c;         ///< [nc]
    double *slots;     ///< [width*(nbody+1)] see bodies/pose.h
    trm_pool pool;     ///< of the arrays above
    trm_joint_room joints;
};

/// G Z = 0, Z^T M Z = 1. Stored motion by motion: the rows of these are the columns of Z.
typedef struct trm_tangent {
    int d;             ///< freedoms of velocity
    int p;             ///< motions held here: d, or all freedoms of position where they are more
    int other_measure; ///< nonzero: M' is not M
    double *Z;         ///< [p*nv]
    double *W;         ///< [p*nv] M Z
} trm_tangent;

/// Errors: OPTIONS. NULL, and numbers that are not finite; v may be NULL.
trm_status trm_query_check(const trm_query *query, double t, const double *q, const double *v,
                           trm_error *err);
/// The error for a nonzero code of the system.
trm_status trm_query_fail(const trm_query *query, double t, int code, trm_error *err);
trm_status trm_query_no_memory(trm_error *err);
/// Before eigenvalues and least squares. Errors: OPTIONS, where there is no LAPACK.
trm_status trm_query_needs_lapack(trm_error *err);

/// Errors: OPTIONS. A limit or stop is reached at (t, q) (`touching`: within a millionth), or a
/// joint has dry friction; `what` is said of it. Moves the current point.
trm_status trm_query_check_limits(trm_query *query, double t, const double *q, int touching,
                                  const char *what, trm_error *err);
/// Errors: OPTIONS, where a switch has closed a joint.
trm_status trm_query_check_open(const trm_query *query, const char *what, trm_error *err);
/// Errors: OPTIONS, where contacts are held: what they press with is not asked.
trm_status trm_query_check_held(const trm_query *query, const char *what, trm_error *err);
trm_status trm_query_check_friction(const trm_query *query, const char *what, trm_error *err);

/// Make (t, q) the current point of a new question: what the solver remembers is forgotten.
trm_status trm_query_at(trm_query *query, double t, const double *q, trm_error *err);
/// Z and W at the current point, from `pool`. Errors: MEMORY.
trm_status trm_tangent_take(trm_query *query, trm_pool *pool, trm_tangent *out, trm_error *err);

/// The tangent of a linearization at a state with velocities v. Its motions are measured by M, but
/// of a spatial body that turns only the turn about its own axis, the one direction of its frame
/// that does not move with it. Where bodies spin (wheels) A is then that of the frames that carry
/// them. At rest, and in the plane, it is M. Z^T M' Z = 1, W = M' Z (M where the turns left out
/// would be missing). Behind the motions that velocities may take stand those that only positions
/// may, where constraints on velocities stand between. Errors: MEMORY.
trm_status trm_tangent_of_state(trm_query *query, trm_pool *pool, const double *v,
                                trm_tangent *tangent, trm_error *err);

/// y[d] = rows[d*nv] x, and x[nv] = rows^T y.
void trm_rows_multiply(int d, int nv, const double *rows, const double *x, double *y);
void trm_rows_spread(int d, int nv, const double *rows, const double *y, double *x);

/// The largest |x_i| with turns taken as the distance they move the body's joints, m or m/s.
double trm_query_distance(const trm_query *query, const double *x);
/// Largest |g_i| and |(G v + g_t)_i| at the current point in metres, rows in rad times the size.
/// speed: the largest of v, and of what the time alone moves.
double trm_query_gap(const trm_query *query, int *row);
double trm_query_speed_gap(trm_query *query, const double *v, double *speed, int *row);

/// q := the closed position next to q, and v (NULL: none) what of v [VEL] allows there; full
/// Gauss-Newton steps as of trm_close, for starts that are nearly closed. (t, q) becomes the
/// current point. Returns a system's code, or 1 when it does not close to 1e-10 of the size.
int trm_query_snap(trm_query *query, double t, double *q, double *v);

/// Errors: SINGULAR when the rank of G rises close by, or the first motion allowed leads nowhere.
/// `tangent` belongs to (t, q), which is the current point before but not after the call.
trm_status trm_query_check_regular(trm_query *query, double t, const double *q,
                                   const trm_tangent *tangent, trm_error *err);
