/// exp(h J) in the span of a few vectors, and motions beside a motion: closed forms.
#include "simulation/studies/krylov_exponential.h"
#include "simulation/studies/tangent_sums.h"
#include "simulation/studies/variation.h"
#include "tests/rig.h"

#include <string.h>

/// q'' = -c q' - k q: (q, v) and (v, -c v - k q)
static void pair(double c, double k, double q, double v, double *at, double *image)
{
    at[0] = q, at[4] = v;
    image[0] = v, image[4] = -c * v - k * q;
}

/// The same after h s, overdamped or a saddle: two real exponents.
static void exact(double c, double k, double h, const double *x, double *out)
{
    const double root = sqrt(c * c / 4 - k), a = -c / 2 + root, b = -c / 2 - root;
    const double first = (x[4] - b * x[0]) / (a - b), other = (a * x[0] - x[4]) / (a - b);
    out[0] = first * exp(a * h) + other * exp(b * h);
    out[1] = first * a * exp(a * h) + other * b * exp(b * h);
}

/// x := exp(h J) x in the span of the first m
static void move(trm_krylov *span, int m, double h, double *x)
{
    double weight[TRM_KRYLOV_VECTORS];
    trm_krylov_project(span, x);
    trm_krylov_weights(span, m, h, weight);
    (void)trm_krylov_step(span, weight, x, x);
}

static void a_span_of_all_is_exact_however_long_the_step(void **state)
{
    (void)state;
    static const double laws[][2] = {{11, 10}, {10, 1}, {200, 3}, {0, -1}, {1, -2}};
    static const double steps[] = {1e-9, 0.01, 0.03, 0.1, 0.2, 0.5, 1, 2, 4, 7, 30};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++) {
            const double c = laws[i][0], k = laws[i][1];
            double at[3][8] = {{0}}, image[3][8] = {{0}};
            double x[8] = {0.7, 0, 0, 0, -1.3}, expected[2];
            pair(c, k, 1, 0.3, at[0], image[0]);
            pair(c, k, -2, -0.6, at[1], image[1]); // depends on the first
            pair(c, k, 0.2, 5, at[2], image[2]);
            trm_krylov span = {.n = 4,
                               .m = 3,
                               .omega = 2,
                               .at = {at[0], at[1], at[2]},
                               .image = {image[0], image[1], image[2]}};
            trm_krylov_orthonormalize(&span);
            assert_int_equal(span.m, 2);
            exact(c, k, steps[j], x, expected);
            move(&span, 2, steps[j], x);
            // J h loses eps |J| h of the largest value on the way, the series what images lose
            const double largest = fmax(2, fmax(fabs(expected[0]), fabs(expected[1])));
            const double times = (c + fabs(k)) * steps[j];
            const double lost = (1e-14 * (1 + times) * (1 + c) + 1e-10 * times) * largest;
            near("q", x[0], expected[0], lost);
            near("v", x[4], expected[1], lost);
        }
    }
}

/// The formulas of order k integrate t^(k-1) exactly, the corrector t^k up to k = 3.
static void formulas_of_every_order_integrate_polynomials(void **state)
{
    (void)state;
    static const double t[TRM_ADAMS] = {-0.7, -0.3, 0.2, 0.5};
    const double now = 0.9;
    for (int known = 1; known <= TRM_ADAMS; known++) {
        trm_adams step;
        trm_adams_weigh(t, known, now, &step);
        for (int degree = 0; degree <= known && degree < TRM_ADAMS; degree++) {
            double predicted = 0, corrected = step.corrected[TRM_ADAMS - 1] * pow(now, degree);
            for (int k = 0; k < TRM_ADAMS; k++) {
                predicted += step.predicted[k] * pow(t[k], degree);
                corrected += k > 0 ? step.corrected[k - 1] * pow(t[k], degree) : 0;
                assert_true(k >= TRM_ADAMS - known || fabs(step.predicted[k]) < 1e-50);
            }
            const double exact = (pow(now, degree + 1) - pow(t[3], degree + 1)) / (degree + 1);
            near("corrector", corrected, exact, 1e-14);
            if (degree < known) {
                near("predictor", predicted, exact, 1e-14);
            }
        }
    }
}

/// Four vectors that turn and are damped, also beside one another: J is known in the span of them,
/// and steps of any length are those of each.
static void a_span_of_four(void **state)
{
    (void)state;
    static const double laws[][2] = {{11, 10}, {0, -1}};
    for (double h = 1e-3; h < 10; h *= 3) {
        double at[4][8] = {{0}}, image[4][8] = {{0}}, x[8] = {0.7, -0.4, 0, 0, -1.3, 0.6};
        double expected[2][2];
        trm_krylov span = {.n = 4, .m = 4, .omega = 2};
        for (int i = 0; i < 4; i++) { // a pair in numbers 0 and 4, another in 1 and 5
            pair(laws[i / 2][0], laws[i / 2][1], 1, i % 2 ? 0.3 : -2, at[i] + i / 2,
                 image[i] + i / 2);
            span.at[i] = at[i];
            span.image[i] = image[i];
        }
        for (int i = 0; i < 2; i++) {
            exact(laws[i][0], laws[i][1], h, x + i, expected[i]);
        }
        trm_krylov_orthonormalize(&span);
        assert_int_equal(span.m, 4);
        move(&span, 4, h, x);
        for (int i = 0; i < 2; i++) {
            const double largest = fmax(2, fmax(fabs(expected[i][0]), fabs(expected[i][1])));
            const double lost = (1e-14 * (1 + 21 * h) * 12 + 1e-10 * 21 * h) * largest;
            near("q", x[i], expected[i][0], lost);
            near("v", x[4 + i], expected[i][1], lost);
        }
    }
}

/// Decays and growths as fast as each length of the series takes, and faster: known to 1e-10.
static void the_series_is_as_exact_as_images(void **state)
{
    (void)state;
    static const double rates[] = {0.1, 0.49, 0.51, 0.99, 1.9, 2.1, 3.9, 4.1, 7.9, 8.1, 20};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        for (int m = 2; m <= TRM_KRYLOV_VECTORS; m++) {
            const double rate = i % 2 ? rates[i] : -rates[i];
            double at[4][8] = {{0}}, image[4][8] = {{0}}, x[8] = {0, 0, 0, 0, 1, 1, 1, 1};
            trm_krylov span = {.n = 4, .m = m, .omega = 1};
            for (int k = 0; k < m; k++) {
                at[k][4 + k] = 1;
                image[k][4 + k] = rate / (k + 1);
                span.at[k] = at[k];
                span.image[k] = image[k];
            }
            trm_krylov_orthonormalize(&span);
            move(&span, m, 1, x);
            for (int k = 0; k < 4; k++) {
                const double exact = k < m ? exp(rate / (k + 1)) : 1;
                near("v", x[4 + k], exact, 1e-10 * fabs(rate) * fmax(1, exact));
            }
        }
    }
}

/// Beside the span J is zero: what is at right angles to it stays, and a vector of the span with an
/// image outside takes it along.
static void beside_the_span_nothing_moves(void **state)
{
    (void)state;
    double at[8] = {[4] = 3}, image[8] = {[4] = -6, [5] = 9}, x[8] = {5, 6, 0, 0, 1, 7};
    trm_krylov span = {.n = 4, .m = 1, .omega = 1, .at = {at}, .image = {image}};
    trm_krylov_orthonormalize(&span);
    move(&span, 1, 0.5, x);
    near("beside", x[0], 5, 0);
    near("beside", x[1], 6, 0);
    near("damped", x[4], exp(-1), 1e-15);
    near("taken along", x[5], 7 + 3 * (1 - exp(-1)) / 2, 1e-14);
}

/// A ball that spins freely: its angular velocity stays in the world, so that with u = dtheta'
///
///     u = dOmega + Omega x dtheta,   dOmega' = 0:   u' = Omega x u
///
/// Beside it flies a point, which does not turn.
static void beside_a_ball_that_spins(void **state)
{
    (void)state;
    static const double dq[9] = {1, 2, 3, 0.3, -0.2, 0.5, 7, 8, 9};
    static const double dv[9] = {4, 5, 6, -0.7, 0.4, 0.1, -3, 2, 5};
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":3,\"bodies\":[{\"name\":\"ball\",\"mass\":1,"
                      "\"shape\":{\"type\":\"sphere\",\"radius\":0.3},\"rpy\":[0.4,-1,2],"
                      "\"velocity\":[1,0,2],\"rate\":[3,-5,7]},{\"name\":\"point\",\"mass\":1,"
                      "\"shape\":{\"type\":\"point\"},\"velocity\":[0,1,0]}]}");
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    rig_ok(trm_sim_step(r.sim, &err), &err);
    double room[40], R[18], V[18], z[20], dz[20] = {0}, rate[9], q[9], v[9];
    trm_variation x = {
        .model = r.model, .n = 9, .nq = 10, .room = room, .R = R, .V = V, .A = V + 9};
    assert_true(trm_variation_is_known(r.model));
    trm_variation_look(&x, &r.sim->run);
    trm_variation_set(&x, 1e-6, dq, dv, z);
    trm_variation_rates(&x, 1e-6, dq, dv, dz, rate);
    trm_variation_of(&x, 1e-6, z, q, v);
    for (int i = 0; i < 9; i++) {
        const int j = 3 + (i + 1) % 3, k = 3 + (i + 2) % 3;
        near("dq", q[i], dq[i], 2e-5); // eps |dtheta| (|u| + |Omega| |dtheta|), and its roundoff
        near("dv", v[i], dv[i], 2e-5);
        near("dv'", rate[i], i < 3 || i > 5 ? 0 : V[j] * dv[k] - V[k] * dv[j], 2e-8);
    }
    rig_close(&r);
}

int test_krylov_exponential(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_of_all_is_exact_however_long_the_step),
        cmocka_unit_test(a_span_of_four),
        cmocka_unit_test(the_series_is_as_exact_as_images),
        cmocka_unit_test(formulas_of_every_order_integrate_polynomials),
        cmocka_unit_test(beside_the_span_nothing_moves),
        cmocka_unit_test(beside_a_ball_that_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
