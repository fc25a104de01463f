/// Expressions: text -> immutable code, evaluated with derivatives of first and second order.
///
///     value      = either [? value : value]           the same as if(either, value, value)
///     either     = both { or both }
///     both       = negation { and negation }
///     negation   = not negation | comparison
///     comparison = sum [(< | <= | > | >= | == | !=) sum]    1 where it holds, else 0
///     sum        = product { (+ | -) product }
///     product    = power { (* | /) power }
///     power      = [+ | -] atom [^ power]              -a^b is -(a^b);  a^b^c is a^(b^c)
///     atom       = number | name | name(value {, value}) | (value)
///
/// Constants: pi, deg (= pi/180). Functions: see expression_words.c. A name may contain dots
/// ("tip.x"); names that are neither constants nor functions are resolved by the caller, to a
/// number, a variable, or the text of another expression (a definition), which is computed once.
///
/// Where a formula changes from one smooth mode to another: see switching.h.
#pragma once

#include "trammel/trammel_status.h"

#include <stdint.h>

struct trm_table; // base/expression/table.h

/// Compiled code: one block of memory, no pointers inside, may be copied with memcpy.
typedef struct trm_expression trm_expression;

/// What a name stands for: a constant (index < 0), the variable x[index], or a definition.
typedef struct trm_symbol {
    int index;
    double value;
    int of_time;                   ///< nonzero: this variable is t
    int finite;                    ///< nonzero: this variable is always a finite number
    const char *text;              ///< not NULL: the expression that the name stands for; it must
                                   ///< outlive the compilation
    int id;                        ///< of that definition, 0 or more
    const char *key;               ///< as of trm_expression_compile
    int wants_table;               ///< set by the caller of trm_resolve_fn: the name of a table
    const struct trm_table *table; ///< the answer then
} trm_symbol;

/// Nonzero for "sin" and the other words that a parameter cannot have as its name.
int trm_expression_is_function(const char *name);
/// The names of all functions, one for each index from 0 on; NULL behind the last. How they are
/// written ("atan2(y, x)") and what they are.
const char *trm_expression_function(int index);
const char *trm_expression_function_usage(int index);
const char *trm_expression_function_doc(int index);

/// Resolve `name` (length bytes, not terminated). Return 0 when it is unknown.
typedef int trm_resolve_fn(const char *name, size_t length, trm_symbol *out, void *user);

/// Where and why a text is no expression. `column` counts bytes from 0 in the text.
/// Of a good one, `message` tells the first operation on constants that has no
/// finite value, "acos of -14.2", or is "".
typedef struct trm_expression_error {
    size_t column;
    char message[160];
    int text; ///< which text: 0 the expression, else 1 + the id of a definition
} trm_expression_error;

/// key: a value below 0 is none, and is called so; NULL: it may be.
/// Errors: SYNTAX (malformed, unknown name, wrong number of arguments; `error` says which), MEMORY.
trm_status trm_expression_compile(const char *key, const char *text, trm_resolve_fn *resolve,
                                  void *user, trm_expression **out, trm_expression_error *error);
void trm_expression_destroy(trm_expression *code);

size_t trm_expression_bytes(const trm_expression *code);  ///< size of the block, for copying
int trm_expression_variables(const trm_expression *code); ///< 1 + the largest index used
int trm_expression_is_constant(const trm_expression *code);

/// Doubles of workspace that the three evaluations below need at most.
int trm_expression_workspace(const trm_expression *code);

/// e(x), x[variables]. With modes held: see switching.h.
double trm_expression_value(const trm_expression *code, const double *x, double *workspace);

/// Why e(x) is not finite: the first operation on finite arguments that has no finite value, as
/// "log of -1" or "a table is read behind its last point, 3"; where all values are finite, the
/// first without finite derivatives, "sqrt of 0, where its derivatives are infinite". Returns 0
/// when there is neither. mode: held (switching.h), or NULL.
int trm_expression_reason(const trm_expression *code, const double *x, const int64_t *mode,
                          double *workspace, char *out, size_t size);

/// e and its first and second derivative along a curve: x[variables][3] holds (x, x', x'') of every
/// variable, out[3] = (e, e', e'') by Taylor arithmetic of degree 2. Exact, no differences.
void trm_expression_jet(const trm_expression *code, const double (*x)[3], double *workspace,
                        double out[3]);
