/// Stabilized index 2: projected invariants [ACPR95 (3.3)], both levels of constraints.
///
///     q'   = N(q) (v - W G^T mu),     W = M^-1 or the identity
///     M v' = f - G^T lambda
///     0    = G v + g_t - delta lambda,    0 = g - delta mu
///     work' = power + lambda^T g_t
///
/// Rows that hold velocities alone have no g: their delta is 1, and 0 = mu.
///
/// mu vanishes along the exact motion. delta makes the multipliers of dependent rows unique. It is
/// zero while G M^-1 G^T is regular at the last accepted point. Of rows that depend on others
/// everywhere it takes the null directions W of null_space.h alone:
///
///     0 = G v + g_t - delta D W W^T D lambda
///
/// The range of G is orthogonal to the null direction W' of here. Where W'^T D W is regular, as it
/// is within a step, W^T D lambda = 0 follows, and 0 = G v + g_t without a remainder. In Newton's
/// matrix the diagonal delta D stands for that. On other directions it is the part delta c of
/// G M^-1 G^T/c; delta is trm_options.damping/c, at most times a period of the
/// motion, so that this is 1e-10. Near a singular position delta D, times that period, takes all of
/// lambda and leaves a residual: a floor of the error that is proportional to the damping. A tenth
/// of the default damping leaves a tenth of the floor, but Newton's method then meets roundoff:
/// below tolerances of 1e-9 steps become many, and scenes/four_bar_40.json does not end; damping
/// nearer to singular positions only, or in proportion to 1/c, does not get through them at such
/// tolerances. (A proximal step, delta (lambda - lambda_n), has a lower floor on
/// scenes/four_bar.json, but does not get through scenes/double_four_bar.json.)
#include "integrators/bdf/ida.h"
#include "trammel/trammel_methods.h"

#include <string.h>

/// F at v, a, lambda, mu; the system is already at (t, q).
static int residual_here(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    (void)t;
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    const int nq = system->nq, nv = system->nv, nc = system->nc;
    const double *v = y + nq, *lambda = v + nv, *mu = lambda + nc;
    double *rows = r + nq + nv;
    // u = v - W G^T mu
    trm_system_spread(system, trm_ida_metric(run), mu, ida->x2);
    for (int i = 0; i < nv; i++) {
        ida->x2[i] = v[i] - ida->x2[i];
    }
    const int code = trm_ida_motion(run, y, dy, ida->x2, r);
    trm_system_velocity_residual(system, v, rows);
    memcpy(rows + nc, system->g, (size_t)nc * sizeof(double));
    trm_ida_damp(run, 0, lambda, rows);
    trm_ida_damp(run, 1, mu, rows + nc);
    return code;
}

static int residual(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    const int code = trm_system_position(run->system, t, y);
    return code ? code : residual_here(run, t, y, dy, r);
}

const trm_ida_form trm_ida_ggl_form = {
    .multipliers = 2, .index = 2, .residual = residual, .residual_here = residual_here};

/// Accelerations and multipliers at the end of a step are those of [EOM] and [ACC].
const trm_stabilization_ops trm_ggl = {
    .id = TRM_STABILIZATION_GGL,
    .name = "ggl",
    .doc = "stabilized index 2: g = 0 and its derivative both kept to the tolerance",
    .source = "ACPR95 (3.3), both levels",
    .parameters = "metric",
    .rates = trm_index1_rates,
};
