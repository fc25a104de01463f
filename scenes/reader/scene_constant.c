// Constant expressions of the scene.

#include "base/status.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>

const char *trm_naming_reason(const trm_naming *n, const trm_expression_error *error)
{
    return n->reason[0] ? n->reason : error->message;
}

trm_status trm_check_finite(trm_reader *reader, const trm_node *node, const char *text,
                            double value, const char *culprit)
{
    if (isfinite(value)) {
        return TRM_OK;
    }
    return TRM_REFUSE(reader, node, "the value of \"%.80s\" is %s%s%s", text,
                      isnan(value) ? "not a number" : "infinite", *culprit ? ": " : "", culprit);
}

static trm_status fail_at(trm_reader *reader, const trm_node *node, const trm_naming *n,
                          trm_status status, size_t column, const char *message)
{
    if (status == TRM_ERR_MEMORY || n->no_memory) {
        return trm_reader_no_memory(reader);
    }
    return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, node, column), "%s", message);
}

static double constant_value(const trm_expression *code)
{
    double workspace[3];
    return trm_expression_value(code, NULL, workspace);
}

trm_status trm_evaluate(trm_reader *reader, const trm_node *node, const char *text, double *out)
{
    return trm_evaluate_from(reader, node, 0, text, out);
}

trm_status trm_evaluate_from(trm_reader *reader, const trm_node *node, size_t offset,
                             const char *text, double *out)
{
    trm_naming n = {.reader = reader};
    trm_expression_error error;
    trm_expression *code = NULL;
    const trm_status status =
        trm_expression_compile(NULL, text, trm_resolve_symbol, &n, &code, &error);
    if (status != TRM_OK) {
        return fail_at(reader, node, &n, status, offset + error.column,
                       trm_naming_reason(&n, &error));
    }
    *out = constant_value(code);
    trm_expression_destroy(code);
    return trm_check_finite(reader, node, text, *out, error.message);
}

trm_status trm_evaluate_override(trm_reader *reader, const char *parameter, const char *text,
                                 double *out)
{
    trm_naming n = {.reader = reader, .overriding = 1};
    trm_expression_error error;
    trm_expression *code = NULL;
    char where[100];
    snprintf(where, sizeof where, "parameter \"%.70s\"", parameter);
    const trm_status status =
        trm_expression_compile(NULL, text, trm_resolve_symbol, &n, &code, &error);
    if (status == TRM_ERR_MEMORY) {
        return trm_reader_no_memory(reader);
    }
    if (status != TRM_OK) {
        return TRM_FAIL(reader->err, status, where, "in \"%.60s\": %s", text,
                        trm_naming_reason(&n, &error));
    }
    *out = constant_value(code);
    trm_expression_destroy(code);
    return isfinite(*out)
               ? TRM_OK
               : TRM_FAIL(reader->err, TRM_ERR_SCENE, where, "the value of \"%.80s\" is %s%s%s",
                          text, isnan(*out) ? "not a number" : "infinite",
                          error.message[0] ? ": " : "", error.message);
}
