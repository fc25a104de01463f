// Definitions: named sub-expressions, put in where a formula names them.
//
// A definition is compiled inside the formulas that use it, where it is computed once, and by
// itself when all is read (scene_read.c), so that a mistake in it is found even if nothing uses it.

#include "base/status.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <string.h>

static trm_status read_part(trm_reader *reader, const trm_node *node, const trm_node **part,
                            const char **text)
{
    *part = node;
    if (node->type == TRM_NODE_NUMBER) {
        char digits[40];
        snprintf(digits, sizeof digits, "%.17g", node->number);
        *text = trm_pool_copy(reader->pool, digits, strlen(digits));
        return *text ? TRM_OK : trm_reader_no_memory(reader);
    }
    if (node->type != TRM_NODE_STRING) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                        "expected a number or a formula, got %s", trm_node_describe(node));
    }
    *text = node->text;
    return TRM_OK;
}

static trm_status read_vector(trm_reader *reader, const trm_node *node, trm_definition *out)
{
    const int n = reader->scene->dimension;
    if (trm_node_size(node) != n) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                        "expected %d formulas, got %d", n, trm_node_size(node));
    }
    const trm_node *child = node + 1;
    out->n = n;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(read_part(reader, child, &out->part[i], &out->text[i]));
    }
    return TRM_OK;
}

static trm_status read_definition(trm_reader *reader, const trm_node *node, int index)
{
    trm_definition *definition = &reader->definitions[index];
    TRM_TRY(trm_check_word(reader, node, "definition"));
    definition->name = node->name;
    const size_t length = strlen(definition->name);
    const trm_name *parameter = trm_names_find(&reader->parameters, definition->name, length);
    if (parameter->text) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" is a parameter (line %u) already", definition->name,
                        parameter->node->key.line);
    }
    *trm_names_find(&reader->definition_names, definition->name, length) =
        (trm_name){definition->name, TRM_NAME_DEFINITION, index, node, 0};
    return node->type == TRM_NODE_ARRAY
               ? read_vector(reader, node, definition)
               : read_part(reader, node, &definition->part[0], &definition->text[0]);
}

trm_status trm_read_definitions(trm_reader *reader, const trm_node *object)
{
    TRM_TRY(trm_read_object(reader, object));
    const int n = trm_node_size(object);
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *reader->definitions, &reader->definitions));
    reader->ndefinitions = n;
    const trm_node *node = object + 1;
    for (int i = 0; i < n; i++, node += node->span) {
        TRM_TRY(read_definition(reader, node, i));
    }
    return TRM_OK;
}
