/// Joints, guides and the ground.
#include "program/view.h"
#include "tools/view/picture.h"

#include <math.h>

/// Along a guide.
static int slides(const trm_joint_view *joint)
{
    return joint->symbol == TRM_JOINT_SYMBOL_SLIDER || joint->symbol == TRM_JOINT_SYMBOL_SLEEVE ||
           joint->symbol == TRM_JOINT_SYMBOL_SLOT || joint->symbol == TRM_JOINT_SYMBOL_TRACK ||
           joint->symbol == TRM_JOINT_SYMBOL_NUT;
}

// ---------------------------------------------------------------------------------------- guides

/// A straight guide fixed in body `base`: where it lies now, and how far the slider travels.
typedef struct guide {
    int base;
    double low[3], high[3]; // m, ends in the frame of `base`
} guide;

static double along(const double a[3], const double b[3], const double direction[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += (b[i] - a[i]) * direction[i];
    }
    return sum;
}

/// A block or ball slides on top of its rail: *below is how far the rail lies from the joint's
/// point (m, world), on the side that is hatched. Returns how far the block reaches along the rail.
static double rail_below(const trm_picture *picture, int body, const double local[3],
                         const double axis[3], double below[3])
{
    const trm_figure *const f = &picture->figure[body];
    const double *const q = trm_motion_at(picture->motion, 0);
    const double right = axis[0] < -1e-9 ? -1 : 1; // the guide runs to the right, or along axis
    const double normal[3] = {right * axis[1], -right * axis[0], 0};
    double origin[3], x[3], depth = 0, reach = 0;
    if (f->kind == TRM_FIGURE_BAR ||
        trm_view_body(picture->scene, body).shape.kind == TRM_SHAPE_NONE) {
        return 0;
    }
    trm_picture_point(picture, body, local, q, origin);
    for (int i = 0; i < f->n; i++) {
        trm_picture_point(picture, body, f->point[i], q, x);
        depth = fmax(depth, along(origin, x, normal) + f->radius);
        reach = fmax(reach, fabs(along(origin, x, axis)) + f->radius);
    }
    for (int k = 0; k < 3; k++) {
        below[k] = depth * normal[k];
    }
    return reach;
}

/// The line is fixed in the joint's first body, except that the ground is preferred where either
/// body would do.
static guide measure_guide(const trm_picture *picture, const trm_joint_view *joint)
{
    const double *const q0 = trm_motion_at(picture->motion, 0);
    const int either = joint->symbol == TRM_JOINT_SYMBOL_SLIDER ||
                       joint->symbol == TRM_JOINT_SYMBOL_SLEEVE ||
                       joint->symbol == TRM_JOINT_SYMBOL_NUT;
    const int a = either && joint->body[1] == TRM_INDEX_GROUND ? 1 : 0, b = 1 - a;
    guide g = {.base = joint->body[a]};
    double axis[3], low = INFINITY, high = -INFINITY;
    trm_direction_in(picture->model, g.base, q0, joint->axis, axis);
    for (int i = 0; i <= picture->path_end; i++) {
        const double *const q = trm_motion_at(picture->motion, i);
        double xa[3], xb[3], direction[3], tip[3], x[3];
        for (int k = 0; k < 3; k++) {
            tip[k] = joint->local[a][k] + axis[k];
        }
        trm_picture_point(picture, g.base, joint->local[a], q, xa);
        trm_picture_point(picture, g.base, tip, q, x);
        trm_picture_point(picture, joint->body[b], joint->local[b], q, xb);
        for (int k = 0; k < 3; k++) {
            direction[k] = x[k] - xa[k];
        }
        const double s = along(xa, xb, direction);
        low = fmin(low, s);
        high = fmax(high, s);
    }
    const double margin = 0.05 * picture->size;
    double below[3] = {0, 0, 0}, reach = 0;
    if (g.base == TRM_INDEX_GROUND && picture->view.dimension == 2 &&
        joint->symbol == TRM_JOINT_SYMBOL_SLIDER) {
        reach = rail_below(picture, joint->body[b], joint->local[b], axis, below);
    }
    for (int k = 0; k < 3; k++) {
        g.low[k] = joint->local[a][k] + (low - reach - margin) * axis[k] + below[k];
        g.high[k] = joint->local[a][k] + (high + reach + margin) * axis[k] + below[k];
    }
    return g;
}

void trm_picture_hatch(const trm_picture *picture, trm_page_point a, trm_page_point b)
{
    const double length = hypot(b.x - a.x, b.y - a.y), pitch = 1.8 * picture->stroke;
    const int n = (int)(length / pitch);
    for (int i = 0; i < n; i++) {
        const double u = (i + 0.75) * pitch / length;
        const double ex = (b.x - a.x) / length, ey = (b.y - a.y) / length,
                     r = 1.5 * picture->stroke;
        const trm_page_point from = {a.x + u * (b.x - a.x), a.y + u * (b.y - a.y)};
        const trm_page_point to = {from.x - r * (ex + ey), from.y + r * (ex - ey)};
        trm_svg_line(picture->out, from, to, "hatch");
    }
}

static void draw_guide(const trm_picture *picture, const guide *g)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    trm_page_point a = trm_picture_project(picture, g->base, g->low, q);
    trm_page_point b = trm_picture_project(picture, g->base, g->high, q);
    if (g->base != TRM_INDEX_GROUND) {
        trm_svg_line(picture->out, a, b, "slot-edge");
        trm_svg_line(picture->out, a, b, "slot");
        return;
    }
    trm_svg_line(picture->out, a, b, "ground");
    if (picture->view.dimension == 2) {
        if (a.x > b.x) {
            const trm_page_point swap = a;
            a = b;
            b = swap;
        }
        trm_picture_hatch(picture, a, b);
    }
}

void trm_picture_include_joints(trm_picture *picture)
{
    const trm_scene *const s = picture->scene;
    const double *const q = trm_motion_at(picture->motion, 0);
    double x[3];
    for (int i = 0; i < picture->view.nmarkers; i++) {
        if (trm_picture_shows_marker(s, i)) {
            const trm_marker_info marker = trm_scene_marker_info(s, i);
            trm_picture_point(picture, marker.body, marker.local, q, x);
            trm_camera_include(&picture->camera, x, 0);
        }
    }
    for (int i = 0; i < picture->view.njoints; i++) {
        const trm_joint_view joint = trm_view_joint(s, i);
        for (int side = 0; side < 2 && !joint.rotor; side++) {
            trm_picture_point(picture, joint.body[side], joint.local[side], q, x);
            trm_camera_include(&picture->camera, x, 0);
        }
        if (slides(&joint)) {
            const guide g = measure_guide(picture, &joint);
            trm_picture_point(picture, g.base, g.low, q, x);
            trm_camera_include(&picture->camera, x, 0);
            trm_picture_point(picture, g.base, g.high, q, x);
            trm_camera_include(&picture->camera, x, 0);
        }
    }
}

void trm_picture_guides(const trm_picture *picture)
{
    for (int i = 0; i < picture->view.njoints; i++) {
        const trm_joint_view joint = trm_view_joint(picture->scene, i);
        if (slides(&joint) &&
            (joint.body[0] == TRM_INDEX_GROUND || joint.body[1] == TRM_INDEX_GROUND)) {
            const guide g = measure_guide(picture, &joint);
            if (g.base == TRM_INDEX_GROUND) {
                draw_guide(picture, &g);
            }
        }
    }
}

// --------------------------------------------------------------------------------- pins and rods

/// A support: two legs on hatched ground below the pin.
static void support(const trm_picture *picture, trm_page_point p)
{
    const double r = picture->stroke, w = 2.1 * r, h = 3 * r;
    const trm_page_point legs[3] = {{p.x - w, p.y + h}, p, {p.x + w, p.y + h}};
    const trm_page_point left = {p.x - 1.6 * w, p.y + h}, right = {p.x + 1.6 * w, p.y + h};
    trm_svg_polyline(picture->out, 3, legs, 1, "leg");
    trm_svg_line(picture->out, left, right, "ground");
    trm_picture_hatch(picture, left, right);
}

void trm_picture_rods(const trm_picture *picture, const double *q)
{
    for (int i = 0; i < picture->view.njoints; i++) {
        const trm_joint_view joint = trm_view_joint(picture->scene, i);
        if (joint.symbol == TRM_JOINT_SYMBOL_ROD) {
            trm_svg_line(picture->out,
                         trm_picture_project(picture, joint.body[0], joint.local[0], q),
                         trm_picture_project(picture, joint.body[1], joint.local[1], q), "rod");
        }
    }
}

/// World direction of the joint's axis, which is fixed in its body b.
static void axis_now(const trm_picture *picture, const trm_joint_view *joint, double out[3])
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    double local[3], tip[3], x[3], y[3];
    trm_direction_in(picture->model, joint->body[1], trm_motion_at(picture->motion, 0), joint->axis,
                     local);
    for (int k = 0; k < 3; k++) {
        tip[k] = joint->local[1][k] + local[k];
    }
    trm_picture_point(picture, joint->body[1], joint->local[1], q, x);
    trm_picture_point(picture, joint->body[1], tip, q, y);
    for (int k = 0; k < 3; k++) {
        out[k] = y[k] - x[k];
    }
}

static void axis_line(const trm_picture *picture, const trm_joint_view *joint, const double x[3])
{
    double a[3], b[3], axis[3];
    axis_now(picture, joint, axis);
    for (int k = 0; k < 3; k++) {
        a[k] = x[k] - 0.07 * picture->size * axis[k];
        b[k] = x[k] + 0.07 * picture->size * axis[k];
    }
    trm_svg_line(picture->out, trm_camera_project(&picture->camera, a),
                 trm_camera_project(&picture->camera, b), "axis");
}

static void draw_joint(const trm_picture *picture, int number)
{
    const trm_joint_view view = trm_view_joint(picture->scene, number), *const joint = &view;
    const double *const q = trm_motion_at(picture->motion, picture->now);
    const int grounded = joint->body[0] == TRM_INDEX_GROUND || joint->body[1] == TRM_INDEX_GROUND;
    const trm_page_point a = trm_picture_project(picture, joint->body[0], joint->local[0], q);
    const trm_page_point b = trm_picture_project(picture, joint->body[1], joint->local[1], q);
    double x[3], axis[3];
    trm_picture_point(picture, joint->body[1], joint->local[1], q, x);
    if (slides(joint)) {
        const guide g = measure_guide(picture, joint);
        if (g.base != TRM_INDEX_GROUND) {
            draw_guide(picture, &g);
        }
    }
    if (picture->view.dimension == 3 && joint->axis_given && !slides(joint)) {
        axis_line(picture, joint, x);
    }
    if (grounded && !slides(joint) && joint->symbol != TRM_JOINT_SYMBOL_PUCK &&
        joint->symbol != TRM_JOINT_SYMBOL_POINT) {
        support(picture, joint->body[0] == TRM_INDEX_GROUND ? a : b);
    }
    axis_now(picture, joint, axis);
    trm_picture_symbol(picture, joint, a, b, axis,
                       trm_joint_is_driven(picture->model, number) ? "motor" : "pin");
}

void trm_picture_joints(const trm_picture *picture)
{
    trm_picture_rods(picture, trm_motion_at(picture->motion, picture->now));
    for (int i = 0; i < picture->view.njoints; i++) {
        if (!trm_view_joint(picture->scene, i).rotor) {
            draw_joint(picture, i);
        }
    }
}
