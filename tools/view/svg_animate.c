/// Elements are those of svg_out.c: <tag name="value" ...>. Outlines are two strokes of one
/// geometry; it is written once and used twice.
#include "tools/view/svg_animate.h"

#include "trammel/trammel_error.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 12 };

/// An attribute of a line; `value` NULL: there is none of that number.
typedef struct attribute {
    const char *name, *value;
    int name_length, length;
} attribute;

/// One element in all frames: where its attributes' values lie.
typedef struct element {
    int n;                           // attributes
    attribute attribute[ATTRIBUTES]; // in the first frame
    int differs[ATTRIBUTES];
    const char *tag; // in the first frame, after '<'
    int tag_length;
    const char *tail; // behind the last attribute, in the first frame
} element;

typedef struct animation {
    FILE *out;
    int n;
    char *const *frame; // each cut into lines by zeros
    const char **line;  // [n] where the current line starts
    double seconds;
    int steps, uses;
} animation;

static attribute attribute_of(const char *line, int k)
{
    const char *at = line;
    for (int i = 0; (at = strstr(at, "=\"")) != NULL; i++) {
        const char *start = at;
        while (start > line && start[-1] != ' ') {
            start--;
        }
        const attribute found = {start, at + 2, (int)(at - start), (int)strcspn(at + 2, "\"")};
        if (i == k) {
            return found;
        }
        at = found.value + found.length + 1;
    }
    return (attribute){0};
}

static int same_value(const animation *a, int k)
{
    const attribute first = attribute_of(a->line[0], k);
    for (int f = 1; f < a->n; f++) {
        const attribute x = attribute_of(a->line[f], k);
        if (x.value == NULL || x.length != first.length ||
            memcmp(x.value, first.value, (size_t)first.length) != 0) {
            return 0;
        }
    }
    return 1;
}

static int is_constant(const animation *a)
{
    for (int f = 1; f < a->n; f++) {
        if (strcmp(a->line[f], a->line[0]) != 0) {
            return 0;
        }
    }
    return 1;
}

/// Same tag and attribute names in all frames.
static int matches(const animation *a)
{
    const size_t tag = strcspn(a->line[0], " >");
    for (int f = 1; f < a->n; f++) {
        if (strncmp(a->line[f], a->line[0], tag) != 0) {
            return 0;
        }
        for (int k = 0; attribute_of(a->line[0], k).value != NULL; k++) {
            const attribute x = attribute_of(a->line[0], k), y = attribute_of(a->line[f], k);
            if (y.value == NULL || x.name_length != y.name_length ||
                strncmp(x.name, y.name, (size_t)x.name_length) != 0) {
                return 0;
            }
        }
    }
    return 1;
}

static element read_element(const animation *a)
{
    element e = {.tag = a->line[0] + 1, .tag_length = (int)strcspn(a->line[0] + 1, " >/")};
    attribute x;
    while (e.n < ATTRIBUTES && (x = attribute_of(a->line[0], e.n)).value != NULL) {
        e.attribute[e.n] = x;
        e.differs[e.n] = !same_value(a, e.n);
        e.tail = x.value + x.length + 1;
        e.n++;
    }
    return e;
}

/// Coordinates without ".0".
static void write_value(FILE *out, const char *value, int length)
{
    for (int i = 0; i < length; i++) {
        const int next = i + 2 < length ? value[i + 2] : ' ';
        if (value[i] == '.' && i + 1 < length && value[i + 1] == '0' &&
            (next < '0' || next > '9')) {
            i++;
            continue;
        }
        fputc(value[i], out);
    }
}

static int is_style(const attribute *x)
{
    return strncmp(x->name, "style=", 6) == 0 || strncmp(x->name, "class=", 6) == 0;
}

static int styles_differ(const element *e)
{
    int differ = 0;
    for (int k = 0; k < e->n; k++) {
        differ |= is_style(&e->attribute[k]) && e->differs[k];
    }
    return differ;
}

static void write_attributes(const animation *a, const element *e, int styles, int geometry)
{
    for (int k = 0; k < e->n; k++) {
        const attribute *const x = &e->attribute[k];
        if (is_style(x) ? styles : geometry) {
            fprintf(a->out, " %.*s=\"", x->name_length, x->name);
            write_value(a->out, x->value, x->length);
            fputc('"', a->out);
        }
    }
}

static void write_animations(const animation *a, const element *e)
{
    for (int k = 0; k < e->n; k++) {
        const attribute *const x = &e->attribute[k];
        if (!e->differs[k]) {
            continue;
        }
        fprintf(a->out, "<animate attributeName=\"%.*s\" dur=\"%.3gs\" repeatCount=\"indefinite\"",
                x->name_length, x->name, a->seconds);
        fputs(a->steps ? " calcMode=\"discrete\" values=\"" : " values=\"", a->out);
        for (int f = 0; f < a->n; f++) {
            const attribute value = attribute_of(a->line[f], k);
            fputs(f > 0 ? ";" : "", a->out);
            write_value(a->out, value.value, value.length);
        }
        fputs("\"/>", a->out);
    }
}

static void write_element(const animation *a, const element *e)
{
    fprintf(a->out, "<%.*s", e->tag_length, e->tag);
    write_attributes(a, e, 1, 1);
    fputc('>', a->out);
    if (e->tail[0] == '>') { // text: its content, without the end tag
        fprintf(a->out, "%.*s", (int)strcspn(e->tail + 1, "<"), e->tail + 1);
    }
    write_animations(a, e);
    fprintf(a->out, "</%.*s>\n", e->tag_length, e->tag);
}

/// Whether the next line is the same geometry in another style, in every frame.
static int is_repeated(const animation *a)
{
    for (int f = 0; f < a->n; f++) {
        const char *const here = a->line[f], *const next = here + strlen(here) + 1;
        const char *const style = strstr(here, " style=");
        if (style == NULL || strncmp(here, next, (size_t)(style - here)) != 0 ||
            strncmp(next + (style - here), " style=", 7) != 0) {
            return 0;
        }
    }
    return 1;
}

static void advance(const animation *a)
{
    for (int f = 0; f < a->n; f++) {
        a->line[f] += strlen(a->line[f]) + 1;
    }
}

static void write_repeated(animation *a, const element *e)
{
    const int id = a->uses++;
    fprintf(a->out, "<defs><%.*s id=\"u%d\"", e->tag_length, e->tag, id);
    write_attributes(a, e, 0, 1);
    fputc('>', a->out);
    write_animations(a, e);
    fprintf(a->out, "</%.*s></defs>", e->tag_length, e->tag);
    fprintf(a->out, "<use href=\"#u%d\"", id);
    write_attributes(a, e, 1, 0);
    advance(a);
    const element second = read_element(a);
    fprintf(a->out, "/><use href=\"#u%d\"", id);
    write_attributes(a, &second, 1, 0);
    fputs("/>\n", a->out);
}

static trm_status write_all(animation *a, trm_error *err)
{
    for (; *a->line[0] != '\0'; advance(a)) {
        if (is_constant(a)) {
            fprintf(a->out, "%s\n", a->line[0]);
            continue;
        }
        if (!matches(a)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--animate",
                            "the parts of this picture change on the way; write a page (.html)");
        }
        const element e = read_element(a);
        if (styles_differ(&e)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--animate",
                            "looks of this picture change on the way; write a page (.html)");
        }
        if (is_repeated(a)) {
            write_repeated(a, &e);
        } else {
            write_element(a, &e);
        }
    }
    return TRM_OK;
}

trm_status trm_svg_animate(FILE *out, int nframes, char *const *frames, double seconds, int steps,
                           trm_error *err)
{
    animation a = {.out = out, .n = nframes, .frame = frames, .seconds = seconds, .steps = steps};
    a.line = calloc((size_t)nframes + 1, sizeof *a.line);
    if (a.line == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int f = 0; f < nframes; f++) {
        a.line[f] = frames[f];
        for (char *at = frames[f]; (at = strchr(at, '\n')) != NULL; at++) {
            *at = '\0';
        }
    }
    const trm_status status = write_all(&a, err);
    free(a.line);
    return status;
}
