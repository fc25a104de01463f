/// The equations that ida hands to SUNDIALS against their formulas, written here for two rows and
/// three unknowns; its first step, the work, and the norm of quaternions.
#include "tests/bare_run.h"
#include "tests/integrators/one_step.h"

enum { FULL = 2 * NV + 2 * NC }; // q, v, lambda, mu

/// Any point near the start and in motion.
static void stir(double *y, double *dy)
{
    double z[NZ];
    start_of(z);
    for (int i = 0; i < FULL; i++) {
        y[i] = (i < 2 * NV ? z[i] : 0.0) + 0.1 * sin(1.0 + 3.0 * i);
        dy[i] = cos(2.0 + 5.0 * i);
    }
}

static void check(const char *what, int n, const double *found, const double *expected)
{
    for (int i = 0; i < n; i++) {
        near(what, found[i], expected[i], 1e-12);
    }
}

/// M a - f + G^T lambda
static void motion(double t, const double *y, const double *dy, double *r)
{
    double f[NV], G[NC][NV];
    f_of(t, y, y + NV, f);
    G_of(t, y, G);
    for (int j = 0; j < NV; j++) {
        const double reaction = G[0][j] * y[2 * NV] + G[1][j] * y[2 * NV + 1];
        r[j] = mass[j] * dy[NV + j] - f[j] + reaction;
    }
}

/// [ACPR95 (3.3)]: q' - (v - W G^T mu), the motion, G v + g_t, g.
CLAIM(ggl_is_its_formula)
{
    for (int metric = 0; metric < 2; metric++) {
        const double t = 0.3;
        double y[FULL], dy[FULL], r[FULL], expected[FULL], x[NV];
        rig scene = open_bent();
        bare_run b;
        trm_options o = rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6);
        o.mass_metric = metric;
        open_run(&b, scene.model, o);
        const trm_ida *ida = b.run.method;
        b.run.weak_sigma = 1.0; // no row depends on others
        assert_int_equal(ida->full, FULL);
        stir(y, dy);
        assert_int_equal(ida->form->residual(&b.run, t, y, dy, r), 0);
        point p = point_at(t, y, metric);
        times(p.W, y + 2 * NV + NC, x);
        for (int j = 0; j < NV; j++) {
            expected[j] = dy[j] - (y[NV + j] - x[j]);
        }
        motion(t, y, dy, expected + NV);
        memcpy(expected + 2 * NV, p.h, sizeof p.h);
        memcpy(expected + 2 * NV + NC, p.g, sizeof p.g);
        check("ggl", FULL, r, expected);
        close_run(&b);
        rig_close(&scene);
    }
}

/// q' - v, the motion, G a - gamma + alpha1 h + alpha0 g; eliminated: y' - (v, a) of the index-1
/// form.
CLAIM(index_1_is_its_formula)
{
    for (int k = 0; k < 3; k++) {
        const double t = 0.3;
        double y[FULL], dy[FULL], r[FULL], expected[FULL], dz[NZ], lambda[NC];
        rig scene = open_bent();
        bare_run b;
        trm_options o = rig_adaptive(TRM_INTEGRATOR_IDA,
                                     k == 0 ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_BAUMGARTE,
                                     1e-6, 1e-6);
        o.baumgarte.alpha1 = k == 0 ? o.baumgarte.alpha1 : k == 1 ? 3.0 : 0.0;
        o.baumgarte.alpha0 = k == 0 ? o.baumgarte.alpha0 : k == 1 ? 0.0 : 2.0;
        const double alpha1 = k == 1 ? 3.0 : 0.0, alpha0 = k == 2 ? 2.0 : 0.0;
        open_run(&b, scene.model, o);
        const trm_ida *ida = b.run.method;
        b.run.weak_sigma = 1.0;
        assert_int_equal(ida->full, 2 * NV + NC);
        assert_int_equal(ida->n, 2 * NV);
        stir(y, dy);
        assert_int_equal(ida->form->residual(&b.run, t, y, dy, r), 0);
        const point p = point_at(t, y, 1);
        for (int j = 0; j < NV; j++) {
            expected[j] = dy[j] - y[NV + j];
        }
        motion(t, y, dy, expected + NV);
        times_G(&p, dy + NV, expected + 2 * NV);
        for (int i = 0; i < NC; i++) {
            expected[2 * NV + i] += alpha1 * p.h[i] + alpha0 * p.g[i] - p.gamma[i];
        }
        check("index 1", 2 * NV + NC, r, expected);
        assert_int_equal(trm_ida_eliminated(&b.run, t, y, dy, r), 0);
        index1_of(t, y, alpha1, alpha0, dz, lambda);
        for (int j = 0; j < 2 * NV; j++) {
            expected[j] = dy[j] - dz[j];
        }
        check("eliminated", 2 * NV, r, expected);
        close_run(&b);
        rig_close(&scene);
    }
}

/// A quaternion of another norm: r -= kappa (q/|q| - q), kappa = 1e4 1/s, and nothing else of it.
CLAIM(norms_of_quaternions_return_at_1e4_per_period)
{
    rig scene = rig_load("heavy_top", NULL);
    bare_run b;
    open_run(&b, scene.model, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6));
    const int nq = b.run.system->nq, quaternion = nq - 4;
    ((trm_ida *)b.run.method)->fastest = 10.0;
    const double period = trm_ida_period(&b.run);
    double q[16], r[16] = {0.0}, sum = 0.0;
    assert_in_range(nq, 7, 16);
    for (int i = 0; i < nq; i++) {
        q[i] = 0.3 + 0.1 * i;
        sum += i < quaternion ? 0.0 : q[i] * q[i];
    }
    trm_ida_keep_norm(&b.run, q, r);
    for (int i = 0; i < nq; i++) {
        const double expected = i < quaternion ? 0.0 : -1e4 / period * (q[i] / sqrt(sum) - q[i]);
        near("r", r[i], expected, 1e-10);
    }
    close_run(&b);
    rig_close(&scene);
}

/// delta is 0 where the smallest singular value is regular, above sqrt(1e-3); below it is the
/// damping times a period of the motion times the diagonal of G M^-1 G^T, or times 1 for mu without
/// the mass metric. In the residual it stands before lambda and mu.
CLAIM(rows_that_may_depend_on_others_are_damped)
{
    for (int metric = 0; metric < 2; metric++) {
        double z[NZ], y[FULL], dy[FULL], plain[FULL], damped[FULL];
        rig scene = open_bent();
        bare_run b;
        trm_options o = rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6);
        o.mass_metric = metric;
        o.damping = 1e-3;
        open_run(&b, scene.model, o);
        const trm_ida *ida = b.run.method;
        trm_solver_note_scale(&b.run.system->solver, TRM_METRIC_MASS, &b.run.system->solver);
        start_of(z);
        const point p = point_at(0.0, z, 1);
        const double *const rates = b.run.now.dz; // of the start; reactions have no scale there yet
        const int nq = b.run.system->nq, nv = b.run.system->nv;
        const double period = 2 * pi / trm_extents_rate(&b.run.extent, nq, nv, rates, rates + nq);
        stir(y, dy);
        b.run.weak_sigma = 1.01 * sqrt(1e-3);
        assert_int_equal(ida->form->residual(&b.run, 0.3, y, dy, plain), 0);
        b.run.weak_sigma = 0.99 * sqrt(1e-3);
        assert_int_equal(ida->form->residual(&b.run, 0.3, y, dy, damped), 0);
        for (int i = 0; i < NC; i++) {
            const double of_lambda = 1e-3 * period * p.S[i][i];
            const double of_mu = metric ? of_lambda : 1e-3 * period;
            const int l = 2 * NV + i, m = l + NC;
            near("delta of lambda", trm_ida_delta(&b.run, 0, i), of_lambda, 1e-15);
            near("delta of mu", trm_ida_delta(&b.run, 1, i), of_mu, 1e-15);
            near("delta lambda", plain[l] - damped[l], of_lambda * y[l], 1e-14);
            near("delta mu", plain[m] - damped[m], of_mu * y[m], 1e-14);
        }
        b.run.weak_sigma = 1.01 * sqrt(1e-3);
        assert_true(trm_ida_delta(&b.run, 0, 0) == 0.0 && trm_ida_delta(&b.run, 1, 1) == 0.0);
        close_run(&b);
        rig_close(&scene);
    }
}

/// Half the tolerances over the speed, at most 1 ms, or what the user asks for.
CLAIM(the_first_step_changes_by_half_the_tolerances)
{
    double z[NZ], dz[NZ], lambda[NC], sum = 0.0;
    const double rtol = 1e-5, atol = 1e-6;
    start_of(z);
    index1_of(0.0, z, 0.0, 0.0, dz, lambda);
    for (int i = 0; i < NZ - 1; i++) {
        sum += pow(dz[i] / (rtol * fabs(z[i]) + atol), 2.0) / (NZ - 1);
    }
    for (int k = 0; k < 4; k++) {
        const int loose = k == 3; // the tolerances alone would allow more than 1 ms
        trm_options o = rig_adaptive(TRM_INTEGRATOR_IDA,
                                     k == 1 ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_GGL,
                                     loose ? 0.1 : rtol, loose ? 0.1 : atol);
        trm_error err;
        rig r = open_bent();
        o.h = k == 2 ? 3e-6 : 0.0;
        rig_start(&r, o);
        rig_ok(trm_sim_step(r.sim, &err), &err);
        assert_int_equal(trm_sim_stats(r.sim).rejected, 0);
        near("h", trm_sim_stats(r.sim).h, loose ? 1e-3 : k == 2 ? 3e-6 : 0.5 / sqrt(sum), 1e-13);
        rig_close(&r);
    }
}

/// The work of the reactions of moving rows against a run of another method.
CLAIM(work_of_moving_rows_is_that_of_dop853)
{
    rig exact = open_bent();
    rig_start(&exact,
              rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-12, 1e-12));
    rig_run(&exact, 1.0);
    const double work = trm_sim_energy(exact.sim).work;
    assert_true(fabs(work) > 0.01);
    const trm_stabilization forms[] = {TRM_STABILIZATION_GGL, TRM_STABILIZATION_PLAIN,
                                       TRM_STABILIZATION_BAUMGARTE};
    for (int i = 0; i < 3; i++) {
        rig r = open_bent();
        trm_sample sample;
        trm_error err;
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, forms[i], 1e-9, 1e-9));
        rig_run(&r, 1.0);
        near("work", trm_sim_energy(r.sim).work, work, 1e-6);
        const trm_state s = trm_sim_state(r.sim), e = trm_sim_state(exact.sim);
        for (int j = 0; j < NV; j++) {
            near("q", s.q[j], e.q[j], 1e-6);
            near("v", s.v[j], e.v[j], 1e-6);
            near("a", s.a[j], e.a[j], 1e-4);
        }
        const double inside = 1.0 - 0.5 * trm_sim_stats(r.sim).h;
        rig_ok(trm_sim_sample(r.sim, inside, &sample, &err), &err);
        rig other = open_bent();
        rig_start(&other,
                  rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-12, 1e-12));
        rig_run(&other, inside);
        near("work inside", sample.energy.work, trm_sim_energy(other.sim).work, 1e-6);
        rig_close(&other);
        rig_close(&r);
    }
    rig_close(&exact);
}
