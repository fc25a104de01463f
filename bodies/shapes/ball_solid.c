// A ball outside a convex solid: box, rod with round ends, cylinder. With Q the point of the box,
// of the rod's axis or of the cylinder nearest to the centre C of the ball, and R the rod's radius,
//
//   n = (C - Q)/|C - Q|,   gap = |C - Q| - r - R,   P = Q + R n
//
// in the axes of the solid. n is continuous over edges and corners, its rate jumps there.

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <math.h>

/// Returns x within [-h, h]; *rate becomes that of the result.
static double within(double x, double h, double *rate)
{
    *rate = fabs(x) <= h ? *rate : 0;
    return fmin(fmax(x, -h), h);
}

static void nearest_of_box(const trm_touch_side *box, const double C[3], const double u[3],
                           double Q[3], double point_rate[3])
{
    double at[3], moving[3];
    rotate_back(box->axes, C, at);
    rotate_back(box->axes, u, moving);
    for (int i = 0; i < 3; i++) {
        at[i] = within(at[i], box->size[i], &moving[i]);
    }
    rotate(box->axes, at, Q);
    rotate(box->axes, moving, point_rate);
}

/// Of a cylinder whose radius is R; 0: of its axis.
static void nearest_of_round(const trm_touch_side *side, double R, const double C[3],
                             const double u[3], double Q[3], double point_rate[3])
{
    double along[3], across[3], moving[3], e[3], normal_rate[3];
    double rate = dot(u, side->axis);
    scale(rate, side->axis, along);
    subtract(u, along, moving);
    scale(dot(C, side->axis), side->axis, along);
    subtract(C, along, across);
    const double s = within(dot(C, side->axis), side->size[1], &rate);
    const double L = trm_touch_direction(across, moving, e, normal_rate);
    scale(s, side->axis, Q);
    scale(rate, side->axis, point_rate);
    if (L > R) {
        add(Q, scale(R, e, along), Q);
        add(point_rate, scale(R, normal_rate, along), point_rate);
    } else {
        add(Q, across, Q);
        add(point_rate, moving, point_rate);
    }
}

void trm_touch_ball_solid(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                          trm_touch *out)
{
    const trm_touch_side *const ball = &pair->side[0], *const solid = &pair->side[1];
    const double R = pair->kind == TRM_TOUCH_BALL_ROD ? solid->size[0] : 0;
    double x[3], u[3], C[3], rate[3], Q[3], moving[3], d[3], part[3];
    trm_touch local;
    trm_point(pose, ball->body, ball->center, V, x, u);
    trm_touch_look(pair, pose, V, x, u, C, rate);
    if (pair->kind == TRM_TOUCH_BALL_BOX) {
        nearest_of_box(solid, C, rate, Q, moving);
    } else {
        nearest_of_round(solid, pair->kind == TRM_TOUCH_BALL_ROD ? 0 : solid->size[0], C, rate, Q,
                         moving);
    }
    subtract(C, Q, d);
    subtract(rate, moving, part);
    local.gap = trm_touch_direction(d, part, local.normal, local.normal_rate) - ball->size[0] - R;
    add(Q, scale(R, local.normal, part), local.point);
    add(moving, scale(R, local.normal_rate, part), local.point_rate);
    trm_touch_return(pair, pose, V, &local, out);
}
