/// One run, from its index to its line. Nothing is left behind, and nothing of the scene is read
/// after the beginning: the next run of this worker sets all that is varied, and may begin first.
#define _DEFAULT_SOURCE
#include "program/verdict.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/run/lines.h"
#include "tools/sweep/store/log.h"
#include "tools/sweep/study.h"
#include "trammel/trammel_error.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// What is known of a run when its line is written.
typedef struct outcome {
    trm_status status;
    trm_error error;
    trm_verdict checks;
    const double *results; ///< NULL: there are none
} outcome;

// ------------------------------------------------------------------------------------------ line

/// "singular" of TRM_ERR_SINGULAR; only its budget stops a run before its end.
static void write_status(FILE *out, trm_status status)
{
    static const char prefix[] = "TRM_ERR_";
    const char *name = trm_status_name(status);
    if (status == TRM_STOPPED) {
        fputs("budget", out);
        return;
    }
    name += strncmp(name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    for (; *name != '\0'; name++) {
        fputc(tolower((unsigned char)*name), out);
    }
}

/// A sentence as a field: in quotes, on one line.
static void write_reason(FILE *out, const char *where, const char *message)
{
    const char *const parts[] = {where, *where ? ": " : "", message};
    if (*message == '\0') {
        return;
    }
    fputc('"', out);
    for (int i = 0; i < 3; i++) {
        for (const char *at = parts[i]; *at != '\0'; at++) {
            fputs(*at == '"' ? "\"" : "", out);
            fputc(iscntrl((unsigned char)*at) ? ' ' : *at, out);
        }
    }
    fputc('"', out);
}

static void write_values(const trm_study *study, long index, const double *results, FILE *out)
{
    for (int i = 0; i < study->axes.n; i++) {
        if (study->axes.at[i].kind != TRM_AXIS_FIXED) {
            fprintf(out, ",%.17g", trm_axis_value(&study->axes, i, index));
        }
    }
    for (int i = 0; i < study->outputs.n; i++) {
        if (results != NULL && isfinite(results[i])) {
            fprintf(out, ",%.17g", results[i]);
        } else {
            fputc(',', out);
        }
    }
    fputc(',', out);
}

/// The path of the scene is not part of the result.
static const char *without_path(const trm_study *study, const char *where)
{
    const size_t n = strlen(study->arguments.scene);
    return strncmp(where, study->arguments.scene, n) == 0 ? where + n + (where[n] == ':') : where;
}

static char *write_line(const trm_study *study, long index, const outcome *o)
{
    char *line = NULL;
    size_t size = 0;
    FILE *const out = trm_text_stream(&line, &size);
    if (out == NULL) {
        return NULL;
    }
    const int well = o->status == TRM_OK;
    fprintf(out, "%ld,", index);
    if (well) {
        fprintf(out, "done,%s", trm_verdict_name(o->checks));
    } else {
        write_status(out, o->status);
        fputc(',', out);
    }
    write_values(study, index, well ? o->results : NULL, out);
    if (!well) {
        write_reason(out, without_path(study, o->error.where), o->error.message);
    }
    return trm_log_seal(out, &line, &size);
}

char *trm_row_killed(const trm_study *study, long index, const char *reason)
{
    char *line = NULL;
    size_t size = 0;
    FILE *const out = trm_text_stream(&line, &size);
    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "%ld,killed,", index);
    write_values(study, index, NULL, out);
    write_reason(out, "", reason);
    return trm_log_seal(out, &line, &size);
}

// ------------------------------------------------------------------------------------------- run

typedef struct looker {
    trm_program_run run;
    trm_lines lines;
    trm_follower follower;
    clock_t began;
    int by_steps; ///< stop after each step
    trm_status status;
    trm_error error;
} looker;

struct trm_row {
    const trm_study *study;
    long index;
    looker look;
    trm_status status;
    int finished;
    char path[4096]; ///< of the recording
};

static int look(trm_sim *sim, void *user)
{
    looker *const l = user;
    l->status = trm_follower_look(&l->follower, sim, &l->error);
    if (l->status == TRM_OK && l->run.recording != NULL) {
        l->status = trm_lines_due(&l->lines, &l->run);
        l->error = l->status == TRM_OK ? l->error : l->run.error;
    }
    const double budget = l->run.arguments.budget;
    if (l->status == TRM_OK && budget > 0 &&
        (double)(clock() - l->began) > budget * CLOCKS_PER_SEC) {
        l->status =
            TRM_FAIL(&l->error, TRM_STOPPED, "", "stopped after its budget of %g s", budget);
    }
    return l->status != TRM_OK || l->by_steps;
}

/// An event that stops a run is its end.
static int ended(const trm_program_run *run)
{
    trm_event event;
    const long count = trm_sim_events(run->sim);
    return count > 0 && trm_sim_event(run->sim, count - 1, &event) &&
           trm_model_event_info(run->model, event.event).stops;
}

static trm_status set_all(const trm_study *study, long index, looker *l)
{
    enum { NUMBER = 32 };
    const int n = study->axes.n;
    const char **const names = calloc(2 * (size_t)n, sizeof *names);
    trm_setting_target *const targets = calloc((size_t)n, sizeof *targets);
    char(*const numbers)[NUMBER] = calloc((size_t)n, sizeof *numbers);
    trm_status status = names && targets && numbers
                            ? TRM_OK
                            : TRM_FAIL(&l->run.error, TRM_ERR_MEMORY, "--set", "out of memory");
    for (int i = 0; status == TRM_OK && i < n; i++) {
        const trm_axis *const axis = &study->axes.at[i];
        names[i] = axis->name;
        targets[i] = axis->target;
        if (axis->kind == TRM_AXIS_FIXED) {
            names[n + i] = axis->text;
            continue;
        }
        snprintf(numbers[i], NUMBER, "%.17g", trm_axis_value(&study->axes, i, index));
        names[n + i] = numbers[i];
    }
    if (status == TRM_OK) {
        status = trm_settings_build(study->scene, n, names, targets, names + n, &l->run.model,
                                    &l->run.error);
    }
    free(names);
    free(targets);
    free(numbers);
    return status;
}

/// FOLDER/INDEX.csv, with its first line.
static trm_status open_recording(const char *path, looker *l)
{
    static const volatile sig_atomic_t never;
    trm_program_run *const run = &l->run;
    const trm_outfile_wish wish = {.path = path};
    TRM_TRY(trm_run_find_unique(run));
    const trm_recording_form form = {.unique = run->unique};
    TRM_TRY(trm_recording_open(&wish, run->scene, run->model, &form, &run->recording, &run->error));
    l->lines = (trm_lines){1, &never};
    return trm_lines_now(run);
}

/// Under its name when the run came to its end; else NAME.part has the lines so far.
static trm_status close_recording(looker *l, int whole)
{
    trm_program_run *const run = &l->run;
    if (run->recording == NULL) {
        return TRM_OK;
    }
    trm_error wrong = {0};
    trm_status status = TRM_OK;
    if (whole && trm_recording_last(run->recording) < trm_sim_state(run->sim).t) {
        status = trm_lines_now(run);
    }
    const trm_status closed =
        trm_recording_close(run->recording, whole && status == TRM_OK, &wrong);
    if (whole && status == TRM_OK && closed != TRM_OK) {
        run->error = wrong;
        return closed;
    }
    return status;
}

static trm_status begin(trm_row *row)
{
    const trm_study *study = row->study;
    looker *const l = &row->look;
    trm_program_run *const run = &l->run;
    TRM_TRY(set_all(study, row->index, l));
    TRM_TRY(trm_run_prepare(run));
    TRM_TRY(trm_follower_open(&study->outputs, run->scene, run->model, &l->follower, &run->error));
    TRM_TRY(trm_follower_look(&l->follower, run->sim, &run->error));
    snprintf(row->path, sizeof row->path, "%s/%ld.csv", study->arguments.record_folder, row->index);
    return study->arguments.record_folder != NULL ? open_recording(row->path, l) : TRM_OK;
}

/// The run has ended like this.
static trm_status finish(looker *l, trm_status status)
{
    trm_program_run *const run = &l->run;
    if (l->status != TRM_OK) {
        run->error = l->error;
        status = l->status;
    } else if (status == TRM_STOPPED && ended(run)) {
        status = TRM_OK;
    }
    const trm_status closed = close_recording(l, status == TRM_OK);
    TRM_TRY(status);
    TRM_TRY(closed);
    return trm_follower_finish(&l->follower, run->sim, &run->error);
}

static void advance(trm_row *row, int by_steps)
{
    looker *const l = &row->look;
    l->by_steps = by_steps;
    trm_status status = trm_run_step_to_end(&l->run, look, l);
    if (by_steps && status == TRM_STOPPED && l->status == TRM_OK && !ended(&l->run)) {
        if (trm_sim_state(l->run.sim).t < l->run.end) {
            return;
        }
        status = TRM_OK;
    }
    row->status = finish(l, status);
    row->finished = 1;
}

trm_row *trm_row_begin(const trm_study *study, long index)
{
    trm_row *const row = calloc(1, sizeof *row);
    if (row != NULL) {
        row->study = study;
        row->index = index;
        row->look.run.arguments = study->arguments;
        row->look.run.scene = study->scene;
        row->look.began = clock();
        row->status = begin(row);
        row->finished = row->status != TRM_OK;
    }
    return row;
}

int trm_row_step(trm_row *row)
{
    advance(row, 1);
    return row->finished;
}

void trm_row_go(trm_row *row)
{
    if (!row->finished) {
        advance(row, 0);
    }
}

trm_sim *trm_row_sim(const trm_row *row, double *end)
{
    *end = row->look.run.end;
    return row->finished ? NULL : row->look.run.sim;
}

char *trm_row_close(trm_row *row)
{
    looker *const l = &row->look;
    outcome o = {.status = row->status};
    if (o.status == TRM_OK) {
        const trm_report report = trm_sim_report(l->run.sim);
        o.checks = trm_verdict_of_report(&report);
    } else {
        trm_diagnose_as_options(&l->run.error);
    }
    o.error = l->run.error;
    o.results = l->follower.result;
    char *const line = write_line(row->study, row->index, &o);
    trm_follower_close(&l->follower);
    trm_recording_destroy(l->run.recording);
    free(l->run.unique);
    trm_sim_destroy(l->run.sim);
    trm_model_destroy(l->run.model);
    free(row);
    return line;
}
