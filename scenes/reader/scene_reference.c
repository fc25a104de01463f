// Names: giving them to elements, and finding the elements by them.

#include "base/status.h"
#include "base/text/suggest.h"
#include "constraints/joint.h"
#include "program/settings.h"
#include "program/suggest.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 63 };

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_name_byte(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int is_well_formed(const char *name)
{
    int ok = is_letter(*name);
    for (; *name && ok; name++) {
        ok = is_name_byte(*name);
    }
    return ok;
}

static int is_reserved(const char *name)
{
    static const char *const reserved[] = {"ground", "t", "pi", "deg"};
    for (int i = 0; i < 4; i++) {
        if (!strcmp(name, reserved[i])) {
            return 1;
        }
    }
    return 0;
}

static trm_status trm_check_name(trm_reader *reader, const char *where, const char *name)
{
    if (strlen(name) > LONGEST_NAME) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                        "a name may have %d characters at most, got %zu", LONGEST_NAME,
                        strlen(name));
    }
    if (!is_well_formed(name)) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                        "\"%s\" is not a name: letters, digits, _ and -, a letter first", name);
    }
    if (is_reserved(name)) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where, "the name \"%s\" is reserved", name);
    }
    return TRM_OK;
}

trm_status trm_check_word(trm_reader *reader, const trm_node *node, const char *what)
{
    const char *name = node->name;
    TRM_TRY(trm_check_name(reader, trm_at_key(reader, node), name));
    if (strchr(name, '-')) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" cannot be %s: expressions would read - as minus", name, what);
    }
    if (trm_expression_is_function(name)) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" cannot be %s: it is a function", name, what);
    }
    return TRM_OK;
}

static trm_status name_taken(trm_reader *reader, const trm_node *node, const trm_name *by)
{
    char pointer[80] = "";
    if (trm_node_pointer(by->node, NULL) < sizeof pointer) {
        trm_node_pointer(by->node, pointer);
    }
    return TRM_REFUSE(reader, node, "the name \"%s\" is taken by %s (line %u)", by->text, pointer,
                      by->node->value.line);
}

trm_status trm_read_name(trm_reader *reader, const trm_node *object, trm_names *names,
                         trm_name_kind kind, int index, const char **out)
{
    TRM_TRY(trm_read_word(reader, object, "name", out));
    const trm_node *node = trm_node_find(object, "name");
    TRM_TRY(trm_check_name(reader, trm_at(reader, node), *out));
    trm_name *slot = trm_names_find(names, *out, strlen(*out));
    if (slot->text) {
        return name_taken(reader, node, slot);
    }
    *slot = (trm_name){*out, kind, index, object, 0};
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- references

/// Of what can be named before references are read; stops and events come after them.
static const char *kind_text(trm_name_kind kind)
{
    switch (kind) {
    case TRM_NAME_BODY:
        return "a body";
    case TRM_NAME_MARKER:
        return "a marker";
    case TRM_NAME_JOINT:
        return "a joint";
    case TRM_NAME_CONSTRAINT:
        return "a constraint";
    default:
        return "a force";
    }
}

/// Joints are read after the markers, so they have no entry among the names yet.
static int names_a_joint(const trm_reader *reader, const char *text)
{
    const trm_node *joints = trm_node_find(reader->document->nodes, "joints");
    const trm_node *end = joints ? joints + joints->span : NULL;
    for (const trm_node *joint = joints ? joints + 1 : NULL; joint < end; joint += joint->span) {
        const trm_node *name = joint->type == TRM_NODE_OBJECT ? trm_node_find(joint, "name") : NULL;
        if (name && trm_node_is(name, text)) {
            return 1;
        }
    }
    return 0;
}

static trm_status unknown(trm_reader *reader, const trm_node *node, const trm_names *names,
                          trm_name_kind kind, const char *text)
{
    const char *what = kind_text(kind) + 2;
    if (kind != TRM_NAME_JOINT && names_a_joint(reader, text)) {
        return TRM_REFUSE(reader, node, "\"%s\" is a joint; expected %s", text, kind_text(kind));
    }
    trm_suggestion near = trm_suggest(text, strlen(text));
    for (size_t i = 0; i <= names->mask; i++) {
        if (names->slots[i].text && names->slots[i].kind == kind) {
            trm_suggest_consider(&near, names->slots[i].text);
        }
    }
    for (int i = 0; kind == TRM_NAME_JOINT && i < reader->scene->njoints; i++) {
        trm_suggest_consider(&near, reader->scene->joints[i].name); // their freedoms are among them
    }
    if (kind == TRM_NAME_BODY) {
        trm_suggest_consider(&near, "ground");
    }
    char hint[100];
    return TRM_REFUSE(reader, node, "no %s \"%.64s\"%s", what, text,
                      trm_suggest_text(&near, hint, sizeof hint));
}

/// The element of that kind which the string names.
static trm_status find(trm_reader *reader, const trm_node *node, const trm_names *names,
                       trm_name_kind kind, int *out)
{
    const char *text = NULL;
    if (node->type != TRM_NODE_STRING) {
        return TRM_REFUSE(reader, node, "expected the name of %s, got %s", kind_text(kind),
                          trm_node_describe(node));
    }
    TRM_TRY(trm_expand_text(reader, node, node->text, &text));
    trm_name *const slot = trm_names_find(names, text, strlen(text));
    const trm_name name =
        names == &reader->links ? trm_find_link(reader, text, strlen(text)) : *slot;
    if (!name.text) {
        return unknown(reader, node, names, kind, text);
    }
    if (name.kind != kind) {
        return TRM_REFUSE(reader, node, "\"%s\" is %s; expected %s", text, kind_text(name.kind),
                          kind_text(kind));
    }
    slot->used = 1;
    *out = name.index;
    return TRM_OK;
}

trm_status trm_read_body(trm_reader *reader, const trm_node *node, int *out)
{
    if (trm_node_is(node, "ground")) {
        *out = TRM_INDEX_GROUND;
        return TRM_OK;
    }
    return find(reader, node, &reader->points, TRM_NAME_BODY, out);
}

trm_status trm_read_marker(trm_reader *reader, const trm_node *node, int *out)
{
    return find(reader, node, &reader->points, TRM_NAME_MARKER, out);
}

trm_status trm_read_joint_name(trm_reader *reader, const trm_node *node, int *out)
{
    return find(reader, node, &reader->links, TRM_NAME_JOINT, out);
}

typedef trm_status read_one(trm_reader *reader, const trm_node *node, int *out);

static trm_status read_pair(trm_reader *reader, const trm_node *node, const char *what,
                            read_one *one, int out[2])
{
    if (node->type != TRM_NODE_ARRAY) {
        return TRM_REFUSE(reader, node, "expected the names of 2 %s, got %s", what,
                          trm_node_describe(node));
    }
    if (trm_node_size(node) != 2) {
        return TRM_REFUSE(reader, node, "expected the names of 2 %s, got %d", what,
                          trm_node_size(node));
    }
    TRM_TRY(one(reader, node + 1, &out[0]));
    TRM_TRY(one(reader, node + 1 + node[1].span, &out[1]));
    if (out[0] == out[1]) {
        return TRM_REFUSE(reader, node, "expected two different %s, got \"%s\" twice", what,
                          node[1].type == TRM_NODE_STRING ? node[1].text : "");
    }
    return TRM_OK;
}

trm_status trm_read_body_pair(trm_reader *reader, const trm_node *node, int out[2])
{
    return read_pair(reader, node, "bodies", trm_read_body, out);
}

trm_status trm_read_marker_pair(trm_reader *reader, const trm_node *node, int out[2])
{
    return read_pair(reader, node, "markers", trm_read_marker, out);
}

static trm_status read_list(trm_reader *reader, const trm_node *node, const char *what,
                            read_one *one, trm_index_list *out)
{
    TRM_TRY(trm_check_list(reader, node, what));
    out->n = 0;
    const trm_node *end = node + node->span;
    for (const trm_node *child = node + 1; child < end; child += child->span) {
        int *item = &out->item[out->n];
        TRM_TRY(one(reader, child, item));
        for (int i = 0; i < out->n; i++) {
            if (out->item[i] == *item) {
                return TRM_REFUSE(reader, child, "expected different %s, got \"%s\" twice", what,
                                  child->text);
            }
        }
        out->n++;
    }
    return TRM_OK;
}

trm_status trm_read_joint_list(trm_reader *reader, const trm_node *node, trm_index_list *out)
{
    return read_list(reader, node, "names of joints", trm_read_joint_name, out);
}

trm_status trm_read_marker_list(trm_reader *reader, const trm_node *node, trm_index_list *out)
{
    return read_list(reader, node, "names of markers", trm_read_marker, out);
}

trm_status trm_check_coordinate(trm_reader *reader, const trm_node *node, int index)
{
    const trm_scene *scene = reader->scene;
    const trm_scene_joint *joint = &scene->joints[index];
    const trm_joint_part *const parts = joint->kind->parts;
    char of_first[16] = "";
    snprintf(of_first, sizeof of_first, ".%s", parts ? parts->name : "");
    if (joint->kind->freedom == TRM_FREEDOM_NONE) {
        return TRM_REFUSE(reader, node,
                          "\"%s\" is a %s joint%s; expected one with a single angle or distance, "
                          "revolute or prismatic%s%s%s",
                          joint->name, joint->kind->name,
                          parts && !joint->axis_given ? " without an \"axis\"" : "",
                          parts ? ", or a freedom, as " : "", parts ? joint->name : "",
                          parts ? of_first : "");
    }
    for (int i = 0; i < 2 && trm_turns(joint->kind->freedom); i++) {
        const int body = joint->body[i];
        if (body != TRM_INDEX_GROUND && scene->bodies[body].point_mass) {
            return TRM_REFUSE(reader, node, "joint \"%s\" has no angle: \"%s\" is a point mass",
                              joint->name, scene->bodies[body].name);
        }
    }
    return TRM_OK;
}

// ---------------------------------------------------------------------------------- unused names

static const char *kind_of(const trm_reader *reader, const trm_name *name)
{
    switch (name->kind) {
    case TRM_NAME_MARKER:
        return "marker";
    case TRM_NAME_DEFINITION:
        return "definition";
    case TRM_NAME_TABLE:
        return "table";
    case TRM_NAME_PARAMETER:
        return reader->scene->parameters[name->index].is_input ? "input" : "parameter";
    default:
        return NULL; // bodies, joints and forces act by themselves
    }
}

/// In the order of the file; entries of one repetition by their number.
static int by_entry(const void *a, const void *b)
{
    const trm_name *const x = *(const trm_name *const *)a, *const y = *(const trm_name *const *)b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                              : (x->index > y->index) - (x->index < y->index);
}

/// All that could be unused; out NULL: counts.
static int gather(const trm_reader *reader, const trm_name **out)
{
    const trm_names *const all[] = {&reader->parameters, &reader->table_names,
                                    &reader->definition_names, &reader->points};
    int n = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (size_t i = 0; all[k]->slots && i <= all[k]->mask; i++) {
            const trm_name *const name = &all[k]->slots[i];
            if (name->text && kind_of(reader, name)) {
                if (out) {
                    out[n] = name;
                }
                n++;
            }
        }
    }
    return n;
}

/// An entry that stands for several is used where one of them is.
trm_status trm_find_unused(trm_reader *reader)
{
    trm_scene *const scene = reader->scene;
    const trm_name **names = NULL;
    const int n = gather(reader, NULL);
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *names, &names));
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->unused, &scene->unused));
    gather(reader, names);
    qsort(names, (size_t)n, sizeof *names, by_entry);
    for (int i = 0, j = 0; i < n; i = j) {
        int used = 0;
        for (j = i; j < n && names[j]->node == names[i]->node; j++) {
            used |= names[j]->used;
        }
        if (!used) {
            scene->unused[scene->nunused++] = (trm_unused_info){
                kind_of(reader, names[i]), names[i]->text, (int)names[i]->node->value.line};
        }
    }
    return TRM_OK;
}
