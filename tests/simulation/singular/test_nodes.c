// A bead on Bernoulli's lemniscate, (x^2 + y^2)^2 = a^2 (x^2 - y^2), a row that vanishes in the
// node, where the curve crosses itself, against the equation in the curve's own parameter.

#include "tests/simulation/singular/singular.h"

typedef struct curve {
    double a, x, y; ///< m: half of its width, and the node
} curve;

/// The bead at its parameter s, moving along the curve at a speed, beside what `bodies` and
/// `joints` add. `off`: of its place, by both coordinates.
static rig bead_on(curve c, double s, double speed, double off, const char *bodies,
                   const char *joints)
{
    const double d = 1 + sin(s) * sin(s), x = c.a * cos(s) / d, y = x * sin(s);
    const double dx = -c.a * sin(s) * (d + 2 * cos(s) * cos(s)) / (d * d);
    const double dy = dx * sin(s) + x * cos(s), w = speed / hypot(dx, dy);
    char json[1800];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bead\","
             "\"mass\": 1, \"shape\": {\"type\": \"point\"}, \"position\": [%.17g, %.17g],"
             "\"velocity\": [%.17g, %.17g]}%s], \"markers\": [{\"name\": \"b\", \"body\": \"bead\","
             "\"on\": [0, 0]}], \"joints\": [%s], \"definitions\": {\"x\": \"b.x - %.17g\","
             "\"y\": \"b.y - %.17g\"}, \"constraints\": [{\"name\": \"curve\","
             "\"expression\": \"(x^2 + y^2)^2 - %.17g*(x^2 - y^2)\"}]}",
             c.x + x + off, c.y + y + off, w * dx, w * dy, bodies, joints, c.x, c.y, c.a * c.a);
    return rig_parse(json);
}

/// s'' of x = a cos s/(1 + sin^2 s), y = x sin s by Lagrange: (f s')' = f' s'^2/2 - g y', where
/// f = x'^2 + y'^2 = a^2/(1 + sin^2 s).
static double acceleration(double a, double s, double w)
{
    const double d = 1 + sin(s) * sin(s), f = a * a / d, df = -a * a * sin(2 * s) / (d * d);
    const double dy = a * (cos(2 * s) / d - sin(2 * s) * sin(2 * s) / (2 * d * d));
    return -(df * w * w / 2 + 9.81 * dy) / f;
}

/// s at t, by the classical method in 1e5 steps.
static double follow(double a, double s, double speed, double t)
{
    const int n = 100000;
    const double h = t / n;
    double w = speed * sqrt(1 + sin(s) * sin(s)) / a;
    for (int i = 0; i < n; i++) {
        const double k1 = acceleration(a, s, w);
        const double w2 = w + h / 2 * k1, k2 = acceleration(a, s + h / 2 * w, w2);
        const double w3 = w + h / 2 * k2, k3 = acceleration(a, s + h / 2 * w2, w3);
        const double w4 = w + h * k3, k4 = acceleration(a, s + h * w3, w4);
        s += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return s;
}

/// From s, at 4 sqrt(a g)/g^(1/2) m/s, fast enough to go round, for the time of about one and a
/// half rounds. Errors are those promised, 10 A of
/// the curve, nodes on the way all counted.
static void check_run(const char *what, curve c, double s, double off, double accuracy,
                      const char *bodies, const char *joints)
{
    const double speed = 4 * sqrt(c.a), t = 2 * sqrt(c.a);
    rig r = bead_on(c, s, speed, off, bodies, joints);
    rig_start(&r, rig_choose(&r, accuracy));
    rig_run(&r, t);
    const double end = follow(c.a, s, speed, t), d = 1 + sin(end) * sin(end);
    const long nodes = (long)floor(end / pi - 0.5) - (long)ceil(s / pi - 0.5) + 1;
    const trm_report report = trm_sim_report(r.sim);
    const double may = 10 * accuracy * c.a;
    near(what, rig_q(&r, "bead", 0), c.x + c.a * cos(end) / d, may);
    near(what, rig_q(&r, "bead", 1), c.y + c.a * cos(end) * sin(end) / d, may);
    if (report.crossings != nodes || report.branch_changes > 0 || report.undecided > 0) {
        fail_msg("%s at %g: %ld crossings, %ld changes, %ld undecided", what, accuracy,
                 report.crossings, report.branch_changes, report.undecided);
    }
    rig_close(&r);
}

static const double accuracies[] = {1e-3, 1e-6, 1e-9};
static const curve unit = {1, 0, 0};

CLAIM(a_bead_passes_nodes)
{
    for (int k = 0; k < 3; k++) {
        check_run("from the side", unit, 0.3, 0, accuracies[k], "", "");
        check_run("from a hundredth before the node", unit, pi / 2 - 0.01, 0, accuracies[k], "",
                  "");
    }
}

CLAIM(a_bead_may_start_in_a_node)
{
    static const curve curves[] = {{1, 0, 0}, {10, 0, 0}, {0.1, 0, 0}, {1, 3, 1}};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
            check_run("in the node", curves[i], pi / 2, 0, accuracies[k], "", "");
            check_run("in it on the other branch", curves[i], 1.5 * pi, 0, accuracies[k], "", "");
        }
        check_run("a few roundings beside it", unit, pi / 2, 3e-17, accuracies[k], "", "");
    }
}

/// Scales of rows are relative to each other where a row has no size of its own.
CLAIM(other_bodies_do_not_matter)
{
    static const char *const masses[] = {"1e-6", "1", "1e6"};
    for (int k = 0; k < 9; k++) {
        char body[100];
        snprintf(body, sizeof body,
                 ", {\"name\": \"rod\", \"mass\": %s, \"ends\": [[3, 0], [3, 1]]}", masses[k % 3]);
        check_run("beside a pendulum", unit, pi / 2, 0, accuracies[k / 3], body,
                  "{\"name\": \"J\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rod\"],"
                  "\"at\": [3, 0]}");
    }
}

/// At rest in the node nothing tells the branch.
CLAIM(rest_in_a_node_is_told)
{
    rig r = bead_on(unit, pi / 2, 0, 0, "", "");
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 0.01);
    const trm_report report = trm_sim_report(r.sim);
    assert_int_equal(report.crossings, 1);
    assert_int_equal(report.bifurcations, 1);
    rig_close(&r);
}
