// What Trammel says of a mechanism: rank, freedoms and redundancy in the initial state, at every
// scale; starts that are open, and closed; singular positions passed, and branches lost.

#include "program/run_details.h"
#include "tests/rig.h"

// ------------------------------------------------------------------------------------------- check

static trm_check *check_of(const rig *r, const trm_options *options)
{
    trm_check *check = NULL;
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_check_create(r->model, options, &check, &err), &err);
    return check;
}

/// One verdict for all: rank, freedoms, redundant rows of one kind.
static void check_verdict(const char *what, const rig *r, int rank, int freedoms, int redundant,
                          trm_redundancy_kind kind)
{
    trm_check *check = check_of(r, NULL);
    int right = check->rank == rank && check->degrees_of_freedom == freedoms &&
                check->nredundant == redundant && check->consistent;
    for (int i = 0; i < check->nredundant; i++) {
        right = right && check->redundant[i].kind == kind && check->redundant[i].nrows >= 1;
    }
    if (!right) {
        fail_msg("%s: rank %d, %d freedoms, %d redundant of kind %d, consistent %d", what,
                 check->rank, check->degrees_of_freedom, check->nredundant,
                 check->nredundant ? (int)check->redundant[0].kind : -1, check->consistent);
    }
    trm_check_destroy(check);
}

CLAIM(bricard_has_rank_29_at_every_scale)
{
    const char *const lengths[] = {"1", "1e-3", "1e3", "0.02"};

    for (int k = 0; k < 4; k++) {
        const char *const settings[] = {"l", lengths[k], "m", lengths[3 - k], NULL};
        rig r = rig_load("bricard", settings);
        assert_int_equal(trm_model_sizes(r.model).nc, 30);
        check_verdict(lengths[k], &r, 29, 1, 1, TRM_REDUNDANCY_STRUCTURAL);
        rig_close(&r);
    }
}

CLAIM(shipped_scenes_have_their_freedoms)
{
    const struct {
        const char *scene;
        int nv, freedoms;
    } rows[] = {{"four_bar", 9, 1},
                {"double_four_bar", 15, 1},
                {"slider_crank_turn", 6, 1},
                {"andrews", 21, 1},
                {"pendulum", 2, 1},
                {"heavy_top", 6, 3},
                {"spatial_slider_crank", 18, 1},
                {"arm_sine", 6, 1},
                {"double_pendulum_3d", 12, 6},
                {"chain_10", 30, 10}};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig r = rig_load(rows[k].scene, NULL);
        const trm_sizes n = trm_model_sizes(r.model);
        trm_check *check = check_of(&r, NULL);
        if (n.nv != rows[k].nv || check->degrees_of_freedom != rows[k].freedoms) {
            fail_msg("%s: nv %d, %d freedoms, rank %d of %d", rows[k].scene, n.nv,
                     check->degrees_of_freedom, check->rank, n.nc);
        }
        rig_start(&r, rig_choose(&r, 1e-6));
        assert_int_equal(trm_sim_rank(r.sim), check->rank);
        trm_check_destroy(check);
        rig_close(&r);
    }
}

/// Two bars between walls, risen by phi: no freedom is left however flat, by the check and by a
/// run, until the sine of phi is roundoff to both. The pivots of a run have lost it at phi = 1e-3
/// already.
CLAIM(a_flat_arch_has_no_freedom)
{
    const double angles[] = {0.5, 1e-2, 5e-4, 1e-5};
    for (int k = 0; k < 4; k++) {
        char json[1200];
        const double rise = tan(angles[k]);
        snprintf(json, sizeof json,
                 "{\"dimension\": 2, \"bodies\": ["
                 "{\"name\": \"a\", \"mass\": 1, \"ends\": [[0, 0], [1, %.17g]]},"
                 "{\"name\": \"b\", \"mass\": 1, \"ends\": [[1, %.17g], [2, 0]]}], \"joints\": ["
                 "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], "
                 "\"at\": [0, 0]},"
                 "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], "
                 "\"at\": [1, %.17g]},"
                 "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"b\", \"ground\"], "
                 "\"at\": [2, 0]}]}",
                 rise, rise, rise);
        rig r = rig_parse(json);
        check_verdict("arch", &r, 6, 0, 0, TRM_REDUNDANCY_STRUCTURAL);
        rig_start(&r, rig_choose(&r, 1e-6));
        assert_int_equal(trm_sim_rank(r.sim), 6);
        rig_close(&r);
    }
}

/// A four-bar of equal bars of length `l` and mass `m`, turned by `phi` from the line.
static rig four_bar_at(double l, double m, double phi, const char *more)
{
    char json[2400];
    const double c = l * cos(phi), s = l * sin(phi);
    snprintf(
        json, sizeof json,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
        "{\"name\": \"a\", \"mass\": %.17g, \"ends\": [[0, 0], [%.17g, %.17g]]},"
        "{\"name\": \"b\", \"mass\": %.17g, \"ends\": [[%.17g, %.17g], [%.17g, %.17g]]},"
        "{\"name\": \"c\", \"mass\": %.17g, \"ends\": [[%.17g, 0], [%.17g, %.17g]]}], \"joints\": ["
        "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], \"at\": [0, "
        "0]},"
        "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [%.17g, "
        "%.17g]},"
        "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"b\", \"c\"], \"at\": [%.17g, "
        "%.17g]},"
        "{\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"c\", \"ground\"], \"at\": "
        "[%.17g, 0]}"
        "%s]}",
        m, c, s, m, c, s, c + l, s, m, l, c + l, s, c, s, c + l, s, l, more);
    return rig_parse(json);
}

/// Metres to millimetres and kilometres, kilograms to grams and tonnes.
static const double scales[][2] = {{1, 1},      {1e-3, 1e-3}, {1e3, 1e3}, {1e-3, 1e3},
                                   {1e3, 1e-3}, {1e-2, 1},    {1, 1e-6},  {30, 7e4}};
enum { SCALES = sizeof scales / sizeof *scales };

CLAIM(a_four_bar_is_regular_at_every_scale)
{
    for (int k = 0; k < SCALES; k++) {
        rig r = four_bar_at(scales[k][0], scales[k][1], 1.0, "");
        check_verdict("four-bar", &r, 8, 1, 0, TRM_REDUNDANCY_STRUCTURAL);
        rig_close(&r);
    }
}

CLAIM(a_four_bar_in_line_is_singular_here_at_every_scale)
{
    for (int k = 0; k < SCALES; k++) {
        char what[64];
        rig r = four_bar_at(scales[k][0], scales[k][1], 0.0, "");
        snprintf(what, sizeof what, "in line, %g m, %g kg", scales[k][0], scales[k][1]);
        check_verdict(what, &r, 7, 2, 1, TRM_REDUNDANCY_SINGULAR_HERE);
        rig_close(&r);
    }
}

/// One of its pins twice: in line three rows depend on others, and nearby two of them still do,
/// whichever of the parallel ones the rank has taken for independent.
CLAIM(a_doubled_pin_of_a_four_bar_in_line_is_singular_once)
{
    static const char *const again[][3] = {{"ground", "a", "0"},
                                           {"a", "b", "1"},
                                           {"b", "c", "2"},
                                           {"ground", "c", "1"},
                                           {"c", "b", "2"}};
    for (size_t k = 0; k < sizeof again / sizeof *again; k++) {
        char more[200];
        int kinds[3] = {0};
        snprintf(more, sizeof more,
                 ", {\"name\": \"E\", \"type\": \"revolute\", \"bodies\": [\"%s\", \"%s\"], "
                 "\"at\": [%s, 0]}",
                 again[k][0], again[k][1], again[k][2]);
        rig r = four_bar_at(1, 1, 0, more);
        trm_check *check = check_of(&r, NULL);
        assert_int_equal(check->rank, 7);
        assert_int_equal(check->nredundant, 3);
        for (int i = 0; i < 3; i++) {
            kinds[check->redundant[i].kind]++;
        }
        assert_int_equal(kinds[TRM_REDUNDANCY_SINGULAR_HERE], 1);
        assert_int_equal(kinds[TRM_REDUNDANCY_STRUCTURAL], 2);
        trm_check_destroy(check);
        rig_close(&r);
    }
}

CLAIM(a_doubled_joint_is_structural_at_every_scale)
{
    for (int k = 0; k < SCALES; k++) {
        char json[1200], what[64];
        const double l = scales[k][0];
        snprintf(
            json, sizeof json,
            "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": %.17g, \"ends\": [[0, 0],"
            "[%.17g, %.17g]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"bodies\":"
            "[\"ground\", \"a\"], \"at\": [0, 0]}, {\"name\": \"again\", \"type\": \"revolute\","
            "\"bodies\": [\"ground\", \"a\"], \"at\": [0, 0]}]}",
            scales[k][1], 0.6 * l, 0.8 * l);
        rig r = rig_parse(json);
        snprintf(what, sizeof what, "doubled, %g m, %g kg", l, scales[k][1]);
        check_verdict(what, &r, 2, 1, 2, TRM_REDUNDANCY_STRUCTURAL);
        // every set names one row of each joint, the same of both
        trm_check *check = check_of(&r, NULL);
        for (int i = 0; i < 2; i++) {
            const trm_redundancy *set = &check->redundant[i];
            assert_int_equal(set->nrows, 2);
            const trm_row_info one = trm_model_row_info(r.model, set->rows[0]);
            const trm_row_info other = trm_model_row_info(r.model, set->rows[1]);
            assert_string_not_equal(one.name, other.name);
            assert_string_equal(one.label, other.label);
        }
        trm_check_destroy(check);
        rig_close(&r);
    }
}

/// A fifth bar beside a four-bar's cranks, of their length and parallel: it moves, though counting
/// equations says that it cannot. Redundant in every position.
CLAIM(a_third_parallel_crank_is_structural_at_every_scale)
{
    for (int k = 0; k < SCALES; k++) {
        char more[600], what[64];
        const double l = scales[k][0], c = l * cos(1.0), s = l * sin(1.0);
        snprintf(more, sizeof more,
                 ", {\"name\": \"E\", \"type\": \"rod\", \"bodies\": [\"ground\", \"b\"], \"at\": "
                 "[[%.17g, 0], [%.17g, %.17g]]}",
                 0.4 * l, 0.4 * l + c, s);
        rig r = four_bar_at(l, scales[k][1], 1.0, more);
        snprintf(what, sizeof what, "parallel, %g m, %g kg", l, scales[k][1]);
        check_verdict(what, &r, 8, 1, 1, TRM_REDUNDANCY_STRUCTURAL);
        rig_close(&r);
    }
}

/// Two rods from one pin to a body's point, of different lengths: no position satisfies both.
CLAIM(rods_that_cannot_be_are_contradictory)
{
    for (int k = 0; k < SCALES; k++) {
        char json[1200];
        const double l = scales[k][0];
        snprintf(
            json, sizeof json,
            "{\"dimension\": 2, \"bodies\": [{\"name\": \"p\", \"mass\": %.17g, \"shape\": "
            "{\"type\":"
            "\"point\"}, \"position\": [%.17g, 0]}], \"joints\": [{\"name\": \"short\", \"type\": "
            "\"rod\", \"bodies\": [\"ground\", \"p\"], \"on\": {\"ground\": [0, 0], \"p\": [0, 0]},"
            "\"length\": %.17g}, {\"name\": \"long\", \"type\": \"rod\", \"bodies\": [\"ground\","
            "\"p\"], \"on\": {\"ground\": [0, 0], \"p\": [0, 0]}, \"length\": %.17g}]}",
            scales[k][1], l, l, 1.1 * l);
        rig r = rig_parse(json);
        trm_check *check = check_of(&r, NULL);
        assert_false(check->consistent);
        assert_int_equal(check->rank, 1);
        assert_int_equal(check->nredundant, 1);
        assert_int_equal(check->redundant[0].kind, TRM_REDUNDANCY_CONTRADICTORY);
        assert_string_equal(trm_model_row_info(r.model, check->position_row).name, "long");
        trm_check_destroy(check);
        rig_close(&r);
    }
}

CLAIM(a_check_takes_options)
{
    rig r = rig_load("four_bar", NULL);
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    trm_check *check = (void *)&r;
    trm_error err = {.status = TRM_OK};

    options.damping = -1.0;
    assert_int_equal(trm_check_create(r.model, &options, &check, &err), TRM_ERR_OPTIONS);
    assert_null(check);
    assert_string_equal(err.where, "damping");
    rig_close(&r);
}

/// Nothing to check is fine, too.
CLAIM(a_free_body_has_no_rows)
{
    rig r = rig_parse("{\"dimension\": 3, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": "
                      "[1, 1, 1], \"position\": [0, 0, 0]}]}");
    trm_check *check = check_of(&r, NULL);

    assert_int_equal(check->degrees_of_freedom, 6);
    assert_int_equal(check->position_row, -1);
    assert_true(check->consistent);
    trm_check_destroy(check);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- assemble

#define OPEN_FOUR_BAR(x)                                                                           \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["                                    \
    "{\"name\": \"a\", \"mass\": 1, \"ends\": [[0, 0], [0, 1]], \"rate\": 2},"                     \
    "{\"name\": \"b\", \"mass\": 1, \"ends\": [[0, 1], [1, 1]]},"                                  \
    "{\"name\": \"c\", \"mass\": 1, \"ends\": [[1, 0], [1, 1]]}], \"joints\": ["                   \
    "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], \"at\": [0, 0]},"  \
    "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [0, 1]},"       \
    "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"b\", \"c\"], \"at\": [1, 1]},"       \
    "{\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"c\", \"ground\"],"                   \
    " \"on\": {\"c\": [-0.5, 0], \"ground\": [" x ", 0]}}]}"

CLAIM(an_open_start_is_refused_by_joint_and_gap)
{
    rig r = rig_parse(OPEN_FOUR_BAR("1.125"));
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    trm_sim *sim = (void *)&r;
    trm_error err = {.status = TRM_OK};

    assert_int_equal(trm_sim_create(r.model, &options, &sim, &err), TRM_ERR_INCONSISTENT);
    assert_null(sim);
    if (!strstr(err.message, "'D'") || !strstr(err.message, "0.125 m")) {
        fail_msg("no joint 'D', no gap of 0.125 m: %s", err.message);
    }
    assert_non_null(strstr(err.where, "/joints/3"));
    assert_true(err.t == 0.0);
    rig_close(&r);
}

/// All closed, but the bars start with rates that do not fit: the joint and m/s are named.
CLAIM(an_open_velocity_is_refused_by_joint)
{
    rig r = rig_parse(OPEN_FOUR_BAR("1"));
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    trm_error err = {.status = TRM_OK};

    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_INCONSISTENT);
    assert_non_null(strstr(err.message, "'A'"));
    assert_non_null(strstr(err.message, "1 m/s"));
    rig_close(&r);
}

/// A wheel on a skew hinge, its rate of 25000 rad/s along (1, 2, 3) given with 11 digits: they
/// leave 3e-7 rad/s across the hinge. 0.02 rad/s more are no rounding.
#define FAST_WHEEL(z)                                                                              \
    "{\"dimension\": 3, \"bodies\": [{\"name\": \"wheel\", \"mass\": 1, \"inertia\": [1, 1, 1], "  \
    "\"position\": [0, 0, 0], \"rate\": [6681.5310478, 13363.062096, " z "]}], \"joints\": "       \
    "[{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"wheel\"], \"at\": " \
    "[0, 0, 0], \"axis\": [1, 2, 3]}]}"

CLAIM(digits_of_a_fast_wheel_fit)
{
    static const char *const wheels[] = {FAST_WHEEL("20044.613143"), FAST_WHEEL("20044.593143")};
    for (int fits = 0; fits < 2; fits++) {
        rig r = rig_parse(wheels[fits]);
        const trm_options options =
            trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
        trm_error err = {.status = TRM_OK};
        trm_check *const check = check_of(&r, NULL);
        assert_true(check->velocity > options.tolerance);
        assert_int_equal(check->consistent, fits);
        assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err),
                         fits ? TRM_OK : TRM_ERR_INCONSISTENT);
        trm_check_destroy(check);
        rig_close(&r);
    }
}

/// A bead on a curve that is given as an expression.
#define BEAD(factor, scale, x, y, vy)                                                              \
    "{\"dimension\": 2, \"bodies\": [{\"name\": \"bead\", \"mass\": 1, \"inertia\": 1, "           \
    "\"position\": [" x ", " y "], \"velocity\": [" scale ", " vy "]}], \"markers\": [{\"name\": " \
    "\"p\", \"body\": \"bead\", \"at\": [" x ", " y "]}], \"constraints\": [{\"name\": "           \
    "\"curve\", \"expression\": \"" factor "*(p.y - p.x^2/" scale ")\"}]}"

/// An expression is measured in what it changes by: neither its factor nor the size of the
/// mechanism decides whether a start fits. The digits of the last starts of each kind do not fit.
CLAIM(an_expression_is_measured_in_its_own_changes)
{
    static const struct {
        const char *scene;
        int fits;
    } start[] = {
        {BEAD("1", "1e5", "33333.3333333", "11111.1111111", "66666.6666666"), 1}, // 12 digits
        {BEAD("1", "1e5", "33333.3333333", "11111.1211111", "66666.6666666"), 0},
        {BEAD("1", "1e5", "33333.3333333", "11111.1111111", "66666.7666666"), 0},
        {BEAD("1e9", "1", "0.333333333333", "0.111111111111", "0.666666666667"), 1},
        {BEAD("1e9", "1", "0.333333333333", "0.111111211111", "0.666666666667"), 0},
        {BEAD("1e9", "1", "0.333333333333", "0.111111111111", "0.666667666667"), 0},
        {BEAD("1e-9", "1", "0.333333333333", "0.111111111111", "0.666666666667"), 1},
        {BEAD("1e-9", "1", "0.333333333333", "0.111111211111", "0.666666666667"), 0},
        {BEAD("1e-9", "1", "0.333333333333", "0.111111111111", "0.666667666667"), 0},
    };
    for (size_t k = 0; k < sizeof start / sizeof *start; k++) {
        rig r = rig_parse(start[k].scene);
        const trm_options options =
            trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
        trm_diagnosis *found = NULL;
        trm_error err = {.status = TRM_OK};
        trm_check *const check = check_of(&r, NULL);
        assert_int_equal(check->consistent, start[k].fits);
        assert_int_equal(trm_diagnosis_create(r.scene, r.model, NULL, 0, &found, &err), TRM_OK);
        assert_int_equal(found->consistent, start[k].fits);
        assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err),
                         start[k].fits ? TRM_OK : TRM_ERR_INCONSISTENT);
        trm_diagnosis_destroy(found);
        trm_check_destroy(check);
        rig_close(&r);
    }
}

/// A small factor does not end the closing early: 1e-9 of a gap of 1e-7 is below the rounding of 1.
CLAIM(an_expression_of_small_factor_is_closed)
{
    rig r = rig_parse(BEAD("1e-9", "1", "0.333333333333", "0.111111211111", "0.666667666667"));
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    trm_error err = {.status = TRM_OK};
    options.assemble = 1;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_OK);
    const trm_state now = trm_sim_state(r.sim);
    assert_true(fabs(now.q[1] - now.q[0] * now.q[0]) < 1e-14);
    assert_true(fabs(now.v[1] - 2 * now.q[0] * now.v[0]) < 1e-14);
    rig_close(&r);
}

CLAIM(assembling_closes_to_roundoff)
{
    const char *const scenes[] = {OPEN_FOUR_BAR("1.125"), OPEN_FOUR_BAR("0.5"), OPEN_FOUR_BAR("1")};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < 3; k++) {
        rig r = rig_parse(scenes[k]);
        trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
        options.assemble = 1;
        trm_check *check = check_of(&r, &options);
        assert_true(check->consistent);
        trm_check_destroy(check);
        check = check_of(&r, NULL);
        assert_false(check->consistent);
        trm_check_destroy(check);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            options = trm_default_options(methods[i].integrator, methods[i].stabilization);
            options.assemble = 1;
            rig_start(&r, options);
            const trm_drift drift = trm_sim_drift(r.sim);
            below("position", drift.position, 1e-12);
            below("velocity", drift.velocity, 1e-12);
        }
        rig_close(&r);
    }
}

/// Bars that cannot reach: refused, and said so.
CLAIM(what_cannot_be_closed_is_refused)
{
    rig r = rig_parse(OPEN_FOUR_BAR("3.5"));
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    trm_error err = {.status = TRM_OK};

    options.assemble = 1;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_INCONSISTENT);
    assert_null(r.sim);
    assert_non_null(strstr(err.message, "could not close"));
    rig_close(&r);
}

/// The start moves as little as it must, in the metric of the masses: a heavy body stays.
CLAIM(assembling_moves_the_light_body)
{
    rig r = rig_parse(
        "{\"dimension\": 2, \"bodies\": [{\"name\": \"heavy\", \"mass\": 1e6, \"shape\":"
        "{\"type\": \"point\"}, \"position\": [0, 0]}, {\"name\": \"light\", \"mass\": 1,"
        "\"shape\": {\"type\": \"point\"}, \"position\": [1.3, 0]}], \"joints\": [{"
        "\"name\": \"rod\", \"type\": \"rod\", \"bodies\": [\"heavy\", \"light\"], \"on\":"
        "{\"heavy\": [0, 0], \"light\": [0, 0]}, \"length\": 1}]}");
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);

    options.assemble = 1;
    rig_start(&r, options);
    near("heavy", rig_q(&r, "heavy", 0), 0.3 / (1e6 + 1.0), 1e-12);
    near("light", rig_q(&r, "light", 0), 1.0 + 0.3 / (1e6 + 1.0), 1e-12);
    rig_close(&r);
}

// -------------------------------------------------------------------- singular positions, branches

static const char *const disturbed[] = {"disturb", "1e-9", NULL};

/// Baumgarte across the dead points of the slider-crank leaves the branch, and the report says so.
CLAIM(baumgarte_loses_the_branch_and_says_so)
{
    rig r = rig_load("slider_crank_turn", disturbed);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_BAUMGARTE, 1e-6, 1e-9);
    trm_error err = {.status = TRM_OK};

    options.baumgarte.alpha1 = 2.0;
    options.baumgarte.alpha0 = 1.0;
    options.tolerance = 1e-7;
    rig_start(&r, options);
    const trm_status status = trm_sim_run(r.sim, 10.0, NULL, NULL, &err);
    const trm_report report = trm_sim_report(r.sim);
    if (status != TRM_OK || report.branch_changes < 1) {
        fail_msg("status %s at %g: %ld changes of branch, %ld crossings, energy %.2e",
                 trm_status_name(status), trm_sim_state(r.sim).t, report.branch_changes,
                 report.crossings, report.energy_error_relative);
    }
    assert_true(report.first_branch_change > 0.3 && report.first_branch_change <= 10.0);
    rig_close(&r);
}

CLAIM(the_default_method_keeps_the_branch)
{
    const char *const *const settings[] = {NULL, disturbed};

    for (int k = 0; k < 2; k++) {
        rig r = rig_load("slider_crank_turn", settings[k]);
        trm_options options = rig_choose(&r, 1e-6);
        options.tolerance = 1e-7;
        rig_start(&r, options);
        rig_run(&r, 10.0);
        const trm_report report = trm_sim_report(r.sim);
        assert_int_equal(report.branch_changes, 0);
        assert_true(isnan(report.first_branch_change));
        // twice a turn of 1.860881639 s, from 0.353233 s on
        assert_int_equal(report.crossings, 11);
        below("rcond", report.rcond_min, 1e-6);
        below("energy error", report.energy_error_relative, 1e-6);
        rig_close(&r);
    }
}

/// A mechanism that never loses rank counts no crossing, whatever its redundancy.
CLAIM(regular_mechanisms_cross_nothing)
{
    const char *const scenes[] = {"andrews", "bricard", "arm_parabola", "chain_10", "heavy_top"};
    const double ends[] = {0.03, 2.0, 2.0, 0.5, 0.2};

    for (int k = 0; k < 5; k++) {
        rig r = rig_load(scenes[k], NULL);
        rig_start(&r, rig_choose(&r, 1e-6));
        rig_run(&r, ends[k]);
        const trm_report report = trm_sim_report(r.sim);
        assert_int_equal(report.crossings, 0);
        assert_int_equal(report.branch_changes, 0);
        assert_true(report.rcond_min > 1e-4);
        rig_close(&r);
    }
}
