/// The pins of a planar model: revolute joints without a motor (in place of the rows of
/// constraints/revolute.c), in elimination order. Most planar mechanisms consist mainly of pins.
///
///   g = d = r_b - r_a,     G_a = [-I, m_a],    G_b = [I, m_b]
///   m_a = (y_a, -x_a),     m_b = (-y_b, x_b),  (x, y) = R l
///   gamma = -d'' = rate_b^2 (x_b, y_b) - rate_a^2 (x_a, y_a)
///   S_ii = (w_a + w_b) I + u_a m_a m_a^T + u_b m_b m_b^T,    W = diag(w, w, u)
///   S_ij = +-w I + u m_i m_j^T                               over a body that i and j share
///
/// Of G only the moments m are stored: one for a pin on the ground, which has one moving
/// body; m_a and m_b for every other pin.
#pragma once

#include "base/lane.h"
#include "bodies/pose.h"

typedef struct trm_pin {
    int a, b;   ///< bodies
    int va, vb; ///< where they begin in slots
    int row;    ///< first row in g
    trm_lane la[2][2],
        lb[2][2]; ///< m, the point in the frames of a and b, and the same turned left
} trm_pin;

/// A pin on the ground.
typedef struct trm_ground_pin {
    int body;         ///< that moves
    int v;            ///< where it begins in slots
    int row;          ///< first row in g
    trm_lane sign;    ///< -1: it is a, 1: it is b
    trm_lane l[2][2]; ///< m, the point in its frame, and the same turned left
    trm_lane at[2];   ///< m, on the ground
} trm_ground_pin;

/// The diagonal block of a pin in S.
typedef struct trm_pin_diagonal {
    int S;         ///< where it begins
    trm_lane both; ///< w_a + w_b
    trm_lane u[2]; ///< of each moment
} trm_pin_diagonal;

/// Pins i and j, of which i is eliminated later, share a body.
typedef struct trm_pin_pair {
    int i, j;       ///< where the moments of that body begin in m
    int S;          ///< where the block begins
    int more;       ///< nonzero: they share another one too, which comes first
    trm_lane plain; ///< w; -w: the body is a of one pin and b of the other
    trm_lane u;
} trm_pin_pair;

/// A body that carries a pin and another kind of joint: the pin's block of G for it is needed.
typedef struct trm_pin_copy {
    int m;         ///< where the moment begins
    int G;         ///< where the block begins
    trm_lane sign; ///< -1: the body is a, 1: it is b
} trm_pin_copy;

typedef struct trm_pins {
    int n, nground, npairs, nfirst, ncopies;
    int nmoments;                 ///< numbers in m
    const trm_ground_pin *ground; ///< [nground]
    const trm_pin *pin;           ///< [n] the others
    const trm_pin_diagonal
        *diagonal[2]; ///< [nground+n] in that order, for W = M^-1 and for the identity
    const trm_pin_pair
        *pair[2];             ///< [npairs] likewise, in the order of S; from nfirst on with `more`
    const trm_pin_copy *copy; ///< [ncopies]
    const int
        *moment; ///< [nblocks] where the moments of the pin that is this block of rows begin, or -1
} trm_pins;

/// The constant entries of the copies in G.
void trm_pins_prepare(const trm_pins *pins, trm_lane *G);
/// g and the moments m[nmoments] at the pose; then the copies in G.
void trm_pins_position(const trm_pins *pins, const trm_pose *pose, trm_lane *g, trm_lane *m,
                       trm_lane *G);
/// r = G a - gamma, velocities V and accelerations A in slots.
void trm_pins_acceleration_residual(const trm_pins *pins, const trm_lane *m, const trm_lane *V,
                                    const trm_lane *A, trm_lane *r);
/// y = G x, x in slots.
void trm_pins_multiply_G(const trm_pins *pins, const trm_lane *m, const trm_lane *x, trm_lane *y);
/// x += G^T y, x in slots.
void trm_pins_multiply_GT(const trm_pins *pins, const trm_lane *m, const trm_lane *y, trm_lane *x);
/// S := G W G^T, `metric` as in trm_metric; what else is in it is left alone.
void trm_pins_form_S(const trm_pins *pins, const trm_lane *m, int metric, trm_lane *S);
