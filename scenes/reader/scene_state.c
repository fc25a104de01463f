// States: first-order equations beside the mechanism. A state is known by name to every formula of
// a force, is shown as an output, and its rate is the last of the forces.

#include "base/status.h"
#include "bodies/forces/force.h"
#include "scenes/reader/reader.h"

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
    trm_scene *const scene = reader->scene;
    trm_scene_output *const before = scene->outputs;
    if (!object) {
        return TRM_OK;
    }
    TRM_TRY(trm_read_object(reader, object));
    const int n = trm_node_size(object);
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->states, &scene->states));
    TRM_TRY(trm_reader_take(reader, (size_t)(n + scene->noutputs), sizeof *scene->outputs,
                            &scene->outputs));
    for (int i = 0; i < scene->noutputs; i++) {
        scene->outputs[i] = before[i];
    }
    const trm_node *node = object + 1;
    for (int i = 0; i < n; i++, node += node->span) {
        TRM_TRY(read_state(reader, node));
    }
    return TRM_OK;
}

trm_status trm_read_rates(trm_reader *reader, const trm_node *object)
{
    trm_scene *const scene = reader->scene;
    const trm_node *node = object ? object + 1 : NULL;
    for (int i = 0; i < scene->nstates; i++, node += node->span) {
        const trm_node *const rate =
            node->type == TRM_NODE_OBJECT ? trm_node_find(node, "rate") : node;
        trm_scene_force *const force = &scene->forces[scene->first_state + i];
        const char *text = NULL;
        *force = (trm_scene_force){.name = node->name,
                                   .place = scene->states[i].place,
                                   .kind = &trm_force_state,
                                   .body = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                                   .marker = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                                   .joint = TRM_INDEX_NONE};
        TRM_TRY(trm_read_part(reader, rate, &text));
        TRM_TRY(trm_compile_formula(reader, rate, text, &force->value[0]));
    }
    return TRM_OK;
}
