/// Large problems x' = f - B y, 0 = g: products and rows give what dense matrices give, to
/// roundoff; orders in h, in the time step and in epsilon on flows with known solutions; what
/// disagrees is named.
#include "engine/solver/sparse.h"
#include "engine/trammel_dae.h"
#include "tests/near.h"
#include "tools/paper/darcy/cases.h"
#include "tools/paper/flow/cavity.h"
#include "tools/paper/flow/taylor_green.h"

#include <stdlib.h>
#include <string.h>

static void assert_done(trm_status status, const trm_error *err)
{
    if (status != TRM_OK) {
        print_error("%s: %s (%s, t = %g)\n", trm_status_name(status), err->message, err->where,
                    err->t);
    }
    assert_int_equal(status, TRM_OK);
}

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double difference = fabs(a[i] - b[i]);
        largest = difference > largest || isnan(difference) ? difference : largest;
    }
    return largest;
}

// ------------------------------------------------- a small problem, dense, by products and by rows
//
//     g = G(t) (x - r(t)),  r_i = sin(t + i);  B = G^T, or with `skew` not, so that GB is not
//     symmetric

enum { NX = 12, NY = 5 };

typedef struct net {
    int skew;
    double wrong_transpose; ///< added to an entry of B^T
    double start[NX + 1];
} net;

static double G_entry(double t, int i, int j)
{
    return (i == j ? 2 : 0) + 0.3 * sin(1 + 3 * i + 5 * j) * (1 + 0.2 * sin(t));
}

static double G_rate(double t, int i, int j)
{
    return 0.3 * sin(1 + 3 * i + 5 * j) * 0.2 * cos(t);
}

static double B_entry(const net *p, double t, int i, int j)
{
    return G_entry(t, j, i) + (p->skew ? 0.2 * cos(2 * i - j + t) : 0);
}

static int net_f(double t, const double *x, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < NX; i++) {
        out[i] = -x[i] * x[i] + cos(t * i) - 0.5 * x[(i + 1) % NX];
    }
    return 0;
}

static int net_g(double t, const double *x, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < NY; i++) {
        out[i] = 0;
        for (int j = 0; j < NX; j++) {
            out[i] += G_entry(t, i, j) * (x[j] - sin(t + j));
        }
    }
    return 0;
}

static int net_g_t(double t, const double *x, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < NY; i++) {
        out[i] = 0;
        for (int j = 0; j < NX; j++) {
            out[i] += G_rate(t, i, j) * (x[j] - sin(t + j)) - G_entry(t, i, j) * cos(t + j);
        }
    }
    return 0;
}

static int net_B(double t, const double *x, double *out, void *user)
{
    (void)x;
    for (int k = 0; k < NX * NY; k++) {
        out[k] = B_entry(user, t, k / NY, k % NY);
    }
    return 0;
}

static int net_G(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    for (int k = 0; k < NX * NY; k++) {
        out[k] = G_entry(t, k / NX, k % NX);
    }
    return 0;
}

static int times_B(double t, const double *x, const double *v, double *out, void *user)
{
    (void)x;
    for (int i = 0; i < NX; i++) {
        out[i] = 0;
        for (int j = 0; j < NY; j++) {
            out[i] += B_entry(user, t, i, j) * v[j];
        }
    }
    return 0;
}

static int times_Bt(double t, const double *x, const double *v, double *out, void *user)
{
    (void)x;
    const net *p = user;
    for (int j = 0; j < NY; j++) {
        out[j] = j == 2 ? p->wrong_transpose * v[3] : 0;
        for (int i = 0; i < NX; i++) {
            out[j] += B_entry(p, t, i, j) * v[i];
        }
    }
    return 0;
}

static int times_G(double t, const double *x, const double *v, double *out, void *user)
{
    (void)x, (void)user;
    for (int i = 0; i < NY; i++) {
        out[i] = 0;
        for (int j = 0; j < NX; j++) {
            out[i] += G_entry(t, i, j) * v[j];
        }
    }
    return 0;
}

static int times_Gt(double t, const double *x, const double *v, double *out, void *user)
{
    (void)x, (void)user;
    for (int j = 0; j < NX; j++) {
        out[j] = 0;
        for (int i = 0; i < NY; i++) {
            out[j] += G_entry(t, i, j) * v[i];
        }
    }
    return 0;
}

static int starts_B[NX + 1], starts_G[NY + 1], columns_B[NX * NY], columns_G[NX * NY];

static trm_dae_large by_products(void)
{
    return (trm_dae_large){
        .B = times_B, .G = times_G, .B_transposed = times_Bt, .G_transposed = times_Gt};
}

static trm_dae_large by_rows(void)
{
    for (int k = 0; k < NX * NY; k++) {
        columns_B[k] = k % NY;
        columns_G[k] = k % NX;
    }
    for (int i = 0; i <= NX; i++) {
        starts_B[i] = i * NY;
    }
    for (int i = 0; i <= NY; i++) {
        starts_G[i] = i * NX;
    }
    return (trm_dae_large){.B_rows = {starts_B, columns_B, net_B},
                           .G_rows = {starts_G, columns_G, net_G}};
}

static trm_dae_problem dense_net(net *p)
{
    return (trm_dae_problem){.name = "net",
                             .nx = NX,
                             .ny = NY,
                             .f = net_f,
                             .B = net_B,
                             .g = net_g,
                             .G = net_G,
                             .g_t = net_g_t,
                             .user = p};
}

static trm_dae_problem large_net(net *p, const trm_dae_large *large)
{
    trm_dae_problem problem = dense_net(p);
    problem.B = problem.G = NULL;
    problem.large = large;
    return problem;
}

static void net_start(double x[NX])
{
    for (int i = 0; i < NX; i++) {
        x[i] = sin(i);
    }
}

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
    for (int method = 0; method <= TRM_DAE_PSEUDO_COMPRESSIBILITY; method++) {
        for (int E = TRM_E_IDENTITY; E <= TRM_E_GB_INVERSE; E++) {
            for (int k = 0; k < 4; k++) {
                trm_dae_options options = trm_dae_default_options((trm_dae_method)method);
                options.integrator = k % 2 ? TRM_DAE_FORWARD_EULER : TRM_DAE_HEUN;
                options.alpha1 = k / 2;
                options.E = (trm_E)E;
                options.h = 1e-3;
                options.epsilon = 0.1;
                options.solve_tolerance = 1e-15;
                const int transposed = E == TRM_E_GB_TRANSPOSED;
                const int singular = method == TRM_DAE_SRM_SINGULAR && E != TRM_E_GB_INVERSE;
                if ((transposed && (options.alpha1 > 0 || method == TRM_DAE_PENALTY)) ||
                    (singular && options.alpha1 > 0)) {
                    continue; // refused
                }
                check_equal(p, large, &options);
            }
        }
    }
}

static void products_and_rows_are_dense_to_roundoff(void **unused)
{
    (void)unused;
    net p = {0};
    const trm_dae_large products = by_products();
    const trm_dae_large rows = by_rows();
    check_all(&p, &products);
    check_all(&p, &rows);
}

static void a_GB_without_symmetry_is_factored(void **unused)
{
    (void)unused;
    if (!trm_factor_available(0)) {
        skip();
    }
    net p = {.skew = 1};
    const trm_dae_large rows = by_rows();
    check_all(&p, &rows);
}

// ------------------------------------------------------------------------------ backward Euler

static int starts_L[NX + 1], columns_L[2 * NX];

/// L x: two entries in a row, the diagonal missing in every third.
static double L_entry(int i, int which)
{
    return which ? 0.4 * cos(2 + i) : i % 3 ? -30.0 * (i + 1) : 0.7;
}

static int L_column(int i, int which)
{
    const int other = (i + 3) % NX, own = i % 3 ? i : (i + 1) % NX;
    const int low = own < other ? own : other;
    return which ? own + other - low : low;
}

/// Which of the two entries of row i stands at its column number k.
static double L_at(int i, int k)
{
    const int own = i % 3 ? i : (i + 1) % NX;
    return L_entry(i, L_column(i, k) != own);
}

static int net_L(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int i = 0; i < NX; i++) {
        for (int k = 0; k < 2; k++) {
            out[2 * i + k] = L_at(i, k);
        }
    }
    return 0;
}

static int stiff_f(double t, const double *x, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < NX; i++) {
        out[i] = cos(t * i);
        for (int k = 0; k < 2; k++) {
            out[i] += L_at(i, k) * x[L_column(i, k)];
        }
    }
    return 0;
}

static int bent_f(double t, const double *x, double *out, void *user)
{
    stiff_f(t, x, out, user);
    out[4] += 0.01 * x[4] * x[4];
    return 0;
}

static trm_dae_large by_rows_with_L(void)
{
    trm_dae_large large = by_rows();
    for (int i = 0; i <= NX; i++) {
        starts_L[i] = 2 * i;
    }
    for (int k = 0; k < 2 * NX; k++) {
        columns_L[k] = L_column(k / 2, k % 2);
    }
    large.L_rows = (trm_dae_rows){starts_L, columns_L, net_L};
    return large;
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

static void backward_euler_by_rows_is_the_dense_one(void **unused)
{
    (void)unused;
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
        trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
        options.integrator = TRM_DAE_BACKWARD_EULER;
        options.E = TRM_E_IDENTITY;
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

// --------------------------------------------------------------------------------- what is refused

static void is_refused(const trm_dae_problem *problem, const trm_dae_options *options,
                       const double *x0, const char *says)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    const trm_status status = trm_dae_sim_create(problem, options, 0, x0, &sim, &err);
    if (status != TRM_ERR_OPTIONS || strstr(err.message, says) == NULL) {
        print_error("expected '%s', got %s: %s\n", says, trm_status_name(status), err.message);
    }
    assert_int_equal(status, TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, says));
    assert_null(sim);
}

static void what_disagrees_is_named(void **unused)
{
    (void)unused;
    net p = {.wrong_transpose = 1e-3};
    double x0[NX];
    net_start(x0);
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
    trm_dae_large large = by_products();
    trm_dae_problem problem = large_net(&p, &large);
    is_refused(&problem, &options, x0, "B and B_transposed disagree");
    large = by_products();
    large.B_transposed = NULL;
    large.G_transposed = times_Bt; // of the wrong matrix, by the same shape
    p = (net){.skew = 1};
    large.G_transposed = times_B;
    is_refused(&problem, &options, x0, "G and G_transposed disagree");
    large.G_transposed = NULL;
    is_refused(&problem, &options, x0, "GB is not symmetric");
    p.skew = 0;
    problem.g_t = NULL;
    is_refused(&problem, &options, x0, "g_t and g disagree");
    problem.g_t = net_g_t;
    double ones[NY] = {1, 1, 1, 1, 1};
    large.null = ones;
    is_refused(&problem, &options, x0, "B null is not zero");
    large.null = NULL;
    large.B_rows = by_rows().B_rows;
    is_refused(&problem, &options, x0, "one of them; got 2");
    large = by_rows();
    columns_B[1] = 0;
    is_refused(&problem, &options, x0, "expected ascending columns below 5 in row 0, got 0");
    large = by_rows();
    starts_G[2] = 1;
    is_refused(&problem, &options, x0, "expected start to begin with 0 and not to fall");
}

static int other_G(double t, const double *x, const double *v, double *out, void *user)
{
    const int code = times_G(t, x, v, out, user);
    out[0] += 0.01 * v[5];
    return code;
}

static int negative_B(double t, const double *x, const double *v, double *out, void *user)
{
    const int code = times_B(t, x, v, out, user);
    for (int i = 0; i < NX; i++) {
        out[i] = -out[i];
    }
    return code;
}

static void what_the_method_cannot_take_is_refused(void **unused)
{
    (void)unused;
    net p = {0};
    double x0[NX];
    net_start(x0);
    trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
    trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&p, &large);
    large.G = other_G;
    is_refused(&problem, &options, x0, "G and g disagree");
    large = by_products();
    large.B = negative_B;
    large.B_transposed = NULL;
    is_refused(&problem, &options, x0, "GB must be positive; change the sign of g and G, or of B");
    large = by_products();
    options.integrator = TRM_DAE_BACKWARD_EULER;
    is_refused(&problem, &options, x0, "backward Euler is for problems with linear set");
    trm_dae_problem linear = problem;
    linear.linear = 1;
    is_refused(&linear, &options, x0, "needs B_rows, G_rows and L_rows");
    if (trm_factor_available(0)) {
        const trm_dae_large with_L = by_rows_with_L();
        linear = large_net(&p, &with_L);
        linear.linear = 1;
        linear.f = bent_f;
        options.E = TRM_E_IDENTITY;
        is_refused(&linear, &options, x0, "f(v) - f(0) is off L v");
        linear.f = stiff_f;
        options.alpha1 = 1;
        is_refused(&linear, &options, x0, "takes a G that does not depend on t");
        options.alpha1 = 0;
        options.E = TRM_E_GB_INVERSE;
    }
    options.integrator = TRM_DAE_IMEX;
    is_refused(&problem, &options, x0, "an IMEX integrator needs L_rows or solve_L");
    options.integrator = TRM_DAE_HEUN;
    options.solver = TRM_DAE_SOLVER_FACTORS;
    is_refused(&problem, &options, x0, "sparse factors need B_rows and G_rows");
    options.solver = TRM_DAE_SOLVER_AUTO;
    options.E = TRM_E_IDENTITY;
    options.alpha1 = 1;
    options.epsilon = 1e-17;
    options.start = TRM_DAE_START_GIVEN;
    is_refused(&problem, &options, x0, "is lost in the rounding of alpha1 GB");
    options.E = TRM_E_GB_TRANSPOSED;
    is_refused(&problem, &options, x0, "E = (GB)^T goes with alpha1 = 0 only");
    options.alpha1 = 0;
    large.B_transposed = NULL;
    is_refused(&problem, &options, x0, "needs B_transposed and G_transposed");
}

// ------------------------------------------------------------------------------------------ flows

typedef struct flow_run {
    double eu, ep, drift;
    trm_dae_stats stats;
} flow_run;

/// Taylor-Green with nu on n by n cells until t_end; ep of the pressure at t_end.
static flow_run taylor_green(int n, double nu, double t_end, int with_rows,
                             const trm_dae_options *options, double *x_out)
{
    trm_error err = {0};
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    assert_done(trm_paper_mac_open(&mac, n, nu, 0, 1, with_rows, &err), &err);
    double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
    assert_non_null(x0);
    trm_paper_taylor_green(&mac, 0, x0);
    assert_done(trm_dae_sim_create(&mac.problem, options, 0, x0, &sim, &err), &err);
    assert_done(trm_dae_sim_run(sim, t_end, &err), &err);
    const trm_dae_state state = trm_dae_sim_state(sim, 0);
    const flow_run run = {trm_paper_taylor_green_eu(&mac, t_end, state.x),
                          trm_paper_taylor_green_ep(&mac, t_end, state.y), state.drift,
                          trm_dae_sim_stats(sim)};
    if (x_out) {
        memcpy(x_out, state.x, (size_t)mac.problem.nx * sizeof(double));
    }
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&mac);
    free(x0);
    return run;
}

static trm_dae_options for_flow(double h, double epsilon, int iterations, double alpha1)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
    options.E = TRM_E_IDENTITY;
    options.h = h;
    options.epsilon = epsilon;
    options.iterations = iterations;
    options.alpha1 = alpha1;
    options.start = TRM_DAE_START_GIVEN;
    options.tolerance = 1e-9;
    return options;
}

static void the_flow_is_of_second_order_in_h(void **unused)
{
    (void)unused;
    double eu = 0, ep = 0;
    for (int n = 8; n <= 32; n *= 2) {
        const trm_dae_options options = for_flow(0.16 / n, 1e-8, 1, 1);
        const flow_run run = taylor_green(n, 0.01, 0.4, 1, &options, NULL);
        if (n > 8) {
            assert_near(log2(eu / run.eu), 2, 0.25);
            assert_near(log2(ep / run.ep), 2, 0.25);
        }
        eu = run.eu;
        ep = run.ep;
    }
}

/// Against the limit epsilon = 0 of the same grid, which Baumgarte's method is.
static void every_iterate_gains_epsilon_in_a_flow(void **unused)
{
    (void)unused;
    enum { N = 16, UNKNOWNS = 2 * N * (N - 1) };
    double exact[UNKNOWNS], x[UNKNOWNS];
    trm_dae_options limit = trm_dae_default_options(TRM_DAE_BAUMGARTE);
    limit.h =
        1e-3; // y of the iterate before is that of mesh points: a difference of O(epsilon h^2)
    limit.alpha2 = 1;
    limit.solve_tolerance = 1e-13;
    taylor_green(N, 0.01, 0.05, 1, &limit, exact);
    for (int s = 1; s <= 3; s++) {
        double before = 0;
        for (int k = 0; k < 3; k++) {
            const double epsilon = 0.16 / (1 << k);
            trm_dae_options options = for_flow(1e-3, epsilon, s, 1);
            options.solve_tolerance = 1e-13;
            taylor_green(N, 0.01, 0.05, 1, &options, x);
            const double off = largest_difference(UNKNOWNS, x, exact);
            if (k > 0) {
                assert_near(log2(before / off), s, 0.2);
            }
            before = off;
        }
    }
}

static void multigrid_and_factors_agree(void **unused)
{
    (void)unused;
    if (!trm_factor_available(1)) {
        skip();
    }
    enum { N = 24, UNKNOWNS = 2 * N * (N - 1) };
    double rows[UNKNOWNS], products[UNKNOWNS], plain[UNKNOWNS];
    trm_dae_options options = for_flow(0.01, 1e-3, 2, 1);
    options.solve_tolerance = 1e-14;
    const flow_run by_factors = taylor_green(N, 0.01, 0.1, 1, &options, rows);
    const flow_run by_cycles = taylor_green(N, 0.01, 0.1, 0, &options, products);
    options.solver = TRM_DAE_SOLVER_CG;
    taylor_green(N, 0.01, 0.1, 1, &options, plain);
    assert_near(largest_difference(UNKNOWNS, rows, products), 0, 1e-12);
    assert_near(largest_difference(UNKNOWNS, rows, plain), 0, 1e-12);
    assert_int_equal(by_factors.stats.factorizations, 1);
    // multigrid: a bounded number of iterations; factors pinned in one cell: three at most
    assert_true(by_cycles.stats.solve_iterations < 20 * by_cycles.stats.solves);
    assert_true(by_factors.stats.solve_iterations <= 4 * by_factors.stats.solves);
}

/// alpha1 = 0 solves nothing: products only.
static void alpha1_zero_solves_nothing(void **unused)
{
    (void)unused;
    const trm_dae_options options = for_flow(3e-4, 0.5, 3, 0);
    const flow_run run = taylor_green(16, 0.01, 0.06, 0, &options, NULL);
    assert_int_equal(run.stats.solves, 0);
    const trm_dae_options one = for_flow(3e-4, 0.5, 1, 0);
    assert_true(taylor_green(16, 0.01, 0.06, 0, &one, NULL).eu > 5 * run.eu);
}

/// With every friction: the step is 20 times what an explicit one bears.
static void implicit_diffusion_is_stable_and_of_its_order(void **unused)
{
    (void)unused;
    enum { N = 32, UNKNOWNS = 2 * N * (N - 1) };
    static double x[3][UNKNOWNS];
    for (int order = 1; order <= 2; order++) {
        for (int k = 0; k < 3; k++) {
            trm_dae_options options = for_flow(0.02 / (1 << k), 1e-8, 1, 1);
            options.integrator = order == 1 ? TRM_DAE_IMEX_EULER : TRM_DAE_IMEX;
            options.solve_tolerance = 1e-12;
            taylor_green(N, 1, 0.08, 1, &options, x[k]);
        }
        const double first = largest_difference(UNKNOWNS, x[0], x[1]);
        const double second = largest_difference(UNKNOWNS, x[1], x[2]);
        assert_near(log2(first / second), order, 0.35);
    }
}

static void a_step_beyond_the_bound_is_told_by_its_number(void **unused)
{
    (void)unused;
    trm_error err = {0};
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    assert_done(trm_paper_mac_open(&mac, 16, 1, 1, 0, 1, &err), &err);
    double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
    assert_non_null(x0);
    // 8 nu k/h^2 = 4.1: Heun's method bears 2
    const trm_dae_options options = for_flow(2e-3, 1e-4, 1, 1);
    assert_done(trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err), &err);
    assert_int_equal(trm_dae_sim_run(sim, 10, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "h times the fastest rate of the equations is"));
    assert_non_null(strstr(err.message, "stable up to 2"));
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&mac);
    free(x0);
}

static void solvers_that_fail_say_how(void **unused)
{
    (void)unused;
    trm_error err = {0};
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    assert_done(trm_paper_mac_open(&mac, 16, 0.01, 1, 0, 1, &err), &err);
    double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
    assert_non_null(x0);
    trm_dae_options options = for_flow(1e-3, 1e-3, 1, 1);
    options.solver = TRM_DAE_SOLVER_CG;
    options.solve_iterations = 3;
    assert_int_equal(trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err),
                     TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "conjugate gradients leave"));
    assert_non_null(strstr(err.message, "after 3 iterations"));
    mac.large.null = NULL; // the factors of GB break, or conjugate gradients do not converge
    options = for_flow(1e-3, 1e-3, 1, 1);
    options.E = TRM_E_GB_INVERSE;
    const trm_status status = trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err);
    if (trm_factor_available(1)) {
        assert_int_equal(status, TRM_ERR_SINGULAR);
        assert_non_null(strstr(err.message, "a GB that is singular needs its null vector"));
    }
    trm_dae_sim_destroy(sim);
    sim = NULL;
    assert_null(sim);
    trm_paper_mac_close(&mac);
    free(x0);
}

/// The error of pseudo-compressibility falls with epsilon to the first order, and that of the first
/// iterate with it; the second iterate has the square.
static void pseudo_compressibility_is_of_first_order(void **unused)
{
    (void)unused;
    enum { N = 16, UNKNOWNS = 2 * N * (N - 1) };
    double exact[UNKNOWNS], x[UNKNOWNS],
        off[3]; // the waves of the first epsilon are not damped yet
    trm_dae_options limit = trm_dae_default_options(TRM_DAE_BAUMGARTE);
    limit.h = 2.5e-4;
    limit.alpha2 = 1;
    taylor_green(N, 0.1, 0.5, 1, &limit, exact);
    for (int k = 0; k < 3; k++) {
        trm_dae_options options = trm_dae_default_options(TRM_DAE_PSEUDO_COMPRESSIBILITY);
        options.h = 2.5e-4;
        options.epsilon = 0.02 / (1 << k);
        taylor_green(N, 0.1, 0.5, 1, &options, x);
        off[k] = largest_difference(UNKNOWNS, x, exact);
    }
    assert_near(log2(off[1] / off[2]), 1, 0.3);
}

/// Re = 100 on 16 and 32 cells, extrapolated to h = 0, against the spectral values: Botella &
/// Peyret, Computers & Fluids 27 (1998).
static void the_cavity_is_that_of_the_spectral_code(void **unused)
{
    (void)unused;
    trm_paper_cavity found[2];
    for (int k = 0; k < 2; k++) {
        trm_error err = {0};
        trm_paper_mac mac;
        const int n = 24 << k;
        const trm_dae_options options = for_flow(20.0 / n / n, 1e-4, 1, 1);
        assert_done(trm_paper_mac_open(&mac, n, 0.01, 1, 0, 1, &err), &err);
        assert_done(trm_paper_cavity_run(&mac, &options, 30, 1e-5, &found[k], NULL, &err), &err);
        trm_paper_mac_close(&mac);
    }
    assert_near((4 * found[1].u_min - found[0].u_min) / 3, -0.2140424, 1e-3);
    assert_near((4 * found[1].v_max - found[0].v_max) / 3, 0.1795728, 1e-3);
    assert_near((4 * found[1].v_min - found[0].v_min) / 3, -0.2538030, 1e-3);
}

static int stop_at_five(trm_dae_sim *sim, void *user)
{
    (void)sim;
    return ++*(int *)user == 5;
}

static void an_observer_sees_every_step_and_can_stop(void **unused)
{
    (void)unused;
    net p = {0};
    trm_error err = {0};
    double x0[NX];
    net_start(x0);
    const trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&p, &large);
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
    trm_dae_sim *sim = NULL;
    int calls = 0;
    assert_done(trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err), &err);
    assert_int_equal(trm_dae_sim_observe(sim, 1, stop_at_five, &calls, &err), TRM_STOPPED);
    assert_int_equal(trm_dae_sim_stats(sim).steps, 5);
    assert_done(trm_dae_sim_observe(sim, 0.01, stop_at_five, &calls, &err), &err);
    assert_int_equal(calls, 10);
    trm_dae_sim_destroy(sim);
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
static void equations_without_x_dot(void **unused)
{
    (void)unused;
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
        trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
        options.E = k / 2 ? TRM_E_GB_INVERSE : TRM_E_IDENTITY;
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

// --------------------------------------------------------------------------- miscible displacement

typedef struct three {
    double c, u, p;
} three;

/// Largest errors at t_end: c at corners, u on edges, p at centres; u and p belong to the c of
/// t_end.
static three displacement(int n, double dt, double t_end, double epsilon, int iterates,
                          double *c_out)
{
    trm_error err = {0};
    trm_paper_displacement run;
    assert_done(
        trm_paper_displacement_open(&run, &trm_paper_manufactured, n, dt, epsilon, iterates, &err),
        &err);
    const int steps = (int)lround(t_end / dt);
    for (int k = 0; k < steps; k++) {
        assert_done(trm_paper_displacement_step(&run, &err), &err);
    }
    assert_done(trm_paper_displacement_flow(&run, &err), &err);
    const trm_dae_state state = trm_dae_static_state(run.flow);
    three off = {0};
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double x = (i + 0.5) / n, y = (j + 0.5) / n;
            double u[2];
            off.p = fmax(off.p, fabs(state.y[j * n + i] - trm_paper_manufactured_p(run.t, x, y)));
            if (i < n - 1) {
                trm_paper_manufactured_u(run.t, x + 0.5 / n, y, u);
                const int k = trm_paper_darcy_right(&run.darcy, i, j);
                off.u = fmax(off.u, fabs(state.x[k] - u[0]));
            }
            const double c = trm_paper_manufactured_c(run.t, (double)i / n, (double)j / n);
            off.c = fmax(off.c, fabs(run.c[j * (n + 1) + i] - c));
        }
    }
    if (c_out) {
        memcpy(c_out, run.c, (size_t)((n + 1) * (n + 1)) * sizeof(double));
    }
    trm_paper_displacement_close(&run);
    return off;
}

/// Theorem 5.2: O(dt + h^2 + epsilon^s); h^2 with dt = O(h^2).
static void displacement_converges_in_h(void **unused)
{
    (void)unused;
    three before = {0};
    for (int n = 8; n <= 32; n *= 2) {
        const three off = displacement(n, 0.64 / n / n, 0.1, 1e-6, 1, NULL);
        if (n > 8) {
            assert_near(log2(before.c / off.c), 2, 0.25);
            assert_near(log2(before.u / off.u), 2, 0.25);
            assert_near(log2(before.p / off.p), 2, 0.25);
        }
        before = off;
    }
}

static void displacement_converges_in_dt_and_epsilon(void **unused)
{
    (void)unused;
    enum { N = 12, NODES = (N + 1) * (N + 1) };
    double c[4][NODES];
    for (int k = 0; k < 3; k++) {
        displacement(N, 0.04 / (1 << k), 0.4, 1e-6, 1, c[k]);
    }
    const double first = largest_difference(NODES, c[0], c[1]);
    assert_near(log2(first / largest_difference(NODES, c[1], c[2])), 1, 0.15);
    // one step, so that every iterate starts from P_0 = 0
    displacement(N, 0.04, 0.04, 1e-9, 2, c[3]);
    for (int s = 1; s <= 2; s++) {
        displacement(N, 0.04, 0.04, 0.2, s, c[0]);
        displacement(N, 0.04, 0.04, 0.1, s, c[1]);
        const double off = largest_difference(NODES, c[0], c[3]);
        assert_near(log2(off / largest_difference(NODES, c[1], c[3])), s, 0.2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_rows_are_dense_to_roundoff),
        cmocka_unit_test(backward_euler_by_rows_is_the_dense_one),
        cmocka_unit_test(a_GB_without_symmetry_is_factored),
        cmocka_unit_test(what_disagrees_is_named),
        cmocka_unit_test(what_the_method_cannot_take_is_refused),
        cmocka_unit_test(the_flow_is_of_second_order_in_h),
        cmocka_unit_test(every_iterate_gains_epsilon_in_a_flow),
        cmocka_unit_test(multigrid_and_factors_agree),
        cmocka_unit_test(alpha1_zero_solves_nothing),
        cmocka_unit_test(implicit_diffusion_is_stable_and_of_its_order),
        cmocka_unit_test(a_step_beyond_the_bound_is_told_by_its_number),
        cmocka_unit_test(solvers_that_fail_say_how),
        cmocka_unit_test(the_cavity_is_that_of_the_spectral_code),
        cmocka_unit_test(pseudo_compressibility_is_of_first_order),
        cmocka_unit_test(an_observer_sees_every_step_and_can_stop),
        cmocka_unit_test(equations_without_x_dot),
        cmocka_unit_test(displacement_converges_in_h),
        cmocka_unit_test(displacement_converges_in_dt_and_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
