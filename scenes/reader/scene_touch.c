// Contacts: bodies whose shapes touch. A contact becomes pairs of bodies/shapes: a rod on a plane
// is its two ends, a box its corners, a cylinder its two rims.

#include "base/expression/switching.h"
#include "base/status.h"
#include "bodies/rotation.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Kinds of shapes beside trm_shape_kind, in the order of trm_touch_forms.
enum { ELLIPSOID = TRM_SHAPE_CYLINDER + 1, PLANE, BOWL, TUBE, CONE, TERRAIN };

/// One of both shapes while it is read.
typedef struct form_draft {
    trm_shape shape;
    int at, at_given;
    double normal[3], axis[3], angle, turned[4];
    int normal_given, turned_given;
    trm_formula height;
} form_draft;

/// A contact while it is read.
typedef struct touch_draft {
    const char *name;
    trm_place place;
    int bodies[2];
    trm_scene_contact contact;
    double rolling, spinning, belt[3];
} touch_draft;

const trm_key trm_touch_keys[] = {
    TRM_KEY("name", TEXT, touch_draft, name,
            "Its name, as that of a stop. Where shapes touch in several points, a box with its "
            "corners, these are NAME_1, NAME_2 and so on.",
            .required = 1, .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY("bodies", BODY_PAIR, touch_draft, bodies,
            "What touches; the ground is a plane unless `shapes` says otherwise.", .required = 1),
    TRM_KEY_OWN("shapes",
                "The shapes of both, in this order, each an object or null: the body's own shape.",
                .schema = "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,\"items\":{\"anyOf\":["
                          "{\"type\":\"null\"},{\"$ref\":\"#/$defs/touch_shape_%d\"}]}}"),
    TRM_COMPLIANCE_KEYS(touch_draft),
    TRM_KEY("friction", NUMBER, touch_draft, contact.friction.coefficient,
            "Coulomb's coefficient of sliding, for the velocity of the two surfaces against each "
            "other, spin included.",
            .given = offsetof(touch_draft, contact.friction.given), .range = TRM_NOT_NEGATIVE,
            .fallback = "0"),
    TRM_KEY("rolling", NUMBER, touch_draft, rolling,
            "Resistance against rolling: times the normal force it is the largest moment.",
            .range = TRM_NOT_NEGATIVE, .unit = "m", .fallback = "0", .excludes = "stiffness"),
    TRM_KEY("spinning", NUMBER, touch_draft, spinning,
            "The same against spinning about the normal.", .range = TRM_NOT_NEGATIVE,
            .dimension = 3, .unit = "m", .fallback = "0", .excludes = "stiffness"),
    TRM_KEY("surface_speed", VECTOR, touch_draft, belt,
            "How the surface of the second body moves over it, as a belt does; in the world in the "
            "initial pose.",
            .unit = "m/s", .needs = "friction", .fallback = "zero"),
    TRM_REPEAT_KEY,
    {.name = NULL},
};

const trm_key trm_touch_shape_keys[] = {
    TRM_KEY("at", MARKER, form_draft, at,
            "A marker of the body: the shape's centre, a point of a plane, the tip of a cone, the "
            "origin of terrain. Without it the body's own centre.",
            .given = offsetof(form_draft, at_given)),
    TRM_KEY("quat_wxyz", VECTOR4, form_draft, turned,
            "How an ellipsoid or one of the shapes of bodies is turned: takes its axes to the "
            "world in the initial pose.",
            .given = offsetof(form_draft, turned_given), .dimension = 3, .range = TRM_NOT_ZERO,
            .fallback = "as the body"),
    {.name = NULL},
};

static const trm_key ellipsoid_keys[] = {
    TRM_KEY("semi_axes", VECTOR, form_draft, shape.size, "Along its axes.", .required = 1,
            .range = TRM_POSITIVE, .unit = "m"),
    {.name = NULL},
};

static const trm_key plane_keys[] = {
    TRM_KEY("normal", VECTOR, form_draft, normal,
            "Out of the half space, in the world in the initial pose; up is against gravity, "
            "without gravity along y, in 3-D z.",
            .given = offsetof(form_draft, normal_given), .range = TRM_NOT_ZERO, .fallback = "up"),
    {.name = NULL},
};

#define RADIUS(text)                                                                               \
    TRM_KEY("radius", NUMBER, form_draft, shape.size[0], text, .required = 1,                      \
            .range = TRM_POSITIVE, .unit = "m")

#define AXIS(text)                                                                                 \
    TRM_KEY("axis", VECTOR, form_draft, axis, text, .required = 1, .range = TRM_NOT_ZERO)

static const trm_key bowl_keys[] = {RADIUS("Of the hollow."), {.name = NULL}};
static const trm_key tube_keys[] = {RADIUS("Of the bore."),
                                    AXIS("Its direction in the world in the initial pose."),
                                    {.name = NULL}};
static const trm_key cone_keys[] = {
    TRM_KEY("angle", NUMBER, form_draft, angle,
            "Between its axis and its wall, below a right angle.", .required = 1,
            .range = TRM_POSITIVE, .unit = "rad"),
    AXIS("From the tip into the hollow, in the world in the initial pose."),
    {.name = NULL},
};
static const trm_key terrain_keys[] = {
    TRM_KEY_OWN(
        "height",
        "A formula of `x`, in 3-D of `x` and `y`, with two continuous derivatives: y, in 3-D "
        "z, of the ground, in the body's frame. One `abs`, `max` or `min` may be in it: both "
        "sides of a valley are contacts, NAME_1 and NAME_2; over a ridge, in 2-D only, balls pass.",
        .required = 1, .unit = "m", .schema = "{\"type\":[\"number\",\"string\"]}"),
    {.name = NULL},
};

const trm_shape_form trm_touch_forms[] = {
    {"ellipsoid", 3, "An egg with three axes.", ellipsoid_keys},
    {"plane", 0, "A half space; in the plane all below a line.", plane_keys},
    {"bowl", 0, "The inside of a sphere, in the plane of a circle.", bowl_keys},
    {"tube", 3, "The inside of a cylinder without ends.", tube_keys},
    {"cone", 3, "The inside of a cone.", cone_keys},
    {"terrain", 0, "Ground of a given height.", terrain_keys},
    {NULL, 0, NULL, NULL},
};

// --------------------------------------------------------------------------------------- one shape

/// A shape in the frame of its body, before it becomes sides of pairs.
typedef struct form {
    int kind;
    trm_touch_side side; ///< size: of the shape as in trm_shape
    const trm_expression *height;
    int kink; ///< of that height: 1 a valley, -1 a ridge; 0: it has none
} form;

static const char *name_of_form(int kind)
{
    return kind == TRM_SHAPE_NONE       ? "no shape"
           : kind <= TRM_SHAPE_CYLINDER ? trm_shape_forms[kind - 1].name
                                        : trm_touch_forms[kind - ELLIPSOID].name;
}

static void find_up(const trm_scene *scene, double up[3])
{
    const double *const g = scene->gravity;
    const double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int i = 0; i < 3; i++) {
        up[i] = length > 0 ? -g[i] / length : i == scene->dimension - 1;
    }
}

/// The axes of a solid in the frame of its body.
static void find_axes(const trm_scene *scene, const form_draft *draft, form *out)
{
    const int along = out->kind == TRM_SHAPE_ROD ? 0 : draft->shape.axis;
    double q[4], R[9], world[9];
    trm_body_axes(scene, TRM_INDEX_GROUND, out->side.axes);
    if (draft->turned_given) {
        memcpy(q, draft->turned, sizeof q);
        trm_unit_vector(4, q);
        trm_rotation_matrix(q, world);
        trm_body_axes(scene, out->side.body, R);
        for (int i = 0; i < 9; i++) {
            const double *const a = &R[i / 3], *const b = &world[i % 3];
            out->side.axes[i] = a[0] * b[0] + a[3] * b[3] + a[6] * b[6];
        }
    }
    for (int i = 0; i < 3; i++) {
        out->side.axis[i] = out->side.axes[3 * i + along];
    }
}

/// The axis of what is no solid in the frame of its body.
static void find_axis(const trm_scene *scene, const form_draft *draft, form *out)
{
    double world[3], R[9];
    if (out->kind == PLANE && !draft->normal_given) {
        find_up(scene, world);
    } else {
        memcpy(world, out->kind == PLANE ? draft->normal : draft->axis, sizeof world);
        trm_unit_vector(3, world);
    }
    if (out->side.body == TRM_INDEX_GROUND) {
        memcpy(out->side.axis, world, sizeof world);
    } else {
        trm_body_axes(scene, out->side.body, R);
        trm_rotate_back(R, world, out->side.axis);
    }
}

/// A height with one kink, f = h + c |g| with c constant: where c > 0 it is the higher one of two
/// smooth grounds h + c g and h - c g, a valley: 1. Where c < 0 it is the lower one, a ridge: -1.
/// Else 0. c is told by five points that no formula knows, to the roundoff of what cancels there.
static int kink_of(const trm_expression *code, double *work)
{
    static const trm_switching_mode above[] = {1}, below[] = {-1};
    double first = 0;
    if (trm_expression_switching_functions(code) != 1 ||
        trm_expression_switching_function(code, 0).kind != TRM_SWITCHING_SIGN ||
        trm_expression_switching_function(code, 0).smoothness != 0) {
        return 0;
    }
    for (int k = 0; k < 5; k++) {
        const double x[2] = {0.7310585 * (k - 2.1), 0.6180340 * (1.3 - k)};
        double g;
        trm_expression_switching_values(code, x, NULL, work, &g);
        const double c = (trm_expression_value_in(code, x, above, work) -
                          trm_expression_value_in(code, x, below, work)) /
                         (2 * g);
        first = k == 0 ? c : first;
        if (!(fabs(c - first) <= sqrt(DBL_EPSILON) * fabs(first))) {
            return 0;
        }
    }
    return first > 0 ? 1 : first < 0 ? -1 : 0;
}

static trm_status read_height(trm_reader *reader, const trm_node *node, form *out)
{
    const trm_node *const child = trm_node_find(node, "height");
    const char *text = NULL, *const second = reader->scene->dimension == 3 ? "y" : NULL;
    trm_expression *code = NULL;
    TRM_TRY(trm_read_formula_text(reader, child, &text));
    const trm_status smooth = trm_compile_along(reader, child, text, "x", second, &code);
    if (smooth == TRM_ERR_SCENE) {
        const trm_error told = *reader->err;
        const trm_scope scope = reader->scope;
        double *work = NULL;
        reader->scope = TRM_SCOPE_STATE; // kinks and all
        trm_status status = trm_compile_along(reader, child, text, "x", second, &code);
        reader->scope = scope;
        status = status ? status
                        : trm_reader_take(reader, (size_t)trm_expression_workspace(code),
                                          sizeof *work, &work);
        out->kink = status ? 0 : kink_of(code, work);
        if (out->kink == 0 || (out->kink < 0 && second)) {
            *reader->err = told;
            return status
                       ? smooth
                       : TRM_FAIL(reader->err, smooth, told.where,
                                  "a height has two derivatives, or one kink of abs, max or min, "
                                  "a valley%s",
                                  second ? "" : " or ridge");
        }
    }
    out->height = code;
    return smooth && out->kink ? TRM_OK : smooth;
}

static trm_status read_shape(trm_reader *reader, const trm_node *node, int body, form *out)
{
    const trm_scene *const scene = reader->scene;
    form_draft draft = {.at = TRM_INDEX_NONE};
    *out = (form){.side.body = body};
    if (node && node->type != TRM_NODE_NULL) {
        TRM_TRY(trm_read_form(reader, node, trm_touch_forms, trm_touch_shape_keys, &draft.shape));
    } else if (body == TRM_INDEX_GROUND) {
        draft.shape.kind = (trm_shape_kind)PLANE;
    } else {
        draft.shape = scene->bodies[body].shape;
    }
    out->kind = (int)draft.shape.kind;
    memcpy(out->side.size, draft.shape.size, sizeof out->side.size);
    if (draft.at_given) {
        const trm_scene_marker *const at = &scene->markers[draft.at];
        if (at->body != body) {
            return TRM_REFUSE(reader, trm_node_find(node, "at"),
                              "marker \"%.60s\" is on another body", at->name);
        }
        memcpy(out->side.center, at->local, sizeof out->side.center);
    }
    if (draft.turned_given && out->kind >= PLANE) {
        return TRM_REFUSE(reader, trm_node_find(node, "quat_wxyz"),
                          "\"quat_wxyz\" turns solids; a %s has none", name_of_form(out->kind));
    }
    out->kind < PLANE ? find_axes(scene, &draft, out) : find_axis(scene, &draft, out);
    if (out->kind == TRM_SHAPE_ROD && !(draft.shape.size[0] > 0)) {
        return TRM_REFUSE(reader, node, "missing key \"length\"");
    }
    if (out->kind == CONE) {
        out->side.size[0] = 0;
        out->side.size[1] = draft.angle;
        if (!(draft.angle < TRM_PI / 2)) {
            return TRM_FAIL(
                reader->err, TRM_ERR_SCENE, trm_at(reader, trm_node_find(node, "angle")),
                "the angle of a cone must be below a right angle, got %g rad", draft.angle);
        }
    }
    if (out->kind == TUBE) {
        out->side.size[1] = 0;
    }
    return out->kind == TERRAIN ? read_height(reader, node, out) : TRM_OK;
}

// ------------------------------------------------------------------------------------------- pairs

/// What a contact becomes.
typedef struct touches {
    int n;
    trm_touch_pair pair[TRM_MOST_TOUCHES];
} touches;

static int is_ball(const form *f, int dimension)
{
    return f->kind == TRM_SHAPE_SPHERE || f->kind == TRM_SHAPE_POINT ||
           (f->kind == TRM_SHAPE_DISC && dimension == 2);
}

static int is_rimmed(const form *f, int dimension)
{
    return f->kind == TRM_SHAPE_CYLINDER || (f->kind == TRM_SHAPE_DISC && dimension == 3);
}

/// A side of its own at `along` its axis from the centre.
static trm_touch_side moved(const trm_touch_side *from, double along, double radius)
{
    trm_touch_side side = *from;
    for (int i = 0; i < 3; i++) {
        side.center[i] += along * from->axis[i];
        side.size[i] = 0;
    }
    side.size[0] = radius;
    return side;
}

static void add_pair(touches *out, trm_touch_kind kind, trm_touch_side a, const form *b)
{
    for (int piece = b->kink > 0 ? -1 : 1; piece <= 1; piece += 2) {
        out->pair[out->n++] = (trm_touch_pair){.kind = kind,
                                               .side = {a, b->side},
                                               .height = b->height,
                                               .piece = b->kink > 0   ? piece
                                                        : b->kink < 0 ? TRM_TOUCH_RIDGE
                                                                      : 0};
    }
}

/// The round parts of a form against a surface that holds balls: ends of a rod, corners of a box.
static void add_balls(const form *a, const form *b, trm_touch_kind kind, int dimension,
                      touches *out)
{
    const double *const size = a->side.size;
    if (a->kind == TRM_SHAPE_ROD) {
        add_pair(out, kind, moved(&a->side, size[0] / 2, size[1]), b);
        add_pair(out, kind, moved(&a->side, -size[0] / 2, size[1]), b);
        return;
    }
    if (a->kind != TRM_SHAPE_BOX) {
        add_pair(out, kind, moved(&a->side, 0, a->kind == TRM_SHAPE_POINT ? 0 : size[0]), b);
        return;
    }
    for (int corner = 0; corner < 1 << dimension; corner++) {
        trm_touch_side side = moved(&a->side, 0, 0);
        double from[3] = {0}, at[3];
        for (int i = 0; i < dimension; i++) {
            from[i] = (corner >> i & 1 ? -0.5 : 0.5) * size[i];
        }
        trm_rotate(side.axes, from, at);
        for (int i = 0; i < dimension; i++) {
            side.center[i] += at[i];
        }
        add_pair(out, kind, side, b);
    }
}

/// A cylinder's two rims, the one of a disc without thickness.
static void add_rims(const form *a, const form *b, touches *out)
{
    const double half = a->side.size[1] / 2;
    add_pair(out, TRM_TOUCH_RIM_PLANE, moved(&a->side, half, a->side.size[0]), b);
    if (half > 0) {
        add_pair(out, TRM_TOUCH_RIM_PLANE, moved(&a->side, -half, a->side.size[0]), b);
    }
}

/// The solid as the pair has it: half edges, or radius and half length.
static form solid_of(const form *b)
{
    form out = *b;
    double *const size = out.side.size;
    if (b->kind == TRM_SHAPE_BOX) {
        for (int i = 0; i < 3; i++) {
            size[i] /= 2;
        }
    } else if (b->kind == TRM_SHAPE_ROD) {
        size[0] = b->side.size[1];
        size[1] = b->side.size[0] / 2;
    } else {
        size[1] /= 2;
    }
    return out;
}

/// Pairs of a against b, b being what a lies on; none where the engine has no such pair.
static void pair_up(const form *a, const form *b, int dimension, touches *out)
{
    const int balls = is_ball(a, dimension) || a->kind == TRM_SHAPE_ROD || a->kind == TRM_SHAPE_BOX;
    const int round = is_ball(a, dimension) && a->kind != TRM_SHAPE_POINT;
    const form solid = solid_of(b);
    out->n = 0;
    if (b->kind == PLANE && a->kind == ELLIPSOID) {
        add_pair(out, TRM_TOUCH_ELLIPSOID_PLANE, a->side, b);
    } else if (b->kind == PLANE && is_rimmed(a, dimension)) {
        add_rims(a, b, out);
    } else if ((b->kink < 0 ? round : balls) && b->kind >= PLANE) {
        static const trm_touch_kind kinds[] = {TRM_TOUCH_BALL_PLANE, TRM_TOUCH_BALL_BOWL,
                                               TRM_TOUCH_BALL_FUNNEL, TRM_TOUCH_BALL_FUNNEL,
                                               TRM_TOUCH_BALL_TERRAIN};
        add_balls(a, b, kinds[b->kind - PLANE], dimension, out);
    } else if (round && is_ball(b, dimension)) {
        add_balls(a, b, TRM_TOUCH_BALL_BALL, dimension, out);
    } else if (round && b->kind == TRM_SHAPE_BOX) {
        add_balls(a, &solid, TRM_TOUCH_BALL_BOX, dimension, out);
    } else if (round && b->kind == TRM_SHAPE_ROD) {
        add_balls(a, &solid, TRM_TOUCH_BALL_ROD, dimension, out);
    } else if (round && b->kind == TRM_SHAPE_CYLINDER) {
        add_balls(a, &solid, TRM_TOUCH_BALL_CYLINDER, dimension, out);
    }
}

/// A direction of side 1 that the normal does not take: the axis of what is round about it, else
/// one across the line of the centres at the start and the way they go.
static void find_across(const trm_scene *scene, trm_touch_pair *pair)
{
    const trm_touch_side *const a = &pair->side[0], *const b = &pair->side[1];
    double x[2][3], d[3], v[3] = {0, 0, 0}, one[3], two[3], R[9];
    const int plane = pair->kind == TRM_TOUCH_BALL_PLANE || pair->kind == TRM_TOUCH_RIM_PLANE ||
                      pair->kind == TRM_TOUCH_ELLIPSOID_PLANE;
    if (pair->kind == TRM_TOUCH_BALL_FUNNEL || pair->kind == TRM_TOUCH_BALL_ROD ||
        pair->kind == TRM_TOUCH_BALL_CYLINDER) {
        memcpy(pair->across, b->axis, sizeof pair->across);
        return;
    }
    trm_to_world_frame(scene, a->body, a->center, x[0]);
    trm_to_world_frame(scene, b->body, b->center, x[1]);
    for (int i = 0; i < 3; i++) {
        d[i] = x[0][i] - x[1][i];
        v[i] = (a->body == TRM_INDEX_GROUND ? 0 : scene->bodies[a->body].velocity[i]) -
               (b->body == TRM_INDEX_GROUND ? 0 : scene->bodies[b->body].velocity[i]);
    }
    if (plane) {
        trm_frame_around(b->axis, pair->across, two);
        return;
    }
    if (!trm_unit_vector(3, d)) {
        d[2] = 1;
    }
    const double crossed[3] = {d[1] * v[2] - d[2] * v[1], d[2] * v[0] - d[0] * v[2],
                               d[0] * v[1] - d[1] * v[0]};
    memcpy(one, crossed, sizeof one);
    if (!trm_unit_vector(3, one)) {
        trm_frame_around(d, one, two);
    }
    if (b->body == TRM_INDEX_GROUND) {
        memcpy(pair->across, one, sizeof one);
    } else {
        trm_body_axes(scene, b->body, R);
        trm_rotate_back(R, one, pair->across);
    }
}

// ----------------------------------------------------------------------------------------- contact

/// One row of a pair; friction of the coefficient mu where it is not the gap.
static void add_row(trm_scene *scene, const touch_draft *draft, const char *name,
                    const trm_touch_pair *pair, int axis, int first, double mu)
{
    const int gap = axis == TRM_TOUCH_GAP, own = scene->ncontacts++;
    const int paired =
        scene->dimension == 3 && !gap && axis != TRM_TOUCH_SPINS && axis != TRM_TOUCH_TWISTS;
    const int second =
        axis == TRM_TOUCH_ACROSS || axis == TRM_TOUCH_ROLLS_ACROSS || axis == TRM_TOUCH_TIPS_ACROSS;
    trm_scene_contact *const row = &scene->contacts[own];
    *row = draft->contact;
    row->name = name;
    row->place = draft->place;
    row->touch = pair;
    row->axis = axis;
    row->limits[0] = gap ? 0 : -INFINITY;
    row->limits_given = gap;
    row->stiffness = gap ? row->stiffness : 0;
    const trm_scene_friction *const f = &draft->contact.friction;
    const int slips =
        axis == TRM_TOUCH_ALONG || axis == TRM_TOUCH_ACROSS || axis == TRM_TOUCH_TWISTS;
    row->friction =
        (trm_scene_friction){.coefficient = mu,
                             .holding = slips && mu > 0 ? f->holding * mu / f->coefficient : 0,
                             .stribeck = slips ? f->stribeck : 0,
                             .regularized = gap ? 0 : f->regularized,
                             .given = !gap};
    row->normal = own - first;
    row->mate = !paired ? 0 : second ? -1 : 1;
}

/// The rows of one pair: the gap, friction along the surface, resistance against turning.
static trm_status add_rows(trm_reader *reader, const touch_draft *draft, const char *name,
                           const trm_touch_pair *pair)
{
    trm_scene *const scene = reader->scene;
    // Pressed evenly, a face resists spin by the moment of mu p r over it: 2/3 mu N r.
    const double r = pair->kind == TRM_TOUCH_RIM_PLANE ? pair->side[0].size[0] : 0;
    const double mu[] = {0,
                         draft->contact.friction.coefficient,
                         draft->contact.friction.coefficient,
                         draft->rolling,
                         draft->rolling,
                         draft->spinning,
                         r,
                         r,
                         2.0 / 3 * r * draft->contact.friction.coefficient};
    const int first = scene->ncontacts;
    trm_touch_pair *kept = NULL;
    TRM_TRY(trm_reader_take(reader, 1, sizeof *kept, &kept));
    *kept = *pair;
    find_across(scene, kept);
    kept->belt_side = kept->side[0].body == draft->bodies[1] ? 0 : 1;
    memcpy(kept->belt, draft->belt, sizeof kept->belt);
    if (draft->bodies[1] != TRM_INDEX_GROUND) {
        double R[9];
        trm_body_axes(scene, draft->bodies[1], R);
        trm_rotate_back(R, draft->belt, kept->belt);
    }
    for (int axis = TRM_TOUCH_GAP; axis <= TRM_TOUCH_TWISTS; axis++) {
        const int slides = axis == TRM_TOUCH_ALONG || axis == TRM_TOUCH_ACROSS;
        const int second = axis == TRM_TOUCH_ACROSS || axis >= TRM_TOUCH_ROLLS_ACROSS;
        const int wanted =
            axis == TRM_TOUCH_GAP || mu[axis] > 0 || (slides && draft->contact.friction.given);
        if (wanted && (scene->dimension == 3 || !second)) {
            add_row(scene, draft, name, kept, axis, first, mu[axis]);
        }
    }
    return TRM_OK;
}

static trm_status refuse_pair(trm_reader *reader, const trm_node *node, const form f[2])
{
    for (int i = 0; i < 2; i++) {
        if (f[i].kind == TRM_SHAPE_NONE) {
            return TRM_REFUSE(
                reader, node,
                "'%.60s' has no shape: give it a \"shape\", or this contact \"shapes\"",
                reader->scene->bodies[f[i].side.body].name);
        }
    }
    return TRM_REFUSE(
        reader, node,
        "%s and %s cannot touch; a sphere (in 2-D a disc) can touch every shape, a rod "
        "or box a plane, terrain, bowl, tube or cone, a cylinder or ellipsoid a plane",
        name_of_form(f[0].kind), name_of_form(f[1].kind));
}

trm_status trm_check_restitution(trm_reader *reader, const trm_node *object, double e)
{
    return e <= 1 ? TRM_OK
                  : TRM_REFUSE(reader, trm_node_find(object, "restitution"),
                               "restitution must be 0 to 1, got %g", e);
}

trm_status trm_check_compliance(trm_reader *reader, const trm_node *node,
                                const trm_scene_contact *contact)
{
    const trm_scene_friction *const f = &contact->friction;
    TRM_TRY(trm_check_restitution(reader, node, contact->restitution));
    if (f->regularized > 0 && !f->given) {
        return TRM_REFUSE(reader, trm_node_find(node, "regularized"),
                          "\"regularized\" has no effect without \"friction\"");
    }
    if (f->holding > 0 && !(f->coefficient > 0 && f->holding >= f->coefficient)) {
        return TRM_REFUSE(reader, trm_node_find(node, "sticking"),
                          "friction that sticks, %g, must not be less than friction that slides, "
                          "%g, and that is above 0",
                          f->holding, f->coefficient);
    }
    return f->given && contact->stiffness > 0 && !(f->regularized > 0)
               ? TRM_REFUSE(reader, trm_node_find(node, "friction"),
                            "friction beside \"stiffness\" is a smooth law: give \"regularized\", "
                            "in m/s; without \"stiffness\" it sticks")
               : TRM_OK;
}

trm_status trm_read_touch(trm_reader *reader, const trm_node *node, int index)
{
    const trm_key *const tables[] = {trm_touch_keys};
    const int dimension = reader->scene->dimension;
    const trm_node *const shapes = trm_node_find(node, "shapes"), *shape[2] = {NULL, NULL};
    touch_draft draft = {.contact = {.joint = TRM_INDEX_NONE,
                                     .constraint = TRM_INDEX_NONE,
                                     .limits = {0, INFINITY},
                                     .exponent = 1,
                                     .on = TRM_INDEX_NONE}};
    touches found = {0};
    form f[2];
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &draft));
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_STOP, index, &draft.name));
    TRM_TRY(trm_reader_place(reader, node, &draft.place));
    TRM_TRY(trm_check_compliance(reader, node, &draft.contact));
    if (shapes) {
        TRM_TRY(trm_read_array(reader, shapes));
        if (trm_node_size(shapes) != 2) {
            return TRM_REFUSE(reader, shapes, "expected the shapes of both bodies, got %d entries",
                              trm_node_size(shapes));
        }
        shape[0] = shapes + 1;
        shape[1] = shape[0] + shape[0]->span;
    }
    for (int i = 0; i < 2; i++) {
        TRM_TRY(read_shape(reader, shape[i], draft.bodies[i], &f[i]));
    }
    pair_up(&f[0], &f[1], dimension, &found);
    if (found.n == 0) {
        pair_up(&f[1], &f[0], dimension, &found);
    }
    if (found.n == 0) {
        return refuse_pair(reader, node, f);
    }
    if (draft.contact.stiffness > 0 && found.pair[0].kind == TRM_TOUCH_RIM_PLANE) {
        return TRM_REFUSE(reader, trm_node_find(node, "stiffness"),
                          "a rim on a plane is rigid: it lies flat on its face; spheres, rods, "
                          "boxes and ellipsoids take \"stiffness\"");
    }
    for (int k = 0; k < found.n; k++) {
        const char *name = draft.name;
        char numbered[80];
        if (found.n > 1) {
            snprintf(numbered, sizeof numbered, "%.63s_%d", draft.name, k + 1);
            name = trm_pool_copy(reader->pool, numbered, strlen(numbered));
            TRM_TRY(name ? TRM_OK : trm_reader_no_memory(reader));
        }
        TRM_TRY(add_rows(reader, &draft, name, &found.pair[k]));
    }
    return TRM_OK;
}
