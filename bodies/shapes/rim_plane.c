// A circle of radius r about an axis of its body, the rim of a disc or cylinder, on a half space.
// Its lowest point is in the direction of n, less the part along the axis: with that part m,
//
//   gap = (C - O) . n - r |m|,   P = C - r m/|m|
//
// Where the circle lies flat it has no lowest point, and gap and rates are no numbers.

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <math.h>

void trm_touch_rim_plane(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                         trm_touch *out)
{
    const trm_touch_side *const rim = &pair->side[0], *const plane = &pair->side[1];
    const double r = rim->size[0];
    double C[3], O[3], d[3], omega[3], n[3], turning[3], m[3], e[3], rate[3], at[3];
    trm_point(pose, rim->body, rim->center, NULL, C, NULL);
    trm_point(pose, plane->body, plane->center, NULL, O, NULL);
    trm_to_world(pose, plane->body, plane->axis, out->normal);
    trm_touch_spin(pose, plane->body, V, omega);
    cross(omega, out->normal, out->turning);
    trm_touch_spin(pose, rim->body, V, omega);
    trm_to_body(pose, rim->body, out->normal, n);
    trm_to_body(pose, rim->body, subtract(out->turning, cross(omega, out->normal, d), d), turning);
    subtract(n, scale(dot(n, rim->axis), rim->axis, d), m);
    subtract(turning, scale(dot(turning, rim->axis), rim->axis, d), turning);
    const double length = trm_touch_direction(m, turning, e, rate);
    subtract(rim->center, scale(r, e, d), at);
    out->gap = length > 0 ? dot(subtract(C, O, d), out->normal) - r * length : NAN;
    trm_point(pose, rim->body, at, V, out->point, out->going);
    subtract(out->going, trm_to_world(pose, rim->body, scale(r, rate, m), d), out->going);
}
