/// trammel plot: columns of a recording over time, in characters, or
/// as SVG with a panel for each unit.
#include "program/suggest.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/common/terminal.h"
#include "tools/drawing/characters.h"
#include "tools/page/tape.h"
#include "tools/plot/plot.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, HEIGHT = 18, LABEL = 12 }; // columns; rows of characters; characters of a number

typedef struct chart {
    trm_arguments arguments;
    trm_tape tape;
    int n, column[MOST]; // chosen
    double *x[MOST], *t; // [rows]
    trm_error error;
} chart;

// ---------------------------------------------------------------------------------------- columns

/// "energy.kinetic[J]" is meant by itself, without its unit, and by "energy".
static int is_meant(const char *column, const char *wanted)
{
    const size_t n = strlen(wanted);
    return strncmp(column, wanted, n) == 0 &&
           (column[n] == '\0' || column[n] == '[' || column[n] == '.');
}

static trm_status choose(chart *c, const char *wanted)
{
    int found = 0;
    char hint[64];
    for (int i = 1; i < c->tape.columns; i++) {
        if (!is_meant(c->tape.name[i], wanted)) {
            continue;
        }
        found++;
        if (c->n == MOST) {
            return TRM_FAIL(&c->error, TRM_ERR_OPTIONS, wanted, "a plot takes %d columns at most",
                            MOST);
        }
        c->column[c->n++] = i;
    }
    trm_suggestion suggestion = trm_suggest(wanted, strlen(wanted));
    for (int i = 1; i < c->tape.columns && !found; i++) {
        trm_suggest_consider(&suggestion, c->tape.name[i]);
    }
    return found ? TRM_OK
                 : TRM_FAIL(&c->error, TRM_ERR_OPTIONS, wanted, "%.80s has no such column%s%s",
                            c->tape.label, trm_suggest_text(&suggestion, hint, sizeof hint),
                            suggestion.best ? "" : "; its first line names them");
}

static int ends_in(const char *name, const char *part)
{
    const size_t n = strcspn(name, "["), length = strlen(part);
    return n > length && memcmp(name + n - length, part, length) == 0;
}

/// What an engineer looks at first: the coordinates of the joints, else the energies, else what has
/// the unit of the first column; as many as a plot takes.
static void choose_by_rank(chart *c)
{
    for (int rank = 0; rank < 3 && c->n == 0; rank++) {
        for (int i = 1; i < c->tape.columns && c->n < MOST; i++) {
            const char *const name = c->tape.name[i];
            const char *const units[] = {strchr(c->tape.name[1], '['), strchr(name, '[')};
            const int same =
                units[0] == units[1] || (units[0] && units[1] && strcmp(units[0], units[1]) == 0);
            const int fits[] = {ends_in(name, ".coordinate"), is_meant(name, "energy"), same};
            if (fits[rank]) {
                c->column[c->n++] = i;
            }
        }
    }
}

static trm_status choose_all(chart *c)
{
    for (int i = 0; i < c->arguments.ncolumns; i++) {
        TRM_TRY(choose(c, c->arguments.columns[i]));
    }
    if (c->arguments.ncolumns == 0) {
        choose_by_rank(c);
    }
    return c->n > 0 ? TRM_OK
                    : TRM_FAIL(&c->error, TRM_ERR_OPTIONS, "plot", "%.80s has the time only",
                               c->tape.label);
}

static trm_status gather(chart *c)
{
    const trm_tape *const tape = &c->tape;
    for (int k = -1; k < c->n; k++) {
        double *const x = calloc((size_t)tape->rows + 1, sizeof *x);
        if (x == NULL) {
            return TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory");
        }
        *(k < 0 ? &c->t : &c->x[k]) = x;
        for (long i = 0; i < tape->rows; i++) {
            x[i] = tape->x[i * tape->columns + (k < 0 ? 0 : c->column[k])];
        }
    }
    return TRM_OK;
}

static const char *unit_of(const chart *c, int k)
{
    const char *const at = strchr(c->tape.name[c->column[k]], '[');
    return at != NULL ? at : "";
}

// ------------------------------------------------------------------------------------- characters

static void range_of(const chart *c, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int k = 0; k < c->n; k++) {
        for (long i = 0; i < c->tape.rows; i++) {
            *low = fmin(*low, c->x[k][i]); // NAN leaves it
            *high = fmax(*high, c->x[k][i]);
        }
    }
    if (!(*low < *high)) {
        *low = isfinite(*low) ? *low - 0.5 : 0;
        *high = *low + 1;
    }
}

static void draw_column(const chart *c, int k, trm_characters *board, double low, double high)
{
    static const char letters[] = "*+ox#%&@abcd";
    const double w = 2.0 * board->width - 1, h = 4.0 * board->height - 1;
    const double t0 = c->t[0], length = fmax(c->t[c->tape.rows - 1] - t0, 1e-300);
    double px = NAN, py = NAN;
    for (long i = 0; i < c->tape.rows; i++) {
        const double x = w * (c->t[i] - t0) / length, y = h * (high - c->x[k][i]) / (high - low);
        if (isfinite(y) && isfinite(py)) {
            trm_characters_line(board, px, py, x, y);
        }
        // columns differ by letters, some of them on each line
        if (c->n > 1 && isfinite(y) &&
            (i * 12 + k * 5) / c->tape.rows != ((i + 1) * 12 + k * 5) / c->tape.rows) {
            trm_characters_letter(board, x, y, letters[k]);
        }
        px = x;
        py = y;
    }
    printf("  %c %s\n", c->n > 1 ? letters[k] : ' ', c->tape.name[c->column[k]]);
}

static trm_status print_characters(const chart *c, trm_error *err)
{
    int height;
    const int width = trm_terminal_width(&height);
    trm_characters board;
    double low, high;
    if (!trm_characters_create(&board, width > 40 ? width - LABEL - 2 : 28, HEIGHT)) {
        trm_characters_destroy(&board);
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    range_of(c, &low, &high);
    for (int k = 0; k < c->n; k++) {
        draw_column(c, k, &board, low, high);
    }
    for (int i = 0; i < HEIGHT; i++) {
        const int labelled = i == 0 || i == HEIGHT - 1 || i == HEIGHT / 2;
        const double value = i == 0            ? high
                             : i == HEIGHT - 1 ? low
                                               : high - (high - low) * (i + 0.5) / HEIGHT;
        if (labelled) {
            printf("%*.5g |", LABEL - 1, value);
        } else {
            printf("%*s |", LABEL - 1, "");
        }
        trm_characters_row(&board, i, stdout);
        putchar('\n');
    }
    char last[32];
    const int room = board.width - snprintf(last, sizeof last, "%.5g s", c->t[c->tape.rows - 1]);
    printf("%*s +%-*.5g%s\n", LABEL - 1, "t", room > 1 ? room : 1, c->t[0], last);
    trm_characters_destroy(&board);
    return TRM_OK;
}

// -------------------------------------------------------------------------------------------- SVG

/// Panels of the columns of one unit each, in order; returns how many.
static int make_panels(const chart *c, trm_plot_series *series, trm_plot_panel *panels,
                       char (*label)[32])
{
    int npanels = 0, used = 0, done[MOST] = {0};
    for (int k = 0; k < c->n; k++) {
        const int first = used;
        for (int j = k; j < c->n && !done[k]; j++) {
            if (!done[j] && strcmp(unit_of(c, j), unit_of(c, k)) == 0) {
                series[used] = (trm_plot_series){
                    .label = c->tape.name[c->column[j]],
                    .line = used - first < 3 ? (trm_plot_line)(used - first) : TRM_PLOT_SOLID,
                    .colour = used - first,
                    .n = (int)c->tape.rows,
                    .x = c->t,
                    .y = c->x[j]};
                used++;
                done[j] = j > k;
            }
        }
        if (used > first) {
            snprintf(label[npanels], sizeof label[npanels], "%s", unit_of(c, k));
            panels[npanels] = (trm_plot_panel){.x_label = "t [s]",
                                               .y_label = label[npanels],
                                               .nseries = used - first,
                                               .series = series + first,
                                               .height = 220};
            npanels++;
        }
        done[k] = 1;
    }
    return npanels;
}

static trm_status write_svg(chart *c)
{
    trm_plot_series series[MOST];
    trm_plot_panel panels[MOST];
    char label[MOST][32], *text = NULL;
    size_t length = 0;
    FILE *const out = trm_text_stream(&text, &length);
    if (out == NULL) {
        return TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    const int n = make_panels(c, series, panels, label);
    trm_plot_draw(out, c->tape.label, "recorded by trammel", n, panels);
    trm_status status = trm_stream_close(out) == 0
                            ? TRM_OK
                            : TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory");
    if (status == TRM_OK) {
        const trm_outfile_wish wish = {.path = c->arguments.output};
        status = trm_outfile_save(&wish, text, length, &c->error);
    }
    free(text);
    if (status == TRM_OK) {
        trm_terminal_printf(stdout, "Wrote %s", c->arguments.output);
        putchar('\n');
    }
    return status;
}

static trm_status make(chart *c)
{
    TRM_TRY(trm_output_kind(c->arguments.output, ".svg", &c->error));
    TRM_TRY(trm_input_note(c->arguments.recordings[0], &c->error));
    TRM_TRY(trm_tape_read(c->arguments.recordings[0], &c->tape, &c->error));
    for (int i = 0; i < c->tape.nnotes; i++) {
        fprintf(stderr, "warning: %s: %s\n", c->arguments.recordings[0], c->tape.note[i]);
    }
    TRM_TRY(choose_all(c));
    TRM_TRY(gather(c));
    return c->arguments.output != NULL ? write_svg(c) : print_characters(c, &c->error);
}

int trm_command_plot(int argc, char **argv)
{
    chart c = {.error.t = NAN};
    trm_status status = trm_arguments_parse(TRM_COMMAND_PLOT, argc, argv, &c.arguments, &c.error);
    if (status == TRM_OK && c.arguments.help) {
        trm_help(TRM_COMMAND_PLOT);
    } else if (status == TRM_OK) {
        status = make(&c);
    }
    if (status != TRM_OK) {
        trm_diagnose(&c.error, NULL);
    }
    const int code = trm_exit_code(status, 0);
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help plot\".\n", stderr);
    }
    for (int k = 0; k < MOST; k++) {
        free(c.x[k]);
    }
    free(c.t);
    trm_tape_destroy(&c.tape);
    trm_arguments_destroy(&c.arguments);
    return code;
}
