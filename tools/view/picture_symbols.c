/// Each kind of joint has a symbol of its own, some pixels large.
#include "program/view.h"
#include "tools/view/picture.h"

#include <math.h>

/// A world direction on the page, in px for 1 m, y down.
static trm_page_point on_page(const trm_camera *c, const double d[3])
{
    return (trm_page_point){d[0] * c->right[0] + d[1] * c->right[1] + d[2] * c->right[2],
                            -(d[0] * c->up[0] + d[1] * c->up[1] + d[2] * c->up[2])};
}

/// The direction of an axis on the page, unit; to the right where it points at the reader.
static trm_page_point along_axis(const trm_picture *picture, const double axis[3])
{
    const trm_page_point e = on_page(&picture->camera, axis);
    const double n = hypot(e.x, e.y);
    return n > 0.1 ? (trm_page_point){e.x / n, e.y / n} : (trm_page_point){1, 0};
}

/// A block on its guide: half length l and half width w, px.
static void block(const trm_picture *picture, trm_page_point p, trm_page_point e, double l,
                  double w, const char *style)
{
    const trm_page_point corner[4] = {
        {p.x + l * e.x - w * e.y, p.y + l * e.y + w * e.x},
        {p.x + l * e.x + w * e.y, p.y + l * e.y - w * e.x},
        {p.x - l * e.x + w * e.y, p.y - l * e.y - w * e.x},
        {p.x - l * e.x - w * e.y, p.y - l * e.y + w * e.x},
    };
    trm_svg_polyline(picture->out, 4, corner, 1, style);
}

/// A square plate across the axis, half as wide as l (px).
static void plate(const trm_picture *picture, trm_page_point p, const double axis[3], double l)
{
    double u[3], v[3];
    trm_complete_frame(axis, u, v);
    const trm_page_point a = on_page(&picture->camera, u), b = on_page(&picture->camera, v);
    const trm_page_point corner[4] = {
        {p.x + l * (a.x + b.x), p.y + l * (a.y + b.y)},
        {p.x + l * (a.x - b.x), p.y + l * (a.y - b.y)},
        {p.x - l * (a.x + b.x), p.y - l * (a.y + b.y)},
        {p.x - l * (a.x - b.x), p.y - l * (a.y - b.y)},
    };
    trm_svg_polyline(picture->out, 4, corner, 1, "leg");
}

static void cross(const trm_picture *picture, trm_page_point p, double s)
{
    for (int side = -1; side <= 1; side += 2) {
        const trm_page_point a = {p.x - s, p.y - side * s}, b = {p.x + s, p.y + side * s};
        trm_svg_line(picture->out, a, b, "scale");
    }
}

static void rails(const trm_picture *picture, trm_page_point p, trm_page_point e, double r)
{
    for (int side = -1; side <= 1; side += 2) {
        const double x = p.x - 1.4 * side * r * e.y, y = p.y + 1.4 * side * r * e.x;
        const trm_page_point a = {x - 1.8 * r * e.x, y - 1.8 * r * e.y};
        const trm_page_point b = {x + 1.8 * r * e.x, y + 1.8 * r * e.y};
        trm_svg_line(picture->out, a, b, "scale");
    }
}

/// Three turns across a block.
static void thread(const trm_picture *picture, trm_page_point p, trm_page_point e)
{
    const double r = picture->stroke;
    for (int turn = -1; turn <= 1; turn++) {
        const double s = 1.3 * turn * r, u = 0.5 * r, w = 1.1 * r;
        const trm_page_point a = {p.x + (s - u) * e.x + w * e.y, p.y + (s - u) * e.y - w * e.x};
        const trm_page_point b = {p.x + (s + u) * e.x - w * e.y, p.y + (s + u) * e.y + w * e.x};
        trm_svg_line(picture->out, a, b, "scale");
    }
}

void trm_picture_symbol(const trm_picture *picture, const trm_joint_view *joint, trm_page_point a,
                        trm_page_point b, const double axis[3], const char *style)
{
    FILE *const out = picture->out;
    const double r = picture->stroke;
    const trm_page_point e = along_axis(picture, axis);
    switch (joint->symbol) {
    case TRM_JOINT_SYMBOL_SLIDER:
        block(picture, b, e, 1.9 * r, 1.1 * r, style);
        return;
    case TRM_JOINT_SYMBOL_SLEEVE:
        block(picture, b, e, 2.6 * r, 1.1 * r, style);
        trm_svg_circle(out, b, 0.7 * r, style);
        return;
    case TRM_JOINT_SYMBOL_NUT:
        block(picture, b, e, 2.6 * r, 1.1 * r, style);
        thread(picture, b, e);
        return;
    case TRM_JOINT_SYMBOL_ROD:
        trm_svg_circle(out, a, 0.75 * r, "pin");
        trm_svg_circle(out, b, 0.75 * r, style);
        return;
    case TRM_JOINT_SYMBOL_WELD:
        block(picture, b, e, r, r, "dot");
        return;
    case TRM_JOINT_SYMBOL_BALL:
        trm_svg_circle(out, b, 1.2 * r, style);
        trm_svg_circle(out, b, 0.55 * r, "dot");
        return;
    case TRM_JOINT_SYMBOL_CROSS:
        trm_svg_circle(out, b, 1.2 * r, style);
        cross(picture, b, 0.85 * r);
        return;
    case TRM_JOINT_SYMBOL_PUCK:
        plate(picture, b, axis, 2.6 * r);
        trm_svg_circle(out, b, r, style);
        return;
    case TRM_JOINT_SYMBOL_TRACK:
        rails(picture, b, e, r);
        trm_svg_circle(out, b, 0.8 * r, "dot");
        return;
    case TRM_JOINT_SYMBOL_POINT:
        plate(picture, b, axis, 2.6 * r);
        trm_svg_circle(out, b, 0.6 * r, "dot");
        return;
    case TRM_JOINT_SYMBOL_PIN:
    case TRM_JOINT_SYMBOL_SLOT:
    case TRM_JOINT_SYMBOLS:
        break;
    }
    trm_svg_circle(out, b, r, style);
}
