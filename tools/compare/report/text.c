/// A comparison in words: how the errors are measured, what to use, the stabilizations side by
/// side, the rows that nothing beats, what failed.
#include "tools/common/terminal.h"
#include "tools/compare/advice.h"
#include "tools/compare/forces.h"
#include "tools/compare/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 100,    // columns of the page
    ALL_ROWS = 30, // more rows are left to --json
    STABILIZATIONS = 64
};

/// A paragraph behind a label of 13 columns.
static void print_paragraph(const char *label, const char *text)
{
    const size_t width = LINE - 13;
    printf("%-13s", label);
    while (strlen(text) > width) {
        size_t n = width;
        while (n > 0 && text[n] != ' ') {
            n--;
        }
        n = n > 0 ? n : width;
        trm_terminal_printf(stdout, "%.*s", (int)n, text);
        printf("\n%-13s", "");
        text += n + (text[n] == ' ');
    }
    trm_terminal_text(stdout, text);
    putchar('\n');
}

static void print_header(const trm_comparison *c)
{
    const trm_sizes n = trm_model_sizes(c->model);
    const char *const title = trm_scene_get_info(c->scene).title;
    if (*title != '\0') {
        trm_terminal_text(stdout, title);
        putchar('\n');
    }
    trm_terminal_text(stdout, c->arguments.scene);
    printf(", 0 to %g s; %d %s, %d constraint %s\n\n", c->end, n.nbody,
           n.nbody == 1 ? "body" : "bodies", n.nc, n.nc == 1 ? "row" : "rows");
}

/// A few times, and how far the two references are apart.
static void print_apart(const trm_reference *r)
{
    enum { SHOWN = 5 };
    char text[400] = "Apart by";
    for (int i = 0; i < SHOWN && i < r->n; i++) {
        const int k = (i + 1) * r->n / SHOWN - 1;
        const size_t used = strlen(text);
        if (k >= 0 && isfinite(r->apart[k])) {
            snprintf(text + used, sizeof text - used, "%s %.1g to t = %.4g s", i > 0 ? "," : "",
                     r->apart[k], r->t[k]);
        } else if (k >= 0) {
            snprintf(text + used, sizeof text - used, "%s stopped before %.4g s", i > 0 ? "," : "",
                     r->t[k]);
        }
    }
    strncat(text, ".", sizeof text - strlen(text) - 1);
    print_paragraph("", text);
}

static void print_reference(const trm_comparison *c)
{
    const trm_reference *const r = &c->reference;
    char text[700];
    if (r->from_file) {
        snprintf(text, sizeof text, "%s. %s", r->method, r->verdict);
    } else {
        snprintf(text, sizeof text, "%s, beside %s. %s", r->method, r->partner, r->verdict);
    }
    print_paragraph("Reference", text);
    if (!r->from_file) {
        print_apart(r);
    }
    snprintf(
        text, sizeof text,
        "the largest at %d times, of all bodies: of position over %.3g m, angle over %.3g rad, "
        "velocity over %.3g m/s, rate over %.3g rad/s, the sizes of the motion.",
        r->n_agree, r->scale.position, r->scale.angle, r->scale.velocity, r->scale.rate);
    print_paragraph("Error", text);
    const double *const f = r->scale.forces;
    if (r->forces != NULL) {
        snprintf(text, sizeof text,
                 "likewise of reactions, drives and contacts over %.3g N and %.3g N m, and of "
                 "accelerations over %.3g m/s^2 and %.3g rad/s^2. A row whose forces are off by "
                 "more than ten times the error asked for is not recommended.",
                 f[TRM_FORCE_FORCE], f[TRM_FORCE_TORQUE], f[TRM_FORCE_ACCELERATION],
                 f[TRM_FORCE_ANGULAR]);
        print_paragraph("Forces", text);
    }
}

static void print_advice(const trm_comparison *c)
{
    char text[300];
    puts("");
    for (int i = 0; i < TRM_LEVELS; i++) {
        print_paragraph(i == 0 ? "Use" : "", c->advice[i].sentence);
    }
    for (int i = TRM_LEVELS / 2; i >= 0; i--) { // the middle one, or a coarser one
        if (c->advice[i].row >= 0) {
            printf("%-13s", "");
            trm_terminal_text(stdout, c->advice[i].run);
            putchar('\n');
            break;
        }
    }
    snprintf(text, sizeof text,
             "CPU times are medians of runs alone on a core; those that differ by less than %.0f "
             "%% count as the same. Parameters not in the name of a method are its defaults, which "
             "--json prints.",
             100 * c->noise);
    print_paragraph("", text);
}

// --------------------------------------------------------------------------------- the tables

static void print_fastest(const trm_comparison *c, const char *stabilization, double accuracy)
{
    char time[24], setting[16], text[48];
    const int i = trm_fastest_row(c, stabilization, accuracy);
    if (i < 0) {
        printf("%-26s", "-");
        return;
    }
    const trm_compare_row *const row = &c->rows[i];
    snprintf(setting, sizeof setting, "%.3g", row->setting);
    snprintf(text, sizeof text, "%s %s %s", trm_seconds_text(row->cpu, time),
             row->method->integrator_name, setting);
    printf("%-26s", text);
}

/// A stabilization and what orders it: the fastest times of its rows.
typedef struct line {
    const char *name;
    int rows, bad;
    double cpu[TRM_LEVELS]; // s; INFINITY: no row is that exact
} line;

static line describe(const trm_comparison *c, const char *name)
{
    line out = {.name = name};
    for (int k = 0; k < TRM_LEVELS; k++) {
        const int i = trm_fastest_row(c, name, trm_levels[k]);
        out.cpu[k] = i >= 0 ? c->rows[i].cpu : INFINITY;
    }
    for (int i = 0; i < c->nrows; i++) {
        const int of_it = strcmp(c->rows[i].method->stabilization_name, name) == 0;
        out.rows += of_it && trm_row_was_run(&c->rows[i]);
        out.bad += of_it && trm_row_is_bad(c, &c->rows[i]);
    }
    return out;
}

/// By the middle accuracy, then the coarse one, then the fine one.
static int by_speed(const void *a, const void *b)
{
    static const int first[TRM_LEVELS] = {1, 0, 2};
    const line *const x = a, *const y = b;
    for (int k = 0; k < TRM_LEVELS; k++) {
        const double p = x->cpu[first[k]], q = y->cpu[first[k]];
        if (p < q || p > q) {
            return p > q ? 1 : -1;
        }
    }
    return strcmp(x->name, y->name);
}

static int find_stabilizations(const trm_comparison *c, line *lines)
{
    int n = 0;
    for (int i = 0; i < c->nrows; i++) {
        const char *const name = c->rows[i].method->stabilization_name;
        int seen = 0;
        for (int k = 0; k < n; k++) {
            seen |= strcmp(lines[k].name, name) == 0;
        }
        if (!seen && !c->rows[i].recorded && n < STABILIZATIONS) {
            lines[n++] = describe(c, name);
        }
    }
    qsort(lines, (size_t)n, sizeof *lines, by_speed);
    return n;
}

/// In a column; one with parameters may take a line of its own.
static void print_name(const char *name, int width)
{
    printf("%-*s", width, name);
    if ((int)strlen(name) > width) {
        printf("\n%-*s", width, "");
    }
}

static void print_stabilizations(const trm_comparison *c)
{
    line lines[STABILIZATIONS];
    const int n = find_stabilizations(c, lines);
    printf("\n%-15sCPU time to an error of (with integrator, rtol or step)\n%-15s", "", "");
    for (int k = 0; k < TRM_LEVELS; k++) {
        char accuracy[24];
        printf("%-26s", trm_accuracy_text(trm_levels[k], accuracy));
    }
    puts("no use");
    for (int i = 0; i < n; i++) {
        print_name(lines[i].name, 15);
        for (int k = 0; k < TRM_LEVELS; k++) {
            print_fastest(c, lines[i].name, trm_levels[k]);
        }
        printf("%d of %d\n", lines[i].bad, lines[i].rows);
    }
    puts("(no use: rows that stopped, took too long, changed branch, or have an error above 0.1 or "
         "wrong forces)");
}

static void print_row(const trm_comparison *c, const trm_compare_row *row)
{
    char time[24];
    const trm_row_facts *const f = &row->facts;
    print_name(row->id, 31);
    if (row->status != TRM_ROW_DONE) {
        printf("%s", trm_row_status_name(row->status));
        if (row->status == TRM_ROW_FAILED) {
            printf(" at t = %.4g s: %.90s", f->t_failed, f->reason);
        }
        putchar('\n');
        return;
    }
    if (row->recorded) {
        printf("%s%-8.2g%s\n", row->resolved ? " " : "~", row->error.relative, "recorded");
        return;
    }
    const int off_branch = f->first_branch_change <= c->reference.t_agree;
    char forces[16] = "-";
    if (c->reference.forces != NULL) {
        snprintf(forces, sizeof forces, "%.1g", trm_forces_relative(c, row));
    }
    printf("%s%-8.2g%-8s%-7.1g%-7.1g%-8ld%-8ld%-8ld%-8ld%-9s%-5.0f%s\n", row->resolved ? " " : "~",
           row->error.relative, forces, f->position_drift, f->energy_error, f->stats.steps,
           f->stats.force_evals, f->stats.jacobian_evals, f->stats.factorizations,
           trm_seconds_text(row->cpu, time), (double)row->peak_memory_kb / 1024,
           off_branch                            ? "other branch"
           : trm_row_is_bad(c, row)              ? "wrong forces"
           : row->pareto && c->nrows <= ALL_ROWS ? "*"
                                                 : "");
}

static int by_cpu(const void *a, const void *b)
{
    const trm_compare_row *const x = *(trm_compare_row *const *)a, *const y =
                                                                       *(trm_compare_row *const *)b;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/// The front, by cost; of rows that cost the same only the most exact one.
static void print_front(const trm_comparison *c)
{
    const trm_compare_row **const front = calloc((size_t)c->nrows + 1, sizeof *front);
    int n = 0;
    for (int i = 0; i < c->nrows && front != NULL; i++) {
        if (c->rows[i].pareto) {
            front[n++] = &c->rows[i];
        }
    }
    if (n > 0) {
        qsort(front, (size_t)n, sizeof *front, by_cpu);
    }
    for (int i = 0, k; i < n; i = k) {
        const trm_compare_row *best = front[i];
        for (k = i + 1; k < n && front[k]->cpu <= front[i]->cpu * (1 + c->noise); k++) {
            best = front[k]->error.relative < best->error.relative ? front[k] : best;
        }
        print_row(c, best);
    }
    free(front);
}

static void print_rows(const trm_comparison *c)
{
    const int all = c->nrows <= ALL_ROWS;
    printf("\n%-31s %-8s%-8s%-7s%-7s%-8s%-8s%-8s%-8s%-9s%s\n",
           all ? "" : "Best at their cost:", "error", "forces", "drift", "energy", "steps", "f",
           "G", "factors", "CPU", "MB");
    for (int i = 0; i < c->nrows; i++) {
        if (all || c->rows[i].recorded) {
            print_row(c, &c->rows[i]);
        }
    }
    if (all) {
        puts("(* no row is both more exact and faster)");
    } else {
        print_front(c);
    }
    puts("(f, G, factors: evaluations of forces, of constraints, factorizations; MB: peak memory)");
    if (!c->reference.from_file) {
        puts("(~ within two digits of what the reference itself is known to)");
    }
}

/// Stabilizations of which most rows are no use; of the others coarse rows,
/// mostly, and the table counts them.
static void print_warnings(const trm_comparison *c)
{
    int printed = 0;
    for (int i = 0; i < c->nwarnings; i++) {
        if (2 * c->warnings[i].bad > c->warnings[i].rows) {
            printf("%s", printed == 0 ? "\n" : "");
            print_paragraph(printed++ == 0 ? "No use" : "", c->warnings[i].sentence);
        }
    }
}

static void print_rest(const trm_comparison *c)
{
    int run = 0;
    for (int i = 0; i < c->nrows; i++) {
        run += trm_row_was_run(&c->rows[i]);
    }
    printf("\n%d rows", c->nrows);
    if (run < c->nrows) {
        printf(", %d of them not run,", c->nrows - run);
    }
    printf(" in %.0f s", c->wall[0] + c->wall[1] + c->wall[2]);
    if (c->left_out > 0) {
        printf("; %d finer ones left out to save time, --steps and --rtols run any", c->left_out);
    }
    puts(c->interrupted ? "; interrupted" : "");
}

/// Each line of the study, its slopes below.
static void print_study(const trm_comparison *c)
{
    trm_study study;
    trm_study_find(c, &study);
    for (int i = 0; i < study.n; i++) {
        const trm_study_line *const l = &study.line[i];
        if (i == 0 || strcmp(l->along, study.line[i - 1].along) != 0) {
            printf("%s\n%-13s%-13s", i == 0 ? "" : "\n", i == 0 ? "Error over" : "and over",
                   *l->along == 'h' ? "h = epsilon" : l->along);
            for (int k = 0; k < l->n; k++) {
                printf("%-9.3g", l->x[k]);
            }
        }
        printf("\n%-13ss = %-9d", "", l->iterations);
        for (int k = 0; k < l->n; k++) {
            printf("%-9.2g", l->error[k]);
        }
        printf("\n%-13s  slope %-9.0f", "", l->theory);
        for (int k = 0; k + 1 < l->n; k++) {
            printf("%9.2g", l->slope[k]);
        }
        putchar('\n');
    }
    print_paragraph("",
                    "Theory: error = C1 epsilon^s + C2 h^2 while h < 2 epsilon. Its slope stands "
                    "first, then those between neighbours.");
    if (study.parted > 0) {
        print_paragraph("",
                        "Here runs stop (nan) or are off by the motion itself (1 and more), and "
                        "the theory is of small errors. --end T studies a shorter span.");
    }
}

void trm_compare_text(const trm_comparison *c)
{
    print_header(c);
    print_reference(c);
    if (c->study != NULL) {
        print_study(c);
    } else {
        print_advice(c);
        print_stabilizations(c);
    }
    print_rows(c);
    if (c->study == NULL) {
        print_warnings(c);
    }
    print_rest(c);
}
