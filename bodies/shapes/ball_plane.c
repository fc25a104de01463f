// A ball on a half space; in the plane a disc on a line; of radius 0 a point.
//
//   gap = (C - O) . n - r,   P = C - r n

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

void trm_touch_ball_plane(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                          trm_touch *out)
{
    const trm_touch_side *const ball = &pair->side[0], *const plane = &pair->side[1];
    double C[3], u[3], O[3], d[3], omega[3];
    const double r = ball->size[0];
    trm_point(pose, ball->body, ball->center, V, C, u);
    trm_point(pose, plane->body, plane->center, NULL, O, NULL);
    trm_to_world(pose, plane->body, plane->axis, out->normal);
    trm_touch_spin(pose, plane->body, V, omega);
    cross(omega, out->normal, out->normal_rate);
    out->gap = dot(subtract(C, O, d), out->normal) - r;
    subtract(C, scale(r, out->normal, d), out->point);
    subtract(u, scale(r, out->normal_rate, d), out->point_rate);
}
