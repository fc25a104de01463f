// A text becomes a tape for a stack machine: every instruction pushes a constant or a variable, or
// replaces the one or two topmost entries by the result of an operation.
//
// Derivatives. Every operation is written as f(a, b) with its partial derivatives (a function of one
// argument ignores b). Along a curve, with ' = d/ds,
//
//     f'  = f_a a' + f_b b'
//     f'' = f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2 + f_a a'' + f_b b''
//
// and for the gradient f_i = f_a a_i + f_b b_i. A term whose derivative of the argument is zero is
// zero whatever its partial derivative: x + sqrt(y) has de/dx = 1 at y = 0.
#include "scenes/expression.h"

#include "engine/status.h"
#include "scenes/suggest.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LENGTH = 16000, // bytes of text
    MAX_NESTING = 100,  // parentheses and powers inside each other: bounds the recursion
    MAX_NUMBER = 100,   // characters of one number
    MAX_POWER = 8       // integer exponents up to this one are multiplied out
};

typedef enum opcode {
    OP_CONSTANT,
    OP_VARIABLE,
    // one argument
    OP_NEGATE,
    OP_INTEGER_POWER,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_SQRT,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    // two arguments
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_ATAN2,
    OP_MIN,
    OP_MAX,
    OP_HYPOT
} opcode;

typedef struct instruction {
    int op;
    int index;    // variable, or integer exponent
    double value; // constant
} instruction;

struct trm_expression {
    size_t bytes;
    int count;     // instructions
    int depth;     // entries of the stack at most
    int variables; // 1 + largest index
    instruction tape[];
};

typedef struct function {
    const char *name;
    int op;
    int arguments; // -2: two or more
} function;

static const function functions[] = {
    {"sin", OP_SIN, 1},     {"cos", OP_COS, 1},   {"tan", OP_TAN, 1},     {"asin", OP_ASIN, 1},
    {"acos", OP_ACOS, 1},   {"atan", OP_ATAN, 1}, {"atan2", OP_ATAN2, 2}, {"sinh", OP_SINH, 1},
    {"cosh", OP_COSH, 1},   {"tanh", OP_TANH, 1}, {"sqrt", OP_SQRT, 1},   {"exp", OP_EXP, 1},
    {"log", OP_LOG, 1},     {"abs", OP_ABS, 1},   {"min", OP_MIN, -2},    {"max", OP_MAX, -2},
    {"hypot", OP_HYPOT, 2},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static const double pi = 3.14159265358979323846;

// ------------------------------------------------------------------------------ one operation

/// f and its partial derivatives.
typedef struct partials {
    double f, a, b, aa, ab, bb;
} partials;

static double integer_power(double a, int n)
{
    double p = 1;
    for (int i = 0; i < n; i++) {
        p *= a;
    }
    return p;
}

/// NaN wins, so that a bad argument is never hidden by a good one.
static int takes_first(int op, double a, double b)
{
    return isnan(a) || (op == OP_MIN ? a < b : a > b);
}

static double apply(const instruction *in, double a, double b)
{
    switch ((opcode)in->op) {
    case OP_CONSTANT:
    case OP_VARIABLE:
        break;
    case OP_NEGATE:
        return -a;
    case OP_INTEGER_POWER:
        return integer_power(a, in->index);
    case OP_SIN:
        return sin(a);
    case OP_COS:
        return cos(a);
    case OP_TAN:
        return tan(a);
    case OP_ASIN:
        return asin(a);
    case OP_ACOS:
        return acos(a);
    case OP_ATAN:
        return atan(a);
    case OP_SINH:
        return sinh(a);
    case OP_COSH:
        return cosh(a);
    case OP_TANH:
        return tanh(a);
    case OP_SQRT:
        return sqrt(a);
    case OP_EXP:
        return exp(a);
    case OP_LOG:
        return log(a);
    case OP_ABS:
        return fabs(a);
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return a / b;
    case OP_POWER:
        return pow(a, b);
    case OP_ATAN2:
        return atan2(a, b);
    case OP_MIN:
    case OP_MAX:
        return takes_first(in->op, a, b) ? a : b;
    case OP_HYPOT:
        return hypot(a, b);
    }
    return NAN;
}

static partials one_argument(double f, double first, double second)
{
    return (partials){.f = f, .a = first, .aa = second};
}

/// factor * a^exponent, zero when the factor is: d/dx x^1 has no x^-1 to blow up at 0.
static double monomial(double factor, double a, double exponent)
{
    return factor == 0 ? 0 : factor * pow(a, exponent);
}

/// a^b = exp(b log a).
static partials power_partials(double a, double b)
{
    const double f = pow(a, b), log_a = log(a), first = monomial(1, a, b - 1);
    return (partials){.f = f,
                      .a = monomial(b, a, b - 1),
                      .b = f * log_a,
                      .aa = monomial(b * (b - 1), a, b - 2),
                      .ab = first * (1 + b * log_a),
                      .bb = f * log_a * log_a};
}

/// The angle of the vector (x = b, y = a); r^2 = a^2 + b^2.
static partials atan2_partials(double a, double b)
{
    const double r = hypot(a, b), c = b / r / r, s = a / r / r;
    return (partials){
        .f = atan2(a, b), .a = c, .b = -s, .aa = -2 * c * s, .ab = s * s - c * c, .bb = 2 * c * s};
}

static partials hypot_partials(double a, double b)
{
    const double r = hypot(a, b), s = a / r, c = b / r;
    return (partials){.f = r, .a = s, .b = c, .aa = c * c / r, .ab = -s * c / r, .bb = s * s / r};
}

static partials differentiate_two(const instruction *in, double a, double b)
{
    switch ((opcode)in->op) {
    case OP_ADD:
        return (partials){.f = a + b, .a = 1, .b = 1};
    case OP_SUBTRACT:
        return (partials){.f = a - b, .a = 1, .b = -1};
    case OP_MULTIPLY:
        return (partials){.f = a * b, .a = b, .b = a, .ab = 1};
    case OP_DIVIDE: {
        const double f = a / b;
        return (partials){.f = f, .a = 1 / b, .b = -f / b, .ab = -1 / b / b, .bb = 2 * f / b / b};
    }
    case OP_POWER:
        return power_partials(a, b);
    case OP_ATAN2:
        return atan2_partials(a, b);
    case OP_HYPOT:
        return hypot_partials(a, b);
    default:
        return takes_first(in->op, a, b) ? (partials){.f = a, .a = 1} : (partials){.f = b, .b = 1};
    }
}

static partials differentiate_one(const instruction *in, double a)
{
    const double f = apply(in, a, 0);
    const int n = in->index;
    switch ((opcode)in->op) {
    case OP_NEGATE:
        return one_argument(f, -1, 0);
    case OP_INTEGER_POWER:
        return one_argument(f, n * integer_power(a, n - 1),
                            n < 2 ? 0 : n * (n - 1) * integer_power(a, n - 2));
    case OP_SIN:
        return one_argument(f, cos(a), -f);
    case OP_COS:
        return one_argument(f, -sin(a), -f);
    case OP_TAN:
        return one_argument(f, 1 + f * f, 2 * f * (1 + f * f));
    case OP_ASIN:
    case OP_ACOS: {
        // 1 - a^2 as a product keeps its digits near a = +-1
        const double square = (1 - a) * (1 + a), sign = in->op == OP_ASIN ? 1 : -1;
        return one_argument(f, sign / sqrt(square), sign * a / (square * sqrt(square)));
    }
    case OP_ATAN: {
        const double d = 1 / (1 + a * a);
        return one_argument(f, d, -2 * a * d * d);
    }
    case OP_SINH:
        return one_argument(f, cosh(a), f);
    case OP_COSH:
        return one_argument(f, sinh(a), f);
    case OP_TANH:
        return one_argument(f, (1 - f) * (1 + f), -2 * f * (1 - f) * (1 + f));
    case OP_SQRT:
        return one_argument(f, 0.5 / f, -0.25 / (a * f));
    case OP_EXP:
        return one_argument(f, f, f);
    case OP_LOG:
        return one_argument(f, 1 / a, -1 / a / a);
    default: // abs; its slope at 0 counts as 0
        return one_argument(f, (a > 0) - (a < 0), 0);
    }
}

static partials differentiate(const instruction *in, double a, double b)
{
    return in->op >= OP_ADD ? differentiate_two(in, a, b) : differentiate_one(in, a);
}

// ---------------------------------------------------------------------------------- evaluation

double trm_expression_value(const trm_expression *code, const double *x, double *workspace)
{
    double *top = workspace; // one behind the topmost entry
    for (const instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        if (in->op == OP_CONSTANT) {
            *top++ = in->value;
        } else if (in->op == OP_VARIABLE) {
            *top++ = x[in->index];
        } else if (in->op >= OP_ADD) {
            top--;
            top[-1] = apply(in, top[-1], top[0]);
        } else {
            top[-1] = apply(in, top[-1], 0);
        }
    }
    return workspace[0];
}

static double term(double partial, double derivative)
{
    return derivative == 0 ? 0 : partial * derivative;
}

static void chain_one(const partials *p, double a[3])
{
    a[2] = term(p->aa, a[1] * a[1]) + term(p->a, a[2]);
    a[1] = term(p->a, a[1]);
    a[0] = p->f;
}

static void chain_two(const partials *p, double a[3], const double b[3])
{
    a[2] = term(p->aa, a[1] * a[1]) + term(p->ab, 2 * a[1] * b[1]) + term(p->bb, b[1] * b[1]) +
           term(p->a, a[2]) + term(p->b, b[2]);
    a[1] = term(p->a, a[1]) + term(p->b, b[1]);
    a[0] = p->f;
}

void trm_expression_jet(const trm_expression *code, const double (*x)[3], double *workspace,
                        double out[3])
{
    double(*top)[3] = (double(*)[3])workspace;
    for (const instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        if (in->op == OP_CONSTANT) {
            memcpy(*top++, (const double[3]){in->value, 0, 0}, sizeof *top);
        } else if (in->op == OP_VARIABLE) {
            memcpy(*top++, x[in->index], sizeof *top);
        } else if (in->op >= OP_ADD) {
            top--;
            const partials p = differentiate(in, top[-1][0], top[0][0]);
            chain_two(&p, top[-1], top[0]);
        } else {
            const partials p = differentiate(in, top[-1][0], 0);
            chain_one(&p, top[-1]);
        }
    }
    memcpy(out, workspace, 3 * sizeof *out);
}

double trm_expression_gradient(const trm_expression *code, const double *x, double *workspace,
                               double *gradient)
{
    const int n = code->variables, width = 1 + n;
    double *top = workspace; // entries are (e, de/dx_0, ..., de/dx_n-1)
    for (const instruction *in = code->tape, *end = in + code->count; in < end; in++) {
        if (in->op <= OP_VARIABLE) {
            memset(top, 0, (size_t)width * sizeof *top);
            top[0] = in->value;
            if (in->op == OP_VARIABLE) {
                top[0] = x[in->index];
                top[1 + in->index] = 1;
            }
            top += width;
            continue;
        }
        const int two = in->op >= OP_ADD;
        top -= two ? width : 0;
        double *a = top - width;
        const partials p = differentiate(in, a[0], two ? top[0] : 0);
        a[0] = p.f;
        for (int i = 1; i <= n; i++) {
            a[i] = term(p.a, a[i]) + (two ? term(p.b, top[i]) : 0);
        }
    }
    memcpy(gradient, workspace + 1, (size_t)n * sizeof *gradient);
    return workspace[0];
}

// ----------------------------------------------------------------------------------------- parser

typedef struct parser {
    const char *text;
    size_t at; // next byte
    int nesting;
    trm_resolve_fn *resolve;
    void *user;
    trm_expression *code;
    int capacity; // instructions that code has room for
    int stack;    // entries on the stack when the tape has run so far
    trm_expression_error *error;
} parser;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static trm_status
refuse(parser *p, size_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->error->column = column;
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
    return TRM_ERR_SYNTAX;
}

static trm_status no_memory(parser *p)
{
    p->error->column = 0;
    snprintf(p->error->message, sizeof p->error->message, "out of memory");
    return TRM_ERR_MEMORY;
}

/// The next byte that is no space.
static char peek(parser *p)
{
    while (strchr(" \t\r\n", p->text[p->at]) && p->text[p->at]) {
        p->at++;
    }
    return p->text[p->at];
}

static int starts_with_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    const char next = strncmp(text, word, n) ? 'a' : text[n];
    return !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_');
}

/// Whether the text begins with a unit; degrees apart.
static int is_unit(const char *text)
{
    static const char *const units[] = {"kg", "g",  "m",  "mm", "cm",  "km",     "s",
                                        "ms", "N",  "kN", "Nm", "J",   "W",      "Hz",
                                        "Pa", "kW", "ft", "lb", "rad", "radian", "radians"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (starts_with_word(text, units[i])) {
            return 1;
        }
    }
    return 0;
}

/// What is probably meant where an operator is missing: 20 deg, 1 kg, tip.x = p.
static const char *meant(const parser *p, char *out, size_t size)
{
    enum { MOST = 40 };
    const char *rest = p->text + p->at;
    size_t before = p->at;
    while (before > 0 && p->text[before - 1] == ' ') {
        before--;
    }
    out[0] = '\0';
    if (!strncmp(rest, "\xc2\xb0", 2) || starts_with_word(rest, "deg") ||
        starts_with_word(rest, "degrees")) {
        snprintf(out, size, before <= MOST ? "; write %.*s*deg" : "; write *deg",
                 before <= MOST ? (int)before : 0, p->text);
    } else if (is_unit(rest)) {
        snprintf(out, size, "; units are SI, write the number alone");
    } else if (rest[0] == '=') {
        rest += strspn(rest, "= ");
        const int sum = strpbrk(rest, "+-") != NULL;
        if (before + strlen(rest) <= MOST && *rest) {
            snprintf(out, size, "; move all to one side: %.*s - %s%s%s", (int)before, p->text,
                     sum ? "(" : "", rest, sum ? ")" : "");
        } else {
            snprintf(out, size, "; move all to one side");
        }
    }
    return out;
}

static trm_status expected(parser *p, const char *what)
{
    const unsigned char c = (unsigned char)peek(p);
    char hint[96] = "";
    if (!strncmp(what, "an operator", 11)) {
        meant(p, hint, sizeof hint);
    }
    if (c == '\0') {
        return refuse(p, p->at, "expected %s, got the end of the expression", what);
    }
    if (c < 0x20 || c >= 0x7f) {
        return refuse(p, p->at, "expected %s, got the byte 0x%02x%s", what, c, hint);
    }
    return refuse(p, p->at, "expected %s, got '%c'%s", what, c, hint);
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Letters of ASCII whatever the locale says.
static int is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_name_part(char c)
{
    return is_name_start(c) || is_digit(c) || c == '.';
}

static size_t block_bytes(int instructions)
{
    return sizeof(trm_expression) + (size_t)instructions * sizeof(instruction);
}

static trm_status append(parser *p, instruction in)
{
    if (p->code->count == p->capacity) {
        trm_expression *grown = realloc(p->code, block_bytes(2 * p->capacity));
        if (!grown) {
            return no_memory(p);
        }
        p->code = grown;
        p->capacity *= 2;
    }
    p->code->tape[p->code->count++] = in;
    return TRM_OK;
}

static trm_status push(parser *p, instruction in)
{
    p->stack++;
    if (p->stack > p->code->depth) {
        p->code->depth = p->stack;
    }
    return append(p, in);
}

static trm_status push_constant(parser *p, double value)
{
    return push(p, (instruction){.op = OP_CONSTANT, .value = value});
}

/// The first operation on constants whose value is none, for the caller's message: "acos of -14.2".
static void note_domain(parser *p, const instruction *in, double a, double b, double value)
{
    const char *name = in->op == OP_DIVIDE ? "a quotient" : in->op == OP_POWER ? "a power" : NULL;
    if (isfinite(value) || !isfinite(a) || !isfinite(b) || p->error->message[0]) {
        return;
    }
    for (int i = 0; i < FUNCTIONS && !name; i++) {
        name = functions[i].op == in->op ? functions[i].name : NULL;
    }
    if (name && in->op >= OP_ADD) {
        snprintf(p->error->message, sizeof p->error->message, "%s of %.6g and %.6g", name, a, b);
    } else if (name) {
        snprintf(p->error->message, sizeof p->error->message, "%s of %.6g", name, a);
    }
}

static trm_status emit_one(parser *p, int op, int index)
{
    const instruction in = {.op = op, .index = index};
    instruction *last = &p->code->tape[p->code->count - 1];
    if (last->op == OP_CONSTANT) {
        const double a = last->value;
        last->value = apply(&in, a, 0);
        note_domain(p, &in, a, 0, last->value);
        return TRM_OK;
    }
    return append(p, in);
}

static trm_status emit_two(parser *p, int op)
{
    const instruction in = {.op = op};
    instruction *last = &p->code->tape[p->code->count - 1];
    p->stack--;
    if (last->op == OP_CONSTANT && last[-1].op == OP_CONSTANT) {
        const double a = last[-1].value, b = last->value;
        last[-1].value = apply(&in, a, b);
        note_domain(p, &in, a, b, last[-1].value);
        p->code->count--;
        return TRM_OK;
    }
    if (op == OP_POWER && last->op == OP_CONSTANT && last->value == floor(last->value) &&
        last->value >= 1 && last->value <= MAX_POWER) {
        const int exponent = (int)last->value;
        p->code->count--;
        return emit_one(p, OP_INTEGER_POWER, exponent);
    }
    return append(p, in);
}

static trm_status parse_sum(parser *p);

static size_t skip_digits(const char *text, size_t at)
{
    while (is_digit(text[at])) {
        at++;
    }
    return at;
}

/// The byte behind the number that starts at `at`: 12  1.5  .5  1.  1e-3
static size_t number_end(const char *text, size_t at)
{
    size_t end = skip_digits(text, at);
    if (text[end] == '.') {
        end = skip_digits(text, end + 1);
    }
    if (text[end] == 'e' || text[end] == 'E') {
        const size_t sign = text[end + 1] == '+' || text[end + 1] == '-';
        const size_t exponent = skip_digits(text, end + 1 + sign);
        end = exponent > end + 1 + sign ? exponent : end;
    }
    return end;
}

static trm_status parse_number(parser *p)
{
    const size_t start = p->at, length = number_end(p->text, start) - start;
    if (length > MAX_NUMBER) {
        return refuse(p, start, "a number may have %d characters at most", MAX_NUMBER);
    }
    char copy[MAX_NUMBER + 1];
    memcpy(copy, p->text + start, length);
    copy[length] = '\0';
    // strtod wants the decimal point of the process's locale
    char *point = strchr(copy, '.');
    if (point) {
        *point = localeconv()->decimal_point[0];
    }
    const double value = strtod(copy, NULL);
    if (!isfinite(value)) {
        return refuse(p, start, "%.*s is too large for a number", (int)length, p->text + start);
    }
    p->at += length;
    return push_constant(p, value);
}

static const function *find_function(const char *name, size_t length)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length)) {
            return &functions[i];
        }
    }
    return NULL;
}

int trm_expression_is_function(const char *name)
{
    return find_function(name, strlen(name)) != NULL;
}

const char *trm_expression_function(int index)
{
    return index < FUNCTIONS ? functions[index].name : NULL;
}

static trm_status unknown_function(parser *p, size_t start, size_t length)
{
    trm_suggestion near = trm_suggest(p->text + start, length);
    for (int i = 0; i < FUNCTIONS; i++) {
        trm_suggest_consider(&near, functions[i].name);
    }
    char hint[80];
    return refuse(p, start, "unknown function \"%.*s\"%s", length > 40 ? 40 : (int)length,
                  p->text + start, trm_suggest_text(&near, hint, sizeof hint));
}

static trm_status check_arguments(parser *p, const function *f, size_t start, int given)
{
    if (f->arguments < 0 ? given >= -f->arguments : given == f->arguments) {
        return TRM_OK;
    }
    return refuse(p, start, "%s takes %s, got %d", f->name,
                  f->arguments == 1   ? "1 argument"
                  : f->arguments == 2 ? "2 arguments"
                                      : "2 or more arguments",
                  given);
}

/// At the opening parenthesis of a call. min and max of several arguments are folded from the left.
static trm_status parse_call(parser *p, size_t start, size_t length)
{
    const function *f = find_function(p->text + start, length);
    if (!f) {
        return unknown_function(p, start, length);
    }
    int given = 0;
    do {
        p->at++;
        TRM_TRY(parse_sum(p));
        given++;
        if (f->arguments < 0 && given >= 2) {
            TRM_TRY(emit_two(p, f->op));
        }
    } while (peek(p) == ',');
    if (peek(p) != ')') {
        return expected(p, "',' or ')'");
    }
    p->at++;
    TRM_TRY(check_arguments(p, f, start, given));
    if (f->arguments > 0) {
        return f->arguments == 2 ? emit_two(p, f->op) : emit_one(p, f->op, 0);
    }
    return TRM_OK;
}

static int is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

static trm_status parse_name(parser *p)
{
    const size_t start = p->at;
    while (is_name_part(p->text[p->at])) {
        p->at++;
    }
    const size_t length = p->at - start;
    const char *name = p->text + start;
    if (peek(p) == '(') {
        return parse_call(p, start, length);
    }
    if (is_word(name, length, "pi")) {
        return push_constant(p, pi);
    }
    if (is_word(name, length, "deg")) {
        return push_constant(p, pi / 180);
    }
    if (find_function(name, length)) {
        return refuse(p, start, "%.*s is a function; write %.*s(...)", (int)length, name,
                      (int)length, name);
    }
    trm_symbol symbol = {.index = -1};
    if (!p->resolve || !p->resolve(name, length, &symbol, p->user)) {
        return refuse(p, start, "unknown name \"%.*s\"", length > 80 ? 80 : (int)length, name);
    }
    if (symbol.index < 0) {
        return push_constant(p, symbol.value);
    }
    if (symbol.index >= p->code->variables) {
        p->code->variables = symbol.index + 1;
    }
    return push(p, (instruction){.op = OP_VARIABLE, .index = symbol.index});
}

static trm_status parse_atom(parser *p)
{
    const char c = peek(p);
    if (is_digit(c) || (c == '.' && is_digit(p->text[p->at + 1]))) {
        return parse_number(p);
    }
    if (is_name_start(c)) {
        return parse_name(p);
    }
    if (c != '(') {
        return expected(p, "a number, a name or '('");
    }
    p->at++;
    TRM_TRY(parse_sum(p));
    if (peek(p) != ')') {
        return expected(p, "an operator or ')'");
    }
    p->at++;
    return TRM_OK;
}

static trm_status parse_power(parser *p)
{
    const char sign = peek(p);
    if (++p->nesting > MAX_NESTING) {
        return refuse(p, p->at, "nested deeper than %d levels", MAX_NESTING);
    }
    p->at += sign == '-' || sign == '+';
    TRM_TRY(parse_atom(p));
    if (peek(p) == '^') {
        p->at++;
        TRM_TRY(parse_power(p));
        TRM_TRY(emit_two(p, OP_POWER));
    }
    p->nesting--;
    return sign == '-' ? emit_one(p, OP_NEGATE, 0) : TRM_OK;
}

static trm_status parse_product(parser *p)
{
    TRM_TRY(parse_power(p));
    for (char c = peek(p); c == '*' || c == '/'; c = peek(p)) {
        p->at++;
        TRM_TRY(parse_power(p));
        TRM_TRY(emit_two(p, c == '*' ? OP_MULTIPLY : OP_DIVIDE));
    }
    return TRM_OK;
}

static trm_status parse_sum(parser *p)
{
    TRM_TRY(parse_product(p));
    for (char c = peek(p); c == '+' || c == '-'; c = peek(p)) {
        p->at++;
        TRM_TRY(parse_product(p));
        TRM_TRY(emit_two(p, c == '+' ? OP_ADD : OP_SUBTRACT));
    }
    return TRM_OK;
}

static trm_status parse_all(parser *p)
{
    if (strlen(p->text) > MAX_LENGTH) {
        return refuse(p, MAX_LENGTH, "an expression may have %d characters at most", MAX_LENGTH);
    }
    if (peek(p) == '\0') {
        return refuse(p, 0, "the expression is empty");
    }
    TRM_TRY(parse_sum(p));
    if (peek(p) != '\0') {
        return expected(p, "an operator");
    }
    return TRM_OK;
}

trm_status trm_expression_compile(const char *text, trm_resolve_fn *resolve, void *user,
                                  trm_expression **out, trm_expression_error *error)
{
    trm_expression_error ignored;
    parser p = {.text = text,
                .resolve = resolve,
                .user = user,
                .capacity = 8,
                .error = error ? error : &ignored};
    *out = NULL;
    p.error->message[0] = '\0';
    p.code = malloc(block_bytes(p.capacity));
    if (!p.code) {
        return no_memory(&p);
    }
    memset(p.code, 0, block_bytes(p.capacity));
    const trm_status status = parse_all(&p);
    if (status != TRM_OK) {
        free(p.code);
        return status;
    }
    p.code->bytes = block_bytes(p.code->count);
    p.code->depth = p.code->count == 1 ? 1 : p.code->depth; // all else was folded away
    *out = p.code;
    return TRM_OK;
}

void trm_expression_destroy(trm_expression *code)
{
    free(code);
}

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
    return code->count == 1 && code->tape[0].op == OP_CONSTANT;
}

int trm_expression_workspace(const trm_expression *code)
{
    const int width = code->variables + 1;
    return code->depth * (width > 3 ? width : 3);
}
