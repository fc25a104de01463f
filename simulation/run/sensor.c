// Sensors: their numbers in a run.
//
//   point fixed in a body      x = p + r,   x' = v + omega x r,
//                              x'' = a + alpha x r + omega x (omega x r)
//   joint                      coordinate and rate as in bodies/joint_freedom.h
//   force of a on b F = -(G_b^T lambda)_v, T = -(G_b^T lambda)_omega - (p - x_b) x F,
//                              over the rows of the joint, about its point p of b
#include "simulation/run/sensor.h"
#include "base/status.h"
#include "bodies/vector.h"
#include "engine/compiler/sensor_names.h"
#include "engine/multibody/coordinate.h"
#include "trammel/trammel_simulation.h"

#include <string.h>

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
    if (s->kind != TRM_SENSOR_ACCELERATION) {
        trm_point(kinematics->pose, body, local, kinematics->V,
                  s->kind == TRM_SENSOR_POSITION ? out : NULL,
                  s->kind == TRM_SENSOR_POSITION ? NULL : out);
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
    const double *from = s->kind == TRM_SENSOR_RATE                   ? v
                         : s->kind == TRM_SENSOR_ANGULAR_ACCELERATION ? a
                                                                      : q;
    memcpy(out, from,
           (size_t)(s->kind == TRM_SENSOR_QUATERNION ? 4 : body->nv - linear) * sizeof *out);
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
    double switched[6] = {0};          // what closed rows of the joint do to the body
    const long counted = system->jacobian_evals;
    if (m->contact && s->model->nswitched > 0) {
        trm_contact *const contact = (trm_contact *)m->contact; // its workspace
        trm_contact_apply_forces(contact, look_at(m), s->index, m->work_v);
        memcpy(switched, m->work_v + info->v0, (size_t)info->nv * sizeof *switched);
    }
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
    double *const x = m->work_v + info->v0;
    for (int k = 0; k < info->nv; k++) {
        x[k] -= switched[k];
    }
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
        TRM_TRY(find_reaction(s, m, m->force, m->torque));
        m->reaction_of = s->index + 1;
    }
    const double *const found = s->kind == TRM_SENSOR_FORCE ? m->force : m->torque;
    memcpy(out, found, sizeof m->force);
    return 0;
}

static void read_joint(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    const trm_kinematics *kinematics = look_at(m);
    trm_joint_motion motion;
    trm_joint_measure(&s->model->joint_axis[s->index], kinematics->pose, kinematics->V, &motion);
    *out = s->kind == TRM_SENSOR_COORDINATE ? motion.x : motion.rate;
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

static double gap_of(const trm_sensor *s, trm_sensor_state *m)
{
    const trm_kinematics *const kinematics = look_at(m);
    const trm_contact_row *const row = &s->model->contacts[s->index];
    double x[3], place[TRM_COORDINATE_PLACE] = {0};
    if (m->contact) {
        memcpy(place,
               m->contact->place + TRM_COORDINATE_PLACE * (row->of_joint ? s->index : row->first),
               sizeof place);
    } else if (row->of_joint) {
        trm_joint_row_begin(row->of_joint, place);
    }
    const int pressed = m->contact && m->contact->hold[row->first];
    trm_coordinate_jet(row, m->contact || row->of_joint ? place : NULL, pressed, kinematics->pose,
                       kinematics->V, x);
    return x[0];
}

/// In a query what is held is a row of its own.
static double force_of(const trm_sensor *s, const trm_sensor_state *m)
{
    const int held = s->model->contacts[s->index].held;
    return m->contact  ? trm_contact_along(m->contact, m->contact->force, s->index)
           : held >= 0 ? 0 - m->state.lambda[held]
                       : 0;
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
               ? trm_contact_sticking(m->contact, k) + m->contact->load[k]
               : 0;
}

/// All components, of which the sensor shows `size` from `first` on.
static int read_whole(const trm_sensor *s, trm_sensor_state *m, double *out)
{
    switch ((trm_sensor_kind)s->kind) {
    case TRM_SENSOR_POSITION:
    case TRM_SENSOR_VELOCITY:
    case TRM_SENSOR_ACCELERATION:
        read_point(s, m, out);
        return 0;
    case TRM_SENSOR_ANGLE:
    case TRM_SENSOR_QUATERNION:
    case TRM_SENSOR_RATE:
    case TRM_SENSOR_ANGULAR_ACCELERATION:
        read_turn(s, m, out);
        return 0;
    case TRM_SENSOR_COORDINATE:
    case TRM_SENSOR_COORDINATE_RATE:
        read_joint(s, m, out);
        return 0;
    case TRM_SENSOR_FORCE:
    case TRM_SENSOR_TORQUE:
        return read_reaction(s, m, out);
    case TRM_SENSOR_MOTOR:
        out[0] = motor_of(s, m);
        return 0;
    case TRM_SENSOR_EFFORT:
        read_effort(s, m, out);
        return 0;
    case TRM_SENSOR_GAP:
        out[0] = gap_of(s, m);
        return 0;
    case TRM_SENSOR_CONTACT_FORCE:
        out[0] = force_of(s, m);
        return 0;
    case TRM_SENSOR_UNDETERMINED:
        out[0] = undetermined(s, m);
        return 0;
    case TRM_SENSOR_ENERGY:
        set3(out, m->energy.kinetic, m->energy.potential, m->energy.work);
        return 0;
    case TRM_SENSOR_TIME:
        out[0] = m->state.t;
        return 0;
    case TRM_SENSOR_OUTPUT:
    case TRM_SENSOR_INPUT:
    case TRM_SENSOR_LAMBDA: // done
        break;
    }
    return 0;
}

static int read_simple(const trm_sensor *sensor, trm_sensor_state *m, double *out)
{
    double whole[4] = {0};
    if (sensor->kind == TRM_SENSOR_LAMBDA) {
        const trm_block *block = &sensor->model->blocks[sensor->index];
        memcpy(out, m->state.lambda + block->row, (size_t)block->rows * sizeof(double));
        return 0;
    }
    if (sensor->kind == TRM_SENSOR_INPUT) {
        trm_input_at(&m->system->inputs[sensor->index], m->state.t, whole);
        *out = whole[0];
        return 0;
    }
    const int code = read_whole(sensor, m, whole);
    memcpy(out, whole + sensor->first, (size_t)sensor->size * sizeof(double));
    return code;
}

/// The one place where the formula of an output is evaluated. Its readings come first: they move
/// the current point.
static int read_output(const trm_sensor *sensor, trm_sensor_state *m, double *out)
{
    const trm_function *const f = &sensor->model->outputs[sensor->index].value;
    double *const x = m->room;
    int code = 0;
    for (int i = 0; !code && i < f->n; i++) {
        const int k = f->x[i].axis;
        if (f->x[i].kind == TRM_VARIABLE_READING) {
            code = read_simple(&sensor->model->readings[k], m, &look_at(m)->pose->reading[k]);
        }
    }
    const trm_kinematics *const kinematics = look_at(m);
    trm_function_variables(f, kinematics->pose, kinematics->V, x);
    *out = trm_expression_value(f->code, x, x + f->n);
    return code;
}

static int read_sensor(const trm_sensor *sensor, trm_sensor_state *m, double *out)
{
    return (sensor->kind == TRM_SENSOR_OUTPUT ? read_output : read_simple)(sensor, m, out);
}

static int presses(const trm_sensor *sensor)
{
    const int reaction = sensor->kind == TRM_SENSOR_FORCE || sensor->kind == TRM_SENSOR_TORQUE;
    return sensor->kind == TRM_SENSOR_CONTACT_FORCE || sensor->kind == TRM_SENSOR_UNDETERMINED ||
           (reaction && sensor->model->joint_info[sensor->index].rows == 0);
}

int trm_sensor_presses(const trm_sensor *sensor)
{
    if (sensor->kind != TRM_SENSOR_OUTPUT) {
        return presses(sensor);
    }
    const trm_function *const f = &sensor->model->outputs[sensor->index].value;
    int any = 0;
    for (int i = 0; i < f->n; i++) {
        any |=
            f->x[i].kind == TRM_VARIABLE_READING && presses(&sensor->model->readings[f->x[i].axis]);
    }
    return any;
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
