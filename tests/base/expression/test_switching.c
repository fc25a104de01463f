/// Conditions and branches of expressions: values, switching functions, branches that are frozen.
#include "tests/base/expression/expressions.h"
#include "tests/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- conditions, steps and their kin

CLAIM(conditions_and_branches_have_their_values)
{
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

CLAIM(undefined_conditions_are_nan)
{
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

// ---------------------------------------------------------------------------------------- switches

CLAIM(switches_are_listed)
{
    const struct {
        const char *text;
        int n;
        struct {
            trm_switching_kind kind;
            const char *name;
            int smoothness, of_time, column;
        } wanted[4];
    } cases[] = {
        {"min(x, 1) + abs(y)",
         2,
         {{TRM_SWITCHING_SIGN, "min", 0, 1, 0}, {TRM_SWITCHING_SIGN, "abs", 0, 0, 12}}},
        {"max(x, c, 7, 8)", 3, {{TRM_SWITCHING_SIGN, "max", 0, 1, 0}}},
        {"max(0, x)^3", 1, {{TRM_SWITCHING_SIGN, "max", 2, 1, 0}}},
        {"max(1, x)^3", 1, {{TRM_SWITCHING_SIGN, "max", 0, 1, 0}}},
        {"if(x < 1 and y > 2, x, y)",
         2,
         {{TRM_SWITCHING_SIGN, "<", -1, 1, 5}, {TRM_SWITCHING_SIGN, ">", -1, 0, 15}}},
        {"if(c > 1, x, abs(y))", 0, {{0}}},
        {"2*floor(x) + ceil(y) + mod(x, 3)",
         3,
         {{TRM_SWITCHING_FLOOR, "floor", -1, 1, 2},
          {TRM_SWITCHING_CEIL, "ceil", -1, 0, 13},
          {TRM_SWITCHING_FLOOR, "mod", -1, 1, 23}}},
        {"step(x, 0, 1) + clamp(x*y, 0, 1)",
         3,
         {{TRM_SWITCHING_STEP, "step", 2, 1, 0},
          {TRM_SWITCHING_SIGN, "clamp", 0, 0, 16},
          {TRM_SWITCHING_SIGN, "clamp", 0, 0, 16}}},
        {"max(0, x)^3 + y*max(0, x)", 1, {{TRM_SWITCHING_SIGN, "max", 0, 1, 0}}},
        {"min(x, 1) + if(abs(y) > 2, x + abs(y), min(x, 1))",
         3,
         {{TRM_SWITCHING_SIGN, "min", 0, 1, 0},
          {TRM_SWITCHING_SIGN, "abs", 0, 0, 15},
          {TRM_SWITCHING_SIGN, ">", -1, 0, 22}}},
        {"sin(x)", 0, {{0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        assert_int_equal(trm_expression_switching_functions(code), cases[i].n);
        for (int k = 0; k < cases[i].n && cases[i].wanted[k].name; k++) {
            const trm_switching_function found = trm_expression_switching_function(code, k);
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
static void branches_at(const trm_expression *code, const double *x, double *g,
                        trm_switching_mode *mode)
{
    double *w = workspace(code);
    trm_expression_switching_values(code, x, NULL, w, g);
    for (int k = 0; k < trm_expression_switching_functions(code); k++) {
        mode[k] = trm_switching_mode_at(code, k, g[k]);
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
CLAIM(frozen_where_it_stands_is_the_same)
{
    for (size_t i = 0; i < sizeof switched / sizeof switched[0]; i++) {
        trm_expression *code = compile(switched[i]);
        double g[16], *w = workspace(code);
        trm_switching_mode mode[16];
        for (int k = 0; k < 200; k++) {
            const double x[3] = {2 * sin(k), 5 * sin(2.3 * k), 3 * cos(1.1 * k)};
            const double jets[3][3] = {{x[0], 1, 2}, {x[1], 3, 4}, {x[2], 5, 6}};
            double live[3], frozen[3];
            branches_at(code, x, g, mode);
            assert_true(trm_expression_value(code, x, w) ==
                        trm_expression_value_in(code, x, mode, w));
            trm_expression_jet(code, jets, w, live);
            trm_expression_jet_in(code, jets, mode, w, frozen);
            assert_memory_equal(live, frozen, sizeof live);
            for (int s = 0; s < trm_expression_switching_functions(code); s++) {
                double lo, hi;
                trm_switching_mode_interval(code, s, mode[s], &lo, &hi);
                assert_true(lo <= g[s] && g[s] <= hi);
            }
        }
        free(w);
        trm_expression_destroy(code);
    }
}

/// A frozen branch goes on smoothly beyond its interval: its jet is that of one polynomial.
CLAIM(frozen_branches_continue)
{
    const struct {
        const char *text;
        trm_switching_mode mode;
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
        trm_expression_jet_in(code, x, &cases[i].mode, w, e);
        assert_close(cases[i].text, e[0], cases[i].value, 1e-15);
        assert_close(cases[i].text, e[1], cases[i].slope, 1e-15);
        free(w);
        trm_expression_destroy(code);
    }
}

/// Where the continued branch has no value, behind its interval, arguments are those at the edge of
/// a domain; without a switch that has been left the formula stays undefined.
CLAIM(frozen_branches_end_with_a_domain)
{
    const struct {
        const char *text;
        trm_switching_mode mode;
        double x, value, slope;
    } cases[] = {
        {"sqrt(abs(x))", 1, -0.25, 0, INFINITY},
        {"sqrt(abs(x))", -1, 0.25, 0, -INFINITY},
        {"abs(x)^2.5", 1, -1e-17, 0, 0},
        {"max(0, x)^1.5", -1, -1, 0, 0},
        {"if(x > 0, sqrt(x) + 1, 7)", 1, -1e-17, 1, INFINITY},
        {"sqrt(if(x > 0, x, -4*x))", 1, -1, 0, INFINITY},
        {"log(abs(x))", 1, -1e-17, -INFINITY, INFINITY},
        {"1/sqrt(abs(x))", 1, -1, INFINITY, -INFINITY},
        {"acos(min(x, 1))", -1, 1.5, 0, -INFINITY},
        {"asin(max(x, -1))", 1, -1.5, -1.57079632679489661923, INFINITY},
        {"sqrt(x) + abs(x - 2)", 1, -1, NAN, NAN}, // computed before the switch
        {"abs(x - 2) + sqrt(x)", -1, -1, NAN, NAN},
        {"abs(x)^2.5", 1, NAN, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_expression *code = compile(cases[i].text);
        const double x[1][3] = {{cases[i].x, 1, 0}};
        double e[3], slope, *w = workspace(code);
        const double value = trm_expression_value_in(code, x[0], &cases[i].mode, w);
        trm_expression_jet_in(code, x, &cases[i].mode, w, e);
        assert_true(isnan(cases[i].value) ? isnan(value) : value == cases[i].value);
        assert_true(isnan(value) ? isnan(e[0]) : e[0] == value);
        trm_expression_gradient_in(code, x[0], &cases[i].mode, w, &slope);
        assert_true(isnan(cases[i].slope) ? isnan(slope) : slope == cases[i].slope);
        assert_true(isnan(slope) ? isnan(e[1]) : e[1] == slope);
        free(w);
        trm_expression_destroy(code);
    }
}

/// Bounds of the rounding of g: of x - 0.1 a few units of 0.1, behind x + 1e6 as many of 1e6.
CLAIM(rounding_of_switching_functions)
{
    trm_expression *code =
        compile("abs(x - 0.1) + abs((x + 1e6) - 1e6 - 0.1) + abs(100*(x - 0.1))");
    const double x[1] = {0.1}, unit = 2.220446049250313e-16;
    double error[3], *w = workspace(code);
    trm_expression_switching_rounding(code, x, w, error);
    assert_true(error[0] >= 0.1 * unit && error[0] <= 0.4 * unit);
    assert_true(error[1] >= 1e6 * unit && error[1] <= 4e6 * unit);
    assert_true(error[2] >= 10 * unit && error[2] <= 40 * unit);
    free(w);
    trm_expression_destroy(code);
}

/// Pieces that join with two derivatives do so whatever rounding makes of the place and the width;
/// those whose slopes differ by 1e-9 do not.
CLAIM(smooth_steps_join_anywhere)
{
    const char *const step = "clamp((x - %.2f)/%.2f, 0, 1)^3*(10 - 15*clamp((x - %.2f)/%.2f, 0, 1)"
                             " + %s*clamp((x - %.2f)/%.2f, 0, 1)^2)";
    for (int i = 0; i < 400; i++) {
        const double begin = 0.01 * (7 * i % 211), width = 0.3 + 0.01 * (i % 71);
        for (int smooth = 0; smooth < 2; smooth++) {
            char text[200];
            snprintf(text, sizeof text, step, begin, width, begin, width,
                     smooth ? "6" : "6.000000001", begin, width);
            trm_expression *code = compile(text);
            if (trm_expression_is_smooth_in_time(code, 0) != smooth) {
                fail_msg("%s is %ssmooth", text, smooth ? "not " : "");
            }
            trm_expression_destroy(code);
        }
    }
}

/// Whatever else the formula names: its words with kinks look at the time, and join.
CLAIM(smooth_steps_join_among_other_variables)
{
    static const struct {
        const char *with; ///< %s: s^3 (10 - 15 s + k s^2), s = clamp(x, 0, 1)
        int smooth;       ///< with k = 6
    } cases[] = {
        {"tip.x - 0.1*%s", 1},
        {"%s*y", 1},
        {"y + tip.x*%s*sin(y)", 1},
        {"hypot(y - %s, tip.x) - 2", 1},
        {"sqrt(y)*%s", 1}, // half of the numbers are outside the domain
        {"max(0, y)^3*%s - tip.x", 1},
        {"(x > 2 ? 1 : %s) - y", 1},
        {"abs(y) + %s", 0},
        {"max(y, %s)", 0},
        {"(y > 0 ? 1 : 2)*%s", 0},
        {"y + 1e-7*abs(x - 0.3) + %s", 0},
        {"y^3*clamp(x, 0, 1) + %s", 0},
        {"max(0, y)^3*clamp(x, 0, 1) + %s", 0},
        {"max(0, -y)^3*clamp(x, 0, 1) + %s", 0},
        {"max(0, tip.x)^3*max(0, -y)^3*clamp(x, 0, 1) + %s", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int smooth = 0; smooth < 2; smooth++) {
            char text[200], step[100];
            snprintf(step, sizeof step,
                     "(clamp(x,0,1)^3*(10 - 15*clamp(x,0,1) + %s*clamp(x,0,1)^2))",
                     smooth ? "6" : "6.000001");
            const char *const at = strstr(cases[i].with, "%s");
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - cases[i].with), cases[i].with, step,
                     at + 2);
            trm_expression *code = compile(text);
            if (trm_expression_is_smooth_in_time(code, 0) != (smooth && cases[i].smooth)) {
                fail_msg("%s", text);
            }
            trm_expression_destroy(code);
        }
    }
}

/// s^3 (10 - 15 s + 6 s^2) has no slope and no curvature at s = 1: what is computed is rounding.
/// Its terms are below 15/w and 60/w^2.
CLAIM(rounding_of_jets)
{
    const double unit = 2.220446049250313e-16;
    for (int i = 1; i < 100; i++) {
        char text[120];
        const double w = 0.01 * i, x[1][3] = {{w, 1, 0}};
        double f[3], error[3];
        snprintf(text, sizeof text, "(x/%.2f)^3*(10 - 15*(x/%.2f) + 6*(x/%.2f)^2)", w, w, w);
        trm_expression *code = compile(text);
        double *space = malloc(2 * (size_t)trm_expression_workspace(code) * sizeof *space);
        assert_non_null(space);
        trm_expression_jet(code, x, space, f);
        trm_expression_jet_rounding(code, x, NULL, space, error);
        assert_true(fabs(f[0] - 1) <= error[0] && error[0] <= 200 * unit);
        assert_true(fabs(f[1]) <= error[1] && error[1] <= 1000 * unit / w);
        assert_true(fabs(f[2]) <= error[2] && error[2] <= 5000 * unit / (w * w));
        free(space);
        trm_expression_destroy(code);
    }
}

CLAIM(switching_functions_have_jets)
{
    trm_expression *code = compile("abs(x^2 - 2) + (x*y < 3) + mod(x, y)");
    const double x[3][3] = {{2, 3, 5}, {7, 1, -1}};
    double g[3][3], *w = workspace(code);
    trm_expression_switching_jets(code, x, NULL, w, g);
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
