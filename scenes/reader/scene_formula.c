// Formulas of the scene: expressions for run time.

#include "base/expression/expression_words.h"
#include "base/expression/switching.h"
#include "base/status.h"
#include "bodies/forces/force.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <string.h>

/// At a byte of the expression, or of a definition that it uses.
static trm_status fail_in_text(trm_reader *reader, const trm_node *node, int text, size_t column,
                               const char *message)
{
    const trm_node *part = text > 0 ? trm_definition_node(reader, text - 1) : NULL;
    if (!part) {
        const size_t own = text > 0 ? 0 : trm_unexpanded(reader, node, column);
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, node, own), "%s", message);
    }
    if (part == node) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, node, column), "%s",
                        message);
    }
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, part, column),
                    "%s (used in line %u)", message, node->value.line);
}

static trm_status fail_at(trm_reader *reader, const trm_node *node, const trm_naming *n,
                          trm_status status, const trm_expression_error *error)
{
    if (status == TRM_ERR_MEMORY || n->no_memory) {
        return trm_reader_no_memory(reader);
    }
    return fail_in_text(reader, node, error->text, error->column, trm_naming_reason(n, error));
}

static trm_status compile(trm_reader *reader, const trm_node *node, const char *text, trm_naming *n,
                          trm_expression **code)
{
    trm_expression_error error;
    const trm_status status =
        trm_expression_compile(reader->ranged, text, trm_resolve_symbol, n, code, &error);
    snprintf(n->culprit, sizeof n->culprit, "%s", error.message);
    return status == TRM_OK ? TRM_OK : fail_at(reader, node, n, status, &error);
}

/// What joints and constraints hold is differentiated twice: how a formula of theirs fails there.
static void describe_kink(const trm_switching_function *s, const char *text, const char *holder,
                          char *out, size_t size)
{
    if (s->kind == TRM_SWITCHING_TABLE) {
        snprintf(out, size,
                 "%s needs two derivatives, and this table has %s; give it \"interpolation\": "
                 "\"cubic\" and \"outside\": \"error\", \"extrapolate\" or \"periodic\"",
                 holder, s->smoothness > 0 ? "only one" : "kinks");
    } else if (!strcmp(s->name, "==")) {
        char hint[96] = "";
        snprintf(out, size, "%s holds an expression at zero%s", holder,
                 s->text ? "" : trm_word_meant(text, (size_t)s->column, 0, hint, sizeof hint));
    } else {
        snprintf(out, size,
                 "%s needs two derivatives, and \"%s\" %s; step(x, a, A, b, B) has them, and "
                 "max(0, x)^3",
                 holder, s->name,
                 s->smoothness > 0    ? "has only one"
                 : s->smoothness == 0 ? "has a kink"
                                      : "jumps");
    }
}

/// Which variable is the time; -1: none.
static int time_of(const trm_formula *formula)
{
    for (int i = 0; formula && i < formula->nvariables; i++) {
        if (formula->variables[i].kind == TRM_VARIABLE_TIME) {
            return i;
        }
    }
    return -1;
}

static trm_status check_smooth(trm_reader *reader, const trm_node *node, const char *text,
                               const trm_expression *code, const trm_formula *formula)
{
    int worst = -1;
    if (reader->scope >= TRM_SCOPE_STATE || trm_expression_smoothness(code, &worst) >= 2 ||
        trm_expression_is_smooth_in_time(code, time_of(formula))) {
        return TRM_OK;
    }
    const trm_switching_function s = trm_expression_switching_function(code, worst);
    char message[240];
    describe_kink(&s, text, reader->scope == TRM_SCOPE_TIME ? "a motor" : "a constraint", message,
                  sizeof message);
    return fail_in_text(reader, node, s.text, (size_t)s.column, message);
}

/// What a formula may cost: every change of a branch looks at all branches, 1000 take some 3 s.
static trm_status check_branches(trm_reader *reader, const trm_node *node,
                                 const trm_expression *code)
{
    enum { MOST_BRANCHES = 1000 };
    return trm_expression_switching_functions(code) <= MOST_BRANCHES
               ? TRM_OK
               : TRM_REFUSE(
                     reader, node,
                     "this formula has %d words with branches (max, abs, if, ...), more than "
                     "%d; a table may say the same",
                     trm_expression_switching_functions(code), MOST_BRANCHES);
}

static trm_status keep(trm_reader *reader, const trm_expression *code, trm_expression **out)
{
    const size_t bytes = trm_expression_bytes(code);
    TRM_TRY(trm_reader_take(reader, 1, bytes, out));
    memcpy(*out, code, bytes);
    return TRM_OK;
}

trm_status trm_compile_named(const trm_node *node, const char *text, trm_naming *n)
{
    trm_reader *const reader = n->reader;
    trm_expression *code = NULL;
    *n->formula = (trm_formula){.text = text};
    TRM_TRY(trm_reader_place(reader, node, &n->formula->place));
    TRM_TRY(compile(reader, node, text, n, &code));
    trm_status status = check_branches(reader, node, code);
    status = status == TRM_OK ? check_smooth(reader, node, text, code, n->formula) : status;
    status = status == TRM_OK ? keep(reader, code, &n->formula->code) : status;
    if (status == TRM_OK && trm_expression_is_constant(code)) {
        double workspace[3];
        status = trm_check_finite(reader, node, text, trm_expression_value(code, NULL, workspace),
                                  n->culprit);
    }
    trm_expression_destroy(code);
    return status;
}

int trm_formula_moves(const trm_scene *scene, const trm_formula *formula)
{
    int moves = 0;
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable *x = &formula->variables[i];
        const int given = x->kind == TRM_VARIABLE_TIME || x->kind == TRM_VARIABLE_INPUT;
        const int of_marker = x->kind == TRM_VARIABLE_POSITION || x->kind == TRM_VARIABLE_VELOCITY;
        moves |= !given && (!of_marker || scene->markers[x->index].body != TRM_INDEX_GROUND);
    }
    return moves;
}

trm_status trm_compile_formula(trm_reader *reader, const trm_node *node, const char *text,
                               trm_formula *out)
{
    return trm_compile_for_force(reader, node, text, NULL, out);
}

trm_status trm_compile_along(trm_reader *reader, const trm_node *node, const char *text,
                             const char *parameter, const char *second, trm_expression **out)
{
    trm_naming n = {.reader = reader, .own = parameter, .second = second};
    trm_expression *code = NULL;
    TRM_TRY(compile(reader, node, text, &n, &code));
    trm_status status = check_smooth(reader, node, text, code, NULL);
    status = status == TRM_OK ? keep(reader, code, out) : status;
    trm_expression_destroy(code);
    return status;
}

// ------------------------------------------------------------------ the formula of a kind of force

trm_status trm_compile_for_force(trm_reader *reader, const trm_node *node, const char *text,
                                 const trm_scene_force *force, trm_formula *out)
{
    trm_naming n = {.reader = reader, .formula = out, .force = force};
    return trm_compile_named(node, text, &n);
}

trm_status trm_join_values(trm_reader *reader, const trm_node *node, const char *text,
                           trm_scene_force *force)
{
    trm_formula whole;
    TRM_TRY(trm_compile_for_force(reader, node, text, force, &whole));
    memset(force->value, 0, sizeof force->value);
    force->value[0] = whole;
    return TRM_OK;
}
