#include "tools/drawing/lines/lines.h"

#include "program/view.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE = 193, CIRCLE = 48 };

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---------------------------------------------------------------------------------------- geometry

void trm_place_of(const trm_model *model, int body, const double local[3], const double *q,
                  double x[3])
{
    if (body < 0) {
        memcpy(x, local, 3 * sizeof *x);
    } else {
        trm_model_point(model, body, local, q, NULL, x, NULL);
    }
}

/// World vector along unit axis k of the body. A body of a planar model takes no notice of z.
static void axis_of(const trm_model *model, int body, int k, const double *q, double out[3])
{
    static const double zero[3] = {0, 0, 0};
    const double unit[3] = {k == 0, k == 1, k == 2};
    double o[3], x[3];
    trm_place_of(model, body, zero, q, o);
    trm_place_of(model, body, unit, q, x);
    for (int i = 0; i < 3; i++) {
        out[i] = x[i] - o[i];
    }
    if (k == 2 && dot(out, out) == 0) {
        out[2] = 1;
    }
}

void trm_direction_in(const trm_model *model, int body, const double *q, const double world[3],
                      double out[3])
{
    double e[3];
    for (int k = 0; k < 3; k++) {
        axis_of(model, body, k, q, e);
        out[k] = dot(e, world);
    }
}

void trm_complete_frame(const double axis[3], double u[3], double v[3])
{
    const int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    const double e[3] = {least == 0, least == 1, 0};
    double length = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = e[k] - axis[least] * axis[k];
        length += u[k] * u[k];
    }
    for (int k = 0; k < 3; k++) {
        u[k] /= sqrt(length);
    }
    v[0] = axis[1] * u[2] - axis[2] * u[1];
    v[1] = axis[2] * u[0] - axis[0] * u[2];
    v[2] = axis[0] * u[1] - axis[1] * u[0];
}

/// World direction of a direction that is fixed in a body.
static void direction_of(const trm_model *model, int body, const double local[3], const double *q,
                         double out[3])
{
    double e[3];
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        axis_of(model, body, k, q, e);
        for (int i = 0; i < 3; i++) {
            out[i] += local[k] * e[i];
        }
    }
}

/// A strand touches both rims: n_k = c d + s side (axis x d), c = (r_0 - r_1)/|d|, from the centre
/// to where it touches.
void trm_link_ends(const trm_model *model, const trm_link *link, const double *q,
                   double world[2][3])
{
    for (int k = 0; k < 2; k++) {
        trm_place_of(model, link->body[k], link->local[k], q, world[k]);
    }
    if (link->kind != TRM_LINK_STRAND) {
        return;
    }
    double a[3], d[3], e[3], along = 0;
    direction_of(model, link->body[0], link->axis, q, a);
    for (int k = 0; k < 3; k++) {
        along += (world[1][k] - world[0][k]) * a[k];
    }
    for (int k = 0; k < 3; k++) {
        d[k] = world[1][k] - world[0][k] - along * a[k];
    }
    const double length = fmax(sqrt(dot(d, d)), 1e-300);
    const double c = (link->radius[0] - link->radius[1]) / length;
    const double s = link->side * sqrt(fmax(0, 1 - c * c));
    e[0] = a[1] * d[2] - a[2] * d[1];
    e[1] = a[2] * d[0] - a[0] * d[2];
    e[2] = a[0] * d[1] - a[1] * d[0];
    for (int k = 0; k < 3; k++) {
        const double n = (c * d[k] + s * e[k]) / length;
        world[0][k] += link->radius[0] * n;
        world[1][k] += link->radius[1] * n;
    }
}

// ------------------------------------------------------------------------------------- the lists

trm_line *trm_add_line(trm_line_maker *maker, trm_line_kind kind, const char *name, int body, int n)
{
    trm_lines *const l = maker->out;
    if (l->n == l->room) {
        const int room = 2 * l->room + 16;
        trm_line *const grown = realloc(l->line, (size_t)room * sizeof *grown);
        maker->failed |= grown == NULL;
        if (grown == NULL) {
            return NULL;
        }
        l->line = grown;
        l->room = room;
    }
    trm_line *const line = &l->line[l->n];
    *line = (trm_line){.kind = kind, .name = name, .body = body, .n = n};
    line->point = calloc((size_t)n + 1, sizeof *line->point);
    maker->failed |= line->point == NULL;
    l->n += line->point != NULL;
    return line->point != NULL ? line : NULL;
}

static void add_link(trm_line_maker *maker, const trm_link *link)
{
    trm_lines *const l = maker->out;
    if (l->nlinks == l->link_room) {
        const int room = 2 * l->link_room + 16;
        trm_link *const grown = realloc(l->link, (size_t)room * sizeof *grown);
        maker->failed |= grown == NULL;
        if (grown == NULL) {
            return;
        }
        l->link = grown;
        l->link_room = room;
    }
    l->link[l->nlinks++] = *link;
}

void trm_lines_destroy(trm_lines *lines)
{
    for (int i = 0; i < lines->n; i++) {
        free(lines->line[i].point);
    }
    free(lines->line);
    free(lines->link);
    *lines = (trm_lines){0};
}

// ------------------------------------------------------------------------------- curves and wheels

static void add_curve(trm_line_maker *maker, int constraint, const char *name)
{
    double place[CURVE][3];
    int body, closed;
    const int n = trm_view_curve(maker->scene, constraint, CURVE, place[0], &body, &closed);
    trm_line *const line = n > 0 ? trm_add_line(maker, TRM_LINE_WIRE, name, body, n) : NULL;
    if (line != NULL) {
        memcpy(line->point, place, (size_t)n * sizeof *place);
        line->closed = closed;
    }
}

/// Two gears on one wheel have one pitch circle.
static int is_there(const trm_line_maker *maker, trm_line_kind kind, int body,
                    const double centre[3], const double u[3], const double v[3])
{
    for (int i = 0; i < maker->out->n; i++) {
        const trm_line *const l = &maker->out->line[i];
        double gap = 0;
        for (int k = 0; k < 3 && l->n == CIRCLE + 2; k++) {
            gap = fmax(gap, fabs(l->point[0][k] - centre[k] - u[k]));
            gap = fmax(gap, fabs(l->point[CIRCLE / 4][k] - centre[k] - v[k]));
            gap = fmax(gap, fabs(l->point[CIRCLE + 1][k] - centre[k]));
        }
        if (l->kind == kind && l->body == body && l->n == CIRCLE + 2 && gap < 1e-9 * maker->size) {
            return 1;
        }
    }
    return 0;
}

/// An ellipse about `centre` with half axes u and v (m), and the spoke to where it begins.
static void add_ring(trm_line_maker *maker, trm_line_kind kind, const char *name, int body,
                     const double centre[3], const double u[3], const double v[3])
{
    const int spoke = kind == TRM_LINE_WHEEL;
    if (spoke && is_there(maker, kind, body, centre, u, v)) {
        return;
    }
    trm_line *const line = trm_add_line(maker, kind, name, body, CIRCLE + 1 + spoke);
    for (int i = 0; line != NULL && i <= CIRCLE; i++) {
        const double angle = 2 * acos(-1) * i / CIRCLE;
        for (int k = 0; k < 3; k++) {
            line->point[i][k] = centre[k] + cos(angle) * u[k] + sin(angle) * v[k];
        }
    }
    if (line != NULL && spoke) {
        memcpy(line->point[CIRCLE + 1], centre, 3 * sizeof *centre);
    }
}

/// The axis in the frame of the body.
static void add_wheel(trm_line_maker *maker, const char *name, int body, const double centre[3],
                      const double axis[3], double r)
{
    double u[3], v[3];
    trm_complete_frame(axis, u, v);
    for (int k = 0; k < 3; k++) {
        u[k] *= r;
        v[k] *= r;
    }
    add_ring(maker, TRM_LINE_WHEEL, name, body, centre, u, v);
}

/// Three sections of a ball or an ellipsoid.
static void add_ball(trm_line_maker *maker, trm_line_kind kind, const char *name, int body,
                     const double centre[3], const double semi_axes[3])
{
    const int planar = trm_scene_get_info(maker->scene).dimension == 2;
    for (int k = 0; k < (planar ? 1 : 3); k++) {
        const int i = planar ? 0 : (k + 1) % 3, j = planar ? 1 : (k + 2) % 3;
        double u[3] = {0, 0, 0}, v[3] = {0, 0, 0};
        u[i] = semi_axes[i];
        v[j] = semi_axes[j];
        add_ring(maker, kind, name, body, centre, u, v);
    }
}

static void add_strands(trm_line_maker *maker, const trm_constraint_view *def, trm_link *link)
{
    link->kind = TRM_LINK_STRAND;
    link->name = def->name;
    link->radius[1] *= def->strand;
    for (int side = -1; side <= 1; side += 2) {
        link->side = side;
        add_link(maker, link);
    }
}

/// The wheel of a joint is the body that the other joint does not have.
static void add_gears(trm_line_maker *maker, const trm_constraint_view *def)
{
    static const double z[3] = {0, 0, 1};
    trm_link link = {0};
    for (int k = 0; k < 2; k++) {
        const trm_joint_view own = trm_view_joint(maker->scene, def->joint[k]);
        const trm_joint_view other = trm_view_joint(maker->scene, def->joint[1 - k]);
        const int first_is_carrier = own.body[0] == other.body[0] || own.body[0] == other.body[1];
        const int body = own.body[first_is_carrier];
        double axis[3];
        trm_direction_in(maker->model, body, maker->q0, own.axis_given ? own.axis : z, axis);
        link.body[k] = body;
        link.radius[k] = def->radius[k];
        memcpy(link.local[k], own.local[first_is_carrier], sizeof link.local[k]);
        if (k == 0) {
            memcpy(link.axis, axis, sizeof axis);
        }
        if (def->radius[k] != 0) {
            add_wheel(maker, def->name, body, link.local[k], axis, fabs(def->radius[k]));
        }
    }
    if (def->strand != 0) {
        add_strands(maker, def, &link);
    }
}

// -------------------------------------------------------------------------- what lies or stands
// there

/// A face through a point of a body, unless the same is there already.
static void add_face(trm_line_maker *maker, const char *name, int body, const double at[3],
                     const double normal[3])
{
    for (int i = 0; i < maker->out->n; i++) {
        const trm_line *const l = &maker->out->line[i];
        const double d[3] = {at[0] - l->point[0][0], at[1] - l->point[0][1],
                             at[2] - l->point[0][2]};
        if (l->kind == TRM_LINE_FACE && l->body == body && dot(l->normal, normal) > 1 - 1e-12 &&
            fabs(dot(d, normal)) < 1e-9 * maker->size) {
            return;
        }
    }
    trm_line *const line = trm_add_line(maker, TRM_LINE_FACE, name, body, 1);
    if (line != NULL) {
        memcpy(line->point[0], at, 3 * sizeof *at);
        memcpy(line->normal, normal, 3 * sizeof *normal);
    }
}

/// A body with a shape shows itself how it rolls.
static int is_bare(const trm_scene *scene, int body)
{
    const trm_shape_kind kind = body < 0 ? TRM_SHAPE_NONE : trm_view_body(scene, body).shape.kind;
    return kind == TRM_SHAPE_NONE || kind == TRM_SHAPE_POINT;
}

static void add_blade(trm_line_maker *maker, const trm_constraint_view *def)
{
    const trm_marker_info at = trm_scene_marker_info(maker->scene, def->marker[0]);
    const trm_scene_view view = trm_view_scene(maker->scene);
    const double *const g = view.gravity;
    const double vertical[3] = {-g[0], -g[1], -g[2]}, z[3] = {0, 0, 1};
    const double *const up = view.dimension == 3 && dot(g, g) > 0 ? vertical : z;
    double along[3] = {def->normal[1] * up[2] - def->normal[2] * up[1],
                       def->normal[2] * up[0] - def->normal[0] * up[2],
                       def->normal[0] * up[1] - def->normal[1] * up[0]};
    const double length = sqrt(dot(along, along));
    trm_line *const line =
        length > 0 ? trm_add_line(maker, TRM_LINE_BLADE, def->name, at.body, 2) : NULL;
    if (line != NULL) {
        double local[3];
        trm_direction_in(maker->model, at.body, maker->q0, along, local);
        for (int k = 0; k < 3; k++) {
            line->point[0][k] = at.local[k] - 0.05 * maker->size * local[k] / length;
            line->point[1][k] = at.local[k] + 0.05 * maker->size * local[k] / length;
        }
    }
}

static void add_rolling(trm_line_maker *maker, const trm_constraint_view *def)
{
    const trm_marker_info own = trm_scene_marker_info(maker->scene, def->marker[0]);
    const trm_marker_info other = trm_scene_marker_info(maker->scene, def->marker[1]);
    const double R = fabs(def->radius[1]),
                 pair[3] = {def->radius[0], def->radius[0], def->radius[0]};
    const double base[3] = {R, R, R};
    double direction[3];
    if (R > 0) {
        add_ball(maker, TRM_LINE_WHEEL, def->name, own.body, own.local, pair);
        add_ball(maker, other.body < 0 ? TRM_LINE_WIRE : TRM_LINE_WHEEL, def->name, other.body,
                 other.local, base);
        return;
    }
    trm_direction_in(maker->model, other.body, maker->q0, def->normal, direction);
    add_face(maker, def->name, other.body, other.local, direction);
    if (is_bare(maker->scene, own.body) && dot(def->axis, def->axis) > 0) {
        trm_direction_in(maker->model, own.body, maker->q0, def->axis, direction);
        add_wheel(maker, def->name, own.body, own.local, direction, def->semi_axes[0]);
    } else if (is_bare(maker->scene, own.body)) {
        add_ball(maker, TRM_LINE_WHEEL, def->name, own.body, own.local, def->semi_axes);
    }
}

static void add_constraint(trm_line_maker *maker, int constraint)
{
    const trm_constraint_view def = trm_view_constraint(maker->scene, constraint);
    add_curve(maker, constraint, def.name);
    if (def.joint[0] >= 0) {
        add_gears(maker, &def);
    } else if (def.marker[1] >= 0) {
        add_rolling(maker, &def);
    } else if (def.marker[0] >= 0) {
        add_blade(maker, &def);
    }
}

// ------------------------------------------------------------------------------------------- stops

/// Two points keep a distance: a circle about one of them, of the radius of both. Other formulas:
/// a link of the points that they have, or the body.
static void add_formula(trm_line_maker *maker, const trm_contact_view *c)
{
    trm_link link = {.kind = TRM_LINK_STOP, .name = c->name, .body = {c->body, c->body}};
    for (int k = 0; k < 2; k++) {
        const int marker = c->between[k] != TRM_INDEX_NONE ? c->between[k] : c->between[0];
        if (marker != TRM_INDEX_NONE) {
            const trm_marker_info at = trm_scene_marker_info(maker->scene, marker);
            link.body[k] = at.body;
            memcpy(link.local[k], at.local, sizeof link.local[k]);
        }
    }
    if (c->apart > 0 && c->between[1] != TRM_INDEX_NONE) {
        const double r[3] = {c->apart, c->apart, c->apart};
        add_ball(maker, TRM_LINE_KEEP, c->name, link.body[1], link.local[1], r);
    } else {
        add_link(maker, &link);
    }
}

/// Ground of a given height, four times as far as the mechanism to each side, for it goes: a line,
/// in space a net.
static void add_terrain(trm_line_maker *maker, int contact, const trm_contact_view *c)
{
    enum { POINTS = 120, NET = 9, WIDE = 4 };
    const int space = trm_scene_get_info(maker->scene).dimension == 3;
    for (int k = 0; k < (space ? 2 * NET : 1); k++) {
        trm_line *const line = trm_add_line(maker, TRM_LINE_WIRE, c->name, c->on, POINTS);
        for (int i = 0; line != NULL && i < POINTS; i++) {
            const double along = WIDE * maker->size * (2.0 * i / (POINTS - 1) - 1);
            const double across =
                space ? WIDE * maker->size * (2.0 * (k % NET) / (NET - 1) - 1) : 0;
            const double x = k < NET ? along : across, y = k < NET ? across : along;
            const double h = trm_view_height(maker->scene, contact, x, y);
            line->point[i][0] = c->at[0] + x;
            line->point[i][1] = c->at[1] + (space ? y : h);
            line->point[i][2] = space ? c->at[2] + h : 0;
        }
    }
}

static int is_rope(const trm_scene *scene, const char *name)
{
    int is = 0;
    for (int i = 0; i < trm_view_scene(scene).nforces; i++) {
        const trm_force_view force = trm_view_force(scene, i);
        is |= force.nmarkers > 0 && strcmp(force.name, name) == 0;
    }
    return is;
}

static void add_pulleys(trm_line_maker *maker, const trm_force_view *force)
{
    double end[2][3], along[3] = {0, 0, 1};
    for (int i = 0; i < 2 && force->axle[0] >= 0; i++) {
        const trm_marker_info at = trm_scene_marker_info(maker->scene, force->axle[i]);
        trm_place_of(maker->model, at.body, at.local, maker->q0, end[i]);
    }
    for (int k = 0; k < 3 && force->axle[0] >= 0; k++) {
        along[k] = end[1][k] - end[0][k];
    }
    for (int k = 0; force->pulleys != NULL && k < force->nmarkers; k++) {
        const trm_marker_info at = trm_scene_marker_info(maker->scene, force->markers[k]);
        if (force->pulleys[k] != 0) {
            double axis[3];
            trm_direction_in(maker->model, at.body, maker->q0, along, axis);
            add_wheel(maker, force->name, at.body, at.local, axis, fabs(force->pulleys[k]));
        }
    }
}

static void add_contact(trm_line_maker *maker, int contact)
{
    const trm_contact_view c = trm_view_contact(maker->scene, contact);
    if (!isfinite(c.lo) && !isfinite(c.hi)) {
        return; // friction alone
    }
    if (c.joint != TRM_INDEX_NONE) {
        trm_add_limits(maker, &c);
    } else if (c.face == TRM_FACE_PLANE) {
        add_face(maker, c.name, c.on, c.at, c.normal);
    } else if (c.face == TRM_FACE_BOWL) {
        const double r[3] = {c.radius, c.radius, c.radius};
        add_ball(maker, TRM_LINE_WIRE, c.name, c.on, c.at, r);
    } else if (c.face == TRM_FACE_TERRAIN) {
        add_terrain(maker, contact, &c);
    } else if (!is_rope(maker->scene, c.name)) {
        add_formula(maker, &c);
    }
}

// --------------------------------------------------------------------------------------------- all

/// m, the diameter of the box around the bodies and joints in the initial pose.
static double size_of(const trm_line_maker *maker, const trm_figure *figure)
{
    const trm_scene_view view = trm_view_scene(maker->scene);
    double low[3] = {INFINITY, INFINITY, INFINITY}, square = 0, x[3];
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < view.nbodies; b++) {
        for (int i = 0; i < figure[b].n; i++) {
            trm_place_of(maker->model, b, figure[b].point[i], maker->q0, x);
            for (int k = 0; k < view.dimension; k++) {
                low[k] = fmin(low[k], x[k] - figure[b].radius);
                high[k] = fmax(high[k], x[k] + figure[b].radius);
            }
        }
    }
    for (int j = 0; j < view.njoints; j++) {
        const trm_joint_view joint = trm_view_joint(maker->scene, j);
        trm_place_of(maker->model, joint.body[0], joint.local[0], maker->q0, x);
        for (int k = 0; k < view.dimension; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    for (int k = 0; k < view.dimension; k++) {
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    return square > 0 && isfinite(square) ? sqrt(square) : 1;
}

trm_status trm_lines_of(const trm_scene *scene, const trm_model *model, const trm_figure *figure,
                        trm_lines *out, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(model);
    const trm_scene_view view = trm_view_scene(scene);
    double *const q0 = calloc((size_t)(n.nq + n.nv) + 1, sizeof *q0);
    trm_line_maker maker = {
        .scene = scene, .model = model, .q0 = q0, .out = out, .failed = q0 == NULL};
    *out = (trm_lines){0};
    if (q0 != NULL) {
        trm_model_initial_state(model, q0, q0 + n.nq);
        maker.size = size_of(&maker, figure);
    }
    for (int i = 0; i < view.nconstraints && !maker.failed; i++) {
        add_constraint(&maker, i);
    }
    for (int i = 0; i < view.ncontacts && !maker.failed; i++) {
        add_contact(&maker, i);
    }
    for (int i = 0; i < view.nforces && !maker.failed; i++) {
        const trm_force_view force = trm_view_force(scene, i);
        add_pulleys(&maker, &force);
    }
    free(q0);
    return maker.failed ? TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory") : TRM_OK;
}
