/// Values are read by the parser of the options that set them in a run, which knows their ranges.
#include "tools/compare/form.h"

#include "tools/common/method_choice.h"
#include "trammel/trammel_error.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 8, WORD = 80 }; // more parameters than a method has; bytes of one

static const char blanks[] = " \t";

trm_status trm_form_next(const char *list, const char **at, trm_form_entry *out, trm_error *err)
{
    const char *const name = *at + strspn(*at, blanks);
    const char *end = name + strcspn(name, ",()");
    *out = (trm_form_entry){.name = name, .place = (int)(name - list) + 1};
    size_t length = (size_t)(end - name);
    if (*end == '(') {
        out->values = end + 1;
        out->nvalues = strcspn(end + 1, "()");
        end = out->values + out->nvalues;
        if (*end != ')') {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--methods",
                            "character %d: the parenthesis of \"%.*s\" is not closed", out->place,
                            (int)length, name);
        }
        end += 1 + strspn(end + 1, blanks);
    }
    if (*end != ',' && *end != '\0') {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--methods",
                        "character %d: expected a comma, got \"%.20s\"", (int)(end - list) + 1,
                        end);
    }
    while (length > 0 && strchr(blanks, name[length - 1]) != NULL) {
        length--;
    }
    out->length = length;
    *at = end + (*end == ',');
    return TRM_OK;
}

// ----------------------------------------------------------------------------------- one method

/// Values as options of a run: "--E=GBinv", one text each.
typedef struct value_list {
    int n;
    char option[VALUES][WORD];
} value_list;

/// Name number i of the method's parameters; returns 0 behind the last.
static int parameter(const trm_method *method, int i, char *out, size_t size)
{
    const char *at = method->parameters != NULL ? method->parameters : "";
    for (;; i--) {
        at += strspn(at, " ");
        const size_t n = strcspn(at, " ");
        if (n == 0) {
            return 0;
        }
        if (i == 0) {
            snprintf(out, size, "%.*s", (int)n, at);
            return 1;
        }
        at += n;
    }
}

static trm_status refuse(const trm_method *method, int place, const char *word, const char *why,
                         trm_error *err)
{
    const char *const all = method->parameters != NULL ? method->parameters : "";
    return TRM_FAIL(err, TRM_ERR_OPTIONS, "--methods",
                    "character %d, \"%.60s\": %.200s; parameters of %s+%s in their order: %s",
                    place, word, why, method->integrator_name, method->stabilization_name,
                    *all ? all : "none");
}

/// Whether an option of that name is there already.
static int is_given(const value_list *list, const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; i < list->n; i++) {
        if (strncmp(list->option[i] + 2, name, n) == 0 && list->option[i][2 + n] == '=') {
            return 1;
        }
    }
    return 0;
}

/// All values so far, the last one at `place`.
static trm_status parse(const trm_method *method, value_list *list, int place, const char *word,
                        trm_arguments *out, trm_error *err)
{
    char run[] = "run", scene[] = "scene";
    char *argv[VALUES + 3] = {run};
    trm_error wrong = {0};
    for (int i = 0; i < list->n; i++) {
        argv[i + 1] = list->option[i];
    }
    argv[list->n + 1] = scene;
    const trm_status status = trm_arguments_parse(TRM_COMMAND_RUN, list->n + 2, argv, out, &wrong);
    free(out->set); // of --set, which is none of these
    out->set = NULL;
    return status == TRM_OK ? status : refuse(method, place, word, wrong.message, err);
}

/// "E=GBinv", or a value alone, which is that of parameter number `i`.
static trm_status add_value(const trm_method *method, value_list *list, int i, int place,
                            const char *word, trm_error *err)
{
    char name[WORD];
    const char *const equals = strchr(word, '=');
    if (equals != NULL) {
        size_t n = (size_t)(equals - word);
        while (n > 0 && strchr(blanks, word[n - 1]) != NULL) {
            n--;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, word);
    } else if (!parameter(method, i, name, sizeof name)) {
        return refuse(method, place, word, "there are more values than parameters", err);
    }
    if (*name == '\0' || !trm_method_reads(method, name)) {
        return refuse(method, place, word, "no such parameter", err);
    }
    if (is_given(list, name)) {
        return refuse(method, place, word, "given twice", err);
    }
    const char *const value = equals != NULL ? equals + 1 + strspn(equals + 1, blanks) : word;
    if (list->n == VALUES ||
        snprintf(list->option[list->n], WORD, "--%s=%s", name, value) >= WORD) {
        return refuse(method, place, word, "too long", err);
    }
    list->n++;
    return TRM_OK;
}

static trm_status read_values(const trm_method *method, const trm_form_entry *entry,
                              value_list *list, trm_arguments *out, trm_error *err)
{
    const char *at = entry->values;
    const char *const end = at != NULL ? at + entry->nvalues : NULL;
    int named = 0;
    for (int i = 0; at != NULL && at < end; i++) {
        const char *const stop = memchr(at, ',', (size_t)(end - at));
        const char *const behind = stop != NULL ? stop : end;
        char word[WORD];
        at += strspn(at, blanks);
        const int place = entry->place + (int)(at - entry->name);
        size_t n = behind > at ? (size_t)(behind - at) : 0;
        while (n > 0 && strchr(blanks, at[n - 1]) != NULL) {
            n--;
        }
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (n == 0 || n >= sizeof word) {
            return refuse(method, place, word, n == 0 ? "a value is missing" : "too long", err);
        }
        named |= strchr(word, '=') != NULL;
        if (named && strchr(word, '=') == NULL) {
            return refuse(method, place, word, "a value without a name behind one with a name",
                          err);
        }
        TRM_TRY(add_value(method, list, i, place, word, err));
        TRM_TRY(parse(method, list, place, word, out, err));
        at = behind + (stop != NULL);
    }
    return TRM_OK;
}

/// "srm(E=GBinv, iterations=3)" and " --E GBinv --iterations 3"
static void name_form(trm_form *form, const trm_method *method, const value_list *list)
{
    size_t used =
        (size_t)snprintf(form->name, sizeof form->name, "%s(", method->stabilization_name);
    size_t typed = 0;
    for (int i = 0; i < list->n && used < sizeof form->name && typed < sizeof form->options; i++) {
        const char *const option = list->option[i] + 2, *const value = strchr(option, '=') + 1;
        used += (size_t)snprintf(form->name + used, sizeof form->name - used, "%s%s",
                                 i > 0 ? ", " : "", option);
        typed += (size_t)snprintf(form->options + typed, sizeof form->options - typed, " --%.*s %s",
                                  (int)(value - option) - 1, option, value);
    }
    strncat(form->name, ")", sizeof form->name - strlen(form->name) - 1);
}

trm_status trm_form_make(trm_comparison *c, const trm_method *method, const trm_form_entry *entry,
                         const trm_method **out, trm_error *err)
{
    value_list list = {0};
    trm_arguments given = {0};
    TRM_TRY(read_values(method, entry, &list, &given, err));
    if (list.n == 0) {
        *out = method;
        return TRM_OK;
    }
    trm_form *const form = calloc(1, sizeof *form);
    if (form == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    name_form(form, method, &list);
    form->base = method;
    form->method = *method;
    form->method.stabilization_name = form->name;
    form->given = given;
    form->next = c->forms;
    c->forms = form;
    *out = &form->method;
    return TRM_OK;
}

const trm_form *trm_form_of(const trm_comparison *c, const trm_method *method)
{
    const trm_form *form = c->forms;
    while (form != NULL && &form->method != method) {
        form = form->next;
    }
    return form;
}

void trm_forms_destroy(trm_comparison *c)
{
    while (c->forms != NULL) {
        trm_form *const next = c->forms->next;
        free(c->forms);
        c->forms = next;
    }
}
