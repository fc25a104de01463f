// Forces, and constraints by expression.

#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "engine/base/status.h"
#include "scenes/reading/reader.h"

const trm_key trm_constraint_keys[] = {
    {.name = "name",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_scene_constraint, name),
     .required = 1,
     .doc = "Its name; no other joint, constraint or force may have it.",
     .schema = "{\"$ref\":\"#/$defs/name\"}"},
    {.name = "expression",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_constraint, expression),
     .required = 1,
     .doc = "What is held at zero: an expression of t, parameters, coordinates of markers and "
            "angles of bodies.",
     .schema = "{\"type\":\"string\"}"},
    TRM_REPEAT_KEY,
    {.name = NULL},
};

const trm_key trm_force_keys[] = {
    {.name = "name",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_scene_force, name),
     .required = 1,
     .doc = "Its name; no other joint, constraint or force may have it.",
     .schema = "{\"$ref\":\"#/$defs/name\"}"},
    {.name = "type", .type = TRM_KEY_SPECIAL, .required = 1, .doc = "Kind of force."},
    TRM_REPEAT_KEY,
    {.name = NULL},
};

// ------------------------------------------------------------------------------------- constraints

static trm_status read_constraint(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_constraint *constraint = &reader->scene->constraints[index];
    const trm_key *const tables[] = {trm_constraint_keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 1, constraint));
    TRM_TRY(
        trm_read_name(reader, node, &reader->links, TRM_NAME_CONSTRAINT, index, &constraint->name));
    const trm_formula *formula = &constraint->expression;
    int moves = 0;
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable *x = &formula->variables[i];
        const int given = x->kind == TRM_VARIABLE_TIME || x->kind == TRM_VARIABLE_INPUT;
        moves |= !given && (x->kind != TRM_VARIABLE_POSITION ||
                            reader->scene->markers[x->index].body != TRM_GROUND);
    }
    if (!moves) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE,
                        trm_at(reader, trm_node_find(node, "expression")),
                        "the expression holds nothing: it depends on no moving body");
    }
    return trm_reader_place(reader, node, &constraint->place);
}

trm_status trm_read_constraints(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    reader->scope = TRM_SCOPE_POSITION;
    int n = 0;
    TRM_TRY(trm_count_elements(reader, array, &n));
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->constraints, &scene->constraints));
    scene->nconstraints = n;
    return trm_read_elements(reader, array, read_constraint);
}

// ------------------------------------------------------------------------------------------ forces

/// Kinds with keys; gravity has none and is no entry of "forces".
static trm_status read_kind(trm_reader *reader, const trm_node *node, const trm_force_kind **out)
{
    enum { MOST = 32 };
    const trm_force_kind *kinds[MOST];
    const char *word = NULL, *names[MOST];
    int n = 0, index = 0;
    TRM_TRY(trm_read_word(reader, node, "type", &word));
    for (int i = 0; trm_force_kinds[i] && n < MOST; i++) {
        if (trm_force_kinds[i]->keys) {
            kinds[n] = trm_force_kinds[i];
            names[n++] = trm_force_kinds[i]->name;
        }
    }
    const trm_node *type = trm_node_find(node, "type");
    TRM_TRY(trm_read_choice(reader, type, "force type", names, n, &index));
    *out = kinds[index];
    if ((*out)->dimension && (*out)->dimension != reader->scene->dimension) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, type),
                        "force type \"%s\" is for scenes of dimension %d only", (*out)->name,
                        (*out)->dimension);
    }
    return TRM_OK;
}

/// A spring about or along a joint needs a joint with one angle or distance, between bodies that
/// have it.
static trm_status check_joint(trm_reader *reader, const trm_node *node,
                              const trm_scene_force *force)
{
    if (force->joint == TRM_NONE) {
        return TRM_OK;
    }
    const trm_scene *scene = reader->scene;
    const trm_scene_joint *joint = &scene->joints[force->joint];
    const trm_node *where = trm_node_find(node, "joint");
    if (joint->kind->freedom == TRM_FREEDOM_NONE) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, where),
                        "\"%s\" is a %s joint; expected one with a single angle or distance, "
                        "revolute or prismatic",
                        joint->name, joint->kind->name);
    }
    for (int i = 0; i < 2 && joint->kind->freedom == TRM_FREEDOM_ANGLE; i++) {
        const int body = joint->body[i];
        if (body != TRM_GROUND && scene->bodies[body].point_mass) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, where),
                            "joint \"%s\" has no angle: \"%s\" is a point mass", joint->name,
                            scene->bodies[body].name);
        }
    }
    return TRM_OK;
}

/// A torque needs a body that turns.
static trm_status check_bodies(trm_reader *reader, const trm_node *node,
                               const trm_scene_force *force)
{
    static const char *const keys[2] = {"body", "reaction"};
    for (int i = 0; i < 2; i++) {
        const int body = force->body[i];
        const trm_node *where = trm_node_find(node, keys[i]);
        if (body >= 0 && reader->scene->bodies[body].point_mass) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, where ? where : node),
                            "\"%s\" is a point mass; no torque can act on it",
                            reader->scene->bodies[body].name);
        }
        if (i == 0 && body == TRM_GROUND) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, where ? where : node),
                            "expected a moving body, got \"ground\"");
        }
    }
    if (force->body[0] != TRM_NONE && force->body[0] == force->body[1]) {
        const trm_node *where = trm_node_find(node, keys[1]);
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, where ? where : node),
                        "the reaction must act on another body");
    }
    return TRM_OK;
}

static trm_status check_rest_length(trm_reader *reader, const trm_node *node,
                                    const trm_scene_force *force)
{
    for (const trm_key *key = force->kind->keys; key->name; key++) {
        const int needed = key->given == offsetof(trm_scene_force, rest_given) && !key->fallback;
        if (needed && force->stiffness != 0 && !force->rest_given) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                            "missing key \"%s\", which \"stiffness\" needs", key->name);
        }
    }
    return TRM_OK;
}

static trm_status read_force(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_force *force = &reader->scene->forces[index];
    TRM_TRY(trm_read_object(reader, node));
    TRM_TRY(read_kind(reader, node, &force->kind));
    force->body[0] = force->body[1] = TRM_NONE;
    force->marker[0] = force->marker[1] = force->joint = TRM_NONE;
    const trm_key *const tables[] = {trm_force_keys, force->kind->keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 2, force));
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_FORCE, index, &force->name));
    TRM_TRY(trm_reader_place(reader, node, &force->place));
    TRM_TRY(check_joint(reader, node, force));
    TRM_TRY(check_bodies(reader, node, force));
    if (force->kind->formula) {
        TRM_TRY(trm_join_values(reader, node, force));
    }
    return check_rest_length(reader, node, force);
}

trm_status trm_read_forces(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    reader->scope = TRM_SCOPE_STATE;
    int n = 0;
    TRM_TRY(trm_count_elements(reader, array, &n));
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *scene->forces, &scene->forces));
    scene->nforces = n;
    return trm_read_elements(reader, array, read_force);
}
