/// A tape being written, for the parser: operations on constants are folded, switching functions
/// numbered.
#pragma once

#include "base/expression/expression_tape.h"

enum { TRM_BUILD_STACK = 1024 };

/// What is known of an entry of the stack.
typedef struct trm_operand {
    int at;               ///< its instruction
    int of_time, of_rest; ///< nonzero: depends on t; on other variables
    int boolean;          ///< nonzero: a condition, 0 or 1
    int zero;             ///< nonzero: the constant 0
    int vanishing; ///< 1 + the switching function at whose kink this is zero: max(0, x), abs(x); or
                   ///< 0
} trm_operand;

/// How far a tape is written.
typedef struct trm_build_mark {
    int count, switching, variables, height;
} trm_build_mark;

typedef struct trm_builder {
    trm_build_mark now;
    trm_instruction *tape;
    trm_switching_record *switching;
    const trm_table **tables; ///< of each switching function; NULL without one
    trm_operand *stack;       ///< at most TRM_BUILD_STACK
    int tape_room, switch_room, table_room, stack_room; ///< allocated
    int text, column; ///< of the word being compiled, see trm_switching_function
    const char *word; ///< what its switching functions are called; NULL: as the operations
    char *culprit;    ///< the first operation on constants that has no finite value, or ""
    size_t culprit_size;
} trm_builder;

/// What an operation or a push may end with: OK, MEMORY, or OPTIONS where the stack is full.
trm_status trm_build_constant(trm_builder *b, double value);
trm_status trm_build_variable(trm_builder *b, const trm_symbol *symbol);
trm_status trm_build_one(trm_builder *b, int op, const char *key);
trm_status trm_build_two(trm_builder *b, int op);
trm_status trm_build_table(trm_builder *b, const trm_table *table);
/// condition, a, b -> one of them.
trm_status trm_build_select(trm_builder *b);

/// An entry taken off the stack, to be put back any number of times.
typedef struct trm_leaf {
    trm_instruction in;
    trm_operand operand;
} trm_leaf;

trm_status trm_build_take(trm_builder *b, trm_leaf *out);
trm_status trm_build_put(trm_builder *b, const trm_leaf *leaf);

/// The topmost entry, and whether it is a constant (then *value).
trm_operand *trm_build_top(trm_builder *b);
int trm_build_is_constant(const trm_builder *b, double *value);

/// Forget all that was written since.
void trm_build_forget(trm_builder *b, trm_build_mark mark);

/// Rewrites tape[count], whose value is that of `result`: each value once, without what adds 0,
/// multiplies by 1 or is not used; at[nswitching]: the instructions of the switching functions.
/// Returns the new count, -1 without memory.
int trm_reduce(trm_instruction *tape, int count, int result, int nswitching, int *at);

/// The expression of the tape, with one entry left on the stack. Errors: MEMORY.
trm_status trm_build_finish(trm_builder *b, trm_expression **out);
void trm_build_close(trm_builder *b);
