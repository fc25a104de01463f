// The tape run: value, jet along a curve, gradient, switching functions.
//
// Every operation is f(a, b) with its partial derivatives (a function of one argument ignores b).
// Along a curve, with ' = d/ds,
//
//     f'  = f_a a' + f_b b'
//     f'' = f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2 + f_a a'' + f_b b''
//
// A term whose derivative of the argument is zero is zero whatever its partial derivative:
// x + sqrt(y) has de/dx = 1 at y = 0. The gradient comes from one run back over the tape (reverse
// mode: Griewank and Walther, Evaluating Derivatives, 2nd ed., 3.2): with the adjoint w = de/df of
// an operation, those of its arguments grow by w f_a and w f_b. Where that is not finite, each
// variable has a run of its own, along x_i' = 1.
//
// The workspace holds a result for each instruction, then the adjoints.
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

/// The result of an instruction, those before it in w; a is its first argument.
static double result(const trm_expression *code, const trm_instruction *in, const double *x,
                     const trm_switching_mode *mode, double a, const double *w)
{
    const int *from = in->from;
    switch (in->op) {
    case TRM_OP_CONSTANT:
        return in->value;
    case TRM_OP_VARIABLE:
        return x[in->index];
    case TRM_OP_SELECT:
        return isnan(a) ? NAN : w[from[a != 0 ? 1 : 2]];
    case TRM_OP_ADD:
        return a + w[from[1]];
    case TRM_OP_SUBTRACT:
        return a - w[from[1]];
    case TRM_OP_MULTIPLY:
        return a * w[from[1]];
    case TRM_OP_DIVIDE:
        return a / w[from[1]];
    default:
        return trm_operation_value(code, in, a, w[from[1]], mode);
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
    } else if (in->op == TRM_OP_RANGE) {
        snprintf(out, size, "%s is %.6g, below 0", in->key, a);
    } else if (in->op == TRM_OP_POWER && a == 0 && b < 0 && b > -1) {
        snprintf(out, size, "%s of 0 and %.6g; instead of x*abs(x)^%.6g write sign(x)*abs(x)^%.6g",
                 name, b, b, 1 + b);
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

/// w[k] := the result of instruction k.
static operation operate(const trm_expression *code, int k, const double *x, behind *again,
                         double *w)
{
    const trm_instruction *in = &code->tape[k];
    const int n = trm_op_operands(in->op), operates = n == 1 || n == 2;
    operation o = {.in = operates ? in : NULL, .b = n == 2 ? w[in->from[1]] : 0};
    o.a = operates && again->mode ? argument(code, in, w[in->from[0]], o.b, again) : w[in->from[0]];
    w[k] = result(code, in, x, again->mode, o.a, w);
    o.fails = operates && isfinite(o.a) && isfinite(o.b) && !isfinite(w[k]);
    return o;
}

/// The operation number `which` of those that fail. Returns whether the value of the expression
/// fails with it: where all others had the value 1, so that one in a mode that is not taken counts
/// for nothing. -1: there are not so many.
static int fails_by(const trm_expression *code, const double *x, const trm_switching_mode *mode,
                    double *workspace, int which, operation *out)
{
    behind again = {.mode = mode};
    int failed = 0;
    for (int k = 0; k < code->count; k++) {
        const operation o = operate(code, k, x, &again, workspace);
        if (o.fails && failed == which) {
            *out = o;
        } else if (o.fails) {
            workspace[k] = 1;
        }
        failed += o.fails;
    }
    return failed <= which ? -1 : !isfinite(workspace[code->count - 1]);
}

/// The first operation whose derivatives are infinite.
static int is_steep_somewhere(const trm_expression *code, const double *x,
                              const trm_switching_mode *mode, double *workspace, operation *out)
{
    behind again = {.mode = mode};
    for (int k = 0; k < code->count; k++) {
        *out = operate(code, k, x, &again, workspace);
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
    double *const w = workspace;
    for (int k = 0; k < code->count; k++) {
        const trm_instruction *in = &code->tape[k];
        double a = w[in->from[0]];
        if (g && trm_op_is_switching(in->op)) {
            g[in->index] = trm_operation_switching(in, a, w[in->from[1]]).f;
        }
        if (again && trm_op_operands(in->op) % 3) {
            a = argument(code, in, a, w[in->from[1]], again);
        }
        w[k] = result(code, in, x, mode, a, w);
    }
    return w[code->count - 1];
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

/// out = f(a, b)
static void chain(const trm_partials *p, const double a[3], const double b[3], double out[3])
{
    out[2] = term(p->aa, a[1] * a[1]) + term(p->ab, 2 * a[1] * b[1]) + term(p->bb, b[1] * b[1]) +
             term(p->a, a[2]) + term(p->b, b[2]);
    out[1] = term(p->a, a[1]) + term(p->b, b[1]);
    out[0] = p->f;
}

static void put_jet(double value, double first, double second, double out[3])
{
    out[0] = value;
    out[1] = first;
    out[2] = second;
}

/// out = (a + sign b), jet by jet.
static void add_jet(const double a[3], double sign, const double b[3], double out[3])
{
    put_jet(a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2], out);
}

static void run_jet(const trm_expression *code, const double (*x)[3],
                    const trm_switching_mode *mode, behind *again, double *workspace,
                    double (*g)[3])
{
    static const double nothing[3] = {0, 0, 0}; // what functions of one argument ignore
    double(*const w)[3] = (double(*)[3])workspace;
    for (int k = 0; k < code->count; k++) {
        const trm_instruction *in = &code->tape[k];
        const double *a = w[in->from[0]], *b = w[in->from[1]];
        trm_partials p;
        switch (in->op) {
        case TRM_OP_CONSTANT:
            put_jet(in->value, 0, 0, w[k]);
            break;
        case TRM_OP_VARIABLE:
            memcpy(w[k], x[in->index], sizeof w[k]);
            break;
        case TRM_OP_SELECT:
            memcpy(w[k], a[0] != 0 ? b : w[in->from[2]], sizeof w[k]);
            if (isnan(a[0])) {
                put_jet(NAN, NAN, NAN, w[k]);
            }
            break;
        case TRM_OP_ADD:
            add_jet(a, 1, b, w[k]);
            break;
        case TRM_OP_SUBTRACT:
            add_jet(a, -1, b, w[k]);
            break;
        case TRM_OP_MULTIPLY:
            put_jet(a[0] * b[0], b[0] * a[1] + a[0] * b[1],
                    2 * a[1] * b[1] + b[0] * a[2] + a[0] * b[2], w[k]);
            break;
        default:
            b = trm_op_takes_two(in->op) ? b : nothing;
            if (g && trm_op_is_switching(in->op)) {
                p = trm_operation_switching(in, a[0], b[0]);
                chain(&p, a, b, g[in->index]);
            }
            p = trm_operation_partials(code, in, argument(code, in, a[0], b[0], again), b[0], mode);
            chain(&p, a, b, w[k]);
        }
    }
}

void trm_expression_jet_in(const trm_expression *code, const double (*x)[3],
                           const trm_switching_mode *mode, double *workspace, double out[3])
{
    behind again = {.mode = mode};
    const double *last = workspace + 3 * (code->count - 1);
    run_jet(code, x, mode, NULL, workspace, NULL);
    if (mode && isnan(last[0])) {
        run_jet(code, x, mode, &again, workspace, NULL);
    }
    memcpy(out, last, 3 * sizeof *out);
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
    rounded *const w = (rounded *)(void *)workspace;
    for (int k = 0; k < code->count; k++) {
        const trm_instruction *in = &code->tape[k];
        const rounded a = w[in->from[0]], b = w[in->from[1]];
        if (in->op == TRM_OP_CONSTANT || in->op == TRM_OP_VARIABLE) {
            const double value = in->op == TRM_OP_CONSTANT ? in->value : x[in->index];
            w[k] = (rounded){value, DBL_EPSILON * fabs(value)};
        } else if (in->op == TRM_OP_SELECT) {
            w[k] = a.value != 0 ? b : w[in->from[2]];
        } else {
            const rounded second = trm_op_takes_two(in->op) ? b : (rounded){0, 0};
            trm_partials p;
            if (trm_op_is_switching(in->op)) {
                p = trm_operation_switching(in, a.value, second.value);
                error[in->index] = rounding_of(&p, a, second).error;
            }
            p = trm_operation_partials(code, in, a.value, second.value, NULL);
            w[k] = rounding_of(&p, a, second);
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
    rounded_jet *const w = (rounded_jet *)(void *)workspace;
    for (int k = 0; k < code->count; k++) {
        const trm_instruction *in = &code->tape[k];
        const rounded_jet *a = &w[in->from[0]];
        if (in->op == TRM_OP_CONSTANT) {
            w[k] = (rounded_jet){{in->value}, {DBL_EPSILON * fabs(in->value)}};
        } else if (in->op == TRM_OP_VARIABLE) {
            w[k] = nothing;
            memcpy(w[k].f, x[in->index], sizeof w[k].f);
        } else if (in->op == TRM_OP_SELECT) {
            w[k] = w[in->from[a->f[0] != 0 ? 1 : 2]];
        } else {
            rounded_jet b = trm_op_takes_two(in->op) ? w[in->from[1]] : nothing;
            if (in->op == TRM_OP_POWER && b.f[1] == 0 && b.f[2] == 0) {
                memset(b.error, 0, sizeof b.error); // of 0^2.5 the derivative by 2.5 is no number
            }
            const trm_partials p = trm_operation_partials(code, in, a->f[0], b.f[0], mode);
            w[k] = jet_rounding_of(&p, a, &b);
        }
    }
    memcpy(error, w[code->count - 1].error, 3 * sizeof *error);
}

// ---------------------------------------------------------------------------------------- gradient

/// The adjoints of the arguments of instruction k grow by what they have of its own, w.
static void give_back(const trm_expression *code, int k, const trm_switching_mode *mode,
                      const double *value, double w, double *adjoint)
{
    const trm_instruction *in = &code->tape[k];
    const int a = in->from[0], b = in->from[1];
    double slope[2];
    switch (in->op) {
    case TRM_OP_SELECT:
        adjoint[in->from[value[a] != 0 ? 1 : 2]] += w;
        break;
    case TRM_OP_ADD:
        adjoint[a] += w;
        adjoint[b] += w;
        break;
    case TRM_OP_SUBTRACT:
        adjoint[a] += w;
        adjoint[b] -= w;
        break;
    case TRM_OP_MULTIPLY:
        adjoint[a] += w * value[b];
        adjoint[b] += w * value[a];
        break;
    default:
        trm_operation_slopes(code, in, value[a], value[b], value[k], mode, slope);
        adjoint[a] += term(w, slope[0]);
        if (trm_op_takes_two(in->op)) {
            adjoint[b] += term(w, slope[1]);
        }
    }
}

/// Behind a run: the gradient. Returns nonzero where all of it is finite.
static int run_back(const trm_expression *code, const trm_switching_mode *mode, const double *value,
                    double *adjoint, double *gradient)
{
    const int n = code->variables;
    double all = value[code->count - 1];
    memset(adjoint, 0, (size_t)code->count * sizeof *adjoint);
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    adjoint[code->count - 1] = 1;
    for (int k = code->count - 1; k >= 0; k--) {
        const int op = code->tape[k].op;
        if (op == TRM_OP_VARIABLE) {
            gradient[code->tape[k].index] = adjoint[k];
            all += adjoint[k];
        } else if (op != TRM_OP_CONSTANT && adjoint[k] != 0) {
            give_back(code, k, mode, value, adjoint[k], adjoint);
        }
    }
    return isfinite(all);
}

/// A run along each variable.
static void each_alone(const trm_expression *code, const double *x, const trm_switching_mode *mode,
                       double *workspace, double *gradient)
{
    double(*const curve)[3] = (double(*)[3])(workspace + 3 * code->count), jet[3];
    for (int i = 0; i < code->variables; i++) {
        for (int j = 0; j < code->variables; j++) {
            put_jet(x[j], j == i, 0, curve[j]);
        }
        trm_expression_jet_in(code, (const double(*)[3])curve, mode, workspace, jet);
        gradient[i] = jet[1];
    }
}

double trm_expression_gradient_in(const trm_expression *code, const double *x,
                                  const trm_switching_mode *mode, double *workspace,
                                  double *gradient)
{
    const double value = run(code, x, mode, NULL, workspace, NULL);
    if (run_back(code, mode, workspace, workspace + code->count, gradient)) {
        return value;
    }
    each_alone(code, x, mode, workspace, gradient);
    return trm_expression_value_in(code, x, mode, workspace);
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
    return 3 * (code->count + code->variables);
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
    const trm_instruction *const at = &code->tape[trm_tape_switching(code, k)->at];
    for (int i = 0; i < 2; i++) {
        const trm_instruction *in = &code->tape[at->from[i]];
        const int taken = i < trm_op_operands(at->op);
        arguments[i] = taken && in->op == TRM_OP_VARIABLE ? in->index : -1;
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
