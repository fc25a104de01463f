/// What constraints do between the ends of a step: a motor that comes back within it.
#include "tests/rig.h"

/// 0.1 m there and back in each tenth of a second, by a motor or by a constraint.
#define AWAY "0.1*sin(10*pi*t)^2"
static const char car[] =
    "{\"dimension\": 2, \"bodies\": [{\"name\": \"car\", \"mass\": 2, \"inertia\": 1, "
    "\"position\": "
    "[0, 0]}], \"markers\": [{\"name\": \"p\", \"body\": \"car\", \"on\": [0, 0]}], \"joints\": "
    "[{\"name\": \"rail\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"car\"], \"at\": [0, "
    "0], "
    "\"axis\": [1, 0]%s}]%s}";

static rig car_of(const char *motor, const char *constraints)
{
    char text[1000];
    snprintf(text, sizeof text, car, motor, constraints);
    return rig_parse(text);
}

/// The report of the first step of 0.1 s, which ends where it began.
static trm_report first_step(rig *r, const char *row, int *named)
{
    trm_error err = {.status = TRM_OK};
    rig_start(r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.1));
    rig_ok(trm_sim_step(r->sim, &err), &err);
    const trm_report report = trm_sim_report(r->sim);
    near("x", rig_q(r, "car", 0), 0, 1e-15);
    near("t", trm_sim_state(r->sim).t, 0.1, 1e-15);
    *named = report.between_row >= 0 &&
             strcmp(trm_model_row_info(r->model, report.between_row).name, row) == 0;
    return report;
}

/// The cubic through both ends stays at 0: 0.1 m are missing halfway.
CLAIM(what_a_motor_does_within_a_step_is_seen)
{
    for (int motor = 0; motor < 2; motor++) {
        rig r = car_of(
            motor ? ", \"motor\": \"" AWAY "\"" : "",
            motor ? ""
                  : ", \"constraints\": [{\"name\": \"way\", \"expression\": \"p.x - " AWAY "\"}]");
        int named;
        const trm_report report = first_step(&r, motor ? "rail" : "way", &named);
        assert_true(named);
        near("gap", report.between, 0.1, 1e-15);
        near("when", report.t_between, 0.05, 1e-15);
        assert_true(report.between_relative > 1e-3); // POOR
        near("ends", report.position_drift_relative, 0, 1e-15);
        // the sample is brought back to the motor
        trm_sample sample;
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_sim_sample(r.sim, 0.02, &sample, &err), &err);
        near("sample", sample.state.q[0], 0.1 * pow(sin(0.2 * pi), 2), 1e-12);
        rig_close(&r);
    }
}

/// Rows that do not move with the time are looked at where somebody asks.
CLAIM(rows_at_rest_are_seen_at_samples)
{
    rig r = rig_parse(
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"car\", \"mass\": 2, "
        "\"inertia\": 1, \"position\": [0, 1], \"velocity\": [5, 0], \"rate\": -5}], \"joints\": "
        "[{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"car\"], \"at\": "
        "[0, 0]}]}");
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.1));
    rig_ok(trm_sim_step(r.sim, &err), &err);
    trm_report report = trm_sim_report(r.sim);
    assert_true(report.between_relative == 0 && report.between_row == -1 &&
                isnan(report.t_between));
    rig_ok(trm_sim_sample(r.sim, 0.07, &sample, &err), &err);
    report = trm_sim_report(r.sim);
    assert_true(report.between_relative > 0 && report.between_row >= 0);
    near("when", report.t_between, 0.07, 0);
    // closed: the pin is where it was
    near("x", sample.state.q[0] + sin(sample.state.q[2]), 0, 1e-12);
    near("y", sample.state.q[1] - cos(sample.state.q[2]), 0, 1e-12);
    rig_close(&r);
}

/// A bar of arm 1 m, of size 2 m, turns at 5 rad/s. Pushed along itself at 0.02 m/s its pin opens
/// at 0.01 sizes/s, 0.002 of the speed: joints that are closed tell nothing of it.
static void velocities_off_by(double accuracy, const char *constraints, const char *branch)
{
    rig r = rig_parse(
        "{\"dimension\": 2, \"bodies\": [{\"name\": \"car\", \"mass\": 2, \"inertia\": 1, "
        "\"position\": [0, 1], \"velocity\": [5, 0], \"rate\": -5}], \"joints\": [{\"name\": "
        "\"pin\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"car\"], \"at\": [0, 0]}]}");
    const double dv[] = {0, 0.02, 0};
    trm_error err = {.status = TRM_OK};
    trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3);
    options.accuracy = accuracy;
    rig_start(&r, options);
    trm_report report = trm_sim_report(r.sim);
    assert_true(report.velocity_drift_relative == 0 && report.velocity_row == -1);
    rig_ok(trm_sim_perturb(r.sim, NULL, dv, &err), &err);
    report = trm_sim_report(r.sim);
    near("relative", report.velocity_drift_relative, 0.002, 1e-15);
    assert_string_equal(trm_model_row_info(r.model, report.velocity_row).label, "y");
    assert_true(report.position_drift_relative < 1e-12);
    rig_ok(trm_sim_step(r.sim, &err), &err); // closes them; what was stays
    const trm_verdicts verdicts = trm_sim_verdicts(r.sim);
    assert_string_equal(verdicts.constraints, constraints);
    assert_string_equal(verdicts.branch ? verdicts.branch : "none", branch);
    rig_close(&r);
}

CLAIM(velocities_off_the_constraints_are_told)
{
    velocities_off_by(0, "POOR", "none");
    velocities_off_by(1e-3, "fair", "good");
}

/// The unit of an expression is not known: its gap is judged by its own slope, whatever its factor.
CLAIM(the_factor_of_an_expression_changes_no_verdict)
{
    static const char *const factors[] = {"1", "1e-6", "1e6"};
    double found[3];
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bob\", "
                 "\"mass\": 1, \"shape\": {\"type\": \"point\"}, \"position\": [1, 0]}], "
                 "\"markers\": [{\"name\": \"p\", \"body\": \"bob\", \"on\": [0, 0]}], "
                 "\"constraints\": [{\"name\": \"arm\", \"expression\": \"%s*(hypot(p.x, p.y) - "
                 "1)\"}]}",
                 factors[k]);
        rig r = rig_parse(text);
        trm_error err = {.status = TRM_OK};
        trm_sample sample;
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.1));
        rig_ok(trm_sim_step(r.sim, &err), &err);
        rig_ok(trm_sim_sample(r.sim, 0.05, &sample, &err), &err);
        found[k] = trm_sim_report(r.sim).between_relative;
        rig_close(&r);
    }
    assert_true(found[0] > 1e-9);
    near("1e-6", found[1] / found[0], 1, 1e-5);
    near("1e6", found[2] / found[0], 1, 1e-5);
}
