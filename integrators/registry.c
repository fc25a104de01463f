/// All methods: which integrators and stabilizations go together, their defaults, the recommendation.
#include "integrators/registry.h"
#include "engine/model.h"
#include "engine/status.h"

#ifdef TRM_WITH_SUNDIALS
#include "integrators/ida.h"
#endif

#include <math.h>
#include <stdio.h>

// clang-format off
static const trm_method methods[] = {
    {TRM_HEUN, TRM_PLAIN, "heun", "plain", "ACPR95 (1.5)-(1.6)", 2, 0, ""},
    {TRM_MIDPOINT, TRM_PLAIN, "midpoint", "plain", "ACPR95 (1.5)-(1.6)", 2, 0, ""},
    {TRM_RK4, TRM_PLAIN, "rk4", "plain", "ACPR95 (1.5)-(1.6)", 4, 0, ""},
    {TRM_DOPRI5, TRM_PLAIN, "dopri5", "plain", "ACPR95 (1.5)-(1.6)", 5, 1, "control"},
    {TRM_DOP853, TRM_PLAIN, "dop853", "plain", "ACPR95 (1.5)-(1.6)", 8, 1, ""},
    {TRM_HEUN, TRM_BAUMGARTE, "heun", "baumgarte", "B72; ACPR95 (2.1)", 2, 0, "alpha1 alpha0"},
    {TRM_MIDPOINT, TRM_BAUMGARTE, "midpoint", "baumgarte", "B72; ACPR95 (2.1)", 2, 0, "alpha1 alpha0"},
    {TRM_RK4, TRM_BAUMGARTE, "rk4", "baumgarte", "B72; ACPR95 (2.1)", 4, 0, "alpha1 alpha0"},
    {TRM_DOPRI5, TRM_BAUMGARTE, "dopri5", "baumgarte", "B72; ACPR95 (2.1)", 5, 1, "alpha1 alpha0 control"},
    {TRM_DOP853, TRM_BAUMGARTE, "dop853", "baumgarte", "B72; ACPR95 (2.1)", 8, 1, "alpha1 alpha0"},
    {TRM_HEUN, TRM_S_BOTH2, "heun", "s-both2", "ACPR95 (5.4)-(5.6), twice", 2, 0, "alpha metric formula"},
    {TRM_MIDPOINT, TRM_S_BOTH2, "midpoint", "s-both2", "ACPR95 (5.4)-(5.6), twice", 2, 0, "alpha metric formula"},
    {TRM_RK4, TRM_S_BOTH2, "rk4", "s-both2", "ACPR95 (5.4)-(5.6), twice", 4, 0, "alpha metric formula"},
    {TRM_DOPRI5, TRM_S_BOTH2, "dopri5", "s-both2", "ACPR95 (5.4)-(5.6), twice", 5, 1, "alpha metric formula control"},
    {TRM_DOP853, TRM_S_BOTH2, "dop853", "s-both2", "ACPR95 (5.4)-(5.6), twice", 8, 1, "alpha metric formula"},
    {TRM_HEUN, TRM_S_FULL, "heun", "s-full", "ACPR95 (5.4), (4.4), D = H^T", 2, 0, "alpha"},
    {TRM_MIDPOINT, TRM_S_FULL, "midpoint", "s-full", "ACPR95 (5.4), (4.4), D = H^T", 2, 0, "alpha"},
    {TRM_RK4, TRM_S_FULL, "rk4", "s-full", "ACPR95 (5.4), (4.4), D = H^T", 4, 0, "alpha"},
    {TRM_DOPRI5, TRM_S_FULL, "dopri5", "s-full", "ACPR95 (5.4), (4.4), D = H^T", 5, 1, "alpha control"},
    {TRM_DOP853, TRM_S_FULL, "dop853", "s-full", "ACPR95 (5.4), (4.4), D = H^T", 8, 1, "alpha"},
    {TRM_HEUN, TRM_S_BOTH, "heun", "s-both", "ACPR95 (5.4)-(5.6)", 2, 0, "alpha metric"},
    {TRM_MIDPOINT, TRM_S_BOTH, "midpoint", "s-both", "ACPR95 (5.4)-(5.6)", 2, 0, "alpha metric"},
    {TRM_RK4, TRM_S_BOTH, "rk4", "s-both", "ACPR95 (5.4)-(5.6)", 4, 0, "alpha metric"},
    {TRM_DOPRI5, TRM_S_BOTH, "dopri5", "s-both", "ACPR95 (5.4)-(5.6)", 5, 1, "alpha metric control"},
    {TRM_DOP853, TRM_S_BOTH, "dop853", "s-both", "ACPR95 (5.4)-(5.6)", 8, 1, "alpha metric"},
    {TRM_HEUN, TRM_S_VEL, "heun", "s-vel", "ACPR95 (5.4)-(5.6), velocities", 2, 0, "alpha metric"},
    {TRM_MIDPOINT, TRM_S_VEL, "midpoint", "s-vel", "ACPR95 (5.4)-(5.6), velocities", 2, 0, "alpha metric"},
    {TRM_RK4, TRM_S_VEL, "rk4", "s-vel", "ACPR95 (5.4)-(5.6), velocities", 4, 0, "alpha metric"},
    {TRM_DOPRI5, TRM_S_VEL, "dopri5", "s-vel", "ACPR95 (5.4)-(5.6), velocities", 5, 1, "alpha metric control"},
    {TRM_DOP853, TRM_S_VEL, "dop853", "s-vel", "ACPR95 (5.4)-(5.6), velocities", 8, 1, "alpha metric"},
    {TRM_HEUN, TRM_S_POS, "heun", "s-pos", "ACPR95 (5.4)-(5.6), positions", 2, 0, "alpha metric"},
    {TRM_MIDPOINT, TRM_S_POS, "midpoint", "s-pos", "ACPR95 (5.4)-(5.6), positions", 2, 0, "alpha metric"},
    {TRM_RK4, TRM_S_POS, "rk4", "s-pos", "ACPR95 (5.4)-(5.6), positions", 4, 0, "alpha metric"},
    {TRM_DOPRI5, TRM_S_POS, "dopri5", "s-pos", "ACPR95 (5.4)-(5.6), positions", 5, 1, "alpha metric control"},
    {TRM_DOP853, TRM_S_POS, "dop853", "s-pos", "ACPR95 (5.4)-(5.6), positions", 8, 1, "alpha metric"},
    {TRM_HEUN, TRM_S_IMPLICIT, "heun", "s-implicit", "ACPR95 (5.2)", 2, 0, "alpha metric"},
    {TRM_MIDPOINT, TRM_S_IMPLICIT, "midpoint", "s-implicit", "ACPR95 (5.2)", 2, 0, "alpha metric"},
    {TRM_RK4, TRM_S_IMPLICIT, "rk4", "s-implicit", "ACPR95 (5.2)", 4, 0, "alpha metric"},
    {TRM_DOPRI5, TRM_S_IMPLICIT, "dopri5", "s-implicit", "ACPR95 (5.2)", 5, 1, "alpha metric control"},
    {TRM_DOP853, TRM_S_IMPLICIT, "dop853", "s-implicit", "ACPR95 (5.2)", 8, 1, "alpha metric"},
    {TRM_HEUN, TRM_S_CONTINUOUS, "heun", "s-continuous", "ACPR95 (4.3)", 2, 0, "gamma metric"},
    {TRM_MIDPOINT, TRM_S_CONTINUOUS, "midpoint", "s-continuous", "ACPR95 (4.3)", 2, 0, "gamma metric"},
    {TRM_RK4, TRM_S_CONTINUOUS, "rk4", "s-continuous", "ACPR95 (4.3)", 4, 0, "gamma metric"},
    {TRM_DOPRI5, TRM_S_CONTINUOUS, "dopri5", "s-continuous", "ACPR95 (4.3)", 5, 1, "gamma metric control"},
    {TRM_DOP853, TRM_S_CONTINUOUS, "dop853", "s-continuous", "ACPR95 (4.3)", 8, 1, "gamma metric"},
    {TRM_HEUN, TRM_STATE_SPACE, "heun", "state-space", "ACPR95 (3.1)-(3.2)", 2, 0, "local metric"},
    {TRM_MIDPOINT, TRM_STATE_SPACE, "midpoint", "state-space", "ACPR95 (3.1)-(3.2)", 2, 0, "local metric"},
    {TRM_RK4, TRM_STATE_SPACE, "rk4", "state-space", "ACPR95 (3.1)-(3.2)", 4, 0, "local metric"},
    {TRM_DOPRI5, TRM_STATE_SPACE, "dopri5", "state-space", "ACPR95 (3.1)-(3.2)", 5, 1, "local metric control"},
    {TRM_DOP853, TRM_STATE_SPACE, "dop853", "state-space", "ACPR95 (3.1)-(3.2)", 8, 1, "local metric"},
    {TRM_HEUN, TRM_PROJECTION, "heun", "projection", "ACPR95 (5.3)", 2, 0, "metric"},
    {TRM_MIDPOINT, TRM_PROJECTION, "midpoint", "projection", "ACPR95 (5.3)", 2, 0, "metric"},
    {TRM_RK4, TRM_PROJECTION, "rk4", "projection", "ACPR95 (5.3)", 4, 0, "metric"},
    {TRM_DOPRI5, TRM_PROJECTION, "dopri5", "projection", "ACPR95 (5.3)", 5, 1, "metric control"},
    {TRM_DOP853, TRM_PROJECTION, "dop853", "projection", "ACPR95 (5.3)", 8, 1, "metric"},
    {TRM_HEUN, TRM_TREE, "heun", "tree", "articulated bodies, F83; F08 7.3", 2, 0, ""},
    {TRM_MIDPOINT, TRM_TREE, "midpoint", "tree", "articulated bodies, F83; F08 7.3", 2, 0, ""},
    {TRM_RK4, TRM_TREE, "rk4", "tree", "articulated bodies, F83; F08 7.3", 4, 0, ""},
    {TRM_DOPRI5, TRM_TREE, "dopri5", "tree", "articulated bodies, F83; F08 7.3", 5, 1, "control"},
    {TRM_DOP853, TRM_TREE, "dop853", "tree", "articulated bodies, F83; F08 7.3", 8, 1, ""},
    {TRM_HEUN, TRM_SRM, "heun", "srm", "AL95 (5.3)-(5.4)", 2, 0, "epsilon iterations E lambda0"},
    {TRM_HEUN, TRM_SRM_INVARIANT, "heun", "srm-invariant", "AL95 (4.12)", 2, 0, "epsilon iterations E metric"},
    {TRM_HEUN, TRM_ALF, "heun", "alf", "AL95 (4.4)-(4.5), E = I", 2, 0, "epsilon iterations alpha2 alpha1 alpha0 lambda0"},
    {TRM_HEUN, TRM_SRM_SINGULAR, "heun", "srm-singular", "AL95 (5.5)-(5.6)", 2, 0, "epsilon iterations lambda0"},
    {TRM_HEM3, TRM_PROJECTION, "hem3", "projection", "half-explicit; ACPR95 (5.3)", 3, 0, "metric"},
    {TRM_HEM3, TRM_S_BOTH2, "hem3", "s-both2", "half-explicit; ACPR95 (5.4)-(5.6), twice", 3, 0, "alpha metric formula"},
    {TRM_RK4, TRM_SRM_P, "rk4", "srm-p", "AL95 (5.5)-(5.6), epsilon -> 0", 4, 0, "passes degree"},
    {TRM_DOPRI5, TRM_SRM_P, "dopri5", "srm-p", "AL95 (5.5)-(5.6), epsilon -> 0", 4, 1, "passes degree"},
#ifdef TRM_WITH_SUNDIALS
    {TRM_IDA, TRM_GGL, "ida", "ggl", "ACPR95 (3.3), both levels", 5, 1, "metric"},
    {TRM_IDA, TRM_BAUMGARTE, "ida", "baumgarte", "B72; ACPR95 (2.1)", 5, 1, "alpha1 alpha0"},
    {TRM_IDA, TRM_PLAIN, "ida", "plain", "ACPR95 (1.5)-(1.6)", 5, 1, ""},
#endif
};
// clang-format on

enum { METHODS = sizeof methods / sizeof methods[0] };

int trm_methods(const trm_method **out)
{
    if (out) {
        *out = methods;
    }
    return METHODS;
}

trm_status trm_method_fits(const trm_method *method, const trm_model *model, trm_error *err)
{
    if (!method || !model) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, method ? "model" : "method",
                        "expected a method and a model, got NULL");
    }
    return method->stabilization == TRM_TREE ? trm_tree_check(model, err) : TRM_OK;
}

static const trm_method_ops *integrator_code(trm_integrator integrator)
{
    switch (integrator) {
    case TRM_HEUN:
        return &trm_heun;
    case TRM_MIDPOINT:
        return &trm_midpoint;
    case TRM_RK4:
        return &trm_rk4;
    case TRM_DOPRI5:
        return &trm_dopri5;
    case TRM_DOP853:
        return &trm_dop853;
    case TRM_HEM3:
        return &trm_hem3;
    case TRM_IDA:
#ifdef TRM_WITH_SUNDIALS
        return &trm_ida_index1;
#else
        break;
#endif
    }
    return NULL;
}

static const trm_stabilization_ops *stabilization_code(trm_stabilization stabilization)
{
    switch (stabilization) {
    case TRM_PLAIN:
        return &trm_plain;
    case TRM_BAUMGARTE:
        return &trm_baumgarte;
    case TRM_S_FULL:
        return &trm_s_full;
    case TRM_S_BOTH:
        return &trm_s_both;
    case TRM_S_BOTH2:
        return &trm_s_both2;
    case TRM_S_VEL:
        return &trm_s_vel;
    case TRM_S_POS:
        return &trm_s_pos;
    case TRM_S_IMPLICIT:
        return &trm_s_implicit;
    case TRM_S_CONTINUOUS:
        return &trm_s_continuous;
    case TRM_PROJECTION:
        return &trm_projection;
    case TRM_STATE_SPACE:
        return &trm_state_space;
    case TRM_TREE:
        return &trm_tree_coordinates;
    case TRM_GGL:
#ifdef TRM_WITH_SUNDIALS
        return &trm_ggl;
#endif
    case TRM_SRM:
    case TRM_SRM_SINGULAR:
    case TRM_SRM_P:
    case TRM_ALF:
    case TRM_SRM_INVARIANT:
        break;
    }
    return NULL;
}

/// Methods that step by themselves; NULL for those that an integrator steps.
static const trm_method_ops *own_step(const trm_method *method)
{
    switch (method->stabilization) {
    case TRM_SRM:
        return &trm_srm;
    case TRM_SRM_SINGULAR:
        return &trm_srm_singular;
    case TRM_SRM_INVARIANT:
        return &trm_srm_invariant;
    case TRM_ALF:
        return &trm_alf;
    case TRM_SRM_P:
        return method->integrator == TRM_RK4 ? &trm_srm_p_rk4 : &trm_srm_p_dopri5;
#ifdef TRM_WITH_SUNDIALS
    case TRM_GGL:
        return &trm_ida_ggl;
#endif
    default:
        return NULL;
    }
}

trm_method_code trm_method_find(trm_integrator integrator, trm_stabilization stabilization)
{
    for (int i = 0; i < METHODS; i++) {
        const trm_method *method = &methods[i];
        if (method->integrator == integrator && method->stabilization == stabilization) {
            const trm_method_ops *own = own_step(method);
            return (trm_method_code){method, own ? own : integrator_code(integrator),
                                     stabilization_code(stabilization)};
        }
    }
    return (trm_method_code){0};
}

trm_options trm_default_options(trm_integrator integrator, trm_stabilization stabilization)
{
    const trm_method_code code = trm_method_find(integrator, stabilization);
    const int adaptive = code.method && code.method->adaptive;
    return (trm_options){.integrator = integrator,
                         .stabilization = stabilization,
                         .h = adaptive ? 0 : 1e-3,
                         .rtol = 1e-8, // as for an accuracy of 1e-6
                         .atol = 1e-8,
                         .alpha2 = 1,
                         .alpha1 = 20, // gamma = 10 in (alpha1, alpha0) = (2 gamma, gamma^2)
                         .alpha0 = 100,
                         .iterations = 2,
                         .E = TRM_E_IDENTITY,
                         .mass_metric = 1,
                         .tangent = 1,
                         .alpha = 1,
                         .gamma = 10,
                         .passes = 1,
                         .degree = 2,
                         .tolerance = 1e-8,
                         .damping = 1e-10,
                         .struct_size = sizeof(trm_options)};
}

static trm_status check_value(double value, int ok, const char *name, const char *expected,
                              trm_error *err)
{
    if (!ok || !isfinite(value)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, name, "%s must be %s, got %g", name, expected, value);
    }
    return TRM_OK;
}

trm_status trm_options_check(const trm_options *o, trm_error *err)
{
    if (!o) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options", "expected options, got NULL");
    }
    const int E = (int)o->E;
    if (o->struct_size != sizeof *o) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "trm_options",
                        "the options do not come from trm_default_options of this version");
    }
    const trm_method_code code = trm_method_find(o->integrator, o->stabilization);
    if (!code.method) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "trm_options",
                        "this integrator and this stabilization do not go together; trm_methods "
                        "lists the pairs that do");
    }
    if (code.method->adaptive) {
        TRM_TRY(check_value(o->rtol, o->rtol >= 0, "rtol", ">= 0", err));
        TRM_TRY(check_value(o->atol, o->atol > 0, "atol", "> 0", err));
        TRM_TRY(check_value(o->h, o->h >= 0, "h", ">= 0", err));
    } else {
        TRM_TRY(check_value(o->h, o->h > 0, "h", "> 0", err));
    }
    const int any_alpha = o->stabilization == TRM_S_IMPLICIT;
    TRM_TRY(check_value(o->alpha2, o->alpha2 >= 0, "alpha2", ">= 0", err));
    TRM_TRY(check_value(o->alpha1, o->alpha1 >= 0, "alpha1", ">= 0", err));
    TRM_TRY(check_value(o->alpha0, o->alpha0 >= 0, "alpha0", ">= 0", err));
    TRM_TRY(check_value(o->epsilon, o->epsilon >= 0, "epsilon", ">= 0", err));
    TRM_TRY(check_value(o->iterations, o->iterations >= 1 && o->iterations <= 1000, "iterations",
                        "between 1 and 1000", err));
    TRM_TRY(check_value(E, E >= TRM_E_IDENTITY && E <= TRM_E_GB_INVERSE, "E", "one of trm_E", err));
    TRM_TRY(check_value(o->gamma, o->gamma >= 0, "gamma", ">= 0", err));
    TRM_TRY(check_value(o->alpha, o->alpha > 0 && (o->alpha < 2 || any_alpha), "alpha",
                        any_alpha ? "> 0" : "between 0 and 2", err));
    TRM_TRY(check_value(o->passes, o->passes == 1 || o->passes == 2, "passes", "1 or 2", err));
    TRM_TRY(check_value(o->degree, o->degree >= 0 && o->degree <= 2, "degree", "0, 1 or 2", err));
    TRM_TRY(check_value(o->tolerance, o->tolerance > 0, "tolerance", "> 0", err));
    return check_value(o->damping, o->damping > 0 && o->damping < 1e-2, "damping",
                       "between 0 and 0.01", err);
}

trm_status trm_choose_options(const trm_model *model, double accuracy, trm_options *out,
                              char reason[256], trm_error *err)
{
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the options, got NULL");
    }
    TRM_TRY(
        check_value(accuracy, accuracy > 0 && accuracy < 1, "accuracy", "between 0 and 1", err));
    const int free_motion = model->sizes.nc == 0;
    const int tree = !free_motion && model->tree.n > 0;
    *out = trm_default_options(TRM_DOP853, free_motion ? TRM_PLAIN : tree ? TRM_TREE : TRM_S_BOTH2);
    // errors of the steps add up over a run and grow along it; near 1e-13 they are roundoff
    out->rtol = fmax(accuracy / 100, 1e-13);
    out->atol = out->rtol;
    if (reason) {
        snprintf(reason, 256, "%s%s",
                 free_motion ? "no constraints, so an explicit method of high order"
                 : tree      ? "an open tree of pins: of high order, in its angles, so that no pin "
                               "opens"
                 : model->may_lose_rank ? "closed loops: of high order, corrected each step, and "
                                          "at home in singular positions"
                                        : "of high order, corrected to the constraints each step",
                 accuracy / 100 < 1e-13 ? "; no tolerance below 1e-13 in double precision" : "");
    }
    return TRM_OK;
}
