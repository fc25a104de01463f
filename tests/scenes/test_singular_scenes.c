/// The shipped scenes with singular positions: slider-cranks and four-bars keep their branch and
/// meet their references.
#include "tests/scenes/reports.h"

enum { NAME_SIZE = 32 };

/// Times first + k period (k = 0, 1, ...) before `end`.
static long count_times(double first, double period, double end)
{
    return first < end ? 1 + (long)floor((end - first) / period) : 0;
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

// --------------------------------------------------------------------------------- slider-crank

/// SRM for singular constraints, as in the paper: Heun, h = epsilon = 1e-4, three iterates. The
/// mechanism hangs at T/4, 3T/4, ... and is singular there, 33 times before t = 70.
static void check_swing(const char *const *settings, int lambda0_zero)
{
    rig r = rig_load("slider_crank_swing", settings);
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-4);
    options.srm.form = TRM_SRM_LAMBDA_HAT;

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

CLAIM(swing_passes_every_singular_position_by_srm)
{
    rig_figures();
    check_swing(NULL, 1);
}

CLAIM(swing_disturbed_by_1e_9_passes_them_too)
{
    rig_figures();
    check_swing((const char *const[]){"disturb", "1e-9", NULL}, 0);
}

CLAIM(swing_may_start_in_the_singular_position)
{
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
CLAIM(bayo_and_avellos_crank_turns_over)
{
    rig r = rig_load("slider_crank_bayo", NULL);
    rig_start(&r, rig_choose(&r, 1e-9));
    near("the slider's velocity", 2 * rig_v(&r, "rod", 0) - 2 * rig_v(&r, "crank", 0), -4, 1e-12);
    rig_run(&r, 30.0);
    near("crank angle at t = 30", rig_q(&r, "crank", 2), 107.2569832443, 1e-7);
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    rig_close(&r);
}

CLAIM(turn_keeps_energy_angle_and_acceleration)
{
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

CLAIM(four_bar_keeps_its_branch)
{
    check_four_bar(&four_bars[0], 0);
}

CLAIM(double_four_bar_keeps_its_branch)
{
    check_four_bar(&four_bars[1], 0);
}

CLAIM(forty_four_bars_keep_their_branch)
{
    check_four_bar(&four_bars[2], 0);
}

CLAIM(disturbed_four_bars_keep_their_branch)
{
    for (size_t i = 0; i < sizeof four_bars / sizeof *four_bars; i++) {
        check_four_bar(&four_bars[i], 1);
    }
}

CLAIM(four_bar_passes_mesh_points_on_the_singular_position)
{
    rig r = rig_load("four_bar", NULL);
    const double t90 = four_bars[0].first_alignment;

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, t90 / 256.0));
    rig_run(&r, t90);
    near("crank angle at the alignment", rig_q(&r, "crank_0", 2), 0.0, 1e-7);
    rig_run(&r, 10.0);
    check_tops(&r, &four_bars[0], 1e-6);
    check_report(&r, 1e-6);
    assert_int_equal(trm_sim_report(r.sim).crossings, count_alignments(&four_bars[0], 10.0));
    rig_close(&r);
}

CLAIM(spatial_four_bar_moves_as_the_planar_one)
{
    rig r = rig_load("../tests/scenes/spatial_four_bar", NULL);

    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 10.0);
    check_tops(&r, &four_bars[0], 1e-6);
    check_report(&r, 1e-6);
    rig_close(&r);
}
