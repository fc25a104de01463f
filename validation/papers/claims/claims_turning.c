#include "trammel/trammel_error.h"
#include "validation/papers/claims/claims.h"
#include "validation/papers/turning/turning.h"

#include <math.h>

enum { DECADES = 13 }; ///< epsilon = 1 .. 1e-12

static trm_status finish(double value, double *found, trm_error *err)
{
    *found = value;
    return isnan(value) ? TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory") : TRM_OK;
}

/// The largest error/(1/N + epsilon).
static double constant_at(int N)
{
    double largest = 0;
    for (int k = 0; k < DECADES; k++) {
        const double eps = k == 0 ? 0.5 : pow(10, -k);
        const double share = trm_paper_repulsive(eps, N) / (1.0 / N + eps);
        largest = isnan(share) ? share : fmax(largest, share);
    }
    return largest;
}

trm_status trm_paper_claim_repulsive(double *found, trm_error *err)
{
    return finish(constant_at(256) / constant_at(32), found, err);
}

trm_status trm_paper_claim_attractive(double *found, trm_error *err)
{
    double least = INFINITY;
    for (int k = 0; k < DECADES; k++) {
        double before = trm_paper_attractive(pow(10, -k), 40);
        for (int N = 80; N <= 320; N *= 2) {
            const double now = trm_paper_attractive(pow(10, -k), N);
            least = fmin(least, log2(before / now));
            before = now;
        }
    }
    return finish(least, found, err);
}

trm_status trm_paper_claim_spurious(double *found, trm_error *err)
{
    return finish(trm_paper_upwind(1e-5, 128).error / trm_paper_upwind(1e-5, 32).error, found, err);
}

trm_status trm_paper_claim_inverse(double *found, trm_error *err)
{
    const double grown = trm_paper_upwind(1e-5, 128).inverse / trm_paper_upwind(1e-5, 32).inverse;
    return finish(log2(grown) / 2, found, err);
}

static double least_order(int fitted)
{
    double least = INFINITY;
    for (int k = 0; k < DECADES; k++) {
        double before = trm_paper_hyperbolic(pow(10, -k), 64, fitted);
        for (int n = 128; n <= 512; n *= 2) {
            const double now = trm_paper_hyperbolic(pow(10, -k), n, fitted);
            least = fmin(least, log2(before / now));
            before = now;
        }
    }
    return least;
}

trm_status trm_paper_claim_hyperbolic(double *found, trm_error *err)
{
    return finish(least_order(1), found, err);
}

trm_status trm_paper_claim_unfitted(double *found, trm_error *err)
{
    return finish(least_order(0), found, err);
}
