/// Runs under exact similarity, lengths times L and times times sqrt L: the same steps and the same
/// errors relative to the motion, however small the motion is.
#include "tests/rig.h"
#include "trammel/trammel_simulate.h"

#include <float.h>

static const double gravity = 9.81;

/// Two bars of L and 0.8 L, let go at `swing` and -0.7 `swing` from the vertical.
static rig double_pendulum(double L, double swing)
{
    char scene[2000];
    const double x = L * sin(swing), y = -L * cos(swing);
    const double tip_x = x + 0.8 * L * sin(-0.7 * swing), tip_y = y - 0.8 * L * cos(0.7 * swing);
    snprintf(
        scene, sizeof scene,
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
        "{\"name\":\"b\",\"mass\":1,\"ends\":[[0,0],[%.17g,%.17g]]},"
        "{\"name\":\"c\",\"mass\":1,\"ends\":[[%.17g,%.17g],[%.17g,%.17g]]}],\"joints\":["
        "{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0]},"
        "{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"b\",\"c\"],\"at\":[%.17g,%.17g]}]}",
        x, y, x, y, tip_x, tip_y, x, y);
    return rig_parse(scene);
}

/// A point on a spring of rest length L - L/40 that carries it at L, let go at L (1 + swing).
static rig spring(double L, double swing)
{
    char scene[1000];
    snprintf(
        scene, sizeof scene,
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"b\",\"mass\":1,"
        "\"shape\":{\"type\":\"point\"},\"position\":[0,%.17g]}],\"markers\":["
        "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]},"
        "{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]}],\"forces\":[{\"name\":\"s\",\"type\":"
        "\"spring_damper\",\"markers\":[\"o\",\"p\"],\"stiffness\":%.17g,\"rest_length\":%.17g}"
        "]}",
        -L * (1 + swing), 40 * gravity / L, L - L / 40);
    return rig_parse(scene);
}

/// A point thrown from the origin on x'' = -40 g/L x: nothing in it has a length.
static rig thrown(double L, double swing)
{
    char scene[1000];
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":1,\"shape\":"
             "{\"type\":\"point\"},\"velocity\":[%.17g,0]}],\"markers\":["
             "{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]}],\"forces\":[{\"name\":\"s\","
             "\"type\":\"force\",\"marker\":\"p\",\"value\":[\"-%.17g*p.x\",0]}]}",
             swing * sqrt(40 * gravity * L), 40 * gravity / L);
    return rig_parse(scene);
}

/// Equal bars and a slider, whose rows hold lengths and an angle: S has 1/kg and 1/(kg m^2). It
/// turns as 1/sqrt(2/3 + 6 sin(a)^2), and in 7 s at swing 1 passes nine times where the bars are in
/// line.
static rig slider_crank(double L, double swing)
{
    char scene[1000];
    const double x = L * cos(0.5), y = L * sin(0.5);
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"start\":{\"A.rate\":%.17g},\"bodies\":["
             "{\"name\":\"b\",\"mass\":1,\"ends\":[[0,0],[%.17g,%.17g]]},"
             "{\"name\":\"c\",\"mass\":1,\"ends\":[[%.17g,%.17g],[%.17g,0]]},"
             "{\"name\":\"d\",\"mass\":1,\"inertia\":%.17g,\"position\":[%.17g,0]}],\"joints\":["
             "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0]},"
             "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"b\",\"c\"],\"at\":[%.17g,%.17g]},"
             "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"c\",\"d\"],\"at\":[%.17g,0]},"
             "{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"d\"],\"at\":[0,0],"
             "\"axis\":[1,0]}]}",
             5 * swing / sqrt(L), x, y, x, y, 2 * x, L * L / 20, 2 * x, x, y, 2 * x);
    return rig_parse(scene);
}

/// To `end` of L = 1, with and without the second run. Returns where b is, over L.
static double run_to(rig *r, double L, double end, int verify, long *steps, trm_accuracy *told)
{
    trm_error err = {.status = TRM_OK};
    trm_result *result = NULL;
    trm_simulate_options options = trm_default_simulate_options();
    options.verify = verify;
    rig_ok(trm_simulate(r->model, end * sqrt(L), 1e-6, &options, &result, &err), &err);
    *told = trm_result_accuracy(result);
    r->sim = trm_result_take_sim(result);
    trm_result_destroy(result);
    *steps = trm_sim_stats(r->sim).steps;
    return rig_q(r, "b", 0) / L + rig_q(r, "b", 1) / L;
}

CLAIM(sizes_make_no_difference)
{
    rig (*const all[])(double, double) = {double_pendulum, spring, slider_crank};
    static const double L[] = {1, 1e-9, 1e-6, 1e-3, 1e3, 1e6};
    for (int k = 0; k < 3; k++) {
        for (double swing = 1; swing > 1e-3; swing /= 100) {
            long steps[6];
            double at[6];
            for (int i = 0; i < 6; i++) {
                trm_accuracy told;
                rig r = all[k](L[i], swing);
                at[i] = run_to(&r, L[i], 7, 0, &steps[i], &told);
                assert_true(labs(steps[i] - steps[0]) <= 1 + steps[0] / 50);
                near("position", at[i], at[0], 1e-7 * swing);
                assert_int_equal(trm_sim_report(r.sim).crossings, k == 2 && swing == 1 ? 9 : 0);
                rig_close(&r);
            }
        }
    }
}

CLAIM(a_motion_without_a_size_is_its_own)
{
    static const double L[] = {1, 1e-9, 1e-3, 1e6};
    for (int i = 0; i < 4; i++) {
        for (double swing = 1; swing > 1e-7; swing /= 1000) {
            long steps;
            trm_accuracy told;
            rig r = thrown(L[i], swing);
            const double at = run_to(&r, L[i], 7, 1, &steps, &told);
            near("position", at, swing * sin(sqrt(40 * gravity) * 7), 1e-6 * swing);
            assert_int_equal(told.rating, TRM_VERDICT_GOOD);
            rig_close(&r);
        }
    }
}

/// Let go at L (1 + d) the spring swings as cos(sqrt(k/m) t): "good" is right, down to swings that
/// double precision does not resolve to 1e-6, which are told.
CLAIM(small_swings_are_right_or_told)
{
    int good = 0;
    for (double swing = 1e-2; swing > 1e-13; swing /= 10) {
        long steps;
        trm_accuracy told;
        rig r = spring(1, swing);
        const double y = run_to(&r, 1, 20, 1, &steps, &told);
        const double off = fabs(y + 1 + swing * cos(sqrt(40 * gravity) * 20)) / swing;
        const double given = 8 * DBL_EPSILON / swing; // what the scene is rounded to
        assert_true(told.rating != TRM_VERDICT_GOOD || off < 3e-6 + given);
        assert_true(off < 1e-5 + given || told.differs > off / 10);
        good += told.rating == TRM_VERDICT_GOOD;
        rig_close(&r);
    }
    assert_true(good >= 6);
}

/// Lengths times a power of 4 and times times one of 2 round alike: ida then takes the same steps,
/// to the last bit. By 1e-6 and 1e6 roundings differ, and the motions by what verdicts allow
/// (TRM_ACCURACY_MOTION).
CLAIM(ida_has_no_unit_of_its_own)
{
    static const double L[] = {1, 0x1p-30, 0x1p-6, 0x1p2, 0x1p20, 1e-6, 1e6};
    enum { EXACT = 5, ALL = sizeof L / sizeof *L };
    for (int k = 0; k < 4; k++) {
        const double swing = k % 2 ? 1e-3 : 1;
        double first = 0, at = 0;
        for (int i = 0; i < ALL; i++) {
            rig r = k < 2 ? double_pendulum(L[i], swing) : spring(L[i], swing);
            trm_options options =
                rig_adaptive(TRM_INTEGRATOR_IDA,
                             k < 2 ? TRM_STABILIZATION_GGL : TRM_STABILIZATION_PLAIN, 1e-8, 0);
            options.atol = options.rtol;
            options.by_motion = 1;
            rig_start(&r, options);
            rig_run(&r, 2 * sqrt(L[i]));
            at = (rig_q(&r, "b", 0) + rig_q(&r, "b", 1)) / L[i];
            first = i == 0 ? at : first;
            near("position", at, first, i < EXACT ? 0 : 1e-5 * swing);
            rig_close(&r);
        }
    }
}
