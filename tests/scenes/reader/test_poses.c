/// Poses, velocities and inertias of bodies as the scene gives them, in all their forms.
#include "program/view.h"
#include "tests/claim.h"
#include "tests/scenes/reader/read_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- poses

CLAIM(planar_poses)
{
    const struct {
        const char *keys;
        double x, y, angle;
    } cases[] = {
        {"'mass':1,'inertia':1", 0, 0, 0},
        {"'mass':1,'inertia':1,'position':[1,'-2'],'angle':'7*pi/4'", 1, -2, 7 * pi / 4},
        {"'mass':1,'ends':[[1,1],[3,1]]", 2, 1, 0},
        {"'mass':1,'ends':[[0,0],[0,-2]]", 0, -1, -pi / 2},
        {"'mass':1,'ends':[[3,3],[1,1]]", 2, 2, -3 * pi / 4},
        {"'mass':1,'ends':[[3,1],[1,1]]", 2, 1, pi},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_scene *scene = one_body(2, cases[i].keys);
        const trm_scene_body *body = &scene->bodies[0];
        assert_vector(3, body->position, (const double[3]){cases[i].x, cases[i].y, 0});
        assert_near(body->angle, cases[i].angle, 1e-15);
        trm_scene_destroy(scene);
    }
}

static void matrix_of(const double q[4], double R[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double entries[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                               2 * (x * z + w * y),           2 * (x * y + w * z),
                               w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                               2 * (x * z - w * y),           2 * (y * z + w * x),
                               w * w - x * x - y * y + z * z};
    memcpy(R, entries, sizeof entries);
}

static void assert_rotation(const trm_scene *scene, const double R[9])
{
    double found[9];
    matrix_of(scene->bodies[0].quaternion, found);
    assert_vector(9, found, R);
}

CLAIM(all_forms_of_orientation_agree)
{
    const double rolls[] = {0, 0.3, -2, 3.1, pi, 1}, pitches[] = {0, -0.4, 1.2, -1.5, 0, pi / 2};
    const double yaws[] = {0, 2.5, -3, 0.1, pi, -2};
    for (int i = 0; i < 6; i++) {
        char keys[900];
        double R[9];
        rpy_matrix(rolls[i], pitches[i], yaws[i], R);
        snprintf(keys, sizeof keys, "'mass':1,'inertia':[1,1,1],'rpy':[%.17g,%.17g,%.17g]",
                 rolls[i], pitches[i], yaws[i]);
        trm_scene *scene = one_body(3, keys);
        assert_rotation(scene, R);
        const double *q = scene->bodies[0].quaternion;
        double square = 0;
        for (int k = 0; k < 4; k++) {
            square += q[k] * q[k];
        }
        assert_near(square, 1, 4e-16);
        const double half = hypot(hypot(q[1], q[2]), q[3]), angle = 2 * atan2(half, q[0]);
        const double n[3] = {half > 0 ? q[1] : 1, q[2], q[3]};
        char forms[3][900];
        snprintf(forms[0], sizeof forms[0],
                 "'mass':1,'inertia':[1,1,1],'quat_wxyz':[%.17g,%.17g,%.17g,%.17g]", -3 * q[0],
                 -3 * q[1], -3 * q[2], -3 * q[3]);
        snprintf(forms[1], sizeof forms[1],
                 "'mass':1,'inertia':[1,1,1],'axis_angle':{'axis':[%.17g,%.17g,%.17g],"
                 "'angle':%.17g}",
                 n[0], n[1], n[2], angle);
        snprintf(forms[2], sizeof forms[2],
                 "'mass':1,'inertia':[1,1,1],'matrix':[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g],"
                 "[%.17g,%.17g,%.17g]]",
                 R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
        trm_scene_destroy(scene);
        for (int k = 0; k < 3; k++) {
            scene = one_body(3, forms[k]);
            assert_rotation(scene, R);
            trm_scene_destroy(scene);
        }
    }
}

/// A matrix that is off by rounding becomes the nearest rotation.
CLAIM(matrices_are_orthonormalized)
{
    trm_scene *scene = one_body(
        3, "'mass':1,'inertia':[1,1,1],'matrix':[[1.0000003,0,0],[0,0.9999998,0],[0,0,1]]");
    assert_rotation(scene, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    trm_scene_destroy(scene);
}

/// The body's x axis points along the ends; the rotation is the smallest that does this: its axis
/// is perpendicular to x.
CLAIM(spatial_ends)
{
    const double ends[][3] = {{1, 0, 0},    {0, 2, 0},     {0, 0, -1}, {1, 1, 1},
                              {-2, 1, 0.5}, {-1, 1e-9, 0}, {-1, 0, 0}, {-1, 0, 1e-200}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char keys[300];
        double R[9];
        const double *u = ends[i], length = hypot(hypot(u[0], u[1]), u[2]);
        snprintf(
            keys, sizeof keys,
            "'mass':1,'inertia':[1,1,1],'ends':[[1,2,3],['1+(%.17g)','2+(%.17g)','3+(%.17g)']]",
            u[0], u[1], u[2]);
        trm_scene *scene = one_body(3, keys);
        const trm_scene_body *body = &scene->bodies[0];
        assert_vector(3, body->position,
                      (const double[3]){1 + u[0] / 2, 2 + u[1] / 2, 3 + u[2] / 2});
        matrix_of(body->quaternion, R);
        for (int k = 0; k < 3; k++) {
            assert_near(R[3 * k], u[k] / length, 3e-15 + 1e-7 * (i == 5));
        }
        assert_near(body->quaternion[1], 0, 0);
        assert_true(body->quaternion[0] >= 0);
        assert_int_equal(body->shape.kind, TRM_SHAPE_ROD);
        assert_near(body->shape.size[0], length, 1e-15);
        trm_scene_destroy(scene);
    }
}

CLAIM(rates_and_velocities)
{
    trm_scene *scene = one_body(2, "'mass':1,'inertia':1,'velocity':[1,2],'rate':'2*sqrt(2)'");
    assert_vector(3, scene->bodies[0].velocity, (const double[3]){1, 2, 0});
    assert_vector(3, scene->bodies[0].rate, (const double[3]){0, 0, 2 * sqrt(2)});
    trm_scene_destroy(scene);
    scene = one_body(3, "'mass':1,'inertia':[1,1,1],'velocity':[1,2,3],'rate':[4,5,6],"
                        "'rpy':[1,2,3]");
    assert_vector(3, scene->bodies[0].velocity, (const double[3]){1, 2, 3});
    assert_vector(3, scene->bodies[0].rate, (const double[3]){4, 5, 6});
    trm_scene_destroy(scene);
    // a quarter turn about z takes the body's x to the world's y
    scene = one_body(3, "'mass':1,'inertia':[1,1,1],'rate_world':[4,5,6],'rpy':[0,0,'90*deg']");
    assert_vector(3, scene->bodies[0].rate, (const double[3]){5, -4, 6});
    trm_scene_destroy(scene);
}

// ---------------------------------------------------------------------------------------- inertias

typedef struct solid {
    const char *keys;
    double mass, Ix, Iy, Iz;
} solid;

static void assert_solids(int dimension, const solid *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        trm_scene *scene = one_body(dimension, list[i].keys);
        const trm_scene_body *body = &scene->bodies[0];
        assert_near(body->mass, list[i].mass, 1e-15);
        const double I[9] = {list[i].Ix, 0, 0, 0, list[i].Iy, 0, 0, 0, list[i].Iz};
        assert_vector(9, body->inertia, I);
        trm_scene_destroy(scene);
    }
}

CLAIM(spatial_inertias_from_shapes)
{
    const double rod = 5 * pi * 0.25 * 3, disc = 5 * pi * 4 * 0.1, ball = 5 * pi * 32 / 3;
    const double post = 5 * pi * 4 * 3;
    const solid list[] = {
        {"'mass':2,'shape':{'type':'rod','length':3,'radius':0.5}", 2, 0.25, 1.625, 1.625},
        {"'density':5,'shape':{'type':'rod','length':3,'radius':0.5}", rod, rod / 8,
         rod * 9.75 / 12, rod * 9.75 / 12},
        {"'mass':3,'shape':{'type':'disc','radius':2}", 3, 3, 3, 6},
        {"'density':5,'shape':{'type':'disc','radius':2,'thickness':0.1}", disc, disc * 12.01 / 12,
         disc * 12.01 / 12, disc * 2},
        {"'mass':12,'shape':{'type':'box','size':[1,2,3]}", 12, 13, 10, 5},
        {"'density':2,'shape':{'type':'box','size':[1,2,3]}", 12, 13, 10, 5},
        {"'mass':5,'shape':{'type':'sphere','radius':2}", 5, 8, 8, 8},
        {"'density':5,'shape':{'type':'sphere','radius':2}", ball, ball * 1.6, ball * 1.6,
         ball * 1.6},
        {"'mass':12,'shape':{'type':'cylinder','radius':2,'length':3}", 12, 21, 21, 24},
        {"'mass':12,'shape':{'type':'cylinder','radius':2,'length':3,'axis':'z'}", 12, 21, 21, 24},
        {"'mass':12,'shape':{'type':'cylinder','radius':2,'length':3,'axis':'y'}", 12, 21, 24, 21},
        {"'density':5,'shape':{'type':'cylinder','radius':2,'length':3,'axis':'x'}", post, post * 2,
         post * 1.75, post * 1.75},
        {"'mass':1,'shape':{'type':'point'}", 1, 0, 0, 0},
        {"'mass':2,'inertia':[1,2,3]", 2, 1, 2, 3},
        {"'mass':2,'inertia':[1,2,3],'shape':{'type':'rod','length':3}", 2, 1, 2, 3},
        {"'mass':2,'ends':[[0,0,0],[0,3,0]],'shape':{'type':'rod','radius':0.5}", 2, 0.25, 1.625,
         1.625},
    };
    assert_solids(3, list, sizeof list / sizeof list[0]);
}

CLAIM(planar_inertias_from_shapes)
{
    const double disc = 5 * pi * 4;
    const solid list[] = {
        {"'mass':4,'shape':{'type':'rod','length':3}", 4, 0, 0, 3},
        {"'mass':4,'shape':{'type':'rod','length':3,'radius':1}", 4, 0, 0, 4},
        {"'density':4,'shape':{'type':'rod','length':3}", 12, 0, 0, 9},
        {"'mass':4,'ends':[[1,1],[1,4]]", 4, 0, 0, 3},
        {"'mass':3,'shape':{'type':'disc','radius':2}", 3, 0, 0, 6},
        {"'density':5,'shape':{'type':'disc','radius':2}", disc, 0, 0, disc * 2},
        {"'mass':12,'shape':{'type':'box','size':[1,2]}", 12, 0, 0, 5},
        {"'density':6,'shape':{'type':'box','size':[1,2]}", 12, 0, 0, 5},
        {"'mass':5,'shape':{'type':'sphere','radius':2}", 5, 0, 0, 8},
        {"'mass':1,'shape':{'type':'point'}", 1, 0, 0, 0},
        {"'mass':2,'inertia':7,'shape':{'type':'rod','length':3}", 2, 0, 0, 7},
    };
    assert_solids(2, list, sizeof list / sizeof list[0]);
}

CLAIM(an_inertia_matrix_is_taken_as_it_is)
{
    trm_scene *scene = one_body(3, "'mass':1,'inertia':[[2,0.1,-0.2],[0.1,3,0.3],[-0.2,'3/10',4]]");
    assert_vector(9, scene->bodies[0].inertia,
                  (const double[9]){2, 0.1, -0.2, 0.1, 3, 0.3, -0.2, 0.3, 4});
    trm_scene_destroy(scene);
    // a flat body meets the triangle inequality with equality, here in axes of no symmetry
    scene = one_body(3, "'mass':1,'inertia':[[1.5,0.5,0],[0.5,1.5,0],[0,0,3]]");
    assert_int_equal(scene->bodies[0].point_mass, 0);
    trm_scene_destroy(scene);
}
