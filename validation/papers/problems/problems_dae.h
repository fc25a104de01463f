/// The index-2 examples of the papers as callbacks, with their exact solutions: nx = 2, ny = 1.
///
/// Signs are those of trammel_dae.h: for the examples of [AL93], y and By are
/// the negatives of the printed ones.
#pragma once

#include "trammel/trammel_dae.h"
#include "validation/papers/boundary/boundary_values.h"

typedef struct trm_paper_dae {
    trm_dae_problem problem;
    double x0[2];                       ///< at t = 0
    void (*x)(double t, double x[2]);   ///< exact solution
    void (*By)(double t, double By[2]); ///< exact B y, bounded where y is not
} trm_paper_dae;

extern const trm_paper_dae trm_paper_al95_61, ///< [AL95] example 6.1: nonsingular
    trm_paper_al95_62, ///< [AL95] example 6.2: singular at t = 1/2, y bounded
    trm_paper_al95_63, ///< [AL95] example 6.3: singular at t = 1/2, y unbounded
    trm_paper_al93_1,  ///< [AL93] examples 1, 2, 3: linear, singular at t = 1/2, y unbounded
    trm_paper_al93_3,  ///< [AL93] example 3 with x1 + x2 - e^-t - sin t = 0
    trm_paper_al93_4;  ///< [AL93] example 4: linear, B = C^T, singular at t = 1/2

/// Example 1 of [AL93] as a boundary value problem: x1(1) + x2(0) = 1/e, h = 0.01.
extern const trm_dae_boundary trm_paper_al93_1_boundary;
