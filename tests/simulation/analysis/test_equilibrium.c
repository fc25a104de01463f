/// Equilibria: against closed forms, against the energy found in another way, and what is said
/// where there is none.
#include "tests/query_rig.h"

static trm_equilibrium find(bench *b, int stable, double *lambda)
{
    trm_error err = {.status = TRM_OK};
    trm_equilibrium found;
    trm_equilibrium_options options = trm_default_equilibrium_options();
    options.stable = stable;
    rig_ok(trm_query_equilibrium(b->query, &options, b->q, lambda, &found, &err), &err);
    return found;
}

/// f = G^T lambda at rest in q: nothing accelerates.
static void check_rest(bench *b, const double *lambda)
{
    trm_error err = {.status = TRM_OK};
    const int nv = b->n.nv, nc = b->n.nc;
    double *const f = doubles(nv), *const G = doubles(nc * nv), *const rest = doubles(nv);
    const trm_terms wanted = {.f = f, .G = G};
    take(b, b->q, rest, NULL);
    rig_ok(trm_sim_terms(b->r.sim, 0, b->q, rest, NULL, &wanted, &err), &err);
    double scale = 0;
    for (int i = 0; i < nv; i++) {
        scale = fmax(scale, fabs(f[i]));
    }
    for (int i = 0; i < nv; i++) {
        double sum = f[i];
        for (int k = 0; k < nc; k++) {
            sum -= G[k * nv + i] * lambda[k];
        }
        near("f - G^T lambda", sum, 0, 1e-7 * (1 + scale));
    }
    free(f), free(G), free(rest);
}

static const char hanging_mass[] = PLANE
    "\"bodies\": [{\"name\": \"mass\", \"mass\": 2, \"inertia\": 1, \"position\": [0, 0]}],"
    "\"markers\": [{\"name\": \"top\", \"body\": \"ground\", \"at\": [0, 1]},"
    "{\"name\": \"hook\", \"body\": \"mass\", \"on\": [0, 0]}], \"joints\": ["
    "{\"name\": \"guide\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"mass\"],"
    " \"at\": [0, 0], \"axis\": [0, 1]}], \"forces\": [{\"name\": \"s\", \"type\":"
    " \"spring_damper\", \"markers\": [\"top\", \"hook\"], \"stiffness\": 300, \"damping\": 5,"
    " \"rest_length\": 1}]}";

/// A mass on a spring hangs m g/k below its rest, and stays there.
CLAIM(a_mass_hangs_on_its_spring)
{
    for (int stable = 0; stable < 2; stable++) {
        bench b = parse(hanging_mass);
        double lambda[3];
        const trm_equilibrium found = find(&b, stable, lambda);
        near("y", b.q[1], -2 * gravity / 300, 1e-12);
        assert_int_equal(found.stability, TRM_STABILITY_STABLE);
        near("growth", found.growth, -5 / (2 * 2.0), 1e-8);
        below("relative", found.relative, 1e-9);
        check_rest(&b, lambda);
        close_bench(&b);
    }
}

#define ROD_AT(x, y)                                                                               \
    PLANE "\"bodies\": [" ROD("rod", 0, 0, x, y) "], \"joints\": [" PIN("O", "ground", "rod", 0,   \
                                                                        0) "]}"

/// Upright exactly: downhill leaves the summit for the bottom, the nearest one stays.
CLAIM(a_rod_on_its_head_falls_when_a_stable_place_is_wanted)
{
    bench b = parse(ROD_AT(0, 2));
    trm_equilibrium found = find(&b, 0, NULL);
    near("y", b.q[1], 1, 1e-12);
    assert_int_equal(found.stability, TRM_STABILITY_UNSTABLE);
    near("growth", found.growth, sqrt(3 * gravity / 4), 1e-9);
    found = find(&b, 1, NULL);
    near("x", b.q[0], 0, 1e-9);
    near("y", b.q[1], -1, 1e-12);
    assert_int_equal(found.stability, TRM_STABILITY_MARGINAL);
    close_bench(&b);
    // near upright the nearest is upright, from level the search has to choose
    b = parse(ROD_AT(0.3, 2));
    find(&b, 0, NULL);
    near("y", b.q[1], hypot(0.3, 2) / 2, 1e-12);
    close_bench(&b);
    b = parse(ROD_AT(2, 0));
    find(&b, 0, NULL);
    near("x", b.q[0], 0, 1e-9);
    find(&b, 1, NULL);
    near("y", b.q[1], -1, 1e-12);
    close_bench(&b);
}

enum { LINKS = 10 };

/// A chain of rods between two pins, closed: half of it goes down by `down`, half up again.
static bench chain(double down)
{
    char json[6000];
    const double c = cos(down), s = sin(down);
    size_t n = (size_t)snprintf(json, sizeof json, PLANE "\"bodies\": [");
    for (int k = 0; k < LINKS; k++) {
        const double y0 = -s * (k < LINKS / 2 ? k : LINKS - k);
        const double y1 = -s * (k < LINKS / 2 ? k + 1 : LINKS - k - 1);
        n += (size_t)snprintf(json + n, sizeof json - n,
                              "%s{\"name\": \"l%d\", \"mass\": 0.7, \"ends\": [[%.17g, %.17g],"
                              " [%.17g, %.17g]]}",
                              k ? "," : "", k, c * k, y0, c * (k + 1), y1);
    }
    n += (size_t)snprintf(json + n, sizeof json - n, "], \"joints\": [");
    for (int k = 0; k <= LINKS; k++) {
        char a[20] = "ground", b[20] = "ground";
        const double y = -s * (k < LINKS / 2 ? k : LINKS - k);
        if (k > 0) {
            snprintf(a, sizeof a, "l%d", k - 1);
        }
        if (k < LINKS) {
            snprintf(b, sizeof b, "l%d", k);
        }
        n += (size_t)snprintf(json + n, sizeof json - n,
                              "%s{\"name\": \"p%d\", \"type\": \"revolute\", \"bodies\": [\"%s\","
                              " \"%s\"], \"at\": [%.17g, %.17g]}",
                              k ? "," : "", k, a, b, c * k, y);
    }
    snprintf(json + n, sizeof json - n, "]}");
    return parse(json);
}

/// Slopes of the discrete catenary: moments about the ends of a rod give tan angle_k = c (k -
/// middle); c from the span.
static void catenary(double span, double slope[LINKS])
{
    double low = 1e-9, high = 1e3;
    for (int i = 0; i < 200; i++) {
        const double c = (low + high) / 2;
        double x = 0;
        for (int k = 0; k < LINKS; k++) {
            slope[k] = atan(c * (k - (LINKS - 1) / 2.0));
            x += cos(slope[k]);
        }
        *(x > span ? &low : &high) = c;
    }
}

CLAIM(a_chain_hangs_as_a_catenary_of_rods)
{
    const double down = 0.6;
    double slope[LINKS], lambda[2 * (LINKS + 1)];
    catenary(LINKS * cos(down), slope);
    bench b = chain(down);
    trm_equilibrium found = find(&b, 1, lambda);
    double y = 0;
    for (int k = 0; k < LINKS; k++) {
        y += sin(slope[k]) / 2;
        near("height", b.q[3 * k + 1], y, 1e-9);
        y += sin(slope[k]) / 2;
    }
    assert_int_equal(found.stability, TRM_STABILITY_MARGINAL);
    check_rest(&b, lambda);
    // half its weight at either end
    near("weight", fabs(lambda[1]), LINKS * 0.7 * gravity / 2, 1e-8);
    close_bench(&b);
    // from an arch near the catenary upside down: there it stands, unstable, or falls all the way
    b = chain(-down);
    trm_error err = {.status = TRM_OK};
    double x = 0;
    y = 0;
    for (int k = 0; k < LINKS; k++) {
        const double angle = -slope[k] + 0.01 * sin(3.0 * k);
        b.q[3 * k] = x + cos(angle) / 2, x += cos(angle);
        b.q[3 * k + 1] = y + sin(angle) / 2, y += sin(angle);
        b.q[3 * k + 2] = angle;
    }
    // angles count from the pose of the scene, which lies along the rods
    trm_model_initial_state(b.r.model, b.a, b.v);
    rig_ok(trm_query_close(b.query, 0, b.q, b.v, &err), &err);
    found = find(&b, 0, NULL);
    assert_int_equal(found.stability, TRM_STABILITY_UNSTABLE);
    near("crown", b.q[3 * (LINKS / 2) + 1] > 1, 1, 0);
    near("arch", b.q[1], -sin(slope[0]) / 2, 1e-9);
    find(&b, 1, NULL);
    near("fallen", b.q[1], sin(slope[0]) / 2, 1e-9);
    close_bench(&b);
}

/// Potential energy of the four-bar of FOUR_BAR over the crank's angle, by circles through A and C.
static double four_bar_energy(double angle)
{
    const double l = hypot(1.1, 0.5), r = hypot(0.2, 0.9);
    const double ax = 0.5 * cos(angle), ay = 0.5 * sin(angle);
    const double dx = 1.2 - ax, dy = -ay, d = hypot(dx, dy);
    const double along = (l * l - r * r + d * d) / (2 * d), off = sqrt(l * l - along * along);
    const double by = ay + (along * dy + off * dx) / d; // B above the line from A to C
    return gravity * (1.5 * ay / 2 + 2 * (ay + by) / 2 + by / 2);
}

CLAIM(a_four_bar_rests_where_its_energy_is_least)
{
    bench b = parse(FOUR_BAR);
    double lambda[8];
    const trm_equilibrium found = find(&b, 1, lambda);
    const double angle = atan2(b.q[1], b.q[0]);
    double low = angle - 0.2, high = angle + 0.2;
    for (int i = 0; i < 100; i++) { // where dV/dangle vanishes
        const double middle = (low + high) / 2, h = 1e-4;
        // fourth order
        const double slope = 8 * (four_bar_energy(middle + h) - four_bar_energy(middle - h)) -
                             (four_bar_energy(middle + 2 * h) - four_bar_energy(middle - 2 * h));
        *(slope < 0 ? &low : &high) = middle;
    }
    near("angle", angle, low, 1e-8);
    below("least", four_bar_energy(angle), four_bar_energy(angle + 0.1));
    below("least", four_bar_energy(angle), four_bar_energy(angle - 0.1));
    assert_int_equal(found.stability, TRM_STABILITY_MARGINAL);
    check_rest(&b, lambda);
    close_bench(&b);
}

/// Loops with redundant joints, spatial ones, springs: nothing moves any more, and no motion grows.
CLAIM(scenes_come_to_rest)
{
    static const char *const names[] = {"andrews",   "arm_parabola",    "bricard",
                                        "chain_10",  "double_four_bar", "double_pendulum_3d",
                                        "flyball",   "four_bar",        "four_bar_40",
                                        "heavy_top", "pendulum",        "spatial_slider_crank"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bench b = open_bench(rig_load(names[k], NULL));
        double *const lambda = doubles(b.n.nc);
        const trm_equilibrium found = find(&b, 1, lambda);
        assert_true(found.stability == TRM_STABILITY_MARGINAL ||
                    found.stability == TRM_STABILITY_STABLE);
        check_rest(&b, lambda);
        free(lambda);
        close_bench(&b);
    }
}

/// A top hangs straight down however it is turned.
CLAIM(a_top_hangs_below_its_tip)
{
    bench b = open_bench(rig_load("heavy_top", NULL));
    find(&b, 1, NULL);
    near("x", b.q[0], 0, 1e-8);
    near("y", b.q[1], 0, 1e-8);
    near("z", b.q[2], -1, 1e-12);
    close_bench(&b);
}

/// q' = 3 v, V = q1^4/4 - q1^2/2 + 2 (1 - cos q2): from (0.3, 2.5) downhill to (1, 0), the other
/// minima being (-1, 0) and so on; f = -N^T V'.
static int double_well_f(const trm_model *model, double t, const double *q, const double *v,
                         double *out, void *user)
{
    (void)model, (void)t, (void)v, (void)user;
    out[0] = -3 * (q[0] * q[0] * q[0] - q[0]);
    out[1] = -3 * 2 * sin(q[1]);
    return 0;
}

static int double_well_M(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    return 0;
}

static int double_well_N(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = out[3] = 3;
    out[1] = out[2] = 0;
    return 0;
}

CLAIM(equations_with_rates_of_their_own_come_to_rest)
{
    static const double start[2] = {0.3, 2.5};
    const trm_equations equations = {.name = "two wells",
                                     .nq = 2,
                                     .nv = 2,
                                     .q0 = start,
                                     .M = double_well_M,
                                     .f = double_well_f,
                                     .N = double_well_N};
    bench b = open_bench(rig_equations(&equations));
    const trm_equilibrium found = find(&b, 1, NULL);
    near("q1", b.q[0], 1, 1e-8);
    near("q2", b.q[1], 0, 1e-8);
    assert_int_equal(found.stability, TRM_STABILITY_MARGINAL);
    close_bench(&b);
}

/// An arm under PI control, the integral in the place of a small body that a constraint on
/// velocities moves: at rest the error is zero and the integral carries the weight,
///
///     I phi'' + kd phi' + (kp - m g l/2 sin a) phi = ki z,   z' = -phi
///
/// around it, with a cubic for the eigenvalues.
CLAIM(what_integrates_comes_to_rest)
{
    for (int k = 0; k < 25; k++) {
        const double m = 1 + 0.5 * chance(), l = 0.5 + 0.2 * chance(), target = chance();
        const double kp = 25 + 5 * chance(), kd = 4 + chance(), ki = 40 + 20 * chance();
        char json[2000];
        snprintf(
            json, sizeof json,
            PLANE
            "\"bodies\": [{\"name\": \"arm\", \"ends\": [[0, 0], [%.17g, 0]], "
            "\"mass\": %.17g}, {\"name\": \"memory\", \"shape\": {\"type\": "
            "\"point\"}, \"position\": [0, 5], \"mass\": 1e-06, \"velocity\": "
            "[%.17g, 0]}], \"markers\": [{\"name\": \"z\", \"body\": \"memory\", "
            "\"on\": [0, 0]}], \"joints\": [" PIN(
                "O", "ground", "arm", 0,
                0) ","
                   "{\"name\": \"line\", \"type\": \"pin_in_slot\", \"bodies\": [\"ground\", "
                   "\"memory\"], \"axis\": [1, 0], \"at\": [0, 5]}], \"constraints\": [{\"name\": "
                   "\"integral\", \"type\": \"velocity\", \"expression\": \"z.vx - (%.17g - "
                   "O.angle)\"}], \"forces\": [{\"name\": \"pd\", \"type\": \"servo\", \"joint\": "
                   "\"O\", \"target\": %.17g, \"kp\": %.17g, \"kd\": %.17g}, {\"name\": \"i\", "
                   "\"type\": \"joint_force\", \"joint\": \"O\", \"value\": \"%.17g*z.x\"}]}",
            l, m, target, target, target, kp, kd, ki);
        bench b = parse(json);
        double lambda[8];
        const trm_equilibrium found = find(&b, 1, lambda);
        near("angle", b.q[2], target, 1e-9);
        near("integral", b.q[3], m * gravity * l / 2 * cos(target) / ki, 1e-9);
        assert_int_equal(found.stability, TRM_STABILITY_STABLE);
        trm_error err = {.status = TRM_OK};
        trm_linear *linear = NULL;
        memset(b.v, 0, (size_t)b.n.nv * sizeof *b.v);
        rig_ok(trm_query_linearize(b.query, 0, b.q, b.v, NULL, &linear, &err), &err);
        const double I = m * l * l / 3, K = kp - m * gravity * l / 2 * sin(target);
        double sum = 0;
        for (int i = 0; i < linear->nmodes; i++) {
            const double x = linear->modes[i].re, y = linear->modes[i].im;
            // I s^3 + kd s^2 + K s + ki = 0
            const double re = I * (x * x * x - 3 * x * y * y) + kd * (x * x - y * y) + K * x + ki;
            const double im = I * (3 * x * x * y - y * y * y) + 2 * kd * x * y + K * y;
            below("cubic", hypot(re, im), 1e-5 * ki);
            sum += (y > 0 ? 2 : 1) * x;
        }
        near("sum of the eigenvalues", sum, -kd / I, 1e-5 * kd / I);
        trm_linear_destroy(linear);
        close_bench(&b);
    }
}

/// Where there is no equilibrium, or none can be looked for: a status and a name.
CLAIM(what_cannot_rest_is_named)
{
    trm_error err = {.status = TRM_OK};
    trm_equilibrium found;
    bench b = parse(PLANE "\"bodies\": [{\"name\": \"stone\", \"mass\": 2, \"inertia\": 1}]}");
    assert_int_equal(trm_query_equilibrium(b.query, NULL, b.q, NULL, &found, &err),
                     TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "'stone' is still pushed by -19.6 N"));
    assert_int_equal(found.body, 0);
    assert_int_equal(found.component, 1);
    near("weight", found.force, -2 * gravity, 1e-9);
    near("relative", found.relative, 1, 1e-9);
    close_bench(&b);

    b = parse(PLANE "\"bodies\": [" ROD(
        "rod", 0, 0, 1,
        0) "], \"joints\": ["
           "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rod\"],"
           " \"at\": [0, 0], \"motor\": \"3*t\"}]}");
    assert_int_equal(trm_query_equilibrium(b.query, NULL, b.q, NULL, &found, &err),
                     TRM_ERR_INCONSISTENT);
    assert_non_null(strstr(err.message, "'O' is driven at 3 rad/s"));
    close_bench(&b);

    // two pins of one rod, 0.5 m too far apart
    b = parse(
        PLANE
        "\"bodies\": [" ROD("rod", 0, 0, 1, 0) "," ROD("other", 1, 0, 2, 0) "], \"joints\": [" PIN(
            "O", "ground", "rod", 0,
            0) ","
               "{\"name\": \"A\", \"type\": \"rod\", \"bodies\": [\"ground\", \"rod\"],"
               " \"at\": [[3, 0], [1, 0]], \"length\": 0.5}]}");
    assert_int_equal(trm_query_equilibrium(b.query, NULL, b.q, NULL, &found, &err),
                     TRM_ERR_INCONSISTENT);
    assert_non_null(strstr(err.message, "nothing near closes"));
    close_bench(&b);
}

/// Other units of length and mass: the same place, the same answer.
CLAIM(the_answer_does_not_depend_on_units)
{
    static const double units[][2] = {{1, 1}, {1e-4, 1e-8}, {1e4, 1e7}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        const double L = units[k][0], M = units[k][1];
        char json[900];
        snprintf(json, sizeof json,
                 "{\"dimension\": 2, \"gravity\": [0, %.17g], \"bodies\": [{\"name\": \"a\","
                 " \"mass\": %.17g, \"ends\": [[0, 0], [%.17g, 0]]}, {\"name\": \"b\", \"mass\":"
                 " %.17g, \"ends\": [[%.17g, 0], [%.17g, %.17g]]}], \"joints\": [" PIN(
                     "O", "ground", "a", 0, 0) ", {\"name\": \"A\", \"type\": \"revolute\","
                                               " \"bodies\": [\"a\", \"b\"], \"at\": [%.17g, 0]}]}",
                 -gravity * L, M, L, 2 * M, L, 1.5 * L, L, L);
        bench b = parse(json);
        const trm_equilibrium found = find(&b, 1, NULL);
        near("a", b.q[1] / L, -0.5, 1e-12);
        near("b", b.q[4] / L, -1 - hypot(0.5, 1) / 2, 1e-12);
        assert_int_equal(found.stability, TRM_STABILITY_MARGINAL);
        close_bench(&b);
    }
}

/// A hinge in space wound up by a spring that is slack after k turns: its rest is there, and not at
/// the end of the angle within a turn. 3 N m lie against a spring of 2 N m/rad, three turns and 0.3
/// rad away.
CLAIM(a_spatial_hinge_rests_turns_away)
{
    for (int turns = -3; turns <= 3; turns += 3) {
        char text[700];
        snprintf(
            text, sizeof text,
            "{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":[1,1,0.5]}],"
            "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
            "\"at\":[0,0,0],\"axis\":[0,0,1]}],\"forces\":[{\"name\":\"s\",\"type\":"
            "\"joint_spring_damper\",\"joint\":\"O\",\"stiffness\":2,\"damping\":1,\"rest\":%.17g},"
            "{\"name\":\"push\",\"type\":\"joint_force\",\"joint\":\"O\",\"value\":3}]}",
            2 * pi * turns + 0.3 - 1.5);
        bench b = parse(text);
        double lambda[5];
        for (int again = 0; again < 2;
             again++) { // from the start, and from the rest as if it were a start
            const trm_equilibrium found = find(&b, 1, lambda);
            near("cos", b.q[3] * b.q[3] - b.q[6] * b.q[6], cos(0.3), 1e-10);
            near("sin", 2 * b.q[3] * b.q[6], sin(0.3), 1e-10);
            assert_int_equal(found.stability, TRM_STABILITY_STABLE);
            // questions that follow are asked there: nothing pushes, 3 N m against the spring
            const double still[6] = {0};
            double missing[6];
            trm_error err = {.status = TRM_OK};
            const trm_drive_task task = {.a = still};
            trm_drive_forces out = {.missing = missing};
            rig_ok(trm_query_inverse_dynamics(b.query, 0, b.q, still, &task, &out, &err), &err);
            near("missing", missing[5], 0, 1e-8);
        }
        close_bench(&b);
    }
}

/// A query takes the number of turns from the run: on a spring of 2 N m/rad a hinge is 0.5 x'' = -2
/// x, seven turns out.
CLAIM(a_query_takes_the_turns_of_a_run)
{
    trm_error err = {.status = TRM_OK};
    bench b = parse("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":[1,1,0.5],"
                    "\"rate\":[0,0,100]}],"
                    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\","
                    "\"a\"],\"at\":[0,0,0],"
                    "\"axis\":[0,0,1]}],\"forces\":[{\"name\":\"s\",\"type\":\"joint_spring_"
                    "damper\",\"joint\":\"O\","
                    "\"stiffness\":2}]}");
    rig_start(&b.r, rig_choose(&b.r, 1e-9));
    rig_ok(trm_sim_step_to(b.r.sim, 0.7, &err), &err);
    const trm_state now = trm_sim_state(b.r.sim);
    const double x = 50 * sin(1.4), turn = 2 * pi, within = x - turn * nearbyint(x / turn);
    const double still[6] = {0};
    double tau, B[6] = {0, 0, 0, 0, 0, 1};
    const trm_drive_task task = {.a = still, .B = B, .nu = 1};
    trm_drive_forces out = {.tau = &tau};
    rig_ok(trm_query_inverse_dynamics(b.query, now.t, now.q, still, &task, &out, &err), &err);
    near("within a turn", tau, 2 * within, 1e-4);
    rig_ok(trm_query_take_run(b.query, NULL, b.r.sim, &err), &err);
    rig_ok(trm_query_inverse_dynamics(b.query, now.t, now.q, still, &task, &out, &err), &err);
    near("turns out", tau, 2 * x, 1e-4);
    assert_int_equal(trm_query_take_run(b.query, NULL, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_query_take_run(NULL, NULL, b.r.sim, &err), TRM_ERR_OPTIONS);
    close_bench(&b);
}

/// Welded to the ground it stands where it is, at once.
CLAIM(what_cannot_move_is_in_equilibrium)
{
    trm_error err = {.status = TRM_OK};
    trm_equilibrium found;
    bench b = parse(PLANE "\"bodies\": [" ROD(
        "a", 0, 0, 2, 0) "], \"joints\": [{\"name\": \"W\", "
                         "\"type\": \"weld\", \"bodies\": [\"ground\", \"a\"], \"at\": [0, 0]}]}");
    rig_ok(trm_query_equilibrium(b.query, NULL, b.q, NULL, &found, &err), &err);
    near("x", b.q[0], 1, 1e-15);
    near("y", b.q[1], 0, 1e-15);
    assert_int_equal(found.iterations, 0);
    close_bench(&b);
}
