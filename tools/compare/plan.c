/// The default plan knows two numbers of the scene: h5, the mean step of dopri5 at rtol 1e-6, and
/// the evaluations of the reference. Fixed steps go down from a multiple of h5 that depends on the
/// order; tolerances are 1e-4, 1e-6, ... 1e-12. The finest rows are left out when counting
/// evaluations says that all rows together would take too long. No time is measured here: the plan
/// is the same on every machine.
#include "tools/compare/plan.h"

#include "program/suggest.h"
#include "tools/common/method_choice.h"
#include "tools/compare/form.h"
#include "tools/compare/recording.h"
#include "tools/compare/row.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double total_work = 60, longest_row = 4; // s of CPU, as estimated

// ----------------------------------------------------------------------------------- the pairs

typedef struct word {
    const char *at;
    size_t length;
} word;

static int is(word w, const char *name)
{
    return strlen(name) == w.length && strncmp(w.at, name, w.length) == 0;
}

/// "integrator+stabilization", either of them alone.
static int means(word w, const trm_method *m)
{
    const char *const plus = memchr(w.at, '+', w.length);
    if (plus == NULL) {
        return is(w, m->integrator_name) || is(w, m->stabilization_name);
    }
    const size_t first = (size_t)(plus - w.at);
    return is((word){w.at, first}, m->integrator_name) &&
           is((word){plus + 1, w.length - first - 1}, m->stabilization_name);
}

static trm_status unknown_name(const char *option, word w, int integrators, int stabilizations,
                               trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    char hint[80];
    trm_suggestion suggestion = trm_suggest(w.at, w.length);
    for (int i = 0; i < n; i++) {
        if (stabilizations) {
            trm_suggest_consider(&suggestion, methods[i].stabilization_name);
        }
        if (integrators) {
            trm_suggest_consider(&suggestion, methods[i].integrator_name);
        }
    }
    if (suggestion.best == NULL) {
        snprintf(hint, sizeof hint, "; \"trammel methods\" lists them");
    } else {
        trm_suggest_text(&suggestion, hint, sizeof hint);
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, option, "no %s is called \"%.*s\"%s",
                    integrators && stabilizations ? "method"
                    : integrators                 ? "integrator"
                                                  : "stabilization",
                    (int)w.length, w.at, hint);
}

/// What goes with one half of a pair.
static trm_status do_not_mix(const char *option, word integrator, word stabilization,
                             trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    char list[160] = "";
    for (int i = 0; i < n; i++) {
        const size_t used = strlen(list);
        if (is(stabilization, methods[i].stabilization_name) && used + 20 < sizeof list) {
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                     methods[i].integrator_name);
        }
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, option, "%.*s does not go with %.*s, which takes %s",
                    (int)integrator.length, integrator.at, (int)stabilization.length,
                    stabilization.at, list);
}

/// The error for a name that stands for no pair.
static trm_status explain(const char *option, word w, trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    const char *const plus = memchr(w.at, '+', w.length);
    if (plus == NULL) {
        return unknown_name(option, w, 1, 1, err);
    }
    const size_t first = (size_t)(plus - w.at);
    const word a = {w.at, first}, b = {plus + 1, w.length - first - 1};
    int a_known = 0, b_known = 0, swapped = 0;
    for (int i = 0; i < n; i++) {
        a_known |= is(a, methods[i].integrator_name);
        b_known |= is(b, methods[i].stabilization_name);
        swapped |= is(b, methods[i].integrator_name) && is(a, methods[i].stabilization_name);
    }
    if (swapped) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, option, "the integrator comes first: write %.*s+%.*s",
                        (int)b.length, b.at, (int)a.length, a.at);
    }
    if (!a_known) {
        return unknown_name(option, a, 1, 0, err);
    }
    return b_known ? do_not_mix(option, a, b, err) : unknown_name(option, b, 0, 1, err);
}

static int listed(const trm_method **pairs, int n, const trm_method *m)
{
    for (int i = 0; i < n; i++) {
        if (pairs[i]->integrator == m->integrator &&
            strcmp(pairs[i]->stabilization_name, m->stabilization_name) == 0) {
            return 1;
        }
    }
    return 0;
}

/// Without constraints there is nothing to stabilize, and all methods are
/// `plain`; some do not take every model.
static int makes_a_difference(const trm_method *m, const trm_model *model)
{
    return (trm_model_sizes(model).nc > 0 || m->stabilization == TRM_STABILIZATION_PLAIN) &&
           trm_method_fits(m, model, NULL) == TRM_OK;
}

/// Whether a value of the entry has a name that the method does not read.
static int takes(const trm_method *m, const trm_form_entry *entry)
{
    const char *at = entry->values;
    const char *const end = at != NULL ? at + entry->nvalues : NULL;
    while (at != NULL && at < end) {
        char name[32];
        at += strspn(at, " \t,");
        const size_t n = strcspn(at, "=,) \t");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (at[n + strspn(at + n, " \t")] == '=' && !trm_method_reads(m, name)) {
            return 0;
        }
        at += strcspn(at, ",)");
    }
    return 1;
}

/// The pairs that an entry stands for: those that read its parameters, if there are any.
static trm_status add_entry(trm_comparison *c, const trm_form_entry *entry,
                            const trm_method **pairs, int *n, trm_error *err)
{
    const trm_method *methods, *named = NULL;
    const int all = trm_methods(&methods);
    const word w = {entry->name, entry->length};
    int taken = 0;
    for (int i = 0; i < all; i++) {
        const trm_method *m = &methods[i];
        if (!means(w, m)) {
            continue;
        }
        named = named != NULL ? named : m;
        if (takes(m, entry)) {
            TRM_TRY(trm_form_make(c, m, entry, &m, err));
            taken = 1;
            if (!listed(pairs, *n, m)) {
                pairs[(*n)++] = m;
            }
        }
    }
    return named == NULL ? explain("--methods", w, err)
           : taken       ? TRM_OK
                   : trm_form_make(c, named, entry, &named, err); // says which it does not read
}

/// An entry has a comma at its end, and as many pairs as there are at most.
static size_t room_for(const char *names, int all)
{
    size_t entries = 1;
    for (; names != NULL && *names != '\0'; names++) {
        entries += *names == ',';
    }
    return entries * (size_t)all;
}

trm_status trm_plan_pairs(trm_comparison *c, const trm_method ***out, int *n, trm_error *err)
{
    const trm_method *methods;
    const char *const names = c->arguments.methods, *at = names;
    const int all = trm_methods(&methods);
    *n = 0;
    *out = calloc(room_for(names, all), sizeof **out);
    if (*out == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int i = 0; i < all && names == NULL; i++) {
        if (makes_a_difference(&methods[i], c->model)) {
            (*out)[(*n)++] = &methods[i];
        }
    }
    while (names != NULL && (*at != '\0' || *n == 0)) {
        trm_form_entry entry;
        TRM_TRY(trm_form_next(names, &at, &entry, err));
        TRM_TRY(add_entry(c, &entry, *out, n, err));
    }
    return TRM_OK;
}

trm_status trm_plan_reference(const char *name, const trm_method **out, trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    const word w = {name, strlen(name)};
    *out = NULL;
    for (int i = 0; i < n; i++) {
        const trm_method *const m = &methods[i];
        if (means(w, m) &&
            (*out == NULL || m->order > (*out)->order ||
             (m->order == (*out)->order && m->stabilization == TRM_STABILIZATION_S_BOTH2))) {
            *out = m;
        }
    }
    return *out != NULL ? TRM_OK : explain("--reference", w, err);
}

// ------------------------------------------------------------------------------------- times

static int round_number(double x)
{
    static const double mantissa[] = {1, 2, 5, 10};
    const double scaled = x / pow(10, floor(log10(x) + 1e-9));
    for (int i = 0; i < 4; i++) {
        if (fabs(scaled - mantissa[i]) < 1e-6) {
            return 1;
        }
    }
    return 0;
}

static int count_times(double end)
{
    int best = 50;
    for (int n = TRM_SAMPLES; n >= 40; n--) {
        if (round_number(end / n)) {
            best = n;
        }
    }
    return best;
}

double trm_plan_interval(double end)
{
    return end / count_times(end);
}

void trm_plan_times(double end, trm_reference *reference)
{
    reference->n = count_times(end);
    for (int k = 0; k < reference->n; k++) {
        reference->t[k] = end * (k + 1) / reference->n;
    }
}

/// 1, 2, 5, 10, 20, ...
static double one_two_five(int i)
{
    static const double mantissa[] = {1, 2, 5};
    return mantissa[i % 3] * pow(10, i / 3);
}

/// Index of the nearest of them, by ratio.
static int nearest_of_them(double x)
{
    int i = 0;
    while (one_two_five(i) < x && i < 60) {
        i++;
    }
    return i > 0 && x * x < one_two_five(i) * one_two_five(i - 1) ? i - 1 : i;
}

double trm_plan_step(double end, double wanted)
{
    const double interval = trm_plan_interval(end);
    return interval / one_two_five(nearest_of_them(interval / wanted));
}

// ---------------------------------------------------------------------------- steps, tolerances

typedef struct ladder {
    int n;
    double setting[TRM_LIST];
} ladder;

/// Of order 4 five steps from 2 h5, each about half of the one before; of lower orders from smaller
/// ones, of order 2 each about a quarter.
static ladder steps_of(const trm_comparison *c, const trm_method *m)
{
    ladder out = {0};
    const double interval = trm_plan_interval(c->end);
    const double coarse = m->order >= 4 ? 2 : m->order == 3 ? 1 : 0.5;
    const int stride = m->order <= 2 ? 2 : 1, n = m->order <= 2 ? 4 : 5;
    int i = nearest_of_them(interval / (coarse * c->first_step));
    for (int k = 0; k < n; k++, i += stride) {
        out.setting[out.n++] = interval / one_two_five(i);
    }
    return out;
}

static ladder tolerances(void)
{
    return (ladder){5, {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}};
}

/// s of CPU, roughly, from counts of evaluations: N steps of order p at tolerance R are N
/// (R/r)^(1/p) at r.
static double estimate(const trm_comparison *c, const trm_method *m, double setting,
                       long exact_evaluations)
{
    const double nv = trm_model_sizes(c->model).nv;
    const double each =
        1e-6 * (0.4 + (trm_scene_get_info(c->scene).dimension == 2 ? 0.04 : 0.12) * nv);
    if (!m->adaptive) {
        const int iterated = m->order == 2 && m->stabilization != TRM_STABILIZATION_PLAIN ? 1 : 0;
        return each * c->end / setting * (m->order + iterated);
    }
    if (m->integrator == TRM_INTEGRATOR_IDA) {
        return 0.3; // steps of an explicit method say nothing of it: it is never left out
    }
    if (m->integrator == TRM_INTEGRATOR_DOP853 && exact_evaluations > 0) {
        return each * (double)exact_evaluations * pow(1e-13 / setting, 1 / 8.);
    }
    return each * 6 * c->end / c->first_step * pow(1e-6 / setting, 1 / 5.);
}

static trm_status check_lists(const trm_arguments *a, const trm_method **pairs, int npairs,
                              double end, trm_error *err)
{
    int adaptive = 0, fixed = 0;
    for (int i = 0; i < npairs; i++) {
        adaptive |= pairs[i]->adaptive;
        fixed |= !pairs[i]->adaptive;
    }
    if (a->steps.n > 0 && !fixed) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--steps",
                        "is for fixed-step integrators, and all of these control their steps by "
                        "themselves; give --rtols");
    }
    if (a->rtols.n > 0 && !adaptive) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--rtols",
                        "is for adaptive integrators, and all of these take fixed steps; give "
                        "--steps");
    }
    for (int i = 0; i < a->steps.n; i++) {
        if (a->steps.x[i] > end) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--steps",
                            "a step of %g s is larger than the run of %g s", a->steps.x[i], end);
        }
    }
    return TRM_OK;
}

/// From coarse to fine, each once.
static ladder in_order(const trm_list *list)
{
    ladder out = {0};
    for (int i = 0; i < list->n; i++) {
        int k = out.n;
        for (; k > 0 && out.setting[k - 1] < list->x[i]; k--) {
            out.setting[k] = out.setting[k - 1];
        }
        out.setting[k] = list->x[i];
        out.n++;
    }
    int n = out.n > 0;
    for (int i = 1; i < out.n; i++) {
        if (out.setting[i] != out.setting[i - 1]) {
            out.setting[n++] = out.setting[i];
        }
    }
    out.n = n;
    return out;
}

static ladder settings_of(const trm_comparison *c, const trm_method *m, int *given)
{
    const trm_list *const list = m->adaptive ? &c->arguments.rtols : &c->arguments.steps;
    *given = list->n > 0;
    return *given ? in_order(list) : m->adaptive ? tolerances() : steps_of(c, m);
}

/// All rows of the default plan that take less than `limit`, and the first two of each pair.
/// Without `rows` they are only counted. Returns the estimated time of all.
static double lay_out(trm_comparison *c, const trm_method **pairs, int npairs, long evaluations,
                      double limit, trm_compare_row *rows)
{
    double sum = 0;
    c->nrows = 0;
    c->left_out = 0;
    for (int i = 0; i < npairs; i++) {
        int given;
        const ladder of_pair = settings_of(c, pairs[i], &given);
        for (int k = 0; k < of_pair.n; k++) {
            const double setting = of_pair.setting[k];
            const double seconds = estimate(c, pairs[i], setting, evaluations);
            if (!given && k > 1 && seconds > limit) {
                c->left_out += of_pair.n - k;
                break;
            }
            if (rows != NULL) {
                trm_compare_row *const row = &rows[c->nrows];
                *row = (trm_compare_row){.method = pairs[i], .pair = i, .setting = setting};
                trm_row_name(pairs[i], setting, row->id, sizeof row->id);
            }
            sum += given ? 0 : seconds;
            c->nrows++;
        }
    }
    return sum;
}

trm_status trm_plan_rows(trm_comparison *c, const trm_method **pairs, int npairs,
                         long exact_evaluations, trm_error *err)
{
    double limit = longest_row;
    TRM_TRY(check_lists(&c->arguments, pairs, npairs, c->end, err));
    while (lay_out(c, pairs, npairs, exact_evaluations, limit, NULL) > total_work && limit > 0.01) {
        limit /= 1.5;
    }
    c->npairs = npairs;
    c->rows = calloc((size_t)(c->nrows + c->nrecorded) + 1, sizeof *c->rows);
    if (c->rows == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    lay_out(c, pairs, npairs, exact_evaluations, limit, c->rows);
    for (int i = 0; i < c->nrecorded; i++) {
        trm_recorded_row(c, i, &c->rows[c->nrows]);
        c->rows[c->nrows++].pair = c->npairs++;
    }
    return TRM_OK;
}
