/// Darcy's law in a square, u = -a grad p, div u = q, as x = f - B y, 0 = g: water is pumped from
/// the lower left corner to the upper right one, around a wall of clay in the middle. A program of
/// your own:
///
///     cc darcy.c $(pkg-config --cflags --libs trammel) -lm
///
/// n by n cells: x = u on inner edges, y = p in the middle of cells, B = a grad, g = q - div x.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel_dae.h>

enum { N = 32, HALF = N * (N - 1), NX = 2 * HALF, NY = N * N };

/// Cells before and after edge k.
static void cells_of(int k, int *before, int *after)
{
    *before = k < HALF ? k / (N - 1) * N + k % (N - 1) : k - HALF;
    *after = *before + (k < HALF ? 1 : N);
}

/// Sand, and clay a thousand times as tight.
static double a(int k)
{
    int before, after;
    cells_of(k, &before, &after);
    const int i = before % N, j = before / N;
    return i > N / 4 && i < 3 * N / 4 && j > 7 * N / 16 && j < 9 * N / 16 ? 1e-3 : 1;
}

static int f(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int k = 0; k < NX; k++) {
        out[k] = 0; // no gravity
    }
    return 0;
}

static int B(double t, const double *x, const double *p, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int k = 0; k < NX; k++) {
        int before, after;
        cells_of(k, &before, &after);
        out[k] = a(k) * N * (p[after] - p[before]);
    }
    return 0;
}

/// -div v
static int G(double t, const double *x, const double *v, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int i = 0; i < NY; i++) {
        out[i] = 0;
    }
    for (int k = 0; k < NX; k++) {
        int before, after;
        cells_of(k, &before, &after);
        out[before] -= N * v[k];
        out[after] += N * v[k];
    }
    return 0;
}

static int g(double t, const double *x, double *out, void *user)
{
    G(t, x, x, out, user);
    out[0] += N * N; // one unit of volume and time in, and out
    out[NY - 1] -= N * N;
    return 0;
}

int main(void)
{
    static double constant[NY];
    for (int k = 0; k < NY; k++) {
        constant[k] = 1;
    }
    const trm_dae_large products = {.B = B, .G = G, .constant = 1, .null = constant};
    const trm_dae_problem darcy = {
        .name = "Darcy", .nx = NX, .ny = NY, .f = f, .g = g, .large = &products};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = 1e-3;
    options.solve_tolerance = 1e-12;
    trm_dae_static *flow = NULL;
    trm_error err;
    int failed = trm_dae_static_create(&darcy, &options, 0, &flow, &err);
    for (int s = 1; s <= 4 && !failed; s++) {
        failed = trm_dae_static_iterate(flow, &err);
        const trm_dae_state state = trm_dae_static_state(flow);
        printf("iterate %d: the pressure falls by %.6f, div u is off by %.1e of %d\n", s,
               state.y[0] - state.y[NY - 1], state.drift, N * N);
    }
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    trm_dae_static_destroy(flow);
    return failed != 0;
}
