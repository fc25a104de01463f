// Two balls, or one inside the other; in the plane discs. With e from the centre of side 1 to that
// of side 0, at the distance L,
//
//   outside  gap = L - r_0 - r_1,  n = e         inside  gap = r_1 - r_0 - L,  n = -e
//   P = C_0 - r_0 n

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

void trm_touch_ball_ball(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                         trm_touch *out)
{
    const double r = pair->side[0].size[0], R = pair->side[1].size[0];
    const int inside = pair->kind == TRM_TOUCH_BALL_BOWL;
    double x[2][3], u[2][3], d[3], moving[3];
    for (int i = 0; i < 2; i++) {
        trm_point(pose, pair->side[i].body, pair->side[i].center, V, x[i], u[i]);
    }
    subtract(x[0], x[1], d);
    subtract(u[0], u[1], moving);
    const double L = trm_touch_direction(d, moving, out->normal, out->normal_rate);
    out->gap = inside ? R - r - L : L - r - R;
    if (inside) {
        scale(-1, out->normal, out->normal);
        scale(-1, out->normal_rate, out->normal_rate);
    }
    subtract(x[0], scale(r, out->normal, d), out->point);
    subtract(u[0], scale(r, out->normal_rate, d), out->point_rate);
}
