/// Curves, wheels, belts, stops and limits.
#include "tools/drawing/svg_out.h"
#include "tools/view/picture.h"

#include <math.h>
#include <string.h>

enum { CORNERS = 256 };

void trm_picture_include_lines(trm_picture *picture)
{
    const double *const q = trm_motion_at(picture->motion, 0);
    double x[3];
    for (int i = 0; i < picture->lines.n; i++) {
        const trm_line *const l = &picture->lines.line[i];
        for (int k = 0; k < l->n && l->kind != TRM_LINE_FACE; k++) {
            trm_picture_point(picture, l->body, l->point[k], q, x);
            trm_camera_include(&picture->camera, x, 0);
        }
    }
}

/// Point `at` and normal in the world; u and v (v = 0 in the plane) lie in the face.
static void face_frame(const trm_picture *picture, const trm_line *face, const double *q,
                       double at[3], double u[3], double v[3])
{
    double tip[3], n[3];
    for (int k = 0; k < 3; k++) {
        tip[k] = face->point[0][k] + face->normal[k];
    }
    trm_picture_point(picture, face->body, face->point[0], q, at);
    trm_picture_point(picture, face->body, tip, q, n);
    for (int k = 0; k < 3; k++) {
        n[k] -= at[k];
    }
    trm_complete_frame(n, u, v);
    if (picture->view.dimension == 2) {
        const double along[3] = {n[1], -n[0], 0}; // the free side is to the left
        memcpy(u, along, sizeof along);
        memset(v, 0, sizeof along);
    }
}

/// Moves a point of the ground along u and v to the middle of the picture.
static void to_middle(const trm_camera *c, const double u[3], const double v[3], double at[3])
{
    double away[2] = {0.5 * (c->low[0] + c->high[0]), 0.5 * (c->low[1] + c->high[1])};
    double a = 0, b = 0;
    for (int k = 0; k < 3; k++) {
        away[0] -= at[k] * c->right[k];
        away[1] -= at[k] * c->up[k];
    }
    for (int k = 0; k < 3; k++) {
        a += (away[0] * c->right[k] + away[1] * c->up[k]) * u[k];
        b += (away[0] * c->right[k] + away[1] * c->up[k]) * v[k];
    }
    for (int k = 0; k < 3; k++) {
        at[k] += a * u[k] + b * v[k];
    }
}

/// In the plane a hatched line, in space a square; of the ground beside the motion, however far its
/// point is.
static void draw_face(const trm_picture *picture, const trm_line *face, const double *q)
{
    const trm_camera *const c = &picture->camera;
    const int planar = picture->view.dimension == 2;
    const double share = face->body >= 0 ? 0.15 : planar ? 0.6 : 0.4;
    const double reach = share * hypot(c->high[0] - c->low[0], c->high[1] - c->low[1]);
    double at[3], u[3], v[3], x[3];
    trm_page_point corner[4];
    face_frame(picture, face, q, at, u, v);
    if (face->body < 0) {
        to_middle(c, u, v, at);
    }
    for (int i = 0; i < 4; i++) {
        const double s = i == 0 || i == 3 ? -reach : reach, t = i < 2 ? -reach : reach;
        for (int k = 0; k < 3; k++) {
            x[k] = at[k] + s * u[k] + t * v[k];
        }
        corner[i] = trm_camera_project(c, x);
    }
    if (planar) {
        trm_svg_line(picture->out, corner[0], corner[1], "ground face");
        trm_picture_hatch(picture, corner[0], corner[1]);
    } else {
        trm_svg_polyline(picture->out, 4, corner, 1, "plane face");
    }
}

void trm_picture_faces(const trm_picture *picture)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    for (int i = 0; i < picture->lines.n; i++) {
        if (picture->lines.line[i].kind == TRM_LINE_FACE) {
            draw_face(picture, &picture->lines.line[i], q);
        }
    }
}

/// In the plane circles of wheels, and those that nothing comes into, are elements of their own: a
/// moving picture of their corners would be large.
static void draw_ring(const trm_picture *picture, const trm_line *l, const double *q,
                      const char *style)
{
    double middle[3];
    const int wheel = l->kind == TRM_LINE_WHEEL, half = (l->n - 1 - wheel) / 2;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (l->point[0][k] + l->point[half][k]);
    }
    const double r = hypot(l->point[0][0] - middle[0], l->point[0][1] - middle[1]);
    const trm_page_point centre = trm_picture_project(picture, l->body, middle, q);
    trm_svg_circle(picture->out, centre, r * picture->camera.scale, style);
    if (wheel) {
        trm_svg_line(picture->out, centre, trm_picture_project(picture, l->body, l->point[0], q),
                     style);
    }
}

static void draw_line(const trm_picture *picture, const trm_line *l, const double *q)
{
    static const char *const styles[TRM_LINES] = {
        "rod wire", "axis wheel", "", "limit", "limit pointer", "keep", "limit blade"};
    trm_page_point corner[CORNERS];
    if (picture->view.dimension == 2 && (l->kind == TRM_LINE_WHEEL || l->kind == TRM_LINE_KEEP)) {
        draw_ring(picture, l, q, styles[l->kind]);
        return;
    }
    const int n = l->n < CORNERS ? l->n : CORNERS;
    for (int k = 0; k < n; k++) {
        corner[k] = trm_picture_project(picture, l->body, l->point[k], q);
    }
    if (n == 2) {
        trm_svg_line(picture->out, corner[0], corner[1], styles[l->kind]);
    } else {
        trm_svg_polyline(picture->out, n, corner, l->closed, styles[l->kind]);
    }
}

/// Two bars across the line between the points; upright where both are one.
static void draw_stop(const trm_picture *picture, trm_page_point a, trm_page_point b)
{
    const double length = hypot(b.x - a.x, b.y - a.y), r = 1.3 * picture->stroke;
    const double ex = length > 1 ? (b.x - a.x) / length : 1,
                 ey = length > 1 ? (b.y - a.y) / length : 0;
    const trm_page_point middle = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
    trm_svg_line(picture->out, a, b, "keep");
    for (int side = -1; side <= 1; side += 2) {
        const double x = middle.x + 0.45 * r * side * ex, y = middle.y + 0.45 * r * side * ey;
        const trm_page_point from = {x - r * ey, y + r * ex}, to = {x + r * ey, y - r * ex};
        trm_svg_line(picture->out, from, to, "limit stop");
    }
}

void trm_picture_lines(const trm_picture *picture)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    for (int i = 0; i < picture->lines.n; i++) {
        if (picture->lines.line[i].kind != TRM_LINE_FACE) {
            draw_line(picture, &picture->lines.line[i], q);
        }
    }
    for (int i = 0; i < picture->lines.nlinks; i++) {
        const trm_link *const link = &picture->lines.link[i];
        double x[2][3];
        trm_link_ends(picture->model, link, q, x);
        const trm_page_point a = trm_camera_project(&picture->camera, x[0]);
        const trm_page_point b = trm_camera_project(&picture->camera, x[1]);
        if (link->kind == TRM_LINK_STRAND) {
            trm_svg_line(picture->out, a, b, "rod strand");
        } else {
            draw_stop(picture, a, b);
        }
    }
}
