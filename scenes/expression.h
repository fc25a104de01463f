/// Expressions: text -> immutable code, evaluated with derivatives of first and second order.
///
///     sum     = product { (+ | -) product }
///     product = power { (* | /) power }
///     power   = [+ | -] atom [^ power]              -a^b is -(a^b);  a^b^c is a^(b^c)
///     atom    = number | name | name(sum {, sum}) | (sum)
///
/// Constants: pi, deg (= pi/180).  Functions: sin cos tan asin acos atan atan2 sinh cosh tanh sqrt
/// exp log abs min max hypot.  A name may contain dots ("tip.x"); names that are neither constants
/// nor functions are resolved by the caller.
#ifndef TRM_EXPRESSION_H
#define TRM_EXPRESSION_H

#include "engine/trammel.h"

/// Compiled code: one block of memory, no pointers inside, may be copied with memcpy.
typedef struct trm_expression trm_expression;

/// What a name stands for: a constant (index < 0) or the variable x[index].
typedef struct trm_symbol {
    int index;
    double value;
} trm_symbol;

/// Nonzero for "sin" and the other names that a parameter cannot have.
int trm_expression_is_function(const char *name);
/// The names of all functions, one for each index from 0 on; NULL behind the last.
const char *trm_expression_function(int index);

/// Resolve `name` (length bytes, not terminated). Return 0 when it is unknown.
typedef int trm_resolve_fn(const char *name, size_t length, trm_symbol *out, void *user);

/// Where and why a text is no expression. `column` counts bytes from 0 in the text. Of a good one,
/// `message` tells the first operation on constants that has no finite value, "acos of -14.2", or is "".
typedef struct trm_expression_error {
    size_t column;
    char message[160];
} trm_expression_error;

/// Errors: SYNTAX (malformed, unknown name, wrong number of arguments; `error` says which), MEMORY.
trm_status trm_expression_compile(const char *text, trm_resolve_fn *resolve, void *user,
                                  trm_expression **out, trm_expression_error *error);
void trm_expression_destroy(trm_expression *code);

size_t trm_expression_bytes(const trm_expression *code);  ///< size of the block, for copying
int trm_expression_variables(const trm_expression *code); ///< 1 + the largest index used
int trm_expression_is_constant(const trm_expression *code);

/// Doubles of workspace that the three evaluations below need at most.
int trm_expression_workspace(const trm_expression *code);

/// e(x), x[variables].
double trm_expression_value(const trm_expression *code, const double *x, double *workspace);

/// e and its first and second derivative along a curve: x[variables][3] holds (x, x', x'') of every
/// variable, out[3] = (e, e', e'') by Taylor arithmetic of degree 2. Exact, no differences.
void trm_expression_jet(const trm_expression *code, const double (*x)[3], double *workspace,
                        double out[3]);

/// e(x) and gradient[variables] = de/dx by forward differentiation.
double trm_expression_gradient(const trm_expression *code, const double *x, double *workspace,
                               double *gradient);

#endif
