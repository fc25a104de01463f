#include "tools/page/tape.h"

#include "tools/common/load.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_EVENTS = 2000 };

void trm_tape_note(trm_tape *tape, const char *format, ...)
{
    if (tape->nnotes < TRM_TAPE_NOTES) {
        va_list args;
        va_start(args, format);
        vsnprintf(tape->note[tape->nnotes++], TRM_TAPE_NOTE, format, args);
        va_end(args);
    }
}

// ---------------------------------------------------------------------------------------- the text

/// Ends the line at `line` and returns where the next one starts, NULL when it has no end.
static char *end_line(char *line)
{
    char *const end = strchr(line, '\n');
    if (end != NULL) {
        *end = '\0';
        if (end > line && end[-1] == '\r') {
            end[-1] = '\0';
        }
    }
    return end != NULL ? end + 1 : NULL;
}

static long count(const char *text, char what)
{
    long n = 0;
    for (; (text = strchr(text, what)) != NULL; text++) {
        n++;
    }
    return n;
}

/// "t" or "time", in s.
static int is_time(const char *name)
{
    const size_t n = strcspn(name, " [(");
    const char *const unit = name + n + (name[n] == ' ');
    return (strncasecmp(name, "t", n) == 0 || strncasecmp(name, "time", n) == 0) && n != 0 &&
           (n == 1 || n == 4) && (!*unit || !strcmp(unit, "[s]") || !strcmp(unit, "(s)"));
}

static trm_status read_header(const char *path, trm_tape *tape, char *line, trm_error *err)
{
    tape->columns = (int)count(line, ',') + 1;
    tape->name = calloc((size_t)tape->columns, sizeof *tape->name);
    if (tape->name == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    for (int i = 0; i < tape->columns; i++) {
        tape->name[i] = line;
        line += strcspn(line, ",");
        if (*line == ',') {
            *line++ = '\0';
        }
    }
    if (!is_time(tape->name[0])) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, path,
                        "it is no recording: its first column is \"%.40s\", not \"t\"",
                        tape->name[0]);
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- the numbers

/// Fills a row; returns how many numbers the line has. *odd: the first column without a number.
static int read_row(const trm_tape *tape, const char *line, double *x, int *odd)
{
    int n = 0;
    for (;; n++) {
        char *end;
        const double value = strtod(line, &end);
        const int number = end != line && (*end == ',' || *end == '\0');
        if (n < tape->columns) {
            x[n] = number && isfinite(value) ? value : NAN;
            *odd = isnan(x[n]) && *odd < 0 ? n : *odd;
        }
        line = end + strcspn(end, ",");
        if (*line == '\0') {
            return n + 1;
        }
        line++;
    }
}

static void read_rows(trm_tape *tape, char *line)
{
    int told = 0;
    for (long number = 2; line != NULL && *line != '\0'; number++) {
        char *const next = end_line(line);
        double *const x = tape->x + tape->rows * tape->columns;
        int odd = -1;
        const int n = read_row(tape, line, x, &odd);
        if (n != tape->columns || next == NULL) {
            trm_tape_note(
                tape,
                "The recording is torn: line %ld has %d of %d numbers%s; shown is what is "
                "before it.",
                number, n, tape->columns, next == NULL ? " and no end" : "");
            return;
        }
        if (isnan(x[0]) || (tape->rows > 0 && x[0] <= x[-tape->columns])) {
            trm_tape_note(tape, "In line %ld t does not increase; shown is what is before it.",
                          number);
            return;
        }
        if (odd >= 0 && !told++) {
            trm_tape_note(tape, "Line %ld (t = %.6g s) has no finite number for \"%.60s\".", number,
                          x[0], tape->name[odd]);
        }
        tape->rows++;
        line = next;
    }
}

trm_status trm_tape_read(const char *path, trm_tape *out, trm_error *err)
{
    trm_tape *const tape = out;
    *tape = (trm_tape){0};
    const char *const slash = strrchr(path, '/');
    snprintf(tape->label, sizeof tape->label, "%s", slash != NULL ? slash + 1 : path);
    TRM_TRY(trm_file_text(path, &tape->text, err));
    char *const body = end_line(tape->text);
    TRM_TRY(read_header(path, tape, tape->text, err));
    const size_t lines = body != NULL ? (size_t)count(body, '\n') + 1 : 1;
    tape->x = calloc(lines * (size_t)tape->columns, sizeof *tape->x);
    if (tape->x == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    read_rows(tape, body);
    return tape->rows > 0 ? TRM_OK
                          : TRM_FAIL(err, TRM_ERR_OPTIONS, path, "it holds no line of numbers");
}

void trm_tape_destroy(trm_tape *tape)
{
    free(tape->name);
    free(tape->x);
    free(tape->event);
    free(tape->text);
    *tape = (trm_tape){0};
}

int trm_tape_column(const trm_tape *tape, const char *name, int hint)
{
    for (int i = 0; i < tape->columns; i++) {
        const int at = (i + (hint > 0 ? hint : 0)) % tape->columns;
        if (strcmp(tape->name[at], name) == 0) {
            return at;
        }
    }
    return -1;
}

// ------------------------------------------------------------------------------------------ events

void trm_tape_add(trm_tape *tape, const trm_page_event *event)
{
    if (tape->nevents == tape->room) {
        const int room = 2 * tape->room + 16;
        trm_page_event *const grown =
            room > 2 * MOST_EVENTS ? NULL
                                   : realloc(tape->event, (size_t)room * sizeof *tape->event);
        if (grown == NULL) {
            return;
        }
        tape->event = grown;
        tape->room = room;
    }
    tape->event[tape->nevents++] = *event;
}

static int earlier(const void *a, const void *b)
{
    const trm_page_event *const p = a, *const q = b;
    return p->t < q->t ? -1 : p->t > q->t;
}

void trm_tape_sort(trm_tape *tape)
{
    if (tape->nevents > 0) {
        qsort(tape->event, (size_t)tape->nevents, sizeof *tape->event, earlier);
    }
}

void trm_tape_find_events(trm_tape *tape)
{
    static const struct {
        const char *column, *text;
        trm_event_kind kind;
    } counts[] = {
        {"singularity.crossings", "A singular position was passed", TRM_EVENT_CROSSING},
        {"singularity.bifurcations", "A singular position was met at rest", TRM_EVENT_BIFURCATION},
        {"singularity.branch_changes", "The assembly was found changed", TRM_EVENT_BRANCH},
    };
    for (int k = 0; k < 3; k++) {
        const int at = trm_tape_column(tape, counts[k].column, -1);
        for (long i = 1; at >= 0 && i < tape->rows; i++) {
            const double *const x = tape->x + i * tape->columns;
            if (x[at] > x[at - tape->columns]) {
                trm_page_event e = {.kind = counts[k].kind, .t = x[0]};
                snprintf(e.text, sizeof e.text, "%s between t = %.6g s and %.6g s.", counts[k].text,
                         x[-tape->columns], x[0]);
                trm_tape_add(tape, &e);
            }
        }
    }
    trm_tape_sort(tape);
}
