/// The terms of [EOM], [VEL] and [ACC] at any state, and forward dynamics there.
#pragma once

#include "engine/system/system.h"
#include "trammel/trammel_equations.h"

/// Room that trm_terms_at works in.
typedef struct trm_terms_work {
    double *a;      ///< [nq + nv]
    double *lambda; ///< [nc]
    double *gamma;  ///< [nc]
    double *x;      ///< [nv]
} trm_terms_work;

/// Fill the arrays of `out` at (t, q, v), `force` (NULL: none) added to f in [EOM]. Returns 0, or >
/// 0, < 0 as a system does. Leaves another current point and factorization behind.
int trm_terms_at(trm_system *system, double t, const double *q, const double *v,
                 const double *force, const trm_terms *out, const trm_terms_work *work);

/// The error for a nonzero code of it, "at" t or "in the step after" t. Errors: CALLBACK, SINGULAR.
trm_status trm_terms_fail(const trm_system *system, const char *when, double t, int code,
                          trm_error *err);
