// Runs that stop exactly on a singular position, start in it, or are changed there, against the
// equation in one angle.

#include "tests/simulation/singular/singular.h"

/// A parallelogram of unit bars and unequal masses on level ground: crank, coupler, rocker of 1, 2,
/// 3 kg, with a torque u on the crank, and a wheel that shares nothing with it, nor has what `body`
/// and `joint` add. From the angle phi with the rate w.
static rig parallelogram_beside(double phi, double w, const char *body, const char *joint)
{
    char json[2400];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"parameters\": {"
             "\"u\": {\"value\": 0, \"input\": true}, \"f\": %.17g, \"w\": %.17g,"
             "\"x\": \"cos(f)\", \"y\": \"sin(f)\"}, \"bodies\": ["
             "{\"name\": \"crank\", \"ends\": [[0, 0], [\"x\", \"y\"]], \"mass\": 1,"
             "\"velocity\": [\"-y*w/2\", \"x*w/2\"], \"rate\": \"w\"},"
             "{\"name\": \"coupler\", \"ends\": [[\"x\", \"y\"], [\"1 + x\", \"y\"]], \"mass\": 2,"
             "\"velocity\": [\"-y*w\", \"x*w\"]},"
             "{\"name\": \"rocker\", \"ends\": [[1, 0], [\"1 + x\", \"y\"]], \"mass\": 3,"
             "\"velocity\": [\"-y*w/2\", \"x*w/2\"], \"rate\": \"w\"},"
             "{\"name\": \"wheel\", \"mass\": 1, \"inertia\": 1, \"position\": [9, 0],"
             "\"rate\": 1000}%s], \"joints\": ["
             "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"],"
             "\"at\": [0, 0]}, {\"name\": \"B\", \"type\": \"revolute\","
             "\"bodies\": [\"crank\", \"coupler\"], \"at\": [\"x\", \"y\"]}, {\"name\": \"C\","
             "\"type\": \"revolute\", \"bodies\": [\"coupler\", \"rocker\"], \"at\": [\"1 + x\","
             "\"y\"]}, {\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"ground\","
             "\"rocker\"], \"at\": [1, 0]}, {\"name\": \"axle\","
             "\"type\": \"revolute\", \"bodies\": [\"ground\", \"wheel\"],"
             "\"at\": [9, 0]}%s], \"forces\": [{\"name\": \"drive\","
             "\"type\": \"joint_force\", \"joint\": \"A\", \"value\": \"u\"}]}",
             phi, w, body, joint);
    return rig_parse(json);
}

static rig parallelogram(double phi, double w)
{
    return parallelogram_beside(phi, w, "", "");
}

typedef struct motion {
    double phi, w;
} motion;

/// phi'' = (u - 4 g cos phi)/I: the coupler moves like the top of the crank, so I = 1/3 + 2 + 3/3,
/// and the weight is lifted by (1/2 + 2 + 3/2) sin phi.
static double acceleration(double phi, double u)
{
    const double I = 1.0 / 3 + 2 + 1, g = 9.81;
    return (u - 4 * g * cos(phi)) / I;
}

/// The exact motion after t, by the classical method with steps of about 1e-4 s.
static motion follow(motion m, double t, double u)
{
    const long n = (long)ceil(t / 1e-4);
    const double h = t / (double)n;
    for (long i = 0; i < n; i++) {
        const double k1 = acceleration(m.phi, u);
        const double w2 = m.w + h / 2 * k1, k2 = acceleration(m.phi + h / 2 * m.w, u);
        const double w3 = m.w + h / 2 * k2, k3 = acceleration(m.phi + h / 2 * w2, u);
        const double w4 = m.w + h * k3, k4 = acceleration(m.phi + h * w3, u);
        m.phi += h / 6 * (m.w + 2 * w2 + 2 * w3 + w4);
        m.w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return m;
}

static const motion begin = {0.9, -6};

/// When the bars are in line: phi = 0, by Newton's method.
static double time_in_line(void)
{
    double t = 0.15;
    for (int k = 0; k < 8; k++) {
        const motion m = follow(begin, t, 0);
        t -= m.phi / m.w;
    }
    return t;
}

typedef struct method {
    const char *name;
    trm_options options; ///< a step h = 1 means that of the caller
    double error; ///< of the angle after a second or less, with 40 steps to the singular position
} method;

enum { METHODS = 10 };

static const method *all_methods(void)
{
    static method methods[METHODS];
    const method list[METHODS] = {
        {"rk4, s-both2", rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1), 2e-8},
        {"rk4, projection", rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PROJECTION, 1), 2e-8},
        {"rk4, s-both", rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH, 1), 2e-8},
        {"rk4, baumgarte", rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_BAUMGARTE, 1), 1e-6},
        {"heun, s-both2", rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH2, 1), 1e-3},
        {"midpoint, s-both2", rig_fixed(TRM_INTEGRATOR_MIDPOINT, TRM_STABILIZATION_S_BOTH2, 1),
         1e-3},
        {"dop853, 1e-8", rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8),
         1e-9},
        {"dop853, 1e-12",
         rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12), 1e-11},
        {"dopri5, 1e-8", rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8),
         1e-8},
        {"dopri5, 1e-11",
         rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11), 1e-10},
    };
    memcpy(methods, list, sizeof list);
    return methods;
}

/// Whether it is one of these two; `other` may be NULL.
static int is_one_of(const method *m, const char *one, const char *other)
{
    return strcmp(m->name, one) == 0 || (other && strcmp(m->name, other) == 0);
}

static trm_options with_step(const method *m, double h)
{
    trm_options options = assembling(m->options);
    options.h = options.h > 0 ? h : 0;
    return options;
}

static const double period = 1.0 / 40; // of the time to the singular position

/// A caller that stops every h, from t = n h on until t_end.
static void stop_at_all(rig *r, double h, int n, double t_end)
{
    trm_error err = {.status = TRM_OK};
    for (int k = n + 1; k * h < t_end; k++) {
        rig_ok(trm_sim_step_to(r->sim, k * h, &err), &err);
    }
    rig_run(r, t_end);
}

static void check(const rig *r, const method *m, motion exact, long crossings)
{
    const trm_report report = trm_sim_report(r->sim);
    near(m->name, rig_q(r, "crank", 2), exact.phi, m->error);
    near(m->name, rig_q(r, "rocker", 2), exact.phi, m->error);
    near("wheel", rig_v(r, "wheel", 2), 1000, 1e-9);
    assert_int_equal(report.crossings, crossings);
    assert_int_equal(report.branch_changes, 0);
}

/// With a mesh point, and the end of a step, on the singular position.
CLAIM(a_control_loop_may_stop_there)
{
    const double h = period * time_in_line();
    const motion exact = follow(begin, 1, 0);
    rig r = parallelogram(begin.phi, begin.w);
    for (int i = 0; i < METHODS; i++) {
        const method *m = &all_methods()[i];
        rig_start(&r, with_step(m, h));
        stop_at_all(&r, h, 0, 1);
        check(&r, m, exact, 2);
        rig_start(&r, with_step(m, 1.3 * h)); // steps that the stops cut short
        stop_at_all(&r, h, 0, 1);
        check(&r, m, exact, 2);
    }
    rig_close(&r);
}

/// The same without stops: the mesh alone hits it.
CLAIM(a_mesh_may_hit_it)
{
    const double h = period * time_in_line();
    const motion exact = follow(begin, 1, 0);
    rig r = parallelogram(begin.phi, begin.w);
    for (int i = 0; i < METHODS; i++) {
        const method *m = &all_methods()[i];
        if (m->options.h > 0) {
            rig_start(&r, with_step(m, h));
            rig_run(&r, 1);
            check(&r, m, exact, 2);
        }
    }
    rig_close(&r);
}

/// Wherever the stop is next to it, the error falls like h^4.
CLAIM(the_order_is_kept)
{
    const double t = time_in_line();
    const double aside[] = {0, 1e-9, 1e-6, -1e-5, 1e-4, 1e-3, -3e-3};
    const motion exact = follow(begin, 0.5, 0);
    rig r = parallelogram(begin.phi, begin.w);
    for (int i = 0; i < 7; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            const double h = t * (1 + aside[i]) / (k == 0 ? 30 : 120);
            rig_start(&r, assembling(rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h)));
            stop_at_all(&r, h, 0, 0.5);
            error[k] = fabs(rig_q(&r, "crank", 2) - exact.phi);
        }
        below("error", error[0], 1e-7);
        below("over error", error[1], error[0] / 150);
    }
    rig_close(&r);
}

/// A torque that sets in on the singular position drives the crank from there on.
CLAIM(an_input_may_jump_there)
{
    const double t = time_in_line(), h = period * t, u = 50;
    const motion exact = follow(follow(begin, t, 0), 0.5 - t, u);
    trm_error err = {.status = TRM_OK};
    rig r = parallelogram(begin.phi, begin.w);
    for (int i = 0; i < METHODS; i++) {
        const method *m = &all_methods()[i];
        rig_start(&r, with_step(m, h));
        stop_at_all(&r, h, 0, 40 * h);
        rig_ok(trm_sim_set_input(r.sim, 0, u, &err), &err);
        stop_at_all(&r, h, 40, 0.5);
        check(&r, m, exact, 1);
    }
    rig_close(&r);
}

/// A blow along the motion.
CLAIM(a_velocity_may_jump_there)
{
    const double t = time_in_line(), h = period * t;
    motion exact = follow(begin, t, 0);
    exact.w *= 1.3;
    exact = follow(exact, 0.5 - t, 0);
    trm_error err = {.status = TRM_OK};
    rig r = parallelogram(begin.phi, begin.w);
    for (int i = 0; i < METHODS; i++) {
        const method *m = &all_methods()[i];
        double dv[12] = {0};
        rig_start(&r, with_step(m, h));
        stop_at_all(&r, h, 0, 40 * h);
        for (int k = 0; k < 9; k++) {
            dv[k] = 0.3 * trm_sim_state(r.sim).v[k];
        }
        rig_ok(trm_sim_perturb(r.sim, NULL, dv, &err), &err);
        stop_at_all(&r, h, 40, 0.5);
        check(&r, m, exact, 2);
    }
    rig_close(&r);
}

/// In line from the start: the acceleration is that of the motion, though [ACC] does not determine
/// it there.
CLAIM(a_run_may_start_there)
{
    const double t = time_in_line(), h = period * t;
    const motion start = {0, follow(begin, t, 0).w};
    rig r = parallelogram(start.phi, start.w);
    for (int i = 0; i < METHODS; i++) {
        const method *m = &all_methods()[i];
        rig_start(&r, with_step(m, h));
        near("acceleration", trm_sim_state(r.sim).a[2], acceleration(0, 0), 1e-6);
        rig_run(&r, 0.5);
        check(&r, m, follow(start, 0.5, 0), 2);
    }
    rig_close(&r);
}

/// A motor that turns another bar, and fast, has no part in the limit of these.
CLAIM(a_motor_elsewhere_is_left_alone)
{
    const motion start = {0, -0.02};
    rig r = parallelogram_beside(start.phi, start.w,
                                 ", {\"name\": \"turner\", \"ends\": [[5, 0], [6, 0]],"
                                 "\"mass\": 1, \"rate\": 50, \"velocity\": [0, 25]}",
                                 ", {\"name\": \"motor\", \"type\": \"revolute\","
                                 "\"bodies\": [\"ground\", \"turner\"], \"at\": [5, 0],"
                                 "\"motor\": \"50*t\"}");
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    near("acceleration", trm_sim_state(r.sim).a[2], acceleration(0, 0), 1e-6);
    near("acceleration", trm_sim_state(r.sim).a[8], acceleration(0, 0), 1e-6);
    rig_run(&r, 0.5);
    near("angle", rig_q(&r, "crank", 2), follow(start, 0.5, 0).phi, 1e-6);
    near("coupler", rig_q(&r, "coupler", 2), 0, 1e-9);
    rig_close(&r);
}

/// Nothing of a run reaches the next one.
CLAIM(a_restart_there_is_a_start)
{
    const motion start = {0, -4};
    rig r = parallelogram(start.phi, start.w);
    for (int i = 0; i < METHODS; i++) {
        double q[12], v[12], a[12];
        trm_error err;
        rig_start(&r, with_step(&all_methods()[i], 1e-3));
        memcpy(q, trm_sim_state(r.sim).q, sizeof q);
        memcpy(v, trm_sim_state(r.sim).v, sizeof v);
        memcpy(a, trm_sim_state(r.sim).a, sizeof a);
        rig_run(&r, 0.7);
        rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
        assert_memory_equal(trm_sim_state(r.sim).a, a, sizeof a);
    }
    rig_close(&r);
}

/// A force that is known for angles of the motion only, and has the run ended elsewhere.
static int force_ahead(const trm_model *model, double t, const double *q, const double *v,
                       double *force, void *user)
{
    (void)model, (void)t, (void)v;
    ++*(long *)user;
    if (q[2] > 1e-9) {
        return -1;
    }
    force[2] += 1;
    return 0;
}

CLAIM(forces_are_not_asked_behind_it)
{
    const motion start = {0, -4};
    long calls = 0;
    trm_error err;
    rig r = parallelogram(start.phi, start.w);
    const trm_force_def def = {.name = "ahead", .force = force_ahead, .user = &calls};
    rig_ok(trm_scene_add_force(r.scene, &def, &err), &err);
    trm_model_destroy(r.model);
    r.model = NULL;
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    near("acceleration", trm_sim_state(r.sim).a[2], acceleration(0, 1), 1e-6);
    rig_run(&r, 0.3);
    assert_true(calls > 0);
    near("angle", rig_q(&r, "crank", 2), follow(start, 0.3, 1).phi, 1e-6);
    rig_close(&r);
}

static int motor_row(const rig *r)
{
    int row = -1;
    for (int i = 0; i < trm_model_sizes(r->model).nc; i++) {
        const trm_row_info info = trm_model_row_info(r->model, i);
        row = strcmp(info.name, "A") == 0 && strcmp(info.unit, "rad") == 0 ? i : row;
    }
    assert_true(row >= 0);
    return row;
}

/// The motor carries the weight there, 4 g, and its work is that weight times the way.
CLAIM(a_motor_may_stop_there)
{
    const double h = period * pi / 6;
    rig r = rig_load("../tests/scenes/driven_stop", NULL);
    for (int i = 0; i < METHODS; i++) {
        const method *m = &all_methods()[i];
        if (is_one_of(m, "heun, s-both2", "midpoint, s-both2")) {
            continue; // not promised, docs/explanation/singular_positions.md
        }
        rig_start(&r, with_step(m, h));
        stop_at_all(&r, h, 0, 40 * h);
        near(m->name, trm_sim_state(r.sim).lambda[motor_row(&r)], -4 * 9.81, 1e-4);
        stop_at_all(&r, h, 40, 2);
        near(m->name, rig_q(&r, "rocker", 2), pi / 2 - 6, 1e-6);
        near(m->name, rig_q(&r, "coupler", 2), 0, 1e-6);
        below(m->name, trm_sim_report(r.sim).energy_error_relative, 1e-3);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    }
    rig_close(&r);
}

/// Heun's method has a stage on every mesh point, and lost all energy there.
CLAIM(heun_passes)
{
    rig r = rig_load("slider_crank_turn", disturbed);
    const double t = first_crossing(&r);
    for (int k = 0; k < 40; k++) {
        const double h = t / (40 + k / 2);
        rig_start(&r, assembling(rig_fixed(k % 2 ? TRM_INTEGRATOR_HEUN : TRM_INTEGRATOR_MIDPOINT,
                                           TRM_STABILIZATION_S_BOTH2, h)));
        rig_run(&r, 3);
        below("energy", trm_sim_report(r.sim).energy_error_relative, 3e-3);
        assert_int_equal(trm_sim_report(r.sim).crossings, 3);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    }
    rig_close(&r);
}

/// A tighter tolerance may not make the energy worse because a stop meets the singular position.
CLAIM(tighter_is_never_worse_at_a_stop)
{
    rig r = rig_load("double_four_bar", NULL);
    const double t = first_crossing(&r);
    for (int k = 0; k < 16; k++) {
        const double rtol = pow(10, -5 - k / 2), h = t / 5;
        const trm_integrator integrator = k % 2 ? TRM_INTEGRATOR_DOP853 : TRM_INTEGRATOR_DOPRI5;
        rig_start(&r, assembling(rig_adaptive(integrator, TRM_STABILIZATION_S_BOTH2, rtol, rtol)));
        stop_at_all(&r, h, 0, 3);
        below("energy", trm_sim_report(r.sim).energy_error_relative, 30 * rtol + 2e-11);
        assert_int_equal(trm_sim_report(r.sim).crossings, 3);
    }
    rig_close(&r);
}

/// Three cranks of 1 m from pi/3 on, their tops joined by couplers of 1 m, all on spatial hinges
/// along z.
static rig double_loop_in_space(void)
{
    char json[6000] = "";
    size_t used = 0;
    const double x = cos(pi / 3), y = sin(pi / 3);
    used += (size_t)snprintf(json, sizeof json,
                             "{\"dimension\": 3, \"gravity\": [0, -9.81, 0], \"bodies\": [");
    for (int i = 0; i < 5; i++) {
        const int coupler = i >= 3;
        const double foot = coupler ? i - 3 : i, low = coupler ? y : 0;
        const double left = coupler ? foot + x : foot, right = coupler ? left + 1 : foot + x;
        const double part = coupler ? 1 : 0.5;
        used += (size_t)snprintf(
            json + used, sizeof json - used,
            "%s{\"name\": \"%c\", \"ends\": [[%.17g, %.17g, 0], [%.17g, %.17g, 0]], \"mass\": 1,"
            "\"shape\": {\"type\": \"rod\", \"length\": 1, \"radius\": 0.02},"
            "\"velocity\": [%.17g, %.17g, 0], \"rate_world\": [0, 0, %d]}",
            i ? ", " : "", "abcuv"[i], left, low, right, y, part * y, -part * x, coupler ? 0 : -1);
    }
    used += (size_t)snprintf(json + used, sizeof json - used, "], \"joints\": [");
    const char *const pairs[] = {"0a", "0b", "0c", "au", "ub", "bv", "vc"};
    for (int i = 0; i < 7; i++) {
        const double foot = i < 3 ? i : (i - 2) / 2;
        char first[8] = {pairs[i][0], 0}, second[8] = {pairs[i][1], 0};
        used += (size_t)snprintf(
            json + used, sizeof json - used,
            "%s{\"name\": \"J%d\", \"type\": \"revolute\", \"bodies\": [\"%s\", \"%s\"],"
            "\"at\": [%.17g, %.17g, 0], \"axis\": [0, 0, 1]}",
            i ? ", " : "", i, i < 3 ? "ground" : first, second, i < 3 ? foot : foot + x,
            i < 3 ? 0 : y);
    }
    snprintf(json + used, sizeof json - used, "]}");
    return rig_parse(json);
}

/// A row whose pivot is small for nearly all of a turn hides no other that vanishes: twelve
/// crossings in ten seconds, at the times of fine steps.
CLAIM(a_double_loop_in_space_misses_no_crossing)
{
    const double h[] = {0.08, 0.07, 0.06, 0.05, 0.03};
    double exact[12];
    rig r = double_loop_in_space();
    for (int k = -1; k < 10; k++) {
        rig_start(&r, assembling(k < 0 ? rig_adaptive(TRM_INTEGRATOR_DOP853,
                                                      TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10)
                                       : rig_fixed(TRM_INTEGRATOR_RK4,
                                                   k % 2 ? TRM_STABILIZATION_S_BOTH
                                                         : TRM_STABILIZATION_S_BOTH2,
                                                   h[k / 2])));
        rig_run(&r, 10);
        assert_int_equal(trm_sim_report(r.sim).crossings, 12);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        for (int i = 0; i < 12; i++) {
            trm_crossing crossing;
            assert_true(trm_sim_crossing(r.sim, i, &crossing));
            exact[i] = k < 0 ? crossing.t : exact[i];
            near("time", crossing.t, exact[i], 0.05);
        }
    }
    rig_close(&r);
}
