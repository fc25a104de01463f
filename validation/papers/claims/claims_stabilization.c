/// What the stabilization paper [ACPR95] says beside its tables: Example 1, and where the F of its
/// adaptive runs is from.
#include "validation/papers/claims/claims.h"
#include "validation/papers/problems/problems.h"
#include "validation/papers/shared/run.h"

#include <math.h>

/// Table 6.4's last row; NaN when F at the corrected point is not far below it.
trm_status trm_paper_claim_stage(double *found, trm_error *err)
{
    static const double printed = 1.7e-8;
    trm_paper_outcome by[2];
    for (int k = 0; k < 2; k++) {
        trm_options options = trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
        options.mass_metric = 0; // (5.6)
        options.rtol = 1e-5;
        options.atol = 1e-6;
        options.h = 1e-4;
        options.step_control = TRM_STEP_CONTROL_ACPR;
        options.post.formula = k ? TRM_POST_FORMULA_STAGE : TRM_POST_FORMULA_PRINTED;
        const trm_status status =
            trm_paper_run_whole(&trm_paper_andrews, &options, 0.3, &by[k], err);
        if (status != TRM_OK) {
            return status;
        }
    }
    *found = by[0].velocity < 1e-3 * printed ? by[1].velocity / printed : NAN;
    return TRM_OK;
}

/// (g, g') after a step of Euler's method on g'' + 2 gamma g' + gamma^2 g = 0, gamma = 1/h.
static void euler(double h, const double g[2], double out[2])
{
    const double gamma = 1 / h;
    out[0] = g[0] + h * g[1];
    out[1] = g[1] - h * (2 * gamma * g[1] + gamma * gamma * g[0]);
}

trm_status trm_paper_claim_baumgarte(double *found, trm_error *err)
{
    (void)err;
    *found = INFINITY;
    for (double h = 1; h > 5e-5; h /= 10) {
        double norm = 0, square = 0, B[2][2];
        for (int j = 0; j < 2; j++) { // column j
            const double unit[2] = {j == 0, j == 1};
            double twice[2];
            euler(h, unit, B[j]);
            euler(h, B[j], twice);
            square = fmax(square, fmax(fabs(twice[0]), fabs(twice[1])));
        }
        for (int i = 0; i < 2; i++) {
            norm = fmax(norm, fabs(B[0][i]) + fabs(B[1][i]));
        }
        // products of entries up to 1/h cancel: roundoff of 1/h^2
        *found = square < 1e-15 / (h * h) ? fmin(*found, h * norm) : NAN;
    }
    return TRM_OK;
}
