// Rows that depend on others are idle only while they may be: a locked mechanism stays,
// contradicting rows fail, rows that become independent are enforced, and mechanisms of redundant
// joints still take long steps.

#include "base/rank_numbers.h"
#include "engine/rank/rank_masks.h"
#include "program/run_details.h"
#include "simulation/run/simulation.h"
#include "tests/rig.h"

// ------------------------------------------------------------------------------------- locked

/// tests/scenes/SCENE.json with one parameter.
static rig load_with(const char *scene, const char *parameter, const char *value)
{
    char name[80];
    const char *const settings[] = {parameter, value, NULL};
    snprintf(name, sizeof name, "../tests/scenes/%s", scene);
    return rig_load(name, settings);
}

static double farthest(const trm_sim *sim, const double *q, int nq)
{
    double distance = 0;
    for (int i = 0; i < nq; i++) {
        distance = fmax(distance, fabs(trm_sim_state(sim).q[i] - q[i]));
    }
    return distance;
}

/// It stays within `allowed` of its start, or, where a run may fail, fails soon after and names a
/// joint.
static void check_still(rig *r, trm_options options, double t_end, double allowed, int may_fail)
{
    enum { MOST = 32 };
    double q[MOST];
    trm_error err = {.status = TRM_OK};
    const int nq = trm_model_sizes(r->model).nq;
    assert_true(nq <= MOST);
    rig_start(r, options);
    memcpy(q, trm_sim_state(r->sim).q, (size_t)nq * sizeof(double));
    const trm_status status = trm_sim_run(r->sim, t_end, NULL, NULL, &err);
    if (status != TRM_OK) {
        if (!may_fail || strstr(err.where, "joint '") == NULL) {
            fail_msg("%s (%s)", err.message, err.where);
        }
    }
    below("a locked structure", farthest(r->sim, q, nq), status == TRM_OK ? allowed : 0.02);
}

CLAIM(an_arch_stands)
{
    const char *const angle[] = {"5e-4", "1e-5", "3*pi/180"};
    const double allowed[] = {1e-9, 1e-6, 1e-9}; // 1e-5: within a tenth of its height
    for (int k = 0; k < 3; k++) {
        rig r = load_with("arch", "a", angle[k]);
        check_still(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3), 0.1,
                    allowed[k], 0);
        check_still(&r, rig_choose(&r, 1e-6), 0.1, allowed[k], 0);
        rig_close(&r);
    }
}

static trm_options by_the_letter(trm_options options)
{
    options.misfit = 0;
    return options;
}

CLAIM(a_tilted_axis_locks_by_the_letter)
{
    const char *const tilt[] = {"1e-3", "5e-4"};
    for (int k = 0; k < 2; k++) {
        rig r = load_with("tilted_parallelogram", "e", tilt[k]);
        check_still(&r,
                    by_the_letter(rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3)),
                    0.3, 1e-3, 1);
        check_still(&r, by_the_letter(rig_choose(&r, 1e-6)), 0.3, 1e-3, 1);
        rig_close(&r);
    }
}

/// Tilted by less a row that would lock it is lost in the errors of steps: refused.
CLAIM(a_slight_tilt_is_refused_by_the_letter)
{
    const char *const tilt[] = {"1e-4", "1e-5", "1e-7"};
    for (int k = 0; k < 3; k++) {
        rig r = load_with("tilted_parallelogram", "e", tilt[k]);
        trm_options options = by_the_letter(rig_choose(&r, 1e-6));
        trm_error err = {.status = TRM_OK};
        trm_sim *sim = NULL;
        assert_int_equal(trm_sim_create(r.model, &options, &sim, &err), TRM_ERR_INCONSISTENT);
        assert_non_null(strstr(err.message, "too little for a lock, too much for a motion"));
        rig_close(&r);
    }
}

/// Tilted by e it swings as it does with parallel axes, off by a few e.
CLAIM(a_tilted_axis_has_play)
{
    const char *const tilt[] = {"0", "1e-3", "5e-4", "1e-5", "1e-7"};
    double q[32];
    for (int k = 0; k < 10; k++) { // in both coordinates
        rig r = load_with("tilted_parallelogram", "e", tilt[k % 5]);
        rig_take(&r, k < 5 ? TRM_COORDINATES_ABSOLUTE : TRM_COORDINATES_JOINT);
        for (int i = 0; i < 3; i++) {
            const trm_options fixed =
                rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3);
            rig_start(&r, i == 0 ? fixed : rig_choose(&r, i == 1 ? 1e-6 : 1e-9));
            rig_run(&r, 0.3);
            if (k == 0) {
                memcpy(q, trm_sim_state(r.sim).q,
                       (size_t)trm_model_sizes(r.model).nq * sizeof(double));
            }
            const double e = strtod(tilt[k % 5], NULL);
            below("off", farthest(r.sim, q, trm_model_sizes(r.model).nq), 10 * e + 1e-5);
            below("gap", trm_sim_report(r.sim).position_drift, 1e-8);
        }
        rig_close(&r);
    }
}

/// A run that is saved with its play goes on as if it had not been, and knows what it was.
CLAIM(the_play_is_saved)
{
    rig r = load_with("tilted_parallelogram", "e", "1e-4");
    rig other = {.model = r.model};
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_start(&other, rig_choose(&r, 1e-6));
    rig_run(&r, 0.2);
    char *saved = rig_save(&r);
    rig_restore(&other, saved);
    rig_run(&r, 0.5);
    rig_run(&other, 0.5);
    const trm_sizes n = trm_model_sizes(r.model);
    assert_memory_equal(trm_sim_state(r.sim).q, trm_sim_state(other.sim).q,
                        (size_t)n.nq * sizeof(double));
    double most = 0;
    for (int i = 0; i < n.nc; i++) {
        assert_true(trm_sim_misfit(r.sim, i, NULL) == trm_sim_misfit(other.sim, i, NULL));
        most = fmax(trm_sim_misfit(r.sim, i, NULL), most);
    }
    assert_true(most > 1e-6 && most < 1e-3);
    free(saved);
    trm_sim_destroy(other.sim);
    rig_close(&r);
}

// ---------------------------------------------------------------------------- no longer redundant

/// Two motors on one shaft that agree until t = 1, alone and beside a wheel that is free to turn:
/// then one of them is idle at first.
static const char *const motors[] = {
    "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": ["
    "{\"name\": \"w\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0], \"rate\": 0.1}",
    ", {\"name\": \"free\", \"mass\": 1, \"inertia\": 1, \"position\": [3, 0], \"rate\": 1}",
    "], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"w\"],"
    " \"at\": [0, 0], \"motor\": \"0.1*t\"},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"w\"],"
    " \"at\": [0, 0], \"motor\": \"0.1*t + max(0, t - 1)^3\"}",
    ", {\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"free\"],"
    " \"at\": [3, 0]}",
    "], \"simulation\": {\"end\": 2}}"};

CLAIM(motors_that_part_fail)
{
    for (int with_wheel = 0; with_wheel < 2; with_wheel++) {
        char json[2048] = "";
        for (int i = 0; i < 5; i++) {
            strcat(json, i % 2 == 0 || with_wheel ? motors[i] : "");
        }
        rig r = rig_parse(json);
        for (int k = 0; k < 3; k++) {
            trm_error err = {.status = TRM_OK};
            rig_start(&r, rig_choose(&r, pow(10, -2 - 2 * k)));
            assert_int_not_equal(trm_sim_run(r.sim, 2, NULL, NULL, &err), TRM_OK);
            assert_true(strcmp(err.where, "joint 'A'") == 0 || strcmp(err.where, "joint 'B'") == 0);
            assert_true(err.t > 0.9 && err.t < 1.3);
        }
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------ still redundant

CLAIM(parallel_hinges_swing_in_long_steps)
{
    rig r = load_with("tilted_parallelogram", "phi", "-1");
    for (int k = 1; k <= 6; k++) {
        const double accuracy = pow(10, -k);
        rig_start(&r, rig_choose(&r, accuracy));
        rig_run(&r, 5);
        below("energy", trm_sim_report(r.sim).energy_error_relative, accuracy);
        below("gap", trm_sim_report(r.sim).position_drift, 1e-8);
        assert_true((double)trm_sim_stats(r.sim).steps < 40 * pow(accuracy, -1.0 / 12));
    }
    rig_close(&r);
}

/// Two bars of 1 m joined by two pins, the first on a pin of its own: one bar of 2 m, whose angular
/// acceleration from rest is g m/I = 3 g/4 with I = 8/3 m. The pins share two bodies, and one row
/// is redundant.
CLAIM(two_pins_make_one_bar_of_two)
{
    rig r = rig_load("../tests/scenes/two_pins", NULL);
    rig_start(&r, rig_choose(&r, 1e-6));
    below("inner", fabs(trm_sim_state(r.sim).a[2] + 0.75 * 9.81), 1e-6);
    below("outer", fabs(trm_sim_state(r.sim).a[5] + 0.75 * 9.81), 1e-6);
    rig_run(&r, 1);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-6);
    rig_close(&r);
}

/// A plate on three parallel bars, one more than it needs, with a wheel on it, and a pendulum
/// aside: rows that depend on one another hold the plate and its bars, all coordinates of these,
/// and nothing else.
CLAIM(dependent_rows_hold_their_bodies)
{
    rig r = rig_load("../tests/scenes/held_plate", NULL);
    const int expected[] = {0, 1, 1, 1, 1, 0};
    rig_start(&r, rig_choose(&r, 1e-6));
    trm_run *run = &r.sim->run;
    char held[18];
    assert_int_equal(trm_system_position(run->system, 0, run->now.z), 0);
    trm_rank_start(&r.sim->rank, TRM_DEPENDENT);
    trm_rank_look(&r.sim->rank, run->system, &run->extent);
    assert_int_equal(trm_rank_nullity(&r.sim->rank), 1);
    memset(held, 2, sizeof held);
    trm_rank_held(&r.sim->rank, run->system, &run->extent, held);
    for (int i = 0; i < 18; i++) {
        assert_int_equal(held[i], expected[i / 3]);
    }
    rig_close(&r);
}

/// The largest part that a row has in the masked row, in unit rows: w is their one combination that
/// is 0.
static double largest_part(const trm_solver *solver, const double *w)
{
    double masked = 0, most = 0;
    for (int i = 0; i < solver->pattern->n; i++) {
        const double part = fabs(w[i]) * sqrt(solver->D[i]);
        masked = solver->null.kept[i] == 0 ? part : masked;
        most = fmax(part, most);
    }
    return most / masked;
}

CLAIM(rows_kept_are_those_of_which_others_have_no_large_part)
{
    enum { ROWS = 30 };
    rig r = rig_load("bricard", NULL);
    rig_take(&r, TRM_COORDINATES_ABSOLUTE);
    rig_start(&r, rig_choose(&r, 0.1));
    trm_run *run = &r.sim->run;
    trm_solver *solver = &run->system->solver;
    double w[ROWS], worst = 0;
    assert_int_equal(solver->pattern->n, ROWS);
    trm_solver_left_out(solver, 0, w);
    trm_arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        trm_null_layout(&solver->null, (trm_null_size){.masks = ROWS}, &arena);
        assert_true(pass == 1 || trm_arena_open(&arena));
    }
    for (int masked = 0; masked < ROWS; masked++) {
        solver->null.used.masks = ROWS;
        solver->null.nullity = 1;
        for (int i = 0; i < ROWS; i++) {
            solver->null.kept[i] = i == masked ? 0 : 1;
        }
        assert_int_equal(trm_system_factor(run->system, TRM_METRIC_MASS), 0);
        const double before = largest_part(solver, w);
        worst = before < 1e3 ? fmax(worst, before) : worst; // others follow from nothing
        (void)trm_rank_masks_renew(run->system, run->work_c, run->work_c2, run->work_v);
        assert_true(!(before < 1e3) || largest_part(solver, w) <= TRM_MASKED_PART * (1 + 1e-6));
    }
    assert_true(worst > 10); // there are bad choices
    trm_arena_close(&arena);
    rig_close(&r);
}

/// Rows of a cut that no joint of the tree moves are 0 and are left out. Their pivots of 0 must not
/// be taken for a singular position.
CLAIM(rows_of_zero_are_masked)
{
    rig r = rig_load("../tests/scenes/space_ladder", NULL);
    rig_take(&r, TRM_COORDINATES_JOINT);
    rig_start(&r, rig_choose(&r, 1e-4));
    const trm_solver *const solver = &r.sim->run.system->solver;
    assert_int_equal(solver->null.used.masks, 120);
    assert_int_equal(solver->damped, 0);
    assert_true(solver->ratio_min > 1e-3);
    rig_close(&r);
}

CLAIM(bricard_takes_long_steps)
{
    rig r = rig_load("bricard", NULL);
    rig_start(&r, rig_choose(&r, 0.1));
    rig_run(&r, 10);
    assert_true(trm_sim_stats(r.sim).force_evals < 600);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-2);
    rig_close(&r);
}

// ------------------------------------------------------------------- motions that meet in the
// start

static const double rod = 0.0342595053382;

static double agm(double a, double b)
{
    for (int k = 0; k < 8; k++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/// The swing of a pendulum that reaches this angle from its lowest position, in s: half a period.
static double swing(double gravity, double angle)
{
    return pi / sqrt(gravity / rod) / agm(1, cos(angle / 2));
}

/// Where the start belongs to motions of different rank, that which goes on tells the rank. The
/// tray swings without a turn by three independent rods; where it hangs straight down it may also
/// turn about the vertical, and both, tilted along a diagonal, by four. It is a pendulum, and after
/// a swing it is back, or as far on the other side.
static void check_tray(const char *name, const char *value, double t, double x, double rate)
{
    static const double accuracies[] = {1e-2, 1e-3, 1e-6, 1e-9};
    for (int k = 0; k < 4; k++) {
        rig r = load_with("tray", name, value);
        rig_start(&r, rig_choose(&r, accuracies[k]));
        rig_run(&r, t);
        const trm_state now = trm_sim_state(r.sim);
        below("the place", fabs(now.q[0] - x), 10 * accuracies[k] * rod);
        below("the velocity", fabs(now.v[0] - rate), 10 * accuracies[k] * 0.6);
        below("steps", (double)trm_sim_stats(r.sim).steps, 200);
        rig_close(&r);
    }
}

CLAIM(a_swinging_tray_is_a_pendulum)
{
    const double angle = 2 * asin(0.25 / 2 / sqrt(9.81 * rod));
    check_tray("v", "0.25", swing(9.81, angle), 0, -0.25);
}

CLAIM(a_tray_at_rest_is_pushed)
{
    const double angle = atan(4 / (3 * 9.81));
    check_tray("F", "4", swing(9.81 / cos(angle), angle), rod * sin(2 * angle), 0);
}

/// The time from rest at `twist` to twist 0, and the rate there, of one freedom: with the height
/// z = 1 - sqrt(1 + 4 r^2 (sin^2(twist/2) - sin^2(a/2))) at the twist a, (I + m z_a^2) a'^2 =
/// -2 m g z. With a = twist sin u the integral of da/a' is that of a smooth function over a
/// quarter of its period, which the midpoint rule has to roundoff.
static double untwist(double twist, double *rate)
{
    enum { POINTS = 64 };
    const double m = 3, inertia = 0.25, g = 9.81, r = 0.5;
    double time = 0;
    for (int k = 0; k <= POINTS; k++) { // the last: u = 0
        const double u = k < POINTS ? (k + 0.5) * pi / 2 / POINTS : 0, a = twist * sin(u);
        const double drop = 4 * r * r * sin((twist - a) / 2) * sin((twist + a) / 2);
        const double depth = sqrt(1 + drop), z = -drop / (1 + depth);
        const double slope = r * r * sin(a) / depth;
        *rate = sqrt(-2 * m * g * z / (inertia + m * slope * slope));
        time += k < POINTS ? twist * cos(u) / *rate * pi / 2 / POINTS : 0;
    }
    return time;
}

/// As it turns and sinks all rods are lines of one surface: the rank is 3, beside this motion 4, at
/// all closed positions but those of a line. It passes its lowest position, where swings to the
/// sides begin, and comes back to it.
CLAIM(a_twisted_plate_stays_upright)
{
    static const double accuracies[] = {1e-2, 1e-3, 1e-6, 1e-9};
    const double twist = atan2(3, 4);
    double rate;
    const double quarter = untwist(twist, &rate);
    for (int k = 0; k < 4; k++) {
        rig r = rig_load("../tests/scenes/twisted_plate", NULL);
        rig_start(&r, rig_choose(&r, accuracies[k]));
        rig_run(&r, 3 * quarter);
        const trm_state now = trm_sim_state(r.sim);
        below("aside", hypot(now.q[0], now.q[1]), 10 * accuracies[k]);
        below("turn", fabs(2 * atan2(now.q[6], now.q[3]) + twist), 10 * accuracies[k]);
        below("rate", fabs(now.v[5] - rate), 10 * accuracies[k] * rate);
        below("steps", (double)trm_sim_stats(r.sim).steps, 200);
        rig_close(&r);
    }
}

/// A saved run goes on as if it had not been saved: the idle rows are part of the state.
CLAIM(idle_rows_are_saved)
{
    rig one = rig_load("bricard", NULL);
    rig other = {.model = one.model};
    rig_start(&one, rig_choose(&one, 1e-3));
    rig_run(&one, 2);
    rig_start(&other, rig_choose(&other, 1e-3));
    char *saved = rig_save(&one);
    rig_restore(&other, saved);
    rig_run(&one, 5);
    rig_run(&other, 5);
    const int nq = trm_model_sizes(one.model).nq;
    assert_true(farthest(other.sim, trm_sim_state(one.sim).q, nq) == 0);
    assert_int_equal(trm_sim_stats(one.sim).steps, trm_sim_stats(other.sim).steps);
    free(saved);
    trm_sim_destroy(other.sim);
    rig_close(&one);
}
