/// Open planar trees of pins in independent coordinates.
///
/// Every body hangs by one pin from an earlier body or from the ground, or by none. Then the absolute angles
/// theta_i and rates w_i = theta_i' of all bodies, and the centres of mass of those that hang by none, are
/// independent: positions and velocities follow from the root outwards, exactly, so that no pin opens. With
/// X_i the pin of body i, R_i its rotation, J the quarter turn (x, y) -> (-y, x), a the parent of i,
///
///     d_i = R_i D_i    from the pin to the centre of mass,     x_i = X_i + d_i,    x_i' = X_i' + w_i J d_i
///     e_i = R_a E_i    from the pin of a to the pin of i,      X_i = X_a + e_i,    X_i' = X_a' + w_a J e_i
///
/// Accelerations are those of the articulated-body algorithm [Featherstone 1983; 2008, 7.3]. The force F_i that
/// body i and all that hangs on it need at its pin is, since no pin takes a moment,
///
///     F_i = K A_i + h alpha_i + b          A_i = X_i'',  alpha_i = w_i'
///      0  = h.A_i + L alpha_i + mu
///
///     K = m_i + sum_c K_c'                 h = m_i J d_i + sum_c K_c' J e_c
///     L = I_i + m_i |d_i|^2 + sum_c (J e_c).K_c' J e_c
///     b = -m_i w_i^2 d_i - f_i + sum_c b_c*,   mu = -(J d_i).f_i - tau_i + sum_c (J e_c).b_c*
///     b_c* = b_c' - w_i^2 K_c' e_c
///
/// over the bodies c that hang on i; eliminating alpha_i leaves K_i' = K - h h^T/L, b_i' = b - h mu/L for its
/// parent. From the root outwards then
///
///     A_c = A_i + alpha_i J e_c - w_i^2 e_c,    alpha_i = -(h.A_i + mu)/L.
///
/// Cost O(n), one division per body. Order: each body after its parent, chains without a gap.
#ifndef TRM_TREE_H
#define TRM_TREE_H

#include "engine/arena.h"

enum { TRM_TREE_GROUND = -1, TRM_TREE_FREE = -2 };

/// Why a model is none.
typedef enum trm_no_tree {
    TRM_IS_TREE,
    TRM_NO_TREE_EQUATIONS, ///< a model from equations
    TRM_NO_TREE_SPATIAL,
    TRM_NO_TREE_POINT, ///< `culprit` is a body that is a point mass
    TRM_NO_TREE_KIND,  ///< `culprit` is the first row of what is no pin
    TRM_NO_TREE_LOOP   ///< `culprit` is the first row of a pin that closes a loop
} trm_no_tree;

/// The tree of a model; its arrays by place in the tree.
typedef struct trm_tree {
    trm_no_tree refusal;
    int culprit;
    int n;           ///< bodies; 0 when the model is no tree
    int nfree;       ///< of them hang by no pin
    int *parent;     ///< [n] < place, or one of the above
    int *held_by;    ///< [n] parent, and 0 where there is none
    int *body;       ///< [n] index in the model
    int *row;        ///< [n] first row of its pin
    int *forks;      ///< [n] how many hang on it beside the one that comes next
    int *free;       ///< [nfree] their places
    double *sign;    ///< [n] lambda = sign F: -1 where the body is `b` of its pin
    double *Ex, *Ey; ///< [n] m, E; of those at the ground the place of the pin
    double *Dx, *Dy; ///< [n] m, D
    double *m;       ///< [n] kg
    double *L;       ///< [n] kg m^2, I + m |D|^2
    int constant;    ///< nonzero: forces depend on nothing and do no work that has no potential
    double *fx, *fy, *torque; ///< [n] these forces
} trm_tree;

/// Where a run has a tree, and how it moves there.
typedef struct trm_tree_motion {
    const trm_tree *tree;
    double *rate;              ///< [n] rad/s
    double *c, *s;             ///< [n] cosine and sine of the angles
    double *dx, *dy, *ex, *ey; ///< [n] m
    double *square;            ///< [n] w_i^2 of the body
    double *around;            ///< [n] w_a^2 of its parent
    double *exx, *exy, *eyy;   ///< [n] (J e)(J e)^T, twice its entry off the diagonal
    double *fx, *fy, *torque;  ///< [n] applied forces
    double *hx, *hy, *bx, *by,
        *mu;               ///< [n] of the body alone, then h/L and mu/L of all that hangs on it
    double *sum;           ///< [9 n] what hangs on a body beside the one that comes next
    double *Ax, *Ay;       ///< [n] m/s^2, accelerations of the pins
    double *alpha;         ///< [n] rad/s^2
    double *X, *Y, *U, *V; ///< [n] the pins and their velocities
    double *Fx, *Fy;       ///< [n] N, on the bodies at their pins
} trm_tree_motion;

/// Independent coordinates: n angles, and x, y of the bodies that hang by no pin.
int trm_tree_freedoms(const trm_tree *tree);

void trm_tree_layout(trm_tree_motion *motion, const trm_tree *tree, trm_arena *arena);

/// Be at these angles[n] and rates[n].
void trm_tree_place(trm_tree_motion *motion, const double *angle, const double *rate);
/// The centres of mass and their velocities there, 3 for each body of the model: x, y, angle and velocity, rate.
/// free[2*nfree] and free_rate[2*nfree] are those of the bodies that hang by no pin.
void trm_tree_follow(trm_tree_motion *motion, const double *angle, const double *free,
                     const double *free_rate, double *q, double *v);
/// motion->fx ... := the forces f[3*n] of the model's bodies.
void trm_tree_push(trm_tree_motion *motion, const double *f);
/// alpha[n] there under motion->fx ..., and free[2*nfree], the accelerations of the bodies that hang by no pin.
void trm_tree_accelerate(trm_tree_motion *motion, double *alpha, double *free);
/// After that a[3*n] of the model's bodies, and lambda by row.
void trm_tree_react(trm_tree_motion *motion, double *a, double *lambda);

/// The two sweeps of trm_tree_accelerate, tree_sweep.c: from the leaves to the roots and back.
void trm_tree_sweep_in(trm_tree_motion *motion);
void trm_tree_sweep_out(trm_tree_motion *motion);

#endif
