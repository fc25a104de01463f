/// trammel methods, elements, schema: what this version knows.
#include "tools/commands.h"
#include "tools/diagnose.h"
#include "tools/json_out.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// The options of `trammel run` that set the fields of trm_options a method names.
static const char *const option_of_field[][2] = {
    {"epsilon", "--epsilon"},      {"iterations", "--iterations"}, {"E", "--E"},
    {"alpha1", "--alpha1"},        {"alpha0", "--alpha0"},         {"mass_metric", "--metric"},
    {"lambda0_zero", "--lambda0"},
};

/// The next word of `at` (letters, digits, _), copied to word[32]; returns what follows, NULL at
/// the end.
static const char *next_field(const char *at, char word[32])
{
    size_t n = 0;
    while (at != NULL && *at != '\0' && !isalnum((unsigned char)*at)) {
        at++;
    }
    while (at != NULL && (isalnum((unsigned char)at[n]) || at[n] == '_') && n < 31) {
        n++;
    }
    if (n == 0) {
        return NULL;
    }
    memcpy(word, at, n);
    word[n] = '\0';
    return at + n;
}

static const char *option_name(const char *field)
{
    for (size_t i = 0; i < sizeof option_of_field / sizeof *option_of_field; i++) {
        if (strcmp(option_of_field[i][0], field) == 0) {
            return option_of_field[i][1];
        }
    }
    return NULL;
}

static void print_method(const trm_method *m)
{
    char field[32];
    printf("%-13s %-11s %5d  %-9s %-34s", m->stabilization_name, m->integrator_name, m->order,
           m->adaptive ? "adaptive" : "fixed", m->source);
    for (const char *at = m->parameters; (at = next_field(at, field)) != NULL;) {
        if (option_name(field) != NULL) {
            printf(" %s", option_name(field));
        }
    }
    putchar('\n');
}

static void write_method(trm_json *json, const trm_method *m)
{
    char field[32];
    trm_json_object(json);
    trm_json_key_string(json, "integrator", m->integrator_name);
    trm_json_key_string(json, "stabilization", m->stabilization_name);
    trm_json_key_string(json, "source", m->source);
    trm_json_key_integer(json, "order", m->order);
    trm_json_key_boolean(json, "adaptive", m->adaptive);
    trm_json_key(json, "parameters");
    trm_json_array(json);
    for (const char *at = m->parameters; (at = next_field(at, field)) != NULL;) {
        trm_json_string(json, field);
    }
    trm_json_end(json);
    trm_json_end(json);
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
}

static int print_text(trm_text which)
{
    char *text = NULL;
    trm_error err = {.t = NAN};
    const trm_status status = trm_text_create(which, &text, &err);
    if (status != TRM_OK) {
        trm_diagnose(&err, NULL);
        return trm_exit_code(status, 0);
    }
    fputs(text, stdout);
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

int trm_command_elements(int argc, char **argv)
{
    trm_arguments arguments;
    int code;
    if (only_options(TRM_COMMAND_PLAIN, argc, argv, &arguments, &code)) {
        return code;
    }
    trm_arguments_destroy(&arguments);
    return print_text(TRM_TEXT_ELEMENTS);
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
    return print_text(which);
}
