/// Elements that a program finds by name: markers, joints and inputs
/// of the scene -> infos of the model.
#include "engine/compiler/compile.h"

#include <string.h>

static void compile_markers(trm_model *model, const trm_scene *scene)
{
    trm_arena *arena = &model->arena;
    model->sizes.nmarker = scene->nmarkers;
    model->marker_info = trm_arena_take(arena, (size_t)scene->nmarkers, sizeof(trm_marker_info));
    for (int i = 0; i < scene->nmarkers; i++) {
        const trm_scene_marker *marker = &scene->markers[i];
        const char *name = trm_arena_text(arena, marker->name);
        if (model->marker_info) {
            trm_marker_info *info = &model->marker_info[i];
            *info = (trm_marker_info){.name = name, .body = marker->body};
            memcpy(info->local, marker->local, sizeof info->local);
        }
    }
}

static const char *unit_of(trm_freedom freedom)
{
    return trm_turns(freedom) ? "rad" : freedom == TRM_FREEDOM_DISTANCE ? "m" : "";
}

static void compile_joints(trm_model *model, const trm_draft *draft)
{
    const trm_scene *scene = draft->scene;
    trm_arena *arena = &model->arena;
    model->sizes.njoint = scene->njoints;
    model->joint_info = trm_arena_take(arena, (size_t)scene->njoints, sizeof(trm_joint_info));
    model->joint_axis = trm_arena_take(arena, (size_t)scene->njoints, sizeof(trm_joint_axis));
    model->turns =
        trm_arena_take(arena, (size_t)(scene->njoints + scene->nguides), sizeof *model->turns);
    for (int j = 0; j < scene->njoints; j++) {
        const trm_scene_joint *joint = &scene->joints[j];
        const char *name = trm_arena_text(arena, joint->name);
        if (model->joint_info) {
            trm_compile_axis(draft, j, &model->joint_axis[j]);
            model->joint_info[j] = (trm_joint_info){.name = name,
                                                    .type = joint->kind->name,
                                                    .a = joint->body[0],
                                                    .b = joint->body[1],
                                                    .row = draft->blocks[j].row,
                                                    .rows = draft->blocks[j].rows,
                                                    .has_motor = joint->motor.code != NULL,
                                                    .unit = unit_of(joint->kind->freedom),
                                                    .of = joint->part > 0 ? joint->of : -1};
        }
    }
}

int trm_formulas_read(const trm_formula *formula, int n, int joint)
{
    int found = 0;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < formula[k].nvariables; i++) {
            const trm_variable *const x = &formula[k].variables[i];
            found |= (x->kind == TRM_VARIABLE_JOINT || x->kind == TRM_VARIABLE_JOINT_RATE) &&
                     (joint == TRM_INDEX_NONE || x->index == joint);
        }
    }
    return found;
}

/// Of a freedom; a diagnosis puts other kinds, without parts, in the place of a joint.
static trm_part_axis axis_of(const trm_scene *scene, const trm_scene_joint *joint)
{
    const trm_joint_part *part = joint->part > 0 ? scene->joints[joint->of].kind->parts : NULL;
    for (int k = 1; part && part->name && k < joint->part; k++) {
        part++;
    }
    return part && part->name ? part->axis : TRM_PART_AXIS;
}

/// 1 where it has a pole, as a twist and the tilt of an axis have, 2 where anything acts on the
/// motion by it, too, 3 where a motor holds a twist; else 0. That one passes a swing of pi: half of
/// it is the argument of q_w + i q_z, which goes straight through 0.
static int pole_of(const trm_scene *scene, int j)
{
    const trm_scene_joint *const joint = &scene->joints[j];
    const trm_part_axis along = axis_of(scene, joint);
    const int tilts = joint->kind->freedom == TRM_FREEDOM_ANGLE &&
                      (along == TRM_PART_SIDE || along == TRM_PART_ACROSS);
    int acts = tilts && joint->motor.code != NULL;
    for (int i = 0; i < scene->nforces; i++) {
        acts |= scene->forces[i].joint == j || trm_formulas_read(scene->forces[i].value, 3, j);
    }
    for (int i = 0; i < scene->nconstraints; i++) {
        acts |= trm_formulas_read(scene->constraints[i].expression, scene->constraints[i].nrows, j);
    }
    for (int i = 0; i < scene->ncontacts; i++) {
        acts |= scene->contacts[i].joint == j || trm_formulas_read(&scene->contacts[i].x, 1, j);
    }
    const int twists = joint->kind->freedom == TRM_FREEDOM_TWIST;
    return twists && joint->motor.code ? 3 : tilts || twists ? 1 + acts : 0;
}

static void compile_poles(trm_model *model, const trm_scene *scene)
{
    model->pole = trm_arena_take(&model->arena, (size_t)scene->njoints, sizeof *model->pole);
    model->npoles = 0;
    for (int j = 0; j < scene->njoints; j++) {
        const int pole = pole_of(scene, j);
        if (pole) {
            const char *const where =
                trm_where_compile(scene, scene->joints[j].place, &model->arena);
            if (model->pole) {
                model->pole[model->npoles] = (trm_pole){j, pole - 1, where};
            }
            model->npoles++;
        }
    }
}

static void compile_inputs(trm_model *model, const trm_scene *scene)
{
    trm_arena *arena = &model->arena;
    model->sizes.ninput = scene->ninputs;
    model->input_info = trm_arena_take(arena, (size_t)scene->ninputs, sizeof(trm_input_info));
    for (int i = 0; i < scene->nparameters; i++) {
        const trm_parameter *parameter = &scene->parameters[i];
        if (!parameter->is_input) {
            continue;
        }
        const char *name = trm_arena_text(arena, parameter->name);
        if (model->input_info) {
            model->input_info[parameter->input] = (trm_input_info){
                .name = name, .value = parameter->value, .smooth = parameter->smooth};
        }
    }
}

void trm_compile_names(trm_model *model, const trm_draft *draft)
{
    compile_markers(model, draft->scene);
    compile_joints(model, draft);
    compile_poles(model, draft->scene);
    compile_inputs(model, draft->scene);
}
