/// Bodies, solid or as ghosts. Solids are the convex hull of their projected points.
#include "tools/view/picture.h"

#include "program/view.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>

static const char *const fills[] = {"#a9c1dc", "#f0cd9b", "#b3d6b7", "#e6b3b0",
                                    "#c9bee2", "#a8d5d5", "#ded2b0", "#c9ced4"};
static const char *const edges[] = {"#2f4f74", "#8a5a1c", "#2f6b3c", "#8a3431",
                                    "#54418a", "#1f6668", "#6f5f2c", "#4a525c"};

enum { COLOURS = (int)(sizeof fills / sizeof *fills) };

/// Long rows of bodies alternate between two colours.
static unsigned colour(const trm_picture *picture, int body)
{
    return (unsigned)body % (picture->view.nbodies > COLOURS ? 2 : COLOURS);
}

const char *trm_picture_fill(const trm_picture *picture, int body)
{
    return fills[colour(picture, body)];
}

const char *trm_picture_edge(const trm_picture *picture, int body)
{
    return edges[colour(picture, body)];
}

// ------------------------------------------------------------------------------------- geometry

static double turn(trm_page_point o, trm_page_point a, trm_page_point b)
{
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

/// Whether a is no corner: to the left of the chord from o to b, or within a hundredth of a pixel
/// of it. So points in a line have two corners in every position.
static int is_superfluous(trm_page_point o, trm_page_point a, trm_page_point b)
{
    return turn(o, a, b) <= 0.01 * hypot(b.x - o.x, b.y - o.y);
}

static int left_to_right(const void *a, const void *b)
{
    const trm_page_point *const p = a, *const q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y;
}

/// Andrew's monotone chain; hull[2n] receives the corners, the number of which is returned.
static int convex_hull(int n, trm_page_point *p, trm_page_point *hull)
{
    int k = 0;
    qsort(p, (size_t)n, sizeof *p, left_to_right);
    for (int i = 0; i < n; i++) {
        while (k >= 2 && is_superfluous(hull[k - 2], hull[k - 1], p[i])) {
            k--;
        }
        hull[k++] = p[i];
    }
    const int lower = k + 1;
    for (int i = n - 2; i >= 0; i--) {
        while (k >= lower && is_superfluous(hull[k - 2], hull[k - 1], p[i])) {
            k--;
        }
        hull[k++] = p[i];
    }
    return k > 1 ? k - 1 : k;
}

void trm_picture_include_bodies(trm_picture *picture, const double *q)
{
    for (int i = 0; i < picture->nfigures; i++) {
        const trm_figure *const f = &picture->figure[i];
        for (int k = 0; k < f->n; k++) {
            double x[3];
            trm_picture_point(picture, f->body, f->point[k], q, x);
            trm_camera_include(&picture->camera, x, f->radius);
        }
    }
}

static const char *fill_of(const trm_picture *picture, const trm_figure *f)
{
    return f->fill[0] ? f->fill : trm_picture_fill(picture, f->body < 0 ? COLOURS - 1 : f->body);
}

static const char *edge_of(const trm_picture *picture, const trm_figure *f)
{
    return f->edges[0] ? f->edges : trm_picture_edge(picture, f->body < 0 ? COLOURS - 1 : f->body);
}

// -------------------------------------------------------------------------------------- drawing

static int is_look(const trm_picture *picture, const trm_figure *f)
{
    return f - picture->figure >= picture->view.nbodies;
}

/// Two strokes on top of each other make an outlined bar; a ghost is one.
static void stroke_points(const trm_picture *picture, const trm_figure *f, int n,
                          const trm_page_point *p, double width, int ghost)
{
    char style[160];
    const char *const edge = edge_of(picture, f), *const fill = fill_of(picture, f);
    snprintf(style, sizeof style, "stroke:%s;stroke-width:%.2f;fill:%s", edge,
             ghost ? width : width + 2.4, n > 2 ? edge : "none");
    trm_svg_polyline(picture->out, n, p, n > 2, style);
    if (!ghost) {
        snprintf(style, sizeof style, "stroke:%s;stroke-width:%.2f;fill:%s", fill, width,
                 n > 2 ? fill : "none");
        trm_svg_polyline(picture->out, n, p, n > 2, style);
    }
}

static void draw_bar(const trm_picture *picture, const trm_figure *f, const double *q, int ghost)
{
    const trm_page_point p[2] = {trm_picture_project(picture, f->body, f->point[0], q),
                                 trm_picture_project(picture, f->body, f->point[1], q)};
    const double *const first =
        trm_motion_at(picture->motion, 0); // a bar that turns keeps its width
    const trm_page_point a = trm_picture_project(picture, f->body, f->point[0], first);
    const trm_page_point b = trm_picture_project(picture, f->body, f->point[1], first);
    const double length = hypot(b.x - a.x, b.y - a.y);
    const double slender = fmin(2.2 * picture->stroke, fmax(0.12 * length, 0.8 * picture->stroke));
    const double real = 2 * f->radius * picture->camera.scale;
    stroke_points(picture, f, 2, p, fmax(real, slender), ghost);
}

static void draw_ball(const trm_picture *picture, const trm_figure *f, const double *q, int ghost)
{
    const trm_page_point p = trm_picture_project(picture, f->body, f->point[0], q);
    const double r = fmax(f->radius * picture->camera.scale, 1.5 * picture->stroke);
    char style[128];
    snprintf(style, sizeof style, "stroke:%s;stroke-width:1.4;fill:%s", edge_of(picture, f),
             ghost ? edge_of(picture, f) : fill_of(picture, f));
    trm_svg_circle(picture->out, p, r, style);
}

/// Of the middle between its first and its last point: of the centre of most.
static double depth_of(const trm_picture *picture, const trm_figure *f, const double *q)
{
    static const double center[3] = {0, 0, 0};
    const int is_own = !is_look(picture, f);
    double a[3], b[3];
    trm_picture_point(picture, f->body, is_own ? center : f->point[0], q, a);
    trm_picture_point(picture, f->body, is_own ? center : f->point[f->n - 1], q, b);
    return (trm_camera_depth(&picture->camera, a) + trm_camera_depth(&picture->camera, b)) / 2;
}

static void draw_edges(const trm_picture *picture, const trm_figure *f, const double *q)
{
    char style[96];
    double a[3], b[3];
    const double depth = depth_of(picture, f, q);
    snprintf(style, sizeof style, "stroke:%s;stroke-width:0.9", edge_of(picture, f));
    for (int i = 0; i < f->nedges; i++) {
        trm_picture_point(picture, f->body, f->point[f->edge[i][0]], q, a);
        trm_picture_point(picture, f->body, f->point[f->edge[i][1]], q, b);
        const double mean =
            0.5 * (trm_camera_depth(&picture->camera, a) + trm_camera_depth(&picture->camera, b));
        const int seen =
            f->kind != TRM_FIGURE_SOLID || mean > depth; // else hidden or on the outline
        if (seen || picture->animated) {
            trm_svg_line(picture->out, trm_camera_project(&picture->camera, a),
                         trm_camera_project(&picture->camera, seen ? b : a), style);
        }
    }
}

static void draw_solid(const trm_picture *picture, const trm_figure *f, const double *q, int ghost)
{
    trm_page_point p[TRM_FIGURE_POINTS] = {{0, 0}}, hull[2 * TRM_FIGURE_POINTS] = {{0, 0}};
    for (int i = 0; i < f->n; i++) {
        p[i] = trm_picture_project(picture, f->body, f->point[i], q);
    }
    int n = convex_hull(f->n, p, hull);
    while (picture->animated && picture->view.dimension == 3 && n < f->n) {
        hull[n] = hull[n - 1];
        n++;
    }
    const int has_shape =
        is_look(picture, f) || trm_view_body(picture->scene, f->body).shape.kind != TRM_SHAPE_NONE;
    stroke_points(picture, f, n, hull, has_shape ? 0.6 : 1.6 * picture->stroke, ghost);
}

/// The point of the figure from which a joint elsewhere on the body is reached.
static trm_page_point root(const trm_picture *picture, const trm_figure *f, const double *q,
                           trm_page_point joint)
{
    static const double center[3] = {0, 0, 0};
    trm_page_point best = trm_picture_project(picture, f->body, center, q);
    for (int i = 0; i < f->n && f->kind == TRM_FIGURE_BAR; i++) {
        const trm_page_point p = trm_picture_project(picture, f->body, f->point[i], q);
        if (hypot(p.x - joint.x, p.y - joint.y) < hypot(best.x - joint.x, best.y - joint.y)) {
            best = p;
        }
    }
    return best;
}

/// A shape need not reach the joints of its body: arms to those it does not reach.
static void draw_arms(const trm_picture *picture, const trm_figure *f, const double *q, int ghost)
{
    if (is_look(picture, f) ||
        trm_view_body(picture->scene, f->body).shape.kind == TRM_SHAPE_NONE) {
        return;
    }
    for (int i = 0; i < 2 * picture->view.njoints; i++) {
        const trm_joint_view joint = trm_view_joint(picture->scene, i / 2);
        if (joint.body[i % 2] == f->body) {
            trm_page_point p[2];
            p[0] = trm_picture_project(picture, f->body, joint.local[i % 2], q);
            p[1] = root(picture, f, q, p[0]);
            if (picture->animated || hypot(p[1].x - p[0].x, p[1].y - p[0].y) > picture->stroke) {
                stroke_points(picture, f, 2, p, 0.8 * picture->stroke, ghost);
            }
        }
    }
}

static void draw_body(const trm_picture *picture, const trm_figure *f, const double *q, int ghost)
{
    if (f->is_hidden) {
        return;
    }
    draw_arms(picture, f, q, ghost);
    switch (f->kind) {
    case TRM_FIGURE_BAR:
        draw_bar(picture, f, q, ghost);
        break;
    case TRM_FIGURE_BALL:
        draw_ball(picture, f, q, ghost);
        break;
    case TRM_FIGURE_SOLID:
        draw_solid(picture, f, q, ghost);
        break;
    }
    if (!ghost) {
        draw_edges(picture, f, q);
    }
}

void trm_picture_ghost(const trm_picture *picture, const double *q, double opacity)
{
    char style[48];
    snprintf(style, sizeof style, "opacity:%.3f", opacity);
    trm_svg_group(picture->out, style);
    trm_picture_rods(picture, q);
    for (int i = 0; i < picture->nfigures; i++) {
        if (picture->figure[i].body >= 0) {
            draw_body(picture, &picture->figure[i], q, 1);
        }
    }
    trm_svg_group_end(picture->out);
}

typedef struct placed {
    int figure;
    double depth;
} placed;

static int farthest_first(const void *a, const void *b)
{
    const placed *const p = a, *const q = b;
    if (p->depth != q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return p->figure - q->figure;
}

/// In space the nearest figure is drawn last; in the plane that of the last body of the scene.
trm_status trm_picture_bodies(const trm_picture *picture, const double *q, trm_error *err)
{
    const int n = picture->nfigures, spatial = picture->view.dimension == 3;
    const double *const first = trm_motion_at(picture->motion, 0); // the order of all frames
    placed *const order = calloc((size_t)n + 1, sizeof *order);
    if (order == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int i = 0; i < n; i++) {
        const trm_figure *const f = &picture->figure[i];
        order[i] = (placed){i, spatial ? depth_of(picture, f, picture->animated ? first : q) : 0};
    }
    qsort(order, (size_t)n, sizeof *order, farthest_first);
    for (int i = 0; i < n; i++) {
        draw_body(picture, &picture->figure[order[i].figure], q, 0);
    }
    free(order);
    return TRM_OK;
}
