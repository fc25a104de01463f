#include "tools/sweep/outputs.h"

#include "program/suggest.h"
#include "program/verdict.h"
#include "tools/common/options.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double of_run_fn(trm_sim *sim, const trm_report *report);

static double of_steps(trm_sim *sim, const trm_report *report)
{
    (void)report;
    return (double)trm_sim_stats(sim).steps;
}

static double of_evaluations(trm_sim *sim, const trm_report *report)
{
    (void)report;
    return (double)trm_sim_stats(sim).force_evals;
}

static double of_events(trm_sim *sim, const trm_report *report)
{
    (void)report;
    return (double)trm_sim_events(sim);
}

static double of_position(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return report->position_drift;
}

static double of_velocity(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return report->velocity_drift;
}

static double of_energy(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return report->energy_error;
}

static double of_relative(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return trm_energy_relative(report);
}

static double of_crossings(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return (double)report->crossings;
}

static double of_bifurcations(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return (double)report->bifurcations;
}

static double of_branches(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return (double)report->branch_changes;
}

static double of_rcond(trm_sim *sim, const trm_report *report)
{
    (void)sim;
    return report->rcond_min;
}

static const struct {
    const char *name;
    of_run_fn *value;
    const char *unit; // drifts are of lengths or angles
} words[] = {
    {"run.steps", of_steps, ""},
    {"run.evaluations", of_evaluations, ""},
    {"run.events", of_events, ""},
    {"run.position_drift", of_position, ""},
    {"run.velocity_drift", of_velocity, ""},
    {"run.energy_error", of_energy, "J"},
    {"run.energy_error_relative", of_relative, ""},
    {"run.crossings", of_crossings, ""},
    {"run.bifurcations", of_bifurcations, ""},
    {"run.branch_changes", of_branches, ""},
    {"run.rcond_min", of_rcond, ""},
};

enum { NWORDS = (int)(sizeof words / sizeof *words) };

// ----------------------------------------------------------------------------------------- names

static trm_status no_output(const trm_columns *columns, const trm_kept *output, trm_error *err)
{
    char hint[100];
    trm_suggestion near = trm_suggest(output->column, strlen(output->column));
    for (int i = 0; i < columns->n; i++) {
        trm_suggest_consider(&near, columns->at[i].name);
    }
    for (int i = 0; i < NWORDS; i++) {
        trm_suggest_consider(&near, words[i].name);
    }
    trm_suggest_text(&near, hint, sizeof hint);
    return TRM_FAIL(err, TRM_ERR_OPTIONS, "--outputs", "no output is called \"%.60s\"%s%s",
                    output->column, hint,
                    *hint ? "" : "; docs/reference/sweeps.md says what there is");
}

/// max(bar.x), bar.x@0.5, run.steps, bar.x
static trm_status read_output(const char *text, trm_kept *out, trm_error *err)
{
    static const struct {
        const char *word;
        trm_kept_form kind;
        int sign;
    } functions[] = {{"max(", TRM_OUTPUT_EXTREME, 1},
                     {"min(", TRM_OUTPUT_EXTREME, -1},
                     {"tmax(", TRM_OUTPUT_EXTREME_TIME, 1},
                     {"tmin(", TRM_OUTPUT_EXTREME_TIME, -1}};
    const size_t n = strlen(text);
    *out = (trm_kept){.word = -1};
    if (n == 0 || n >= sizeof out->column) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--outputs", "\"%.60s\" is no name of an output",
                        text);
    }
    snprintf(out->name, sizeof out->name, "%s", text);
    snprintf(out->column, sizeof out->column, "%s", text);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const size_t w = strlen(functions[i].word);
        if (strncmp(text, functions[i].word, w) == 0 && text[n - 1] == ')') {
            out->kind = functions[i].kind;
            out->sign = functions[i].sign;
            snprintf(out->column, sizeof out->column, "%.*s", (int)(n - w - 1), text + w);
            return TRM_OK;
        }
    }
    const char *const at = strchr(text, '@');
    if (at != NULL) {
        out->kind = TRM_OUTPUT_AT;
        out->column[at - text] = '\0';
        TRM_TRY(trm_number_read(at + 1, &out->t, "--outputs", err));
        return out->t >= 0 ? TRM_OK
                           : TRM_FAIL(err, TRM_ERR_OPTIONS, "--outputs",
                                      "\"%.60s\": runs begin at t = 0", text);
    }
    for (int i = 0; i < NWORDS; i++) {
        if (strcmp(words[i].name, text) == 0) {
            out->kind = TRM_OUTPUT_RUN;
            out->word = i;
            snprintf(out->unit, sizeof out->unit, "%s", words[i].unit);
        }
    }
    return TRM_OK;
}

static trm_status add_output(trm_outputs *outputs, const char *text, trm_error *err)
{
    trm_kept *const grown = realloc(outputs->at, ((size_t)outputs->n + 1) * sizeof *grown);
    if (grown == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--outputs", "out of memory");
    }
    outputs->at = grown;
    TRM_TRY(read_output(text, &grown[outputs->n], err));
    for (int i = 0; i < outputs->n; i++) {
        if (strcmp(grown[i].name, text) == 0) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--outputs", "\"%.60s\" is asked for twice",
                            text);
        }
    }
    outputs->n++;
    return TRM_OK;
}

static trm_status read_wanted(trm_outputs *outputs, const char *wanted, trm_error *err)
{
    char piece[300];
    while (wanted != NULL) {
        const size_t n = strcspn(wanted, ",");
        const size_t skipped = strspn(wanted, " ");
        const size_t from = skipped < n ? skipped : n;
        snprintf(piece, sizeof piece, "%.*s", (int)(n - from), wanted + from);
        TRM_TRY(add_output(outputs, piece, err));
        wanted = wanted[n] == ',' ? wanted + n + 1 : NULL;
    }
    return TRM_OK;
}

static trm_status take_end_state(trm_outputs *outputs, const trm_scene *scene,
                                 const trm_model *model, trm_error *err)
{
    trm_columns columns;
    TRM_TRY(trm_columns_of_state(scene, model, &columns, err));
    trm_status status = TRM_OK;
    for (int i = 0; status == TRM_OK && i < columns.n; i++) {
        status = add_output(outputs, columns.at[i].name, err);
    }
    trm_columns_destroy(&columns);
    return status;
}

/// By the name of the column, or that of formulas: O.angle.
static int find_column(const trm_columns *columns, const char *name)
{
    int found = -1;
    for (int i = 0; i < columns->n; i++) {
        if (strcmp(columns->at[i].name, name) == 0) {
            return i;
        }
        found = trm_column_is_in_formulas(name, &columns->at[i]) ? i : found;
    }
    return found;
}

/// [nc] which multipliers redundancy leaves open; NULL where that is not known, or takes long.
static int *find_unique(const trm_model *model)
{
    enum { MOST_ROWS = 400 };
    const trm_sizes n = trm_model_sizes(model);
    if (n.nc == 0 || n.nc > MOST_ROWS) {
        return NULL;
    }
    int *const unique = calloc((size_t)n.nc, sizeof *unique);
    double *const q = calloc((size_t)n.nq + 1, sizeof *q);
    trm_error wrong = {0};
    if (q != NULL) {
        trm_model_initial_state(model, q, NULL);
    }
    const int known = unique && q && trm_unique_multipliers(model, 0, q, unique, &wrong) == TRM_OK;
    free(q);
    if (!known) {
        free(unique);
    }
    return known ? unique : NULL;
}

trm_status trm_outputs_create(const char *wanted, const trm_scene *scene, const trm_model *model,
                              trm_outputs *out, trm_error *err)
{
    trm_columns columns;
    *out = (trm_outputs){0};
    TRM_TRY(wanted != NULL ? read_wanted(out, wanted, err)
                           : take_end_state(out, scene, model, err));
    int *const unique = find_unique(model);
    trm_status status = trm_columns_create(scene, model, unique, &columns, err);
    free(unique);
    for (int i = 0; status == TRM_OK && i < out->n; i++) {
        trm_kept *const output = &out->at[i];
        const int k = find_column(&columns, output->column);
        output->open = k >= 0 && columns.at[k].open;
        if (k >= 0) {
            snprintf(output->column, sizeof output->column, "%s", columns.at[k].name);
            snprintf(output->unit, sizeof output->unit, "%s",
                     output->kind == TRM_OUTPUT_EXTREME_TIME ? "s" : columns.at[k].unit);
        }
        if (k < 0 && output->kind != TRM_OUTPUT_RUN) {
            status = no_output(&columns, output, err);
        }
    }
    trm_columns_destroy(&columns);
    return status;
}

void trm_outputs_destroy(trm_outputs *outputs)
{
    free(outputs->at);
    *outputs = (trm_outputs){0};
}

double trm_kept_of_run(const trm_kept *output, trm_sim *sim)
{
    const trm_report report = trm_sim_report(sim);
    return words[output->word].value(sim, &report);
}
