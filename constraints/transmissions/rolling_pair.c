// A disc or ball that rolls without slip on or in another one: centres C and P, radii r and R.
//
//   n = (C - P)/|C - P|,   outside: s = 1, L = R + r;   inside (R negative): s = -1, L = |R| - r
//
//   contact  0 = |C - P| - L                       a row of positions
//   along    0 = t_1 . w,  across  0 = t_2 . w     rows of velocities, with the slip
//   w = C' - P' - omega_C x (s r n) - omega_P x (|R| n)
//
// In the plane there is one t, (-n_y, n_x). In space t_1, t_2 are a frame perpendicular to e, the n
// of the initial pose, turned with e to n along the shortest way: t = a - (n . a)/(1 + n . e) (n +
// e). It has none where n = -e, behind the ball as seen from the start.

#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "constraints/transmissions/relation.h"

#include <math.h>
#include <stddef.h>

/// Where the parts stand in relation->part.
enum {
    NORMAL = 0,
    DISTANCE = 3,
    TURNED = 4,
    TANGENT = 5,
    OWN_RATE = 11,
    OTHER_RATE = 14,
    SLIP = 17
};

static void check_sizes(trm_relation *relation)
{
    const trm_scene_marker *const markers = relation->scene->markers;
    const trm_scene_constraint *def = relation->def;
    double d[3];
    subtract(relation->point[0], relation->point[1], d);
    if (def->radii.n != 2 || !(def->radii.item[0] > 0) || def->radii.item[1] == 0) {
        trm_relation_refuse(relation, "radii",
                            "expected two radii, the first > 0, the second < 0 where the first "
                            "rolls inside");
    } else if (!(def->radii.item[1] > 0) && !(-def->radii.item[1] > def->radii.item[0])) {
        trm_relation_refuse(relation, "radii", "the first of %.9g m does not fit into %.9g m",
                            def->radii.item[0], -def->radii.item[1]);
    } else if (!(dot(d, d) > 0)) {
        trm_relation_refuse(relation, "markers",
                            "\"%.64s\" and \"%.64s\" are at one place: where they touch is unknown",
                            markers[def->markers[0]].name, markers[def->markers[1]].name);
    }
}

/// World rates of the bodies of the markers; zero of the ground.
static void put_rates(trm_relation *relation)
{
    static const char *const rate[] = {"abc", "ABC"}, matrix[] = "RS";
    const int space = relation->scene->dimension == 3;
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++) {
            trm_text_buffer *out = &relation->part[(side ? OTHER_RATE : OWN_RATE) + k];
            const char *w = rate[side];
            if (!trm_relation_turns(relation, side) || (!space && k < 2)) {
                trm_put(out, "0");
            } else if (!space) {
                trm_putf(out, "_%c", w[2]);
            } else {
                trm_putf(out, "_%c%d0*_%c+_%c%d1*_%c+_%c%d2*_%c", matrix[side], k, w[0],
                         matrix[side], k, w[1], matrix[side], k, w[2]);
            }
        }
    }
}

/// n, |C - P| and the slip w.
static void put_slip(trm_relation *relation)
{
    static const char x[] = "xyz", u[] = "uvw", X[] = "XYZ", U[] = "UVW";
    const trm_number_list *r = &relation->def->radii;
    const double own = r->item[1] > 0 ? r->item[0] : -r->item[0], other = fabs(r->item[1]);
    const int space = relation->scene->dimension == 3;
    trm_text_buffer *part = relation->part;
    put_rates(relation);
    trm_put(&part[DISTANCE], space ? "sqrt((_x-_X)^2+(_y-_Y)^2+(_z-_Z)^2)" : "hypot(_x-_X,_y-_Y)");
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        if (k == 2 && !space) {
            trm_put(&part[NORMAL + k], "0");
            trm_put(&part[SLIP + k], "0");
            continue;
        }
        trm_putf(&part[NORMAL + k], "(_%c-_%c)/_l%d", x[k], X[k], DISTANCE);
        trm_putf(&part[SLIP + k], "_%c-_%c", u[k], U[k]);
        trm_putf(&part[SLIP + k], "-(%.17g)*(_l%d*_l%d-_l%d*_l%d)", own, OWN_RATE + i, NORMAL + j,
                 OWN_RATE + j, NORMAL + i);
        trm_putf(&part[SLIP + k], "-%.17g*(_l%d*_l%d-_l%d*_l%d)", other, OTHER_RATE + i, NORMAL + j,
                 OTHER_RATE + j, NORMAL + i);
    }
}

/// t_1 and t_2 in space.
static void put_tangents(trm_relation *relation)
{
    double e[3], a[2][3];
    subtract(relation->point[0], relation->point[1], e);
    scale(1.0 / sqrt(dot(e, e)), e, e);
    trm_frame_around(e, a[0], a[1]);
    trm_putf(&relation->part[TURNED], "1/(1+_l0*(%.17g)+_l1*(%.17g)+_l2*(%.17g))", e[0], e[1],
             e[2]);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            trm_putf(&relation->part[TANGENT + 3 * i + k],
                     "(%.17g)-(_l0*(%.17g)+_l1*(%.17g)+_l2*(%.17g))*_l%d*(_l%d+(%.17g))", a[i][k],
                     a[i][0], a[i][1], a[i][2], TURNED, NORMAL + k, e[k]);
        }
    }
}

static void write(trm_relation *relation)
{
    relation->unit = "m";
    if (trm_relation_check_markers(relation, "does not roll", "does not roll")) {
        check_sizes(relation);
    }
    if (relation->key) {
        return;
    }
    const trm_number_list *r = &relation->def->radii;
    put_slip(relation);
    trm_begin_row(relation, "contact", "touches", 0);
    trm_putf(&relation->rows[0].g, "_l%d-%.17g", DISTANCE, fabs(r->item[0] + r->item[1]));
    trm_begin_row(relation, "along", "does not slip along", 1);
    if (relation->scene->dimension == 2) {
        trm_putf(&relation->rows[1].g, "_l0*_l%d-_l1*_l%d", SLIP + 1, SLIP);
        return;
    }
    put_tangents(relation);
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            trm_begin_row(relation, "across", "does not slip across", 1);
        }
        const int t = TANGENT + 3 * i;
        trm_putf(&relation->rows[1 + i].g, "_l%d*_l%d+_l%d*_l%d+_l%d*_l%d", t, SLIP, t + 1,
                 SLIP + 1, t + 2, SLIP + 2);
    }
}

static const trm_key keys[] = {
    TRM_KEY("markers", MARKER_PAIR, trm_scene_constraint, markers,
            "The centres: of what rolls, and of what it rolls on, of the ground or another body.",
            .required = 1),
    TRM_KEY("radii", NUMBERS, trm_scene_constraint, radii,
            "Of both; the second one negative where the first rolls inside of it.", .required = 1,
            .unit = "m",
            .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/number\"},\"minItems\":2,"
                      "\"maxItems\":2}"),
    {.name = NULL},
};

const trm_relation_kind trm_relation_rolling_pair = {
    .name = "rolling_pair",
    .doc = "Two balls, or discs, that roll on or inside each other without slipping or parting.",
    .keys = keys,
    .write = write,
};
