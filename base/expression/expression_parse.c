// Text -> tape, by recursive descent.
#include "base/expression/expression_build.h"
#include "base/expression/expression_words.h"

#include "base/status.h"
#include "base/text/decimal.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LENGTH = 16000, // bytes of text
    MAX_NESTING =
        100,          // parentheses, powers and definitions inside each other: bounds the recursion
    MAX_ARGUMENTS = 5 // of functions with forms
};

static const double pi = 3.14159265358979323846;

/// A definition that was met before in this expression.
typedef struct known {
    int id;
    trm_leaf leaf;
} known;

/// The texts that are being read, from the innermost out.
typedef struct source {
    const char *text;
    size_t at; // next byte
    int id;    // of the definition; -1: the expression itself
    const char *key;
    const struct source *outer;
} source;

typedef struct parser {
    source *in;
    int nesting;
    int calls; // arguments of functions inside each other
    int idle;  // nonzero: what is read is left out, a constant condition excludes it
    trm_resolve_fn *resolve;
    void *user;
    trm_builder *b;
    known *known;
    int nknown, known_room;
    trm_expression_error *error;
} parser;

// ------------------------------------------------------------------------------------------ errors

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static trm_status
refuse(parser *p, size_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->error->column = column;
    p->error->text = p->in->id + 1;
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
    return TRM_ERR_SYNTAX;
}

static trm_status no_memory(trm_expression_error *error)
{
    error->column = 0;
    snprintf(error->message, sizeof error->message, "out of memory");
    return TRM_ERR_MEMORY;
}

/// The answer of the builder as an answer of the parser.
static trm_status built(parser *p, trm_status status)
{
    switch (status) {
    case TRM_OK:
        return TRM_OK;
    case TRM_ERR_MEMORY:
        return no_memory(p->error);
    default:
        return refuse(p, p->in->at, "nested deeper than %d entries", TRM_BUILD_STACK);
    }
}

// ------------------------------------------------------------------------------------------- words

static const char *rest(const parser *p)
{
    return p->in->text + p->in->at;
}

/// The next byte that is no space.
static char peek(parser *p)
{
    while (strchr(" \t\r\n", *rest(p)) && *rest(p)) {
        p->in->at++;
    }
    return *rest(p);
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

/// Whether a word (and, or, not) comes next; steps over it.
static int take_word(parser *p, const char *word)
{
    const size_t n = strlen(word);
    peek(p);
    if (strncmp(rest(p), word, n) != 0 || is_name_part(rest(p)[n])) {
        return 0;
    }
    p->in->at += n;
    return 1;
}

static trm_status expected(parser *p, const char *what)
{
    const unsigned char c = (unsigned char)peek(p);
    char hint[96] = "";
    if (!strncmp(what, "an operator", 11) || *what == '\'') {
        trm_word_meant(p->in->text, p->in->at, p->calls > 0, hint, sizeof hint);
    } else if (c == '!') {
        snprintf(hint, sizeof hint, "; write not");
    }
    if (c == '\0') {
        return refuse(p, p->in->at, "expected %s, got the end of the expression", what);
    }
    if (c < 0x20 || c >= 0x7f) {
        return refuse(p, p->in->at, "expected %s, got the byte 0x%02x%s", what, c, hint);
    }
    return refuse(p, p->in->at, "expected %s, got '%c'%s", what, c, hint);
}

// -------------------------------------------------------------------------- operations with places

static void place(parser *p, size_t column)
{
    p->b->text = p->in->id + 1;
    p->b->column = (int)column;
}

static trm_status one(parser *p, int op, size_t column)
{
    place(p, column);
    return built(p, trm_build_one(p->b, op, NULL));
}

static trm_status two(parser *p, int op, size_t column)
{
    place(p, column);
    return built(p, trm_build_two(p->b, op));
}

static trm_status parse_value(parser *p);

// ----------------------------------------------------------------------------------------- numbers

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
    const size_t start = p->in->at, length = number_end(p->in->text, start) - start;
    if (length > TRM_DECIMAL_LENGTH) {
        return refuse(p, start, "a number may have %d characters at most", TRM_DECIMAL_LENGTH);
    }
    size_t taken = 0;
    const double value = trm_decimal(p->in->text + start, length, &taken);
    if (!isfinite(value)) {
        return refuse(p, start, "%.*s is too large for a number", (int)length, rest(p));
    }
    p->in->at += length;
    return built(p, trm_build_constant(p->b, value));
}

// -------------------------------------------------------------------------------------- conditions

/// The topmost entry must be a condition: a comparison, or a constant.
static trm_status check_condition(parser *p, size_t start)
{
    double value;
    if (trm_build_top(p->b)->boolean || trm_build_is_constant(p->b, &value)) {
        return TRM_OK;
    }
    return refuse(p, start, "expected a condition, such as x > 0, got a number");
}

typedef struct snapshot {
    trm_build_mark mark;
    int nknown;
} snapshot;

static snapshot here(const parser *p)
{
    return (snapshot){p->b->now, p->nknown};
}

static void forget(parser *p, snapshot since)
{
    trm_build_forget(p->b, since.mark);
    p->nknown = since.nknown;
}

/// A value that counts only if `wanted`.
static trm_status parse_branch(parser *p, int wanted)
{
    const snapshot before = here(p);
    p->idle += !wanted;
    TRM_TRY(parse_value(p));
    p->idle -= !wanted;
    if (!wanted) {
        forget(p, before);
    }
    return TRM_OK;
}

/// The condition is on the stack; the separators and two values follow. A constant condition takes
/// one of them for good.
static trm_status parse_choice(parser *p, size_t start, char first, char second)
{
    double value = 0;
    if (peek(p) == first) { // else the missing separator says more
        TRM_TRY(check_condition(p, start));
    }
    const int decided = trm_build_is_constant(p->b, &value);
    if (decided) {
        trm_leaf condition;
        TRM_TRY(built(p, trm_build_take(p->b, &condition)));
    }
    const char separators[2] = {first, second};
    for (int i = 0; i < 2; i++) {
        if (peek(p) != separators[i]) {
            const char what[] = {'\'', separators[i], '\'', '\0'};
            return expected(p, what);
        }
        p->in->at++;
        TRM_TRY(parse_branch(p, !decided || (!isnan(value) && (value != 0) == (i == 0))));
    }
    if (decided) {
        return isnan(value) ? built(p, trm_build_constant(p->b, value)) : TRM_OK;
    }
    return built(p, trm_build_select(p->b));
}

// ------------------------------------------------------------------------------------------- calls

static trm_status unknown_function(parser *p, size_t start, size_t length)
{
    char hint[180];
    const char *name = p->in->text + start;
    return refuse(p, start, "unknown function \"%.*s\"%s", length > 40 ? 40 : (int)length, name,
                  trm_word_hint(name, length, hint, sizeof hint));
}

static trm_status wrong_number(parser *p, const trm_function_word *f, size_t start, int given)
{
    if (f->op < 0) {
        return refuse(p, start, "expected %s, got %d argument%s", f->usage, given,
                      given == 1 ? "" : "s");
    }
    return refuse(p, start, "%s takes %s, got %d", f->name,
                  f->arguments == 1   ? "1 argument"
                  : f->arguments == 2 ? "2 arguments"
                                      : "2 or more arguments",
                  given);
}

static trm_status close_call(parser *p)
{
    if (peek(p) != ')') {
        return expected(p, "',' or ')'");
    }
    p->in->at++;
    return TRM_OK;
}

/// One operation. min and max of several arguments are folded from the left.
static trm_status parse_operation(parser *p, const trm_function_word *f, size_t start)
{
    int given = 0;
    do {
        p->in->at++;
        TRM_TRY(parse_value(p));
        given++;
        if (f->arguments < 0 && given >= 2) {
            TRM_TRY(two(p, f->op, start));
        }
    } while (peek(p) == ',');
    TRM_TRY(close_call(p));
    if (f->arguments < 0 ? given < -f->arguments : given != f->arguments) {
        return wrong_number(p, f, start, given);
    }
    double last;
    if (f->op == TRM_OP_MOD && !p->idle && trm_build_is_constant(p->b, &last) && last == 0) {
        return refuse(p, start, "mod(x, 0) has no value");
    }
    if (f->arguments > 0) {
        return f->arguments == 2 ? two(p, f->op, start) : one(p, f->op, start);
    }
    return TRM_OK;
}

static int operation_of(char letter)
{
    switch (letter) {
    case '+':
        return TRM_OP_ADD;
    case '-':
        return TRM_OP_SUBTRACT;
    case '*':
        return TRM_OP_MULTIPLY;
    case '/':
        return TRM_OP_DIVIDE;
    case 'm':
        return TRM_OP_MIN;
    case 'M':
        return TRM_OP_MAX;
    case 'l':
        return TRM_OP_LESS;
    case 'g':
        return TRM_OP_GREATER_EQUAL;
    default:
        return TRM_OP_AND;
    }
}

static trm_status put_form(parser *p, const trm_function_word *f, const char *postfix, size_t start,
                           const trm_leaf *arguments)
{
    p->b->word = f->name;
    for (const char *c = postfix; *c; c++) {
        if (*c >= 'A' && *c <= 'E') {
            TRM_TRY(built(p, trm_build_put(p->b, &arguments[*c - 'A'])));
        } else if (*c == '1') {
            TRM_TRY(built(p, trm_build_constant(p->b, 1)));
        } else if (*c == 's') {
            TRM_TRY(one(p, TRM_OP_STEP, start));
        } else {
            TRM_TRY(two(p, operation_of(*c), start));
        }
    }
    p->b->word = NULL;
    return TRM_OK;
}

// ------------------------------------------------------------------- constants that make no sense

/// The argument as a constant; NaN, which no comparison holds for, where it is none.
static double constant(const trm_leaf *argument)
{
    return argument->in.op == TRM_OP_CONSTANT ? argument->in.value : NAN;
}

static trm_status check_step(parser *p, size_t start, double a, double b)
{
    return a == b
               ? refuse(p, start, "a step from %.6g to %.6g has no width; write if(x < %.6g, ...)",
                        a, b, a)
               : TRM_OK;
}

static trm_status check_pulse(parser *p, size_t start, double a, double b)
{
    return b < a    ? refuse(p, start, "a pulse from %.6g to %.6g ends before it begins", a, b)
           : b == a ? refuse(p, start, "a pulse from %.6g to %.6g has no length", a, b)
                    : TRM_OK;
}

/// Flanks may meet: a, b, and their difference are rounded.
static trm_status check_flanks(parser *p, size_t start, double a, double b, double w)
{
    const double rounding = 2 * DBL_EPSILON * (fabs(a) + fabs(b));
    if (w <= 0) {
        return refuse(p, start, "the flanks of a pulse need a width > 0, got %.6g", w);
    }
    if (b - a < 2 * w - rounding) {
        return refuse(p, start,
                      "a pulse from %.6g to %.6g has no room for two flanks of %.6g; its end is at "
                      "least %.6g",
                      a, b, w, a + 2 * w);
    }
    return TRM_OK;
}

/// Arguments of a form that make no sense are refused where they are constants.
static trm_status check_form(parser *p, const trm_function_word *f, size_t start, int given,
                             const trm_leaf *arguments)
{
    if (p->idle) {
        return TRM_OK;
    }
    const double a = constant(&arguments[1]), b = constant(&arguments[given == 5 ? 3 : 2]);
    if (!strcmp(f->name, "step")) {
        return check_step(p, start, a, b);
    }
    if (!strcmp(f->name, "clamp")) {
        return b < a ? refuse(p, start, "a clamp from %.6g to %.6g: the lower limit comes first", a,
                              b)
                     : TRM_OK;
    }
    TRM_TRY(check_pulse(p, start, a, b));
    return given == 4 ? check_flanks(p, start, a, b, constant(&arguments[3])) : TRM_OK;
}

static trm_status parse_form(parser *p, const trm_function_word *f, size_t start)
{
    trm_leaf arguments[MAX_ARGUMENTS];
    int given = 0;
    do {
        p->in->at++;
        TRM_TRY(parse_value(p));
        trm_leaf leaf;
        TRM_TRY(built(p, trm_build_take(p->b, &leaf)));
        if (given < MAX_ARGUMENTS) {
            arguments[given] = leaf;
        }
        given++;
    } while (peek(p) == ',');
    TRM_TRY(close_call(p));
    for (int i = 0; i < 2; i++) {
        if (f->forms[i].arguments == given) {
            TRM_TRY(check_form(p, f, start, given, arguments));
            return put_form(p, f, f->forms[i].postfix, start, arguments);
        }
    }
    return wrong_number(p, f, start, given);
}

static trm_status parse_if(parser *p, const trm_function_word *f, size_t start)
{
    p->in->at++;
    peek(p);
    const size_t condition = p->in->at;
    TRM_TRY(parse_value(p));
    if (peek(p) == ')') {
        return wrong_number(p, f, start, 1);
    }
    TRM_TRY(parse_choice(p, condition, ',', ','));
    return close_call(p);
}

static trm_status parse_table(parser *p, const trm_function_word *f, size_t start)
{
    p->in->at++;
    peek(p);
    const size_t name = p->in->at;
    while (is_name_part(*rest(p))) {
        p->in->at++;
    }
    const size_t length = p->in->at - name;
    trm_symbol symbol = {.index = -1, .wants_table = 1};
    if (length == 0) {
        return expected(p, "the name of a table");
    }
    if (!p->resolve || !p->resolve(p->in->text + name, length, &symbol, p->user) || !symbol.table) {
        return refuse(p, name, "no table \"%.*s\"", length > 60 ? 60 : (int)length,
                      p->in->text + name);
    }
    if (peek(p) != ',') {
        return peek(p) == ')' ? wrong_number(p, f, start, 1) : expected(p, "','");
    }
    p->in->at++;
    TRM_TRY(parse_value(p));
    if (peek(p) == ',') {
        return wrong_number(p, f, start, 3);
    }
    TRM_TRY(close_call(p));
    place(p, start);
    return built(p, trm_build_table(p->b, symbol.table));
}

/// At the opening parenthesis of a call.
static trm_status parse_call(parser *p, size_t start, size_t length)
{
    const trm_function_word *f = trm_word_find(p->in->text + start, length);
    if (!f) {
        return unknown_function(p, start, length);
    }
    p->calls++;
    trm_status status = TRM_OK;
    if (f->op >= 0) {
        status = parse_operation(p, f, start);
    } else if (f->forms[0].postfix[0]) {
        status = parse_form(p, f, start);
    } else {
        status = !strcmp(f->name, "if") ? parse_if(p, f, start) : parse_table(p, f, start);
    }
    p->calls--;
    return status;
}

// ------------------------------------------------------------------------------------------- names

static trm_status parse_whole(parser *p);

static trm_status remember(parser *p, int id, const trm_leaf *leaf)
{
    if (p->nknown == p->known_room) {
        const int room = p->known_room ? 2 * p->known_room : 8;
        known *grown = realloc(p->known, (size_t)room * sizeof *grown);
        if (!grown) {
            return no_memory(p->error);
        }
        p->known = grown;
        p->known_room = room;
    }
    p->known[p->nknown++] = (known){id, *leaf};
    return TRM_OK;
}

/// The expression of a definition in place of its name; the second time its value.
static trm_status parse_definition(parser *p, const trm_symbol *symbol, size_t start, size_t length)
{
    for (int i = 0; i < p->nknown; i++) {
        if (p->known[i].id == symbol->id) {
            return built(p, trm_build_put(p->b, &p->known[i].leaf));
        }
    }
    for (const source *s = p->in; s; s = s->outer) {
        if (s->id == symbol->id) {
            return refuse(p, start, "\"%.*s\" is defined by itself", length > 60 ? 60 : (int)length,
                          p->in->text + start);
        }
    }
    if (++p->nesting > MAX_NESTING) {
        return refuse(p, start, "nested deeper than %d levels", MAX_NESTING);
    }
    source inner = {symbol->text, 0, symbol->id, symbol->key, p->in}, *outer = p->in;
    const int calls = p->calls;
    p->in = &inner;
    p->calls = 0;
    TRM_TRY(parse_whole(p));
    p->in = outer;
    p->calls = calls;
    p->nesting--;
    trm_leaf leaf;
    TRM_TRY(built(p, trm_build_take(p->b, &leaf)));
    TRM_TRY(remember(p, symbol->id, &leaf));
    return built(p, trm_build_put(p->b, &leaf));
}

static trm_status parse_symbol(parser *p, size_t start, size_t length)
{
    const char *name = p->in->text + start;
    trm_symbol symbol = {.index = -1};
    if (!p->resolve || !p->resolve(name, length, &symbol, p->user)) {
        return refuse(p, start, "unknown name \"%.*s\"", length > 80 ? 80 : (int)length, name);
    }
    if (symbol.text) {
        return parse_definition(p, &symbol, start, length);
    }
    return built(p, symbol.index < 0 ? trm_build_constant(p->b, symbol.value)
                                     : trm_build_variable(p->b, &symbol));
}

static trm_status parse_name(parser *p)
{
    const size_t start = p->in->at;
    while (is_name_part(*rest(p))) {
        p->in->at++;
    }
    const size_t length = p->in->at - start;
    const char *name = p->in->text + start;
    if (peek(p) == '(') {
        return parse_call(p, start, length);
    }
    if (trm_word_is(name, length, "pi")) {
        return built(p, trm_build_constant(p->b, pi));
    }
    if (trm_word_is(name, length, "deg")) {
        return built(p, trm_build_constant(p->b, pi / 180));
    }
    if (trm_word_find(name, length)) {
        return refuse(p, start, "%.*s is a function; write %.*s(...)", (int)length, name,
                      (int)length, name);
    }
    return parse_symbol(p, start, length);
}

// ----------------------------------------------------------------------------------------- grammar

static trm_status parse_atom(parser *p)
{
    const char c = peek(p);
    if (is_digit(c) || (c == '.' && is_digit(rest(p)[1]))) {
        return parse_number(p);
    }
    if (is_name_start(c)) {
        return parse_name(p);
    }
    if (c != '(') {
        return expected(p, "a number, a name or '('");
    }
    p->in->at++;
    TRM_TRY(parse_value(p));
    if (peek(p) != ')') {
        return expected(p, "an operator or ')'");
    }
    p->in->at++;
    return TRM_OK;
}

static trm_status parse_power(parser *p)
{
    const char sign = peek(p);
    if (++p->nesting > MAX_NESTING) {
        return refuse(p, p->in->at, "nested deeper than %d levels", MAX_NESTING);
    }
    p->in->at += sign == '-' || sign == '+';
    TRM_TRY(parse_atom(p));
    if (peek(p) == '^') {
        const size_t at = p->in->at++;
        TRM_TRY(parse_power(p));
        TRM_TRY(two(p, TRM_OP_POWER, at));
    }
    p->nesting--;
    return sign == '-' ? one(p, TRM_OP_NEGATE, p->in->at) : TRM_OK;
}

static trm_status parse_product(parser *p)
{
    TRM_TRY(parse_power(p));
    for (char c = peek(p); c == '*' || c == '/'; c = peek(p)) {
        const size_t at = p->in->at++;
        if (c == '*' && *rest(p) == '*') {
            return refuse(p, at, "power is written ^");
        }
        TRM_TRY(parse_power(p));
        TRM_TRY(two(p, c == '*' ? TRM_OP_MULTIPLY : TRM_OP_DIVIDE, at));
    }
    return peek(p) == '%' ? refuse(p, p->in->at, "the remainder is written mod(a, b)") : TRM_OK;
}

static trm_status parse_sum(parser *p)
{
    TRM_TRY(parse_product(p));
    for (char c = peek(p); c == '+' || c == '-'; c = peek(p)) {
        const size_t at = p->in->at++;
        TRM_TRY(parse_product(p));
        TRM_TRY(two(p, c == '+' ? TRM_OP_ADD : TRM_OP_SUBTRACT, at));
    }
    return TRM_OK;
}

/// The comparison that comes next, and its length; 0 when there is none.
static size_t comparison(parser *p, int *op)
{
    static const struct {
        const char *text;
        int op;
    } signs[] = {
        {"<=", TRM_OP_LESS_EQUAL}, {">=", TRM_OP_GREATER_EQUAL}, {"==", TRM_OP_EQUAL},
        {"!=", TRM_OP_NOT_EQUAL},  {"<", TRM_OP_LESS},           {">", TRM_OP_GREATER},
    };
    peek(p);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (!strncmp(rest(p), signs[i].text, strlen(signs[i].text))) {
            *op = signs[i].op;
            return strlen(signs[i].text);
        }
    }
    return 0;
}

static trm_status parse_comparison(parser *p)
{
    int op = 0, again = 0;
    TRM_TRY(parse_sum(p));
    const size_t length = comparison(p, &op);
    if (length == 0) {
        return TRM_OK;
    }
    const size_t at = p->in->at;
    if (!strncmp(rest(p), "<>", 2)) {
        return refuse(p, at, "inequality is written !=");
    }
    p->in->at += length;
    TRM_TRY(parse_sum(p));
    if (comparison(p, &again)) {
        return refuse(p, p->in->at, "one comparison at a time: write a < b and b < c");
    }
    return two(p, op, at);
}

static trm_status parse_negation(parser *p)
{
    if (!take_word(p, "not")) {
        return parse_comparison(p);
    }
    if (++p->nesting > MAX_NESTING) {
        return refuse(p, p->in->at, "nested deeper than %d levels", MAX_NESTING);
    }
    peek(p);
    const size_t at = p->in->at;
    TRM_TRY(parse_negation(p));
    TRM_TRY(check_condition(p, at));
    p->nesting--;
    return one(p, TRM_OP_NOT, at);
}

/// value { word value }, all of them conditions.
static trm_status parse_joined(parser *p, const char *word, int op, trm_status (*parse)(parser *p))
{
    peek(p);
    size_t at = p->in->at;
    TRM_TRY(parse(p));
    while (take_word(p, word)) {
        TRM_TRY(check_condition(p, at));
        peek(p);
        at = p->in->at;
        TRM_TRY(parse(p));
        TRM_TRY(check_condition(p, at));
        TRM_TRY(two(p, op, at));
    }
    return TRM_OK;
}

static trm_status parse_both(parser *p)
{
    return parse_joined(p, "and", TRM_OP_AND, parse_negation);
}

static trm_status parse_value(parser *p)
{
    peek(p);
    const size_t start = p->in->at;
    TRM_TRY(parse_joined(p, "or", TRM_OP_OR, parse_both));
    if (peek(p) != '?') {
        return TRM_OK;
    }
    if (++p->nesting > MAX_NESTING) {
        return refuse(p, p->in->at, "nested deeper than %d levels", MAX_NESTING);
    }
    TRM_TRY(parse_choice(p, start, '?', ':'));
    p->nesting--;
    return TRM_OK;
}

static trm_status parse_whole(parser *p)
{
    if (strlen(p->in->text) > MAX_LENGTH) {
        return refuse(p, MAX_LENGTH, "an expression may have %d characters at most", MAX_LENGTH);
    }
    if (peek(p) == '\0') {
        return refuse(p, 0, "the expression is empty");
    }
    TRM_TRY(parse_value(p));
    if (peek(p) != '\0') {
        return expected(p, "an operator");
    }
    return p->in->key ? built(p, trm_build_one(p->b, TRM_OP_RANGE, p->in->key)) : TRM_OK;
}

trm_status trm_expression_compile(const char *key, const char *text, trm_resolve_fn *resolve,
                                  void *user, trm_expression **out, trm_expression_error *error)
{
    trm_expression_error ignored;
    char culprit[sizeof ignored.message] = "";
    source whole = {text, 0, -1, key, NULL};
    error = error ? error : &ignored;
    *error = (trm_expression_error){0};
    *out = NULL;
    trm_builder *b = calloc(1, sizeof *b);
    if (!b) {
        return no_memory(error);
    }
    b->culprit = culprit;
    b->culprit_size = sizeof culprit;
    parser p = {.in = &whole, .resolve = resolve, .user = user, .b = b, .error = error};
    trm_status status = parse_whole(&p);
    if (status == TRM_OK) {
        memcpy(error->message, culprit, sizeof culprit);
        status = built(&p, trm_build_finish(b, out));
    }
    free(p.known);
    trm_build_close(b);
    free(b);
    return status;
}

void trm_expression_destroy(trm_expression *code)
{
    free(code);
}
