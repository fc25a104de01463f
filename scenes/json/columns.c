#include "scenes/json/columns.h"

#include "base/status.h"
#include "base/text/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    const char *path;
    const char *next; // what follows the current line
    const char *line; // the current line, `length` bytes
    size_t length;
    int number;     // of the current line
    char separator; // ' ': blanks, any number of them
    trm_error *err;
} file;

typedef struct field {
    const char *text;
    size_t length;
} field;

static const char *where(const file *f, const char *at, char *out, size_t size)
{
    snprintf(out, size, "%s:%d:%d", f->path, f->number, at ? (int)(at - f->line) + 1 : 1);
    return out;
}

/// Step to the next line that says something. 0 at the end.
static int next_line(file *f)
{
    while (*f->next) {
        f->line = f->next;
        f->number++;
        f->length = strcspn(f->line, "\n");
        f->next += f->length + (f->line[f->length] == '\n');
        while (f->length > 0 && strchr(" \t\r", f->line[f->length - 1])) {
            f->length--;
        }
        if (f->length > 0 && f->line[0] != '#') {
            return 1;
        }
    }
    return 0;
}

static char separator_of(const file *f)
{
    static const char separators[] = {';', ',', '\t'};
    for (int i = 0; i < 3; i++) {
        if (memchr(f->line, separators[i], f->length)) {
            return separators[i];
        }
    }
    return ' ';
}

/// Without blanks around it, and without quotes.
static field trimmed(const char *text, size_t length)
{
    while (length > 0 && strchr(" \t", *text)) {
        text++;
        length--;
    }
    while (length > 0 && strchr(" \t", text[length - 1])) {
        length--;
    }
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
        text++;
        length -= 2;
    }
    return (field){text, length};
}

/// The field that begins at *at, which moves behind it; at the end of the line *at becomes NULL.
static field take_field(const file *f, const char **at)
{
    const char *end = f->line + f->length, *start = *at, *stop = start;
    if (f->separator == ' ') {
        while (start < end && strchr(" \t", *start)) {
            start++;
        }
        stop = start;
    }
    for (int quoted = 0; stop < end; stop++) {
        quoted ^= *stop == '"';
        if (!quoted &&
            (f->separator == ' ' ? strchr(" \t", *stop) != NULL : *stop == f->separator)) {
            break;
        }
    }
    *at = stop < end ? stop + 1 : NULL;
    return trimmed(start, (size_t)(stop - start));
}

/// Number of the column of this name.
static trm_status find_column(const file *f, const char *name, int *out)
{
    const char *at = f->line;
    char place[160];
    int i = 0;
    for (; at; i++) {
        const field column = take_field(f, &at);
        if (column.length == strlen(name) && !memcmp(column.text, name, column.length)) {
            *out = i;
            return TRM_OK;
        }
    }
    return TRM_FAIL(f->err, TRM_ERR_SCENE, where(f, NULL, place, sizeof place),
                    "no column \"%.60s\" among the %d of the first line", name, i);
}

static trm_status read_number(const file *f, const field *from, double *out)
{
    char place[160];
    size_t taken = 0;
    *out = trm_decimal(from->text, from->length, &taken);
    if (taken == 0 || taken < from->length || !isfinite(*out)) {
        return TRM_FAIL(f->err, TRM_ERR_SCENE, where(f, from->text, place, sizeof place),
                        "expected a number");
    }
    return TRM_OK;
}

/// The numbers of both columns in the current line, and where that of x begins.
static trm_status read_line(const file *f, const int column[2], double out[2], int *place_of_x)
{
    const char *at = f->line;
    int i = 0, found = 0;
    for (; at && found < 2; i++) {
        const field value = take_field(f, &at);
        for (int k = 0; k < 2; k++) {
            if (i == column[k]) {
                TRM_TRY(read_number(f, &value, &out[k]));
                *place_of_x = k == 0 ? (int)(value.text - f->line) + 1 : *place_of_x;
                found++;
            }
        }
    }
    char place[160];
    return found == 2
               ? TRM_OK
               : TRM_FAIL(f->err, TRM_ERR_SCENE, where(f, NULL, place, sizeof place),
                          "this line has %d column%s, fewer than the header", i, i == 1 ? "" : "s");
}

static int count_lines(const char *text)
{
    int n = 1;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

static trm_status read_lines(file *f, const char *const names[2], trm_columns *out)
{
    int column[2] = {0, 0};
    if (!next_line(f)) {
        return TRM_FAIL(f->err, TRM_ERR_SCENE, f->path,
                        "the file is empty; expected a line of column names");
    }
    f->separator = separator_of(f);
    TRM_TRY(find_column(f, names[0], &column[0]));
    TRM_TRY(find_column(f, names[1], &column[1]));
    while (next_line(f)) {
        double values[2] = {0, 0};
        TRM_TRY(read_line(f, column, values, &out->column[out->n]));
        out->x[out->n] = values[0];
        out->y[out->n] = values[1];
        out->line[out->n++] = f->number;
    }
    return TRM_OK;
}

trm_status trm_columns_read(const char *name, const char *text, const char *x, const char *y,
                            trm_columns *out, trm_error *err)
{
    *out = (trm_columns){0};
    file f = {.path = name, .next = text, .err = err};
    f.next += strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3; // the mark of UTF-8
    const size_t room = (size_t)count_lines(text);
    out->x = malloc(room * (2 * sizeof *out->x + 2 * sizeof *out->line));
    if (!out->x) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, name, "out of memory");
    }
    out->y = out->x + room;
    out->line = (int *)(void *)(out->y + room);
    out->column = out->line + room;
    const trm_status status = read_lines(&f, (const char *const[2]){x, y}, out);
    if (status != TRM_OK) {
        free(out->x);
        *out = (trm_columns){0};
    }
    return status;
}
