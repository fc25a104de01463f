/// A run that a control loop steps over spans far below the steps of the pair 8(5,3) takes the pair
/// 3(2): evaluations are counted, and the accuracy asked for is held,
/// of the motion and of the energy.
#include "base/accuracy_policy.h"
#include "tests/rig.h"

enum { AXES = 6, PERIODS = 600, LAST = PERIODS / 4, MOST = 64 };
static const double period = 1e-3;

/// An arm of six hinges, each with a torque that is an input; the axes turn by a right angle.
static rig open_arm(void)
{
    char text[8192];
    int n =
        snprintf(text, sizeof text, "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"parameters\":{");
    for (int i = 0; i < AXES; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\"u%d\":{\"value\":0,\"input\":true}",
                      i ? "," : "", i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "},\"bodies\":[");
    for (int i = 0; i < AXES; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"b%d\",\"mass\":%g,\"inertia\":[[0.02,0,0],[0,0.02,0],"
                      "[0,0,0.004]],\"position\":[0,0,%g]}",
                      i ? "," : "", i, 3.0 - 0.4 * i, -0.3 * (i + 0.5));
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "],\"joints\":[");
    for (int i = 0; i < AXES; i++) {
        char before[8] = "ground";
        if (i > 0) {
            snprintf(before, sizeof before, "b%d", i - 1);
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"j%d\",\"type\":\"revolute\",\"bodies\":[\"%s\",\"b%d\"],"
                      "\"at\":[0,0,%g],\"axis\":[%d,%d,0]}",
                      i ? "," : "", i, before, i, -0.3 * i, i % 2, 1 - i % 2);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "],\"forces\":[");
    for (int i = 0; i < AXES; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"m%d\",\"type\":\"joint_force\",\"joint\":\"j%d\","
                      "\"value\":\"u%d\"}",
                      i ? "," : "", i, i, i);
    }
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    return rig_parse(text);
}

static rig open_leg(void)
{
    return rig_load("../docs/examples/leg/leg", NULL);
}

static rig open_ball(void)
{
    return rig_load("bouncing_ball", NULL);
}

static rig open_slider(void)
{
    return rig_load("stick_slip", NULL);
}

static const struct {
    const char *name;
    rig (*open)(void);
} scenes[] = {
    {"arm", open_arm}, {"leg", open_leg}, {"ball", open_ball}, {"stick-slip", open_slider}};

/// The periods first ... last-1, with torques that change in each.
static void control(rig *r, int first, int last)
{
    trm_error err = {.status = TRM_OK};
    for (int k = first; k < last; k++) {
        for (int i = 0; i < trm_model_sizes(r->model).ninput; i++) {
            rig_ok(trm_sim_set_input(r->sim, i, 0.4 * sin(0.02 * k + i), &err), &err);
        }
        rig_ok(trm_sim_step_to(r->sim, (k + 1) * period, &err), &err);
    }
}

/// The new input takes one evaluation, the span three, in the last quarter. Tolerances are small as
/// long as there is hardly a motion: up to 0.43 s rounding decides in joint coordinates whether a
/// span takes two steps. Returns the mean of a period from rest on.
static double check_steps(trm_coordinates coordinates)
{
    rig r = open_arm();
    rig_take(&r, coordinates);
    rig_start(&r, rig_choose(&r, 1e-4));
    control(&r, 0, PERIODS - LAST);
    const trm_stats before = trm_sim_stats(r.sim);
    control(&r, PERIODS - LAST, PERIODS);
    const trm_stats after = trm_sim_stats(r.sim);
    assert_int_equal(after.force_evals - before.force_evals, 4 * LAST);
    assert_int_equal(after.steps - before.steps, LAST);
    rig_close(&r);
    return (double)after.force_evals / PERIODS;
}

/// In absolute coordinates the mean from rest on is below the five of the classical method. In
/// joint ones errors are those of 12 numbers that all move, not of 78: the pair 8(5,3) leaves
/// later.
CLAIM(a_control_step_takes_four_evaluations)
{
    below("evaluations of a period", check_steps(TRM_COORDINATES_ABSOLUTE), 5);
    (void)check_steps(TRM_COORDINATES_JOINT);
}

static void keep(const rig *r, double *out)
{
    const trm_state s = trm_sim_state(r->sim);
    const trm_sizes n = trm_model_sizes(r->model);
    assert_true(n.nq + n.nv <= MOST * 2);
    memcpy(out, s.q, (size_t)n.nq * sizeof *out);
    memcpy(out + n.nq, s.v, (size_t)n.nv * sizeof *out);
}

/// The accuracy is of positions, in sizes of the mechanism, here of 0.3 m at least.
CLAIM(the_accuracy_is_held)
{
    static const double accuracies[] = {1e-2, 1e-4, 1e-6};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        double exact[2 * MOST], z[2 * MOST];
        rig r = scenes[s].open();
        rig_start(&r, rig_choose(&r, 1e-10));
        control(&r, 0, PERIODS);
        keep(&r, exact);
        for (size_t a = 0; a < sizeof accuracies / sizeof *accuracies; a++) {
            double most = 0;
            rig_start(&r, rig_choose(&r, accuracies[a]));
            control(&r, 0, PERIODS);
            keep(&r, z);
            for (int i = 0; i < trm_model_sizes(r.model).nq; i++) {
                most = fmax(most, fabs(z[i] - exact[i]));
            }
            below(scenes[s].name, most, 0.3 * accuracies[a]);
            below("energy", trm_sim_report(r.sim).energy_error_relative,
                  TRM_ACCURACY_ENERGY * accuracies[a]);
        }
        rig_close(&r);
    }
}

/// A state that is saved with the pair 3(2) on goes on by it, here and in another run.
CLAIM(a_saved_state_goes_on_by_the_same_pair)
{
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        double z[3][2 * MOST];
        rig r = scenes[s].open();
        rig_start(&r, rig_choose(&r, 1e-4));
        control(&r, 0, 50);
        char *bytes = rig_save(&r);
        control(&r, 50, 100);
        const long evals = trm_sim_stats(r.sim).force_evals;
        for (int k = 0; k < 3; k++) {
            keep(&r, z[k]);
            assert_memory_equal(
                z[k], z[0],
                (size_t)(trm_model_sizes(r.model).nq + trm_model_sizes(r.model).nv) * sizeof **z);
            assert_int_equal(trm_sim_stats(r.sim).force_evals, evals);
            if (k == 1) { // another run, at its start
                rig other = {r.scene, r.model, NULL};
                trm_sim_destroy(r.sim);
                rig_start(&other, rig_choose(&r, 1e-4));
                r.sim = other.sim;
            }
            rig_restore(&r, bytes);
            control(&r, 50, 100);
        }
        free(bytes);
        rig_close(&r);
    }
}

static void check_shown(const rig *r, const double *z)
{
    double now[2 * MOST];
    keep(r, now);
    for (int i = 0; i < trm_model_sizes(r->model).nq + trm_model_sizes(r->model).nv; i++) {
        assert_true(fabs(now[i] - z[i]) <= 1e-12);
    }
}

/// In joint coordinates bodies and reactions are computed once for all sensors: they are those of
/// now after a step, a saved state, and a state that is set, be it the same one.
CLAIM(what_is_read_is_of_now)
{
    rig r = open_arm();
    double z[2][2 * MOST], before[6 * AXES];
    trm_error err = {.status = TRM_OK};
    rig_take(&r, TRM_COORDINATES_JOINT);
    trm_options options = rig_choose(&r, 1e-4);
    options.assemble = 1;
    rig_start(&r, options);
    const int nq = trm_model_sizes(r.model).nq;
    control(&r, 0, 50);
    keep(&r, z[0]);
    char *bytes = rig_save(&r);
    control(&r, 50, 100);
    keep(&r, z[1]);
    assert_true(fabs(z[0][7 * (AXES - 1)] - z[1][7 * (AXES - 1)]) > 1e-4); // x of the last
    rig_restore(&r, bytes);
    check_shown(&r, z[0]);
    for (int k = 0; k < 4; k++) {
        const double *const to = z[k / 2];
        rig_ok(trm_sim_set_state(r.sim, 0.1, to, to + nq, &err), &err);
        check_shown(&r, to);
        const double *const a = trm_sim_state(r.sim).a;
        assert_true(k % 2 == 0 || memcmp(a, before, sizeof before) == 0);
        memcpy(before, a, sizeof before);
    }
    free(bytes);
    rig_close(&r);
}

/// After short spans a long one takes what a run without them takes, within two steps.
CLAIM(a_long_span_takes_the_pair_of_high_order)
{
    rig r = open_leg(), plain = open_leg();
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_start(&plain, rig_choose(&plain, 1e-6));
    for (int k = 0; k < 100; k++) {
        rig_run(&r, (k + 1) * period);
    }
    rig_run(&plain, 100 * period);
    const long before = trm_sim_stats(r.sim).force_evals;
    const long plain_before = trm_sim_stats(plain.sim).force_evals;
    rig_run(&r, 1.1);
    rig_run(&plain, 1.1);
    const long taken = trm_sim_stats(r.sim).force_evals - before;
    assert_in_range(taken, 1, trm_sim_stats(plain.sim).force_evals - plain_before + 24);
    rig_close(&r);
    rig_close(&plain);
}
