/// trammel-papers: the papers' tables, ours beside the printed values;
/// their figures and claims, recomputed.
#include "validation/papers/shared/paper.h"
#include "validation/papers/claims_report.h"

#include "program/suggest.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "trammel/trammel_error.h"
#include "validation/papers/shared/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct paper {
    trm_arguments arguments;
    int count[TRM_VERDICTS];
    double cpu;
    trm_error error;
} paper;

static trm_status unknown(const char *what, const char *name, trm_suggestion *suggestion,
                          trm_error *err)
{
    char hint[80];
    return TRM_FAIL(err, TRM_ERR_OPTIONS, name, "no %s of this name%s", what,
                    trm_suggest_text(suggestion, hint, sizeof hint));
}

/// The name that a table has here: chapters 2 and 3 of the thesis repeat those of both papers.
static const char *original(const char *name)
{
    static const char *const repeated[][2] = {
        {"TH/2.1", "SRM-I/5.1"},  {"TH/2.2", "SRM-I/5.2"},  {"TH/2.3", "SRM-I/5.3"},
        {"TH/2.4", "SRM-I/5.4"},  {"TH/2.5", "SRM-I/5.5"},  {"TH/2.6", "SRM-I/5.6"},
        {"TH/3.1", "SRM-II/6.1"}, {"TH/3.2", "SRM-II/6.2"}, {"TH/3.3", "SRM-II/6.3"},
        {"TH/3.4", "SRM-II/6.4"}, {"TH/3.5", "SRM-II/6.5"}};
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        if (strcasecmp(repeated[i][0], name) == 0) {
            return repeated[i][1];
        }
    }
    return name;
}

static trm_status find_table(const char *given, const trm_paper_table **out, trm_error *err)
{
    const char *const name = original(given);
    const trm_paper_table *const *tables;
    const int n = trm_paper_tables(&tables);
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    for (int i = 0; i < n; i++) {
        if (strcasecmp(tables[i]->name, name) == 0) {
            *out = tables[i];
            return TRM_OK;
        }
        trm_suggest_consider(&suggestion, tables[i]->name);
    }
    return unknown("table", name, &suggestion, err);
}

static trm_status find_figure(const char *name, const trm_paper_figure **out, trm_error *err)
{
    const trm_paper_figure *figures;
    const int n = trm_paper_figures(&figures);
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    for (int i = 0; i < n; i++) {
        if (strcasecmp(figures[i].name, name) == 0) {
            *out = &figures[i];
            return TRM_OK;
        }
        trm_suggest_consider(&suggestion, figures[i].name);
    }
    return unknown("figure", name, &suggestion, err);
}

// --------------------------------------------------------------------------------------- tables

static void add(paper *p, const trm_paper_result *result)
{
    for (int v = 0; v < TRM_VERDICTS; v++) {
        p->count[v] += result->count[v];
    }
    p->cpu += result->cpu;
}

static trm_status one_table(paper *p)
{
    const trm_paper_table *table = NULL;
    trm_paper_result result;
    TRM_TRY(find_table(p->arguments.scene, &table, &p->error));
    const trm_status status = trm_paper_result_create(table, &result, &p->error);
    if (status == TRM_OK) {
        add(p, &result);
        if (p->arguments.json) {
            trm_json json = {.out = stdout};
            trm_paper_json(&result, &json);
        } else {
            trm_paper_print(&result);
        }
    }
    trm_paper_result_destroy(&result);
    return status;
}

static trm_status all_tables_text(paper *p, int n, const trm_paper_table *const *tables,
                                  trm_paper_result *results)
{
    trm_paper_summary_head();
    for (int i = 0; i < n; i++) {
        TRM_TRY(trm_paper_result_create(tables[i], &results[i], &p->error));
        add(p, &results[i]);
        trm_paper_summary_line(tables[i]->name, results[i].count, results[i].cpu);
    }
    trm_paper_summary_line("all", p->count, p->cpu);
    for (int i = 0; i < n; i++) {
        trm_paper_print_differing(&results[i]);
    }
    puts("\nCell by cell, with reasons: trammel-papers TABLE. What has no table: trammel-papers "
         "claims");
    return TRM_OK;
}

static trm_status all_tables_json(paper *p, int n, const trm_paper_table *const *tables,
                                  trm_paper_result *results)
{
    trm_json json = {.out = stdout};
    for (int i = 0; i < n; i++) {
        TRM_TRY(trm_paper_result_create(tables[i], &results[i], &p->error));
        add(p, &results[i]);
    }
    trm_json_object(&json);
    trm_json_key(&json, "tables");
    trm_json_list(&json);
    for (int i = 0; i < n; i++) {
        trm_paper_json(&results[i], &json);
    }
    trm_json_end(&json);
    trm_json_key(&json, "verdicts");
    trm_paper_counts_json(p->count, &json);
    trm_json_key_number(&json, "cpu_s", p->cpu);
    trm_json_end(&json);
    return TRM_OK;
}

static trm_status all_tables(paper *p)
{
    const trm_paper_table *const *tables;
    const int n = trm_paper_tables(&tables);
    trm_paper_result *const results = calloc((size_t)n, sizeof *results);
    if (results == NULL) {
        return TRM_FAIL(&p->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    const trm_status status = p->arguments.json ? all_tables_json(p, n, tables, results)
                                                : all_tables_text(p, n, tables, results);
    for (int i = 0; i < n; i++) {
        trm_paper_result_destroy(&results[i]);
    }
    free(results);
    return status;
}

// -------------------------------------------------------------------------------------- figures

static trm_status draw(const trm_paper_figure *figure, const char *path, trm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = trm_text_stream(&text, &length);
    if (out == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    trm_status status = figure->draw(out, err);
    if (trm_stream_close(out) != 0 && status == TRM_OK) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    if (status == TRM_OK) {
        status = trm_outfile_save(&(trm_outfile_wish){.path = path}, text, length, err);
    }
    if (status == TRM_OK) {
        printf("%s: %s, %s\n", path, figure->name, figure->title);
    }
    free(text);
    return status;
}

static void list_figures(void)
{
    const trm_paper_figure *figures;
    const int n = trm_paper_figures(&figures);
    for (int i = 0; i < n; i++) {
        printf("%-12s %s\n", figures[i].name, figures[i].title);
    }
}

/// "SRM-II/6.1" -> "SRM-II-6.1.svg"
static void default_path(const char *name, char out[64])
{
    snprintf(out, 64, "%.48s.svg", name);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == '/' ? '-' : *c;
    }
}

static trm_status one_figure(paper *p)
{
    const trm_paper_figure *figure = NULL;
    char path[64];
    const char *output = p->arguments.output;
    if (p->arguments.scene == NULL) {
        list_figures();
        return TRM_OK;
    }
    TRM_TRY(find_figure(p->arguments.scene, &figure, &p->error));
    TRM_TRY(trm_output_kind(output, ".svg", &p->error));
    if (output == NULL) {
        default_path(figure->name, path);
        output = path;
    }
    return draw(figure, output, &p->error);
}

static trm_status all_claims(paper *p)
{
    if (p->arguments.scene != NULL) {
        return TRM_FAIL(&p->error, TRM_ERR_OPTIONS, p->arguments.scene,
                        "claims are listed all together");
    }
    return trm_paper_claims_print(p->arguments.json, &p->count[TRM_PAPER_VERDICT_DIFFERS],
                                  &p->error);
}

static trm_status check_mix(const paper *p, int figure, trm_error *err)
{
    if (figure && p->arguments.json) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--json", "a figure is written as SVG only");
    }
    if (!figure && p->arguments.output != NULL) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "-o", "goes with \"paper figure NAME\" only");
    }
    return TRM_OK;
}

static int print(int argc, char **argv)
{
    paper p = {.error.t = NAN};
    const int figure = argc > 1 && strcmp(argv[1], "figure") == 0;
    const int claims = argc > 1 && strcmp(argv[1], "claims") == 0;
    const int word = figure || claims;
    trm_status status =
        trm_arguments_parse(TRM_COMMAND_PAPER, argc - word, argv + word, &p.arguments, &p.error);
    if (status == TRM_OK && p.arguments.help) {
        puts("trammel-papers [TABLE] [--json] | figure [NAME] [-o out.svg] | claims [--json]\n\n"
             "the papers' tables and figures, ours beside the printed ones\n");
        trm_options_help(TRM_COMMAND_PAPER);
    } else if (status == TRM_OK) {
        status = check_mix(&p, figure, &p.error);
        if (status == TRM_OK) {
            status = figure                      ? one_figure(&p)
                     : claims                    ? all_claims(&p)
                     : p.arguments.scene != NULL ? one_table(&p)
                                                 : all_tables(&p);
        }
    }
    if (status != TRM_OK) {
        trm_diagnose(&p.error, NULL);
    }
    int code = trm_exit_code(status, 1);
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel-papers --help\".\n", stderr);
    }
    if (code == TRM_EXIT_DONE && p.count[TRM_PAPER_VERDICT_DIFFERS] > 0) {
        fflush(stdout);
        fprintf(stderr,
                claims ? "error: %d claims do not hold\n"
                       : "error: %d cells differ from the printed value without a known reason\n",
                p.count[TRM_PAPER_VERDICT_DIFFERS]);
        code = TRM_EXIT_FAILED;
    }
    trm_arguments_destroy(&p.arguments);
    return code;
}

int main(int argc, char **argv)
{
    return trm_program_of(print, argc, argv);
}
