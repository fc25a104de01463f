/// Isometric: the viewer looks along -(e1 - e2 + u), with e1, e2, u right-handed and u up, so that
/// the three axes are shortened alike by sqrt(2/3).
#include "tools/view/camera.h"

#include "program/view.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(double a[3])
{
    const double length = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++) {
        a[i] /= length;
    }
}

static void isometric(trm_camera *c, const double gravity[3])
{
    double u[3] = {-gravity[0], -gravity[1], -gravity[2]};
    if (dot(u, u) == 0) {
        u[2] = 1;
    }
    normalize(u);
    // e1: the first axis that is not close to u, made perpendicular to it
    double e1[3] = {0}, e2[3];
    e1[fabs(u[0]) < 0.7 ? 0 : 1] = 1;
    const double along = dot(e1, u);
    for (int i = 0; i < 3; i++) {
        e1[i] -= along * u[i];
    }
    normalize(e1);
    cross(u, e1, e2);
    for (int i = 0; i < 3; i++) {
        c->toward[i] = e1[i] - e2[i] + u[i];
    }
    normalize(c->toward);
    cross(u, c->toward, c->right);
    normalize(c->right);
    cross(c->toward, c->right, c->up);
}

trm_camera trm_camera_create(const trm_scene *scene)
{
    trm_camera c = {
        .right = {1, 0, 0},
        .up = {0, 1, 0},
        .toward = {0, 0, 1},
        .low = {INFINITY, INFINITY},
        .high = {-INFINITY, -INFINITY},
    };
    const trm_scene_view view = trm_view_scene(scene);
    if (view.dimension == 3) {
        isometric(&c, view.gravity);
    }
    return c;
}

void trm_camera_include(trm_camera *camera, const double x[3], double radius)
{
    const double at[2] = {dot(x, camera->right), dot(x, camera->up)};
    for (int i = 0; i < 2; i++) {
        camera->low[i] = fmin(camera->low[i], at[i] - radius);
        camera->high[i] = fmax(camera->high[i], at[i] + radius);
    }
}

void trm_camera_fit(trm_camera *camera, trm_page_point corner, double width, double height)
{
    const double w = camera->high[0] - camera->low[0], h = camera->high[1] - camera->low[1];
    const double largest = fmax(fmax(w, h), 1e-9);
    camera->scale = fmin(width / fmax(w, 0.02 * largest), height / fmax(h, 0.02 * largest));
    camera->origin.x = corner.x + 0.5 * (width - w * camera->scale);
    camera->origin.y = corner.y + 0.5 * (height - h * camera->scale);
}

trm_page_point trm_camera_project(const trm_camera *camera, const double x[3])
{
    return (trm_page_point){
        camera->origin.x + camera->scale * (dot(x, camera->right) - camera->low[0]),
        camera->origin.y + camera->scale * (camera->high[1] - dot(x, camera->up)),
    };
}

double trm_camera_depth(const trm_camera *camera, const double x[3])
{
    return dot(x, camera->toward);
}
