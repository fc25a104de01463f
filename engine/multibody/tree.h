/// Open planar trees of pins in independent coordinates.
///
/// Every body hangs by one pin from an earlier body or from the ground, or has no pin. Then the
/// absolute angles theta_i and rates w_i = theta_i' of all bodies, and the centres of mass of
/// bodies without a pin, are independent: positions and velocities follow from the root outwards,
/// exactly, so that no pin opens. With X_i the pin of body i, R_i its rotation, J the quarter turn
/// (x, y) -> (-y, x), a the parent of i,
///
///     d_i = R_i D_i   from the pin to the mass centre   x_i = X_i + d_i   x_i' = X_i' + w_i J d_i
///     e_i = R_a E_i   from the pin of a to that of i    X_i = X_a + e_i   X_i' = X_a' + w_a J e_i
///
/// Accelerations are those of the articulated-body algorithm [Featherstone 1983; 2008, 7.3]. The
/// force F_i that body i and all that hangs on it need at its pin is, since no pin takes a moment,
///
///     F_i = K A_i + h alpha_i - b          A_i = X_i'',  alpha_i = w_i'
///      mu = h.A_i + L alpha_i
///
///     K = m_i + sum_c K_c'                 h = m_i J d_i + sum_c K_c' J e_c
///     L = I_i + m_i |d_i|^2 + sum_c (J e_c).K_c' J e_c
///     b = m_i w_i^2 d_i + f_i + sum_c b_c*,   mu = (J d_i).f_i + tau_i + sum_c (J e_c).b_c*
///     b_c* = b_c' + w_i^2 K_c' e_c
///
/// over the bodies c that hang on i; eliminating alpha_i leaves K_i' = K - h h^T/L, b_i' = b - h
/// mu/L for its parent. From the root outwards then
///
///     A_c = A_i + alpha_i J e_c - w_i^2 e_c,    alpha_i = (mu - h.A_i)/L.
///
/// Cost O(n), one division per body. Order outwards: each body after its parent, chains
/// without a gap. Arrays have the same order, except for long chains, which are swept
/// in four parts at once (tree_path.h).
#ifndef TRM_TREE_H
#define TRM_TREE_H

#include "base/arena.h"
#include "base/lane.h"
#include "base/pair.h"
#include "engine/multibody/tree_path.h"

enum { TRM_TREE_GROUND = -1, TRM_TREE_FREE = -2 };

/// Why a model is not a tree.
typedef enum trm_no_tree {
    TRM_IS_TREE,
    TRM_NO_TREE_EQUATIONS, ///< a model from equations
    TRM_NO_TREE_SPATIAL,
    TRM_NO_TREE_STATE,   ///< states of the scene
    TRM_NO_TREE_CONTACT, ///< limits, friction or a stop
    TRM_NO_TREE_POINT,   ///< `culprit` is a body that is a point mass
    TRM_NO_TREE_KIND,    ///< `culprit` is the first row of what is no pin
    TRM_NO_TREE_JOINTS,  ///< a model in joint coordinates
    TRM_NO_TREE_LOOP     ///< `culprit` is the first row of a pin that closes a loop
} trm_no_tree;

/// A body, its pin and what it hangs on.
typedef struct trm_link {
    int parent;       ///< its place, or one of the above
    int forks;        ///< how many bodies hang on it beside the one that comes next
    int body;         ///< index in the model
    int row;          ///< first row of its pin
    trm_lane sign;    ///< lambda = sign F: -1 where the body is `b` of its pin
    trm_lane m;       ///< kg
    trm_lane L;       ///< kg m^2, I + m |D|^2
    trm_lane D[2][2]; ///< m, D and J D
    trm_lane E[2][2]; ///< m, E and J E; E of those at the ground is the place of the pin
} trm_link;

/// The tree of a model.
struct trm_tree {
    trm_no_tree refusal;
    int culprit;
    int n;          ///< bodies; 0 when the model is no tree
    int nfree;      ///< of them hang by no pin
    trm_link *link; ///< [n] by place
    int *outward;   ///< [n] the places, each behind that of its parent
    int *free;      ///< [nfree] their places
    int npaths;
    trm_path *path; ///< [npaths] from the root outwards
    int constant;   ///< nonzero: forces depend on nothing and do no work that has no potential
    trm_lane *f;    ///< [3n] these forces: all f_x, N, all f_y, N, all torques, N m
    double *m, *L, *Dx, *Dy; ///< [n] again, for vectors
    double *Ex, *Ey;         ///< [n] E of the next body outwards, as if it hung on this one
};

/// Where a run has a tree, and how it moves there; by place in the tree.
struct trm_tree_motion {
    const trm_tree *tree;
    trm_lane *c, *s;       ///< [n] cosine and sine of the angles
    trm_lane *square;      ///< [n] w^2
    trm_lane *f;           ///< [3n] applied forces, where they are not constant
    trm_lane *e;           ///< [2n] m
    trm_lane *h, *mu;      ///< [2n], all h_x before all h_y, and [n]: h/L and mu/L
    trm_lane *sum;         ///< [9n] what hangs on a body beside the one that comes next
    trm_lane *A;           ///< [2n] m/s^2, accelerations of the pins
    trm_lane *X, *U;       ///< [2n] the pins and their velocities
    trm_lane *F;           ///< [2n] N, on the bodies at their pins
    trm_path_motion *path; ///< [npaths]
};

/// Independent coordinates: n angles, and x, y of the bodies that hang by no pin.
int trm_tree_freedoms(const trm_tree *tree);

void trm_tree_layout(trm_tree_motion *motion, const trm_tree *tree, trm_arena *arena);

/// Be at these angles[n].
void trm_tree_place(trm_tree_motion *motion, const trm_lane *angle);
/// The centres of mass and their velocities there, 3 for each body of the model: x, y, angle and
/// velocity, rate. u and w are the independent coordinates and their rates.
void trm_tree_follow(trm_tree_motion *motion, const trm_lane *u, const trm_lane *w, trm_lane *q,
                     trm_lane *v);
/// motion->f := the forces f[3n] of the model's bodies.
void trm_tree_push(trm_tree_motion *motion, const trm_lane *f);
/// w' there with these w.
void trm_tree_accelerate(trm_tree_motion *motion, const trm_lane *w, trm_lane *wdot);
/// After that a[3n] of the model's bodies, and lambda by row.
void trm_tree_react(trm_tree_motion *motion, const trm_lane *wdot, trm_lane *a, trm_lane *lambda);

/// (trm_tree_follow and trm_tree_react: tree_follow.c.)

/// The two sweeps of trm_tree_accelerate, tree_sweep.c: from the leaves to the roots and back.
void trm_tree_sweep_in(trm_tree_motion *motion, const trm_lane *w, const trm_lane *f);
void trm_tree_sweep_out(trm_tree_motion *motion, trm_lane *alpha);

/// R x and J R x, from x and J x.
static inline trm_pair trm_turned(trm_lane c, trm_lane s, const trm_lane x[2][2])
{
    return trm_plus(trm_scaled(c, trm_pair_load(x[0])), trm_scaled(s, trm_pair_load(x[1])));
}

static inline trm_pair trm_turned_left(trm_lane c, trm_lane s, const trm_lane x[2][2])
{
    return trm_minus(trm_scaled(c, trm_pair_load(x[1])), trm_scaled(s, trm_pair_load(x[0])));
}

#endif
