/// A file of samples: a line of names, then a line of numbers for each run, separated by commas.
#include "tools/sweep/axes.h"

#include "program/texts.h"
#include "tools/common/output.h"
#include "trammel/trammel_error.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct samples {
    const char *path;
    char *at; // of what is not read yet
    int line;
    char where[160];
    long room; // rows
} samples;

/// The next line without its end; NULL at the end of the file. Blanks around it go.
static char *next_line(samples *s)
{
    if (*s->at == '\0') {
        return NULL;
    }
    char *const line = s->at;
    const size_t n = strcspn(line, "\n");
    s->at += n + (line[n] == '\n');
    line[n] = '\0';
    for (size_t k = n; k > 0 && isspace((unsigned char)line[k - 1]); k--) {
        line[k - 1] = '\0';
    }
    s->line++;
    snprintf(s->where, sizeof s->where, "%.120s:%d", s->path, s->line);
    return line;
}

/// The next field, without the blanks and quotes around it; *line goes behind it, NULL: it was the
/// last.
static char *next_field(char **line)
{
    char *field = *line;
    const size_t n = strcspn(field, ",");
    *line = field[n] == ',' ? field + n + 1 : NULL;
    field[n] = '\0';
    field += strspn(field, " \t\"");
    for (size_t k = strlen(field); k > 0 && strchr(" \t\"", field[k - 1]) != NULL; k--) {
        field[k - 1] = '\0';
    }
    return field;
}

static trm_status read_names(samples *s, trm_axes *axes, trm_error *err)
{
    char *line = next_line(s);
    if (line == NULL || *line == '\0') {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, s->path,
                        "the first line has to name the columns, as in --set");
    }
    if (strncmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3; // the mark that some spreadsheets begin with
    }
    while (line != NULL) {
        char *const name = next_field(&line);
        if (*name == '\0') {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, s->where, "column %d has no name",
                            axes->columns + 1);
        }
        trm_axis *const axis = trm_axes_add(axes, name, TRM_AXIS_TABLE);
        if (axis == NULL) {
            return TRM_FAIL(err, TRM_ERR_MEMORY, s->path, "out of memory");
        }
        axis->n = axes->columns++;
    }
    return TRM_OK;
}

static trm_status read_row(samples *s, char *line, trm_axes *axes, trm_error *err)
{
    const trm_axis *const first = &axes->at[axes->n - axes->columns];
    for (int k = 0; k < axes->columns; k++) {
        if (line == NULL) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, s->where, "expected %d numbers, got %d",
                            axes->columns, k);
        }
        const char *const field = next_field(&line);
        char *end;
        const double x = strtod(field, &end);
        if (end == field || *end != '\0' || !isfinite(x)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, s->where,
                            "column \"%.40s\": expected a finite number, got \"%.40s\"",
                            first[k].name, field);
        }
        axes->table[axes->runs * axes->columns + k] = x;
    }
    return line == NULL ? TRM_OK
                        : TRM_FAIL(err, TRM_ERR_OPTIONS, s->where, "more numbers than the %d names",
                                   axes->columns);
}

static trm_status make_room(samples *s, trm_axes *axes, trm_error *err)
{
    if (axes->runs < s->room) {
        return TRM_OK;
    }
    s->room = 2 * s->room + 256;
    double *const grown =
        realloc(axes->table, (size_t)s->room * (size_t)axes->columns * sizeof *grown);
    axes->table = grown != NULL ? grown : axes->table;
    return grown != NULL ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, s->path, "out of memory");
}

static trm_status read_rows(samples *s, trm_axes *axes, trm_error *err)
{
    for (char *line; (line = next_line(s)) != NULL;) {
        if (*line == '\0') {
            continue;
        }
        TRM_TRY(make_room(s, axes, err));
        TRM_TRY(read_row(s, line, axes, err));
        if (++axes->runs > TRM_MOST_RUNS) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, s->where, "a sweep has %d runs at most",
                            TRM_MOST_RUNS);
        }
    }
    return axes->runs > 0 ? TRM_OK
                          : TRM_FAIL(err, TRM_ERR_OPTIONS, s->path, "there is no line of numbers");
}

trm_status trm_samples_read(const char *path, trm_axes *axes, trm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    TRM_TRY(trm_input_note(path, err));
    TRM_TRY(trm_file_read(path, &text, &length, err));
    samples s = {.path = path, .at = text};
    trm_status status = strlen(text) == length
                            ? read_names(&s, axes, err)
                            : TRM_FAIL(err, TRM_ERR_OPTIONS, path, "is no text file");
    axes->draws = 1;
    if (status == TRM_OK) {
        status = read_rows(&s, axes, err);
    }
    trm_text_destroy(text);
    return status;
}
