// Forces.

#include "bodies/forces/force.h"
#include "engine/base/status.h"
#include "scenes/reading/reader.h"

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
    if (force->joint != TRM_NONE) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "joint"), force->joint));
    }
    TRM_TRY(check_bodies(reader, node, force));
    if (force->kind->formula) {
        TRM_TRY(trm_join_values(reader, node, force));
    }
    if (force->kind == &trm_force_tendon) {
        return trm_read_tendon(reader, node, force);
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
