// A body that rolls without slip on a plane, of the ground or of another body.
//
//   N, t_1, t_2   normal of the plane, two directions in it; n = R^T N in the roller's frame
//   h^2 = n . Q n                the roller reaches down to h from its centre C (support function)
//   rho = -Q n/h                 from C to where it touches, in its frame
//   disc  Q = r^2 (1 - d d^T)    ball  Q = r^2 1    ellipsoid  Q = diag(a^2, b^2, c^2)
//
//   contact  0 = N . (C - P) - h                     a row of positions
//   along    0 = t_1 . (C' + R (omega x rho) - u)    rows of velocities; u: of the plane there
//   across   0 = t_2 . (C' + R (omega x rho) - u)
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

/// Indices of the parts in relation->part.
enum {
    NORMAL = 0,
    ALONG = 3,
    ACROSS = 6,
    OWN = 9,
    WEIGHED = 12,
    REACH = 15,
    ARM = 16,
    TURNING = 19
};

static int moving_base(const trm_relation *relation)
{
    return relation->scene->markers[relation->def->markers[1]].body != TRM_INDEX_GROUND;
}

static void unit(const double x[3], double out[3])
{
    scale(1.0 / sqrt(dot(x, x)), x, out);
}

/// Part k := the components in the world of a direction of the plane's body.
static void put_direction(trm_relation *relation, int part, const double world[3])
{
    double local[3];
    trm_rotate_back(relation->axes[1], world, local);
    for (int k = 0; k < 3; k++) {
        trm_text_buffer *out = &relation->part[part + k];
        if (moving_base(relation)) {
            trm_putf(out, "_S%d0*(%.17g)+_S%d1*(%.17g)+_S%d2*(%.17g)", k, local[0], k, local[1], k,
                     local[2]);
        } else {
            trm_putf(out, "%.17g", local[k]);
        }
    }
}

/// Q, row by row.
static void shape_of(const trm_relation *relation, double Q[9])
{
    const trm_scene_constraint *def = relation->def;
    double d[3] = {0.0, 0.0, 0.0}, world[3];
    if (def->shape == DISC) {
        unit(def->normal, world);
        trm_rotate_back(relation->axes[0], world, d);
    }
    for (int i = 0; i < 9; i++) {
        const int diagonal = i % 4 == 0;
        const double r2 = def->radius * def->radius, a = def->radius_of[i / 4];
        Q[i] = def->shape == ELLIPSOID ? (diagonal ? a * a : 0.0)
                                       : r2 * ((diagonal ? 1.0 : 0.0) - d[i / 3] * d[i % 3]);
    }
}

/// n, Q n, h, rho and omega x rho.
static void put_touch(trm_relation *relation)
{
    static const char rate[] = "abc";
    double Q[9];
    shape_of(relation, Q);
    trm_text_buffer *part = relation->part;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        trm_putf(&part[OWN + i], "_R0%d*_l0+_R1%d*_l1+_R2%d*_l2", i, i, i);
        trm_putf(&part[WEIGHED + i], "_l9*(%.17g)+_l10*(%.17g)+_l11*(%.17g)", Q[3 * i],
                 Q[3 * i + 1], Q[3 * i + 2]);
        trm_putf(&part[ARM + i], "-_l%d/_l15", WEIGHED + i);
        trm_putf(&part[TURNING + i], "_%c*_l%d-_%c*_l%d", rate[j], ARM + k, rate[k], ARM + j);
    }
    trm_put(&part[REACH], "sqrt(_l9*_l12+_l10*_l13+_l11*_l14)");
}

/// t . (C' + R (omega x rho)), and the share of the plane's own motion in it.
static void put_slip(trm_relation *relation, int direction)
{
    static const char velocity[] = "uvw", of_base[] = "UVW", place[] = "xyz", base[] = "XYZ";
    static const char rate[] = "ABC";
    trm_text_buffer *g = &relation->rows[relation->row].g;
    for (int k = 0; k < 3; k++) {
        trm_putf(g, "%s_l%d*(_%c+_R%d0*_l19+_R%d1*_l20+_R%d2*_l21", k ? "+" : "", direction + k,
                 velocity[k], k, k, k);
        trm_putf(g, moving_base(relation) ? "-_%c)" : ")", of_base[k]);
    }
    for (int k = 0; k < 3 && moving_base(relation); k++) {
        // - t . (W x y) = - W . (y x t), W = S Omega, y from P to where it touches
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        trm_putf(g, "-(_S%d0*_%c+_S%d1*_%c+_S%d2*_%c)*(", k, rate[0], k, rate[1], k, rate[2]);
        trm_putf(g, "(_%c-_%c+_R%d0*_l16+_R%d1*_l17+_R%d2*_l18)*_l%d", place[i], base[i], i, i, i,
                 direction + j);
        trm_putf(g, "-(_%c-_%c+_R%d0*_l16+_R%d1*_l17+_R%d2*_l18)*_l%d)", place[j], base[j], j, j, j,
                 direction + i);
    }
}

static void write_spatial(trm_relation *relation)
{
    double N[3], t[2][3];
    const double *n = relation->def->direction;
    unit(n, N);
    trm_frame_around(N, t[0], t[1]);
    put_direction(relation, NORMAL, N);
    put_direction(relation, ALONG, t[0]);
    put_direction(relation, ACROSS, t[1]);
    put_touch(relation);
    trm_begin_row(relation, "contact", "touches", 0);
    trm_put(&relation->rows[0].g, "_l0*(_x-_X)+_l1*(_y-_Y)+_l2*(_z-_Z)-_l15");
    trm_begin_row(relation, "along", "does not slip along", 1);
    put_slip(relation, ALONG);
    trm_begin_row(relation, "across", "does not slip across", 1);
    put_slip(relation, ACROSS);
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
