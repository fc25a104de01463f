/// Limits of joints. Of a hinge: an arc about its point in one body, from the lowest to the highest
/// angle, with a bar at each end, and a pointer in the other body. Of a slide: a bar at each end,
/// in space a square, on the line that the point of the other body moves along.
#include "program/view.h"
#include "tools/drawing/lines/lines.h"
#include "trammel/trammel_scene.h"

#include <math.h>
#include <string.h>

/// In sizes of the mechanism.
static const double arc_radius = 0.07, bar_length = 0.035;

/// The joint as the symbol sees it. The body that stands still, where there is one, has the arc.
typedef struct measure {
    int base, other;   // bodies
    const double *at;  // m, the point of the base
    const double *tip; // m, the point of the other
    double axis[3];    // unit, in the base
    double sign;       // of the coordinate about or along that axis
} measure;

static measure measure_of(const trm_line_maker *maker, const trm_joint_view *joint)
{
    static const double z[3] = {0, 0, 1};
    const int swap = joint->body[1] == TRM_INDEX_GROUND;
    measure m = {.base = joint->body[swap],
                 .other = joint->body[!swap],
                 .at = joint->local[swap],
                 .tip = joint->local[!swap],
                 .sign = swap ? -1 : 1};
    trm_direction_in(maker->model, m.base, maker->q0, joint->axis_given ? joint->axis : z, m.axis);
    return m;
}

/// Perpendicular to the axis, unit: where the other body lies, seen from the joint, at the start.
/// In the world.
static void outward(const trm_line_maker *maker, const measure *m, const double axis[3],
                    double out[3])
{
    static const double zero[3] = {0, 0, 0};
    double o[3], x[3], v[3], along = 0, square = 0;
    trm_place_of(maker->model, m->other, m->tip, maker->q0, o);
    trm_place_of(maker->model, m->other, zero, maker->q0, x);
    for (int k = 0; k < 3; k++) {
        along += (x[k] - o[k]) * axis[k];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = x[k] - o[k] - along * axis[k];
        square += out[k] * out[k];
    }
    if (sqrt(square) < 1e-6 * maker->size) {
        trm_complete_frame(axis, out, v);
        return;
    }
    for (int k = 0; k < 3; k++) {
        out[k] /= sqrt(square);
    }
}

/// An arc of at most one turn; where one end is infinite a sixth of a turn of it.
static void add_arc(trm_line_maker *maker, const trm_contact_view *c, const measure *m,
                    const double u[3])
{
    enum { STEPS = 32 };
    static const double radii[3] = {1.3, 0.7, 1};
    const double turn = 2 * acos(-1), r = arc_radius * maker->size;
    const double lo = isfinite(c->lo) ? c->lo : c->hi - turn / 6;
    const double hi = isfinite(c->hi) ? fmin(c->hi, lo + turn) : lo + turn / 6;
    const double *const a = m->axis;
    const double v[3] = {a[1] * u[2] - a[2] * u[1], a[2] * u[0] - a[0] * u[2],
                         a[0] * u[1] - a[1] * u[0]};
    trm_line *const line = trm_add_line(maker, TRM_LINE_LIMIT, c->name, m->base, STEPS + 1 + 6);
    for (int i = 0; line != NULL && i < line->n; i++) {
        const int low = i < 3, high = i >= line->n - 3;
        const double share = low ? 0 : high ? 1 : (double)(i - 3) / STEPS;
        const double angle = m->sign * (lo + share * (hi - lo));
        const double bar = low && isfinite(c->lo)    ? radii[i]
                           : high && isfinite(c->hi) ? radii[line->n - 1 - i]
                                                     : 1;
        for (int k = 0; k < 3; k++) {
            line->point[i][k] = m->at[k] + r * bar * (cos(angle) * u[k] + sin(angle) * v[k]);
        }
    }
}

static void add_pointer(trm_line_maker *maker, const trm_contact_view *c, const measure *m,
                        const double world[3])
{
    double u[3];
    trm_line *const line = trm_add_line(maker, TRM_LINE_POINTER, c->name, m->other, 2);
    trm_direction_in(maker->model, m->other, maker->q0, world, u);
    for (int i = 0; line != NULL && i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            line->point[i][k] = m->tip[k] + (i ? 1.2 : 0.4) * arc_radius * maker->size * u[k];
        }
    }
}

static void add_bar(trm_line_maker *maker, const trm_contact_view *c, const measure *m, double s)
{
    const int planar = trm_scene_get_info(maker->scene).dimension == 2;
    const double h = bar_length * maker->size;
    trm_line *const line = trm_add_line(maker, TRM_LINE_LIMIT, c->name, m->base, planar ? 2 : 4);
    double u[3], v[3];
    trm_complete_frame(m->axis, u, v);
    for (int i = 0; line != NULL && i < line->n; i++) {
        const double a = planar ? (i ? -1 : 1) : (i == 0 || i == 3 ? -1 : 1);
        const double b = planar ? 0 : (i < 2 ? -1 : 1);
        for (int k = 0; k < 3; k++) {
            const double across = planar ? (k == 0 ? -m->axis[1] : k == 1 ? m->axis[0] : 0) : u[k];
            line->point[i][k] = m->at[k] + m->sign * s * m->axis[k] + h * (a * across + b * v[k]);
        }
        line->closed = !planar;
    }
}

void trm_add_limits(trm_line_maker *maker, const trm_contact_view *c)
{
    const trm_joint_view joint = trm_view_joint(maker->scene, c->joint);
    const measure m = measure_of(maker, &joint);
    static const double z[3] = {0, 0, 1};
    if (joint.symbol == TRM_JOINT_SYMBOL_SLIDER) {
        for (int k = 0; k < 2; k++) {
            if (isfinite(k ? c->hi : c->lo)) {
                add_bar(maker, c, &m, k ? c->hi : c->lo);
            }
        }
        return;
    }
    double world[3], u[3];
    outward(maker, &m, joint.axis_given ? joint.axis : z, world);
    trm_direction_in(maker->model, m.base, maker->q0, world, u);
    add_arc(maker, c, &m, u);
    add_pointer(maker, c, &m, world);
}
