/// Large problems x' = f - B y, 0 = g: products and rows give what dense matrices give, to
/// roundoff.
#include "tests/integrators/dae/large_problems.h"

#include <string.h>

/// x and y after ten steps.
static void ten_steps(const trm_dae_problem *problem, const trm_dae_options *options, double x[NX],
                      double y[NY])
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    double x0[NX];
    net_start(x0);
    assert_done(trm_dae_sim_create(problem, options, 0, x0, &sim, &err), &err);
    for (int n = 0; n < 10; n++) {
        assert_done(trm_dae_sim_step(sim, &err), &err);
    }
    const trm_dae_state state = trm_dae_sim_state(sim, 0);
    memcpy(x, state.x, NX * sizeof(double));
    memset(y, 0, NY * sizeof(double));
    if (state.y) {
        memcpy(y, state.y, NY * sizeof(double));
    }
    trm_dae_sim_destroy(sim);
}

static void check_equal(net *p, const trm_dae_large *large, const trm_dae_options *options)
{
    double x[NX], y[NY], x_large[NX], y_large[NY];
    const trm_dae_problem dense = dense_net(p), other = large_net(p, large);
    ten_steps(&dense, options, x, y);
    ten_steps(&other, options, x_large, y_large);
    assert_near(largest_difference(NX, x, x_large), 0, 1e-12);
    assert_near(largest_difference(NY, y, y_large), 0, 1e-9);
}

/// Every method, integrator and E that a large problem has.
static void check_all(net *p, const trm_dae_large *large)
{
    for (int method = 0; method <= TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY; method++) {
        for (int E = TRM_SRM_MATRIX_IDENTITY; E <= TRM_SRM_MATRIX_GB_INVERSE; E++) {
            for (int k = 0; k < 4; k++) {
                trm_dae_options options = trm_dae_default_options((trm_dae_method)method);
                options.integrator =
                    k % 2 ? TRM_DAE_INTEGRATOR_FORWARD_EULER : TRM_DAE_INTEGRATOR_HEUN;
                options.alpha1 = k / 2;
                options.E = (trm_srm_matrix)E;
                options.h = 1e-3;
                options.epsilon = 0.1;
                options.solve_tolerance = 1e-15;
                const int transposed = E == TRM_SRM_MATRIX_GB_TRANSPOSED;
                const int singular =
                    method == TRM_DAE_METHOD_SRM_SINGULAR && E != TRM_SRM_MATRIX_GB_INVERSE;
                if ((transposed && (options.alpha1 > 0 || method == TRM_DAE_METHOD_PENALTY)) ||
                    (singular && options.alpha1 > 0)) {
                    continue; // refused
                }
                check_equal(p, large, &options);
            }
        }
    }
}

CLAIM(products_and_rows_are_dense_to_roundoff)
{
    net p = {0};
    const trm_dae_large products = by_products();
    const trm_dae_large rows = by_rows();
    check_all(&p, &products);
    check_all(&p, &rows);
}

CLAIM(a_GB_without_symmetry_is_factored)
{
    if (!trm_factor_available(0)) {
        skip();
    }
    net p = {.skew = 1};
    const trm_dae_large rows = by_rows();
    check_all(&p, &rows);
}

/// The constraint with G as it is at t = 0, for all t.
static int steady_G(double t, const double *x, double *out, void *user)
{
    (void)t;
    return net_G(0, x, out, user);
}

static int steady_g(double t, const double *x, double *out, void *user)
{
    double y[NX];
    for (int j = 0; j < NX; j++) {
        y[j] = x[j] - sin(t + j); // g is affine: with its G of t = 0 at y
    }
    (void)user;
    return times_G(0, NULL, y, out, NULL);
}

static int steady_g_t(double t, const double *x, double *out, void *user)
{
    double y[NX];
    (void)x, (void)user;
    for (int j = 0; j < NX; j++) {
        y[j] = -cos(t + j);
    }
    return times_G(0, NULL, y, out, NULL);
}

CLAIM(backward_euler_by_rows_is_the_dense_one)
{
    if (!trm_factor_available(0)) {
        skip();
    }
    trm_dae_large rows = by_rows_with_L();
    for (int k = 0; k < 12; k++) {
        net p = {.skew = k % 2};
        double x[NX], y[NY], x_large[NX], y_large[NY];
        trm_dae_problem dense = dense_net(&p), other = large_net(&p, &rows);
        dense.f = other.f = stiff_f;
        dense.linear = other.linear = 1;
        rows.G_rows.values = k / 2 % 2 ? steady_G : net_G;
        if (k / 2 % 2) {
            dense.G = steady_G;
            dense.g = other.g = steady_g;
            dense.g_t = other.g_t = steady_g_t;
        }
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
        options.integrator = TRM_DAE_INTEGRATOR_BACKWARD_EULER;
        options.E = TRM_SRM_MATRIX_IDENTITY;
        options.alpha1 = k / 2 % 2;
        options.iterations = 1 + k / 4;
        options.h = 0.05; // explicit steps end at 2/360
        options.epsilon = 1e-3;
        options.solve_tolerance = 1e-15;
        ten_steps(&dense, &options, x, y);
        ten_steps(&other, &options, x_large, y_large);
        assert_near(largest_difference(NX, x, x_large), 0, 1e-11);
        assert_near(largest_difference(NY, y, y_large), 0, 1e-7);
    }
}

// ------------------------------------------------------------------------- solvers of the user

/// Gauss's elimination of n equations without pivots: A is near c0 I, or G G^T and more.
static void eliminate(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            const double part = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) {
                A[i * n + j] -= part * A[k * n + j];
            }
            x[i] -= part * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            x[k] -= A[k * n + j] * x[j];
        }
        x[k] /= A[k * n + k];
    }
}

static int solve_GB(double c0, double c1, double t, const double *x, const double *r, double *out,
                    void *user)
{
    double A[NY * NY];
    (void)x;
    for (int i = 0; i < NY; i++) {
        out[i] = r[i];
        for (int j = 0; j < NY; j++) {
            A[i * NY + j] = i == j ? c0 : 0;
            for (int k = 0; k < NX; k++) {
                A[i * NY + j] += c1 * G_entry(t, i, k) * B_entry(user, t, k, j);
            }
        }
    }
    eliminate(NY, A, out);
    return 0;
}

static int solve_L(double c0, double c1, double t, const double *x, const double *r, double *out,
                   void *user)
{
    double A[NX * NX] = {0};
    (void)t, (void)x, (void)user;
    for (int i = 0; i < NX; i++) {
        out[i] = r[i];
        A[i * NX + i] = c0;
        for (int k = 0; k < 2; k++) {
            A[i * NX + L_column(i, k)] += c1 * L_at(i, k);
        }
    }
    eliminate(NX, A, out);
    return 0;
}

CLAIM(a_solver_of_the_user_gives_the_same)
{
    net p = {0};
    trm_dae_large large = by_products();
    large.solve = solve_GB;
    check_all(&p, &large);
}

/// (1 - c L)^-1 by the user and by factors.
CLAIM(implicit_parts_by_other_solvers)
{
    net p = {0};
    double x[NX], y[NY], x_other[NX], y_other[NY];
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.integrator = TRM_DAE_INTEGRATOR_IMEX;
    options.h = 1e-3;
    options.epsilon = 0.1;
    options.solve_tolerance = 1e-15;
    const trm_dae_large rows = by_rows_with_L();
    trm_dae_problem problem = large_net(&p, &rows);
    problem.f = stiff_f;
    trm_dae_large own = by_products();
    own.solve_L = solve_L;
    trm_dae_problem other = large_net(&p, &own);
    other.f = stiff_f;
    ten_steps(&other, &options, x_other, y_other);
    if (trm_factor_available(0)) {
        ten_steps(&problem, &options, x, y);
        assert_near(largest_difference(NX, x, x_other), 0, 1e-12);
        assert_near(largest_difference(NY, y, y_other), 0, 1e-9);
    }
}

// -------------------------------------------------------------------------------------- without x'

/// x = (f0, f1, f2) - B y, 0 = x0 + x1 - 1, 0 = x1 + x2: 2 x 2, solved by hand.
static int static_f(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = 1 + t;
    out[1] = 2;
    out[2] = 3;
    return 0;
}

static int static_g(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = x[0] + x[1] - 1;
    out[1] = x[1] + x[2];
    return 0;
}

static int static_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    const double G[6] = {1, 1, 0, 0, 1, 1};
    memcpy(out, G, sizeof G);
    return 0;
}

static int static_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    const double B[6] = {1, 0, 1, 1, 0, 1};
    memcpy(out, B, sizeof B);
    return 0;
}

/// GB = [2 1; 1 2], g(f) = (2 + t, 5): y = ((4 + 2t - 5)/3, (10 - 2 - t)/3).
CLAIM(equations_without_x_dot)
{
    static const int rows_B[] = {0, 1, 3, 4}, columns_of_B[] = {0, 0, 1, 1};
    static const int rows_G[] = {0, 3, 6}, columns_of_G[] = {0, 1, 2, 0, 1, 2};
    static const int all_B[] = {0, 2, 4, 6}, columns_all[] = {0, 1, 0, 1, 0, 1};
    (void)rows_B, (void)columns_of_B;
    const trm_dae_large rows = {.B_rows = {all_B, columns_all, static_B},
                                .G_rows = {rows_G, columns_of_G, static_G}};
    for (int k = 0; k < 4; k++) {
        trm_error err = {0};
        trm_dae_problem problem = {
            .name = "static", .nx = 3, .ny = 2, .f = static_f, .g = static_g};
        problem.B = k % 2 ? NULL : static_B;
        problem.G = k % 2 ? NULL : static_G;
        problem.large = k % 2 ? &rows : NULL;
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
        options.E = k / 2 ? TRM_SRM_MATRIX_GB_INVERSE : TRM_SRM_MATRIX_IDENTITY;
        options.epsilon = 0.1;
        options.solve_tolerance = 1e-14;
        trm_dae_static *s = NULL;
        assert_done(trm_dae_static_create(&problem, &options, 0, &s, &err), &err);
        // E = I: the error along (1,1) falls by 0.1/3.1, along (1,-1) by 0.1/1.1; else by 0.1/1.1
        const double along = k / 2 ? 0.1 / 1.1 : 0.1 / 3.1, across = 0.1 / 1.1;
        const double y[2] = {-1.0 / 3, 8.0 / 3};
        for (int n = 1; n <= 5; n++) {
            assert_done(trm_dae_static_iterate(s, &err), &err);
            const trm_dae_state state = trm_dae_static_state(s);
            const double sum = (y[0] + y[1]) * pow(along, n);
            const double difference = (y[0] - y[1]) * pow(across, n);
            assert_near(state.y[0], y[0] - (sum + difference) / 2, 1e-13);
            assert_near(state.y[1], y[1] - (sum - difference) / 2, 1e-13);
        }
        assert_done(trm_dae_static_renew(s, 1, &err), &err);
        for (int n = 0; n < 15; n++) {
            assert_done(trm_dae_static_iterate(s, &err), &err);
        }
        const trm_dae_state state = trm_dae_static_state(s);
        assert_near(state.y[0], 1.0 / 3, 1e-12);
        assert_near(state.x[0], 2 - 1.0 / 3, 1e-12);
        assert_near(state.drift, 0, 1e-12);
        trm_dae_static_destroy(s);
    }
}
