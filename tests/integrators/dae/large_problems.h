/// A large problem x' = f - B y, 0 = g, given by dense matrices, by products and by rows; and what
/// else several tests of large problems share.
#pragma once

#include "engine/linear/sparse.h"
#include "tests/integrators/dae/dae_checks.h"
#include "tests/near.h"
#include "trammel/trammel_dae.h"
#include "validation/papers/darcy/cases.h"
#include "validation/papers/flow/cavity.h"
#include "validation/papers/flow/taylor_green.h"

#include <string.h>

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

static inline double G_entry(double t, int i, int j)
{
    return (i == j ? 2 : 0) + 0.3 * sin(1 + 3 * i + 5 * j) * (1 + 0.2 * sin(t));
}

static inline double G_rate(double t, int i, int j)
{
    return 0.3 * sin(1 + 3 * i + 5 * j) * 0.2 * cos(t);
}

static inline double B_entry(const net *p, double t, int i, int j)
{
    return G_entry(t, j, i) + (p->skew ? 0.2 * cos(2 * i - j + t) : 0);
}

static inline int net_f(double t, const double *x, double *out, void *user)
{
    (void)user;
    for (int i = 0; i < NX; i++) {
        out[i] = -x[i] * x[i] + cos(t * i) - 0.5 * x[(i + 1) % NX];
    }
    return 0;
}

static inline int net_g(double t, const double *x, double *out, void *user)
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

static inline int net_g_t(double t, const double *x, double *out, void *user)
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

static inline int net_B(double t, const double *x, double *out, void *user)
{
    (void)x;
    for (int k = 0; k < NX * NY; k++) {
        out[k] = B_entry(user, t, k / NY, k % NY);
    }
    return 0;
}

static inline int net_G(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    for (int k = 0; k < NX * NY; k++) {
        out[k] = G_entry(t, k / NX, k % NX);
    }
    return 0;
}

static inline int times_B(double t, const double *x, const double *v, double *out, void *user)
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

static inline int times_Bt(double t, const double *x, const double *v, double *out, void *user)
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

static inline int times_G(double t, const double *x, const double *v, double *out, void *user)
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

static inline int times_Gt(double t, const double *x, const double *v, double *out, void *user)
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

static inline trm_dae_large by_products(void)
{
    return (trm_dae_large){
        .B = times_B, .G = times_G, .B_transposed = times_Bt, .G_transposed = times_Gt};
}

static inline trm_dae_large by_rows(void)
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

static inline trm_dae_problem dense_net(net *p)
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

static inline trm_dae_problem large_net(net *p, const trm_dae_large *large)
{
    trm_dae_problem problem = dense_net(p);
    problem.B = problem.G = NULL;
    problem.large = large;
    return problem;
}

static inline void net_start(double x[NX])
{
    for (int i = 0; i < NX; i++) {
        x[i] = sin(i);
    }
}

// ------------------------------------------------------------------------------ backward Euler

static int starts_L[NX + 1], columns_L[2 * NX];

/// L x: two entries in a row, the diagonal missing in every third: before them or,
/// in row 9, behind them.
static inline double L_entry(int i, int which)
{
    return which ? 0.4 * cos(2 + i) : i % 3 ? -30.0 * (i + 1) : 0.7;
}

static inline int L_own(int i)
{
    return i % 3 ? i : i == 9 ? 8 : i + 1;
}

static inline int L_column(int i, int which)
{
    const int other = (i + 3) % NX, own = L_own(i);
    const int low = own < other ? own : other;
    return which ? own + other - low : low;
}

/// Which of the two entries of row i stands at its column number k.
static inline double L_at(int i, int k)
{
    return L_entry(i, L_column(i, k) != L_own(i));
}

static inline int net_L(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    for (int i = 0; i < NX; i++) {
        for (int k = 0; k < 2; k++) {
            out[2 * i + k] = L_at(i, k);
        }
    }
    return 0;
}

static inline int stiff_f(double t, const double *x, double *out, void *user)
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

static inline trm_dae_large by_rows_with_L(void)
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
