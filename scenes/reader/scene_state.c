// States: first-order equations beside the mechanism. A state is known by name to every formula of
// a force, is shown as an output, and its rate is the last of the forces.

#include "base/status.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <string.h>

const trm_key trm_state_keys[] = {
    {.name = "rate",
     .type = TRM_KEY_SPECIAL,
     .required = 1,
     .doc = "Its derivative in time: a formula, as the value of a force.",
     .schema = "{\"$ref\":\"#/$defs/number\"}"},
    {.name = "start",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_state, start),
     .required = 1,
     .doc = "Its value at the start of a run."},
    {.name = "scale",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_state, scale),
     .range = TRM_POSITIVE,
     .fallback = "1",
     .doc = "A usual value: errors of the state are weighed in units of it, as those of a velocity "
            "in m/s."},
    {.name = "unit",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_scene_state, unit),
     .fallback = "\"\"",
     .doc = "What the number is in, for columns and pictures: `\"A\"`."},
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
                         const char *what, int *index)
{
    trm_scene *const scene = reader->scene;
    const size_t length = strlen(of->name) + strlen(what) + 2;
    char *const name = trm_pool_take(reader->pool, length, 1);
    if (!name) {
        return trm_reader_no_memory(reader);
    }
    snprintf(name, length, "%s.%s", of->name, what);
    const int turns = scene->joints[of->joint].kind->freedom == TRM_FREEDOM_ANGLE;
    *index = scene->nstates++;
    scene->nforces++;
    scene->states[*index] =
        (trm_scene_state){.name = name, .unit = turns ? "N m" : "N", .scale = 1};
    scene->outputs[scene->noutputs] =
        (trm_scene_output){.name = name, .unit = scene->states[*index].unit};
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
