// Newton's matrix of the integrator ida: the sparse one, made from the structure of a model by
// groups of columns, against differences of the residual one unknown at a time, which know nothing
// of a structure.

#include "tests/bare_run.h"

static double noise(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (double)state / 4294967296.0 - 0.5;
}

/// dF/dy_j + c dF/dy'_j by a central difference.
static void column_by_difference(trm_run *run, double c, double *y, double *dy, int j, double *out)
{
    const trm_ida *ida = run->method;
    const double h = 1e-5, y0 = y[j], dy0 = dy[j];
    double *r = malloc((size_t)ida->full * sizeof *r);
    assert_non_null(r);
    memset(out, 0, (size_t)ida->full * sizeof *out);
    for (int side = -1; side <= 1; side += 2) {
        y[j] = y0 + side * h;
        dy[j] = dy0 + side * h * c;
        assert_int_equal(ida->form->residual(run, 0.1, y, dy, r), 0);
        for (int i = 0; i < ida->full; i++) {
            out[i] += side * r[i] / (2 * h);
        }
    }
    y[j] = y0;
    dy[j] = dy0;
    free(r);
}

/// Near the initial state, in motion, with multipliers: nothing vanishes by chance.
static void stir(trm_run *run, double *y, double *dy)
{
    const trm_ida *ida = run->method;
    const int nq = run->system->nq, nv = run->system->nv;
    for (int i = 0; i < ida->full; i++) {
        const double known = i < nq + nv ? run->now.z[i] : 0;
        y[i] = known + (i < nq ? 0.1 : 1) * noise();
        dy[i] = noise();
    }
}

static double entry(const trm_newton_matrix *J, int i, int j)
{
    for (int p = J->column[j]; p < J->column[j + 1]; p++) {
        if (J->row[p] == i) {
            return J->values[p];
        }
    }
    return 0;
}

/// `damped`: rows may depend on others, and delta stands on the diagonals of lambda and mu.
static void compare(const char *name, const trm_model *model, trm_stabilization stabilization,
                    int damped)
{
    bare_run b;
    trm_options options = rig_adaptive(TRM_INTEGRATOR_IDA, stabilization, 1e-6, 1e-6);
    options.damping = damped ? 5e-3 : options.damping;
    open_run(&b, model, options);
    b.run.weak_sigma = damped ? 1e-4 : 1.0;
    trm_solver_note_scale(&b.run.system->solver, TRM_METRIC_MASS, &b.run.system->solver);
    trm_ida *ida = b.run.method;
    const size_t n = (size_t)ida->full;
    const double c = 300;
    // N s/m: of its springs of 4e5 N, in differences over 4e-11 of its velocities, 6 m/s
    const double rounding = strcmp(name, "flyball") == 0 ? 0.05 : 0;
    double *y = malloc(3 * n * sizeof *y), *dy = y + n, *column = dy + n;
    assert_non_null(y);
    stir(&b.run, y, dy);
    assert_int_equal(trm_ida_newton(&b.run, 0.1, c, y, dy), 0);
    for (int j = 0; j < ida->full; j++) {
        double size = 0;
        column_by_difference(&b.run, c, y, dy, j, column);
        for (int i = 0; i < ida->full; i++) {
            size = fmax(size, fabs(column[i]));
        }
        for (int i = 0; i < ida->full; i++) {
            if (!(fabs(entry(&ida->newton, i, j) - column[i]) <= 2e-5 * fmax(size, 1) + rounding)) {
                fail_msg("%s, form %d: entry (%d, %d) of %d is %g, expected %g", name,
                         stabilization, i, j, ida->full, entry(&ida->newton, i, j), column[i]);
            }
        }
    }
    free(y);
    close_run(&b);
}

static void compare_all_forms(const char *name, const trm_model *model)
{
    compare(name, model, TRM_STABILIZATION_GGL, 0);
    compare(name, model, TRM_STABILIZATION_BAUMGARTE, 0);
    compare(name, model, TRM_STABILIZATION_PLAIN, 0);
}

/// Rows ascend, places are right, and every column is in one group, with no row of another there.
static void check_groups(const trm_newton_matrix *J, const trm_column_groups *groups, int begin,
                         int end, int rows)
{
    int *seen = calloc((size_t)J->n, sizeof *seen), *taken = calloc((size_t)J->n, sizeof *taken);
    assert_true(seen && taken);
    assert_int_equal(groups->first[0], 0);
    assert_int_equal(groups->first[groups->n], end - begin);
    for (int k = 0; k < groups->n; k++) {
        for (int m = groups->first[k]; m < groups->first[k + 1]; m++) {
            const int j = groups->member[m];
            assert_true(j >= begin && j < end && !seen[j]);
            seen[j] = 1;
            for (int p = J->column[j]; p < J->column[j + 1] && J->row[p] < rows; p++) {
                assert_int_not_equal(taken[J->row[p]], k + 1);
                taken[J->row[p]] = k + 1;
            }
        }
    }
    free(seen);
    free(taken);
}

static void check_pattern(const trm_newton_matrix *J, int nc, int quadratic)
{
    for (int j = 0; j < J->n; j++) {
        assert_true(J->row[J->diagonal[j]] == j);
        assert_true(J->diagonal[j] >= J->column[j] && J->diagonal[j] < J->column[j + 1]);
        for (int p = J->column[j]; p < J->column[j + 1]; p++) {
            const int i = J->row[p], mirror = J->mirror[p];
            assert_true(p == J->column[j] || J->row[p - 1] < i);
            const int in_GT = j >= J->nl0 && j < J->nl0 + nc && i >= J->nv0 && i < J->nl0;
            if (!in_GT) {
                assert_int_equal(mirror, -1);
            } else {
                assert_true(J->row[mirror] == j);
                assert_true(mirror >= J->column[i] && mirror < J->column[i + 1]);
            }
        }
    }
    check_groups(J, &J->q, 0, J->nv0, J->n);
    check_groups(J, &J->v, J->nv0, J->nl0, quadratic ? J->n : J->nl0);
    check_groups(J, &J->lambda, J->nl0, J->nl0 + nc, J->nl0);
}

CLAIM(scenes_have_the_matrix_of_single_differences)
{
    const char *const names[] = {"andrews",
                                 "arm_parabola",
                                 "arm_sine",
                                 "bricard",
                                 "chain_10",
                                 "double_four_bar",
                                 "heavy_top",
                                 "flyball",
                                 "pendulum",
                                 "jansen_leg",
                                 "spatial_slider_crank"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        rig r = rig_load(names[k], NULL);
        compare_all_forms(names[k], r.model);
        rig_close(&r);
    }
}

/// A force of the user on the first body that depends on the last.
static int distant_force(const trm_model *model, double t, const double *q, const double *v,
                         double *f, void *user)
{
    (void)t, (void)user;
    const trm_sizes n = trm_model_sizes(model);
    f[0] += sin(q[n.nq - 1]) * v[n.nv - 1] * v[n.nv - 1];
    return 0;
}

CLAIM(forces_and_expressions_widen_the_pattern)
{
    rig r = rig_load("../tests/scenes/tied", NULL);
    compare_all_forms("tied", r.model);
    rig_close(&r);
}

CLAIM(forces_of_users_may_depend_on_all)
{
    trm_error err = {.status = TRM_OK};
    const trm_force_def def = {.name = "distant", .force = distant_force};
    rig r = rig_load("chain_10", NULL);
    rig_ok(trm_scene_add_force(r.scene, &def, &err), &err);
    trm_model_destroy(r.model);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    compare_all_forms("chain_10 with a force", r.model);
    rig_close(&r);
}

CLAIM(rows_that_may_depend_on_others_have_delta)
{
    rig r = rig_load("chain_10", NULL);
    compare("damped", r.model, TRM_STABILIZATION_GGL, 1);
    compare("damped", r.model, TRM_STABILIZATION_BAUMGARTE, 1);
    rig_close(&r);
}

/// Patterns of both forms, and the entries of M apart, which nothing else holds.
CLAIM(patterns_are_whole)
{
    const char *const names[] = {"chain_10", "bricard", "andrews"};
    for (int k = 0; k < 6; k++) {
        const int index1 = k % 2;
        rig r = rig_load(names[k / 2], NULL);
        bare_run b;
        open_run(&b, r.model,
                 rig_adaptive(TRM_INTEGRATOR_IDA,
                              index1 ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_GGL, 1e-6,
                              1e-6));
        trm_ida *ida = b.run.method;
        const trm_newton_matrix *J = &ida->newton;
        const int nq = b.run.system->nq, nv = b.run.system->nv;
        double *y = calloc(3 * (size_t)ida->full, sizeof *y), *dy = y + ida->full;
        double *x = dy + ida->full;
        assert_non_null(y);
        check_pattern(J, b.run.system->nc, index1);
        memcpy(y, b.run.now.z, (size_t)(nq + nv) * sizeof *y);
        assert_int_equal(trm_ida_newton(&b.run, 0.0, 300.0, y, dy), 0);
        for (int j = nq; j < nq + nv; j++) {
            memset(x, 0, (size_t)nv * sizeof *x);
            x[j - nq] = 1.0;
            trm_system_multiply_M(b.run.system, x);
            for (int p = J->column[j]; p < J->column[j + 1]; p++) {
                const int i = J->row[p];
                near("M", J->M[p], i >= nq && i < nq + nv ? x[i - nq] : 0.0, 1e-13);
            }
        }
        free(y);
        close_run(&b);
        rig_close(&r);
    }
}

/// With lambda eliminated the matrix is that of the full form at the lambda and a there.
CLAIM(an_eliminated_lambda_stands_in_the_matrix)
{
    rig r = rig_load("chain_10", NULL);
    bare_run b;
    open_run(&b, r.model,
             rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_BAUMGARTE, 1e-6, 1e-6));
    b.run.weak_sigma = 1.0;
    trm_ida *ida = b.run.method;
    const int n = ida->n, nq = b.run.system->nq, nc = b.run.system->nc, full = ida->full;
    double y[128], dy[128], z[128], dz[128], values[4096];
    assert_true(full < 128 && ida->newton.entries <= 4096);
    memcpy(y, b.run.now.z, (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) {
        dy[i] = noise();
    }
    assert_int_equal(trm_ida_bordered(&b.run, 0.1, 300.0, y, dy), 0);
    memcpy(values, ida->newton.values, (size_t)ida->newton.entries * sizeof *values);
    memcpy(z, y, (size_t)n * sizeof *z);
    assert_int_equal(b.run.stabilization->rates(&b.run, 0.1, z, dz, z + n), 0);
    memcpy(dz, dy, (size_t)nq * sizeof *dz);
    assert_true(nc > 1 && fabs(z[n + 1]) > 1e-3);
    assert_int_equal(trm_ida_newton(&b.run, 0.1, 300.0, z, dz), 0);
    for (int p = 0; p < ida->newton.entries; p++) {
        near("entry", values[p], ida->newton.values[p], 1e-12 * (1.0 + fabs(values[p])));
    }
    close_run(&b);
    rig_close(&r);
}

/// What its solver returns is a Newton step of F of (q, v) alone: c dF/dy' x + dF/dy x = F, by a
/// central difference along x. Entries are known to 2e-5 of their columns, as in `compare`.
CLAIM(an_eliminated_lambda_leaves_the_newton_step)
{
    const double c = 10.0, length = 1e-5;
    rig r = rig_load("chain_10", NULL);
    bare_run b;
    open_run(&b, r.model,
             rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_BAUMGARTE, 1e-6, 1e-6));
    b.run.weak_sigma = 1.0;
    trm_ida *ida = b.run.method;
    const int n = ida->n, full = ida->full;
    double y[128], dy[128], ends[2][128];
    assert_true(full < 128);
    memcpy(y, b.run.now.z, (size_t)n * sizeof *y);
    memcpy(dy, b.run.now.dz, (size_t)n * sizeof *dy);
    assert_int_equal(trm_ida_bordered(&b.run, 0.1, c, y, dy), 0);
    trm_ida_measure_units(&b.run, c);
    SUNMatrix J = SUNDenseMatrix(full, full, ida->context);
    for (int j = 0; j < full; j++) {
        for (int i = 0; i < full; i++) {
            SUNDenseMatrix_Column(J, j)[i] =
                entry(&ida->newton, i, j) / ida->row_unit[i] * ida->column_unit[j];
        }
    }
    SUNLinearSolver solver =
        trm_ida_bordered_solver(&b.run, SUNLinSol_Dense(ida->full_y, J, ida->context));
    N_Vector F = N_VClone(ida->y), x = N_VClone(ida->y);
    const double *const step = N_VGetArrayPointer(x), *const given = N_VGetArrayPointer(F);
    for (int i = 0; i < n; i++) {
        N_VGetArrayPointer(F)[i] = noise();
    }
    assert_int_equal(SUNLinSolSetup(solver, J), 0);
    assert_int_equal(SUNLinSolSolve(solver, J, x, F, 0.0), 0);
    for (int side = 0; side < 2; side++) {
        const double part = side ? length : -length;
        double z[128], dz[128];
        for (int i = 0; i < n; i++) {
            z[i] = y[i] + part * step[i];
            dz[i] = dy[i] + part * c * step[i];
        }
        assert_int_equal(trm_ida_eliminated(&b.run, 0.1, z, dz, ends[side]), 0);
    }
    for (int i = 0; i < n; i++) {
        near("F", (ends[1][i] - ends[0][i]) / (2.0 * length), given[i], 2e-5);
    }
    N_VDestroy(x);
    N_VDestroy(F);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    close_run(&b);
    rig_close(&r);
}

/// How many residuals a matrix takes does not depend on the length of a chain, and it has few
/// entries.
CLAIM(chains_take_as_many_residuals_at_any_length)
{
    int groups[2];
    const char *const names[] = {"chain_10", "chain_1000"};
    for (int k = 0; k < 2; k++) {
        rig r = rig_load(names[k], NULL);
        bare_run b;
        open_run(&b, r.model, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6));
        const trm_newton_matrix *J = &((trm_ida *)b.run.method)->newton;
        groups[k] = J->q.n + J->v.n + J->lambda.n;
        assert_true(J->entries < 15 * J->n);
        close_run(&b);
        rig_close(&r);
    }
    assert_int_equal(groups[0], groups[1]);
    assert_true(groups[0] <= 9 + 3 + 4); // three bodies in a row, one body, two joints
}
