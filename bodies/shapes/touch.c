#include "bodies/shapes/touch.h"

#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <string.h>

static trm_touch_fn *const kinds[TRM_TOUCH_KINDS] = {
    [TRM_TOUCH_BALL_PLANE] = trm_touch_ball_plane,
    [TRM_TOUCH_BALL_BALL] = trm_touch_ball_ball,
    [TRM_TOUCH_BALL_BOWL] = trm_touch_ball_ball,
    [TRM_TOUCH_BALL_FUNNEL] = trm_touch_ball_funnel,
    [TRM_TOUCH_BALL_BOX] = trm_touch_ball_solid,
    [TRM_TOUCH_BALL_ROD] = trm_touch_ball_solid,
    [TRM_TOUCH_BALL_CYLINDER] = trm_touch_ball_solid,
    [TRM_TOUCH_BALL_TERRAIN] = trm_touch_ball_terrain,
    [TRM_TOUCH_ELLIPSOID_PLANE] = trm_touch_ellipsoid_plane,
    [TRM_TOUCH_RIM_PLANE] = trm_touch_rim_plane,
};

void trm_touch_measure(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                       trm_touch *out)
{
    kinds[pair->kind](pair, pose, V, out);
}

// -------------------------------------------------------------------------------------- the rows

/// d := n, t_1 or t_2 and its rate. The first tangent is the part of a direction w of side 1 along
/// the surface: there is none where n is w.
static void direction(const trm_touch_pair *pair, int which, const trm_pose *pose, const double *V,
                      const trm_touch *at, double d[3], double rate[3])
{
    const double *const n = at->normal, *const normal_rate = at->normal_rate;
    double w[3], omega[3], moving[3], part[3], t[3], t_rate[3];
    memcpy(d, n, 3 * sizeof *d);
    memcpy(rate, normal_rate, 3 * sizeof *rate);
    if (which == 0) {
        return;
    }
    if (pose->width == 3) {
        set3(d, n[1], -n[0], 0);
        set3(rate, normal_rate[1], -normal_rate[0], 0);
        return;
    }
    trm_to_world(pose, pair->side[1].body, pair->across, w);
    trm_touch_spin(pose, pair->side[1].body, V, omega);
    cross(omega, w, moving);
    const double along = dot(w, n), along_rate = dot(moving, n) + dot(w, normal_rate);
    add(moving, scale(-along_rate, n, part), moving);
    add(moving, scale(-along, normal_rate, part), moving);
    add(w, scale(-along, n, part), w);
    trm_touch_direction(w, moving, t, t_rate);
    if (which == 1) {
        memcpy(d, t, sizeof t);
        memcpy(rate, t_rate, sizeof t_rate);
    } else {
        cross(n, t, d);
        add(cross(normal_rate, t, rate), cross(n, t_rate, part), rate);
    }
}

static int is_about_normal(int axis)
{
    return axis == TRM_TOUCH_SPINS || axis == TRM_TOUCH_TWISTS;
}

/// The axis about which a row rolls or spins, and its rate; zero: of a face that does not lie flat.
static void turning_axis(const trm_touch_pair *pair, int axis, const trm_pose *pose,
                         const double *V, const trm_touch *at, double d[3], double rate[3])
{
    if (pose->width == 3) {
        set3(d, 0, 0, 1);
        set3(rate, 0, 0, 0);
    } else if (axis >= TRM_TOUCH_TIPS && !trm_touch_is_flat(pair)) {
        set3(d, 0, 0, 0);
        set3(rate, 0, 0, 0);
    } else {
        const int first = axis == TRM_TOUCH_ROLLS || axis == TRM_TOUCH_TIPS;
        direction(pair, is_about_normal(axis) ? 0 : first ? 1 : 2, pose, V, at, d, rate);
    }
}

/// What a moving surface adds to x' and x'' along d.
static void add_belt(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                     const double *d, const double *rate, double out[3])
{
    const int body = pair->side[pair->belt_side].body;
    const double sign = pair->belt_side == 0 ? 1 : -1;
    double s[3], omega[3], turned[3];
    trm_to_world(pose, body, pair->belt, s);
    trm_touch_spin(pose, body, V, omega);
    out[1] += sign * dot(d, s);
    out[2] += sign * (dot(rate, s) + dot(d, cross(omega, s, turned)));
}

void trm_touch_jet(const trm_touch_pair *pair, int axis, const trm_pose *pose, const double *V,
                   double out[3])
{
    double d[3], rate[3], u[2][3], bend[2][3], omega[2][3];
    trm_touch at;
    trm_touch_measure(pair, pose, V, &at);
    for (int i = 0; i < 2; i++) {
        const int body = pair->side[i].body;
        double v[3], past[3];
        trm_touch_matter(pose, body, V, at.point, u[i]);
        trm_touch_spin(pose, body, V, omega[i]);
        trm_touch_frame_velocity(pose, body, V, v);
        cross(omega[i], subtract(at.point_rate, v, past), bend[i]);
    }
    out[0] = axis == TRM_TOUCH_GAP ? at.gap : 0;
    if (axis >= TRM_TOUCH_ROLLS) {
        turning_axis(pair, axis, pose, V, &at, d, rate);
        if (axis >= TRM_TOUCH_TIPS && axis < TRM_TOUCH_TWISTS && trm_touch_is_flat(pair)) {
            double m[3], turned[3];
            trm_to_world(pose, pair->side[0].body, pair->rest + 3, m);
            out[0] = -dot(d, cross(at.normal, m, turned));
        }
        subtract(omega[0], omega[1], u[0]);
        out[1] = dot(d, u[0]);
        out[2] = dot(rate, u[0]);
        return;
    }
    direction(pair, axis, pose, V, &at, d, rate);
    subtract(u[0], u[1], u[0]);
    subtract(bend[0], bend[1], bend[0]);
    out[1] = dot(d, u[0]);
    out[2] = dot(rate, u[0]) + dot(d, bend[0]);
    if (axis != TRM_TOUCH_GAP) {
        add_belt(pair, pose, V, d, rate, out);
    }
}

/// A moment d of the world on a body.
static void moment_of(const trm_pose *pose, int body, const double *d, double *G)
{
    double local[3];
    memset(G, 0, 6 * sizeof *G);
    if (pose->width == 3) {
        G[2] = d[2];
    } else {
        memcpy(G + 3, rotate_back(&pose->R[9 * body], d, local), sizeof local);
    }
}

double trm_touch_gradient(const trm_touch_pair *pair, int axis, const trm_pose *pose,
                          const double *V, double G[2][6])
{
    double d[3], rate[3], belt[3] = {0, 0, 0};
    trm_touch at;
    trm_touch_measure(pair, pose, V, &at);
    if (axis >= TRM_TOUCH_ROLLS) {
        turning_axis(pair, axis, pose, V, &at, d, rate);
    } else {
        direction(pair, axis, pose, V, &at, d, rate);
    }
    if (axis == TRM_TOUCH_ALONG || axis == TRM_TOUCH_ACROSS) {
        add_belt(pair, pose, V, d, rate, belt);
    }
    for (int i = 0; i < 2; i++) {
        const int body = pair->side[i].body;
        double plane[3], arm[3], local[3];
        if (axis >= TRM_TOUCH_ROLLS) {
            moment_of(pose, body, d, G[i]);
        } else {
            subtract(at.point, trm_touch_place(pose, body, plane), arm);
            trm_force_at(pose, body, trm_to_body(pose, body, arm, local), d, G[i]);
        }
        scale(-1, d, d);
    }
    return belt[1];
}
