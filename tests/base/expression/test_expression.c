/// Expressions: values, definitions, and errors with their place.
#include "tests/base/expression/expressions.h"
#include "tests/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ------------------------------------------------------------------------------------------ values

CLAIM(values_and_precedence)
{
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"-2^2", -4},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"(-2)^2", 4},
        {"-2^-2", -0.25},
        {"2*-3", -6},
        {"1 - 2 - 3", -4},
        {"24/4/3", 2},
        {"2+3*4", 14},
        {"(2+3)*4", 20},
        {"+5", 5},
        {".5 + 1. + 1e2 + 2.5E-1", 101.75},
        {"7*pi/4", 7 * pi / 4},
        {"70*deg", 70 * pi / 180},
        {"c^2", 9},
        {"x + 10*y + 100*tip.x", 321},
        {" \t1\n+\r2 ", 3},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 2, 5)", 5},
        {"hypot(3, 4)", 5},
        {"dircos(3, 4)", 0.6},
        {"dircos(-3e-200, 4e-200)", -0.6},
        {"dircos(0, 0)", 0},
        {"atan2(1, -1)", 3 * pi / 4},
        {"abs(-3)", 3},
        {"x^1", 1},
        {"y^8", 256},
        {"y^9", 512},
        {"y^-1", 0.5},
        {"y^0.5", sqrt(2)},
        {"y^x", 2},
        {"sin(pi/6) + cos(pi/3) + tan(pi/4)", 2},
        {"exp(log(5)) + sqrt(16)", 9},
    };
    const double x[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_close(cases[i].text, value(code, x), cases[i].value, 1e-15);
        trm_expression_destroy(code);
    }
}

CLAIM(nothing_hides_a_nan)
{
    static const char *const texts[] = {"min(log(-1), 2)", "min(2, log(-1))",   "max(log(-1), 2)",
                                        "max(2, log(-1))", "0*log(-1)",         "sqrt(-1)",
                                        "abs(asin(2))",    "min(1, 2, 0*(1/0))"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        trm_expression *code = compile(texts[i]);
        assert_true(isnan(value(code, NULL)));
        trm_expression_destroy(code);
    }
}

CLAIM(constants_are_folded)
{
    const struct {
        const char *text;
        int constant, variables;
    } cases[] = {{"sin(2*pi/3)^2 + c*deg", 1, 0},
                 {"x", 0, 1},
                 {"tip.x*0", 0, 3},
                 {"min(c, 2)*max(1, 2, 3)", 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_int_equal(trm_expression_is_constant(code), cases[i].constant);
        assert_int_equal(trm_expression_variables(code), cases[i].variables);
        trm_expression_destroy(code);
    }
    trm_expression *folded = compile("x + 2*3*4"), *plain = compile("x + 24");
    assert_int_equal(trm_expression_bytes(folded), trm_expression_bytes(plain));
    trm_expression_destroy(folded);
    trm_expression_destroy(plain);
}

CLAIM(code_can_be_copied)
{
    const double x[3] = {0.3, 0.7, 1.1};
    trm_expression *code = compile("sin(x)*hypot(y, tip.x) - x^3/(1 + y)");
    const double wanted = value(code, x);
    trm_expression *copy = malloc(trm_expression_bytes(code));
    assert_non_null(copy);
    memcpy(copy, code, trm_expression_bytes(code));
    trm_expression_destroy(code);
    assert_true(value(copy, x) == wanted);
    free(copy);
}

// ------------------------------------------------------------------------------------------ errors

static void refuse(const char *text, size_t column, const char *message)
{
    trm_expression *code = NULL;
    trm_expression_error error = {0};
    assert_int_equal(parse(text, resolve, &code, &error), TRM_ERR_SYNTAX);
    assert_null(code);
    assert_string_equal(error.message, message);
    assert_int_equal(error.column, column);
}

CLAIM(errors_say_what_and_where)
{
    refuse("", 0, "the expression is empty");
    refuse("  ", 0, "the expression is empty");
    refuse("2*", 2, "expected a number, a name or '(', got the end of the expression");
    refuse("2**3", 1, "power is written ^");
    refuse("--x", 1, "expected a number, a name or '(', got '-'");
    refuse("(x", 2, "expected an operator or ')', got the end of the expression");
    refuse("(x y)", 3, "expected an operator or ')', got 'y'");
    refuse("x)", 1, "expected an operator, got ')'");
    refuse("2x", 1, "expected an operator, got 'x'");
    refuse("x y", 2, "expected an operator, got 'y'");
    refuse("1.2.3", 3, "expected an operator, got '.'");
    refuse("x, y", 1, "expected an operator, got ','");
    refuse("x = y", 2,
           "expected an operator, got '='; in conditions write ==, in constraints "
           "move all to one side: x - y");
    refuse("x + \xc3\xa9", 4, "expected a number, a name or '(', got the byte 0xc3");
    refuse("x \x01", 2, "expected an operator, got the byte 0x01");
    refuse("z", 0, "unknown name \"z\"");
    refuse("x + tip.z", 4, "unknown name \"tip.z\"");
    refuse("sine(x)", 0, "unknown function \"sine\"; did you mean \"sin\"?");
    refuse("foobar(x)", 0, "unknown function \"foobar\"");
    refuse("sin + 1", 0, "sin is a function; write sin(...)");
    refuse("sin()", 4, "expected a number, a name or '(', got ')'");
    refuse("sin(x", 5, "expected ',' or ')', got the end of the expression");
    refuse("sin(1, 2)", 0, "sin takes 1 argument, got 2");
    refuse("x*atan2(1)", 2, "atan2 takes 2 arguments, got 1");
    refuse("hypot(1, 2, 3)", 0, "hypot takes 2 arguments, got 3");
    refuse("min(x)", 0, "min takes 2 or more arguments, got 1");
    refuse("1e400", 0, "1e400 is too large for a number");
    refuse("x + 1e999*2", 4, "1e999 is too large for a number");
}

/// n times `unit` and then `end`; to be freed.
static char *repeat(const char *unit, int n, const char *end)
{
    const size_t length = strlen(unit);
    char *text = malloc((size_t)n * length + strlen(end) + 1);
    assert_non_null(text);
    for (int i = 0; i < n; i++) {
        memcpy(text + (size_t)i * length, unit, length);
    }
    strcpy(text + (size_t)n * length, end);
    return text;
}

CLAIM(hostile_texts_are_refused)
{
    static const char *const deep[] = {"(", "x^", "sin(", "-(", "min(1,", "x+("};
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        trm_expression *code = NULL;
        trm_expression_error error = {0};
        char *text = repeat(deep[i], 2000, "x");
        assert_int_equal(parse(text, resolve, &code, &error), TRM_ERR_SYNTAX);
        assert_string_equal(error.message, "nested deeper than 100 levels");
        free(text);
    }
    char *text = repeat("x+", 10000, "x");
    refuse(text, 16000, "an expression may have 16000 characters at most");
    free(text);
    text = repeat("1", 101, "");
    refuse(text, 0, "a number may have 100 characters at most");
    free(text);
}

CLAIM(long_and_deep_texts_within_the_limits_work)
{
    const double x[3] = {1, 0, 0};
    char *text = repeat("x+", 7000, "x");
    trm_expression *code = compile(text);
    assert_true(value(code, x) == 7001);
    trm_expression_destroy(code);
    free(text);
    text = repeat("x+(", 90, "x");
    char *closed = repeat(")", 90, "");
    char *both = malloc(strlen(text) + strlen(closed) + 1);
    assert_non_null(both);
    sprintf(both, "%s%s", text, closed);
    code = compile(both);
    assert_true(value(code, x) == 91);
    trm_expression_destroy(code);
    free(text);
    free(closed);
    free(both);
}

CLAIM(function_names_are_listed)
{
    int n = 0;
    while (trm_expression_function(n)) {
        assert_true(trm_expression_is_function(trm_expression_function(n)));
        n++;
    }
    assert_int_equal(n, 27);
    assert_false(trm_expression_is_function("sine"));
}

CLAIM(what_people_type_is_told)
{
    refuse("x**2", 1, "power is written ^");
    refuse("x % 2", 2, "the remainder is written mod(a, b)");
    refuse("sgn(x)", 0, "unknown function \"sgn\"; write sign(x)");
    refuse("STEP(x, 0, 0, 1, 1)", 0,
           "unknown function \"STEP\"; write step(x, a, b) or step(x, a, A, b, B)");
    refuse("ln(x)", 0, "unknown function \"ln\"; write log(x)");
    refuse("pow(x, 2)", 0, "unknown function \"pow\"; write a^b");
    refuse("x > 0 && y > 0", 6, "expected an operator, got '&'; write and");
    refuse("!x", 0, "expected a number, a name or '(', got '!'; write not");
    refuse("if(x = 1, 2, 3)", 5, "expected ',', got '='; equality is written ==");
    refuse("if(x, 2, 3)", 3, "expected a condition, such as x > 0, got a number");
    refuse("x > 0 and y", 10, "expected a condition, such as x > 0, got a number");
    refuse("x ? 1 : 2", 0, "expected a condition, such as x > 0, got a number");
    refuse("x < 1 ? 1", 9, "expected ':', got the end of the expression");
    refuse("0 < x < 1", 6, "one comparison at a time: write a < b and b < c");
    refuse("x <> 1", 2, "inequality is written !=");
    refuse("if(x > 1)", 0, "expected if(c, a, b), got 1 argument");
    refuse("step(x, 1)", 0, "expected step(x, a, b) or step(x, a, A, b, B), got 2 arguments");
    refuse("step(x, 1, 1)", 0, "a step from 1 to 1 has no width; write if(x < 1, ...)");
    refuse("pulse(x, 1, 2, 0)", 0, "the flanks of a pulse need a width > 0, got 0");
    refuse("clamp(x, 1)", 0, "expected clamp(x, a, b), got 2 arguments");
    refuse("2*pulse(x, 2, 1)", 2, "a pulse from 2 to 1 ends before it begins");
    refuse("pulse(x, c, 3, 0.1)", 0, "a pulse from 3 to 3 has no length");
    refuse("pulse(x, 1, 1)", 0, "a pulse from 1 to 1 has no length");
    refuse("pulse(x, 0, 1, 0.6)", 0,
           "a pulse from 0 to 1 has no room for two flanks of 0.6; its end is at least 1.2");
    refuse("1 + clamp(x, 1, -1)", 4, "a clamp from 1 to -1: the lower limit comes first");
    refuse("mod(x, c - 3)", 0, "mod(x, 0) has no value");
    refuse("table(cam, x)", 6, "no table \"cam\"");
}

/// What a constant condition excludes is read, and may be nonsense: that is what it guards.
CLAIM(what_is_left_out_may_be_nonsense)
{
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"if(c > 3, step(x, c, 3), 5)", 5},
        {"if(c == 3, 7, mod(x, c - 3))", 7},
        {"c > 3 ? pulse(x, c, 3) : 2", 2},
        {"if(c > 3, if(x > 0, clamp(x, c, 1), 1), 4)", 4},
        {"clamp(x, c - 3, 0) + clamp(x, 0, 0)", 0}, // limits may meet
        {"pulse(x, 0.9, 1.1, 0.1)", 1},             // 1.1 - 0.9 is a rounding above 0.2
        {"pulse(x, 0.7, 1.3, 0.3)", 1},             // and 1.3 - 0.7 below 0.6
        {"step(x, 2, 0)", 0.5},
    };
    const double x[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_close(cases[i].text, value(code, x), cases[i].value, 1e-14);
        trm_expression_destroy(code);
    }
    refuse("if(c > 3, 1, 2) + mod(x, 0)", 18, "mod(x, 0) has no value");
}

/// Limits that move: what the documents say of wrong ones (scene_format.md).
CLAIM(limits_that_move_have_a_meaning)
{
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"clamp(1.5, y, x) + clamp(5, y, x) + clamp(-5, y, x)", 3}, // 1, the upper limit, thrice
        {"pulse(1.5, y, x) + pulse(x, x, x)", 0},
        {"pulse(1.5, y, x, 0.1) + pulse(1.5, x, y, -x) + pulse(0.5, x, y, -x)", 0},
    };
    const double x[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_close(cases[i].text, value(code, x), cases[i].value, 1e-15);
        trm_expression_destroy(code);
    }
}

// ------------------------------------------------------------------------------------- definitions

/// d0 = x, d1 = d0 + d0, ... d40; a and b define each other; k is the constant 7.
static int resolve_definitions(const char *name, size_t length, trm_symbol *out, void *user)
{
    static char texts[41][16];
    if (length >= 2 && name[0] == 'd' && name[1] >= '0' && name[1] <= '9') {
        const int i = atoi(name + 1);
        snprintf(texts[i], sizeof texts[i], i ? "d%d + d%d" : "x", i - 1, i - 1);
        *out = (trm_symbol){.index = -1, .text = texts[i], .id = i};
        return 1;
    }
    const struct {
        const char *name, *text;
    } others[] = {{"a", "2*b"},   {"b", "1 + a"},    {"k", "2 + 5"},
                  {"bad", "1 +"}, {"soft", "x > 1"}, {"kink", "3*abs(x)"}};
    for (int i = 0; i < 6; i++) {
        if (strlen(others[i].name) == length && !memcmp(name, others[i].name, length)) {
            *out = (trm_symbol){.index = -1, .text = others[i].text, .id = 100 + i};
            return 1;
        }
    }
    return resolve(name, length, out, user);
}

CLAIM(definitions_are_computed_once)
{
    const double x[3][3] = {{3, 1, 0}};
    trm_expression *code = NULL;
    trm_expression_error error;
    assert_int_equal(parse("d40 + d40", resolve_definitions, &code, &error), TRM_OK);
    double e[3], gradient[1], *w = workspace(code);
    trm_expression_jet(code, x, w, e);
    assert_true(e[0] == ldexp(3, 41) && e[1] == ldexp(1, 41) && e[2] == 0);
    assert_true(trm_expression_value(code, x[0], w) == e[0]);
    assert_true(trm_expression_gradient_in(code, x[0], NULL, w, gradient) == e[0]);
    assert_true(gradient[0] == e[1]);
    free(w);
    trm_expression_destroy(code);
    const struct {
        const char *text;
        double value;
    } cases[] = {{"k*x", 21},
                 {"if(soft, k, d3)", 7},
                 {"if(k > 9, d3, d2) + d3", 36},
                 {"if(k > 9, d2, d3) + d2", 36}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double at[3] = {3, 0, 0};
        assert_int_equal(parse(cases[i].text, resolve_definitions, &code, &error), TRM_OK);
        assert_close(cases[i].text, value(code, at), cases[i].value, 0);
        trm_expression_destroy(code);
    }
    assert_int_equal(parse("x + kink", resolve_definitions, &code, &error), TRM_OK);
    assert_int_equal(trm_expression_switching_function(code, 0).text, 106);
    assert_int_equal(trm_expression_switching_function(code, 0).column, 2);
    trm_expression_destroy(code);
}

CLAIM(bad_definitions_say_where)
{
    trm_expression *code = NULL;
    trm_expression_error error;
    assert_int_equal(parse("x + a", resolve_definitions, &code, &error), TRM_ERR_SYNTAX);
    assert_string_equal(error.message, "\"a\" is defined by itself");
    assert_int_equal(error.text, 102);
    assert_int_equal(error.column, 4);
    assert_int_equal(parse("x + bad", resolve_definitions, &code, &error), TRM_ERR_SYNTAX);
    assert_int_equal(error.text, 104);
    assert_int_equal(error.column, 3);
}
