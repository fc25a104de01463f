/// A run with initial values: all iterates advance together, step by step [AL93 section 4.2], so
/// that memory does not depend on the number of steps. The reaction of iterate s-1 that iterate s
/// needs is a mesh function: its values at t_n and, from the finished iterate s-1, at t_{n+1}.
#pragma once

#include "integrators/dae/dae_form.h"

/// One iterate at a mesh point.
typedef struct trm_dae_iterate {
    double *z;        ///< [nz]
    double *dz;       ///< [nz] F(z, t)
    double *reaction; ///< [nr] y or By
    double *By;       ///< [nx]
    double *g;        ///< [ny]
} trm_dae_iterate;

/// z of next[s] at t from now[s] at sim->t and the reactions of now[s-1] and next[s-1].
typedef trm_dae_code trm_dae_advance_fn(trm_dae_sim *sim, int s, double t);

struct trm_dae_sim {
    trm_arena arena;
    trm_dae_law law;
    trm_dae_advance_fn *advance;
    int m;
    double t;
    double mesh; ///< t as it would be without shifts: t_origin + count*h
    double t_origin;
    long count;
    trm_dae_iterate *now, *next; ///< [m+1]; iterate 0 is only a place
    double *stage, *dstage;      ///< [nz]
    double *slope;               ///< [nz] k1 of IMEX
    double *matrix;              ///< [nz*nz] of backward Euler
    int *exchanged;              ///< [nz]
    double scale;                ///< the larger of 1 and |x0|
    long steps, shifts;
};

/// The reaction of iterate s-1; NULL, that of y_0, for s = 1.
static inline const double *trm_dae_before(const trm_dae_iterate *list, int s)
{
    return s > 1 ? list[s - 1].reaction : NULL;
}

trm_dae_advance_fn trm_dae_heun, trm_dae_forward_euler, trm_dae_backward_euler, trm_dae_imex_euler,
    trm_dae_imex;
