// A ball inside a cylinder or cone of half angle alpha, which is R wide at its centre: with s along
// the axis and e across it at the distance L,
//
//   n = a sin(alpha) - e cos(alpha),   gap = R cos(alpha) + s sin(alpha) - L cos(alpha) - r
//   P = C - r n                                                       in the axes of side 1

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <math.h>

void trm_touch_ball_funnel(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                           trm_touch *out)
{
    const trm_touch_side *const ball = &pair->side[0], *const funnel = &pair->side[1];
    const double r = ball->size[0], c = cos(funnel->size[1]), s = sin(funnel->size[1]);
    double x[3], u[3], C[3], rate[3], across[3], moving[3], e[3], normal_rate[3], part[3];
    trm_touch local;
    trm_point(pose, ball->body, ball->center, V, x, u);
    trm_touch_look(pair, pose, V, x, u, C, rate);
    const double along = dot(C, funnel->axis);
    subtract(C, scale(along, funnel->axis, part), across);
    subtract(rate, scale(dot(rate, funnel->axis), funnel->axis, part), moving);
    const double L = trm_touch_direction(across, moving, e, normal_rate);
    subtract(scale(s, funnel->axis, local.normal), scale(c, e, part), local.normal);
    scale(-c, normal_rate, local.normal_rate);
    local.gap = funnel->size[0] * c + along * s - L * c - r;
    subtract(C, scale(r, local.normal, part), local.point);
    subtract(rate, scale(r, local.normal_rate, part), local.point_rate);
    trm_touch_return(pair, pose, V, &local, out);
}
