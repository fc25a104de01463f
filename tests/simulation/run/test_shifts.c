/// Shifts of the state between steps: every method continues from the new state, and the checks
/// count no error for it.
#include "tests/rig.h"
#include "tests/simulation/run/control.h"

// ---------------------------------------------------------------------------------------- shocks

/// A blow that changes the speed of the rotor is there in the next
/// step, whatever the method remembers.
CLAIM(every_method_feels_a_shift)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        trm_error err = {.status = TRM_OK};
        rig r = rig_parse(rotor);
        char what[80];
        const double dq[3] = {0, 0, 0.25}, dv[3] = {0, 0, -0.5};
        snprintf(what, sizeof what, "%s with %s", methods[i].integrator_name,
                 methods[i].stabilization_name);
        rig_start(&r, options_of(&methods[i], 1e-3));
        set(&r, "u", 2);
        step_to(&r, 0.01);
        rig_ok(trm_sim_perturb(r.sim, dq, dv, &err), &err);
        step_to(&r, 0.02);
        near(what, rig_v(&r, "rotor", 2), 0.02 - 0.5, 1e-9);
        near(what, rig_q(&r, "rotor", 2), 0.5 * 4e-4 + 0.25 - 0.5 * 0.01, 1e-9);
        rig_close(&r);
    }
}

CLAIM(a_shift_that_is_no_number_is_refused)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(pendulum);
    double q[3] = {0, NAN, 0};
    double v[3] = {0, 0, INFINITY};
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    rig_run(&r, 0.01);
    const double angle = trm_sim_state(r.sim).q[2];
    assert_int_equal(trm_sim_perturb(r.sim, q, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_perturb(r.sim, NULL, v, &err), TRM_ERR_OPTIONS);
    near("angle", trm_sim_state(r.sim).q[2], angle, 0);
    rig_run(&r, 0.02);
    rig_close(&r);
}

/// Finite numbers whose sum is none. A place so far away may be refused for itself.
CLAIM(a_shift_beyond_all_numbers_is_refused)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        trm_error err = {.status = TRM_OK};
        rig r = rig_parse(rotor);
        const double far[3] = {0, -1.4e308, 0};
        rig_start(&r, options_of(&methods[i], 1e-3));
        for (int k = 0; k < 4; k++) {
            const double y = trm_sim_state(r.sim).q[1], v = trm_sim_state(r.sim).v[1];
            const int moved =
                trm_sim_perturb(r.sim, k < 2 ? far : NULL, k < 2 ? NULL : far, &err) == TRM_OK;
            near("y", trm_sim_state(r.sim).q[1], moved && k < 2 ? far[1] : y, 0);
            near("v", trm_sim_state(r.sim).v[1], moved && k >= 2 ? far[1] : v, 0);
            assert_true(!moved || k % 2 == 0);
        }
        rig_close(&r);
    }
}

static int shift_it(trm_sim *sim, void *user)
{
    trm_error err = {.status = TRM_OK};
    *(trm_status *)user = trm_sim_perturb(sim, NULL, NULL, &err);
    return 1;
}

CLAIM(an_observer_does_not_shift)
{
    trm_error err = {.status = TRM_OK};
    trm_status status = TRM_OK;
    rig r = rig_parse(pendulum);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    assert_int_equal(trm_sim_run(r.sim, 1, shift_it, &status, &err), TRM_STOPPED);
    assert_int_equal(status, TRM_ERR_OPTIONS);
    rig_close(&r);
}

/// Energy and gap belong to the shifted point at once; the history of the former point is gone.
CLAIM(a_shift_is_measured)
{
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    rig r = rig_parse(rotor);
    const double dv[3] = {0, 0, -0.5};
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    set(&r, "u", 2);
    rig_run(&r, 0.01);
    const double before = rig_v(&r, "rotor", 2);
    const double inertia = 2 * trm_sim_energy(r.sim).kinetic / (before * before);
    rig_ok(trm_sim_perturb(r.sim, NULL, dv, &err), &err);
    const double now = rig_v(&r, "rotor", 2);
    near("rate", now, before - 0.5, 1e-15);
    near("energy", trm_sim_energy(r.sim).kinetic, inertia * now * now / 2, 1e-12);
    assert_int_equal(trm_sim_sample(r.sim, 0.0099, &sample, &err), TRM_ERR_OPTIONS);
    rig_ok(trm_sim_sample(r.sim, 0.01, &sample, &err), &err);
    near("sample", sample.energy.kinetic, trm_sim_energy(r.sim).kinetic, 0);
    rig_close(&r);
}

/// A blow along the motion, next to a singular position: the velocity jumps, but on its branch.
CLAIM(a_shift_is_no_change_of_branch)
{
    rig r = rig_load("slider_crank_turn", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    while (trm_sim_report(r.sim).crossings == 0) {
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_sim_step(r.sim, &err), &err);
        const double *v = trm_sim_state(r.sim).v;
        double dv[6];
        for (int i = 0; i < 6; i++) {
            dv[i] = v[i];
        }
        if (fabs(cos(rig_q(&r, "crank", 2))) < 0.08) {
            rig_ok(trm_sim_perturb(r.sim, NULL, dv, &err), &err);
        }
    }
    rig_run(&r, trm_sim_state(r.sim).t + 0.3);
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    rig_close(&r);
}
