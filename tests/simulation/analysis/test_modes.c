/// Eigenvalues and modes of the linearization against closed forms.
#include "tests/simulation/analysis/all_scenes.h"

#include <stdio.h>

static const char hanging_rod[] = PLANE
    "\"bodies\": [" ROD("rod", 0, 0, 0, -2) "], \"joints\": [" PIN("O", "ground", "rod", 0, 0) "]}";
static const char standing_rod[] = PLANE
    "\"bodies\": [" ROD("rod", 0, 0, 0, 2) "], \"joints\": [" PIN("O", "ground", "rod", 0, 0) "]}";

/// A rod of length l about its end: omega^2 = 3 g/(2 l); upside down it falls as fast.
CLAIM(a_rod_swings_and_falls_with_its_closed_form)
{
    const double omega = sqrt(3 * gravity / 4);
    bench b = parse(hanging_rod);
    trm_linear *linear = linearize(&b, 0, NULL);
    assert_int_equal(linear->d, 1);
    assert_int_equal(linear->nmodes, 1);
    assert_true(linear->at_rest);
    assert_int_equal(linear->stability, TRM_STABILITY_MARGINAL);
    check_mode(linear, 0, 0, omega);
    near("shape x", mode(linear, 0)->shape_re[0], 1, 1e-12); // 1 m at the centre turns it by 1 rad
    near("shape angle", mode(linear, 0)->shape_re[2], 1, 1e-12);
    trm_linear_destroy(linear);
    close_bench(&b);
    b = parse(standing_rod);
    linear = linearize(&b, 0, NULL);
    assert_int_equal(linear->nmodes, 2);
    assert_int_equal(linear->stability, TRM_STABILITY_UNSTABLE);
    near("falls", linear->growth, omega, 1e-9);
    near("and rises", fmin(mode(linear, 0)->re, mode(linear, 1)->re), -omega, 1e-9);
    trm_linear_destroy(linear);
    close_bench(&b);
}

#define BESIDE_A_DISC(x, y)                                                                        \
    PLANE "\"bodies\": [" ROD(                                                                     \
        "rod", 0, 0, x,                                                                            \
        y) ", {\"name\": \"disc\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0]}], "          \
           "\"joints\": [" PIN("O", "ground", "rod", 0, 0) "," PIN(                                \
               "A", "ground", "disc", 0, 0) "], \"forces\": [{\"name\": \"c\", \"type\": "         \
                                            "\"joint_spring_damper\", \"joint\": \"A\", "          \
                                            "\"damping\": 1e9}]}"

/// Beside a disc that a damper stops in 1 ns the rod swings as before; level it falls.
CLAIM(a_strong_damper_elsewhere_hides_no_mode)
{
    const char *const both[2] = {BESIDE_A_DISC(2, 0), BESIDE_A_DISC(0, -2)};
    for (int hangs = 0; hangs < 2; hangs++) {
        bench b = parse(both[hangs]);
        trm_linear *const linear = linearize(&b, 0, NULL);
        assert_int_equal(linear->at_rest, hangs);
        near("swings", hangs ? mode(linear, 1)->im : 0, hangs * sqrt(3 * gravity / 4), 1e-6);
        trm_linear_destroy(linear);
        close_bench(&b);
    }
}

/// Two rods: det(K - omega^2 M) = 0, M = (4/3 1/2; 1/2 1/3), K = g/l diag(3/2, 1/2):
/// omega^2 = (3 -+ 6/sqrt 7) g/l. In the slow mode the angles are as 1 : (3/2 - 4/3 x)/(x/2).
CLAIM(two_rods_swing_with_their_eigenproblem)
{
    bench b = parse(PLANE "\"bodies\": [" ROD("upper", 0, 0, 0, -1) "," ROD(
        "lower", 0, -1, 0, -2) "], \"joints\": [" PIN("O", "ground", "upper", 0,
                                                      0) "," PIN("A", "upper", "lower", 0,
                                                                 -1) "]}");
    trm_linear *const linear = linearize(&b, 0, NULL);
    assert_int_equal(linear->nmodes, 2);
    for (int k = 0; k < 2; k++) {
        const double x = 3 + (k ? 6 : -6) / sqrt(7);
        check_mode(linear, k, 0, sqrt(x * gravity));
        const trm_mode *const m = mode(linear, k);
        near("angles", m->shape_re[5] / m->shape_re[2], (1.5 - 4 * x / 3) / (x / 2), 1e-8);
    }
    trm_linear_destroy(linear);
    close_bench(&b);
}

/// m x'' + c x' + k x = 0, under and over the critical damping 2 sqrt(k m).
CLAIM(a_damped_mass_has_its_two_eigenvalues)
{
    const double m = 2, k = 300, damping[2] = {8, 80};
    for (int i = 0; i < 2; i++) {
        char json[900];
        snprintf(json, sizeof json,
                 PLANE "\"bodies\": [{\"name\": \"mass\", \"mass\": 2, \"inertia\": 1,"
                       " \"position\": [0, %.17g]}], \"markers\": ["
                       "{\"name\": \"top\", \"body\": \"ground\", \"at\": [0, 1]},"
                       "{\"name\": \"hook\", \"body\": \"mass\", \"on\": [0, 0]}],"
                       "\"joints\": [{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\":"
                       "[\"ground\", \"mass\"], \"at\": [0, 0], \"axis\": [0, 1]}],"
                       "\"forces\": [{\"name\": \"s\", \"type\": \"spring_damper\", \"markers\":"
                       "[\"top\", \"hook\"], \"stiffness\": 300, \"damping\": %g,"
                       " \"rest_length\": 1}]}",
                 -m * gravity / k, damping[i]);
        bench b = parse(json);
        const double B[3] = {0, 1, 0};
        const trm_output out[3] = {{.axis = {0, 1, 0}},
                                   {.axis = {0, 1, 0}, .derivative = 1},
                                   {.axis = {0, 1, 0}, .derivative = 2}};
        trm_error err = {.status = TRM_OK};
        trm_linear *linear = NULL;
        const trm_linear_task task = {.forces = B, .nforce = 1, .outputs = out, .noutput = 3};
        rig_ok(trm_query_linearize(b.query, 0, b.q, b.v, &task, &linear, &err), &err);
        const double half = damping[i] / (2 * m), square = k / m - half * half;
        assert_true(linear->at_rest);
        assert_int_equal(linear->stability, TRM_STABILITY_STABLE);
        if (square > 0) {
            check_mode(linear, 0, -half, sqrt(square));
            near("ratio", mode(linear, 0)->damping, damping[i] / (2 * sqrt(k * m)), 1e-10);
        } else {
            check_mode(linear, 0, -half + sqrt(-square), 0);
            check_mode(linear, 1, -half - sqrt(-square), 0);
        }
        // C (s - A)^-1 B + D at s = 0: x = F/k, x' = 0, x'' = 0; and at once: x'' = F/m
        const double *const A = linear->A;
        const double det = A[0] * A[3] - A[1] * A[2];
        const double x0 = -(A[3] * linear->B[0] - A[1] * linear->B[1]) / det;
        const double x1 = -(-A[2] * linear->B[0] + A[0] * linear->B[1]) / det;
        for (int o = 0; o < 3; o++) {
            near("static", linear->C[2 * o] * x0 + linear->C[2 * o + 1] * x1 + linear->D[o],
                 o == 0 ? 1 / k : 0, 1e-11);
            near("at once", linear->D[o], o == 2 ? 1 / m : 0, 1e-13);
        }
        trm_linear_destroy(linear);
        close_bench(&b);
    }
}

/// A body on a spherical joint, its centre l below: m g l/I about each level axis, and free about
/// the vertical. With a flywheel inside, here as the torque -H e x omega, precession and nutation:
/// s = i (-+H +- sqrt(H^2 + 4 I m g l))/(2 I); standing, it is stable from H^2 = 4 I m g l on.
CLAIM(a_gyroscope_precesses_with_its_closed_form)
{
    static const struct {
        double sign, H;
        trm_stability stability;
    } cases[] = {{-1, 0, TRM_STABILITY_MARGINAL},
                 {-1, 9, TRM_STABILITY_MARGINAL},
                 {1, 14, TRM_STABILITY_MARGINAL},
                 {1, 5, TRM_STABILITY_UNSTABLE}};
    const double l = 0.5, m = 2, I = 0.6 + m * l * l;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double H = cases[k].H, z = cases[k].sign * l;
        char json[900];
        snprintf(
            json, sizeof json,
            "{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\","
            " \"mass\": 2, \"inertia\": [0.6, 0.6, 0.4], \"position\": [0, 0, %.17g]}],"
            "\"joints\": [{\"name\": \"tip\", \"type\": \"spherical\", \"bodies\": [\"ground\","
            "\"top\"], \"at\": [0, 0, 0]}], \"forces\": [{\"name\": \"flywheel\", \"type\":"
            " \"torque\", \"body\": \"top\", \"axes\": \"body\", \"value\":"
            "[\"%g*top.wy\", \"-%g*top.wx\", 0]}]}",
            z, H, H);
        bench b = parse(json);
        trm_linear *const linear = linearize(&b, 0, NULL);
        const double root = H * H - 4 * I * m * gravity * z;
        assert_int_equal(linear->d, 3);
        assert_true(linear->at_rest);
        assert_int_equal(linear->stability, cases[k].stability);
        assert_int_equal(linear->stability == TRM_STABILITY_UNSTABLE, root < 0);
        near("free about the vertical", hypot(mode(linear, 0)->re, mode(linear, 0)->im), 0, 1e-5);
        if (root >= 0) {
            const double slow = fabs(sqrt(root) - H) / (2 * I), fast = (sqrt(root) + H) / (2 * I);
            near("precession", mode(linear, linear->nmodes - 2)->im, slow, 1e-7);
            near("nutation", mode(linear, linear->nmodes - 1)->im, fast, 1e-7);
        } else {
            near("falls", linear->growth, sqrt(-root) / (2 * I), 1e-8);
        }
        trm_linear_destroy(linear);
        close_bench(&b);
    }
}

/// A top asleep: spinning at omega about the vertical, which is no rest. Its turn is measured about
/// its own axis alone, so that the lean is that of the centre, which does not spin with the body:
/// the textbook's precession and nutation,
///   I s^2 - i I3 omega s - m g l = 0,   I about the tip
CLAIM(a_sleeping_top_is_linearized_in_motion)
{
    const double l = 0.5, m = 2, I = 0.6 + m * l * l, I3 = 0.4, omega = 100;
    bench b =
        parse("{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\","
              " \"mass\": 2, \"inertia\": [0.6, 0.6, 0.4], \"position\": [0, 0, 0.5],"
              " \"rate\": [0, 0, 100]}], \"joints\": [{\"name\": \"tip\", \"type\":"
              " \"spherical\", \"bodies\": [\"ground\", \"top\"], \"at\": [0, 0, 0]}]}");
    trm_linear *const linear = linearize(&b, 0, NULL);
    assert_false(linear->at_rest);
    near("drift", hypot(hypot(linear->drift[0], linear->drift[1]), linear->drift[2]),
         omega * sqrt(I3), 1e-10);
    const double square = I3 * I3 * omega * omega - 4 * I * m * gravity * l;
    assert_true(square > 0);
    const double one = (I3 * omega - sqrt(square)) / (2 * I);
    const double other = (I3 * omega + sqrt(square)) / (2 * I);
    const int n = linear->nmodes;
    near("slow", mode(linear, n - 2)->im, fmin(one, other), 1e-6);
    near("fast", mode(linear, n - 1)->im, fmax(one, other), 1e-6);
    near("slow", mode(linear, n - 2)->re, 0, 1e-6);
    trm_linear_destroy(linear);
    close_bench(&b);
}

/// The two-link arm whose tip keeps to a parabola: in angles, as equations, and as a scene of
/// bodies.
CLAIM(equations_have_the_modes_of_the_bodies)
{
    trm_error err = {.status = TRM_OK};
    trm_equilibrium found;
    double frequency[2];
    for (int k = 0; k < 2; k++) {
        bench b = open_bench(k ? rig_equations(&parabola_arm) : rig_load("arm_parabola", NULL));
        rig_ok(trm_query_equilibrium(b.query, NULL, b.q, NULL, &found, &err), &err);
        memset(b.v, 0, (size_t)b.n.nv * sizeof(double));
        trm_linear *const linear = linearize(&b, 0, NULL);
        assert_int_equal(linear->d, 1);
        assert_int_equal(linear->stability, TRM_STABILITY_MARGINAL);
        frequency[k] = mode(linear, 0)->frequency;
        trm_linear_destroy(linear);
        close_bench(&b);
    }
    assert_true(frequency[0] > 0.1);
    near("frequency", frequency[1], frequency[0], 1e-8);
}

/// A wheel on a spring of stiffness k beside a swinging rod: s = +- i sqrt(k/J) within the error,
/// from springs that are found to springs that are not found. Without one s = 0 twice in one vector
/// (angle' = rate): errors of A of relative size e move it by sqrt(e), and e is roundoff over a
/// step, 1e-14 or less.
CLAIM(a_wheel_is_free_up_to_the_root_of_roundoff)
{
    for (int k = 0; k <= 40; k++) {
        char json[900];
        const double stiffness = k < 40 ? 100 * pow(10, -k / 2.0) : 0;
        snprintf(
            json, sizeof json,
            PLANE "\"bodies\": [" ROD(
                "rod", 0, 0, 0, -2) ",{\"name\": \"wheel\", \"mass\": 2,"
                                    " \"inertia\": 0.5, \"position\": [3, 0]}], \"joints\": [" PIN(
                                        "O", "ground", "rod", 0,
                                        0) "," PIN("A", "ground", "wheel", 3,
                                                   0) "], \"forces\": [{\"name\": \"f\", \"type\": "
                                                      "\"joint_spring_damper\", \"joint\": \"A\","
                                                      " \"stiffness\": %.17g}]}",
            stiffness);
        bench b = parse(json);
        trm_linear *const linear = linearize(&b, 0, NULL);
        const double exact = sqrt(stiffness / 0.5), rod = sqrt(3 * gravity / 4);
        double least = INFINITY, error = 0;
        for (int i = 0; i < linear->nmodes; i++) {
            const trm_mode *const m = mode(linear, i);
            const double off = hypot(m->re, m->im - exact);
            if (fabs(m->im - rod) > 0.1 && off < least) {
                least = off;
                error = m->error;
            }
        }
        if (!(least <= error)) {
            fail_msg("k = %g: off by %g, error %g", stiffness, least, error);
        }
        below("error", error, exact < 2e-6 ? 1.1 * exact + 1e-6 : 1e-6);
        trm_linear_destroy(linear);
        close_bench(&b);
    }
}
