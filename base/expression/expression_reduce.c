// A tape with each value once, and without what adds 0, multiplies by 1 or is not used.
//
// Values are told apart by operation and operands (value numbering: J. Cocke, SIGPLAN Notices 5
// (1970) 7). Switching functions of the same values are one, with one mode; tables stay apart. 0
// times x is 0 where x is
// a polynomial or a sine of finite variables; elsewhere x may be no number.
#include "base/expression/expression_build.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 1024 };

typedef struct reduced {
    trm_instruction *tape; ///< the new one, in place
    int count;
    int first[CHAINS]; ///< 1 + the last instruction of each hash
    int *next;         ///< 1 + the one before it of the same hash
    int *put;          ///< new number of each old instruction
    char *mark;        ///< of new ones: finite; then: used
} reduced;

static int is_constant(const reduced *r, int at, double value)
{
    return r->tape[at].op == TRM_OP_CONSTANT && r->tape[at].value == value;
}

/// What tells instructions apart beside their operands.
static int own_index(const trm_instruction *in)
{
    return trm_op_is_switching(in->op) && in->op != TRM_OP_TABLE ? 0 : in->index;
}

static unsigned hash_of(const trm_instruction *in)
{
    unsigned long long bits;
    memcpy(&bits, &in->value, sizeof bits);
    bits ^= (unsigned long long)in->op * 0x9e3779b97f4a7c15U;
    for (int k = 0; k < 3; k++) {
        bits = (bits ^ (unsigned)in->from[k]) * 0x9e3779b97f4a7c15U;
    }
    bits = (bits ^ (unsigned)own_index(in)) * 0x9e3779b97f4a7c15U;
    return (unsigned)(bits >> 54);
}

static int same(const trm_instruction *a, const trm_instruction *b)
{
    return a->op == b->op && own_index(a) == own_index(b) &&
           !memcmp(a->from, b->from, sizeof a->from) &&
           !memcmp(&a->value, &b->value, sizeof a->value);
}

/// The number of this value: of an instruction before it, or a new one.
static int number_of(reduced *r, trm_instruction in)
{
    int *const first = &r->first[hash_of(&in)];
    for (int k = *first; k; k = r->next[k - 1]) {
        if (same(&r->tape[k - 1], &in)) {
            return k - 1;
        }
    }
    int finite = isfinite(in.value) &&
                 (in.op <= TRM_OP_VARIABLE || in.op == TRM_OP_NEGATE || in.op == TRM_OP_SIN ||
                  in.op == TRM_OP_COS || in.op == TRM_OP_INTEGER_POWER || in.op == TRM_OP_ADD ||
                  in.op == TRM_OP_SUBTRACT || in.op == TRM_OP_MULTIPLY);
    for (int k = 0; k < trm_op_operands(in.op); k++) {
        finite = finite && r->mark[in.from[k]];
    }
    r->mark[r->count] = (char)finite;
    r->next[r->count] = *first;
    r->tape[r->count] = in;
    *first = ++r->count;
    return r->count - 1;
}

/// The operand that an operation gives back unchanged, or -1.
static int unchanged(const reduced *r, const trm_instruction *in)
{
    const int a = in->from[0], b = in->from[1];
    switch (in->op) {
    case TRM_OP_ADD:
        return is_constant(r, a, 0) ? b : is_constant(r, b, 0) ? a : -1;
    case TRM_OP_SUBTRACT:
        return is_constant(r, b, 0) ? a : -1;
    case TRM_OP_MULTIPLY:
        return is_constant(r, a, 1)                 ? b
               : is_constant(r, b, 1)               ? a
               : is_constant(r, a, 0) && r->mark[b] ? a
               : is_constant(r, b, 0) && r->mark[a] ? b
                                                    : -1;
    case TRM_OP_DIVIDE:
        return is_constant(r, b, 1) ? a : -1;
    case TRM_OP_INTEGER_POWER:
        return in->index == 1 ? a : -1;
    default:
        return -1;
    }
}

static void rewrite(reduced *r, int count, int *at)
{
    for (int i = 0; i < count; i++) {
        trm_instruction in = r->tape[i];
        for (int k = 0; k < trm_op_operands(in.op); k++) {
            in.from[k] = r->put[in.from[k]];
        }
        const int old = unchanged(r, &in);
        r->put[i] = old >= 0 ? old : number_of(r, in);
        if (trm_op_is_switching(in.op)) {
            at[in.index] = r->put[i];
        }
    }
}

/// Only what the result and the switching functions need is kept, in its order.
static void prune(reduced *r, int result, int nswitching, int *at)
{
    char *const used = r->mark;
    memset(used, 0, (size_t)r->count);
    used[result] = 1;
    for (int k = 0; k < nswitching; k++) {
        used[at[k]] = 1;
    }
    for (int i = r->count - 1; i >= 0; i--) {
        for (int k = 0; used[i] && k < trm_op_operands(r->tape[i].op); k++) {
            used[r->tape[i].from[k]] = 1;
        }
    }
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        trm_instruction in = r->tape[i];
        if (used[i]) {
            for (int k = 0; k < trm_op_operands(in.op); k++) {
                in.from[k] = r->put[in.from[k]];
            }
            r->put[i] = n;
            r->tape[n++] = in;
        }
    }
    for (int k = 0; k < nswitching; k++) {
        at[k] = r->put[at[k]];
    }
    assert(r->put[result] == n - 1); // every switching function takes part in the value
    r->count = n;
}

int trm_reduce(trm_instruction *tape, int count, int result, int nswitching, int *at)
{
    const size_t n = (size_t)count;
    reduced *const r = calloc(1, sizeof *r);
    int *const ints = calloc(2 * n, sizeof *ints);
    char *const mark = calloc(n, 1);
    int reduced_count = -1;
    if (r && ints && mark) {
        *r = (reduced){.tape = tape, .next = ints, .put = ints + n, .mark = mark};
        rewrite(r, count, at);
        prune(r, r->put[result], nswitching, at);
        reduced_count = r->count;
    }
    free(r);
    free(ints);
    free(mark);
    return reduced_count;
}
