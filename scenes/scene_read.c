// The top level of a scene, and what it says of its own run.

#include "engine/status.h"
#include "scenes/reader.h"

#include <string.h>

const trm_key trm_scene_keys[] = {
    {.name = "$schema",
     .type = TRM_KEY_SPECIAL,
     .doc = "Ignored; editors find the schema by it.",
     .schema = "{\"type\":\"string\"}"},
    {.name = "title",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_scene, title),
     .fallback = "\"\"",
     .doc = "One line that says what this is."},
    {.name = "dimension",
     .type = TRM_KEY_SPECIAL,
     .required = 1,
     .doc = "2: everything moves in the x-y plane; 3: in space.",
     .schema = "{\"enum\":[2,3]}"},
    {.name = "parameters",
     .type = TRM_KEY_SPECIAL,
     .doc = "Named numbers, for use in every expression below them and of the rest of the file; "
            "`--set name=value` replaces one. An object in place of the number makes it an input; "
            "see Inputs.",
     .schema = "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\","
               "\"not\":{\"enum\":[\"ground\",\"t\",\"pi\",\"deg\"]}},"
               "\"additionalProperties\":{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
               "{\"$ref\":\"#/$defs/input\"}]}}"},
    {.name = "gravity",
     .type = TRM_KEY_VECTOR,
     .offset = offsetof(trm_scene, gravity),
     .unit = "m/s^2",
     .fallback = "zero",
     .doc = "Acceleration of free fall."},
    {.name = "bodies", .type = TRM_KEY_SPECIAL, .required = 1, .doc = "At least one; see Bodies."},
    {.name = "markers", .type = TRM_KEY_SPECIAL, .doc = "Named points; see Markers."},
    {.name = "joints", .type = TRM_KEY_SPECIAL, .doc = "See Joints."},
    {.name = "constraints",
     .type = TRM_KEY_SPECIAL,
     .doc = "Expressions held at zero; see Constraints."},
    {.name = "forces", .type = TRM_KEY_SPECIAL, .doc = "Besides gravity; see Forces."},
    {.name = "simulation",
     .type = TRM_KEY_SPECIAL,
     .doc = "What `trammel run` does unless told otherwise; see Simulation.",
     .schema = "{\"$ref\":\"#/$defs/simulation\"}"},
    {.name = "assemble",
     .type = TRM_KEY_BOOLEAN,
     .offset = offsetof(trm_scene, simulation.assemble),
     .fallback = "false",
     .doc = "Move the bodies as little as possible (in the mass metric) so that the joints close, "
            "and their velocities likewise; without it a start that does not close is an error. "
            "The option `--assemble` of the command line is the same."},
    {.name = NULL},
};

const trm_key trm_input_keys[] = {
    {.name = "value",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_parameter, value),
     .required = 1,
     .doc = "Its value at the start of a run."},
    {.name = "input",
     .type = TRM_KEY_BOOLEAN,
     .offset = offsetof(trm_parameter, is_input),
     .required = 1,
     .doc = "true: a program may set it while the run goes on; false: a number like any other."},
    {.name = "smooth",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_parameter, smooth),
     .range = TRM_NOT_NEGATIVE,
     .unit = "s",
     .fallback = "0",
     .doc = "A new value is taken up over this time, with two continuous derivatives; 0: at once."},
    {.name = NULL},
};

const trm_key trm_simulation_keys[] = {
    {.name = "end",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_simulation, end),
     .range = TRM_POSITIVE,
     .unit = "s",
     .doc = "When the run ends; it starts at t = 0."},
    {.name = "every",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_simulation, every),
     .range = TRM_NOT_NEGATIVE,
     .unit = "s",
     .fallback = "0",
     .doc = "Interval of recording; 0 records every step."},
    {.name = "accuracy",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_simulation, accuracy),
     .range = TRM_POSITIVE,
     .fallback = "1e-6",
     .doc = "The global error to aim for, relative to the size of the motion; below 1."},
    {.name = NULL},
};

// --------------------------------------------------------------------------------------- dimension

static trm_status read_dimension(trm_reader *reader, const trm_node *root)
{
    const trm_node *node = trm_node_find(root, "dimension");
    if (!node) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, root),
                        "missing key \"dimension\"");
    }
    if (!cJSON_IsNumber(node->json)) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                        "dimension must be 2 or 3, got %s", trm_node_describe(node));
    }
    const double value = node->json->valuedouble;
    if (value != 2 && value != 3) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                        "dimension must be 2 or 3, got %g", value);
    }
    reader->scene->dimension = (int)value;
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- parameters

static trm_status check_parameter_name(trm_reader *reader, const trm_node *node)
{
    const char *name = node->json->string;
    TRM_TRY(trm_check_name(reader, trm_at_key(reader, node), name));
    if (strchr(name, '-')) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" cannot be a parameter: expressions would read - as minus", name);
    }
    if (trm_expression_is_function(name)) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                        "\"%s\" cannot be a parameter: it is a function", name);
    }
    return TRM_OK;
}

/// {"value": 0, "input": true}
static trm_status read_input(trm_reader *reader, const trm_node *node, trm_parameter *parameter)
{
    const trm_key *const tables[] = {trm_input_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, parameter));
    if (parameter->is_input) {
        parameter->input = reader->scene->ninputs++;
    }
    return TRM_OK;
}

static trm_status read_parameter(trm_reader *reader, const trm_node *node, int index)
{
    trm_parameter *parameter = &reader->scene->parameters[index];
    TRM_TRY(check_parameter_name(reader, node));
    parameter->name = node->json->string;
    TRM_TRY(trm_reader_place(reader, node, &parameter->place));
    const char *override = trm_overrides_find(reader->overrides, parameter->name);
    const int is_object = cJSON_IsObject(node->json);
    if (is_object) {
        TRM_TRY(read_input(reader, node, parameter));
    }
    if (override) {
        TRM_TRY(trm_evaluate_override(reader, parameter->name, override, &parameter->value));
    } else if (!is_object) {
        TRM_TRY(trm_read_number(reader, node, &parameter->value));
    }
    // entered only now, so that a parameter can use those before it and not itself
    trm_name *slot = trm_names_find(&reader->parameters, parameter->name, strlen(parameter->name));
    *slot = (trm_name){parameter->name, TRM_NAME_PARAMETER, index, node};
    return TRM_OK;
}

static trm_status read_parameters(trm_reader *reader, const trm_node *object)
{
    trm_scene *scene = reader->scene;
    TRM_TRY(trm_read_object(reader, object));
    const int n = trm_node_size(object);
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->parameters, &scene->parameters));
    const trm_node *node = object + 1;
    for (int i = 0; i < n; i++, node += node->span) {
        TRM_TRY(read_parameter(reader, node, i));
        scene->nparameters = i + 1;
    }
    return TRM_OK;
}

// --------------------------------------------------------------------------------------- the scene

static size_t size_of(const trm_node *root, const char *key)
{
    const trm_node *node = trm_node_find(root, key);
    return node ? (size_t)trm_node_size(node) : 0;
}

static trm_status open_names(trm_reader *reader, const trm_node *root)
{
    const size_t points = size_of(root, "bodies") + size_of(root, "markers");
    const size_t links =
        size_of(root, "joints") + size_of(root, "constraints") + size_of(root, "forces");
    const int ok = trm_names_open(&reader->parameters, reader->pool, size_of(root, "parameters")) &&
                   trm_names_open(&reader->points, reader->pool, points) &&
                   trm_names_open(&reader->links, reader->pool, links);
    return ok ? TRM_OK : trm_reader_no_memory(reader);
}

typedef trm_status read_part(trm_reader *reader, const trm_node *node);

static trm_status read_simulation(trm_reader *reader, const trm_node *node)
{
    const trm_key *const tables[] = {trm_simulation_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &reader->scene->simulation));
    if (reader->scene->simulation.accuracy >= 1) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, trm_node_find(node, "accuracy")),
                        "accuracy must be < 1, got %g", reader->scene->simulation.accuracy);
    }
    return TRM_OK;
}

/// What later parts may refer to comes first.
static trm_status read_parts(trm_reader *reader, const trm_node *root)
{
    static const struct {
        const char *key;
        read_part *read;
    } parts[] = {
        {"bodies", trm_read_bodies}, {"markers", trm_read_markers},
        {"joints", trm_read_joints}, {"constraints", trm_read_constraints},
        {"forces", trm_read_forces}, {"simulation", read_simulation},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const trm_node *node = trm_node_find(root, parts[i].key);
        if (node) {
            TRM_TRY(parts[i].read(reader, node));
        }
    }
    return TRM_OK;
}

trm_status trm_read_scene(trm_reader *reader)
{
    const trm_node *root = reader->document->nodes;
    const trm_node *parameters = trm_node_find(root, "parameters");
    const trm_key *const tables[] = {trm_scene_keys};
    reader->scene->title = "";
    TRM_TRY(open_names(reader, root));
    TRM_TRY(read_dimension(reader, root));
    if (parameters) {
        TRM_TRY(read_parameters(reader, parameters));
    }
    TRM_TRY(trm_read_keys(reader, root, tables, 1, reader->scene));
    return read_parts(reader, root);
}
