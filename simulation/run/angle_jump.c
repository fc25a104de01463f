/// Angles that jump. yaw and roll, and any other atan2 of a constraint, jump from pi to -pi: a
/// prescribed motion through pi cannot be followed. The jump is a switch; this file reports it.
#include "base/status.h"
#include "bodies/vector.h"
#include "engine/multibody/model.h"
#include "simulation/run/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// "yaw" and its body when the arguments of the atan2 are its entries of R; else NULL.
static const char *angle_of(const trm_function *function, const int arguments[2], int *body)
{
    if (arguments[0] < 0 || arguments[1] < 0) {
        return NULL;
    }
    const trm_quantity *y = &function->x[arguments[0]], *x = &function->x[arguments[1]];
    if (y->kind != TRM_VARIABLE_ROTATION || x->kind != TRM_VARIABLE_ROTATION) {
        return NULL;
    }
    *body = y->body;
    const int entries = 1000 * y->axis + 100 * y->axis2 + 10 * x->axis + x->axis2;
    return entries == 1000 ? "yaw" : entries == 2122 ? "roll" : NULL;
}

/// The hinge of a body; -1 without one.
static int hinge_of(const trm_model *model, int body)
{
    for (int j = 0; j < model->sizes.njoint; j++) {
        const trm_joint_axis *joint = &model->joint_axis[j];
        if (trm_turns(joint->freedom) && (joint->a == body || joint->b == body)) {
            return j;
        }
    }
    return -1;
}

const char *trm_sim_end_of_rope(const trm_model *model, const char *name)
{
    for (int k = 0; k < model->ncontacts; k++) {
        if (model->contacts[k].rope > 0 && strcmp(model->contacts[k].name, name) == 0) {
            return " has an end at a pulley, leaves one of several in a row, or has turned by -80 "
                   "or 260 degrees about one: limit a joint, or end by an event";
        }
    }
    return "";
}

trm_status trm_sim_refuse_cut(trm_sim *sim, int which, double t, trm_error *err)
{
    const trm_model *model = sim->model;
    int arguments[2], body = 0;
    const trm_switching_place function = trm_locator_function_of(&sim->locator, which);
    const trm_switching_formula *const formula = function.formula;
    trm_expression_switching_arguments(formula->f.code, function.k, arguments);
    const char *angle = angle_of(&formula->f, arguments, &body);
    const int hinge = angle ? hinge_of(model, body) : -1;
    const char *const rope = trm_sim_end_of_rope(model, formula->name);
    const trm_status status =
        !angle
            ? TRM_FAIL(err, TRM_ERR_DIVERGED, formula->where, "stopped at t = %.6g s: %s '%s'%s", t,
                       *rope ? "rope" : "an atan2 in constraint", formula->name,
                       *rope ? rope : " jumps there by a whole turn")
            : TRM_FAIL(
                  err, TRM_ERR_DIVERGED, formula->where,
                  "stopped at t = %.6g s: %s.%s in constraint '%s' jumps there from pi to -pi or "
                  "back%s%s%s",
                  t, model->body_info[body].name, angle, formula->name, hinge >= 0 ? "; " : "",
                  hinge >= 0 ? model->joint_info[hinge].name : "",
                  hinge >= 0 ? ".angle counts turns" : "");
    return trm_at_time(err, t, status);
}

// ------------------------------------------------------------------------------------------ poles
//
// An angle of a ball joint, x = atan2(s, c), has no value where s = c = 0: a tilt where the axis of
// b lies along its side, a twist at a swing of pi. At the distance d, in rad, grad x is of the
// length 1/d, and changes by 1/d^2 per rad. Steps err by rtol of a motion of about a rad: from
// d^2 = rtol on grad x, and with it what a law of x does, is not known to its first digit. What
// damps or holds a tilt leads exactly there, and a step may lead across. The least distance is that
// of the great circle on which the axis sets out, at its rate w: (c, s) cos wt + (c, s)'/w sin wt.
// Of a twist |(c, s)| is d^2/2; one that is held stays what it is across its pole, and d at the
// points is enough.
//
// A span of a rope that does not stretch has no direction where its ends meet: at the distance d of
// the size of the mechanism it changes by 1/d, likewise. What is wound up to a point turns about it
// ever faster, by 1/d^2, and never comes there.

/// rad, and its time. The current point is the end of the step, before and after.
static double least_distance(trm_sim *sim, const trm_joint_axis *joint, double *t)
{
    const trm_run *const run = &sim->run;
    trm_system *const system = run->system;
    const double *const z = run->before.z, *const v = z + system->nq;
    const double *const end = run->now.z, *const v_end = end + system->nq;
    double c[3], s[3];
    const trm_kinematics look = trm_assembler_kinematics(system, run->before.t, z, v, v);
    trm_joint_direction(joint, look.pose, look.V, c, s);
    (void)trm_assembler_kinematics(system, run->now.t, end, v_end, v_end);
    const double d = hypot(c[0], s[0]);
    *t = run->before.t;
    if (joint->freedom == TRM_FREEDOM_TWIST || !(d > 0)) {
        return sqrt(2 * d);
    }
    const double along = (c[0] * c[1] + s[0] * s[1]) / d;
    const double across = (c[0] * s[1] - s[0] * c[1]) / d;
    const double square = along * along + across * across, turned = d * along;
    const double w = sqrt(square + turned * turned / fmax(1 - d * d, DBL_MIN));
    const double there = w > 0 ? atan2(-turned * w, square) / w : 0;
    const double after = fmin(fmax(there, 0), run->now.t - run->before.t);
    const double x = cos(w * after), y = w > 0 ? sin(w * after) / w : 0;
    *t += after;
    return hypot(x * d + y * along, y * across);
}

/// m: the shortest span of this rope that the last step has shortened, INFINITY without one. The
/// current point is the end of the step.
static double shortened_span(trm_sim *sim, trm_force_place place)
{
    const trm_force_group *const group = &sim->model->groups[place.group];
    const char *const rope =
        (const char *)group->elements + (size_t)place.element * group->kind->size;
    const trm_point_of_run *const moment[2] = {&sim->run.before, &sim->run.now};
    double d[2][TRM_MOST_LISTED][3], least = INFINITY;
    int n = 0;
    for (int end = 0; end < 2; end++) {
        const double *const z = moment[end]->z, *const v = z + sim->run.system->nq;
        n = group->kind->directions(
            rope, trm_assembler_kinematics(sim->run.system, moment[end]->t, z, v, v).pose, d[end]);
    }
    for (int k = 0; k < n; k++) {
        const double now = dot(d[1][k], d[1][k]), change = now - dot(d[0][k], d[0][k]);
        least = change < -sim->run.options.rtol * now ? fmin(sqrt(now), least) : least;
    }
    return least;
}

static trm_status refuse_wound(trm_sim *sim, trm_error *err)
{
    const trm_contact *const contact = sim->run.contact;
    for (int k = contact ? contact->near[0] : 0; contact && k < contact->n;
         k = contact->near[k + 1]) {
        const trm_contact_row *const row = &sim->model->contacts[k];
        const int taut = row->rope > 0 && contact->hold[k];
        const double left =
            taut ? shortened_span(sim, sim->model->force_at[row->rope - 1]) : INFINITY;
        if (left < sqrt(sim->run.options.rtol) * sim->size) {
            const trm_status status = TRM_FAIL(
                err, TRM_ERR_DIVERGED, row->where,
                "stopped at t = %.6g s: the rope '%s' is drawn in to %.2g m between two of its "
                "points, about which its end turns ever faster; end the run before, by an event "
                "on '%s.length'",
                sim->run.now.t, row->name, left, row->name);
            return trm_at_time(err, sim->run.now.t, status);
        }
    }
    return TRM_OK;
}

trm_status trm_sim_refuse_poles(trm_sim *sim, trm_error *err)
{
    const trm_joint_info *const info = sim->model->joint_info;
    for (int k = 0; k < sim->model->npoles; k++) {
        const trm_pole *const pole = &sim->model->pole[k];
        const trm_joint_axis *const joint = &sim->model->joint_axis[pole->joint];
        const int twists = joint->freedom == TRM_FREEDOM_TWIST;
        double t = sim->run.now.t;
        const double d = pole->acts ? least_distance(sim, joint, &t) : INFINITY;
        if (d * d < sim->run.options.rtol) {
            const trm_status status = TRM_FAIL(
                err, TRM_ERR_DIVERGED, pole->where,
                "stopped at t = %.6g s: %s, where '%s' has no value and what acts on it no "
                "direction; give '%s' limits of \"swing\"%s",
                t, twists ? "the swing comes to pi" : "the axis of b comes to lie along the side",
                info[pole->joint].name, info[info[pole->joint].of].name,
                twists ? "" : ", or another \"axis\" or \"axis2\"");
            return trm_at_time(err, t, status);
        }
    }
    return refuse_wound(sim, err);
}
