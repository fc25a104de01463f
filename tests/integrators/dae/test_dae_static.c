/// Equations without x', x = f - B y, 0 = g(x), of one unknown each: what is refused, and where.
#include "tests/near.h"
#include "trammel/trammel_dae.h"

#include <string.h>

/// f = 1, B = b, g = slope (x + bend x^2 - at)
typedef struct still {
    double b, slope, bend, at;
} still;

static int f(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 1;
    return 0;
}

static int B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    out[0] = ((const still *)user)->b;
    return 0;
}

static int g(double t, const double *x, double *out, void *user)
{
    (void)t;
    const still *p = user;
    out[0] = p->slope * (x[0] + p->bend * x[0] * x[0] - p->at);
    return 0;
}

static int G(double t, const double *x, double *out, void *user)
{
    (void)t;
    const still *p = user;
    out[0] = p->slope * (1 + 2 * p->bend * x[0]);
    return 0;
}

static trm_dae_problem problem_of(still *p)
{
    return (trm_dae_problem){
        .name = "still", .nx = 1, .ny = 1, .f = f, .B = B, .g = g, .G = G, .user = p};
}

static trm_dae_options by(trm_srm_matrix E, double epsilon)
{
    trm_dae_options o = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    o.E = E;
    o.epsilon = epsilon;
    return o;
}

static trm_status create(still p, const trm_dae_options *o, trm_dae_static **out, trm_error *err)
{
    static still kept;
    kept = p;
    const trm_dae_problem problem = problem_of(&kept);
    return trm_dae_static_create(&problem, o, 0, out, err);
}

/// y_s = (epsilon y_{s-1} + E g(1)) / (epsilon + E GB) from the y_0 given, however small GB is.
CLAIM(iterates_are_their_formula)
{
    for (int k = 0; k < 4; k++) {
        const trm_dae_options plain =
            by(k % 2 ? TRM_SRM_MATRIX_GB_INVERSE : TRM_SRM_MATRIX_IDENTITY, 0.3);
        const still p = {.b = k < 2 ? 2 : 0.01, .slope = k < 2 ? 1.5 : 0.2, .at = 4};
        const double y0 = 0.7, GB = p.b * p.slope, E = k % 2 ? 1 / GB : 1;
        trm_dae_options o = plain;
        trm_dae_static *s = NULL;
        trm_error err;
        o.start = TRM_DAE_START_GIVEN;
        o.y0 = &y0;
        assert_int_equal(create(p, &o, &s, &err), TRM_OK);
        double y = y0;
        for (int n = 0; n < 6; n++) {
            const trm_dae_state state = trm_dae_static_state(s);
            assert_near(state.y[0], y, 1e-13);
            assert_near(state.By[0], p.b * y, 1e-13);
            assert_near(state.x[0], 1 - p.b * y, 1e-13);
            assert_near(state.g[0], p.slope * (1 - p.b * y - 4), 1e-13);
            assert_near(state.drift, fabs(state.g[0]), 0);
            assert_true(state.t == 0);
            assert_int_equal(trm_dae_static_iterate(s, &err), TRM_OK);
            y = (0.3 * y + E * p.slope * (1 - 4)) / (0.3 + E * GB);
        }
        trm_dae_static_destroy(s);
    }
}

static int f_of_two(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 1;
    out[1] = 2;
    return 0;
}

static int unit_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

static int g_of_two(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = 2 * x[0] + x[1] - 5;
    out[1] = x[0] + 3 * x[1] + 1;
    return 0;
}

static int G_of_two(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 2;
    out[1] = out[2] = 1;
    out[3] = 3;
    return 0;
}

/// GB = (2 1; 1 3), g(f) = (-1, 8): (epsilon I + GB) y_1 = epsilon y_0 + g(f) by Cramer's rule.
CLAIM(two_rows_are_solved_together)
{
    const trm_dae_problem problem = {
        .name = "two", .nx = 2, .ny = 2, .f = f_of_two, .B = unit_B, .g = g_of_two, .G = G_of_two};
    const double e = 0.3, y0[2] = {0.7, -0.4};
    const double a = 2 + e, d = 3 + e, r[2] = {e * y0[0] - 1, e * y0[1] + 8};
    trm_dae_options o = by(TRM_SRM_MATRIX_IDENTITY, e);
    trm_dae_static *s = NULL;
    trm_error err;
    o.start = TRM_DAE_START_GIVEN;
    o.y0 = y0;
    assert_int_equal(trm_dae_static_create(&problem, &o, 0, &s, &err), TRM_OK);
    assert_int_equal(trm_dae_static_iterate(s, &err), TRM_OK);
    const trm_dae_state state = trm_dae_static_state(s);
    assert_near(state.y[0], (d * r[0] - r[1]) / (a * d - 1), 1e-13);
    assert_near(state.y[1], (a * r[1] - r[0]) / (a * d - 1), 1e-13);
    trm_dae_static_destroy(s);
}

static void check_refused(still p, const trm_dae_options *o, trm_status status, const char *where,
                          const char *says)
{
    trm_dae_static *s = NULL;
    trm_error err = {0};
    assert_int_equal(create(p, o, &s, &err), status);
    assert_null(s);
    if (!strstr(err.where, where) || !strstr(err.message, says)) {
        print_error("expected %s: %s, got %s: %s\n", where, says, err.where, err.message);
        fail();
    }
}

/// At v = sin 1 the second difference of g is 2 bend v^2 beside g(2 v) = 2 v, of any slope.
CLAIM(a_bend_of_1e_9_is_refused)
{
    const trm_dae_options o = by(TRM_SRM_MATRIX_IDENTITY, 0.1);
    for (int k = 0; k < 3; k++) {
        const double slope = k == 0 ? 1 : k == 1 ? 1e-6 : 1e6;
        const still bent = {.b = 1, .slope = slope, .bend = 1.1e-9 / sin(1.0)};
        const still straight = {.b = 1, .slope = slope, .bend = 0.9e-9 / sin(1.0)};
        trm_dae_static *s = NULL;
        trm_error err;
        check_refused(bent, &o, TRM_ERR_OPTIONS, "function g", "g must be affine in x");
        assert_int_equal(create(straight, &o, &s, &err), TRM_OK);
        trm_dae_static_destroy(s);
    }
    trm_dae_static *s = NULL;
    trm_error err;
    assert_int_equal(create((still){.b = 1}, &o, &s, &err), TRM_OK); // g = 0 is affine
    trm_dae_static_destroy(s);
}

CLAIM(what_cannot_be_solved_is_refused)
{
    const still p = {.b = 1, .slope = 2, .at = 3};
    trm_dae_options o = by(TRM_SRM_MATRIX_GB_TRANSPOSED, 0.1);
    static const char goes[] = "a problem without x' goes with SRM and E = I or (GB)^-1";
    check_refused(p, &o, TRM_ERR_OPTIONS, "options", goes);
    o = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    check_refused(p, &o, TRM_ERR_OPTIONS, "options", goes);
    o = by(TRM_SRM_MATRIX_IDENTITY, 0.5); // epsilon I + GB = 0
    check_refused((still){.b = -0.25, .slope = 2}, &o, TRM_ERR_SINGULAR, "", "");
    o = by(TRM_SRM_MATRIX_GB_INVERSE, 0.5);
    check_refused((still){.b = 0, .slope = 2}, &o, TRM_ERR_SINGULAR, "", "");
}

CLAIM(calls_without_a_problem_or_a_time_are_refused)
{
    const trm_dae_options o = by(TRM_SRM_MATRIX_IDENTITY, 0.1);
    still p = {.b = 1, .slope = 2, .at = 3};
    const trm_dae_problem problem = problem_of(&p);
    trm_dae_static *s = NULL;
    trm_error err;
    assert_int_equal(trm_dae_static_create(&problem, &o, 0, NULL, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "out");
    assert_int_equal(trm_dae_static_create(&problem, &o, NAN, &s, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "t");
    assert_int_equal(trm_dae_static_create(&problem, &o, 0, &s, &err), TRM_OK);
    assert_int_equal(trm_dae_static_renew(s, INFINITY, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "t");
    assert_int_equal(trm_dae_static_renew(NULL, 0, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "problem");
    assert_int_equal(trm_dae_static_renew(s, 2, &err), TRM_OK);
    assert_true(trm_dae_static_state(s).t == 2);
    trm_dae_static_destroy(s);
    assert_true(isnan(trm_dae_static_state(NULL).t) && isnan(trm_dae_static_state(NULL).drift));
}

/// epsilon + GB = 2e-300 and g = -1e9 make a y beyond all numbers.
CLAIM(a_y_beyond_all_numbers_is_told)
{
    const trm_dae_options o = by(TRM_SRM_MATRIX_IDENTITY, 1e-300);
    trm_dae_static *s = NULL;
    trm_error err;
    const still p = {.b = 1e-300, .slope = 1, .at = 1e9};
    assert_int_equal(create(p, &o, &s, &err), TRM_OK);
    assert_int_equal(trm_dae_static_iterate(s, &err), TRM_ERR_DIVERGED);
    trm_dae_static_destroy(s);
}
