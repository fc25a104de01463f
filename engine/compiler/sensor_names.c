// Sensors by name: what there is, and what a name stands for.
#include "engine/compiler/sensor_names.h"
#include "base/status.h"
#include "base/text/suggest.h"
#include "program/suggest.h"
#include "trammel/trammel_query.h"
#include "trammel/trammel_simulation.h"

#include <stdio.h>
#include <string.h>

typedef enum owner {
    OF_POINT,
    OF_BODY,
    OF_JOINT,
    OF_HINGE,
    OF_SLIDER,
    OF_ROWS,
    OF_FORCE,
    OF_CONTACT,
    OF_FRICTION,
    OF_RUN
} owner;

/// One quantity: its owner, its size, and its first place in the whole.
typedef struct form {
    const char *what;
    owner of;
    int dimension; ///< 0: both
    trm_sensor_kind kind;
    int first, size;  ///< size 0: as many as the owner has
    const char *unit; ///< NULL: the unit of the joint's coordinate, or derived from it
} form;

static const form forms[] = {
    {"position", OF_POINT, 0, TRM_SENSOR_POSITION, 0, 3, "m"},
    {"x", OF_POINT, 0, TRM_SENSOR_POSITION, 0, 1, "m"},
    {"y", OF_POINT, 0, TRM_SENSOR_POSITION, 1, 1, "m"},
    {"z", OF_POINT, 3, TRM_SENSOR_POSITION, 2, 1, "m"},
    {"velocity", OF_POINT, 0, TRM_SENSOR_VELOCITY, 0, 3, "m/s"},
    {"vx", OF_POINT, 0, TRM_SENSOR_VELOCITY, 0, 1, "m/s"},
    {"vy", OF_POINT, 0, TRM_SENSOR_VELOCITY, 1, 1, "m/s"},
    {"vz", OF_POINT, 3, TRM_SENSOR_VELOCITY, 2, 1, "m/s"},
    {"acceleration", OF_POINT, 0, TRM_SENSOR_ACCELERATION, 0, 3, "m/s^2"},
    {"ax", OF_POINT, 0, TRM_SENSOR_ACCELERATION, 0, 1, "m/s^2"},
    {"ay", OF_POINT, 0, TRM_SENSOR_ACCELERATION, 1, 1, "m/s^2"},
    {"az", OF_POINT, 3, TRM_SENSOR_ACCELERATION, 2, 1, "m/s^2"},
    {"angle", OF_BODY, 2, TRM_SENSOR_ANGLE, 0, 1, "rad"},
    {"rate", OF_BODY, 2, TRM_SENSOR_RATE, 0, 1, "rad/s"},
    {"angular_acceleration", OF_BODY, 2, TRM_SENSOR_ANGULAR_ACCELERATION, 0, 1, "rad/s^2"},
    {"quat_wxyz", OF_BODY, 3, TRM_SENSOR_QUATERNION, 0, 4, ""},
    {"rate", OF_BODY, 3, TRM_SENSOR_RATE, 0, 3, "rad/s"},
    {"wx", OF_BODY, 3, TRM_SENSOR_RATE, 0, 1, "rad/s"},
    {"wy", OF_BODY, 3, TRM_SENSOR_RATE, 1, 1, "rad/s"},
    {"wz", OF_BODY, 3, TRM_SENSOR_RATE, 2, 1, "rad/s"},
    {"angular_acceleration", OF_BODY, 3, TRM_SENSOR_ANGULAR_ACCELERATION, 0, 3, "rad/s^2"},
    {"coordinate", OF_JOINT, 0, TRM_SENSOR_COORDINATE, 0, 1, NULL},
    {"coordinate_rate", OF_JOINT, 0, TRM_SENSOR_COORDINATE_RATE, 0, 1, NULL},
    {"angle", OF_HINGE, 0, TRM_SENSOR_COORDINATE, 0, 1, NULL},
    {"position", OF_SLIDER, 0, TRM_SENSOR_COORDINATE, 0, 1, NULL},
    {"slide", OF_SLIDER, 0, TRM_SENSOR_COORDINATE, 0, 1, NULL},
    {"rate", OF_JOINT, 0, TRM_SENSOR_COORDINATE_RATE, 0, 1, NULL},
    {"force", OF_JOINT, 0, TRM_SENSOR_FORCE, 0, 3, "N"},
    {"force_x", OF_JOINT, 0, TRM_SENSOR_FORCE, 0, 1, "N"},
    {"force_y", OF_JOINT, 0, TRM_SENSOR_FORCE, 1, 1, "N"},
    {"force_z", OF_JOINT, 3, TRM_SENSOR_FORCE, 2, 1, "N"},
    {"torque", OF_JOINT, 0, TRM_SENSOR_TORQUE, 0, 3, "N m"},
    {"torque_x", OF_JOINT, 3, TRM_SENSOR_TORQUE, 0, 1, "N m"},
    {"torque_y", OF_JOINT, 3, TRM_SENSOR_TORQUE, 1, 1, "N m"},
    {"torque_z", OF_JOINT, 0, TRM_SENSOR_TORQUE, 2, 1, "N m"},
    {"motor", OF_JOINT, 0, TRM_SENSOR_MOTOR, 0, 1, NULL},
    {"lambda", OF_ROWS, 0, TRM_SENSOR_LAMBDA, 0, 0, "N or N m"},
    {"effort", OF_FORCE, 0, TRM_SENSOR_EFFORT, 0, 1, NULL},
    {"gap", OF_CONTACT, 0, TRM_SENSOR_GAP, 0, 1, NULL},
    {"contact_force", OF_CONTACT, 0, TRM_SENSOR_CONTACT_FORCE, 0, 1, NULL},
    {"contact_undetermined", OF_FRICTION, 0, TRM_SENSOR_UNDETERMINED, 0, 1, NULL},
    {"kinetic", OF_RUN, 0, TRM_SENSOR_ENERGY, 0, 1, "J"},
    {"potential", OF_RUN, 0, TRM_SENSOR_ENERGY, 1, 1, "J"},
    {"work", OF_RUN, 0, TRM_SENSOR_ENERGY, 2, 1, "J"},
    {.what = NULL},
};

static const form coordinate = {"", OF_JOINT, 0, TRM_SENSOR_COORDINATE, 0, 1, NULL};

// ------------------------------------------------------------------------------------------ names

/// The block of rows of that name (joints first); -1.
static int find_block(const trm_model *model, const char *name)
{
    for (int k = 0; k < model->nblocks; k++) {
        if (model->blocks[k].rows > 0 &&
            strcmp(model->row_info[model->blocks[k].row].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/// The force with an effort of that name; -1.
static int find_effort(const trm_model *model, const char *name)
{
    for (int i = 0; i < model->neffort; i++) {
        if (strcmp(model->actuators[i].info.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Whether contact i has friction, and something beside forces may prescribe a motion.
static int may_be_undetermined(const trm_model *model, int i)
{
    return model->contacts[i].friction.given && model->ndrives + model->nexpressions > 0;
}

/// Whether the owner of this name has this quantity; then index says where.
static int owns(const trm_model *model, const form *f, const char *name, trm_sensor *out)
{
    const int marker = trm_model_find(model, TRM_ELEMENT_MARKER, name);
    const int body = trm_model_find(model, TRM_ELEMENT_BODY, name);
    const int joint = trm_model_find(model, TRM_ELEMENT_JOINT, name);
    if (f->dimension && f->dimension != model->bodies.dimension) {
        return 0;
    }
    switch (f->of) {
    case OF_POINT:
        out->index = marker >= 0 ? marker : model->sizes.nmarker + body;
        return marker >= 0 || body >= 0;
    case OF_BODY:
        out->index = body;
        return body >= 0 && !model->bodies.point[body];
    case OF_JOINT:
        out->index = joint;
        if (joint < 0 || f->kind == TRM_SENSOR_FORCE || f->kind == TRM_SENSOR_TORQUE) {
            return joint >= 0;
        }
        return f->kind == TRM_SENSOR_MOTOR ? model->joint_info[joint].has_motor
                                           : model->joint_axis[joint].freedom != TRM_FREEDOM_NONE;
    case OF_HINGE:
    case OF_SLIDER:
        out->index = joint;
        return joint >= 0 &&
               (f->of == OF_HINGE ? trm_turns(model->joint_axis[joint].freedom)
                                  : model->joint_axis[joint].freedom == TRM_FREEDOM_DISTANCE);
    case OF_ROWS:
        out->index = find_block(model, name);
        return out->index >= 0;
    case OF_FORCE:
        out->index = find_effort(model, name);
        return out->index >= 0;
    case OF_CONTACT:
    case OF_FRICTION:
        out->index = trm_model_find(model, TRM_ELEMENT_CONTACT, name);
        return out->index >= 0 && (f->of == OF_CONTACT || may_be_undetermined(model, out->index));
    case OF_RUN:
        break;
    }
    return strcmp(name, "energy") == 0;
}

static const char *joint_unit(const trm_model *model, const trm_sensor *sensor)
{
    if (sensor->kind == TRM_SENSOR_EFFORT) {
        return model->actuators[sensor->index].info.unit;
    }
    if (sensor->kind == TRM_SENSOR_GAP || sensor->kind == TRM_SENSOR_CONTACT_FORCE ||
        sensor->kind == TRM_SENSOR_UNDETERMINED) {
        const char *const unit = model->contacts[sensor->index].unit;
        return sensor->kind == TRM_SENSOR_GAP ? unit : *unit == 'm' ? "N" : "N m";
    }
    const int turns = trm_turns(model->joint_axis[sensor->index].freedom);
    switch ((trm_sensor_kind)sensor->kind) {
    case TRM_SENSOR_COORDINATE:
        return turns ? "rad" : "m";
    case TRM_SENSOR_COORDINATE_RATE:
        return turns ? "rad/s" : "m/s";
    default:
        return turns ? "N m" : "N";
    }
}

static void fill(const trm_model *model, const form *f, trm_sensor *out)
{
    out->model = model;
    out->kind = (int)f->kind;
    out->first = f->first;
    out->size = f->size ? f->size : model->blocks[out->index].rows;
    out->unit = f->unit ? f->unit : joint_unit(model, out);
}

/// An output or a state; states of servos have a dot.
static int find_output(const trm_model *model, const char *name, trm_sensor *out)
{
    for (int i = 0; i < model->sizes.noutput; i++) {
        if (strcmp(model->outputs[i].info.name, name) == 0) {
            *out = (trm_sensor){.size = 1,
                                .unit = model->outputs[i].info.unit,
                                .model = model,
                                .kind = TRM_SENSOR_OUTPUT,
                                .index = i};
            return 1;
        }
    }
    return 0;
}

/// "t" or an input; that of a switch has a dot.
static int find_plain(const trm_model *model, const char *name, trm_sensor *out)
{
    const int input = trm_model_find(model, TRM_ELEMENT_INPUT, name);
    const int time = strcmp(name, "t") == 0;
    *out = (trm_sensor){.size = 1,
                        .unit = time ? "s" : "",
                        .model = model,
                        .kind = time ? TRM_SENSOR_TIME : TRM_SENSOR_INPUT,
                        .index = input};
    return time || input >= 0;
}

/// All quantities of a name, for a message.
static void list_of(const trm_model *model, const char *name, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const form *f = forms; f->what; f++) {
        trm_sensor spare = {0};
        if (owns(model, f, name, &spare) && used < size) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", f->what);
        }
    }
}

/// A force whose kind has no effort.
static int is_without_effort(const trm_model *model, const char *name)
{
    for (int k = 0; k < model->ngroups; k++) {
        for (int i = 0; i < model->groups[k].n; i++) {
            if (strcmp(model->groups[k].names[i], name) == 0) {
                return model->groups[k].kind->effort == NULL;
            }
        }
    }
    return 0;
}

/// All that can be read, by the names of its owners.
static void consider_names(const trm_model *model, trm_suggestion *near)
{
    for (int i = 0; i < model->sizes.nbody; i++) {
        trm_suggest_consider(near, model->body_info[i].name);
    }
    for (int i = 0; i < model->sizes.nmarker; i++) {
        trm_suggest_consider(near, model->marker_info[i].name);
    }
    for (int k = 0; k < model->nblocks; k++) {
        if (model->blocks[k].rows > 0) {
            trm_suggest_consider(near, model->row_info[model->blocks[k].row].name);
        }
    }
    for (int i = 0; i < model->sizes.ninput; i++) {
        trm_suggest_consider(near, model->input_info[i].name);
    }
    for (int i = 0; i < model->sizes.noutput; i++) {
        trm_suggest_consider(near, model->outputs[i].info.name);
    }
    for (int k = 0; k < model->ngroups; k++) {
        for (int i = 0; model->groups[k].kind->effort && i < model->groups[k].n; i++) {
            trm_suggest_consider(near, model->groups[k].names[i]);
        }
    }
    for (int i = 0; i < model->ncontacts; i++) {
        trm_suggest_consider(near, model->contacts[i].name);
    }
    trm_suggest_consider(near, "energy");
}

static trm_status refuse(const trm_model *model, const char *name, const char *owner_name,
                         const char *what, trm_error *err)
{
    char known[160], hint[100];
    if (!err) {
        return TRM_ERR_OPTIONS; // of thousands of columns that are asked for in vain
    }
    list_of(model, owner_name, known, sizeof known);
    if (*known && !*what) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, name,
                        "say what of \"%.40s\" to read, as in \"%.40s.%.*s\"; it has %s",
                        owner_name, owner_name, (int)strcspn(known, ","), known, known);
    }
    if (*known) {
        trm_suggestion near = trm_suggest(name, strlen(name));
        for (int i = 0; i < model->sizes.njoint; i++) { // freedoms have names of their own
            trm_suggest_consider(&near, model->joint_info[i].name);
        }
        const int means = near.best && strchr(near.best, '.') && near.distance < (int)strlen(what);
        return TRM_FAIL(err, TRM_ERR_OPTIONS, name, "\"%.40s\" has no \"%.40s\"%s; it has %s",
                        owner_name, what, means ? trm_suggest_text(&near, hint, sizeof hint) : "",
                        known);
    }
    if (is_without_effort(model, owner_name)) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, name,
            "the force \"%.40s\" has nothing to read: forces of its type have no effort",
            owner_name);
    }
    trm_suggestion near = trm_suggest(owner_name, strlen(owner_name));
    consider_names(model, &near);
    return TRM_FAIL(err, TRM_ERR_OPTIONS, name,
                    "the model has nothing to read that is called \"%.60s\"%s", owner_name,
                    trm_suggest_text(&near, hint, sizeof hint));
}

trm_status trm_model_sensor(const trm_model *model, const char *name, trm_sensor *out,
                            trm_error *err)
{
    if (!model || !name || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !model  ? "model"
                        : !name ? "name"
                                : "out",
                        "expected a model, a name and a place for the sensor, got NULL");
    }
    *out = (trm_sensor){0};
    const char *const dot = strrchr(name, '.');
    char owner_name[64] = "";
    if (find_output(model, name, out) || find_plain(model, name, out)) {
        return TRM_OK;
    }
    *out = (trm_sensor){.index = trm_model_find(model, TRM_ELEMENT_JOINT, name)};
    if (dot && out->index >= 0) {
        fill(model, &coordinate, out);
        return TRM_OK;
    }
    *out = (trm_sensor){0};
    if (dot && (size_t)(dot - name) < sizeof owner_name) {
        memcpy(owner_name, name, (size_t)(dot - name));
        for (const form *f = forms; f->what; f++) {
            if (strcmp(f->what, dot + 1) == 0 && owns(model, f, owner_name, out)) {
                fill(model, f, out);
                return TRM_OK;
            }
        }
    }
    *out = (trm_sensor){0};
    return refuse(model, name, dot ? owner_name : name, dot ? dot + 1 : "", err);
}
