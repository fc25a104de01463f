#include "validation/papers/shared/report.h"

#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NO_NOTE = -1, FOOTNOTES = 16 };

static int cells_of(const trm_paper_table *table)
{
    return table->nrows * table->ncolumns;
}

static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

trm_status trm_paper_result_create(const trm_paper_table *table, trm_paper_result *out,
                                   trm_error *err)
{
    const int n = cells_of(table);
    *out = (trm_paper_result){.table = table};
    double *const ours = calloc((size_t)n, sizeof *ours);
    out->cells = calloc((size_t)n, sizeof *out->cells);
    if (ours == NULL || out->cells == NULL) {
        free(ours);
        return TRM_FAIL(err, TRM_ERR_MEMORY, table->name, "out of memory");
    }
    for (int i = 0; i < n; i++) {
        ours[i] = -1;
    }
    const double begin = cpu_now();
    const trm_status status = table->run(ours, err);
    out->cpu = cpu_now() - begin;
    for (int i = 0; status == TRM_OK && i < n; i++) {
        out->cells[i] = trm_paper_judge(table, ours, i / table->ncolumns, i % table->ncolumns);
        out->count[out->cells[i].verdict]++;
    }
    free(ours);
    return status;
}

void trm_paper_result_destroy(trm_paper_result *result)
{
    free(result->cells);
    *result = (trm_paper_result){0};
}

// ----------------------------------------------------------------------------------------- text

static void print_cell(const trm_paper_cell *cell, int width, int footnote)
{
    char ours[24], ratio[24] = "";
    const double quotient = cell->ours / cell->printed;
    trm_paper_format(cell->ours, cell->printed_text, ours);
    if (isfinite(quotient)) {
        snprintf(ratio, sizeof ratio, "%.3g", quotient);
    }
    printf("  %-*s  %-14s %10s %10s %10s  %s", width, cell->row, cell->column, ours,
           cell->printed_text, ratio, trm_paper_verdict_name(cell->verdict));
    if (cell->verdict == TRM_PAPER_VERDICT_MISPRINT) {
        printf(", right is %s", cell->note->right);
    }
    if (footnote != NO_NOTE) {
        printf(" [%d]", footnote + 1);
    }
    putchar('\n');
}

/// The reasons that some cell rests on, numbered in the order of the cells.
typedef struct footnotes {
    int n;
    const char *reason[FOOTNOTES];
} footnotes;

static int number_of(footnotes *list, const trm_paper_note *note)
{
    if (note == NULL) {
        return NO_NOTE;
    }
    for (int i = 0; i < list->n; i++) {
        if (list->reason[i] == note->reason) {
            return i;
        }
    }
    if (list->n == FOOTNOTES) {
        return NO_NOTE;
    }
    list->reason[list->n] = note->reason;
    return list->n++;
}

/// In lines of at most 96 characters.
static void print_reason(int number, const char *reason)
{
    enum { WIDTH = 92 };
    printf("  [%d] ", number + 1);
    while (strlen(reason) > WIDTH) {
        int n = WIDTH;
        while (n > 1 && reason[n] != ' ') {
            n--;
        }
        printf("%.*s\n      ", n, reason);
        reason += n + 1;
    }
    puts(reason);
}

static int widest_row(const trm_paper_table *table)
{
    int width = 0;
    for (int i = 0; i < table->nrows; i++) {
        const int w = snprintf(NULL, 0, "%s", table->rows[i].name);
        width = w > width ? w : width;
    }
    return width;
}

void trm_paper_print(const trm_paper_result *result)
{
    const trm_paper_table *const table = result->table;
    const int width = widest_row(table);
    footnotes list = {0};
    printf("%s  %s\n  %s\n\n", table->name, table->title, table->setting);
    printf("  %-*s  %-14s %10s %10s %10s  %s\n", width, "row", "column", "ours", "printed", "ratio",
           "verdict");
    for (int i = 0; i < cells_of(table); i++) {
        print_cell(&result->cells[i], width, number_of(&list, result->cells[i].note));
    }
    putchar('\n');
    for (int i = 0; i < list.n; i++) {
        print_reason(i, list.reason[i]);
    }
    printf("  %d cells:", cells_of(table));
    for (int v = 0; v < TRM_VERDICTS; v++) {
        if (result->count[v] > 0) {
            printf(" %d %s;", result->count[v], trm_paper_verdict_name((trm_paper_verdict)v));
        }
    }
    printf(" %.1f s\n", result->cpu);
}

void trm_paper_print_differing(const trm_paper_result *result)
{
    for (int i = 0; i < cells_of(result->table); i++) {
        if (result->cells[i].verdict == TRM_PAPER_VERDICT_DIFFERS) {
            printf("%s:\n", result->table->name);
            print_cell(&result->cells[i], widest_row(result->table), NO_NOTE);
        }
    }
}

/// Of the summary: room for the name, and for 9 characters at least.
static int column_width(trm_paper_verdict verdict)
{
    const int name = (int)strlen(trm_paper_verdict_name(verdict));
    return name > 9 ? name + 1 : 9;
}

void trm_paper_summary_head(void)
{
    printf("%-12s %6s", "table", "cells");
    for (int v = 0; v < TRM_VERDICTS; v++) {
        printf(" %*s", column_width((trm_paper_verdict)v),
               trm_paper_verdict_name((trm_paper_verdict)v));
    }
    printf(" %8s\n", "cpu[s]");
}

void trm_paper_summary_line(const char *name, const int count[TRM_VERDICTS], double cpu)
{
    int cells = 0;
    for (int v = 0; v < TRM_VERDICTS; v++) {
        cells += count[v];
    }
    printf("%-12s %6d", name, cells);
    for (int v = 0; v < TRM_VERDICTS; v++) {
        printf(" %*d", column_width((trm_paper_verdict)v), count[v]);
    }
    printf(" %8.1f\n", cpu);
    fflush(stdout);
}

// ----------------------------------------------------------------------------------------- JSON

static void cell_json(const trm_paper_cell *cell, trm_json *json)
{
    trm_json_object(json);
    trm_json_key_string(json, "row", cell->row);
    trm_json_key_string(json, "column", cell->column);
    trm_json_key_number(json, "ours", cell->ours);
    trm_json_key_number(json, "printed", cell->printed);
    trm_json_key_string(json, "printed_text", cell->printed_text);
    trm_json_key_string(json, "verdict", trm_paper_verdict_name(cell->verdict));
    if (cell->note != NULL) {
        if (cell->verdict == TRM_PAPER_VERDICT_MISPRINT) {
            trm_json_key_string(json, "right", cell->note->right);
        }
        trm_json_key_string(json, "reason", cell->note->reason);
    }
    trm_json_end(json);
}

void trm_paper_counts_json(const int count[TRM_VERDICTS], trm_json *json)
{
    trm_json_object(json);
    for (int v = 0; v < TRM_VERDICTS; v++) {
        trm_json_key_integer(json, trm_paper_verdict_name((trm_paper_verdict)v), count[v]);
    }
    trm_json_end(json);
}

void trm_paper_json(const trm_paper_result *result, trm_json *json)
{
    trm_json_object(json);
    trm_json_key_string(json, "table", result->table->name);
    trm_json_key_string(json, "title", result->table->title);
    trm_json_key_string(json, "setting", result->table->setting);
    trm_json_key_string(json, "digits", result->table->cut_off ? "cut off" : "rounded");
    trm_json_key(json, "cells");
    trm_json_list(json);
    for (int i = 0; i < cells_of(result->table); i++) {
        cell_json(&result->cells[i], json);
    }
    trm_json_end(json);
    trm_json_key(json, "verdicts");
    trm_paper_counts_json(result->count, json);
    trm_json_key_number(json, "cpu_s", result->cpu);
    trm_json_end(json);
}
