// Crossings of loops in space, where hinges make rows redundant everywhere.

#include "tests/simulation/singular/singular.h"

/// A parallelogram in space, all bars of length 1 on hinges along z, which make three rows
/// redundant; another row always has a small pivot, and hides from an absolute measure the pivot
/// that vanishes. With what `body` and `joint` add.
static rig spatial_parallelogram_with(const char *body, const char *joint)
{
    char json[3200];
    snprintf(
        json, sizeof json,
        "{\"dimension\": 3, \"gravity\": [0, -9.81, 0], \"parameters\": {\"f\": \"pi/3\","
        "\"w\": -6, \"x\": \"cos(f)\", \"y\": \"sin(f)\", \"I\": \"1/12\"}, \"bodies\": ["
        "{\"name\": \"crank\", \"mass\": 1, \"inertia\": [0.01, \"I\", \"I\"],"
        "\"position\": [\"x/2\", \"y/2\", 0], \"rpy\": [0, 0, \"f\"],"
        "\"velocity\": [\"-y*w/2\", \"x*w/2\", 0], \"rate\": [0, 0, \"w\"]},"
        "{\"name\": \"coupler\", \"mass\": 1, \"inertia\": [0.01, \"I\", \"I\"],"
        "\"position\": [\"x + 1/2\", \"y\", 0], \"velocity\": [\"-y*w\", \"x*w\", 0]},"
        "{\"name\": \"rocker\", \"mass\": 1, \"inertia\": [0.01, \"I\", \"I\"],"
        "\"position\": [\"1 + x/2\", \"y/2\", 0], \"rpy\": [0, 0, \"f\"],"
        "\"velocity\": [\"-y*w/2\", \"x*w/2\", 0], \"rate\": [0, 0, \"w\"]}%s], \"joints\": ["
        "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"],"
        "\"at\": [0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"B\", \"type\": \"revolute\","
        "\"bodies\": [\"crank\", \"coupler\"], \"at\": [\"x\", \"y\", 0], \"axis\": [0, 0, 1]},"
        "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"coupler\", \"rocker\"],"
        "\"at\": [\"1 + x\", \"y\", 0], \"axis\": [0, 0, 1]}, {\"name\": \"D\","
        "\"type\": \"revolute\", \"bodies\": [\"rocker\", \"ground\"], \"at\": [1, 0, 0],"
        "\"axis\": [0, 0, 1]}%s]}",
        body, joint);
    return rig_parse(json);
}

static rig spatial_parallelogram(void)
{
    return spatial_parallelogram_with("", "");
}

/// Another coupler and rocker beside it, all cranks alike.
static rig two_spatial_parallelograms(void)
{
    return spatial_parallelogram_with(
        ",{\"name\": \"coupler2\", \"mass\": 1, \"inertia\": [0.01, \"I\", \"I\"],"
        "\"position\": [\"x + 3/2\", \"y\", 0], \"velocity\": [\"-y*w\", \"x*w\", 0]},"
        "{\"name\": \"rocker2\", \"mass\": 1, \"inertia\": [0.01, \"I\", \"I\"],"
        "\"position\": [\"2 + x/2\", \"y/2\", 0], \"rpy\": [0, 0, \"f\"],"
        "\"velocity\": [\"-y*w/2\", \"x*w/2\", 0], \"rate\": [0, 0, \"w\"]}",
        ",{\"name\": \"E\", \"type\": \"revolute\", \"bodies\": [\"rocker\", \"coupler2\"],"
        "\"at\": [\"1 + x\", \"y\", 0], \"axis\": [0, 0, 1]}, {\"name\": \"F\", \"type\": "
        "\"revolute\","
        "\"bodies\": [\"coupler2\", \"rocker2\"], \"at\": [\"2 + x\", \"y\", 0],"
        "\"axis\": [0, 0, 1]}, {\"name\": \"G\", \"type\": \"revolute\", \"bodies\": [\"rocker2\","
        "\"ground\"], \"at\": [2, 0, 0], \"axis\": [0, 0, 1]}");
}

/// When its bars are in line for the k-th time, phi = -k pi: by energy, 5/6 phi'^2 + 2 g sin phi =
/// E, and Simpson's rule.
static double time_in_line(int k)
{
    enum { PIECES = 2000 };
    const double g = 9.81;
    const double E = 5.0 / 6 * 36 + 2 * g * sin(pi / 3);
    const double d = (pi / 3 + k * pi) / (2 * PIECES);
    double sum = 0;
    for (int i = 0; i <= 2 * PIECES; i++) {
        const int weight = i == 0 || i == 2 * PIECES ? 1 : i % 2 ? 4 : 2;
        sum += weight * sqrt(5.0 / 6 / (E - 2 * g * sin(pi / 3 - i * d)));
    }
    return d / 3 * sum;
}

static void check_in_line(rig *r, trm_options options, double late)
{
    const trm_report report = run_to(r, options, 5);
    assert_int_equal(report.crossings, 12);
    assert_int_equal(report.branch_changes, 0);
    for (int k = 0; k < 12; k++) {
        trm_crossing crossing;
        assert_true(trm_sim_crossing(r->sim, k, &crossing));
        near("crossing", crossing.t, time_in_line(k), late);
    }
}

/// Steps as long as the time between two crossings: no three accepted points need show a minimum.
CLAIM(spatial_loops_miss_no_crossing)
{
    const double located = 2e-4; // s: a point where rho is 1e-6 of its maximum counts as the zero
    rig r = spatial_parallelogram();
    assert_true(time_in_line(11) < 5 && time_in_line(12) > 5);
    for (int k = 2; k <= 12; k++) {
        const double accuracy = pow(10, -k / 2.0);
        check_in_line(&r, rig_choose(&r, accuracy), fmax(accuracy, located));
    }
    const double h[] = {0.1, 0.08, 0.06, 0.05, 0.03, 0.02};
    for (int i = 0; i < 6; i++) {
        // The motion of a method of fourth order. Its constant, 400 s^-3, is no derived one: it
        // hangs on fifth derivatives of the motion along the whole run.
        const double late = 400 * pow(h[i], 4);
        check_in_line(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH, h[i]),
                      fmax(late, located));
        check_in_line(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h[i]),
                      fmax(late, located));
    }
    rig_close(&r);
}

/// Rows of redundant hinges take each other's place, and may hide a row that vanishes between two
/// stages of a long step: all directions of a part are followed together. The two parallelograms
/// pass at the same moment.
CLAIM(two_spatial_loops_miss_no_crossing)
{
    rig_figures();
    enum { RUNS = 200 };
    rig r = two_spatial_parallelograms();
    for (int k = 0; k < RUNS; k++) {
        const double accuracy = pow(10, -0.5 - k / 100.0);
        const trm_report report = run_to(&r, rig_choose(&r, accuracy), 5);
        assert_int_equal(report.crossings, 12);
        assert_int_equal(report.branch_changes, 0);
    }
    rig_close(&r);
}

/// A run that ends near a singular position, on the way there, has not passed it.
CLAIM(a_crossing_counts_once_it_is_reached)
{
    const double before = 1e-4; // s; bars turn by 6e-4 rad then, which is near
    rig r = spatial_parallelogram();
    const trm_report ahead = run_to(&r, rig_choose(&r, 1e-8), time_in_line(0) - before);
    assert_int_equal(ahead.crossings, 0);
    trm_crossing crossing;
    assert_false(trm_sim_crossing(r.sim, 0, &crossing));
    assert_int_equal(run_to(&r, rig_choose(&r, 1e-8), time_in_line(0) + before).crossings, 1);
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    rig_close(&r);
}
