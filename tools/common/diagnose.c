#include "tools/common/diagnose.h"
#include "program/settings.h"

#include "tools/common/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BEFORE = 60, // bytes of the source line shown before the place at most
    SHOWN = 96   // and in all
};

int trm_exit_code(trm_status status, int started)
{
    switch (status) {
    case TRM_OK:
        return TRM_EXIT_DONE;
    case TRM_STOPPED:
        return TRM_EXIT_INTERRUPTED;
    case TRM_ERR_IO:
    case TRM_ERR_MEMORY:
        return TRM_EXIT_IO;
    case TRM_ERR_SYNTAX:
    case TRM_ERR_SCENE:
        return TRM_EXIT_SCENE;
    case TRM_ERR_OPTIONS:
        return TRM_EXIT_USAGE;
    case TRM_ERR_INCONSISTENT:
        return TRM_EXIT_INCONSISTENT;
    case TRM_ERR_CALLBACK:
        return started ? TRM_EXIT_FAILED : TRM_EXIT_SCENE;
    default: // SINGULAR, DIVERGED
        return started ? TRM_EXIT_FAILED : TRM_EXIT_INCONSISTENT;
    }
}

void trm_diagnose_as_options(trm_error *err)
{
    static const char field[] = "options.", must[] = " must be";
    char *const at = strstr(err->message, field);
    if (at != NULL) {
        memmove(at + 2, at + sizeof field - 1, strlen(at + sizeof field - 1) + 1);
        memcpy(at, "--", 2);
    }
    const size_t n = strlen(err->where);
    if (err->status == TRM_ERR_OPTIONS && n > 0 && n < 32 &&
        strncmp(err->message, err->where, n) == 0 &&
        strncmp(err->message + n, must, sizeof must - 1) == 0) {
        memmove(err->message, err->message + n + 1, strlen(err->message + n + 1) + 1);
        memmove(err->where + 2, err->where, n + 1);
        memcpy(err->where, "--", 2);
        if (strcmp(err->where, "--h") == 0) {
            memcpy(err->where, "--step", sizeof "--step");
        }
    }
}

const char *trm_diagnose_place(const char *where, const char *scene_path, int *line, int *column)
{
    const size_t length = scene_path != NULL ? strlen(scene_path) : 0;
    int used = 0;
    if (length == 0 || strncmp(where, scene_path, length) != 0 ||
        sscanf(where + length, ":%d:%d%n", line, column, &used) != 2) {
        return NULL;
    }
    const char *const rest = where + length + used;
    return rest + (*rest == ' ');
}

/// Bytes that continue a UTF-8 character take no room under a caret.
static int continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/// text[from, to), bytes that are no printable character as \x1b; blank: as spaces of equal width.
static void print_span(FILE *out, const char *text, size_t from, size_t to, int blank)
{
    for (size_t i = from; i < to;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t n = trm_terminal_character(text, i, to);
        const int printable = n > 0;
        if (c == '\t') {
            fputc('\t', out);
        } else if (blank) {
            fprintf(out, "%*s", printable ? 1 : 4, "");
        } else if (printable) {
            fwrite(text + i, 1, n, out);
        } else {
            fprintf(out, "\\x%02x", c);
        }
        i += printable ? n : 1;
    }
}

/// The part of the line around `column` (from 1, in bytes), and a caret below it.
static void print_line(FILE *out, const char *text, size_t length, int column)
{
    const size_t at = column > 0 ? (size_t)column - 1 : 0;
    size_t from = at > BEFORE ? at - BEFORE : 0;
    size_t to = length > from + SHOWN ? from + SHOWN : length;
    while (from > 0 && from < at && continues(text[from])) {
        from++;
    }
    while (to < length && to > at + SHOWN / 4 && continues(text[to])) {
        to--;
    }
    fputs(from > 0 ? " ... " : "     ", out);
    print_span(out, text, from, to, 0);
    fputs(to < length ? " ...\n     " : "\n     ", out);
    print_span(out, text, from, at, 1);
    fputs("^\n", out);
}

/// One line from its byte `skipped` on, as much of it as fits.
typedef struct source_line {
    char text[BEFORE + 3 * SHOWN];
    size_t length;
    int c; // the character read last
} source_line;

static void read_line(FILE *file, int skipped, source_line *out)
{
    out->length = 0;
    out->c = 0;
    for (int i = 0; i < skipped && out->c != EOF; i++) {
        out->c = getc(file);
    }
    while (out->c != EOF && out->length < sizeof out->text && (out->c = getc(file)) != EOF &&
           out->c != '\n' && out->c != '\r') {
        out->text[out->length++] = (char)out->c;
    }
}

/// The end of the line that `line` has the beginning of.
static void skip_line(FILE *file, const source_line *line)
{
    int c = line->c;
    while (c != '\n' && c != EOF) {
        c = getc(file);
    }
}

static size_t indentation(const source_line *line)
{
    size_t n = 0;
    while (n < line->length && (line->text[n] == ' ' || line->text[n] == '\t')) {
        n++;
    }
    return n;
}

/// Of an object whose brace stands alone, the line of its "name" says more. Returns its column, or
/// 0.
static int find_name(FILE *file, source_line *line)
{
    static const char name[] = "\"name\"";
    enum { LINES = 40 };
    int depth = 1;
    for (int i = 0; i < LINES && depth > 0; i++) {
        skip_line(file, line);
        read_line(file, 0, line);
        const size_t at = indentation(line);
        if (line->c == EOF) {
            return 0;
        }
        if (depth == 1 && line->length >= at + sizeof name - 1 &&
            memcmp(line->text + at, name, sizeof name - 1) == 0) {
            return (int)at + 1;
        }
        for (size_t k = 0; k < line->length; k++) {
            depth += line->text[k] == '{' || line->text[k] == '[';
            depth -= line->text[k] == '}' || line->text[k] == ']';
        }
    }
    return 0;
}

/// Reads only as much of the file as the line needs: it may be a large one.
static void show_source(FILE *out, const char *path, int line, int column)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return;
    }
    int c = 0, at_line = 1;
    while (at_line < line && (c = getc(file)) != EOF) {
        at_line += c == '\n';
    }
    // of a very long line, the bytes around the column
    const int skipped = column > BEFORE + SHOWN ? column - BEFORE - SHOWN : 0;
    source_line shown, next;
    read_line(file, skipped, &shown);
    int column_shown = column - skipped;
    const int alone = skipped == 0 && shown.length == (size_t)column && column > 0 &&
                      indentation(&shown) + 1 == shown.length && shown.text[column - 1] == '{';
    next = shown;
    const int named = alone ? find_name(file, &next) : 0;
    if (named > 0) {
        shown = next;
        column_shown = named;
    }
    fclose(file);
    if (at_line == line && column_shown >= 1 && (size_t)column_shown <= shown.length + 1 &&
        shown.length > 0) {
        print_line(out, shown.text, shown.length, column_shown);
    }
}

/// Messages of a run name the joint or force themselves; which method it was is known.
static int names_its_place(const trm_error *err)
{
    const int owner = err->where[0] == '\'' || strncmp(err->where, "joint '", 7) == 0 ||
                      strncmp(err->where, "constraint '", 12) == 0;
    return strncmp(err->where, "method '", 8) == 0 ||
           (owner && strstr(err->message, err->where) != NULL);
}

void trm_diagnose_show(FILE *out, const char *where, const char *scene_path)
{
    int line = 0, column = 0;
    if (trm_diagnose_place(where, scene_path, &line, &column) != NULL) {
        show_source(out, scene_path, line, column);
    }
}

void trm_diagnose(const trm_error *err, const char *scene_path)
{
    int line = 0, column = 0;
    const char *const pointer = trm_diagnose_place(err->where, scene_path, &line, &column);
    fputs("error: ", stderr);
    if (pointer != NULL) {
        trm_terminal_printf(stderr, "%s:%d:%d: %s%s", scene_path, line, column, pointer,
                            *pointer != '\0' ? ": " : "");
    } else if (err->where[0] != '\0' && !names_its_place(err)) {
        trm_terminal_printf(stderr, "%s: ", err->where);
    }
    trm_terminal_text(stderr, err->message);
    if (isfinite(err->t) && err->t > 0 && strstr(err->message, "t = ") == NULL) {
        fprintf(stderr, " (t = %.9g s)", err->t);
    }
    fputc('\n', stderr);
    if (pointer != NULL) {
        show_source(stderr, scene_path, line, column);
    }
}

// Per evaluation: 3.0 times for two bodies, 8 for a chain of 100, 8, 15, 29, 75 for ladders of 1,
// 2, 5, 10 loops, whose rows are redundant in space.
void trm_plane_print(const trm_scene *scene, int width)
{
    double n[3];
    if (trm_scene_plane(scene, n)) {
        printf(
            "%-*sthis mechanism is planar, across (%.3g, %.3g, %.3g): in 2-D, as trammel convert "
            "SCENE PLANE.json writes it, it costs a third (two bodies) to a fiftieth (ten loops)\n",
            width, "Plane", n[0] + 0, n[1] + 0, n[2] + 0);
    }
}
