// The shipped scenes against references that share no code with Trammel, through the public
// header alone: trajectory, energy, branch, singular crossings.

#include "tests/reference.h"
#include "tests/rig.h"

enum { NAME_SIZE = 32 };

/// Times first + k period (k = 0, 1, ...) before `end`.
static long count_times(double first, double period, double end)
{
    return first < end ? 1 + (long)floor((end - first) / period) : 0;
}

/// Nothing suspicious: relative energy error under `bound`, no change of branch.
static void check_report(const rig *r, double bound)
{
    const trm_report report = trm_sim_report(r->sim);
    below("relative energy error", report.energy_error_relative, bound);
    assert_int_equal(report.branch_changes, 0);
}

static void check_point(const rig *r, const char *body, const double local[3], const double x[3],
                        double tolerance)
{
    double found[3];
    rig_point(r, body, local, found);
    for (int k = 0; k < 3; k++) {
        near(body, found[k], x[k], tolerance);
    }
}

/// The start of `r` with coordinate q[k] off by 1e-9: exactly symmetric data hide what a
/// singular position does to the direction of the constraint forces.
static void disturb(rig *r, int k)
{
    const trm_state s = trm_sim_state(r->sim);
    const trm_sizes sizes = trm_model_sizes(r->model);
    double *q = malloc((size_t)sizes.nq * sizeof *q);
    double *v = malloc((size_t)sizes.nv * sizeof *v);
    trm_error err = {.status = TRM_OK};

    assert_true(q != NULL && v != NULL);
    memcpy(q, s.q, (size_t)sizes.nq * sizeof *q);
    memcpy(v, s.v, (size_t)sizes.nv * sizeof *v);
    q[k] += 1e-9;
    rig_ok(trm_sim_set_state(r->sim, 0.0, q, v, &err), &err);
    free(q);
    free(v);
}

// ------------------------------------------------------------------------------------- pendulum

static void pendulum_meets_the_elliptic_functions(void **state)
{
    (void)state;
    rig r = rig_load("pendulum", NULL);

    rig_start(&r, rig_adaptive(TRM_DOPRI5, TRM_S_BOTH2, 1e-11, 1e-11));
    rig_run(&r, 10.0);
    near("x", rig_q(&r, "bob", 0), pendulum_x_10, 1e-8);
    near("y", rig_q(&r, "bob", 1), pendulum_y_10, 1e-8);
    check_report(&r, 1e-8);
    rig_close(&r);
}

// --------------------------------------------------------------------------------- slider-crank

/// SRM for singular constraints, as in the paper: Heun, h = epsilon = 1e-4, three iterates. The
/// mechanism hangs at T/4, 3T/4, ... and is singular there, 33 times before t = 70.
static void check_swing(const char *const *settings, int lambda0_zero)
{
    rig r = rig_load("slider_crank_swing", settings);
    trm_options options = rig_fixed(TRM_HEUN, TRM_SRM_SINGULAR, 1e-4);

    options.srm.epsilon = 1e-4;
    options.srm.iterations = 3;
    options.srm.lambda0_zero = lambda0_zero;
    rig_start(&r, options);
    rig_run(&r, 30.0);
    near("crank angle at t = 30", rig_q(&r, "crank", 2), swing_angle_30, 3e-6);
    rig_run(&r, 70.0);
    near("crank angle at t = 70", rig_q(&r, "crank", 2), swing_angle_70, 3e-6);

    const trm_report report = trm_sim_report(r.sim);
    assert_int_equal(report.crossings, count_times(swing_period / 4.0, swing_period / 2.0, 70.0));
    assert_int_equal(report.branch_changes, 0);
    rig_close(&r);
}

static void swing_passes_every_singular_position_by_srm(void **state)
{
    (void)state;
    check_swing(NULL, 1);
}

static void swing_disturbed_by_1e_9_passes_them_too(void **state)
{
    (void)state;
    check_swing((const char *const[]){"disturb", "1e-9", NULL}, 0);
}

static void swing_may_start_in_the_singular_position(void **state)
{
    (void)state;
    // hanging, with the speed that carries it to 7 pi/4 in a quarter of a period:
    // 16/3 rate^2 = 19.62 (1 - sin(pi/4)), v0 = 2 rate
    const char *const settings[] = {"phi0", "3*pi/2", "v0", "2*sqrt(3*19.62*(1 - sin(pi/4))/16)",
                                    NULL};
    rig r = rig_load("slider_crank_swing", settings);

    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, swing_period / 4.0);
    near("crank angle", rig_q(&r, "crank", 2), 7.0 * pi / 4.0, 1e-6);
    check_report(&r, 1e-6);
    rig_close(&r);
}

enum { TURNS = 5 };

/// Largest and smallest acceleration of the slider in each turn, on a grid of 1e-4 s.
typedef struct slider_record {
    const trm_model *model;
    int rod, crank; ///< body indices
    long next;      ///< grid point to come
    double max[TURNS], min[TURNS];
} slider_record;

/// x'' of the rod's end: x'' - l/2 (cos(phi) rate^2 + sin(phi) rate'), l = 2.
static double slider_acceleration(const trm_state *s, trm_body_info rod)
{
    const double phi = s->q[rod.q0 + 2], rate = s->v[rod.v0 + 2];
    return s->a[rod.v0] - cos(phi) * rate * rate - sin(phi) * s->a[rod.v0 + 2];
}

static int record_slider(trm_sim *sim, void *user)
{
    slider_record *record = user;
    const trm_body_info rod = trm_model_body_info(record->model, record->rod);
    const trm_body_info crank = trm_model_body_info(record->model, record->crank);
    const double end = trm_sim_state(sim).t;

    for (double t = (double)record->next * 1e-4; t <= end; t = (double)++record->next * 1e-4) {
        trm_sample sample;
        if (trm_sim_sample(sim, t, &sample, NULL) != TRM_OK) {
            return 1;
        }
        const int turn = (int)((sample.state.q[crank.q0 + 2] - pi / 4.0) / (2.0 * pi));
        if (turn < TURNS) {
            const double a = slider_acceleration(&sample.state, rod);
            record->max[turn] = fmax(record->max[turn], a);
            record->min[turn] = fmin(record->min[turn], a);
        }
    }
    return 0;
}

/// The angle at t = 30 s is that of the equation of one angle, phi'' = -(8 sin cos w^2 + 2 (g/a)
/// cos)/(8/3 + 8 sin^2), a = 1/2, by an independent eighth-order code at 1e-12.
static void bayo_and_avellos_crank_turns_over(void **state)
{
    (void)state;
    rig r = rig_load("slider_crank_bayo", NULL);
    rig_start(&r, rig_choose(&r, 1e-9));
    near("the slider's velocity", 2 * rig_v(&r, "rod", 0) - 2 * rig_v(&r, "crank", 0), -4, 1e-12);
    rig_run(&r, 30.0);
    near("crank angle at t = 30", rig_q(&r, "crank", 2), 107.2569832443, 1e-7);
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    rig_close(&r);
}

static void turn_keeps_energy_angle_and_acceleration(void **state)
{
    (void)state;
    rig r = rig_load("slider_crank_turn", NULL);
    slider_record record = {
        .model = r.model, .rod = rig_body(&r, "rod"), .crank = rig_body(&r, "crank")};

    rig_start(&r, rig_choose(&r, 1e-6));
    near("energy at the start", trm_sim_report(r.sim).energy_initial, turn_energy, 1e-12);
    rig_observe(&r, 10.0, record_slider, &record);

    near("crank angle at t = 10", rig_q(&r, "crank", 2), turn_angle_10, 1e-6);
    for (int turn = 0; turn < TURNS; turn++) {
        near("largest slider acceleration", record.max[turn], turn_peak, 5e-4);
        near("smallest slider acceleration", record.min[turn], -turn_peak, 5e-4);
    }
    check_report(&r, 1e-6);
    assert_int_equal(trm_sim_report(r.sim).crossings,
                     count_times(turn_first_crossing, turn_half_period, 10.0));
    rig_close(&r);
}

// ------------------------------------------------------------------------------------ four-bars

static void bar_name(char name[NAME_SIZE], const char *kind, int i)
{
    snprintf(name, NAME_SIZE, "%s_%d", kind, i);
}

/// All tops at t = 10; bars are turned by -pi/2 - theta, so the top is the end (l/2, 0).
static void check_tops(const rig *r, const four_bar_reference *reference, double tolerance)
{
    for (int i = 0; i <= reference->n; i++) {
        char name[NAME_SIZE];
        bar_name(name, "crank", i);
        check_point(r, name, (const double[3]){0.5, 0.0, 0.0},
                    (const double[3]){i + reference->x, reference->y, 0.0}, tolerance);
    }
}

static long count_alignments(const four_bar_reference *reference, double end)
{
    return count_times(reference->first_alignment, reference->turn, end) +
           count_times(reference->turn - reference->first_alignment, reference->turn, end);
}

static void check_four_bar(const four_bar_reference *reference, int disturbed)
{
    rig r = rig_load(reference->scene, NULL);

    rig_start(&r, rig_choose(&r, 1e-6));
    if (disturbed) {
        disturb(&r, 2);
    }
    rig_run(&r, 10.0);
    check_tops(&r, reference, 1e-6);
    check_report(&r, 1e-6);
    assert_int_equal(trm_sim_report(r.sim).crossings, count_alignments(reference, 10.0));
    rig_close(&r);
}

static void four_bar_keeps_its_branch(void **state)
{
    (void)state;
    check_four_bar(&four_bars[0], 0);
}

static void double_four_bar_keeps_its_branch(void **state)
{
    (void)state;
    check_four_bar(&four_bars[1], 0);
}

static void forty_four_bars_keep_their_branch(void **state)
{
    (void)state;
    check_four_bar(&four_bars[2], 0);
}

static void disturbed_four_bars_keep_their_branch(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof four_bars / sizeof *four_bars; i++) {
        check_four_bar(&four_bars[i], 1);
    }
}

static void four_bar_passes_mesh_points_on_the_singular_position(void **state)
{
    (void)state;
    rig r = rig_load("four_bar", NULL);
    const double t90 = four_bars[0].first_alignment;

    rig_start(&r, rig_fixed(TRM_RK4, TRM_S_BOTH2, t90 / 256.0));
    rig_run(&r, t90);
    near("crank angle at the alignment", rig_q(&r, "crank_0", 2), 0.0, 1e-7);
    rig_run(&r, 10.0);
    check_tops(&r, &four_bars[0], 1e-6);
    check_report(&r, 1e-6);
    assert_int_equal(trm_sim_report(r.sim).crossings, count_alignments(&four_bars[0], 10.0));
    rig_close(&r);
}

// clang-format off
/// four_bar.json in space: bars of 1 m and 1 kg with a small inertia along their axis. A planar
/// loop of spatial hinges has three redundant rows.
static const char spatial_four_bar[] =
"{\"dimension\": 3, \"gravity\": [0, -9.81, 0], \"parameters\": {\"I\": \"1/12\"},"
" \"bodies\": ["
"  {\"name\": \"crank_0\", \"ends\": [[0,0,0], [0,1,0]], \"mass\": 1,"
"   \"inertia\": [1e-3,\"I\",\"I\"], \"velocity\": [0.5,0,0], \"rate_world\": [0,0,-1]},"
"  {\"name\": \"coupler_0\", \"ends\": [[0,1,0], [1,1,0]], \"mass\": 1,"
"   \"inertia\": [1e-3,\"I\",\"I\"], \"velocity\": [1,0,0]},"
"  {\"name\": \"crank_1\", \"ends\": [[1,0,0], [1,1,0]], \"mass\": 1,"
"   \"inertia\": [1e-3,\"I\",\"I\"], \"velocity\": [0.5,0,0], \"rate_world\": [0,0,-1]}],"
" \"joints\": ["
"  {\"name\": \"A_0\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank_0\"],"
"   \"at\": [0,0,0], \"axis\": [0,0,1]},"
"  {\"name\": \"A_1\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank_1\"],"
"   \"at\": [1,0,0], \"axis\": [0,0,1]},"
"  {\"name\": \"C_0\", \"type\": \"revolute\", \"bodies\": [\"crank_0\", \"coupler_0\"],"
"   \"at\": [0,1,0], \"axis\": [0,0,1]},"
"  {\"name\": \"B_1\", \"type\": \"revolute\", \"bodies\": [\"coupler_0\", \"crank_1\"],"
"   \"at\": [1,1,0], \"axis\": [0,0,1]}]}";
// clang-format on

static void spatial_four_bar_moves_as_the_planar_one(void **state)
{
    (void)state;
    rig r = rig_parse(spatial_four_bar);

    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 10.0);
    check_tops(&r, &four_bars[0], 1e-6);
    check_report(&r, 1e-6);
    rig_close(&r);
}

// ------------------------------------------------------------------------ the other benchmarks

/// The seven angles of the literature from the absolute angles of the bodies.
static void check_andrews(const rig *r, const double expected[7])
{
    const double k2 = rig_q(r, "K2", 2), k4 = rig_q(r, "K4", 2), k6 = rig_q(r, "K6", 2);
    const double beta = rig_q(r, "K1", 2), delta = rig_q(r, "K5", 2), epsilon = rig_q(r, "K7", 2);

    near("beta", beta, expected[0], 1e-7);
    near("Theta", k2 - beta, expected[1], 1e-7);
    near("gamma", rig_q(r, "K3", 2), expected[2], 1e-7);
    near("Phi", k4 - delta, expected[3], 1e-7);
    near("delta", delta, expected[4], 1e-7);
    near("Omega", k6 - epsilon, expected[5], 1e-7);
    near("epsilon", epsilon, expected[6], 1e-7);
}

static void andrews_mechanism_meets_the_reference(void **state)
{
    (void)state;
    rig r = rig_load("andrews", NULL);

    rig_start(&r, rig_adaptive(TRM_DOPRI5, TRM_S_BOTH2, 1e-9, 1e-12));
    rig_run(&r, 0.03);
    check_andrews(&r, andrews_003);
    rig_run(&r, 0.05);
    check_andrews(&r, andrews_005);
    check_report(&r, 1e-7);
    rig_close(&r);
}

static void bricard_has_thirty_rows_of_rank_29(void **state)
{
    (void)state;
    rig r = rig_load("bricard", NULL);
    trm_check *check = NULL;
    trm_error err = {.status = TRM_OK};

    rig_ok(trm_check_create(r.model, NULL, &check, &err), &err);
    assert_int_equal(check->sizes.nc, 30);
    assert_int_equal(check->rank, 29);
    assert_int_equal(check->degrees_of_freedom, 1);
    assert_int_equal(check->nredundant, 1);
    assert_true(check->consistent);
    trm_check_destroy(check);

    rig_start(&r, rig_choose(&r, 1e-6));
    assert_int_equal(trm_sim_rank(r.sim), 29);
    rig_run(&r, 5.0);
    check_point(&r, "bar_23", (const double[3]){0.5, 0.0, 0.0}, bricard_P3_5, 1e-6);
    check_report(&r, 1e-6);
    rig_close(&r);
}

static void flyball_governor_meets_the_reference(void **state)
{
    (void)state;
    rig r = rig_load("flyball", NULL);

    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 1.0);
    near("s", rig_q(&r, "slider", 2), flyball_s_1, 1e-6);
    check_report(&r, 1e-6);
    rig_close(&r);
}

/// Willis: the sun turns 1 + ring/sun times as fast as the carrier.
static void the_planetary_gear_keeps_its_ratio(void **state)
{
    (void)state;
    rig r = rig_load("planetary_gear", NULL);
    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, 1.0);
    const double ratio = 1 + 0.07 / 0.03;
    near("sun", rig_v(&r, "sun", 2), ratio * rig_v(&r, "carrier", 2), 1e-10);
    near("turned", rig_q(&r, "sun", 2), ratio * rig_q(&r, "carrier", 2), 1e-10);
    below("moves", 1.0, rig_q(&r, "carrier", 2));
    rig_close(&r);
}

/// At half a turn the follower is at the table's highest point, at a whole turn at its lowest.
static void the_cam_lifts_its_follower_by_the_table(void **state)
{
    (void)state;
    rig r = rig_load("cam_follower", NULL);
    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, pi / 10);
    near("lift", rig_q(&r, "rod", 1), 0.15 + 0.02, 1e-10);
    rig_run(&r, 4 * pi / 10);
    near("back", rig_q(&r, "rod", 1), 0.15, 1e-10);
    rig_close(&r);
}

/// Down the helix with s'' = -p g/(R^2 + p^2), and back from the buffer with half of the speed.
static void the_bead_comes_back_from_its_buffer(void **state)
{
    (void)state;
    rig r = rig_load("bead_on_helix", NULL);
    rig_start(&r, rig_choose(&r, 1e-10));
    rig_run(&r, 5.0);
    const double R = 0.5, p = 0.1, bend = p * 9.81 / (R * R + p * p), end = 5.5 * pi;
    const double struck = sqrt(2 * end / bend), dt = 5.0 - struck;
    const double s = -end + 0.5 * bend * struck * dt - bend * dt * dt / 2;
    near("x", rig_q(&r, "bead", 0), R * cos(s), 1e-8);
    near("y", rig_q(&r, "bead", 1), R * sin(s), 1e-8);
    near("z", rig_q(&r, "bead", 2), p * s, 1e-8);
    rig_close(&r);
}

/// Steady: after one turn about the vertical it is where it was.
static void the_rolling_disc_comes_back(void **state)
{
    (void)state;
    rig r = rig_load("rolling_disc", NULL);
    rig_start(&r, rig_choose(&r, 1e-10));
    rig_run(&r, 2 * pi / 1.5);
    near("x", rig_q(&r, "disc", 0), 0, 1e-8);
    near("y", rig_q(&r, "disc", 1), 0.3 * cos(1.2), 1e-8);
    near("z", rig_q(&r, "disc", 2), 0.3 * sin(1.2), 1e-9);
    rig_close(&r);
}

static void heavy_top_meets_the_reference(void **state)
{
    (void)state;
    rig r = rig_load("heavy_top", NULL);

    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 2.0);
    for (int k = 0; k < 3; k++) {
        near("x", rig_q(&r, "top", k), heavy_top_x_2[k], 1e-6);
        near("rate", rig_v(&r, "top", 3 + k), heavy_top_rate_2[k], 1e-4);
    }
    check_report(&r, 1e-6);
    rig_close(&r);
}

static void spatial_slider_crank_meets_the_reference(void **state)
{
    (void)state;
    rig r = rig_load("spatial_slider_crank", NULL);

    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, 1.0);
    near("x_s", rig_q(&r, "slider", 0), spatial_slider_1, 1e-7);
    check_report(&r, 1e-7);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------ Jansen leg

/// The corner at distances a from p and b from q, on the left of the way from p to q; right: side <
/// 0.
static void corner(const double p[2], const double q[2], double a, double b, double side,
                   double out[2])
{
    const double dx = q[0] - p[0], dy = q[1] - p[1], r2 = dx * dx + dy * dy;
    const double along = (a * a - b * b + r2) / (2 * r2);
    const double across = side * sqrt(a * a / r2 - along * along);
    out[0] = p[0] + along * dx - across * dy;
    out[1] = p[1] + along * dy + across * dx;
}

/// Jansen's eleven lengths and the two places of the fixed point, times 4 mm: the foot at a crank
/// angle.
static void jansen_foot(double angle, double foot[2])
{
    const double B[2] = {-38, -7.8}, P[2] = {15 * cos(angle), 15 * sin(angle)};
    double C[2], D[2], E[2], F[2], G[2];
    corner(B, P, 41.5, 50, 1, C);
    corner(B, C, 40.1, 55.8, 1, D);
    corner(B, P, 39.3, 61.9, -1, E);
    corner(E, D, 36.7, 39.4, 1, F);
    corner(E, F, 49, 65.7, 1, G);
    foot[0] = 0.004 * G[0];
    foot[1] = 0.004 * G[1];
}

static trm_sensor jansen_sensor(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor sensor;
    rig_ok(trm_model_sensor(r->model, name, &sensor, &err), &err);
    return sensor;
}

/// Three turns: the foot is where the lengths put it, the servo gives what it says, energy
/// balances.
static void jansen_leg_walks_where_its_lengths_say(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("jansen_leg", NULL);
    const trm_sensor sensors[] = {
        jansen_sensor(&r, "O.coordinate"), jansen_sensor(&r, "O.coordinate_rate"),
        jansen_sensor(&r, "drive.effort"), jansen_sensor(&r, "foot.position")};
    rig_start(&r, rig_choose(&r, 1e-8));
    const double start = 20 * pi / 180;
    for (int n = 1; n <= 300; n++) {
        const double t = n / 100.0;
        double x[6], foot[2];
        rig_run(&r, t);
        for (int k = 0; k < 4; k++) {
            rig_ok(trm_sim_read(r.sim, &sensors[k], &x[k], &err), &err);
        }
        jansen_foot(start + x[0], foot);
        near("foot x", x[3], foot[0], 1e-10);
        near("foot y", x[4], foot[1], 1e-10);
        const double late = exp(-t / 0.1), target = -2 * pi * (t - 0.1 * (1 - late));
        near("effort", x[2], 20 * (target - x[0]) + (-2 * pi * (1 - late) - x[1]), 1e-9);
    }
    below("crank from its target", fabs(rig_q(&r, "crank", 2) - start + 2 * pi * 2.9), 0.2);
    below("gap", trm_sim_report(r.sim).position_drift, 1e-12);
    check_report(&r, 1e-8);
    rig_close(&r);
}

/// With a stiff servo the crank turns evenly, and the foot comes back to its place after each turn.
static void jansen_foot_closes_its_path(void **state)
{
    (void)state;
    static const char *const stiff[] = {"kp", "2e4", "kd", "200", NULL};
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("jansen_leg", stiff);
    const trm_sensor foot = jansen_sensor(&r, "foot.position");
    rig_start(&r, rig_choose(&r, 1e-6));
    double path[100][3], low = INFINITY;
    for (int n = 0; n < 200; n++) {
        double x[3];
        rig_run(&r, 1 + n / 100.0); // the crank is up to speed; a turn takes 1 s
        rig_ok(trm_sim_read(r.sim, &foot, x, &err), &err);
        if (n >= 100) {
            near("after a turn, x", x[0], path[n - 100][0], 1e-5);
            near("after a turn, y", x[1], path[n - 100][1], 1e-5);
            continue;
        }
        memcpy(path[n], x, sizeof x);
        low = fmin(low, x[1]);
    }
    int flat = 0;
    double first = INFINITY, last = -INFINITY;
    for (int n = 0; n < 100; n++) {
        if (path[n][1] < low + 0.01) {
            flat++;
            first = fmin(first, path[n][0]);
            last = fmax(last, path[n][0]);
        }
    }
    below("on the ground for half a turn, to 1 cm", 45, flat);
    below("and a stride of 20 cm", 0.2, last - first);
    rig_close(&r);
}

static void check_arm(const char *scene, const double expected[4])
{
    rig r = rig_load(scene, NULL);

    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, 5.0);
    const double theta1 = rig_q(&r, "upper", 2), rate1 = rig_v(&r, "upper", 2);
    near("theta1", theta1, expected[0], 1e-6);
    near("theta2", rig_q(&r, "lower", 2) - theta1, expected[1], 1e-6);
    near("theta1'", rate1, expected[2], 1e-6);
    near("theta2'", rig_v(&r, "lower", 2) - rate1, expected[3], 1e-6);
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    rig_close(&r);
}

static void arm_on_a_parabola_meets_the_reduced_equations(void **state)
{
    (void)state;
    check_arm("arm_parabola", arm_parabola_5);
}

static void arm_at_a_driven_height_meets_the_reduced_equations(void **state)
{
    (void)state;
    check_arm("arm_sine", arm_sine_5);
}

static void chains_keep_their_energy(void **state)
{
    (void)state;
    const char *const scenes[] = {"chain_10", "chain_100", "chain_1000"};

    for (size_t i = 0; i < 3; i++) {
        rig r = rig_load(scenes[i], NULL);
        rig_start(&r, rig_choose(&r, 1e-6));
        rig_run(&r, 1.0);
        check_report(&r, 1e-6);
        rig_close(&r);
    }
}

static void two_methods_agree_on_the_spatial_double_pendulum(void **state)
{
    (void)state;
    rig a = rig_load("double_pendulum_3d", NULL), b = rig_load("double_pendulum_3d", NULL);

    rig_start(&a, rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-11, 1e-11));
    rig_start(&b, rig_fixed(TRM_RK4, TRM_PROJECTION, 5e-4));
    rig_run(&a, 5.0);
    rig_run(&b, 5.0);
    for (int k = 0; k < trm_model_sizes(a.model).nv; k++) {
        near("v", trm_sim_state(a.sim).v[k], trm_sim_state(b.sim).v[k], 1e-6);
    }
    check_report(&a, 1e-9);
    check_report(&b, 1e-8);
    rig_close(&a);
    rig_close(&b);
}

// ------------------------------------------------------------------------------ SRM in general

/// Largest difference in v between SRM with E and `iterations` iterates and a tight run, at t.
static double srm_error(trm_E E, int iterations, double t)
{
    rig r = rig_load("four_bar", NULL), tight = rig_load("four_bar", NULL);
    trm_options options = rig_fixed(TRM_HEUN, TRM_SRM, 1e-4);
    double error = 0.0;

    options.srm.E = E;
    options.srm.iterations = iterations;
    rig_start(&r, options);
    rig_run(&r, t);
    rig_start(&tight, rig_choose(&tight, 1e-10));
    rig_run(&tight, t);
    for (int k = 0; k < trm_model_sizes(r.model).nv; k++) {
        error = fmax(error, fabs(trm_sim_state(r.sim).v[k] - trm_sim_state(tight.sim).v[k]));
    }
    rig_close(&r);
    rig_close(&tight);
    return error;
}

static void srm_with_every_E_agrees_with_the_default_method(void **state)
{
    (void)state;
    const trm_E forms[] = {TRM_E_IDENTITY, TRM_E_GB_TRANSPOSED, TRM_E_GB_INVERSE};

    for (size_t i = 0; i < 3; i++) {
        double error = srm_error(forms[i], 1, 0.3);
        for (int s = 2; s <= 3; s++) {
            const double next = srm_error(forms[i], s, 0.3);
            below("an iterate against the one before", next, 0.25 * error);
            error = next;
        }
        below("the eighth iterate", srm_error(forms[i], 8, 0.3), 1e-6);
    }
}

// ------------------------------------------------------------------------------------- settings

/// Scenes whose data the user may set: the start follows and stays consistent to roundoff.
static void starts_follow_their_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *settings[7];
    } cases[] = {
        {"pendulum", {"l", "2", "v0", "1.5", NULL}},
        {"slider_crank_swing", {"phi0", "0.3", "v0", "2", "l", "1.2", NULL}},
        {"slider_crank_turn", {"v0", "2", "m", "3", NULL}},
        {"slider_crank_bayo", {"v0", "3", "l", "2", NULL}},
        {"four_bar", {"v0", "2", "l", "0.7", "m", "3", NULL}},
        {"double_four_bar", {"v0", "-3", "l", "2", NULL}},
        {"four_bar_40", {"v0", "2", NULL}},
        {"andrews", {"mom", "0.04", NULL}},
        {"bricard", {"l", "3", NULL}},
        {"flyball", {"omega", "3", "droop", "0.2", "s0", "0.4", NULL}},
        {"heavy_top", {"spin", "100", "turn", "1", "l", "2", NULL}},
        {"spatial_slider_crank", {"omega", "-2", NULL}},
        {"arm_parabola", {"beta", "0.3", "l", "1.5", NULL}},
        {"arm_sine", {"omega", "2", "theta1", "1", NULL}},
        {"chain_10", {"l", "0.5", "m", "2", NULL}},
        {"jansen_leg", {"crank_angle", "2", "unit", "0.01", NULL}},
        {"double_pendulum_3d", {"wx", "3", "uz", "-4", "a", "1", NULL}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int set = 0; set < 2; set++) {
            rig r = rig_load(cases[i].scene, set ? cases[i].settings : NULL);
            rig_start(&r, rig_choose(&r, 1e-6));
            below(cases[i].scene, trm_sim_drift(r.sim).position, 1e-12);
            below(cases[i].scene, trm_sim_drift(r.sim).velocity, 1e-12);
            rig_close(&r);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_follow_their_parameters),
        cmocka_unit_test(pendulum_meets_the_elliptic_functions),
        cmocka_unit_test(swing_passes_every_singular_position_by_srm),
        cmocka_unit_test(swing_disturbed_by_1e_9_passes_them_too),
        cmocka_unit_test(swing_may_start_in_the_singular_position),
        cmocka_unit_test(turn_keeps_energy_angle_and_acceleration),
        cmocka_unit_test(bayo_and_avellos_crank_turns_over),
        cmocka_unit_test(four_bar_keeps_its_branch),
        cmocka_unit_test(double_four_bar_keeps_its_branch),
        cmocka_unit_test(forty_four_bars_keep_their_branch),
        cmocka_unit_test(disturbed_four_bars_keep_their_branch),
        cmocka_unit_test(four_bar_passes_mesh_points_on_the_singular_position),
        cmocka_unit_test(spatial_four_bar_moves_as_the_planar_one),
        cmocka_unit_test(andrews_mechanism_meets_the_reference),
        cmocka_unit_test(bricard_has_thirty_rows_of_rank_29),
        cmocka_unit_test(flyball_governor_meets_the_reference),
        cmocka_unit_test(heavy_top_meets_the_reference),
        cmocka_unit_test(the_planetary_gear_keeps_its_ratio),
        cmocka_unit_test(the_cam_lifts_its_follower_by_the_table),
        cmocka_unit_test(the_bead_comes_back_from_its_buffer),
        cmocka_unit_test(the_rolling_disc_comes_back),
        cmocka_unit_test(spatial_slider_crank_meets_the_reference),
        cmocka_unit_test(arm_on_a_parabola_meets_the_reduced_equations),
        cmocka_unit_test(arm_at_a_driven_height_meets_the_reduced_equations),
        cmocka_unit_test(jansen_leg_walks_where_its_lengths_say),
        cmocka_unit_test(jansen_foot_closes_its_path),
        cmocka_unit_test(chains_keep_their_energy),
        cmocka_unit_test(two_methods_agree_on_the_spatial_double_pendulum),
        cmocka_unit_test(srm_with_every_E_agrees_with_the_default_method),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]); // by name, with * and ?
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
