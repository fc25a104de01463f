/// Gears and belts: the pitch circles, each with a spoke that turns with its gear, and the strands
/// of a belt.
#include "tools/view/picture.h"
#include "tools/view/svg_out.h"

#include <math.h>
#include <string.h>

enum { CORNERS = 48 };

/// A pitch circle: the joint of a gear, and the side of it that is the gear.
typedef struct circle {
    trm_joint_view joint;
    int side;
    double r; ///< m
} circle;

/// The two of a relation by radii. Returns 0 for other relations.
static int circles_of(const trm_scene *scene, const trm_constraint_view *def, circle out[2])
{
    if (def->joint[0] < 0) {
        return 0;
    }
    for (int k = 0; k < 2; k++) {
        const trm_joint_view own = trm_view_joint(scene, def->joint[k]);
        const trm_joint_view other = trm_view_joint(scene, def->joint[1 - k]);
        const int first_is_carrier = own.body[0] == other.body[0] || own.body[0] == other.body[1];
        out[k] = (circle){.joint = own, .side = first_is_carrier, .r = def->radius[k]};
    }
    return 1;
}

/// Two unit vectors perpendicular to the axis, in the frame of the gear.
static void plane_of(const trm_picture *picture, const circle *c, double u[3], double v[3])
{
    static const double zero[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    const int body = c->joint.body[c->side];
    const double *const world = c->joint.axis_given ? c->joint.axis : z;
    const double *const q = trm_motion_at(picture->motion, 0);
    double origin[3], axis[3], x[3];
    trm_picture_point(picture, body, zero, q, origin);
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        trm_picture_point(picture, body, unit, q, x);
        axis[k] = (x[0] - origin[0]) * world[0] + (x[1] - origin[1]) * world[1] +
                  (x[2] - origin[2]) * world[2];
    }
    if (picture->view.dimension == 2) {
        memcpy(axis, z, sizeof axis);
    }
    const int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    const double e[3] = {least == 0, least == 1, 0};
    const double along = axis[least];
    double length = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = e[k] - along * axis[k];
        length += u[k] * u[k];
    }
    for (int k = 0; k < 3; k++) {
        u[k] /= sqrt(length);
    }
    v[0] = axis[1] * u[2] - axis[2] * u[1];
    v[1] = axis[2] * u[0] - axis[0] * u[2];
    v[2] = axis[0] * u[1] - axis[1] * u[0];
}

/// Corner i of the circle in the world.
static void corner_of(const trm_picture *picture, const circle *c, const double u[3],
                      const double v[3], int i, const double *q, double x[3])
{
    const double angle = 2 * acos(-1) * i / CORNERS;
    double local[3];
    for (int k = 0; k < 3; k++) {
        local[k] = c->joint.local[c->side][k] + c->r * (cos(angle) * u[k] + sin(angle) * v[k]);
    }
    trm_picture_point(picture, c->joint.body[c->side], local, q, x);
}

static void draw_circle(const trm_picture *picture, const circle *c)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    trm_page_point corner[CORNERS];
    double u[3], v[3], x[3];
    plane_of(picture, c, u, v);
    for (int i = 0; i < CORNERS; i++) {
        corner_of(picture, c, u, v, i, q, x);
        corner[i] = trm_camera_project(&picture->camera, x);
    }
    trm_svg_polyline(picture->out, CORNERS, corner, 1, "axis");
    trm_svg_line(picture->out,
                 trm_picture_project(picture, c->joint.body[c->side], c->joint.local[c->side], q),
                 corner[0], "axis");
}

/// In the plane: the two lines that touch both pulleys.
static void draw_strands(const trm_picture *picture, const trm_constraint_view *def,
                         const circle c[2])
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    const double turn = def->strand;
    double x[2][3];
    for (int k = 0; k < 2; k++) {
        trm_picture_point(picture, c[k].joint.body[c[k].side], c[k].joint.local[c[k].side], q,
                          x[k]);
    }
    const double dx = x[1][0] - x[0][0], dy = x[1][1] - x[0][1], d = hypot(dx, dy);
    const double cosine = (c[0].r - turn * c[1].r) / d;
    const double sine = sqrt(fmax(0, 1 - cosine * cosine));
    for (int side = -1; side <= 1; side += 2) {
        const double nx = (cosine * dx - side * sine * dy) / d;
        const double ny = (cosine * dy + side * sine * dx) / d;
        const double a[3] = {x[0][0] + c[0].r * nx, x[0][1] + c[0].r * ny, 0};
        const double b[3] = {x[1][0] + turn * c[1].r * nx, x[1][1] + turn * c[1].r * ny, 0};
        trm_svg_line(picture->out, trm_camera_project(&picture->camera, a),
                     trm_camera_project(&picture->camera, b), "rod");
    }
}

void trm_picture_include_gears(trm_picture *picture)
{
    for (int i = 0; i < picture->view.nconstraints; i++) {
        const trm_constraint_view def = trm_view_constraint(picture->scene, i);
        circle c[2];
        double x[3];
        for (int k = 0; circles_of(picture->scene, &def, c) && k < 2; k++) {
            trm_picture_point(picture, c[k].joint.body[c[k].side], c[k].joint.local[c[k].side],
                              trm_motion_at(picture->motion, 0), x);
            trm_camera_include(&picture->camera, x, c[k].r);
        }
    }
}

void trm_picture_gears(const trm_picture *picture)
{
    for (int i = 0; i < picture->view.nconstraints; i++) {
        const trm_constraint_view def = trm_view_constraint(picture->scene, i);
        circle c[2];
        if (!circles_of(picture->scene, &def, c)) {
            continue;
        }
        draw_circle(picture, &c[0]);
        draw_circle(picture, &c[1]);
        if (picture->view.dimension == 2 && def.strand != 0) {
            draw_strands(picture, &def, c);
        }
    }
}
