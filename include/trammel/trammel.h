/// @file
/// Trammel: dynamics of mechanisms, from a scene file to a trajectory. This header includes all
/// others.
///
/// @code
///     trm_scene *scene = NULL;
///     trm_model *model = NULL;
///     trm_sim *sim = NULL;
///     trm_options options;
///     trm_error err;
///     if (!trm_scene_load("scenes/slider_crank_swing.json", &scene, &err) &&
///         !trm_model_build(scene, &model, &err) &&
///         !trm_choose_options(model, 1e-6, &options, NULL, &err) &&
///         !trm_sim_create(model, &options, &sim, &err) &&
///         !trm_sim_run(sim, 10, NULL, NULL, &err)) {
///         printf("%g rad\n", trm_sim_state(sim).q[2]);
///     }
/// @endcode
///
///   [EOM]  M(q) a = f(t,q,v) - G(t,q)^T lambda,    q' = N(q) v,    0 = g(t,q)
///   [VEL]  0 = G v + g_t       g_t: partial derivative in t, zero unless a row is driven
///   [ACC]  0 = G a - gamma     gamma: minus everything in g'' that is free of a
///
/// Units    SI and radians, everywhere; there is no unit option. Double precision only. Signs
/// -G^T lambda is the constraint force on the mechanism. Shapes   name[rows] or name[rows*cols],
/// row-major; indices start at 0. Memory   *_load, *_build, *_create pair with *_destroy, which
/// accepts NULL. Arguments are copied
///          unless called "borrowed". Within a step Trammel itself allocates nothing; SUNDIALS may,
///          and so does a change of method.
/// Threads  No globals. A trm_model may serve many threads, a trm_scene or trm_sim one at a time; a
///          second call at work on a run, from another thread or from a function or observer that
///          it has called, is refused where it is seen.
/// Versions A struct that reports is filled up to the size that its caller was compiled with
///          (trm_sim_get_report); it grows at its end only. TRM_VERSION_CHECK at the start.
/// Misuse   NULL where something is needed, an index or a size out of range, numbers that are not
///          finite: OPTIONS and a sentence. Functions without a status give zeros, NAN or NULL.
/// Sources  [AL95] Ascher & Lin, sequential regularization, nonlinear higher index (1995).
///          [AL93] the same, linear index 2 (1993).  [ACPR95] Ascher, Chin, Petzold & Reich (1995).
///          [B72] Baumgarte, CMAME 1 (1972).  Symbols: docs/reference/notation.md.
#ifndef TRAMMEL_H
#define TRAMMEL_H

#include "trammel_batch.h"
#include "trammel_check.h"
#include "trammel_contact.h"
#include "trammel_equations.h"
#include "trammel_methods.h"
#include "trammel_query.h"
#include "trammel_report.h"
#include "trammel_simulate.h"

#endif
