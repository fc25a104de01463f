/// Where the bodies of a tree are and how they move, from the roots outwards.
#include "bodies/rotation.h"
#include "bodies/sincos.h"
#include "bodies/vector.h"
#include "engine/joint_coordinates/joint_tree.h"

#include <string.h>

void trm_link_motion_layout(trm_link_motion *motion, const trm_joint_tree *tree,
                            const trm_bodies *bodies, trm_arena *arena)
{
    const int n = tree->n, steps = tree->nsteps;
    *motion = (trm_link_motion){.tree = tree, .bodies = bodies};
    double **const of_links[] = {&motion->p, &motion->from, &motion->onward};
    double **const of_twists[] = {&motion->V, &motion->A, &motion->P};
    for (int k = 0; k < 3; k++) {
        *of_links[k] = trm_arena_doubles(arena, 3 * n);
        *of_twists[k] = trm_arena_doubles(arena, 6 * n);
    }
    motion->R = trm_arena_doubles(arena, 9 * n);
    motion->angle = trm_arena_doubles(arena, n);
    motion->sine = trm_arena_doubles(arena, tree->nq);
    motion->cosine = trm_arena_doubles(arena, tree->nq);
    motion->axis = trm_arena_doubles(arena, 3 * steps);
    motion->shift = trm_arena_doubles(arena, 3 * steps);
    motion->s = trm_arena_doubles(arena, 6 * steps);
    motion->U = trm_arena_doubles(arena, 6 * steps);
    motion->inverse = trm_arena_doubles(arena, steps);
    motion->mu = trm_arena_doubles(arena, steps);
    motion->I = trm_arena_doubles(arena, 21 * n);
}

// -------------------------------------------------------------------------------------- position

/// out := A B
static void product(const double *A, const double *B, double *out)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
        }
    }
}

/// R := R times a rotation about the unit vector `axis`; a = R axis. The columns turn about a in
/// the world.
static void turn(double *R, const double a[3], double c, double s)
{
    for (int j = 0; j < 3; j++) {
        const double e[3] = {R[j], R[3 + j], R[6 + j]};
        const double along = (1 - c) * dot(a, e);
        double across[3];
        cross(a, e, across);
        for (int i = 0; i < 3; i++) {
            R[3 * i + j] = c * e[i] + s * across[i] + along * a[i];
        }
    }
}

static void place_link(trm_link_motion *motion, int i, const double *q)
{
    static const double ground[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0};
    const trm_joint_link *link = &motion->tree->links[i];
    const int on = link->parent;
    const double *parent = on >= 0 ? motion->R + 9 * on : ground;
    double R[9], next[9], r[3], to[3], quat[9];
    double *const p = motion->p + 3 * i;
    memcpy(R, parent, sizeof R);
    rotate(parent, link->at, motion->from + 3 * i);
    add(on >= 0 ? motion->p + 3 * on : origin, motion->from + 3 * i, r);
    double angle = (on >= 0 ? motion->angle[on] : 0) + link->angle;
    for (int k = link->first; k < link->first + link->n; k++) {
        const trm_step *step = &motion->tree->steps[k];
        double *const a = motion->axis + 3 * k, *const shift = motion->shift + 3 * k;
        rotate(R, step->axis, a);
        if (step->kind == TRM_STEP_SLIDE) {
            add(r, scale(q[step->q], a, shift), r);
        } else if (step->kind == TRM_STEP_TURN) {
            turn(R, a, motion->cosine[step->q], motion->sine[step->q]);
            angle += step->axis[2] * q[step->q];
        } else {
            trm_rotation_matrix(q + step->q, quat);
            product(R, quat, next);
            memcpy(R, next, sizeof next);
            for (int j = 0; j < 3; j++, k++) {
                set3(motion->axis + 3 * k, R[j], R[3 + j], R[6 + j]);
            }
            k--;
        }
    }
    product(R, link->after, motion->R + 9 * i);
    motion->angle[i] = angle;
    scale(-1, rotate(motion->R + 9 * i, link->to, to), motion->onward + 3 * i);
    add(r, motion->onward + 3 * i, p);
    double tail[3]; // from a turn's point to the centre
    memcpy(tail, motion->onward + 3 * i, sizeof tail);
    for (int k = link->first + link->n - 1; k >= link->first; k--) {
        const double *a = motion->axis + 3 * k;
        double *const s = motion->s + 6 * k;
        if (motion->tree->steps[k].kind == TRM_STEP_SLIDE) {
            set3(s, a[0], a[1], a[2]);
            set3(s + 3, 0, 0, 0);
            add(tail, motion->shift + 3 * k, tail);
        } else {
            cross(a, tail, s);
            set3(s + 3, a[0], a[1], a[2]);
        }
    }
}

void trm_joints_place_link(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    trm_sincos(link->nq, q + link->q0, motion->sine + link->q0, motion->cosine + link->q0);
    place_link(motion, i, q);
}

void trm_joints_place(trm_link_motion *motion, const double *q)
{
    trm_sincos(motion->tree->nq, q, motion->sine, motion->cosine);
    for (int i = 0; i < motion->tree->n; i++) {
        place_link(motion, i, q);
    }
    motion->factored = 0;
}

void trm_joints_write_pose(const trm_link_motion *motion, trm_pose *pose)
{
    const int ground = pose->nbody;
    for (int i = 0; i < motion->tree->n; i++) {
        const int b = motion->tree->links[i].body;
        const double *p = motion->p + 3 * i, *R = motion->R + 9 * i;
        if (pose->width == 3) {
            pose->x[b] = p[0];
            pose->y[b] = p[1];
            pose->angle[b] = motion->angle[i];
            pose->c[b] = R[0];
            pose->s[b] = R[3];
        } else {
            memcpy(pose->p + 3 * b, p, 3 * sizeof *p);
            memcpy(pose->R + 9 * b, R, 9 * sizeof *R);
        }
    }
    if (pose->width == 3) {
        pose->c[ground] = 1;
    } else {
        pose->R[9 * ground] = pose->R[9 * ground + 4] = pose->R[9 * ground + 8] = 1;
    }
}

// ---------------------------------------------------------------------------------------- motion

/// A point that is carried: its velocity and acceleration, and those of the turning.
typedef struct carried {
    double v[3], w[3], a[3], alpha[3];
} carried;

/// On by d, which turns with it.
static void go_on(carried *c, const double d[3])
{
    double x[3], y[3];
    add(c->v, cross(c->w, d, x), c->v);
    add(c->a, cross(c->alpha, d, y), c->a);
    add(c->a, cross(c->w, x, y), c->a);
}

/// A step with the velocity u and the acceleration udot along or about a. A slide is `shift` long.
static void step_on(carried *c, trm_step_kind kind, const double a[3], const double *shift,
                    double u, double udot)
{
    double x[3], y[3], rate[3];
    scale(u, a, rate);
    cross(c->w, rate, x);
    if (kind == TRM_STEP_SLIDE) {
        go_on(c, shift);
        add(c->a, scale(2, x, y), c->a);
        add(c->a, scale(udot, a, y), c->a);
        add(c->v, rate, c->v);
        return;
    }
    add(c->alpha, x, c->alpha);
    add(c->alpha, scale(udot, a, y), c->alpha);
    add(c->w, rate, c->w);
}

void trm_joints_move(trm_link_motion *motion, const double *u, const double *udot)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        carried c = {{0}, {0}, {0}, {0}};
        if (link->parent >= 0) {
            const double *V = motion->V + 6 * link->parent, *A = motion->A + 6 * link->parent;
            memcpy(c.v, V, sizeof c.v);
            memcpy(c.w, V + 3, sizeof c.w);
            memcpy(c.a, A, sizeof c.a);
            memcpy(c.alpha, A + 3, sizeof c.alpha);
            go_on(&c, motion->from + 3 * i);
        }
        for (int k = link->first; k < link->first + link->n; k++) {
            const trm_step_kind kind = tree->steps[k].kind;
            const double *a = motion->axis + 3 * k;
            if (kind != TRM_STEP_BALL) {
                step_on(&c, kind, a, motion->shift + 3 * k, u[k], udot ? udot[k] : 0);
                continue;
            }
            // its axes turn with the body: w x w_rel of all three at once
            double rate[3] = {0}, way[3] = {0}, y[3];
            for (int j = 0; j < 3; j++, k++, a += 3) {
                add(rate, scale(u[k], a, y), rate);
                add(way, scale(udot ? udot[k] : 0, a, y), way);
            }
            k--;
            add(c.alpha, cross(c.w, rate, y), c.alpha);
            add(c.alpha, way, c.alpha);
            add(c.w, rate, c.w);
        }
        go_on(&c, motion->onward + 3 * i);
        double *const V = motion->V + 6 * i, *const A = motion->A + 6 * i;
        memcpy(V, c.v, sizeof c.v);
        memcpy(V + 3, c.w, sizeof c.w);
        memcpy(A, c.a, sizeof c.a);
        memcpy(A + 3, c.alpha, sizeof c.alpha);
    }
}

/// d := the own centre from the parent's.
static void arm_of(const trm_link_motion *motion, int i, double d[3])
{
    const int on = motion->tree->links[i].parent;
    subtract(motion->p + 3 * i, motion->p + 3 * on, d);
}

void trm_joints_carry(trm_link_motion *motion, const double *u)
{
    const trm_joint_tree *tree = motion->tree;
    double d[3], x[3];
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        double *const V = motion->V + 6 * i;
        memset(V, 0, 6 * sizeof *V);
        if (link->parent >= 0) {
            const double *on = motion->V + 6 * link->parent;
            arm_of(motion, i, d);
            add(on, cross(on + 3, d, x), V);
            memcpy(V + 3, on + 3, 3 * sizeof *V);
        }
        for (int k = link->first; k < link->first + link->n; k++) {
            for (int c = 0; c < 6; c++) {
                V[c] += motion->s[6 * k + c] * u[k];
            }
        }
    }
}

void trm_joints_collect(trm_link_motion *motion, double *x)
{
    const trm_joint_tree *tree = motion->tree;
    double d[3], turned[3];
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        const double *P = motion->P + 6 * i;
        for (int k = link->first; k < link->first + link->n; k++) {
            const double *s = motion->s + 6 * k;
            x[k] = dot(s, P) + dot(s + 3, P + 3);
        }
        if (link->parent >= 0) {
            double *const on = motion->P + 6 * link->parent;
            arm_of(motion, i, d);
            add(on, P, on);
            add(on + 3, P + 3, on + 3);
            add(on + 3, cross(d, P, turned), on + 3);
        }
    }
}

// ---------------------------------------------------------------------------------------- bodies

void trm_joints_to_bodies(const trm_link_motion *motion, const double *V, double *v)
{
    const trm_bodies *bodies = motion->bodies;
    for (int i = 0; i < motion->tree->n; i++, V += 6) {
        const int b = motion->tree->links[i].body;
        double *const own = v + bodies->v0[b];
        memcpy(own, V, (size_t)bodies->dimension * sizeof *V);
        if (bodies->dimension == 2 && !bodies->point[b]) {
            own[2] = V[5];
        } else if (!bodies->point[b]) {
            rotate_back(motion->R + 9 * i, V + 3, own + 3);
        }
    }
}

void trm_joints_from_bodies(const trm_link_motion *motion, const double *f, double *P)
{
    const trm_bodies *bodies = motion->bodies;
    memset(P, 0, (size_t)motion->tree->n * 6 * sizeof *P);
    for (int i = 0; i < motion->tree->n; i++, P += 6) {
        const int b = motion->tree->links[i].body;
        const double *own = f + bodies->v0[b];
        memcpy(P, own, (size_t)bodies->dimension * sizeof *P);
        if (bodies->dimension == 2 && !bodies->point[b]) {
            P[5] = own[2];
        } else if (!bodies->point[b]) {
            rotate(motion->R + 9 * i, own + 3, P + 3);
        }
    }
}
