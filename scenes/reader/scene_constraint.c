// Constraints: the kind of each, its joints, and the equation that the kind writes.

#include "base/expression/switching.h"
#include "base/status.h"
#include "constraints/transmissions/relation.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <string.h>

const trm_key trm_constraint_keys[] = {
    TRM_KEY("name", TEXT, trm_scene_constraint, name,
            "Its name; no other joint, constraint or force may have it.", .required = 1,
            .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY_OWN("type", "Kind of constraint.", .fallback = "expression"),
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
        return TRM_REFUSE(reader, node, "\"%s\" is a %s joint; a %s needs a %s one here",
                          found->name, found->kind->name, kind->name,
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
        return TRM_REFUSE(reader, list, "expected the names of %d joints, got %d", kind->joints,
                          def->joints.n);
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

// ---------------------------------------------------------------------------------- the equations

static trm_status compile_row(trm_reader *reader, const trm_node *node,
                              const trm_relation *relation, int r, trm_scene_constraint *def)
{
    const trm_relation_row *row = &relation->rows[r];
    int failed = row->g.failed || row->shown.failed;
    for (int k = 0; k < TRM_RELATION_PARTS; k++) {
        failed |= relation->part[k].failed;
    }
    const char *text =
        failed ? NULL : trm_pool_copy(reader->pool, row->g.data, strlen(row->g.data));
    const char *seen =
        failed ? NULL : trm_pool_copy(reader->pool, row->shown.data, strlen(row->shown.data));
    if (!text || !seen) {
        return trm_reader_no_memory(reader);
    }
    reader->scope = row->of_velocity ? TRM_SCOPE_SPEED : TRM_SCOPE_POSITION;
    const trm_status status = trm_compile_named(
        node, text,
        &(trm_naming){.reader = reader, .formula = &def->expression[r], .relation = relation});
    reader->scope = TRM_SCOPE_POSITION;
    def->expression[r].text = seen;
    def->of_velocity[r] = row->of_velocity;
    def->label[r] = row->label;
    return status;
}

static trm_status compile_written(trm_reader *reader, const trm_node *node,
                                  const trm_relation *relation, trm_scene_constraint *def)
{
    if (relation->key) {
        const trm_node *where = trm_node_find(node, relation->key);
        return TRM_REFUSE(reader, where ? where : node, "%s", relation->wrong);
    }
    def->nrows = relation->row + 1;
    for (int r = 0; r < def->nrows; r++) {
        TRM_TRY(compile_row(reader, node, relation, r, def));
    }
    return TRM_OK;
}

static void close_relation(trm_relation *relation)
{
    for (int k = 0; k < TRM_RELATION_PARTS; k++) {
        trm_text_buffer_close(&relation->part[k]);
    }
    for (int r = 0; r < TRM_CONSTRAINT_ROWS; r++) {
        trm_text_buffer_close(&relation->rows[r].g);
        trm_text_buffer_close(&relation->rows[r].shown);
    }
}

trm_status trm_write_relation(trm_reader *reader, const trm_node *node, trm_scene_constraint *def)
{
    const trm_scene *scene = reader->scene;
    trm_relation relation = {.scene = scene, .def = def, .unit = ""};
    for (int i = 0; i < def->joints.n; i++) {
        look_at(scene, i, &relation);
    }
    for (int i = 0; i < 2 && def->markers[i] != TRM_INDEX_NONE; i++) {
        const trm_scene_marker *marker = &scene->markers[def->markers[i]];
        trm_to_world_frame(scene, marker->body, marker->local, relation.point[i]);
        trm_body_axes(scene, marker->body, relation.axes[i]);
    }
    def->composed = !def->profile.text && !def->curve;
    def->kind->write(&relation);
    def->unit = relation.unit;
    def->touch = relation.touch;
    const trm_status status = compile_written(reader, node, &relation, def);
    close_relation(&relation);
    return status;
}

static int is_speed(trm_variable_kind kind)
{
    return kind == TRM_VARIABLE_VELOCITY || kind == TRM_VARIABLE_RATE ||
           kind == TRM_VARIABLE_JOINT_RATE;
}

/// b . v + c: the derivatives by velocities are the same at any of them.
static trm_status check_linear(trm_reader *reader, const trm_node *node, const trm_formula *e)
{
    enum { SAMPLES = 4 };
    const int n = e->nvariables;
    double *x = NULL, *first = NULL, *other = NULL, *work = NULL;
    TRM_TRY(trm_reader_take(reader, (size_t)n + 1, sizeof *x, &x));
    TRM_TRY(trm_reader_take(reader, (size_t)n + 1, sizeof *x, &first));
    TRM_TRY(trm_reader_take(reader, (size_t)n + 1, sizeof *x, &other));
    TRM_TRY(trm_reader_take(reader, (size_t)trm_expression_workspace(e->code), sizeof *x, &work));
    int of_velocity = 0, linear = 1;
    for (int k = 0; k < SAMPLES; k++) {
        for (int i = 0; i < n; i++) {
            const int speed = is_speed(e->variables[i].kind);
            of_velocity |= speed;
            x[i] = 0.3 + 0.1 * sin(1.0 + i) + (speed ? k * cos(2.0 + i + k) : 0.0);
        }
        trm_expression_gradient_in(e->code, x, NULL, work, k ? other : first);
        for (int i = 0; i < n && k; i++) {
            linear &= !is_speed(e->variables[i].kind) ||
                      !(fabs(other[i] - first[i]) > 1e-9 * (1 + fabs(first[i])));
        }
    }
    if (of_velocity && linear) {
        return TRM_OK;
    }
    return TRM_REFUSE(reader, trm_node_find(node, "expression"),
                      of_velocity ? "the expression must be linear in the velocities"
                                  : "the expression has no velocity in it; a constraint without a "
                                    "type holds positions");
}

static trm_status read_plain(trm_reader *reader, const trm_node *node, trm_scene_constraint *def)
{
    def->nrows = 1;
    def->of_velocity[0] = def->kind->of_velocity;
    if (!trm_formula_moves(reader->scene, &def->expression[0])) {
        return TRM_REFUSE(reader, trm_node_find(node, "expression"),
                          "the expression holds nothing: it depends on no moving body");
    }
    return def->kind->of_velocity ? check_linear(reader, node, &def->expression[0]) : TRM_OK;
}

static trm_status read_constraint(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_constraint *def = &reader->scene->constraints[index];
    TRM_TRY(trm_read_object(reader, node));
    TRM_TRY(read_kind(reader, node, &def->kind));
    def->joint = def->marker = def->body = def->markers[0] = def->markers[1] = TRM_INDEX_NONE;
    def->unit = "";
    const trm_key *const tables[] = {trm_constraint_keys, def->kind->keys};
    reader->scope = def->kind->of_velocity ? TRM_SCOPE_SPEED : TRM_SCOPE_POSITION;
    const trm_status status = trm_read_keys(reader, node, tables, 2, def);
    reader->scope = TRM_SCOPE_POSITION;
    TRM_TRY(status);
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_CONSTRAINT, index, &def->name));
    TRM_TRY(trm_reader_place(reader, node, &def->place));
    if (def->kind->groups) {
        TRM_TRY(trm_check_groups(reader, node, def->kind->groups));
    }
    if (!def->kind->write) {
        return read_plain(reader, node, def);
    }
    if (def->kind == &trm_relation_curve) {
        TRM_TRY(trm_read_curve(reader, node, def));
    }
    TRM_TRY(check_joints(reader, node, def));
    if (def->joint != TRM_INDEX_NONE) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "follower"), def->joint));
        def->joints = (trm_index_list){.n = 1, .item = {def->joint}};
    }
    TRM_TRY(trm_write_relation(reader, node, def));
    return trm_read_relation_contact(reader, node, index);
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
