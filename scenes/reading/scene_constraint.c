// Constraints: the kind of each, its joints, and the equation that the kind writes.

#include "constraints/transmissions/relation.h"
#include "engine/base/status.h"
#include "scenes/reading/reader.h"

#include <string.h>

const trm_key trm_constraint_keys[] = {
    {.name = "name",
     .type = TRM_KEY_TEXT,
     .offset = offsetof(trm_scene_constraint, name),
     .required = 1,
     .doc = "Its name; no other joint, constraint or force may have it.",
     .schema = "{\"$ref\":\"#/$defs/name\"}"},
    {.name = "type",
     .type = TRM_KEY_SPECIAL,
     .fallback = "expression",
     .doc = "Kind of constraint."},
    TRM_REPEAT_KEY,
    {.name = NULL},
};

static trm_status read_kind(trm_reader *reader, const trm_node *node, const trm_relation_kind **out)
{
    enum { MOST = 32 };
    const trm_node *type = trm_node_find(node, "type");
    const char *names[MOST];
    int n = 0, index = 0;
    for (; trm_relation_kinds[n] && n < MOST; n++) {
        names[n] = trm_relation_kinds[n]->name;
    }
    if (type) {
        TRM_TRY(trm_read_choice(reader, type, "constraint type", names, n, &index));
    }
    *out = trm_relation_kinds[index];
    if ((*out)->dimension && (*out)->dimension != reader->scene->dimension) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, type),
                        "constraint type \"%s\" is for scenes of dimension %d only", (*out)->name,
                        (*out)->dimension);
    }
    return TRM_OK;
}

// --------------------------------------------------------------------------------- joints of it

static trm_status check_joint(trm_reader *reader, const trm_node *node,
                              const trm_relation_kind *kind, int i, int joint)
{
    TRM_TRY(trm_check_coordinate(reader, node, joint));
    const trm_scene_joint *found = &reader->scene->joints[joint];
    const trm_freedom needed = kind->joints ? kind->of[i] : TRM_FREEDOM_NONE;
    if (needed != TRM_FREEDOM_NONE && needed != found->kind->freedom) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, node),
                        "\"%s\" is a %s joint; a %s needs a %s one here", found->name,
                        found->kind->name, kind->name,
                        needed == TRM_FREEDOM_ANGLE ? "revolute" : "prismatic");
    }
    return TRM_OK;
}

static trm_status check_joints(trm_reader *reader, const trm_node *node,
                               const trm_scene_constraint *def)
{
    const trm_relation_kind *kind = def->kind;
    const trm_node *list = trm_node_find(node, "joints");
    if (kind->joints && def->joints.n != kind->joints) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, list),
                        "expected the names of %d joints, got %d", kind->joints, def->joints.n);
    }
    const trm_node *child = list ? list + 1 : NULL;
    for (int i = 0; i < def->joints.n; i++, child += child->span) {
        TRM_TRY(check_joint(reader, child, kind, i, def->joints.item[i]));
    }
    return TRM_OK;
}

/// Where joint i stands, and its coordinate in the initial pose: zero for an angle.
static void look_at(const trm_scene *scene, int i, trm_relation *relation)
{
    const trm_scene_joint *joint = trm_relation_joint(relation, i);
    double b[3];
    trm_to_world_frame(scene, joint->body[0], joint->local[0], relation->point[i]);
    trm_to_world_frame(scene, joint->body[1], joint->local[1], b);
    relation->x0[i] = 0;
    for (int k = 0; k < 3 && joint->kind->freedom == TRM_FREEDOM_DISTANCE; k++) {
        relation->x0[i] += joint->axis[k] * (b[k] - relation->point[i][k]);
    }
}

// ---------------------------------------------------------------------------------- the equation

static trm_status compile_written(trm_reader *reader, const trm_node *node,
                                  const trm_relation *relation, trm_scene_constraint *def)
{
    if (relation->key) {
        const trm_node *where = trm_node_find(node, relation->key);
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, where ? where : node), "%s",
                        relation->wrong);
    }
    const trm_text_buffer *g = &relation->g, *shown = &relation->shown;
    if (g->failed || shown->failed) {
        return trm_reader_no_memory(reader);
    }
    const char *text = trm_pool_copy(reader->pool, g->data, strlen(g->data));
    const char *seen = trm_pool_copy(reader->pool, shown->data, strlen(shown->data));
    if (!text || !seen) {
        return trm_reader_no_memory(reader);
    }
    TRM_TRY(trm_compile_relation(reader, node, def, text, &def->expression));
    def->expression.text = seen;
    return TRM_OK;
}

static trm_status write_equation(trm_reader *reader, const trm_node *node,
                                 trm_scene_constraint *def)
{
    trm_relation relation = {.scene = reader->scene, .def = def, .unit = ""};
    for (int i = 0; i < def->joints.n; i++) {
        look_at(reader->scene, i, &relation);
    }
    def->kind->write(&relation);
    def->unit = relation.unit;
    const trm_status status = compile_written(reader, node, &relation, def);
    trm_text_buffer_close(&relation.g);
    trm_text_buffer_close(&relation.shown);
    return status;
}

/// A constraint holds something that moves.
static trm_status check_moves(trm_reader *reader, const trm_node *node, const trm_formula *formula)
{
    int moves = 0;
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable *x = &formula->variables[i];
        const int given = x->kind == TRM_VARIABLE_TIME || x->kind == TRM_VARIABLE_INPUT;
        moves |= !given && (x->kind != TRM_VARIABLE_POSITION ||
                            reader->scene->markers[x->index].body != TRM_GROUND);
    }
    return moves ? TRM_OK
                 : TRM_FAIL(reader->err, TRM_ERR_SCENE,
                            trm_at(reader, trm_node_find(node, "expression")),
                            "the expression holds nothing: it depends on no moving body");
}

static trm_status read_constraint(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_constraint *def = &reader->scene->constraints[index];
    TRM_TRY(trm_read_object(reader, node));
    TRM_TRY(read_kind(reader, node, &def->kind));
    def->joint = def->marker = TRM_NONE;
    def->unit = "";
    const trm_key *const tables[] = {trm_constraint_keys, def->kind->keys};
    TRM_TRY(trm_read_keys(reader, node, tables, 2, def));
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_CONSTRAINT, index, &def->name));
    TRM_TRY(trm_reader_place(reader, node, &def->place));
    if (def->kind->groups) {
        TRM_TRY(trm_check_groups(reader, node, def->kind->groups));
    }
    if (!def->kind->write) {
        return check_moves(reader, node, &def->expression);
    }
    TRM_TRY(check_joints(reader, node, def));
    if (def->joint != TRM_NONE) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "follower"), def->joint));
        def->joints = (trm_index_list){.n = 1, .item = {def->joint}};
    }
    return write_equation(reader, node, def);
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
