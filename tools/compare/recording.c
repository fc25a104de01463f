/// Recordings as the reference or as rows: tables with a column for t and for each coordinate and
/// velocity of the scene's bodies, by the names that `trammel run -o` gives them; other columns do
/// not matter. Nothing is interpolated: the common times are those of lines that all files have.
#include "tools/compare/recording.h"

#include "tools/common/load.h"
#include "tools/common/output.h"
#include "tools/compare/error.h"
#include "tools/compare/reference.h"
#include "tools/recording/csv_out.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same_start = 1e-6; // m, rad, m/s, rad/s
/// Of the end. A time that is off by this moves a state by as much of the motion: less than what
/// double precision leaves of a run.
static const double same_time = 1e-13;

typedef struct table {
    const char *path;
    char *text, *at; // of the file; of what is not read yet
    char *names;     // of the columns wanted, one text each, one behind the other
    int wanted;      // how many
    int columns;     // of the file
    int *place;      // [columns] which of those wanted a column is, -1: none
    long rows;       // lines of numbers
    double *x;       // [rows*wanted]
} table;

static trm_status memory(const table *f, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, f->path, "out of memory");
}

/// The next line, without its end; NULL behind the last.
static char *next_line(table *f)
{
    char *const line = f->at;
    const size_t n = strcspn(line, "\n");
    if (*line == '\0') {
        return NULL;
    }
    f->at = line + n + (line[n] == '\n');
    line[n] = '\0';
    if (n > 0 && line[n - 1] == '\r') {
        line[n - 1] = '\0';
    }
    return line;
}

/// Cuts a text at its commas; returns the number of pieces.
static int cut(char *line)
{
    int n = 1;
    for (char *at = line; *at != '\0'; at++) {
        if (*at == ',') {
            *at = '\0';
            n++;
        }
    }
    return n;
}

static int index_of(const table *f, const char *name)
{
    const char *at = f->names;
    for (int i = 0; i < f->wanted; i++, at += strlen(at) + 1) {
        if (strcmp(at, name) == 0) {
            return i;
        }
    }
    return -1;
}

static trm_status find_columns(table *f, trm_error *err)
{
    char *line = next_line(f);
    char nothing[] = "";
    line = line != NULL ? line : nothing;
    f->columns = cut(line);
    f->place = calloc((size_t)f->columns, sizeof *f->place);
    char *const found = calloc((size_t)f->wanted, 1);
    if (f->place == NULL || found == NULL) {
        free(found);
        return memory(f, err);
    }
    for (int i = 0; i < f->columns; i++, line += strlen(line) + 1) {
        f->place[i] = index_of(f, line);
        if (f->place[i] >= 0) {
            found[f->place[i]] = 1;
        }
    }
    const char *at = f->names;
    for (int i = 0; i < f->wanted && found[i]; i++) {
        at += strlen(at) + 1;
    }
    const int complete = memchr(found, 0, (size_t)f->wanted) == NULL;
    free(found);
    return complete ? TRM_OK
                    : TRM_FAIL(err, TRM_ERR_OPTIONS, f->path,
                               "it does not belong to this scene: it has no column \"%.80s\"", at);
}

static trm_status read_line(table *f, char *line, long number, trm_error *err)
{
    if (cut(line) != f->columns) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, f->path, "line %ld has not %d columns", number + 1,
                        f->columns);
    }
    for (int i = 0; i < f->columns; i++, line += strlen(line) + 1) {
        char *end;
        const double x = strtod(line, &end);
        if (f->place[i] < 0) {
            continue;
        }
        if (end == line || *end != '\0' || !isfinite(x)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, f->path,
                            "line %ld, column %d: expected a number, got \"%.40s\"", number + 1,
                            i + 1, line);
        }
        f->x[(size_t)f->rows * (size_t)f->wanted + (size_t)f->place[i]] = x;
    }
    const double *const t = f->x + (size_t)f->rows * (size_t)f->wanted;
    if (f->rows > 0 && t[0] <= t[-f->wanted]) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, f->path, "line %ld: t does not increase", number + 1);
    }
    f->rows++;
    return TRM_OK;
}

static trm_status read_numbers(table *f, trm_error *err)
{
    size_t lines = 1;
    for (const char *at = f->at; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    f->x = calloc(lines * (size_t)f->wanted, sizeof *f->x);
    if (f->x == NULL) {
        return memory(f, err);
    }
    char *line;
    for (long number = 1; (line = next_line(f)) != NULL; number++) {
        TRM_TRY(read_line(f, line, number, err));
    }
    return TRM_OK;
}

static trm_status read_table(const trm_comparison *c, table *f, trm_error *err)
{
    f->names = trm_recording_state_columns(c->scene, c->model);
    if (f->names == NULL) {
        return memory(f, err);
    }
    f->wanted = cut(f->names);
    TRM_TRY(trm_file_text(f->path, &f->text, err));
    f->at = f->text;
    TRM_TRY(find_columns(f, err));
    return read_numbers(f, err);
}

// ------------------------------------------------------------------------- lines that all have

/// Line i of the table: q and v, which alternate body by body.
static void state_of(const trm_comparison *c, const table *f, long i, double *q, double *v)
{
    const double *x = f->x + (size_t)i * (size_t)f->wanted + 1;
    for (int b = 0; b < trm_model_sizes(c->model).nbody; b++) {
        const trm_body_info body = trm_model_body_info(c->model, b);
        memcpy(q + body.q0, x, (size_t)body.nq * sizeof *q);
        memcpy(v + body.v0, x + body.nq, (size_t)body.nv * sizeof *v);
        x += body.nq + body.nv;
    }
}

static double time_of(const table *f, long i)
{
    return f->x[(size_t)i * (size_t)f->wanted];
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/// The first line against the start of the scene, when it is there. q, v: room for a state.
static trm_status check_start(const trm_comparison *c, const table *f, double *q, double *v,
                              trm_error *err)
{
    const trm_reference *const r = &c->reference;
    const trm_sizes n = trm_model_sizes(c->model);
    if (f->x[0] != 0) {
        return TRM_OK;
    }
    state_of(c, f, 0, q, v);
    const trm_distance d = trm_compare_distance(c->scene, c->model, NULL, r->q0, r->v0, q, v);
    if (fmax(d.position, d.angle) > same_start * (1 + largest(n.nq, r->q0)) ||
        fmax(d.velocity, d.rate) > same_start * (1 + largest(n.nv, r->v0))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, f->path,
                        "it was recorded from another start: off by %.2g m, %.2g rad, %.2g m/s, "
                        "%.2g rad/s at t = 0; was it made with other --set?",
                        d.position, d.angle, d.velocity, d.rate);
    }
    return TRM_OK;
}

static trm_status no_state(const trm_comparison *c, const table *f, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_OPTIONS, f->path, "it holds no state between t = 0 and t = %g s",
                    c->end);
}

static trm_status check_times(trm_comparison *c, const table *f, trm_error *err)
{
    const double last = f->rows > 0 ? time_of(f, f->rows - 1) : 0;
    if (f->rows == 0 || last <= 0 || f->x[0] < 0 || f->x[0] > c->end) {
        return no_state(c, f, err);
    }
    if (last < c->end * (1 - 1e-9) && (c->arguments.given & TRM_GIVEN_END)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--end", "the %s %.80s ends at t = %g s, before %g s",
                        c->reference.from_file && f->path == c->arguments.reference ? "reference"
                                                                                    : "row",
                        f->path, last, c->end);
    }
    c->end = fmin(c->end, last);
    return TRM_OK;
}

/// The line at t, as far as a motion of this length tells times apart; -1: none.
static long line_at(const trm_comparison *c, const table *f, double t)
{
    long low = 0, high = f->rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        const int before = time_of(f, middle) < t - same_time * c->end;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < f->rows && time_of(f, low) <= t + same_time * c->end ? low : -1;
}

/// The lines of the first of n files with t in (0, end] that all others have too; returns how many.
static long find_common(const trm_comparison *c, const table *files, int n, long *lines)
{
    long found = 0;
    for (long i = 0; i < files->rows && time_of(files, i) <= c->end; i++) {
        int all = time_of(files, i) > 0;
        for (int k = 1; k < n && all; k++) {
            all = line_at(c, &files[k], time_of(files, i)) >= 0;
        }
        if (all) {
            lines[found++] = i;
        }
    }
    return found;
}

/// The common times: of the lines that all files have at most TRM_SAMPLES, the last one included.
static trm_status choose_times(trm_comparison *c, const table *files, int n, trm_error *err)
{
    trm_reference *const r = &c->reference;
    long *const lines = calloc((size_t)files->rows + 1, sizeof *lines);
    if (lines == NULL) {
        return memory(files, err);
    }
    const long found = find_common(c, files, n, lines);
    r->n = (int)(found < TRM_SAMPLES ? found : TRM_SAMPLES);
    for (int k = 0; k < r->n; k++) {
        r->t[k] = time_of(files, lines[(k + 1) * found / r->n - 1]);
    }
    free(lines);
    if (found > 0) {
        return TRM_OK;
    }
    return n == 1 ? no_state(c, files, err)
                  : TRM_FAIL(err, TRM_ERR_OPTIONS, files[n - 1].path,
                             "it has no time in common with %.80s between t = 0 and t = %g s; "
                             "states are compared where both have a line",
                             files->path, c->end);
}

/// The states of the file at the common times, into q and v.
static trm_status take_states(const trm_comparison *c, const table *f, double *q, double *v,
                              trm_error *err)
{
    const trm_reference *const r = &c->reference;
    const trm_sizes n = trm_model_sizes(c->model);
    if (q == NULL || v == NULL) {
        return memory(f, err);
    }
    TRM_TRY(check_start(c, f, q, v, err));
    for (int k = 0; k < r->n; k++) {
        state_of(c, f, line_at(c, f, r->t[k]), q + (size_t)k * (size_t)n.nq,
                 v + (size_t)k * (size_t)n.nv);
    }
    return TRM_OK;
}

static trm_status take_reference(trm_comparison *c, const table *f, trm_error *err)
{
    trm_reference *const r = &c->reference;
    TRM_TRY(trm_reference_alloc(c, r->n, err));
    TRM_TRY(take_states(c, f, r->q, r->v, err));
    r->scale = trm_compare_scale(c->scene, c->model, r);
    r->first_bifurcation = NAN;
    snprintf(r->method, sizeof r->method, "%s", f->path);
    return TRM_OK;
}

static trm_status take_row(trm_comparison *c, trm_recorded *row, const table *f, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(c->model);
    const size_t samples = (size_t)c->reference.n;
    row->q = calloc(samples * (size_t)n.nq + 1, sizeof *row->q);
    row->v = calloc(samples * (size_t)n.nv + 1, sizeof *row->v);
    return take_states(c, f, row->q, row->v, err);
}

static trm_status read_all(trm_comparison *c, table *files, int n, trm_error *err)
{
    const int reference = c->reference.from_file;
    for (int i = 0; i < n; i++) {
        files[i].path = i < reference ? c->arguments.reference : c->recorded[i - reference].path;
        TRM_TRY(read_table(c, &files[i], err));
        TRM_TRY(check_times(c, &files[i], err));
    }
    TRM_TRY(choose_times(c, files, n, err));
    for (int i = 0; i < n; i++) {
        TRM_TRY(i < reference ? take_reference(c, &files[i], err)
                              : take_row(c, &c->recorded[i - reference], &files[i], err));
    }
    return TRM_OK;
}

trm_status trm_recordings_read(trm_comparison *c, trm_error *err)
{
    const int n = c->nrecorded + c->reference.from_file;
    table *const files = calloc((size_t)n + 1, sizeof *files);
    if (files == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    const trm_status status = read_all(c, files, n, err);
    for (int i = 0; i < n; i++) {
        free(files[i].text);
        free(files[i].names);
        free(files[i].place);
        free(files[i].x);
    }
    free(files);
    return status;
}

// ------------------------------------------------------------------------------------ as rows

/// A.csv,B.csv, each a row.
trm_status trm_recordings_list(trm_comparison *c, trm_error *err)
{
    const char *const list = c->arguments.row;
    if (list == NULL) {
        return TRM_OK;
    }
    c->row_paths = calloc(strlen(list) + 1, 1);
    if (c->row_paths == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    char *path = strcpy(c->row_paths, list);
    const int n = cut(path);
    c->recorded = calloc((size_t)n, sizeof *c->recorded);
    if (c->recorded == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (; c->nrecorded < n; c->nrecorded++, path += strlen(path) + 1) {
        const char *const slash = strrchr(path, '/');
        c->recorded[c->nrecorded] = (trm_recorded){
            .path = path,
            .method = {.integrator = (trm_integrator)TRM_OTHER_PROGRAM,
                       .stabilization = (trm_stabilization)TRM_OTHER_PROGRAM,
                       .integrator_name = "recorded",
                       .stabilization_name = slash != NULL ? slash + 1 : path,
                       .source = "",
                       .parameters = "",
                       .adaptive = 1},
        };
        TRM_TRY(trm_input_note(path, err));
    }
    return TRM_OK;
}

void trm_recorded_row(const trm_comparison *c, int i, trm_compare_row *row)
{
    const trm_recorded *const from = &c->recorded[i];
    const trm_reference *const r = &c->reference;
    const trm_sizes n = trm_model_sizes(c->model);
    *row = (trm_compare_row){.method = &from->method,
                             .recorded = 1,
                             .setting = NAN,
                             .status = TRM_ROW_DONE,
                             .facts = {.position_drift = NAN,
                                       .velocity_drift = NAN,
                                       .energy_error = NAN,
                                       .first_branch_change = NAN,
                                       .first_bifurcation = NAN,
                                       .t_failed = NAN,
                                       .nsamples = r->n}};
    snprintf(row->id, sizeof row->id, "%s", from->path);
    for (int k = 0; k < r->n; k++) {
        const size_t q = (size_t)k * (size_t)n.nq, v = (size_t)k * (size_t)n.nv;
        row->cpu_at[k] = NAN;
        row->distance[k] = trm_compare_distance(c->scene, c->model, &r->scale, r->q + q, r->v + v,
                                                from->q + q, from->v + v);
    }
}
