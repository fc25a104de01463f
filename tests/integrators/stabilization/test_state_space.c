/// The state-space form and HEM3: no drift, changes of the independent coordinates, redundant rows,
/// singular positions.
#include "tests/reference.h"
#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"

// ------------------------------------------------------------------------------------------ HEM3

CLAIM(hem3_passes_singular_positions)
{
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        rig r = rig_load("slider_crank_swing",
                         (const char *const[]){"disturb", disturbed ? "1e-9" : "0", NULL});
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEM3, TRM_STABILIZATION_PROJECTION, 0.01));
        rig_run(&r, 70.0);
        near("crank angle", rig_q(&r, "crank", 2), swing_angle_70, 2e-4);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------ state-space form

/// Case II turns its links over: a partition that is never changed would fold.
CLAIM(state_space_has_no_drift_and_switches_in_time)
{
    for (int tangent = 0; tangent < 2; tangent++) {
        rig r = rig_equations(&sine_arm);
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_STATE_SPACE, 1e-9, 1e-9);
        options.state_space.tangent = tangent;
        rig_start(&r, options);
        rig_run(&r, 5.0);
        const trm_state s = trm_sim_state(r.sim);
        const trm_report report = trm_sim_report(r.sim);
        for (int i = 0; i < 2; i++) {
            near("angle", s.q[i], arm_sine_5[i], 2e-6);
            near("rate", s.v[i], arm_sine_5[2 + i], 2e-5);
        }
        below("|g|", report.position_drift, 1e-13);
        below("|G v + g_t|", report.velocity_drift, 1e-12);
        assert_int_equal(trm_sim_stats(r.sim).switches > 0, !tangent);
        rig_close(&r);
    }
}

/// Redundant rows are left out, in both forms.
CLAIM(state_space_takes_redundant_rows)
{
    for (int tangent = 0; tangent < 2; tangent++) {
        rig r = rig_load("bricard", NULL);
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_STATE_SPACE, 1e-10, 1e-10);
        options.state_space.tangent = tangent;
        rig_start(&r, options);
        rig_run(&r, 5.0);
        below("|g|", trm_sim_report(r.sim).position_drift, 1e-12);
        below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-7);
        rig_close(&r);
    }
}

CLAIM(state_space_tangent_form_passes_singular_positions)
{
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        rig r = rig_load("slider_crank_swing",
                         (const char *const[]){"disturb", disturbed ? "1e-9" : "0", NULL});
        rig_start(&r,
                  rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_STATE_SPACE, 1e-8, 1e-8));
        rig_run(&r, 70.0);
        near("crank angle", rig_q(&r, "crank", 2), swing_angle_70, 5e-6);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        rig_close(&r);
    }
}

// -------------------------------------------------------------------- a point on the unit circle

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = f[1] = 0.0;
    return 0;
}

static int circle(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return 0;
}

static int radius(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    G[0] = q[0];
    G[1] = q[1];
    return 0;
}

static int to_the_centre(const trm_model *model, double t, const double *q, const double *v,
                         double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    gamma[0] = -v[0] * v[0] - v[1] * v[1];
    return 0;
}

/// q = (cos t, sin t): x is dependent at first, and until |x| < |y|/2, at atan 2; from then on y
/// and x take turns, a quarter of a turn each. A restart begins like a new run.
CLAIM(partitions_change_where_the_pivot_is_half_of_the_best)
{
    const double q0[2] = {1.0, 0.0}, v0[2] = {0.0, 1.0}, first = atan(2.0), quarter = acos(0.0);
    trm_options o = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_STATE_SPACE, 0.01);
    trm_error err;
    rig r = rig_equations(&(trm_equations){.name = "circle",
                                           .nq = 2,
                                           .nv = 2,
                                           .nc = 1,
                                           .q0 = q0,
                                           .v0 = v0,
                                           .M = rig_unit_M,
                                           .f = no_force,
                                           .g = circle,
                                           .G = radius,
                                           .gamma = to_the_centre});
    o.state_space.tangent = 0;
    rig_start(&r, o);
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < 5; k++) {
            rig_run(&r, first + k * quarter - 0.02);
            assert_int_equal(trm_sim_stats(r.sim).switches, k);
            rig_run(&r, first + k * quarter + 0.02);
            assert_int_equal(trm_sim_stats(r.sim).switches, k + 1);
        }
        const trm_state s = trm_sim_state(r.sim);
        near("x", s.q[0], cos(s.t), 1e-7); // h^4 t
        near("y", s.q[1], sin(s.t), 1e-7);
        rig_ok(trm_sim_set_state(r.sim, 0.0, q0, v0, &err), &err);
    }
    rig_close(&r);
}
