#include "engine/multibody/model.h"
#include "base/text/text_hash.h"
#include "program/settings.h"
#include "program/view.h"
#include "trammel/trammel_query.h"

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

static const char *name_in(const trm_name_table *table, int i)
{
    return *(const char *const *)((const char *)table->elements + (size_t)i * table->size +
                                  table->at);
}

/// The slot of a name of `length` bytes, or the free one where it belongs: half of them are free.
static int *slot_of(const trm_name_table *table, const char *name, size_t length)
{
    size_t i = trm_text_hash(name, length) % table->slots;
    for (size_t tried = 0; tried < table->slots && table->slot[i]; tried++) {
        const char *const own = name_in(table, table->slot[i] - 1);
        if (!strncmp(own, name, length) && own[length] == '\0') {
            break;
        }
        i = (i + 1) % table->slots;
    }
    return &table->slot[i];
}

void trm_model_index_names(trm_model *model)
{
    _Static_assert(TRM_NAMED_KINDS == TRM_ELEMENT_CONTACT + 1, "a table of each kind");
    const trm_sizes n = model->sizes;
    const trm_name_table tables[] = {
        [TRM_ELEMENT_BODY] = {model->body_info, sizeof(trm_body_info), 0, 0, NULL},
        [TRM_ELEMENT_MARKER] = {model->marker_info, sizeof(trm_marker_info), 0, 0, NULL},
        [TRM_ELEMENT_JOINT] = {model->joint_info, sizeof(trm_joint_info), 0, 0, NULL},
        [TRM_ELEMENT_INPUT] = {model->input_info, sizeof(trm_input_info), 0, 0, NULL},
        [TRM_ELEMENT_ACTUATOR] = {model->actuators, sizeof(trm_actuator),
                                  offsetof(trm_actuator, info.name), 0, NULL},
        [TRM_ELEMENT_CONTACT] = {model->contacts, sizeof(trm_contact_row),
                                 offsetof(trm_contact_row, name), 0, NULL}};
    const int counts[] = {n.nbody, n.nmarker, n.njoint, n.ninput, n.nactuator, n.ncontact};
    for (int kind = TRM_ELEMENT_BODY; kind <= TRM_ELEMENT_CONTACT; kind++) {
        trm_name_table *const table = &model->names[kind];
        *table = tables[kind];
        table->slots = 2 * (size_t)counts[kind] + 1;
        table->slot = trm_arena_take(&model->arena, table->slots, sizeof *table->slot);
        for (int i = 0; table->slot && i < counts[kind]; i++) {
            const char *const name = name_in(table, i);
            int *const slot = slot_of(table, name, strlen(name));
            *slot = *slot ? *slot : 1 + i; // the first of a name
        }
    }
}

static int find(const trm_model *model, trm_element kind, const char *name, size_t length)
{
    const trm_name_table *const table = &model->names[kind];
    return table->slot ? *slot_of(table, name, length) - 1 : -1;
}

/// A joint, or a freedom of one: "O.angle" and "S.slide" of those that have one alone.
static int find_joint(const trm_model *model, const char *name)
{
    const int found = find(model, TRM_ELEMENT_JOINT, name, strlen(name));
    const char *const dot = found < 0 ? strrchr(name, '.') : NULL;
    const int j = dot ? find(model, TRM_ELEMENT_JOINT, name, (size_t)(dot - name)) : -1;
    if (j < 0) {
        return found;
    }
    const char *const word = trm_turns(model->joint_axis[j].freedom) ? "angle" : "slide";
    return *model->joint_info[j].unit && strcmp(dot + 1, word) == 0 ? j : -1;
}

int trm_model_find(const trm_model *model, trm_element kind, const char *name)
{
    if (!model || !name || (unsigned)kind > TRM_ELEMENT_CONTACT) {
        return -1;
    }
    return kind == TRM_ELEMENT_JOINT ? find_joint(model, name)
                                     : find(model, kind, name, strlen(name));
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

int trm_model_is_given(const trm_model *model, int i)
{
    for (int k = 0; k < model->ndrives; k++) {
        if (model->drives[k].row == i) {
            return 1;
        }
    }
    for (int k = 0; k < model->nexpressions; k++) {
        const trm_expression_row *const row = &model->expressions[k];
        if (model->blocks[row->block].row + row->r == i) {
            return trm_function_reads(&row->e, TRM_VARIABLE_TIME) ||
                   trm_function_reads(&row->e, TRM_VARIABLE_INPUT);
        }
    }
    return 0;
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
