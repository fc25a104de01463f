// Sensors: a name -> its numbers in a run.
//
//   point fixed in a body      x = p + r,   x' = v + omega x r,
//                              x'' = a + alpha x r + omega x (omega x r)
//   joint                      coordinate and rate as in bodies/joint_freedom.h
//   force of a on b F = -(G_b^T lambda)_v, T = -(G_b^T lambda)_omega - (p - x_b) x F,
//                              over the rows of the joint, about its point p of b
#include "simulation/run/sensor.h"
#include "base/status.h"
#include "base/text/suggest.h"
#include "bodies/vector.h"
#include "program/suggest.h"

#include <stdio.h>
#include <string.h>

typedef enum owner {
    OF_POINT,
    OF_BODY,
    OF_JOINT,
    OF_HINGE,
    OF_SLIDER,
    OF_ROWS,
    OF_DRIVE,
    OF_CONTACT,
    OF_FRICTION,
    OF_RUN
} owner;

typedef enum kind {
    POSITION,
    VELOCITY,
    ACCELERATION,
    ANGLE,
    QUATERNION,
    RATE,
    ANGULAR_ACCELERATION,
    COORDINATE,
    COORDINATE_RATE,
    FORCE,
    TORQUE,
    MOTOR,
    LAMBDA,
    EFFORT,
    GAP,
    CONTACT_FORCE,
    UNDETERMINED,
    ENERGY,
    TIME,
    INPUT
} kind;

/// One quantity: its owner, its size, and its first place in the whole.
typedef struct form {
    const char *what;
    owner of;
    int dimension; ///< 0: both
    kind kind;
    int first, size;  ///< size 0: as many as the owner has
    const char *unit; ///< NULL: the unit of the joint's coordinate, or derived from it
} form;

static const form forms[] = {
    {"position", OF_POINT, 0, POSITION, 0, 3, "m"},
    {"x", OF_POINT, 0, POSITION, 0, 1, "m"},
    {"y", OF_POINT, 0, POSITION, 1, 1, "m"},
    {"z", OF_POINT, 3, POSITION, 2, 1, "m"},
    {"velocity", OF_POINT, 0, VELOCITY, 0, 3, "m/s"},
    {"vx", OF_POINT, 0, VELOCITY, 0, 1, "m/s"},
    {"vy", OF_POINT, 0, VELOCITY, 1, 1, "m/s"},
    {"vz", OF_POINT, 3, VELOCITY, 2, 1, "m/s"},
    {"acceleration", OF_POINT, 0, ACCELERATION, 0, 3, "m/s^2"},
    {"ax", OF_POINT, 0, ACCELERATION, 0, 1, "m/s^2"},
    {"ay", OF_POINT, 0, ACCELERATION, 1, 1, "m/s^2"},
    {"az", OF_POINT, 3, ACCELERATION, 2, 1, "m/s^2"},
    {"angle", OF_BODY, 2, ANGLE, 0, 1, "rad"},
    {"rate", OF_BODY, 2, RATE, 0, 1, "rad/s"},
    {"angular_acceleration", OF_BODY, 2, ANGULAR_ACCELERATION, 0, 1, "rad/s^2"},
    {"quat_wxyz", OF_BODY, 3, QUATERNION, 0, 4, ""},
    {"rate", OF_BODY, 3, RATE, 0, 3, "rad/s"},
    {"wx", OF_BODY, 3, RATE, 0, 1, "rad/s"},
    {"wy", OF_BODY, 3, RATE, 1, 1, "rad/s"},
    {"wz", OF_BODY, 3, RATE, 2, 1, "rad/s"},
    {"angular_acceleration", OF_BODY, 3, ANGULAR_ACCELERATION, 0, 3, "rad/s^2"},
    {"coordinate", OF_JOINT, 0, COORDINATE, 0, 1, NULL},
    {"coordinate_rate", OF_JOINT, 0, COORDINATE_RATE, 0, 1, NULL},
    {"angle", OF_HINGE, 0, COORDINATE, 0, 1, NULL},
    {"position", OF_SLIDER, 0, COORDINATE, 0, 1, NULL},
    {"rate", OF_JOINT, 0, COORDINATE_RATE, 0, 1, NULL},
    {"force", OF_JOINT, 0, FORCE, 0, 3, "N"},
    {"force_x", OF_JOINT, 0, FORCE, 0, 1, "N"},
    {"force_y", OF_JOINT, 0, FORCE, 1, 1, "N"},
    {"force_z", OF_JOINT, 3, FORCE, 2, 1, "N"},
    {"torque", OF_JOINT, 0, TORQUE, 0, 3, "N m"},
    {"torque_x", OF_JOINT, 3, TORQUE, 0, 1, "N m"},
    {"torque_y", OF_JOINT, 3, TORQUE, 1, 1, "N m"},
    {"torque_z", OF_JOINT, 0, TORQUE, 2, 1, "N m"},
    {"motor", OF_JOINT, 0, MOTOR, 0, 1, NULL},
    {"lambda", OF_ROWS, 0, LAMBDA, 0, 0, "N or N m"},
    {"effort", OF_DRIVE, 0, EFFORT, 0, 1, NULL},
    {"gap", OF_CONTACT, 0, GAP, 0, 1, NULL},
    {"contact_force", OF_CONTACT, 0, CONTACT_FORCE, 0, 1, NULL},
    {"contact_undetermined", OF_FRICTION, 0, UNDETERMINED, 0, 1, NULL},
    {"kinetic", OF_RUN, 0, ENERGY, 0, 1, "J"},
    {"potential", OF_RUN, 0, ENERGY, 1, 1, "J"},
    {"work", OF_RUN, 0, ENERGY, 2, 1, "J"},
    {.what = NULL},
};

// ------------------------------------------------------------------------------------------ names

/// The block of rows of that name (joints first); -1.
static int find_block(const trm_model *model, const char *name)
{
    for (int k = 0; k < model->nblocks; k++) {
        if (strcmp(model->row_info[model->blocks[k].row].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/// The actuator of that name; -1.
static int find_actuator(const trm_model *model, const char *name)
{
    for (int i = 0; i < model->sizes.nactuator; i++) {
        if (strcmp(model->actuators[i].info.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// The limits or friction of a joint, or the stop, of that name; -1.
static int find_contact(const trm_model *model, const char *name)
{
    for (int i = 0; i < model->ncontacts; i++) {
        if (strcmp(model->contacts[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Whether contact i has friction, and something beside forces may prescribe a motion.
static int may_be_undetermined(const trm_model *model, int i)
{
    return i >= 0 && model->contacts[i].friction.given && model->ndrives + model->nexpressions > 0;
}

/// Whether the owner of this name has this quantity; then index says where.
static int owns(const trm_model *model, const form *f, const char *name, trm_sensor *out)
{
    const int marker = trm_model_marker(model, name);
    const int body = trm_model_body(model, name);
    const int joint = trm_model_joint(model, name);
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
        if (joint < 0 || f->kind == FORCE || f->kind == TORQUE) {
            return joint >= 0;
        }
        return f->kind == MOTOR ? model->joint_info[joint].has_motor
                                : model->joint_axis[joint].freedom != TRM_FREEDOM_NONE;
    case OF_HINGE:
    case OF_SLIDER:
        out->index = joint;
        return joint >= 0 && model->joint_axis[joint].freedom ==
                                 (f->of == OF_HINGE ? TRM_FREEDOM_ANGLE : TRM_FREEDOM_DISTANCE);
    case OF_ROWS:
        out->index = find_block(model, name);
        return out->index >= 0;
    case OF_DRIVE:
        out->index = find_actuator(model, name);
        return out->index >= 0;
    case OF_CONTACT:
        out->index = find_contact(model, name);
        return out->index >= 0;
    case OF_FRICTION:
        out->index = find_contact(model, name);
        return may_be_undetermined(model, out->index);
    case OF_RUN:
        break;
    }
    return strcmp(name, "energy") == 0;
}

static const char *joint_unit(const trm_model *model, const trm_sensor *sensor)
{
    if (sensor->kind == EFFORT) {
        return model->actuators[sensor->index].info.unit;
    }
    if (sensor->kind == GAP || sensor->kind == CONTACT_FORCE || sensor->kind == UNDETERMINED) {
        const char *const unit = model->contacts[sensor->index].unit;
        return sensor->kind == GAP ? unit : *unit == 'm' ? "N" : "N m";
    }
    const int turns = model->joint_axis[sensor->index].freedom == TRM_FREEDOM_ANGLE;
    switch ((kind)sensor->kind) {
    case COORDINATE:
        return turns ? "rad" : "m";
    case COORDINATE_RATE:
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

/// "t", or an input.
static int find_plain(const trm_model *model, const char *name, trm_sensor *out)
{
    const int input = trm_model_input(model, name);
    const int time = strcmp(name, "t") == 0;
    *out = (trm_sensor){.size = 1,
                        .unit = time ? "s" : "",
                        .model = model,
                        .kind = time ? TIME : INPUT,
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
        trm_suggest_consider(near, model->row_info[model->blocks[k].row].name);
    }
    for (int i = 0; i < model->sizes.ninput; i++) {
        trm_suggest_consider(near, model->input_info[i].name);
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
    list_of(model, owner_name, known, sizeof known);
    if (*known && !*what) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, name,
                        "say what of \"%.40s\" to read, as in \"%.40s.%.*s\"; it has %s",
                        owner_name, owner_name, (int)strcspn(known, ","), known, known);
    }
    if (*known) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, name, "\"%.40s\" has no \"%.40s\"; it has %s",
                        owner_name, what, known);
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
    if (dot && (size_t)(dot - name) < sizeof owner_name) {
        memcpy(owner_name, name, (size_t)(dot - name));
        for (const form *f = forms; f->what; f++) {
            if (strcmp(f->what, dot + 1) == 0 && owns(model, f, owner_name, out)) {
                fill(model, f, out);
                return TRM_OK;
            }
        }
    } else if (find_plain(model, name, out)) {
        return TRM_OK;
    }
    *out = (trm_sensor){0};
    return refuse(model, name, dot ? owner_name : name, dot ? dot + 1 : "", err);
}

// ----------------------------------------------------------------------------------------- values

/// The poses of all bodies, computed once.
static const trm_kinematics *look_at(trm_sensor_state *m)
{
    if (!m->kinematics.pose) {
        m->kinematics =
            trm_assembler_kinematics(m->system, m->state.t, m->state.q, m->state.v, m->state.a);
    }
    return &m->kinematics;
}

/// Index: a marker, or behind them a body.
static void read_point(const trm_sensor *s, trm_sensor_state *m, double out[3])
{
    static const double zero[3] = {0, 0, 0};
    const trm_model *model = s->model;
    const int nmarker = model->sizes.nmarker;
    const trm_marker_info *marker = s->index < nmarker ? &model->marker_info[s->index] : NULL;
    const int body = !marker            ? s->index - nmarker
                     : marker->body < 0 ? model->sizes.nbody
                                        : marker->body;
    const double *local = marker ? marker->local : zero;
    const trm_kinematics *kinematics = look_at(m);
    if (s->kind != ACCELERATION) {
        trm_point(kinematics->pose, body, local, kinematics->V, s->kind == POSITION ? out : NULL,
                  s->kind == POSITION ? NULL : out);
        return;
    }
    double turned[3], world[3];
    trm_point(kinematics->pose, body, local, kinematics->A, NULL, out); // a + alpha x r
    if (kinematics->pose->width == 3) {
        const double rate = kinematics->V[3 * body + 2];
        scale(-rate * rate, local, turned);
    } else {
        const double *omega = &kinematics->V[6 * body + 3];
        cross(omega, cross(omega, local, world), turned);
    }
    add(out, trm_to_world(kinematics->pose, body, turned, world), out);
}

/// Rotation of a body and its derivatives, as many as it has.
static void read_turn(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    const trm_body_info *body = &s->model->body_info[s->index];
    const int linear = s->model->bodies.dimension;
    const double *const q = m->state.q + body->q0 + linear;
    const double *const v = m->state.v + body->v0 + linear;
    const double *const a = m->state.a + body->v0 + linear;
    const double *from = s->kind == RATE ? v : s->kind == ANGULAR_ACCELERATION ? a : q;
    memcpy(out, from, (size_t)(s->kind == QUATERNION ? 4 : body->nv - linear) * sizeof *out);
}

/// Force and torque of a on b through the rows of a joint; force[3], torque[3].
static int find_reaction(const trm_sensor *s, trm_sensor_state *m, double *force, double *torque)
{
    trm_system *system = m->system;
    const trm_block *block = &s->model->blocks[s->index];
    const trm_joint_axis *joint = &s->model->joint_axis[s->index];
    const int on_b = joint->b < s->model->sizes.nbody;
    const int body = on_b ? joint->b : joint->a;
    const trm_body_info *info = &s->model->body_info[body];
    const int linear = s->model->bodies.dimension;
    const double sign = on_b ? -1 : 1; // -G^T lambda on b is the opposite of that on a
    const long counted = system->jacobian_evals;
    const int code = trm_system_position(system, m->state.t, m->state.q);
    system->jacobian_evals = counted;
    if (code) {
        return code;
    }
    memset(m->work_c, 0, (size_t)system->nc * sizeof(double));
    memcpy(m->work_c + block->row, m->state.lambda + block->row,
           (size_t)block->rows * sizeof(double));
    trm_system_multiply_GT(system, m->work_c, m->work_v);
    m->kinematics.pose = NULL; // the current point has moved
    const double *x = m->work_v + info->v0;
    double turn[3] = {0, 0, 0}, p[3], centre[3], sensed[3];
    static const double zero[3] = {0, 0, 0};
    set3(force, sign * x[0], sign * x[1], linear == 3 ? sign * x[2] : 0);
    for (int k = linear; k < info->nv; k++) {
        turn[linear == 2 ? 2 : k - 3] = sign * x[k];
    }
    const trm_kinematics *kinematics = look_at(m);
    trm_point(kinematics->pose, joint->b, joint->point[1], NULL, p, NULL);
    trm_point(kinematics->pose, body, zero, NULL, centre, NULL);
    if (linear == 2) {
        set3(torque, 0, 0, turn[2]);
    } else {
        trm_to_world(kinematics->pose, body, turn, torque);
    }
    subtract(torque, cross(subtract(p, centre, p), force, sensed), torque);
    return 0;
}

/// The force or the torque; both are kept for the next sensor, which is often of the same joint.
static int read_reaction(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    if (m->reaction_of != s->index + 1) {
        const int code = find_reaction(s, m, m->force, m->torque);
        if (code) {
            return code;
        }
        m->reaction_of = s->index + 1;
    }
    const double *const found = s->kind == FORCE ? m->force : m->torque;
    memcpy(out, found, sizeof m->force);
    return 0;
}

static void read_joint(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    const trm_kinematics *kinematics = look_at(m);
    trm_joint_motion motion;
    trm_joint_measure(&s->model->joint_axis[s->index], kinematics->pose, kinematics->V, &motion);
    *out = s->kind == COORDINATE ? motion.x : motion.rate;
}

static void read_effort(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    const trm_kinematics *kinematics = look_at(m);
    const trm_actuator *actuator = &s->model->actuators[s->index];
    const trm_force_group *group = &s->model->groups[actuator->at.group];
    const char *element =
        (const char *)group->elements + (size_t)actuator->at.element * group->kind->size;
    *out = group->kind->effort(element, kinematics->pose, kinematics->V);
}

/// x of a contact, from its formula.
static double gap_of(const trm_sensor *s, trm_sensor_state *m)
{
    const trm_kinematics *kinematics = look_at(m);
    return trm_function_value(&s->model->contacts[s->index].x, kinematics->pose, kinematics->V);
}

/// The last row of a joint is its motor's: lambda is what it takes from the coordinate.
static double motor_of(const trm_sensor *s, trm_sensor_state *m)
{
    const trm_joint_info *joint = &s->model->joint_info[s->index];
    return 0 - m->state.lambda[joint->row + joint->rows - 1];
}

/// How far the force of friction may be another one.
static double undetermined(const trm_sensor *s, const trm_sensor_state *m)
{
    const int k = s->index;
    return m->contact && trm_contact_is_undetermined(m->contact, k)
               ? s->model->contacts[k].friction.sticking + m->contact->load[k]
               : 0;
}

/// All components, of which the sensor shows `size` from `first` on.
static int read_whole(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    switch ((kind)s->kind) {
    case POSITION:
    case VELOCITY:
    case ACCELERATION:
        read_point(s, m, out);
        return 0;
    case ANGLE:
    case QUATERNION:
    case RATE:
    case ANGULAR_ACCELERATION:
        read_turn(s, m, out);
        return 0;
    case COORDINATE:
    case COORDINATE_RATE:
        read_joint(s, m, out);
        return 0;
    case FORCE:
    case TORQUE:
        return read_reaction(s, m, out);
    case MOTOR:
        out[0] = motor_of(s, m);
        return 0;
    case EFFORT:
        read_effort(s, m, out);
        return 0;
    case GAP:
        out[0] = gap_of(s, m);
        return 0;
    case CONTACT_FORCE:
        out[0] = m->contact ? m->contact->force[s->index] : 0;
        return 0;
    case UNDETERMINED:
        out[0] = undetermined(s, m);
        return 0;
    case ENERGY:
        set3(out, m->energy.kinetic, m->energy.potential, m->energy.work);
        return 0;
    case TIME:
        out[0] = m->state.t;
        return 0;
    case INPUT:
    case LAMBDA: // done
        break;
    }
    return 0;
}

static int read_sensor(const trm_sensor *sensor, trm_sensor_state *m, double *out)
{
    double whole[4] = {0};
    if (sensor->kind == LAMBDA) {
        const trm_block *block = &sensor->model->blocks[sensor->index];
        memcpy(out, m->state.lambda + block->row, (size_t)block->rows * sizeof(double));
        return 0;
    }
    if (sensor->kind == INPUT) {
        trm_input_at(&m->system->inputs[sensor->index], m->state.t, whole);
        *out = whole[0];
        return 0;
    }
    const int code = read_whole(sensor, m, whole);
    memcpy(out, whole + sensor->first, (size_t)sensor->size * sizeof(double));
    return code;
}

int trm_sensor_presses(const trm_sensor *sensor)
{
    return sensor->kind == CONTACT_FORCE || sensor->kind == UNDETERMINED;
}

int trm_sensors_read(int n, const trm_sensor *sensors, trm_sensor_state *sensed, double *out)
{
    int code = 0;
    for (int i = 0; !code && i < n; i++) {
        code = read_sensor(&sensors[i], sensed, out);
        out += sensors[i].size;
    }
    return code;
}
