/// Context of a diagnosis, shared by its steps. Each step reads the results of the steps before it:
///
///   start -> motion -> sets -> drive -> idle -> given -> assemblies -> relax
#pragma once

#include "base/scene/scene.h"
#include "base/status.h"
#include "engine/rank/closing.h"
#include "engine/rank/dependent_sets.h"
#include "simulation/run/misfit.h"
#include "trammel/trammel_check.h"

typedef struct trm_diagnosis_context {
    trm_diagnosis found; ///< first, so that the caller's pointer is ours
    const trm_scene *scene;
    const trm_model *model;
    const trm_options *options; ///< of these:
    double damping, tolerance;
    int assemble;
    double end;
    trm_conditioning conditioning;
    trm_sim *start;                 ///< where rows repeat others except for a misfit; NULL: nowhere
    double *q, *v;                  ///< the position examined; velocities of the start
    double *generic;                ///< [nq] a nearby closed position of highest rank
    double generic_t;               ///< s
    double *unit, *room;            ///< [nc] of rows at the start, [trm_units_room]
    double *moved;                  ///< [nv]
    double *direction;              ///< [nv]
    double *trial, *from, *attempt; ///< [nq]
    char *row_off, *held;           ///< [nc], [nv]
    trm_redundancy *sets;           ///< [2*nc + 2] structural, singular here, conflicts
    trm_conflict *conflict;         ///< [2]
    int no_memory;                  ///< nonzero: a part lacked memory
    trm_check *large;               ///< the diagnosis of a very large model
    trm_pool pool;
} trm_diagnosis_context;

/// Errors of all parts: MEMORY, CALLBACK.
trm_status trm_diagnosis_start(trm_diagnosis_context *context, trm_error *err);  ///< check_start.c
trm_status trm_diagnosis_motion(trm_diagnosis_context *context, trm_error *err); ///< check_motion.c
trm_status trm_diagnosis_sets(trm_diagnosis_context *context,
                              trm_error *err); ///< check_redundancy.c
trm_status trm_diagnosis_drive(trm_diagnosis_context *context, trm_error *err); ///< check_drive.c
trm_status trm_diagnosis_idle(trm_diagnosis_context *context, trm_error *err);  ///< check_idle.c
trm_status trm_diagnosis_given(trm_diagnosis_context *context, trm_error *err); ///< check_given.c
trm_status trm_diagnosis_assemblies(trm_diagnosis_context *context,
                                    trm_error *err); ///< check_assemblies.c
trm_status trm_diagnosis_relax(trm_diagnosis_context *context, trm_error *err); ///< check_relax.c

trm_status trm_diagnosis_ends(trm_diagnosis_context *context, trm_error *err); ///< check_ends.c

/// Find the smallest set of joints that no position near `q` satisfies at t and append it to
/// conflicts and sets. q: the position of least residual.
trm_status trm_diagnosis_conflict(trm_diagnosis_context *context, double t, const double *q,
                                  trm_error *err); ///< check_conflict.c

/// Returns nonzero if some position satisfies the task; tried from q and `tries` positions
/// disturbed from it. q becomes the closed position, or the position of least residual.
int trm_diagnosis_closes(trm_diagnosis_context *context, const trm_closing_task *task, int tries,
                         double *q); ///< check_conflict.c

static inline trm_status trm_diagnosis_no_memory(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a diagnosis");
}
