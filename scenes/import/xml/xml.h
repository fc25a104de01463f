/// XML as a tree whose nodes know their place in the file. Reading an attribute marks it; what no
/// reader asked for is found afterwards, so that nothing is lost in silence.
#pragma once

#include "base/pool.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_status.h"

enum {
    TRM_XML_DEPTH = 200,     ///< elements within elements
    TRM_XML_NODES = 4000000, ///< elements and attributes of all files of a model
    TRM_XML_FILES = 1000,    ///< that a model may be made of
};

typedef struct trm_xml_attribute {
    const char *name, *value;
    struct trm_xml_attribute *next;
    int used; ///< a reader asked for it
} trm_xml_attribute;

typedef struct trm_xml {
    const char *name, *text; ///< text: of the element, without that of its children
    const char *file;
    long line, column; ///< from 1
    trm_xml_attribute *attributes;
    struct trm_xml *up, *child, *last, *next;
    int used; ///< a reader took it
} trm_xml;

/// Files of one model: each is read once, which ends circles and bombs of inclusion.
typedef struct trm_xml_files {
    trm_pool *pool;
    const char *folder; ///< of the first file: the others lie there or below
    int n, nodes;
    const char *paths[TRM_XML_FILES];
    trm_error *err;
} trm_xml_files;

/// The root element of a file, by its path. Entities are refused. Errors: IO, SYNTAX, SCENE (too
/// deep, too large, read before), MEMORY.
trm_status trm_xml_open(trm_xml_files *files, const char *path, trm_xml **root);
/// The same for bytes in memory; `path` is for messages.
trm_status trm_xml_parse(trm_xml_files *files, const char *path, const char *bytes, size_t length,
                         trm_xml **root);
/// The path of a file that `name` stands for, below the folder; see trm_file_beside. Errors: IO,
/// SCENE, MEMORY.
trm_status trm_xml_beside(trm_xml_files *files, const char *name, const char **path);

int trm_xml_is(const trm_xml *node, const char *name);
/// The first child called so, marked as used; NULL: none.
trm_xml *trm_xml_child(const trm_xml *node, const char *name);
/// The value, marked as used; NULL: no such attribute.
const char *trm_xml_value(const trm_xml *node, const char *name);
/// Marks the element and all within as used.
void trm_xml_take(trm_xml *node);

/// An error at the place of an element: "robot.xml:12:3 <joint name="knee">".
trm_status trm_xml_fail(const trm_xml *node, trm_error *err, trm_source source, const char *format,
                        ...);
#define TRM_XML_FAIL(node, err, ...)                                                               \
    trm_xml_fail((node), (err), (trm_source){__FILE__, __func__, __LINE__}, __VA_ARGS__)

/// "<joint name="knee">", cut to size; returns out.
const char *trm_xml_title(const trm_xml *node, char *out, size_t size);

/// At most `most` numbers separated by white space; their count, -1 where something else stands.
int trm_xml_numbers(const char *text, int most, double *out);
