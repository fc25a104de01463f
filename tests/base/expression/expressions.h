/// Expressions compiled and evaluated for tests: x (the time), y and tip.x are variables, c is 3.
#pragma once

#include "base/expression/expression.h"
#include "base/expression/switching.h"
#include "tests/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// x (which is the time), y and tip.x are variables 0, 1, 2; c is the constant 3.
static inline int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    static const char *const variables[] = {"x", "y", "tip.x"};
    (void)user;
    for (int i = 0; i < 3; i++) {
        if (strlen(variables[i]) == length && !memcmp(name, variables[i], length)) {
            out->index = i;
            out->of_time = i == 0;
            return 1;
        }
    }
    *out = (trm_symbol){.index = -1, .value = 3};
    return length == 1 && *name == 'c';
}

static inline trm_status parse(const char *text, trm_resolve_fn *names, trm_expression **code,
                               trm_expression_error *error)
{
    return trm_expression_compile(NULL, text, names, NULL, code, error);
}

static inline trm_expression *compile(const char *text)
{
    trm_expression *code = NULL;
    trm_expression_error error = {0};
    if (trm_expression_compile(NULL, text, resolve, NULL, &code, &error) != TRM_OK) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    return code;
}

static inline double *workspace(const trm_expression *code)
{
    double *w = malloc((size_t)trm_expression_workspace(code) * sizeof *w);
    assert_non_null(w);
    return w;
}

static inline double value(const trm_expression *code, const double x[3])
{
    double *w = workspace(code);
    const double e = trm_expression_value(code, x, w);
    free(w);
    return e;
}

static inline void assert_close(const char *what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
        fail_msg("%s: %.17g, expected %.17g", what, found, wanted);
    }
}
