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
    const trm_touch_side *const rim = &pair->side[0];
    const double r = rim->size[0];
    double d[3], n[3], normal_rate[3], m[3], e[3], rate[3], at[3];
    const double above = trm_touch_plane_seen(pair, pose, V, out, n, normal_rate);
    subtract(n, scale(dot(n, rim->axis), rim->axis, d), m);
    subtract(normal_rate, scale(dot(normal_rate, rim->axis), rim->axis, d), normal_rate);
    const double length = trm_touch_direction(m, normal_rate, e, rate);
    subtract(rim->center, scale(r, e, d), at);
    out->gap = length > 0 ? above - r * length : NAN;
    trm_point(pose, rim->body, at, V, out->point, out->point_rate);
    subtract(out->point_rate, trm_to_world(pose, rim->body, scale(r, rate, m), d), out->point_rate);
}
