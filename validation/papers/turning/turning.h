/// Schemes for singularly perturbed problems, chapter 6 of Lin's thesis, each on an example of our
/// own: the thesis prints no tables. Every function returns one number, NAN without memory.
#pragma once

/// 6.1.1, a repulsive turning point: -eps u'' + x u' + u - cos x = 0, u(+-1) = 2. Largest error of
/// the fitted scheme (6.15)-(6.23) with N intervals on [0, 1]; N even. Theorem: O(1/N + eps).
double trm_paper_repulsive(double eps, int N);

/// 6.1.2, an attractive turning point: -eps u'' - x u' = 0, u(+-1) = +-1. Error in L1 of (6.35) on
/// the special mesh with 2 N intervals. Theorem 6.3: O(1/N) uniformly.
double trm_paper_attractive(double eps, int N);

/// 6.2, upwinding (6.45) for -eps Lap u + u_theta/r^2 = 0 between r = 1/2 and r = 1, u = 0 and 1
/// there, mesh width 2/n.
typedef struct trm_paper_spiral {
    double error;   ///< largest
    double inverse; ///< norm of the inverse of the matrix
} trm_paper_spiral;
trm_paper_spiral trm_paper_upwind(double eps, int n);

/// 6.3, eps (u_tt - u_xx) + 2 u_t + u_x + u/2 = f with layers at t = 0 and x = 1:
/// largest difference at t = 1 of the scheme (6.63) on n and on 2 n intervals;
/// not fitted, gamma1 = gamma2 = eps.
double trm_paper_hyperbolic(double eps, int n, int fitted);
