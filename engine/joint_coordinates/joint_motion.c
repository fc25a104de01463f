/// Where the bodies of a tree are and how they move, from the roots outwards.
#include "bodies/rotation.h"
#include "bodies/sincos.h"
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/joint_coordinates/twist.h"

#include <string.h>

/// `width` numbers of each link, of which those of the ground, link -1, come first.
static double *of_links(int width, int n, trm_arena *arena)
{
    double *room = trm_arena_doubles(arena, width * (n + 1));
    return room ? room + width : NULL;
}

void trm_link_motion_layout(trm_link_motion *motion, const trm_joint_tree *tree,
                            const trm_bodies *bodies, trm_pose *pose, trm_arena *arena)
{
    const int spatial = bodies->dimension == 3;
    const int n = tree->n, dofs = tree->ndofs, W = spatial ? TRM_SPATIAL_TWIST : TRM_PLANAR_TWIST;
    *motion = (trm_link_motion){.tree = tree, .bodies = bodies, .pose = pose, .W = W};
    motion->V = of_links(W, n, arena);
    motion->A = of_links(W, n, arena);
    motion->X = of_links(W, n, arena);
    motion->L = trm_arena_doubles(arena, W * n);
    motion->P = of_links(W, n, arena);
    motion->I = of_links(spatial ? 36 : 6, n, arena);
    motion->R = spatial ? of_links(12, n, arena) : NULL;
    motion->J = trm_arena_doubles(arena, 12 * n);
    motion->arm = trm_arena_doubles(arena, 4 * n);
    TRM_ARENA_DOUBLES(arena, tree->nq, &motion->q, &motion->sine, &motion->cosine);
    TRM_ARENA_DOUBLES(arena, W * dofs, &motion->s, &motion->U);
    TRM_ARENA_DOUBLES(arena, dofs + 3, &motion->inverse, &motion->mu, &motion->carried);
}

// -------------------------------------------------------------------------------------- position

/// out := A B, columns of A, rows of B
TRM_INLINE void product(const double *A, const double *B, double *out)
{
    for (int j = 0; j < 3; j++) {
        *trm_quad_to(out + 4 * j) = *trm_quad_at(A) * B[j] + *trm_quad_at(A + 4) * B[4 + j] +
                                    *trm_quad_at(A + 8) * B[8 + j];
    }
}

/// J of link i: its inertia in world axes, R J R^T.
TRM_INLINE void turn_inertia(trm_link_motion *motion, int i, int b, const double *R)
{
    const double *own = motion->bodies->inertia + 9 * b;
    double x[12], *const J = motion->J + 12 * i;
    TRM_UNROLL
    for (int j = 0; j < 3; j++) {
        if (motion->bodies->diagonal) {
            *trm_quad_to(x + 4 * j) = *trm_quad_at(R + 4 * j) * own[4 * j];
        } else {
            trm_quad column;
            *trm_quad_to(x + 4 * j) = *trm_columns_times(R, own + 3 * j, &column);
        }
    }
    product(x, R, J);
}

/// The place of body b for its elements.
TRM_INLINE void show_body(trm_pose *pose, const trm_joint_link *link, const double *arm,
                          const double *R)
{
    static const double origin[3] = {0, 0, 0};
    const int b = link->body;
    double rows[12], *const p = pose->p + 3 * b, *const to = pose->R + 9 * b;
    add(link->parent < 0 ? origin : pose->p + 3 * link->on, arm, p);
    trm_turn_over(R, rows);
    *trm_quad_to(to) = *trm_quad_at(rows);
    *trm_quad_to(to + 3) = *trm_quad_at(rows + 4);
    trm_quad_to_three(rows + 8, to + 6);
}

/// by := the rows of the turn of a dof.
TRM_INLINE void turn_by(const trm_link_motion *motion, const trm_dof *dof, double *by)
{
    const double c = motion->cosine[dof->q], sine = motion->sine[dof->q];
    TRM_UNROLL
    for (int e = 0; e < 12; e += 4) {
        *trm_quad_to(by + e) = *trm_quad_at(dof->turn + e) + *trm_quad_at(dof->turn + 12 + e) * c +
                               *trm_quad_at(dof->turn + 24 + e) * sine;
    }
}

/// A link on a hinge whose turn is to its own frame.
TRM_INLINE void place_hinge(trm_link_motion *motion, const trm_joint_link *link, int i)
{
    const trm_dof *dof = motion->tree->dofs + link->first;
    const double *R = motion->R + 12 * link->parent;
    double *const own = motion->R + 12 * i, *const s = motion->s + TRM_SPATIAL_TWIST * link->first;
    double by[12];
    trm_quad r, to, axis;
    turn_by(motion, dof, by);
    if (link->parent < 0) {
        trm_turn_over(by, own);
        axis = (trm_quad){dof->axis[0], dof->axis[1], dof->axis[2], 0};
        r = (trm_quad){link->at[0], link->at[1], link->at[2], 0};
    } else {
        product(R, by, own);
        trm_columns_times(R, dof->axis, &axis);
        trm_columns_times(R, link->at, &r);
    }
    trm_columns_times(own, link->to, &to);
    *trm_quad_to(motion->arm + 4 * i) = r - to;
    *trm_quad_to(s + 4) = axis;
    *trm_quad_to(s) = *trm_quad_cross((const double *)&to, (const double *)&axis, &r);
}

TRM_INLINE void place_dofs(trm_link_motion *motion, const trm_joint_link *link, int i,
                           const double *q)
{
    enum { W = TRM_SPATIAL_TWIST };
    const trm_dof *dof = motion->tree->dofs + link->first, *const end = dof + link->n;
    const double *R = motion->R + 12 * link->parent;
    double *const own = motion->R + 12 * i, *const arm = motion->arm + 4 * i;
    double *s = motion->s + W * link->first;
    double room[2][12], by[12];
    trm_quad r, x;
    trm_columns_times(R, link->at, &r);
    for (int k = 0; dof < end; dof++, s += W, k ^= 1) { // of a turn its point, for now
        if (dof->kind == TRM_DOF_SLIDE) {
            *trm_quad_to(s) = *trm_columns_times(R, dof->axis, &x);
            *trm_quad_to(s + 4) = (trm_quad){0, 0, 0, 0};
            r += x * q[dof->q];
            continue;
        }
        if (dof->kind == TRM_DOF_TURN) {
            turn_by(motion, dof, by);
            *trm_quad_to(s) = r;
            *trm_quad_to(s + 4) = *trm_columns_times(R, dof->axis, &x);
        } else {
            double of[9];
            trm_rotation_matrix(q + dof->q, of);
            for (int e = 0; e < 9; e++) {
                by[e / 3 * 4 + e % 3] = of[e];
            }
        }
        double *const next = link->turned && dof + 1 == end ? own : room[k];
        product(R, by, next);
        R = next;
        for (int j = 0; j < 3 && dof->kind == TRM_DOF_BALL; j++) {
            *trm_quad_to(s) = r;
            *trm_quad_to(s + 4) = *trm_quad_at(R + 4 * j);
            dof += j < 2;
            s += j < 2 ? W : 0;
        }
    }
    if (!link->turned) {
        product(R, link->after, own);
    }
    r -= *trm_columns_times(own, link->to, &x);
    *trm_quad_to(arm) = r;
    for (s = motion->s + W * link->first, dof = end - link->n; dof < end; dof++, s += W) {
        if (dof->kind != TRM_DOF_SLIDE) {
            x = r - *trm_quad_at(s);
            *trm_quad_to(s) = *trm_quad_cross(s + 4, (const double *)&x, &x);
        }
    }
}

TRM_INLINE void place_spatial(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    if (link->turned && link->n == 1) {
        place_hinge(motion, link, i);
    } else {
        place_dofs(motion, link, i, q);
    }
    show_body(motion->pose, link, motion->arm + 4 * i, motion->R + 12 * i);
    turn_inertia(motion, i, link->body, motion->R + 12 * i);
}

/// The angle, its sine and cosine are known.
TRM_INLINE void place_planar(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    const trm_dof *dof = motion->tree->dofs + link->first, *const end = dof + link->n;
    trm_pose *const pose = motion->pose;
    const int b = link->body, on = link->on;
    const double own_c = pose->c[b], own_s = pose->s[b];
    double *const arm = motion->arm + 4 * i, *s = motion->s + 3 * link->first, *turn = NULL;
    double c = pose->c[on], sine = pose->s[on];
    double x = c * link->at[0] - sine * link->at[1], y = sine * link->at[0] + c * link->at[1];
    for (; dof < end; dof++, s += 3) { // one of them turns; its point, for now
        if (dof->kind == TRM_DOF_SLIDE) {
            set3(s, c * dof->axis[0] - sine * dof->axis[1], sine * dof->axis[0] + c * dof->axis[1],
                 0);
            x += q[dof->q] * s[0];
            y += q[dof->q] * s[1];
            continue;
        }
        turn = set3(s, x, y, dof->axis[2]);
        if (dof + 1 < end) { // behind it axes turn with the own frame
            c = own_c * link->after[0] + own_s * link->after[4];
            sine = own_s * link->after[0] - own_c * link->after[4];
        }
    }
    x -= own_c * link->to[0] - own_s * link->to[1];
    y -= own_s * link->to[0] + own_c * link->to[1];
    arm[0] = x;
    arm[1] = y;
    pose->x[b] = (link->parent < 0 ? 0 : pose->x[on]) + x;
    pose->y[b] = (link->parent < 0 ? 0 : pose->y[on]) + y;
    if (turn) {
        set3(turn, turn[2] * (turn[1] - y), turn[2] * (x - turn[0]), turn[2]);
    }
}

TRM_INLINE void turn_planar(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    double angle = motion->pose->angle[link->on] + link->angle;
    for (int k = link->first; k < link->first + link->n; k++) {
        const trm_dof *dof = &motion->tree->dofs[k];
        angle += dof->axis[2] * q[dof->q];
    }
    motion->pose->angle[link->body] = angle;
}

static void stand_on_ground(trm_link_motion *motion)
{
    trm_pose *const pose = motion->pose;
    const int ground = pose->nbody;
    if (pose->width == 3) {
        pose->c[ground] = 1;
        pose->x[ground] = -motion->tree->origin[0];
        pose->y[ground] = -motion->tree->origin[1];
    } else {
        scale(-1, motion->tree->origin, pose->p + 3 * ground);
        pose->R[9 * ground] = pose->R[9 * ground + 4] = pose->R[9 * ground + 8] = 1;
        motion->R[-12] = motion->R[-7] = motion->R[-2] = 1;
    }
}

void trm_joints_place_link(trm_link_motion *motion, int i, const double *q)
{
    const trm_joint_link *link = &motion->tree->links[i];
    trm_pose *const pose = motion->pose;
    const int b = link->body;
    stand_on_ground(motion);
    if (pose->width == 3) {
        turn_planar(motion, i, q);
        trm_sincos(1, pose->angle + b, pose->s + b, pose->c + b);
        place_planar(motion, i, q);
    } else {
        trm_sincos(link->nq, q + link->q0, motion->sine + link->q0, motion->cosine + link->q0);
        place_spatial(motion, i, q);
    }
    motion->factored = motion->moved = motion->placed = motion->carries = 0;
}

TRM_WIDE static void place_all(trm_link_motion *motion, const double *q)
{
    const trm_joint_tree *tree = motion->tree;
    trm_pose *const pose = motion->pose;
    stand_on_ground(motion);
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
    motion->factored = motion->moved = motion->carries = 0;
}

void trm_joints_place(trm_link_motion *motion, const double *q)
{
    const size_t bytes = (size_t)motion->tree->nq * sizeof *q;
    if (!motion->placed || memcmp(motion->q, q, bytes) != 0) {
        place_all(motion, q);
        memcpy(motion->q, q, bytes);
        motion->placed = 1;
    }
}

// ---------------------------------------------------------------------------------------- motion

/// L of link i := what its inertia adds to the forces on it: -M A, and in space the gyroscopic
/// part.
TRM_INLINE void resist(trm_link_motion *motion, int W, int i, const double *v, const double *a)
{
    const trm_bodies *bodies = motion->bodies;
    const int b = motion->tree->links[i].body;
    const double m = -bodies->mass[b];
    double *const L = motion->L + W * i;
    if (W == TRM_PLANAR_TWIST) {
        set3(L, m * a[0], m * a[1], -bodies->inertia[b] * a[2]);
        return;
    }
    const double *J = motion->J + 12 * i;
    trm_quad more, momentum, turning;
    trm_columns_times(J, v + 4, &momentum);
    trm_quad_cross((const double *)&momentum, v + 4, &turning);
    *trm_quad_to(L) = *trm_quad_at(a) * m;
    *trm_quad_to(L + 4) = turning - *trm_columns_times(J, a + 4, &more);
}

/// For an observer who flies on with the parent's centre, v and a of the link's centre are those of
/// the parent's twist. Each dof of the joint adds its own and v x (s u).
TRM_INLINE void move(trm_link_motion *motion, int W, const double *u, const double *udot)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        const double *on = motion->V + W * link->parent, *d = motion->arm + 4 * i;
        double v[TRM_SPATIAL_TWIST], a[TRM_SPATIAL_TWIST];
        if (link->parent < 0 && link->n == 1 && !udot) { // the ground does not move
            double *const V = motion->V + W * i, *const A = motion->A + W * i;
            trm_twist_scale(W, u[link->first], motion->s + W * link->first, V);
            trm_twist_copy(W, on, A);
            trm_twist_turn(W, V, V, A);
            resist(motion, W, i, V, A);
            continue;
        }
        trm_twist_around(W, on, d, v);
        trm_twist_carry(W, motion->A + W * link->parent, d, a);
        for (int k = link->first; k < link->first + link->n; k++) {
            double rate[TRM_SPATIAL_TWIST];
            trm_twist_scale(W, u[k], motion->s + W * k, rate);
            for (int ball = 0;
                 W == TRM_SPATIAL_TWIST && tree->dofs[k].kind == TRM_DOF_BALL && ball < 2; ball++) {
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
        resist(motion, W, i, v, a);
    }
}

TRM_WIDE static void move_all(trm_link_motion *motion, const double *u, const double *udot)
{
    if (motion->bodies->width == 3) {
        move(motion, 3, u, udot);
    } else {
        move(motion, TRM_SPATIAL_TWIST, u, udot);
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
    trm_twist_carry(W, motion->X + W * link->parent, motion->arm + 4 * i, X);
    for (int k = link->first; u && k < link->first + link->n; k++) {
        trm_twist_add(W, u[k], motion->s + W * k, X);
    }
}

void trm_joints_carry_link(trm_link_motion *motion, int i, const double *u)
{
    motion->carries = 0;
    if (motion->bodies->width == 3) {
        carry(motion, 3, i, u);
    } else {
        carry(motion, TRM_SPATIAL_TWIST, i, u);
    }
}

TRM_WIDE static void carry_all(trm_link_motion *motion, const double *u)
{
    for (int i = 0; i < motion->tree->n; i++) {
        if (motion->bodies->width == 3) {
            carry(motion, 3, i, u);
        } else {
            carry(motion, TRM_SPATIAL_TWIST, i, u);
        }
    }
}

void trm_joints_carried(trm_link_motion *motion, const double *u)
{
    memcpy(motion->carried, u, (size_t)motion->tree->ndofs * sizeof *u);
    motion->carries = 1;
}

void trm_joints_carry(trm_link_motion *motion, const double *u)
{
    const size_t bytes = (size_t)motion->tree->ndofs * sizeof *u;
    if (!motion->carries || memcmp(motion->carried, u, bytes) != 0) {
        carry_all(motion, u);
        trm_joints_carried(motion, u);
    }
}

/// Of X.
TRM_WIDE static double kinetic(const trm_link_motion *motion)
{
    const trm_bodies *bodies = motion->bodies;
    const int W = motion->W;
    double sum = 0;
    for (int i = 0; i < motion->tree->n; i++) {
        const int b = motion->tree->links[i].body;
        const double *const v = motion->X + W * i, *const w = v + 4;
        trm_quad momentum, twice;
        if (W == TRM_PLANAR_TWIST) {
            sum += bodies->mass[b] * (v[0] * v[0] + v[1] * v[1]) + bodies->inertia[b] * v[2] * v[2];
            continue;
        }
        trm_columns_times(motion->J + 12 * i, w, &momentum);
        twice = momentum * *trm_quad_at(w) + bodies->mass[b] * *trm_quad_at(v) * *trm_quad_at(v);
        sum += trm_quad_sum(&twice);
    }
    return sum / 2;
}

double trm_joints_kinetic(const trm_link_motion *motion)
{
    return kinetic(motion);
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
            trm_wrench_carry(W, P, motion->arm + 4 * i, motion->P + W * link->parent);
        }
    }
}

TRM_WIDE static void collect_all(trm_link_motion *motion, double *x)
{
    if (motion->bodies->width == 3) {
        collect(motion, 3, x);
    } else {
        collect(motion, TRM_SPATIAL_TWIST, x);
    }
}

void trm_joints_collect(trm_link_motion *motion, double *x)
{
    collect_all(motion, x);
}

// ---------------------------------------------------------------------------------------- bodies

/// own := the velocity V + more of link i in the axes of its body.
TRM_INLINE void to_body(const trm_link_motion *motion, int i, int points, const double *V,
                        const double *more, double *own)
{
    const int W = motion->W;
    if (W == TRM_PLANAR_TWIST) {
        for (int c = 0; c < 3 - points; c++) {
            own[c] = V[W * i + c] + (more ? more[W * i + c] : 0);
        }
        return;
    }
    double sum[TRM_SPATIAL_TWIST];
    trm_twist_copy(TRM_SPATIAL_TWIST, V + W * i, sum);
    if (more) {
        trm_twist_add(TRM_SPATIAL_TWIST, 1, more + W * i, sum);
    }
    trm_quad_to_three(sum, own);
    if (!points) {
        trm_quad turning;
        trm_columns_dot(motion->R + 12 * i, sum + 4, &turning);
        trm_quad_to_three((const double *)&turning, own + 3);
    }
}

TRM_WIDE static void to_bodies(const trm_link_motion *motion, const double *V, double *v)
{
    const trm_bodies *bodies = motion->bodies;
    for (int i = 0; i < motion->tree->n; i++) {
        const int b = motion->tree->links[i].body;
        to_body(motion, i, bodies->point[b], V, NULL, v + bodies->v0[b]);
    }
}

void trm_joints_to_bodies(const trm_link_motion *motion, const double *V, double *v)
{
    to_bodies(motion, V, v);
}

TRM_WIDE static void to_rows(const trm_link_motion *motion, const double *V, double *v,
                             const double *A, const double *more, double *a)
{
    const trm_bodies *bodies = motion->bodies;
    for (int k = 0; k < motion->tree->nheld; k++) {
        const int i = motion->tree->held[k], b = motion->tree->links[i].body;
        const int points = bodies->point[b];
        if (v) {
            to_body(motion, i, points, V, NULL, v + bodies->v0[b]);
        }
        if (a) {
            to_body(motion, i, points, A, more, a + bodies->v0[b]);
        }
    }
}

void trm_joints_to_rows(const trm_link_motion *motion, const double *V, double *v, const double *A,
                        const double *more, double *a)
{
    to_rows(motion, V, v, A, more, a);
}

TRM_WIDE static void from_bodies(trm_link_motion *motion, const double *f, int resists)
{
    const trm_bodies *bodies = motion->bodies;
    for (int i = 0; i < motion->tree->n; i++) {
        const int b = motion->tree->links[i].body, turns = !bodies->point[b];
        const double *own = f + bodies->v0[b];
        double *const P = motion->P + motion->W * i, *const L = motion->L + motion->W * i;
        if (motion->W == TRM_PLANAR_TWIST) {
            set3(P, own[0], own[1], turns ? own[2] : 0);
            if (resists) {
                add(P, L, P);
            }
            continue;
        }
        trm_quad torque = {0, 0, 0, 0}, force = {own[0], own[1], own[2], 0};
        if (turns) {
            trm_columns_times(motion->R + 12 * i, own + 3, &torque);
        }
        if (resists) {
            force += *trm_quad_at(L);
            torque += *trm_quad_at(L + 4);
        }
        *trm_quad_to(P) = force;
        *trm_quad_to(P + 4) = torque;
    }
}

void trm_joints_from_bodies(trm_link_motion *motion, const double *f, int resists)
{
    from_bodies(motion, f, resists);
}
