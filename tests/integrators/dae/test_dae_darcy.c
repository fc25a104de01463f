/// Miscible displacement by Darcy's law: orders in h, in the time step and in epsilon.
#include "tests/integrators/dae/large_problems.h"

#include <stdlib.h>
#include <string.h>

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
CLAIM(displacement_converges_in_h)
{
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

CLAIM(displacement_converges_in_dt_and_epsilon)
{
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
