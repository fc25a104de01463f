/// Any text as an expression: value, jet and gradient agree where they are finite.
#include "base/expression/expression.h"
#include "base/expression/switching.h"
#include "tests/fuzz/target.h"

enum { VARIABLES = 3 };

static int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    (void)user;
    *out = (trm_symbol){.index = length == 1 ? *name - 'x' : 0};
    return length == 1 && *name >= 'x' && *name < 'x' + VARIABLES;
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || !isfinite(a) || !isfinite(b) ||
           fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    trm_expression *code = NULL;
    trm_expression_error wrong = {.column = 0};
    char *const text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (trm_expression_compile(NULL, text, resolve, NULL, &code, &wrong) == TRM_OK) {
        const double x[VARIABLES] = {0.3, -1.7, 2.9};
        const double jets[VARIABLES][3] = {{0.3, 1, 0}, {-1.7, 0.5, 1}, {2.9, 0, -1}};
        double gradient[VARIABLES], jet[3];
        double *const work = malloc(((size_t)trm_expression_workspace(code) + 1) * sizeof *work);
        PROMISE(trm_expression_variables(code) <= VARIABLES);
        if (work != NULL) {
            const double value = trm_expression_value(code, x, work);
            PROMISE(same(value, trm_expression_gradient_in(code, x, NULL, work, gradient)));
            trm_expression_jet(code, jets, work, jet);
            PROMISE(same(value, jet[0]));
        }
        free(work);
        trm_expression_destroy(code);
    } else {
        PROMISE(wrong.column <= strlen(text) && wrong.message[0] != '\0');
    }
    free(text);
    return 0;
}
