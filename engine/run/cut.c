/// Angles that jump. yaw and roll, and any other atan2 of a constraint, go from pi to -pi: a motion that is given
/// through there cannot be followed, and the run stops with a step of no length. Then this tells why.
#include "engine/base/status.h"
#include "engine/mechanism/model.h"
#include "engine/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// "yaw" and its body when the arguments of the atan2 are the entries of R that make it; else NULL.
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
        if (joint->freedom == TRM_FREEDOM_ANGLE && (joint->a == body || joint->b == body)) {
            return j;
        }
    }
    return -1;
}

static void describe(const trm_model *model, const trm_expression_row *row, const int arguments[2],
                     char *out, size_t size)
{
    int body = 0;
    const char *angle = angle_of(&row->e, arguments, &body);
    if (!angle) {
        snprintf(out, size, "an atan2 in constraint '%s' jumps there by a whole turn", row->name);
        return;
    }
    const int hinge = hinge_of(model, body);
    const int n = snprintf(out, size, "%s.%s in constraint '%s' jumps there from pi to -pi or back",
                           model->body_info[body].name, angle, row->name);
    if (hinge >= 0 && n >= 0 && (size_t)n < size) {
        snprintf(out + n, size - (size_t)n, "; %s.angle counts turns",
                 model->joint_info[hinge].name);
    }
}

static int meets_at(trm_sim *sim, const trm_point_of_run *point, char *out, size_t size)
{
    const trm_run *run = &sim->run;
    const trm_model *model = sim->model;
    const double *v = point->z + run->system->nq;
    const trm_look look = trm_assembler_look(run->system, point->t, point->z, v, v);
    for (int k = 0; k < model->nexpressions; k++) {
        int arguments[2];
        const trm_function *e = &model->expressions[k].e;
        if (trm_function_time_to_cut(e, look.pose, look.V, arguments) <= run->stats.h) {
            describe(model, &model->expressions[k], arguments, out, size);
            return 1;
        }
    }
    return 0;
}

int trm_sim_meets_cut(trm_sim *sim, char *out, size_t size)
{
    const trm_run *run = &sim->run;
    return sim->model->nexpressions > 0 &&
           (meets_at(sim, &run->now, out, size) ||
            (run->before.t < run->now.t && meets_at(sim, &run->before, out, size)));
}

trm_status trm_sim_refuse_cut(trm_sim *sim, const char *what, trm_error *err)
{
    const double t = sim->run.now.t;
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_DIVERGED, "", "stopped at t = %.6g s: %s", t, what);
    if (err) {
        err->t = t;
    }
    return status;
}
