// A body that rolls without slip on a plane, of the ground or of another body.
//
// In space it touches as an ellipsoid on a half space does (bodies/shapes/ellipsoid_plane.c), with
// half axes r of a ball, and (r, r, 0) of a disc:
//
//   contact  0 = gap                        a row of positions
//   along    0 = t_1 . (u_0 - u_1)          rows of velocities, u_i: of the matter where they touch
//   across   0 = t_2 . (u_0 - u_1)
//
// In the plane a disc rolls on a line t, and both rows are of
// positions, w its turn against the line:
//
//   contact  0 = N . (C - P) - r
//   along    0 = t . (C - P) + r w - (its value in the initial pose)

#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "constraints/transmissions/relation.h"
#include "program/view.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { DISC, BALL, ELLIPSOID };

static int moving_base(const trm_relation *relation)
{
    return relation->scene->markers[relation->def->markers[1]].body != TRM_INDEX_GROUND;
}

static void unit(const double x[3], double out[3])
{
    scale(1.0 / sqrt(dot(x, x)), x, out);
}

/// The ellipsoid in the frame of the roller: of a disc its third axis is its own.
static void put_shape(const trm_relation *relation, trm_touch_side *roller)
{
    const trm_scene_constraint *def = relation->def;
    const double r = def->radius;
    double axis[3] = {0.0, 0.0, 1.0}, side[2][3];
    set3(roller->size, r, r, r);
    if (def->shape == ELLIPSOID) {
        memcpy(roller->size, def->radius_of, sizeof roller->size);
    } else if (def->shape == DISC) {
        roller->size[2] = 0.0;
        trm_rotate_back(relation->axes[0], def->normal, axis);
        unit(axis, axis);
    }
    trm_frame_around(axis, side[0], side[1]);
    for (int i = 0; i < 9; i++) {
        roller->axes[i] = i % 3 == 2 ? axis[i / 3] : side[i % 3][i / 3];
    }
}

static void put_touch(trm_relation *relation)
{
    trm_touch_pair *const touch = &relation->touch;
    double N[3], t[2][3];
    touch->kind = TRM_TOUCH_ELLIPSOID_PLANE;
    for (int i = 0; i < 2; i++) {
        const trm_scene_marker *at = &relation->scene->markers[relation->def->markers[i]];
        touch->side[i].body = at->body;
        memcpy(touch->side[i].center, at->local, sizeof at->local);
    }
    put_shape(relation, &touch->side[0]);
    unit(relation->def->direction, N);
    trm_frame_around(N, t[0], t[1]);
    trm_rotate_back(relation->axes[1], N, touch->side[1].axis);
    trm_rotate_back(relation->axes[1], t[0], touch->across);
}

static void write_spatial(trm_relation *relation)
{
    static const char *const label[] = {"contact", "along", "across"};
    static const char *const shown[] = {"touches", "does not slip along", "does not slip across"};
    put_touch(relation);
    for (int k = 0; k < 3; k++) {
        trm_begin_row(relation, label[k], shown[k], k > 0);
        trm_putf(&relation->rows[k].g, "_t%d", k);
    }
}

static void write_planar(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    const double r = def->radius;
    double N[3], local[3], d[3];
    unit(def->direction, N);
    trm_rotate_back(relation->axes[1], N, local);
    subtract(relation->point[0], relation->point[1], d);
    const int body = relation->scene->markers[def->markers[0]].body;
    const int base = relation->scene->markers[def->markers[1]].body;
    const double angle = relation->scene->bodies[body].angle -
                         (base == TRM_INDEX_GROUND ? 0.0 : relation->scene->bodies[base].angle);
    if (moving_base(relation)) {
        trm_putf(&relation->part[0], "cos(_Q)*(%.17g)-sin(_Q)*(%.17g)", local[0], local[1]);
        trm_putf(&relation->part[1], "sin(_Q)*(%.17g)+cos(_Q)*(%.17g)", local[0], local[1]);
    } else {
        trm_putf(&relation->part[0], "%.17g", local[0]);
        trm_putf(&relation->part[1], "%.17g", local[1]);
    }
    trm_begin_row(relation, "contact", "touches", 0);
    trm_putf(&relation->rows[0].g, "_l0*(_x-_X)+_l1*(_y-_Y)-%.17g", r);
    trm_begin_row(relation, "along", "does not slip", 0);
    // t = (N_y, -N_x), N to the left of it
    trm_putf(&relation->rows[1].g, "_l1*(_x-_X)-_l0*(_y-_Y)+%.17g*(_q%s-(%.17g))-(%.17g)", r,
             moving_base(relation) ? "-_Q" : "", angle, N[1] * d[0] - N[0] * d[1]);
}

static int lies_flat(const trm_scene_constraint *def)
{
    const double *const a = def->normal, *const n = def->direction;
    double m[3];
    cross(a, n, m);
    return !(sqrt(dot(m, m)) > TRM_TOUCH_FLAT * sqrt(dot(a, a) * dot(n, n)));
}

static void check_size(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    if (def->shape == ELLIPSOID && !(def->radius_of[0] > 0)) {
        trm_relation_refuse(relation, "shape", "an ellipsoid needs its three \"semi_axes\"");
    } else if (def->shape != ELLIPSOID && !(def->radius > 0)) {
        trm_relation_refuse(relation, "shape", "a disc or ball needs its \"radius\"");
    } else if (relation->scene->dimension == 3 && def->shape == DISC &&
               !(dot(def->normal, def->normal) > 0)) {
        trm_relation_refuse(relation, "radius", "a disc needs its \"axis\"");
    } else if (relation->scene->dimension == 3 && def->shape == DISC && lies_flat(def)) {
        trm_relation_refuse(relation, "axis", "a disc that lies flat touches in no one point");
    }
}

static void write(trm_relation *relation)
{
    relation->unit = "m";
    if (!trm_relation_check_markers(relation, "does not roll", "has no plane")) {
        return;
    }
    check_size(relation);
    if (relation->scene->dimension == 2) {
        write_planar(relation);
    } else if (!relation->key) {
        write_spatial(relation);
    }
}

static const trm_key keys[] = {
    TRM_KEY("markers", MARKER_PAIR, trm_scene_constraint, markers,
            "The centre of the roller, on its body, and a point of the plane, of the ground or of "
            "another body.",
            .required = 1),
    TRM_KEY("normal", VECTOR, trm_scene_constraint, direction,
            "Of the plane (in the plane of the scene: of the line), towards the roller, in the "
            "initial pose; it turns with the body of the second marker.",
            .required = 1, .range = TRM_NOT_ZERO),
    TRM_KEY("radius", NUMBER, trm_scene_constraint, radius, "Of a disc or ball.",
            .range = TRM_POSITIVE, .unit = "m"),
    TRM_KEY("shape", CHOICE, trm_scene_constraint, shape, "What rolls; a disc has a sharp edge.",
            .dimension = 3, .fallback = "disc", .choices = "disc|ball|ellipsoid"),
    TRM_KEY("axis", VECTOR, trm_scene_constraint, normal,
            "Of a disc: its axis in the initial pose, a direction of the world.", .dimension = 3,
            .range = TRM_NOT_ZERO),
    TRM_KEY("semi_axes", VECTOR3, trm_scene_constraint, radius_of,
            "Of an ellipsoid, along the axes of its body.", .dimension = 3, .range = TRM_POSITIVE,
            .unit = "m"),
    {.name = NULL},
};

static const trm_key_group groups[] = {
    {1, {"radius", "semi_axes"}},
    {0, {"axis", "semi_axes"}},
    {0, {NULL}},
};

const trm_relation_kind trm_relation_rolling = {
    .name = "rolling",
    .doc = "A disc, ball or ellipsoid that rolls on a plane without slipping or leaving it.",
    .keys = keys,
    .groups = groups,
    .write = write,
};
