/// The constraint 0 = x0 of two variables, with B = G^T = (1, 0)^T.
#pragma once

static inline int held_g(double t, const double *x, double *g, void *user)
{
    (void)t, (void)user;
    g[0] = x[0];
    return 0;
}

/// G, and B in the same layout
static inline int held_G(double t, const double *x, double *G, void *user)
{
    (void)t, (void)x, (void)user;
    G[0] = 1;
    G[1] = 0;
    return 0;
}
