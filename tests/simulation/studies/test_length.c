// How many own periods a run has and the tolerances for so many, for motions whose frequency is
// known: omega^2 is the integral of a^2 over that of v^2.
#include "tests/rig.h"

/// A point of 1 kg at (x, 0) with the velocity (v, u) under the force (fx, fy).
static rig point_under(const char *fx, const char *fy, double x, double v, double u)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"a\",\"mass\":1,"
             "\"shape\":{\"type\":\"point\"},\"position\":[%.17g,0],\"velocity\":[%.17g,%.17g]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
             "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"axes\":\"world\","
             "\"value\":[\"%s\",\"%s\"]}]}",
             x, v, u, fx, fy);
    return rig_parse(json);
}

/// Steps so short that sums over them are integrals.
static trm_options finely(double rtol, double h)
{
    trm_options options = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, rtol, rtol);
    options.max_step = h;
    return options;
}

/// Fits *options for a run up to t_end and closes r.
static trm_duration fitted(rig r, double t_end, trm_options *options)
{
    trm_error err = {.status = TRM_OK};
    trm_duration span;
    rig_ok(trm_options_for_duration(r.model, 100 * options->rtol, t_end, options, &span, &err),
           &err);
    rig_close(&r);
    return span;
}

/// |a|/|v| is omega at every point of a circle, whatever the unit of time.
static void a_circle_is_counted_exactly(void **state)
{
    (void)state;
    const char *const x[] = {"-9*p.x", "-9e4*p.x"}, *const y[] = {"-9*p.y", "-9e4*p.y"};
    for (int k = 0; k < 2; k++) {
        const double omega = k ? 300 : 3, T = 300 / omega, N = 300 / (2 * pi);
        trm_options options = finely(1e-8, 0);
        options.atol = 1e-7;
        const trm_duration span = fitted(point_under(x[k], y[k], 2, 0, 2 * omega), T, &options);
        near("periods", span.periods, N, 1e-6 * N);
        near("rtol", options.rtol, 1e-8 * 100 / (N * N), 1e-14);
        near("atol", options.atol, 1e-7 * 100 / (N * N), 1e-13);
        near("accuracy", span.accuracy, 1e-6, 1e-20);
    }
}

/// Ten periods have the tolerances asked for, and so have more, up to where they would be halved:
/// (10/N)^2 = 1/2 at N = 14.1.
static void tolerances_change_from_fourteen_periods_on(void **state)
{
    (void)state;
    const double N[] = {1, 13.9, 14.4};
    for (int k = 0; k < 3; k++) {
        trm_options options = finely(1e-8, 0);
        const trm_duration span =
            fitted(point_under("-p.x", "-p.y", 1, 0, 1), 2 * pi * N[k], &options);
        if (k > 0) { // of the first a twentieth of a turn is seen
            near("periods", span.periods, N[k], 1e-6 * N[k]);
        }
        near("rtol", options.rtol, k < 2 ? 1e-8 : 1e-8 * 100 / (N[k] * N[k]), 1e-14);
    }
}

/// Below 1e-13 a tolerance is none: what is lost is told, and a finer one stays what it is.
static void what_is_beyond_double_precision_is_told(void **state)
{
    (void)state;
    const double rtol[] = {1e-9, 1e-14};
    for (int k = 0; k < 2; k++) {
        trm_options options = finely(rtol[k], 0);
        const double N = 1e4, finest = fmin(1e-13, rtol[k]), least = rtol[k] * 100 / (N * N);
        const trm_duration span =
            fitted(point_under("-p.x", "-p.y", 1, 0, 1), 2 * pi * N, &options);
        near("accuracy", span.accuracy, 100 * rtol[k] * finest / least,
             1e-5 * 100 * rtol[k] * finest / least);
        near("rtol", options.rtol, finest, 0);
        near("atol", options.atol, finest, 0);
    }
}

/// A motion to and fro turns twice in a period.
static void an_oscillation_is_counted(void **state)
{
    (void)state;
    const double T = 200, N = 2 * T / (2 * pi);
    trm_options options = finely(1e-8, 0.02);
    near("periods", fitted(point_under("-4*p.x", "0", 1, 0, 0), T, &options).periods, N, 0.02 * N);
}

/// A body of 1 kg, turned by 2 rad, under a force along x, at a speed along x.
static rig body_under(const char *force, double v)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"a\",\"mass\":1,"
             "\"inertia\":1,\"angle\":2,\"velocity\":[%.17g,0]}],\"markers\":[{\"name\":\"p\","
             "\"body\":\"a\",\"on\":[0,0]}],\"forces\":[{\"name\":\"f\",\"type\":\"force\","
             "\"marker\":\"p\",\"axes\":\"world\",\"value\":[\"%s\",0]}]}",
             v, force);
    return rig_parse(json);
}

/// x = t^2/2: a^2 is 1, the mean of v^2 over s is s^2/3, so that omega s is sqrt(3), less than a
/// period, in the twentieth of the run that is seen. Where forces shake what goes on ahead, half of
/// a period in that part is the most that a motion without a turn can be.
static void a_motion_straight_ahead_is_not(void **state)
{
    (void)state;
    trm_options options = finely(1e-8, 0.01);
    near("from rest", fitted(body_under("1", 0), 100, &options).periods, 20 * sqrt(3) / (2 * pi),
         0.06);
    options.max_step = 0.1;
    near("ahead", fitted(body_under("50*cos(10*t)", 10), 1000, &options).periods, 10, 0.03);
    near("rtol", options.rtol, 1e-8, 0);
}

/// Own periods in T of two points at once: `one` swings from x, the other goes round at 1 rad/s on
/// a circle of the radius r.
static double of_two(const char *one, double x, double r, double T, double h)
{
    char json[1024];
    trm_options options = finely(1e-8, h);
    snprintf(json, sizeof json,
             "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":"
             "{\"type\":\"point\"},\"position\":[%.17g,0]},{\"name\":\"b\",\"mass\":1,\"shape\":"
             "{\"type\":\"point\"},\"position\":[%.17g,0],\"velocity\":[0,%.17g]}],\"markers\":["
             "{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},{\"name\":\"q\",\"body\":\"b\","
             "\"on\":[0,0]}],\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\","
             "\"axes\":\"world\",\"value\":[\"%s\",0]},{\"name\":\"g\",\"type\":\"force\","
             "\"marker\":\"q\",\"axes\":\"world\",\"value\":[\"-q.x\",\"-q.y\"]}]}",
             x, r, r, one);
    return fitted(rig_parse(json), T, &options).periods;
}

/// One swings thirty times as fast, damped by exp(-1) in a period, with nine times the energy of
/// the other at first. Its 4.5 J fall by exp(-9.5 t): the count begins anew after three of its
/// periods, 0.6 s, when 0.015 J are left, whose accelerations add 900*0.015/9.5 = 1.4 to 0.5 t:
/// omega^2 = 1 + 2.8/t, after the 18 s of three periods 1.16.
static void what_dies_away_is_not(void **state)
{
    (void)state;
    const double T = 1000, N = T / (2 * pi);
    const double periods = of_two("-900*p.x - 30/pi*p.vx", 0.1, 1, T, 0.02);
    assert_true(periods > N && periods < 1.12 * N);
}

/// The border is exp(-1/10) in a period: damped by less, the faster motion is counted, damped by
/// more, by exp(-0.42) between halves of three periods, both together once the slower one, which
/// stays, has a quarter of the energy in the first half: omega^2 <= (3*9 + 1)/4, N <= 2.65.
static void a_decay_by_a_tenth_is_the_border(void **state)
{
    (void)state;
    const double T = 4000, N = T / (2 * pi);
    near("slow decay", of_two("-9*p.x - 0.07*3/pi*p.vx", 1, 0.1, T, 0.1), 3 * N, 0.06 * N);
    const double left = of_two("-9*p.x - 0.14*3/pi*p.vx", 1, 0.1, T, 0.1);
    assert_true(left > N && left < 2.7 * N);
}

/// Damped by exp(-1/20) in a period, less than the exp(-1/10) that makes it forget its phase.
static void a_slow_decay_is_counted(void **state)
{
    (void)state;
    trm_options options = finely(1e-8, 0.05);
    const double T = 400, N = T / (2 * pi);
    const char *const force = "-p.x - p.vx/20/pi";
    near("periods", fitted(point_under(force, "0", 1, 0, 0), T, &options).periods, N, 0.02 * N);
}

/// What moves by less than its tolerance has no phase to err in.
static void what_does_not_move_is_not(void **state)
{
    (void)state;
    trm_options options = finely(1e-8, 0);
    near("trembles", fitted(point_under("1-p.x", "-p.y", 1, 0, 1e-10), 1000, &options).periods, 0,
         0);
    near("rests", fitted(point_under("0", "0", 1, 0, 0), 1000, &options).periods, 0, 0);
    near("coasts", fitted(point_under("0", "0", 1, 3, 0), 1000, &options).periods, 0, 0);
}

/// Where steps are limited by stability the short run goes on by ida, and finds the slow motion:
/// x follows sin(t) within 1e-6, seen for half a second.
static void a_stiff_one_is_not(void **state)
{
    (void)state;
    trm_options options = finely(1e-8, 0);
    const trm_duration span =
        fitted(point_under("1e6*sin(t) - 1e6*p.vx", "0", 0, 0, 0), 10, &options);
    assert_true(span.periods < 10);
    near("rtol", options.rtol, 1e-8, 0);
}

/// A wheel turns, whatever its rate does: rate = 10 + sin(10 t), a^2 50 and v^2 100.5 in the mean.
static void a_wheel_turns(void **state)
{
    (void)state;
    trm_options options = finely(1e-8, 0.05);
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                      "\"rate\":10}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","
                      "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}],\"forces\":[{\"name\":\"f\","
                      "\"type\":\"joint_force\",\"joint\":\"O\",\"value\":\"10*cos(10*t)\"}]}");
    options.stabilization = TRM_STABILIZATION_S_BOTH2;
    const double N = 1000 * sqrt(50 / 100.5) / (2 * pi);
    near("periods", fitted(r, 1000, &options).periods, N, 0.02 * N);
}

/// So will the run be: nothing is said, and nothing changed.
static void a_start_that_is_refused_has_no_length(void **state)
{
    (void)state;
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8);
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                      "\"velocity\":[1,0]}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","
                      "\"bodies\":[\"ground\",\"a\"],\"at\":[1,0]}]}");
    near("periods", fitted(r, 10, &options).periods, 0, 0);
    near("rtol", options.rtol, 1e-8, 0);
}

int test_length(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_counted_exactly),
        cmocka_unit_test(tolerances_change_from_fourteen_periods_on),
        cmocka_unit_test(what_is_beyond_double_precision_is_told),
        cmocka_unit_test(an_oscillation_is_counted),
        cmocka_unit_test(a_motion_straight_ahead_is_not),
        cmocka_unit_test(what_dies_away_is_not),
        cmocka_unit_test(a_decay_by_a_tenth_is_the_border),
        cmocka_unit_test(a_slow_decay_is_counted),
        cmocka_unit_test(what_does_not_move_is_not),
        cmocka_unit_test(a_stiff_one_is_not),
        cmocka_unit_test(a_wheel_turns),
        cmocka_unit_test(a_start_that_is_refused_has_no_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
