// Runs in lanes are runs: whatever the width, and whoever sits beside them, each has the bits, the
// counters and the verdicts that it has alone. Lengths, masses and speeds are drawn; runs end at
// different times, and the next one takes the seat.

#include "program/lanes.h"
#include "tests/simulation/run/runs.h"
#include "validation/papers/problems/problems_arm.h"

enum { RUNS = 19, MOST = 8 };

typedef struct drawn {
    const char *scene;
    rig r;
    double end;
    record alone;
    trm_status status;
} drawn;

static unsigned long long seed;

/// Uniform in 0 ... 1.
static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/// One run of a scene with parameters a and b between their bounds; `end` in s; `tolerance` of a
/// step, or of methods with fixed steps their size, s.
typedef struct problem {
    const char *scene; ///< its name, or a text with %s for a and b
    const char *names[2];
    double from[2], to[2];
    double end, tolerance;
    trm_integrator integrator;
    trm_stabilization stabilization;
} problem;

static void open_run(const problem *p, drawn *d)
{
    trm_error err = {.status = TRM_OK};
    char value[2][32];
    const char *settings[5] = {NULL};
    for (int i = 0; i < 2 && p->names[i]; i++) {
        snprintf(value[i], sizeof value[i], "%.17g",
                 p->from[i] + uniform() * (p->to[i] - p->from[i]));
        settings[2 * i] = p->names[i];
        settings[2 * i + 1] = value[i];
    }
    d->scene = p->scene;
    if (*p->scene == '{') {
        char text[2000];
        snprintf(text, sizeof text, p->scene, value[0], value[1]);
        d->r = rig_parse(text);
    } else {
        d->r = rig_load(p->scene, settings);
    }
    d->end = p->end * (0.5 + uniform());
    trm_options options = trm_default_options(p->integrator, p->stabilization);
    options.rtol = options.atol = p->tolerance * (1 + 9 * uniform());
    if (p->integrator == TRM_INTEGRATOR_RK4 || p->integrator == TRM_INTEGRATOR_HEUN) {
        options.h = options.rtol;
    }
    rig_ok(trm_sim_create(d->r.model, &options, &d->r.sim, &err), &err);
}

static void go_alone(const problem *p, drawn *runs)
{
    trm_error err;
    for (int i = 0; i < RUNS; i++) {
        const unsigned long long start = seed;
        open_run(p, &runs[i]);
        runs[i].status = trm_sim_run(runs[i].r.sim, runs[i].end, NULL, NULL, &err);
        take(runs[i].r.sim, runs[i].r.model, &runs[i].alone);
        rig_close(&runs[i].r);
        seed = start; // the same again
        open_run(p, &runs[i]);
    }
}

static int pause_here(trm_sim *sim, void *user)
{
    (void)sim, (void)user;
    return 1;
}

/// A step; the seat is empty after the last one.
static void advance(trm_lanes *lanes, int lane, drawn **at)
{
    trm_error err;
    drawn *d = *at;
    const trm_status status = trm_sim_run(d->r.sim, d->end, pause_here, NULL, &err);
    if (status == TRM_STOPPED && trm_sim_state(d->r.sim).t < d->end) {
        return;
    }
    record end;
    take(d->r.sim, d->r.model, &end);
    assert_int_equal(status == TRM_STOPPED ? TRM_OK : status, d->status);
    check_same(d->scene, &end, &d->alone, 1);
    trm_lanes_take_slot(lanes, lane, NULL);
    rig_close(&d->r);
    *at = NULL;
}

/// All runs through the lanes; a lane whose run has ended takes the next.
static void go_together(drawn *runs, int width, int may)
{
    trm_error err = {.status = TRM_OK};
    trm_lanes *lanes = NULL;
    drawn *at[MOST] = {NULL};
    rig_ok(trm_lanes_create(width, &lanes, &err), &err);
    const int n = trm_lanes_width(lanes);
    assert_true(n <= width && (n == width || width > 2));
    for (int next = 0, left = RUNS; left > 0;) {
        trm_sim *sim[MOST] = {NULL};
        double end[MOST] = {0};
        for (int l = 0; l < n; l++) {
            if (!at[l] && next < RUNS) {
                at[l] = &runs[next++];
                assert_true((trm_lanes_take_slot(lanes, l, at[l]->r.sim) == NULL) == may);
            }
            sim[l] = at[l] ? at[l]->r.sim : NULL;
            end[l] = at[l] ? at[l]->end : 0;
        }
        trm_lanes_prepare(lanes, sim, end);
        for (int l = 0; l < n; l++) {
            if (at[l]) {
                advance(lanes, l, &at[l]);
                left -= !at[l];
            }
        }
    }
    trm_lanes_destroy(lanes);
}

static void check_bits(const problem *p, int may)
{
    static drawn runs[RUNS];
    for (int width = 2; width <= MOST; width *= 2) {
        seed = 7;
        go_alone(p, runs);
        go_together(runs, width, may);
    }
}

/// With singular positions on the way, where lanes go on alone for a stage.
CLAIM(loops_of_pins)
{
    const problem four_bar = {"four_bar",
                              {"l", "v0"},
                              {0.8, 0.5},
                              {1.2, 3},
                              2,
                              1e-7,
                              TRM_INTEGRATOR_DOP853,
                              TRM_STABILIZATION_S_BOTH2};
    const problem two = {
        "double_four_bar",       {"v0", NULL}, {0.5, 0}, {3, 0}, 2, 1e-6, TRM_INTEGRATOR_DOPRI5,
        TRM_STABILIZATION_S_BOTH};
    check_bits(&four_bar, 1);
    check_bits(&two, 1);
}

/// Corrections that are damped in some lanes: far from singular positions, since gaps of roundoff
/// leave little to correct, and beside them, where some take a second factorization.
CLAIM(damped_corrections)
{
    const problem row = {"four_bar_40",
                         {"v0", NULL},
                         {0.5, 0},
                         {3, 0},
                         0.2,
                         1e-4,
                         TRM_INTEGRATOR_DOP853,
                         TRM_STABILIZATION_S_BOTH2};
    const problem fine = {"four_bar",
                          {"l", "v0"},
                          {0.8, 0.5},
                          {1.2, 3},
                          2,
                          1e-12,
                          TRM_INTEGRATOR_DOP853,
                          TRM_STABILIZATION_S_BOTH};
    check_bits(&row, 1);
    check_bits(&fine, 1);
}

/// Steps that do not adapt, of another size in each run, corrected twice and once.
CLAIM(fixed_steps)
{
    const problem runs[] = {{"four_bar",
                             {"l", "v0"},
                             {0.8, 0.5},
                             {1.2, 3},
                             1,
                             1e-3,
                             TRM_INTEGRATOR_RK4,
                             TRM_STABILIZATION_S_BOTH2},
                            {"double_four_bar",
                             {"v0", NULL},
                             {0.5, 0},
                             {3, 0},
                             0.5,
                             1e-3,
                             TRM_INTEGRATOR_RK4,
                             TRM_STABILIZATION_S_BOTH},
                            {"chain_10",
                             {"l", NULL},
                             {0.5, 0},
                             {2, 0},
                             0.5,
                             1e-3,
                             TRM_INTEGRATOR_HEUN,
                             TRM_STABILIZATION_S_BOTH2},
                            {"four_bar",
                             {"l", "v0"},
                             {0.8, 0.5},
                             {1.2, 3},
                             1,
                             1e-3,
                             TRM_INTEGRATOR_RK4,
                             TRM_STABILIZATION_S_POS}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        check_bits(&runs[i], 1);
    }
}

/// A four-bar under its weight, with the forces that follow.
#define DRIVEN_FOUR_BAR(forces)                                                                    \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["                                    \
    "{\"name\": \"crank\", \"ends\": [[0, 0], [0, 1]], \"mass\": 1},"                              \
    "{\"name\": \"coupler\", \"ends\": [[0, 1], [2, 1.5]], \"mass\": 2},"                          \
    "{\"name\": \"rocker\", \"ends\": [[2, 0], [2, 1.5]], \"mass\": 1}], \"joints\": ["            \
    "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"], \"at\": [0, "  \
    "0]},"                                                                                         \
    "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"coupler\"],"              \
    " \"at\": [0, 1]},"                                                                            \
    "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"coupler\", \"rocker\"],"             \
    " \"at\": [2, 1.5]},"                                                                          \
    "{\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rocker\"],"              \
    " \"at\": [2, 0]}], \"markers\": ["                                                            \
    "{\"name\": \"P\", \"body\": \"ground\", \"at\": [1, 2]},"                                     \
    "{\"name\": \"Q\", \"body\": \"coupler\", \"at\": [0.5, 1]},"                                  \
    "{\"name\": \"R\", \"body\": \"rocker\", \"at\": [2, 1]}], \"forces\": [" forces "]}"

/// Springs with dampers, one of them on the ground, and constant torques, one with its reaction.
CLAIM(forces_in_lanes)
{
    const problem andrews = {
        "andrews", {"mom", "c0"}, {0.02, 4000},          {0.04, 5000},
        0.01,      1e-7,          TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2};
    const problem fixed = {"andrews", {"mom", "c0"}, {0.02, 4000},       {0.04, 5000},
                           0.005,     1e-6,          TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH};
    const problem four_bar = {
        DRIVEN_FOUR_BAR(
            "{\"name\": \"s\", \"type\": \"spring_damper\", \"markers\": [\"P\", \"Q\"],"
            " \"stiffness\": %s, \"damping\": 0.7, \"rest_length\": 1},"
            "{\"name\": \"r\", \"type\": \"spring_damper\", \"markers\": [\"R\", \"Q\"],"
            " \"damping\": 0.3},"
            "{\"name\": \"T\", \"type\": \"torque\", \"body\": \"crank\", \"value\": %s},"
            "{\"name\": \"u\", \"type\": \"torque\", \"body\": \"rocker\","
            " \"reaction\": \"coupler\", \"value\": \"1/3\"}"),
        {"k", "T"},
        {20, -3},
        {100, 3},
        1,
        1e-7,
        TRM_INTEGRATOR_DOP853,
        TRM_STABILIZATION_S_BOTH2};
    check_bits(&andrews, 1);
    check_bits(&fixed, 1);
    check_bits(&four_bar, 1);
}

#define FOLLOWING                                                                                  \
    "{\"name\": \"T\", \"type\": \"torque\", \"body\": \"crank\","                                 \
    " \"value\": \"-0.1*A.rate + %s\"}"

/// A torque that follows the motion, and a spring about a pin, which each run finds by
/// itself; such a torque beside springs between markers, which lanes have of their own.
CLAIM(forces_of_each_run)
{
    static const char *const springs[] = {
        DRIVEN_FOUR_BAR("{\"name\": \"s\", \"type\": \"joint_spring_damper\", \"joint\": \"B\","
                        " \"stiffness\": %s, \"damping\": 0.2}," FOLLOWING),
        DRIVEN_FOUR_BAR(
            "{\"name\": \"s\", \"type\": \"spring_damper\", \"markers\": [\"P\", \"Q\"],"
            " \"stiffness\": %s, \"rest_length\": 1}," FOLLOWING)};
    for (int k = 0; k < 2; k++) {
        const problem four_bar = {springs[k],
                                  {"k", "T"},
                                  {5, -3},
                                  {20, 3},
                                  1,
                                  1e-7,
                                  TRM_INTEGRATOR_DOP853,
                                  TRM_STABILIZATION_S_BOTH2};
        check_bits(&four_bar, 1);
    }
}

/// With steps that are refused.
CLAIM(open_trees)
{
    const problem chain = {"chain_10",
                           {"l", NULL},
                           {0.5, 0},
                           {2, 0},
                           2,
                           1e-6,
                           TRM_INTEGRATOR_DOP853,
                           TRM_STABILIZATION_S_BOTH2};
    check_bits(&chain, 1);
}

/// A pendulum, two bodies that fly, pinned together, which turn about each other, and a third that
/// flies alone.
CLAIM(bodies_that_fly)
{
    const problem flight = {
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
        "{\"name\": \"a\", \"ends\": [[0, 0], [1, 0]], \"mass\": 1},"
        "{\"name\": \"b\", \"ends\": [[5, 0], [6, 0]], \"mass\": %s, \"velocity\": [0, 1], "
        "\"rate\": 2},"
        "{\"name\": \"c\", \"ends\": [[6, 0], [6, 1]], \"mass\": %s, \"velocity\": [-1.5, 2], "
        "\"rate\": 3},"
        "{\"name\": \"d\", \"ends\": [[8, 0], [9, 1]], \"mass\": 1, \"velocity\": [2, 1]}],"
        " \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"],"
        " \"at\": [0, 0]}, {\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"b\", \"c\"],"
        " \"at\": [6, 0]}]}",
        {"l", "m"},
        {0.5, 1},
        {2, 3},
        1,
        1e-6,
        TRM_INTEGRATOR_DOP853,
        TRM_STABILIZATION_S_BOTH2};
    check_bits(&flight, 1);
}

/// A loop of four pins that hangs from a fifth: pins that do not meet in a body fill S.
CLAIM(a_loop_that_hangs)
{
    const problem loop = {
        "{\"dimension\": 2, \"gravity\": [0, \"-%s\"], \"bodies\": ["
        "{\"name\": \"a\", \"mass\": 1, \"ends\": [[0, 0], [2, 0]]},"
        "{\"name\": \"b\", \"mass\": 1, \"ends\": [[2, 0], [2.2, 1]]},"
        "{\"name\": \"c\", \"mass\": 1, \"ends\": [[2.2, 1], [0.1, 1.2]]},"
        "{\"name\": \"d\", \"mass\": 1, \"ends\": [[0.1, 1.2], [0, 0]]}], \"joints\": ["
        "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], \"at\": [1, "
        "0]},"
        "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [2, 0]},"
        "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"b\", \"c\"], \"at\": [2.2, 1]},"
        "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"c\", \"d\"], \"at\": [0.1, 1.2]},"
        "{\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"d\", \"a\"], \"at\": [0, 0]}],"
        "\"forces\": [{\"name\": \"T\", \"type\": \"torque\", \"body\": \"b\","
        " \"reaction\": \"a\", \"value\": %s}]}",
        {"g", "T"},
        {5, -1},
        {15, 1},
        1,
        1e-6,
        TRM_INTEGRATOR_DOP853,
        TRM_STABILIZATION_S_BOTH2};
    check_bits(&loop, 1);
}

/// What has no lane kernels is stepped alone.
CLAIM(others_stay_themselves)
{
    const problem slider = {
        "slider_crank_turn",      {"l", "v0"}, {0.9, 1}, {1.1, 4}, 1, 1e-6, TRM_INTEGRATOR_DOP853,
        TRM_STABILIZATION_S_BOTH2};
    check_bits(&slider, 0);
}

/// What the second of two lanes says of a run beside the first.
static void seat_beside_says(rig first, rig r, trm_options options, const char *says)
{
    trm_error err = {.status = TRM_OK};
    trm_lanes *lanes = NULL;
    rig_ok(trm_lanes_create(2, &lanes, &err), &err);
    rig_start(&first, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    rig_start(&r, options);
    assert_null(trm_lanes_take_slot(lanes, 0, first.sim));
    const char *const why = trm_lanes_take_slot(lanes, 1, r.sim);
    if (trm_lanes_width(lanes) == 2 && (!why || strcmp(why, says) != 0)) {
        fail_msg("expected \"%s\", got \"%s\"", says, why ? why : "a seat");
    }
    assert_null(trm_lanes_take_slot(lanes, 0, NULL));
    trm_lanes_destroy(lanes);
    rig_close(&first);
    rig_close(&r);
}

static void seat_says(rig r, trm_options options, const char *says)
{
    seat_beside_says(rig_load("four_bar", NULL), r, options, says);
}

#define DAMPER(name, a, b)                                                                         \
    "{\"name\": \"" name "\", \"type\": \"spring_damper\", \"markers\": [\"" a "\", \"" b          \
    "\"], \"damping\": 0.3}"

CLAIM(runs_without_lanes_are_told_why)
{
    const trm_options usual = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    static const char other[] = "its structure is another one than that of the runs beside it";
    seat_says(rig_load("chain_10", NULL), usual, other);
    static const char one[] = DRIVEN_FOUR_BAR(DAMPER("r", "R", "Q"));
    seat_beside_says(rig_parse(one), rig_parse(DRIVEN_FOUR_BAR(DAMPER("r", "P", "Q"))), usual,
                     other);
    seat_beside_says(rig_parse(one),
                     rig_parse(DRIVEN_FOUR_BAR(DAMPER("r", "R", "Q") "," DAMPER("s", "P", "Q"))),
                     usual, other);
    seat_says(rig_load("four_bar", NULL),
              rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_BAUMGARTE, 1e-3),
              "its method is no explicit Runge-Kutta method with a correction after the step");
    seat_says(rig_load("bead_on_helix", NULL), usual, "it has contacts, events or formulas");
    seat_says(rig_equations(&parabola_arm), usual, "it is given by equations");
}
