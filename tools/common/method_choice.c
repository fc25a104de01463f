/// The pair is the best-scoring row of trm_methods() that the command line does not exclude; its
/// numbers are those of trm_choose_options when that chose the same pair, else the defaults.
#include "tools/common/method_choice.h"

#include "program/run_details.h"
#include "program/suggest.h"
#include "trammel/trammel_error.h"

#include <stdio.h>
#include <string.h>

static const double default_accuracy = 1e-6;

static const unsigned tolerances = TRM_GIVEN_RTOL | TRM_GIVEN_ATOL;

int trm_method_reads(const trm_method *method, const char *name)
{
    const size_t length = strlen(name);
    const char *at = method->parameters;
    while (at != NULL && *at != '\0') {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, name, length) == 0) {
            return 1;
        }
        at += word + strspn(at + word, " ");
    }
    return 0;
}

const char *trm_srm_matrix_name(trm_srm_matrix E)
{
    static const char *const names[] = {"I", "GBt", "GBinv", "block"};
    return names[E];
}

// ----------------------------------------------------------------------------------- the pair

static trm_status unknown_name(const char *option, const char *name, int stabilization,
                               trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    char hint[80];
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    for (int i = 0; i < n; i++) {
        trm_suggest_consider(&suggestion, stabilization ? methods[i].stabilization_name
                                                        : methods[i].integrator_name);
    }
    if (stabilization && strcmp(name, "tree") == 0) {
        snprintf(hint, sizeof hint, "; --coordinates joint runs trees without drift");
    } else if (!stabilization && strcmp(name, "ida") == 0) {
        snprintf(hint, sizeof hint, " in a build without SUNDIALS (package libsundials-dev)");
    } else if (suggestion.best == NULL) {
        snprintf(hint, sizeof hint, "; \"trammel methods\" lists them");
    } else {
        trm_suggest_text(&suggestion, hint, sizeof hint);
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, option, "no %s is called \"%.40s\"%s",
                    stabilization ? "method" : "integrator", name, hint);
}

static trm_status check_names(const trm_arguments *a, trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    int method_known = a->method == NULL, integrator_known = a->integrator == NULL;
    for (int i = 0; i < n; i++) {
        method_known |= a->method && strcmp(a->method, methods[i].stabilization_name) == 0;
        integrator_known |= a->integrator && strcmp(a->integrator, methods[i].integrator_name) == 0;
    }
    if (!method_known) {
        return unknown_name("--method", a->method, 1, err);
    }
    return integrator_known ? TRM_OK : unknown_name("--integrator", a->integrator, 0, err);
}

static int named(const trm_method *m, const trm_arguments *a)
{
    return (a->method == NULL || strcmp(a->method, m->stabilization_name) == 0) &&
           (a->integrator == NULL || strcmp(a->integrator, m->integrator_name) == 0);
}

static int steps_as_asked(const trm_method *m, const trm_arguments *a)
{
    return !(m->adaptive && (a->given & TRM_GIVEN_STEP)) &&
           !(!m->adaptive && (a->given & (tolerances | TRM_GIVEN_ACCURACY)));
}

static int same_pair(const trm_method *m, const trm_options *o)
{
    return m->integrator == o->integrator && m->stabilization == o->stabilization;
}

static const struct {
    unsigned given;
    const char *option;
} parameters[] = {
    {TRM_GIVEN_EPSILON, "--epsilon"},
    {TRM_GIVEN_ITERATIONS, "--iterations"},
    {TRM_GIVEN_E, "--E"},
    {TRM_GIVEN_ALPHA1, "--alpha1"},
    {TRM_GIVEN_ALPHA0, "--alpha0"},
    {TRM_GIVEN_METRIC, "--metric"},
    {TRM_GIVEN_LAMBDA0, "--lambda0"},
    {TRM_GIVEN_ALPHA, "--alpha"},
    {TRM_GIVEN_GAMMA, "--gamma"},
    {TRM_GIVEN_FORMULA, "--formula"},
    {TRM_GIVEN_ORDER, "--order"},
    {TRM_GIVEN_FORM, "--form"},
    {TRM_GIVEN_ALPHA2, "--alpha2"},
    {TRM_GIVEN_LOCAL, "--local"},
    {TRM_GIVEN_CONTROL, "--control"},
};

/// Whether the method reads every parameter that is given.
static int reads_all(const trm_method *m, const trm_arguments *a)
{
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if ((a->given & parameters[i].given) && !trm_method_reads(m, parameters[i].option + 2)) {
            return 0;
        }
    }
    return 1;
}

/// Pairs first that take the model, as `ggl` takes no contacts, and read what is given; recommended
/// pair first, then its stabilization, then adaptive, then its integrator, then order.
static int score(const trm_method *m, const trm_model *model, const trm_arguments *a,
                 const trm_options *recommended)
{
    return 4000 * (trm_method_fits(m, model, NULL) == TRM_OK) + 2000 * reads_all(m, a) +
           1000 * same_pair(m, recommended) +
           400 * (m->stabilization == recommended->stabilization) + 200 * (m->adaptive != 0) +
           100 * (m->integrator == recommended->integrator) + m->order;
}

/// No row is left: say which two wishes exclude each other.
static trm_status no_pair(const trm_arguments *a, trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    char list[160] = "";
    int exists = 0;
    for (int i = 0; i < n; i++) {
        const int partner = a->method && strcmp(a->method, methods[i].stabilization_name) == 0;
        const size_t used = strlen(list);
        exists |= named(&methods[i], a);
        if (partner && used + 20 < sizeof list) {
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                     methods[i].integrator_name);
        }
    }
    if (!exists) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--integrator",
                        "%s does not go with --method %s, which takes %s", a->integrator, a->method,
                        list);
    }
    const char *const who = a->integrator != NULL ? a->integrator : a->method;
    if (a->given & TRM_GIVEN_STEP) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--step",
                        "is for fixed-step integrators, and %s controls its step by itself; give "
                        "--rtol and --atol, or --accuracy",
                        who);
    }
    const char *const option = a->given & TRM_GIVEN_ACCURACY ? "--accuracy"
                               : a->given & TRM_GIVEN_RTOL   ? "--rtol"
                                                             : "--atol";
    return TRM_FAIL(err, TRM_ERR_OPTIONS, option,
                    "is for adaptive integrators, and %s takes fixed steps; give --step", who);
}

static trm_status choose_pair(const trm_model *model, const trm_arguments *a,
                              const trm_options *recommended, const trm_method **out,
                              trm_error *err)
{
    const trm_method *methods, *best = NULL;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        const trm_method *const m = &methods[i];
        if (named(m, a) && steps_as_asked(m, a) &&
            (best == NULL ||
             score(m, model, a, recommended) > score(best, model, a, recommended))) {
            best = m;
        }
    }
    *out = best;
    if (best == NULL) {
        no_pair(a, err);
        return TRM_ERR_OPTIONS;
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------- its numbers

/// An option that the chosen method would ignore is refused.
static trm_status unread(const trm_method *m, const char *option, trm_error *err)
{
    const int reads = m->parameters != NULL && *m->parameters != '\0';
    return TRM_FAIL(err, TRM_ERR_OPTIONS, option,
                    "is an option of %s; %s with %s does not use it; its %s%s",
                    trm_parameter_family(option + 2), m->integrator_name, m->stabilization_name,
                    reads ? "parameters: " : "only parameters are step or tolerances",
                    reads ? m->parameters : "");
}

static trm_status check_read(const trm_arguments *a, const trm_method *m, trm_error *err)
{
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if ((a->given & parameters[i].given) && !trm_method_reads(m, parameters[i].option + 2)) {
            return unread(m, parameters[i].option, err);
        }
    }
    return TRM_OK;
}

static void set_tolerances(const trm_arguments *a, trm_options *o)
{
    if (a->given & tolerances) {
        o->accuracy = 0; // what these are for
        o->by_motion = 0;
        o->rtol = a->given & TRM_GIVEN_RTOL ? a->rtol : a->atol;
        o->atol = a->given & TRM_GIVEN_ATOL ? a->atol : a->rtol;
    }
}

void trm_set_parameters(const trm_arguments *a, trm_options *o)
{
    o->srm.epsilon = a->given & TRM_GIVEN_EPSILON ? a->epsilon : o->srm.epsilon;
    o->srm.iterations = a->given & TRM_GIVEN_ITERATIONS ? (int)a->iterations : o->srm.iterations;
    o->misfit = a->given & TRM_GIVEN_MISFIT ? a->misfit : o->misfit;
    o->srm.E = a->given & TRM_GIVEN_E ? (trm_srm_matrix)a->E : o->srm.E;
    o->baumgarte.alpha1 = a->given & TRM_GIVEN_ALPHA1 ? a->alpha1 : o->baumgarte.alpha1;
    o->baumgarte.alpha0 = a->given & TRM_GIVEN_ALPHA0 ? a->alpha0 : o->baumgarte.alpha0;
    o->mass_metric = a->given & TRM_GIVEN_METRIC ? a->metric == 0 : o->mass_metric;
    o->post.alpha = a->given & TRM_GIVEN_ALPHA ? a->alpha : o->post.alpha;
    o->post.gamma = a->given & TRM_GIVEN_GAMMA ? a->gamma : o->post.gamma;
    o->post.formula = a->given & TRM_GIVEN_FORMULA ? (trm_post_formula)a->formula : o->post.formula;
    o->srm.form = a->given & TRM_GIVEN_FORM ? (trm_srm_carried)a->form : o->srm.form;
    o->srm.order = a->given & TRM_GIVEN_ORDER ? (int)a->order : o->srm.order;
    o->alf.alpha2 = a->given & TRM_GIVEN_ALPHA2 ? a->alpha2 : o->alf.alpha2;
    o->state_space.tangent = a->given & TRM_GIVEN_LOCAL ? a->local == 1 : o->state_space.tangent;
    o->step_control = a->given & TRM_GIVEN_CONTROL ? (trm_step_control)a->control : o->step_control;
    o->srm.lambda0_zero = a->given & TRM_GIVEN_LAMBDA0 ? a->lambda0 == 1 : o->srm.lambda0_zero;
}

static void say_why(const trm_arguments *a, trm_choice *c)
{
    if (a->method != NULL && a->integrator != NULL) {
        snprintf(c->reason, sizeof c->reason, "as asked for");
    } else if (a->method != NULL) {
        snprintf(c->reason, sizeof c->reason, "integrator chosen to go with --method %s",
                 a->method);
    } else if (a->integrator != NULL) {
        snprintf(c->reason, sizeof c->reason, "stabilization chosen to go with --integrator %s",
                 a->integrator);
    } else {
        snprintf(c->reason, sizeof c->reason, "the best of the %s methods for this model",
                 c->method->adaptive ? "adaptive" : "fixed-step");
    }
}

trm_status trm_choose_method(const trm_arguments *arguments, const trm_model *model,
                             double accuracy, trm_choice *out, trm_error *err)
{
    const trm_arguments *const a = arguments;
    const int asked = (a->given & TRM_GIVEN_ACCURACY) != 0 || accuracy > 0;
    trm_options recommended;
    TRM_TRY(check_names(a, err));
    if (a->given & TRM_GIVEN_ACCURACY) {
        accuracy = a->accuracy;
    }
    accuracy = accuracy > 0 ? accuracy : default_accuracy;
    TRM_TRY(trm_choose_options(model, accuracy, &recommended, out->reason, err));
    TRM_TRY(choose_pair(model, a, &recommended, &out->method, err));
    TRM_TRY(trm_method_fits(out->method, model, err));
    TRM_TRY(check_read(a, out->method, err));

    const trm_method *const m = out->method;
    const int whole = same_pair(m, &recommended) && !a->method && !a->integrator;
    if (whole) {
        out->options = recommended;
    } else {
        out->options = trm_default_options(m->integrator, m->stabilization);
        say_why(a, out);
    }
    if (!whole && m->adaptive && asked && recommended.rtol > 0) {
        // each method's defaults are for one accuracy
        const trm_options of =
            trm_default_options(recommended.integrator, recommended.stabilization);
        out->options.rtol = recommended.rtol * (out->options.rtol / of.rtol);
        out->options.atol = out->options.rtol;
        out->options.accuracy = recommended.accuracy;
        out->options.by_motion = 1;
    }
    out->options.hand_over |= m->integrator == TRM_INTEGRATOR_ADAMS && !a->integrator;
    if (a->given & TRM_GIVEN_STEP) {
        out->options.h = a->step;
    }
    set_tolerances(a, &out->options);
    out->options.max_step = a->given & TRM_GIVEN_MAX_STEP ? a->max_step : 0;
    trm_set_parameters(a, &out->options);
    out->options.assemble = a->assemble;
    return TRM_OK;
}
