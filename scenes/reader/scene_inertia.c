// Shape, mass and inertia. With mass m, principal moments about the centre of mass:
//
//     rod, along x             m r^2/2,  m (3 r^2 + L^2)/12 twice           radius r, length L
//     disc, normal to z        m (3 r^2 + h^2)/12 twice,  m r^2/2           thickness h
//     box, a b c along x y z   m (b^2 + c^2)/12,  m (a^2 + c^2)/12,  m (a^2 + b^2)/12
//     sphere                   2/5 m r^2
//     cylinder                 m r^2/2 about its axis,  m (3 r^2 + l^2)/12 across
//
// In the plane the moment about z of the same solid counts.

#include "base/status.h"
#include "bodies/rotation.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ shapes

const trm_key trm_shape_keys[] = {
    TRM_KEY_OWN("type", "Kind of shape.", .required = 1),
    {.name = NULL},
};

#define LENGTH(key, index, text)                                                                   \
    TRM_KEY(key, NUMBER, trm_shape, size[index], text, .required = 1, .range = TRM_POSITIVE,       \
            .unit = "m")

static const trm_key point_keys[] = {{.name = NULL}};

static const trm_key rod_keys[] = {
    TRM_KEY("length", NUMBER, trm_shape, size[0], "Length along the body's x axis.",
            .range = TRM_POSITIVE, .unit = "m", .fallback = "the distance of `ends`"),
    TRM_KEY("radius", NUMBER, trm_shape, size[1],
            "Radius; in 3-D needed unless the body has an `inertia` of its own.",
            .range = TRM_NOT_NEGATIVE, .unit = "m", .fallback = "0"),
    {.name = NULL},
};

static const trm_key disc_keys[] = {
    LENGTH("radius", 0, "Radius."),
    TRM_KEY("thickness", NUMBER, trm_shape, size[1],
            "Thickness along the body's z axis; in 3-D needed with `density`.",
            .range = TRM_NOT_NEGATIVE, .unit = "m", .fallback = "0"),
    {.name = NULL},
};

static const trm_key box_keys[] = {
    TRM_KEY("size", VECTOR, trm_shape, size, "Edges along the body's axes.", .required = 1,
            .range = TRM_POSITIVE, .unit = "m"),
    {.name = NULL},
};

static const trm_key sphere_keys[] = {
    LENGTH("radius", 0, "Radius."),
    {.name = NULL},
};

static const trm_key cylinder_keys[] = {
    LENGTH("radius", 0, "Radius."),
    LENGTH("length", 1, "Length along its axis."),
    TRM_KEY("axis", CHOICE, trm_shape, axis, "The body axis it stands on.", .fallback = "z",
            .choices = "x|y|z"),
    {.name = NULL},
};

const trm_shape_form trm_shape_forms[] = {
    {"point", 0, "A point mass: it has a place and a velocity, but no rotation and no inertia.",
     point_keys},
    {"rod", 0, "A slender round bar along the body's x axis; in contacts a capsule.", rod_keys},
    {"disc", 0, "A round plate, perpendicular to the body's z axis.", disc_keys},
    {"box", 0, "A block (in the plane: a rectangle) along the body's axes.", box_keys},
    {"sphere", 0, "A ball.", sphere_keys},
    {"cylinder", 3, "A round block.", cylinder_keys},
    {NULL, 0, NULL, NULL},
};

trm_status trm_find_form(trm_reader *reader, const trm_node *node, const trm_shape_form *forms,
                         const trm_shape_form *more, const trm_shape_form **form, int *index)
{
    const trm_shape_form *const lists[] = {forms, more}, *of[16];
    const char *type = NULL, *names[16] = {NULL};
    int n = 0;
    TRM_TRY(trm_read_word(reader, node, "type", &type));
    for (int list = 0; list < 2; list++) {
        for (const trm_shape_form *one = lists[list]; one && one->name; one++) {
            of[n] = one;
            names[n++] = one->name;
        }
    }
    const trm_node *word = trm_node_find(node, "type");
    TRM_TRY(trm_read_choice(reader, word, "shape", names, n, index));
    *form = of[*index];
    if ((*form)->dimension && (*form)->dimension != reader->scene->dimension) {
        return TRM_REFUSE(reader, word, "shape \"%s\" is for scenes of dimension %d only",
                          (*form)->name, (*form)->dimension);
    }
    return TRM_OK;
}

trm_status trm_read_form(trm_reader *reader, const trm_node *node, const trm_shape_form *more,
                         const trm_key *keys, trm_shape *shape)
{
    const trm_shape_form *form = NULL;
    int index = 0;
    TRM_TRY(trm_find_form(reader, node, trm_shape_forms, more, &form, &index));
    *shape = (trm_shape){.kind = (trm_shape_kind)(index + 1), .axis = 2};
    const trm_key *const tables[] = {trm_shape_keys, form->keys, keys};
    return trm_read_keys(reader, node, tables, keys ? 3 : 2, shape);
}

/// A point mass has nothing that turns.
static trm_status check_point_mass(trm_reader *reader, const trm_body_draft *draft)
{
    static const char *const keys[] = {"inertia", "angle",      "rate",   "rate_world", "quat_wxyz",
                                       "rpy",     "axis_angle", "matrix", "ends"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const trm_node *node = trm_node_find(draft->node, keys[i]);
        if (node) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                            "a point mass cannot have \"%s\"", keys[i]);
        }
    }
    return TRM_OK;
}

trm_status trm_read_shape(trm_reader *reader, trm_body_draft *draft)
{
    const trm_node *node = trm_node_find(draft->node, "shape");
    trm_shape *shape = &draft->body.shape;
    if (node) {
        TRM_TRY(trm_read_form(reader, node, NULL, NULL, shape));
    } else if (draft->length > 0) {
        *shape = (trm_shape){.kind = TRM_SHAPE_ROD, .axis = 2};
    }
    if (shape->kind == TRM_SHAPE_ROD && shape->size[0] == 0) {
        if (draft->length == 0) {
            return TRM_REFUSE(reader, node, "missing key \"length\"");
        }
        shape->size[0] = draft->length;
    }
    if (shape->kind == TRM_SHAPE_POINT) {
        draft->body.point_mass = 1;
        return check_point_mass(reader, draft);
    }
    return TRM_OK;
}

// -------------------------------------------------------------------------------------------- mass

/// What density is multiplied by: volume, or in the plane length of a rod and area else. 0: none.
static double content(const trm_shape *shape, int dimension)
{
    const double *s = shape->size;
    const int planar = dimension == 2;
    switch (shape->kind) {
    case TRM_SHAPE_ROD:
        return planar ? s[0] : TRM_PI * s[1] * s[1] * s[0];
    case TRM_SHAPE_DISC:
        return planar ? TRM_PI * s[0] * s[0] : TRM_PI * s[0] * s[0] * s[1];
    case TRM_SHAPE_BOX:
        return planar ? s[0] * s[1] : s[0] * s[1] * s[2];
    case TRM_SHAPE_SPHERE:
        return planar ? 0 : 4 * TRM_PI / 3 * s[0] * s[0] * s[0];
    case TRM_SHAPE_CYLINDER:
        return TRM_PI * s[0] * s[0] * s[1];
    default:
        return 0;
    }
}

static const char *why_no_content(const trm_shape *shape)
{
    switch (shape->kind) {
    case TRM_SHAPE_NONE:
        return "density needs a \"shape\"";
    case TRM_SHAPE_POINT:
        return "a point mass has no volume; give \"mass\" instead of \"density\"";
    case TRM_SHAPE_ROD:
        return "density needs the rod's \"radius\"";
    case TRM_SHAPE_DISC:
        return "density needs the disc's \"thickness\"";
    default:
        return "in 2-D a sphere has no density; give \"mass\"";
    }
}

static trm_status finish_mass(trm_reader *reader, trm_body_draft *draft)
{
    const trm_node *density = trm_node_find(draft->node, "density");
    if (draft->mass_given) {
        return TRM_OK;
    }
    const double volume = content(&draft->body.shape, reader->scene->dimension);
    if (!(volume > 0)) {
        return TRM_REFUSE(reader, density, "%s", why_no_content(&draft->body.shape));
    }
    draft->body.mass = draft->density * volume;
    if (!(draft->body.mass > 0) || !isfinite(draft->body.mass)) {
        return TRM_REFUSE(reader, density, "mass must be > 0 and finite, got %g from the density",
                          draft->body.mass);
    }
    return TRM_OK;
}

// ----------------------------------------------------------------------------------------- inertia

static void principal_moments(const trm_shape *shape, double m, double out[3])
{
    const double *s = shape->size;
    switch (shape->kind) {
    case TRM_SHAPE_ROD:
        out[0] = m * s[1] * s[1] / 2;
        out[1] = out[2] = m * (3 * s[1] * s[1] + s[0] * s[0]) / 12;
        break;
    case TRM_SHAPE_DISC:
        out[0] = out[1] = m * (3 * s[0] * s[0] + s[1] * s[1]) / 12;
        out[2] = m * s[0] * s[0] / 2;
        break;
    case TRM_SHAPE_BOX:
        out[0] = m * (s[1] * s[1] + s[2] * s[2]) / 12;
        out[1] = m * (s[0] * s[0] + s[2] * s[2]) / 12;
        out[2] = m * (s[0] * s[0] + s[1] * s[1]) / 12;
        break;
    case TRM_SHAPE_SPHERE:
        out[0] = out[1] = out[2] = 2 * m * s[0] * s[0] / 5;
        break;
    default: // cylinder
        out[0] = out[1] = out[2] = m * (3 * s[0] * s[0] + s[1] * s[1]) / 12;
        out[shape->axis] = m * s[0] * s[0] / 2;
        break;
    }
}

static trm_status read_symmetric(trm_reader *reader, const trm_node *node, double I[9])
{
    TRM_TRY(trm_read_matrix(reader, node, I));
    double largest = 0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(I[i]));
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(I[3 * i + j] - I[3 * j + i]) > 1e-9 * largest) {
                return TRM_REFUSE(reader, node,
                                  "inertia must be symmetric, but %g and %g face each other",
                                  I[3 * j + i], I[3 * i + j]);
            }
            I[3 * i + j] = I[3 * j + i] = (I[3 * i + j] + I[3 * j + i]) / 2;
        }
    }
    return TRM_OK;
}

/// A number in the plane; three principal moments or a matrix in space.
static trm_status read_inertia(trm_reader *reader, const trm_node *node, double I[9])
{
    if (reader->scene->dimension == 2) {
        return trm_read_number(reader, node, &I[8]);
    }
    if (node->type == TRM_NODE_ARRAY && node->span > 1 && node[1].type == TRM_NODE_ARRAY) {
        return read_symmetric(reader, node, I);
    }
    double moments[3];
    TRM_TRY(trm_read_numbers(reader, node, 3, moments));
    I[0] = moments[0];
    I[4] = moments[1];
    I[8] = moments[2];
    return TRM_OK;
}

static trm_status inertia_from_shape(trm_reader *reader, const trm_body_draft *draft, double I[9])
{
    const trm_shape *shape = &draft->body.shape;
    const int spatial = reader->scene->dimension == 3;
    if (shape->kind == TRM_SHAPE_NONE) {
        return TRM_REFUSE(reader, draft->node, "missing key \"inertia\" or \"shape\"");
    }
    if (spatial && shape->kind == TRM_SHAPE_ROD && shape->size[1] == 0) {
        return TRM_REFUSE(reader, draft->node,
                          "a rod in 3-D needs a \"radius\" in its \"shape\", or the body an "
                          "\"inertia\" of its own");
    }
    double moments[3];
    principal_moments(shape, draft->body.mass, moments);
    I[0] = spatial ? moments[0] : 0;
    I[4] = spatial ? moments[1] : 0;
    I[8] = moments[2];
    return TRM_OK;
}

/// Positive definite, and no principal moment larger than the sum of the others: else no
/// distribution of mass has it.
static trm_status check_inertia(trm_reader *reader, const trm_node *node, const double I[9])
{
    double e[3];
    for (int i = 0; i < 9; i++) {
        if (!isfinite(I[i])) {
            return TRM_REFUSE(reader, node, "inertia is too large for a double");
        }
    }
    if (reader->scene->dimension == 2) {
        return I[8] > 0 ? TRM_OK : TRM_REFUSE(reader, node, "inertia must be > 0, got %g", I[8]);
    }
    trm_eigenvalues(I, e);
    if (!(e[0] > 0)) {
        return TRM_REFUSE(reader, node,
                          "inertia must be positive definite, but a principal moment is %g", e[0]);
    }
    if (e[2] > (e[0] + e[1]) * (1 + 1e-9)) {
        return TRM_REFUSE(reader, node,
                          "no body has this inertia: principal moment %g is above the sum of the "
                          "others, %g + %g",
                          e[2], e[0], e[1]);
    }
    return TRM_OK;
}

trm_status trm_finish_inertia(trm_reader *reader, trm_body_draft *draft)
{
    TRM_TRY(finish_mass(reader, draft));
    if (draft->body.point_mass) {
        return TRM_OK;
    }
    const trm_node *given = trm_node_find(draft->node, "inertia");
    const trm_node *shape = trm_node_find(draft->node, "shape");
    TRM_TRY(given ? read_inertia(reader, given, draft->body.inertia)
                  : inertia_from_shape(reader, draft, draft->body.inertia));
    return check_inertia(reader, given ? given : shape ? shape : draft->node, draft->body.inertia);
}
