/// The form of a problem by a method for general DAEs: an ordinary differential equation z' =
/// F(z,t) for each iterate, given the iterate before.
///
/// z is x, or (x, y) where y has an equation of its own. The reaction is passed from iterate to
/// iterate: y[ny], or By[nx] where y may be unbounded.
#pragma once

#include "engine/system/dae_system.h"

typedef struct trm_dae_law trm_dae_law;

typedef struct trm_dae_form {
    int carries_By; ///< the reaction is By[nx], else y[ny]
    int y_in_state; ///< z = (x, y), else z = x
    int iterates;   ///< options.iterates counts, else there is one
    int inverts_GB; ///< whatever E is
    /// dz[nz] = F(z,t) and the reaction at (t, z), given the reaction of the iterate before
    /// (NULL: that of y_0). Leaves B of (t, z) in the system.
    trm_dae_code (*rates)(trm_dae_law *law, double t, const double *z, const double *before,
                          double *dz, double *reaction);
    /// law->y0 := y(t) of START_EXACT; NULL: (GB)^-1 (G f + g_t).
    trm_dae_code (*start)(trm_dae_law *law, double t, const double *x);
    /// OPTIONS unless the problem is of the form; NULL: every one is.
    trm_status (*check)(trm_dae_law *law, double t, const double *x, trm_error *err);
} trm_dae_form;

/// A problem with a method.
struct trm_dae_law {
    trm_dae_system system;
    trm_dae_options options;
    const trm_dae_form *form;
    double epsilon;  ///< options.epsilon, or its negative when shooting back
    int nz;          ///< length of z
    int nr;          ///< length of the reaction
    double *y0;      ///< [ny]
    double *r, *u;   ///< [ny] work
    double *w;       ///< [nx] work
    double *spare_y; ///< [ny] work
    double *K;       ///< [ny*ny] or, PENALTY, [nx*nx]
    int *exchanged;  ///< [nx]
    double *z;       ///< [nz] work of trm_dae_affine
    double *spare;   ///< [nr]
    double *J, *c;   ///< [nz*nz], [nz] of F = J z + c
};

extern const trm_dae_form trm_dae_srm, trm_dae_srm_singular, trm_dae_penalty, trm_dae_baumgarte,
    trm_dae_park_chiou, trm_dae_pseudo, trm_dae_srm_index3;

/// NULL for a number without a method. File: dae_registry.c.
const trm_dae_form *trm_dae_form_of(trm_dae_method method);

/// OPTIONS unless the options make sense for the problem.
trm_status trm_dae_check_options(const trm_dae_problem *problem, const trm_dae_options *options,
                                 trm_error *err);
void trm_dae_law_layout(trm_dae_law *law, const trm_dae_problem *problem,
                        const trm_dae_options *options, trm_arena *arena);

/// law->y0 := y_0(t) of START_FUNCTION.
trm_dae_code trm_dae_y0(trm_dae_law *law, double t, const double *x);

/// The form's rates; a product or solution of a large problem that failed on the way counts.
trm_dae_code trm_dae_rates(trm_dae_law *law, double t, const double *z, const double *before,
                           double *dz, double *reaction);

/// OPTIONS when the functions contradict each other or the requirements of the method, at (t, x).
/// Afterwards the operators of a large problem are ready.
trm_status trm_dae_prepare_law(trm_dae_law *law, double t, const double *x, trm_error *err);
void trm_dae_law_close(trm_dae_law *law);

/// r[ny] := alpha2 g + alpha1 (G f + g_t), the residual of [AL95 (2.5)] along x' = f.
void trm_dae_residual(trm_dae_law *law, double *r);

/// Of a large problem, with r[ny] = E times the residual where alpha1 = 0, the
/// residual itself otherwise: y[ny] of (epsilon I + alpha1 E GB) y = epsilon before
/// + E r. y holds a guess. r is lost.
trm_dae_code trm_dae_regularized(trm_dae_law *law, double alpha1, const double *before, double *r,
                                 double *y);

/// J and c of F(z,t) = J z + c at t, of a linear problem.
trm_dae_code trm_dae_affine(trm_dae_law *law, double t, const double *before);
