/// What the files of the reader share.
///
/// The order of reading is fixed, whatever the order in the file: dimension, parameters, tables,
/// names of definitions, the rest of the top level, bodies, markers, joints, constraints, forces,
/// and the definitions that nobody used. So every name that a key may use is known when the key is
/// read.
#pragma once

#include "base/expression/table.h"
#include "base/scene/scene.h"
#include "base/text/text_buffer.h"
#include "program/suggest.h"
#include "scenes/json/scene_file.h"
#include "scenes/json/scene_names.h"
#include "scenes/json/scene_store.h"

/// Which variables the formulas being read may use.
typedef enum trm_scope {
    TRM_SCOPE_TIME,     ///< motors: t
    TRM_SCOPE_POSITION, ///< constraints: t, places and angles
    TRM_SCOPE_SPEED,    ///< constraints on velocities: these too
    TRM_SCOPE_STATE,    ///< forces: velocities and rates too
    TRM_SCOPE_OUTPUT    ///< outputs: what sensors read too
} trm_scope;

enum { TRM_DEFINITION_PARTS = 3 }; ///< components of a definition at most
enum {
    TRM_OWN_TEXTS = 64
}; ///< keys of a force, or parts of a relation, that formulas name: at most

/// A named sub-expression: one text, or one for each component of a vector.
typedef struct trm_definition {
    const char *name;
    int n; ///< components; 0: no vector
    const trm_node *part[TRM_DEFINITION_PARTS];
    const char *text[TRM_DEFINITION_PARTS];
    int state; ///< > 0: it stands for the state with the number before
} trm_definition;

enum { TRM_INDICES = 3 }; ///< of one repeated entry at most

/// An index of the entry that is being repeated.
typedef struct trm_index {
    const char *name;
    long value;
} trm_index;

struct trm_relation; // constraints/transmissions/relation.h

typedef struct trm_reader {
    trm_scene *scene; ///< being filled
    const trm_document *document;
    const trm_overrides *overrides;
    const char *allow_files; ///< see trm_scene_source; NULL: none
    trm_pool *pool;          ///< of everything that the scene keeps
    trm_pool names;          ///< of the tables of names, which it does not keep
    trm_names parameters;    ///< known so far
    trm_names points;        ///< bodies and markers
    trm_names links;         ///< joints, constraints and forces
    trm_names definition_names, table_names;
    trm_definition *definitions; ///< [ndefinitions]
    int ndefinitions;
    trm_table **tables; ///< of each name
    trm_index index[TRM_INDICES];
    int nindex;
    int nmeshes, *meshes; ///< of scene->looks, the first with each file
    int joint_room;       ///< of scene->joints, while joints are read
    trm_scope scope;
    const char *ranged; ///< the key whose formula is read, where it may not fall below 0; or NULL
    trm_error *err;
    char where[160]; ///< text of the place last asked for
} trm_reader;

// ------------------------------------------------------------------------- errors and memory

/// The texts for TRM_FAIL: at the node's value, at its key, at a byte inside a string value.
const char *trm_at(trm_reader *reader, const trm_node *node);
/// The error of what stands at a node, as TRM_FAIL.
#define TRM_REFUSE(reader, node, ...)                                                              \
    TRM_FAIL((reader)->err, TRM_ERR_SCENE, trm_at((reader), (node)), __VA_ARGS__)
const char *trm_at_key(trm_reader *reader, const trm_node *node);
const char *trm_at_byte(trm_reader *reader, const trm_node *node, size_t index);

trm_status trm_reader_no_memory(trm_reader *reader);
/// A zeroed array behind the scene. Errors: MEMORY.
trm_status trm_reader_take(trm_reader *reader, size_t count, size_t size, void *out);
/// The place of a node, with its pointer. Errors: MEMORY.
trm_status trm_reader_place(trm_reader *reader, const trm_node *node, trm_place *out);

// --------------------------------------------------------------------------------- files it names

/// A file as seen from where the scene is. Errors: MEMORY.
trm_status trm_path_beside(trm_reader *reader, const char *file, char **path);
/// Its bytes, to be freed; the scene then knows it. Errors: SCENE (also: no such file), MEMORY.
trm_status trm_read_file(trm_reader *reader, const trm_node *node, const char *file,
                         trm_bytes *out);
/// A failure with such a file, at the place in the scene that names it.
trm_status trm_file_failed(trm_reader *reader, const trm_node *node, const char *file,
                           trm_status status);

// --------------------------------------------------------------- one object by its tables of keys

/// Read the object by `n` tables into `out` (the definition that the offsets are of); SPECIAL keys
/// are only accepted. Refuses unknown keys, keys of the other dimension, and missing ones.
trm_status trm_read_keys(trm_reader *reader, const trm_node *object, const trm_key *const *tables,
                         int n, void *out);

trm_status trm_read_object(trm_reader *reader, const trm_node *node);
trm_status trm_read_array(trm_reader *reader, const trm_node *node);
/// A number or a constant expression, finite.
trm_status trm_read_number(trm_reader *reader, const trm_node *node, double *out);
/// An array of n values called `what` ("numbers").
trm_status trm_check_size(trm_reader *reader, const trm_node *node, int n, const char *what);
/// Exactly n numbers.
trm_status trm_read_numbers(trm_reader *reader, const trm_node *node, int n, double *out);
/// `dimension` numbers, the rest zero.
trm_status trm_read_point(trm_reader *reader, const trm_node *node, double out[3]);
/// An array of 1 to TRM_MOST_LISTED values; `what` they are is said in the message.
trm_status trm_check_list(trm_reader *reader, const trm_node *node, const char *what);
/// One number or more.
trm_status trm_read_number_list(trm_reader *reader, const trm_node *node, trm_number_list *out);
/// n points.
trm_status trm_read_points(trm_reader *reader, const trm_node *node, int n, double out[][3]);
trm_status trm_read_matrix(trm_reader *reader, const trm_node *node, double out[9]);
trm_status trm_read_text(trm_reader *reader, const trm_node *node, const char **out);
trm_status trm_read_boolean(trm_reader *reader, const trm_node *node, int *out);
/// A formula in the reader's scope.
trm_status trm_read_formula(trm_reader *reader, const trm_node *node, trm_formula *out);
/// Its text, or that of a number.
trm_status trm_read_formula_text(trm_reader *reader, const trm_node *node, const char **text);
trm_status trm_read_formulas(trm_reader *reader, const trm_node *node, trm_formula out[3]);

/// `; did you mean "rod"?`, or, when none is near, as many of the words as fit.
void trm_hint_at_words(const char *word, const char *const *words, int n, char *out, size_t size);

/// The value of `key`, which must be a string: "name" and "type".
trm_status trm_read_word(trm_reader *reader, const trm_node *object, const char *key,
                         const char **out);
/// One of `n` words; `what` is what it is called in the message. *out is its index.
trm_status trm_read_choice(trm_reader *reader, const trm_node *node, const char *what,
                           const char *const *words, int n, int *out);

// ---------------------------------------------------------------------------------------- names

/// Read "name" of an element and enter it in `names`.
trm_status trm_read_name(trm_reader *reader, const trm_node *object, trm_names *names,
                         trm_name_kind kind, int index, const char **out);
/// Refuse what cannot name a parameter, a definition or a table: as below, no -, no function.
trm_status trm_check_word(trm_reader *reader, const trm_node *node, const char *what);
/// Refuse what cannot be a name: letters, digits, _ and -, a letter first, not reserved.
trm_status trm_read_body(trm_reader *reader, const trm_node *node, int *out);
trm_status trm_read_marker(trm_reader *reader, const trm_node *node, int *out);
trm_status trm_read_joint_name(trm_reader *reader, const trm_node *node, int *out);
/// A joint, constraint or force, or a freedom of a joint: `J.slide`; of a joint that has one alone,
/// `O.angle`, it is the joint. text NULL: none of this name.
trm_name trm_find_link(const trm_reader *reader, const char *text, size_t length);
/// Two different bodies or markers.
trm_status trm_read_body_pair(trm_reader *reader, const trm_node *node, int out[2]);
trm_status trm_read_marker_pair(trm_reader *reader, const trm_node *node, int out[2]);
/// One or more, all different.
trm_status trm_read_joint_list(trm_reader *reader, const trm_node *node, trm_index_list *out);
trm_status trm_read_marker_list(trm_reader *reader, const trm_node *node, trm_index_list *out);
/// "start", with what overrides say of it; object may be NULL. After the joints.
trm_status trm_read_start(trm_reader *reader, const trm_node *object);
/// A joint with an angle or a displacement of its own; `node` names it.
trm_status trm_check_coordinate(trm_reader *reader, const trm_node *node, int joint);

// ------------------------------------------------------------------------------------- formulas

/// The value of a constant expression; names are parameters. Message and place of a failure are
/// those of the string value `node`.
trm_status trm_evaluate(trm_reader *reader, const trm_node *node, const char *text, double *out);
/// The same of a part of the string that begins at byte `offset`.
trm_status trm_evaluate_from(trm_reader *reader, const trm_node *node, size_t offset,
                             const char *text, double *out);
/// The value of an override, over pi and deg alone.
trm_status trm_evaluate_override(trm_reader *reader, const char *parameter, const char *text,
                                 double *out);
trm_status trm_compile_formula(trm_reader *reader, const trm_node *node, const char *text,
                               trm_formula *out);
/// A formula of the keys of a force (trm_force_kind.formula).
trm_status trm_compile_for_force(trm_reader *reader, const trm_node *node, const char *text,
                                 const trm_scene_force *force, trm_formula *out);
/// Whether it depends on what moves, so that it can hold something.
int trm_formula_moves(const trm_scene *scene, const trm_formula *formula);
/// Such a formula in the place of its values.
trm_status trm_join_values(trm_reader *reader, const trm_node *node, const char *text,
                           trm_scene_force *force);
/// A formula of x[0], by the name of `parameter`, of x[1], by that of `second` (NULL: none), and of
/// constants.
trm_status trm_compile_along(trm_reader *reader, const trm_node *node, const char *text,
                             const char *parameter, const char *second, trm_expression **out);

// ------------------------------------------------------------------------- definitions and tables

trm_status trm_read_definitions(trm_reader *reader, const trm_node *object);
/// Outputs are definitions for all other formulas; their own formulas are compiled when all names
/// are known.
trm_status trm_read_outputs(trm_reader *reader, const trm_node *object);
trm_status trm_finish_outputs(trm_reader *reader);
/// States are named before all formulas, and shown behind the outputs; their rates are the forces
/// from scene->first_state on.
trm_status trm_read_states(trm_reader *reader, const trm_node *object);
trm_status trm_read_rates(trm_reader *reader, const trm_node *object);
/// Room for n states beside those that there are.
trm_status trm_make_room_for_states(trm_reader *reader, int n);
/// A state of a force, NAME.what, and its rate, by formulas of its keys.
trm_status trm_add_state(trm_reader *reader, const trm_node *node, const trm_scene_force *of,
                         const char *what, const char *unit, int *index);
trm_status trm_set_rate(trm_reader *reader, const trm_node *node, const trm_scene_force *of,
                        const char *text, int index);
/// Parts of the above: a number or formula as text, a name of definitions, a unit for columns.
trm_status trm_read_part(trm_reader *reader, const trm_node *node, const char **text);
/// The text of the definition with this id; NULL when it is none of the file.
const trm_node *trm_definition_node(const trm_reader *reader, int id);

trm_status trm_read_tables(trm_reader *reader, const trm_node *object);

// -------------------------------------------------------------------------------------- repetition

/// The key "repeat" of every element that may be repeated.
#define TRM_REPEAT_KEY                                                                             \
    TRM_KEY_OWN("repeat", "This entry stands for several; see Repetition.",                        \
                .schema = "{\"$ref\":\"#/$defs/repeat\"}")

/// A joint while it is being read: few have limits or friction.
typedef struct trm_joint_draft {
    trm_scene_joint joint; ///< the keys of its kind have their offsets in it
    trm_scene_contact contact;
} trm_joint_draft;

/// What every joint has of limits and friction.
#define TRM_JOINT_CONTACT_KEYS                                                                     \
    TRM_KEY_OWN("limits",                                                                          \
                "[lo, hi]: where its coordinate ends, angle or position, 0 at the start; null: "   \
                "nowhere.",                                                                        \
                .unit = "rad or m",                                                                \
                .schema =                                                                          \
                    "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,\"items\":{\"anyOf\":["     \
                    "{\"$ref\":\"#/$defs/number\"},{\"type\":\"null\"}]}}"),                       \
        TRM_KEY("restitution", NUMBER, trm_joint_draft, contact.restitution,                       \
                "At its limits, 0 to 1: the part of the rate that an impact sends back.",          \
                .given = offsetof(trm_joint_draft, contact.restitution_given),                     \
                .range = TRM_NOT_NEGATIVE, .fallback = "0", .needs = "limits",                     \
                .excludes = "limit_stiffness"),                                                    \
        TRM_KEY("limit_stiffness", NUMBER, trm_joint_draft, contact.stiffness,                     \
                "Its limits are springs of this stiffness; without it they are rigid.",            \
                .varies = offsetof(trm_joint_draft, contact.varies), .range = TRM_POSITIVE,        \
                .unit = "N m/rad or N/m", .needs = "limits"),                                      \
        TRM_KEY("limit_damping", NUMBER, trm_joint_draft, contact.damping,                         \
                "c of Hunt and Crossley: the spring's force times 1 + c times the rate.",          \
                .range = TRM_NOT_NEGATIVE, .unit = "s/rad or s/m", .fallback = "0",                \
                .needs = "limit_stiffness"),                                                       \
        TRM_KEY_OWN(                                                                               \
            "friction",                                                                            \
            "Dry friction: a constant bound, or an object with its law (under Stops).",            \
            .unit = "N m or N",                                                                    \
            .schema =                                                                              \
                "{\"anyOf\":[{\"$ref\":\"#/$defs/number\"},{\"$ref\":\"#/$defs/friction\"}]}")

/// What stops and contacts have of impacts and compliance, as members of their `contact`.
#define TRM_COMPLIANCE_KEYS(draft)                                                                 \
    TRM_KEY("restitution", NUMBER, draft, contact.restitution,                                     \
            "0 to 1: the part of the closing rate that an impact sends back.",                     \
            .given = offsetof(draft, contact.restitution_given), .range = TRM_NOT_NEGATIVE,        \
            .fallback = "0", .excludes = "stiffness"),                                             \
        TRM_KEY("stiffness", NUMBER, draft, contact.stiffness,                                     \
                "It is a spring of this stiffness; without it it is rigid.",                       \
                .varies = offsetof(draft, contact.varies), .range = TRM_POSITIVE,                  \
                .unit = "N/m^exponent"),                                                           \
        TRM_KEY("damping", NUMBER, draft, contact.damping,                                         \
                "c of Hunt and Crossley: the spring's force times 1 + c times the rate.",          \
                .range = TRM_NOT_NEGATIVE, .unit = "s/m", .fallback = "0", .needs = "stiffness"),  \
        TRM_KEY("exponent", NUMBER, draft, contact.exponent,                                       \
                "Of the compression, in the spring's force: 1.5 is that of Hertz.",                \
                .range = TRM_POSITIVE, .fallback = "1", .needs = "stiffness"),                     \
        TRM_KEY("regularized", NUMBER, draft, contact.friction.regularized,                        \
                "Beside `stiffness` its friction is smooth, the spring's force times "             \
                "`friction` times u/sqrt(1 + u^2), u = slip/regularized: it creeps.",              \
                .range = TRM_POSITIVE, .unit = "m/s", .needs = "stiffness"),                       \
        TRM_HOLDING_KEYS(draft, contact.friction)

typedef trm_status trm_read_element(trm_reader *reader, const trm_node *node, int index);

/// How many elements an array stands for, and all of them.
trm_status trm_count_elements(trm_reader *reader, const trm_node *array, int *out);
trm_status trm_read_elements(trm_reader *reader, const trm_node *array, trm_read_element *read);

/// The text of a value or key with its {...} replaced, when it is being repeated.
trm_status trm_expand_text(trm_reader *reader, const trm_node *node, const char *text,
                           const char **out);
/// The byte of the string value that byte `index` of its expanded text comes from.
size_t trm_unexpanded(trm_reader *reader, const trm_node *node, size_t index);

// ------------------------------------------------------------------- elements, one file for each

trm_status trm_read_bodies(trm_reader *reader, const trm_node *array);
trm_status trm_read_markers(trm_reader *reader, const trm_node *array);
trm_status trm_read_joints(trm_reader *reader, const trm_node *array);
trm_status trm_read_constraints(trm_reader *reader, const trm_node *array);
/// The equations of a constraint as its kind writes them; `node` is where errors are.
trm_status trm_write_relation(trm_reader *reader, const trm_node *node, trm_scene_constraint *def);
/// The curve of a constraint, and the event of its end.
trm_status trm_read_curve(trm_reader *reader, const trm_node *node, trm_scene_constraint *def);
trm_status trm_read_end(trm_reader *reader, const trm_scene_constraint *def, trm_scene_event *out);
/// "events", and the condition given by trm_scene_stop_when; array may be NULL.
trm_status trm_read_events(trm_reader *reader, const trm_node *array);
/// "forces", and behind them the rates of the states; array may be NULL.
trm_status trm_read_forces(trm_reader *reader, const trm_node *array);
/// After joints and constraints: the threads of screws, and the rotors that "armature" stands for.
trm_status trm_add_threads(trm_reader *reader);
trm_status trm_add_rotors(trm_reader *reader);
/// Limits and friction of joint `index`, whose keys are in `node`; `contact` has what they gave.
trm_status trm_read_joint_contact(trm_reader *reader, const trm_node *node, int index,
                                  trm_scene_contact *contact);
/// What constraint `index`, whose keys are in `node`, loses, or is in the place of an equation.
trm_status trm_read_relation_contact(trm_reader *reader, const trm_node *node, int index);
/// "stops", behind what the joints, the screws and the ropes that do not stretch have, and
/// "contacts" behind them; either may be NULL.
trm_status trm_read_stops(trm_reader *reader, const trm_node *stops, const trm_node *contacts);
/// One of "contacts": its pairs of shapes, at most TRM_MOST_TOUCHES of up to six rows each.
enum { TRM_MOST_TOUCHES = 16 };
trm_status trm_read_touch(trm_reader *reader, const trm_node *node, int index);
trm_status trm_check_restitution(trm_reader *reader, const trm_node *object, double e);
/// Whether restitution and friction of a stop or contact, whose keys are in `node`, can be.
trm_status trm_check_compliance(trm_reader *reader, const trm_node *node,
                                const trm_scene_contact *contact);

/// Point of the world <-> point of the body (TRM_INDEX_GROUND: the world), in the initial pose.
void trm_to_body_frame(const trm_scene *scene, int body, const double world[3], double local[3]);
void trm_to_world_frame(const trm_scene *scene, int body, const double local[3], double world[3]);
/// Body to world in the initial pose.
void trm_body_axes(const trm_scene *scene, int body, double R[9]);
/// A point mass has no place but its centre: refuse any other point, and set *local to zero.
trm_status trm_check_point_of(trm_reader *reader, const trm_node *node, int body, double local[3]);

/// scene->unused, when all is read. Errors: MEMORY.
trm_status trm_find_unused(trm_reader *reader);

/// Fill scene from the document; its memory comes from reader->pool.
trm_status trm_read_scene(trm_reader *reader);

// -------------------------------------------------- tables, for the reader and for trm_text_create

trm_status trm_check_groups(trm_reader *reader, const trm_node *object,
                            const trm_key_group *groups);

extern const trm_key_group trm_body_groups[], trm_point_groups[]; ///< points: markers and joints
extern const trm_key_group trm_stop_groups[], trm_event_groups[];

/// A body while it is being read: what was given, before it becomes a trm_scene_body.
typedef struct trm_body_draft {
    trm_scene_body body;
    const trm_node *node;
    double density; ///< kg/m^3; in the plane kg/m of a rod, kg/m^2 else
    double rpy[3], matrix[9];
    double rate_world[3];
    double length; ///< m, distance of the two "ends"; 0 without them
    int mass_given, rpy_given, matrix_given, rate_world_given;
} trm_body_draft;

/// Position, orientation and rates, from whichever keys were given.
trm_status trm_finish_pose(trm_reader *reader, trm_body_draft *draft);
/// A kind of shape.
typedef struct trm_shape_form {
    const char *name;
    int dimension; ///< 0: both
    const char *doc;
    const trm_key *keys; ///< beyond "type"; offsets in trm_shape
} trm_shape_form;

/// The form that "type" names, of those of two lists (the second may be NULL); *index counts
/// through both.
trm_status trm_find_form(trm_reader *reader, const trm_node *node, const trm_shape_form *forms,
                         const trm_shape_form *more, const trm_shape_form **form, int *index);
/// A shape by its type; `more` (NULL: none) are forms beside those of bodies, `keys` what all have.
trm_status trm_read_form(trm_reader *reader, const trm_node *node, const trm_shape_form *more,
                         const trm_key *keys, trm_shape *shape);
/// Shape; needs draft->length.
trm_status trm_read_shape(trm_reader *reader, trm_body_draft *draft);
/// Shapes for eyes of a body, or of the ground; array may be NULL.
trm_status trm_read_looks(trm_reader *reader, const trm_node *array, int body);
/// Mass and inertia; needs the shape.
trm_status trm_finish_inertia(trm_reader *reader, trm_body_draft *draft);

/// What stands behind the dot of a name in a formula.
typedef struct trm_component {
    const char *name; ///< NULL ends the list
    trm_name_kind of; ///< marker, body or joint
    int dimension;    ///< 0: both
    trm_variable_kind kind;
    int axis;
    const char *unit, *doc;
} trm_component;

extern const trm_component trm_components[];

/// [kind - 1] for TRM_SHAPE_POINT ... TRM_SHAPE_CYLINDER; ends with name NULL.
extern const trm_shape_form trm_shape_forms[];
/// What shapes of contacts are beside them, and what all of those have.
extern const trm_shape_form trm_touch_forms[];
extern const trm_shape_form trm_look_forms[]; ///< of shapes for eyes

extern const trm_key trm_scene_keys[], trm_input_keys[], trm_output_keys[], trm_state_keys[],
    trm_move_keys[], trm_table_keys[], trm_simulation_keys[], trm_body_keys[],
    trm_axis_angle_keys[], trm_shape_keys[], trm_marker_keys[], trm_joint_keys[],
    trm_freedom_keys[], trm_constraint_keys[], trm_force_keys[], trm_event_keys[], trm_stop_keys[],
    trm_friction_keys[], trm_touch_keys[], trm_touch_shape_keys[], trm_look_keys[];

// --------------------------------------------- names in one expression -> what they stand for

typedef struct trm_naming {
    trm_reader *reader;
    trm_formula *formula;         ///< NULL: constants only
    int overriding;               ///< no names at all
    const trm_scene_force *force; ///< whose keys are names too (bodies/forces/force.h); NULL: none
    const struct trm_relation *relation; ///< whose words begin with _; NULL: there are none
    const char *own, *second;            ///< of a curve or terrain: x[0] and x[1]; NULL: none
    int capacity;                        ///< of formula->variables
    int no_memory;
    char reason[200];  ///< why a name was refused
    char culprit[160]; ///< the operation on constants that has no finite value, or ""
} trm_naming;

/// A formula with these names. Errors: SCENE, MEMORY.
trm_status trm_compile_named(const trm_node *node, const char *text, trm_naming *n);
/// A trm_resolve_fn; user is the trm_naming.
int trm_resolve_symbol(const char *text, size_t length, trm_symbol *out, void *user);

/// Note why a name is refused; returns 0.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int trm_refuse_symbol(trm_naming *n, const char *format, ...);

/// Why an expression is refused.
const char *trm_naming_reason(const trm_naming *n, const trm_expression_error *error);
/// Refuse a value that is not finite; `culprit`: the operation that has none, or "".
trm_status trm_check_finite(trm_reader *reader, const trm_node *node, const char *text,
                            double value, const char *culprit);

/// Characters of a name to show in a message.
int trm_shown(size_t length);

/// The variable among those of the formula, once.
int trm_add_variable(trm_naming *n, trm_variable variable, trm_symbol *out);
/// "tip.x": the part before the dot is a marker, a body or a joint.
/// An input as a variable of the formula that is read; refused where one may not stand.
int trm_resolve_input(trm_naming *n, const trm_parameter *parameter, trm_symbol *out);
int trm_resolve_dotted(trm_naming *n, const char *text, size_t length, size_t dot, trm_symbol *out);
/// All of them as suggestions for a misspelled name.
struct trm_suggestion;
void trm_consider_names(struct trm_suggestion *near, const trm_names *names);
