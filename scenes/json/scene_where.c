#include "scenes/json/scene_where.h"

#include "base/status.h"
#include "scenes/json/json_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const trm_node *trm_node_find(const trm_node *object, const char *key)
{
    const trm_node *end = object + object->span;
    for (const trm_node *child = object + 1; child < end; child += child->span) {
        if (!strcmp(child->name, key)) {
            return child;
        }
    }
    return NULL;
}

int trm_node_size(const trm_node *node)
{
    int n = 0;
    for (const trm_node *child = node + 1; child < node + node->span; child += child->span) {
        n++;
    }
    return n;
}

int trm_node_is(const trm_node *node, const char *text)
{
    return node->type == TRM_NODE_STRING && !strcmp(node->text, text);
}

const char *trm_node_describe(const trm_node *node)
{
    static const char *const words[] = {"an object", "an array", "a string", "a number",
                                        "true",      "false",    "null"};
    return words[node->type];
}

// -------------------------------------------------------------------------------- JSON pointers

/// Copy a key with ~ and / escaped (RFC 6901); count only when out is NULL.
static size_t put_key(const char *key, char *out)
{
    size_t n = 0;
    for (; *key; key++) {
        const int special = *key == '~' || *key == '/';
        if (out) {
            out[n] = special ? '~' : *key;
            if (special) {
                out[n + 1] = *key == '~' ? '0' : '1';
            }
        }
        n += special ? 2 : 1;
    }
    return n;
}

size_t trm_node_pointer(const trm_node *node, char *out)
{
    if (node->up == 0) {
        if (out) {
            *out = '\0';
        }
        return 0;
    }
    size_t n = trm_node_pointer(node - node->up, out);
    if (out) {
        out[n] = '/';
    }
    n++;
    if (node->name) {
        n += put_key(node->name, out ? out + n : NULL);
    } else {
        char digits[16];
        const int length = snprintf(digits, sizeof digits, "%u", node->index);
        if (out) {
            memcpy(out + n, digits, (size_t)length);
        }
        n += (size_t)length;
    }
    if (out) {
        out[n] = '\0';
    }
    return n;
}

/// The pointer as far as it fits; keys may be long, and there is no memory to ask for in an error.
static void put_pointer(const trm_node *node, char *out, size_t size)
{
    size_t room = size;
    const trm_node *shown = node;
    while (trm_node_pointer(shown, NULL) >= room && shown->up) {
        shown -= shown->up;
        room = size > 8 ? size - 8 : 0;
    }
    if (trm_node_pointer(shown, NULL) >= room) {
        out[0] = '\0';
        return;
    }
    const size_t length = trm_node_pointer(shown, out);
    if (shown != node) {
        snprintf(out + length, size - length, "/...");
    }
}

const char *trm_document_where(const trm_document *document, const trm_node *node, trm_spot spot,
                               char *out, size_t size)
{
    const int length = snprintf(out, size, "%s:%u:%u", document->path, spot.line, spot.column);
    if (length > 0 && (size_t)length + 2 < size && node->up) {
        out[length] = ' ';
        put_pointer(node, out + length + 1, size - (size_t)length - 1);
    }
    return out;
}

// --------------------------------------------------------------------------------- escapes

static size_t utf8_bytes(long codepoint)
{
    return codepoint < 0x80 ? 1 : codepoint < 0x800 ? 2 : codepoint < 0x10000 ? 3 : 4;
}

/// The escape at `raw` stands for *decoded bytes; returns its own length. The scan has checked it.
static size_t escape_length(const char *raw, size_t *decoded)
{
    *decoded = 1;
    if (raw[1] != 'u') {
        return 2;
    }
    char digits[5] = {raw[2], raw[3], raw[4], raw[5], '\0'};
    const long unit = strtol(digits, NULL, 16);
    const int pair = unit >= 0xd800 && unit <= 0xdbff;
    *decoded = pair ? 4 : utf8_bytes(unit);
    return pair ? 12 : 6;
}

trm_spot trm_document_in_string(const trm_document *document, const trm_node *node, size_t index)
{
    const char *start = document->text + node->value.offset, *raw = start + 1;
    for (size_t i = 0; i < index && *raw != '"';) {
        size_t decoded = 1;
        raw += *raw == '\\' ? escape_length(raw, &decoded) : 1;
        i += decoded;
    }
    const uint32_t shift = (uint32_t)(raw - start);
    return (trm_spot){node->value.offset + shift, node->value.line, node->value.column + shift};
}

// ----------------------------------------------------------- what JSON allows and a scene does not

static int by_key_then_place(const void *a, const void *b)
{
    const trm_node *x = *(const trm_node *const *)a, *y = *(const trm_node *const *)b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

/// The first member (in the order of the text) whose key came before; members is workspace.
static const trm_node *find_duplicate(const trm_node *object, const trm_node **members)
{
    size_t n = 0;
    const trm_node *end = object + object->span, *found = NULL;
    for (const trm_node *child = object + 1; child < end; child += child->span) {
        members[n++] = child;
    }
    qsort(members, n, sizeof *members, by_key_then_place);
    for (size_t i = 1; i < n; i++) {
        const int same = !strcmp(members[i - 1]->name, members[i]->name);
        if (same && (!found || members[i] < found)) {
            found = members[i];
        }
    }
    return found;
}

static trm_status check_node(const trm_document *document, const trm_node *node,
                             const trm_node **members, trm_error *err)
{
    char where[160];
    if (node->type == TRM_NODE_NUMBER && !isfinite(node->number)) {
        trm_document_where(document, node, node->value, where, sizeof where);
        return TRM_FAIL(err, TRM_ERR_SCENE, where, "the number is too large for a double");
    }
    const trm_node *again = node->type == TRM_NODE_OBJECT ? find_duplicate(node, members) : NULL;
    if (again) {
        trm_document_where(document, again, again->key, where, sizeof where);
        return TRM_FAIL(err, TRM_ERR_SCENE, where, "duplicate key \"%.80s\"", again->name);
    }
    return TRM_OK;
}

static trm_status check_values(const trm_document *document, trm_error *err)
{
    const trm_node **members = malloc(document->count * sizeof *members);
    if (!members) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, document->path, "out of memory");
    }
    trm_status status = TRM_OK;
    for (size_t i = 0; i < document->count && status == TRM_OK; i++) {
        status = check_node(document, &document->nodes[i], members, err);
    }
    free(members);
    return status;
}

trm_status trm_document_open(const char *path, const char *text, size_t length, trm_pool *pool,
                             trm_document *out, trm_error *err)
{
    *out = (trm_document){.path = path, .text = text};
    char *const texts = trm_pool_take(pool, length + 1, 1); // none is longer than in its quotes
    if (!texts) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    TRM_TRY(trm_json_scan(path, text, length, texts, &out->nodes, &out->count, err));
    const trm_status status = check_values(out, err);
    if (status != TRM_OK) {
        trm_document_close(out);
    }
    return status;
}

void trm_document_close(trm_document *document)
{
    free(document->nodes);
    *document = (trm_document){0};
}
