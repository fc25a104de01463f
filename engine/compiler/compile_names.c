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
    compile_inputs(model, draft->scene);
}
