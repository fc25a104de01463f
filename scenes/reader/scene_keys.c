// One object of the file, read by the tables of its keys.

#include "base/status.h"
#include "program/suggest.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// TRM_KEY_CHOICE: the words stand in one string, separated by bars.
static trm_status read_choice_key(trm_reader *reader, const trm_node *node, const trm_key *key,
                                  int *out)
{
    enum { MOST = 8, LONGEST = 24 };
    char copies[MOST][LONGEST];
    const char *words[MOST];
    int n = 0;
    for (const char *word = key->choices; *word && n < MOST; n++) {
        const size_t length = strcspn(word, "|");
        snprintf(copies[n], LONGEST, "%.*s", (int)length, word);
        words[n] = copies[n];
        word += length + (word[length] == '|');
    }
    return trm_read_choice(reader, node, key->name, words, n, out);
}

// ----------------------------------------------------------------------------------------- ranges

static const char *range_text(trm_range range)
{
    return range == TRM_POSITIVE ? "> 0" : range == TRM_NOT_NEGATIVE ? ">= 0" : "different from 0";
}

static int in_range(trm_range range, double value)
{
    switch (range) {
    case TRM_POSITIVE:
        return value > 0;
    case TRM_NOT_NEGATIVE:
        return value >= 0;
    case TRM_NOT_ZERO:
        return value != 0;
    default:
        return 1;
    }
}

static trm_status check_number(trm_reader *reader, const trm_node *node, const trm_key *key,
                               double value)
{
    if (in_range(key->range, value)) {
        return TRM_OK;
    }
    return TRM_REFUSE(reader, node, "%s must be %s, got %g", key->name, range_text(key->range),
                      value);
}

/// TRM_NOT_ZERO is asked of the vector's length, the other ranges of each of its numbers.
static trm_status check_vector(trm_reader *reader, const trm_node *node, const trm_key *key, int n,
                               const double *values)
{
    if (key->range == TRM_NOT_ZERO) {
        double largest = 0;
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, fabs(values[i]));
        }
        return largest > 0 ? TRM_OK : TRM_REFUSE(reader, node, "%s must not be zero", key->name);
    }
    const trm_node *child = node + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(check_number(reader, child, key, values[i]));
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- one object

static trm_status read_vector(trm_reader *reader, const trm_node *node, const trm_key *key, int n,
                              double *out)
{
    TRM_TRY(trm_read_numbers(reader, node, n, out));
    return check_vector(reader, node, key, n, out);
}

static trm_status read_list(trm_reader *reader, const trm_node *node, const trm_key *key,
                            trm_number_list *out)
{
    TRM_TRY(trm_read_number_list(reader, node, out));
    return check_vector(reader, node, key, out->n, out->item);
}

/// A number, or a formula of what forces know, which is no equation whatever the element is.
static trm_status read_varying(trm_reader *reader, const trm_node *node, const trm_key *key,
                               double *out, trm_formula *formula)
{
    const trm_scope scope = reader->scope;
    double work[3];
    if (node->type != TRM_NODE_STRING) {
        return trm_read_number(reader, node, out);
    }
    reader->scope = TRM_SCOPE_STATE;
    reader->ranged = key->range == TRM_ANY ? NULL : key->name;
    const trm_status status = trm_read_formula(reader, node, formula);
    reader->scope = scope;
    reader->ranged = NULL;
    TRM_TRY(status);
    const int constant = trm_expression_is_constant(formula->code);
    *out = constant ? trm_expression_value(formula->code, NULL, work) : 1;
    *formula = constant ? (trm_formula){0} : *formula;
    return TRM_OK;
}

/// One or several; what varies is 1 for the range of the key.
static trm_status read_varying_key(trm_reader *reader, const trm_node *node, const trm_key *key,
                                   char *definition)
{
    const int one = key->type == TRM_KEY_NUMBER, dimension = reader->scene->dimension;
    const int n = one ? 1 : key->type == TRM_KEY_VECTOR3 ? 3 : dimension;
    double *const out = (double *)(definition + key->offset);
    trm_formula *const formula = (trm_formula *)(definition + key->varies);
    TRM_TRY(one ? TRM_OK : trm_check_size(reader, node, n, "numbers or formulas"));
    const trm_node *child = one ? node : node + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(read_varying(reader, child, key, &out[i], &formula[i]));
        TRM_TRY(check_number(reader, child, key, out[i]));
    }
    return TRM_OK;
}

static trm_status read_value(trm_reader *reader, const trm_node *node, const trm_key *key,
                             void *out)
{
    switch (key->type) {
    case TRM_KEY_NUMBER:
        TRM_TRY(trm_read_number(reader, node, out));
        return check_number(reader, node, key, *(double *)out);
    case TRM_KEY_VECTOR:
        return read_vector(reader, node, key, reader->scene->dimension, out);
    case TRM_KEY_VECTOR3:
        return read_vector(reader, node, key, 3, out);
    case TRM_KEY_VECTOR4:
        return read_vector(reader, node, key, 4, out);
    case TRM_KEY_MATRIX3:
        return trm_read_matrix(reader, node, out);
    case TRM_KEY_BOOLEAN:
        return trm_read_boolean(reader, node, out);
    case TRM_KEY_TEXT:
        return trm_read_text(reader, node, out);
    case TRM_KEY_FORMULA:
        return trm_read_formula(reader, node, out);
    case TRM_KEY_FORMULA_VECTOR:
        return trm_read_formulas(reader, node, out);
    case TRM_KEY_BODY:
        return trm_read_body(reader, node, out);
    case TRM_KEY_BODY_PAIR:
        return trm_read_body_pair(reader, node, out);
    case TRM_KEY_MARKER:
        return trm_read_marker(reader, node, out);
    case TRM_KEY_MARKER_PAIR:
        return trm_read_marker_pair(reader, node, out);
    case TRM_KEY_JOINT:
        return trm_read_joint_name(reader, node, out);
    case TRM_KEY_JOINTS:
        return trm_read_joint_list(reader, node, out);
    case TRM_KEY_MARKERS:
        return trm_read_marker_list(reader, node, out);
    case TRM_KEY_NUMBERS:
        return read_list(reader, node, key, out);
    case TRM_KEY_CHOICE:
        return read_choice_key(reader, node, key, out);
    case TRM_KEY_SPECIAL:
        break;
    }
    return TRM_OK;
}

/// The tables of one object as one list.
typedef struct key_list {
    const trm_key *const *tables;
    int n;
} key_list;

static int fits(const trm_reader *reader, const trm_key *key)
{
    return key->dimension == 0 || key->dimension == reader->scene->dimension;
}

/// The key of that name, of this dimension if there is one.
static const trm_key *find_key(const trm_reader *reader, const key_list *list, const char *name)
{
    const trm_key *found = NULL;
    for (int i = 0; i < list->n; i++) {
        for (const trm_key *key = list->tables[i]; key->name; key++) {
            if (!strcmp(key->name, name) && (!found || fits(reader, key))) {
                found = key;
            }
        }
    }
    return found;
}

/// `; did you mean "mass"?`, or, when no key is near, all that the object takes here.
static trm_status unknown_key(trm_reader *reader, const trm_node *node, const key_list *list)
{
    const char *name = node->name;
    enum { MOST_KEYS = 64 };
    const char *known[MOST_KEYS];
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        for (const trm_key *key = list->tables[i]; key->name && n < MOST_KEYS; key++) {
            if (fits(reader, key)) {
                known[n++] = key->name;
            }
        }
    }
    char hint[180];
    trm_hint_at_words(name, known, n, hint, sizeof hint);
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node), "unknown key \"%.60s\"%s",
                    name, hint);
}

static trm_status read_member(trm_reader *reader, const trm_node *node, const key_list *list,
                              void *out)
{
    const trm_key *key = find_key(reader, list, node->name);
    if (!key) {
        return unknown_key(reader, node, list);
    }
    if (!fits(reader, key)) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" is for scenes of dimension %d only", key->name, key->dimension);
    }
    if (key->type == TRM_KEY_SPECIAL) {
        return TRM_OK;
    }
    if (key->given) {
        *(int *)((char *)out + key->given) = 1;
    }
    if (key->varies) {
        return read_varying_key(reader, node, key, out);
    }
    return read_value(reader, node, key, (char *)out + key->offset);
}

static trm_status check_required(trm_reader *reader, const trm_node *object, const key_list *list)
{
    for (int i = 0; i < list->n; i++) {
        for (const trm_key *key = list->tables[i]; key->name; key++) {
            if (key->required && fits(reader, key) && !trm_node_find(object, key->name)) {
                return TRM_REFUSE(reader, object, "missing key \"%s\"", key->name);
            }
        }
    }
    return TRM_OK;
}

/// The first of "a|b" that the object has; NULL: none.
static const trm_node *find_one(const trm_node *object, const char *keys)
{
    const trm_node *found = NULL;
    char name[32];
    while (*keys && !found) {
        const size_t length = strcspn(keys, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, keys);
        found = trm_node_find(object, name);
        keys += length + (keys[length] == '|');
    }
    return found;
}

/// A key that can do nothing is a mistake.
static trm_status check_effect(trm_reader *reader, const trm_node *object, const trm_node *member,
                               const trm_key *key)
{
    const trm_node *const other = key->excludes ? find_one(object, key->excludes) : NULL;
    if (other) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, member),
                        "\"%s\" has no effect beside \"%s\"", key->name, other->name);
    }
    if (key->needs && !find_one(object, key->needs)) {
        const char *const bar = strchr(key->needs, '|');
        const int first = bar ? (int)(bar - key->needs) : (int)strlen(key->needs);
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, member),
                        "\"%s\" has no effect without \"%.*s\"%s%s%s", key->name, first, key->needs,
                        bar ? " or \"" : "", bar ? bar + 1 : "", bar ? "\"" : "");
    }
    return TRM_OK;
}

trm_status trm_read_keys(trm_reader *reader, const trm_node *object, const trm_key *const *tables,
                         int n, void *out)
{
    const key_list list = {tables, n};
    TRM_TRY(trm_read_object(reader, object));
    const trm_node *end = object + object->span;
    for (const trm_node *child = object + 1; child < end; child += child->span) {
        TRM_TRY(read_member(reader, child, &list, out));
    }
    for (const trm_node *child = object + 1; child < end; child += child->span) {
        TRM_TRY(check_effect(reader, object, child, find_key(reader, &list, child->name)));
    }
    return check_required(reader, object, &list);
}

static trm_status none_of_group(trm_reader *reader, const trm_node *object,
                                const trm_key_group *group)
{
    char list[160] = "";
    for (const char *const *key = group->keys; *key; key++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", used ? " or " : "", *key);
    }
    return TRM_REFUSE(reader, object, "missing key %s%s", list,
                      group->needed == TRM_SOME ? ": without any it does nothing" : "");
}

trm_status trm_check_groups(trm_reader *reader, const trm_node *object, const trm_key_group *groups)
{
    for (const trm_key_group *group = groups; group->keys[0]; group++) {
        const char *seen = NULL;
        for (const char *const *key = group->keys; *key; key++) {
            const trm_node *node = trm_node_find(object, *key);
            if (node && seen && group->needed != TRM_SOME) {
                return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                                "\"%s\" and \"%s\" exclude each other", seen, *key);
            }
            seen = node ? *key : seen;
        }
        if (group->needed && !seen) {
            return none_of_group(reader, object, group);
        }
    }
    return TRM_OK;
}
