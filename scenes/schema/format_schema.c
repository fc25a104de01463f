// The JSON schema of a scene (draft 2020-12), from the tables that drive the reader. Definitions
// exist once for each dimension, with its number after the name: body_2, body_3; the top level
// chooses between them by "dimension".

#include "base/text/text_buffer.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "scenes/reader/reader.h"

#include <string.h>

/// Members of one object.
typedef struct element {
    const char *doc;
    const char *type; ///< value of "type"; NULL when the element has none
    const trm_key *tables[3];
    const trm_key_group *groups;
} element;

static int fits(int of, int dimension)
{
    return of == 0 || of == dimension;
}

/// A schema of a table, with %d replaced by the dimension.
static void put_template(trm_text_buffer *out, const char *schema, int dimension)
{
    for (const char *at; (at = strstr(schema, "%d")) != NULL; schema = at + 2) {
        trm_put_bytes(out, schema, (size_t)(at - schema));
        trm_putf(out, "%d", dimension);
    }
    trm_put(out, schema);
}

static const char *number_name(trm_range range)
{
    switch (range) {
    case TRM_POSITIVE:
        return "positive";
    case TRM_NOT_NEGATIVE:
        return "not_negative";
    default:
        return "number";
    }
}

static void put_array(trm_text_buffer *out, const char *of, int n)
{
    trm_putf(out,
             "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/%s\"},\"minItems\":%d,"
             "\"maxItems\":%d}",
             of, n, n);
}

static void put_pair(trm_text_buffer *out)
{
    trm_put(out, "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2,"
                 "\"maxItems\":2,\"uniqueItems\":true}");
}

static void put_choices(trm_text_buffer *out, const char *choices)
{
    trm_put(out, "{\"enum\":[");
    for (const char *word = choices; *word;) {
        const size_t length = strcspn(word, "|");
        trm_putf(out, "%s\"%.*s\"", word > choices ? "," : "", (int)length, word);
        word += length + (word[length] == '|');
    }
    trm_put(out, "]}");
}

static void put_value(trm_text_buffer *out, const trm_key *key, int dimension)
{
    const char *number = number_name(key->range);
    if (key->schema) {
        put_template(out, key->schema, dimension);
        return;
    }
    switch (key->type) {
    case TRM_KEY_NUMBER:
        trm_putf(out, "{\"$ref\":\"#/$defs/%s\"}", number);
        break;
    case TRM_KEY_VECTOR:
        put_array(out, number, dimension);
        break;
    case TRM_KEY_VECTOR3:
        put_array(out, number, 3);
        break;
    case TRM_KEY_VECTOR4:
        put_array(out, number, 4);
        break;
    case TRM_KEY_MATRIX3:
        trm_put(out, "{\"$ref\":\"#/$defs/matrix\"}");
        break;
    case TRM_KEY_BOOLEAN:
        trm_put(out, "{\"type\":\"boolean\"}");
        break;
    case TRM_KEY_FORMULA:
        trm_put(out, "{\"$ref\":\"#/$defs/formula\"}");
        break;
    case TRM_KEY_FORMULA_VECTOR:
        put_array(out, "formula", dimension);
        break;
    case TRM_KEY_BODY_PAIR:
    case TRM_KEY_MARKER_PAIR:
        put_pair(out);
        break;
    case TRM_KEY_JOINTS:
    case TRM_KEY_MARKERS:
        trm_putf(out,
                 "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,"
                 "\"maxItems\":%d,\"uniqueItems\":true}",
                 TRM_MOST_LISTED);
        break;
    case TRM_KEY_NUMBERS:
        trm_putf(out,
                 "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/%s\"},\"minItems\":1,"
                 "\"maxItems\":%d}",
                 number, TRM_MOST_LISTED);
        break;
    case TRM_KEY_CHOICE:
        put_choices(out, key->choices);
        break;
    default: // texts and names
        trm_put(out, "{\"type\":\"string\"}");
        break;
    }
}

/// The sentence with unit and default, inside the schema of the value.
static void put_description(trm_text_buffer *out, const trm_key *key)
{
    trm_text_buffer text = {0};
    trm_put(&text, key->doc);
    if (key->unit) {
        trm_putf(&text, " Unit: %s.", key->unit);
    }
    if (key->fallback) {
        trm_putf(&text, " Default: %s.", key->fallback);
    }
    trm_put(out, "\"description\":");
    trm_put_quoted(out, text.failed ? "" : text.data);
    out->failed |= text.failed;
    trm_text_buffer_close(&text);
}

static void put_property(trm_text_buffer *out, const trm_key *key, const element *e, int dimension)
{
    trm_text_buffer value = {0};
    if (e->type && !strcmp(key->name, "type")) {
        trm_putf(&value, "{\"const\":\"%s\"}", e->type);
    } else {
        put_value(&value, key, dimension);
    }
    trm_put_quoted(out, key->name);
    trm_put(out, ":{");
    put_description(out, key);
    trm_put(out, ",");
    if (!value.failed) {
        trm_put(out, value.data + 1); // goes on behind the opening brace
    }
    out->failed |= value.failed;
    trm_text_buffer_close(&value);
}

static void put_properties(trm_text_buffer *out, const element *e, int dimension)
{
    int n = 0;
    trm_put(out, "\"properties\":{");
    for (int i = 0; i < 3; i++) {
        for (const trm_key *key = e->tables[i]; key && key->name; key++) {
            if (fits(key->dimension, dimension)) {
                trm_put(out, n++ ? "," : "");
                put_property(out, key, e, dimension);
            }
        }
    }
    trm_put(out, "}");
}

static void put_required(trm_text_buffer *out, const element *e, int dimension)
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        for (const trm_key *key = e->tables[i]; key && key->name; key++) {
            if (key->required && fits(key->dimension, dimension)) {
                trm_put(out, n++ ? "," : ",\"required\":[");
                trm_put_quoted(out, key->name);
            }
        }
    }
    trm_put(out, n ? "]" : "");
}

static int has_key(const element *e, const char *name, int dimension)
{
    for (int i = 0; i < 3; i++) {
        for (const trm_key *key = e->tables[i]; key && key->name; key++) {
            if (!strcmp(key->name, name) && fits(key->dimension, dimension)) {
                return 1;
            }
        }
    }
    return 0;
}

static void put_exclusion(trm_text_buffer *out, const char *a, const char *b, int *n)
{
    trm_putf(out, "%s{\"not\":{\"required\":[\"%s\",\"%s\"]}}", (*n)++ ? "," : ",\"allOf\":[", a,
             b);
}

static void put_needed(trm_text_buffer *out, const trm_key_group *group, int *n)
{
    trm_put(out, (*n)++ ? "," : ",\"allOf\":[");
    trm_put(out, group->needed == TRM_SOME ? "{\"anyOf\":[" : "{\"oneOf\":[");
    for (int i = 0; group->keys[i]; i++) {
        trm_putf(out, "%s{\"required\":[\"%s\"]}", i ? "," : "", group->keys[i]);
    }
    trm_put(out, "]}");
}

static void put_groups(trm_text_buffer *out, const element *e, int dimension)
{
    int n = 0;
    for (const trm_key_group *group = e->groups; group && group->keys[0]; group++) {
        if (group->needed) {
            put_needed(out, group, &n);
            continue;
        }
        for (int i = 0; group->keys[i]; i++) {
            for (int j = 0; j < i; j++) {
                if (has_key(e, group->keys[i], dimension) &&
                    has_key(e, group->keys[j], dimension)) {
                    put_exclusion(out, group->keys[j], group->keys[i], &n);
                }
            }
        }
    }
    trm_put(out, n ? "]" : "");
}

static void put_object(trm_text_buffer *out, const element *e, int dimension)
{
    trm_put(out, "{\"type\":\"object\",");
    if (e->doc) {
        trm_put(out, "\"description\":");
        trm_put_quoted(out, e->doc);
        trm_put(out, ",");
    }
    put_properties(out, e, dimension);
    trm_put(out, ",\"additionalProperties\":false");
    put_required(out, e, dimension);
    put_groups(out, e, dimension);
    trm_put(out, "}");
}

// --------------------------------------------------------------------- elements that have a type

/// The index-th element of a kind; 0 behind the last one. A type of NULL is none to list.
typedef int element_at(int index, element *out, int *dimension);

static int shape_at(int index, element *out, int *dimension)
{
    const trm_shape_form *form = &trm_shape_forms[index];
    *out = (element){form->doc, form->name, {trm_shape_keys, form->keys}, NULL};
    *dimension = form->dimension;
    return form->name != NULL;
}

static int look_at(int index, element *out, int *dimension)
{
    const trm_shape_form *form = &trm_look_forms[index];
    *out = (element){form->doc, form->name, {trm_shape_keys, form->keys, trm_look_keys}, NULL};
    *dimension = form->dimension;
    return form->name != NULL;
}

/// Shapes of contacts: those of bodies, then their own.
static int touch_shape_at(int index, element *out, int *dimension)
{
    int own = 0;
    for (; trm_shape_forms[own].name && own < index; own++) {
    }
    const int more = !trm_shape_forms[own].name;
    const trm_shape_form *form = more ? &trm_touch_forms[index - own] : &trm_shape_forms[index];
    *out =
        (element){form->doc, form->name, {trm_shape_keys, form->keys, trm_touch_shape_keys}, NULL};
    *dimension = form->dimension;
    return form->name != NULL;
}

static int joint_at(int index, element *out, int *dimension)
{
    const trm_joint_kind *kind = trm_joint_kinds[index];
    if (kind) {
        *out = (element){kind->doc, kind->name, {trm_joint_keys, kind->keys}, trm_point_groups};
        *dimension = kind->dimension;
    }
    return kind != NULL;
}

static int relation_at(int index, element *out, int *dimension)
{
    (void)dimension; // all are for both
    const trm_relation_kind *kind = trm_relation_kinds[index];
    if (kind) {
        *out = (element){kind->doc, kind->name, {trm_constraint_keys, kind->keys}, kind->groups};
    }
    return kind != NULL;
}

static int force_at(int index, element *out, int *dimension)
{
    (void)dimension;
    const trm_force_kind *kind = trm_force_kinds[index];
    if (kind) {
        *out = (element){
            kind->doc, kind->keys ? kind->name : NULL, {trm_force_keys, kind->keys}, kind->groups};
    }
    return kind != NULL;
}

/// An object whose "type" says which of several it is; `fallback`: what it is without one, or NULL.
static void put_typed(trm_text_buffer *out, const char *name, element_at *at, int dimension,
                      const char *fallback)
{
    element e = {0};
    int n = 0, of = 0;
    trm_putf(out, ",\"%s_%d\":{\"type\":\"object\",%s\"properties\":{\"type\":{\"enum\":[", name,
             dimension, fallback ? "" : "\"required\":[\"type\"],");
    for (int i = 0; at(i, &e, &of); i++) {
        if (e.type && fits(of, dimension)) {
            trm_putf(out, "%s\"%s\"", n++ ? "," : "", e.type);
        }
    }
    trm_put(out, "]}},\"allOf\":[");
    n = 0;
    for (int i = 0; at(i, &e, &of); i++) {
        if (e.type && fits(of, dimension)) {
            const int needed = !fallback || strcmp(fallback, e.type) != 0;
            trm_putf(out, "%s{\"if\":{\"properties\":{\"type\":{\"const\":\"%s\"}}%s},\"then\":",
                     n++ ? "," : "", e.type, needed ? ",\"required\":[\"type\"]" : "");
            put_object(out, &e, dimension);
            trm_put(out, "}");
        }
    }
    trm_put(out, "]}");
}

static void put_plain(trm_text_buffer *out, const char *name, const trm_key *keys,
                      const trm_key_group *groups, int dimension)
{
    const element e = {NULL, NULL, {keys, NULL}, groups};
    trm_putf(out, ",\"%s_%d\":", name, dimension);
    put_object(out, &e, dimension);
}

// --------------------------------------------------------------------------------------- the whole

static void put_values(trm_text_buffer *out)
{
    static const char number[] = "\"description\":\"A number, or a constant expression in quotes "
                                 "over the parameters, pi and deg.\",\"type\":[\"number\","
                                 "\"string\"],\"minLength\":1";
    trm_put(
        out,
        "\"name\":{\"type\":\"string\",\"pattern\":\"^[A-Za-z]([A-Za-z0-9_-]|\\\\{[^}]+\\\\})*$\","
        "\"maxLength\":63,\"not\":{\"enum\":[\"ground\",\"t\",\"pi\",\"deg\"]}}");
    trm_putf(out, ",\"number\":{%s}", number);
    trm_putf(out, ",\"positive\":{%s,\"exclusiveMinimum\":0}", number);
    trm_putf(out, ",\"not_negative\":{%s,\"minimum\":0}", number);
    trm_put(
        out,
        ",\"formula\":{\"description\":\"A number, or an expression in quotes of t, "
        "parameters, definitions, markers, bodies and joints.\",\"type\":[\"number\",\"string\"],"
        "\"minLength\":1}");
    trm_put(out, ",\"repeat\":{\"type\":\"object\",\"minProperties\":1,\"maxProperties\":3,"
                 "\"propertyNames\":{\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\"},"
                 "\"additionalProperties\":{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
                 "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,"
                 "\"items\":{\"$ref\":\"#/$defs/number\"}}]}}");
    trm_put(out, ",\"matrix\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/vector_3\"},"
                 "\"minItems\":3,\"maxItems\":3}");
}

static void put_definitions(trm_text_buffer *out, int dimension)
{
    trm_putf(out, ",\"vector_%d\":", dimension);
    put_array(out, "number", dimension);
    trm_putf(out,
             ",\"two_points_%d\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/vector_%d\"},"
             "\"minItems\":2,\"maxItems\":2}",
             dimension, dimension);
    put_typed(out, "shape", shape_at, dimension, NULL);
    if (dimension == 3) {
        put_typed(out, "look", look_at, dimension, NULL);
    }
    put_plain(out, "body", trm_body_keys, trm_body_groups, dimension);
    put_plain(out, "marker", trm_marker_keys, trm_point_groups, dimension);
    put_typed(out, "joint", joint_at, dimension, NULL);
    put_typed(out, "constraint", relation_at, dimension, trm_relation_kinds[0]->name);
    put_plain(out, "event", trm_event_keys, trm_event_groups, dimension);
    put_plain(out, "stop", trm_stop_keys, trm_stop_groups, dimension);
    put_typed(out, "touch_shape", touch_shape_at, dimension, NULL);
    put_plain(out, "contact", trm_touch_keys, NULL, dimension);
    put_typed(out, "force", force_at, dimension, NULL);
}

static void put_dimension(trm_text_buffer *out, int dimension)
{
    static const char *const lists[][2] = {{"bodies", "body"},  {"markers", "marker"},
                                           {"joints", "joint"}, {"constraints", "constraint"},
                                           {"events", "event"}, {"forces", "force"},
                                           {"stops", "stop"},   {"contacts", "contact"}};
    trm_putf(out,
             "{\"if\":{\"properties\":{\"dimension\":{\"const\":%d}},\"required\":[\"dimension\"]},"
             "\"then\":{\"properties\":{\"gravity\":{\"$ref\":\"#/$defs/vector_%d\"}",
             dimension, dimension);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        trm_putf(out, ",\"%s\":{\"items\":{\"$ref\":\"#/$defs/%s_%d\"}}", lists[i][0], lists[i][1],
                 dimension);
    }
    trm_put(out, "}}}");
}

/// The top level's own keys: those whose schema depends on the dimension say only what is common.
static void put_top(trm_text_buffer *out)
{
    trm_put(out, "\"type\":\"object\",\"properties\":{");
    for (const trm_key *key = trm_scene_keys; key->name; key++) {
        const element e = {0};
        trm_key common = *key;
        if (key->type == TRM_KEY_VECTOR) {
            common.schema = "{\"type\":\"array\"}";
        } else if (key->type == TRM_KEY_SPECIAL && !key->schema) {
            common.schema =
                key->required ? "{\"type\":\"array\",\"minItems\":1}" : "{\"type\":\"array\"}";
        }
        trm_put(out, key > trm_scene_keys ? "," : "");
        put_property(out, &common, &e, 0);
    }
    const element top = {NULL, NULL, {trm_scene_keys, NULL}, NULL};
    trm_put(out, "},\"additionalProperties\":false");
    put_required(out, &top, 0);
    trm_put(out, ",\"allOf\":[");
    put_dimension(out, 2);
    trm_put(out, ",");
    put_dimension(out, 3);
    trm_put(out, "]");
}

/// Objects that are the same in both dimensions.
static void put_objects(trm_text_buffer *out)
{
    static const struct {
        const char *name;
        const trm_key *keys;
    } objects[] = {{"input", trm_input_keys},           {"output", trm_output_keys},
                   {"state", trm_state_keys},           {"move", trm_move_keys},
                   {"axis_angle", trm_axis_angle_keys}, {"freedom", trm_freedom_keys},
                   {"friction", trm_friction_keys},     {"table", trm_table_keys},
                   {"simulation", trm_simulation_keys}};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        const element e = {NULL, NULL, {objects[i].keys, NULL}, NULL};
        trm_putf(out, ",\"%s\":", objects[i].name);
        put_object(out, &e, 3);
    }
}

void trm_put_schema(trm_text_buffer *out)
{
    trm_text_buffer compact = {0};
    trm_put(&compact, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                      "\"title\":\"Trammel scene\",\"description\":\"A mechanism in SI units and "
                      "radians; see scene_format.md. Generated.\",");
    put_top(&compact);
    trm_put(&compact, ",\"$defs\":{");
    put_values(&compact);
    put_objects(&compact);
    put_definitions(&compact, 2);
    put_definitions(&compact, 3);
    trm_put(&compact, "}}");
    if (!compact.failed) {
        trm_put_pretty(out, compact.data);
    }
    out->failed |= compact.failed;
    trm_text_buffer_close(&compact);
}
