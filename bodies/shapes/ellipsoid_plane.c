// An ellipsoid of half axes a_i on a half space. With n in the axes of the ellipsoid,
//
//   h = sqrt(sum a_i^2 n_i^2),   gap = (C - O) . n - h,   P = C + R rho,   rho_i = -a_i^2 n_i/h

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <math.h>
#include <string.h>

void trm_touch_ellipsoid_plane(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                               trm_touch *out)
{
    const trm_touch_side *const side = &pair->side[0];
    double d[3], n[3], normal_rate[3], w[3], rate[3], at[3];
    const double above = trm_touch_plane_seen(pair, pose, V, out, w, rate);
    rotate_back(side->axes, w, n);
    rotate_back(side->axes, rate, normal_rate);
    for (int i = 0; i < 3; i++) {
        w[i] = side->size[i] * side->size[i] * n[i];
        rate[i] = side->size[i] * side->size[i] * normal_rate[i];
    }
    const double h = sqrt(dot(n, w)), slope = dot(normal_rate, w) / h;
    for (int i = 0; i < 3; i++) {
        at[i] = -w[i] / h;
        rate[i] = -rate[i] / h + w[i] * slope / (h * h);
    }
    add(side->center, rotate(side->axes, at, d), at);
    memcpy(rate, rotate(side->axes, rate, d), sizeof rate);
    out->gap = above - h;
    trm_point(pose, side->body, at, V, out->point, out->point_rate);
    add(out->point_rate, trm_to_world(pose, side->body, rate, d), out->point_rate);
}
