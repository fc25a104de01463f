/// Springs, dampers, applied forces as arrows at t = 0, and markers.
///
/// A spring_damper runs from a to b; its parts are laid out by (along, aside): px from a towards b,
/// and px to the left of that direction. A spring and a damper in parallel share end bars.
#include "bodies/forces/force.h"
#include "tools/view/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOTS = 60, NAMES = 12 }; // markers with a dot, and with a name, at most

static const double pi = 3.14159265358979323846;

static int is_kind(const trm_scene_force *force, const char *name)
{
    return strcmp(force->kind->name, name) == 0;
}

// --------------------------------------------------------------------------------------- markers

static int formula_uses(const trm_formula *formula, int marker)
{
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable *const x = &formula->variables[i];
        if ((x->kind == TRM_VARIABLE_POSITION || x->kind == TRM_VARIABLE_VELOCITY) &&
            x->index == marker) {
            return 1;
        }
    }
    return 0;
}

int trm_picture_shows_marker(const trm_scene *scene, int marker)
{
    int used = scene->markers[marker].body != TRM_GROUND;
    for (int i = 0; i < scene->nforces && !used; i++) {
        const trm_scene_force *const f = &scene->forces[i];
        used = f->marker[0] == marker || f->marker[1] == marker;
        for (int k = 0; k < 3 && !used; k++) {
            used = formula_uses(&f->value[k], marker);
        }
    }
    for (int i = 0; i < scene->nconstraints && !used; i++) {
        for (int r = 0; r < scene->constraints[i].nrows && !used; r++) {
            used = formula_uses(&scene->constraints[i].expression[r], marker);
        }
    }
    return used;
}

void trm_picture_markers(const trm_picture *picture)
{
    const trm_scene *const s = picture->scene;
    const double *const q = trm_motion_at(picture->motion, picture->now);
    for (int i = 0; i < s->nmarkers && s->nmarkers <= DOTS; i++) {
        const trm_scene_marker *const m = &s->markers[i];
        if (!trm_picture_shows_marker(s, i)) {
            continue;
        }
        const trm_page_point p = trm_picture_project(picture, m->body, m->local, q);
        trm_svg_circle(picture->out, p, fmin(2.6, 0.6 * picture->stroke), "marker");
        if (s->nmarkers <= NAMES) {
            const double d = 1.2 * picture->stroke + 2;
            trm_svg_text(picture->out, (trm_page_point){p.x + d, p.y - d}, m->name, "name");
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

static void draw_strut(const trm_picture *picture, const trm_scene_force *force)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    const trm_scene_marker *const m = picture->scene->markers;
    const trm_scene_marker *const from = &m[force->marker[0]], *const to = &m[force->marker[1]];
    strut s = {.out = picture->out, .r = 1.3 * picture->stroke};
    s.a = trm_picture_project(picture, from->body, from->local, q);
    s.b = trm_picture_project(picture, to->body, to->local, q);
    s.length = fmax(hypot(s.b.x - s.a.x, s.b.y - s.a.y), 1e-9);
    const double *const q0 = trm_motion_at(picture->motion, 0);
    const trm_page_point a = trm_picture_project(picture, from->body, from->local, q0);
    const trm_page_point b = trm_picture_project(picture, to->body, to->local, q0);
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
    if (from->body == TRM_GROUND) {
        draw_wall(&s, 0, -1);
    }
    if (to->body == TRM_GROUND) {
        draw_wall(&s, s.length, 1);
    }
}

void trm_picture_struts(const trm_picture *picture)
{
    const trm_scene *const s = picture->scene;
    for (int i = 0; i < s->nforces; i++) {
        if (is_kind(&s->forces[i], "spring_damper")) {
            draw_strut(picture, &s->forces[i]);
        }
    }
}

// ------------------------------------------------------------------------------- forces, torques

/// World direction of the body's axis k at the start.
static void body_axis(const trm_picture *picture, int body, int k, double out[3])
{
    static const double zero[3] = {0, 0, 0};
    const double *const q = trm_motion_at(picture->motion, 0);
    double unit[3] = {0, 0, 0}, origin[3];
    unit[k] = 1;
    trm_picture_point(picture, body, zero, q, origin);
    trm_picture_point(picture, body, unit, q, out);
    for (int i = 0; i < 3; i++) {
        out[i] -= origin[i];
    }
}

/// Angular velocity of a body at the start, in the world; zero of the ground.
static void turning_at_start(const trm_picture *picture, int body, double out[3])
{
    const trm_body_info info =
        body < 0 ? (trm_body_info){0} : trm_model_body_info(picture->model, body);
    const double *const v = picture->motion->v + info.v0;
    const int planar = picture->scene->dimension == 2;
    memset(out, 0, 3 * sizeof *out);
    for (int k = planar ? 2 : 0; body >= 0 && k < 3; k++) {
        double axis[3] = {0, 0, 1};
        if (!planar) {
            body_axis(picture, body, k, axis);
        }
        for (int i = 0; i < 3; i++) {
            out[i] += v[planar ? 2 : 3 + k] * axis[i];
        }
    }
}

/// Velocity of the joint's point on one of its bodies; zero of the ground.
static void speed_at_start(const trm_picture *picture, const trm_scene_joint *joint, int side,
                           double place[3], double speed[3])
{
    memset(speed, 0, 3 * sizeof *speed);
    memcpy(place, joint->local[side], 3 * sizeof *place);
    if (joint->body[side] != TRM_GROUND) {
        trm_model_point(picture->model, joint->body[side], joint->local[side],
                        trm_motion_at(picture->motion, 0), picture->motion->v, place, speed);
    }
}

/// Coordinate or rate of a closed joint at the start, where an angle is 0.
static double joint_at_start(const trm_picture *picture, const trm_variable *x)
{
    const trm_scene_joint *const joint = &picture->scene->joints[x->index];
    const int turns = !strcmp(trm_model_joint_info(picture->model, x->index).unit, "rad");
    const int planar = picture->scene->dimension == 2;
    double axis[3] = {0, 0, 1}, place[2][3], speed[2][3], sum = 0;
    if (!turns || !planar) {
        memcpy(axis, joint->axis, sizeof axis);
    }
    for (int side = 0; side < 2; side++) {
        speed_at_start(picture, joint, side, place[side], speed[side]);
        if (turns) {
            turning_at_start(picture, joint->body[side], speed[side]);
        }
    }
    for (int i = 0; i < 3; i++) {
        sum += axis[i] * (x->kind == TRM_VARIABLE_JOINT_RATE ? speed[1][i] - speed[0][i]
                          : turns                            ? 0
                                                             : place[1][i] - place[0][i]);
    }
    return sum;
}

static double variable_at_start(const trm_picture *picture, const trm_variable *x)
{
    const trm_scene *const s = picture->scene;
    const double *const q = trm_motion_at(picture->motion, 0), *const v = picture->motion->v;
    double place[3] = {0}, speed[3] = {0};
    if (x->kind == TRM_VARIABLE_POSITION || x->kind == TRM_VARIABLE_VELOCITY) {
        const trm_scene_marker *const m = &s->markers[x->index];
        if (m->body == TRM_GROUND) {
            return x->kind == TRM_VARIABLE_POSITION ? m->local[x->axis] : 0;
        }
        trm_model_point(picture->model, m->body, m->local, q, v, place, speed);
        return x->kind == TRM_VARIABLE_POSITION ? place[x->axis] : speed[x->axis];
    }
    if (x->kind == TRM_VARIABLE_TIME) {
        return 0;
    }
    if (x->kind == TRM_VARIABLE_INPUT) {
        return trm_model_input_info(picture->model, x->index).value;
    }
    if (x->kind == TRM_VARIABLE_JOINT || x->kind == TRM_VARIABLE_JOINT_RATE) {
        return joint_at_start(picture, x);
    }
    if (x->kind == TRM_VARIABLE_GUIDE) {
        return NAN; // place on a curve: no arrow
    }
    const trm_body_info info = trm_model_body_info(picture->model, x->index);
    switch (x->kind) {
    case TRM_VARIABLE_ANGLE:
        return q[info.q0 + 2];
    case TRM_VARIABLE_RATE:
        return v[info.v0 + (s->dimension == 2 ? 2 : 3 + x->axis)];
    default: // entry [axis][axis2] of the rotation
        body_axis(picture, x->index, x->axis2, place);
        return place[x->axis];
    }
}

/// 0 when it has no value, or no memory is left: then no arrow is drawn.
static double formula_at_start(const trm_picture *picture, const trm_formula *formula)
{
    if (formula->text == NULL || formula->code == NULL) {
        return 0;
    }
    const size_t workspace = (size_t)trm_expression_workspace(formula->code);
    double *const memory = calloc((size_t)formula->nvariables + workspace + 1, sizeof *memory);
    if (memory == NULL) {
        return 0;
    }
    for (int i = 0; i < formula->nvariables; i++) {
        memory[i] = variable_at_start(picture, &formula->variables[i]);
    }
    const double value = trm_expression_value(formula->code, memory, memory + formula->nvariables);
    free(memory);
    return isfinite(value) ? value : 0;
}

/// The force in world axes (N).
static void force_at_start(const trm_picture *picture, const trm_scene_force *force, double F[3])
{
    const int d = picture->scene->dimension;
    const int body = picture->scene->markers[force->marker[0]].body;
    memset(F, 0, 3 * sizeof *F);
    for (int k = 0; k < d && k < 3; k++) {
        const double value = formula_at_start(picture, &force->value[k]);
        double axis[3] = {k == 0, k == 1, k == 2};
        if (force->axes == 1 && body != TRM_GROUND) {
            body_axis(picture, body, k, axis);
        }
        for (int i = 0; i < 3; i++) {
            F[i] += value * axis[i];
        }
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
static void draw_arrow(const trm_picture *picture, const trm_scene_marker *marker,
                       const double F[3], double sign, double length)
{
    const double *const q = trm_motion_at(picture->motion, 0);
    double x[3], y[3];
    trm_picture_point(picture, marker->body, marker->local, q, x);
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

void trm_picture_forces(const trm_picture *picture)
{
    const trm_scene *const s = picture->scene;
    double F[3], largest = 0;
    if (picture->animated || picture->now != 0) { // they are known at the start
        return;
    }
    for (int i = 0; i < s->nforces; i++) {
        if (is_kind(&s->forces[i], "force")) {
            force_at_start(picture, &s->forces[i], F);
            largest = fmax(largest, norm(F));
        }
    }
    for (int i = 0; i < s->nforces; i++) {
        const trm_scene_force *const f = &s->forces[i];
        if (is_kind(f, "force")) {
            force_at_start(picture, f, F);
            const double length = largest > 0 ? 18 + 42 * norm(F) / largest : 0;
            for (int k = 0; k < 2 && norm(F) > 0; k++) {
                if (f->marker[k] >= 0) {
                    draw_arrow(picture, &s->markers[f->marker[k]], F, k == 0 ? 1 : -1, length);
                }
            }
        } else if (is_kind(f, "torque") && s->dimension == 2) {
            const double torque = formula_at_start(picture, &f->value[0]);
            for (int k = 0; k < 2 && torque != 0; k++) {
                if (f->body[k] >= 0) {
                    draw_torque(picture, f->body[k], k == 0 ? torque : -torque);
                }
            }
        }
    }
}
