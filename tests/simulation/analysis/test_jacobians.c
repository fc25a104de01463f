/// Jacobians and the motions that the constraints allow, against differences and the loop equations
/// of a four-bar.
#include "tests/simulation/analysis/all_scenes.h"

#include <stdio.h>
#include <unistd.h>

static void check_jacobian(const char *name, bench *b, int body)
{
    trm_error err = {.status = TRM_OK};
    const double h = 1e-6, local[3] = {0.3, -0.2, 0.1 * (b->n.nv % 6 == 0)};
    const int nv = b->n.nv;
    double *const J = doubles(6 * nv), *const x = doubles(nv), *const q = doubles(b->n.nq);
    double bias[3], turn[3], p[2][3], u[2][3], zero[3] = {0}, c[3], w[3];
    const trm_jacobian out = {J, J + 3 * nv, bias, turn};
    for (int i = 0; i < nv; i++) {
        x[i] = chance();
    }
    rig_ok(trm_model_jacobian(b->r.model, body, local, b->q, x, &out, &err), &err);
    // x' = J v, and J' v with v held
    for (int s = 0; s < 2; s++) {
        moved(b, b->q, x, s ? -h : h, q);
        trm_model_point(b->r.model, body, local, q, x, p[s], u[s]);
    }
    for (int k = 0; k < 3; k++) {
        near(name, of_row(J, nv, k, x), (p[0][k] - p[1][k]) / (2 * h), 1e-7);
        near(name, bias[k], (u[0][k] - u[1][k]) / (2 * h), 1e-7);
    }
    // what two points of a body say of its turning: u - u0 = omega x (p - p0)
    trm_model_point(b->r.model, body, local, b->q, x, p[0], u[0]);
    trm_model_point(b->r.model, body, zero, b->q, x, p[1], u[1]);
    for (int k = 0; k < 3; k++) {
        w[k] = of_row(J + 3 * nv, nv, k, x);
        c[k] = p[0][k] - p[1][k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        near(name, w[i] * c[j] - w[j] * c[i], u[0][k] - u[1][k], 1e-12);
        near(name, turn[k], 0, 0);
    }
    free(J), free(x), free(q);
}

CLAIM(jacobians_are_derivatives)
{
    for (int k = 0; k < SCENES; k++) {
        bench b = open_bench(rig_load(scenes[k], NULL));
        for (int i = 0; i < b.n.nq; i++) {
            b.q[i] += 0.3 * chance(); // off the constraints
        }
        if (b.n.nv % 6 == 0 && b.n.nq * 6 == b.n.nv * 7) {
            for (int i = 0; i < b.n.nbody; i++) { // N is that of unit quaternions
                double *const e = b.q + 7 * i + 3,
                              length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
                e[0] /= length, e[1] /= length, e[2] /= length, e[3] /= length;
            }
        }
        take(&b, b.q, b.v, NULL);
        check_jacobian(scenes[k], &b, 0);
        check_jacobian(scenes[k], &b, b.n.nbody - 1);
        check_jacobian(scenes[k], &b, -1);
        close_bench(&b);
    }
}

// --------------------------------------------------------------------------- motions, transmission

/// Of a row with a column of a matrix with d columns.
static double product(int n, const double *row, const double *column, int d)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += row[i] * column[i * d];
    }
    return sum;
}

/// G Z = 0 and W Z = 1 for every scene, d as trm_check has it.
CLAIM(motions_are_a_basis)
{
    trm_error err = {.status = TRM_OK};
    for (int k = 0; k < SCENES; k++) {
        bench b = load(scenes[k]);
        const int nv = b.n.nv, nc = b.n.nc;
        double *const Z = doubles(nv * nv), *const W = doubles(nv * nv),
                      *const G = doubles(nc * nv);
        int d = -1;
        rig_ok(trm_query_motions(b.query, b.t, b.q, &d, Z, W, &err), &err);
        assert_int_equal(d, trm_query_freedoms(b.query, b.t, b.q, &err));
        const trm_terms wanted = {.G = G};
        rig_ok(trm_sim_terms(b.r.sim, b.t, b.q, b.v, NULL, &wanted, &err), &err);
        for (int j = 0; j < d; j++) {
            double largest = 0;
            for (int i = 0; i < nv; i++) {
                largest = fmax(largest, fabs(Z[i * d + j]));
            }
            for (int i = 0; i < nc; i++) {
                near(scenes[k], product(nv, G + i * nv, Z + j, d), 0, 1e-11 * largest);
            }
            for (int i = 0; i < d; i++) {
                near(scenes[k], product(nv, W + i * nv, Z + j, d), i == j, 1e-11);
            }
        }
        free(Z), free(W), free(G);
        close_bench(&b);
    }
}

CLAIM(a_four_bar_transmits_as_its_loop_says)
{
    trm_error err = {.status = TRM_OK};
    bench b = parse(FOUR_BAR);
    double E[18], i, j, J[27];
    const int crank = 0, both[2] = {0, 3};
    four_bar_ratios(&i, &j);
    rig_ok(transmit(&b, 1, &crank, E, &err), &err);
    near("crank", E[2], 1, 1e-13);
    near("coupler", E[5], i, 1e-13);
    near("rocker", E[8], j, 1e-13);
    // the coupler's centre: A + AB/2
    const trm_jacobian wanted = {.linear = J};
    const double centre[3] = {0};
    rig_ok(trm_model_jacobian(b.r.model, 1, centre, b.q, NULL, &wanted, &err), &err);
    near("x", of_row(J, 9, 0, E), -0.4 - i * 0.25, 1e-13);
    near("y", of_row(J, 9, 1, E), 0.3 + i * 0.55, 1e-13);
    assert_int_equal(transmit(&b, 2, both, E, &err), TRM_ERR_OPTIONS);
    rig_ok(transmit(&b, 0, NULL, E, &err), &err);
    close_bench(&b);
    // at its dead point a slider's crank is not determined by the slider: x = a cos + l cos,
    // extended
    bench dead = parse("{\"dimension\": 2, \"bodies\": ["
                       "{\"name\": \"crank\", \"mass\": 1, \"ends\": [[0, 0], [1, 0]]},"
                       "{\"name\": \"rod\", \"mass\": 1, \"ends\": [[1, 0], [3, 0]]},"
                       "{\"name\": \"slider\", \"mass\": 1, \"inertia\": 1, \"position\": [3, 0]}],"
                       "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": "
                       "[\"ground\", \"crank\"], \"at\": [0, 0]},"
                       "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"crank\", "
                       "\"rod\"], \"at\": [1, 0]},"
                       "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"rod\", "
                       "\"slider\"], \"at\": [3, 0]},"
                       "{\"name\": \"C\", \"type\": \"prismatic\", \"bodies\": [\"ground\", "
                       "\"slider\"], \"at\": [3, 0], \"axis\": [1, 0]}]}");
    const int slider = 3;
    assert_int_equal(transmit(&dead, 1, &slider, E, &err), TRM_ERR_SINGULAR);
    rig_ok(transmit(&dead, 1, &crank, E, &err), &err);
    near("rod", E[5], -0.5, 1e-13);
    near("slider", E[6], 0, 1e-13);
    close_bench(&dead);
}
