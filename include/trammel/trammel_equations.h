/// @file
/// Trammel: equations in the place of a scene, and the terms of [EOM] of any model.
///
/// @code
///     const trm_equations pendulum = {.name = "pendulum", .nq = 2, .nv = 2, .nc = 1, .q0 = start,
///                                     .M = mass, .f = force, .g = length, .G = gradient,
///                                     .gamma = curvature}; // functions of the user
///     double G[2];
///     if (!trm_model_from_equations(&pendulum, &model, &err) &&
///         !trm_sim_create(model, &options, &sim, &err)) {
///         trm_sim_terms(sim, 0, q, v, NULL, &(trm_terms){.G = G}, &err);
///     }
/// @endcode
#ifndef TRAMMEL_EQUATIONS_H
#define TRAMMEL_EQUATIONS_H

#include "trammel_scene.h"

TRM_API_BEGIN

// --------------------------------------------------------------------- models from equations alone

/// A model without a scene: [EOM] given by functions, for equations derived by hand or by a
/// symbolic tool. All functions but g_t and N are required; shapes as in trm_model_sizes.
typedef struct trm_equations {
    const char *name;
    int nq, nv, nc;
    const double *q0, *v0;  ///< [nq], [nv] initial state at t = 0, copied; NULL: zero
    trm_position_fn *M;     ///< out[nv*nv], symmetric positive definite
    trm_velocity_fn *f;     ///< out[nv], everything but M v' and G^T lambda
    trm_position_fn *g;     ///< out[nc]
    trm_position_fn *G;     ///< out[nc*nv]
    trm_position_fn *g_t;   ///< out[nc]; NULL when g does not depend on t
    trm_velocity_fn *gamma; ///< out[nc]; only methods that use [ACC] ask for it
    trm_position_fn *N;     ///< out[nq*nv]; NULL when q' = v
    void *user;             ///< borrowed until the last destroy
} trm_equations;

/// Errors: OPTIONS (missing function, sizes), MEMORY.
trm_status trm_model_from_equations(const trm_equations *eq, trm_model **out, trm_error *err);

// ---------------------------------------------------------------------------- the terms of a model

/// The terms of [EOM], [VEL] and [ACC], dense; NULL: not wanted. Memory is the caller's.
typedef struct trm_terms {
    double *M;      ///< [nv*nv]
    double *f;      ///< [nv] gravity, forces and gyroscopic terms; without `force`
    double *g;      ///< [nc]
    double *G;      ///< [nc*nv]
    double *g_t;    ///< [nc]
    double *gamma;  ///< [nc]
    double *N;      ///< [nq*nv]
    double *a;      ///< [nv] forward dynamics: M a = f + force - G^T lambda, G a = gamma
    double *lambda; ///< [nc] likewise
} trm_terms;

/// The terms at any t (s), q[nq], v[nv], on the constraints or off them; `force`[nv] (NULL: none),
/// N and N m, is a generalized force of the caller, for example of a controller. The run lends its
/// memory and continues unchanged. Errors: OPTIONS (NULL, not finite), CALLBACK, SINGULAR.
trm_status trm_sim_terms(trm_sim *sim, double t, const double *q, const double *v,
                         const double *force, const trm_terms *out, trm_error *err);

TRM_API_END

#endif
