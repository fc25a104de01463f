/// trammel sweep: read what is asked, keep a manifest, work, make the table, say how it went.
#define _DEFAULT_SOURCE
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/progress.h"
#include "tools/common/terminal.h"
#include "tools/sweep/collect.h"
#include "tools/sweep/manifest.h"
#include "tools/sweep/merge.h"
#include "tools/sweep/report/report.h"
#include "tools/sweep/rows.h"
#include "tools/sweep/sweep.h"
#include "tools/sweep/worker.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = number;
}

typedef struct sweep {
    trm_engine *engine;
    trm_study study;
    trm_part part;
    trm_log log;
    long runs;             // of this part
    long before;           // rows that were there
    double started, drawn; // s on the wall
    int shown;             // columns of the progress line
    trm_merged merged;
    int whole; // there is a table
    trm_error error;
} sweep;

// -------------------------------------------------------------------------------------- progress

static void wipe(sweep *s)
{
    if (s->shown > 0) {
        fprintf(stderr, "\r%*s\r", s->shown, "");
        s->shown = 0;
    }
}

/// On a terminal, ten times a second at most.
static void draw(void *user)
{
    sweep *const s = user;
    const double now = trm_wall_clock();
    const long made = s->log.rows - s->before;
    if (s->study.arguments.quiet || !isatty(STDERR_FILENO) || now - s->drawn < 0.1) {
        return;
    }
    s->drawn = now;
    const double rate = made > 0 ? (double)made / (now - s->started) : 0;
    const double left = rate > 0 ? (double)(s->runs - s->log.rows) / rate : NAN;
    const int n =
        fprintf(stderr, "\r%3.0f %%  %ld of %ld runs, %.3g a second, %.0f s left, %ld failed ",
                100.0 * (double)s->log.rows / (double)s->runs, s->log.rows, s->runs, rate, left,
                s->log.failed);
    for (int i = n; i < s->shown; i++) {
        fputc(' ', stderr);
    }
    s->shown = n > s->shown ? n : s->shown;
}

// ------------------------------------------------------------------------------------------ work

/// Before the first run: whether the page can be written.
static trm_status check_report(const trm_arguments *a, trm_error *err)
{
    if (a->shard != NULL) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--report",
                        "is of the whole table: give it with --merge");
    }
    const trm_status kind = trm_output_kind(a->report, ".html", err);
    if (kind != TRM_OK && err != NULL) {
        snprintf(err->where, sizeof err->where, "--report");
    }
    TRM_TRY(kind);
    trm_outfile page;
    TRM_TRY(trm_outfile_open(&(trm_outfile_wish){.path = a->report}, &page, err));
    trm_outfile_abandon(&page, 0);
    return TRM_OK;
}

static trm_status check_arguments(const trm_arguments *a, trm_error *err)
{
    if (a->rows) {
        return TRM_OK;
    }
    if (a->output == NULL) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "-o", "where to? Give the name of a table (.csv)");
    }
    if (a->merge && (a->nset > 0 || a->samples != NULL || a->shard != NULL)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--merge",
                        "goes with -o alone: what was swept is in the manifest");
    }
    return trm_output_kind(a->output, ".csv", err);
}

static trm_status work(sweep *s, trm_error *err)
{
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const int asked = (int)s->study.arguments.jobs;
    const long left = s->runs - s->log.rows;
    const long width = asked > 0 ? asked : cores > 0 ? cores : 1;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    }
    s->started = trm_wall_clock();
    s->before = s->log.rows;
    const trm_crew crew = {.study = &s->study,
                           .log = &s->log,
                           .width = (int)(width < left ? width : left),
                           .part = s->part,
                           .interrupted = &interrupted,
                           .look = draw,
                           .user = s};
    const trm_status status = left > 0 ? s->engine(&crew, err) : TRM_OK;
    wipe(s);
    return status;
}

static trm_status make_rows(sweep *s, int argc, char **argv, trm_error *err)
{
    const trm_arguments *const a = &s->study.arguments;
    static char log[TRM_PART_PATH], manifest[TRM_PART_PATH];
    TRM_TRY(trm_part_choose(a, &s->part, err));
    TRM_TRY(trm_part_path(a->output, s->part, ".log", log, err));
    TRM_TRY(trm_part_path(a->output, s->part, ".json", manifest, err));
    TRM_TRY(trm_outfile_refuse(a->output, err));
    TRM_TRY(trm_outfile_refuse(manifest, err));
    TRM_TRY(trm_manifest_keep(manifest, &s->study, argc, argv, err));
    s->runs = trm_part_runs(s->part, s->study.axes.runs);
    TRM_TRY(trm_log_open(log, s->study.header, s->study.axes.runs, &s->log, err));
    const trm_status status =
        a->collect ? trm_collect(&s->study, s->part, &s->log, err) : work(s, err);
    if (status == TRM_ERR_OPTIONS && s->log.rows == 0) { // refused: there is nothing to go on from
        unlink(log);
        unlink(manifest);
    }
    return status;
}

/// What study it is, then rows.
static trm_status serve(const sweep *s, trm_error *err)
{
    trm_study_tell(&s->study);
    fflush(stdout);
    const int lanes = (int)s->study.arguments.lanes;
    return trm_worker_serve(&s->study, lanes, STDIN_FILENO, STDOUT_FILENO) == 0
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "--rows",
                          "expected indices below %ld, one to a line, and a reader of the rows",
                          s->study.axes.runs);
}

/// Of the table, which is whole; its manifest is that of the sweep or of any of its parts.
static trm_status write_report(const trm_arguments *a, trm_error *err)
{
    char manifest[TRM_PART_PATH];
    trm_part *parts;
    long n;
    TRM_TRY(trm_sweep_parts_find(a->output, &parts, &n, err));
    const trm_status status = trm_part_path(a->output, parts[0], ".json", manifest, err);
    free(parts);
    return status == TRM_OK ? trm_sweep_report(a->output, manifest, a->report, err) : status;
}

static trm_status do_all(sweep *s, int argc, char **argv, trm_error *err)
{
    const trm_arguments *const a = &s->study.arguments;
    TRM_TRY(check_arguments(a, err));
    if (!a->merge) {
        TRM_TRY(trm_study_create(&s->study, err));
    }
    if (a->rows) {
        return serve(s, err);
    }
    if (a->report != NULL) {
        TRM_TRY(check_report(a, err));
    }
    if (!a->merge) {
        TRM_TRY(make_rows(s, argc, argv, err));
    }
    if (interrupted || s->part.n > 0 || (a->collect && s->log.rows < s->runs)) {
        return TRM_OK;
    }
    TRM_TRY(trm_merge(a->output, &s->merged, err));
    s->whole = 1;
    return a->report != NULL ? write_report(a, err) : TRM_OK;
}

// ---------------------------------------------------------------------------------------- report

/// Of runs that were made now.
static void say_lanes(const sweep *s)
{
    const char *why = NULL;
    if (s->log.rows == s->before || s->study.arguments.collect) {
        return;
    }
    const int lanes = trm_rows_lanes(&s->study, &why);
    if (lanes > 1) {
        printf("%d runs stepped together in each process\n", lanes);
    } else if (why != NULL) {
        printf("runs stepped one by one: %s\n", why);
    }
}

static void say(const sweep *s)
{
    const trm_arguments *const a = &s->study.arguments;
    const long runs = s->whole ? s->merged.runs : s->runs;
    const long rows = s->whole ? s->merged.runs : s->log.rows;
    const long failed = s->whole ? s->merged.failed : s->log.failed;
    const long poor = s->whole ? s->merged.poor : s->log.poor;
    const long fair = s->whole ? s->merged.fair : s->log.fair;
    printf("%ld of %ld runs, %ld failed", rows, runs, failed);
    if (fair + poor > 0) {
        printf("; checks: %ld fair, %ld POOR", fair, poor);
    }
    fputs("\n", stdout);
    say_lanes(s);
    if (s->whole) {
        trm_terminal_text(stdout, a->output);
        putchar('\n');
        trm_terminal_text(stdout, a->report != NULL ? a->report : "");
        fputs(a->report != NULL ? "\n" : "", stdout);
    } else if (rows < runs) {
        puts("The same command goes on.");
    } else {
        fputs("When all parts are there: trammel sweep --merge -o ", stdout);
        trm_terminal_text(stdout, a->output);
        putchar('\n');
    }
}

static int report(sweep *s, trm_status status)
{
    const trm_arguments *const a = &s->study.arguments;
    if (status != TRM_OK) {
        s->error.status = status;
        trm_diagnose_as_options(&s->error);
        trm_diagnose(&s->error, a->scene);
        const int code = trm_exit_code(status, 0);
        if (code == TRM_EXIT_USAGE) {
            fputs("Try \"trammel help sweep\".\n", stderr);
        }
        return code;
    }
    if (a->rows) {
        return TRM_EXIT_DONE;
    }
    if (!a->quiet) {
        say(s);
    }
    const long failed = s->whole ? s->merged.failed : s->log.failed;
    return interrupted                                        ? 128 + interrupted
           : a->collect && !s->whole && s->log.rows < s->runs ? TRM_EXIT_USAGE
           : failed > 0                                       ? TRM_EXIT_FAILED
                                                              : TRM_EXIT_DONE;
}

int trm_command_sweep(int argc, char **argv)
{
    return trm_sweep(trm_crew_work, argc, argv);
}

int trm_sweep(trm_engine *engine, int argc, char **argv)
{
    sweep s = {.engine = engine, .log.file.file = -1, .error.t = NAN};
    trm_error *const err = &s.error;
    char **const typed = malloc((size_t)argc * sizeof *typed); // reading them changes their order
    if (typed == NULL) {
        return report(&s, TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory"));
    }
    memcpy(typed, argv, (size_t)argc * sizeof *typed);
    trm_status status = trm_arguments_parse(TRM_COMMAND_SWEEP, argc, argv, &s.study.arguments, err);
    if (status == TRM_OK && s.study.arguments.help) {
        trm_help(TRM_COMMAND_SWEEP);
        trm_arguments_destroy(&s.study.arguments);
        free(typed);
        return TRM_EXIT_DONE;
    }
    status = status == TRM_OK ? do_all(&s, argc, typed, err) : status;
    const int code = report(&s, status);
    free(typed);
    trm_log_close(&s.log);
    trm_study_destroy(&s.study);
    trm_arguments_destroy(&s.study.arguments);
    return code;
}
