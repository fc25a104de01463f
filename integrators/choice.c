/// The choice of a method for a model, and which models a method can run.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "engine/multibody/extent.h"
#include "integrators/registry.h"
#include "trammel/trammel_methods.h"

#include <math.h>
#include <stdio.h>

/// Independent coordinates determine the others by equations of positions.
static trm_status refuse_speeds(const trm_model *model, trm_error *err)
{
    int row = 0;
    for (int i = model->sizes.nc - 1; i >= 0; i--) {
        row = model->speed[i] ? i : row; // the first
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, model->row_info[row].where,
                    "the method 'state-space' needs equations of positions; '%s' holds velocities "
                    "alone",
                    model->row_info[row].name);
}

static trm_status refuse_contacts(const trm_method *method, const trm_model *model, trm_error *err)
{
    char others[TRM_METHOD_NAMES];
    trm_methods_with_contacts(others);
    return TRM_FAIL(err, TRM_ERR_OPTIONS, model->contacts[0].where,
                    "'%.60s' has limits, friction or a stop, which method '%s' with '%s' does not "
                    "take; %s",
                    model->contacts[0].name, method->integrator_name, method->stabilization_name,
                    others);
}

trm_status trm_method_fits(const trm_method *method, const trm_model *model, trm_error *err)
{
    if (!method || !model) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, method ? "model" : "method",
                        "expected a method and a model, got NULL");
    }
    if (model->ncontacts > 0 && !trm_method_takes_contacts(method)) {
        return refuse_contacts(method, model, err);
    }
    if (model->ncontacts == 0 && method->integrator == TRM_INTEGRATOR_MOREAU) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "integrator",
                        "'moreau' is for limits, stops and friction, and there are none");
    }
    if (model->observed && method->integrator == TRM_INTEGRATOR_MOREAU) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "integrator",
                        "'moreau' knows means of forces over steps, and the condition of an event, "
                        "or what it sets, reads forces or energies");
    }
    if (model->nspeeds > 0 && method->stabilization == TRM_STABILIZATION_STATE_SPACE) {
        return refuse_speeds(model, err);
    }
    return TRM_OK;
}

typedef struct start_of_model {
    trm_arena arena;
    trm_extents extent;
    double *z; ///< [nq + nv]
} start_of_model;

static void layout(const trm_model *model, start_of_model *start)
{
    const trm_sizes n = model->sizes;
    trm_extents_layout(&start->extent, n.nq, n.nv, n.nc, &start->arena);
    start->extent.size = trm_arena_doubles(&start->arena, n.nbody);
    start->z = trm_arena_doubles(&start->arena, n.nq + n.nv);
}

/// The largest coordinate in m of a body, in sizes of its mechanism, at least 1.
static double away_of(const trm_model *model, const start_of_model *start)
{
    const int linear = model->bodies.width == 3 ? 2 : 3;
    double away = 1;
    for (int b = 0; b < model->sizes.nbody; b++) {
        for (int i = model->body_info[b].q0; i < model->body_info[b].q0 + linear; i++) {
            away = fmax(fabs(start->z[i]) / start->extent.q[i], away);
        }
    }
    return away;
}

/// Errors of steps are roundoff near 1e-13 where places are those of a mechanism of their size. The
/// places of a mechanism that is `away` sizes from the origin are rounded to eps times that, and so
/// are its rows: beside a singular position, at the distance s, that is an acceleration of eps/s^3
/// across the motion, from which shorter steps come no nearer.
double trm_choice_finest(const trm_model *model, trm_integrator integrator)
{
    const double near = TRM_FINEST / (trm_method_steps(integrator) / (double)TRM_ACCURACY_STEPS);
    start_of_model start = {.arena = {0}};
    double away = 1;
    layout(model, &start);
    if (model->may_lose_rank && !model->from_equations && trm_arena_open(&start.arena)) {
        layout(model, &start);
        trm_model_initial_state(model, start.z, start.z + model->sizes.nq);
        trm_extents_measure(&start.extent, model, start.z);
        away = away_of(model, &start);
        trm_arena_close(&start.arena);
    }
    return isfinite(away) ? near * away : near;
}

trm_status trm_choose_options(const trm_model *model, double accuracy, trm_options *out,
                              char reason[256], trm_error *err)
{
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the options, got NULL");
    }
    if (!(accuracy > 0 && accuracy < 1)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "accuracy",
                        "accuracy must be between 0 and 1, got %g", accuracy);
    }
    const trm_model *const run = model->in_joints ? model->in_joints : model;
    const int free_motion = run->sizes.nc == 0;
    *out = trm_default_options(TRM_INTEGRATOR_DOP853,
                               free_motion ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_S_BOTH2);
    // errors of the steps add up over a run and grow along it
    const double finest = trm_choice_finest(model, TRM_INTEGRATOR_DOP853);
    out->rtol = fmax(accuracy / TRM_ACCURACY_STEPS, finest);
    out->atol = out->rtol;
    out->by_motion = 1;
    out->accuracy = accuracy;
    out->hand_over = 1;
    // at the accuracy that is asked for by default overlaps are fair; a step of order 1 gains a
    // digit with each one more
    out->overlap *= fmin(1, accuracy / TRM_ACCURACY_DEFAULT_GOOD);
    char limit[80] = "";
    if (accuracy / TRM_ACCURACY_STEPS < finest) {
        snprintf(limit, sizeof limit, "; no tolerance below %.2g in double precision%s", finest,
                 finest > 1e-13 ? ", so far from the origin" : "");
    }
    if (reason) {
        snprintf(reason, 256, "%s%s",
                 free_motion && model->sizes.nc > 0
                     ? "for an open tree in joint coordinates: high order, no joint opens"
                 : free_motion ? "for free bodies: an explicit method of high order"
                 : model->may_lose_rank
                     ? "for closed loops: high order, corrected after each step, "
                       "robust at singular positions"
                     : "high order, corrected to the constraints after each step",
                 limit);
    }
    return TRM_OK;
}
