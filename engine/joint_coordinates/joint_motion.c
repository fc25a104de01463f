/// Where the bodies of a tree are and how they move, from the roots outwards.
#include "bodies/rotation.h"
#include "bodies/sincos.h"
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/joint_coordinates/twist.h"

#include <string.h>

/// [W (n + 1)], of which that of the ground, link -1, comes first.
static double *of_links(int W, int n, trm_arena *arena)
{
    double *room = trm_arena_doubles(arena, W * (n + 1));
    return room ? room + W : NULL;
}

void trm_link_motion_layout(trm_link_motion *motion, const trm_joint_tree *tree,
                            const trm_bodies *bodies, trm_pose *pose, trm_arena *arena)
{
    const int n = tree->n, steps = tree->nsteps, W = bodies->width;
    *motion = (trm_link_motion){.tree = tree, .bodies = bodies, .pose = pose};
    motion->V = of_links(W, n, arena);
    motion->A = of_links(W, n, arena);
    motion->X = of_links(W, n, arena);
    motion->P = trm_arena_doubles(arena, W * n);
    motion->I = trm_arena_doubles(arena, W * (W + 1) / 2 * n);
    motion->J = trm_arena_doubles(arena, 6 * n);
    motion->arm = trm_arena_doubles(arena, 3 * n);
    motion->sine = trm_arena_doubles(arena, tree->nq);
    motion->cosine = trm_arena_doubles(arena, tree->nq);
    motion->s = trm_arena_doubles(arena, W * steps);
    motion->U = trm_arena_doubles(arena, W * steps);
    motion->inverse = trm_arena_doubles(arena, steps);
    motion->mu = trm_arena_doubles(arena, steps);
}

// -------------------------------------------------------------------------------------- position

/// out := A B
TRM_INLINE void product(const double *A, const double *B, double *out)
{
    for (int i = 0; i < 3; i++, A += 3, out += 3) {
        set3(out, A[0] * B[0] + A[1] * B[3] + A[2] * B[6], A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
             A[0] * B[2] + A[1] * B[5] + A[2] * B[8]);
    }
}

/// J of link i: its inertia in world axes, R J R^T.
TRM_INLINE void turn_inertia(trm_link_motion *motion, int i, int b, const double *R)
{
    const double *own = motion->bodies->inertia + 9 * b;
    double x[3], y[3], z[3], *const J = motion->J + 6 * i;
    if (motion->bodies->diagonal) {
        set3(x, own[0] * R[0], own[4] * R[1], own[8] * R[2]);
        set3(y, own[0] * R[3], own[4] * R[4], own[8] * R[5]);
        set3(z, own[0] * R[6], own[4] * R[7], own[8] * R[8]);
    } else {
        rotate(own, R, x);
        rotate(own, R + 3, y);
        rotate(own, R + 6, z);
    }
    set3(J, dot(R, x), dot(R + 3, x), dot(R + 6, x));
    set3(J + 3, dot(R + 3, y), dot(R + 6, y), dot(R + 6, z));
}

TRM_INLINE void place_spatial(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    const trm_step *step = motion->tree->steps + link->first, *const end = step + link->n;
    const double *R = motion->pose->R + 9 * link->on, *on = motion->pose->p + 3 * link->on;
    double *const p = motion->pose->p + 3 * link->body;
    double *const own = motion->pose->R + 9 * link->body;
    double *s = motion->s + 6 * link->first;
    double room[2][9], by[9], r[3], x[3]; // by goes to no other function: it stays in registers
    rotate(R, link->at, r);
    for (int k = 0; step < end; step++, s += 6, k ^= 1) { // of a turn its point, for now
        if (step->kind == TRM_STEP_SLIDE) {
            rotate(R, step->axis, s);
            set3(s + 3, 0, 0, 0);
            add(r, scale(q[step->q], s, x), r);
            continue;
        }
        if (step->kind == TRM_STEP_TURN) {
            const double *turn = step->turn;
            const double c = motion->cosine[step->q], sine = motion->sine[step->q];
            TRM_UNROLL
            for (int e = 0; e < 8; e++) {
                by[e] = turn[e] + turn[9 + e] * c + turn[18 + e] * sine;
            }
            by[8] = turn[8] + turn[17] * c + turn[26] * sine;
            rotate(R, step->axis, s + 3);
            set3(s, r[0], r[1], r[2]);
        } else {
            double of[9];
            trm_rotation_matrix(q + step->q, of);
            memcpy(by, of, sizeof by);
        }
        double *const next = link->turned && step + 1 == end ? own : room[k];
        product(R, by, next);
        R = next;
        for (int j = 0; j < 3 && step->kind == TRM_STEP_BALL; j++) {
            set3(s, r[0], r[1], r[2]);
            set3(s + 3, R[j], R[3 + j], R[6 + j]);
            step += j < 2;
            s += j < 2 ? 6 : 0;
        }
    }
    if (!link->turned) {
        product(R, link->after, own);
    }
    double *const arm = motion->arm + 3 * i;
    subtract(r, rotate(own, link->to, x), arm);
    add(on, arm, p);
    for (s = motion->s + 6 * link->first, step = end - link->n; step < end; step++, s += 6) {
        if (step->kind != TRM_STEP_SLIDE) {
            subtract(arm, s, x);
            cross(s + 3, x, s);
        }
    }
    turn_inertia(motion, i, link->body, own);
}

/// The angle, its sine and cosine are known.
TRM_INLINE void place_planar(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    const trm_step *step = motion->tree->steps + link->first, *const end = step + link->n;
    trm_pose *const pose = motion->pose;
    const int b = link->body, on = link->on;
    const double own_c = pose->c[b], own_s = pose->s[b];
    double *const arm = motion->arm + 3 * i, *s = motion->s + 3 * link->first, *turn = NULL;
    double c = pose->c[on], sine = pose->s[on];
    double x = c * link->at[0] - sine * link->at[1], y = sine * link->at[0] + c * link->at[1];
    for (; step < end; step++, s += 3) { // one of them turns; its point, for now
        if (step->kind == TRM_STEP_SLIDE) {
            set3(s, c * step->axis[0] - sine * step->axis[1],
                 sine * step->axis[0] + c * step->axis[1], 0);
            x += q[step->q] * s[0];
            y += q[step->q] * s[1];
            continue;
        }
        turn = set3(s, x, y, step->axis[2]);
        if (step + 1 < end) { // behind it axes turn with the own frame
            c = own_c * link->after[0] + own_s * link->after[3];
            sine = own_s * link->after[0] - own_c * link->after[3];
        }
    }
    x -= own_c * link->to[0] - own_s * link->to[1];
    y -= own_s * link->to[0] + own_c * link->to[1];
    arm[0] = x;
    arm[1] = y;
    pose->x[b] = pose->x[on] + x;
    pose->y[b] = pose->y[on] + y;
    if (turn) {
        set3(turn, turn[2] * (turn[1] - y), turn[2] * (x - turn[0]), turn[2]);
    }
}

TRM_INLINE void turn_planar(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    double angle = motion->pose->angle[link->on] + link->angle;
    for (int k = link->first; k < link->first + link->n; k++) {
        const trm_step *step = &motion->tree->steps[k];
        angle += step->axis[2] * q[step->q];
    }
    motion->pose->angle[link->body] = angle;
}

static void stand_on_ground(trm_pose *pose)
{
    const int ground = pose->nbody;
    if (pose->width == 3) {
        pose->c[ground] = 1;
    } else {
        pose->R[9 * ground] = pose->R[9 * ground + 4] = pose->R[9 * ground + 8] = 1;
    }
}

void trm_joints_place_link(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    trm_pose *const pose = motion->pose;
    const int b = link->body;
    stand_on_ground(pose);
    if (pose->width == 3) {
        turn_planar(motion, i, q);
        trm_sincos(1, pose->angle + b, pose->s + b, pose->c + b);
        place_planar(motion, i, q);
    } else {
        trm_sincos(link->nq, q + link->q0, motion->sine + link->q0, motion->cosine + link->q0);
        place_spatial(motion, i, q);
    }
    motion->factored = motion->moved = 0;
}

TRM_WIDE static void place_all(trm_link_motion *motion, const double *q)
{
    const trm_joint_tree *tree = motion->tree;
    trm_pose *const pose = motion->pose;
    stand_on_ground(pose);
    if (pose->width == 3) {
        for (int i = 0; i < tree->n; i++) {
            turn_planar(motion, i, q);
        }
        trm_sincos(pose->nbody, pose->angle, pose->s, pose->c);
    } else {
        trm_sincos(tree->nq, q, motion->sine, motion->cosine);
    }
    for (int i = 0; i < tree->n; i++) {
        if (pose->width == 3) {
            place_planar(motion, i, q);
        } else {
            place_spatial(motion, i, q);
        }
    }
    motion->factored = motion->moved = 0;
}

void trm_joints_place(trm_link_motion *motion, const double *q)
{
    place_all(motion, q);
}

// ---------------------------------------------------------------------------------------- motion

/// Seen from an observer who flies on with the parent's centre, v and a of the link's centre are
/// those of the parent's twist, and each step of the joint adds its own and v x (s u).
TRM_INLINE void move(trm_link_motion *motion, int W, const double *u, const double *udot)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        const double *on = motion->V + W * link->parent, *d = motion->arm + 3 * i;
        double v[6], a[6];
        trm_twist_around(W, on, d, v);
        trm_twist_carry(W, motion->A + W * link->parent, d, a);
        for (int k = link->first; k < link->first + link->n; k++) {
            double rate[6];
            trm_twist_scale(W, u[k], motion->s + W * k, rate);
            for (int ball = 0; W == 6 && tree->steps[k].kind == TRM_STEP_BALL && ball < 2; ball++) {
                k++;
                trm_twist_add(W, u[k], motion->s + W * k, rate);
            }
            trm_twist_cross(W, v, rate, a);
            trm_twist_add(W, 1, rate, v);
        }
        for (int k = link->first; udot && k < link->first + link->n; k++) {
            trm_twist_add(W, udot[k], motion->s + W * k, a);
        }
        trm_twist_turn(W, v, v, a);
        trm_twist_shift(W, on, v);
        trm_twist_copy(W, v, motion->V + W * i);
        trm_twist_copy(W, a, motion->A + W * i);
    }
}

TRM_WIDE static void move_all(trm_link_motion *motion, const double *u, const double *udot)
{
    if (motion->bodies->width == 3) {
        move(motion, 3, u, udot);
    } else {
        move(motion, 6, u, udot);
    }
}

void trm_joints_move(trm_link_motion *motion, const double *u, const double *udot)
{
    move_all(motion, u, udot);
}

TRM_INLINE void carry(trm_link_motion *motion, int W, int i, const double *u)
{
    const trm_joint_link *link = &motion->tree->links[i];
    double *const X = motion->X + W * i;
    trm_twist_carry(W, motion->X + W * link->parent, motion->arm + 3 * i, X);
    for (int k = link->first; u && k < link->first + link->n; k++) {
        trm_twist_add(W, u[k], motion->s + W * k, X);
    }
}

void trm_joints_carry_link(trm_link_motion *motion, int i, const double *u)
{
    if (motion->bodies->width == 3) {
        carry(motion, 3, i, u);
    } else {
        carry(motion, 6, i, u);
    }
}

TRM_WIDE static void carry_all(trm_link_motion *motion, const double *u)
{
    for (int i = 0; i < motion->tree->n; i++) {
        if (motion->bodies->width == 3) {
            carry(motion, 3, i, u);
        } else {
            carry(motion, 6, i, u);
        }
    }
}

void trm_joints_carry(trm_link_motion *motion, const double *u)
{
    carry_all(motion, u);
}

TRM_INLINE void collect(trm_link_motion *motion, int W, double *x)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        const double *P = motion->P + W * i;
        for (int k = link->first; k < link->first + link->n; k++) {
            x[k] = trm_twist_dot(W, motion->s + W * k, P);
        }
        if (link->parent >= 0) {
            trm_wrench_carry(W, P, motion->arm + 3 * i, motion->P + W * link->parent);
        }
    }
}

TRM_WIDE static void collect_all(trm_link_motion *motion, double *x)
{
    if (motion->bodies->width == 3) {
        collect(motion, 3, x);
    } else {
        collect(motion, 6, x);
    }
}

void trm_joints_collect(trm_link_motion *motion, double *x)
{
    collect_all(motion, x);
}

void trm_joints_resist(trm_link_motion *motion)
{
    const trm_bodies *bodies = motion->bodies;
    const double *A = motion->A;
    double *P = motion->P;
    for (int i = 0; i < motion->tree->n; i++, A += bodies->width, P += bodies->width) {
        const int b = motion->tree->links[i].body;
        const double m = bodies->mass[b];
        P[0] -= m * A[0];
        P[1] -= m * A[1];
        if (bodies->width == 3) {
            P[2] -= bodies->inertia[b] * A[2];
        } else {
            double turned[3];
            P[2] -= m * A[2];
            subtract(P + 3, trm_symmetric_times(motion->J + 6 * i, A + 3, turned), P + 3);
        }
    }
}

// ---------------------------------------------------------------------------------------- bodies

void trm_joints_to_bodies(const trm_link_motion *motion, const double *V, double *v)
{
    const trm_bodies *bodies = motion->bodies;
    for (int i = 0; i < motion->tree->n; i++, V += bodies->width) {
        const int b = motion->tree->links[i].body;
        double *const own = v + bodies->v0[b];
        own[0] = V[0];
        own[1] = V[1];
        if (bodies->width == 6) {
            own[2] = V[2];
        }
        if (!bodies->point[b] && bodies->width == 3) {
            own[2] = V[2];
        } else if (!bodies->point[b]) {
            rotate_back(motion->pose->R + 9 * b, V + 3, own + 3);
        }
    }
}

void trm_joints_from_bodies(trm_link_motion *motion, const double *f)
{
    const trm_bodies *bodies = motion->bodies;
    double *P = motion->P;
    for (int i = 0; i < motion->tree->n; i++, P += bodies->width) {
        const int b = motion->tree->links[i].body, turns = !bodies->point[b];
        const double *own = f + bodies->v0[b];
        P[0] = own[0];
        P[1] = own[1];
        if (bodies->width == 3) {
            P[2] = turns ? own[2] : 0;
            continue;
        }
        P[2] = own[2];
        set3(P + 3, 0, 0, 0);
        if (turns) {
            rotate(motion->pose->R + 9 * b, own + 3, P + 3);
        }
    }
}
