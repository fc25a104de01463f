#define _DEFAULT_SOURCE
#include "tools/convert/table.h"

#include "trammel/trammel_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static trm_status memory(const trm_csv *csv, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, csv->path, "out of memory");
}

static trm_status fail_at(const trm_csv *csv, const char *what, const char *field, trm_error *err)
{
    char where[160];
    snprintf(where, sizeof where, "%.120s:%ld", csv->path, csv->line);
    return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "%s \"%.60s\"", what, field);
}

/// The next field of a line, unquoted in place; *line goes behind it, NULL: it was the last.
static char *take_field(char **line)
{
    char *const field = *line, *out = field, *in = field;
    int quoted = 0;
    for (; *in != '\0' && (quoted || *in != ','); in++) {
        if (*in == '"' && quoted && in[1] == '"') {
            *out++ = *in++;
        } else if (*in == '"') {
            quoted = !quoted;
        } else {
            *out++ = *in;
        }
    }
    *line = *in == ',' ? in + 1 : NULL;
    *out = '\0';
    return field;
}

/// Whether there was one; its end is cut off.
static int read_line(trm_csv *csv)
{
    const ssize_t n = getline(&csv->text, &csv->room, csv->file);
    if (n <= 0) {
        return 0;
    }
    csv->line++;
    csv->text[strcspn(csv->text, "\r\n")] = '\0';
    return 1;
}

static trm_status add_column(trm_csv *csv, const char *field, trm_error *err)
{
    trm_table_column *const grown = realloc(csv->at, ((size_t)csv->n + 1) * sizeof *grown);
    if (grown == NULL) {
        return memory(csv, err);
    }
    csv->at = grown;
    const char *const bracket = strchr(field, '[');
    const size_t n = bracket != NULL ? (size_t)(bracket - field) : strlen(field);
    const int words = strcmp(field, "status") == 0 || strcmp(field, "checks") == 0 ||
                      strcmp(field, "reason") == 0;
    trm_table_column *const c = &grown[csv->n++];
    *c = (trm_table_column){.words = words};
    c->name = strndup(field, n);
    c->unit = bracket != NULL ? strndup(bracket + 1, strcspn(bracket + 1, "]")) : strdup("");
    c->x = words ? NULL : calloc(TRM_TABLE_PIECE, sizeof *c->x);
    c->text = words ? calloc(TRM_TABLE_PIECE, sizeof *c->text) : NULL;
    return c->name && c->unit && (c->x || c->text) ? TRM_OK : memory(csv, err);
}

/// An initial value that is also an output would have its name twice.
static trm_status make_distinct(trm_csv *csv, trm_error *err)
{
    for (int i = 1; i < csv->n; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(csv->at[i].name, csv->at[k].name) == 0) {
                char *const longer = malloc(strlen(csv->at[i].name) + sizeof ".end");
                if (longer == NULL) {
                    return memory(csv, err);
                }
                strcat(strcpy(longer, csv->at[i].name), ".end");
                free(csv->at[i].name);
                csv->at[i].name = longer;
            }
        }
    }
    return TRM_OK;
}

trm_status trm_csv_open(const char *path, trm_csv *out, trm_error *err)
{
    *out = (trm_csv){.path = path, .file = fopen(path, "rb")};
    if (out->file == NULL) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "cannot be read: %s", strerror(errno));
    }
    if (!read_line(out) || *out->text == '\0') {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, path, "the first line has to name the columns");
    }
    for (char *line = out->text; line != NULL;) {
        TRM_TRY(add_column(out, take_field(&line), err));
    }
    TRM_TRY(make_distinct(out, err));
    const off_t first = ftello(out->file);
    while (read_line(out)) {
        out->rows++;
    }
    out->line = 1;
    return fseeko(out->file, first, SEEK_SET) == 0
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_IO, path, "cannot be read twice: %s", strerror(errno));
}

static trm_status read_row(trm_csv *csv, int row, trm_error *err)
{
    char *line = csv->text;
    for (int k = 0; k < csv->n; k++) {
        trm_table_column *const c = &csv->at[k];
        if (line == NULL) {
            return fail_at(csv, "the line ends before the column", c->name, err);
        }
        char *const field = take_field(&line), *end;
        if (c->words) {
            free(c->text[row]);
            c->text[row] = strdup(field);
            if (c->text[row] == NULL) {
                return memory(csv, err);
            }
            continue;
        }
        c->x[row] = *field == '\0' ? NAN : strtod(field, &end);
        if (*field != '\0' && (end == field || *end != '\0')) {
            return fail_at(csv, "expected a number, got", field, err);
        }
    }
    return line == NULL ? TRM_OK : fail_at(csv, "the line has more fields than names:", line, err);
}

trm_status trm_csv_next(trm_csv *csv, int *n, trm_error *err)
{
    for (*n = 0; *n < TRM_TABLE_PIECE && read_line(csv); ++*n) {
        TRM_TRY(read_row(csv, *n, err));
    }
    return TRM_OK;
}

void trm_csv_close(trm_csv *csv)
{
    for (int i = 0; i < csv->n; i++) {
        trm_table_column *const c = &csv->at[i];
        for (int k = 0; c->text != NULL && k < TRM_TABLE_PIECE; k++) {
            free(c->text[k]);
        }
        free(c->text);
        free(c->x);
        free(c->name);
        free(c->unit);
    }
    free(csv->at);
    free(csv->text);
    if (csv->file != NULL) {
        fclose(csv->file);
    }
}
