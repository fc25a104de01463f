#include "engine/multibody/model.h"
#include "program/settings.h"
#include "program/view.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void trm_model_destroy(trm_model *model)
{
    if (model) {
        if (model->in_joints) {
            trm_model_destroy(model->in_joints->cut);
            trm_arena_close(&model->in_joints->arena);
            free(model->in_joints);
        }
        trm_pattern_destroy(model->pattern);
        trm_arena_close(&model->arena);
        free(model);
    }
}

trm_sizes trm_model_sizes(const trm_model *model)
{
    return model ? model->sizes : (trm_sizes){0};
}

/// The index of a name in an array of `count` structs of `size` bytes, with their names at `at`;
/// -1.
static int find(const char *name, const void *structs, size_t size, size_t at, int count)
{
    for (int i = 0; name && i < count; i++) {
        const char *const *own = (const void *)((const char *)structs + (size_t)i * size + at);
        if (strcmp(*own, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// A joint, or a freedom of one: "O.angle" and "S.slide" of those that have one alone.
static int find_joint(const trm_model *model, const char *name)
{
    const int n = model->sizes.njoint;
    const int found = find(name, model->joint_info, sizeof(trm_joint_info), 0, n);
    const char *const dot = name && found < 0 ? strrchr(name, '.') : NULL;
    for (int j = 0; dot && j < n; j++) {
        const char *const own = model->joint_info[j].name;
        const char *const word = trm_turns(model->joint_axis[j].freedom) ? "angle" : "slide";
        if (strlen(own) == (size_t)(dot - name) && !memcmp(own, name, strlen(own))) {
            return *model->joint_info[j].unit && strcmp(dot + 1, word) == 0 ? j : -1;
        }
    }
    return found;
}

int trm_model_find(const trm_model *model, trm_element kind, const char *name)
{
    const trm_sizes n = trm_model_sizes(model);
    switch (model ? (int)kind : -1) {
    case TRM_ELEMENT_BODY:
        return find(name, model->body_info, sizeof(trm_body_info), 0, n.nbody);
    case TRM_ELEMENT_MARKER:
        return find(name, model->marker_info, sizeof(trm_marker_info), 0, n.nmarker);
    case TRM_ELEMENT_JOINT:
        return find_joint(model, name);
    case TRM_ELEMENT_INPUT:
        return find(name, model->input_info, sizeof(trm_input_info), 0, n.ninput);
    case TRM_ELEMENT_ACTUATOR:
        return find(name, model->actuators, sizeof(trm_actuator), offsetof(trm_actuator, info.name),
                    n.nactuator);
    case TRM_ELEMENT_CONTACT:
        return find(name, model->contacts, sizeof(trm_contact_row), offsetof(trm_contact_row, name),
                    n.ncontact);
    default:
        return -1;
    }
}

trm_body_info trm_model_body_info(const trm_model *model, int body)
{
    const int known = model && body >= 0 && body < model->sizes.nbody;
    return known ? model->body_info[body] : (trm_body_info){0};
}

trm_row_info trm_model_row_info(const trm_model *model, int row)
{
    const int known = model && row >= 0 && row < model->sizes.nc;
    return known ? model->row_info[row] : (trm_row_info){0};
}

trm_marker_info trm_model_marker_info(const trm_model *model, int marker)
{
    const int known = model && marker >= 0 && marker < model->sizes.nmarker;
    return known ? model->marker_info[marker] : (trm_marker_info){.body = TRM_INDEX_GROUND};
}

trm_joint_info trm_model_joint_info(const trm_model *model, int joint)
{
    const int known = model && joint >= 0 && joint < model->sizes.njoint;
    return known ? model->joint_info[joint] : (trm_joint_info){0};
}

trm_input_info trm_model_input_info(const trm_model *model, int input)
{
    const int known = model && input >= 0 && input < model->sizes.ninput;
    return known ? model->input_info[input] : (trm_input_info){0};
}

trm_event_info trm_model_event_info(const trm_model *model, int event)
{
    const int known = model && event >= 0 && event < model->sizes.nevent;
    return known ? model->event_info[event] : (trm_event_info){0};
}

trm_output_info trm_model_output_info(const trm_model *model, int output)
{
    const int known = model && output >= 0 && output < model->sizes.noutput;
    return known ? model->outputs[output].info : (trm_output_info){0};
}

trm_actuator_info trm_model_actuator_info(const trm_model *model, int actuator)
{
    const int known = model && actuator >= 0 && actuator < model->sizes.nactuator;
    return known ? model->actuators[actuator].info : (trm_actuator_info){0};
}

void trm_model_start_at(trm_model *model, int is_velocity, int index, double value)
{
    if (model && index >= 0 && index < (is_velocity ? model->sizes.nv : model->sizes.nq)) {
        (is_velocity ? model->v0 : model->q0)[index] = value;
    }
}

void trm_model_initial_state(const trm_model *model, double *q, double *v)
{
    if (model && q) {
        memcpy(q, model->q0, (size_t)model->sizes.nq * sizeof(double));
    }
    if (model && v) {
        memcpy(v, model->v0, (size_t)model->sizes.nv * sizeof(double));
    }
}
