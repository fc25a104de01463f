/// Steps near a singular position, piece by piece: which step is near, when steps would not arrive,
/// where a position lies between two stages, and what closing leaves.
#include "base/rank_numbers.h"
#include "integrators/rk/stage_closing.h"
#include "integrators/trajectory/stabilization.h"
#include "tests/bare_run.h"
#include "tests/integrators/one_step.h"

static void asked(trm_run *run)
{
    run->step_vanished++; // counts
    run->meeting = TRM_MEETING_CROSSING;
}

CLAIM(a_step_is_near_within_some_steps)
{
    trm_run run = {.now = {.t = 10}, .t_singular = 10.5};
    assert_true(trm_stage_closing_is_near(&run, 0.51 / TRM_REACH_OF_STEPS));
    assert_false(trm_stage_closing_is_near(&run, 0.49 / TRM_REACH_OF_STEPS));
    run.t_singular = 9.5;
    assert_true(trm_stage_closing_is_near(&run, 0.51 / TRM_REACH_OF_STEPS));
    run.t_singular = INFINITY;
    assert_false(trm_stage_closing_is_near(&run, 1e9));
}

/// Steps h, r h, r^2 h, ... come r h/(1 - r) far; half of that counts as too far.
CLAIM(steps_that_shrink_do_not_arrive)
{
    for (int k = 1; k < 10; k++) {
        const double h = 0.3, r = 0.1 * k, far = r * h / (1 - r) / 2;
        trm_run run = {.now = {.t = 10}, .h_next = r * h, .t_singular = 10 + 1.01 * far};
        assert_true(trm_stage_closing_is_out_of_reach(&run, h));
        run.t_singular = 10 + 0.99 * far;
        assert_false(trm_stage_closing_is_out_of_reach(&run, h));
    }
    trm_run behind = {.now = {.t = 10}, .h_next = 0.6, .t_singular = 5};
    assert_false(trm_stage_closing_is_out_of_reach(&behind, 0.3));
    behind.h_next = 0.1;
    assert_false(trm_stage_closing_is_out_of_reach(&behind, 0.3));
}

CLAIM(what_meets_is_asked_once)
{
    trm_run run = {.find_meeting = asked};
    assert_true(trm_stage_closing_is_one(&run) && trm_stage_closing_is_one(&run));
    assert_int_equal(run.step_vanished, 1);
    run.meeting = TRM_MEETING_CORNER;
    assert_false(trm_stage_closing_is_one(&run));
    run.meeting = TRM_MEETING_HIDDEN;
    assert_true(trm_stage_closing_is_one(&run));
    run = (trm_run){0}; // nobody to ask
    assert_false(trm_stage_closing_is_one(&run));
}

/// sigma is 0.2 half a second before t*, and 0.04 at the stage that lies 0.1 s behind it in a step
/// of 1 s; at least 1e-7 there: y/x is 1e-14/0.0016, ten times over. In a step of half the size a
/// stage lies 0.2 s before it.
CLAIM(hidden_corners_may_turn)
{
    const double c[] = {0, 0.6, 1};
    trm_system exact = {.play = NULL};
    trm_run run = {.system = &exact,
                   .now = {.t = 10},
                   .t_singular = 10.5,
                   .weak_sigma = 0.2,
                   .least_there = 1e-14,
                   .options = {.rtol = 1e-13}};
    near("a crossing", trm_stage_closing_may_err(&run, 3, c, 1), TRM_NOISY, 0);
    run.meeting = TRM_MEETING_HIDDEN;
    near("a corner", trm_stage_closing_may_err(&run, 3, c, 1), TRM_NOISY + 625, 1e-9);
    near("shorter", trm_stage_closing_may_err(&run, 2, c, 0.5), TRM_NOISY + 39.0625, 1e-9);
}

CLAIM(runs_that_close_all_close_stages)
{
    trm_contact *touching = (void *)&touching;
    const trm_run closes = {.stabilization = &trm_s_both2},
                  drifts = {.stabilization = &trm_baumgarte},
                  reduced = {.stabilization = &trm_state_space},
                  touches = {.stabilization = &trm_s_both2, .contact = touching};
    assert_true(trm_stage_closing_closes(&closes));
    assert_false(trm_stage_closing_closes(&drifts) || trm_stage_closing_closes(&reduced) ||
                 trm_stage_closing_closes(&touches));
}

/// Gaps 0.2, 0.4 and 0.4 of three abscissas; wider than a third are those about 0.4 and 0.8.
CLAIM(a_position_lies_between_stages)
{
    const double c[] = {0, 0.6, 0.2};
    const trm_run run = {.now = {.t = 10}, .t_singular = 10.4};
    near("0.4", trm_stage_closing_place(&run, 3, c, 1.1), 1, 1e-12);
    near("0.8", trm_stage_closing_place(&run, 3, c, 0.9), 0.5, 1e-12);
    assert_true(trm_stage_closing_place(&run, 3, c, 0.4) == 0);
    const double late[] = {0, 0.7, 0.6}; // the only wide gap is the first
    near("0.3", trm_stage_closing_place(&run, 3, late, 1.5), 4.0 / 3, 1e-12);
    assert_true(trm_stage_closing_place(&run, 3, late, 1.1) == 0);
}

/// A run of the small problem at its start, all extents 1, moved off its constraints.
static rig open_moved(bare_run *b, double dq, double dv)
{
    rig scene = open_bent_with(bent_f);
    open_run(b, scene.model,
             rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-6));
    for (int i = 0; i < NC; i++) {
        b->run.extent.g[i] = 1;
    }
    for (int i = 0; i < NV; i++) {
        b->run.now.z[i] += dq * (1 + i);
        b->run.now.z[NV + i] += dv * (2 - i);
    }
    return scene;
}

/// max |g| and max |G v + g_t|.
static void open_by(double t, const double *z, double *gap, double *slip)
{
    double g[NC], G[NC][NV], g_t[NC];
    g_of(t, z, g);
    G_of(t, z, G);
    g_t_of(t, z, g_t);
    *gap = *slip = 0;
    for (int i = 0; i < NC; i++) {
        double rate = g_t[i];
        for (int k = 0; k < NV; k++) {
            rate += G[i][k] * z[NV + k];
        }
        *gap = fmax(*gap, fabs(g[i]));
        *slip = fmax(*slip, fabs(rate));
    }
}

/// Two passes of Newton's method with one factorization: some e^2 after the first, e^3 after the
/// second.
CLAIM(stages_are_closed)
{
    const double e = 1e-4;
    bare_run b;
    rig scene = open_moved(&b, e, 1e-3);
    double gap, slip, open = 0, *z = b.run.now.z;
    open_by(0, z, &gap, &slip);
    const double before = gap;
    assert_true(before > e / 10 && slip > 1e-4);
    assert_int_equal(trm_stage_closing_close(&b.run, 0, z, &open), 0);
    near("open", open, before, 1e-15);
    open_by(0, z, &gap, &slip);
    below("gap", gap, 100 * e * e * e);
    below("slip", slip, 100 * e * e);
    assert_int_equal(trm_stage_closing_close(&b.run, 0, z, &open), 0);
    near("open stays", open, before, 1e-15);
    trm_arena_close(&b.arena);
    rig_close(&scene);
}

/// The end of such a step: velocities alone.
CLAIM(ends_are_closed_in_velocity)
{
    bare_run b;
    rig scene = open_moved(&b, 0, 1e-3);
    double gap, slip, *z = b.run.now.z, q[NV];
    memcpy(q, z, sizeof q);
    assert_int_equal(trm_stage_closing_close_end(&b.run, 0, z, 1e-4), 0);
    open_by(0, z, &gap, &slip);
    below("slip", slip, 1e-14);
    assert_memory_equal(q, z, sizeof q);
    trm_arena_close(&b.arena);
    rig_close(&scene);
}
