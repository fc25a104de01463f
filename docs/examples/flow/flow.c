/// The lid-driven cavity at Re = 100 as x' = f - B y, 0 = g, without a matrix and without a
/// boundary condition for the pressure. A program of your own:
///
///     cc flow.c $(pkg-config --cflags --libs trammel) -lm
///
/// n by n cells: u on vertical faces, v on horizontal ones, p in the middle. x = (u, v) on inner
/// faces, y = p, B = grad, g = -div x. docs/validation/flows.md says why this is all that there is
/// to say.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel_dae.h>

enum { N = 32, HALF = N * (N - 1), NX = 2 * HALF, NY = N * N };

static const double nu = 0.01, lid = 1;

/// u on face i of row j; beyond a wall the value whose mean with its neighbour is the wall's
/// velocity.
static double u_at(const double *x, int i, int j)
{
    if (i == 0 || i == N) {
        return 0;
    }
    return j < 0    ? -x[i - 1]
           : j == N ? 2 * lid - x[(N - 1) * (N - 1) + i - 1]
                    : x[j * (N - 1) + i - 1];
}

static double v_at(const double *x, int i, int j)
{
    const double *v = x + HALF;
    if (j == 0 || j == N) {
        return 0;
    }
    return i < 0 ? -v[(j - 1) * N] : i == N ? -v[(j - 1) * N + N - 1] : v[(j - 1) * N + i];
}

/// nu Lap w - div(c w): w here and at its four neighbours, c the velocities between them.
static double transport(const double w[5], const double c[4])
{
    const double diffusion = nu * N * N * (w[1] + w[2] + w[3] + w[4] - 4 * w[0]);
    return diffusion - N *
                           (c[1] * (w[0] + w[2]) - c[0] * (w[0] + w[1]) + c[3] * (w[0] + w[4]) -
                            c[2] * (w[0] + w[3])) /
                           2;
}

static int f(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    for (int j = 0; j < N; j++) {
        for (int i = 1; i < N; i++) {
            const double w[5] = {u_at(x, i, j), u_at(x, i - 1, j), u_at(x, i + 1, j),
                                 u_at(x, i, j - 1), u_at(x, i, j + 1)};
            const double c[4] = {(w[0] + w[1]) / 2, (w[0] + w[2]) / 2,
                                 (v_at(x, i - 1, j) + v_at(x, i, j)) / 2,
                                 (v_at(x, i - 1, j + 1) + v_at(x, i, j + 1)) / 2};
            *out++ = transport(w, c);
        }
    }
    for (int j = 1; j < N; j++) {
        for (int i = 0; i < N; i++) {
            const double w[5] = {v_at(x, i, j), v_at(x, i - 1, j), v_at(x, i + 1, j),
                                 v_at(x, i, j - 1), v_at(x, i, j + 1)};
            const double c[4] = {(u_at(x, i, j - 1) + u_at(x, i, j)) / 2,
                                 (u_at(x, i + 1, j - 1) + u_at(x, i + 1, j)) / 2, (w[0] + w[3]) / 2,
                                 (w[0] + w[4]) / 2};
            *out++ = transport(w, c);
        }
    }
    return 0;
}

/// -div v, the product with G; normal velocities of walls are zero.
static int G(double t, const double *x, const double *v, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int k = 0; k < NY; k++) {
        const int i = k % N, j = k / N;
        out[k] = N * (u_at(v, i, j) - u_at(v, i + 1, j) + v_at(v, i, j) - v_at(v, i, j + 1));
    }
    return 0;
}

static int g(double t, const double *x, double *out, void *user)
{
    return G(t, x, x, out, user);
}

/// grad p, the product with B.
static int B(double t, const double *x, const double *p, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int k = 0; k < HALF; k++) {
        const int left = k / (N - 1) * N + k % (N - 1);
        out[k] = N * (p[left + 1] - p[left]);
        out[HALF + k] = N * (p[k + N] - p[k]);
    }
    return 0;
}

int main(void)
{
    static double x0[NX], constant[NY];
    for (int k = 0; k < NY; k++) {
        constant[k] = 1; // a pressure that moves nothing
    }
    const trm_dae_large products = {.B = B, .G = G, .constant = 1, .null = constant};
    const trm_dae_problem flow = {
        .name = "cavity", .nx = NX, .ny = NY, .f = f, .g = g, .large = &products};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.alpha1 = 1;
    options.epsilon = 1e-3;
    options.iterations = 1;
    options.start = TRM_DAE_START_GIVEN;
    options.h = 0.01; // 4 nu h/dx^2 <= 1/2
    options.solve_tolerance = 1e-6;
    trm_dae_sim *sim = NULL;
    trm_error err;
    const int failed =
        trm_dae_sim_create(&flow, &options, 0, x0, &sim, &err) || trm_dae_sim_run(sim, 15, &err);
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    } else {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        const trm_dae_stats stats = trm_dae_sim_stats(sim);
        double least = 0;
        for (int j = 0; j < N; j++) {
            least = fmin(least, u_at(state.x, N / 2, j));
        }
        printf("u falls to %.4f on the middle line, -0.2140 on ever finer grids\n", least);
        printf("largest divergence %.1e, %.0f iterations a solution\n", state.drift,
               (double)stats.solve_iterations / (double)stats.solves);
    }
    trm_dae_sim_destroy(sim);
    return failed;
}
