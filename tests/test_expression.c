// Expressions: values, exact first and second derivatives, errors.

#include "scenes/expression.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/// x, y and tip.x are variables 0, 1, 2; c is the constant 3.
static int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    static const char *const variables[] = {"x", "y", "tip.x"};
    (void)user;
    for (int i = 0; i < 3; i++) {
        if (strlen(variables[i]) == length && !memcmp(name, variables[i], length)) {
            out->index = i;
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
    refuse("2**3", 2, "expected a number, a name or '(', got '*'");
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
    assert_int_equal(n, 17);
    assert_false(trm_expression_is_function("sine"));
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
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
