// Points and directions fixed in a body, and forces that act there.
//
//   x = p + R l,   u = p' + R (omega x l)         planar: R (omega x l) = rate (-r_y, r_x), r = R l
//   F_v += f,      F_omega += l x R^T f           planar: F_rate += r_x f_y - r_y f_x

#include "bodies/point.h"
#include "bodies/vector.h"

#include <string.h>

/// r = R l, in the plane.
static void turn(const trm_pose *pose, int body, const double *l, double r[2])
{
    const double c = pose->c[body], s = pose->s[body];
    r[0] = c * l[0] - s * l[1];
    r[1] = s * l[0] + c * l[1];
}

static void trm_push_planar(const trm_pose *pose, int body, const double *local, const double *f,
                            double *F)
{
    double r[2];
    turn(pose, body, local, r);
    F[3 * body + 0] += f[0];
    F[3 * body + 1] += f[1];
    F[3 * body + 2] += r[0] * f[1] - r[1] * f[0];
}

/// F += a world force f at the body-fixed point `local`.
static void trm_push_spatial(const trm_pose *pose, int body, const double *local, const double *f,
                             double *F)
{
    double *Fv = &F[6 * body], *Fomega = Fv + 3, f_l[3], torque[3];
    rotate_back(&pose->R[9 * body], f, f_l);
    add(Fv, f, Fv);
    add(Fomega, cross(local, f_l, torque), Fomega);
}

void trm_push(const trm_pose *pose, int body, const double *local, const double *f, double *F)
{
    if (pose->width == 3) {
        trm_push_planar(pose, body, local, f, F);
    } else {
        trm_push_spatial(pose, body, local, f, F);
    }
}

void trm_force_at(const trm_pose *pose, int body, const double *local, const double *f, double *out)
{
    double r[3], moment[3];
    out[0] = f[0];
    out[1] = f[1];
    if (pose->width == 3) {
        trm_to_world(pose, body, local, r);
        out[2] = r[0] * f[1] - r[1] * f[0];
        return;
    }
    out[2] = f[2];
    trm_to_body(pose, body, f, r);
    cross(local, r, moment);
    memcpy(out + 3, moment, sizeof moment);
}

static const double rest[6];

static void point_planar(const trm_pose *pose, int body, const double *local, const double *V,
                         double *x, double *u)
{
    double r[2];
    turn(pose, body, local, r);
    if (x) {
        set3(x, pose->x[body] + r[0], pose->y[body] + r[1], 0.0);
    }
    if (u) {
        const double *v = V ? &V[3 * body] : rest;
        set3(u, v[0] - v[2] * r[1], v[1] + v[2] * r[0], 0.0);
    }
}

static void point_spatial(const trm_pose *pose, int body, const double *local, const double *V,
                          double *x, double *u)
{
    const double *R = &pose->R[9 * body];
    double turned[3];
    if (x) {
        add(&pose->p[3 * body], rotate(R, local, x), x);
    }
    if (u) {
        const double *v = V ? &V[6 * body] : rest, *omega = v + 3;
        add(v, rotate(R, cross(omega, local, turned), u), u);
    }
}

void trm_point(const trm_pose *pose, int body, const double *local, const double *V, double *x,
               double *u)
{
    if (pose->width == 3) {
        point_planar(pose, body, local, V, x, u);
    } else {
        point_spatial(pose, body, local, V, x, u);
    }
}

double *trm_to_world(const trm_pose *pose, int body, const double *local, double *world)
{
    if (pose->width == 6) {
        return rotate(&pose->R[9 * body], local, world);
    }
    turn(pose, body, local, world);
    world[2] = local[2];
    return world;
}

double *trm_to_body(const trm_pose *pose, int body, const double *world, double *local)
{
    if (pose->width == 6) {
        return rotate_back(&pose->R[9 * body], world, local);
    }
    const double c = pose->c[body], s = pose->s[body];
    return set3(local, c * world[0] + s * world[1], c * world[1] - s * world[0], world[2]);
}
