/// trammel plot: columns of a recording over time, in characters, or
/// as SVG with a panel for each unit.
#include "program/suggest.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/common/terminal.h"
#include "tools/drawing/characters.h"
#include "tools/drawing/plot.h"
#include "tools/page/tape.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 12,
    HEIGHT = 18,
    LABEL = 12,
    TAPES = 8
}; // columns; rows of characters; characters of a number

typedef struct chart {
    trm_arguments arguments;
    int ntapes;
    trm_tape tape[TAPES];
    const trm_tape *of[MOST];  // chosen: from which,
    int n, column[MOST];       // which column,
    const char *wanted[MOST];  // by which argument (NULL: none),
    const char *unit[MOST];    // "[m]"; without one, that of the one before of the same argument
    double *x[MOST], *t[MOST]; // [of->rows] its values over these
    char label[MOST][200], abscissa[104];
    trm_error error;
} chart;

// ---------------------------------------------------------------------------------------- columns

/// "energy.kinetic[J]" is meant by itself, without its unit, and by "energy"; "a=b" means a in one
/// file, b in another.
static int is_meant(const char *column, const char *wanted)
{
    const size_t n = strcspn(wanted, "=");
    return (strncmp(column, wanted, n) == 0 &&
            (column[n] == '\0' || column[n] == '[' || column[n] == '.')) ||
           (wanted[n] == '=' && is_meant(column, wanted + n + 1));
}

static int add(chart *c, const trm_tape *tape, int column, const char *wanted)
{
    const char *const unit = strchr(tape->name[column], '[');
    const int k = c->n, after = k > 0 && c->wanted[k - 1] == wanted;
    if (k == MOST) {
        return 0;
    }
    snprintf(c->label[k], sizeof *c->label, "%.100s%s%.90s", tape->name[column],
             c->ntapes > 1 ? ", " : "", c->ntapes > 1 ? tape->label : "");
    c->wanted[k] = wanted;
    c->unit[k] = unit != NULL ? unit : after ? c->unit[k - 1] : "";
    c->of[k] = tape;
    c->column[k] = column;
    c->n++;
    return 1;
}

static trm_status unknown(chart *c, const trm_tape *tape, const char *wanted)
{
    char hint[64];
    const char *const last = strrchr(wanted, '='), *const name = last != NULL ? last + 1 : wanted;
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    for (int i = 1; i < tape->columns; i++) {
        trm_suggest_consider(&suggestion, tape->name[i]);
    }
    return TRM_FAIL(&c->error, TRM_ERR_OPTIONS, wanted, "%.80s has no such column%s%s", tape->label,
                    trm_suggest_text(&suggestion, hint, sizeof hint),
                    suggestion.best ? "" : "; its first line names them");
}

static trm_status choose(chart *c, const trm_tape *tape, const char *wanted)
{
    int found = 0;
    for (int i = 1; i < tape->columns; i++) {
        const int meant = is_meant(tape->name[i], wanted);
        found += meant;
        if (meant && !add(c, tape, i, wanted)) {
            return TRM_FAIL(&c->error, TRM_ERR_OPTIONS, wanted, "a plot takes %d columns at most",
                            MOST);
        }
    }
    return found ? TRM_OK : unknown(c, tape, wanted);
}

static int ends_in(const char *name, const char *part)
{
    const size_t n = strcspn(name, "["), length = strlen(part);
    return n > length && memcmp(name + n - length, part, length) == 0;
}

/// What an engineer looks at first, as on pages: coordinates of joints, efforts of drives, forces
/// of contacts, outputs; else the energies, else what has the unit of the first column.
static void choose_by_rank(chart *c, const trm_tape *tape)
{
    enum { RANKS = 6, AT_FIRST = 4 };
    const int before = c->n, few = MOST / AT_FIRST / c->ntapes, each = few > 0 ? few : 1;
    for (int rank = 0; rank < RANKS && (rank < AT_FIRST || c->n == before); rank++) {
        for (int i = 1, n = 0; i < tape->columns && (rank >= AT_FIRST || n < each); i++) {
            const char *const name = tape->name[i], *const first = strchr(tape->name[1], '[');
            const char *const unit = strchr(name, '[');
            const int fits[RANKS] = {ends_in(name, ".coordinate"),
                                     ends_in(name, ".effort") || ends_in(name, ".motor"),
                                     ends_in(name, ".contact_force"),
                                     name[strcspn(name, ".[")] != '.',
                                     is_meant(name, "energy"),
                                     strcmp(unit ? unit : "", first ? first : "") == 0};
            n += fits[rank] && add(c, tape, i, NULL);
        }
    }
}

static trm_status choose_all(chart *c)
{
    for (int i = 0; i < c->arguments.ncolumns; i++) {
        for (int k = 0; k < c->ntapes; k++) {
            TRM_TRY(choose(c, &c->tape[k], c->arguments.columns[i]));
        }
    }
    for (int k = 0; k < c->ntapes && c->arguments.ncolumns == 0; k++) {
        choose_by_rank(c, &c->tape[k]);
    }
    return c->n > 0 ? TRM_OK
                    : TRM_FAIL(&c->error, TRM_ERR_OPTIONS, "plot", "%.80s has the time only",
                               c->tape[0].label);
}

/// The column that curves of a tape are drawn over: the time, or --over.
static trm_status find_abscissa(chart *c, const trm_tape *tape, int *column)
{
    *column = 0;
    for (int i = 0; c->arguments.over != NULL && i < tape->columns; i++) {
        *column = *column == 0 && is_meant(tape->name[i], c->arguments.over) ? i : *column;
    }
    return *column == 0 && c->arguments.over != NULL && strcmp(c->arguments.over, "t") != 0
               ? unknown(c, tape, c->arguments.over)
               : TRM_OK;
}

static trm_status gather(chart *c)
{
    for (int k = 0; k < c->n; k++) {
        const trm_tape *const tape = c->of[k];
        int over;
        TRM_TRY(find_abscissa(c, tape, &over));
        c->x[k] = calloc((size_t)tape->rows + 1, sizeof *c->x[k]);
        c->t[k] = calloc((size_t)tape->rows + 1, sizeof *c->t[k]);
        if (c->x[k] == NULL || c->t[k] == NULL) {
            return TRM_FAIL(&c->error, TRM_ERR_MEMORY, "", "out of memory");
        }
        for (long i = 0; i < tape->rows; i++) {
            c->x[k][i] = tape->x[i * tape->columns + c->column[k]];
            c->t[k][i] = tape->x[i * tape->columns + over];
        }
        snprintf(c->abscissa, sizeof c->abscissa, "%.100s", over > 0 ? tape->name[over] : "t [s]");
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- characters

static void range_of(const chart *c, double *const *x, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int k = 0; k < c->n; k++) {
        for (long i = 0; i < c->of[k]->rows; i++) {
            *low = fmin(*low, x[k][i]); // NAN leaves it
            *high = fmax(*high, x[k][i]);
        }
    }
    if (!(*low < *high)) {
        *low = isfinite(*low) ? *low - 0.5 : 0;
        *high = *low + 1;
    }
}

static void draw_column(const chart *c, int k, trm_characters *board, const double t[2], double low,
                        double high)
{
    static const char letters[] = "*+ox#%&@abcd";
    const double w = 2.0 * board->width - 1, h = 4.0 * board->height - 1;
    const long rows = c->of[k]->rows;
    double px = NAN, py = NAN;
    for (long i = 0; i < rows; i++) {
        const double x = w * (c->t[k][i] - t[0]) / (t[1] - t[0]),
                     y = h * (high - c->x[k][i]) / (high - low);
        if (isfinite(x) && isfinite(y) && isfinite(px) && isfinite(py)) {
            trm_characters_line(board, px, py, x, y);
        }
        // columns differ by letters, some of them on each line
        if (c->n > 1 && isfinite(x) && isfinite(y) &&
            (i * 12 + k * 5) / rows != ((i + 1) * 12 + k * 5) / rows) {
            trm_characters_letter(board, x, y, letters[k]);
        }
        px = x;
        py = y;
    }
    trm_terminal_printf(stdout, "  %c %s", c->n > 1 ? letters[k] : ' ', c->label[k]);
    putchar('\n');
}

static trm_status print_characters(const chart *c, trm_error *err)
{
    int height;
    const int width = trm_terminal_width(&height);
    trm_characters board;
    double low, high, t[2];
    if (!trm_characters_create(&board, width > 40 ? width - LABEL - 2 : 28, HEIGHT)) {
        trm_characters_destroy(&board);
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    range_of(c, c->x, &low, &high);
    range_of(c, c->t, &t[0], &t[1]);
    for (int k = 0; k < c->n; k++) {
        draw_column(c, k, &board, t, low, high);
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
    const int room =
        board.width - snprintf(last, sizeof last, "%.5g%s", t[1], c->arguments.over ? "" : " s");
    printf("%*.11s +%-*.5g%s\n", LABEL - 1, c->arguments.over ? c->arguments.over : "t",
           room > 1 ? room : 1, t[0], last);
    trm_characters_destroy(&board);
    return TRM_OK;
}

// -------------------------------------------------------------------------------------------- SVG

/// What another program names otherwise ("a=b") is drawn by rings, where these stand apart.
static int is_measured(const chart *c, int k)
{
    enum { RINGS = 200 }; // of 3 px in a panel of 600
    const char *const wanted = c->wanted[k] ? c->wanted[k] : "";
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(wanted, "="), wanted);
    return strchr(wanted, '=') && c->of[k]->rows <= RINGS &&
           !is_meant(c->of[k]->name[c->column[k]], first);
}

/// Panels of the columns of one unit each, in order; returns how many.
static int make_panels(const chart *c, trm_plot_series *series, trm_plot_panel *panels,
                       char (*label)[32])
{
    int npanels = 0, used = 0, done[MOST] = {0};
    for (int k = 0; k < c->n; k++) {
        const int first = used;
        for (int j = k; j < c->n && !done[k]; j++) {
            if (!done[j] && strcmp(c->unit[j], c->unit[k]) == 0) {
                series[used] =
                    (trm_plot_series){.label = c->label[j],
                                      .line = is_measured(c, j)  ? TRM_PLOT_POINTS
                                              : used - first < 3 ? (trm_plot_line)(used - first)
                                                                 : TRM_PLOT_SOLID,
                                      .colour = used - first,
                                      .n = (int)c->of[j]->rows,
                                      .x = c->t[j],
                                      .y = c->x[j]};
                used++;
                done[j] = j > k;
            }
        }
        if (used > first) {
            snprintf(label[npanels], sizeof label[npanels], "%.31s", c->unit[k]);
            panels[npanels] = (trm_plot_panel){.x_label = c->abscissa,
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
    trm_plot_draw(out, c->tape[0].label, "recorded by trammel", n, panels);
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
    for (; c->ntapes < c->arguments.nrecordings; c->ntapes++) {
        const char *const path = c->arguments.recordings[c->ntapes];
        trm_tape *const tape = &c->tape[c->ntapes];
        TRM_TRY(trm_input_note(path, &c->error));
        TRM_TRY(trm_tape_read(path, tape, &c->error));
        for (int i = 0; i < tape->nnotes; i++) {
            fprintf(stderr, "warning: %s: %s\n", path, tape->note[i]);
        }
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
        free(c.t[k]);
    }
    for (int k = 0; k < TAPES; k++) {
        trm_tape_destroy(&c.tape[k]);
    }
    trm_arguments_destroy(&c.arguments);
    return code;
}
