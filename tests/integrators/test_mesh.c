/// Fixed steps: the mesh t0 + n h, ends beside its points, samples between them.
#include "tests/rig.h"

/// q'' = 6 t: q = t^3
static int ramp(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    (void)model, (void)q, (void)v, (void)user;
    f[0] = 6.0 * t;
    return 0;
}

static rig open_ramp(void)
{
    return rig_equations(
        &(trm_equations){.name = "ramp", .nq = 1, .nv = 1, .M = rig_unit_M, .f = ramp});
}

/// Steps to `end` and then to the next point of the mesh, from t0.
static void check_end(double t0, double h, double end, long steps, double last)
{
    const double zero = 0.0;
    trm_error err;
    rig r = open_ramp();
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, h));
    rig_ok(trm_sim_set_state(r.sim, t0, &zero, &zero, &err), &err);
    rig_run(&r, end);
    assert_int_equal(trm_sim_stats(r.sim).steps, steps);
    assert_true(trm_sim_state(r.sim).t == end);
    near("last step", trm_sim_stats(r.sim).h, last, 1e-3 * last);
    rig_close(&r);
}

/// An end within 1e-9 h + 4 eps |t| of a point of the mesh is this point, within h/100 at most.
CLAIM(ends_beside_the_mesh_are_on_it)
{
    const double h = 0.125; // its multiples are numbers
    for (int side = -1; side <= 1; side += 2) {
        check_end(0.0, h, h + side * 0.9e-9 * h, 1, h);
        check_end(0.0, h, h + side * 1.1e-9 * h, side > 0 ? 2 : 1, side > 0 ? 1.1e-9 * h : h);
        const double ulp = ldexp(1.0, -32), t = 1048576.0; // 4 eps t + h/1e9 is 4.5 ulp
        check_end(t, h, t + h + side * 4 * ulp, 1, h);
        check_end(t, h, t + h + side * 6 * ulp, side > 0 ? 2 : 1, side > 0 ? 6 * ulp : h);
        const double least = ldexp(1.0, -35), fine = 45.0 * least, far = ldexp(1.0, 17);
        check_end(far, fine, far + fine + side * least, side > 0 ? 2 : 1,
                  side > 0 ? least : fine - least);
    }
}

/// After an end between two points the mesh begins anew; after one beside a point it goes on.
CLAIM(the_mesh_begins_anew_behind_an_end)
{
    rig r = open_ramp();
    const double h = 0.125;
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, h));
    rig_run(&r, 0.3);
    assert_int_equal(trm_sim_stats(r.sim).steps, 3);
    near("h", trm_sim_stats(r.sim).h, 0.05, 1e-15);
    rig_run(&r, 0.3 + 4.0 * h);
    assert_int_equal(trm_sim_stats(r.sim).steps, 7);
    near("h", trm_sim_stats(r.sim).h, h, 1e-15);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, h));
    for (int k = 1; k <= 4; k++) {
        rig_run(&r, k * h + 0.5e-9 * h);
        assert_int_equal(trm_sim_stats(r.sim).steps, k);
    }
    rig_run(&r, 5.0 * h);
    assert_int_equal(trm_sim_stats(r.sim).steps, 5);
    near("t", trm_sim_state(r.sim).t, 5.0 * h, 0.0);
    rig_close(&r);
}

/// rk4 has q = t^3 and v = 3 t^2 exactly, and so has the cubic between them.
CLAIM(samples_of_a_cubic_are_exact)
{
    rig r = open_ramp();
    trm_sample sample;
    trm_error err;
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.5));
    rig_ok(trm_sim_sample(r.sim, 0.0, &sample, &err), &err);
    assert_true(sample.state.q[0] == 0.0);
    rig_run(&r, 2.0);
    for (int k = 0; k <= 8; k++) {
        const double t = 1.5 + k / 16.0;
        rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
        near("q", sample.state.q[0], t * t * t, 1e-14);
        near("v", sample.state.v[0], 3.0 * t * t, 1e-14);
    }
    rig_close(&r);
}
