/// heun + srm with E = (GB)^-1, for which the bound of stability is that of a scalar equation,
/// h < 2 epsilon. Theory [AL95 Theorem 4.1, section 5; docs/explanation, sequential
/// regularization]: after s iterates
///
///     error = C1 epsilon^s + C2 h^2
///
/// On the finest h the first term shows, slope s; with epsilon = h the larger one of both, slope
/// min(s, 2). The coarsest h is the mean step of dopri5 at rtol 1e-6, which both terms resolve;
/// each next one is half of it. epsilon goes down to the finest h from 32 times that.
#include "tools/compare/study.h"

#include "tools/compare/plan.h"
#include "tools/compare/reference.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATES = 4, STEPS = 4, EPSILONS = 6, TEXT = 80 };

static double epsilon_of(const trm_comparison *c, int i)
{
    return trm_plan_step(c->end, c->first_step) / (double)(1 << i);
}

static double step_of(const trm_comparison *c, int k)
{
    return epsilon_of(c, EPSILONS - STEPS + k);
}

static void name(const trm_comparison *c, int iterates, int i, char out[TEXT])
{
    snprintf(out, TEXT, "srm(E=GBinv, iterations=%d, epsilon=%.6g)", iterates, epsilon_of(c, i));
}

trm_status trm_study_plan(trm_comparison *c, trm_error *err)
{
    trm_arguments *const a = &c->arguments;
    if (!a->study) {
        return TRM_OK;
    }
    if (a->methods != NULL || a->steps.n > 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--study",
                        "has methods and steps of its own; leave --methods and --steps out");
    }
    trm_reference_pilot(c);
    c->study = calloc(ITERATES * EPSILONS, TEXT);
    if (c->study == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int s = 1; s <= ITERATES; s++) {
        for (int i = 0; i < EPSILONS; i++) {
            char text[TEXT];
            name(c, s, i, text);
            strcat(strcat(c->study, s + i > 1 ? ",heun+" : "heun+"), text);
        }
    }
    a->methods = c->study;
    for (int k = 0; k < STEPS; k++) {
        a->steps.x[a->steps.n++] = step_of(c, k);
    }
    return TRM_OK;
}

/// NAN: not there, stopped, or another motion.
static double error_of(const trm_comparison *c, int iterates, int i, double h)
{
    char text[TEXT];
    name(c, iterates, i, text);
    for (int r = 0; r < c->nrows; r++) {
        const trm_compare_row *const row = &c->rows[r];
        if (fabs(row->setting - h) < 1e-9 * h && row->status == TRM_ROW_DONE &&
            strcmp(row->method->stabilization_name, text) == 0) {
            return row->error.relative;
        }
    }
    return NAN;
}

static void add(trm_study *out, double x, double error)
{
    trm_study_line *const line = &out->line[out->n - 1];
    const int n = line->n++;
    out->parted += !(error < 1);
    line->x[n] = x;
    line->error[n] = error;
    if (n > 0) {
        line->slope[n - 1] = log(line->error[n - 1] / error) / log(line->x[n - 1] / x);
    }
}

void trm_study_find(const trm_comparison *c, trm_study *out)
{
    *out = (trm_study){0};
    for (int s = 1; s <= ITERATES && c->study != NULL; s++) {
        out->line[out->n++] = (trm_study_line){.along = "epsilon", .iterations = s, .theory = s};
        for (int i = 0; i < EPSILONS; i++) {
            add(out, epsilon_of(c, i), error_of(c, s, i, step_of(c, STEPS - 1)));
        }
    }
    for (int s = 1; s <= ITERATES && c->study != NULL; s++) {
        out->line[out->n++] = (trm_study_line){.along = "h", .iterations = s, .theory = fmin(s, 2)};
        for (int k = 0; k < STEPS; k++) {
            add(out, step_of(c, k), error_of(c, s, EPSILONS - STEPS + k, step_of(c, k)));
        }
    }
}
