/// The lid-driven cavity: a unit square of fluid that sticks to its walls, whose top moves to the
/// right with velocity 1; Re = 1/nu. From rest to the steady state.
#pragma once

#include "validation/papers/flow/mac.h"

/// What is compared: extrema of u on x = 1/2 and of v on y = 1/2, with their places. n is even.
typedef struct trm_paper_cavity {
    double u_min, y_min;
    double v_max, x_max;
    double v_min, x_min;
    double rate; ///< max |x'| at the end
    double t;
    trm_dae_stats stats;
} trm_paper_cavity;

/// Until |x'| <= rate or t_end. x[nx] is the velocity at the end; NULL: not wanted. Errors: those
/// of the run.
trm_status trm_paper_cavity_run(trm_paper_mac *mac, const trm_dae_options *options, double t_end,
                                double rate, trm_paper_cavity *out, double *x, trm_error *err);

/// The extrema of a velocity field.
void trm_paper_cavity_extrema(const trm_paper_mac *mac, const double *x, trm_paper_cavity *out);

/// Stream function and vorticity at the (n+1)*(n+1) corners of the cells.
void trm_paper_cavity_corners(const trm_paper_mac *mac, const double *x, double *stream,
                              double *vorticity);
