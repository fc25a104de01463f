// Names in expressions: parameters everywhere; in formulas t, definitions, and the components of
// markers, bodies and joints (scene_component.c).

#include "base/text/suggest.h"
#include "bodies/forces/force.h"
#include "constraints/transmissions/relation.h"
#include "program/suggest.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------- parameters, t

static const trm_node *parameter_node(const trm_naming *n, const char *text, size_t length)
{
    const trm_node *root = n->reader->document->nodes, *all = trm_node_find(root, "parameters");
    for (const trm_node *p = all ? all + 1 : NULL; p && p < all + all->span; p += p->span) {
        if (strlen(p->name) == length && !memcmp(p->name, text, length)) {
            return p;
        }
    }
    return NULL;
}

/// What the name of a marker, body or joint may mean alone; NULL: it is none.
static const char *component_meant(const trm_naming *n, const char *text, size_t length)
{
    const trm_scene *const scene = n->reader->scene;
    const trm_name *const point = trm_names_find(&n->reader->points, text, length);
    if (point->text) {
        return point->kind == TRM_NAME_MARKER ? "x" : scene->dimension == 2 ? "angle" : "roll";
    }
    const trm_name link = trm_find_link(n->reader, text, length);
    const trm_freedom freedom = link.text && link.kind == TRM_NAME_JOINT
                                    ? scene->joints[link.index].kind->freedom
                                    : TRM_FREEDOM_NONE;
    return freedom == TRM_FREEDOM_NONE ? NULL : trm_turns(freedom) ? "angle" : "position";
}

static int unknown_name(trm_naming *n, const char *text, size_t length)
{
    if (parameter_node(n, text, length)) {
        return trm_refuse_symbol(n, "parameter \"%.*s\" is not defined before this line",
                                 trm_shown(length), text);
    }
    trm_suggestion near = trm_suggest(text, length);
    trm_consider_names(&near, &n->reader->parameters);
    trm_consider_names(&near, &n->reader->definition_names);
    const char *const meant = n->formula && !near.best ? component_meant(n, text, length) : NULL;
    if (meant) {
        return trm_refuse_symbol(n, "\"%.*s\" has no value itself; write \"%.*s.%s\"",
                                 trm_shown(length), text, trm_shown(length), text, meant);
    }
    char hint[180];
    return trm_refuse_symbol(n, "no parameter \"%.*s\"%s", trm_shown(length), text,
                             trm_foreign_hint(&near, hint, sizeof hint));
}

static const trm_index *find_index(const trm_reader *reader, const char *name, size_t length)
{
    for (int i = 0; i < reader->nindex; i++) {
        if (strlen(reader->index[i].name) == length &&
            !memcmp(reader->index[i].name, name, length)) {
            return &reader->index[i];
        }
    }
    return NULL;
}

static int resolve_plain(trm_naming *n, const char *text, size_t length, trm_symbol *out)
{
    if (length == 1 && text[0] == 't') {
        out->of_time = 1;
        return n->formula ? trm_add_variable(n, (trm_variable){TRM_VARIABLE_TIME, 0, 0, 0}, out)
                          : trm_refuse_symbol(n, "t is the time; a constant is expected here");
    }
    const trm_index *index = find_index(n->reader, text, length);
    if (index) {
        *out = (trm_symbol){.index = -1, .value = (double)index->value};
        return 1;
    }
    trm_name *name = trm_names_find(&n->reader->parameters, text, length);
    if (!name->text) {
        return unknown_name(n, text, length);
    }
    name->used = 1;
    const trm_parameter *parameter = &n->reader->scene->parameters[name->index];
    if (parameter->is_input) {
        return trm_resolve_input(n, parameter, out);
    }
    *out = (trm_symbol){.index = -1, .value = parameter->value};
    return 1;
}

const trm_node *trm_definition_node(const trm_reader *reader, int id)
{
    const int index = id / TRM_DEFINITION_PARTS;
    return index < reader->ndefinitions ? reader->definitions[index].part[id % TRM_DEFINITION_PARTS]
                                        : NULL;
}

/// The component of a vector after the dot, or -1.
static int component(const trm_definition *definition, const char *text, size_t length)
{
    const int axis = length == 1 ? text[0] - 'x' : -1;
    return axis < definition->n ? axis : -1;
}

/// What joints and constraints hold has two derivatives in time, and a state only one.
static int resolve_state(trm_naming *n, const trm_definition *definition, trm_symbol *out)
{
    if (n->reader->scope < TRM_SCOPE_STATE) {
        return trm_refuse_symbol(n,
                                 "\"%.60s\" is a state, which has one derivative in time, and what "
                                 "is held here needs two; a servo or a force may follow it",
                                 definition->name);
    }
    return trm_add_variable(n, (trm_variable){TRM_VARIABLE_STATE, definition->state - 1, 0, 0},
                            out);
}

static int resolve_definition(trm_naming *n, const char *text, size_t length, trm_symbol *out,
                              int *ok)
{
    const char *dot = memchr(text, '.', length);
    const size_t own = dot ? (size_t)(dot - text) : length;
    trm_name *name = trm_names_find(&n->reader->definition_names, text, own);
    if (!name->text || (dot && n->reader->definitions[name->index].n == 0)) {
        return 0;
    }
    name->used = 1;
    const trm_definition *definition = &n->reader->definitions[name->index];
    const int axis = dot ? component(definition, dot + 1, length - own - 1) : 0;
    if (!n->formula) {
        *ok = trm_refuse_symbol(n,
                                "\"%s\" is a %s, for formulas; a constant is expected "
                                "here, and constants may be parameters",
                                name->text, definition->state ? "state" : "definition");
    } else if (definition->state) {
        *ok = resolve_state(n, definition, out);
    } else if (!dot && definition->n) {
        *ok = trm_refuse_symbol(n, "\"%s\" is a vector; write \"%s.x\"", name->text, name->text);
    } else if (axis < 0) {
        *ok = trm_refuse_symbol(n, "the vector \"%s\" has %s, not \"%.*s\"", name->text,
                                definition->n == 2 ? "x and y" : "x, y and z",
                                trm_shown(length - own - 1), dot + 1);
    } else {
        out->text = definition->text[axis];
        out->id = TRM_DEFINITION_PARTS * name->index + axis;
        *ok = 1;
    }
    return 1;
}

static int resolve_table(trm_naming *n, const char *text, size_t length, trm_symbol *out)
{
    const trm_names *names = &n->reader->table_names;
    trm_name *name = trm_names_find(names, text, length);
    if (name->text) {
        name->used = 1;
        out->table = n->reader->tables[name->index];
        return 1;
    }
    trm_suggestion near = trm_suggest(text, length);
    trm_consider_names(&near, names);
    char hint[180];
    return trm_refuse_symbol(n, "no table \"%.*s\"%s", trm_shown(length), text,
                             trm_suggest_text(&near, hint, sizeof hint));
}

// ----------------------------------------------------- what the formula of a kind of force names

static int resolve_value(trm_naming *n, const trm_key *key, int number, trm_symbol *out)
{
    const void *value = (const char *)n->force + key->offset;
    const trm_formula *const formula =
        key->varies ? (const void *)((const char *)n->force + key->varies) : value;
    if (key->type == TRM_KEY_NUMBER && !(key->varies && formula->code)) {
        *out = (trm_symbol){.index = -1, .value = *(const double *)value};
        return 1;
    }
    const char *text = formula->text;
    // ids beyond those of definitions and of roll, pitch and yaw
    out->id = TRM_DEFINITION_PARTS * n->reader->ndefinitions + 3 * n->reader->scene->nbodies;
    out->id += number;
    out->text = text ? text : "0";
    out->key = key->varies && key->range != TRM_ANY ? key->name : NULL;
    return 1;
}

static int resolve_key(trm_naming *n, const char *text, size_t length, trm_symbol *out)
{
    const trm_scene_force *force = n->force;
    const int rate = length == 4 && !memcmp(text, "rate", 4);
    if (rate || (length == 1 && *text == 'x')) {
        const trm_variable_kind kind = rate ? TRM_VARIABLE_JOINT_RATE : TRM_VARIABLE_JOINT;
        return trm_add_variable(n, (trm_variable){kind, force->joint, 0, 0}, out);
    }
    const int integral = (length == 8 && !memcmp(text, "integral", 8)) ||
                         (length == 7 && !memcmp(text, "current", 7));
    if (integral || (length == 6 && !memcmp(text, "lagged", 6))) {
        const int state = integral ? force->integral : force->lagging;
        return trm_add_variable(n, (trm_variable){TRM_VARIABLE_STATE, state, 0, 0}, out);
    }
    const trm_key *key = force->kind->keys;
    for (int i = 0; key[i].name; i++) {
        if (strlen(key[i].name) == length && !memcmp(key[i].name, text, length)) {
            return resolve_value(n, &key[i], i, out);
        }
    }
    return trm_refuse_symbol(n, "no key \"%.*s\"", trm_shown(length), text);
}

// ------------------------------------------------------------------------------------- any name

// ----------------------------------------------------------------------- words of the equations

static int word_of_place(trm_naming *n, char c, trm_symbol *out)
{
    static const char words[] = "xyzuvwXYZUVW";
    const trm_scene_constraint *def = n->relation->def;
    const int i = (int)(strchr(words, c) - words), second = i >= 6;
    const trm_variable_kind kind = i % 6 < 3 ? TRM_VARIABLE_POSITION : TRM_VARIABLE_VELOCITY;
    const int marker = def->marker != TRM_INDEX_NONE ? def->marker : def->markers[second];
    return trm_add_variable(n, (trm_variable){kind, marker, i % 3, 0}, out);
}

/// Of the body of one of the markers.
static int word_of_body(trm_naming *n, const char *text, trm_symbol *out)
{
    static const char first[] = "Rqabc", other[] = "SQABC";
    const trm_scene *scene = n->reader->scene;
    const int second = strchr(other, text[1]) != NULL;
    const char *words = second ? other : first;
    const int i = (int)(strchr(words, text[1]) - words);
    const int body = scene->markers[n->relation->def->markers[second]].body;
    if (i == 0) {
        return trm_add_variable(
            n, (trm_variable){TRM_VARIABLE_ROTATION, body, text[2] - '0', text[3] - '0'}, out);
    }
    const trm_variable_kind kind = i == 1 ? TRM_VARIABLE_ANGLE : TRM_VARIABLE_RATE;
    return trm_add_variable(n, (trm_variable){kind, body, i == 1 ? 0 : i - 2, 0}, out);
}

static int resolve_word(trm_naming *n, const char *text, trm_symbol *out)
{
    const trm_relation *relation = n->relation;
    const int parts =
        TRM_DEFINITION_PARTS * n->reader->ndefinitions + 3 * n->reader->scene->nbodies;
    if (text[1] >= '0' && text[1] <= '9') {
        const int joint = relation->def->joints.item[atoi(text + 1)];
        return trm_add_variable(n, (trm_variable){TRM_VARIABLE_JOINT, joint, 0, 0}, out);
    }
    if (text[1] == 'g' || text[1] == 't') {
        const int index = (int)(relation->def - n->reader->scene->constraints);
        const trm_variable_kind kind = text[1] == 'g' ? TRM_VARIABLE_GUIDE : TRM_VARIABLE_TOUCH;
        return trm_add_variable(n, (trm_variable){kind, index, text[2] - '0', 0}, out);
    }
    if (text[1] == 'p') {
        out->text = relation->def->profile.text;
        out->id = parts;
        return 1;
    }
    if (text[1] == 'l') {
        const int part = atoi(text + 2);
        out->text = relation->part[part].data;
        out->id = parts + 1 + part;
        return 1;
    }
    return strchr("RqabcSQABC", text[1]) ? word_of_body(n, text, out)
                                         : word_of_place(n, text[1], out);
}

int trm_resolve_symbol(const char *text, size_t length, trm_symbol *out, void *user)
{
    trm_naming *n = user;
    int ok = 0;
    if (n->overriding) {
        return trm_refuse_symbol(n,
                                 "unknown name \"%.*s\"; only numbers, pi, deg and functions here",
                                 trm_shown(length), text);
    }
    for (int i = 0; i < 2; i++) {
        const char *const own = i == 0 ? n->own : n->second;
        if (own && strlen(own) == length && !memcmp(own, text, length)) {
            *out = (trm_symbol){.index = i};
            return 1;
        }
    }
    if (out->wants_table) {
        return resolve_table(n, text, length, out);
    }
    if (n->relation && text[0] == '_') {
        return resolve_word(n, text, out);
    }
    if (n->force && text[length - 1] == '.') {
        return resolve_key(n, text, length - 1, out);
    }
    if (resolve_definition(n, text, length, out, &ok)) {
        return ok;
    }
    for (size_t dot = length; dot-- > 0;) {
        if (text[dot] == '.') {
            return trm_resolve_dotted(n, text, length, dot, out);
        }
    }
    return resolve_plain(n, text, length, out);
}
