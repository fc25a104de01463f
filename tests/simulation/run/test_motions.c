/// Laws of motion of motors against their closed forms, and the limits that they keep.
#include "tests/rig.h"

static rig drive(const char *motion)
{
    char json[900];
    snprintf(json, sizeof json,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],"
             "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0,0],\"motion\":[%s]}]}",
             motion);
    return rig_parse(json);
}

static double read(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor sensor;
    double x = NAN;
    rig_ok(trm_model_sensor(r->model, name, &sensor, &err), &err);
    rig_ok(trm_sim_read(r->sim, &sensor, &x, &err), &err);
    return x;
}

static double rate_345(double s)
{
    return 30 * s * s * (1 - s) * (1 - s);
}

static double rate_cycloidal(double s)
{
    return 1 - cos(2 * pi * s);
}

/// Of the acceleration: a quarter of a sine of 4 pi s, then one a third as fast, and back.
static double rate_modified_sine(double s)
{
    const double c = s < 0.125 || s > 0.875 ? cos(4 * pi * s) : 3 * cos((4 * pi * s + pi) / 3);
    return pi * (1 - c) / (4 + pi);
}

/// int_0^s by Gauss's rule of three points on n parts, whose ends are at every eighth.
static double integral(double (*f)(double s), double s)
{
    const double ends[] = {0, 0.125, 0.875, 1}, node = sqrt(0.6);
    double sum = 0;
    for (int part = 0; part < 3; part++) {
        const double a = fmin(s, ends[part]), b = fmin(s, ends[part + 1]);
        for (int k = 0; k < 64; k++) {
            const double m = a + (b - a) * (k + 0.5) / 64, h = (b - a) / 128;
            sum += h * (5 * f(m - node * h) + 8 * f(m) + 5 * f(m + node * h)) / 9;
        }
    }
    return sum;
}

CLAIM(laws_are_their_closed_forms)
{
    static const struct {
        const char *name;
        double (*rate)(double s);
    } laws[] = {{"345", rate_345},
                {"polynomial_345", rate_345},
                {"cycloidal", rate_cycloidal},
                {"modified_sine", rate_modified_sine}};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        char motion[200];
        snprintf(motion, sizeof motion,
                 "{\"to\":1,\"in\":0.4,\"law\":\"%s\"},{\"dwell\":0.2},"
                 "{\"to\":-0.5,\"in\":0.3,\"law\":\"%s\"}",
                 laws[k].name, laws[k].name);
        rig r = drive(motion);
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
        for (int i = 1; i < 40; i++) {
            const double t = i * 0.025, s = fmin(t / 0.4, 1), u = fmin(fmax((t - 0.6) / 0.3, 0), 1);
            rig_run(&r, t);
            near("angle", read(&r, "O.angle"),
                 integral(laws[k].rate, s) - 1.5 * integral(laws[k].rate, u), 1e-9);
            near("rate", read(&r, "O.rate"), laws[k].rate(s) / 0.4 - 1.5 * laws[k].rate(u) / 0.3,
                 1e-8);
        }
        rig_close(&r);
    }
}

/// Up to 3 in 0.15 + 0.05 s, on for D/v - 0.2 s, and down: all of 1 in 1/3 + 0.2 s. Then a short
/// move without a level part, D = 2 j tj^3, and one stretched to 1 s.
CLAIM(a_trapezoid_is_as_quick_as_its_limits)
{
    static const char limits[] = "\"speed\":3,\"acceleration\":20,\"jerk\":400";
    char motion[400];
    snprintf(motion, sizeof motion,
             "{\"to\":1,\"law\":\"trapezoid\",%s},{\"to\":1.0064,\"law\":\"trapezoid\",%s},"
             "{\"to\":0.0064,\"in\":1,\"law\":\"trapezoid\",%s}",
             limits, limits, limits);
    rig r = drive(motion);
    const double first = 1. / 3 + 0.2, second = first + 4 * cbrt(0.0064 / 800);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_run(&r, 0.05);
    near("jerk", read(&r, "a.angular_acceleration"), 20, 1e-7);
    near("ramp", read(&r, "O.rate"), 0.5, 1e-8);
    rig_run(&r, 0.2);
    near("speed", read(&r, "O.rate"), 3, 1e-8);
    near("way", read(&r, "O.angle"), 0.3, 1e-9);
    rig_run(&r, first);
    near("there", read(&r, "O.angle"), 1, 1e-9);
    near("at rest", read(&r, "O.rate"), 0, 1e-8);
    rig_run(&r, (first + second) / 2);
    near("half of the short one", read(&r, "O.angle"), 1.0032, 1e-9);
    near("its speed", read(&r, "O.rate"), 400 * pow(0.0064 / 800, 2. / 3), 1e-8);
    rig_run(&r, second + 0.5);
    near("half of the slow one", read(&r, "O.angle"), 0.5064, 1e-9);
    near("its speed", read(&r, "O.rate"), -3 * first, 1e-8);
    rig_run(&r, second + 2);
    near("the end", read(&r, "O.angle"), 0.0064, 1e-9);
    rig_close(&r);
}

static void refused(const char *motion, const char *where, const char *message)
{
    char json[600];
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    snprintf(json, sizeof json,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],"
             "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0,0],\n%s}]}",
             motion);
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, &err), TRM_ERR_SCENE);
    assert_string_equal(err.where, where);
    assert_string_equal(err.message, message);
}

CLAIM(a_law_that_cannot_keep_its_limits_is_refused)
{
    refused("\"motion\":[{\"to\":1,\"in\":0.5,\"speed\":3}]", "scene:2:36 /joints/0/motion/0/speed",
            "this move from 0 to 1 needs a \"speed\" of 3.75");
    refused("\"motion\":[{\"to\":1,\"in\":0.5,\"law\":\"trapezoid\",\"speed\":3,"
            "\"acceleration\":20,\"jerk\":400}]",
            "scene:2:24 /joints/0/motion/0/in",
            "this move from 0 to 1 needs at least an \"in\" of 0.533333");
    refused("\"motion\":[{\"to\":1}]", "scene:2:11 /joints/0/motion/0",
            "missing key \"in\", which this law needs");
    refused("\"motion\":[{\"speed\":1}]", "scene:2:12 /joints/0/motion/0/speed",
            "\"speed\" has no effect without \"to\"");
    refused("\"motion\":[{\"dwell\":1}],\"motor\":\"t\"", "scene:2:1 /joints/0/motion",
            "\"motion\" has no effect beside \"motor\"");
}
