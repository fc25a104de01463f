// One operation: its value, its partial derivatives, and where it changes its mode.
#include "base/expression/expression_tape.h"
#include "base/pi.h"

#include <math.h>

// ----------------------------------------------------------------------- smooth operations

static double integer_power(double a, int n)
{
    double p = 1;
    for (int i = 0; i < n; i++) {
        p *= a;
    }
    return p;
}

/// a/hypot(a, b), also where squares of a and b leave the numbers.
static double direction_cosine(double a, double b)
{
    const double size = fmax(fabs(a), fabs(b));
    if (size == 0) {
        return a + b; // 0, and no number where either is none
    }
    const double x = a / size, y = b / size;
    return x / sqrt(x * x + y * y);
}

static double apply(const trm_instruction *in, double a, double b)
{
    switch ((trm_opcode)in->op) {
    case TRM_OP_NEGATE:
        return -a;
    case TRM_OP_RANGE:
        return a < 0 ? NAN : a;
    case TRM_OP_INTEGER_POWER:
        return integer_power(a, in->index);
    case TRM_OP_SIN:
        return sin(a);
    case TRM_OP_COS:
        return cos(a);
    case TRM_OP_TAN:
        return tan(a);
    case TRM_OP_ASIN:
        return asin(a);
    case TRM_OP_ACOS:
        return acos(a);
    case TRM_OP_ATAN:
        return atan(a);
    case TRM_OP_SINH:
        return sinh(a);
    case TRM_OP_COSH:
        return cosh(a);
    case TRM_OP_TANH:
        return tanh(a);
    case TRM_OP_SQRT:
        return sqrt(a);
    case TRM_OP_EXP:
        return exp(a);
    case TRM_OP_LOG:
        return log(a);
    case TRM_OP_NOT:
        return 1 - a;
    case TRM_OP_ADD:
        return a + b;
    case TRM_OP_SUBTRACT:
        return a - b;
    case TRM_OP_MULTIPLY:
        return a * b;
    case TRM_OP_DIVIDE:
        return a / b;
    case TRM_OP_POWER:
        return pow(a, b);
    case TRM_OP_HYPOT:
        return hypot(a, b);
    case TRM_OP_DIRCOS:
        return direction_cosine(a, b);
    case TRM_OP_AND:
        return a * b;
    case TRM_OP_OR:
        return a + b - a * b;
    default:
        return NAN;
    }
}

/// factor * a^exponent, zero when the factor is: d/dx x^1 has no x^-1 to blow up at 0.
static double monomial(double factor, double a, double exponent)
{
    return factor == 0 ? 0 : factor * pow(a, exponent);
}

/// The angle of the vector (x = b, y = a); r^2 = a^2 + b^2.
static trm_partials atan2_partials(double a, double b)
{
    const double r = hypot(a, b), c = b / r / r, s = a / r / r;
    return (trm_partials){
        .f = atan2(a, b), .a = c, .b = -s, .aa = -2 * c * s, .ab = s * s - c * c, .bb = 2 * c * s};
}

/// c asin a, c = +-1; 1 - a^2 as a product keeps its digits near a = +-1.
static inline trm_partials of_asin(double c, double a, double f)
{
    const double s = (1 - a) * (1 + a);
    return (trm_partials){.f = f, .a = c / sqrt(s), .aa = c * a / (s * sqrt(s))};
}

/// a^b = exp(b log a).
static inline trm_partials of_power(double a, double b, double f, int second)
{
    const double log_a = log(a), d = second ? monomial(1, a, b - 1) : 0;
    return (trm_partials){.f = f,
                          .a = monomial(b, a, b - 1),
                          .b = f * log_a,
                          .aa = second ? monomial(b * (b - 1), a, b - 2) : 0,
                          .ab = d * (1 + b * log_a),
                          .bb = f * log_a * log_a};
}

static inline trm_partials of_hypot(double a, double b, double f)
{
    const double c = a / f, s = b / f;
    return (trm_partials){
        .f = f, .a = c, .b = s, .aa = s * s / f, .ab = -c * s / f, .bb = c * c / f};
}

/// c = a/r: dc/da = s^2/r, dc/db = -c s/r with s = b/r.
static inline trm_partials of_dircos(double a, double b, double f)
{
    const double r = hypot(a, b), c = a / r, s = b / r;
    return (trm_partials){.f = f,
                          .a = s * s / r,
                          .b = -c * s / r,
                          .aa = -3 * c * s * s / (r * r),
                          .ab = s * (2 * c * c - s * s) / (r * r),
                          .bb = c * (2 * s * s - c * c) / (r * r)};
}

/// Partial derivatives of f(a), whose value is known; those of second order where `second`.
static inline trm_partials partials_of_one(const trm_instruction *in, double a, double f,
                                           int second)
{
    trm_partials p = {.f = f, .a = in->op == TRM_OP_RANGE};
    const int n = in->index;
    switch ((trm_opcode)in->op) {
    case TRM_OP_NEGATE:
        p.a = -1;
        break;
    case TRM_OP_INTEGER_POWER:
        p.a = n * integer_power(a, n - 1);
        p.aa = second && n > 1 ? n * (n - 1) * integer_power(a, n - 2) : 0;
        break;
    case TRM_OP_SIN:
        p.a = cos(a);
        p.aa = -f;
        break;
    case TRM_OP_COS:
        p.a = -sin(a);
        p.aa = -f;
        break;
    case TRM_OP_TAN:
        p.a = 1 + f * f;
        p.aa = 2 * f * (1 + f * f);
        break;
    case TRM_OP_ASIN:
        return of_asin(1, a, f);
    case TRM_OP_ACOS:
        return of_asin(-1, a, f);
    case TRM_OP_ATAN:
        p.a = 1 / (1 + a * a);
        p.aa = -2 * a * p.a * p.a;
        break;
    case TRM_OP_SINH:
        p.a = cosh(a);
        p.aa = f;
        break;
    case TRM_OP_COSH:
        p.a = sinh(a);
        p.aa = f;
        break;
    case TRM_OP_TANH:
        p.a = (1 - f) * (1 + f);
        p.aa = -2 * f * (1 - f) * (1 + f);
        break;
    case TRM_OP_SQRT:
        p.a = 0.5 / f;
        p.aa = -0.25 / (a * f);
        break;
    case TRM_OP_EXP:
        p.a = p.aa = f;
        break;
    case TRM_OP_LOG:
        p.a = 1 / a;
        p.aa = -1 / a / a;
        break;
    default: // not: constant within a mode
        break;
    }
    return p;
}

/// Of f(a, b) likewise.
static inline trm_partials smooth_partials(const trm_instruction *in, double a, double b, double f,
                                           int second)
{
    switch ((trm_opcode)in->op) {
    case TRM_OP_ADD:
        return (trm_partials){.f = f, .a = 1, .b = 1};
    case TRM_OP_SUBTRACT:
        return (trm_partials){.f = f, .a = 1, .b = -1};
    case TRM_OP_MULTIPLY:
        return (trm_partials){.f = f, .a = b, .b = a, .ab = 1};
    case TRM_OP_DIVIDE:
        return (trm_partials){
            .f = f, .a = 1 / b, .b = -f / b, .ab = -1 / b / b, .bb = 2 * f / b / b};
    case TRM_OP_POWER:
        return of_power(a, b, f, second);
    case TRM_OP_HYPOT:
        return of_hypot(a, b, f);
    case TRM_OP_DIRCOS:
        return of_dircos(a, b, f);
    default:
        return partials_of_one(in, a, f, second); // and, or: constant within a mode
    }
}

// ------------------------------------------------------------------------------------- switching
// functions

/// Comparisons go by the sign of a - b; no product of theirs overflows,
/// and two equal infinities are equal.
static double difference(double a, double b)
{
    return a == b ? 0 : a - b;
}

/// Beyond pi a mode goes on. That is more than a quarter of a turn behind the end of the other one,
/// where stages of a step may be.
static trm_partials angle_partials(double a, double b, trm_switching_mode mode)
{
    trm_partials p = atan2_partials(a, b);
    p.f += mode > 0 && p.f < -0.75 * TRM_PI  ? 2 * TRM_PI
           : mode < 0 && p.f > 0.75 * TRM_PI ? -2 * TRM_PI
                                             : 0;
    return p;
}

trm_partials trm_operation_switching(const trm_instruction *in, double a, double b)
{
    if (in->op == TRM_OP_ATAN2) {
        return atan2_partials(a, b);
    }
    if (in->op == TRM_OP_MOD) {
        const double f = a / b;
        return (trm_partials){f, 1 / b, -f / b, 0, -1 / b / b, 2 * f / b / b};
    }
    return trm_op_takes_two(in->op) ? (trm_partials){.f = difference(a, b), .a = 1, .b = -1}
                                    : (trm_partials){.f = a, .a = 1};
}

/// s^3 (10 - 15 s + 6 s^2), from 0 at 0 to 1 at 1, level and without curvature at both: above its
/// middle as 1 less the same of 1 - s, since rounding of the sum would go through 1 some 1e10 times
/// before s does.
static trm_partials smooth_step(double s, trm_switching_mode mode)
{
    if (mode != 1) {
        return (trm_partials){.f = mode > 1};
    }
    const double x = s > 0.5 ? 1 - s : s, part = x * x * x * (10 + x * (6 * x - 15));
    return (trm_partials){.f = s > 0.5 ? 1 - part : part,
                          .a = 30 * s * s * (1 - s) * (1 - s),
                          .aa = 60 * s * (1 - s) * (1 - 2 * s)};
}

static trm_partials table_partials(const trm_table *table, double x, trm_switching_mode piece)
{
    double y[3];
    trm_table_value(table, piece, x, y);
    return (trm_partials){.f = y[0], .a = y[1], .aa = y[2]};
}

int trm_op_holds(int op, trm_switching_mode mode)
{
    switch (op) {
    case TRM_OP_LESS:
        return mode < 0;
    case TRM_OP_LESS_EQUAL:
        return mode <= 0;
    case TRM_OP_GREATER:
        return mode > 0;
    case TRM_OP_GREATER_EQUAL:
        return mode >= 0;
    case TRM_OP_EQUAL:
        return mode == 0;
    default:
        return mode != 0;
    }
}

/// An operation with a switching function, in a mode.
static trm_partials in_mode(const trm_instruction *in, const trm_table *table, double a, double b,
                            trm_switching_mode mode)
{
    if (mode == TRM_SWITCHING_MODE_NONE) { // of min and max too: a bad argument is never hidden
        return (trm_partials){NAN, NAN, NAN, NAN, NAN, NAN};
    }
    switch ((trm_opcode)in->op) {
    case TRM_OP_ABS: // its slope at 0 counts as 0
        return (trm_partials){.f = mode ? (double)mode * a : fabs(a), .a = (double)mode};
    case TRM_OP_SIGN:
    case TRM_OP_FLOOR:
    case TRM_OP_CEIL:
        return (trm_partials){.f = (double)mode};
    case TRM_OP_STEP:
        return smooth_step(a, mode);
    case TRM_OP_TABLE:
        return table_partials(table, a, mode);
    case TRM_OP_MIN:
    case TRM_OP_MAX: {
        const int first = in->op == TRM_OP_MIN ? mode < 0 : mode > 0;
        return first ? (trm_partials){.f = a, .a = 1} : (trm_partials){.f = b, .b = 1};
    }
    case TRM_OP_ATAN2:
        return angle_partials(a, b, mode);
    case TRM_OP_MOD:
        return (trm_partials){.f = a - (double)mode * b, .a = 1, .b = -(double)mode};
    default:
        return (trm_partials){.f = trm_op_holds(in->op, mode)};
    }
}

trm_switching_kind trm_operation_kind(int op)
{
    switch (op) {
    case TRM_OP_FLOOR:
    case TRM_OP_MOD:
        return TRM_SWITCHING_FLOOR;
    case TRM_OP_CEIL:
        return TRM_SWITCHING_CEIL;
    case TRM_OP_STEP:
        return TRM_SWITCHING_STEP;
    case TRM_OP_TABLE:
        return TRM_SWITCHING_TABLE;
    case TRM_OP_ATAN2:
        return TRM_SWITCHING_ANGLE;
    default:
        return TRM_SWITCHING_SIGN;
    }
}

static trm_switching_mode mode_of(trm_switching_kind kind, const trm_table *table, double g)
{
    static const double largest = 4503599627370496.0; // 2^52: a double counts all integers up to it
    if (isnan(g)) {
        return TRM_SWITCHING_MODE_NONE;
    }
    switch (kind) {
    case TRM_SWITCHING_FLOOR:
        return fabs(g) < largest ? (trm_switching_mode)floor(g) : TRM_SWITCHING_MODE_NONE;
    case TRM_SWITCHING_CEIL:
        return fabs(g) < largest ? (trm_switching_mode)ceil(g) : TRM_SWITCHING_MODE_NONE;
    case TRM_SWITCHING_STEP:
        return (g > 0) + (g >= 1);
    case TRM_SWITCHING_TABLE:
        return trm_table_piece(table, g);
    case TRM_SWITCHING_ANGLE:
        return g < 0 ? -1 : 1;
    default:
        return (g > 0) - (g < 0);
    }
}

static const trm_table *table_of(const trm_expression *code, const trm_instruction *in)
{
    return in->op == TRM_OP_TABLE ? trm_tape_table(code, in) : NULL;
}

static trm_partials switched(const trm_expression *code, const trm_instruction *in, double a,
                             double b, const trm_switching_mode *mode)
{
    const trm_table *table = table_of(code, in);
    trm_switching_mode held = mode ? mode[in->index] : TRM_BRANCH_FREE;
    if (held == TRM_BRANCH_FREE) {
        held = mode_of(trm_operation_kind(in->op), table, trm_operation_switching(in, a, b).f);
    }
    return in_mode(in, table, a, b, held);
}

trm_switching_mode trm_switching_mode_at(const trm_expression *code, int k, double g)
{
    const trm_switching_record *record = trm_tape_switching(code, k);
    return mode_of(record->said.kind, table_of(code, &code->tape[record->at]), g);
}

void trm_switching_mode_interval(const trm_expression *code, int k, trm_switching_mode mode,
                                 double *lo, double *hi)
{
    const double quarter = TRM_PI / 2; // of a turn
    const trm_switching_record *record = trm_tape_switching(code, k);
    const double n = (double)mode;
    if (mode == TRM_BRANCH_FREE) {
        *lo = -INFINITY;
        *hi = INFINITY;
        return;
    }
    switch (record->said.kind) {
    case TRM_SWITCHING_FLOOR:
        *lo = n;
        *hi = n + 1;
        break;
    case TRM_SWITCHING_CEIL:
        *lo = n - 1;
        *hi = n;
        break;
    case TRM_SWITCHING_STEP:
        *lo = mode < 1 ? -INFINITY : n - 1;
        *hi = mode > 1 ? INFINITY : n;
        break;
    case TRM_SWITCHING_TABLE:
        trm_table_interval(table_of(code, &code->tape[record->at]), mode, lo, hi);
        break;
    case TRM_SWITCHING_ANGLE:
        *lo = mode < 0 ? -INFINITY : -quarter;
        *hi = mode > 0 ? INFINITY : quarter;
        break;
    case TRM_SWITCHING_SIGN:
        *lo = mode < 0 ? -INFINITY : 0;
        *hi = mode > 0 ? INFINITY : 0;
        break;
    }
}

// ---------------------------------------------------------------------------------------- domains

double trm_operation_in_domain(const trm_instruction *in, double a, double b)
{
    switch ((trm_opcode)in->op) {
    case TRM_OP_RANGE:
    case TRM_OP_SQRT:
    case TRM_OP_LOG:
        return a < 0 ? 0 : a;
    case TRM_OP_POWER:
        return a < 0 && floor(b) != b ? 0 : a;
    case TRM_OP_ASIN:
    case TRM_OP_ACOS:
        return a < -1 ? -1 : a > 1 ? 1 : a;
    default:
        return a;
    }
}

// ----------------------------------------------------------------------------------- any of them

double trm_operation_constant(const trm_instruction *in, const trm_table *table, double a, double b)
{
    if (!trm_op_is_switching(in->op)) {
        return apply(in, a, b);
    }
    const double g = trm_operation_switching(in, a, b).f;
    return in_mode(in, table, a, b, mode_of(trm_operation_kind(in->op), table, g)).f;
}

double trm_operation_value(const trm_expression *code, const trm_instruction *in, double a,
                           double b, const trm_switching_mode *mode)
{
    return trm_op_is_switching(in->op) ? switched(code, in, a, b, mode).f : apply(in, a, b);
}

trm_partials trm_operation_partials(const trm_expression *code, const trm_instruction *in, double a,
                                    double b, const trm_switching_mode *mode)
{
    return trm_op_is_switching(in->op) ? switched(code, in, a, b, mode)
                                       : smooth_partials(in, a, b, apply(in, a, b), 1);
}

void trm_operation_slopes(const trm_expression *code, const trm_instruction *in, double a, double b,
                          double f, const trm_switching_mode *mode, double slope[2])
{
    const trm_partials p = trm_op_is_switching(in->op) ? switched(code, in, a, b, mode)
                                                       : smooth_partials(in, a, b, f, 0);
    slope[0] = p.a;
    slope[1] = p.b;
}
