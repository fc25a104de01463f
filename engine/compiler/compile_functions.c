/// Formulas of the scene -> functions of the model: markers become a body and a local point.
#include "engine/compiler/compile.h"

#include <string.h>

const char *trm_where_compile(const trm_scene *scene, trm_place place, trm_arena *arena)
{
    char where[160] = "";
    if (place.line > 0) {
        trm_scene_where(scene, place, where, sizeof where);
    }
    return trm_arena_text(arena, where);
}

/// What a joint measures, for a coordinate or rate of it; NULL for other variables, and while
/// counting.
static const trm_joint_axis *joint_of(const trm_draft *draft, const trm_variable *variable,
                                      trm_arena *arena)
{
    if (variable->kind != TRM_VARIABLE_JOINT && variable->kind != TRM_VARIABLE_JOINT_RATE) {
        return NULL;
    }
    trm_joint_axis *axis = trm_arena_take(arena, 1, sizeof *axis);
    if (axis) {
        trm_compile_axis(draft, variable->index, axis);
    }
    return axis;
}

/// The curve and the point of TRM_VARIABLE_GUIDE; NULL for other variables.
static const trm_guide *guide_of(const trm_draft *draft, const trm_variable *variable)
{
    return variable->kind == TRM_VARIABLE_GUIDE
               ? draft->guides[draft->scene->constraints[variable->index].guide]
               : NULL;
}

trm_touch_pair *trm_compile_pair(const trm_scene *scene, const trm_touch_pair *def,
                                 trm_arena *arena)
{
    const size_t bytes = def->height ? trm_expression_bytes(def->height) : 0;
    trm_touch_pair *const pair = trm_arena_take(arena, 1, sizeof *pair);
    void *const height = trm_arena_take(arena, bytes, 1);
    if (pair) {
        *pair = *def;
        pair->side[0].body = trm_body_or_ground(scene, def->side[0].body);
        pair->side[1].body = trm_body_or_ground(scene, def->side[1].body);
        pair->height = bytes ? memcpy(height, def->height, bytes) : NULL;
    }
    return pair;
}

/// The roller of TRM_VARIABLE_TOUCH; NULL for other variables, and while counting.
static const trm_touch_pair *touch_of(const trm_scene *scene, const trm_variable *variable,
                                      trm_arena *arena)
{
    return variable->kind == TRM_VARIABLE_TOUCH
               ? trm_compile_pair(scene, &scene->constraints[variable->index].touch, arena)
               : NULL;
}

static void compile_guide(const trm_scene *scene, const trm_scene_constraint *def, trm_model *model)
{
    const trm_scene_marker *const P = &scene->markers[def->markers[0]];
    const trm_scene_marker *const o = &scene->markers[def->markers[1]];
    trm_curve *const curve = trm_arena_take(&model->arena, def->curve->bytes, 1);
    const int room = trm_curve_workspace(def->curve);
    model->room = room > model->room ? room : model->room;
    if (!curve) {
        return;
    }
    trm_guide *const guide = &model->guides[def->guide];
    memcpy(curve, def->curve, def->curve->bytes);
    *guide = (trm_guide){.curve = curve,
                         .turn = scene->njoints + def->guide,
                         .index = def->guide,
                         .a = trm_body_or_ground(scene, o->body),
                         .b = trm_body_or_ground(scene, P->body)};
    memcpy(guide->origin, o->local, sizeof guide->origin);
    memcpy(guide->point, P->local, sizeof guide->point);
}

void trm_compile_guides(trm_model *model, const trm_draft *draft)
{
    const trm_scene *const scene = draft->scene;
    model->nguides = scene->nguides;
    model->guides = trm_arena_take(&model->arena, (size_t)scene->nguides, sizeof *model->guides);
    for (int k = 0; k < scene->nconstraints; k++) {
        const trm_scene_constraint *const def = &scene->constraints[k];
        if (def->curve) {
            compile_guide(scene, def, model);
            draft->guides[def->guide] = model->guides ? &model->guides[def->guide] : NULL;
        }
    }
}

static trm_quantity quantity_of(const trm_scene *scene, const trm_variable *variable)
{
    trm_quantity x = {.kind = variable->kind, .axis = variable->axis, .axis2 = variable->axis2};
    const int of_marker =
        variable->kind == TRM_VARIABLE_POSITION || variable->kind == TRM_VARIABLE_VELOCITY;
    if (of_marker) {
        const trm_scene_marker *marker = &scene->markers[variable->index];
        x.body = trm_body_or_ground(scene, marker->body);
        memcpy(x.local, marker->local, sizeof x.local);
    } else if (variable->kind == TRM_VARIABLE_TIME || variable->kind == TRM_VARIABLE_JOINT ||
               variable->kind == TRM_VARIABLE_JOINT_RATE || variable->kind == TRM_VARIABLE_GUIDE ||
               variable->kind == TRM_VARIABLE_TOUCH) {
        x.body = scene->nbodies;
    } else if (variable->kind == TRM_VARIABLE_INPUT || variable->kind == TRM_VARIABLE_READING ||
               variable->kind == TRM_VARIABLE_STATE) {
        x.body = scene->nbodies;
        x.axis = variable->index;
        x.local[0] =
            variable->kind == TRM_VARIABLE_STATE ? scene->states[variable->index].scale : 0;
    } else {
        x.body = trm_body_or_ground(scene, variable->index);
    }
    return x;
}

void trm_function_compile(const trm_draft *draft, const trm_formula *formula, trm_model *model,
                          trm_function *out)
{
    if (!formula->code) {
        *out = (trm_function){0};
        return;
    }
    trm_arena *const arena = &model->arena;
    const size_t bytes = trm_expression_bytes(formula->code);
    void *code = trm_arena_take(arena, bytes, 1);
    trm_quantity *x = trm_arena_take(arena, (size_t)formula->nvariables, sizeof *x);
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_joint_axis *joint = joint_of(draft, &formula->variables[i], arena);
        const trm_touch_pair *touch = touch_of(draft->scene, &formula->variables[i], arena);
        if (x) {
            x[i] = quantity_of(draft->scene, &formula->variables[i]);
            x[i].joint = joint;
            x[i].guide = guide_of(draft, &formula->variables[i]);
            x[i].touch = touch;
        }
    }
    const char *where = trm_where_compile(draft->scene, formula->place, arena);
    if (code) {
        memcpy(code, formula->code, bytes);
        *out = (trm_function){.code = code,
                              .n = formula->nvariables,
                              .x = x,
                              .first_switching_function =
                                  trm_switching_functions_before(draft->scene, formula),
                              .where = where};
        const int scratch = trm_function_scratch(out);
        model->scratch = scratch > model->scratch ? scratch : model->scratch;
    }
}
