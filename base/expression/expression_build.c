// A tape being written.
#include "base/expression/expression_build.h"

#include "base/expression/expression_words.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POWER = 8 }; // integer exponents up to this one are multiplied out

// ------------------------------------------------------------------------------------------ memory

/// Room for one more of `size` bytes each.
static int grow(void **array, int *room, int used, size_t size)
{
    if (used < *room) {
        return 1;
    }
    const int more = *room ? 2 * *room : 8;
    void *grown = realloc(*array, (size_t)more * size);
    if (!grown) {
        return 0;
    }
    *array = grown;
    *room = more;
    return 1;
}

static trm_status append(trm_builder *b, trm_instruction in)
{
    void *tape = b->tape;
    if (!grow(&tape, &b->tape_room, b->now.count, sizeof in)) {
        return TRM_ERR_MEMORY;
    }
    b->tape = tape;
    b->tape[b->now.count++] = in;
    return TRM_OK;
}

static trm_status push(trm_builder *b, trm_operand operand)
{
    if (b->now.height == TRM_BUILD_STACK) {
        return TRM_ERR_OPTIONS;
    }
    void *stack = b->stack;
    if (!grow(&stack, &b->stack_room, b->now.height, sizeof operand)) {
        return TRM_ERR_MEMORY;
    }
    b->stack = stack;
    b->stack[b->now.height++] = operand;
    return TRM_OK;
}

/// A new instruction on top.
static trm_status push_leaf(trm_builder *b, trm_instruction in, trm_operand operand)
{
    operand.at = b->now.count;
    const trm_status status = push(b, operand);
    return status ? status : append(b, in);
}

trm_operand *trm_build_top(trm_builder *b)
{
    return &b->stack[b->now.height - 1];
}

void trm_build_forget(trm_builder *b, trm_build_mark mark)
{
    b->now = mark;
}

// ------------------------------------------------------------------------------------------ leaves

trm_status trm_build_constant(trm_builder *b, double value)
{
    return push_leaf(b, (trm_instruction){.op = TRM_OP_CONSTANT, .value = value},
                     (trm_operand){.zero = value == 0});
}

trm_status trm_build_variable(trm_builder *b, const trm_symbol *symbol)
{
    if (symbol->index >= b->now.variables) {
        b->now.variables = symbol->index + 1;
    }
    return push_leaf(b,
                     (trm_instruction){.op = TRM_OP_VARIABLE,
                                       .index = symbol->index,
                                       .value = symbol->finite ? 0 : NAN},
                     (trm_operand){.of_time = symbol->of_time, .of_rest = !symbol->of_time});
}

trm_status trm_build_take(trm_builder *b, trm_leaf *out)
{
    out->operand = b->stack[--b->now.height];
    out->operand.vanishing = 0; // it may be used several times
    out->in = b->tape[out->operand.at];
    return TRM_OK;
}

trm_status trm_build_put(trm_builder *b, const trm_leaf *leaf)
{
    return push(b, leaf->operand);
}

// -------------------------------------------------------------------------------------- operations

int trm_build_is_constant(const trm_builder *b, double *value)
{
    const trm_instruction *last = &b->tape[b->stack[b->now.height - 1].at];
    if (last->op != TRM_OP_CONSTANT) {
        return 0;
    }
    *value = last->value;
    return 1;
}

/// The first operation on constants whose value is none, for the caller's message: "acos of -14.2".
static void note_domain(trm_builder *b, const trm_instruction *in, double a, double c, double value)
{
    if (isfinite(value) || !isfinite(a) || !isfinite(c) || b->culprit[0]) {
        return;
    }
    const char *name = trm_word_of_operation(in->op);
    if (name && trm_op_takes_two(in->op)) {
        snprintf(b->culprit, b->culprit_size, "%s of %.6g and %.6g", name, a, c);
    } else if (name) {
        snprintf(b->culprit, b->culprit_size, "%s of %.6g", name, a);
    }
}

/// Continuous derivatives across the switching function of an operation.
static int smoothness_of(int op, const trm_table *table)
{
    switch (op) {
    case TRM_OP_ABS:
    case TRM_OP_MIN:
    case TRM_OP_MAX:
        return 0;
    case TRM_OP_STEP:
        return 2;
    case TRM_OP_TABLE:
        return table->smoothness;
    default:
        return -1;
    }
}

/// The operation becomes the instruction of the topmost operand.
static trm_status append_top(trm_builder *b, trm_instruction in)
{
    trm_build_top(b)->at = b->now.count;
    return append(b, in);
}

/// Append an operation with a switching function; the operand on top is already its result.
static trm_status append_switching(trm_builder *b, trm_instruction in, const trm_table *table)
{
    const int op = in.op;
    void *switching = b->switching, *tables = b->tables;
    const int k = b->now.switching;
    if (!grow(&switching, &b->switch_room, k, sizeof *b->switching)) {
        return TRM_ERR_MEMORY;
    }
    b->switching = switching;
    if (!grow(&tables, &b->table_room, k, sizeof *b->tables)) {
        return TRM_ERR_MEMORY;
    }
    b->tables = tables;
    const trm_operand *of = trm_build_top(b);
    b->tables[k] = table;
    b->switching[k] = (trm_switching_record){
        .said = {.kind = trm_operation_kind(op),
                 .name = b->word ? b->word : trm_word_of_operation(op),
                 .smoothness = smoothness_of(op, table),
                 .of_time = of->of_time && !of->of_rest,
                 .of_rest = of->of_rest,
                 .text = b->text,
                 .column = b->column},
        .at = b->now.count,
    };
    b->now.switching++;
    in.index = k;
    return append_top(b, in);
}

static int is_condition(int op)
{
    return op == TRM_OP_NOT || op == TRM_OP_AND || op == TRM_OP_OR ||
           (op >= TRM_OP_LESS && op <= TRM_OP_NOT_EQUAL);
}

/// A constant in place of the topmost operand.
static trm_status fold(trm_builder *b, double value)
{
    trm_build_top(b)->zero = value == 0;
    return append_top(b, (trm_instruction){.op = TRM_OP_CONSTANT, .value = value});
}

static trm_status one(trm_builder *b, trm_instruction in, const trm_table *table)
{
    trm_operand *top = trm_build_top(b);
    double a = 0;
    top->boolean = is_condition(in.op);
    if (trm_build_is_constant(b, &a)) {
        const double value = trm_operation_constant(&in, table, a, 0);
        note_domain(b, &in, a, 0, value);
        return fold(b, value);
    }
    in.from[0] = top->at;
    if (in.op == TRM_OP_INTEGER_POWER && top->vanishing) { // max(0, x)^3 has two derivatives
        b->switching[top->vanishing - 1].said.smoothness = in.index - 1;
    }
    top->zero = 0;
    top->vanishing = in.op == TRM_OP_ABS      ? b->now.switching + 1
                     : in.op == TRM_OP_NEGATE ? top->vanishing
                                              : 0;
    return trm_op_is_switching(in.op) ? append_switching(b, in, table) : append_top(b, in);
}

trm_status trm_build_one(trm_builder *b, int op, const char *key)
{
    return one(b, (trm_instruction){.op = op, .key = key}, NULL);
}

trm_status trm_build_table(trm_builder *b, const trm_table *table)
{
    return one(b, (trm_instruction){.op = TRM_OP_TABLE}, table);
}

trm_status trm_build_two(trm_builder *b, int op)
{
    double a = 0, c = 0;
    const int second_constant = trm_build_is_constant(b, &c);
    const trm_operand second = b->stack[--b->now.height];
    const int first_constant = trm_build_is_constant(b, &a);
    trm_operand *top = trm_build_top(b);
    const trm_instruction in = {.op = op, .from = {top->at, second.at}};
    const int zero = top->zero || second.zero;
    top->zero = 0;
    top->of_time |= second.of_time;
    top->of_rest |= second.of_rest;
    top->boolean = is_condition(op);
    if (first_constant && second_constant) {
        const double value = trm_operation_constant(&in, NULL, a, c);
        note_domain(b, &in, a, c, value);
        return fold(b, value);
    }
    if (op == TRM_OP_POWER && second_constant && c == floor(c) && c >= 1 && c <= MAX_POWER) {
        return one(b, (trm_instruction){.op = TRM_OP_INTEGER_POWER, .index = (int)c}, NULL);
    }
    const int kink = op == TRM_OP_MIN || op == TRM_OP_MAX;
    top->vanishing = kink && zero ? b->now.switching + 1 : 0;
    return trm_op_is_switching(op) ? append_switching(b, in, NULL) : append_top(b, in);
}

trm_status trm_build_select(trm_builder *b)
{
    b->now.height -= 2;
    trm_operand *of = trm_build_top(b);
    for (int i = 1; i < 3; i++) {
        of->of_time |= of[i].of_time;
        of->of_rest |= of[i].of_rest;
    }
    of->boolean = of[1].boolean && of[2].boolean;
    of->vanishing = of->zero = 0;
    return append_top(
        b, (trm_instruction){.op = TRM_OP_SELECT, .from = {of[0].at, of[1].at, of[2].at}});
}

// -------------------------------------------------------------------------------------------- end

/// Bytes of the tables, each once for each switching function that reads it.
static size_t table_bytes(const trm_builder *b)
{
    size_t bytes = 0;
    for (int k = 0; k < b->now.switching; k++) {
        bytes += b->tables[k] ? b->tables[k]->bytes : 0;
    }
    return bytes;
}

/// Function k is at instruction at[k], which bears the number of the first one there. Of one that
/// stands twice the records become one, as smooth as the less smooth.
static void merge_switching(trm_builder *b, const int *at)
{
    int n = 0;
    for (int k = 0; k < b->now.switching; k++) {
        int *const number = &b->tape[at[k]].index;
        if (*number == k) {
            b->tables[n] = b->tables[k];
            b->switching[n] = b->switching[k];
            b->switching[n].at = at[k];
            *number = n++;
        } else if (b->switching[k].said.smoothness < b->switching[*number].said.smoothness) {
            b->switching[*number].said.smoothness = b->switching[k].said.smoothness;
        }
    }
    b->now.switching = n;
}

/// The tape as it is evaluated.
static trm_status reduce(trm_builder *b)
{
    int *const at = calloc((size_t)b->now.switching + 1, sizeof *at);
    b->now.count =
        at ? trm_reduce(b->tape, b->now.count, trm_build_top(b)->at, b->now.switching, at) : -1;
    if (b->now.count >= 0) {
        merge_switching(b, at);
    }
    free(at);
    return b->now.count < 0 ? TRM_ERR_MEMORY : TRM_OK;
}

trm_status trm_build_finish(trm_builder *b, trm_expression **out)
{
    TRM_TRY(reduce(b));
    const size_t tape = (size_t)b->now.count * sizeof(trm_instruction);
    const size_t switching = (size_t)b->now.switching * sizeof(trm_switching_record);
    const size_t bytes = sizeof(trm_expression) + tape + switching + table_bytes(b);
    trm_expression *code = calloc(1, bytes);
    if (!code) {
        return TRM_ERR_MEMORY;
    }
    *code = (trm_expression){
        .bytes = bytes,
        .switching = sizeof(trm_expression) + tape,
        .count = b->now.count,
        .variables = b->now.variables,
        .nswitching_functions = b->now.switching,
        .of_rest = trm_build_top(b)->of_rest,
    };
    memcpy(code->tape, b->tape, tape);
    size_t at = code->switching + switching;
    for (int k = 0; k < b->now.switching; k++) {
        if (b->tables[k]) {
            b->switching[k].table = at;
            memcpy((char *)code + at, b->tables[k], b->tables[k]->bytes);
            at += b->tables[k]->bytes;
        }
    }
    if (switching) {
        memcpy((char *)code + code->switching, b->switching, switching);
    }
    *out = code;
    return TRM_OK;
}

void trm_build_close(trm_builder *b)
{
    free(b->tape);
    free(b->stack);
    free(b->switching);
    free(b->tables);
}
