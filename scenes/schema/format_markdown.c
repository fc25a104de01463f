// docs/reference/scene_format.md: the words of scene_format.md.in, and the tables that drive the
// reader.

#include "base/text/text_buffer.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "scenes/reader/reader.h"

#include <string.h>

static const char *type_text(const trm_key *key)
{
    switch (key->type) {
    case TRM_KEY_NUMBER:
        return "number";
    case TRM_KEY_VECTOR:
        return "vector";
    case TRM_KEY_VECTOR3:
        return "3 numbers";
    case TRM_KEY_VECTOR4:
        return "4 numbers";
    case TRM_KEY_MATRIX3:
        return "3 rows of 3 numbers";
    case TRM_KEY_BOOLEAN:
        return "true or false";
    case TRM_KEY_TEXT:
        return strcmp(key->name, "name") ? "text" : "name";
    case TRM_KEY_FORMULA:
        return "formula";
    case TRM_KEY_FORMULA_VECTOR:
        return "vector of formulas";
    case TRM_KEY_BODY:
        return "name of a body";
    case TRM_KEY_BODY_PAIR:
        return "names of two bodies";
    case TRM_KEY_MARKER:
        return "name of a marker";
    case TRM_KEY_MARKER_PAIR:
        return "names of two markers";
    case TRM_KEY_JOINT:
        return "name of a joint";
    case TRM_KEY_JOINTS:
        return "names of joints";
    case TRM_KEY_MARKERS:
        return "names of markers";
    case TRM_KEY_NUMBERS:
        return "array of numbers";
    case TRM_KEY_CHOICE:
        return NULL;
    case TRM_KEY_SPECIAL:
        break;
    }
    return "see there";
}

/// What the tables cannot say about the keys that are read by code of their own.
static const char *special_text(const char *name, int dimension)
{
    static const struct {
        const char *name;
        int dimension;
        const char *text;
    } texts[] = {
        {"$schema", 0, "text"},
        {"dimension", 0, "2 or 3"},
        {"parameters", 0, "object"},
        {"simulation", 0, "object"},
        {"axis_angle", 0, "object"},
        {"ends", 0, "two vectors"},
        {"inertia", 2, "number"},
        {"inertia", 3, "3 numbers or 3 rows of 3"},
        {"shape", 0, "object"},
        {"type", 0, "one of the types below"},
        {"at", 0, "vector, or two"},
        {"on", 0, "one vector for each body"},
        {"bodies", 0, "array"},
        {"markers", 0, "array"},
        {"joints", 0, "array"},
        {"constraints", 0, "array"},
        {"stops", 0, "array"},
        {"contacts", 0, "array"},
        {"shapes", 0, "array of shapes"},
        {"height", 0, "number or formula"},
        {"forces", 0, "array"},
        {"tables", 0, "object"},
        {"definitions", 0, "object"},
        {"outputs", 0, "object"},
        {"points", 0, "array of points"},
        {"formulas", 0, "array of formulas"},
        {"range", 0, "[lo, hi]"},
        {"repeat", 0, "object"},
        {"events", 0, "array"},
        {"set", 0, "object"},
        {"format", 0, "1"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!strcmp(texts[i].name, name) &&
            (texts[i].dimension == 0 || texts[i].dimension == dimension)) {
            return texts[i].text;
        }
    }
    return "see the meaning";
}

static void put_type(trm_text_buffer *out, const trm_key *key)
{
    static const char *const ranges[] = {"", " > 0", " >= 0", ", not zero"};
    if (key->type == TRM_KEY_CHOICE) {
        for (const char *word = key->choices; *word;) {
            const size_t length = strcspn(word, "|");
            trm_putf(out, "%s`\"%.*s\"`", word > key->choices ? ", " : "", (int)length, word);
            word += length + (word[length] == '|');
        }
        return;
    }
    trm_put(out, key->type == TRM_KEY_SPECIAL ? special_text(key->name, key->dimension)
                                              : type_text(key));
    trm_put(out, !key->varies ? "" : key->type == TRM_KEY_NUMBER ? " or formula" : " or formulas");
    trm_put(out, ranges[key->range]);
}

/// " With `a` or `b`."
static void put_others(trm_text_buffer *out, const char *words, const char *keys)
{
    for (const char *key = keys; key && *key;) {
        const size_t length = strcspn(key, "|");
        trm_putf(out, "%s`%.*s`", key == keys ? words : " or ", (int)length, key);
        key += length + (key[length] == '|');
        trm_put(out, *key ? "" : ".");
    }
}

static void put_rows(trm_text_buffer *out, const trm_key *keys)
{
    for (const trm_key *key = keys; key->name; key++) {
        trm_putf(out, "| `%s`", key->name);
        if (key->dimension) {
            trm_putf(out, " (%d-D)", key->dimension);
        }
        trm_put(out, " | ");
        put_type(out, key);
        trm_putf(out, " | %s | %s | %s", key->unit ? key->unit : "",
                 key->required   ? "required"
                 : key->fallback ? key->fallback
                                 : "",
                 key->doc);
        put_others(out, " With ", key->needs);
        put_others(out, " Not beside ", key->excludes);
        trm_put(out, " |\n");
    }
}

static void put_table(trm_text_buffer *out, const trm_key *keys)
{
    trm_put(out, "\n| key | type | unit | default | meaning |\n|---|---|---|---|---|\n");
    put_rows(out, keys);
}

static void put_kind(trm_text_buffer *out, const char *name, int dimension, const char *doc,
                     const trm_key *keys)
{
    trm_putf(out, "\n### `%s`", name);
    if (dimension) {
        trm_putf(out, " (%d-D)", dimension);
    }
    trm_putf(out, "\n\n%s\n", doc);
    if (keys && keys->name) {
        put_table(out, keys);
    }
}

static void put_joints(trm_text_buffer *out)
{
    for (int i = 0; trm_joint_kinds[i]; i++) {
        const trm_joint_kind *kind = trm_joint_kinds[i];
        put_kind(out, kind->name, kind->dimension, kind->doc, kind->keys);
    }
}

static void put_constraints(trm_text_buffer *out)
{
    for (int i = 0; trm_relation_kinds[i]; i++) {
        const trm_relation_kind *kind = trm_relation_kinds[i];
        put_kind(out, kind->name, 0, kind->doc, kind->keys);
    }
}

static void put_forces(trm_text_buffer *out)
{
    for (int i = 0; trm_force_kinds[i]; i++) {
        const trm_force_kind *kind = trm_force_kinds[i];
        if (kind->keys) {
            put_kind(out, kind->name, 0, kind->doc, kind->keys);
        }
    }
}

static void put_functions(trm_text_buffer *out)
{
    for (int i = 0; trm_expression_function(i); i++) {
        trm_putf(out, "| `%s` | %s |\n", trm_expression_function_usage(i),
                 trm_expression_function_doc(i));
    }
}

static void put_variables(trm_text_buffer *out)
{
    static const char *const owner[] = {[TRM_NAME_MARKER] = "tip",
                                        [TRM_NAME_BODY] = "arm",
                                        [TRM_NAME_JOINT] = "O",
                                        [TRM_NAME_CONSTRAINT] = "wire"};
    static const char *const of[] = {[TRM_NAME_MARKER] = "marker",
                                     [TRM_NAME_BODY] = "body",
                                     [TRM_NAME_JOINT] = "joint",
                                     [TRM_NAME_CONSTRAINT] = "curve"};
    for (const trm_component *c = trm_components; c->name; c++) {
        trm_putf(out, "| `%s.%s` | %s%s | %s | %s |\n", owner[c->of], c->name, of[c->of],
                 c->dimension == 2   ? ", 2-D"
                 : c->dimension == 3 ? ", 3-D"
                                     : "",
                 c->unit, c->doc);
    }
}

/// What a line "@name" of scene_format.md.in stands for: a table of keys, or a list of elements.
static const struct {
    const char *name;
    const trm_key *keys;
    const trm_shape_form *forms;
    void (*put)(trm_text_buffer *out);
} parts[] = {
    {"scene", .keys = trm_scene_keys},
    {"input", .keys = trm_input_keys},
    {"table", .keys = trm_table_keys},
    {"state", .keys = trm_state_keys},
    {"output", .keys = trm_output_keys},
    {"body", .keys = trm_body_keys},
    {"look", .keys = trm_look_keys},
    {"marker", .keys = trm_marker_keys},
    {"joint", .keys = trm_joint_keys},
    {"freedom", .keys = trm_freedom_keys},
    {"constraint", .keys = trm_constraint_keys},
    {"force", .keys = trm_force_keys},
    {"stop", .keys = trm_stop_keys},
    {"friction", .keys = trm_friction_keys},
    {"contact", .keys = trm_touch_keys},
    {"contact_shape", .keys = trm_touch_shape_keys},
    {"event", .keys = trm_event_keys},
    {"move", .keys = trm_move_keys},
    {"simulation", .keys = trm_simulation_keys},
    {"shapes", .forms = trm_shape_forms},
    {"looks", .forms = trm_look_forms},
    {"contact_shapes", .forms = trm_touch_forms},
    {"joints", .put = put_joints},
    {"constraints", .put = put_constraints},
    {"forces", .put = put_forces},
    {"functions", .put = put_functions},
    {"variables", .put = put_variables},
};

static void put_part(trm_text_buffer *out, const char *name)
{
    size_t i = 0;
    for (; i + 1 < sizeof parts / sizeof *parts && strcmp(name, parts[i].name) != 0; i++) {
    }
    if (parts[i].keys) {
        put_table(out, parts[i].keys);
    }
    for (const trm_shape_form *form = parts[i].forms; form && form->name; form++) {
        put_kind(out, form->name, form->dimension, form->doc, form->keys);
    }
    if (parts[i].put) {
        parts[i].put(out);
    }
}

void trm_put_markdown(trm_text_buffer *out)
{
    for (const char *const *line = trm_scene_format; *line; line++) {
        if (**line == '@') {
            put_part(out, *line + 1);
        } else {
            trm_putf(out, "%s\n", *line);
        }
    }
}
