/// The value of a constant expression, for front ends: "70*deg", "1/3".
#include "base/expression/expression.h"
#include "program/settings.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>

static int no_names(const char *name, size_t length, trm_symbol *out, void *user)
{
    (void)name, (void)length, (void)out, (void)user;
    return 0;
}

trm_status trm_constant(const char *expression, double *out, trm_error *err)
{
    if (expression == NULL || out == NULL) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "", "expected an expression and a place, got NULL");
    }
    trm_expression *code = NULL;
    trm_expression_error wrong = {.column = 0};
    const trm_status status =
        trm_expression_compile(NULL, expression, no_names, NULL, &code, &wrong);
    if (status != TRM_OK) {
        return status == TRM_ERR_MEMORY
                   ? TRM_FAIL(err, status, "", "out of memory")
                   : TRM_FAIL(err, TRM_ERR_SYNTAX, "", "expected a number, got \"%.60s\": %s",
                              expression, wrong.message);
    }
    double *const work = calloc((size_t)trm_expression_workspace(code) + 1, sizeof *work);
    const double value = work != NULL ? trm_expression_value(code, NULL, work) : 0;
    trm_expression_destroy(code);
    if (work == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    free(work);
    if (!isfinite(value)) {
        return TRM_FAIL(err, TRM_ERR_SYNTAX, "", "\"%.60s\" is not a finite number", expression);
    }
    *out = value;
    return TRM_OK;
}
