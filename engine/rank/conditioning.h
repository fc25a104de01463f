/// Conditioning of a model in one position: the scaled Jacobian, in units of the model's size.
///
///   J = R G C,    r = R g
///
/// C makes a turn of body b the distance its farthest joint point moves (dx = C z), R makes rows in
/// rad rows in m by the size L of the model. A model scaled in length or mass then has the same J,
/// and r and z scaled by the length. Equations of the user have no bodies. There C_i = sqrt(min
/// M/M_ii), which does not depend on the units of the coordinates.
///
/// This is the only judge of the rank of G outside of a run: for the check, the diagnosis, queries
/// and trm_sim_rank.
#pragma once

#include "base/pool.h"
#include "base/rank_numbers.h"
#include "engine/multibody/extent.h"
#include "engine/rank/row_rank.h"

/// What the scaled Jacobian is opened for.
typedef enum trm_conditioning_use {
    TRM_CONDITIONING_ALL, ///< everything below
    TRM_CONDITIONING_RANK ///< rank, order and C; not closing, not Q, and a tree of joints not
                          ///< measured
} trm_conditioning_use;

typedef struct trm_conditioning {
    const trm_model *model;
    trm_system *system;
    trm_conditioning_use use;
    double bound;       ///< of what counts as dependent at a position
    int positions_only; ///< nonzero: rows of velocity count as zero in J
    int nq, nv, nc;
    trm_extents extents;
    double size;    ///< L, m: of the largest mechanism
    double grain;   ///< m, the shortest reach of a body: small steps are a part of it
    double *column; ///< [nv] C
    double *row;    ///< [nc] R
    double *length; ///< [nc] of the rows of J at the last trm_conditioning_rank
    double *J;      ///< [nc*nv]
    double *r;      ///< [nc]
    double *S;      ///< [nc*nc]
    double *y;      ///< [nc]
    double *z;      ///< [nv]
    double work;    ///< multiplications of all closings so far, roughly
    double *v;      ///< [nv]
    double *q;      ///< [nq] a trial position
    int *nonzero;   ///< [nv]
    char *turns;    ///< [nv] nonzero: turns a body
    trm_row_basis basis;
    trm_arena arena;
    unsigned long long chance; ///< state of the random numbers
} trm_conditioning;

/// `null`: of a run of this model, directions that repeat others except for a misfit; they are left
/// out of r, and count as dependent everywhere. NULL: rows are taken by the letter. Errors: MEMORY,
/// CALLBACK.
trm_status trm_conditioning_open(trm_conditioning *conditioning, const trm_model *model,
                                 trm_conditioning_use use, double damping,
                                 const trm_null_space *null, trm_error *err);
void trm_conditioning_close(trm_conditioning *conditioning);

/// Evaluate r at (t, q). Returns a system's code.
int trm_conditioning_at(trm_conditioning *conditioning, double t, const double *q);
/// J at the current point.
void trm_conditioning_J(trm_conditioning *conditioning);
/// J with rows of unit length; `length` takes their lengths.
void trm_conditioning_unit_rows(trm_conditioning *conditioning);
/// basis: rank, order, C and Q of the rows of J, made unit length; J is overwritten. Returns 0
/// without memory.
int trm_conditioning_rank(trm_conditioning *conditioning);
/// q := q + N C z, normalized.
void trm_conditioning_move(trm_conditioning *conditioning, const double *z, double *q);

/// Uniform in [-1, 1], the same sequence in every run.
double trm_conditioning_chance(trm_conditioning *conditioning);
/// z := a random motion, up to `amplitude` times L or in radians.
void trm_conditioning_any_motion(trm_conditioning *conditioning, double amplitude, double *z);
/// z[nv] := a random motion of length 1 that the rows of `basis` allow. Returns 0 if there is none.
int trm_conditioning_free_motion(trm_conditioning *conditioning, double *z);

/// Motions that the rows of `basis` leave to the bodies; states of the scene are none.
static inline int trm_conditioning_freedoms(const trm_conditioning *conditioning)
{
    return trm_system_motions(conditioning->system) - conditioning->basis.rank;
}
