// Names in expressions: parameters everywhere; in formulas t, markers and bodies too.
//
// With R = Rz(yaw) Ry(pitch) Rx(roll) the angles are expressions of the entries of R,
//
//     roll = atan2(R21, R22)   pitch = atan2(-R20, sqrt(R00^2 + R10^2))   yaw = atan2(R10, R00)
//
// so "arm.roll" is replaced by atan2(arm.R21,arm.R22) and compiled again; the names arm.Rij exist in
// that second pass only.

#include "constraints/joint.h"
#include "engine/status.h"
#include "scenes/reader.h"
#include "scenes/suggest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the resolver of names works with.
typedef struct naming {
    trm_reader *reader;
    trm_formula *formula; ///< NULL: constants only
    int overriding;       ///< no names at all
    int capacity;         ///< of formula->variables
    int expanded;         ///< second pass: arm.Rij are known
    int has_angles;       ///< roll, pitch or yaw was used
    int no_memory;
    char reason[160];  ///< why a name was refused
    char culprit[160]; ///< the operation on constants that has no finite value, or ""
} naming;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
refuse(naming *n, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(n->reason, sizeof n->reason, format, arguments);
    va_end(arguments);
    return 0;
}

static int shown(size_t length)
{
    return length > 60 ? 60 : (int)length;
}

// ------------------------------------------------------------------------------------- variables

static int same_variable(const trm_variable *a, const trm_variable *b)
{
    return a->kind == b->kind && a->index == b->index && a->axis == b->axis && a->axis2 == b->axis2;
}

static int grow(naming *n)
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

static int add_variable(naming *n, trm_variable variable, trm_symbol *out)
{
    trm_formula *formula = n->formula;
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
    {"roll", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 0, "rad",
     "of R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {"pitch", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 1, "rad", "from -pi/2 to pi/2"},
    {"yaw", TRM_NAME_BODY, 3, TRM_VARIABLE_ROTATION, 2, "rad", "from -pi to pi, as roll"},
    {"wx", TRM_NAME_BODY, 3, TRM_VARIABLE_RATE, 0, "rad/s", "rate in body axes; forces only"},
    {"wy", TRM_NAME_BODY, 3, TRM_VARIABLE_RATE, 1, "rad/s", "rate in body axes; forces only"},
    {"wz", TRM_NAME_BODY, 3, TRM_VARIABLE_RATE, 2, "rad/s", "rate in body axes; forces only"},
    {.name = NULL},
};

static const trm_component *find_component(const naming *n, trm_name_kind of, const char *name,
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

static int refuse_component(naming *n, const trm_name *name, const char *what, size_t length)
{
    const int planar = n->reader->scene->dimension == 2;
    if (name->kind == TRM_NAME_MARKER) {
        return refuse(n, "a marker has %s, not \"%.*s\"",
                      planar ? "x, y, vx and vy" : "x, y, z, vx, vy and vz", shown(length), what);
    }
    return refuse(n, "a body has %s, not \"%.*s\"; a place on it is a marker",
                  planar ? "angle and rate" : "roll, pitch, yaw, wx, wy and wz", shown(length),
                  what);
}

/// arm.R21, written by expand() alone.
static int resolve_entry(naming *n, const trm_name *name, const char *digits, trm_symbol *out)
{
    const trm_variable variable = {TRM_VARIABLE_ROTATION, name->index, digits[0] - '0',
                                   digits[1] - '0'};
    return add_variable(n, variable, out);
}

static int allowed_in_scope(naming *n, const trm_component *c, const char *text, size_t length)
{
    const int moving = c->kind == TRM_VARIABLE_VELOCITY || c->kind == TRM_VARIABLE_RATE;
    if (moving && n->reader->scope != TRM_SCOPE_STATE) {
        return refuse(n, "\"%.*s\" is a velocity; constraints may use positions only",
                      shown(length), text);
    }
    return 1;
}

static int resolve_component(naming *n, const trm_name *name, const char *text, size_t length,
                             const char *what, size_t what_length, trm_symbol *out)
{
    if (n->expanded && what_length == 3 && what[0] == 'R') {
        return resolve_entry(n, name, what + 1, out);
    }
    const trm_component *c = find_component(n, name->kind, what, what_length);
    if (!c) {
        return refuse_component(n, name, what, what_length);
    }
    if (name->kind == TRM_NAME_BODY && n->reader->scene->bodies[name->index].point_mass) {
        return refuse(n, "\"%s\" is a point mass and has no rotation", name->text);
    }
    if (!allowed_in_scope(n, c, text, length)) {
        return 0;
    }
    if (c->kind == TRM_VARIABLE_ROTATION) {
        n->has_angles = 1; // a stand-in; expand() brings the real ones
        return add_variable(n, (trm_variable){c->kind, name->index, 0, 0}, out);
    }
    return add_variable(n, (trm_variable){c->kind, name->index, c->axis, 0}, out);
}

/// A revolute joint of the plane has an angle, but under the names of its bodies.
static int refuse_link(naming *n, const trm_name *link)
{
    const trm_scene *scene = n->reader->scene;
    if (link->kind != TRM_NAME_JOINT) {
        return refuse(n, "\"%s\" is a %s; formulas know markers and bodies only", link->text,
                      link->kind == TRM_NAME_FORCE ? "force" : "constraint");
    }
    const trm_scene_joint *joint = &scene->joints[link->index];
    const int turns = scene->dimension == 2 && !strcmp(joint->kind->name, "revolute");
    const int a = joint->body[0], b = joint->body[1];
    if (!turns) {
        return refuse(n, "\"%s\" is a joint; formulas know markers and bodies only", link->text);
    }
    return refuse(n, "\"%s\" is a joint; write the angles of its bodies: %s%s%s%s%s", link->text,
                  b == TRM_GROUND ? "-" : scene->bodies[b].name, b == TRM_GROUND ? "" : ".angle",
                  a == TRM_GROUND || b == TRM_GROUND ? "" : " - ",
                  a == TRM_GROUND ? "" : scene->bodies[a].name, a == TRM_GROUND ? "" : ".angle");
}

static int unknown_owner(naming *n, const char *text, size_t length)
{
    const trm_name *link = trm_names_find(&n->reader->links, text, length);
    if (link->text) {
        return refuse_link(n, link);
    }
    const trm_names *points = &n->reader->points;
    trm_suggestion near = trm_suggest(text, length);
    for (size_t i = 0; i <= points->mask; i++) {
        if (points->slots[i].text) {
            trm_suggest_consider(&near, points->slots[i].text);
        }
    }
    char hint[100];
    return refuse(n, "no marker or body \"%.*s\"%s", shown(length), text,
                  trm_suggest_text(&near, hint, sizeof hint));
}

/// "tip.x": the part before the last dot is a marker or body.
static int resolve_dotted(naming *n, const char *text, size_t length, size_t dot, trm_symbol *out)
{
    if (!n->formula) {
        return refuse(n, "\"%.*s\" changes with time; a constant is expected here", shown(length),
                      text);
    }
    if (n->reader->scope == TRM_SCOPE_TIME) {
        return refuse(n, "a motor may use t and parameters only, not \"%.*s\"", shown(length),
                      text);
    }
    const trm_name *name = trm_names_find(&n->reader->points, text, dot);
    if (!name->text) {
        return unknown_owner(n, text, dot);
    }
    return resolve_component(n, name, text, length, text + dot + 1, length - dot - 1, out);
}

// -------------------------------------------------------------------------------- parameters, t

static const trm_node *parameter_node(const naming *n, const char *text, size_t length)
{
    const trm_node *root = n->reader->document->nodes, *all = trm_node_find(root, "parameters");
    for (const trm_node *p = all ? all + 1 : NULL; p && p < all + all->span; p += p->span) {
        if (strlen(p->json->string) == length && !memcmp(p->json->string, text, length)) {
            return p;
        }
    }
    return NULL;
}

static int unknown_name(naming *n, const char *text, size_t length)
{
    if (parameter_node(n, text, length)) {
        return refuse(n, "parameter \"%.*s\" is not defined before this line", shown(length), text);
    }
    const trm_names *parameters = &n->reader->parameters;
    trm_suggestion near = trm_suggest(text, length);
    for (size_t i = 0; i <= parameters->mask; i++) {
        if (parameters->slots[i].text) {
            trm_suggest_consider(&near, parameters->slots[i].text);
        }
    }
    const trm_name *point = n->formula ? trm_names_find(&n->reader->points, text, length) : NULL;
    if (!near.best && point && point->text) {
        return refuse(n, "\"%s\" has no value itself; write \"%s.%s\"", point->text, point->text,
                      point->kind == TRM_NAME_MARKER     ? "x"
                      : n->reader->scene->dimension == 2 ? "angle"
                                                         : "roll");
    }
    char hint[100];
    return refuse(n, "no parameter \"%.*s\"%s", shown(length), text,
                  trm_suggest_text(&near, hint, sizeof hint));
}

/// What joints and constraints hold exactly must not jump when an input is set.
static int resolve_input(naming *n, const trm_parameter *parameter, trm_symbol *out)
{
    if (!n->formula) {
        return refuse(n,
                      "\"%.60s\" is an input, set while a run goes on; a constant is expected here",
                      parameter->name);
    }
    if (n->reader->scope != TRM_SCOPE_STATE && !(parameter->smooth > 0)) {
        return refuse(n,
                      "the input \"%.60s\" jumps, which would tear what is held here; give it "
                      "\"smooth\", or use a servo",
                      parameter->name);
    }
    return add_variable(n, (trm_variable){TRM_VARIABLE_INPUT, parameter->input, 0, 0}, out);
}

static int resolve_plain(naming *n, const char *text, size_t length, trm_symbol *out)
{
    if (length == 1 && text[0] == 't') {
        return n->formula ? add_variable(n, (trm_variable){TRM_VARIABLE_TIME, 0, 0, 0}, out)
                          : refuse(n, "t is the time; a constant is expected here");
    }
    const trm_name *name = trm_names_find(&n->reader->parameters, text, length);
    if (!name->text) {
        return unknown_name(n, text, length);
    }
    const trm_parameter *parameter = &n->reader->scene->parameters[name->index];
    if (parameter->is_input) {
        return resolve_input(n, parameter, out);
    }
    *out = (trm_symbol){-1, parameter->value};
    return 1;
}

static int resolve(const char *text, size_t length, trm_symbol *out, void *user)
{
    naming *n = user;
    if (n->overriding) {
        return refuse(n, "unknown name \"%.*s\"; only numbers, pi, deg and functions here",
                      shown(length), text);
    }
    for (size_t dot = length; dot-- > 0;) {
        if (text[dot] == '.') {
            return resolve_dotted(n, text, length, dot, out);
        }
    }
    return resolve_plain(n, text, length, out);
}

// -------------------------------------------------------------------------------------- constants

static const char *reason(const naming *n, const trm_expression_error *error)
{
    return n->reason[0] ? n->reason : error->message;
}

/// `culprit`: the operation that has no finite value, or "".
static trm_status check_finite(trm_reader *reader, const trm_node *node, const char *text,
                               double value, const char *culprit)
{
    if (isfinite(value)) {
        return TRM_OK;
    }
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                    "the value of \"%.80s\" is %s%s%s", text,
                    isnan(value) ? "not a number" : "infinite", *culprit ? ": " : "", culprit);
}

static trm_status fail_at(trm_reader *reader, const trm_node *node, const naming *n,
                          trm_status status, const trm_expression_error *error)
{
    if (status == TRM_ERR_MEMORY || n->no_memory) {
        return trm_reader_no_memory(reader);
    }
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, node, error->column), "%s",
                    reason(n, error));
}

static double constant_value(const trm_expression *code)
{
    double workspace[3];
    return trm_expression_value(code, NULL, workspace);
}

trm_status trm_evaluate(trm_reader *reader, const trm_node *node, const char *text, double *out)
{
    naming n = {.reader = reader};
    trm_expression_error error;
    trm_expression *code = NULL;
    const trm_status status = trm_expression_compile(text, resolve, &n, &code, &error);
    if (status != TRM_OK) {
        return fail_at(reader, node, &n, status, &error);
    }
    *out = constant_value(code);
    trm_expression_destroy(code);
    return check_finite(reader, node, text, *out, error.message);
}

trm_status trm_evaluate_override(trm_reader *reader, const char *parameter, const char *text,
                                 double *out)
{
    naming n = {.reader = reader, .overriding = 1};
    trm_expression_error error;
    trm_expression *code = NULL;
    char where[100];
    snprintf(where, sizeof where, "parameter \"%.70s\"", parameter);
    const trm_status status = trm_expression_compile(text, resolve, &n, &code, &error);
    if (status == TRM_ERR_MEMORY) {
        return trm_reader_no_memory(reader);
    }
    if (status != TRM_OK) {
        return TRM_FAIL(reader->err, status, where, "in \"%.60s\": %s", text, reason(&n, &error));
    }
    *out = constant_value(code);
    trm_expression_destroy(code);
    return isfinite(*out)
               ? TRM_OK
               : TRM_FAIL(reader->err, TRM_ERR_SCENE, where, "the value of \"%.80s\" is %s%s%s",
                          text, isnan(*out) ? "not a number" : "infinite",
                          error.message[0] ? ": " : "", error.message);
}

// --------------------------------------------------------------------------------------- formulas

/// The expression that stands for body.what; returns its length, writes it when out is not NULL.
static size_t put_angle(const char *body, int length, const char *what, char *out, size_t size)
{
    const int n = length;
    int written = 0;
    if (!strcmp(what, "roll")) {
        written = snprintf(out, size, "atan2(%.*s.R21,%.*s.R22)", n, body, n, body);
    } else if (!strcmp(what, "yaw")) {
        written = snprintf(out, size, "atan2(%.*s.R10,%.*s.R00)", n, body, n, body);
    } else {
        written = snprintf(out, size, "atan2(-%.*s.R20,hypot(%.*s.R00,%.*s.R10))", n, body, n, body,
                           n, body);
    }
    return (size_t)written;
}

static int is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/// "roll", "pitch" or "yaw" when the name ends in one; *dot is where.
static const char *angle_of(const char *name, size_t length, size_t *dot)
{
    static const char *const angles[] = {".roll", ".pitch", ".yaw"};
    for (int i = 0; i < 3; i++) {
        const size_t n = strlen(angles[i]);
        if (length > n && !memcmp(name + length - n, angles[i], n)) {
            *dot = length - n;
            return angles[i] + 1;
        }
    }
    return NULL;
}

/// The text with all angles replaced; counts only when out is NULL.
static size_t expand(const char *text, char *out)
{
    size_t used = 0;
    while (*text) {
        size_t length = 0, dot = 0;
        while (is_name_byte(text[length])) {
            length++;
        }
        const char *angle = length > 0 ? angle_of(text, length, &dot) : NULL;
        if (angle) {
            used += put_angle(text, (int)dot, angle, out ? out + used : NULL, out ? 1000 : 0);
        } else {
            length += length == 0;
            if (out) {
                memcpy(out + used, text, length);
            }
            used += length;
        }
        text += length;
    }
    return used;
}

static trm_status compile(trm_reader *reader, const trm_node *node, const char *text, naming *n,
                          trm_expression **code)
{
    trm_expression_error error;
    const trm_status status = trm_expression_compile(text, resolve, n, code, &error);
    if (status != TRM_OK && n->expanded) {
        error.column = 0; // columns of the expanded text say nothing to anyone
    }
    snprintf(n->culprit, sizeof n->culprit, "%s", error.message);
    return status == TRM_OK ? TRM_OK : fail_at(reader, node, n, status, &error);
}

static trm_status compile_expanded(trm_reader *reader, const trm_node *node, naming *n,
                                   trm_expression **code)
{
    trm_formula *formula = n->formula;
    char *text = calloc(expand(formula->text, NULL) + 1, 1);
    if (!text) {
        return trm_reader_no_memory(reader);
    }
    expand(formula->text, text);
    formula->nvariables = 0;
    n->expanded = 1;
    const trm_status status = compile(reader, node, text, n, code);
    free(text);
    return status;
}

static trm_status keep(trm_reader *reader, const trm_expression *code, trm_formula *out)
{
    const size_t bytes = trm_expression_bytes(code);
    TRM_TRY(trm_reader_take(reader, 1, bytes, &out->code));
    memcpy(out->code, code, bytes);
    return TRM_OK;
}

trm_status trm_compile_formula(trm_reader *reader, const trm_node *node, const char *text,
                               trm_formula *out)
{
    *out = (trm_formula){.text = text};
    TRM_TRY(trm_reader_place(reader, node, &out->place));
    naming n = {.reader = reader, .formula = out};
    trm_expression *code = NULL;
    TRM_TRY(compile(reader, node, text, &n, &code));
    if (n.has_angles) {
        trm_expression_destroy(code);
        code = NULL;
        TRM_TRY(compile_expanded(reader, node, &n, &code));
    }
    trm_status status = keep(reader, code, out);
    if (status == TRM_OK && trm_expression_is_constant(code)) {
        status = check_finite(reader, node, text, constant_value(code), n.culprit);
    }
    trm_expression_destroy(code);
    return status;
}
