/// States of bodies from those of joints, and back.
#include "base/linear/qr.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "engine/joint_coordinates/joint_tree.h"

#include <math.h>
#include <string.h>

void trm_joints_fit(int W, int n, const double *columns, const double *b, double *x)
{
    double A[(TRM_MOST_DOFS + 1) * 8], tau[TRM_MOST_DOFS + 1];
    double *const right = A + W * n; // becomes Q^T b
    memcpy(A, columns, (size_t)(W * n) * sizeof *A);
    memcpy(right, b, (size_t)W * sizeof *A);
    trm_qr(W, n + 1, A, NULL, tau, NULL);
    for (int j = n - 1; j >= 0; j--) {
        for (int i = j + 1; i < n; i++) {
            right[j] -= A[W * i + j] * x[i];
        }
        x[j] = right[j] / A[W * j + j];
    }
}

void trm_joints_coordinates(const trm_link_motion *motion, const double *s, double *q)
{
    const trm_bodies *bodies = motion->bodies;
    for (int i = 0; i < motion->tree->n; i++) {
        const trm_joint_link *link = &motion->tree->links[i];
        const trm_pose *pose = motion->pose;
        double *const own = q + bodies->q0[link->body];
        if (bodies->dimension == 2) {
            own[0] = pose->x[link->body] + motion->tree->origin[0];
            own[1] = pose->y[link->body] + motion->tree->origin[1];
        } else {
            add(pose->p + 3 * link->body, motion->tree->origin, own);
        }
        if (bodies->point[link->body]) {
            continue;
        }
        if (bodies->dimension == 2) {
            own[2] = pose->angle[link->body];
            continue;
        }
        double quat[4] = {1, 0, 0, 0}, by[4];
        if (link->parent >= 0) {
            memcpy(quat, q + bodies->q0[motion->tree->links[link->parent].body] + 3, sizeof quat);
        }
        for (int k = link->first; k < link->first + link->n; k++) {
            const trm_dof *dof = &motion->tree->dofs[k];
            if (dof->kind == TRM_DOF_TURN) {
                trm_quaternion_from_axis(dof->axis, s[dof->q], by);
                trm_quaternion_product(quat, by, quat);
            } else if (dof->kind == TRM_DOF_BALL) {
                trm_quaternion_product(quat, s + dof->q, quat);
                k += 2;
            }
        }
        trm_quaternion_product(quat, link->after_quat, quat);
        memcpy(own + 3, quat, sizeof quat);
    }
}

// ------------------------------------------------------------------------------- joints of bodies

/// Place of a body, the ground among them.
static void look(const trm_pose *pose, int b, double p[3], double R[9])
{
    if (pose->width == 6) {
        memcpy(p, pose->p + 3 * b, 3 * sizeof *p);
        memcpy(R, pose->R + 9 * b, 9 * sizeof *R);
        return;
    }
    set3(p, pose->x[b], pose->y[b], 0);
    set3(R, pose->c[b], -pose->s[b], 0);
    set3(R + 3, pose->s[b], pose->c[b], 0);
    set3(R + 6, 0, 0, 1);
}

/// The angle about `axis` by which x, across it, has turned to y.
static double turned(const double axis[3], const double x[3], const double y[3])
{
    double across[3];
    cross(axis, x, across);
    return atan2(dot(across, y), dot(x, y));
}

/// Coordinates of a link whose joint's frames are d apart and turned by Q, in the frame of the
/// parent.
static void find_dofs(const trm_joint_tree *tree, const trm_joint_link *link, const double d[3],
                      const double Q[9], double *s)
{
    const trm_dof *const dof = tree->dofs + link->first;
    const trm_dof *turn[3];
    int nturns = 0;
    double side[3], other[3], x[3], distance;
    const int slides_first = link->n > 0 && dof[0].kind == TRM_DOF_SLIDE;
    const double *const moved = slides_first ? d : rotate_back(Q, d, x);
    for (int k = 0; k < link->n; k++) {
        if (dof[k].kind == TRM_DOF_SLIDE) {
            s[dof[k].q] = dot(dof[k].axis, moved);
        } else if (dof[k].kind == TRM_DOF_TURN) {
            turn[nturns++] = &dof[k];
        } else {
            trm_quaternion_from_matrix(Q, s + dof[k].q, &distance);
            k += 2;
        }
    }
    if (nturns == 1) {
        trm_frame_around(turn[0]->axis, side, other);
        s[turn[0]->q] = turned(turn[0]->axis, side, rotate(Q, side, x));
    } else if (nturns == 2) {
        const double *a = turn[0]->axis, *b = turn[1]->axis;
        s[turn[0]->q] = turned(a, b, rotate(Q, b, x));
        s[turn[1]->q] = -turned(b, a, rotate_back(Q, a, x));
    }
}

/// The dofs of a link; near[nq], which may be s, or NULL: see trm_joints_find.
static void find_dofs_near(const trm_joint_tree *tree, const trm_joint_link *link,
                           const double d[3], const double Q[9], const double *near, double *s)
{
    const trm_dof *const dof = tree->dofs + link->first;
    double was[TRM_MOST_DOFS + 1];
    if (near) {
        memcpy(was, near + link->q0, (size_t)link->nq * sizeof *was);
    }
    find_dofs(tree, link, d, Q, s);
    for (int k = 0; near && k < link->n; k++) {
        const double *const old = was + (dof[k].q - link->q0);
        double *const x = s + dof[k].q;
        if (dof[k].kind == TRM_DOF_TURN) {
            x[0] = trm_angle_near(x[0], old[0]);
        } else if (dof[k].kind == TRM_DOF_BALL) {
            const double same = x[0] * old[0] + dot(x + 1, old + 1);
            for (int c = 0; same < 0 && c < 4; c++) {
                x[c] = -x[c];
            }
            k += 2;
        }
    }
}

static void find_position(trm_link_motion *motion, int i, const trm_pose *pose, const double *near,
                          double *s)
{
    const trm_joint_tree *tree = motion->tree;
    const trm_joint_link *link = &tree->links[i];
    const int on = link->on;
    double p[3], R[9], at[3], parent[9], Q[9], d[3], x[3], y[3];
    look(pose, on, at, parent);
    look(pose, link->body, p, R);
    add(p, rotate(R, link->to, x), d);
    subtract(d, link->parent < 0 ? tree->origin : at, d);
    subtract(d, rotate(parent, link->at, x), d);
    for (int j = 0; j < 3; j++) { // parent^T R after^T
        const double *const column = rotate_back(parent, rotate(R, link->after + 4 * j, x), y);
        Q[j] = column[0];
        Q[3 + j] = column[1];
        Q[6 + j] = column[2];
    }
    find_dofs_near(tree, link, rotate_back(parent, d, x), Q, near, s);
    if (pose->width == 3) { // angles of the plane count turns
        const double angle = pose->angle[link->body] - pose->angle[on] - link->angle;
        for (int k = link->first; k < link->first + link->n; k++) {
            if (tree->dofs[k].kind == TRM_DOF_TURN) {
                s[tree->dofs[k].q] = tree->dofs[k].axis[2] * angle;
            }
        }
    }
    trm_joints_place_link(motion, i, s);
}

static void find_velocity(trm_link_motion *motion, int i, const trm_pose *pose, const double *V,
                          double *u)
{
    const trm_joint_link *link = &motion->tree->links[i];
    const int W = motion->W;
    const double *own = V + pose->width * link->body;
    double *const carried = motion->X + W * i, is[8] = {own[0], own[1], own[2]}, open[8];
    if (pose->width == 6) {
        rotate(motion->pose->R + 9 * link->body, own + 3, is + 4);
    }
    trm_joints_carry_link(motion, i, NULL);
    for (int c = 0; c < W; c++) {
        open[c] = is[c] - carried[c];
    }
    trm_joints_fit(W, link->n, motion->s + W * link->first, open, u + link->first);
    trm_joints_carry_link(motion, i, u);
}

void trm_joints_find(trm_link_motion *motion, const trm_pose *pose, const double *V,
                     const double *near, double *s, double *u)
{
    for (int i = 0; i < motion->tree->n; i++) {
        find_position(motion, i, pose, near, s);
        find_velocity(motion, i, pose, V, u);
    }
    memcpy(motion->q, s, (size_t)motion->tree->nq * sizeof *s);
    motion->placed = 1;
}
