/// A spanning tree of the joints, and the motion of its bodies from the coordinates of its joints.
///
///   q_abs = phi(s),    v_abs = T(s) u,    a_abs = T u' + T' u
///
/// A joint is a list of degrees of freedom, dofs, between a frame of its first body and one of its
/// second: slides along an axis and turns about one, three turns together with a quaternion. Each
/// has one velocity; the velocities are those of the dofs, in the order of the links, from the
/// roots outwards. A body that no joint of the tree holds hangs on the ground by six dofs (in the
/// plane three, a point mass two or three), whose coordinates are those of the body.
///
/// A column of T is the velocity of the body's centre and its rate of turning, world axes. Wrenches
/// are forces and torques about the centre, likewise.
///
/// M = T^T M_abs T is never formed. Inwards, with the articulated inertia I of a body,
///
///     U_k = I s_k,    D_k = s_k . U_k,    I := I - U_k U_k^T / D_k      dof by dof, last first
///
/// and what is left is added to that of the parent. The U of the first dof of a joint is kept as
/// it is about the parent's centre, where it is subtracted. These are the factors of M: M^-1 x
/// takes one sweep inwards and one outwards, and L^-1 x is the sweep inwards alone, so that
///
///     S = (L^-1 T^T G^T)^T D^-1 (L^-1 T^T G^T)
///
/// over the dofs that two rows share. (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter
/// 7; the factors: Rodriguez, Jain, Kreutz-Delgado, Int. J. Robotics Research 10 (1991) 371.)
#pragma once

#include "engine/multibody/model.h"

typedef enum trm_dof_kind {
    TRM_DOF_SLIDE,
    TRM_DOF_TURN,
    TRM_DOF_BALL, ///< and the two dofs behind it
} trm_dof_kind;

typedef struct trm_dof {
    trm_dof_kind kind;
    double axis[3]; ///< unit, in the frame of the parent, turned by the dofs before
    int q;          ///< its coordinate; of a ball the first of four
    double arm;     ///< m, of a turn: so far from its axis centres behind it can be, slides at 0
    /// of a turn, from the frame behind it to that before it: a constant, what the cosine takes,
    /// and the sine; three rows of four each, the last 0
    double turn[36];
} trm_dof;

enum { TRM_MOST_DOFS = 6 };

typedef struct trm_joint_link {
    int body, parent;    ///< body of the model; link, -1: the ground
    int on;              ///< the parent's body
    int joint;           ///< of the model; -1: none
    int block_side;      ///< of the joint's two bodies the one that is `body`
    int first, n;        ///< dofs
    int q0, nq;          ///< coordinates
    double at[3], to[3]; ///< m, the joint's point in the parent's frame and in the own
    double reach;        ///< m, from the point to the farthest centre behind it
    double after[12];    ///< from the own frame to the parent's where the dofs are 0, rows of four
    int turned;          ///< nonzero: the last dof, a turn, has this already
    double after_quat[4];
    double angle; ///< rad, in the plane: of the own frame against the parent's where the dofs are 0
} trm_joint_link;

/// A link on the path of a block of rows: what the rows do to it they do by a body of theirs, or by
/// the next links outwards.
typedef struct trm_path_link {
    int link;
    int inward; ///< place of the parent in this path; -1: the ground
    int side;   ///< of the block: which of its bodies this link is; -1: none
    int Z;      ///< where the numbers of its dofs begin, [dofs][trm_rows_apart]
    int dof, n; ///< its dofs
    int outer;  ///< nonzero: nothing of the path is behind it
    int adds;   ///< nonzero: another one before it has this parent
} trm_path_link;

/// Numbers of Z from one dof to the next: whole quads, the rest 0.
static inline int trm_rows_apart(int rows)
{
    return (rows + 3) / 4 * 4;
}

/// The rows of a block of the model: its path, from the leaves inwards, by falling links.
typedef struct trm_row_path {
    int first, n;
} trm_row_path;

/// Blocks that share dofs: S_ij, stored with rows of i.
typedef struct trm_row_pair {
    int i, j;
    int S, stride;
} trm_row_pair;

typedef struct trm_joint_tree {
    int n, ndofs, nq;
    int nidle;             ///< rows of joints between bodies that no dof moves apart
    int start_decides;     ///< nonzero: runs may have the coordinates of bodies, see trm_sim_create
    double origin[3];      ///< m, of places, near the first link; the ground is at -origin
    trm_joint_link *links; ///< [n] parents come first
    trm_dof *dofs;         ///< [ndofs]
    int *link_of;          ///< [bodies of the model + 1]; the ground: -1
    int *held, nheld;      ///< links whose bodies are in rows of the cuts
    int *row_of;           ///< [nc] of each row that of the model in absolute coordinates
    int block0, nblocks;   ///< the first block with rows, and the last, plus 1
    int npath, npairs, nZ, most_path; ///< most_path: links of a path
    trm_row_path *paths;              ///< [nblocks]
    trm_path_link *path;              ///< [npath]
    trm_row_pair *pairs;              ///< [npairs]
    const trm_model *absolute;        ///< the model of all rows
    const trm_model *cut;             ///< that of the rows that the tree leaves
} trm_joint_tree;

/// Where the bodies are, and what follows from it: links and dofs in their order. W: the numbers
/// of a twist (twist.h). Arrays over links have the ground, link -1, before them, if anything is
/// read from it (R, V, A, X) or arrives there, which nothing reads (I, P).
typedef struct trm_link_motion {
    const trm_joint_tree *tree;
    const trm_bodies *bodies;
    int W;
    trm_pose *pose;        ///< of the bodies
    double *q;             ///< [nq] the position
    int placed;            ///< nonzero: all that follows from it is known
    double *sine, *cosine; ///< [nq] of the coordinates that are angles, in space
    double *R;             ///< [12n] own to world axes, columns of four, in space
    double *arm;           ///< [4n] m, from the parent's centre to the own
    double *s;             ///< [W dofs] columns of T
    double *U, *inverse;   ///< [W dofs], [dofs] 1/D
    int factored;          ///< nonzero: they belong to this position
    int moved;             ///< nonzero: V and A belong to it; for others to use
    double *J;             ///< [12n] inertias in world axes, columns of four, in space
    double *I;             ///< articulated inertias while they are formed
    double *V, *A;         ///< [W n] velocities, accelerations
    double *L;             ///< [W n] wrenches: -M A, and in space the gyroscopic part
    double *carried;       ///< [dofs] X is T of it, while `carries`
    int carries;
    double *X, *P; ///< [W n] twists, wrenches: room
    double *mu;    ///< [dofs + 3] D^-1 L^-1 x
} trm_link_motion;

void trm_link_motion_layout(trm_link_motion *motion, const trm_joint_tree *tree,
                            const trm_bodies *bodies, trm_pose *pose, trm_arena *arena);

/// The position at q, and the pose of the bodies.
void trm_joints_place(trm_link_motion *motion, const double *q);
/// The same for link i, whose parent has its place.
void trm_joints_place_link(trm_link_motion *motion, int i, const double *q);

/// motion->V, A and L with velocities u and accelerations udot (NULL: 0).
void trm_joints_move(trm_link_motion *motion, const double *u, const double *udot);
/// motion->X = T u, or is that already.
void trm_joints_carried(trm_link_motion *motion, const double *u);
/// motion->X = T u alone.
void trm_joints_carry(trm_link_motion *motion, const double *u);
/// The same for link i, whose parent has its own; u NULL: at rest.
void trm_joints_carry_link(trm_link_motion *motion, int i, const double *u);
/// J, of motion->X.
double trm_joints_kinetic(const trm_link_motion *motion);
/// x[dofs] = T^T P, motion->P given, which is overwritten: it ends as the wrenches at the joints.
void trm_joints_collect(trm_link_motion *motion, double *x);

/// U and D of this position, once; motion->P and mu are room then.
void trm_joints_factor(trm_link_motion *motion);
/// x[dofs] := M^-1 x
void trm_joints_solve(trm_link_motion *motion, double *x);
/// x[dofs] := M^-1 (along + T^T P), `along` NULL: 0, or x; motion->P given, which is overwritten.
void trm_joints_accelerate(trm_link_motion *motion, const double *along, double *x);
/// x[dofs] := L D mu, of which mu comes; motion->P is room.
void trm_joints_multiply_L(trm_link_motion *motion, double *x);
/// x[dofs] := L^-T mu: the second half of both.
void trm_joints_solve_outwards(trm_link_motion *motion, double *x);
/// M of the dofs, at[stride*dofs], zero before; stride 0: its diagonal, at[dofs].
typedef struct trm_mass_matrix {
    double *at;
    int stride;
} trm_mass_matrix;

void trm_joints_mass_matrix(trm_link_motion *motion, trm_mass_matrix M);
/// Z of block `block`, whose rows for its bodies are G (slots, body axes of turns): L^-1 T^T G^T,
/// or, with `plain`, T^T G^T. P[24 most_path]: room.
void trm_joints_rows(trm_link_motion *motion, int block, int rows, const double *G, int plain,
                     double *P, double *Z);
/// S := Z^T D^-1 Z of all blocks, with `plain` Z^T Z.
void trm_joints_form_S(const trm_link_motion *motion, int plain, const double *Z, double *S);
/// x[dofs] := L^-T D^-1 Z y, which is M^-1 T^T G^T y.
void trm_joints_spread_rows(trm_link_motion *motion, const double *Z, const double *y, double *x);

/// Bodies' velocities V in world axes by link -> v of the model; of those alone that rows of the
/// cuts hold, also A + more -> a (v, a, more NULL: not; 0). And back for forces, to motion->P, with
/// `resists` and L.
void trm_joints_to_bodies(const trm_link_motion *motion, const double *V, double *v);
void trm_joints_to_rows(const trm_link_motion *motion, const double *V, double *v, const double *A,
                        const double *more, double *a);
void trm_joints_from_bodies(trm_link_motion *motion, const double *f, int resists);

/// Coordinates of bodies at s, the position of `motion`: quaternions follow those of the joints.
void trm_joints_coordinates(const trm_link_motion *motion, const double *s, double *q);
/// s and u nearest to q and v of bodies, from the roots outwards; `motion` is then at s. In space
/// angles count whole turns from near[nq], which may be s, and quaternions have its sign.
void trm_joints_find(trm_link_motion *motion, const trm_pose *pose, const double *V,
                     const double *near, double *s, double *u);

/// x[n], n <= W, of least |columns x - b|, columns[W n] one after the other, independent.
void trm_joints_fit(int W, int n, const double *columns, const double *b, double *x);

/// A system in joint coordinates of a model that has a tree; see trm_model_system.
trm_system *trm_joint_system_layout(const trm_model *model, double delta, trm_arena *arena);

/// What the model in absolute coordinates has where the system is at (t, s, u, u', lambda); v
/// follows q.
typedef struct trm_absolute_state {
    double *q, *v, *a, *lambda;
} trm_absolute_state;

/// The room for one.
void trm_absolute_layout(trm_absolute_state *state, const trm_model *absolute, trm_arena *arena);
/// q and v of the bodies at (s, u). Moves the current point.
void trm_joint_system_bodies(trm_system *system, const double *s, const double *u, double *q,
                             double *v);
/// out := bodies and all multipliers; load[nv of the bodies]: further forces on them, NULL: there
/// are none. Moves the current point. Returns a system's code.
int trm_joint_system_show(trm_system *system, double t, const double *s, const double *u,
                          const double *udot, const double *lambda, const double *load,
                          const trm_absolute_state *out);
/// s and u from bodies' q and v; `near` as of trm_joints_find.
void trm_joint_system_find(trm_system *system, double t, const double *q, const double *v,
                           const double *near, double *s, double *u);
/// H[stride*dofs], zero before, := M of the dofs, and x[dofs] := T^T M_abs T' u, at the position.
void trm_joint_system_mass(trm_system *system, int stride, double *H);
void trm_joint_system_inertial(trm_system *system, const double *u, double *x);
/// The system of the absolute model that it shows itself by: inputs, modes and turns are shared.
trm_system *trm_joint_system_absolute(trm_system *system);
/// That of the rows of the cuts, at the same position: with S as free bodies have it.
trm_system *trm_joint_system_cut(trm_system *system);
