/// Angles that jump. yaw and roll, and any other atan2 of a constraint, jump from pi to -pi: a
/// prescribed motion through pi cannot be followed. The jump is a switch; this file reports it.
#include "base/status.h"
#include "engine/multibody/model.h"
#include "simulation/run/simulation.h"

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

trm_status trm_sim_refuse_cut(trm_sim *sim, int which, double t, trm_error *err)
{
    const trm_model *model = sim->model;
    int arguments[2], k = 0, body = 0;
    const trm_switching_formula *formula = trm_locator_formula(&sim->locator, which, &k);
    trm_expression_switching_arguments(formula->f.code, k, arguments);
    const char *angle = angle_of(&formula->f, arguments, &body);
    const int hinge = angle ? hinge_of(model, body) : -1;
    const trm_status status =
        !angle
            ? TRM_FAIL(
                  err, TRM_ERR_DIVERGED, formula->where,
                  "stopped at t = %.6g s: an atan2 in constraint '%s' jumps there by a whole turn",
                  t, formula->name)
            : TRM_FAIL(
                  err, TRM_ERR_DIVERGED, formula->where,
                  "stopped at t = %.6g s: %s.%s in constraint '%s' jumps there from pi to -pi or "
                  "back%s%s%s",
                  t, model->body_info[body].name, angle, formula->name, hinge >= 0 ? "; " : "",
                  hinge >= 0 ? model->joint_info[hinge].name : "",
                  hinge >= 0 ? ".angle counts turns" : "");
    return trm_at_time(err, t, status);
}
