#include "tools/drawing/figure.h"
#include "trammel/trammel_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { RIM = 32 }; // points of a circle

static void add_point(trm_figure *f, double x, double y, double z)
{
    if (f->n < TRM_FIGURE_POINTS) {
        f->point[f->n][0] = x;
        f->point[f->n][1] = y;
        f->point[f->n][2] = z;
        f->n++;
    }
}

static void add_edge(trm_figure *f, int a, int b)
{
    f->edge[f->nedges][0] = a;
    f->edge[f->nedges][1] = b;
    f->nedges++;
}

// --------------------------------------------------------------------------- bodies with a shape

static void bar(trm_figure *f, const trm_shape *shape)
{
    f->kind = TRM_FIGURE_BAR;
    f->radius = shape->size[1];
    add_point(f, -shape->size[0] / 2, 0, 0);
    add_point(f, shape->size[0] / 2, 0, 0);
}

/// A spoke shows how it turns.
static void ball(trm_figure *f, double radius)
{
    f->kind = TRM_FIGURE_BALL;
    f->radius = radius;
    add_point(f, 0, 0, 0);
    if (radius > 0) {
        add_point(f, radius, 0, 0);
        add_edge(f, 0, 1);
    }
}

static void planar_box(trm_figure *f, const double size[3])
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    f->kind = TRM_FIGURE_SOLID;
    for (int i = 0; i < 4; i++) {
        add_point(f, corner[i][0] * size[0] / 2, corner[i][1] * size[1] / 2, 0);
    }
}

/// Corner i has the sign of bit k along axis k; corners that differ in one bit share an edge.
static void box(trm_figure *f, const double size[3])
{
    f->kind = TRM_FIGURE_SOLID;
    for (int i = 0; i < 8; i++) {
        add_point(f, (i & 1 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1],
                  (i & 4 ? 0.5 : -0.5) * size[2]);
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            if (!(i & 1 << k)) {
                add_edge(f, i, i | 1 << k);
            }
        }
    }
}

static void cylinder(trm_figure *f, double radius, double length, int axis)
{
    f->kind = TRM_FIGURE_SOLID;
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < RIM; i++) {
            double x[3];
            x[axis] = (end - 0.5) * length;
            x[(axis + 1) % 3] = radius * cos(2 * pi * i / RIM);
            x[(axis + 2) % 3] = radius * sin(2 * pi * i / RIM);
            add_point(f, x[0], x[1], x[2]);
            add_edge(f, end * RIM + i, end * RIM + (i + 1) % RIM);
        }
    }
}

// ------------------------------------------------------------------------ bodies without a shape

static void hold(trm_figure *f, const double local[3])
{
    for (int i = 0; i < f->n; i++) {
        const double *const p = f->point[i];
        if (fabs(p[0] - local[0]) + fabs(p[1] - local[1]) + fabs(p[2] - local[2]) < 1e-9) {
            return;
        }
    }
    add_point(f, local[0], local[1], local[2]);
}

static void held_points(trm_figure *f, const trm_scene *scene, int body)
{
    const trm_scene_view view = trm_view_scene(scene);
    for (int i = 0; i < view.njoints; i++) {
        const trm_joint_view joint = trm_view_joint(scene, i);
        for (int side = 0; side < 2; side++) {
            if (joint.body[side] == body) {
                hold(f, joint.local[side]);
            }
        }
    }
    for (int i = 0; i < view.nmarkers; i++) {
        const trm_marker_info marker = trm_scene_marker_info(scene, i);
        if (marker.body == body) {
            hold(f, marker.local);
        }
    }
}

static void link(trm_figure *f, const trm_scene *scene, int body)
{
    static const double center[3] = {0, 0, 0};
    held_points(f, scene, body);
    if (f->n < 2) {
        hold(f, center);
    }
    f->kind = f->n == 1 ? TRM_FIGURE_BALL : f->n == 2 ? TRM_FIGURE_BAR : TRM_FIGURE_SOLID;
    for (int i = 0; f->n > 2 && trm_scene_get_info(scene).dimension == 3 && i < f->n; i++) {
        add_edge(f, i, (i + 1) % f->n);
    }
}

static trm_figure figure_of(const trm_scene *scene, int body)
{
    const trm_body_view b = trm_view_body(scene, body);
    const double *const size = b.shape.size;
    const int planar = trm_scene_get_info(scene).dimension == 2;
    trm_figure f;
    memset(&f, 0, sizeof f);
    switch (b.shape.kind) {
    case TRM_SHAPE_ROD:
        bar(&f, &b.shape);
        break;
    case TRM_SHAPE_BOX:
        if (planar) {
            planar_box(&f, size);
        } else {
            box(&f, size);
        }
        break;
    case TRM_SHAPE_DISC:
        if (planar) {
            ball(&f, size[0]);
        } else {
            cylinder(&f, size[0], size[1], 2);
        }
        break;
    case TRM_SHAPE_CYLINDER:
        cylinder(&f, size[0], size[1], b.shape.axis);
        break;
    case TRM_SHAPE_SPHERE:
        ball(&f, size[0]);
        break;
    case TRM_SHAPE_POINT:
        ball(&f, 0);
        break;
    default:
        if (b.point_mass) {
            ball(&f, 0);
        } else {
            link(&f, scene, body);
        }
    }
    return f;
}

// ----------------------------------------------------------------------------- shapes for eyes

/// Some corners of a mesh: the farthest along directions that are spread evenly over a sphere by
/// the golden angle. Of a block these are its corners.
static void mesh(trm_figure *f, const trm_look_view *look)
{
    const double golden = pi * (3 - sqrt(5));
    for (int i = 0; i < TRM_FIGURE_POINTS; i++) {
        const double z = 1 - (2 * i + 1) / (double)TRM_FIGURE_POINTS, r = sqrt(1 - z * z);
        const double n[3] = {r * cos(golden * i), r * sin(golden * i), z};
        double most = -INFINITY, best[3] = {0};
        for (size_t k = 0; k < look->ncorners; k++) {
            const double *const c = look->vertices + 3 * (size_t)look->corners[k];
            const double *const s = look->size;
            const double x[3] = {s[0] * c[0], s[1] * c[1], s[2] * c[2]};
            const double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
            if (along > most) {
                most = along;
                memcpy(best, x, sizeof best);
            }
        }
        hold(f, best);
    }
}

static void ellipsoid(trm_figure *f, const double size[3])
{
    cylinder(f, 1, 1, 2);
    for (int i = 0; i < f->n; i++) { // circles of latitude, at 30 degrees on either side
        double *const p = f->point[i];
        p[0] *= sqrt(0.75) * size[0];
        p[1] *= sqrt(0.75) * size[1];
        p[2] *= size[2];
    }
    add_point(f, 0, 0, size[2]);
    add_point(f, 0, 0, -size[2]);
    add_point(f, size[0], 0, 0);
    add_point(f, -size[0], 0, 0);
    add_point(f, 0, size[1], 0);
    add_point(f, 0, -size[1], 0);
}

static void along_z(trm_figure *f)
{
    for (int i = 0; i < f->n; i++) {
        f->point[i][2] = f->point[i][0];
        f->point[i][0] = 0;
    }
}

/// From the axes of the shape to those of the body.
static void move(trm_figure *f, const trm_look_view *look)
{
    const double *const q = look->turn, *const u = q + 1;
    for (int i = 0; i < f->n; i++) { // x + 2 u x (u x x + w x)
        double *const x = f->point[i];
        const double c[3] = {u[1] * x[2] - u[2] * x[1] + q[0] * x[0],
                             u[2] * x[0] - u[0] * x[2] + q[0] * x[1],
                             u[0] * x[1] - u[1] * x[0] + q[0] * x[2]};
        x[0] += 2 * (u[1] * c[2] - u[2] * c[1]) + look->at[0];
        x[1] += 2 * (u[2] * c[0] - u[0] * c[2]) + look->at[1];
        x[2] += 2 * (u[0] * c[1] - u[1] * c[0]) + look->at[2];
    }
}

static trm_figure figure_of_look(const trm_look_view *look)
{
    const double *const size = look->size;
    trm_figure f;
    memset(&f, 0, sizeof f);
    f.body = look->body;
    f.is_hidden = look->coloured && look->rgba[3] == 0;
    switch (look->kind) {
    case TRM_LOOK_SPHERE:
        ball(&f, size[0]);
        f.n = 1;
        f.nedges = 0;
        break;
    case TRM_LOOK_BOX:
        box(&f, size);
        break;
    case TRM_LOOK_CYLINDER:
        cylinder(&f, size[0], size[1], 2);
        break;
    case TRM_LOOK_CAPSULE:
        bar(&f, &(trm_shape){.size = {size[1], size[0]}});
        along_z(&f);
        break;
    case TRM_LOOK_ELLIPSOID:
        f.kind = TRM_FIGURE_SOLID;
        ellipsoid(&f, size);
        break;
    default:
        f.kind = TRM_FIGURE_SOLID;
        mesh(&f, look);
    }
    move(&f, look);
    for (int shade = 0; look->coloured && shade < 2; shade++) { // the edge has half the light
        int c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = (int)(255 * look->rgba[k] / (1 + shade) + 0.5) & 255;
        }
        snprintf(shade ? f.edges : f.fill, sizeof f.fill, "#%02x%02x%02x", c[0], c[1], c[2]);
    }
    return f;
}

static double reach_of(const trm_figure *f)
{
    double reach = 0;
    for (int i = 0; i < f->n; i++) {
        const double *const p = f->point[i];
        reach = fmax(reach, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + f->radius);
    }
    return reach;
}

trm_figure *trm_figures_of(const trm_scene *scene, int *n)
{
    const trm_scene_view view = trm_view_scene(scene);
    *n = view.nbodies + view.nlooks;
    trm_figure *const out = calloc((size_t)*n + 1, sizeof *out);
    for (int i = 0; out != NULL && i < view.nbodies; i++) {
        const trm_body_view body = trm_view_body(scene, i);
        out[i] = figure_of(scene, i);
        out[i].body = i;
        out[i].is_hidden = body.rotor || body.nlooks > 0;
        out[i].reach = reach_of(&out[i]);
    }
    for (int i = view.nbodies; out != NULL && i < *n; i++) {
        const trm_look_view look = trm_view_look(scene, i - view.nbodies);
        out[i] = figure_of_look(&look);
        if (look.body >= 0) {
            out[look.body].reach = fmax(out[look.body].reach, reach_of(&out[i]));
        }
    }
    return out;
}

int trm_joint_is_driven(const trm_model *model, int joint)
{
    int driven = trm_model_joint_info(model, joint).has_motor;
    for (int i = 0; i < trm_model_sizes(model).nactuator && !driven; i++) {
        driven = trm_model_actuator_info(model, i).joint == joint;
    }
    return driven;
}
