/// Collocation of a boundary value problem by one point, written once more with one full matrix:
/// every iterate at every mesh point; and what shooting back keeps.
#include "tests/integrators/dae/wide_problem.h"

// ----------------------------------------------------------- x' = A x + q - B y, 0 = C x + r, E =
// I

enum { N3 = 3, STEPS = 7, ALL = (STEPS + 1) * N3 };

static const double A[N3][N3] = {{-0.5, 2, 0.3}, {0.7, 0.2, -1}, {0, 0.4, -0.3}};
static const double B0[2 * N3] = {0, 0, 1, 0, 0, 0}, B1[2 * N3] = {0, 0, 0, 0, 1, 0.5};
static const double beta[2] = {1, -0.7};
static const double t0 = 0.5, tf = 1.7, epsilon = 0.3;

static void q_of(double t, double *q)
{
    for (int i = 0; i < N3; i++) {
        q[i] = sin(t + 2 * i);
    }
}

static void B_of(double t, double *B)
{
    B[0] = 1;
    B[1] = 0.4 * t;
    B[2] = 0.2;
}

static void C_of(double t, double *C)
{
    C[0] = 0;
    C[1] = 1;
    C[2] = 0.5 * sin(t);
}

static double r_of(double t)
{
    return cos(3 * t);
}

static int box_f(double t, const double *x, double *f, void *user)
{
    (void)user;
    q_of(t, f);
    for (int i = 0; i < N3; i++) {
        for (int j = 0; j < N3; j++) {
            f[i] += A[i][j] * x[j];
        }
    }
    return 0;
}

static int box_B(double t, const double *x, double *B, void *user)
{
    (void)x, (void)user;
    B_of(t, B);
    return 0;
}

static int box_G(double t, const double *x, double *G, void *user)
{
    (void)x, (void)user;
    C_of(t, G);
    return 0;
}

static int box_g(double t, const double *x, double *g, void *user)
{
    double C[N3];
    (void)user;
    C_of(t, C);
    *g = r_of(t) + C[0] * x[0] + C[1] * x[1] + C[2] * x[2];
    return 0;
}

static int box_g_t(double t, const double *x, double *g_t, void *user)
{
    (void)user;
    *g_t = -3 * sin(3 * t) + 0.5 * cos(t) * x[2];
    return 0;
}

static const trm_dae_problem box = {.name = "box",
                                    .nx = N3,
                                    .ny = 1,
                                    .f = box_f,
                                    .B = box_B,
                                    .g = box_g,
                                    .G = box_G,
                                    .g_t = box_g_t,
                                    .linear = 1};

/// x := M^-1 x by elimination, rows exchanged.
static void eliminate(int n, double M[ALL][ALL], double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++) {
            best = fabs(M[i][k]) > fabs(M[best][k]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            const double entry = M[k][j];
            M[k][j] = M[best][j];
            M[best][j] = entry;
        }
        const double right = x[k];
        x[k] = x[best];
        x[best] = right;
        for (int i = k + 1; i < n; i++) {
            const double factor = M[i][k] / M[k][k];
            for (int j = k; j < n; j++) {
                M[i][j] -= factor * M[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            x[i] -= M[i][j] * x[j];
        }
        x[i] /= M[i][i];
    }
}

/// One iterate: x at mesh points from y of the iterate before, and y := y + g/epsilon at the point
/// of each step, in its middle or at its end.
static void iterate_box(int at_end, double *x, double y[STEPS])
{
    static double M[ALL][ALL];
    const double h = (tf - t0) / STEPS, left = at_end ? 0 : 0.5, right = 1 - left;
    double C[N3], B[N3], q[N3];
    memset(M, 0, sizeof M);
    for (int k = 0; k < 2; k++) {
        memcpy(M[k], B0 + k * N3, sizeof C);
        memcpy(M[k] + STEPS * N3, B1 + k * N3, sizeof C);
        x[k] = beta[k];
    }
    C_of(t0, M[2]);
    x[2] = -r_of(t0);
    for (int i = 1; i <= STEPS; i++) {
        const double t = t0 + (i - left) * h;
        B_of(t, B);
        C_of(t, C);
        q_of(t, q);
        for (int k = 0; k < N3; k++) {
            double *const row = M[i * N3 + k];
            for (int j = 0; j < N3; j++) {
                const double J = A[k][j] - B[k] * C[j] / epsilon;
                row[(i - 1) * N3 + j] = -(k == j) - left * h * J;
                row[i * N3 + j] = (k == j) - right * h * J;
            }
            x[i * N3 + k] = h * (q[k] - B[k] * (y[i - 1] + r_of(t) / epsilon));
        }
    }
    eliminate(ALL, M, x);
    for (int i = 1; i <= STEPS; i++) {
        const double t = t0 + (i - left) * h;
        double g, middle[N3];
        for (int k = 0; k < N3; k++) {
            middle[k] = left * x[(i - 1) * N3 + k] + right * x[i * N3 + k];
        }
        box_g(t, middle, &g, NULL);
        y[i - 1] += g / epsilon;
    }
}

static trm_dae_bvp *open_box(const trm_dae_boundary *boundary, double y0)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.epsilon = epsilon;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.y0 = &y0;
    assert_done(trm_dae_bvp_create(&box, &options, boundary, &bvp, &err), &err);
    return bvp;
}

static const trm_dae_boundary conditions = {
    .t0 = 0.5, .tf = 1.7, .steps = STEPS, .B0 = B0, .B1 = B1, .beta = beta};

CLAIM(iterates_are_those_of_the_full_matrix)
{
    for (int at_end = 0; at_end < 2; at_end++) {
        trm_dae_boundary boundary = conditions;
        boundary.points = at_end ? TRM_DAE_POINTS_RADAU : TRM_DAE_POINTS_GAUSS;
        trm_dae_bvp *bvp = open_box(&boundary, 0.6);
        const double h = (tf - t0) / STEPS;
        double x[ALL], y[STEPS], B[N3], g;
        for (int i = 0; i < STEPS; i++) {
            y[i] = 0.6;
        }
        for (int s = 0; s < 3; s++) {
            iterate(bvp, 1);
            iterate_box(at_end, x, y);
            for (int i = 0; i <= STEPS; i++) {
                const trm_dae_state state = trm_dae_bvp_state(bvp, i);
                const int step = i > 0 ? i : 1;
                const double t = t0 + (step - (at_end ? 0 : 0.5)) * h;
                B_of(t, B);
                box_g(t0 + i * h, x + i * N3, &g, NULL);
                assert_near(state.t, t0 + i * h, 1e-14);
                assert_near(trm_dae_bvp_midpoint(bvp, i), t, 1e-14);
                assert_near(state.y[0], y[step - 1], 1e-11);
                assert_near(state.g[0], g, 1e-11);
                assert_near(state.drift, fabs(g), 1e-11);
                for (int k = 0; k < N3; k++) {
                    assert_near(state.x[k], x[i * N3 + k], 1e-11);
                    assert_near(state.By[k], B[k] * y[step - 1], 1e-11);
                }
            }
        }
        assert_true(fabs(y[0] - y[1]) > 0.01);
        trm_dae_bvp_destroy(bvp);
    }
}

// ----------------------------------------------------------------------------------- shooting back

/// C of two rows, of which the second differs from the first in one small entry.
enum { N4 = 4 };
static const double flat_C[2 * N4] = {0.5, 0.5, 0, 0, 0.5, 0.5, 0.1, 0};

static int flat_f(double t, const double *x, double *f, void *user)
{
    (void)user;
    for (int i = 0; i < N4; i++) {
        f[i] = cos(t + i) - 0.3 * x[(i + 1) % N4];
    }
    return 0;
}

static int flat_B(double t, const double *x, double *B, void *user)
{
    (void)t, (void)x, (void)user;
    const double value[N4 * 2] = {1, 0, 0, 0.2, 0.3, 1, 0.1, 0};
    memcpy(B, value, sizeof value);
    return 0;
}

static int flat_G(double t, const double *x, double *G, void *user)
{
    (void)t, (void)x, (void)user;
    memcpy(G, flat_C, sizeof flat_C);
    return 0;
}

static int flat_g(double t, const double *x, double *g, void *user)
{
    (void)user;
    g[0] = 0.5 * (x[0] + x[1]) - sin(t);
    g[1] = 0.5 * (x[0] + x[1]) + 0.1 * x[2] - cos(t);
    return 0;
}

static int flat_g_t(double t, const double *x, double *g_t, void *user)
{
    (void)x, (void)user;
    g_t[0] = -cos(t);
    g_t[1] = sin(t);
    return 0;
}

/// C x + r = 0 at the end determines x_0, the first of the largest, and, the first row taken off,
/// x_2; x_1 and x_3 stay.
CLAIM(shooting_back_keeps_what_the_constraint_leaves_open)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const trm_dae_problem problem = {.name = "flat",
                                     .nx = N4,
                                     .ny = 2,
                                     .f = flat_f,
                                     .B = flat_B,
                                     .g = flat_g,
                                     .G = flat_G,
                                     .g_t = flat_g_t,
                                     .linear = 1};
    const double start[2 * N4] = {0, 1, 0, 0, 0, 0, 0, 1}, end[2 * N4] = {0}, zero[2] = {0, 0};
    const trm_dae_boundary boundary = {
        .t0 = 0, .tf = 1, .steps = 6, .B0 = start, .B1 = end, .beta = zero};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.epsilon = 0.5;
    assert_done(trm_dae_bvp_create(&problem, &options, &boundary, &bvp, &err), &err);
    assert_int_equal(trm_dae_bvp_shoot_back(bvp, 1, &err), TRM_ERR_OPTIONS);
    iterate(bvp, 1);
    assert_int_equal(trm_dae_bvp_shoot_back(bvp, 0, &err), TRM_ERR_OPTIONS);
    double before[N4], g[2];
    memcpy(before, trm_dae_bvp_state(bvp, 6).x, sizeof before);
    flat_g(1, before, g, NULL);
    assert_true(fabs(g[0]) > 1e-4 && fabs(g[1]) > 1e-4);
    assert_done(trm_dae_bvp_shoot_back(bvp, 1, &err), &err);
    const double *const x = trm_dae_bvp_state(bvp, 6).x;
    assert_near(x[1], before[1], 1e-13);
    assert_near(x[3], before[3], 1e-13);
    assert_near(trm_dae_bvp_state(bvp, 6).drift, 0, 1e-13);
    assert_true(fabs(x[0] - before[0]) > 1e-4 && fabs(x[2] - before[2]) > 1e-4);
    trm_dae_bvp_destroy(bvp);
}
