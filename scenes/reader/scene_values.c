// Plain values: numbers, points, texts, choices, formulas.

#include "base/status.h"
#include "base/text/suggest.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "program/suggest.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static trm_status expected(trm_reader *reader, const trm_node *node, const char *what)
{
    return TRM_REFUSE(reader, node, "expected %s, got %s", what, trm_node_describe(node));
}

trm_status trm_read_object(trm_reader *reader, const trm_node *node)
{
    return node->type == TRM_NODE_OBJECT ? TRM_OK : expected(reader, node, "an object");
}

trm_status trm_read_array(trm_reader *reader, const trm_node *node)
{
    return node->type == TRM_NODE_ARRAY ? TRM_OK : expected(reader, node, "an array");
}

trm_status trm_read_number(trm_reader *reader, const trm_node *node, double *out)
{
    if (node->type == TRM_NODE_NUMBER) {
        *out = node->number;
        return TRM_OK;
    }
    if (node->type != TRM_NODE_STRING) {
        return expected(reader, node, "a number");
    }
    return trm_evaluate(reader, node, node->text, out);
}

trm_status trm_check_size(trm_reader *reader, const trm_node *node, int n, const char *what)
{
    if (node->type != TRM_NODE_ARRAY) {
        return TRM_REFUSE(reader, node, "expected %d %s, got %s", n, what, trm_node_describe(node));
    }
    const int size = trm_node_size(node);
    if (size != n) {
        return TRM_REFUSE(reader, node, "expected %d %s, got %d", n, what, size);
    }
    return TRM_OK;
}

trm_status trm_check_list(trm_reader *reader, const trm_node *node, const char *what)
{
    if (node->type != TRM_NODE_ARRAY) {
        return TRM_REFUSE(reader, node, "expected an array of %s, got %s", what,
                          trm_node_describe(node));
    }
    const int size = trm_node_size(node);
    if (size < 1 || size > TRM_MOST_LISTED) {
        return TRM_REFUSE(reader, node, "expected 1 to %d %s, got %d", TRM_MOST_LISTED, what, size);
    }
    return TRM_OK;
}

trm_status trm_read_number_list(trm_reader *reader, const trm_node *node, trm_number_list *out)
{
    TRM_TRY(trm_check_list(reader, node, "numbers"));
    out->n = trm_node_size(node);
    return trm_read_numbers(reader, node, out->n, out->item);
}

trm_status trm_read_numbers(trm_reader *reader, const trm_node *node, int n, double *out)
{
    TRM_TRY(trm_check_size(reader, node, n, "numbers"));
    const trm_node *child = node + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(trm_read_number(reader, child, &out[i]));
    }
    return TRM_OK;
}

trm_status trm_read_point(trm_reader *reader, const trm_node *node, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    return trm_read_numbers(reader, node, reader->scene->dimension, out);
}

trm_status trm_read_points(trm_reader *reader, const trm_node *node, int n, double out[][3])
{
    TRM_TRY(trm_check_size(reader, node, n, "points"));
    const trm_node *child = node + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(trm_read_point(reader, child, out[i]));
    }
    return TRM_OK;
}

trm_status trm_read_matrix(trm_reader *reader, const trm_node *node, double out[9])
{
    TRM_TRY(trm_check_size(reader, node, 3, "rows of 3 numbers"));
    const trm_node *row = node + 1;
    for (int i = 0; i < 3; i++, row += row->span) {
        TRM_TRY(trm_read_numbers(reader, row, 3, &out[3 * i]));
    }
    return TRM_OK;
}

trm_status trm_read_text(trm_reader *reader, const trm_node *node, const char **out)
{
    if (node->type != TRM_NODE_STRING) {
        return expected(reader, node, "a string");
    }
    return trm_expand_text(reader, node, node->text, out);
}

trm_status trm_read_boolean(trm_reader *reader, const trm_node *node, int *out)
{
    if (node->type != TRM_NODE_TRUE && node->type != TRM_NODE_FALSE) {
        return expected(reader, node, "true or false");
    }
    *out = node->type == TRM_NODE_TRUE;
    return TRM_OK;
}

trm_status trm_read_part(trm_reader *reader, const trm_node *node, const char **text)
{
    if (node->type == TRM_NODE_NUMBER) {
        char digits[40];
        snprintf(digits, sizeof digits, "%.17g", node->number);
        *text = trm_pool_copy(reader->pool, digits, strlen(digits));
        return *text ? TRM_OK : trm_reader_no_memory(reader);
    }
    if (node->type != TRM_NODE_STRING) {
        return expected(reader, node, "a number or a formula");
    }
    *text = node->text;
    return TRM_OK;
}

trm_status trm_read_formula_text(trm_reader *reader, const trm_node *node, const char **text)
{
    TRM_TRY(trm_read_part(reader, node, text));
    return node->type == TRM_NODE_STRING ? trm_expand_text(reader, node, node->text, text) : TRM_OK;
}

trm_status trm_read_formula(trm_reader *reader, const trm_node *node, trm_formula *out)
{
    const char *text = NULL;
    TRM_TRY(trm_read_formula_text(reader, node, &text));
    return trm_compile_formula(reader, node, text, out);
}

trm_status trm_read_formulas(trm_reader *reader, const trm_node *node, trm_formula out[3])
{
    const int n = reader->scene->dimension;
    TRM_TRY(trm_check_size(reader, node, n, "formulas"));
    const trm_node *child = node + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(trm_read_formula(reader, child, &out[i]));
    }
    return TRM_OK;
}

// -------------------------------------------------------------------------------- words of a list

/// Where a word belongs that is a type of something else; NULL: nowhere.
static const char *home_of(const char *word)
{
    for (int i = 0; trm_joint_kinds[i]; i++) {
        if (!strcmp(trm_joint_kinds[i]->name, word)) {
            return "joint: an entry of \"joints\"";
        }
    }
    for (int i = 0; trm_relation_kinds[i]; i++) {
        if (!strcmp(trm_relation_kinds[i]->name, word)) {
            return "constraint: an entry of \"constraints\"";
        }
    }
    for (int i = 0; trm_force_kinds[i]; i++) {
        if (trm_force_kinds[i]->keys && !strcmp(trm_force_kinds[i]->name, word)) {
            return "force: an entry of \"forces\"";
        }
    }
    return NULL;
}

void trm_hint_at_words(const char *word, const char *const *words, int n, char *out, size_t size)
{
    trm_suggestion near = trm_suggest(word, strlen(word));
    for (int i = 0; i < n; i++) {
        trm_suggest_consider(&near, words[i]);
    }
    trm_foreign_hint(&near, out, size);
    for (int i = 0; i < n && !near.best && !(i == 0 && *out); i++) {
        const size_t used = strlen(out);
        const int last = used + strlen(words[i]) + sizeof ", ..." > size - 8;
        snprintf(out + used, size - used, "%s%s", i ? ", " : "; known: ", last ? "..." : words[i]);
        if (last) {
            return;
        }
    }
}

trm_status trm_read_choice(trm_reader *reader, const trm_node *node, const char *what,
                           const char *const *words, int n, int *out)
{
    const char *word = NULL;
    TRM_TRY(trm_read_text(reader, node, &word));
    for (int i = 0; i < n; i++) {
        if (!strcmp(words[i], word)) {
            *out = i;
            return TRM_OK;
        }
    }
    char hint[180];
    if (strstr(what, "type") && home_of(word)) {
        return TRM_REFUSE(reader, node, "unknown %s \"%.40s\"; it is the type of a %s", what, word,
                          home_of(word));
    }
    trm_hint_at_words(word, words, n, hint, sizeof hint);
    return TRM_REFUSE(reader, node, "unknown %s \"%.40s\"%s", what, word, hint);
}

/// A key of the object that differs from the missing one by a single slip is pointed at.
static trm_status missing_word(trm_reader *reader, const trm_node *object, const char *key)
{
    const trm_node *end = object + object->span;
    for (const trm_node *child = object + 1; child < end; child += child->span) {
        const char *name = child->name;
        trm_suggestion near = trm_suggest(name, strlen(name));
        trm_suggest_consider(&near, key);
        if (near.best && near.distance <= 1) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, child),
                            "unknown key \"%.60s\"; did you mean \"%s\"?", name, key);
        }
    }
    return TRM_REFUSE(reader, object, "missing key \"%s\"%s", key,
                      strcmp(key, "type") ? "" : "; types: trammel elements");
}

trm_status trm_read_word(trm_reader *reader, const trm_node *object, const char *key,
                         const char **out)
{
    TRM_TRY(trm_read_object(reader, object));
    const trm_node *node = trm_node_find(object, key);
    if (!node) {
        return missing_word(reader, object, key);
    }
    return trm_read_text(reader, node, out);
}
