/// Open trees of pins in joint coordinates, against the constraint solver and against closed forms.
#include "base/linear/sums.h"
#include "tests/rig.h"

enum { TEXT = 60000, MOST = 128 };

/// Uniform in [-1, 1], the same in every run.
static double chance(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(*seed >> 11) / 4503599627370496.0 - 1;
}

typedef struct text {
    char at[TEXT];
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(t->at + t->used, TEXT - t->used, format, list);
    va_end(list);
    t->used += (size_t)n;
    assert_true(t->used < TEXT);
}

/// All elements that act between the bodies or on them.
static void say_forces(text *t, int n)
{
    const int last = n - 1;
    say(t,
        "], \"markers\": [{\"name\": \"near\", \"body\": \"b0\", \"on\": [0.3, 0.1]}, {\"name\": "
        "\"far\", \"body\": \"b%d\", \"on\": [-0.2, 0.4]}, {\"name\": \"wall\", \"body\": "
        "\"ground\", \"on\": [3, 1]}], \"forces\": [{\"name\": \"spring\", \"type\": "
        "\"spring_damper\", \"markers\": [\"near\", \"far\"], \"stiffness\": 7, \"damping\": 0.4, "
        "\"rest_length\": 0.7}, {\"name\": \"rope\", \"type\": \"spring_damper\", \"markers\": "
        "[\"wall\", \"far\"], \"stiffness\": 3, \"rest_length\": 0.2}, {\"name\": \"hinge\", "
        "\"type\": \"joint_spring_damper\", \"joint\": \"p%d\", \"stiffness\": 5, \"damping\": "
        "0.3, \"rest\": 0.2}, {\"name\": \"servo\", \"type\": \"servo\", \"joint\": \"p%d\", "
        "\"target\": \"sin(t)\", \"target_rate\": \"cos(t)\", \"kp\": 4, \"kd\": 0.5}, {\"name\": "
        "\"drive\", \"type\": \"joint_force\", \"joint\": \"p%d\", \"value\": \"u + t\"}, "
        "{\"name\": \"wind\", \"type\": \"force\", \"marker\": \"far\", \"value\": [\"1 - "
        "0.1*far.vx\", \"-0.2*far.vy\"]}, {\"name\": \"twist\", \"type\": \"torque\", \"body\": "
        "\"b%d\", \"value\": \"0.3*cos(t)\", \"reaction\": \"b0\"}]}",
        last, last, n / 2, last, last);
}

/// What body i hangs on, -1: the ground. Among `chained` bodies it is the body before.
static int random_parent(unsigned long long *seed, int i, int free, int chained)
{
    const int any = (int)floor((chance(seed) + 1) / 2 * (free ? i : i + 1)) - !free;
    return chained > 0 && i % chained > 0 ? i - 1 : any;
}

/// n bodies in random places, each pinned at a random point to one of those before it, a few to the
/// ground; one root without any pin, if `free`. The bodies are listed in an order that is not that
/// of the tree. If `chained`, most have one other hanging on them.
static rig random_forest(unsigned long long seed, int n, int free, int forces, int chained)
{
    static text t;
    int order[MOST];
    t.used = 0;
    assert_true(n <= MOST);
    for (int i = 0; i < n; i++) {
        order[i] = (5 * i + 2) % n; // no n here is a multiple of 5
    }
    say(&t,
        "{\"dimension\": 2, \"gravity\": [0.7, -9.81], \"parameters\": {\"u\": {\"value\": 0.8, "
        "\"input\": true}}, \"bodies\": [");
    for (int i = 0; i < n; i++) {
        say(&t,
            "%s{\"name\": \"b%d\", \"mass\": %.17g, \"inertia\": %.17g, \"position\": [%.17g, "
            "%.17g], \"angle\": %.17g, \"velocity\": [%.17g, %.17g], \"rate\": %.17g}",
            i > 0 ? ", " : "", order[i], 1.5 + chance(&seed), 0.5 + 0.4 * chance(&seed),
            chance(&seed), chance(&seed), 3 * chance(&seed), chance(&seed), chance(&seed),
            2 * chance(&seed));
    }
    say(&t, "], \"joints\": [");
    for (int i = free; i < n; i++) {
        const int a = random_parent(&seed, i, free, chained);
        char other[16] = "ground";
        if (a >= 0) {
            snprintf(other, sizeof other, "b%d", a);
        }
        char own[16];
        snprintf(own, sizeof own, "b%d", i);
        say(&t,
            "%s{\"name\": \"p%d\", \"type\": \"revolute\", \"bodies\": [\"%s\", \"%s\"], "
            "\"at\": [%.17g, %.17g]}",
            i > free ? ", " : "", i, i % 2 ? own : other, i % 2 ? other : own, chance(&seed),
            chance(&seed));
    }
    if (forces) {
        say_forces(&t, n);
    } else {
        say(&t, "]}");
    }
    return rig_parse(t.at);
}

static rig random_tree(unsigned long long seed, int n, int free, int forces)
{
    return random_forest(seed, n, free, forces, 0);
}

static trm_options assembled(trm_integrator integrator, trm_stabilization stabilization)
{
    trm_options options = trm_default_options(integrator, stabilization);
    options.assemble = 1;
    return options;
}

static void check_near(const char *what, int n, const double *x, const double *expected)
{
    const double scale = trm_max_norm(n, expected);
    for (int i = 0; i < n; i++) {
        near(what, x[i], expected[i], 1e-12 * scale);
    }
}

static void compare_accelerations(rig *r)
{
    const trm_sizes n = trm_model_sizes(r->model);
    double a[3 * MOST], lambda[2 * MOST];
    rig_start(r, assembled(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN));
    const trm_state solved = trm_sim_state(r->sim);
    memcpy(a, solved.a, (size_t)n.nv * sizeof *a);
    memcpy(lambda, solved.lambda, (size_t)n.nc * sizeof *lambda);
    rig_take(r, TRM_COORDINATES_JOINT);
    rig_start(r, assembled(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN));
    const trm_state state = trm_sim_state(r->sim);
    check_near("a", n.nv, state.a, a);
    check_near("lambda", n.nc, state.lambda, lambda);
}

CLAIM(accelerations_and_reactions_are_those_of_the_solver)
{
    const int sizes[] = {1, 2, 3, 4, 7, 9};
    for (unsigned k = 0; k < 60; k++) {
        const int n = sizes[k % 6];
        const int free = k % 5 == 4 && n > 2;
        rig r = random_tree(k + 1, n, free, n > 3 && k % 2);
        compare_accelerations(&r);
        rig_close(&r);
    }
}

/// In long chains, at the ground, free or behind a fork, and several of them.
CLAIM(long_chains_do_too)
{
    const int sizes[] = {17, 18, 41, 63, 98};
    const int chained[] = {18, 29, 98};
    for (unsigned k = 0; k < 60; k++) {
        rig r = random_forest(k + 1, sizes[k % 5], k % 4 == 3, k % 2, chained[k % 3]);
        compare_accelerations(&r);
        rig_close(&r);
    }
}

/// The rest of a scene of n bars b0, b1, ... of 1 m, each pinned from x = from (m) to the end of
/// the one before, the first to the ground.
static void say_pins(text *t, int n, double from)
{
    say(t,
        "], \"joints\": [{\"name\": \"p0\", \"type\": \"revolute\", \"bodies\": [\"ground\", "
        "\"b0\"],"
        "\"on\": {\"ground\": [0, 0], \"b0\": [%g, 0]}}",
        from);
    for (int i = 1; i < n; i++) {
        say(t,
            ", {\"name\": \"p%d\", \"type\": \"revolute\", \"bodies\": [\"b%d\", \"b%d\"], \"on\": "
            "{\"b%d\": [%g, 0], \"b%d\": [%g, 0]}}",
            i, i - 1, i, i - 1, from + 1, i, from);
    }
    say(t, "]}");
}

/// A straight chain of n bars of 1 m and 1 kg, the last of them of `load` kg, as they turn.
static rig loaded_chain(int n, double load)
{
    static text t;
    t.used = 0;
    say(&t, "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [");
    for (int i = 0; i < n; i++) {
        const double m = i == n - 1 ? load : 1;
        say(&t,
            "%s{\"name\": \"b%d\", \"mass\": %.17g, \"inertia\": %.17g, \"angle\": 0.3, \"rate\": "
            "%.17g}",
            i > 0 ? ", " : "", i, m, m / 12, sin(i));
    }
    say_pins(&t, n, -0.5);
    return rig_parse(t.at);
}

/// Along the bars it has the weight of the load, across none: what rounding there makes of the one
/// must not pass for the other. The error is that of the numbers, not its square.
CLAIM(a_heavy_load_does_not_blur_the_chain)
{
    const double load = 1e6;
    double solved[3 * MOST];
    rig r = loaded_chain(41, load);
    const int nv = trm_model_sizes(r.model).nv;
    rig_start(&r, assembled(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN));
    memcpy(solved, trm_sim_state(r.sim).a, (size_t)nv * sizeof *solved);
    rig_take(&r, TRM_COORDINATES_JOINT);
    rig_start(&r, assembled(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN));
    const double *a = trm_sim_state(r.sim).a;
    for (int i = 0; i < nv; i++) {
        near("a", a[i], solved[i], 1e-14 * load * trm_max_norm(nv, solved));
    }
    rig_close(&r);
}

/// n beads of 1 kg on a string from the ground, each on the pin of the bar of 1 m to the next one.
static rig string_of_beads(int n, double inertia)
{
    static text t;
    t.used = 0;
    say(&t, "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [");
    for (int i = 0; i < n; i++) {
        say(&t,
            "%s{\"name\": \"b%d\", \"mass\": 1, \"inertia\": %.17g, \"angle\": %.17g, \"rate\": "
            "%.17g}",
            i > 0 ? ", " : "", i, inertia, 0.3 * sin(3 * i), sin(i));
    }
    say_pins(&t, n, 0);
    return rig_parse(t.at);
}

/// A bar between two beads turns with the forces of both, next to which its own inertia is nothing:
/// no force across it is left.
CLAIM(bars_of_no_inertia_pull_along)
{
    enum { BEADS = 41 };
    const double inertia = 1e-9;
    rig r = string_of_beads(BEADS, inertia);
    rig_take(&r, TRM_COORDINATES_JOINT);
    rig_start(&r, assembled(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN));
    const trm_state now = trm_sim_state(r.sim);
    const double most = trm_max_norm(2 * BEADS, now.lambda);
    for (int i = 0; i + 1 < BEADS; i++) {
        const double *F = now.lambda + 2 * (i + 1), angle = now.q[3 * i + 2];
        const double moment = cos(angle) * F[1] - sin(angle) * F[0];
        near("moment", moment, inertia * now.a[3 * i + 2], 1e-13 * most);
    }
    assert_true(most > 1);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------- runs

static int gap_is_roundoff(trm_sim *sim, void *user)
{
    double *before = user;
    const double now = trm_sim_state(sim).t;
    trm_sample sample;
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_sample(sim, (*before + 2 * now) / 3, &sample, &err), &err);
    below("gap between the steps", sample.drift.position, 1e-13);
    below("its rate", sample.drift.velocity, 1e-12);
    *before = now;
    return 0;
}

/// With forces of all kinds, at a tolerance at which other methods leave gaps.
CLAIM(no_pin_opens)
{
    for (unsigned k = 0; k < 4; k++) {
        rig r = random_tree(11 + k, 9, k % 2, 1);
        trm_options options = assembled(k < 2 ? TRM_INTEGRATOR_DOP853 : TRM_INTEGRATOR_DOPRI5,
                                        TRM_STABILIZATION_PLAIN);
        rig_take(&r, TRM_COORDINATES_JOINT);
        options.rtol = options.atol = 1e-4;
        double before = 0;
        rig_start(&r, options);
        rig_observe(&r, 30, gap_is_roundoff, &before);
        below("gap", trm_sim_report(r.sim).position_drift, 1e-13);
        below("rate of the gap", trm_sim_report(r.sim).velocity_drift, 1e-12);
        rig_close(&r);
    }
}

/// A random tree moves as it does in absolute coordinates, with inputs, forces and work.
CLAIM(motion_is_that_of_absolute_coordinates)
{
    for (unsigned k = 0; k < 4; k++) {
        const int n_bodies = k < 2 ? 7 : 27, chained = k < 2 ? 0 : 24;
        rig one = random_forest(21 + k, n_bodies, k % 2, 1, chained);
        rig other = random_forest(21 + k, n_bodies, k % 2, 1, chained);
        const trm_sizes n = trm_model_sizes(one.model);
        trm_error err = {.status = TRM_OK};
        trm_options options = assembled(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN);
        options.rtol = options.atol = 1e-12;
        rig_take(&one, TRM_COORDINATES_JOINT);
        rig_start(&one, options);
        options.stabilization = TRM_STABILIZATION_S_BOTH2;
        rig_start(&other, options);
        for (int i = 1; i <= 4; i++) {
            rig_ok(trm_sim_set_input(one.sim, 0, 0.3 * i, &err), &err);
            rig_ok(trm_sim_set_input(other.sim, 0, 0.3 * i, &err), &err);
            rig_run(&one, 0.1 * i);
            rig_run(&other, 0.1 * i);
        }
        const trm_state a = trm_sim_state(one.sim), b = trm_sim_state(other.sim);
        for (int i = 0; i < n.nq; i++) {
            near("q", a.q[i], b.q[i], 1e-8);
            near("v", a.v[i], b.v[i], 1e-7);
        }
        near("work", trm_sim_energy(one.sim).work, trm_sim_energy(other.sim).work, 1e-7);
        below("energy", trm_sim_report(one.sim).energy_error_relative, 1e-8);
        rig_close(&one);
        rig_close(&other);
    }
}

static const char bar[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bar\", \"mass\": 2, "
    "\"ends\": [[0, 0], [1, 0]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\", "
    "\"bodies\": [\"ground\", \"bar\"], \"at\": [0, 0]}]}";

/// 4 sqrt(2 l/(3 g)) K(sin(pi/4)), K by the arithmetic-geometric mean: a bar let go level.
static double period_of_the_bar(void)
{
    double a = 1, b = sqrt(0.5);
    for (int k = 0; k < 6; k++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 4 * sqrt(2.0 / (3 * 9.81)) * pi / (2 * a);
}

CLAIM(a_bar_swings_by_elliptic_functions)
{
    const double T = period_of_the_bar();
    rig r = rig_parse(bar);
    rig_take(&r, TRM_COORDINATES_JOINT);
    trm_options options = rig_choose(&r, 1e-9);
    assert_int_equal(options.stabilization, TRM_STABILIZATION_PLAIN);
    rig_start(&r, options);
    for (int k = 1; k <= 10; k++) {
        rig_run(&r, (k - 0.5) * T);
        near("angle after half a period", rig_q(&r, "bar", 2), -pi, 1e-9);
        rig_run(&r, k * T);
        near("angle after a period", rig_q(&r, "bar", 2), 0, 1e-9);
        near("rate", rig_v(&r, "bar", 2), 0, 1e-8);
    }
    below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-9);
    rig_close(&r);
}

static double angle_of_arm(double spin, double tolerance)
{
    static text t;
    t.used = 0;
    say(&t,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"arm\", \"mass\": 2, "
        "\"ends\": [[0, 0], [1, 0]]}, {\"name\": \"wheel\", \"mass\": 1, \"inertia\": 0.01, "
        "\"position\": [1, 0], \"rate\": %.17g}], \"joints\": [{\"name\": \"O\", \"type\": "
        "\"revolute\", \"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0]}, {\"name\": \"A\", "
        "\"type\": "
        "\"revolute\", \"bodies\": [\"arm\", \"wheel\"], \"at\": [1, 0]}]}",
        spin);
    rig r = rig_parse(t.at);
    rig_take(&r, TRM_COORDINATES_JOINT);
    rig_start(&r, rig_choose(&r, tolerance));
    rig_run(&r, 10);
    const double angle = rig_q(&r, "arm", 2);
    rig_close(&r);
    return angle;
}

/// A wheel on its own axis moves its arm by its mass alone, and the arm is as exact as without it:
/// within ten times the tolerance over about six swings.
CLAIM(a_fast_wheel_does_not_blur_its_arm)
{
    const double angle = angle_of_arm(0, 1e-13);
    near("arm of a wheel at rest", angle_of_arm(0, 1e-9), angle, 1e-8);
    near("arm of a fast wheel", angle_of_arm(3000, 1e-9), angle, 1e-8);
}

static double error_at_half_a_period(rig *r, const trm_method *method, int steps)
{
    const double T = period_of_the_bar();
    trm_options options = trm_default_options(method->integrator, TRM_STABILIZATION_PLAIN);
    options.h = T / 2 / steps;
    options.rtol = 1e300; // adaptive ones: fixed steps
    rig_start(r, options);
    for (int k = 1; k <= steps; k++) {
        rig_run(r, T / 2 * k / steps);
    }
    return fabs(rig_q(r, "bar", 2) + pi) + fabs(rig_v(r, "bar", 2));
}

CLAIM(every_integrator_has_its_order)
{
    static const int steps[] = {0, 1600, 400, 200, 100, 60, 45, 30, 20}; // by order
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    int seen = 0;
    rig r = rig_parse(bar);
    rig_take(&r, TRM_COORDINATES_JOINT);
    for (int i = 0; i < n; i++) {
        const trm_method *m = &methods[i];
        if (m->stabilization == TRM_STABILIZATION_PLAIN && m->integrator != TRM_INTEGRATOR_IDA) {
            assert_in_range(m->order, 1, sizeof steps / sizeof *steps - 1);
            const double coarse = error_at_half_a_period(&r, m, steps[m->order]);
            const double fine = error_at_half_a_period(&r, m, 2 * steps[m->order]);
            if (!(log2(coarse / fine) > m->order - 0.3)) {
                fail_msg("%s: order %.2f, %.1e to %.1e", m->integrator_name, log2(coarse / fine),
                         coarse, fine);
            }
            seen++;
        }
    }
    assert_true(seen >= 5);
    rig_close(&r);
}

CLAIM(a_saved_tree_goes_on_to_the_bit)
{
    const trm_integrator integrators[] = {TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_DOPRI5,
                                          TRM_INTEGRATOR_RK4};
    for (int k = 0; k < 3; k++) {
        rig r = random_forest(31, 29, 1, 1, 22);
        const trm_sizes n = trm_model_sizes(r.model);
        double q[2][3 * MOST];
        rig_take(&r, TRM_COORDINATES_JOINT);
        rig_start(&r, assembled(integrators[k], TRM_STABILIZATION_PLAIN));
        rig_run(&r, 0.2);
        char *bytes = rig_save(&r);
        for (int i = 0; i < 2; i++) {
            if (i == 1) { // in another run, elsewhere in memory
                rig_start(&r, assembled(integrators[k], TRM_STABILIZATION_PLAIN));
                rig_restore(&r, bytes);
            }
            rig_run(&r, 0.5);
            memcpy(q[i], trm_sim_state(r.sim).q, (size_t)n.nq * sizeof(double));
        }
        assert_memory_equal(q[0], q[1], (size_t)n.nq * sizeof(double));
        free(bytes);
        rig_close(&r);
    }
}

CLAIM(turns_within_long_steps_are_counted) // of E and T, of which one is a cut
{
    trm_sensor of[3]; // and a contact, which takes the sample to joint coordinates
    rig r = rig_parse(
        "{\"dimension\": 3, \"start\": {\"T.angle\": 12.3}, \"bodies\": [{\"repeat\": {\"i\": 2}, "
        "\"name\": \"b{i}\", \"mass\": 1, \"inertia\": [1, 1, 0.2]}], \"joints\": [{\"name\": "
        "\"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"b0\"], \"axis\": [0, 0, 1], "
        "\"at\": [0, 0, 0], \"limits\": [-1e4, 1e4]}, {\"name\": \"E\", \"type\": \"cylindrical\", "
        "\"bodies\": [\"b0\", \"b1\"], \"axis\": [0, 0, 1], \"at\": [0, 0, 0]}, {\"name\": \"T\", "
        "\"type\": \"cylindrical\", \"bodies\": [\"ground\", \"b1\"], \"axis\": [0, 0, 1], \"at\": "
        "[0, 0, 0]}], \"forces\": [{\"name\": \"f\", \"type\": \"joint_force\", \"joint\": "
        "\"T.angle\", \"value\": \"if(T.angle > 162.3, 0, 20)\"}]}");
    rig_take(&r, TRM_COORDINATES_JOINT);
    assert_int_equal(trm_model_sensor(r.model, "E.angle.coordinate", &of[0], NULL), TRM_OK);
    assert_int_equal(trm_model_sensor(r.model, "T.angle.coordinate", &of[1], NULL), TRM_OK);
    assert_int_equal(trm_model_sensor(r.model, "O.contact_force", &of[2], NULL), TRM_OK);
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 2);
    for (double end = 2, t = end - trm_sim_stats(r.sim).h, x[3]; t < end; t += 0.01) {
        const double at = 12.3 + 50 * t * t - 50 * pow(fmax(t - sqrt(3), 0), 2);
        trm_sample sample;
        assert_int_equal(trm_sim_sample(r.sim, t, &sample, NULL), TRM_OK);
        assert_int_equal(trm_sim_read_sample(r.sim, &sample, 3, of, x, NULL), TRM_OK);
        assert_true(fabs(x[0] - at) < 1e-6 && fabs(x[1] - at) < 1e-6);
    }
    rig_close(&r);
}
