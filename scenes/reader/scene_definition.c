// Definitions: named sub-expressions, put in where a formula names them. Outputs are definitions
// with a unit, which a run records.
//
// A definition is compiled inside the formulas that use it, where it is computed once. When all is
// read it is compiled by itself (scene_read.c): so a mistake is found even if nothing uses it.

#include "base/status.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <string.h>

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
        return TRM_REFUSE(reader, node, "expected %d formulas, got %d", n, trm_node_size(node));
    }
    const trm_node *child = node + 1;
    out->n = n;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(read_part(reader, child, &out->part[i], &out->text[i]));
    }
    return TRM_OK;
}

/// Enter the name of the node as that of definition `index`; `what` it is in messages.
static trm_status trm_name_definition(trm_reader *reader, const trm_node *node, const char *what)
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
    TRM_KEY_OWN("value", "The formula.", .required = 1, .schema = "{\"$ref\":\"#/$defs/number\"}"),
    TRM_KEY("unit", TEXT, trm_scene_output, unit,
            "What the number is in, for columns and pictures: `\"W\"`.", .fallback = "\"\""),
    {.name = NULL},
};

/// A unit stands between [ and ] in the header of a recording.
static trm_status trm_check_unit(trm_reader *reader, const trm_node *node, const char *unit)
{
    enum { LONGEST_UNIT = 24 };
    int ok = strlen(unit) <= LONGEST_UNIT;
    for (const char *c = unit; *c && ok; c++) {
        ok = *c >= ' ' && *c <= '~' && !strchr("[],\"", *c);
    }
    return ok ? TRM_OK
              : TRM_REFUSE(reader, trm_node_find(node, "unit"),
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

// ----------------------------------------------------------------------------------------- states

// First-order equations beside the mechanism. A state is known by name to every formula of a force,
// is shown as an output, and its rate is the last of the forces.

const trm_key trm_state_keys[] = {
    TRM_KEY_OWN("rate", "Its derivative in time: a formula, as the value of a force.",
                .required = 1, .schema = "{\"$ref\":\"#/$defs/number\"}"),
    TRM_KEY("start", NUMBER, trm_scene_state, start, "Its value at the start of a run.",
            .required = 1),
    TRM_KEY("scale", NUMBER, trm_scene_state, scale,
            "A usual value: errors of the state are weighed in units of it, as those of a velocity "
            "in m/s.",
            .range = TRM_POSITIVE, .fallback = "1"),
    TRM_KEY("unit", TEXT, trm_scene_state, unit,
            "What the number is in, for columns and pictures: `\"A\"`.", .fallback = "\"\""),
    {.name = NULL},
};

static trm_status read_state(trm_reader *reader, const trm_node *node)
{
    const trm_key *const tables[] = {trm_state_keys};
    trm_scene *const scene = reader->scene;
    const int index = scene->nstates++;
    trm_scene_state *const state = &scene->states[index];
    *state = (trm_scene_state){.name = node->name, .unit = "", .scale = 1};
    TRM_TRY(trm_name_definition(reader, node, "a state"));
    if (node->type == TRM_NODE_OBJECT) {
        TRM_TRY(trm_read_keys(reader, node, tables, 1, state));
        TRM_TRY(trm_check_unit(reader, node, state->unit));
    }
    reader->definitions[reader->ndefinitions - 1].text[0] = node->name;
    reader->definitions[reader->ndefinitions - 1].part[0] = node;
    reader->definitions[reader->ndefinitions - 1].state = index + 1;
    scene->outputs[scene->noutputs++] =
        (trm_scene_output){.name = state->name, .unit = state->unit};
    return trm_reader_place(reader, node, &state->place);
}

trm_status trm_read_states(trm_reader *reader, const trm_node *object)
{
    if (!object) {
        return TRM_OK;
    }
    TRM_TRY(trm_read_object(reader, object));
    const int n = trm_node_size(object);
    TRM_TRY(trm_make_room_for_states(reader, n));
    const trm_node *node = object + 1;
    for (int i = 0; i < n; i++, node += node->span) {
        TRM_TRY(read_state(reader, node));
    }
    return TRM_OK;
}

/// The last of the forces, without an element of its own.
static trm_scene_force *take_rate(trm_reader *reader, int index)
{
    trm_scene *const scene = reader->scene;
    trm_scene_force *const force = &scene->forces[scene->first_state + index];
    *force = (trm_scene_force){.name = scene->states[index].name,
                               .place = scene->states[index].place,
                               .kind = &trm_force_state,
                               .body = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                               .marker = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                               .joint = TRM_INDEX_NONE};
    return force;
}

trm_status trm_make_room_for_states(trm_reader *reader, int n)
{
    trm_scene *const scene = reader->scene;
    trm_scene_state *states;
    trm_scene_output *outputs;
    TRM_TRY(trm_reader_take(reader, (size_t)(scene->nstates + n), sizeof *states, &states));
    TRM_TRY(trm_reader_take(reader, (size_t)(scene->noutputs + n), sizeof *outputs, &outputs));
    for (int i = 0; i < scene->nstates; i++) {
        states[i] = scene->states[i];
    }
    for (int i = 0; i < scene->noutputs; i++) {
        outputs[i] = scene->outputs[i];
    }
    scene->states = states;
    scene->outputs = outputs;
    return TRM_OK;
}

trm_status trm_add_state(trm_reader *reader, const trm_node *node, const trm_scene_force *of,
                         const char *what, const char *unit, int *index)
{
    trm_scene *const scene = reader->scene;
    const size_t length = strlen(of->name) + strlen(what) + 2;
    char *const name = trm_pool_take(reader->pool, length, 1);
    if (!name) {
        return trm_reader_no_memory(reader);
    }
    snprintf(name, length, "%s.%s", of->name, what);
    *index = scene->nstates++;
    scene->nforces++;
    scene->states[*index] = (trm_scene_state){.name = name, .unit = unit, .scale = 1};
    scene->outputs[scene->noutputs] = (trm_scene_output){.name = name, .unit = unit};
    TRM_TRY(trm_reader_place(reader, node, &scene->states[*index].place));
    char shown[16];
    snprintf(shown, sizeof shown, "%s.", what);
    const char *const text = trm_pool_copy(reader->pool, shown, strlen(shown));
    return text ? trm_compile_for_force(reader, node, text, of,
                                        &scene->outputs[scene->noutputs++].value)
                : trm_reader_no_memory(reader);
}

trm_status trm_set_rate(trm_reader *reader, const trm_node *node, const trm_scene_force *of,
                        const char *text, int index)
{
    return trm_compile_for_force(reader, node, text, of, &take_rate(reader, index)->value[0]);
}

trm_status trm_read_rates(trm_reader *reader, const trm_node *object)
{
    const int n = object ? trm_node_size(object) : 0;
    const trm_node *node = object ? object + 1 : NULL;
    for (int i = 0; i < n; i++, node += node->span) {
        const trm_node *const rate =
            node->type == TRM_NODE_OBJECT ? trm_node_find(node, "rate") : node;
        const char *text = NULL;
        TRM_TRY(trm_read_part(reader, rate, &text));
        TRM_TRY(trm_compile_formula(reader, rate, text, &take_rate(reader, i)->value[0]));
    }
    return TRM_OK;
}
