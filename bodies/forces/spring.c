#include "bodies/forces/spring.h"

/// A marker: r = R l, x = p + r, u = p' + rate (-r_y, r_x).
typedef struct marker {
    trm_lane r[2], x[2];
} marker;

static inline marker marker_of(const trm_spring *spring, const trm_pose *pose, int end)
{
    const int i = spring->body[end];
    const trm_lane c = pose->c[i], s = pose->s[i], *const l = spring->local[end];
    marker m = {.r = {c * l[0] - s * l[1], s * l[0] + c * l[1]}};
    m.x[0] = pose->x[i] + m.r[0];
    m.x[1] = pose->y[i] + m.r[1];
    return m;
}

/// d = x_b - x_a, l = |d|, e = d/l, or zero.
typedef struct stretch {
    marker end[2];
    trm_lane d[2], l, e[2];
} stretch;

static inline stretch stretch_of(const trm_spring *spring, const trm_pose *pose)
{
    stretch of = {.end = {marker_of(spring, pose, 0), marker_of(spring, pose, 1)}};
    for (int k = 0; k < 2; k++) {
        of.d[k] = of.end[1].x[k] - of.end[0].x[k];
    }
    of.l = trm_lane_root(of.d[0] * of.d[0] + of.d[1] * of.d[1]);
    const trm_lane inverse = trm_lane_choose(of.l > 0.0, 1.0 / of.l, trm_lane_of(0));
    for (int k = 0; k < 2; k++) {
        of.e[k] = inverse * of.d[k];
    }
    return of;
}

/// l'
static inline trm_lane rate_of(const trm_spring *spring, const stretch *of, const trm_lane *V)
{
    const trm_lane *const a = V + 3 * spring->body[0], *const b = V + 3 * spring->body[1];
    const trm_lane *const ra = of->end[0].r, *const rb = of->end[1].r;
    const trm_lane x = (b[0] - b[2] * rb[1]) - (a[0] - a[2] * ra[1]);
    const trm_lane y = (b[1] + b[2] * rb[0]) - (a[1] + a[2] * ra[0]);
    return of->e[0] * x + of->e[1] * y;
}

trm_lane trm_spring_energy(const trm_spring *spring, const trm_pose *pose)
{
    const trm_lane more = stretch_of(spring, pose).l - spring->rest;
    return 0.5 * spring->k * more * more;
}

static inline void push(trm_lane T, const trm_lane e[2], const trm_lane r[2], trm_lane *F)
{
    const trm_lane x = T * e[0], y = T * e[1];
    F[0] += x;
    F[1] += y;
    F[2] += r[0] * y - r[1] * x;
}

trm_lane_truth trm_spring_push(const trm_spring *spring, const trm_pose *pose, const trm_lane *V,
                               trm_lane *F, trm_lane *loss)
{
    const stretch of = stretch_of(spring, pose);
    const trm_lane rate = rate_of(spring, &of, V);
    const trm_lane T = spring->k * (of.l - spring->rest) + spring->c * rate;
    if (loss) {
        *loss = spring->c * rate * rate;
    }
    push(T, of.e, of.end[0].r, F + 3 * spring->body[0]);
    push(-T, of.e, of.end[1].r, F + 3 * spring->body[1]);
    return T * 0.0 == 0.0;
}

trm_lane trm_spring_loss(const trm_spring *spring, const trm_pose *pose, const trm_lane *V)
{
    const stretch of = stretch_of(spring, pose);
    const trm_lane rate = rate_of(spring, &of, V);
    return spring->c * rate * rate;
}
