/// What ida tells SUNDIALS: weights, the accuracy of Newton's method, the start; what it counts and
/// what it says when SUNDIALS gives up.
#include "tests/bare_run.h"
#include "tests/integrators/one_step.h"

/// 1/(rtol |y| + atol), of multipliers over 1e12: they are left out of every test of errors.
CLAIM(weights_are_one_over_the_tolerances)
{
    const double rtol = 1e-5, atol = 1e-7;
    rig scene = open_bent();
    bare_run b;
    open_run(&b, scene.model, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, rtol, atol));
    trm_ida *ida = b.run.method;
    trm_error err;
    rig_ok(b.run.method_ops->step(&b.run, 1.0, &err), &err);
    N_Vector weights = N_VClone(ida->y);
    double y[2 * NV + 2 * NC];
    memcpy(y, N_VGetArrayPointer(ida->y), sizeof y);
    rig_ok(b.run.method_ops->step(&b.run, 1.0, &err), &err);
    assert_int_equal(IDAGetErrWeights(ida->solver, weights), 0); // of its beginning
    const double *const w = N_VGetArrayPointer(weights);
    for (int i = 0; i < ida->n; i++) {
        const double scale = i < 2 * NV ? 1.0 : 1e12;
        near("weight", w[i] * (rtol * fabs(y[i]) + atol) * scale, 1.0, 1e-12);
    }
    N_VDestroy(weights);
    close_run(&b);
    rig_close(&scene);
}

/// 0.33 as IDA itself; of index 2 0.01, and 1e-12 of the solution at least.
CLAIM(the_part_of_newtons_method)
{
    static const double rows[][2] = {
        {1e-4, 0.01}, {1e-10, 0.01}, {1e-11, 0.1}, {1e-12, 0.33}, {0, 0.33}};
    for (int index1 = 0; index1 < 2; index1++) {
        rig scene = open_bent();
        bare_run b;
        open_run(&b, scene.model,
                 rig_adaptive(TRM_INTEGRATOR_IDA,
                              index1 ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_GGL, 1e-6,
                              1e-6));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            b.run.options.rtol = rows[i][0];
            near("part", trm_ida_newton_part(&b.run), index1 ? 0.33 : rows[i][1], 1e-15);
        }
        close_run(&b);
        rig_close(&scene);
    }
}

/// q, v and their rates where the run is, lambda as found, mu and all other rates 0.
CLAIM(a_start_is_consistent)
{
    rig scene = open_bent();
    bare_run b;
    open_run(&b, scene.model, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6));
    trm_ida *ida = b.run.method;
    const double *y = N_VGetArrayPointer(ida->y), *dy = N_VGetArrayPointer(ida->dy);
    for (int i = 0; i < 2 * NV + 2 * NC; i++) {
        const double lambda = i < 2 * NV + NC && i >= 2 * NV ? b.run.now.lambda[i - 2 * NV] : 0.0;
        assert_true(y[i] == (i < 2 * NV ? b.run.now.z[i] : lambda));
        assert_true(dy[i] == (i < 2 * NV ? b.run.now.dz[i] : 0.0));
    }
    assert_true(fabs(y[2 * NV]) > 1e-3);
    close_run(&b);
    rig_close(&scene);
}

static int no_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = 0.0;
    return 0;
}

/// A free particle: no row at all.
CLAIM(no_row_moves_freely)
{
    static const double q0[1] = {1.0}, v0[1] = {2.0};
    static const trm_stabilization forms[] = {TRM_STABILIZATION_GGL, TRM_STABILIZATION_PLAIN,
                                              TRM_STABILIZATION_BAUMGARTE};
    for (int k = 0; k < 3; k++) {
        rig r = rig_equations(&(trm_equations){
            .name = "free", .nq = 1, .nv = 1, .q0 = q0, .v0 = v0, .M = rig_unit_M, .f = no_f});
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, forms[k], 1e-8, 1e-8));
        rig_run(&r, 1.0);
        near("q", trm_sim_state(r.sim).q[0], 3.0, 1e-7);
        near("v", trm_sim_state(r.sim).v[0], 2.0, 1e-12);
        rig_close(&r);
    }
}

/// An end within 256 eps t is reached, and the run goes on from there.
CLAIM(an_end_within_roundoff_is_reached)
{
    const double t = 100.0, zero = 0.0;
    trm_error err;
    rig r = rig_equations(
        &(trm_equations){.name = "free", .nq = 1, .nv = 1, .M = rig_unit_M, .f = no_f});
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_PLAIN, 1e-8, 1e-8));
    rig_ok(trm_sim_set_state(r.sim, t, &zero, &zero, &err), &err);
    rig_run(&r, t + 250.0 * 2.220446049250313e-16 * t);
    rig_run(&r, t + 1.0);
    assert_true(trm_sim_state(r.sim).t == t + 1.0);
    rig_close(&r);
}

CLAIM(backward_differentiation_has_order_5)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        assert_true(methods[i].integrator != TRM_INTEGRATOR_IDA || methods[i].order == 5);
    }
}

/// mu of a row that holds velocities alone is 0: there is no g. Directions that G leaves open damp
/// rows as a small singular value does.
CLAIM(delta_of_rows_of_velocity_and_of_open_directions)
{
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1,"
                      "\"velocity\":[1,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":"
                      "[0,0]}],\"constraints\":[{\"name\":\"edge\",\"type\":\"knife_edge\","
                      "\"marker\":\"p\",\"normal\":[0,1]}]}");
    bare_run b;
    open_run(&b, r.model, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6));
    b.run.weak_sigma = 1.0;
    assert_true(trm_ida_delta(&b.run, 1, 0) != 0.0 && trm_ida_delta(&b.run, 0, 0) == 0.0);
    const trm_ida *ida = b.run.method;
    double y[8], dy[8] = {0.0}, residual[8];
    assert_int_equal(ida->full, 8);
    memcpy(y, b.run.now.z, 6 * sizeof *y);
    y[6] = 0.0;
    y[7] = 2.0;
    assert_int_equal(ida->form->residual(&b.run, 0.0, y, dy, residual), 0);
    near("mu", residual[7], -2.0, 1e-15);
    trm_solver_note_scale(&b.run.system->solver, TRM_METRIC_MASS);
    b.run.system->solver.null.used.components = 1;
    assert_true(trm_ida_delta(&b.run, 0, 0) > 0.0);
    b.run.system->solver.null.used.components = 0;
    close_run(&b);
    rig_close(&r);
}

/// Of index 1 delta is that of lambda, whatever the metric of mu.
CLAIM(delta_of_index_1)
{
    double y[2 * NV + NC], dy[2 * NV + NC] = {0.0}, plain[2 * NV + NC], damped[2 * NV + NC];
    rig scene = open_bent();
    bare_run b;
    trm_options o = rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_PLAIN, 1e-6, 1e-6);
    o.mass_metric = 0;
    o.damping = 1e-3;
    open_run(&b, scene.model, o);
    const trm_ida *ida = b.run.method;
    trm_solver_note_scale(&b.run.system->solver, TRM_METRIC_MASS);
    memcpy(y, b.run.now.z, 2 * NV * sizeof *y);
    y[2 * NV] = 3.0;
    y[2 * NV + 1] = -5.0;
    const point p = point_at(0.0, y, 1);
    b.run.weak_sigma = 1.0;
    assert_int_equal(ida->form->residual(&b.run, 0.0, y, dy, plain), 0);
    b.run.weak_sigma = 1e-4;
    assert_int_equal(ida->form->residual(&b.run, 0.0, y, dy, damped), 0);
    for (int i = 2 * NV; i < 2 * NV + NC; i++) {
        near("delta", plain[i] - damped[i], 1e-3 * p.S[i - 2 * NV][i - 2 * NV] * y[i], 1e-14);
    }
    close_run(&b);
    rig_close(&scene);
}

static double level; // of the noise, N

/// A force that no step can follow: another one at each time. (One that is another at each call
/// makes a matrix of differences so large that Newton's method moves nothing, and seems solved.)
static int noisy_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                   void *user)
{
    uint64_t seed;
    (void)user;
    (void)model;
    f_of(t, q, v, f);
    memcpy(&seed, &t, sizeof seed);
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    f[0] += t > 0.05 ? level * ((double)(seed >> 32) / 4294967296.0 - 0.5) : 0.0;
    return 0;
}

/// Failed tests of errors and unsolved steps are counted on over restarts; the sentence of SUNDIALS
/// is told without its full stop.
CLAIM(failures_are_counted_and_told)
{
    rig r = open_bent_with(noisy_f);
    trm_error err = {.status = TRM_OK};
    level = 1e9;
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-8, 1e-8));
    long before = 0;
    for (int k = 0; k < 3; k++) {
        while (trm_sim_step(r.sim, &err) == TRM_OK) {
        }
        assert_int_equal(err.status, TRM_ERR_DIVERGED);
        const size_t length = strlen(err.message);
        assert_true(length > 20 && err.message[length - 1] != '.' && !strchr(err.message, '\n'));
        assert_true(trm_sim_stats(r.sim).rejected > before + (k ? 0 : 10));
        before = trm_sim_stats(r.sim).rejected;
    }
    level = 0.0; // and goes on
    rig_run(&r, trm_sim_state(r.sim).t + 0.1);
    assert_true(trm_sim_stats(r.sim).rejected >= before);
    rig_close(&r);
}
