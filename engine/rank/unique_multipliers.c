// Which multipliers are unique: those that no w in null(G^T) touches.

#include "base/finite.h"
#include "base/status.h"
#include "engine/rank/dependent_sets.h"
#include "engine/system/terms.h"
#include "trammel/trammel_check.h"

#include <math.h>

static trm_status by_rank(trm_conditioning *conditioning, double t, const double *q, int *unique,
                          trm_error *err)
{
    trm_row_sets sets;
    trm_pool pool = {NULL};
    if (trm_conditioning_at(conditioning, t, q)) {
        return trm_terms_fail(conditioning->system, "at", t, 1, err);
    }
    const int ok =
        trm_conditioning_rank(conditioning) && trm_row_sets_open(&sets, conditioning, &pool);
    for (int i = 0; ok && i < conditioning->nc; i++) {
        unique[i] = trm_row_sets_unique(&sets, i);
    }
    trm_pool_close(&pool);
    return ok ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a rank");
}

static trm_status check_question(const trm_model *model, double t, const double *q,
                                 const int *unique, trm_error *err)
{
    if (!model || !q || !unique) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !model ? "model"
                        : !q   ? "q"
                               : "unique",
                        "expected a model, a position and a place for the answers, got NULL");
    }
    return isfinite(t) && trm_all_finite(model->sizes.nq, q)
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                          "expected finite numbers in t and q, got one that is not");
}

trm_status trm_unique_multipliers(const trm_model *model, double t, const double *q, int *unique,
                                  trm_error *err)
{
    TRM_TRY(check_question(model, t, q, unique, err));
    for (int i = 0; i < model->sizes.nc; i++) {
        unique[i] = 1;
    }
    if (!model->may_lose_rank) {
        return TRM_OK;
    }
    if (model->sizes.nc > TRM_DENSE_ROWS) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL, "too many rows (%d) to tell unique forces",
                        model->sizes.nc);
    }
    trm_conditioning conditioning;
    trm_status status =
        trm_conditioning_open(&conditioning, model, TRM_CONDITIONING_RANK, 1e-10, NULL, err);
    conditioning.bound = fmax(model->misfit, TRM_DEPENDENT);
    if (status == TRM_OK) {
        status = by_rank(&conditioning, t, q, unique, err);
    }
    trm_conditioning_close(&conditioning);
    return status;
}
