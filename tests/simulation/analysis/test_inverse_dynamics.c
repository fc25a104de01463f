/// Inverse dynamics: forces of motors and actuators against virtual work, closed forms and forward
/// dynamics.
#include "tests/simulation/analysis/all_scenes.h"

#include <stdio.h>

// -------------------------------------------------------------------------------- inverse dynamics

/// Statics by virtual work: torque = sum of m g dy/dangle.
CLAIM(a_four_bar_is_held_by_the_torque_of_virtual_work)
{
    trm_error err = {.status = TRM_OK};
    bench b = parse(FOUR_BAR);
    double i, j, tau[2], lambda[8], missing[9];
    int unique[2];
    four_bar_ratios(&i, &j);
    const double T = gravity * (1.5 * 0.15 + 2 * (0.3 + i * 0.55) + 1 * j * 0.1);
    const double zero[9] = {0};
    double B[18] = {0};
    B[2] = 1; // torque on the crank
    trm_drive_task task = {.a = zero, .B = B, .nu = 1};
    trm_drive_forces out = {.tau = tau, .unique = unique, .lambda = lambda, .missing = missing};
    rig_ok(trm_query_inverse_dynamics(b.query, 0, b.q, zero, &task, &out, &err), &err);
    near("torque", tau[0], T, 1e-12);
    assert_true(out.realizable && unique[0] && out.rank == 1);
    near("gap", out.gap, 0, 1e-15);
    // crank and rocker share it: tau_1 + j tau_2 = T, of least sum; with weights w_1, w_2
    memset(B, 0, sizeof B);
    B[2 * 2] = 1, B[8 * 2 + 1] = 1;
    task.nu = 2;
    rig_ok(trm_query_inverse_dynamics(b.query, 0, b.q, zero, &task, &out, &err), &err);
    near("crank", tau[0], T / (1 + j * j), 1e-12);
    near("rocker", tau[1], j * T / (1 + j * j), 1e-12);
    assert_true(out.realizable && !unique[0] && !unique[1] && out.rank == 1);
    const double weight[2] = {3, 0.5};
    task.weight = weight;
    rig_ok(trm_query_inverse_dynamics(b.query, 0, b.q, zero, &task, &out, &err), &err);
    near("weighted", tau[1] * weight[1], j * tau[0] * weight[0], 1e-11);
    near("together", tau[0] + j * tau[1], T, 1e-12);
    // nothing drives: what is missing is what the crank would have to give, in another place
    task.nu = 0;
    rig_ok(trm_query_inverse_dynamics(b.query, 0, b.q, zero, &task, &out, &err), &err);
    assert_true(!out.realizable && out.rank == 0);
    near("shortfall", out.shortfall, 1, 1e-12);
    double E[9], power = 0;
    const int crank = 0;
    rig_ok(transmit(&b, 1, &crank, E, &err), &err);
    for (int k = 0; k < 9; k++) {
        power += missing[k] * E[k];
    }
    near("missing", power, T, 1e-12);
    close_bench(&b);
}

/// Crank of length a turning at omega, rod of length l, slider: torque = omega^2 I'/2 + V', where
/// I(angle) = sum m (x'^2 + y'^2) + J phi'^2, primes by the crank's angle.
static double slider_crank_torque(double angle, double omega, double a, double l, const double m[3])
{
    const double s = sin(angle), c = cos(angle), p = a * s / l, w = sqrt(1 - p * p);
    // sin phi = -p, cos phi = w
    const double f = -a * c / (l * w);             // phi'
    const double ff = (a * s / l - f * f * p) / w; // phi'' = (a s/l + sin phi phi'^2)/cos phi
    const double X = -a * s + l / 2 * p * f;       // rod's centre: a c + l/2 cos phi
    const double XX = -a * c + l / 2 * (p * ff - w * f * f);
    const double Y = a * c + l / 2 * w * f, YY = -a * s + l / 2 * (w * ff + p * f * f);
    const double S = -a * s + l * p * f, SS = -a * c + l * (p * ff - w * f * f);
    const double half = m[1] * (X * XX + Y * YY) + m[1] * l * l / 12 * f * ff + m[2] * S * SS;
    return omega * omega * half + gravity * (m[0] * a / 2 * c + m[1] * Y);
}

CLAIM(a_slider_crank_is_driven_by_its_known_torque)
{
    trm_error err = {.status = TRM_OK};
    const double a = 0.4, l = 1.1, omega = 7, m[3] = {2, 3, 1.5};
    for (int k = 0; k < 12; k++) {
        const double angle = 0.1 + 0.523 * k, s = sin(angle), c = cos(angle);
        const double x = a * c + sqrt(l * l - a * a * s * s);
        char json[1500];
        snprintf(json, sizeof json,
                 "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
                 "{\"name\": \"crank\", \"mass\": 2, \"ends\": [[0, 0], [%.17g, %.17g]]},"
                 "{\"name\": \"rod\", \"mass\": 3, \"ends\": [[%.17g, %.17g], [%.17g, 0]]},"
                 "{\"name\": \"slider\", \"mass\": 1.5, \"inertia\": 1, \"position\": [%.17g, 0]}],"
                 "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\","
                 "\"crank\"], \"at\": [0, 0], \"motor\": \"7*t\"},"
                 "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"rod\"],"
                 " \"at\": [%.17g, %.17g]},"
                 "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"rod\", \"slider\"],"
                 " \"at\": [%.17g, 0]},"
                 "{\"name\": \"C\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"slider\"],"
                 " \"at\": [%.17g, 0], \"axis\": [1, 0]}]}",
                 a * c, a * s, a * c, a * s, x, x, a * c, a * s, x, x);
        bench b = parse(json);
        shut(&b);
        const double T = slider_crank_torque(angle, omega, a, l, m);
        double tau, B[9] = {0};
        // as a motion given to a mechanism with an actuator; the motor's row takes its share, which
        // is not determined beside it
        take(&b, b.q, b.v, NULL);
        B[2] = 1;
        const trm_drive_task task = {.a = b.a, .B = B, .nu = 1};
        trm_drive_forces out = {.tau = &tau};
        rig_ok(trm_query_inverse_dynamics(b.query, 0, b.q, b.v, &task, &out, &err), &err);
        assert_int_equal(out.rank, 0);
        near("gap", out.gap, 0, 1e-9);
        double motor[4];
        rig_ok(trm_query_motor_forces(b.query, 0, b.q, b.v, motor, NULL, &err), &err);
        near("motor", motor[0], T, 1e-8 * (1 + fabs(T)));
        // the same mechanism without a motor, moving as with it
        char *const given = strstr(json, ", \"motor\": \"7*t\"");
        memset(given, ' ', strlen(", \"motor\": \"7*t\""));
        bench free_one = parse(json);
        rig_ok(trm_query_inverse_dynamics(free_one.query, 0, b.q, b.v, &task, &out, &err), &err);
        near("torque", tau, T, 1e-10 * (1 + fabs(T)));
        assert_true(out.realizable);
        close_bench(&b);
        close_bench(&free_one);
    }
}

/// tau -> forward dynamics -> inverse dynamics -> tau, in every scene; the multipliers too where
/// they are unique, and the equation of motion.
CLAIM(inverse_dynamics_inverts_forward_dynamics)
{
    trm_error err = {.status = TRM_OK};
    for (int k = 0; k < SCENES; k++) {
        bench b = load(scenes[k]);
        const int nv = b.n.nv;
        const int d = trm_query_freedoms(b.query, b.t, b.q, &err), nu = d < 3 ? d : 3;
        double *const B = doubles(nv * 3), *const f = doubles(nv), *const missing = doubles(nv);
        double given[3], tau[3];
        for (int u = 0; u < nu; u++) {
            given[u] = 20 * chance();
            for (int i = 0; i < nv; i++) {
                B[i * nu + u] = chance();
                f[i] += B[i * nu + u] * given[u];
            }
        }
        take(&b, b.q, b.v, f);
        const trm_drive_task task = {.a = b.a, .B = B, .nu = nu};
        trm_drive_forces out = {.tau = tau, .missing = missing};
        rig_ok(trm_query_inverse_dynamics(b.query, b.t, b.q, b.v, &task, &out, &err), &err);
        assert_true(out.realizable);
        assert_int_equal(out.rank, nu);
        for (int u = 0; u < nu; u++) {
            near(scenes[k], tau[u], given[u], 1e-7 * (1 + fabs(given[u])));
        }
        free(B), free(f), free(missing);
        close_bench(&b);
    }
}

// -------------------------------------------------------------------------- motors, joints, inputs

/// Several motors at one crank share its torque; how is not determined, their sum is.
CLAIM(motors_give_what_the_motion_wants)
{
    trm_error err = {.status = TRM_OK};
    double i, j, force[4];
    int unique[4];
    four_bar_ratios(&i, &j);
    const double T = gravity * (1.5 * 0.15 + 2 * (0.3 + i * 0.55) + 1 * j * 0.1);
    char json[sizeof FOUR_BAR + 80];
    strcpy(json, FOUR_BAR);
    char *const rest = strstr(json, "\"at\": [0, 0]}") + strlen("\"at\": [0, 0]");
    const char motor[] = ", \"motor\": \"0*t\"";
    memmove(rest + strlen(motor), rest, strlen(rest) + 1);
    memcpy(rest, motor, strlen(motor));
    bench b = parse(json);
    assert_int_equal(trm_query_freedoms(b.query, 0, b.q, &err), 0);
    rig_ok(trm_query_motor_forces(b.query, 0, b.q, b.v, force, unique, &err), &err);
    near("held", force[0], T, 1e-9);
    assert_true(unique[0] && unique[1] && force[1] == 0 && force[3] == 0);
    close_bench(&b);

    const char two[] = PLANE "\"bodies\": [" ROD(
        "rod", 0, 0, 2,
        0) "], \"joints\": ["
           "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rod\"],"
           " \"at\": [0, 0], \"motor\": \"t^2\"},"
           "{\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rod\"],"
           " \"at\": [0, 0], \"motor\": \"t^2\"}]}";
    b = parse(two);
    rig_ok(trm_query_motor_forces(b.query, 0, b.q, b.v, force, unique, &err), &err);
    near("together", force[0] + force[1], 2 * (3 * 4 / 3.0) + 3 * gravity, 1e-7); // I c'' + m g l/2
    assert_true(!unique[0] && !unique[1]);
    close_bench(&b);
}

#define PLANAR_BAR                                                                                 \
    "\"dimension\": 2, \"gravity\": [0, -9.81], \"parameters\": {\"u\": {\"value\": 0,"            \
    " \"input\": true}}, \"bodies\": [{\"name\": \"a\", \"mass\": 3, \"ends\": [[0, 0], [2, 1]]}," \
    "{\"name\": \"b\", \"mass\": 2, \"ends\": [[2, 1], [3, 3]]}]"
#define SPACE_BAR                                                                                  \
    "\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"parameters\": {\"u\": {\"value\": 0,"         \
    " \"input\": true}}, \"bodies\": [{\"name\": \"a\", \"mass\": 3, \"inertia\": [1, 2, 2.5],"    \
    "\"position\": [1, 0, 2], \"rpy\": [0.3, -0.5, 1]}, {\"name\": \"b\", \"mass\": 2,"            \
    " \"inertia\": [1, 1, 0.5], \"position\": [2, 1, 0], \"rpy\": [1, 0.2, -0.7]}]"
#define DRIVEN(bodies, kind, place)                                                                \
    "{" bodies ", \"joints\": [{\"name\": \"J\", \"type\": \"" kind                                \
    "\", \"bodies\": [\"a\", \"b\"], " place "}], \"forces\": [{\"name\": \"F\", \"type\":"        \
    " \"joint_force\", \"joint\": \"J\", \"value\": \"3 + u\"}]}"

/// The column of a joint is what a unit of joint_force adds to f; and an input in a force has the B
/// of its direction.
CLAIM(a_joint_is_driven_along_its_direction)
{
    const char *const all[] = {
        DRIVEN(PLANAR_BAR, "revolute", "\"at\": [2, 1]"),
        DRIVEN(PLANAR_BAR, "prismatic", "\"at\": [2, 1], \"axis\": [1, 2]"),
        DRIVEN(SPACE_BAR, "revolute", "\"at\": [2, 1, 1], \"axis\": [1, 2, -1]"),
        DRIVEN(SPACE_BAR, "prismatic", "\"at\": [2, 1, 1], \"axis\": [1, 2, -1]")};
    trm_error err = {.status = TRM_OK};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bench b = parse(all[k]);
        double column[12], f[2][12];
        rig_ok(trm_query_joint_direction(b.query, 0, b.q, column, &err), &err);
        take(&b, b.q, b.v, NULL);
        for (int u = 0; u < 2; u++) {
            const trm_terms wanted = {.f = f[u]};
            rig_ok(trm_sim_set_input(b.r.sim, 0, u, &err), &err);
            rig_ok(trm_sim_terms(b.r.sim, 1, b.q, b.v, NULL, &wanted, &err), &err);
        }
        for (int i = 0; i < b.n.nv; i++) {
            near("column", column[i], f[1][i] - f[0][i], 1e-12);
        }
        const int input = 0;
        const trm_output out = {.body = 1, .axis = {1, 2, 3}, .derivative = 2};
        const trm_linear_task task = {.forces = column,
                                      .nforce = 1,
                                      .inputs = &input,
                                      .ninput = 1,
                                      .outputs = &out,
                                      .noutput = 1};
        trm_linear *linear = NULL;
        rig_ok(trm_query_linearize(b.query, 0, b.q, b.v, &task, &linear, &err), &err);
        double most = 0;
        for (int i = 0; i < linear->n; i++) {
            near("B", linear->B[2 * i + 1], linear->B[2 * i], 1e-10);
            most = fmax(most, fabs(linear->B[2 * i]));
        }
        assert_true(most > 0.1);
        near("D", linear->D[1], linear->D[0], 1e-10);
        assert_true(fabs(linear->D[0]) > 0.01);
        trm_linear_destroy(linear);
        close_bench(&b);
    }
}

/// What the query says of the motors along a run is what the run's sensors read.
CLAIM(motor_forces_are_those_of_a_run)
{
    trm_error err = {.status = TRM_OK};
    char path[512];
    snprintf(path, sizeof path, "%s/docs/examples/four_bar.json", rig_root());
    rig r = {NULL, NULL, NULL};
    rig_ok(trm_scene_load(path, &r.scene, &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    bench b = open_bench(r);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
    options.assemble = 1;
    rig_start(&b.r, options);
    trm_sensor sensor;
    rig_ok(trm_model_sensor(b.r.model, "O.motor", &sensor, &err), &err);
    double read, force[4], largest = 0;
    for (int k = 1; k <= 5; k++) {
        b.t = 0.17 * k;
        rig_run(&b.r, b.t);
        rig_ok(trm_sim_read(b.r.sim, &sensor, &read, &err), &err);
        shut(&b); // from where it was 0.17 s before, by the motor alone
        near("angle", b.q[2], rig_q(&b.r, "crank", 2), 1e-9);
        rig_ok(trm_query_motor_forces(b.query, b.t, b.q, b.v, force, NULL, &err), &err);
        near("motor", force[0], read, 1e-6 * (1 + fabs(read)));
        largest = fmax(largest, fabs(read));
    }
    assert_true(largest > 1);
    close_bench(&b);
}

/// No answer depends on what was asked before.
CLAIM(asking_twice_gives_the_same_bits)
{
    static const char *const names[] = {"bricard", "andrews", "double_pendulum_3d"};
    for (int k = 0; k < 3; k++) {
        bench b = load(names[k]), other = load(names[k]);
        trm_linear *const first = linearize(&b, 0, NULL);
        trm_error err = {.status = TRM_OK};
        trm_equilibrium found;
        double *const q = doubles(b.n.nq);
        memcpy(q, b.q, (size_t)b.n.nq * sizeof *q);
        rig_ok(trm_query_equilibrium(b.query, NULL, q, NULL, &found, &err), &err);
        trm_linear *const again = linearize(&b, 0, NULL), *const fresh = linearize(&other, 0, NULL);
        const size_t n = (size_t)first->n;
        assert_memory_equal(first->A, again->A, n * n * sizeof(double));
        assert_memory_equal(first->A, fresh->A, n * n * sizeof(double));
        for (int i = 0; i < first->nmodes; i++) {
            assert_true(first->modes[i].re == again->modes[i].re);
            assert_true(first->modes[i].im == fresh->modes[i].im);
        }
        free(q);
        trm_linear_destroy(first), trm_linear_destroy(again), trm_linear_destroy(fresh);
        close_bench(&b), close_bench(&other);
    }
}
