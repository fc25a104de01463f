// The tape run: value, jet along a curve, gradient, switching functions.
//
// Every operation is f(a, b) with its partial derivatives (a function of one argument ignores b).
// Along a curve, with ' = d/ds,
//
//     f'  = f_a a' + f_b b'
//     f'' = f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2 + f_a a'' + f_b b''
//
// and for the gradient f_i = f_a a_i + f_b b_i. A term whose derivative of the argument is zero is
// zero whatever its partial derivative: x + sqrt(y) has de/dx = 1 at y = 0.
//
// The workspace holds the stack, `depth` entries, and behind it the registers.
//
// Behind the end of a frozen mode an operation may have no value: sqrt(abs(x)) in the mode x, a
// rounding below 0. Where the tape gives no number it is run again: from the first switching
// function on whose g has left the interval of its mode, arguments outside of a domain are those at
// its edge, with the value and the derivatives of the operation there. Without such a switching
// function it stays NaN.
#include "base/expression/expression_tape.h"
#include "base/expression/expression_words.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ----------------------------------------------------------------------------- behind a mode

/// The second run of a tape.
typedef struct behind {
    const trm_switching_mode *mode; ///< frozen
    int left;                       ///< nonzero: a switching function has left its mode
} behind;

/// The first argument of an operation, cut off where it has to be. again: NULL in the first run.
static double argument(const trm_expression *code, const trm_instruction *in, double a, double b,
                       behind *again)
{
    if (!again) {
        return a;
    }
    if (trm_op_is_switching(in->op)) {
        double lo, hi;
        const double g = trm_operation_switching(in, a, b).f;
        trm_switching_mode_interval(code, in->index, again->mode[in->index], &lo, &hi);
        again->left |= g < lo || g > hi;
    }
    return again->left ? trm_operation_in_domain(in, a, b) : a;
}

// ------------------------------------------------------------------------------------------- value

/// One step of the machine: the entry behind the topmost one afterwards.
static double *step(const trm_expression *code, const trm_instruction *in, const double *x,
                    const trm_switching_mode *mode, double *top, double *registers)
{
    switch (in->op) {
    case TRM_OP_CONSTANT:
        *top = in->value;
        return top + 1;
    case TRM_OP_VARIABLE:
        *top = x[in->index];
        return top + 1;
    case TRM_OP_LOAD:
        *top = registers[in->index];
        return top + 1;
    case TRM_OP_STORE:
        registers[in->index] = top[-1];
        return top - 1;
    case TRM_OP_SELECT:
        top[-3] = isnan(top[-3]) ? NAN : top[-3] != 0 ? top[-2] : top[-1];
        return top - 2;
    default:
        if (trm_op_takes_two(in->op)) {
            top[-2] = trm_operation_value(code, in, top[-2], top[-1], mode);
            return top - 1;
        }
        top[-1] = trm_operation_value(code, in, top[-1], 0, mode);
        return top;
    }
}

/// "log of -1", "a quotient of 1 and 0", "a table is read behind its last point, 3".
static void describe(const trm_expression *code, const trm_instruction *in, double a, double b,
                     char *out, size_t size)
{
    const char *name = trm_word_of_operation(in->op);
    name = name ? name : "an operation";
    if (in->op == TRM_OP_TABLE) {
        const trm_table *table = trm_tape_table(code, in);
        const double first = table->values[0], last = table->values[table->n - 1];
        snprintf(out, size, "a table is read %s point, %.9g",
                 a < first ? "before its first" : "behind its last", a < first ? first : last);
    } else if (trm_op_takes_two(in->op)) {
        snprintf(out, size, "%s of %.6g and %.6g", name, a, b);
    } else {
        snprintf(out, size, "%s of %.6g", name, a + 0.0); // -0 is 0
    }
}

/// Whether an operation whose value is finite has no finite derivatives. Exponents count as
/// constants: of 0^2.5 those by the exponent are not numbers.
static int is_steep(const trm_expression *code, const trm_instruction *in, double a, double b,
                    const trm_switching_mode *mode)
{
    const trm_partials p = trm_operation_partials(code, in, a, b, mode);
    const int by_second = trm_op_takes_two(in->op) && in->op != TRM_OP_POWER;
    return !isfinite(p.a) || !isfinite(p.aa) ||
           (by_second && !(isfinite(p.b) && isfinite(p.ab) && isfinite(p.bb)));
}

/// An operation on the tape, its arguments and what comes of it.
typedef struct operation {
    const trm_instruction *in;
    double a, b;
    int fails; ///< arguments are finite, the value is not
} operation;

/// One step of the machine; *top as after `step`.
static operation operate(const trm_expression *code, const trm_instruction *in, const double *x,
                         behind *again, double **top, double *registers)
{
    const int two = trm_op_takes_two(in->op), operates = two || trm_op_takes_one(in->op);
    double *const first = operates ? *top - (two ? 2 : 1) : NULL;
    operation o = {.in = operates ? in : NULL, .b = two ? (*top)[-1] : 0};
    if (first) {
        o.a = *first = argument(code, in, *first, o.b, again->mode ? again : NULL);
    }
    *top = step(code, in, x, again->mode, *top, registers);
    o.fails = operates && isfinite(o.a) && isfinite(o.b) && !isfinite((*top)[-1]);
    return o;
}

/// The operation number `which` of those that fail. Returns whether the value of the expression
/// fails with it: where all others had the value 1, so that one in a mode that is not taken counts
/// for nothing. -1: there are not so many.
static int fails_by(const trm_expression *code, const double *x, const trm_switching_mode *mode,
                    double *workspace, int which, operation *out)
{
    behind again = {.mode = mode};
    double *top = workspace;
    int failed = 0;
    for (int k = 0; k < code->count; k++) {
        const operation o = operate(code, &code->tape[k], x, &again, &top, workspace + code->depth);
        if (o.fails && failed == which) {
            *out = o;
        } else if (o.fails) {
            top[-1] = 1;
        }
        failed += o.fails;
    }
    return failed <= which ? -1 : !isfinite(top[-1]);
}

/// The first operation whose derivatives are infinite.
static int is_steep_somewhere(const trm_expression *code, const double *x,
                              const trm_switching_mode *mode, double *workspace, operation *out)
{
    behind again = {.mode = mode};
    double *top = workspace;
    for (int k = 0; k < code->count; k++) {
        *out = operate(code, &code->tape[k], x, &again, &top, workspace + code->depth);
        if (out->in && is_steep(code, out->in, out->a, out->b, mode)) {
            return 1;
        }
    }
    return 0;
}

int trm_expression_reason(const trm_expression *code, const double *x,
                          const trm_switching_mode *mode, double *workspace, char *out, size_t size)
{
    operation o = {.in = NULL};
    int found = 0;
    for (int which = 0; found == 0 && which < code->count; which++) {
        found = fails_by(code, x, mode, workspace, which, &o);
    }
    if (found > 0) {
        describe(code, o.in, o.a, o.b, out, size);
        return 1;
    }
    if (!is_steep_somewhere(code, x, mode, workspace, &o)) {
        return 0;
    }
    describe(code, o.in, o.a, o.b, out, size);
    const size_t length = strlen(out);
    snprintf(out + length, size - length, ", where its derivatives are infinite");
    return 1;
}

/// g: where the switching functions go; NULL: not wanted.
static double run(const trm_expression *code, const double *x, const trm_switching_mode *mode,
                  behind *again, double *workspace, double *g)
{
    double *top = workspace; // one behind the topmost entry
    double *registers = workspace + code->depth;
    for (const trm_instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        switch (in->op) {
        case TRM_OP_CONSTANT:
            *top++ = in->value;
            break;
        case TRM_OP_VARIABLE:
            *top++ = x[in->index];
            break;
        case TRM_OP_LOAD:
            *top++ = registers[in->index];
            break;
        case TRM_OP_STORE:
            registers[in->index] = *--top;
            break;
        case TRM_OP_SELECT:
            top -= 2;
            top[-1] = isnan(top[-1]) ? NAN : top[-1] != 0 ? top[0] : top[1];
            break;
        case TRM_OP_ADD:
            top--;
            top[-1] += top[0];
            break;
        case TRM_OP_SUBTRACT:
            top--;
            top[-1] -= top[0];
            break;
        case TRM_OP_MULTIPLY:
            top--;
            top[-1] *= top[0];
            break;
        case TRM_OP_DIVIDE:
            top--;
            top[-1] /= top[0];
            break;
        default: {
            const double b = trm_op_takes_two(in->op) ? *--top : 0;
            if (g && trm_op_is_switching(in->op)) {
                g[in->index] = trm_operation_switching(in, top[-1], b).f;
            }
            const double a = argument(code, in, top[-1], b, again);
            top[-1] = trm_operation_value(code, in, a, b, mode);
        }
        }
    }
    return workspace[0];
}

double trm_expression_value_in(const trm_expression *code, const double *x,
                               const trm_switching_mode *mode, double *workspace)
{
    behind again = {.mode = mode};
    const double value = run(code, x, mode, NULL, workspace, NULL);
    return mode && isnan(value) ? run(code, x, mode, &again, workspace, NULL) : value;
}

double trm_expression_value(const trm_expression *code, const double *x, double *workspace)
{
    return run(code, x, NULL, NULL, workspace, NULL);
}

void trm_expression_switching_values(const trm_expression *code, const double *x,
                                     const trm_switching_mode *mode, double *workspace, double *g)
{
    behind again = {.mode = mode};
    int undefined = 0;
    run(code, x, mode, NULL, workspace, g);
    for (int k = 0; mode && k < code->nswitching_functions; k++) {
        undefined |= isnan(g[k]);
    }
    if (undefined) {
        run(code, x, mode, &again, workspace, g);
    }
}

// --------------------------------------------------------------------------------------------- jet

static double term(double partial, double derivative)
{
    return derivative == 0 ? 0 : partial * derivative;
}

/// out = f(a, b); a may be out.
static void chain(const trm_partials *p, const double a[3], const double b[3], double out[3])
{
    const double first = a[1];
    out[2] = term(p->aa, first * first) + term(p->ab, 2 * first * b[1]) + term(p->bb, b[1] * b[1]) +
             term(p->a, a[2]) + term(p->b, b[2]);
    out[1] = term(p->a, first) + term(p->b, b[1]);
    out[0] = p->f;
}

/// The jet of condition, a, b into the place of the condition.
static void select_jet(double (*entry)[3])
{
    static const double none[3] = {NAN, NAN, NAN};
    memcpy(entry[0],
           isnan(entry[0][0]) ? none
           : entry[0][0] != 0 ? entry[1]
                              : entry[2],
           sizeof entry[0]);
}

static void run_jet(const trm_expression *code, const double (*x)[3],
                    const trm_switching_mode *mode, behind *again, double *workspace,
                    double (*g)[3])
{
    static const double nothing[3] = {0, 0, 0}; // what functions of one argument ignore
    double(*top)[3] = (double(*)[3])workspace;
    double(*registers)[3] = top + code->depth;
    for (const trm_instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        switch (in->op) {
        case TRM_OP_CONSTANT:
            memcpy(*top++, (const double[3]){in->value, 0, 0}, sizeof *top);
            break;
        case TRM_OP_VARIABLE:
            memcpy(*top++, x[in->index], sizeof *top);
            break;
        case TRM_OP_LOAD:
            memcpy(*top++, registers[in->index], sizeof *top);
            break;
        case TRM_OP_STORE:
            memcpy(registers[in->index], *--top, sizeof *top);
            break;
        case TRM_OP_SELECT:
            top -= 2;
            select_jet(top - 1);
            break;
        default: {
            const double *b = trm_op_takes_two(in->op) ? *--top : nothing;
            trm_partials p;
            if (g && trm_op_is_switching(in->op)) {
                p = trm_operation_switching(in, top[-1][0], b[0]);
                chain(&p, top[-1], b, g[in->index]);
            }
            const double a = argument(code, in, top[-1][0], b[0], again);
            p = trm_operation_partials(code, in, a, b[0], mode);
            chain(&p, top[-1], b, top[-1]);
        }
        }
    }
}

void trm_expression_jet_in(const trm_expression *code, const double (*x)[3],
                           const trm_switching_mode *mode, double *workspace, double out[3])
{
    behind again = {.mode = mode};
    run_jet(code, x, mode, NULL, workspace, NULL);
    if (mode && isnan(workspace[0])) {
        run_jet(code, x, mode, &again, workspace, NULL);
    }
    memcpy(out, workspace, 3 * sizeof *out);
}

void trm_expression_jet(const trm_expression *code, const double (*x)[3], double *workspace,
                        double out[3])
{
    trm_expression_jet_in(code, x, NULL, workspace, out);
}

void trm_expression_switching_jets(const trm_expression *code, const double (*x)[3],
                                   const trm_switching_mode *mode, double *workspace,
                                   double (*out)[3])
{
    run_jet(code, x, mode, NULL, workspace, out);
}

// ---------------------------------------------------------------------------------------- rounding

/// A value and a bound of its error.
typedef struct rounded {
    double value, error;
} rounded;

/// Of f(a, b): the errors of both through the partial derivatives, and one of its own.
static rounded rounding_of(const trm_partials *p, rounded a, rounded b)
{
    return (rounded){p->f, term(fabs(p->a), a.error) + term(fabs(p->b), b.error) +
                               DBL_EPSILON * fabs(p->f)};
}

void trm_expression_switching_rounding(const trm_expression *code, const double *x,
                                       double *workspace, double *error)
{
    rounded *top = (rounded *)(void *)workspace, *const registers = top + code->depth;
    for (const trm_instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        if (in->op == TRM_OP_CONSTANT || in->op == TRM_OP_VARIABLE) {
            const double value = in->op == TRM_OP_CONSTANT ? in->value : x[in->index];
            *top++ = (rounded){value, DBL_EPSILON * fabs(value)};
        } else if (in->op == TRM_OP_LOAD) {
            *top++ = registers[in->index];
        } else if (in->op == TRM_OP_STORE) {
            registers[in->index] = *--top;
        } else if (in->op == TRM_OP_SELECT) {
            top -= 2;
            top[-1] = top[-1].value != 0 ? top[0] : top[1];
        } else {
            const rounded b = trm_op_takes_two(in->op) ? *--top : (rounded){0, 0};
            trm_partials p;
            if (trm_op_is_switching(in->op)) {
                p = trm_operation_switching(in, top[-1].value, b.value);
                error[in->index] = rounding_of(&p, top[-1], b).error;
            }
            p = trm_operation_partials(code, in, top[-1].value, b.value, NULL);
            top[-1] = rounding_of(&p, top[-1], b);
        }
    }
}

/// A jet and bounds of its errors.
typedef struct rounded_jet {
    double f[3], error[3];
} rounded_jet;

/// What |p| x has for an error where p has dp.
static double part_of(double p, double dp, double x, double dx)
{
    return term(fabs(p), dx) + term(dp, fabs(x)) + 2 * DBL_EPSILON * fabs(term(p, x));
}

/// Of f(a, b): partial derivatives err by the errors of a and b, the second ones by their own
/// rounding alone. (What a and b do to them by third derivatives is the jet of another time.)
static rounded_jet jet_rounding_of(const trm_partials *p, const rounded_jet *a,
                                   const rounded_jet *b)
{
    const double *const x = a->f, *const y = b->f, *const e = a->error, *const d = b->error;
    const double by_a = term(fabs(p->aa), e[0]) + term(fabs(p->ab), d[0]);
    const double by_b = term(fabs(p->ab), e[0]) + term(fabs(p->bb), d[0]);
    rounded_jet out;
    chain(p, x, y, out.f);
    out.error[0] = term(fabs(p->a), e[0]) + term(fabs(p->b), d[0]) + DBL_EPSILON * fabs(p->f);
    out.error[1] = part_of(p->a, by_a, x[1], e[1]) + part_of(p->b, by_b, y[1], d[1]);
    out.error[2] = part_of(p->a, by_a, x[2], e[2]) + part_of(p->b, by_b, y[2], d[2]) +
                   part_of(p->aa, 0, x[1] * x[1], 2 * fabs(x[1]) * e[1]) +
                   part_of(p->bb, 0, y[1] * y[1], 2 * fabs(y[1]) * d[1]) +
                   2 * part_of(p->ab, 0, x[1] * y[1], fabs(x[1]) * d[1] + fabs(y[1]) * e[1]);
    return out;
}

void trm_expression_jet_rounding(const trm_expression *code, const double (*x)[3],
                                 const trm_switching_mode *mode, double *workspace, double error[3])
{
    static const rounded_jet nothing;
    rounded_jet *top = (rounded_jet *)(void *)workspace, *const registers = top + code->depth;
    for (const trm_instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        if (in->op == TRM_OP_CONSTANT) {
            *top++ = (rounded_jet){{in->value}, {DBL_EPSILON * fabs(in->value)}};
        } else if (in->op == TRM_OP_VARIABLE) {
            *top = nothing;
            memcpy(top++->f, x[in->index], sizeof top->f);
        } else if (in->op == TRM_OP_LOAD) {
            *top++ = registers[in->index];
        } else if (in->op == TRM_OP_STORE) {
            registers[in->index] = *--top;
        } else if (in->op == TRM_OP_SELECT) {
            top -= 2;
            top[-1] = top[-1].f[0] != 0 ? top[0] : top[1];
        } else {
            rounded_jet b = trm_op_takes_two(in->op) ? *--top : nothing;
            if (in->op == TRM_OP_POWER && b.f[1] == 0 && b.f[2] == 0) {
                memset(b.error, 0, sizeof b.error); // of 0^2.5 the derivative by 2.5 is no number
            }
            const trm_partials p = trm_operation_partials(code, in, top[-1].f[0], b.f[0], mode);
            top[-1] = jet_rounding_of(&p, &top[-1], &b);
        }
    }
    memcpy(error, ((const rounded_jet *)(void *)workspace)->error, 3 * sizeof *error);
}

// ---------------------------------------------------------------------------------------- gradient

/// One entry of n + 1 doubles: (e, de/dx_0, ..., de/dx_n-1).
static void put_leaf(const trm_instruction *in, const double *x, int width, double *entry)
{
    memset(entry, 0, (size_t)width * sizeof *entry);
    entry[0] = in->value;
    if (in->op == TRM_OP_VARIABLE) {
        entry[0] = x[in->index];
        entry[1 + in->index] = 1;
    }
}

static void select_gradient(double *entry, int width)
{
    const double condition = entry[0];
    memcpy(entry, entry + (condition != 0 ? 1 : 2) * width, (size_t)width * sizeof *entry);
    for (int i = 0; isnan(condition) && i < width; i++) {
        entry[i] = NAN;
    }
}

static void run_gradient(const trm_expression *code, const double *x,
                         const trm_switching_mode *mode, behind *again, double *workspace)
{
    const int n = code->variables, width = 1 + n;
    const size_t bytes = (size_t)width * sizeof(double);
    double *top = workspace, *registers = workspace + code->depth * width;
    for (const trm_instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        switch (in->op) {
        case TRM_OP_CONSTANT:
        case TRM_OP_VARIABLE:
            put_leaf(in, x, width, top);
            top += width;
            break;
        case TRM_OP_LOAD:
            memcpy(top, registers + in->index * width, bytes);
            top += width;
            break;
        case TRM_OP_STORE:
            top -= width;
            memcpy(registers + in->index * width, top, bytes);
            break;
        case TRM_OP_SELECT:
            top -= 2 * width;
            select_gradient(top - width, width);
            break;
        default: {
            const int two = trm_op_takes_two(in->op);
            top -= two ? width : 0;
            double *a = top - width;
            const double b = two ? top[0] : 0;
            const trm_partials p =
                trm_operation_partials(code, in, argument(code, in, a[0], b, again), b, mode);
            a[0] = p.f;
            for (int i = 1; i <= n; i++) {
                a[i] = term(p.a, a[i]) + (two ? term(p.b, top[i]) : 0);
            }
        }
        }
    }
}

double trm_expression_gradient_in(const trm_expression *code, const double *x,
                                  const trm_switching_mode *mode, double *workspace,
                                  double *gradient)
{
    behind again = {.mode = mode};
    run_gradient(code, x, mode, NULL, workspace);
    if (mode && isnan(workspace[0])) {
        run_gradient(code, x, mode, &again, workspace);
    }
    memcpy(gradient, workspace + 1, (size_t)code->variables * sizeof *gradient);
    return workspace[0];
}

double trm_expression_gradient(const trm_expression *code, const double *x, double *workspace,
                               double *gradient)
{
    return trm_expression_gradient_in(code, x, NULL, workspace, gradient);
}

// ----------------------------------------------------------------------------------------- getters

size_t trm_expression_bytes(const trm_expression *code)
{
    return code->bytes;
}

int trm_expression_variables(const trm_expression *code)
{
    return code->variables;
}

int trm_expression_is_constant(const trm_expression *code)
{
    return code->count == 1 && code->tape[0].op == TRM_OP_CONSTANT;
}

int trm_expression_workspace(const trm_expression *code)
{
    const int width = code->variables + 1;
    return (code->depth + code->registers) * (width > 3 ? width : 3);
}

int trm_expression_switching_functions(const trm_expression *code)
{
    return code->nswitching_functions;
}

trm_switching_function trm_expression_switching_function(const trm_expression *code, int k)
{
    return trm_tape_switching(code, k)->said;
}

void trm_expression_switching_arguments(const trm_expression *code, int k, int arguments[2])
{
    const int at = trm_tape_switching(code, k)->at;
    for (int i = 0; i < 2; i++) {
        const trm_instruction *in = at >= 2 ? &code->tape[at - 2 + i] : NULL;
        arguments[i] = in && in->op == TRM_OP_VARIABLE ? in->index : -1;
    }
}

int trm_expression_smoothness(const trm_expression *code, int *worst)
{
    int smoothness = 3, which = -1;
    for (int k = 0; k < code->nswitching_functions; k++) {
        const trm_switching_function *said = &trm_tape_switching(code, k)->said;
        const int here = said->kind == TRM_SWITCHING_ANGLE ? 3 : said->smoothness;
        which = here < smoothness ? k : which;
        smoothness = here < smoothness ? here : smoothness;
    }
    if (worst) {
        *worst = which;
    }
    return smoothness;
}

int trm_expression_is_of_time(const trm_expression *code)
{
    return !code->of_rest;
}
