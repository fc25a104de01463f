/// The reference has a section `## Forces` with the keys of every force, and in it a section
/// "### `servo`" with those of a servo. Each is a table of five cells:
///
///     | `kp` | number >= 0 | N m/rad or N/m | required | Torque per angle that is missing ... |
#include "tools/commands/element_help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { CELLS = 5, KEY = 0, TYPE, UNIT, DEFAULT, MEANING };

typedef struct text {
    const char *at;
    size_t n;
} text;

/// The line at `at`; *next is behind it.
static text line_at(const char *at, const char **next)
{
    const text line = {at, strcspn(at, "\n")};
    *next = at + line.n + (at[line.n] == '\n');
    return line;
}

static int begins(text line, const char *with)
{
    return line.n >= strlen(with) && memcmp(line.at, with, strlen(with)) == 0;
}

static int is_heading(text line)
{
    return begins(line, "## ") || begins(line, "### ");
}

static text without_blanks(text cell)
{
    while (cell.n > 0 && *cell.at == ' ') {
        cell = (text){cell.at + 1, cell.n - 1};
    }
    while (cell.n > 0 && cell.at[cell.n - 1] == ' ') {
        cell.n--;
    }
    return cell;
}

/// What stands in the first pair of backquotes: the name in "`rate` (3-D)"; what follows it.
static text quoted(text cell, text *rest)
{
    const char *const from = cell.at + 1, *const end = memchr(from, '`', cell.n - 1);
    *rest = (text){end + 1, (size_t)(cell.at + cell.n - end - 1)};
    return (text){from, (size_t)(end - from)};
}

/// Whether the line is a row of a table with a key; its cells.
static int is_row(text line, text cell[CELLS])
{
    if (!begins(line, "| `")) {
        return 0;
    }
    const char *at = line.at + 1;
    for (int i = 0; i < CELLS; i++) {
        const char *const end = memchr(at, '|', (size_t)(line.at + line.n - at));
        if (end == NULL) {
            return 0;
        }
        cell[i] = without_blanks((text){at, (size_t)(end - at)});
        at = end + 1;
    }
    return 1;
}

/// In lines of at most 100 columns, behind a margin.
static void print_meaning(text words)
{
    enum { MARGIN = 19, WIDTH = 100 - MARGIN };
    while (words.n > 0) {
        size_t n = words.n;
        if (n > WIDTH) {
            for (n = WIDTH; n > 0 && words.at[n] != ' '; n--) {
            }
            n = n > 0 ? n : WIDTH;
        }
        printf("%*s%.*s\n", MARGIN, "", (int)n, words.at);
        words = without_blanks((text){words.at + n, words.n - n});
    }
}

static void print_key(const text cell[CELLS])
{
    text rest;
    const text key = quoted(cell[KEY], &rest);
    const char *const before = cell[DEFAULT].n == 0                ? ""
                               : begins(cell[DEFAULT], "required") ? "; "
                                                                   : "; default: ";
    printf("  %-16.*s %.*s%s%.*s%s%.*s%.*s\n", (int)key.n, key.at, (int)cell[TYPE].n, cell[TYPE].at,
           cell[UNIT].n > 0 ? ", " : "", (int)cell[UNIT].n, cell[UNIT].at, before,
           (int)cell[DEFAULT].n, cell[DEFAULT].at, (int)rest.n, rest.at);
    print_meaning(cell[MEANING]);
}

/// The keys of the section behind a heading, up to the next heading.
static void print_keys(const char *at)
{
    text cell[CELLS];
    for (int tables = 0; *at;) {
        const text line = line_at(at, &at);
        if (is_heading(line)) {
            return;
        }
        if (begins(line, "| key |") && tables++ > 0) {
            puts("\nand, in an object:");
        }
        if (is_row(line, cell)) {
            print_key(cell);
        }
    }
}

/// `"kp": <number >= 0>`, of the keys that are required.
static void print_required(const char *at, const char *name, const char **separator)
{
    text cell[CELLS], rest;
    while (*at) {
        const text line = line_at(at, &at);
        if (is_heading(line)) {
            return;
        }
        if (!is_row(line, cell) || !begins(cell[DEFAULT], "required")) {
            continue;
        }
        const text key = quoted(cell[KEY], &rest);
        printf("%s\"%.*s\": ", *separator, (int)key.n, key.at);
        if (key.n == 4 && memcmp(key.at, "type", 4) == 0) {
            printf("\"%s\"", name);
        } else {
            printf("<%.*s>", (int)cell[TYPE].n, cell[TYPE].at);
        }
        *separator = ", ";
    }
}

/// What is said of the element before its table.
static void print_words(const char *at)
{
    while (*at) {
        const text line = line_at(at, &at);
        if (is_heading(line) || begins(line, "|")) {
            return;
        }
        printf("%.*s\n", (int)line.n, line.at);
    }
}

/// The element whose heading ends at `at`, in the section whose heading ends at `section`.
static void print_element(const char *at, const char *section, text title, const char *name)
{
    const char *separator = "";
    printf("%s (%.*s)\n", name, (int)title.n, title.at);
    print_words(at);
    print_keys(at);
    if (section != at && !begins(title, "Shapes")) {
        printf("\nand, as all of %.*s:\n", (int)title.n, title.at);
        print_keys(section);
    }
    printf("\n  {");
    if (begins(title, "Shapes")) {
        printf("\"type\": \"%s\"", name);
        separator = ", ";
    }
    if (section != at) {
        print_required(section, name, &separator);
    }
    print_required(at, name, &separator);
    puts("}\n");
}

/// Whether a heading names it: "### `cylinder` (3-D)", or "## Bodies" as bodies and body.
static int names(text heading, const char *name)
{
    name += strncasecmp(name, "the ", 4) == 0 ? 4 : 0;
    const size_t n = strlen(name);
    if (begins(heading, "### `")) {
        return heading.n > 5 + n && memcmp(heading.at + 5, name, n) == 0 &&
               heading.at[5 + n] == '`';
    }
    const char *const title = heading.at + (begins(heading, "## The ") ? 7 : 3);
    const size_t length = heading.n - (size_t)(title - heading.at);
    const int body = n > 0 && name[n - 1] == 'y', stem = (int)n - body;
    const char *const plurals[] = {"", body ? "ies" : "s"};
    for (int i = 0; i < 2; i++) {
        const size_t kept = i ? (size_t)stem : n, more = strlen(plurals[i]);
        if (length == kept + more && strncasecmp(title, name, kept) == 0 &&
            memcmp(title + kept, plurals[i], more) == 0) {
            return 1;
        }
    }
    return 0;
}

int trm_element_help(const char *format, const char *name)
{
    int found = 0;
    const char *at = format, *section = format;
    text title = {format, 0};
    while (*at) {
        const text line = line_at(at, &at);
        if (!is_heading(line)) {
            continue;
        }
        if (begins(line, "## ")) {
            section = at;
            title = (text){line.at + 3, line.n - 3};
        }
        if (names(line, name)) {
            print_element(at, section, title, name);
            found++;
        }
    }
    return found;
}

void trm_element_parts(const char *format)
{
    enum { WIDTH = 96 };
    int column = printf("\nAnd the parts of a scene, as in \"trammel elements body\":");
    const char *separator = "";
    for (const char *at = format; *at;) {
        const text line = line_at(at, &at);
        if (begins(line, "## ")) {
            const int breaks = column + (int)line.n > WIDTH;
            column = breaks ? 0 : column;
            column +=
                printf("%s%s%.*s", separator, breaks ? "\n" : " ", (int)line.n - 3, line.at + 3);
            separator = ",";
        }
    }
    puts("");
}
