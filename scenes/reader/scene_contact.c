// Limits and friction of joints, what relations of joints lose or leave loose, and stops.
//
// A stop of a marker p from a line or plane through the marker o, whose normal n is fixed in the
// body of o:
//
//     x = (p - o) . R n_body >= 0

#include "base/expression/switching.h"
#include "base/pi.h"
#include "base/status.h"
#include "bodies/vector.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const trm_key trm_friction_keys[] = {
    TRM_KEY("sliding", NUMBER, trm_scene_friction, sliding, "What it takes while the joint moves.",
            .given = offsetof(trm_scene_friction, sliding_given), .range = TRM_NOT_NEGATIVE,
            .fallback = "0", .unit = "N m or N"),
    TRM_KEY("sticking", NUMBER, trm_scene_friction, sticking,
            "What it holds at most while the joint rests; not less than `sliding`.",
            .given = offsetof(trm_scene_friction, sticking_given), .range = TRM_NOT_NEGATIVE,
            .unit = "N m or N", .fallback = "as sliding"),
    TRM_KEY("bound", FORMULA, trm_scene_friction, bound,
            "Instead of both a formula, as of a force: what a brake is commanded to take. Below 0 "
            "it counts as 0.",
            .unit = "N m or N", .excludes = "sliding|sticking|regularized"),
    TRM_KEY("stribeck", NUMBER, trm_scene_friction, stribeck,
            "From sticking to sliding as exp(-(rate/stribeck)^2); without it at once.",
            .range = TRM_POSITIVE, .unit = "rad/s or m/s", .needs = "sticking"),
    TRM_KEY("viscous", NUMBER, trm_scene_friction, viscous, "Times the rate, beside the dry part.",
            .range = TRM_NOT_NEGATIVE, .unit = "N m s/rad or N s/m", .fallback = "0"),
    TRM_KEY("coefficient", NUMBER, trm_scene_friction, coefficient,
            "Of Coulomb: times the length of the joint's reaction force, besides `sliding` and "
            "`sticking`.",
            .range = TRM_NOT_NEGATIVE, .fallback = "0"),
    TRM_KEY("radius", NUMBER, trm_scene_friction, radius,
            "Of the pin of a hinge with `coefficient`: where that friction acts.",
            .given = offsetof(trm_scene_friction, radius_given), .range = TRM_POSITIVE, .unit = "m",
            .needs = "coefficient"),
    TRM_KEY(
        "regularized", NUMBER, trm_scene_friction, regularized,
        "A smooth law instead, times u/sqrt(1 + u^2), u = rate/regularized: it never sticks but "
        "creeps, and reports say so.",
        .range = TRM_POSITIVE, .unit = "rad/s or m/s"),
    {.name = NULL},
};

/// A stop while it is read.
typedef struct stop_draft {
    trm_scene_contact contact;
    trm_formula gap, along;
    int marker, on, marker_given, on_given;
    double normal[3], distance;
    int normal_given, distance_given;
} stop_draft;

const trm_key trm_stop_keys[] = {
    TRM_KEY("name", TEXT, stop_draft, contact.name,
            "Its name; no joint, constraint, force, event or other stop may have it.",
            .required = 1, .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY("gap", FORMULA, stop_draft, gap,
            "The distance, as the expression of a constraint: \"hypot(b.x - a.x, b.y - a.y) - "
            "0.1\"; this or `marker`.",
            .schema = "{\"type\":\"string\"}"),
    TRM_KEY("marker", MARKER, stop_draft, marker,
            "The point that stays on one side of a line or plane; this or `gap`.",
            .given = offsetof(stop_draft, marker_given)),
    TRM_KEY("on", MARKER, stop_draft, on,
            "A point of that line or plane, which is fixed to its body.",
            .given = offsetof(stop_draft, on_given), .needs = "marker"),
    TRM_KEY("normal", VECTOR, stop_draft, normal,
            "Towards the side where the point is, in the world in the initial pose.",
            .given = offsetof(stop_draft, normal_given), .range = TRM_NOT_ZERO, .needs = "marker"),
    TRM_KEY(
        "distance", NUMBER, stop_draft, distance,
        "Instead of `normal`: what `marker` keeps from `on` at least, as two balls of radii r and "
        "R with r + R.",
        .given = offsetof(stop_draft, distance_given), .range = TRM_POSITIVE, .unit = "m",
        .needs = "marker"),
    TRM_COMPLIANCE_KEYS(stop_draft),
    TRM_KEY("friction", NUMBER, stop_draft, contact.friction.coefficient,
            "Coulomb's coefficient along the line or plane, for a stop of a `marker`. In space "
            "`S.friction` of stop S acts along e x n, e the axis that n has least of, and "
            "`S.friction2` along n x (e x n).",
            .given = offsetof(stop_draft, contact.friction.given), .range = TRM_NOT_NEGATIVE,
            .fallback = "0"),
    TRM_REPEAT_KEY,
    {.name = NULL},
};

const trm_key_group trm_stop_groups[] = {{1, {"gap", "marker"}}, {0, {NULL}}};

// -------------------------------------------------------------------------------------- formulas

/// A direction in the body of `on`, in units of the length of the normal.
static void unit_normal(const trm_scene *scene, const stop_draft *draft, const double direction[3],
                        double out[3])
{
    const int body = scene->markers[draft->on].body;
    const double *const n = draft->normal;
    const double length = sqrt(dot(n, n)), zero[3] = {0, 0, 0};
    const double unit[3] = {direction[0] / length, direction[1] / length, direction[2] / length};
    double at[3], tip[3];
    trm_to_body_frame(scene, body, zero, at);
    trm_to_body_frame(scene, body, unit, tip);
    subtract(tip, at, out);
}

/// A formula of the words of relations (scene_symbol.c) about two markers or joints.
static trm_status write_formula(trm_reader *reader, const trm_node *node,
                                const trm_scene_constraint *def, const char *text, trm_formula *out)
{
    const trm_relation relation = {.scene = reader->scene, .def = def};
    const char *const copy = trm_pool_copy(reader->pool, text, strlen(text));
    trm_naming n = {.reader = reader, .formula = out, .relation = &relation};
    return copy ? trm_compile_named(node, copy, &n) : trm_reader_no_memory(reader);
}

/// How far a marker is from another one: along a direction that is fixed in the body of that, or
/// (NULL) at all, less a distance.
static trm_status write_distance(trm_reader *reader, const trm_node *node, const stop_draft *draft,
                                 const double *direction, trm_formula *out)
{
    static const char plane[] = "(_X-_x)*(cos(_q)*(%.17g)-sin(_q)*(%.17g))+"
                                "(_Y-_y)*(sin(_q)*(%.17g)+cos(_q)*(%.17g))";
    static const char space[] = "(_X-_x)*(_R00*(%.17g)+_R01*(%.17g)+_R02*(%.17g))+"
                                "(_Y-_y)*(_R10*(%.17g)+_R11*(%.17g)+_R12*(%.17g))+"
                                "(_Z-_z)*(_R20*(%.17g)+_R21*(%.17g)+_R22*(%.17g))";
    const int d = reader->scene->dimension;
    const trm_scene_constraint def = {.marker = TRM_INDEX_NONE,
                                      .markers = {draft->on, draft->marker}};
    double n[3];
    char text[512];
    if (!direction) {
        snprintf(text, sizeof text, "sqrt((_X-_x)^2+(_Y-_y)^2%s)-(%.17g)",
                 d == 3 ? "+(_Z-_z)^2" : "", draft->distance);
        return write_formula(reader, node, &def, text, out);
    }
    unit_normal(reader->scene, draft, direction, n);
    snprintf(text, sizeof text, d == 2 ? plane : space, n[0], n[1], d == 2 ? n[0] : n[2],
             d == 2 ? n[1] : n[0], n[1], n[2], n[0], n[1], n[2]);
    return write_formula(reader, node, &def, text, out);
}

// ---------------------------------------------------------------------------------------- joints

/// [lo, hi], null for none.
static trm_status read_limits(trm_reader *reader, const trm_node *node, double out[2])
{
    TRM_TRY(trm_read_array(reader, node));
    if (trm_node_size(node) != 2) {
        return TRM_REFUSE(reader, node, "expected [lo, hi], got %d entries", trm_node_size(node));
    }
    const trm_node *entry = node + 1;
    for (int i = 0; i < 2; i++, entry += entry->span) {
        out[i] = i == 0 ? -INFINITY : INFINITY;
        if (entry->type != TRM_NODE_NULL) {
            TRM_TRY(trm_read_number(reader, entry, &out[i]));
        }
    }
    if (isinf(out[0]) && isinf(out[1])) {
        return TRM_REFUSE(reader, node,
                          "limits without a limit: give [lo, null], [null, hi] or [lo, hi]");
    }
    return out[0] <= out[1]
               ? TRM_OK
               : TRM_REFUSE(reader, node, "limits must be [lo, hi] with lo <= hi, got [%g, %g]",
                            out[0], out[1]);
}

/// What a smooth law is of, and what it never asks for.
static trm_status check_smooth_law(trm_reader *reader, const trm_node *node,
                                   const trm_scene_friction *friction)
{
    const trm_node *sticking = trm_node_find(node, "sticking");
    const int stribeck = friction->stribeck > 0;
    const char *wrong = !(friction->regularized > 0) ? NULL
                        : friction->coefficient > 0
                            ? "\"regularized\" is for friction of a bound, not of a \"coefficient\""
                        : !friction->sliding_given && !stribeck
                            ? "\"regularized\" has no effect without \"sliding\" or \"stribeck\""
                        : sticking && !stribeck
                            ? "\"sticking\" has no effect beside \"regularized\", which never "
                              "sticks, without \"stribeck\""
                            : NULL;
    return wrong ? TRM_REFUSE(reader, node, "%s", wrong) : TRM_OK;
}

/// An object that says of nothing how much it takes.
static int is_without_bound(const trm_node *node)
{
    return !trm_node_find(node, "bound") && !trm_node_find(node, "sliding") &&
           !trm_node_find(node, "sticking") && !trm_node_find(node, "viscous") &&
           !trm_node_find(node, "coefficient");
}

static trm_status read_friction(trm_reader *reader, const trm_node *node, int hinge,
                                trm_scene_friction *out)
{
    const trm_key *const tables[] = {trm_friction_keys};
    if (node->type == TRM_NODE_OBJECT) {
        const trm_scope scope = reader->scope;
        reader->scope = TRM_SCOPE_STATE;
        TRM_TRY(trm_read_keys(reader, node, tables, 1, out));
        reader->scope = scope;
        if (out->bound.text) {
            out->sliding = out->sliding_given = 1;
        }
        if (is_without_bound(node)) {
            return TRM_REFUSE(reader, node,
                              "friction without a bound: give \"sliding\", \"viscous\" or "
                              "\"coefficient\"");
        }
    } else {
        TRM_TRY(trm_read_number(reader, node, &out->sliding));
    }
    out->given = 1;
    if (out->coefficient > 0 && hinge != out->radius_given) {
        return TRM_REFUSE(reader, node,
                          hinge ? "missing key \"radius\": friction of a hinge by a coefficient "
                                  "acts at its pin"
                                : "\"radius\" is for hinges");
    }
    TRM_TRY(check_smooth_law(reader, node, out));
    out->radius = out->radius_given ? out->radius : 1;
    out->sticking = out->sticking_given ? out->sticking : out->sliding;
    if (!(out->sliding >= 0)) {
        return TRM_REFUSE(reader, node, "friction must be >= 0, got %g", out->sliding);
    }
    return out->sticking >= out->sliding
               ? TRM_OK
               : TRM_REFUSE(reader, node,
                            "friction that sticks, %g, must not be less than friction that slides, "
                            "%g",
                            out->sticking, out->sliding);
}

/// The coordinate of a joint as a formula.
static trm_status write_coordinate(trm_reader *reader, int joint, trm_formula *out)
{
    const trm_scene_constraint def = {.joints = {.n = 1, .item = {joint}}};
    TRM_TRY(write_formula(reader, reader->document->nodes, &def, "_0", out));
    out->place = reader->scene->joints[joint].place;
    return TRM_OK;
}

/// Friction beside a compliant limit is a row of its own: the limit presses while it sticks.
static trm_status add_joint_contact(trm_reader *reader, trm_scene_joint *joint,
                                    const trm_scene_contact *contact)
{
    const int both = contact->friction.given && contact->stiffness > 0;
    TRM_TRY(trm_reader_take(reader, 1 + (size_t)both, sizeof *contact, &joint->contact));
    joint->ncontacts = 1 + both;
    joint->contact[0] = *contact;
    if (both) {
        char name[80];
        snprintf(name, sizeof name, "%.63s.friction", contact->name);
        joint->contact[0].friction = (trm_scene_friction){.given = 0};
        joint->contact[1] = *contact;
        joint->contact[1].name = trm_pool_copy(reader->pool, name, strlen(name));
        joint->contact[1].limits[0] = -INFINITY;
        joint->contact[1].limits[1] = INFINITY;
        joint->contact[1].limits_given = 0;
        joint->contact[1].stiffness = joint->contact[1].damping = 0;
        joint->contact[1].restitution = 0;
        TRM_TRY(joint->contact[1].name ? TRM_OK : trm_reader_no_memory(reader));
    }
    reader->scene->ncontacts += joint->ncontacts;
    return TRM_OK;
}

trm_status trm_read_joint_contact(trm_reader *reader, const trm_node *node, int index,
                                  trm_scene_contact *contact)
{
    trm_scene_joint *joint = &reader->scene->joints[index];
    const trm_joint_part *const parts = joint->kind->parts;
    static const char *const keys[] = {"limits", "friction", "restitution", "limit_stiffness",
                                       "limit_damping"};
    const trm_node *limits = trm_node_find(node, "limits");
    const trm_node *friction = trm_node_find(node, "friction");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const trm_node *key = trm_node_find(node, keys[i]);
        if (key && joint->kind->freedom == TRM_FREEDOM_NONE) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, key),
                            "joint \"%.60s\" cannot have \"%s\": a %s joint has not one "
                            "coordinate%s%s%s",
                            joint->name, keys[i], joint->kind->name,
                            parts ? "; its freedoms take it: \""
                                  : ", as a revolute or prismatic one; \"stops\" take formulas",
                            parts ? parts->name : "", parts ? "\": {...}" : "");
        }
    }
    contact->limits[0] = -INFINITY;
    contact->limits[1] = INFINITY;
    contact->exponent = 1;
    if (limits) {
        TRM_TRY(read_limits(reader, limits, contact->limits));
        contact->limits_given = 1;
    }
    TRM_TRY(trm_check_restitution(reader, node, contact->restitution));
    if (friction) {
        TRM_TRY(
            read_friction(reader, friction, trm_turns(joint->kind->freedom), &contact->friction));
    }
    if (limits || friction) {
        contact->name = joint->name;
        contact->joint = index;
        contact->constraint = TRM_INDEX_NONE;
        TRM_TRY(trm_reader_place(reader, limits ? limits : friction, &contact->place));
        TRM_TRY(write_coordinate(reader, index, &contact->x));
        contact->x.place = contact->place;
        return add_joint_contact(reader, joint, contact);
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------ relations

/// Friction along x = sum c_i x_i, of two coordinates, by the reaction of the constraint.
static trm_status write_loss(trm_reader *reader, const trm_node *node, trm_scene_constraint *def,
                             const double c[2], double coefficient)
{
    char text[80];
    def->contact->friction =
        (trm_scene_friction){.coefficient = coefficient, .radius = 1, .given = 1};
    snprintf(text, sizeof text, "(%.17g)*_0 + (%.17g)*_1", c[0], c[1]);
    return write_formula(reader, node, def, text, &def->contact->x);
}

/// What rubs is x = sin(a) x_nut + r cos(a) phi, the way along the thread of angle a, tan(a) =
/// lead/(2 pi r): it takes the force along the thread to f sin(a) on the nut and f r cos(a) on the
/// screw. Across the thread presses N, the reaction of the screw: N cos(a) along the axis, which is
/// lambda. So |f| <= mu |lambda|/cos(a).
static trm_status write_thread(trm_reader *reader, const trm_node *node, trm_scene_constraint *def)
{
    const double angle = atan(def->lead / (2 * TRM_PI * def->radius));
    const double c[2] = {def->radius * cos(angle), sin(angle)};
    return write_loss(reader, node, def, c, def->friction / cos(angle));
}

/// 0 = c_0 x_0 + c_1 x_1 loses by friction along y = (c_1 x_1 - c_0 x_0)/2, |f| <= mu |lambda|: of
/// |lambda y'| (1 + mu/2) that comes in |lambda y'| (1 - mu/2) goes out, from either side. So the
/// efficiency is (1 - mu/2)/(1 + mu/2).
static trm_status write_efficiency(trm_reader *reader, const trm_node *node,
                                   trm_scene_constraint *def)
{
    const trm_formula *const g = &def->expression[0];
    const double at[2] = {0, 0}, eta = def->efficiency;
    double slope[2] = {0, 0}, *work = NULL, c[2] = {0, 0};
    if (eta > 1 || g->nvariables != 2) {
        return TRM_REFUSE(reader, node,
                          eta > 1 ? "efficiency must be at most 1, got %g"
                                  : "efficiency %g is of two joints, one that drives the other",
                          eta);
    }
    TRM_TRY(
        trm_reader_take(reader, (size_t)trm_expression_workspace(g->code), sizeof *work, &work));
    trm_expression_gradient_in(g->code, at, NULL, work, slope);
    if (slope[0] == 0 || slope[1] == 0) {
        return TRM_REFUSE(reader, node, "efficiency %g is of two joints, one that drives the other",
                          eta);
    }
    for (int i = 0; i < 2; i++) {
        const int first = g->variables[i].index == def->joints.item[0];
        c[!first] = (first ? -0.5 : 0.5) * slope[i];
    }
    return write_loss(reader, node, def, c, 2 * (1 - eta) / (1 + eta));
}

/// A clutch, a play, a freewheel or a ratchet, of the sum that an equation would hold.
static trm_status write_loose(trm_reader *reader, const trm_node *node, const trm_node *friction,
                              trm_scene_constraint *def)
{
    trm_scene_contact *const contact = def->contact;
    if (friction) {
        TRM_TRY(read_friction(reader, friction, 0, &contact->friction));
    }
    if (contact->friction.coefficient > 0) {
        return TRM_REFUSE(reader, friction,
                          "\"coefficient\" is for joints, whose reaction presses; give a clutch a "
                          "\"bound\", as pressure*radius*mu");
    }
    if (def->constant_given && !(def->backlash > 0)) {
        return TRM_REFUSE(reader, trm_node_find(node, "constant"),
                          "\"constant\" has no effect beside \"friction\" without \"backlash\"");
    }
    contact->x = def->expression[0];
    contact->restitution = def->restitution;
    contact->restitution_given = def->restitution_given;
    contact->limits_given = def->backlash > 0 || def->one_way;
    contact->one_way = def->one_way;
    contact->teeth = def->teeth;
    if (contact->limits_given) {
        contact->limits[0] = def->one_way ? 0 : -0.5 * def->backlash;
        contact->limits[1] = def->one_way ? INFINITY : 0.5 * def->backlash;
    }
    def->nrows = 0;
    return trm_check_restitution(reader, node, def->restitution);
}

trm_status trm_read_relation_contact(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_constraint *const def = &reader->scene->constraints[index];
    const trm_node *const friction = trm_node_find(node, "friction");
    const trm_node *const efficiency = trm_node_find(node, "efficiency");
    const int thread = def->friction > 0, loses = efficiency && def->efficiency != 1;
    const int loose = def->backlash > 0 || def->one_way || (friction && !def->friction_given);
    if (!thread && !loses && !loose) {
        return TRM_OK;
    }
    TRM_TRY(trm_reader_take(reader, 1, sizeof *def->contact, &def->contact));
    *def->contact = (trm_scene_contact){.name = def->name,
                                        .place = def->place,
                                        .joint = TRM_INDEX_NONE,
                                        .constraint = index,
                                        .limits = {-INFINITY, INFINITY},
                                        .exponent = 1};
    reader->scene->ncontacts++;
    return thread  ? write_thread(reader, friction ? friction : node, def)
           : loses ? write_efficiency(reader, efficiency, def)
                   : write_loose(reader, node, friction, def);
}

// ----------------------------------------------------------------------------------------- stops

/// Two directions across n at right angles, as long as n; in the plane there is one.
static void directions_along(int dimension, const double n[3], double along[2][3])
{
    const double flat[3] = {n[1], -n[0], 0};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    int least = 0;
    for (int i = 1; i < 3; i++) {
        least = fabs(n[i]) < fabs(n[least]) ? i : least;
    }
    const int j = (least + 1) % 3, k = (least + 2) % 3;
    const double part = length / hypot(n[j], n[k]);
    memcpy(along[0], flat, sizeof flat);
    if (dimension == 3) {
        along[0][least] = 0;
        along[0][j] = -n[k] * part;
        along[0][k] = n[j] * part;
        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            along[1][i] = (n[a] * along[0][b] - n[b] * along[0][a]) / length;
        }
    }
}

/// Rows of their own, along the line or plane: they have no limits, and friction where the stop
/// before them presses.
static trm_status add_friction(trm_reader *reader, const trm_node *node, const stop_draft *draft)
{
    trm_scene *scene = reader->scene;
    double along[2][3];
    if (!draft->marker_given || draft->distance_given) {
        return TRM_REFUSE(reader, trm_node_find(node, "friction"),
                          "stop \"%.60s\" cannot have friction: %s", draft->contact.name,
                          draft->distance_given ? "two points have no direction along them"
                                                : "a gap by a formula has no direction along it");
    }
    directions_along(scene->dimension, draft->normal, along);
    for (int i = 0; i < scene->dimension - 1; i++) {
        trm_scene_contact *row = &scene->contacts[scene->ncontacts++];
        *row = draft->contact;
        row->limits[0] = -INFINITY;
        row->limits_given = 0;
        row->stiffness = row->damping = 0;
        row->normal = 1 + i;
        row->mate = scene->dimension == 3 ? 1 - 2 * i : 0;
        TRM_TRY(write_distance(reader, node, draft, along[i], &row->x));
    }
    return TRM_OK;
}

static trm_status read_stop(trm_reader *reader, const trm_node *node, int index)
{
    const trm_key *const tables[] = {trm_stop_keys};
    stop_draft draft = {.contact = {.joint = TRM_INDEX_NONE,
                                    .constraint = TRM_INDEX_NONE,
                                    .limits = {0, INFINITY},
                                    .exponent = 1}};
    trm_scene *scene = reader->scene;
    const int own = scene->ncontacts++;
    draft.contact.limits_given = 1;
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &draft));
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_STOP, index, &draft.contact.name));
    TRM_TRY(trm_check_groups(reader, node, trm_stop_groups));
    TRM_TRY(trm_reader_place(reader, node, &draft.contact.place));
    TRM_TRY(trm_check_compliance(reader, node, &draft.contact));
    if (draft.marker_given && !(draft.on_given && draft.normal_given + draft.distance_given == 1)) {
        return TRM_REFUSE(reader, node,
                          "stop \"%.60s\" of a marker needs \"on\", and one of \"normal\" and "
                          "\"distance\"",
                          draft.contact.name);
    }
    if (draft.marker_given && scene->markers[draft.marker].body == scene->markers[draft.on].body) {
        return TRM_REFUSE(reader, node,
                          "stop \"%.60s\" holds nothing: both of its markers are on one body",
                          draft.contact.name);
    }
    draft.contact.x = draft.gap;
    draft.contact.apart = draft.distance;
    if (draft.marker_given) {
        const double *const normal = draft.distance_given ? NULL : draft.normal;
        TRM_TRY(write_distance(reader, node, &draft, normal, &draft.contact.x));
        if (normal) { // what a picture of the stop shows
            draft.contact.faced = 1;
            draft.contact.on = draft.on;
            unit_normal(scene, &draft, normal, draft.contact.face);
        }
    }
    if (!trm_formula_moves(scene, &draft.contact.x)) {
        return TRM_REFUSE(reader, node,
                          "stop \"%.60s\" holds nothing: it depends on no moving body",
                          draft.contact.name);
    }
    scene->contacts[own] = draft.contact;
    scene->contacts[own].friction = (trm_scene_friction){0};
    return draft.contact.friction.given ? add_friction(reader, node, &draft) : TRM_OK;
}

/// The rows of a joint that is switched, as contacts from number *n on, which is moved behind them.
static trm_status write_switched_rows(trm_reader *reader, int index, int *n)
{
    trm_scene *const scene = reader->scene;
    const trm_scene_joint *const joint = &scene->joints[index];
    const int lock = joint->switched == TRM_SWITCH_LOCK;
    for (int i = 0; i < joint->parts; i++) {
        trm_scene_contact *const row = &scene->contacts[(*n)++];
        *row = (trm_scene_contact){.name = joint->name,
                                   .place = joint->place,
                                   .joint = index,
                                   .constraint = TRM_INDEX_NONE,
                                   .limits = {-INFINITY, INFINITY},
                                   .exponent = 1,
                                   .switched = joint->switched,
                                   .input = joint->input,
                                   .part = i,
                                   .parts = joint->parts,
                                   .breaks_at = joint->breaks_at > 0 ? joint->breaks_at : INFINITY};
        TRM_TRY(lock ? write_coordinate(reader, index, &row->x) : TRM_OK);
    }
    return TRM_OK;
}

/// The stops that ropes are which do not stretch, and their friction about a drum.
static void add_ropes(trm_scene *scene)
{
    for (int i = 0; i < scene->nforces; i++) {
        const trm_scene_force *const force = &scene->forces[i];
        const trm_scene_contact rope = {.name = force->name,
                                        .place = force->place,
                                        .x = force->slack,
                                        .joint = TRM_INDEX_NONE,
                                        .constraint = TRM_INDEX_NONE,
                                        .limits = {0, INFINITY},
                                        .limits_given = 1,
                                        .restitution = force->restitution,
                                        .restitution_given = 1,
                                        .exponent = 1,
                                        .rope = i + 1};
        for (int rubs = 0; rubs < force->inextensible + (force->friction.coefficient > 0); rubs++) {
            trm_scene_contact *const row = &scene->contacts[scene->ncontacts++];
            *row = rope;
            if (rubs) {
                row->x = force->along;
                row->rope = 0;
                row->limits[0] = -INFINITY;
                row->limits_given = 0;
                row->normal = 1;
                row->friction = force->friction;
            }
        }
    }
}

trm_status trm_read_stops(trm_reader *reader, const trm_node *stops, const trm_node *contacts)
{
    trm_scene *scene = reader->scene;
    int n = 0, touches = 0, k = 0;
    reader->scope = TRM_SCOPE_POSITION;
    if (stops) {
        TRM_TRY(trm_count_elements(reader, stops, &n));
    }
    if (contacts) {
        TRM_TRY(trm_count_elements(reader, contacts, &touches));
    }
    const int most = scene->ncontacts + 2 * scene->nforces + 3 * n + 6 * TRM_MOST_TOUCHES * touches;
    TRM_TRY(trm_reader_take(reader, (size_t)most, sizeof *scene->contacts, &scene->contacts));
    for (int j = 0; j < scene->njoints; j++) {
        for (int i = 0; i < scene->joints[j].ncontacts; i++) {
            scene->contacts[k++] = scene->joints[j].contact[i];
        }
    }
    for (int i = 0; i < scene->nconstraints; i++) {
        if (scene->constraints[i].contact) {
            scene->contacts[k++] = *scene->constraints[i].contact;
        }
    }
    for (int j = 0; j < scene->njoints; j++) {
        TRM_TRY(scene->joints[j].switched ? write_switched_rows(reader, j, &k) : TRM_OK);
    }
    add_ropes(scene);
    if (stops) {
        TRM_TRY(trm_read_elements(reader, stops, read_stop));
    }
    return contacts ? trm_read_elements(reader, contacts, trm_read_touch) : TRM_OK;
}
