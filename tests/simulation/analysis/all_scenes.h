/// What several tests of the queries share.
#pragma once

#include "tests/query_rig.h"
#include "validation/papers/problems/problems_arm.h"

static const char *const scenes[] = {"andrews",
                                     "arm_parabola",
                                     "arm_sine",
                                     "bricard",
                                     "chain_10",
                                     "chain_100",
                                     "four_bar",
                                     "double_four_bar",
                                     "double_pendulum_3d",
                                     "flyball",
                                     "four_bar_40",
                                     "heavy_top",
                                     "pendulum",
                                     "slider_crank_swing",
                                     "slider_crank_turn",
                                     "spatial_slider_crank"};
enum { SCENES = sizeof scenes / sizeof *scenes };

// -------------------------------------------------------------------------------------- Jacobians

static inline double of_row(const double *J, int nv, int k, const double *x)
{
    double sum = 0;
    for (int i = 0; i < nv; i++) {
        sum += J[k * nv + i] * x[i];
    }
    return sum;
}

/// How coupler and rocker turn with the crank: r_OA + r_AB = r_OC + r_CB differentiated,
/// e x (1 r_OA + i r_AB - j r_CB) = 0.
static inline void four_bar_ratios(double *i, double *j)
{
    const double ax = 0.3, ay = 0.4, bx = 1.1, by = 0.5, cx = 0.2, cy = 0.9;
    const double det = -bx * cy + by * cx;
    *i = (ax * cy - ay * cx) / det;
    *j = -(bx * ay - by * ax) / det;
}

static inline const trm_mode *mode(const trm_linear *linear, int k)
{
    assert_true(k < linear->nmodes);
    return &linear->modes[k];
}

static inline void check_mode(const trm_linear *linear, int k, double re, double im)
{
    const double size = 1e-9 * (1 + hypot(re, im));
    near("re", mode(linear, k)->re, re, size);
    near("im", mode(linear, k)->im, im, size);
    near("frequency", mode(linear, k)->frequency, im / (2 * pi), size);
    below("error", mode(linear, k)->error, 1e-8 * (1 + hypot(re, im)));
}
