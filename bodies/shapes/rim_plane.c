// A circle of radius r about an axis a of its body, the rim of a disc or cylinder, on a half space.
// Its lowest point is in the direction of m = n - (n . a) a, whose length is the sine of the tilt:
//
//   gap = (C - O) . n - r |m|,   P = C - r m/|m|
//
// Where the circle lies flat it has no lowest point: its face touches, with the resultant anywhere
// in it. The gap is that of its centre, P = C, and two rows more hold the tilt by moments M,
//
//   N >= 0,   |M| <= r N        [the dual cone of gap >= r |m|]
//
// which is the law of resistance against rolling, with the coefficient r. At |M| = r N it tips.
//
// A run keeps the direction w of m at the end of the last step, or in which it begins to tip; w =
// 0: flat. What is held goes on behind a passage through flat, m . w < 0, as if the point stayed
// the lowest, so that the passage is located in a smooth motion. Below TRM_TOUCH_FLAT, where
// roundoff turns m, and where it begins to tip from m = 0, the direction is w.

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <math.h>
#include <string.h>

int trm_touch_is_flat(const trm_touch_pair *pair)
{
    return pair->rest && dot(pair->rest, pair->rest) == 0;
}

void trm_touch_rim_plane(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                         trm_touch *out)
{
    static const double nowhere[3] = {0, 0, 0};
    const trm_touch_side *const rim = &pair->side[0];
    const double r = rim->size[0], *const way = pair->pressed ? pair->rest : nowhere;
    double d[3], n[3], normal_rate[3], m[3], e[3], rate[3], at[3];
    const double above = trm_touch_plane_seen(pair, pose, V, out, n, normal_rate);
    subtract(n, scale(dot(n, rim->axis), rim->axis, d), m);
    subtract(normal_rate, scale(dot(normal_rate, rim->axis), rim->axis, d), normal_rate);
    if (pair->rest) {
        memcpy(pair->rest + 3, m, sizeof m);
    }
    double length = trm_touch_direction(m, normal_rate, e, rate);
    if (pair->pressed && length <= TRM_TOUCH_FLAT) {
        length = dot(m, way);
        memcpy(e, way, sizeof e);
        set3(rate, 0, 0, 0);
    }
    const int lies = trm_touch_is_flat(pair) || (length == 0 && !pair->pressed);
    const double down = lies ? 0 : length > 0 && dot(m, way) < 0 ? -r : r;
    out->gap = above - down * length;
    subtract(rim->center, scale(down, e, d), at);
    trm_point(pose, rim->body, at, V, out->point, out->point_rate);
    subtract(out->point_rate, trm_to_world(pose, rim->body, scale(down, rate, m), d),
             out->point_rate);
}
