/// Inside of an expression, for its parser, its evaluations and
/// arithmetic of other kinds (intervals).
///
/// A text becomes a tape of instructions in the order of evaluation. An instruction is a
/// constant, a variable, or an operation on results of instructions before it; the last one
/// gives the value. What is written several times is computed once (expression_reduce.c).
/// Every arithmetic (values, jets, adjoints, bounds of rounding, series of intervals) is one
/// loop over the tape with one result for each instruction.
#pragma once

#include "base/expression/expression.h"
#include "base/expression/switching.h"
#include "base/expression/table.h"

typedef enum trm_opcode {
    TRM_OP_CONSTANT,
    TRM_OP_VARIABLE,
    TRM_OP_SELECT, ///< the second result where the first is not 0, else the third
    // one argument
    TRM_OP_NEGATE,
    TRM_OP_RANGE, ///< the same, of which below 0 there is none
    TRM_OP_INTEGER_POWER,
    TRM_OP_SIN,
    TRM_OP_COS,
    TRM_OP_TAN,
    TRM_OP_ASIN,
    TRM_OP_ACOS,
    TRM_OP_ATAN,
    TRM_OP_SINH,
    TRM_OP_COSH,
    TRM_OP_TANH,
    TRM_OP_SQRT,
    TRM_OP_EXP,
    TRM_OP_LOG,
    TRM_OP_NOT,
    TRM_OP_ABS, ///< from here on with a switching function
    TRM_OP_SIGN,
    TRM_OP_FLOOR,
    TRM_OP_CEIL,
    TRM_OP_STEP, ///< 0 below 0, 1 above 1, s^3 (10 - 15 s + 6 s^2) between
    TRM_OP_TABLE,
    // two arguments
    TRM_OP_ADD,
    TRM_OP_SUBTRACT,
    TRM_OP_MULTIPLY,
    TRM_OP_DIVIDE,
    TRM_OP_POWER,
    TRM_OP_HYPOT,
    TRM_OP_DIRCOS, ///< a/hypot(a, b), 0 where both are 0
    TRM_OP_AND,
    TRM_OP_OR,
    TRM_OP_MIN, ///< from here on with a switching function
    TRM_OP_MAX,
    TRM_OP_LESS,
    TRM_OP_LESS_EQUAL,
    TRM_OP_GREATER,
    TRM_OP_GREATER_EQUAL,
    TRM_OP_EQUAL,
    TRM_OP_NOT_EQUAL,
    TRM_OP_MOD,  ///< a - b floor(a/b)
    TRM_OP_ATAN2 ///< of (y, x), within a turn
} trm_opcode;

typedef struct trm_instruction {
    int op;          ///< trm_opcode
    int index;       ///< variable, integer exponent, or the number of its switching function
    int from[3];     ///< the instructions whose results it takes; those behind its last one are 0
    double value;    ///< constant; of a variable NaN where it may be no number, else 0
    const char *key; ///< of a range: whose value it is
} trm_instruction;

/// A switching function as compiled.
typedef struct trm_switching_record {
    trm_switching_function said;
    int at;       ///< its instruction
    size_t table; ///< bytes from the start of the block to its trm_table; 0 without one
} trm_switching_record;

/// One block: this, the tape, the switching functions, the tables. Offsets, no pointers.
struct trm_expression {
    size_t bytes;
    size_t switching; ///< bytes from the start of the block to the switching functions
    int count;        ///< instructions
    int variables;    ///< 1 + largest index
    int nswitching_functions;
    int of_rest; ///< nonzero: a variable other than t is used
    trm_instruction tape[];
};

/// Whether comparison `op` holds, by the sign of a - b as its mode.
int trm_op_holds(int op, trm_switching_mode mode);

static inline int trm_op_takes_two(int op)
{
    return op >= TRM_OP_ADD;
}

/// How many results an operation takes.
static inline int trm_op_operands(int op)
{
    return op == TRM_OP_SELECT ? 3 : op < TRM_OP_SELECT ? 0 : op >= TRM_OP_ADD ? 2 : 1;
}

static inline int trm_op_is_switching(int op)
{
    return op >= TRM_OP_MIN || (op >= TRM_OP_ABS && op <= TRM_OP_TABLE);
}

static inline const trm_switching_record *trm_tape_switching(const trm_expression *code, int k)
{
    return (const trm_switching_record *)(const void *)((const char *)code + code->switching) + k;
}

/// The table of an instruction TRM_OP_TABLE.
static inline const trm_table *trm_tape_table(const trm_expression *code, const trm_instruction *in)
{
    return (const void *)((const char *)code + trm_tape_switching(code, in->index)->table);
}

// --------------------------------------------------------------------------------- one operation

/// f and its partial derivatives; those of a function of one argument in b are zero.
typedef struct trm_partials {
    double f, a, b, aa, ab, bb;
} trm_partials;

/// f(a, b) of one operation; b is ignored by functions of one argument. mode: of all switching
/// functions of the expression, or NULL.
double trm_operation_value(const trm_expression *code, const trm_instruction *in, double a,
                           double b, const trm_switching_mode *mode);
trm_partials trm_operation_partials(const trm_expression *code, const trm_instruction *in, double a,
                                    double b, const trm_switching_mode *mode);
/// f_a and f_b alone; f(a, b) is known.
void trm_operation_slopes(const trm_expression *code, const trm_instruction *in, double a, double b,
                          double f, const trm_switching_mode *mode, double slope[2]);

/// The value when all is constant, without an expression around it; `table` for TRM_OP_TABLE.
double trm_operation_constant(const trm_instruction *in, const trm_table *table, double a,
                              double b);

/// a, or the edge of the operation's domain next to it: 0 for sqrt of -1.
double trm_operation_in_domain(const trm_instruction *in, double a, double b);

/// The switching function of an operation with a switching function, and its kind.
trm_partials trm_operation_switching(const trm_instruction *in, double a, double b);
trm_switching_kind trm_operation_kind(int op);
