/// A JSON text with the positions of all its values and keys.
///
/// A strict scan (RFC 8259) judges the syntax and finds the positions; cJSON then builds the tree,
/// and a walk of both in the same order ties them together. What cJSON would let pass is refused:
/// duplicate keys, 01, 1e400, invalid UTF-8, control characters in strings, text after the end.
#ifndef TRM_SCENE_WHERE_H
#define TRM_SCENE_WHERE_H

#include "engine/trammel.h"

#include <cjson/cJSON.h>
#include <stdint.h>

enum {
    TRM_MAX_FILE = 256 * 1024 * 1024, ///< bytes
    TRM_MAX_VALUES = 10000000,        ///< numbers, strings, arrays, ... of one text
    TRM_MAX_NESTING = 100
};

/// A place in the text; line and column count from 1, the column in bytes.
typedef struct trm_spot {
    uint32_t offset, line, column;
} trm_spot;

/// A value. The nodes of a text lie in document order: the children of a node follow it, so that
///     for (const trm_node *child = node + 1; child < node + node->span; child += child->span)
/// visits them.
typedef struct trm_node {
    const cJSON *json;
    uint32_t up;    ///< nodes back to the parent; 0 for the root
    uint32_t span;  ///< nodes of this value, itself included
    uint32_t index; ///< among its siblings
    trm_spot key;   ///< of its key in an object; line 0 without one
    trm_spot value;
} trm_node;

typedef struct trm_document {
    char *path; ///< for messages
    char *text;
    size_t length;
    cJSON *tree;
    trm_node *nodes; ///< [count], the root first
    size_t count;
} trm_document;

/// Take over `text` (from malloc) and its copy of the path. On failure nothing is left to close.
/// Errors: SYNTAX, SCENE (duplicate key, number too large), MEMORY.
trm_status trm_document_open(const char *path, char *text, size_t length, trm_document *out,
                             trm_error *err);
void trm_document_close(trm_document *document);

/// The value under `key`; NULL when the object has no such key.
const trm_node *trm_node_find(const trm_node *object, const char *key);
/// Number of elements of an array or members of an object.
int trm_node_size(const trm_node *node);
/// "an object", "a string", "true" ...
const char *trm_node_describe(const trm_node *node);

/// Bytes of the JSON pointer of a node, without the terminating
/// 0; writes it when `out` is not NULL.
size_t trm_node_pointer(const trm_node *node, char *out);

/// "path:line:column /pointer". `out` has the size of trm_error.where; returns out.
const char *trm_document_where(const trm_document *document, const trm_node *node, trm_spot spot,
                               char *out, size_t size);

/// The place in the text of byte `index` of a string value, escapes taken into account.
trm_spot trm_document_in_string(const trm_document *document, const trm_node *node, size_t index);

#endif
