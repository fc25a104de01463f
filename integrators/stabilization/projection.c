/// Coordinate projection [ACPR95 (5.3)]: after each step
///
///     q := q - N F g  until  max|g| is at roundoff,    then  v := v - F (G v + g_t),
///     F  = W G^T (G W G^T)^-1,    W = M^-1 or the identity.
///
/// The velocity constraints are linear in v: two steps with the
/// factorization of the last position are exact.
#include "base/linear/sums.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>

enum { PASSES = 10 };

/// Newton's method in the chosen metric until the residual no longer falls.
static int project_position(trm_run *run, trm_metric metric, double t, double *q)
{
    trm_system *system = run->system;
    double residual = INFINITY;
    for (int k = 0; k < PASSES; k++) {
        TRM_TRY(trm_system_position(system, t, q));
        TRM_TRY(trm_post_factor(run));
        const double now = trm_max_norm(system->nc, system->g);
        if (now <= 4 * DBL_EPSILON || now >= residual) {
            return 0;
        }
        residual = now;
        for (int i = 0; i < system->nc; i++) {
            run->work_c[i] = -system->g[i];
        }
        trm_system_solve_S(system, run->work_c);
        trm_system_spread(system, metric, run->work_c, run->work_v);
        trm_system_move(system, run->work_v, q);
    }
    return trm_system_position(system, t, q);
}

static int correct(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    const trm_metric metric = run->options.mass_metric ? TRM_METRIC_MASS : TRM_METRIC_IDENTITY;
    if (system->nc == 0) {
        return 0;
    }
    const int code = project_position(run, metric, t, z);
    if (!code) {
        trm_post_project(run, metric, z + system->nq);
    }
    return code;
}

const trm_stabilization_ops trm_projection = {
    .id = TRM_STABILIZATION_PROJECTION,
    .name = "projection",
    .doc = "projected to roundoff after each step",
    .source = "ACPR95 (5.3)",
    .parameters = "metric",
    .takes_contacts = 1,
    .rates = trm_index1_rates,
    .correct = correct,
    .closes = 1,
};
