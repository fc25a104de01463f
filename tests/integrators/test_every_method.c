/// Every method: its order in space, options out of range, models without constraints, a force that
/// fails.
#include "tests/integrators/on_the_arm.h"

CLAIM(options_out_of_range_are_refused)
{
    rig r = rig_equations(&sine_arm);
    trm_error err = {.status = TRM_OK};
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH, 1e-3);

    options.post.alpha = 2.0;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "alpha");
    options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_IMPLICIT, 1e-3);
    options.post.alpha = 2.0;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_OK);
    trm_sim_destroy(r.sim);
    r.sim = NULL;
    options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_CONTINUOUS, 1e-3);
    options.post.gamma = -1.0;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
}

/// Largest error in q and v at t = 1 after n equal steps.
static double error_in_space(const double *z, trm_options options, int n)
{
    rig r = rig_load("spatial_slider_crank", NULL);
    options.h = 1.0 / n;
    options.rtol = options.atol = 1e3;
    rig_start(&r, options);
    for (int i = 1; i <= n; i++) {
        rig_run(&r, (double)i / n);
    }
    const double error = distance(&r, z);
    rig_close(&r);
    return error;
}

/// SRM with E = (GB)^-1 here: with E = I the rows of this mechanism differ so much in scale that
/// epsilon >= h rho/2 is far too large for the weakest of them. State-space form by partitioning:
/// with R M^-1 G^T = 0 and Heun, terms of h^2 and h^4 cancel at these steps (observed 1.86 at
/// 1/32000).
CLAIM(every_method_has_its_order_in_space)
{
    rig_figures();
    static const int count[] = {[2] = 4000, [3] = 2000, [4] = 1000, [5] = 500, [8] = 250};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    double z[SPACE];

    reference_in_space(1.0, z);
    for (int i = 0; i < n; i++) {
        const trm_method *m = &methods[i];
        if (m->integrator == TRM_INTEGRATOR_IDA || m->integrator == TRM_INTEGRATOR_ADAMS ||
            m->integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // both choose their order on the way; there are no contacts
        }
        trm_options options = trm_default_options(m->integrator, m->stabilization);
        if (m->stabilization == TRM_STABILIZATION_SRM ||
            m->stabilization == TRM_STABILIZATION_SRM_INVARIANT) {
            options.srm.E = TRM_SRM_MATRIX_GB_INVERSE;
        }
        options.state_space.tangent = m->stabilization != TRM_STABILIZATION_STATE_SPACE;
        const double coarse = error_in_space(z, options, count[m->order]);
        const double fine = error_in_space(z, options, 2 * count[m->order]);
        if (!(log2(coarse / fine) > m->order - 0.4) && !(fine < 1e-9)) {
            fail_msg("%s with %s: errors %.3g, %.3g, order %d, observed %.2f", m->integrator_name,
                     m->stabilization_name, coarse, fine, m->order, log2(coarse / fine));
        }
    }
}

// --------------------------------------------------------------------------------- no constraints

/// A body in free flight: every method is then its integrator, and the parabola its solution.
CLAIM(every_method_takes_a_model_without_constraints)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r =
        rig_parse("{\"dimension\": 3, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"stone\","
                  "\"mass\": 2, \"inertia\": [1, 2, 2.5], \"velocity\": [1, 0, 5],"
                  "\"rate\": [0.1, 3, 0.2]}]}");
    for (int i = 0; i < n; i++) {
        if (!rig_fits(&r, &methods[i])) {
            continue;
        }
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 1e-2;
        rig_start(&r, options);
        rig_run(&r, 1.0);
        near("x", rig_q(&r, "stone", 0), 1.0, 1e-7);
        near("z", rig_q(&r, "stone", 2), 0.0, 1e-7);
    }
    rig_close(&r);
}

// --------------------------------------------------------------------------- functions that fail

/// parabola_arm whose f fails from t = 0.3 on: *user is 1 or -1, what it returns; 0: a value is
/// NaN.
static int failing_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                     void *user)
{
    const int code = *(const int *)user;
    parabola_arm.f(model, t, q, v, f, NULL);
    if (t <= 0.3) {
        return 0;
    }
    f[0] = code == 0 ? NAN : f[0];
    return code;
}

CLAIM(every_method_stops_in_order_when_f_fails)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    int codes[] = {0, 1, -1};

    for (int k = 0; k < 3; k++) {
        trm_equations equations = parabola_arm;
        rig r = {NULL, NULL, NULL};
        trm_error err = {.status = TRM_OK};
        equations.f = failing_f;
        equations.user = &codes[k];
        rig_ok(trm_model_from_equations(&equations, &r.model, &err), &err);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            rig_start(&r, rig_fixed(methods[i].integrator, methods[i].stabilization, 1e-2));
            const trm_status status = trm_sim_run(r.sim, 1.0, NULL, NULL, &err);
            const trm_state s = trm_sim_state(r.sim);
            assert_true(status == TRM_ERR_CALLBACK || status == TRM_ERR_DIVERGED);
            assert_true(s.t <= 0.3 + 1e-9 && s.t > 0.2);
            for (int j = 0; j < 2; j++) {
                assert_true(isfinite(s.q[j]) && isfinite(s.v[j]) && isfinite(s.a[j]));
            }
        }
        rig_close(&r);
    }
}
