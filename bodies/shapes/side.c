#include "bodies/shapes/side.h"

#include "bodies/point.h"
#include "bodies/vector.h"

#include <math.h>

void trm_touch_spin(const trm_pose *pose, int body, const double *V, double omega[3])
{
    if (!V) {
        set3(omega, 0, 0, 0);
    } else if (pose->width == 3) {
        set3(omega, 0, 0, V[3 * body + 2]);
    } else {
        rotate(&pose->R[9 * body], &V[6 * body + 3], omega);
    }
}

const double *trm_touch_place(const trm_pose *pose, int body, double plane[3])
{
    return pose->width == 6 ? &pose->p[3 * body] : set3(plane, pose->x[body], pose->y[body], 0);
}

/// Of the body's frame.
void trm_touch_frame_velocity(const trm_pose *pose, int body, const double *V, double v[3])
{
    static const double rest[6];
    const double *const at = V ? &V[pose->width * body] : rest;
    set3(v, at[0], at[1], pose->width == 6 ? at[2] : 0);
}

/// u of the matter of a body at the point x of the world.
void trm_touch_matter(const trm_pose *pose, int body, const double *V, const double *x, double u[3])
{
    double plane[3], arm[3], omega[3], v[3];
    trm_touch_spin(pose, body, V, omega);
    trm_touch_frame_velocity(pose, body, V, v);
    subtract(x, trm_touch_place(pose, body, plane), arm);
    add(v, cross(omega, arm, u), u);
}

void trm_touch_look(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                    const double *x, const double *u, double from[3], double rate[3])
{
    const trm_touch_side *const side = &pair->side[1];
    double center[3], d[3], there[3];
    trm_point(pose, side->body, side->center, NULL, center, NULL);
    trm_to_body(pose, side->body, subtract(x, center, d), from);
    trm_touch_matter(pose, side->body, V, x, there);
    trm_to_body(pose, side->body, subtract(u, there, d), rate);
}

void trm_touch_return(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                      const trm_touch *local, trm_touch *out)
{
    const trm_touch_side *const side = &pair->side[1];
    double x[3], turned[3], omega[3];
    out->gap = local->gap;
    trm_touch_spin(pose, side->body, V, omega);
    trm_to_world(pose, side->body, local->normal, out->normal);
    trm_to_world(pose, side->body, local->normal_rate, out->normal_rate);
    add(out->normal_rate, cross(omega, out->normal, turned), out->normal_rate);
    add(side->center, local->point, x);
    trm_point(pose, side->body, x, V, out->point, out->point_rate);
    add(out->point_rate, trm_to_world(pose, side->body, local->point_rate, turned),
        out->point_rate);
}

double trm_touch_direction(const double *d, const double *moving, double e[3], double rate[3])
{
    const double length = sqrt(dot(d, d));
    if (!(length > 0)) {
        set3(e, 1, 0, 0);
        set3(rate, 0, 0, 0);
        return 0;
    }
    double along[3];
    scale(1 / length, d, e);
    scale(dot(e, moving), e, along);
    scale(1 / length, subtract(moving, along, rate), rate);
    return length;
}

double trm_touch_plane_seen(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                            trm_touch *out, double n[3], double n_rate[3])
{
    const trm_touch_side *const side = &pair->side[0], *const plane = &pair->side[1];
    double C[3], O[3], d[3], omega[3];
    trm_point(pose, side->body, side->center, NULL, C, NULL);
    trm_point(pose, plane->body, plane->center, NULL, O, NULL);
    trm_to_world(pose, plane->body, plane->axis, out->normal);
    trm_touch_spin(pose, plane->body, V, omega);
    cross(omega, out->normal, out->normal_rate);
    trm_touch_spin(pose, side->body, V, omega);
    trm_to_body(pose, side->body, out->normal, n);
    trm_to_body(pose, side->body, subtract(out->normal_rate, cross(omega, out->normal, d), d),
                n_rate);
    return dot(subtract(C, O, d), out->normal);
}
