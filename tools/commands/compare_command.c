/// trammel compare: a reference, then every row against it, then the rows that count once more
/// alone for their CPU times, then the conclusions.
#include "tools/common/progress.h"
#include "tools/compare/compare.h"

#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/load.h"
#include "tools/common/output.h"
#include "tools/compare/advice.h"
#include "tools/compare/forces.h"
#include "tools/compare/form.h"
#include "tools/compare/plan.h"
#include "tools/compare/recording.h"
#include "tools/compare/reference.h"
#include "tools/compare/refine.h"
#include "tools/compare/report/picture.h"
#include "tools/compare/report/report.h"
#include "tools/compare/report/views.h"
#include "tools/compare/row.h"
#include "tools/compare/study.h"
#include "tools/compare/timing.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double default_budget = 10; // s
static const double first_noise = 0.3;   // of times taken while other rows ran beside

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

// ------------------------------------------------------------------------------------ the rows

typedef struct table {
    trm_comparison *c;
    char *busy; // [npairs] a row of the pair is running
    int finished, failed, shown;
} table;

/// Coarse rows first; one row of a pair at a time, so that a finer one is not begun in vain.
static int next(void *user)
{
    table *const t = user;
    int best = -1, best_level = 0, level = 0;
    for (int i = 0; i < t->c->nrows; i++) {
        const trm_compare_row *const row = &t->c->rows[i];
        level = i > 0 && t->c->rows[i - 1].pair == row->pair ? level + 1 : 0;
        if (row->status == TRM_ROW_WAITING && !t->busy[row->pair] &&
            (best < 0 || level < best_level)) {
            best = i;
            best_level = level;
        }
    }
    if (best >= 0) {
        t->busy[t->c->rows[best].pair] = 1;
    }
    return best;
}

static void work(int job, FILE *out, void *user)
{
    const table *const t = user;
    trm_row_work(t->c, &t->c->rows[job], out);
}

static void show(table *t, const trm_compare_row *row)
{
    if (!t->shown) {
        return;
    }
    fprintf(stderr, "[%*d/%d] %-36s ", t->c->nrows > 99 ? 3 : 2, t->finished, t->c->nrows, row->id);
    const int n = row->facts.nsamples;
    if (row->status == TRM_ROW_DONE && n > 0) {
        double worst = 0;
        for (int k = 0; k < n; k++) {
            worst = fmax(worst, row->distance[k].relative);
        }
        char time[24];
        fprintf(stderr, "error %-8.1g %s\n", worst, trm_seconds_text(row->cpu_at[n - 1], time));
    } else if (row->status == TRM_ROW_FAILED) {
        fprintf(stderr, "failed at t = %.4g s\n", row->facts.t_failed);
    } else {
        fprintf(stderr, "%s\n", trm_row_status_name(row->status));
    }
}

static void done(int job, const trm_child_result *result, void *user)
{
    table *const t = user;
    trm_compare_row *const row = &t->c->rows[job];
    t->failed |= trm_row_read(row, result) != 0;
    t->busy[row->pair] = 0;
    t->finished++;
    row->budget = t->c->budget;
    if (row->status != TRM_ROW_INTERRUPTED) {
        show(t, row);
    }
    for (int i = job + 1; row->status == TRM_ROW_OVER_BUDGET && i < t->c->nrows; i++) {
        if (t->c->rows[i].pair == row->pair && t->c->rows[i].status == TRM_ROW_WAITING) {
            t->c->rows[i].status = TRM_ROW_SKIPPED;
            t->finished++;
        }
    }
}

static trm_status run_rows(trm_comparison *c)
{
    table t = {.c = c, .shown = !c->arguments.quiet && isatty(STDERR_FILENO)};
    t.busy = calloc((size_t)c->npairs + 1, 1);
    for (int i = 0; i < c->nrows; i++) {
        t.finished += c->rows[i].status != TRM_ROW_WAITING;
    }
    const trm_pool pool = {
        .width = c->jobs,
        .budget = c->budget,
        .next = next,
        .work = work,
        .done = done,
        .user = &t,
        .interrupted = c->stop,
    };
    const int failed = t.busy == NULL || trm_pool_run(&pool) != 0 || t.failed;
    free(t.busy);
    return failed ? TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory") : TRM_OK;
}

// ------------------------------------------------------------------------------- preparations

static trm_status choose_end(trm_comparison *c)
{
    const trm_arguments *const a = &c->arguments;
    c->end = a->given & TRM_GIVEN_END ? a->end : trm_scene_simulation(c->scene).end;
    if (!(c->end > 0)) {
        return TRM_FAIL(&c->error, TRM_ERR_OPTIONS, "--end",
                        a->given & TRM_GIVEN_END
                            ? "must be > 0: nothing can be compared"
                            : "the scene has no simulation.end; say how many seconds to simulate");
    }
    return TRM_OK;
}

/// The start that all rows have; refused here when the mechanism is not closed.
static trm_status find_start(trm_comparison *c)
{
    const trm_sizes n = trm_model_sizes(c->model);
    trm_options options;
    trm_sim *sim = NULL;
    TRM_TRY(trm_choose_options(c->model, 1e-6, &options, NULL, &c->error));
    options.assemble = c->arguments.assemble;
    TRM_TRY(trm_sim_create(c->model, &options, &sim, &c->error));
    trm_reference *const r = &c->reference;
    r->q0 = calloc((size_t)n.nq + 1, sizeof *r->q0);
    r->v0 = calloc((size_t)n.nv + 1, sizeof *r->v0);
    const int ready = r->q0 != NULL && r->v0 != NULL;
    if (ready) {
        const trm_state state = trm_sim_state(sim);
        memcpy(r->q0, state.q, (size_t)n.nq * sizeof *r->q0);
        memcpy(r->v0, state.v, (size_t)n.nv * sizeof *r->v0);
    }
    trm_sim_destroy(sim);
    return ready ? TRM_OK : TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory");
}

/// A name with a dot or a slash is a file.
static int is_file(const char *reference)
{
    return reference != NULL && strpbrk(reference, "./") != NULL;
}

static trm_status find_reference(trm_comparison *c, const trm_method *wanted, long *evaluations)
{
    *evaluations = 0;
    c->reference.from_file = is_file(c->arguments.reference);
    if (c->reference.from_file || c->nrecorded > 0) {
        TRM_TRY(trm_recordings_read(c, &c->error));
    } else {
        trm_plan_times(c->end, &c->reference);
    }
    trm_reference_pilot(c);
    return c->reference.from_file ? TRM_OK
                                  : trm_reference_compute(c, wanted, evaluations, &c->error);
}

static int cores(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/// Before the first run: whether the report can be written at all.
static trm_status open_report(trm_comparison *c)
{
    const trm_outfile_wish wish = {.path = c->arguments.report};
    if (is_file(c->arguments.reference)) {
        TRM_TRY(trm_input_note(c->arguments.reference, &c->error));
    }
    TRM_TRY(trm_recordings_list(c, &c->error));
    if (wish.path == NULL) {
        return TRM_OK;
    }
    char views[1024];
    trm_compare_views_path(wish.path, views, sizeof views);
    TRM_TRY(trm_outfile_refuse(views, &c->error));
    return trm_outfile_open(&wish, &c->page, &c->error);
}

static trm_status prepare(trm_comparison *c)
{
    const trm_arguments *const a = &c->arguments;
    TRM_TRY(trm_load(&c->arguments, &c->scene, &c->model, &c->error));
    TRM_TRY(open_report(c));
    c->arguments.assemble |= trm_scene_simulation(c->scene).assemble != 0;
    c->jobs = a->jobs > 0 ? (int)a->jobs : cores();
    c->repeat = (int)a->repeat;
    c->budget = a->budget > 0 ? a->budget : default_budget;
    TRM_TRY(choose_end(c));
    TRM_TRY(find_start(c));
    return trm_forces_find(c, &c->error);
}

// ---------------------------------------------------------------------------------- the whole

static trm_status compare_pairs(trm_comparison *c, const trm_method **pairs, int npairs,
                                const trm_method *wanted)
{
    long evaluations;
    const double t0 = trm_wall_clock();
    TRM_TRY(find_reference(c, wanted, &evaluations));
    if (*c->stop) {
        trm_reference_abandon(c);
        return TRM_STOPPED;
    }
    TRM_TRY(trm_plan_rows(c, pairs, npairs, evaluations, &c->error));
    const double t1 = trm_wall_clock();
    TRM_TRY(run_rows(c));
    trm_reference_judge(c);
    for (int round = 0; round < 2 && !*c->stop; round++) {
        TRM_TRY(trm_plan_refine(c, &c->error));
        TRM_TRY(run_rows(c));
        trm_reference_judge(c);
    }
    const double t2 = trm_wall_clock();
    c->noise = first_noise;
    if (!*c->stop) {
        if (!c->arguments.quiet && isatty(STDERR_FILENO)) {
            fputs("Timing the rows that count, alone ...\n", stderr);
        }
        TRM_TRY(trm_compare_time(c, &c->error));
    }
    c->wall[0] = t1 - t0;
    c->wall[1] = t2 - t1;
    c->wall[2] = trm_wall_clock() - t2;
    if (c->arguments.series || c->arguments.report != NULL) {
        trm_compare_picture(c);
    }
    TRM_TRY(trm_compare_advise(c, &c->error));
    if (c->arguments.report != NULL && !*c->stop) {
        TRM_TRY(trm_compare_views(c, &c->error));
    }
    return *c->stop ? TRM_STOPPED : TRM_OK;
}

static trm_status compare(trm_comparison *c)
{
    const trm_method **pairs = NULL, *wanted = NULL;
    const char *const reference = c->arguments.reference;
    int npairs = 0;
    TRM_TRY(prepare(c));
    trm_status status = trm_study_plan(c, &c->error);
    status = status == TRM_OK ? trm_plan_pairs(c, &pairs, &npairs, &c->error) : status;
    if (status == TRM_OK && reference != NULL && !is_file(reference)) {
        status = trm_plan_reference(reference, &wanted, &c->error);
    }
    if (status == TRM_OK) {
        sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
        status = compare_pairs(c, pairs, npairs, wanted);
    }
    free(pairs);
    return status;
}

// -------------------------------------------------------------------------------- the report

static trm_status report_text(trm_comparison *c, char **page, size_t *size)
{
    char *json = NULL;
    size_t length = 0;
    FILE *const text = trm_text_stream(&json, &length);
    if (text != NULL) {
        trm_compare_json(c, text, 1);
    }
    int failed = text == NULL || trm_stream_close(text) != 0;
    FILE *const out = failed ? NULL : trm_text_stream(page, size);
    failed = out == NULL || trm_report_write(out, json, length) != 0;
    failed = (out != NULL && trm_stream_close(out) != 0) || failed || *page == NULL;
    free(json);
    return failed ? TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory") : TRM_OK;
}

static trm_status write_report(trm_comparison *c)
{
    char *page = NULL;
    size_t size = 0;
    trm_status status = report_text(c, &page, &size);
    if (status == TRM_OK && trm_outfile_write(&c->page, page, size) < size) {
        status = TRM_FAIL(&c->error, TRM_ERR_IO, c->arguments.report, "writing failed: %s",
                          strerror(errno));
    }
    free(page);
    return status == TRM_OK ? trm_outfile_commit(&c->page, &c->error) : status;
}

/// As one would type it.
static char *command_line(int argc, char **argv)
{
    size_t size = 16;
    for (int i = 0; i < argc; i++) {
        size += strlen(argv[i]) + 3;
    }
    char *const out = calloc(size, 1);
    for (int i = 0; i < argc && out != NULL; i++) {
        const int quoted = strpbrk(argv[i], " *()$&;<>|'\"") != NULL;
        strcat(strcat(out, i == 0 ? "trammel " : " "), quoted ? "'" : "");
        strcat(strcat(out, argv[i]), quoted ? "'" : "");
    }
    return out;
}

/// Rows that memory was too short for say nothing of their methods: the
/// comparison is not what was asked for.
static trm_status check_memory(trm_comparison *c)
{
    int n = 0;
    for (int i = 0; i < c->nrows; i++) {
        n += c->rows[i].status == TRM_ROW_FAILED && c->rows[i].facts.status == TRM_ERR_MEMORY;
    }
    return n == 0 ? c->status
                  : TRM_FAIL(&c->error, TRM_ERR_MEMORY, "",
                             "%d of %d rows were not run: not enough memory, or no more processes",
                             n, c->nrows);
}

static int report(trm_comparison *c)
{
    const int compared = c->warnings != NULL; // the last thing to be made
    c->status = compared && c->status >= 0 ? check_memory(c) : c->status;
    if (compared && c->arguments.report != NULL) {
        const trm_status written = write_report(c);
        c->status = written == TRM_OK ? c->status : written;
    }
    const int code = trm_exit_code(c->status, 0);
    if (c->status < 0) {
        c->error.status = c->status;
        trm_diagnose_as_options(&c->error);
        trm_diagnose(&c->error, c->arguments.scene);
    }
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help compare\".\n", stderr);
    }
    if (c->interrupted && !compared) {
        fprintf(stderr,
                "interrupted while the reference was computed, before the first row: nothing to "
                "report%s\n",
                c->arguments.report != NULL ? ", no page is written" : "");
    }
    if (c->arguments.json) {
        trm_compare_json(c, stdout, c->arguments.series);
    } else if (compared && !c->arguments.quiet) {
        trm_compare_text(c);
    }
    return code;
}

static void destroy(trm_comparison *c)
{
    for (int i = 0; i < c->nrows && c->rows != NULL; i++) {
        free(c->rows[i].series);
    }
    free(c->rows);
    free(c->warnings);
    free(c->command);
    free(c->picture);
    trm_outfile_abandon(&c->page, 0);
    trm_reference_destroy(&c->reference);
    trm_forces_destroy(&c->forces);
    trm_forms_destroy(c);
    for (int i = 0; i < c->nrecorded; i++) {
        free(c->recorded[i].q);
        free(c->recorded[i].v);
    }
    free(c->recorded);
    free(c->row_paths);
    free(c->study);
    trm_model_destroy(c->model);
    trm_scene_destroy(c->scene);
    trm_arguments_destroy(&c->arguments);
}

int trm_command_compare(int argc, char **argv)
{
    trm_comparison c = {.error.t = NAN, .stop = &interrupted, .page.file = -1};
    c.command = command_line(argc, argv);
    c.status = trm_arguments_parse(TRM_COMMAND_COMPARE, argc, argv, &c.arguments, &c.error);
    if (c.status == TRM_OK && c.arguments.help) {
        trm_help(TRM_COMMAND_COMPARE);
        destroy(&c);
        return TRM_EXIT_DONE;
    }
    if (c.status != TRM_OK) {
        c.arguments.json = trm_arguments_want_json(argc, argv);
    } else {
        c.status = compare(&c);
    }
    c.interrupted = c.status == TRM_STOPPED;
    const int code = report(&c);
    destroy(&c);
    return code;
}
