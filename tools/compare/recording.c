/// A recording as the reference: a table with a column for t and for each coordinate
/// and velocity of the scene's bodies, by the names that `trammel run -o` gives
/// them; other columns do not matter.
#include "tools/compare/reference.h"

#include "tools/common/load.h"
#include "tools/compare/error.h"
#include "tools/recording/csv_out.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same_start = 1e-6; // m, rad, m/s, rad/s

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

// ------------------------------------------------------------------------------- as a reference

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

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/// The first line against the start of the scene, when it is there.
static trm_status check_start(const trm_comparison *c, const table *f, trm_error *err)
{
    const trm_reference *const r = &c->reference;
    const trm_sizes n = trm_model_sizes(c->model);
    if (f->x[0] != 0) {
        return TRM_OK;
    }
    state_of(c, f, 0, r->q, r->v);
    const trm_distance d = trm_compare_distance(c->scene, c->model, NULL, r->q0, r->v0, r->q, r->v);
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

/// Of `rows` lines with t in (0, end] at most TRM_SAMPLES, the last one included.
static trm_status choose_lines(trm_comparison *c, const table *f, trm_error *err)
{
    trm_reference *const r = &c->reference;
    const trm_sizes n = trm_model_sizes(c->model);
    const long first = f->rows > 0 && f->x[0] == 0 ? 1 : 0;
    long last = f->rows;
    while (last > first && f->x[(size_t)(last - 1) * (size_t)f->wanted] > c->end) {
        last--;
    }
    const long rows = last - first;
    if (rows == 0) {
        return no_state(c, f, err);
    }
    const int kept = (int)(rows < TRM_SAMPLES ? rows : TRM_SAMPLES);
    TRM_TRY(trm_reference_alloc(c, kept, err));
    TRM_TRY(check_start(c, f, err));
    for (int k = 0; k < kept; k++) {
        const long i = first + (k + 1) * rows / kept - 1;
        r->t[k] = f->x[(size_t)i * (size_t)f->wanted];
        state_of(c, f, i, r->q + (size_t)k * (size_t)n.nq, r->v + (size_t)k * (size_t)n.nv);
    }
    r->scale = trm_compare_scale(c->scene, c->model, r);
    return TRM_OK;
}

static trm_status check_times(trm_comparison *c, const table *f, trm_error *err)
{
    const double last = f->rows > 0 ? f->x[(size_t)(f->rows - 1) * (size_t)f->wanted] : 0;
    if (f->rows == 0 || last <= 0 || f->x[0] < 0 || f->x[0] > c->end) {
        return no_state(c, f, err);
    }
    if (last < c->end * (1 - 1e-9) && (c->arguments.given & TRM_GIVEN_END)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--end",
                        "the reference %.80s ends at t = %g s, before %g s", f->path, last, c->end);
    }
    c->end = fmin(c->end, last);
    return TRM_OK;
}

trm_status trm_reference_read(trm_comparison *c, const char *path, trm_error *err)
{
    trm_reference *const r = &c->reference;
    table f = {.path = path};
    trm_status status = read_table(c, &f, err);
    status = status == TRM_OK ? check_times(c, &f, err) : status;
    status = status == TRM_OK ? choose_lines(c, &f, err) : status;
    if (status == TRM_OK) {
        r->from_file = 1;
        r->first_bifurcation = NAN;
        snprintf(r->method, sizeof r->method, "%s", path);
    }
    free(f.text);
    free(f.names);
    free(f.place);
    free(f.x);
    return status;
}
