/// M^-1 by articulated-body inertias [F08 section 7.3]: joint_tree.h. From the leaves inwards
///
///     U = I s,   D = s . U,   I_parent += X^T (I - U D^-1 U^T) X,   X shifts to the parent's
///     centre
///
/// An inertia is symmetric: in the plane xx, xy, xw, yy, yw, ww; in space the columns of A and of
/// C, and the rows of B, of
///
///     f = A a + B alpha,    torque = B^T a + C alpha.
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/joint_coordinates/twist.h"

#include <string.h>

enum { AT_C = 12, AT_B = 24 };

TRM_INLINE int numbers(int W)
{
    return W == TRM_PLANAR_TWIST ? 6 : 36;
}

/// I := the own inertia of link i.
TRM_INLINE void set_rigid_inertia(const trm_link_motion *motion, int W, int i, double *I)
{
    const trm_bodies *bodies = motion->bodies;
    const int b = motion->tree->links[i].body;
    const double m = bodies->mass[b], *J = motion->J + 12 * i;
    if (W == TRM_PLANAR_TWIST) {
        set3(I, m, 0, 0);
        set3(I + 3, m, 0, bodies->inertia[b]);
        return;
    }
    static const trm_quad unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    TRM_UNROLL
    for (int c = 0; c < 3; c++) {
        *trm_quad_to(I + 4 * c) = unit[c] * m;
        *trm_quad_to(I + AT_C + 4 * c) = *trm_quad_at(J + 4 * c);
        *trm_quad_to(I + AT_B + 4 * c) = (trm_quad){0, 0, 0, 0};
    }
}

/// U := I s. Returns D = s . U.
TRM_INLINE double form_U(int W, const double *I, const double *s, double *U)
{
    if (W == TRM_PLANAR_TWIST) {
        set3(U, I[0] * s[0] + I[1] * s[1] + I[2] * s[2], I[1] * s[0] + I[3] * s[1] + I[4] * s[2],
             I[2] * s[0] + I[4] * s[1] + I[5] * s[2]);
    } else {
        trm_quad x, y;
        *trm_quad_to(U) = *trm_columns_times(I, s, &x) + *trm_columns_dot(I + AT_B, s + 4, &y);
        *trm_quad_to(U + 4) =
            *trm_columns_times(I + AT_B, s, &x) + *trm_columns_times(I + AT_C, s + 4, &y);
    }
    return trm_twist_dot(W, s, U);
}

/// I -= U D^-1 U^T
TRM_INLINE void subtract_projection(int W, double *I, const double *U, double inverse)
{
    double x[TRM_SPATIAL_TWIST];
    trm_twist_scale(W, inverse, U, x);
    if (W == TRM_PLANAR_TWIST) {
        set3(I, I[0] - x[0] * U[0], I[1] - x[0] * U[1], I[2] - x[0] * U[2]);
        set3(I + 3, I[3] - x[1] * U[1], I[4] - x[1] * U[2], I[5] - x[2] * U[2]);
        return;
    }
    TRM_UNROLL
    for (int c = 0; c < 3; c++) {
        *trm_quad_to(I + 4 * c) -= *trm_quad_at(U) * x[c];
        *trm_quad_to(I + AT_C + 4 * c) -= *trm_quad_at(U + 4) * x[4 + c];
        *trm_quad_to(I + AT_B + 4 * c) -= *trm_quad_at(U + 4) * x[c];
    }
}

/// on += I about a centre from which the own one is d away.
///
///     A' = A,   B' = B - A [d],   C' = C + N + N^T,   N = [d] (B + B')/2
TRM_INLINE void add_shifted_spatial(const double *I, const double *d, double *on)
{
    double N[12], over[12];
    trm_quad K[3], x;
    TRM_UNROLL
    for (int r = 0; r < 3; r++) { // row r of A [d] is a x d
        const trm_quad own = *trm_quad_at(I + AT_B + 4 * r);
        const trm_quad moved = own - *trm_quad_cross(I + 4 * r, d, &x);
        K[r] = (own + moved) * 0.5;
        *trm_quad_to(on + AT_B + 4 * r) += moved;
        *trm_quad_to(on + 4 * r) += *trm_quad_at(I + 4 * r);
    }
    *trm_quad_to(N) = K[2] * d[1] - K[1] * d[2];
    *trm_quad_to(N + 4) = K[0] * d[2] - K[2] * d[0];
    *trm_quad_to(N + 8) = K[1] * d[0] - K[0] * d[1];
    trm_turn_over(N, over);
    TRM_UNROLL
    for (int c = 0; c < 12; c += 4) {
        *trm_quad_to(on + AT_C + c) +=
            *trm_quad_at(I + AT_C + c) + (*trm_quad_at(N + c) + *trm_quad_at(over + c));
    }
}

TRM_INLINE void add_shifted_inertia(int W, const double *I, const double *d, double *on)
{
    if (W == TRM_SPATIAL_TWIST) {
        add_shifted_spatial(I, d, on);
        return;
    }
    // the same with [d] = (-d_y, d_x)^T
    const double x = I[2] + I[0] * -d[1] + I[1] * d[0], y = I[4] + I[1] * -d[1] + I[3] * d[0];
    const double more[6] = {I[0], I[1], x, I[3], y, I[5] - d[1] * (I[2] + x) + d[0] * (I[4] + y)};
    TRM_UNROLL
    for (int c = 0; c < 6; c++) {
        on[c] += more[c];
    }
}

/// Adds the articulated bias force P of link i to its parent's: less what the dofs of its joint
/// take, mu := D^-1 (x + s . P); where mu is known `back` becomes x.
TRM_INLINE void force_to_parent(trm_link_motion *motion, int W, int i, const double *x,
                                double *back)
{
    const trm_joint_link *link = &motion->tree->links[i];
    double *const P = motion->P + W * i, *const on = motion->P + W * link->parent;
    for (int k = link->first + link->n - 1; k >= link->first; k--) {
        const double along = trm_twist_dot(W, motion->s + W * k, P) + (x ? x[k] : 0);
        if (back) {
            back[k] = motion->mu[k] / motion->inverse[k] - along;
        } else {
            motion->mu[k] = along * motion->inverse[k];
        }
        if (k > link->first) {
            trm_twist_add(W, -motion->mu[k], motion->U + W * k, P);
        }
    }
    if (link->parent >= 0) { // the ground takes all
        trm_wrench_carry(W, P, motion->arm + 4 * i, on);
    }
    if (link->parent >= 0 && link->n > 0) {
        trm_twist_add(W, -motion->mu[link->first], motion->U + W * link->first, on);
    }
}

/// M of dof k of link i, U = I s, with those before it, from here to the ground.
TRM_INLINE void fill_mass(const trm_link_motion *motion, int W, int i, int k, double *U,
                          trm_mass_matrix *M)
{
    const trm_joint_link *const links = motion->tree->links;
    for (int l = k; i >= 0; i = links[i].parent, l = i < 0 ? 0 : links[i].first + links[i].n - 1) {
        for (; l >= links[i].first; l--) {
            M->at[M->stride * k + l] = M->at[M->stride * l + k] =
                trm_twist_dot(W, motion->s + W * l, U);
        }
        trm_wrench_at(W, U, motion->arm + 4 * i, U);
    }
}

/// Adds the inertia of link i to its parent's: with M the composite one, without the articulated
/// one. The projection of a joint's first dof is subtracted at the parent, so that the next link
/// waits neither for the shift nor for what follows from 1/D.
TRM_INLINE void inertia_to_parent(trm_link_motion *motion, int W, int i, trm_mass_matrix *M)
{
    const trm_joint_link *link = &motion->tree->links[i];
    const double *const arm = motion->arm + 4 * i;
    double *const I = motion->I + numbers(W) * i, *const on = motion->I + numbers(W) * link->parent;
    double U[TRM_SPATIAL_TWIST] = {0}, moved[TRM_SPATIAL_TWIST], inverse = 0;
    for (int k = link->first + link->n - 1; k >= link->first; k--) {
        const double D = form_U(W, I, motion->s + W * k, U);
        if (M && M->stride > 0) {
            fill_mass(motion, W, i, k, U, M);
        }
        if (M) {
            M->at[(M->stride + 1) * k] = D;
            continue;
        }
        motion->inverse[k] = inverse = 1 / D;
        if (k > link->first) {
            subtract_projection(W, I, U, inverse);
            trm_twist_copy(W, U, motion->U + W * k);
        }
    }
    if (link->parent < 0) {
        return;
    }
    add_shifted_inertia(W, I, arm, on);
    if (!M && link->n > 0) {
        trm_wrench_at(W, U, arm, moved);
        subtract_projection(W, on, moved, inverse);
        trm_twist_copy(W, moved, motion->U + W * link->first);
    }
}

/// From the leaves inwards: inertias, and without M the bias forces beside them, x as above.
TRM_INLINE void inward_pass(trm_link_motion *motion, int W, const double *x, trm_mass_matrix *M)
{
    const int n = motion->tree->n;
    for (int i = 0; i < n; i++) {
        set_rigid_inertia(motion, W, i, motion->I + numbers(W) * i);
    }
    for (int i = n - 1; i >= 0; i--) {
        inertia_to_parent(motion, W, i, M);
        if (!M) {
            force_to_parent(motion, W, i, x, NULL);
        }
    }
}

/// M NULL: the articulated inertias and mu := D^-1 L^-1 (x + T^T P), x NULL: 0.
TRM_WIDE static void inward(trm_link_motion *motion, const double *x, trm_mass_matrix *M)
{
    if (motion->W == TRM_PLANAR_TWIST) {
        inward_pass(motion, TRM_PLANAR_TWIST, x, M);
    } else {
        inward_pass(motion, TRM_SPATIAL_TWIST, x, M);
    }
    motion->factored |= !M;
}

void trm_joints_mass_matrix(trm_link_motion *motion, trm_mass_matrix M)
{
    inward(motion, NULL, &M);
}

/// x := L^-T mu
TRM_INLINE void outward_pass(trm_link_motion *motion, int W, double *x)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        const double *const on = motion->X + W * link->parent, *a = on; // that of U
        double own[TRM_SPATIAL_TWIST];
        if (link->parent < 0 && link->n == 1) { // the ground does not move
            x[link->first] = motion->mu[link->first];
            trm_twist_scale(W, x[link->first], motion->s + W * link->first, motion->X + W * i);
            continue;
        }
        trm_twist_carry(W, on, motion->arm + 4 * i, own);
        for (int k = link->first; k < link->first + link->n; k++, a = own) {
            x[k] = motion->mu[k] - trm_twist_dot(W, motion->U + W * k, a) * motion->inverse[k];
            trm_twist_add(W, x[k], motion->s + W * k, own);
        }
        trm_twist_copy(W, own, motion->X + W * i);
    }
}

/// mu := D^-1 L^-1 (x + T^T P), x NULL: 0; or back := L D mu, P 0.
TRM_WIDE static void solve_inward(trm_link_motion *motion, const double *x, double *back)
{
    for (int i = motion->tree->n - 1; i >= 0; i--) {
        if (motion->W == TRM_PLANAR_TWIST) {
            force_to_parent(motion, TRM_PLANAR_TWIST, i, x, back);
        } else {
            force_to_parent(motion, TRM_SPATIAL_TWIST, i, x, back);
        }
    }
}

void trm_joints_multiply_L(trm_link_motion *motion, double *x)
{
    memset(motion->P, 0, (size_t)(motion->tree->n * motion->W) * sizeof *x);
    solve_inward(motion, NULL, x);
}

void trm_joints_factor(trm_link_motion *motion)
{
    if (!motion->factored) {
        inward(motion, NULL, NULL);
    }
}

void trm_joints_solve(trm_link_motion *motion, double *x)
{
    memset(motion->P, 0, (size_t)(motion->tree->n * motion->W) * sizeof *x);
    trm_joints_accelerate(motion, x, x);
}

void trm_joints_accelerate(trm_link_motion *motion, const double *along, double *x)
{
    if (motion->factored) {
        solve_inward(motion, along, NULL);
    } else {
        inward(motion, along, NULL);
    }
    trm_joints_solve_outwards(motion, x);
}

TRM_WIDE static void solve_outward(trm_link_motion *motion, double *x)
{
    if (motion->W == TRM_PLANAR_TWIST) {
        outward_pass(motion, TRM_PLANAR_TWIST, x);
    } else {
        outward_pass(motion, TRM_SPATIAL_TWIST, x);
    }
}

void trm_joints_solve_outwards(trm_link_motion *motion, double *x)
{
    solve_outward(motion, x);
    trm_joints_carried(motion, x);
}
