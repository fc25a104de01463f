// Definitions: named sub-expressions, put in where a formula names them. Outputs are definitions
// with a unit, which a run records.
//
// A definition is compiled inside the formulas that use it, where it is computed once, and by
// itself when all is read (scene_read.c), so that a mistake in it is found even if nothing uses it.

#include "base/status.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <string.h>

trm_status trm_read_part(trm_reader *reader, const trm_node *node, const char **text)
{
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

static trm_status read_part(trm_reader *reader, const trm_node *node, const trm_node **part,
                            const char **text)
{
    *part = node;
    return trm_read_part(reader, node, text);
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

/// Enter the name of the node as that of definition `index`; `what` it is in messages.
trm_status trm_name_definition(trm_reader *reader, const trm_node *node, const char *what)
{
    const int index = reader->ndefinitions;
    TRM_TRY(trm_check_word(reader, node, what));
    reader->definitions[index].name = node->name;
    const size_t length = strlen(node->name);
    const trm_name *other = trm_names_find(&reader->parameters, node->name, length);
    trm_name *const own = trm_names_find(&reader->definition_names, node->name, length);
    const int taken = own->text != NULL;
    if (taken || other->text) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" is a %s (line %u) already", node->name,
                        taken ? "definition" : "parameter", (taken ? own : other)->node->key.line);
    }
    *own = (trm_name){node->name, TRM_NAME_DEFINITION, index, node, 0};
    reader->ndefinitions++;
    return TRM_OK;
}

static trm_status read_definition(trm_reader *reader, const trm_node *node)
{
    trm_definition *definition = &reader->definitions[reader->ndefinitions];
    TRM_TRY(trm_name_definition(reader, node, "a definition"));
    return node->type == TRM_NODE_ARRAY
               ? read_vector(reader, node, definition)
               : read_part(reader, node, &definition->part[0], &definition->text[0]);
}

trm_status trm_read_definitions(trm_reader *reader, const trm_node *object)
{
    TRM_TRY(trm_read_object(reader, object));
    const trm_node *const end = object + object->span;
    for (const trm_node *node = object + 1; node < end; node += node->span) {
        TRM_TRY(read_definition(reader, node));
    }
    return TRM_OK;
}

// ---------------------------------------------------------------------------------------- outputs

const trm_key trm_output_keys[] = {
    {.name = "value",
     .type = TRM_KEY_SPECIAL,
     .required = 1,
     .doc = "The formula.",
     .schema = "{\"$ref\":\"#/$defs/number\"}"},
    {.name = "unit",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_scene_output, unit),
     .fallback = "\"\"",
     .doc = "What the number is in, for columns and pictures: `\"W\"`."},
    {.name = NULL},
};

/// A unit stands between [ and ] in the header of a recording.
trm_status trm_check_unit(trm_reader *reader, const trm_node *node, const char *unit)
{
    enum { LONGEST_UNIT = 24 };
    int ok = strlen(unit) <= LONGEST_UNIT;
    for (const char *c = unit; *c && ok; c++) {
        ok = *c >= ' ' && *c <= '~' && !strchr("[],\"", *c);
    }
    return ok ? TRM_OK
              : TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, trm_node_find(node, "unit")),
                         "a unit has at most %d ASCII characters, without comma, quote and "
                         "brackets",
                         LONGEST_UNIT);
}

trm_status trm_read_outputs(trm_reader *reader, const trm_node *object)
{
    trm_scene *const scene = reader->scene;
    TRM_TRY(trm_read_object(reader, object));
    const int n = trm_node_size(object);
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->outputs, &scene->outputs));
    const trm_node *node = object + 1;
    for (int i = 0; i < n; i++, node += node->span) {
        const trm_key *const tables[] = {trm_output_keys};
        trm_scene_output *const output = &scene->outputs[scene->noutputs++];
        trm_definition *definition = &reader->definitions[reader->ndefinitions];
        const int bare = node->type != TRM_NODE_OBJECT;
        *output = (trm_scene_output){.name = node->name, .unit = ""};
        TRM_TRY(trm_name_definition(reader, node, "an output"));
        if (!bare) {
            TRM_TRY(trm_read_keys(reader, node, tables, 1, output));
            TRM_TRY(trm_check_unit(reader, node, output->unit));
        }
        TRM_TRY(read_part(reader, bare ? node : trm_node_find(node, "value"), &definition->part[0],
                          &definition->text[0]));
    }
    return TRM_OK;
}

trm_status trm_finish_outputs(trm_reader *reader)
{
    trm_scene *const scene = reader->scene;
    reader->scope = TRM_SCOPE_OUTPUT;
    for (int i = 0; i < scene->noutputs; i++) {
        trm_scene_output *const output = &scene->outputs[i];
        if (output->value.code) { // of a servo
            continue;
        }
        trm_name *const name =
            trm_names_find(&reader->definition_names, output->name, strlen(output->name));
        const trm_definition *const definition = &reader->definitions[name->index];
        name->used = 1;
        TRM_TRY(
            trm_compile_formula(reader, definition->part[0], definition->text[0], &output->value));
    }
    return TRM_OK;
}
