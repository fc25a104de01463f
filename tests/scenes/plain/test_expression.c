// Expressions: values, exact first and second derivatives, errors.

#include "scenes/plain/expression.h"
#include "scenes/plain/switching.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/// x (which is the time), y and tip.x are variables 0, 1, 2; c is the constant 3.
static int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    static const char *const variables[] = {"x", "y", "tip.x"};
    (void)user;
    for (int i = 0; i < 3; i++) {
        if (strlen(variables[i]) == length && !memcmp(name, variables[i], length)) {
            out->index = i;
            out->of_time = i == 0;
            return 1;
        }
    }
    *out = (trm_symbol){.index = -1, .value = 3};
    return length == 1 && *name == 'c';
}

static trm_expression *compile(const char *text)
{
    trm_expression *code = NULL;
    trm_expression_error error = {0};
    if (trm_expression_compile(text, resolve, NULL, &code, &error) != TRM_OK) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    return code;
}

static double *workspace(const trm_expression *code)
{
    double *w = malloc((size_t)trm_expression_workspace(code) * sizeof *w);
    assert_non_null(w);
    return w;
}

static double value(const trm_expression *code, const double x[3])
{
    double *w = workspace(code);
    const double e = trm_expression_value(code, x, w);
    free(w);
    return e;
}

static void jet(const trm_expression *code, const double x[3][3], double out[3])
{
    double *w = workspace(code);
    trm_expression_jet(code, x, w, out);
    free(w);
}

static void assert_close(const char *what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
        fail_msg("%s: %.17g, expected %.17g", what, found, wanted);
    }
}

// ------------------------------------------------------------------------------------------ values

static void values_and_precedence(void **state)
{
    (void)state;
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

static void nothing_hides_a_nan(void **state)
{
    (void)state;
    static const char *const texts[] = {"min(log(-1), 2)", "min(2, log(-1))",   "max(log(-1), 2)",
                                        "max(2, log(-1))", "0*log(-1)",         "sqrt(-1)",
                                        "abs(asin(2))",    "min(1, 2, 0*(1/0))"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        trm_expression *code = compile(texts[i]);
        assert_true(isnan(value(code, NULL)));
        trm_expression_destroy(code);
    }
}

static void constants_are_folded(void **state)
{
    (void)state;
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

static void code_can_be_copied(void **state)
{
    (void)state;
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

// ------------------------------------------------------------------------------------- derivatives

static double sech2(double x)
{
    return 1 / (cosh(x) * cosh(x));
}

/// Closed forms of f, f' and f'' at x.
typedef struct closed_form {
    const char *text;
    double x, f, first, second;
} closed_form;

static void functions_have_their_closed_derivatives(void **state)
{
    (void)state;
    const double a = 0.4, b = -0.7, p = 2.3;
    const double s = sqrt(1 - a * a), t = tan(a), q = 1 + b * b;
    const closed_form cases[] = {
        {"-x", a, -a, -1, 0},
        {"sin(x)", a, sin(a), cos(a), -sin(a)},
        {"cos(x)", a, cos(a), -sin(a), -cos(a)},
        {"tan(x)", a, t, 1 + t * t, 2 * t * (1 + t * t)},
        {"asin(x)", a, asin(a), 1 / s, a / (s * s * s)},
        {"acos(x)", a, acos(a), -1 / s, -a / (s * s * s)},
        {"atan(x)", b, atan(b), 1 / q, -2 * b / (q * q)},
        {"sinh(x)", b, sinh(b), cosh(b), sinh(b)},
        {"cosh(x)", b, cosh(b), sinh(b), cosh(b)},
        {"tanh(x)", b, tanh(b), sech2(b), -2 * tanh(b) * sech2(b)},
        {"sqrt(x)", p, sqrt(p), 0.5 / sqrt(p), -0.25 / (p * sqrt(p))},
        {"exp(x)", b, exp(b), exp(b), exp(b)},
        {"log(x)", p, log(p), 1 / p, -1 / (p * p)},
        {"abs(x)", b, -b, -1, 0},
        {"abs(x)", p, p, 1, 0},
        {"x^1", b, b, 1, 0},
        {"x^2", b, b * b, 2 * b, 2},
        {"x^3", b, b * b * b, 3 * b * b, 6 * b},
        {"x^8", b, pow(b, 8), 8 * pow(b, 7), 56 * pow(b, 6)},
        {"x^9", b, pow(b, 9), 9 * pow(b, 8), 72 * pow(b, 7)},
        {"x^0", b, 1, 0, 0},
        {"x^-2", b, pow(b, -2), -2 * pow(b, -3), 6 * pow(b, -4)},
        {"x^2.5", p, pow(p, 2.5), 2.5 * pow(p, 1.5), 3.75 * sqrt(p)},
        {"2^x", b, pow(2, b), log(2) * pow(2, b), log(2) * log(2) * pow(2, b)},
        {"1/x", p, 1 / p, -1 / (p * p), 2 / (p * p * p)},
        {"3*x + 2", p, 3 * p + 2, 3, 0},
        {"2 - x/4", p, 2 - p / 4, -0.25, 0},
        {"min(x, 1)", p, 1, 0, 0},
        {"min(x, 3)", p, p, 1, 0},
        {"max(x, 1)", p, p, 1, 0},
        {"max(x, 3)", p, 3, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const closed_form *c = &cases[i];
        const double speed = 1.7, acceleration = -0.6;
        const double x[3][3] = {{c->x, speed, acceleration}};
        double e[3];
        trm_expression *code = compile(c->text);
        jet(code, x, e);
        assert_close(c->text, e[0], c->f, 1e-15);
        assert_close(c->text, e[1], c->first * speed, 2e-15);
        assert_close(c->text, e[2], c->second * speed * speed + c->first * acceleration, 4e-15);
        trm_expression_destroy(code);
    }
}

/// x(s), y(s), z(s) at the point s = 0 and their derivatives.
static const double curve[3][3] = {{0.8, 0.9, -0.5}, {0.35, -0.6, 0.8}, {1.3, 0.2, 0.7}};

static double along_curve(const trm_expression *code, double s)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = curve[i][0] + s * curve[i][1] + s * s / 2 * curve[i][2];
    }
    return value(code, x);
}

/// Central differences of eighth order.
static void differences(const trm_expression *code, double h, double *first, double *second)
{
    static const double c1[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static const double c2[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    *first = 0;
    *second = -205.0 / 72 * along_curve(code, 0);
    for (int k = 0; k < 4; k++) {
        const double ahead = along_curve(code, (k + 1) * h),
                     behind = along_curve(code, -(k + 1) * h);
        *first += c1[k] * (ahead - behind);
        *second += c2[k] * (ahead + behind);
    }
    *first /= h;
    *second /= h * h;
}

static const char *const composed[] = {
    "x*y",
    "x/y",
    "y^x",
    "x^y^tip.x",
    "atan2(y, x)",
    "atan2(-x, y)",
    "hypot(x, y)",
    "hypot(x - y, 2*tip.x)",
    "sin(x*y)*exp(-tip.x^2)",
    "tip.x - sin(x)^2/(1 + cos(y)^2)",
    "sqrt(x^2 + y^2 + tip.x^2) - 1",
    "log(1 + x^4)*tanh(y - tip.x)",
    "asin(x*y)*acos(y)",
    "min(x, 10)*max(y, -10) + abs(y - 5)",
    "(x + y)*(x - y)*(tip.x + x)/(2 + y)^3",
};

static void jets_agree_with_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof composed / sizeof composed[0]; i++) {
        double e[3], first, second;
        trm_expression *code = compile(composed[i]);
        jet(code, curve, e);
        differences(code, 0.01, &first, &second);
        assert_close(composed[i], e[0], along_curve(code, 0), 1e-15);
        assert_close(composed[i], e[1], first, 1e-11);
        assert_close(composed[i], e[2], second, 1e-9);
        trm_expression_destroy(code);
    }
}

static void gradients_are_first_derivatives_of_jets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof composed / sizeof composed[0]; i++) {
        trm_expression *code = compile(composed[i]);
        const int n = trm_expression_variables(code);
        const double x[3] = {curve[0][0], curve[1][0], curve[2][0]};
        double gradient[3] = {0, 0, 0}, *w = workspace(code);
        const double f = trm_expression_gradient(code, x, w, gradient);
        assert_true(f == value(code, x));
        for (int k = 0; k < n; k++) {
            double direction[3][3] = {{x[0], 0, 0}, {x[1], 0, 0}, {x[2], 0, 0}}, e[3];
            direction[k][1] = 1;
            jet(code, (const double(*)[3])direction, e);
            assert_close(composed[i], gradient[k], e[1], 1e-15);
        }
        free(w);
        trm_expression_destroy(code);
    }
}

/// d/ds of x + sqrt(y) with y resting at 0 is x', not NaN.
static void resting_arguments_do_not_spoil_derivatives(void **state)
{
    (void)state;
    static const char *const texts[] = {"x + sqrt(y)", "x + y^0.5", "x + hypot(y, 0)", "x*1^y",
                                        "x + y^1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const double x[3][3] = {{2, 3, 5}};
        double e[3];
        trm_expression *code = compile(texts[i]);
        jet(code, x, e);
        assert_close(texts[i], e[0], 2, 0);
        assert_close(texts[i], e[1], 3, 0);
        assert_close(texts[i], e[2], 5, 0);
        trm_expression_destroy(code);
    }
}

static void powers_are_smooth_at_zero(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double f, first, second;
    } cases[] = {{"x^1", 0, 1, 0}, {"x^2", 0, 0, 2}, {"x^3", 0, 0, 0}, {"x^2*c", 0, 0, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double x[3][3] = {{0, 1, 0}};
        double e[3];
        trm_expression *code = compile(cases[i].text);
        jet(code, x, e);
        assert_close(cases[i].text, e[0], cases[i].f, 0);
        assert_close(cases[i].text, e[1], cases[i].first, 0);
        assert_close(cases[i].text, e[2], cases[i].second, 0);
        trm_expression_destroy(code);
    }
}

// ------------------------------------------------------------------------------------------ errors

static void refuse(const char *text, size_t column, const char *message)
{
    trm_expression *code = NULL;
    trm_expression_error error = {0};
    assert_int_equal(trm_expression_compile(text, resolve, NULL, &code, &error), TRM_ERR_SYNTAX);
    assert_null(code);
    assert_string_equal(error.message, message);
    assert_int_equal(error.column, column);
}

static void errors_say_what_and_where(void **state)
{
    (void)state;
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
    refuse("x = y", 2, "expected an operator, got '='; move all to one side: x - y");
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

static void hostile_texts_are_refused(void **state)
{
    (void)state;
    static const char *const deep[] = {"(", "x^", "sin(", "-(", "min(1,", "x+("};
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        trm_expression *code = NULL;
        trm_expression_error error = {0};
        char *text = repeat(deep[i], 2000, "x");
        assert_int_equal(trm_expression_compile(text, resolve, NULL, &code, &error),
                         TRM_ERR_SYNTAX);
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

static void long_and_deep_texts_within_the_limits_work(void **state)
{
    (void)state;
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

static void function_names_are_listed(void **state)
{
    (void)state;
    int n = 0;
    while (trm_expression_function(n)) {
        assert_true(trm_expression_is_function(trm_expression_function(n)));
        n++;
    }
    assert_int_equal(n, 26);
    assert_false(trm_expression_is_function("sine"));
}

// ---------------------------------------------------------------- conditions, steps and their kin

static void conditions_and_branches_have_their_values(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"x < 2", 1},
        {"x < 1", 0},
        {"x <= 1", 1},
        {"x > 1", 0},
        {"x >= 1", 1},
        {"x == 1", 1},
        {"x != 1", 0},
        {"(x < 2)*5", 5},
        {"x < 2 ? 7 : 8", 7},
        {"x > 2 ? 7 : y > 1 ? 9 : 10", 9},
        {"if(x < 2, 7, 8)", 7},
        {"if(x > 2 or y > 1, 7, 8)", 7},
        {"if(x > 2 and y > 1, 7, 8)", 8},
        {"if(not x > 2 and not (y > 5), 7, 8)", 7},
        {"if(x > 0, x, sqrt(-x))", 1},
        {"if(c, 1, 2)", 1},
        {"if(c > 5, 1/0, 2)", 2},
        {"if(x > 0 and c, 1, 2)", 1},
        {"sign(x - 4) + sign(x) + sign(x - 1)", 0},
        {"floor(-y/4) + 10*floor(y/4)", -1},
        {"ceil(-y/4) + 10*ceil(y/4)", 10},
        {"mod(7*x, 3)", 1},
        {"mod(-7*x, 3)", 2},
        {"mod(7*x, -3)", -2},
        {"clamp(x, 2, 3) + 10*clamp(x, -1, 0.5) + 100*clamp(x, 0, 4)", 107},
        {"step(x, 0, 2)", 0.5},
        {"step(x, 1, 2) + 10*step(x, 0, 1)", 10},
        {"step(x, 2, 0)", 0.5},
        {"step(x, 0, -4, 2, 8)", 2},
        {"step(x, 0, 4)", 0.103515625},
        {"pulse(x, 1, 2) + 10*pulse(x, 0, 1) + 100*pulse(x, 0, 1.5)", 101},
        {"pulse(x, 0.5, 4, 1)", 0.5},
        {"pulse(y, 0, 2.5, 1)", 0.5},
        {"pulse(y, 0, 4, 1)", 1},
    };
    const double x[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_close(cases[i].text, value(code, x), cases[i].value, 1e-15);
        trm_expression_destroy(code);
    }
}

static void undefined_conditions_are_nan(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "if(sqrt(-x) > 0, 1, 2)",
        "sqrt(-x) > 0 and x > 5",
        "x > 0 or sqrt(-x) > 0",
        "not sqrt(-x) > 0",
        "sign(log(-x))",
        "floor(log(-x))",
        "mod(x, 0*x)",
        "step(log(-x), 0, 1)",
        "clamp(log(-x), 0, 1)",
        "floor(1e300*x)",
        "if(sqrt(-1) > 0, 1, 2)",
        "pulse(log(-x), 0, 1)",
    };
    const double x[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        trm_expression *code = compile(texts[i]);
        if (!isnan(value(code, x))) {
            fail_msg("%s: %g", texts[i], value(code, x));
        }
        trm_expression_destroy(code);
    }
}

static void branches_have_their_closed_derivatives(void **state)
{
    (void)state;
    const double a = 0.4, s = 0.7;
    const closed_form cases[] = {
        {"if(x > 0, x^2, x^3)", a, a * a, 2 * a, 2},
        {"if(x > 0, x^2, x^3)", -a, -a * a * a, 3 * a * a, -6 * a},
        {"(x > 0)*x^2", a, a * a, 2 * a, 2},
        {"sign(x)*x", -a, a, -1, 0},
        {"floor(x) + x", a, a, 1, 0},
        {"mod(x^2, 0.1)", a, 0.06, 2 * a, 2},
        {"mod(1, x)", a, 0.2, -2, 0},
        {"clamp(x^2, -1, 1)", a, a * a, 2 * a, 2},
        {"clamp(x^2, 1, 2)", a, 1, 0, 0},
        {"step(x, 0, 1)", s, s * s * s * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s) * (1 - s),
         60 * s * (1 - s) * (1 - 2 * s)},
        {"step(2*x, -1, 3, 2.8, 5)", 0.45, 4, 2 * 2 / 3.8 * 1.875, 0},
        {"step(x, 0, 1)", 1.5, 1, 0, 0},
        {"pulse(x, 0, 2, 1)", s, s * s * s * (10 - 15 * s + 6 * s * s),
         30 * s * s * (1 - s) * (1 - s), 60 * s * (1 - s) * (1 - 2 * s)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const closed_form *c = &cases[i];
        const double speed = 1.7, acceleration = -0.6;
        const double x[3][3] = {{c->x, speed, acceleration}};
        double e[3], gradient[1], *w;
        trm_expression *code = compile(c->text);
        jet(code, x, e);
        assert_close(c->text, e[0], c->f, 1e-15);
        assert_close(c->text, e[1], c->first * speed, 4e-15);
        assert_close(c->text, e[2], c->second * speed * speed + c->first * acceleration, 1e-14);
        w = workspace(code);
        assert_close(c->text, trm_expression_gradient(code, &c->x, w, gradient), c->f, 1e-15);
        assert_close(c->text, gradient[0], c->first, 4e-15);
        free(w);
        trm_expression_destroy(code);
    }
}

static void what_people_type_is_told(void **state)
{
    (void)state;
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
    refuse("table(cam, x)", 6, "no table \"cam\"");
}

// ---------------------------------------------------------------------------------------- switches

static void switches_are_listed(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int n;
        struct {
            trm_switch_kind kind;
            const char *name;
            int smoothness, of_time, column;
        } wanted[4];
    } cases[] = {
        {"min(x, 1) + abs(y)",
         2,
         {{TRM_SWITCH_SIGN, "min", 0, 1, 0}, {TRM_SWITCH_SIGN, "abs", 0, 0, 12}}},
        {"max(x, c, 7, 8)", 3, {{TRM_SWITCH_SIGN, "max", 0, 1, 0}}},
        {"max(0, x)^3", 1, {{TRM_SWITCH_SIGN, "max", 2, 1, 0}}},
        {"max(1, x)^3", 1, {{TRM_SWITCH_SIGN, "max", 0, 1, 0}}},
        {"if(x < 1 and y > 2, x, y)",
         2,
         {{TRM_SWITCH_SIGN, "<", -1, 1, 5}, {TRM_SWITCH_SIGN, ">", -1, 0, 15}}},
        {"if(c > 1, x, abs(y))", 0, {{0}}},
        {"2*floor(x) + ceil(y) + mod(x, 3)",
         3,
         {{TRM_SWITCH_FLOOR, "floor", -1, 1, 2},
          {TRM_SWITCH_CEIL, "ceil", -1, 0, 13},
          {TRM_SWITCH_FLOOR, "mod", -1, 1, 23}}},
        {"step(x, 0, 1) + clamp(x*y, 0, 1)",
         3,
         {{TRM_SWITCH_STEP, "step", 2, 1, 0},
          {TRM_SWITCH_SIGN, "clamp", 0, 0, 16},
          {TRM_SWITCH_SIGN, "clamp", 0, 0, 16}}},
        {"sin(x)", 0, {{0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_int_equal(trm_expression_switches(code), cases[i].n);
        for (int k = 0; k < cases[i].n && cases[i].wanted[k].name; k++) {
            const trm_switch found = trm_expression_switch(code, k);
            assert_int_equal(found.kind, cases[i].wanted[k].kind);
            assert_string_equal(found.name, cases[i].wanted[k].name);
            assert_int_equal(found.smoothness, cases[i].wanted[k].smoothness);
            assert_int_equal(found.of_time, cases[i].wanted[k].of_time);
            assert_int_equal(found.of_rest, !cases[i].wanted[k].of_time);
            assert_int_equal(found.column, cases[i].wanted[k].column);
            assert_int_equal(found.text, 0);
        }
        trm_expression_destroy(code);
    }
}

/// All switches of an expression, their functions and branches at x.
static void branches_at(const trm_expression *code, const double *x, double *g, trm_branch *branch)
{
    double *w = workspace(code);
    trm_expression_switch_values(code, x, NULL, w, g);
    for (int k = 0; k < trm_expression_switches(code); k++) {
        branch[k] = trm_switch_branch(code, k, g[k]);
    }
    free(w);
}

static const char *const switched[] = {
    "min(x, 1)*abs(y) + max(x, y, tip.x)",
    "if(x > 0.5 and not y > 3, sin(x), cos(x*y))",
    "floor(3*x) + x*ceil(2*y) + mod(x*y, 0.3)",
    "step(x, 0, 1)*step(y, -1, 3, 4, 5) + pulse(x, 0, 2, 0.7)",
    "clamp(x*y, -0.2, 0.2) + sign(y)*x^2",
    "if(max(x, y) > tip.x, floor(x), abs(min(x, tip.x)))",
};

/// What the switches say agrees with the branches that the evaluation takes by itself, to the bit.
static void frozen_where_it_stands_is_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof switched / sizeof switched[0]; i++) {
        trm_expression *code = compile(switched[i]);
        double g[16], *w = workspace(code);
        trm_branch branch[16];
        for (int k = 0; k < 200; k++) {
            const double x[3] = {2 * sin(k), 5 * sin(2.3 * k), 3 * cos(1.1 * k)};
            const double jets[3][3] = {{x[0], 1, 2}, {x[1], 3, 4}, {x[2], 5, 6}};
            double live[3], frozen[3];
            branches_at(code, x, g, branch);
            assert_true(trm_expression_value(code, x, w) ==
                        trm_expression_value_in(code, x, branch, w));
            trm_expression_jet(code, jets, w, live);
            trm_expression_jet_in(code, jets, branch, w, frozen);
            assert_memory_equal(live, frozen, sizeof live);
            for (int s = 0; s < trm_expression_switches(code); s++) {
                double lo, hi;
                trm_switch_interval(code, s, branch[s], &lo, &hi);
                assert_true(lo <= g[s] && g[s] <= hi);
            }
        }
        free(w);
        trm_expression_destroy(code);
    }
}

/// A frozen branch goes on smoothly beyond its interval: its jet is that of one polynomial.
static void frozen_branches_continue(void **state)
{
    (void)state;
    const struct {
        const char *text;
        trm_branch branch;
        double x, value, slope;
    } cases[] = {
        {"min(x, 1)", -1, 3, 3, 1},      {"min(x, 1)", 1, -3, 1, 0},
        {"abs(x)", 1, -2, -2, 1},        {"abs(x)", -1, 2, -2, -1},
        {"floor(x)", 3, 9.5, 3, 0},      {"mod(x, 2)", 3, 9.5, 3.5, 1},
        {"(x > 0)*x", 1, -2, -2, 1},     {"if(x > 0, x, 5)", -1, 2, 5, 0},
        {"step(x, 0, 1)", 0, 0.5, 0, 0}, {"step(x, 0, 1)", 2, 0.5, 1, 0},
        {"sign(x)", -1, 2, -1, 0},       {"step(x, 0, 1)", 1, 2, 32, 120},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        const double x[1][3] = {{cases[i].x, 1, 0}};
        double e[3], *w = workspace(code);
        trm_expression_jet_in(code, x, &cases[i].branch, w, e);
        assert_close(cases[i].text, e[0], cases[i].value, 1e-15);
        assert_close(cases[i].text, e[1], cases[i].slope, 1e-15);
        free(w);
        trm_expression_destroy(code);
    }
}

static void switching_functions_have_jets(void **state)
{
    (void)state;
    trm_expression *code = compile("abs(x^2 - 2) + (x*y < 3) + mod(x, y)");
    const double x[3][3] = {{2, 3, 5}, {7, 1, -1}};
    double g[3][3], *w = workspace(code);
    trm_expression_switch_jets(code, x, NULL, w, g);
    const double wanted[3][3] = {
        {2, 12, 2 * 9 + 4 * 5},
        {11, 3 * 7 + 2, 5 * 7 + 2 * 3 - 2},
        {2.0 / 7, (3 * 7 - 2) / 49.0, ((5 * 7 + 2) * 7 - 2 * 19) / 343.0},
    };
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            assert_close("g", g[k][i], wanted[k][i], 1e-14);
        }
    }
    free(w);
    trm_expression_destroy(code);
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

static void definitions_are_computed_once(void **state)
{
    (void)state;
    const double x[3][3] = {{3, 1, 0}};
    trm_expression *code = NULL;
    trm_expression_error error;
    assert_int_equal(trm_expression_compile("d40 + d40", resolve_definitions, NULL, &code, &error),
                     TRM_OK);
    double e[3], gradient[1], *w = workspace(code);
    trm_expression_jet(code, x, w, e);
    assert_true(e[0] == ldexp(3, 41) && e[1] == ldexp(1, 41) && e[2] == 0);
    assert_true(trm_expression_value(code, x[0], w) == e[0]);
    assert_true(trm_expression_gradient(code, x[0], w, gradient) == e[0]);
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
        assert_int_equal(
            trm_expression_compile(cases[i].text, resolve_definitions, NULL, &code, &error),
            TRM_OK);
        assert_close(cases[i].text, value(code, at), cases[i].value, 0);
        trm_expression_destroy(code);
    }
    assert_int_equal(trm_expression_compile("x + kink", resolve_definitions, NULL, &code, &error),
                     TRM_OK);
    assert_int_equal(trm_expression_switch(code, 0).text, 106);
    assert_int_equal(trm_expression_switch(code, 0).column, 2);
    trm_expression_destroy(code);
}

static void bad_definitions_say_where(void **state)
{
    (void)state;
    trm_expression *code = NULL;
    trm_expression_error error;
    assert_int_equal(trm_expression_compile("x + a", resolve_definitions, NULL, &code, &error),
                     TRM_ERR_SYNTAX);
    assert_string_equal(error.message, "\"a\" is defined by itself");
    assert_int_equal(error.text, 102);
    assert_int_equal(error.column, 4);
    assert_int_equal(trm_expression_compile("x + bad", resolve_definitions, NULL, &code, &error),
                     TRM_ERR_SYNTAX);
    assert_int_equal(error.text, 104);
    assert_int_equal(error.column, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_precedence),
        cmocka_unit_test(nothing_hides_a_nan),
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(code_can_be_copied),
        cmocka_unit_test(functions_have_their_closed_derivatives),
        cmocka_unit_test(jets_agree_with_differences),
        cmocka_unit_test(gradients_are_first_derivatives_of_jets),
        cmocka_unit_test(resting_arguments_do_not_spoil_derivatives),
        cmocka_unit_test(powers_are_smooth_at_zero),
        cmocka_unit_test(errors_say_what_and_where),
        cmocka_unit_test(hostile_texts_are_refused),
        cmocka_unit_test(long_and_deep_texts_within_the_limits_work),
        cmocka_unit_test(function_names_are_listed),
        cmocka_unit_test(conditions_and_branches_have_their_values),
        cmocka_unit_test(undefined_conditions_are_nan),
        cmocka_unit_test(branches_have_their_closed_derivatives),
        cmocka_unit_test(what_people_type_is_told),
        cmocka_unit_test(switches_are_listed),
        cmocka_unit_test(frozen_where_it_stands_is_the_same),
        cmocka_unit_test(frozen_branches_continue),
        cmocka_unit_test(switching_functions_have_jets),
        cmocka_unit_test(definitions_are_computed_once),
        cmocka_unit_test(bad_definitions_say_where),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
