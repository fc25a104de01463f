#include "tools/compare/report/views.h"

#include "tools/compare/advice.h"
#include "tools/compare/pool.h"
#include "tools/page/record.h"
#include "tools/run/run.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void trm_compare_views_path(const char *report, char *out, size_t size)
{
    const size_t n = strlen(report);
    const int is_html = n > 5 && strcmp(report + n - 5, ".html") == 0;
    snprintf(out, size, "%.*s.view.html", (int)(is_html ? n - 5 : n), report);
}

// ---------------------------------------------------------------------------------- which of them

static void add(trm_comparison *c, int row)
{
    for (int i = 0; i < c->nviews; i++) {
        if (c->views[i] == row) {
            return;
        }
    }
    if (c->nviews < TRM_VIEWS) {
        c->views[c->nviews++] = row;
    }
}

/// The first row of a stabilization that went wrong, and can be shown: -1 without one.
static int first_bad(const trm_comparison *c, const char *stabilization)
{
    for (int i = 0; i < c->nrows; i++) {
        const trm_compare_row *const row = &c->rows[i];
        const int ran = row->status == TRM_ROW_DONE ||
                        (row->status == TRM_ROW_FAILED && row->facts.t_failed > 0);
        if (ran && trm_row_is_bad(c, row) &&
            strcmp(row->method->stabilization_name, stabilization) == 0) {
            return i;
        }
    }
    return -1;
}

static void choose(trm_comparison *c)
{
    c->nviews = 0;
    for (int i = 0; i < TRM_LEVELS; i++) {
        if (c->advice[i].row >= 0) {
            add(c, c->advice[i].row);
        }
    }
    for (int i = 0; i < c->nwarnings; i++) {
        const int row = first_bad(c, c->warnings[i].stabilization);
        if (row >= 0) {
            add(c, row);
        }
    }
}

// ------------------------------------------------------------------------------------ running them

typedef struct filming {
    trm_comparison *c;
    char path[TRM_VIEWS][1024]; // of their recordings
    int begun, good[TRM_VIEWS];
} filming;

static int next(void *user)
{
    filming *const f = user;
    return f->begun < f->c->nviews ? f->begun++ : -1;
}

/// The row as a command line of `trammel run`.
static trm_status parse(const trm_comparison *c, const trm_compare_row *row, trm_arguments *out)
{
    enum { FIXED = 16 };
    const trm_arguments *const a = &c->arguments;
    char setting[32], end[32];
    char **const argv = calloc((size_t)(FIXED + 2 * a->nset), sizeof *argv);
    if (argv == NULL) {
        return TRM_ERR_MEMORY;
    }
    snprintf(setting, sizeof setting, "--%s=%.17g", row->method->adaptive ? "rtol" : "step",
             row->setting);
    snprintf(end, sizeof end, "--end=%.17g", c->end);
    const char *const words[] = {"run",
                                 a->scene,
                                 "--quiet",
                                 "--integrator",
                                 row->method->integrator_name,
                                 "--method",
                                 row->method->stabilization_name,
                                 setting,
                                 end,
                                 a->assemble ? "--assemble" : "--quiet"};
    int n = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        argv[n++] = (char *)(size_t)words[i]; // getopt does not change them
    }
    for (int i = 0; i < a->nset; i++) {
        argv[n++] = (char *)(size_t) "--set";
        argv[n++] = (char *)(size_t)a->set[i];
    }
    const trm_status status = trm_arguments_parse(TRM_COMMAND_RUN, n, argv, out, NULL);
    free(argv);
    return status;
}

/// In the child: a recording, and one byte that says that it is whole.
static void work(int job, FILE *out, void *user)
{
    const filming *const f = user;
    trm_program_run run = {.record = f->path[job], .paged = 1, .error.t = NAN};
    if (parse(f->c, &f->c->rows[f->c->views[job]], &run.arguments) == TRM_OK) {
        run.arguments.no_verify = 1;
        trm_run_simulate(&run);
        if (run.started) {
            fputc('!', out);
        }
    }
    trm_run_destroy(&run);
}

static void done(int job, const trm_child_result *result, void *user)
{
    ((filming *)user)->good[job] = result->end == TRM_CHILD_DONE && result->length > 0;
}

// ---------------------------------------------------------------------------------------- the page

static void name_tape(trm_tape *tape, const trm_compare_row *row)
{
    snprintf(tape->label, sizeof tape->label, "%s", row->id);
    trm_tape_find_events(tape);
    if (row->status == TRM_ROW_FAILED) {
        trm_page_event e = {.kind = TRM_EVENT_END, .t = tape->x[(tape->rows - 1) * tape->columns]};
        snprintf(e.text, sizeof e.text, "The run failed here: %.250s", row->facts.reason);
        trm_tape_add(tape, &e);
        trm_tape_note(tape, "%s", e.text);
    }
}

/// Those whose recordings can be read; c->views keeps them alone.
static trm_status read_tapes(filming *f, trm_tape *tapes)
{
    trm_comparison *const c = f->c;
    int n = 0;
    for (int i = 0; i < c->nviews; i++) {
        const trm_status status =
            f->good[i] ? trm_tape_read(f->path[i], &tapes[n], NULL) : TRM_ERR_IO;
        if (status == TRM_OK) {
            name_tape(&tapes[n], &c->rows[c->views[i]]);
            c->views[n++] = c->views[i];
        } else {
            trm_tape_destroy(&tapes[n]);
            if (status == TRM_ERR_MEMORY) {
                return status;
            }
        }
    }
    c->nviews = n;
    return TRM_OK;
}

static trm_status film(filming *f, trm_error *err)
{
    trm_comparison *const c = f->c;
    char path[1024];
    const trm_pool pool = {
        .width = c->jobs,
        .budget = c->budget,
        .next = next,
        .work = work,
        .done = done,
        .user = f,
        .interrupted = c->stop,
    };
    trm_tape tapes[TRM_VIEWS];
    memset(tapes, 0, sizeof tapes);
    trm_status status = trm_pool_run(&pool) == 0 ? read_tapes(f, tapes) : TRM_ERR_MEMORY;
    trm_compare_views_path(c->arguments.report, path, sizeof path);
    if (status == TRM_OK && c->nviews > 0) {
        status = trm_page_save(path, c->scene, c->model, c->nviews, tapes, c->command, err);
    } else if (status != TRM_OK) {
        status = TRM_FAIL(err, status, "", "out of memory");
    }
    for (int i = 0; i < TRM_VIEWS; i++) {
        trm_tape_destroy(&tapes[i]);
    }
    return status;
}

trm_status trm_compare_views(trm_comparison *c, trm_error *err)
{
    filming *const f = calloc(1, sizeof *f);
    if (f == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    f->c = c;
    choose(c);
    trm_status status = TRM_OK;
    int n = 0;
    for (; n < c->nviews && status == TRM_OK; n++) {
        status = trm_page_temporary(f->path[n], sizeof f->path[n], err);
    }
    const int made = status == TRM_OK ? n : n - 1;
    if (status == TRM_OK && c->nviews > 0) {
        status = film(f, err);
    }
    for (int i = 0; i < made; i++) {
        unlink(f->path[i]);
    }
    if (status != TRM_OK) {
        c->nviews = 0;
    }
    free(f);
    return status;
}
