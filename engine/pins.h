/// The pins of a planar model: revolute joints with no row but their two, in an array of their own,
/// in elimination order. Most planar mechanisms consist of little else.
///
///   g = d = r_b - r_a,     G_a = [-I, m_a],    G_b = [I, m_b]
///   m_a = (y_a, -x_a),     m_b = (-y_b, x_b),  (x, y) = R l
///   gamma = -d'' = rate_b^2 (x_b, y_b) - rate_a^2 (x_a, y_a)
///   S_ii = (w_a + w_b) I + u_a m_a m_a^T + u_b m_b m_b^T,    W = diag(w, w, u)
///   S_ij = +-w I + u m_i m_j^T                               over a body that i and j share
///
/// The moments m are all that is stored of G.
#ifndef TRM_PINS_H
#define TRM_PINS_H

#include "bodies/pose.h"

typedef struct trm_pin {
    int a, b;            ///< bodies, ground = nbody
    int va, vb;          ///< where they begin in slots
    int row;             ///< first row in g
    double la[2], lb[2]; ///< m, the point in the frames of a and b
} trm_pin;

/// The diagonal block of a pin in S.
typedef struct trm_pin_diagonal {
    int S;               ///< where it begins
    double both, ua, ub; ///< w_a + w_b, u_a, u_b
} trm_pin_diagonal;

/// Pins i and j, of which i is eliminated later, share a body.
typedef struct trm_pin_pair {
    int i, j;     ///< where the moments of that body begin in m
    int S;        ///< where the block begins
    int more;     ///< nonzero: they share another one too, which comes first
    double plain; ///< w; -w: the body is a of one pin and b of the other
    double u;
} trm_pin_pair;

/// Values of S that no pin writes, and no coupling of a spatial model.
typedef struct trm_pin_blank {
    int begin, count;
} trm_pin_blank;

/// A pin that shares a body with another kind of joint: its blocks of G are needed.
typedef struct trm_pin_copy {
    int pin;
    int G; ///< they begin here, G_a before G_b
} trm_pin_copy;

typedef struct trm_pins {
    int n, npairs, nfirst, ncopies, nblanks;
    const trm_pin *pin;                  ///< [n]
    const trm_pin_diagonal *diagonal[2]; ///< [n] for W = M^-1 and for the identity
    const trm_pin_pair
        *pair[2];             ///< [npairs] likewise, in the order of S; from nfirst on with `more`
    const trm_pin_copy *copy; ///< [ncopies]
    const trm_pin_blank *blank; ///< [nblanks]
    const int *of_block;        ///< [nblocks] the pin that is this block of rows, or -1
} trm_pins;

/// g and the moments m[4n], m_a before m_b, at the pose; then the copies in G.
void trm_pins_position(const trm_pins *pins, const trm_pose *pose, double *g, double *m, double *G);
/// r = G a - gamma, velocities V and accelerations A in slots.
void trm_pins_acceleration_residual(const trm_pins *pins, const double *m, const double *V,
                                    const double *A, double *r);
/// y = G x, x in slots.
void trm_pins_multiply_G(const trm_pins *pins, const double *m, const double *x, double *y);
/// x += G^T y, x in slots.
void trm_pins_multiply_GT(const trm_pins *pins, const double *m, const double *y, double *x);
/// S := G W G^T, `metric` as in trm_metric; the blanks are left alone.
void trm_pins_form_S(const trm_pins *pins, const double *m, int metric, double *S);

#endif
