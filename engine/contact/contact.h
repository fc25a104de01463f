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
#pragma once

#include "engine/contact/complementarity.h"
#include "engine/contact/contact_numbers.h"
#include "engine/contact/projected.h"
#include "engine/contact/sparse_row.h"

#include <math.h>
#include <signal.h>

typedef enum trm_hold {
    TRM_HOLD_FREE,
    TRM_HOLD_LOW,   ///< at its limit lo, and pressed
    TRM_HOLD_HIGH,  ///< at its limit hi
    TRM_HOLD_STICKS ///< where friction has caught it
} trm_hold;

/// Returns nonzero if a row is held, or may be, at one of its limits.
static inline int trm_hold_is_limit(int hold)
{
    return hold == TRM_HOLD_LOW || hold == TRM_HOLD_HIGH;
}

/// The side to which a row leaves the limit at which it is held.
static inline int trm_hold_side(int hold)
{
    return hold == TRM_HOLD_HIGH ? -1 : 1;
}

/// The switching functions of one row: trm_contact_function.
enum {
    TRM_CONTACT_LOWER,       ///< the gap of its lower limit; the force where it is held
    TRM_CONTACT_UPPER,       ///< the same of its upper limit
    TRM_CONTACT_SLIP,        ///< the rate of its friction
    TRM_CONTACT_DETERMINANT, ///< whether its loaded friction has one solution
    TRM_CONTACT_FUNCTIONS    ///< their number
};

/// The forces of rows list[n], of one block.
typedef struct trm_contact_problem {
    int *list;          ///< [n]
    double *W, *p;      ///< [room*room], [n]
    double *own;        ///< [n] W_kk of held rows
    double *part;       ///< [room*room] of W
    double *F, *J;      ///< [room*room] held forces by unit friction; Newton's matrix
    double *h, *phi;    ///< [n] held forces without friction, and friction
    double *residual;   ///< [n] what is left of both
    double determinant; ///< see above, there; 1 where nothing slides under a load
    int unsolved;       ///< nonzero: since the step began friction had no force once
    int way;            ///< its sign, -1 where it has been asked and all rest at their bounds
    double *lo, *hi, *b, *noise; ///< [n] of a complementarity problem
    double *borne;           ///< [n] N: loads of the pairs of its block, where there are several
    trm_projected_rows rows; ///< of W, or of a part
    trm_complementarity complementarity;
    trm_coulomb coulomb;
} trm_contact_problem;

typedef struct trm_contact_impact {
    long count;         ///< found by a method's own steps
    double energy_lost; ///< J, by these
    double *u, *e, *P, *back;
    int *touching;         ///< [n] its rows
    int *kin;              ///< [n] of friction, the place of its stop among them, else -1
    double *mu;            ///< [n] its coefficient
    double *still, *slack; ///< [n] rates of its rows, and of all rows, that are roundoff
    double switched;       ///< the largest rate that switches have stopped now; 0: none
    double *impulse;       ///< [n] N s, by row
    int *leaves;           ///< [n] nonzero: its rate behind it is more than roundoff
} trm_contact_impact;

/// Rows that reach common velocities are a block.
typedef struct trm_contact_blocks {
    int full;                 ///< nonzero: a block had more rows than there is room for
    int *parent, *head;       ///< [nv + 1] of parts: in a block, and the number of the block
    int *all, *block, *order; ///< [n] a list, of its rows the block; places in it, by blocks
    int *first;               ///< [n + 1] where a block begins among these
    int focus;       ///< 1 + the row of whose block alone trm_contact_rates finds forces; 0: of all
    int *responding; ///< [n] the rows that trm_contact_respond looks at
    int *next, *at;  ///< [parts of all rows] of trm_contact_form_delassus
} trm_contact_blocks;

/// The search for modes (simulation/contact_modes).
typedef struct trm_contact_trial {
    int *as, *was, *kept; ///< [n] how a row may be held
    int *state;           ///< [n] how a candidate is in the next try
    int *row;             ///< [n] rows of a complementarity problem
    int refused;          ///< the row that a refusal names
    double *a;            ///< [nv] accelerations
} trm_contact_trial;

/// What a row has done in the run so far.
typedef struct trm_contact_past {
    double *most;    ///< [n] N or N m: the largest force or bound of friction
    double *fastest; ///< [n] the largest rate
    int *left;       ///< [n] nonzero: the last step ended with a rate that had just left zero
    int *beyond;     ///< [n] nonzero: its force was off its law at the last point
    int *mark;       ///< [n] the last mark behind which it has changed
    double *changed, *pause; ///< [n] s: when it has changed last, how long after the time before
    double *idle;            ///< [n] s: that pause where it was set going last
} trm_contact_past;

typedef struct trm_contact_work {
    int *pivots;                     ///< [n]
    int *round;                      ///< [n] of trm_contact_respond
    double *f, *MC, *alone, *parted; ///< [nv]
    double *c;                       ///< [nc]
    double *slots;
    double *side;            ///< [slots] of one formula's gradient
    double *sum;             ///< [slots] forces of all, in joint coordinates
    double *z, *dz, *lambda; ///< a point between two steps, for the caller
    double *on_W, *on_y;     ///< of rows that are switched on, as many squared and as many
} trm_contact_work;

/// Two free balls that are a contact, or one and a plane of the ground, the body behind the last.
typedef struct trm_ball_pair {
    int low, high; ///< their bodies
    int row;       ///< the gap
    long list;     ///< the last list that it was in
} trm_ball_pair;

/// Where a ball may be in a step.
typedef struct trm_ball_way {
    int body;
    double radius, reach;     ///< m, that of the ball and what it covers about its chord
    double from[3], chord[3]; ///< m
    double lo, hi;            ///< m, along the axis of the sweep
} trm_ball_way;

/// Pairs of balls that may be left out (near.c).
typedef struct trm_contact_balls {
    int npairs, nballs;
    int follows;            ///< nonzero: lists follow the places looked at, not steps
    trm_ball_pair *pair;    ///< [npairs] by bodies
    trm_ball_way *way;      ///< [nballs]
    unsigned char *is_near; ///< [n] of rows: looked at
    int *listed, nlisted;   ///< the pairs that are
    int *entered, nentered; ///< of these the ones that were not in the list before
    long list;              ///< number of lists so far
} trm_contact_balls;

/// Of an impact for each row: n rows need up to n (a cradle); with e < 1 the rest falls as e^waves.
enum { TRM_CONTACT_WAVES = 200 };
/// Which rows are looked at, in place of one.
enum { TRM_CONTACT_ALL = -1, TRM_CONTACT_ACTIVE = -2 };
enum { TRM_CONTACT_LED = 2, TRM_CONTACT_LED_ONE = -1, TRM_CONTACT_LED_MOVES = -2 };

typedef struct trm_contact {
    const trm_model *model;
    int n, nq, nv, nc;
    int room;        ///< rows of the largest block
    double arm;      ///< m, see trm_extents_arm
    double *stirred; ///< [2 nv] of each part, trm_contact_noise
    double *unsure;  ///< [nv] m/s or rad/s: velocities below it are errors of steps
    int blends;      ///< nonzero: trm_contact_find_way

    // how rows are held
    int *hold;    ///< [n] trm_hold
    int *slip;    ///< [n] sign of the rate that friction acts against; 0: there is none
    int *presses; ///< [n] a compliant limit: -1 below lo, 1 above hi, else 0
    int *driven;  ///< [n] nonzero where the joints decide the rate, of friction or at a limit;
                  ///< TRM_CONTACT_LED: with rows that hold (simulation/contact_modes/driven.c);
                  ///< TRM_CONTACT_LED_ONE: of the second row of a pair alone;
                  ///< TRM_CONTACT_LED_MOVES: it has moved since it slides
    int *at_rest; ///< [n] nonzero: touches a limit without force or rate; a gap of roundoff closes
                  ///< nothing
    double *slip_direction; ///< [n] of what slides: slip; in space the direction of the rate, one
                            ///< row each
    double *aim;   ///< [n] that direction at the beginning of the step, or where it will slide
    double *turn;  ///< [n] cosine and sine, by the rows of a pair: from its own tangents to those
                   ///< that x, x', G and force are along. The second is the one that joints drive
    double *at;    ///< [n] where it is held
    double *place; ///< [6*n] of rows of a switched joint: la and ub of trm_row, as it has closed
    double *base;  ///< [n] rad or m: from where x of what goes one way is counted; else 0
    double *floor; ///< [n] roundoff of its force when it was caught
    double *whole; ///< [n] of a closed joint: its own W without all joints
    double *least; ///< [2*n] of held rows both trm_contact_function: the least since it was
                   ///< forgotten
    double *share; ///< [n] held dependent rows: the p nearest to this is taken

    // at the point evaluated last
    double *force; ///< [n] N or N m along x
    double *grain; ///< [n] N or N m: roundoff of a held row's force
    double *load;  ///< [n] N or N m: coefficient times what presses

    // at the point looked at last
    const double *unit;      ///< [nv] of joint coordinates, the size of what they move; else NULL
    double *given;           ///< [n] x that counts as 0 where it is given: of its bodies' size
    double pace;             ///< 1/s: given times it is that of x'
    double reach;            ///< m: the size of the whole
    double closed;           ///< m or rad: to which joints close, and gaps that they decide
    double *x, *rate, *rest; ///< [n] x, x', and r of x'' = G a + r
    double *bias;            ///< [n] what of r is that of the system: trm_assembler_row
    double *g_t;             ///< [n] partial derivative of x in t
    double *scale;           ///< [n] of friction of a bound: its formula; else 1
    double *band;            ///< [n] of driven and watched rows: roundoff of x'
    double *roundoff;        ///< [n] m or rad, of x: that of the coordinates it is made of
    trm_sparse_row *sparse;  ///< [n] G, and C and L where they were asked for
    int *body_at;            ///< [nv] the body whose velocities begin there

    int *near; ///< [n + 1] the rows that are looked at: from k on the next one; n: none
    trm_contact_balls balls; ///< which are left out

    trm_contact_problem problem;
    trm_contact_impact impact;
    trm_contact_blocks blocks;
    trm_contact_trial trial;
    trm_contact_past past;
    trm_contact_work work;
} trm_contact;

/// Why there is no room for more rows (engine/compiler/compile_contacts.c).
#define TRM_BALLS_OVERLAP                                                                          \
    "more pairs of balls touch at once than can without overlap; smaller steps or a higher "       \
    "accuracy part them"

/// Of friction of row k that depends on a load, as it sticks or slips now: of a stop times its
/// formula.
double trm_contact_coefficient(const trm_contact *contact, int k);

/// How far row k is inside the nearer of its limits, m or rad, and the side of that: 1 the lower
/// one. INFINITY where it is compliant.
static inline double trm_contact_room(const trm_contact *contact, int k, int *side)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double low = contact->x[k] - row->lo, high = row->hi - contact->x[k];
    *side = low <= high ? 1 : -1;
    return row->stiffness > 0 ? INFINITY : fmin(low, high);
}

/// NULL while counting, and without contacts. At most `room` rows at once are solved for.
trm_contact *trm_contact_layout(const trm_model *model, int room, trm_arena *arena);
/// Start a run: nothing is held.
void trm_contact_start(trm_contact *contact);

/// Whether row k is of two balls that move.
int trm_contact_is_of_balls(const trm_model *model, int k);
void trm_contact_balls_layout(trm_contact *contact, trm_arena *arena);
/// All rows are looked at.
void trm_contact_all_near(trm_contact *contact);
/// From now on rows are looked at that do not belong to balls which stay apart in a step from z
/// whose dense output has the terms F[count], integrators/trajectory/integrator.h; count 0: at z.
void trm_contact_find_near(trm_contact *contact, int count, double *const *F, const double *z);
/// The same at z where a ball has moved by a quarter of its radius, if lists follow: half of the
/// gaps left out is left then.
void trm_contact_follow_balls(trm_contact *contact, const double *z);
/// 1/s: a step of one over it moves no ball by more than that.
double trm_contact_pace(const trm_contact *contact, const double *z);

/// contact->least begins anew.
void trm_contact_forget_least(trm_contact *contact);

/// The rows that go one way, measured, begin where they are, ratchets at the tooth behind that:
/// x within `near` of a tooth is at it.
void trm_contact_begin_one_way(trm_contact *contact, double near);
/// Row k, measured, is held from where it is now if it goes one way and is free; a ratchet from the
/// last tooth. Nothing else is changed.
void trm_contact_follow(trm_contact *contact, int k);

/// Hold none of the rows but those that are switched on.
void trm_contact_let_go(trm_contact *contact);

/// Whether row k is the gap of a rim (bodies/shapes/rim_plane.c).
int trm_contact_is_rim(const trm_contact *contact, int k);
/// Rims that are not held at (t, z) lie flat if they do within TRM_TOUCH_FLAT, or by their edges
/// within `near`, m; else they are tilted as they are.
void trm_contact_seat(trm_contact *contact, trm_system *system, double t, const double *z,
                      double near);
/// The other side of the rim of row k, measured, is down, if it has come down flat. Returns
/// whether.
int trm_contact_turn_over(trm_contact *contact, int k);
/// The rim of row k lies flat.
void trm_contact_lay(trm_contact *contact, int k);
/// Tilted rims, measured, take the direction that they have now. Where steps locate no events
/// (`stepped`), what they have passed or left flat is so from now on.
void trm_contact_follow_rims(trm_contact *contact, int stepped);
/// Faces that are held and whose tilt is not stand on their rims from now on, where they tip to.
/// Returns how many.
int trm_contact_tip(trm_contact *contact, trm_system *system, double t, const double *z);

/// x, rate and r of all rows at (t, z), z = (q, v). Moves the current point, without the rows of G.
void trm_contact_measure(trm_contact *contact, trm_system *system, double t, const double *z);
/// x, rate and r of row k and its mate alone.
trm_kinematics trm_contact_measure_one(trm_contact *contact, trm_system *system, double t,
                                       const double *z, int k);
/// x, rate, r and G of all rows, or of those that have a force now.
void trm_contact_evaluate(trm_contact *contact, trm_system *system, double t, const double *z,
                          int only);
/// f[nv of the bodies] := the forces of contacts on them, as evaluated last, at the point of
/// `kinematics`: of the rows of `joint`, which is switched, or with -1 of all.
void trm_contact_apply_forces(trm_contact *contact, const trm_kinematics *kinematics, int joint,
                              double *f);
/// C and L of rows list[n], looked at, with the joints factored in the mass metric. Of driven rows
/// C is zero. Switched rows that hold and are not among them count as joints.
void trm_contact_solve_responses(trm_contact *contact, trm_system *system, int n, const int *list);
/// contact->problem.W of rows list[n], which are of one block, or two, and have answered.
void trm_contact_form_delassus(trm_contact *contact, trm_system *system, int n, const int *list);
/// b := right sides of rows list[n] of W that agree. Closed joints may depend on each other and on
/// what else holds, and a point within a step errs: the more independent rows are right. Returns
/// the row whose b was farthest off, contact->problem.hi.
int trm_contact_agree(trm_contact *contact, int n, int stride, const int *list, double *b);
/// x := M x, or (inverse) M^-1 x, along row k.
void trm_contact_solve_M(trm_contact *contact, trm_system *system, int k, int inverse, double *x);
/// x . M x, or (inverse) x . M^-1 x, along row k: of C its W; of G, inverse, that of its bodies
/// alone: joints leave less.
double trm_contact_square(trm_contact *contact, trm_system *system, int k, int inverse,
                          const double *x);
/// Returns nonzero if row G along row k depends on the rows of the joints: the part of M^-1 G^T
/// that they leave, C, is at most TRM_DEPENDENT of it long in the mass metric. *whole: its length,
/// squared.
int trm_contact_depends(trm_contact *contact, trm_system *system, int k, const double *G,
                        const double *C, double *whole);
/// (a, b) along tangents that are turned by c = cos, s = sin of an angle.
static inline void trm_plane_turn(double *a, double *b, double c, double s)
{
    const double along = c * *a + s * *b;
    *b = c * *b - s * *a;
    *a = along;
}
/// Component of (x_k, x_mate) along the tangent of row k itself; x_k of a row without mate.
double trm_contact_along(const trm_contact *contact, const double *x, int k);
/// The work, J, of what drives in an impulse P of row k, which has answered: of a limit that
/// moves itself, and of motors, which keep their rates.
double trm_contact_driven(const trm_contact *contact, const trm_system *system, int k, double P);
/// Forces p of the first `held` rows of contact->problem.list, and friction of the `sliding` rows
/// behind, which are loaded; W, C and L are there, b[held] = -(G a + r), `least` its roundoff,
/// lambda[nc] without them. Returns nonzero where there are none.
int trm_contact_load(trm_contact *contact, int held, int sliding, const double *b, double least,
                     const double *lambda);
/// Returns nonzero if row k slides under a load now, or would.
int trm_contact_is_loaded(const trm_contact *contact, int k);

/// Returns nonzero if row k is one that is switched, and holds.
static inline int trm_contact_is_on(const trm_contact *contact, int k)
{
    return contact->model->contacts[k].input >= 0 && contact->hold[k];
}

/// Returns nonzero if row k goes one way, and is held wherever it would turn back.
static inline int trm_contact_is_freewheel(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    return row->one_way && !(row->teeth > 0);
}

/// Friction of a stop in space is a pair of rows, `mate`, which stick or slide together. Whether
/// row k is the second of a pair.
static inline int trm_contact_is_second(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return mate >= 0 && mate < k;
}

/// Returns nonzero if the joints decide the rate of row k, of a pair both; TRM_CONTACT_LED is both.
static inline int trm_contact_is_driven(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return contact->driven[k] + contact->driven[mate >= 0 ? mate : k] >= TRM_CONTACT_LED;
}

/// Returns nonzero if friction of row k is undetermined: in a dwell that the joints decide.
static inline int trm_contact_is_undetermined(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    return row->friction.given && trm_contact_is_driven(contact, k) && !contact->hold[k] &&
           !contact->slip[k] && (row->normal < 0 || contact->hold[row->normal]);
}

/// Returns nonzero if the joints, or held rows with them, decide one rate of the pair of row k, not
/// both.
static inline int trm_contact_is_half_driven(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return mate >= 0 && !trm_contact_is_driven(contact, k) &&
           contact->driven[k] != contact->driven[mate];
}

/// Returns nonzero if row k has friction and no rate, and its force does not tell where it begins
/// to slide: it is undetermined, or at its bound and others keep it, or the joints decide one rate
/// of a pair that sticks by the other one.
static inline int trm_contact_is_watched(const trm_contact *contact, int k)
{
    return (trm_contact_is_half_driven(contact, k) && contact->hold[k]) ||
           (contact->at_rest[k] && contact->slip[k]) || trm_contact_is_undetermined(contact, k);
}

/// N: how much of the friction of each of several pairs of a block is not known, a part of what all
/// bear.
double trm_contact_shared(const trm_contact *contact, int k);

/// Length of (x_k, x_mate), or |x_k|.
double trm_contact_length(const trm_contact *contact, const double *x, int k);
/// The roundoff of the friction that holds the pair of row k, N.
double trm_contact_pair_grain(const trm_contact *contact, int k);
/// Row k, or its pair, slides towards s (x_k, x_mate).
void trm_contact_aim(trm_contact *contact, const double *x, double s, int k);
/// The rate of the pair of row k along its aim.
double trm_contact_along_aim(const trm_contact *contact, int k);
/// What of the rate of row k, or of its pair, is roundoff, where it is driven or watched; above 0.
double trm_contact_band(const trm_contact *contact, int k);
/// The width w of the rate of the pair of row k at velocities v: what steps and roundoff leave of
/// it, by contact->unsure. A rate below it has no known direction.
double trm_contact_exact(const trm_contact *contact, const double *v, int k);
/// contact->slip_direction of row k, which slides, at velocities v, looked at. A step that goes
/// past the halt goes on as if friction stayed the same, so that the halt is located in a smooth
/// motion. Below the width it is that of
///
///     u + w (1 - |u|^2/w^2)^2 aim
///
/// whose length is at least 0.7 w: errors of steps, w/100, hardly turn it. Where slip
/// begins with u = j t^2/2, |du/dt| mu N W/u is the rate of a stiff motion: so it is mu N W/w at
/// most. By named tolerances, which say where a rate has a direction, it is the aim below w.
void trm_contact_find_way(trm_contact *contact, const double *v, int k);
/// All sliding pairs take the direction of their rate at velocities v, looked at, where it is
/// known. A step has shown the direction of what the joints drive: a rate against it is what the
/// time of the turn is off by.
void trm_contact_aim_anew(trm_contact *contact, const double *v);

/// contact->blocks.all := list[n], in blocks of rows which move each other: those that share a
/// moving part, or load each other. Returns how many; block b has places
/// contact->blocks.order[contact->blocks.first[b] ... first[b+1]-1] of the list, in its order, and
/// number b in contact->blocks.block.
int trm_contact_find_blocks(trm_contact *contact, int n, const int *list);
/// contact->problem.list := block b of contact->blocks.all, whose blocks were found. Returns how
/// many rows; *among (or NULL): how many of them are the `first` of all.
int trm_contact_take_block(trm_contact *contact, int b, int first, int *among);

/// Writes the rows that are held into contact->problem.list. Returns how many.
int trm_contact_list_held(trm_contact *contact);

/// Adds the contacts' part to dz = (N v, a, power) and lambda at (t, z), the system's current
/// point, where the joints are factored. Returns a system's code.
int trm_contact_rates(trm_contact *contact, trm_system *system, double t, const double *z,
                      double *dz, double *lambda);
/// Brings z back to the limits and places at which rows are held. Returns a system's code.
int trm_contact_correct(trm_contact *contact, trm_system *system, double t, double *z);

/// How far the deepest limit that is not compliant is exceeded, m or rad; 0: none is.
double trm_contact_deepest(const trm_contact *contact);
/// Moves z to where, seen from here, the least motion in the mass metric brings limits back to
/// where they hold. Those within `near` of theirs take part. contact->work.parted: the motion so
/// far, that of this call with it. Rows are looked at, joints factored. Returns nonzero where none
/// is found.
int trm_contact_part(trm_contact *contact, trm_system *system, double near, double *z);

/// The bounds of the force of a held row.
void trm_contact_bounds(const trm_contact *contact, int k, double *lo, double *hi);
/// Forces p of the n rows problem->coulomb.row, by complementary pivots where friction by a
/// coefficient is among them, else by active sets. Returns nonzero where none are found.
int trm_contact_pivot(trm_contact_problem *problem, int n, const double *W, const double *b,
                      const double *noise, double *p);
/// Of row k at the point evaluated last; its mode stays while all are above zero: the distances
/// from the limits and the rate in the direction of slip, or, for a held row, the distances of its
/// force from the bounds; and the determinant.
double trm_contact_function(const trm_contact *contact, int k, int which);
/// Returns nonzero if row k has friction by a smooth law now: the limit that loads it presses.
int trm_contact_is_smooth(const trm_contact *contact, int k);
/// N or N m, the friction of row k at this rate, which slips in direction `slip`.
double trm_contact_friction(const trm_contact *contact, int k, int slip, double rate);
/// N or N m: what friction of row k holds at most, without that of a load.
double trm_contact_sticking(const trm_contact *contact, int k);

/// An impact of n rows that touch, with contact->problem.W and rates contact->impact.u, signs as in
/// impact.c, restitutions e[n]; a rate below still[n] does not close. u becomes the rates after the
/// impact, P[n] the impulses. Returns the kinetic energy lost, J, by the work of the impulses; NAN
/// without a solution, and where *interrupt (NULL: nothing) becomes nonzero.
double trm_contact_strike(trm_contact *contact, int n, const double *e, const double *still,
                          const volatile sig_atomic_t *interrupt, double *P);
