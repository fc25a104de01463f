/// Coordinates x with limits and friction in a run: the held rows and the forces.
///
/// A row that is held, at a limit or by friction, is one more row G_k of [EOM], x'' = G_k a + r_k =
/// 0. It stays outside G: with the response of the joints to a unit force along x,
///
///   C_k = M^-1 (G_k^T - G^T L_k),   (G M^-1 G^T) L_k = G M^-1 G_k^T,   W_kj = C_k . M C_j,
///
/// the force p along x follows from W p = -(G a0 + r), where a0 is the acceleration without it, and
///
///   a = a0 + sum p_k C_k,    lambda = lambda0 + sum p_k L_k.
///
/// Friction by a coefficient, sliding in direction s: f = -s mu N, where N is the force of a stop
/// or the length of a joint's reaction. N depends on f in turn: Newton's method on f + s mu N(f) =
/// 0 (loaded.c). The determinant of its matrix is 1 - s mu W_nt/W_nn for one stop: where it is not
/// positive there is no solution or there are several [Painleve 1895; Genot, Brogliato, Eur. J.
/// Mech. A 18 (1999)].
///
/// W_kj is G_k C_j too, with the error of L_k in it; C_k . M C_j has its square: what is left of an
/// error of L_k in C_k is M^-1 G^T times it, across all C_j in the mass metric.
///
/// W is symmetric. It is singular where stops are redundant among each other or with joints: a is
/// unique then, p is not. A row that is not held has a force of its own: sliding friction against
/// the rate, or a compliant limit. p > 0 drives x up.
#ifndef TRM_CONTACT_H
#define TRM_CONTACT_H

#include "engine/contact/complementarity.h"
#include "engine/contact/contact_numbers.h"
#include "engine/contact/coulomb.h"
#include "engine/multibody/model.h"

#include <signal.h>

typedef enum trm_hold {
    TRM_HOLD_FREE,
    TRM_HOLD_LOW,   ///< at its limit lo, and pressed
    TRM_HOLD_HIGH,  ///< at its limit hi
    TRM_HOLD_STICKS ///< where friction has caught it
} trm_hold;

enum { TRM_CONTACT_SLIP = 2, TRM_CONTACT_FUNCTIONS = 4 }; ///< of one row: trm_contact_function

typedef struct trm_contact {
    const trm_model *model;
    int n, nq, nv, nc;
    int *hold;     ///< [n] trm_hold
    int *slip;     ///< [n] sign of the rate that friction acts against; 0: there is none
    int *presses;  ///< [n] a compliant limit: -1 below lo, 1 above hi, else 0
    int *driven;   ///< [n] friction: nonzero where the joints decide its rate
                   ///< (simulation/contact_modes/driven.c)
    int *at_rest;  ///< [n] nonzero: touches a limit without force or rate; a gap of roundoff closes
                   ///< nothing
    double *way;   ///< [n] of what slides: slip; in space the direction of the rate, one row each
    double *aim;   ///< [n] that direction at the beginning of the step, or where it will slide
    double *turn;  ///< [n] cosine and sine, by the rows of a pair: from its own tangents to those
                   ///< that x, x', G and force are along. The second is the one that joints drive
    double *scale; ///< [n] of friction of a bound: its formula at the point looked at last; else 1
    double *load;  ///< [n] N or N m: coefficient times what presses, at the point evaluated last
    double determinant; ///< see above, there; 1 where nothing slides under a load
    double rtol, atol;  ///< of the steps; 0 where they are fixed
    long impacts;       ///< impacts found by a method's own steps, and the energy they took, J
    double energy_lost;
    double *at;    ///< [n] where it is held
    double *force; ///< [n] N or N m along x, at the point evaluated last
    double *grain; ///< [n] N or N m: roundoff of a held row's force
    double *floor; ///< [n] the same when it was caught
    double *share; ///< [n] held dependent rows: the p nearest to this is taken

    // at the point looked at last
    double *x, *rate, *rest; ///< [n] x, x', and r of x'' = G a + r
    double *bias;            ///< [n] what of r is that of the system: trm_assembler_row
    double *g_t;             ///< [n] partial derivative of x in t
    double *band;            ///< [n] of driven and watched rows: roundoff of x'
    double *roundoff;        ///< [n] m or rad, of x: that of the coordinates it is made of
    double *G;               ///< [n*nv]

    double *C, *L;              ///< [n*nv], [n*nc] of the rows in `list`, one after the other
    double *W, *p;              ///< [n*n], [n]
    double *own;                ///< [n] W_kk of held rows
    int *list;                  ///< [n]
    double *F, *J;              ///< [n*n] held forces by unit friction; Newton's matrix
    double *h, *phi, *residual; ///< [n] held forces without friction, friction, what is left
    int *pivots;                ///< [n]
    double *f;                  ///< [nv]
    double *c;                  ///< [nc]
    double *slots;
    double *side;                ///< [slots] of one formula's gradient
    double *sum;                 ///< [slots] forces of all, in joint coordinates
    double *z, *dz, *lambda;     ///< a point between two steps, for the caller
    double *lo, *hi, *b, *noise; ///< [n] of a complementarity problem
    double *u, *e, *P, *back;    ///< [n] of an impact
    double *part;                ///< [n*n] of W
    int *touching,
        *kin;   ///< [n] rows of an impact; of friction, the place of its stop among them, else -1
    double *mu; ///< [n] its coefficient
    int *trial_state;               ///< [n] how a candidate is in the next try, for the caller
    double *trial_force;            ///< [n] N of the last try, for the caller
    int *hold_before, *slip_before; ///< [n] kept for a while, likewise, and
    double *share_before;           ///< [n] these
    int *as, *was, *kept;           ///< [n] how a row may be held, for the caller
    double *most;    ///< [n] N or N m: the largest force or bound of friction in the run so far
    double *fastest; ///< [n] the largest rate likewise
    double *still, *slack; ///< [n] rates of an impact's rows, and of all rows, that are roundoff
    int *parent, *head;    ///< [nv + 1] of parts: in a block, and the first row of a block
    int focus; ///< 1 + the row of whose block alone trm_contact_rates finds forces; 0: of all
    int *all, *block, *next; ///< [n] a list, of its rows the block and the next row of it
    int *links;              ///< [n*(n + 1)] room of projected.h
    int *mark;               ///< [n] the last mark behind which it has changed, for the caller
    double *changed,
        *pause; ///< [n] s: when it has changed last, and how long after the time before
    int *row;   ///< [n] rows of a complementarity problem, for the caller
    double *a;  ///< [nv] accelerations, for the caller
    double *MC; ///< [nv] room
    trm_complementarity complementarity;
    trm_coulomb coulomb;
} trm_contact;

/// NULL while counting, and without contacts.
trm_contact *trm_contact_layout(const trm_model *model, trm_arena *arena);
/// Start a run: nothing is held.
void trm_contact_start(trm_contact *contact);

/// x, rate and r of all rows at (t, z), z = (q, v). Moves the current point, without the rows of G.
void trm_contact_measure(trm_contact *contact, trm_system *system, double t, const double *z);
/// x, rate and r of row k alone.
void trm_contact_measure_one(trm_contact *contact, trm_system *system, double t, const double *z,
                             int k);
/// x, rate, r and G of all rows.
void trm_contact_evaluate(trm_contact *contact, trm_system *system, double t, const double *z);
/// f[nv of the bodies] := the forces of all contacts on them, as evaluated last, at the point of
/// `kinematics`. In joint coordinates only.
void trm_contact_push(trm_contact *contact, const trm_kinematics *kinematics, double *f);
/// C, L and W of rows list[n], looked at, with the joints factored in the mass metric. Of driven
/// rows C is zero.
void trm_contact_respond(trm_contact *contact, trm_system *system, int n, const int *list);
/// Returns nonzero if a row G[nv] depends on the rows of the joints: the part of M^-1 G^T that they
/// leave, C[nv], is at most TRM_DEPENDENT of it long in the mass metric. *whole: its length,
/// squared.
int trm_contact_depends(trm_contact *contact, trm_system *system, const double *G, const double *C,
                        double *whole);
/// Turns the tangents of the pair of row k, looked at, so that its second row depends on the joints
/// where any direction does. Returns nonzero where one does; the rows are to be looked at anew.
int trm_contact_turn(trm_contact *contact, trm_system *system, int k);
/// (a, b) along tangents that are turned by c = cos, s = sin of an angle.
static inline void trm_plane_turn(double *a, double *b, double c, double s)
{
    const double along = c * *a + s * *b;
    *b = c * *b - s * *a;
    *a = along;
}
/// Component of (x_k, x_mate) along the tangent of row k itself; x_k of a row without mate.
double trm_contact_along(const trm_contact *contact, const double *x, int k);
/// The work, J, of what drives in an impulse P of row k, number i of trm_contact_respond: of a
/// limit that moves itself, and of motors, which keep their rates.
double trm_contact_driven(const trm_contact *contact, const trm_system *system, int i, int k,
                          double P);
/// Forces p of the first `held` rows of contact->list, and friction of the `sliding` rows behind,
/// which are loaded; W, C and L are there, b[held] = -(G a + r), `least` its roundoff, lambda[nc]
/// without them. Returns nonzero where there are none.
int trm_contact_load(trm_contact *contact, int held, int sliding, const double *b, double least,
                     const double *lambda);
/// Returns nonzero if row k slides under a load now, or would.
int trm_contact_is_loaded(const trm_contact *contact, int k);

/// Friction of a stop in space is a pair of rows, `mate`, which stick or slide together. Whether
/// row k is the second of a pair.
static inline int trm_contact_is_second(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return mate >= 0 && mate < k;
}

/// Returns nonzero if the joints decide the rate of row k, of a pair both.
static inline int trm_contact_is_driven(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return contact->driven[k] && contact->driven[mate >= 0 ? mate : k];
}

/// Returns nonzero if friction of row k is undetermined: in a dwell that the joints decide.
static inline int trm_contact_is_undetermined(const trm_contact *contact, int k)
{
    const int normal = contact->model->contacts[k].normal;
    return trm_contact_is_driven(contact, k) && !contact->hold[k] && !contact->slip[k] &&
           (normal < 0 || contact->hold[normal]);
}

/// Returns nonzero if row k has friction and no rate, and its force does not tell where it begins
/// to slide: it is undetermined, or at its bound and others keep it, or the joints decide one rate
/// of a pair that sticks by the other one.
static inline int trm_contact_is_watched(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    const int half = mate >= 0 && contact->driven[k] != contact->driven[mate];
    return (half && contact->hold[k]) || (contact->at_rest[k] && contact->slip[k]) ||
           trm_contact_is_undetermined(contact, k);
}

/// N: how much of the friction of each of several pairs is not known, a part of what all bear.
double trm_contact_shared(const trm_contact *contact);

/// Length of (x_k, x_mate), or |x_k|.
double trm_contact_length(const trm_contact *contact, const double *x, int k);
/// The roundoff of the friction that holds the pair of row k, N.
double trm_contact_pair_grain(const trm_contact *contact, int k);
/// Row k, or its pair, slides towards s (x_k, x_mate).
void trm_contact_aim(trm_contact *contact, const double *x, double s, int k);
/// What of the rate of row k, or of its pair, is roundoff, where it is driven or watched; above 0.
double trm_contact_band(const trm_contact *contact, int k);
/// The uncertainty of the rate of the pair of row k at velocities v, by tolerances and roundoff. A
/// rate below it has no known direction, and friction keeps its direction.
double trm_contact_exact(const trm_contact *contact, const double *v, int k);
/// contact->way of row k, which slides, at velocities v, looked at. A step that goes past the halt
/// goes on as if friction stayed the same, so that the halt is located in a smooth motion.
void trm_contact_find_way(trm_contact *contact, const double *v, int k);
/// All sliding pairs take the direction of their rate at velocities v, looked at, where it is
/// known. A step has shown the direction of what the joints drive: a rate against it is what the
/// time of the turn is off by.
void trm_contact_aim_anew(trm_contact *contact, const double *v);

/// Blocks of the rows list[n], which move each other: those that share a moving part. contact->head
/// and next of each, in the order of the list.
void trm_contact_find_blocks(trm_contact *contact, int n, const int *list);
/// Returns nonzero if place i of that list is the first of its block.
static inline int trm_contact_begins_block(const trm_contact *contact, int i)
{
    return contact->head[contact->block[i]] == i;
}

/// Writes the rows that are held into contact->list. Returns how many.
int trm_contact_list_held(trm_contact *contact);

/// Adds the contacts' part to dz = (N v, a, power) and lambda at (t, z), the system's current
/// point, where the joints are factored. Returns a system's code.
int trm_contact_rates(trm_contact *contact, trm_system *system, double t, const double *z,
                      double *dz, double *lambda);
/// Brings z back to the limits and places at which rows are held. Returns a system's code.
int trm_contact_correct(trm_contact *contact, trm_system *system, double t, double *z);

/// How far the deepest limit that is not compliant is exceeded, m or rad; 0: none is.
double trm_contact_deepest(const trm_contact *contact);
/// Moves z by the least motion in the mass metric that brings limits back to where they hold; those
/// within `near` of theirs take part. Rows are looked at, joints factored. Returns nonzero where
/// none is found.
int trm_contact_part(trm_contact *contact, trm_system *system, double near, double *z);

/// The bounds of the force of a held row.
void trm_contact_bounds(const trm_contact *contact, int k, double *lo, double *hi);
/// Of row k at the point evaluated last; its mode stays while all are above zero: the distances
/// from the limits and the rate in the direction of slip, or, for a held row, the distances of its
/// force from the bounds; and the determinant.
double trm_contact_function(const trm_contact *contact, int k, int which, double slack);
/// N or N m, the friction of row k at this rate, which slips in direction `slip`.
double trm_contact_friction(const trm_contact *contact, int k, int slip, double rate);
/// N or N m: what friction of row k holds at most, without that of a load.
double trm_contact_sticking(const trm_contact *contact, int k);

/// An impact of n rows that touch, with contact->W and rates contact->u, signs as in impact.c,
/// restitutions e[n]; a rate below still[n] does not close. u becomes the rates after the impact,
/// P[n] the impulses. Returns the kinetic energy lost, J, by the work of the impulses; NAN without
/// a solution, and where *interrupt (NULL: nothing) becomes nonzero.
double trm_contact_strike(trm_contact *contact, int n, const double *e, const double *still,
                          const volatile sig_atomic_t *interrupt, double *P);

#endif
