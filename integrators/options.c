/// The options of a method: defaults and ranges.
#include "base/accuracy_policy.h"
#include "base/rank_numbers.h"
#include "base/sized.h"
#include "base/status.h"
#include "integrators/registry.h"
#include "program/run_details.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_model.h"

#include <math.h>
#include <string.h>

int trm_method_steps(trm_integrator integrator)
{
    return integrator == TRM_INTEGRATOR_ADAMS ? TRM_ACCURACY_STEPS_MULTISTEP : TRM_ACCURACY_STEPS;
}

static trm_options default_options(trm_integrator integrator, trm_stabilization stabilization)
{
    const trm_method_code code = trm_method_find(integrator, stabilization);
    const int adaptive = code.method && code.method->adaptive;
    const double tolerance = 1e-6 / trm_method_steps(integrator);
    return (trm_options){
        .integrator = integrator,
        .stabilization = stabilization,
        .h = adaptive ? 0 : 1e-3,
        .rtol = tolerance, // as for an accuracy of 1e-6
        .atol = tolerance,
        .overlap = 0.1 * TRM_ACCURACY_DEFAULT_FAIR, // ten on top of each other add up to it
        .mass_metric = 1,
        .baumgarte = {.alpha1 = 20, .alpha0 = 100}, // 2 gamma, gamma^2 with gamma = 10
        .alf = {.alpha2 = 1},
        .srm = {.iterations = 2,
                .E = stabilization == TRM_STABILIZATION_SRM ? TRM_SRM_MATRIX_BLOCKS
                                                            : TRM_SRM_MATRIX_IDENTITY},
        .post = {.alpha = 1, .gamma = 10},
        .state_space = {.tangent = 1},
        .tolerance = 1e-8,
        .misfit = -1,
        .damping = TRM_DAMPING,
        .struct_size = sizeof(trm_options)};
}

void trm_get_default_options(trm_integrator integrator, trm_stabilization stabilization,
                             trm_options *out, size_t size)
{
    const trm_options known = default_options(integrator, stabilization);
    trm_hand_out(out, size, &known, sizeof known);
}

static trm_status check_value(double value, int ok, const char *name, const char *expected,
                              trm_error *err)
{
    if (!ok || !isfinite(value)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, name, "%s must be %s, got %g", name, expected, value);
    }
    return TRM_OK;
}

const char *trm_parameter_family(const char *parameter)
{
    static const char *const families[][2] = {
        {"alpha1", "baumgarte and alf"},
        {"alpha0", "baumgarte and alf"},
        {"alpha2", "alf"},
        {"epsilon", "sequential regularization"},
        {"iterations", "sequential regularization"},
        {"E", "srm and srm-invariant"},
        {"lambda0", "sequential regularization"},
        {"alpha", "post-stabilization"},
        {"gamma", "s-continuous"},
        {"formula", "s-both2"},
        {"order", "srm with adams"},
        {"form", "srm with heun"},
        {"local", "state-space"},
        {"metric", "post-stabilization, projection, srm-invariant, state-space and ggl"},
        {"control", "dopri5"},
    };
    for (size_t i = 0; parameter && i < sizeof families / sizeof *families; i++) {
        if (strcmp(families[i][0], parameter) == 0) {
            return families[i][1];
        }
    }
    return NULL;
}

/// An option that belongs to some methods, and its values.
typedef struct trm_owned {
    const char *parameter; ///< its name in trm_method.parameters
    const char *field;     ///< of trm_options
    double value, fallback;
} trm_owned;

static int reads(const trm_method *method, const char *parameter)
{
    const size_t length = strlen(parameter);
    for (const char *at = method->parameters; (at = strstr(at, parameter)); at += length) {
        const int begins = at == method->parameters || at[-1] == ' ';
        if (begins && (at[length] == ' ' || !at[length])) {
            return 1;
        }
    }
    return 0;
}

/// Refuses a value other than the default in an option that the method does not read.
static trm_status check_relevance(const trm_options *o, const trm_method *method, trm_error *err)
{
    const trm_options d = trm_default_options(o->integrator, o->stabilization);
    const trm_owned owned[] = {
        {"alpha1", "baumgarte.alpha1", o->baumgarte.alpha1, d.baumgarte.alpha1},
        {"alpha0", "baumgarte.alpha0", o->baumgarte.alpha0, d.baumgarte.alpha0},
        {"alpha2", "alf.alpha2", o->alf.alpha2, d.alf.alpha2},
        {"epsilon", "srm.epsilon", o->srm.epsilon, d.srm.epsilon},
        {"iterations", "srm.iterations", o->srm.iterations, d.srm.iterations},
        {"E", "srm.E", o->srm.E, d.srm.E},
        {"lambda0", "srm.lambda0_zero", o->srm.lambda0_zero, d.srm.lambda0_zero},
        {"alpha", "post.alpha", o->post.alpha, d.post.alpha},
        {"gamma", "post.gamma", o->post.gamma, d.post.gamma},
        {"formula", "post.formula", o->post.formula, d.post.formula},
        {"order", "srm.order", o->srm.order, d.srm.order},
        {"form", "srm.form", o->srm.form, d.srm.form},
        {"local", "state_space.tangent", o->state_space.tangent, d.state_space.tangent},
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        if (!(owned[i].value == owned[i].fallback) && !reads(method, owned[i].parameter)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, owned[i].field,
                            "%s is an option of %s; %s with %s does not read it", owned[i].field,
                            trm_parameter_family(owned[i].parameter), method->integrator_name,
                            method->stabilization_name);
        }
    }
    return TRM_OK;
}

/// F of a stage needs an integrator whose last stage is at the end of the step.
static trm_status check_formula(const trm_options *o, const trm_method_code *code, trm_error *err)
{
    const int formula = (int)o->post.formula;
    TRM_TRY(check_value(formula,
                        formula >= TRM_POST_FORMULA_TABLES && formula <= TRM_POST_FORMULA_STAGE,
                        "formula", "one of trm_post_formula", err));
    return formula != TRM_POST_FORMULA_STAGE || code->ops->last_stage
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "post.formula",
                          "F from the last stage goes with dopri5 and dop853, not with %s",
                          code->method->integrator_name);
}

/// lambda-hat goes with E = (GB)^-1, which need not be given.
static trm_status check_E(const trm_options *o, trm_error *err)
{
    const trm_options d = trm_default_options(o->integrator, o->stabilization);
    return o->srm.form != TRM_SRM_LAMBDA_HAT || o->srm.E == d.srm.E ||
                   o->srm.E == TRM_SRM_MATRIX_GB_INVERSE
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "srm.E",
                          "lambda-hat [AL95 (5.6)] goes with E = GBinv alone");
}

trm_status trm_options_check(const trm_options *o, trm_error *err)
{
    if (!o) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options", "expected options, got NULL");
    }
    const int E = (int)o->srm.E;
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
    TRM_TRY(check_value(o->accuracy, o->accuracy >= 0 && o->accuracy < 1, "accuracy",
                        "0, or between 0 and 1", err));
    TRM_TRY(check_relevance(o, code.method, err));
    const int any_alpha = o->stabilization == TRM_STABILIZATION_S_IMPLICIT;
    TRM_TRY(check_value(o->alf.alpha2, o->alf.alpha2 >= 0, "alpha2", ">= 0", err));
    TRM_TRY(check_value(o->baumgarte.alpha1, o->baumgarte.alpha1 >= 0, "alpha1", ">= 0", err));
    TRM_TRY(check_value(o->baumgarte.alpha0, o->baumgarte.alpha0 >= 0, "alpha0", ">= 0", err));
    TRM_TRY(check_value(o->srm.epsilon, o->srm.epsilon >= 0, "epsilon", ">= 0", err));
    TRM_TRY(check_value(o->srm.iterations, o->srm.iterations >= 1 && o->srm.iterations <= 1000,
                        "iterations", "between 1 and 1000", err));
    TRM_TRY(check_value(o->srm.order, o->srm.order >= 0 && o->srm.order <= 8, "order",
                        "between 1 and 8, or 0 for 8", err));
    const int last = o->stabilization == TRM_STABILIZATION_SRM ? TRM_SRM_MATRIX_BLOCKS
                                                               : TRM_SRM_MATRIX_GB_INVERSE;
    TRM_TRY(check_value(E, E >= TRM_SRM_MATRIX_IDENTITY && E <= last, "E",
                        "one of trm_srm_matrix, BLOCKS with srm alone", err));
    TRM_TRY(check_value((int)o->srm.form,
                        o->srm.form == TRM_SRM_LAMBDA || o->srm.form == TRM_SRM_LAMBDA_HAT, "form",
                        "one of trm_srm_carried", err));
    TRM_TRY(check_E(o, err));
    TRM_TRY(check_value(o->post.gamma, o->post.gamma >= 0, "gamma", ">= 0", err));
    TRM_TRY(check_value(o->post.alpha, o->post.alpha > 0 && (o->post.alpha < 2 || any_alpha),
                        "alpha", any_alpha ? "> 0" : "between 0 and 2", err));
    TRM_TRY(check_value(o->tolerance, o->tolerance > 0, "tolerance", "> 0", err));
    TRM_TRY(check_value(o->misfit,
                        o->misfit == -1 || (o->misfit >= 0 && o->misfit <= TRM_MOST_MISFIT),
                        "misfit", "between 0 and 0.02 of the size of a mechanism, or -1", err));
    TRM_TRY(check_value(o->overlap, o->overlap > 0 && o->overlap < 1, "overlap",
                        "between 0 and 1, of the size of a mechanism", err));
    TRM_TRY(check_value(o->max_step, o->max_step >= 0, "max_step", ">= 0", err));
    TRM_TRY(check_formula(o, &code, err));
    return check_value(o->damping, o->damping > 0 && o->damping < 1e-2, "damping",
                       "between 0 and 0.01", err);
}

const char *trm_options_refuse_misfit(const trm_options *o)
{
    return o->integrator == TRM_INTEGRATOR_HEUN && o->stabilization == TRM_STABILIZATION_SRM &&
                   o->srm.form == TRM_SRM_LAMBDA && o->srm.E == TRM_SRM_MATRIX_BLOCKS
               ? "E = block takes only a misfit that is given, E = GBinv any"
               : NULL;
}
