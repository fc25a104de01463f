// The top level of a scene, and what it says of its own run.

#include "base/accuracy_policy.h"
#include "base/status.h"
#include "scenes/reader/reader.h"

#include <string.h>

const trm_key trm_scene_keys[] = {
    TRM_KEY_OWN("$schema", "Ignored; editors find the schema by it.",
                .schema = "{\"type\":\"string\"}"),
    TRM_KEY_OWN(
        "format",
        "The version of the format that the file is written in; 1 is the only one so far. A "
        "file of a later one is refused, not misread.",
        .fallback = "1", .schema = "{\"const\":1}"),
    TRM_KEY("title", TEXT, trm_scene, title, "One line that says what this is.",
            .fallback = "\"\""),
    TRM_KEY_OWN("dimension", "2: everything moves in the x-y plane; 3: in space.", .required = 1,
                .schema = "{\"enum\":[2,3]}"),
    TRM_KEY_OWN(
        "parameters",
        "Named numbers, for use in every expression below them and of the rest of the file; "
        "`--set name=value` replaces one. An object in place of the number makes it an input; "
        "see Inputs.",
        .schema = "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\","
                  "\"not\":{\"enum\":[\"ground\",\"t\",\"pi\",\"deg\"]}},"
                  "\"additionalProperties\":{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
                  "{\"$ref\":\"#/$defs/input\"}]}}"),
    TRM_KEY_OWN(
        "tables", "Functions given by points, read as `table(name, x)` in formulas; see Tables.",
        .schema =
            "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\"},"
            "\"additionalProperties\":{\"$ref\":\"#/$defs/table\"}}"),
    TRM_KEY_OWN(
        "definitions",
        "Named sub-expressions for formulas, in any order: an expression, or an array of "
        "`dimension` of them, whose components are `name.x`, `name.y` and `name.z`.",
        .schema = "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\","
                  "\"not\":{\"enum\":[\"ground\",\"t\",\"pi\",\"deg\"]}},"
                  "\"additionalProperties\":{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
                  "{\"type\":\"array\",\"minItems\":2,\"maxItems\":3,"
                  "\"items\":{\"$ref\":\"#/$defs/number\"}}]}}"),
    TRM_KEY("gravity", VECTOR, trm_scene, gravity, "Acceleration of free fall.", .unit = "m/s^2",
            .fallback = "zero"),
    TRM_KEY_OWN("bodies", "At least one; see Bodies.", .required = 1),
    TRM_KEY_OWN("shapes", "What is drawn of the ground; see Shapes for eyes.", .dimension = 3,
                .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/look_3\"}}"),
    TRM_KEY_OWN("markers", "Named points; see Markers."),
    TRM_KEY_OWN("joints", "See Joints."),
    TRM_KEY_OWN("constraints", "Expressions held at zero; see Constraints."),
    TRM_KEY_OWN("forces", "Besides gravity; see Forces."),
    TRM_KEY("impact", CHOICE, trm_scene, impact,
            "What `restitution` is of: the closing rates, or the impulses until they are zero.",
            .choices = "newton|poisson", .fallback = "newton"),
    TRM_KEY_OWN("stops", "Distances that stay at zero or above; see Stops."),
    TRM_KEY_OWN("contacts", "Bodies whose shapes touch; see Contacts."),
    TRM_KEY_OWN("events", "Conditions that a run watches; see Events."),
    TRM_KEY_OWN(
        "states",
        "First-order equations beside the mechanism: the rate of each by a formula; see States.",
        .schema = "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\","
                  "\"not\":{\"enum\":[\"ground\",\"t\",\"pi\",\"deg\"]}},"
                  "\"additionalProperties\":{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
                  "{\"$ref\":\"#/$defs/state\"}]}}"),
    TRM_KEY_OWN(
        "outputs",
        "Named numbers that a run shows: formulas, of forces and energies too; see Outputs.",
        .schema = "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\","
                  "\"not\":{\"enum\":[\"ground\",\"t\",\"pi\",\"deg\"]}},"
                  "\"additionalProperties\":{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
                  "{\"$ref\":\"#/$defs/output\"}]}}"),
    TRM_KEY_OWN("simulation", "What `trammel run` does unless told otherwise; see Simulation.",
                .schema = "{\"$ref\":\"#/$defs/simulation\"}"),
    TRM_KEY_OWN(
        "start",
        "Coordinates of joints, and rates of them, with which the run starts: "
        "`{\"hinge\": 0.3, \"crank.rate\": 314}`. The pose and the velocities that are drawn "
        "follow as little as they may (in the mass metric), and what is named is held. "
        "`--set start.hinge=0.3` is the same.",
        .schema = "{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/$defs/number\"}}"),
    TRM_KEY("assemble", BOOLEAN, trm_scene, simulation.assemble,
            "Move the bodies as little as possible (in the mass metric) so that the joints close, "
            "and their velocities likewise; without it a start that does not close is an error. "
            "The option `--assemble` of the command line is the same.",
            .fallback = "false"),
    {.name = NULL},
};

const trm_key trm_input_keys[] = {
    TRM_KEY("value", NUMBER, trm_parameter, value, "Its value at the start of a run.",
            .required = 1),
    TRM_KEY("input", BOOLEAN, trm_parameter, is_input,
            "true: a program may set it while the run goes on; false: a number like any other.",
            .required = 1),
    TRM_KEY("smooth", NUMBER, trm_parameter, smooth,
            "A new value is taken up over this time, with two continuous derivatives; 0: at once.",
            .range = TRM_NOT_NEGATIVE, .unit = "s", .fallback = "0"),
    {.name = NULL},
};

const trm_key trm_simulation_keys[] = {
    TRM_KEY("end", NUMBER, trm_simulation, end, "When the run ends; it starts at t = 0.",
            .range = TRM_POSITIVE, .unit = "s"),
    TRM_KEY("every", NUMBER, trm_simulation, every, "Interval of recording; 0 records every step.",
            .range = TRM_NOT_NEGATIVE, .unit = "s", .fallback = "0"),
    TRM_KEY("accuracy", NUMBER, trm_simulation, accuracy,
            "The global error to aim for, relative to the size of the motion; below 1.",
            .range = TRM_POSITIVE, .fallback = "1e-6"),
    TRM_KEY(
        "misfit", NUMBER, trm_simulation, misfit,
        "What counts as play: a row that repeats others except for this much of the size of its "
        "mechanism, or rad, is redundant. 0 takes every number exactly; at most 0.02.",
        .range = TRM_NOT_NEGATIVE, .fallback = "1e-3"),
    TRM_KEY("coordinates", CHOICE, trm_simulation, coordinates,
            "In which coordinates runs are made: those of the bodies, or those of the joints of a "
            "tree. `auto` takes the faster ones, as `trammel check` tells.",
            .choices = "auto|joint|absolute", .fallback = "\"auto\""),
    {.name = NULL},
};

// --------------------------------------------------------------------------------------- dimension

/// Before anything else: what a later version means by a key is not ours to guess.
static trm_status check_format(trm_reader *reader, const trm_node *root)
{
    const trm_node *node = trm_node_find(root, "format");
    if (!node || (node->type == TRM_NODE_NUMBER && node->number == 1)) {
        return TRM_OK;
    }
    return node->type == TRM_NODE_NUMBER
               ? TRM_REFUSE(reader, node, "this version reads scenes of format 1, not %g",
                            node->number)
               : TRM_REFUSE(reader, node, "the format is a number, got %s",
                            trm_node_describe(node));
}

static trm_status read_dimension(trm_reader *reader, const trm_node *root)
{
    const trm_node *node = trm_node_find(root, "dimension");
    if (!node) {
        return TRM_REFUSE(reader, root, "missing key \"dimension\"");
    }
    if (node->type != TRM_NODE_NUMBER) {
        return TRM_REFUSE(reader, node, "dimension must be 2 or 3, got %s",
                          trm_node_describe(node));
    }
    const double value = node->number;
    if (value != 2 && value != 3) {
        return TRM_REFUSE(reader, node, "dimension must be 2 or 3, got %g", value);
    }
    reader->scene->dimension = (int)value;
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- parameters

/// {"value": 0, "input": true}
static trm_status read_input(trm_reader *reader, const trm_node *node, trm_parameter *parameter)
{
    const trm_key *const tables[] = {trm_input_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, parameter));
    const trm_node *smooth = trm_node_find(node, "smooth");
    if (smooth && !parameter->is_input) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, smooth),
                        "\"smooth\" has no effect without \"input\": true");
    }
    if (parameter->is_input) {
        parameter->input = reader->scene->ninputs++;
    }
    return TRM_OK;
}

static trm_status read_parameter(trm_reader *reader, const trm_node *node, int index)
{
    trm_parameter *parameter = &reader->scene->parameters[index];
    TRM_TRY(trm_check_word(reader, node, "a parameter"));
    parameter->name = node->name;
    TRM_TRY(trm_reader_place(reader, node, &parameter->place));
    const char *override = trm_overrides_find(reader->overrides, parameter->name);
    const int is_object = node->type == TRM_NODE_OBJECT;
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
    *slot = (trm_name){parameter->name, TRM_NAME_PARAMETER, index, node, 0};
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

/// Names that are known before any element is counted.
static trm_status open_first_names(trm_reader *reader, const trm_node *root)
{
    const size_t definitions =
        size_of(root, "definitions") + size_of(root, "outputs") + size_of(root, "states");
    const int ok =
        trm_names_open(&reader->parameters, &reader->names, size_of(root, "parameters")) &&
        trm_names_open(&reader->definition_names, &reader->names, definitions) &&
        trm_names_open(&reader->table_names, &reader->names, size_of(root, "tables"));
    TRM_TRY(ok ? TRM_OK : trm_reader_no_memory(reader));
    return trm_reader_take(reader, definitions, sizeof *reader->definitions, &reader->definitions);
}

static trm_status count(trm_reader *reader, const trm_node *root, const char *key, size_t *sum)
{
    const trm_node *array = trm_node_find(root, key);
    int n = 0;
    if (array) {
        TRM_TRY(trm_count_elements(reader, array, &n));
    }
    *sum += (size_t)n;
    return TRM_OK;
}

static trm_status open_names(trm_reader *reader, const trm_node *root)
{
    size_t points = 0, links = 0;
    TRM_TRY(count(reader, root, "bodies", &points));
    TRM_TRY(count(reader, root, "markers", &points));
    TRM_TRY(count(reader, root, "joints", &links));
    TRM_TRY(count(reader, root, "constraints", &links));
    TRM_TRY(count(reader, root, "forces", &links));
    TRM_TRY(count(reader, root, "events", &links));
    TRM_TRY(count(reader, root, "stops", &links));
    TRM_TRY(count(reader, root, "contacts", &links));
    const int ok = trm_names_open(&reader->points, &reader->names, points) &&
                   trm_names_open(&reader->links, &reader->names, links);
    return ok ? TRM_OK : trm_reader_no_memory(reader);
}

typedef trm_status read_part(trm_reader *reader, const trm_node *node);

static trm_status read_simulation(trm_reader *reader, const trm_node *node)
{
    const trm_key *const tables[] = {trm_simulation_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &reader->scene->simulation));
    if (reader->scene->simulation.accuracy >= 1) {
        return TRM_REFUSE(reader, trm_node_find(node, "accuracy"), "accuracy must be < 1, got %g",
                          reader->scene->simulation.accuracy);
    }
    if (reader->scene->simulation.misfit > TRM_MOST_MISFIT) {
        return TRM_REFUSE(
            reader, trm_node_find(node, "misfit"),
            "misfit must be at most 0.02 of the size of a mechanism, got %g: rows that "
            "hold would count as play",
            reader->scene->simulation.misfit);
    }
    return TRM_OK;
}

/// Both laws of impact are one where nothing is sent back.
static trm_status check_impact(trm_reader *reader, const trm_node *root)
{
    const trm_node *impact = trm_node_find(root, "impact");
    int any = impact == NULL;
    for (int i = 0; i < reader->scene->ncontacts; i++) {
        any |= reader->scene->contacts[i].restitution_given;
    }
    return any ? TRM_OK
               : TRM_FAIL(
                     reader->err, TRM_ERR_SCENE, trm_at_key(reader, impact),
                     "\"impact\" has no effect: no limit, stop or contact has \"restitution\"");
}

/// What later parts may refer to comes first.
static trm_status read_parts(trm_reader *reader, const trm_node *root)
{
    static const struct {
        const char *key;
        read_part *read;
    } parts[] = {
        {"bodies", trm_read_bodies},     {"markers", trm_read_markers},
        {"joints", trm_read_joints},     {"constraints", trm_read_constraints},
        {"simulation", read_simulation},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const trm_node *node = trm_node_find(root, parts[i].key);
        if (node) {
            TRM_TRY(parts[i].read(reader, node));
        }
    }
    TRM_TRY(trm_add_threads(reader));
    TRM_TRY(trm_read_looks(reader, trm_node_find(root, "shapes"), TRM_INDEX_GROUND));
    TRM_TRY(trm_read_start(reader, trm_node_find(root, "start")));
    TRM_TRY(trm_read_forces(reader, trm_node_find(root, "forces")));
    TRM_TRY(trm_add_rotors(reader));
    TRM_TRY(trm_read_stops(reader, trm_node_find(root, "stops"), trm_node_find(root, "contacts")));
    TRM_TRY(check_impact(reader, root));
    return trm_read_events(reader, trm_node_find(root, "events"));
}

static int has_components(trm_name_kind kind)
{
    return kind == TRM_NAME_BODY || kind == TRM_NAME_MARKER || kind == TRM_NAME_JOINT;
}

/// Names before a dot are looked for among the bodies first; a definition must not hide one.
static trm_status check_definition_name(trm_reader *reader, const trm_definition *definition)
{
    const trm_names *const others[] = {&reader->points, &reader->links};
    const size_t length = strlen(definition->name);
    const trm_name *own = trm_names_find(&reader->definition_names, definition->name, length);
    for (int i = 0; i < 2; i++) {
        const trm_name *other = trm_names_find(others[i], definition->name, length);
        if (other->text && definition->n && has_components(other->kind)) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, own->node),
                            "the name \"%s\" is taken by what stands in line %u", definition->name,
                            other->node->value.line);
        }
    }
    return TRM_OK;
}

/// Those that no formula uses are judged too.
static trm_status check_definitions(trm_reader *reader)
{
    reader->scope = TRM_SCOPE_OUTPUT;
    for (int i = 0; i < reader->ndefinitions; i++) {
        const trm_definition *definition = &reader->definitions[i];
        TRM_TRY(check_definition_name(reader, definition));
        for (int k = 0; k < TRM_DEFINITION_PARTS && definition->text[k]; k++) {
            trm_formula ignored;
            TRM_TRY(
                trm_compile_formula(reader, definition->part[k], definition->text[k], &ignored));
        }
    }
    return TRM_OK;
}

trm_status trm_read_scene(trm_reader *reader)
{
    const trm_node *root = reader->document->nodes;
    static const struct {
        const char *key;
        read_part *read;
    } first[] = {
        {"parameters", read_parameters},
        {"tables", trm_read_tables},
        {"definitions", trm_read_definitions},
        {"outputs", trm_read_outputs},
    };
    const trm_key *const tables[] = {trm_scene_keys};
    reader->scene->title = "";
    TRM_TRY(check_format(reader, root));
    TRM_TRY(open_first_names(reader, root));
    TRM_TRY(read_dimension(reader, root));
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        const trm_node *node = trm_node_find(root, first[i].key);
        if (node) {
            TRM_TRY(first[i].read(reader, node));
        }
    }
    TRM_TRY(trm_read_states(reader, trm_node_find(root, "states")));
    TRM_TRY(trm_read_keys(reader, root, tables, 1, reader->scene));
    TRM_TRY(open_names(reader, root));
    TRM_TRY(read_parts(reader, root));
    TRM_TRY(trm_finish_outputs(reader));
    TRM_TRY(check_definitions(reader));
    return trm_find_unused(reader);
}
