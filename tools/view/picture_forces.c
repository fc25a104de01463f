/// Springs, dampers, ropes, applied forces as arrows at t = 0, and markers.
/// A spring_damper runs from a to b; its parts are laid out by (along, aside): px from a towards b,
/// and px to the left of that direction. A spring and a damper in parallel share end bars.
#include "program/view.h"
#include "tools/view/picture.h"
#include "trammel/trammel_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOTS = 60, NAMES = 12 }; // markers with a dot, and with a name, at most

static const double pi = 3.14159265358979323846;

static int is_kind(const trm_force_view *force, const char *name)
{
    return strcmp(force->type, name) == 0;
}

// --------------------------------------------------------------------------------------- markers

int trm_picture_shows_marker(const trm_scene *scene, int marker)
{
    return trm_scene_marker_info(scene, marker).body >= 0 || trm_view_marker_in_use(scene, marker);
}

void trm_picture_markers(const trm_picture *picture)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    const int n = picture->view.nmarkers;
    for (int i = 0; i < n && n <= DOTS; i++) {
        const trm_marker_info m = trm_scene_marker_info(picture->scene, i);
        if (!trm_picture_shows_marker(picture->scene, i)) {
            continue;
        }
        const trm_page_point p = trm_picture_project(picture, m.body, m.local, q);
        trm_svg_circle(picture->out, p, fmin(2.6, 0.6 * picture->stroke), "marker");
        if (n <= NAMES) {
            const double d = 1.2 * picture->stroke + 2;
            trm_svg_text(picture->out, (trm_page_point){p.x + d, p.y - d}, m.name, "name");
        }
    }
}

// ---------------------------------------------------------------------------- springs and dampers

typedef struct strut {
    FILE *out;
    trm_page_point a, b;
    double length, r; // px; r: half the width of a part
    double start;     // px, length at the start, which the number of its turns belongs to
} strut;

static trm_page_point at(const strut *s, double along, double aside)
{
    const double ex = (s->b.x - s->a.x) / s->length, ey = (s->b.y - s->a.y) / s->length;
    return (trm_page_point){s->a.x + along * ex + aside * ey, s->a.y + along * ey - aside * ex};
}

static void stroke(const strut *s, double along, double aside, double along2, double aside2)
{
    trm_svg_line(s->out, at(s, along, aside), at(s, along2, aside2), "spring");
}

/// Half turns of equal pitch between two straight ends.
static void draw_coil(const strut *s, double from, double to, double aside)
{
    enum { MOST = 24, FEWEST = 6 };
    const double inset = 0.12 * (to - from), run = to - from - 2 * inset;
    const int wanted = (int)(run * s->start / s->length / (1.3 * s->r));
    const int n = wanted < FEWEST ? FEWEST : wanted > MOST ? MOST : wanted;
    trm_page_point p[MOST + 4];
    int k = 0;
    p[k++] = at(s, from, aside);
    p[k++] = at(s, from + inset, aside);
    for (int i = 0; i < n; i++) {
        p[k++] = at(s, from + inset + run * (i + 0.5) / n, aside + (i % 2 ? -s->r : s->r));
    }
    p[k++] = at(s, to - inset, aside);
    p[k++] = at(s, to, aside);
    trm_svg_polyline(s->out, k, p, 0, "spring");
}

/// A piston on a rod from a in a cylinder, open towards a, on a rod from b.
static void draw_dashpot(const strut *s, double from, double to, double aside)
{
    const double middle = 0.5 * (from + to), half = fmin(2.2 * s->r, 0.25 * (to - from));
    const trm_page_point cylinder[4] = {
        at(s, middle - half, aside + s->r), at(s, middle + half, aside + s->r),
        at(s, middle + half, aside - s->r), at(s, middle - half, aside - s->r)};
    trm_svg_polyline(s->out, 4, cylinder, 0, "spring");
    stroke(s, from, aside, middle, aside);
    stroke(s, middle, aside - 0.75 * s->r, middle, aside + 0.75 * s->r);
    stroke(s, middle + half, aside, to, aside);
}

/// A wall across the end `along`, hatched on the side that `outward` (1 or -1) tells.
static void draw_wall(const strut *s, double along, double outward)
{
    enum { STROKES = 5 };
    const double half = 2.2 * s->r, depth = 0.9 * s->r;
    trm_svg_line(s->out, at(s, along, -half), at(s, along, half), "ground");
    for (int i = 0; i < STROKES; i++) {
        const double aside = half * (2 * (i + 0.5) / STROKES - 1);
        trm_svg_line(s->out, at(s, along, aside),
                     at(s, along + outward * depth, aside - 0.8 * depth), "hatch");
    }
}

static void draw_strut(const trm_picture *picture, const trm_force_view *force)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    const trm_marker_info from = trm_scene_marker_info(picture->scene, force->marker[0]);
    const trm_marker_info to = trm_scene_marker_info(picture->scene, force->marker[1]);
    strut s = {.out = picture->out, .r = 1.3 * picture->stroke};
    s.a = trm_picture_project(picture, from.body, from.local, q);
    s.b = trm_picture_project(picture, to.body, to.local, q);
    s.length = fmax(hypot(s.b.x - s.a.x, s.b.y - s.a.y), 1e-9);
    const double *const q0 = trm_motion_at(picture->motion, 0);
    const trm_page_point a = trm_picture_project(picture, from.body, from.local, q0);
    const trm_page_point b = trm_picture_project(picture, to.body, to.local, q0);
    s.start = fmax(hypot(b.x - a.x, b.y - a.y), 1e-9);
    s.r = fmin(fmax(s.r, 0.03 * s.start), 2 * s.r);
    if (force->stiffness > 0 && force->damping > 0) {
        const double gap = 1.6 * s.r, first = 0.08 * s.length, last = s.length - first;
        stroke(&s, 0, 0, first, 0);
        stroke(&s, first, -gap, first, gap);
        draw_coil(&s, first, last, gap);
        draw_dashpot(&s, first, last, -gap);
        stroke(&s, last, -gap, last, gap);
        stroke(&s, last, 0, s.length, 0);
    } else if (force->damping > 0) {
        draw_dashpot(&s, 0, s.length, 0);
    } else {
        draw_coil(&s, 0, s.length, 0);
    }
    if (from.body == TRM_INDEX_GROUND) {
        draw_wall(&s, 0, -1);
    }
    if (to.body == TRM_INDEX_GROUND) {
        draw_wall(&s, s.length, 1);
    }
}

/// A rope about its pulleys, slack or not.
static void draw_rope(const trm_picture *picture, const trm_force_view *force)
{
    double x[TRM_VIEW_ROPE][3], end[2][3], axis[3];
    trm_page_point p[TRM_VIEW_ROPE];
    const int in_space = force->axle[0] != TRM_INDEX_NONE;
    for (int i = in_space ? -2 : 0; i < force->nmarkers; i++) {
        const trm_marker_info m =
            trm_scene_marker_info(picture->scene, i < 0 ? force->axle[i + 2] : force->markers[i]);
        trm_picture_point(picture, m.body, m.local, trm_motion_at(picture->motion, picture->now),
                          i < 0 ? end[i + 2] : x[i]);
    }
    for (int k = 0; k < 3 && in_space; k++) {
        axis[k] = end[1][k] - end[0][k];
    }
    const int n = trm_view_rope(force, in_space ? axis : NULL, x);
    for (int i = 0; i < n; i++) {
        p[i] = trm_camera_project(&picture->camera, x[i]);
    }
    trm_svg_polyline(picture->out, n, p, 0, "rope");
}

void trm_picture_struts(const trm_picture *picture)
{
    for (int i = 0; i < picture->view.nforces; i++) {
        const trm_force_view force = trm_view_force(picture->scene, i);
        (is_kind(&force, "spring_damper") ? draw_strut : draw_rope)(picture, &force);
    }
}

// ------------------------------------------------------------------------------- forces, torques

/// What the picture asks for forces; none where the model gives no answer.
typedef struct asking {
    const trm_picture *picture;
    trm_query *query;
    double *F; ///< [6*nbody]
} asking;

/// Of force i: in world axes (N) at its first marker and, of a torque, about z (N m) on its first
/// body. Zero where it has no value.
static void force_at_start(const asking *a, int i, double F[3], double *torque)
{
    const trm_picture *const p = a->picture;
    const trm_force_view f = trm_view_force(p->scene, i);
    memset(F, 0, 3 * sizeof *F);
    *torque = 0;
    if (trm_query_force(a->query, i, 0, trm_motion_at(p->motion, 0), p->motion->v, a->F, NULL) !=
        TRM_OK) {
        return;
    }
    for (int side = 1; side >= 0; side--) { // the first body, else from the reaction of the other
        const double sign = side == 0 ? 1 : -1;
        const int pushed = trm_scene_marker_info(p->scene, f.marker[side]).body;
        for (int k = 0; k < 3 && f.marker[side] >= 0 && pushed >= 0; k++) {
            F[k] = sign * a->F[6 * pushed + k];
        }
        *torque = f.body[side] >= 0 ? sign * a->F[6 * f.body[side] + 5] : *torque;
    }
}

static double norm(const double F[3])
{
    return sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
}

/// A filled head at `tip`, pointing along (ex, ey).
static void draw_head(const trm_picture *picture, trm_page_point tip, double ex, double ey)
{
    const double l = 9, w = 3.6;
    const trm_page_point head[3] = {
        tip,
        {tip.x - l * ex - w * ey, tip.y - l * ey + w * ex},
        {tip.x - l * ex + w * ey, tip.y - l * ey - w * ex},
    };
    trm_svg_polyline(picture->out, 3, head, 1, "force-head");
}

/// `length`: px of a force along the page.
static void draw_arrow(const trm_picture *picture, int at, const double F[3], double sign,
                       double length)
{
    const double *const q = trm_motion_at(picture->motion, 0);
    double x[3], y[3];
    const trm_marker_info marker = trm_scene_marker_info(picture->scene, at);
    trm_picture_point(picture, marker.body, marker.local, q, x);
    for (int k = 0; k < 3; k++) {
        y[k] = x[k] + sign * length / picture->camera.scale * F[k] / norm(F);
    }
    const trm_page_point a = trm_camera_project(&picture->camera, x);
    const trm_page_point b = trm_camera_project(&picture->camera, y);
    const double seen = hypot(b.x - a.x, b.y - a.y);
    if (seen > 10) {
        const double ex = (b.x - a.x) / seen, ey = (b.y - a.y) / seen;
        trm_svg_line(picture->out, a, (trm_page_point){b.x - 7 * ex, b.y - 7 * ey}, "force");
        draw_head(picture, b, ex, ey);
    }
}

/// Plane: three quarters of a circle about the body's centre of mass, with a head.
static void draw_torque(const trm_picture *picture, int body, double torque)
{
    enum { POINTS = 25 };
    static const double center[3] = {0, 0, 0};
    const double r = 3.4 * picture->stroke, turn = torque > 0 ? 1 : -1;
    const trm_page_point o =
        trm_picture_project(picture, body, center, trm_motion_at(picture->motion, 0));
    trm_page_point p[POINTS];
    double angle = 0;
    for (int i = 0; i < POINTS; i++) {
        angle = turn * (-0.25 + 1.5 * i / (POINTS - 1)) * pi;
        p[i] = (trm_page_point){o.x + r * cos(angle), o.y - r * sin(angle)};
    }
    trm_svg_polyline(picture->out, POINTS, p, 0, "force");
    const double ex = -turn * sin(angle), ey = -turn * cos(angle);
    draw_head(picture, (trm_page_point){p[POINTS - 1].x + 6 * ex, p[POINTS - 1].y + 6 * ey}, ex,
              ey);
}

static void draw_force(const asking *a, int i, double largest)
{
    const trm_picture *const p = a->picture;
    const trm_force_view f = trm_view_force(p->scene, i);
    double F[3], torque;
    force_at_start(a, i, F, &torque);
    const double length = largest > 0 ? 18 + 42 * norm(F) / largest : 0;
    for (int k = 0; k < 2; k++) {
        if (is_kind(&f, "force") && norm(F) > 0 && f.marker[k] >= 0) {
            draw_arrow(p, f.marker[k], F, k == 0 ? 1 : -1, length);
        }
        if (is_kind(&f, "torque") && p->view.dimension == 2 && torque != 0 && f.body[k] >= 0) {
            draw_torque(p, f.body[k], k == 0 ? torque : -torque);
        }
    }
}

void trm_picture_forces(const trm_picture *picture)
{
    const int n = picture->view.nforces;
    if (picture->animated || picture->now != 0 || n == 0) { // they are known at the start
        return;
    }
    asking a = {.picture = picture,
                .F = calloc(6 * (size_t)picture->view.nbodies + 1, sizeof(double))};
    if (a.F != NULL && trm_query_create(picture->model, &a.query, NULL) == TRM_OK) {
        double F[3], torque, largest = 0;
        for (int i = 0; i < n; i++) {
            const trm_force_view f = trm_view_force(picture->scene, i);
            force_at_start(&a, i, F, &torque);
            largest = is_kind(&f, "force") ? fmax(largest, norm(F)) : largest;
        }
        for (int i = 0; i < n; i++) {
            draw_force(&a, i, largest);
        }
    }
    trm_query_destroy(a.query);
    free(a.F);
}
