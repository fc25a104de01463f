/// A JSON text with the positions of all its values and keys.
///
/// A strict scan (RFC 8259) judges the syntax and notes values and positions. Refused too are
/// duplicate keys and numbers beyond a double.
#pragma once

#include "base/pool.h"

#include "trammel/trammel_status.h"

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

typedef enum trm_node_type {
    TRM_NODE_OBJECT,
    TRM_NODE_ARRAY,
    TRM_NODE_STRING,
    TRM_NODE_NUMBER,
    TRM_NODE_TRUE,
    TRM_NODE_FALSE,
    TRM_NODE_NULL
} trm_node_type;

/// A value. The nodes of a text lie in document order: the children of a node follow it, so that
///     for (const trm_node *child = node + 1; child < node + node->span; child += child->span)
/// visits them.
typedef struct trm_node {
    const char *name; ///< its key in an object, escapes resolved; NULL without one
    union {
        const char *text; ///< of a string, likewise
        double number;
    };
    trm_node_type type;
    uint32_t up;    ///< nodes back to the parent; 0 for the root
    uint32_t span;  ///< nodes of this value, itself included
    uint32_t index; ///< among its siblings
    trm_spot key;   ///< of its key in an object
    trm_spot value;
} trm_node;

typedef struct trm_document {
    const char *path; ///< for messages
    const char *text;
    trm_node *nodes; ///< [count], the root first
    size_t count;
} trm_document;

/// Path and text must outlive the document. Names and texts of the nodes go to the pool and outlive
/// it. On failure nothing is left to close. Errors: SYNTAX, SCENE (duplicate key, number too
/// large), MEMORY.
trm_status trm_document_open(const char *path, const char *text, size_t length, trm_pool *pool,
                             trm_document *out, trm_error *err);
void trm_document_close(trm_document *document);

/// The value under `key`; NULL when the object has no such key.
const trm_node *trm_node_find(const trm_node *object, const char *key);
/// Number of elements of an array or members of an object.
int trm_node_size(const trm_node *node);
/// A string that is `text`.
int trm_node_is(const trm_node *node, const char *text);
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
