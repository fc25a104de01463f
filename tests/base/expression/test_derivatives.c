/// Expressions: exact first and second derivatives, against closed forms and differences.
#include "tests/base/expression/expressions.h"
#include "tests/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void jet(const trm_expression *code, const double x[3][3], double out[3])
{
    double *w = workspace(code);
    trm_expression_jet(code, x, w, out);
    free(w);
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

CLAIM(functions_have_their_closed_derivatives)
{
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
    "dircos(x - 3*y, 2*x + y)",
    "hypot(x - y, 2*tip.x)",
    "sin(x*y)*exp(-tip.x^2)",
    "tip.x - sin(x)^2/(1 + cos(y)^2)",
    "sqrt(x^2 + y^2 + tip.x^2) - 1",
    "log(1 + x^4)*tanh(y - tip.x)",
    "asin(x*y)*acos(y)",
    "min(x, 10)*max(y, -10) + abs(y - 5)",
    "(x + y)*(x - y)*(tip.x + x)/(2 + y)^3",
};

CLAIM(jets_agree_with_differences)
{
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

CLAIM(gradients_are_first_derivatives_of_jets)
{
    for (size_t i = 0; i < sizeof composed / sizeof composed[0]; i++) {
        trm_expression *code = compile(composed[i]);
        const int n = trm_expression_variables(code);
        const double x[3] = {curve[0][0], curve[1][0], curve[2][0]};
        double gradient[3] = {0, 0, 0}, *w = workspace(code);
        const double f = trm_expression_gradient_in(code, x, NULL, w, gradient);
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

/// A number in [0, n), the same in every run.
static unsigned pick(unsigned *seed, unsigned n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % n;
}

/// A formula of x, y and tip.x whose parts are of size 1 and have derivatives of all orders but
/// where a minimum changes over; some parts are written twice.
static void write_formula(unsigned *seed, int depth, char *out, size_t size)
{
    static const char *const leaves[] = {"x", "y", "tip.x", "0.7", "c", "1", "0"};
    static const char *const forms[] = {
        "(%s + %s)",
        "(%s - %s)",
        "%s*%s",
        "%s/(2 + %s^2)",
        "sin(%s)*%s",
        "sqrt(1 + %s^2) + %s",
        "hypot(1 + %s^2, %s)",
        "atan2(%s, 3 + cos(%s))",
        "exp(-%s^2)*%s",
        "(2 + cos(%s))^(0.3*tanh(%s))",
        "tanh(%s)^3 - %s*1",
        "min(%s, %s)",
        "if(%s < %s, x*y, sin(x - y))",
        "step(%s, -1, 2) + %s",
        "log(2 + tanh(%s))*atan(%s)",
    };
    char a[4000], b[4000];
    if (depth == 0) {
        snprintf(out, size, "%s", leaves[pick(seed, 7)]);
        return;
    }
    write_formula(seed, depth - 1, a, sizeof a);
    write_formula(seed, pick(seed, 3) ? depth - 1 : 0, b, sizeof b);
    const int again = pick(seed, 4) == 0;
    const char *form = forms[pick(seed, sizeof forms / sizeof *forms)];
    const char *first = strstr(form, "%s"), *second = strstr(first + 2, "%s");
    snprintf(out, size, "%.*s(%s)%.*s(%s)%s", (int)(first - form), form, a,
             (int)(second - first - 2), first + 2, again ? a : b, second + 2);
}

/// Nonzero where no switching function is near its edge, so that differences see one mode.
static int keeps_its_modes(const trm_expression *code, const double x[3])
{
    enum { MOST = 64 };
    double g[MOST], *w = workspace(code);
    const int n = trm_expression_switching_functions(code);
    int far = n <= MOST;
    if (far) {
        trm_expression_switching_values(code, x, NULL, w, g);
    }
    for (int k = 0; far && k < n; k++) {
        far = fabs(g[k]) > 1e-2 && fabs(g[k] - 1) > 1e-2;
    }
    free(w);
    return far;
}

/// The gradient in one run back over the tape is that of a run along each variable, to rounding,
/// and that of differences of fourth order, to their error.
CLAIM(gradients_of_random_formulas)
{
    unsigned seed = 41;
    int compared = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const double h = 1e-3, x[3] = {pick(&seed, 1000) * 2e-3 - 1, pick(&seed, 1000) * 2e-3 - 1,
                                       pick(&seed, 1000) * 2e-3 - 1};
        char text[4000];
        write_formula(&seed, 1 + trial % 4, text, sizeof text);
        trm_expression *code = compile(text);
        double gradient[3] = {0, 0, 0}, *w = workspace(code);
        assert_close(text, trm_expression_gradient_in(code, x, NULL, w, gradient), value(code, x),
                     0);
        for (int k = 0; k < trm_expression_variables(code); k++) {
            double direction[3][3] = {{x[0], 0, 0}, {x[1], 0, 0}, {x[2], 0, 0}}, e[3], f[4];
            direction[k][1] = 1;
            jet(code, (const double(*)[3])direction, e);
            assert_close(text, gradient[k], e[1], 1e-13);
            for (int i = 0; i < 4; i++) {
                static const int steps[] = {-2, -1, 1, 2};
                double y[3] = {x[0], x[1], x[2]};
                y[k] += steps[i] * h;
                f[i] = value(code, y);
            }
            if (keeps_its_modes(code, x)) {
                assert_close(text, e[1], (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h), 1e-7);
                compared++;
            }
        }
        free(w);
        trm_expression_destroy(code);
    }
    assert_true(compared > 2000);
}

/// What is written twice is computed once, and what a formula multiplies by 1 not at all.
CLAIM(common_parts_are_computed_once)
{
    static const char *const same[][2] = {
        {"sin(x*y)*sin(x*y) + 1*tip.x", "sin(x*y)*sin(x*y) + tip.x"},
        {"x*y/tip.x + (x*y/tip.x)^3", "x*y/tip.x + (x*y/tip.x)^3 + 0"},
    };
    trm_expression *twice = compile("sin(x*y) + cos(x*y)"), *apart = compile("sin(x*y) + cos(x*c)");
    assert_true(trm_expression_bytes(twice) < trm_expression_bytes(apart));
    trm_expression_destroy(twice);
    trm_expression_destroy(apart);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const double x[3] = {0.3, 0.7, 1.1};
        trm_expression *a = compile(same[i][0]), *b = compile(same[i][1]);
        assert_int_equal(trm_expression_bytes(a), trm_expression_bytes(b));
        assert_true(value(a, x) == value(b, x));
        trm_expression_destroy(a);
        trm_expression_destroy(b);
    }
}

static int resolve_finite(const char *name, size_t length, trm_symbol *out, void *user)
{
    const int found = resolve(name, length, out, user);
    out->finite = 1;
    return found;
}

/// What is multiplied by 0 is left out where it is a number whatever the variables are.
CLAIM(zeros_hide_numbers_alone)
{
    const struct {
        const char *text;
        int hides; ///< nonzero: of finite variables
    } cases[] = {{"0*(x*y + sin(x)^2) + y", 1},
                 {"y - (-x)*0", 1},
                 {"0*sqrt(x) + y", 0},
                 {"0*(x/y) + y", 0},
                 {"0*max(x, y)", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_expression *any = compile(cases[i].text), *finite = NULL;
        assert_int_equal(parse(cases[i].text, resolve_finite, &finite, NULL), TRM_OK);
        assert_int_equal(trm_expression_bytes(finite) < trm_expression_bytes(any), cases[i].hides);
        trm_expression_destroy(any);
        trm_expression_destroy(finite);
    }
}

/// Where a condition is not a number, neither branch is taken.
CLAIM(a_condition_of_no_number_has_no_gradient)
{
    trm_expression *code = compile("if(log(x) < 1, y, x*y)");
    const double x[3] = {-1, 2, 0};
    double gradient[3] = {0, 0, 0}, *w = workspace(code);
    assert_true(isnan(value(code, x)));
    assert_true(isnan(trm_expression_gradient_in(code, x, NULL, w, gradient)));
    assert_true(isnan(gradient[0]) && isnan(gradient[1]));
    free(w);
    trm_expression_destroy(code);
}

/// d/ds of x + sqrt(y) with y resting at 0 is x', not NaN.
CLAIM(resting_arguments_do_not_spoil_derivatives)
{
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

CLAIM(powers_are_smooth_at_zero)
{
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

CLAIM(branches_have_their_closed_derivatives)
{
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
        assert_close(c->text, trm_expression_gradient_in(code, &c->x, NULL, w, gradient), c->f,
                     1e-15);
        assert_close(c->text, gradient[0], c->first, 4e-15);
        free(w);
        trm_expression_destroy(code);
    }
}
