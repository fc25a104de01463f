// Names with a dot in formulas: what markers, bodies and joints have.
//
// With R = Rz(yaw) Ry(pitch) Rx(roll) the angles are expressions of the entries of R,
//
//     roll = atan2(R21, R22)   pitch = atan2(-R20, sqrt(R00^2 + R10^2))   yaw = atan2(R10, R00)
//
// and stand for them: "arm.roll" is atan2(arm.R21, arm.R22).

#include "base/text/suggest.h"
#include "constraints/joint.h"
#include "program/suggest.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int trm_refuse_symbol(trm_naming *n, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(n->reason, sizeof n->reason, format, arguments);
    va_end(arguments);
    return 0;
}

int trm_shown(size_t length)
{
    return length > 60 ? 60 : (int)length;
}

static int same_variable(const trm_variable *a, const trm_variable *b)
{
    return a->kind == b->kind && a->index == b->index && a->axis == b->axis && a->axis2 == b->axis2;
}

static int grow(trm_naming *n)
{
    const int capacity = n->capacity ? 2 * n->capacity : 4;
    trm_variable *grown = trm_pool_take(n->reader->pool, (size_t)capacity, sizeof *grown);
    if (!grown) {
        n->no_memory = 1;
        return 0;
    }
    for (int i = 0; i < n->formula->nvariables; i++) {
        grown[i] = n->formula->variables[i];
    }
    n->formula->variables = grown;
    n->capacity = capacity;
    return 1;
}

/// Of a pose that a run goes through; a reading may be none, and so may a place beside a curve.
static int is_finite(trm_variable_kind kind)
{
    return kind == TRM_VARIABLE_POSITION || kind == TRM_VARIABLE_VELOCITY ||
           kind == TRM_VARIABLE_ROTATION || kind == TRM_VARIABLE_RATE;
}

int trm_add_variable(trm_naming *n, trm_variable variable, trm_symbol *out)
{
    trm_formula *formula = n->formula;
    out->finite = is_finite(variable.kind);
    for (int i = 0; i < formula->nvariables; i++) {
        if (same_variable(&formula->variables[i], &variable)) {
            out->index = i;
            return 1;
        }
    }
    if (formula->nvariables == n->capacity && !grow(n)) {
        return 0;
    }
    out->index = formula->nvariables++;
    formula->variables[out->index] = variable;
    return 1;
}

const trm_component trm_components[] = {
    {"x", TRM_NAME_MARKER, 0, TRM_VARIABLE_POSITION, 0, "m", "place in the world"},
    {"y", TRM_NAME_MARKER, 0, TRM_VARIABLE_POSITION, 1, "m", "place in the world"},
    {"z", TRM_NAME_MARKER, 3, TRM_VARIABLE_POSITION, 2, "m", "place in the world"},
    {"vx", TRM_NAME_MARKER, 0, TRM_VARIABLE_VELOCITY, 0, "m/s", "velocity; forces only"},
    {"vy", TRM_NAME_MARKER, 0, TRM_VARIABLE_VELOCITY, 1, "m/s", "velocity; forces only"},
    {"vz", TRM_NAME_MARKER, 3, TRM_VARIABLE_VELOCITY, 2, "m/s", "velocity; forces only"},
    {"angle", TRM_NAME_BODY, 2, TRM_VARIABLE_ANGLE, 0, "rad", "angle, counted over full turns"},
    {"rate", TRM_NAME_BODY, 2, TRM_VARIABLE_RATE, 2, "rad/s", "angular velocity; forces only"},
    {"Rij", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 0, "",
     "entry of the body-to-world matrix R, i and j from 0 to 2: `arm.R02`"},
    {"roll", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 0, "rad",
     "of R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {"pitch", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 1, "rad", "from -pi/2 to pi/2"},
    {"yaw", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 2, "rad", "from -pi to pi, as roll"},
    {"wx", TRM_NAME_BODY, 3, TRM_VARIABLE_RATE, 0, "rad/s", "rate in body axes; forces only"},
    {"wy", TRM_NAME_BODY, 3, TRM_VARIABLE_RATE, 1, "rad/s", "rate in body axes; forces only"},
    {"wz", TRM_NAME_BODY, 3, TRM_VARIABLE_RATE, 2, "rad/s", "rate in body axes; forces only"},
    {"angle", TRM_NAME_JOINT, 0, TRM_VARIABLE_JOINT, TRM_FREEDOM_ANGLE, "rad",
     "revolute: angle of b relative to a, zero in the initial pose, counted over full turns"},
    {"position", TRM_NAME_JOINT, 0, TRM_VARIABLE_JOINT, TRM_FREEDOM_DISTANCE, "m",
     "prismatic: displacement of b's point from a's along the axis"},
    {"slide", TRM_NAME_JOINT, 0, TRM_VARIABLE_JOINT, TRM_FREEDOM_DISTANCE, "m", "the same"},
    {"rate", TRM_NAME_JOINT, 0, TRM_VARIABLE_JOINT_RATE, 0, "rad/s or m/s",
     "rate of that angle or displacement; forces only"},
    {"switch", TRM_NAME_JOINT, 0, TRM_VARIABLE_INPUT, -1, "",
     "of a switched joint: 1 while it is closed or locked, else 0"},
    {"parameter", TRM_NAME_CONSTRAINT, 0, TRM_VARIABLE_GUIDE, 0, "",
     "of a curve: where its point is along it; closed curves count their turns"},
    {.name = NULL},
};

static const trm_component *find_component(const trm_naming *n, trm_name_kind of, const char *name,
                                           size_t length)
{
    for (const trm_component *c = trm_components; c->name; c++) {
        const int here = c->dimension == 0 || c->dimension == n->reader->scene->dimension;
        if (here && c->of == of && strlen(c->name) == length && !memcmp(c->name, name, length)) {
            return c;
        }
    }
    return NULL;
}

/// Whether a joint has that component: an angle or a displacement, and its rate.
static int fits_joint(const trm_naming *n, const trm_name *name, const trm_component *c)
{
    const trm_freedom freedom = n->reader->scene->joints[name->index].kind->freedom;
    return c->kind == TRM_VARIABLE_JOINT_RATE ||
           (c->axis == TRM_FREEDOM_ANGLE ? trm_turns(freedom) : c->axis == (int)freedom);
}

/// What a name of this kind has: "angle and rate".
static const char *components_of(const trm_naming *n, const trm_name *name)
{
    const int planar = n->reader->scene->dimension == 2;
    if (name->kind == TRM_NAME_JOINT) {
        const trm_freedom freedom = n->reader->scene->joints[name->index].kind->freedom;
        return trm_turns(freedom) ? "angle and rate" : "position and rate";
    }
    if (name->kind == TRM_NAME_MARKER) {
        return planar ? "x, y, vx and vy" : "x, y, z, vx, vy and vz";
    }
    return planar ? "angle and rate" : "roll, pitch, yaw, wx, wy, wz and R00 to R22";
}

static int refuse_component(trm_naming *n, const trm_name *name, const char *what, size_t length)
{
    trm_suggestion near = trm_suggest(what, length);
    for (const trm_component *c = trm_components; c->name; c++) {
        const int here = name->kind != TRM_NAME_JOINT || fits_joint(n, name, c);
        if (here && find_component(n, name->kind, c->name, strlen(c->name)) == c) {
            trm_suggest_consider(&near, c->name);
        }
    }
    char hint[60];
    trm_suggest_text(&near, hint, sizeof hint);
    const char *kind = name->kind == TRM_NAME_MARKER ? "marker" : "body";
    if (name->kind == TRM_NAME_JOINT) {
        kind = n->reader->scene->joints[name->index].kind->name;
    }
    return trm_refuse_symbol(n, "a %s%s has %s, not \"%.*s\"%s", kind,
                             name->kind == TRM_NAME_JOINT ? " joint" : "", components_of(n, name),
                             trm_shown(length), what,
                             *hint                         ? hint
                             : name->kind == TRM_NAME_BODY ? "; a place on it is a marker"
                                                           : "");
}

static int allowed_in_scope(trm_naming *n, const trm_component *c, const char *text, size_t length)
{
    const int moving = c->kind == TRM_VARIABLE_VELOCITY || c->kind == TRM_VARIABLE_RATE ||
                       c->kind == TRM_VARIABLE_JOINT_RATE;
    if (moving && n->reader->scope < TRM_SCOPE_SPEED) {
        return trm_refuse_symbol(n, "\"%.*s\" is a velocity; constraints may use positions only",
                                 trm_shown(length), text);
    }
    return 1;
}

/// roll, pitch or yaw of the body: the text of an expression of entries of R.
static int resolve_angle(trm_naming *n, const trm_name *body, int which, trm_symbol *out)
{
    static const char *const forms[] = {
        "atan2(%s.R21,%s.R22)", "atan2(-%s.R20,hypot(%s.R00,%s.R10))", "atan2(%s.R10,%s.R00)"};
    const char *name = body->text;
    char text[260];
    if (which == 1) {
        snprintf(text, sizeof text, forms[1], name, name, name);
    } else {
        snprintf(text, sizeof text, which ? forms[2] : forms[0], name, name);
    }
    out->text = trm_pool_copy(n->reader->pool, text, strlen(text));
    out->id = TRM_DEFINITION_PARTS * n->reader->ndefinitions + 3 * body->index + which;
    n->no_memory |= !out->text;
    return out->text != NULL;
}

static int is_entry(const char *what, size_t length)
{
    return length == 3 && what[0] == 'R' && what[1] >= '0' && what[1] <= '2' && what[2] >= '0' &&
           what[2] <= '2';
}

static int resolve_of_body(trm_naming *n, const trm_name *name, const char *text, size_t length,
                           const char *what, size_t what_length, trm_symbol *out)
{
    const int spatial = n->reader->scene->dimension == 3;
    const int entry = spatial && is_entry(what, what_length);
    const trm_component *c = find_component(n, TRM_NAME_BODY, what, what_length);
    if (!entry && (!c || !strcmp(c->name, "Rij"))) {
        return refuse_component(n, name, what, what_length);
    }
    if (n->reader->scene->bodies[name->index].point_mass) {
        return trm_refuse_symbol(n, "\"%s\" is a point mass and has no rotation", name->text);
    }
    if (entry) {
        return trm_add_variable(
            n, (trm_variable){TRM_VARIABLE_ROTATION, name->index, what[1] - '0', what[2] - '0'},
            out);
    }
    if (!allowed_in_scope(n, c, text, length)) {
        return 0;
    }
    return c->kind == TRM_VARIABLE_ROTATION
               ? resolve_angle(n, name, c->axis, out)
               : trm_add_variable(n, (trm_variable){c->kind, name->index, c->axis, 0}, out);
}

static int resolve_of_marker(trm_naming *n, const trm_name *name, const char *text, size_t length,
                             const char *what, size_t what_length, trm_symbol *out)
{
    const trm_component *c = find_component(n, TRM_NAME_MARKER, what, what_length);
    if (!c) {
        return refuse_component(n, name, what, what_length);
    }
    return allowed_in_scope(n, c, text, length) &&
           trm_add_variable(n, (trm_variable){c->kind, name->index, c->axis, 0}, out);
}

/// What joints and constraints hold exactly must not jump when an input is set.
int trm_resolve_input(trm_naming *n, const trm_parameter *parameter, trm_symbol *out)
{
    if (!n->formula) {
        return trm_refuse_symbol(
            n, "\"%.60s\" is an input, set while a run goes on; a constant is expected here",
            parameter->name);
    }
    if (n->reader->scope < TRM_SCOPE_STATE && !(parameter->smooth > 0)) {
        return trm_refuse_symbol(
            n,
            "the input \"%.60s\" jumps, which would violate the constraint here; give it "
            "\"smooth\", or use a servo",
            parameter->name);
    }
    return trm_add_variable(n, (trm_variable){TRM_VARIABLE_INPUT, parameter->input, 0, 0}, out);
}

/// What sensors read of a joint once the equations are solved, for a sentence.
static int is_solved_for(const char *what, size_t length)
{
    static const char *const words[] = {"force", "torque", "motor", "lambda"};
    int found = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        found |= length >= n && !memcmp(what, words[i], n) && (length == n || what[n] == '_');
    }
    return found;
}

/// What a joint has that has not one freedom.
static int refuse_parts(trm_naming *n, const trm_scene_joint *joint)
{
    char list[80] = "";
    for (int k = 0; k < joint->nparts; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "",
                 joint->kind->parts[k].name);
    }
    return joint->nparts > 0
               ? trm_refuse_symbol(n, "\"%s\" is a %s joint; it has %s, each with rate: %s.%s.rate",
                                   joint->name, joint->kind->name, list, joint->name,
                                   joint->kind->parts[0].name)
               : trm_refuse_symbol(n, "\"%s\" is a %s joint%s, and has no coordinate", joint->name,
                                   joint->kind->name,
                                   joint->kind->parts ? " without an \"axis\"" : "");
}

/// The angle, displacement or rate of a joint with one freedom, or one of several.
static int resolve_of_joint(trm_naming *n, const trm_name *name, const char *text, size_t length,
                            const char *what, size_t what_length, trm_symbol *out)
{
    const trm_scene *scene = n->reader->scene;
    const trm_scene_joint *joint = &scene->joints[name->index];
    const trm_freedom freedom = joint->kind->freedom;
    if (joint->switched && what_length == 6 && !memcmp(what, "switch", what_length)) {
        int i = scene->nparameters - 1;
        while (!scene->parameters[i].is_input || scene->parameters[i].input != joint->input) {
            i--;
        }
        return trm_resolve_input(n, &scene->parameters[i], out);
    }
    if (is_solved_for(what, what_length) && n->reader->scope != TRM_SCOPE_OUTPUT) {
        return trm_refuse_symbol(
            n,
            "\"%.*s\" is known once the equations are solved: outputs, conditions of events "
            "and what they set may have it, forces and constraints not, which the equations "
            "are made of",
            trm_shown(length), text);
    }
    const trm_name part =
        joint->nparts > 0 ? trm_find_link(n->reader, text, length) : (trm_name){0};
    if (part.text) {
        return trm_add_variable(n, (trm_variable){TRM_VARIABLE_JOINT, part.index, 0, 0}, out);
    }
    if (freedom == TRM_FREEDOM_NONE) {
        return refuse_parts(n, joint);
    }
    const trm_component *c = find_component(n, TRM_NAME_JOINT, what, what_length);
    if (!c || !fits_joint(n, name, c)) {
        return refuse_component(n, name, what, what_length);
    }
    for (int i = 0; i < 2 && trm_turns(freedom); i++) {
        const int body = joint->body[i];
        if (body != TRM_INDEX_GROUND && scene->bodies[body].point_mass) {
            return trm_refuse_symbol(n, "joint \"%s\" has no angle: \"%s\" is a point mass",
                                     joint->name, scene->bodies[body].name);
        }
    }
    return allowed_in_scope(n, c, text, length) &&
           trm_add_variable(n, (trm_variable){c->kind, name->index, 0, 0}, out);
}

void trm_consider_names(trm_suggestion *near, const trm_names *names)
{
    for (size_t i = 0; i <= names->mask; i++) {
        if (names->slots[i].text) {
            trm_suggest_consider(near, names->slots[i].text);
        }
    }
}

static int unknown_owner(trm_naming *n, const char *text, size_t length)
{
    trm_suggestion near = trm_suggest(text, length);
    trm_consider_names(&near, &n->reader->points);
    trm_consider_names(&near, &n->reader->links);
    char hint[100];
    return trm_refuse_symbol(n, "no marker, body or joint \"%.*s\"%s", trm_shown(length), text,
                             trm_suggest_text(&near, hint, sizeof hint));
}

/// The length of a tendon, or its rate: their formulas.
static int resolve_of_tendon(trm_naming *n, const trm_scene_force *force, const char *what,
                             size_t length, trm_symbol *out)
{
    const trm_scene *scene = n->reader->scene;
    const int of_length = length == 6 && !memcmp(what, "length", length);
    const int of_rate = length == 4 && !memcmp(what, "rate", length);
    if (!of_length && !of_rate) {
        return trm_refuse_symbol(n, "a tendon has length and rate, not \"%.*s\"", trm_shown(length),
                                 what);
    }
    if (of_rate && !force->rate) {
        return trm_refuse_symbol(n, "a rope about pulleys has a length, and no rate in formulas");
    }
    const int lies = force->lying && n->reader->scope < TRM_SCOPE_STATE; // has two derivatives
    out->text = lies ? force->lying : of_length ? force->length : force->rate;
    out->id = TRM_DEFINITION_PARTS * n->reader->ndefinitions + 3 * scene->nbodies + TRM_OWN_TEXTS +
              2 * (int)(force - scene->forces) + (of_rate || lies);
    return 1;
}

/// Where the point of a curve is.
static int resolve_of_curve(trm_naming *n, int index, const char *what, size_t length,
                            trm_symbol *out)
{
    const trm_component *c = find_component(n, TRM_NAME_CONSTRAINT, what, length);
    return c ? trm_add_variable(n, (trm_variable){c->kind, index, c->axis, 0}, out)
             : trm_refuse_symbol(n, "a curve has parameter, not \"%.*s\"", trm_shown(length), what);
}

static int resolve_link(trm_naming *n, const trm_name *link, const char *text, size_t length,
                        const char *what, size_t what_length, trm_symbol *out)
{
    if (link->kind == TRM_NAME_JOINT) {
        return resolve_of_joint(n, link, text, length, what, what_length, out);
    }
    const trm_scene_force *force =
        link->kind == TRM_NAME_FORCE ? &n->reader->scene->forces[link->index] : NULL;
    if (force && force->length) {
        return resolve_of_tendon(n, force, what, what_length, out);
    }
    if (link->kind == TRM_NAME_CONSTRAINT && n->reader->scene->constraints[link->index].curve) {
        return resolve_of_curve(n, link->index, what, what_length, out);
    }
    return trm_refuse_symbol(n, "\"%s\" is a %s; formulas know markers, bodies and joints only",
                             link->text, link->kind == TRM_NAME_FORCE ? "force" : "constraint");
}

/// The state of a servo or motor: formulas of forces know it from there on.
static int resolve_own_state(trm_naming *n, const char *text, size_t length, trm_symbol *out)
{
    const trm_scene *const scene = n->reader->scene;
    for (int k = 0; k < scene->nstates; k++) {
        const char *const name = scene->states[k].name;
        if (strlen(name) == length && memcmp(name, text, length) == 0) {
            n->reason[0] = '\0';
            return trm_add_variable(n, (trm_variable){TRM_VARIABLE_STATE, k, 0, 0}, out);
        }
    }
    return 0;
}

/// A name that formulas do not know may be that of a sensor; the model knows them all
/// (engine/compiler/sensor_names.h).
static int resolve_reading(trm_naming *n, const char *text, size_t length, trm_symbol *out)
{
    trm_scene *scene = n->reader->scene;
    int i = scene->nreadings;
    for (int k = 0; k < scene->nreadings && i == scene->nreadings; k++) {
        const char *const name = scene->readings[k].name;
        i = strlen(name) == length && memcmp(name, text, length) == 0 ? k : i;
    }
    if (i == scene->nreadings) {
        const char *name = trm_pool_copy(n->reader->pool, text, length);
        const int full = (i & (i - 1)) == 0; // room for 1, 2, 4, ...
        trm_reading *room = full ? trm_pool_take(n->reader->pool, 2 * (size_t)i + 1, sizeof *room)
                                 : scene->readings;
        n->no_memory |= !name || !room;
        if (n->no_memory) {
            return 0;
        }
        for (int k = 0; full && k < i; k++) {
            room[k] = scene->readings[k];
        }
        room[i] = (trm_reading){name, n->formula->place};
        scene->readings = room;
        scene->nreadings++;
    }
    n->reason[0] = '\0'; // of formulas that know less
    return trm_add_variable(n, (trm_variable){TRM_VARIABLE_READING, i, 0, 0}, out);
}

static int resolve_component(trm_naming *n, const char *text, size_t length, size_t dot,
                             trm_symbol *out);

/// "tip.x": the part before the last dot is a marker, a body or a joint.
int trm_resolve_dotted(trm_naming *n, const char *text, size_t length, size_t dot, trm_symbol *out)
{
    if (resolve_component(n, text, length, dot, out)) {
        return 1;
    }
    if (!n->formula || n->reader->scope < TRM_SCOPE_STATE || n->no_memory) {
        return 0; // constants are read before there are names of elements
    }
    if (resolve_own_state(n, text, length, out)) {
        return 1;
    }
    if (n->reader->scope != TRM_SCOPE_OUTPUT) {
        return 0;
    }
    const int known = trm_find_link(n->reader, text, dot).text ||
                      trm_names_find(&n->reader->points, text, dot)->text ||
                      (dot == 6 && !memcmp(text, "energy", dot));
    return known && resolve_reading(n, text, length, out);
}

static int resolve_component(trm_naming *n, const char *text, size_t length, size_t dot,
                             trm_symbol *out)
{
    const char *what = text + dot + 1;
    const size_t what_length = length - dot - 1;
    if (!n->formula) {
        return trm_refuse_symbol(n, "\"%.*s\" changes with time; a constant is expected here",
                                 trm_shown(length), text);
    }
    if (n->reader->scope == TRM_SCOPE_TIME) {
        return trm_refuse_symbol(n, "a motor may use t and parameters only, not \"%.*s\"",
                                 trm_shown(length), text);
    }
    trm_name *name = trm_names_find(&n->reader->points, text, dot);
    if (name->text) {
        name->used = 1;
        return (name->kind == TRM_NAME_MARKER ? resolve_of_marker : resolve_of_body)(
            n, name, text, length, what, what_length, out);
    }
    const trm_name link = trm_find_link(n->reader, text, dot);
    return link.text ? resolve_link(n, &link, text, length, what, what_length, out)
                     : unknown_owner(n, text, dot);
}
