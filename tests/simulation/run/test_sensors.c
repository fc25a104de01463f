/// Sensors: what is read by name against closed forms, differences, and the laws of motion.
#include "engine/multibody/model.h"
#include "tests/rig.h"

static trm_sensor sensor(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor s;
    rig_ok(trm_model_sensor(r->model, name, &s, &err), &err);
    assert_ptr_equal(s.model, r->model);
    assert_non_null(s.unit);
    return s;
}

/// What the sensor "owner.what" shows, [3] or fewer.
static int kinematics(const rig *r, const char *owner, const char *what, double *out)
{
    char name[100];
    trm_error err = {.status = TRM_OK};
    snprintf(name, sizeof name, "%s%s%s", owner, *what ? "." : "", what);
    const trm_sensor s = sensor(r, name);
    rig_ok(trm_sim_read(r->sim, &s, out, &err), &err);
    return s.size;
}

static double read_one(const rig *r, const char *owner, const char *what)
{
    double x[8];
    assert_int_equal(kinematics(r, owner, what, x), 1);
    return x[0];
}

// -------------------------------------------------------------------------------- a known motion

/// A bar of length l = 2 and 3 kg on a hinge, falling from level: w^2 = 3 g sin(s)/l, s below
/// level.
static const char falling[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],"
    "\"bodies\":[{\"name\":\"bar\",\"mass\":3,\"ends\":[[0,0],[2,0]]}],"
    "\"markers\":[{\"name\":\"tip\",\"body\":\"bar\",\"at\":[2,0]},"
    "{\"name\":\"post\",\"body\":\"ground\",\"at\":[5,6]}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[%s],\"at\":[0,0]}]}";

CLAIM(a_falling_bar_shows_what_mechanics_says)
{
    const double g = 9.81, l = 2, m = 3;
    for (int turned = 0; turned < 2; turned++) { // the ground is a, or b
        char json[1000];
        snprintf(json, sizeof json, falling, turned ? "\"bar\",\"ground\"" : "\"ground\",\"bar\"");
        rig r = rig_parse(json);
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
        rig_run(&r, 0.5);
        const double s = -rig_q(&r, "bar", 2), c = cos(s);
        const double w = -sqrt(3 * g * sin(s) / l), alpha = -1.5 * g * c / l;
        const double sign = turned ? -1 : 1;
        double x[3];
        near("angle", read_one(&r, "bar", "angle"), -s, 1e-15);
        near("rate", read_one(&r, "bar", "rate"), w, 1e-9);
        near("angular acceleration", read_one(&r, "bar", "angular_acceleration"), alpha, 1e-9);
        near("coordinate", read_one(&r, "O", "coordinate"), -sign * s, 1e-15);
        near("coordinate rate", read_one(&r, "O", "coordinate_rate"), sign * w, 1e-9);
        assert_int_equal(kinematics(&r, "tip", "position", x), 3);
        near("tip x", x[0], l * c, 1e-10);
        near("tip y", x[1], -l * sin(s), 1e-10);
        near("tip z", x[2], 0, 0);
        near("tip vx", read_one(&r, "tip", "vx"), w * l * sin(s), 1e-8);
        near("tip vy", read_one(&r, "tip", "vy"), w * l * c, 1e-8);
        near("tip ax", read_one(&r, "tip", "ax"), alpha * l * sin(s) - w * w * l * c, 1e-7);
        near("tip ay", read_one(&r, "tip", "ay"), alpha * l * c + w * w * l * sin(s), 1e-7);
        // what the ground exerts on the bar: m (a - g), a of the centre
        assert_int_equal(kinematics(&r, "O", "force", x), 3);
        near("force x", sign * x[0], m * (alpha * sin(s) - w * w * c) * l / 2, 1e-7);
        near("force y", sign * x[1], m * ((alpha * c + w * w * sin(s)) * l / 2 + g), 1e-7);
        assert_int_equal(kinematics(&r, "O", "torque", x), 3);
        near("torque", x[2], 0, 1e-10);
        assert_int_equal(kinematics(&r, "O", "lambda", x), 2);
        near("lambda", x[0], trm_sim_state(r.sim).lambda[0], 0);
        assert_int_equal(kinematics(&r, "post", "position", x), 3);
        near("post", x[0] + 10 * x[1], 65, 0);
        near("post at rest", read_one(&r, "post", "ay"), 0, 0);
        near("centre", read_one(&r, "bar", "x"), rig_q(&r, "bar", 0), 0);
        near("kinetic", read_one(&r, "energy", "kinetic"), m * l * l * w * w / 6, 1e-7);
        near("potential", read_one(&r, "energy", "potential"), -m * g * l / 2 * sin(s), 1e-9);
        near("work", read_one(&r, "energy", "work"), 0, 0);
        near("t", read_one(&r, "t", ""), 0.5, 0);
        rig_close(&r);
    }
}

// ----------------------------------------------------------------- positions and their derivatives

/// Velocity and acceleration of a sensor of n numbers are the derivatives of `what`.
static void derivatives(rig *r, const char *owner, const char *what, const char *rate,
                        const char *acceleration)
{
    const double h = 1e-3, t = 0.3;
    double x[5][3] = {{0}}, v[3] = {0}, a[3] = {0};
    rig_start(r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    int n = 0;
    for (int k = 0; k < 5; k++) {
        rig_run(r, t + (k - 2) * h);
        n = kinematics(r, owner, what, x[k]);
        if (k == 2) {
            assert_int_equal(kinematics(r, owner, rate, v), n);
            if (acceleration) {
                assert_int_equal(kinematics(r, owner, acceleration, a), n);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        const double first = (x[0][i] - 8 * x[1][i] + 8 * x[3][i] - x[4][i]) / (12 * h);
        const double second =
            (-x[0][i] + 16 * x[1][i] - 30 * x[2][i] + 16 * x[3][i] - x[4][i]) / (12 * h * h);
        near(owner, v[i], first, 1e-6 * (1 + fabs(first)));
        if (acceleration) {
            near(owner, a[i], second, 1e-4 * (1 + fabs(second)));
        }
    }
}

CLAIM(velocities_and_accelerations_are_derivatives)
{
    rig_figures();
    static const char *const scenes[] = {"four_bar", "double_pendulum_3d", "spatial_slider_crank",
                                         "bricard", "flyball"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        rig r = rig_load(scenes[i], NULL);
        const trm_sizes n = trm_model_sizes(r.model);
        for (int k = 0; k < n.nbody; k++) {
            derivatives(&r, trm_model_body_info(r.model, k).name, "position", "velocity",
                        "acceleration");
        }
        for (int k = 0; k < n.nmarker; k++) {
            derivatives(&r, trm_model_marker_info(r.model, k).name, "position", "velocity",
                        "acceleration");
        }
        for (int k = 0; k < n.njoint; k++) {
            const trm_joint_info joint = trm_model_joint_info(r.model, k);
            if (*joint.unit) {
                derivatives(&r, joint.name, "coordinate", "coordinate_rate", NULL);
            }
        }
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------------- reactions

/// M a - f of each body is what its joints exert on it.
CLAIM(reactions_move_the_bodies)
{
    static const char *const scenes[] = {"four_bar",
                                         "slider_crank_turn",
                                         "double_four_bar",
                                         "double_pendulum_3d",
                                         "spatial_slider_crank",
                                         "bricard",
                                         "flyball"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        trm_error err = {.status = TRM_OK};
        rig r = rig_load(scenes[i], NULL);
        const trm_sizes n = trm_model_sizes(r.model);
        double *M = calloc((size_t)(n.nv * n.nv), sizeof *M), *f = calloc((size_t)n.nv, sizeof *f);
        double *sum = calloc((size_t)n.nv, sizeof *sum);
        const trm_terms terms = {.M = M, .f = f};
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
        rig_run(&r, 0.4);
        const trm_state s = trm_sim_state(r.sim);
        rig_ok(trm_sim_terms(r.sim, s.t, s.q, s.v, NULL, &terms, &err), &err);
        for (int j = 0; j < n.njoint; j++) {
            const trm_joint_axis *joint = &r.model->joint_axis[j];
            double F[3], T[3], p[3];
            kinematics(&r, trm_model_joint_info(r.model, j).name, "force", F);
            kinematics(&r, trm_model_joint_info(r.model, j).name, "torque", T);
            trm_model_point(r.model, joint->b < n.nbody ? joint->b : -1, joint->point[1], s.q, NULL,
                            p, NULL);
            for (int side = 0; side < 2; side++) {
                const int body = side ? joint->b : joint->a;
                const double sign = side ? 1 : -1;
                if (body >= n.nbody) {
                    continue;
                }
                const trm_body_info info = trm_model_body_info(r.model, body);
                const int linear = r.model->bodies.dimension;
                const double *x = s.q + info.q0;
                const double r3[3] = {p[0] - x[0], p[1] - x[1], linear == 3 ? p[2] - x[2] : 0};
                const double moment[3] = {T[0] + r3[1] * F[2] - r3[2] * F[1],
                                          T[1] + r3[2] * F[0] - r3[0] * F[2],
                                          T[2] + r3[0] * F[1] - r3[1] * F[0]};
                for (int k = 0; k < linear; k++) {
                    sum[info.v0 + k] += sign * F[k];
                }
                if (linear == 2 && info.nv == 3) {
                    sum[info.v0 + 2] += sign * moment[2];
                } else if (info.nv == 6) {
                    // body axes: component k is along R e_k
                    static const double origin[3] = {0, 0, 0};
                    for (int k = 0; k < 3; k++) {
                        const double e[3] = {k == 0, k == 1, k == 2};
                        double a[3], b[3];
                        trm_model_point(r.model, body, e, s.q, NULL, a, NULL);
                        trm_model_point(r.model, body, origin, s.q, NULL, b, NULL);
                        for (int c = 0; c < 3; c++) {
                            sum[info.v0 + 3 + k] += sign * (a[c] - b[c]) * moment[c];
                        }
                    }
                }
            }
        }
        for (int row = 0; row < n.nv; row++) {
            double wanted = -f[row], size = 1;
            for (int c = 0; c < n.nv; c++) {
                wanted += M[row * n.nv + c] * s.a[c];
                size = fmax(size, fabs(sum[c]));
            }
            near(scenes[i], sum[row], wanted, 1e-9 * size);
        }
        free(M);
        free(f);
        free(sum);
        rig_close(&r);
    }
}

static const char slide[] =
    "{\"dimension\":%d,\"gravity\":[0,-9.81%s],"
    "\"bodies\":[{\"name\":\"rail\",\"mass\":1,\"inertia\":%s},"
    "{\"name\":\"car\",\"mass\":2,\"inertia\":%s}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"rail\"],%s"
    "\"at\":[0,0%s],\"motor\":\"0.3*sin(2*t)\"},"
    "{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"rail\",\"car\"],\"axis\":[1,0%s],"
    "\"at\":[0,0%s],\"motor\":\"0.2*t^2\"}]}";

/// The power of the motors equals the gain of energy.
CLAIM(motors_do_the_work)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        char json[1000];
        const char *const zero = dimension == 3 ? ",0" : "", *const J =
                                                                 dimension == 3 ? "[1,1,1]" : "1";
        snprintf(json, sizeof json, slide, dimension, zero, J, J,
                 dimension == 3 ? "\"axis\":[0,0,1]," : "", zero, zero, zero);
        trm_error err = {.status = TRM_OK};
        rig r = rig_parse(json);
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
        options.assemble = 1;
        rig_start(&r, options);
        const double h = 1e-3;
        double energy[5], power = 0;
        for (int k = 0; k < 5; k++) {
            rig_ok(trm_sim_step_to(r.sim, 0.5 + (k - 2) * h, &err), &err);
            energy[k] = read_one(&r, "energy", "kinetic") + read_one(&r, "energy", "potential");
            if (k == 2) {
                power = read_one(&r, "O", "motor") * read_one(&r, "O", "coordinate_rate") +
                        read_one(&r, "P", "motor") * read_one(&r, "P", "coordinate_rate");
                near("O", read_one(&r, "O", "coordinate"), 0.3 * sin(1), 1e-10);
                near("P", read_one(&r, "P", "coordinate"), 0.05, 1e-10);
                near("P", read_one(&r, "P", "coordinate_rate"), 0.2, 1e-10);
            }
        }
        near("power", power, (energy[0] - 8 * energy[1] + 8 * energy[3] - energy[4]) / (12 * h),
             1e-6);
        rig_close(&r);
    }
}

// ---------------------------------------------------------------------------------------- drives

static const char held[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],"
    "\"parameters\":{\"target\":{\"value\":0.5,\"input\":true},\"k\":400,\"d\":40},"
    "\"bodies\":[{\"name\":\"arm\",\"mass\":2,\"ends\":[[0,0],[1,0]]}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"arm\"],"
    "\"at\":[0,0]}],"
    "\"forces\":[{\"name\":\"servo\",\"type\":\"servo\",\"joint\":\"O\",\"target\":\"target\","
    "\"kp\":\"k\",\"kd\":\"d\",\"feedforward\":\"9.81*cos(arm.angle)\"}]}";

CLAIM(a_servo_holds_its_target)
{
    rig r = rig_parse(held);
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
    near("stall torque", read_one(&r, "servo", "effort"), 400 * 0.5 + 9.81, 1e-9);
    rig_run(&r, 4);
    near("angle", read_one(&r, "O", "coordinate"), 0.5, 1e-8);
    near("torque", read_one(&r, "servo", "effort"), 9.81 * cos(0.5), 1e-6);
    rig_ok(
        trm_sim_set_input(r.sim, trm_model_find(r.model, TRM_ELEMENT_INPUT, "target"), -0.25, &err),
        &err);
    near("input", read_one(&r, "target", ""), -0.25, 0);
    rig_run(&r, 4.1);
    const double x = read_one(&r, "O", "coordinate"), rate = read_one(&r, "O", "coordinate_rate");
    near("effort", read_one(&r, "servo", "effort"), 400 * (-0.25 - x) - 40 * rate + 9.81 * cos(x),
         1e-9);
    rig_run(&r, 8);
    near("angle", read_one(&r, "O", "coordinate"), -0.25, 1e-8);
    below("energy", trm_sim_report(r.sim).energy_error, 1e-6);
    rig_close(&r);
}

/// About its joint it is a damped oscillator: x'' = (kp (1 - x) - kd x')/J, J = 2/3.
CLAIM(a_servo_without_weight_is_an_oscillator)
{
    rig r = rig_parse(
        "{\"dimension\":3,"
        "\"bodies\":[{\"name\":\"arm\",\"mass\":2,\"inertia\":[1,1,\"1/"
        "6\"],\"position\":[0.5,0,0]}],"
        "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"arm\",\"ground\"],"
        "\"axis\":[0,0,2],\"at\":[0,0,0]}],"
        "\"forces\":[{\"name\":\"servo\",\"type\":\"servo\",\"joint\":\"O\",\"target\":1,"
        "\"kp\":6,\"kd\":0.4}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    const double J = 2.0 / 3, delta = 0.2 / J, omega = sqrt(6 / J - delta * delta);
    for (int k = 1; k <= 10; k++) {
        const double t = 0.3 * k;
        rig_run(&r, t);
        const double x = 1 - exp(-delta * t) * (cos(omega * t) + delta / omega * sin(omega * t));
        near("x", read_one(&r, "O", "coordinate"), x, 1e-9);
        near("effort", read_one(&r, "servo", "effort"),
             6 * (1 - x) - 0.4 * read_one(&r, "O", "coordinate_rate"), 1e-8);
    }
    below("energy", trm_sim_report(r.sim).energy_error, 1e-9);
    rig_close(&r);
}

// ----------------------------------------------------------------------------------------- misuse

static void refuses(const rig *r, const char *name, const char *sentence)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor s = {.size = 7};
    assert_int_equal(trm_model_sensor(r->model, name, &s, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.message, sentence);
    assert_string_equal(err.where, name);
    assert_null(s.model);
}

CLAIM(what_cannot_be_read_is_refused)
{
    rig r = rig_parse(held);
    refuses(&r, "arms.x",
            "the model has nothing to read that is called \"arms\"; did you mean \"arm\"?");
    refuses(&r, "zzzz", "the model has nothing to read that is called \"zzzz\"");
    refuses(
        &r, "arm",
        "say what of \"arm\" to read, as in \"arm.position\"; it has position, x, y, velocity, vx, "
        "vy, acceleration, ax, ay, angle, rate, angular_acceleration");
    refuses(&r, "O.position",
            "\"O\" has no \"position\"; it has coordinate, coordinate_rate, angle, rate, force, "
            "force_x, force_y, torque, torque_z, lambda");
    refuses(&r, "O.motor",
            "\"O\" has no \"motor\"; it has coordinate, coordinate_rate, angle, rate, force, "
            "force_x, force_y, torque, torque_z, lambda");
    refuses(&r, "energy.total", "\"energy\" has no \"total\"; it has kinetic, potential, work");
    refuses(&r, "servo.force", "\"servo\" has no \"force\"; it has effort");
    refuses(&r, "sevro.effort",
            "the model has nothing to read that is called \"sevro\"; did you mean \"servo\"?");
    refuses(&r, "enrgy.work",
            "the model has nothing to read that is called \"enrgy\"; did you mean \"energy\"?");
    refuses(&r, "", "the model has nothing to read that is called \"\"");
    refuses(&r, ".x", "the model has nothing to read that is called \"\"");
    rig_close(&r);
}

CLAIM(a_force_without_effort_says_so)
{
    rig r =
        rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":1,\"ends\":[[0,0],[1,0]]"
                  "}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\","
                  "\"b\"],\"at\":[0,0]}],\"forces\":[{\"name\":\"friction\",\"type\":"
                  "\"torque\",\"body\":\"b\",\"value\":\"-b.rate\"}]}");
    refuses(&r, "friction.effort",
            "the force \"friction\" has nothing to read: forces of its type have no effort");
    rig_close(&r);
}

CLAIM(a_sensor_reads_runs_of_its_model_only)
{
    trm_error err = {.status = TRM_OK};
    double x = 7;
    rig one = rig_parse(held), other = rig_parse(held);
    rig_start(&one, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    rig_start(&other, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    const trm_sensor s = sensor(&one, "arm.angle"), nothing = {0};
    rig_ok(trm_sim_read(one.sim, &s, &x, &err), &err);
    x = 7;
    assert_int_equal(trm_sim_read(other.sim, &s, &x, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.message, "the sensor belongs to another model");
    assert_int_equal(trm_sim_read(one.sim, &nothing, &x, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.message, "the sensor belongs to another model");
    assert_int_equal(trm_sim_read(NULL, &s, &x, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_read(one.sim, NULL, &x, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_read(one.sim, &s, NULL, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.message, "expected a run, a sensor and room for its numbers, got NULL");
    near("untouched", x, 7, 0);
    assert_int_equal(trm_model_sensor(NULL, "t", (trm_sensor *)&s, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_model_sensor(one.model, NULL, (trm_sensor *)&s, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_model_sensor(one.model, "t", NULL, &err), TRM_ERR_OPTIONS);
    rig_close(&one);
    rig_close(&other);
}

/// Reading changes nothing of a run, not even what it counts.
CLAIM(reading_leaves_no_trace)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(held);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    rig_run(&r, 0.3);
    char *start = rig_save(&r);
    double q[2], energy[2];
    long evaluations[2];
    for (int k = 0; k < 2; k++) {
        rig_restore(&r, start);
        for (int i = 0; i < 20; i++) {
            double x[3];
            rig_ok(trm_sim_step(r.sim, &err), &err);
            if (k == 1) {
                kinematics(&r, "O", "force", x);
                kinematics(&r, "arm", "acceleration", x);
                kinematics(&r, "servo", "effort", x);
            }
        }
        q[k] = rig_q(&r, "arm", 2);
        energy[k] = trm_sim_energy(r.sim).kinetic;
        evaluations[k] = trm_sim_stats(r.sim).jacobian_evals + trm_sim_stats(r.sim).force_evals;
    }
    assert_true(q[0] == q[1] && energy[0] == energy[1] && evaluations[0] == evaluations[1]);
    free(start);
    rig_close(&r);
}

// -------------------------------------------------------------------------------------- samples

/// A disc of 2 kg m^2 on a hinge; a torque by time and a servo turn it.
static const char driven[] =
    "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0.5,\"input\":true}},"
    "\"bodies\":[{\"name\":\"rotor\",\"mass\":4,\"shape\":{\"type\":\"disc\",\"radius\":1}}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"rotor\"],"
    "\"at\":[0,0]}],\"forces\":["
    "{\"name\":\"swing\",\"type\":\"joint_force\",\"joint\":\"O\",\"value\":\"3*cos(5*t)+u\"},"
    "{\"name\":\"hold\",\"type\":\"servo\",\"joint\":\"O\",\"kp\":7,\"kd\":2,\"target\":\"t\","
    "\"target_rate\":1}]}";

/// Within a step efforts, coordinates and inputs are those of the sample, not of the step's end.
CLAIM(sensors_of_a_sample_belong_to_its_time)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(driven), quiet = rig_parse(driven);
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.125);
    rig_start(&r, options);
    rig_start(&quiet, options);
    const trm_sensor sensors[] = {sensor(&r, "swing.effort"),
                                  sensor(&r, "hold.effort"),
                                  sensor(&r, "O.coordinate"),
                                  sensor(&r, "O.coordinate_rate"),
                                  sensor(&r, "u"),
                                  sensor(&r, "O.force"),
                                  sensor(&r, "t"),
                                  sensor(&r, "energy.kinetic")};
    assert_string_equal(sensors[1].unit, "N m");
    for (int n = 1; n <= 8; n++) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
        rig_ok(trm_sim_step(quiet.sim, &err), &err);
        for (int part = 1; part <= 4; part++) {
            const double t = 0.125 * (n - 1) + 0.03125 * part;
            trm_sample sample;
            double x[10];
            rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
            rig_ok(trm_sim_read_sample(r.sim, &sample, 8, sensors, x, &err), &err);
            const double angle = sample.state.q[2], rate = sample.state.v[2];
            near("t", x[8], t, 0);
            near("torque by time", x[0], 3 * cos(5 * t) + 0.5, 1e-14);
            near("servo", x[1], 7 * (t - angle) + 2 * (1 - rate), 1e-13);
            near("Euler's law", 2 * sample.state.a[2], x[0] + x[1], 1e-12);
            near("coordinate", x[2], angle, 1e-15);
            near("rate", x[3], rate, 1e-15);
            near("input", x[4], 0.5, 0);
            near("a disc in its centre hangs on nothing", hypot(x[5], x[6]), 0, 1e-12);
            near("kinetic", x[9], rate * rate, 1e-12);
            for (int k = 0, at = 0; part == 4 && k < 8; at += sensors[k].size, k++) {
                double end[3];
                rig_ok(trm_sim_read(r.sim, &sensors[k], end, &err), &err);
                assert_memory_equal(end, x + at, (size_t)sensors[k].size * sizeof(double));
            }
        }
        const trm_state a = trm_sim_state(r.sim), b = trm_sim_state(quiet.sim);
        assert_memory_equal(a.q, b.q, 3 * sizeof(double));
        assert_memory_equal(a.v, b.v, 3 * sizeof(double));
    }
    trm_sample sample;
    double x[1];
    rig_ok(trm_sim_sample(r.sim, 1, &sample, &err), &err);
    assert_int_equal(trm_sim_read_sample(quiet.sim, &sample, 1, sensors, x, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_read_sample(r.sim, NULL, 1, sensors, x, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_read_sample(r.sim, &sample, -1, sensors, x, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
    rig_close(&quiet);
}

CLAIM(actuators_stand_in_scene_order)
{
    rig r = rig_parse(driven);
    assert_int_equal(trm_model_sizes(r.model).nactuator, 2);
    assert_string_equal(trm_model_actuator_info(r.model, 0).name, "swing");
    assert_string_equal(trm_model_actuator_info(r.model, 1).name, "hold");
    assert_string_equal(trm_model_actuator_info(r.model, 1).unit, "N m");
    assert_int_equal(trm_model_actuator_info(r.model, 1).joint, 0);
    assert_null(trm_model_actuator_info(r.model, 2).name);
    assert_null(trm_model_actuator_info(r.model, -1).name);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------ turns

/// Two wheels in a row, the second turned against the first by a soft spring of stiffness k: with
/// unit inertias y'' = -2 k y of the angle y between them, the first by -y/2. At loose accuracies
/// steps turn them by more than a half turn, and each other by more than a turn.
static const char wheels[] =
    "{\"dimension\":3,\"bodies\":["
    "{\"name\":\"a\",\"mass\":1,\"inertia\":[1,1,1],\"position\":[0,0,0],\"rate\":[0,0,1]},"
    "{\"name\":\"b\",\"mass\":1,\"inertia\":[1,1,1],\"position\":[0,0,1],\"rate\":[0,0,-1]}],"
    "\"joints\":[{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
    "\"at\":[0,0,0],\"axis\":[0,0,1]},"
    "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[0,0,1],"
    "\"axis\":[0,0,1]}],"
    "\"forces\":[{\"name\":\"S\",\"type\":\"joint_spring_damper\",\"joint\":\"B\","
    "\"stiffness\":%g}]}";

CLAIM(turns_are_counted_in_steps_of_more_than_half_a_turn)
{
    const double accuracies[] = {1e-1, 1e-2, 1e-3, 1e-6}, stiffnesses[] = {0.002, 1e-9};
    double fastest = 0;
    for (int i = 0; i < 8; i++) {
        const double A = accuracies[i / 2], k = stiffnesses[i % 2], omega = sqrt(2 * k);
        char json[1000];
        snprintf(json, sizeof json, wheels, k);
        rig r = rig_parse(json);
        rig_start(&r, rig_choose(&r, A));
        rig_run(&r, 40);
        const double y = -2 / omega * sin(40 * omega), rate = -2 * cos(40 * omega);
        near("angle of B", read_one(&r, "B", "coordinate"), y, 10 * A * fabs(y));
        near("angle of A", read_one(&r, "A", "coordinate"), -y / 2, 10 * A * fabs(y));
        near("rate of B", read_one(&r, "B", "coordinate_rate"), rate, 10 * A * 2);
        fastest = fmax(fastest, 80 / (double)trm_sim_stats(r.sim).steps);
        rig_close(&r);
    }
    assert_true(fastest > 2 * 3.1416); // rad, in steps
}
