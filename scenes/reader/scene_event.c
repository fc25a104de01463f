// Events: conditions that a run watches.

#include "base/expression/switching.h"
#include "base/status.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <string.h>

/// One name, or several.
#define TRM_NAMES_SCHEMA                                                                           \
    "{\"anyOf\":[{\"$ref\":\"#/$defs/name\"},{\"type\":\"array\",\"minItems\":1,"                  \
    "\"items\":{\"$ref\":\"#/$defs/name\"}}]}"

const trm_key trm_event_keys[] = {
    TRM_KEY("name", TEXT, trm_scene_event, name,
            "Its name; no joint, constraint, force or other event may have it.", .required = 1,
            .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY(
        "when", FORMULA, trm_scene_event, when,
        "A condition, as a force's value may contain one: \"tip.y < 0\". The event happens when "
        "it begins to hold, and at the start if it holds there.",
        .schema = "{\"type\":\"string\"}"),
    TRM_KEY("every", NUMBER, trm_scene_event, every,
            "A sampled block: it happens at every multiple of this time, the start included, and "
            "what it sets is held in between. Reports do not list it.",
            .range = TRM_POSITIVE, .unit = "s", .needs = "set"),
    TRM_KEY("stop", BOOLEAN, trm_scene_event, stop, "true: the run ends there.",
            .fallback = "false", .excludes = "every"),
    TRM_KEY_OWN("set",
                "Inputs and states, and the values that they get there: {\"u\": 0}. A formula is "
                "computed with all values before the event: {\"count\": \"count + 1\"}.",
                .schema =
                    "{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/$defs/number\"}}"),
    TRM_KEY_OWN(
        "lock",
        "The joint, or a list of joints, that closes or is locked there; it has a `switch`.",
        .schema = TRM_NAMES_SCHEMA),
    TRM_KEY_OWN("release", "The joint, or a list of joints, that opens or is free from there on.",
                .schema = TRM_NAMES_SCHEMA),
    TRM_REPEAT_KEY,
    {.name = NULL},
};

const trm_key_group trm_event_groups[] = {{1, {"when", "every"}}, {0, {NULL}}};

/// A number never begins to hold.
static trm_status check_condition(trm_reader *reader, const char *where, const trm_formula *when)
{
    for (int k = 0; k < trm_expression_switching_functions(when->code); k++) {
        if (trm_expression_switching_function(when->code, k).kind != TRM_SWITCHING_ANGLE) {
            return TRM_OK;
        }
    }
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                    "expected a condition that changes, as \"tip.y < 0\", got \"%.80s\"",
                    when->text);
}

static trm_status find_input(trm_reader *reader, const trm_node *member, trm_setting *out)
{
    const trm_scene *scene = reader->scene;
    *out = (trm_setting){.name = member->name, .input = TRM_INDEX_NONE, .state = TRM_INDEX_NONE};
    for (int i = 0; i < scene->nstates; i++) {
        if (!strcmp(scene->states[i].name, member->name)) {
            out->state = i;
            return TRM_OK;
        }
    }
    for (int i = 0; i < scene->nparameters; i++) {
        const trm_parameter *p = &scene->parameters[i];
        if (!strcmp(p->name, member->name) && p->is_input) {
            out->input = p->input;
            return TRM_OK;
        }
    }
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, member),
                    "\"%.64s\" is no input; inputs are parameters with \"input\": true, and states "
                    "may be set too",
                    member->name);
}

static trm_status read_settings(trm_reader *reader, const trm_node *node, trm_scene_event *event)
{
    TRM_TRY(trm_read_object(reader, node));
    const int n = trm_node_size(node);
    if (n == 0) {
        return TRM_REFUSE(reader, node, "\"set\" sets nothing: name an input and its value");
    }
    for (const trm_node *m = node + 1; m < node + node->span; m += m->span) {
        trm_setting *setting = &event->settings[event->nsettings++];
        TRM_TRY(find_input(reader, m, setting));
        TRM_TRY(trm_read_formula(reader, m, &setting->value));
    }
    return TRM_OK;
}

/// "lock" (1) or "release" (0): sets the inputs of switches.
static trm_status read_switches(trm_reader *reader, const trm_node *node, const char *value,
                                trm_scene_event *event)
{
    const int list = node->type == TRM_NODE_ARRAY;
    for (const trm_node *m = list ? node + 1 : node; m < node + node->span; m += m->span) {
        trm_setting *const setting = &event->settings[event->nsettings++];
        int joint = 0;
        TRM_TRY(trm_read_joint_name(reader, m, &joint));
        const trm_scene_joint *const j = &reader->scene->joints[joint];
        if (!j->switched) {
            return TRM_REFUSE(reader, m,
                              "joint \"%.60s\" is not switched; give it \"switch\": how it begins, "
                              "\"closed\" or \"open\", or to hold its coordinate \"locked\" or "
                              "\"free\"",
                              j->name);
        }
        *setting = (trm_setting){.input = j->input, .state = TRM_INDEX_NONE};
        for (int i = 0; i < reader->scene->nparameters; i++) {
            const trm_parameter *const p = &reader->scene->parameters[i];
            setting->name = p->is_input && p->input == j->input ? p->name : setting->name;
        }
        TRM_TRY(trm_compile_formula(reader, m, value, &setting->value));
    }
    return TRM_OK;
}

/// All that the event sets.
static trm_status read_effects(trm_reader *reader, const trm_node *node, trm_scene_event *event)
{
    static const char *const keys[] = {"set", "lock", "release"};
    const trm_node *effect[3];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        effect[i] = trm_node_find(node, keys[i]);
        const int many = effect[i] && effect[i]->type <= TRM_NODE_ARRAY;
        n += !effect[i] ? 0 : many ? trm_node_size(effect[i]) : 1;
    }
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *event->settings, &event->settings));
    TRM_TRY(effect[0] ? read_settings(reader, effect[0], event) : TRM_OK);
    TRM_TRY(effect[1] ? read_switches(reader, effect[1], "1", event) : TRM_OK);
    return effect[2] ? read_switches(reader, effect[2], "0", event) : TRM_OK;
}

/// The condition of a sampled block: it holds at multiples of its time, and is located there.
static trm_status compile_samples(trm_reader *reader, const trm_node *node, trm_scene_event *event)
{
    char text[48];
    snprintf(text, sizeof text, "mod(t, %.17g) == 0", event->every);
    const char *const when = trm_pool_copy(reader->pool, text, strlen(text));
    return when ? trm_compile_formula(reader, node, when, &event->when)
                : trm_reader_no_memory(reader);
}

static trm_status read_event(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_event *event = &reader->scene->events[index];
    const trm_key *const tables[] = {trm_event_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, event));
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_EVENT, index, &event->name));
    const trm_node *when = trm_node_find(node, "when");
    TRM_TRY(trm_check_groups(reader, node, trm_event_groups));
    if (when) {
        TRM_TRY(check_condition(reader, trm_at(reader, when), &event->when));
    } else {
        when = trm_node_find(node, "every");
        TRM_TRY(compile_samples(reader, when, event));
    }
    TRM_TRY(read_effects(reader, node, event));
    return trm_reader_place(reader, when, &event->place);
}

/// The last one, which has no place in the document.
static trm_status read_stop(trm_reader *reader, trm_scene_event *event)
{
    const trm_node *root = reader->document->nodes;
    *event = (trm_scene_event){.name = "until", .stop = 1};
    TRM_TRY(trm_compile_formula(reader, root, reader->overrides->until, &event->when));
    return check_condition(reader, reader->scene->path, &event->when);
}

/// Those of open curves, in their order, from event n on.
static trm_status read_ends(trm_reader *reader, int n)
{
    const trm_scene *scene = reader->scene;
    for (int k = 0; k < scene->nconstraints; k++) {
        const trm_scene_constraint *def = &scene->constraints[k];
        if (def->curve && !def->closed) {
            TRM_TRY(trm_read_end(reader, def, &scene->events[n++]));
        }
    }
    return TRM_OK;
}

static int count_ends(const trm_scene *scene)
{
    int n = 0;
    for (int k = 0; k < scene->nconstraints; k++) {
        n += scene->constraints[k].curve && !scene->constraints[k].closed;
    }
    return n;
}

trm_status trm_read_events(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    const int until = reader->overrides->until != NULL, ends = count_ends(scene);
    reader->scope = TRM_SCOPE_OUTPUT;
    int n = 0;
    if (array) {
        TRM_TRY(trm_count_elements(reader, array, &n));
    }
    TRM_TRY(
        trm_reader_take(reader, (size_t)(n + ends + until), sizeof *scene->events, &scene->events));
    scene->nevents = n + ends + until;
    if (array) {
        TRM_TRY(trm_read_elements(reader, array, read_event));
    }
    TRM_TRY(read_ends(reader, n));
    return until ? read_stop(reader, &scene->events[n + ends]) : TRM_OK;
}
