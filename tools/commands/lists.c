/// trammel methods, elements, schema: what this version knows.
#include "program/texts.h"
#include "tools/commands/element_help.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/json_out.h"
#include "trammel/trammel_dae.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Copies the first of the words at `at`, which blanks separate; returns what follows, NULL when
/// there is none.
static const char *next_word(const char *at, char word[32])
{
    const size_t n = at != NULL ? strcspn(at, " ") : 0;
    if (n == 0) {
        return NULL;
    }
    snprintf(word, 32, "%.*s", (int)n, at);
    return at + n + strspn(at + n, " ");
}

static void print_method(const trm_method *m)
{
    char word[32];
    printf("%-13s %-11s %5d  %-9s %-34s", m->stabilization_name, m->integrator_name, m->order,
           m->adaptive ? "adaptive" : "fixed", m->source);
    for (const char *at = m->parameters; (at = next_word(at, word)) != NULL;) {
        if (trm_options_has(TRM_COMMAND_RUN, word)) {
            printf(" --%s", word);
        }
    }
    putchar('\n');
}

static void write_words(trm_json *json, const char *key, const char *words)
{
    char word[32];
    trm_json_key(json, key);
    trm_json_array(json);
    for (const char *at = words; (at = next_word(at, word)) != NULL;) {
        trm_json_string(json, word);
    }
    trm_json_end(json);
}

static void write_method(trm_json *json, const trm_method *m)
{
    trm_json_object(json);
    trm_json_key_string(json, "integrator", m->integrator_name);
    trm_json_key_string(json, "stabilization", m->stabilization_name);
    trm_json_key_string(json, "integrator_doc", m->integrator_doc);
    trm_json_key_string(json, "stabilization_doc", m->stabilization_doc);
    trm_json_key_string(json, "source", m->source);
    trm_json_key_integer(json, "order", m->order);
    trm_json_key_boolean(json, "adaptive", m->adaptive);
    write_words(json, "parameters", m->parameters);
    trm_json_end(json);
}

static void write_dae_method(trm_json *json, const trm_dae_method_info *m)
{
    trm_json_object(json);
    trm_json_key_string(json, "method", m->name);
    write_words(json, "integrators", m->integrators);
    trm_json_key_string(json, "source", m->source);
    write_words(json, "parameters", m->parameters);
    trm_json_end(json);
}

static void list_dae_methods(void)
{
    const trm_dae_method_info *methods;
    const int n = trm_dae_methods(&methods);
    puts("\nFor general equations x' = f - B y, 0 = g, from C only (trammel_dae.h):\n");
    for (int i = 0; i < n; i++) {
        printf("%-22s %-57s %-41s %s\n", methods[i].name, methods[i].integrators, methods[i].source,
               methods[i].parameters);
    }
}

static void list_methods_json(int n, const trm_method *methods)
{
    trm_json json = {.out = stdout};
    trm_json_object(&json);
    trm_json_key(&json, "methods");
    trm_json_list(&json);
    for (int i = 0; i < n; i++) {
        write_method(&json, &methods[i]);
    }
    trm_json_end(&json);
    const trm_dae_method_info *dae_methods;
    const int dae_n = trm_dae_methods(&dae_methods);
    trm_json_key(&json, "dae_methods");
    trm_json_list(&json);
    for (int i = 0; i < dae_n; i++) {
        write_dae_method(&json, &dae_methods[i]);
    }
    trm_json_end(&json);
    trm_json_end(&json);
}

static void list_methods(int n, const trm_method *methods)
{
    printf("%-13s %-11s %5s  %-9s %-34s %s\n", "--method", "--integrator", "order", "step",
           "source", "parameters");
    for (int i = 0; i < n; i++) {
        print_method(&methods[i]);
    }
    puts("\nFixed steps take --step, adaptive ones --rtol and --atol. Without --method and\n"
         "--integrator the engine chooses for --accuracy and says why.");
    list_dae_methods();
}

static void print_words(const char *text)
{
    fputs(text, stdout);
}

static int print_text(trm_text which, void (*print)(const char *))
{
    char *text = NULL;
    trm_error err = {.t = NAN};
    const trm_status status = trm_text_create(which, &text, &err);
    if (status != TRM_OK) {
        trm_diagnose(&err, NULL);
        return trm_exit_code(status, 0);
    }
    print(text);
    trm_text_destroy(text);
    return TRM_EXIT_DONE;
}

/// Parses a command line without a scene; returns nonzero when there is nothing more to do.
static int only_options(trm_command command, int argc, char **argv, trm_arguments *arguments,
                        int *code)
{
    trm_error err = {.t = NAN};
    const trm_status status = trm_arguments_parse(command, argc, argv, arguments, &err);
    *code = trm_exit_code(status, 0);
    if (status != TRM_OK) {
        trm_diagnose(&err, NULL);
    } else if (arguments->help) {
        trm_help(command);
    }
    const int over = status != TRM_OK || arguments->help;
    if (over) {
        trm_arguments_destroy(arguments);
    }
    return over;
}

int trm_command_methods(int argc, char **argv)
{
    trm_arguments arguments;
    int code;
    if (only_options(TRM_COMMAND_METHODS, argc, argv, &arguments, &code)) {
        return code;
    }
    const trm_method *methods;
    const int n = trm_methods(&methods);
    if (arguments.json) {
        list_methods_json(n, methods);
    } else {
        list_methods(n, methods);
    }
    trm_arguments_destroy(&arguments);
    return TRM_EXIT_DONE;
}

static int one_element(const char *name)
{
    char *text = NULL;
    trm_error err = {.t = NAN};
    const trm_status status = trm_text_create(TRM_TEXT_FORMAT, &text, &err);
    if (status == TRM_OK && trm_element_help(text, name) == 0) {
        TRM_FAIL(&err, TRM_ERR_OPTIONS, "elements",
                 "no element \"%.60s\"; \"trammel elements\" lists them", name);
    }
    if (err.status < 0) {
        trm_diagnose(&err, NULL);
    }
    trm_text_destroy(text);
    return trm_exit_code(err.status, 0);
}

int trm_command_elements(int argc, char **argv)
{
    trm_arguments arguments;
    int code;
    if (argc == 2 && argv[1][0] != '-') {
        return one_element(argv[1]);
    }
    if (only_options(TRM_COMMAND_PLAIN, argc, argv, &arguments, &code)) {
        return code;
    }
    trm_arguments_destroy(&arguments);
    code = print_text(TRM_TEXT_ELEMENTS, print_words);
    return code ? code : print_text(TRM_TEXT_FORMAT, trm_element_parts);
}

int trm_command_schema(int argc, char **argv)
{
    trm_arguments arguments;
    int code;
    if (only_options(TRM_COMMAND_SCHEMA, argc, argv, &arguments, &code)) {
        return code;
    }
    const trm_text which = arguments.format ? TRM_TEXT_FORMAT : TRM_TEXT_SCHEMA;
    trm_arguments_destroy(&arguments);
    return print_text(which, print_words);
}
