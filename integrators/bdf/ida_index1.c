/// Index 1, as in trm_plain and trm_baumgarte, with the multipliers among the unknowns:
///
///     q'             = N(q) v
///     M v'           = f - G^T lambda
///     G v'           = gamma - alpha1 (G v + g_t) - alpha0 g + delta lambda
///
/// So nothing is eliminated, and Newton's matrix stays sparse. delta: see ida.c.
#include "integrators/bdf/ida.h"
#include "trammel/trammel_methods.h"

static int residual_here(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    (void)t;
    trm_system *system = run->system;
    const int nq = system->nq, nv = system->nv, nc = system->nc;
    const double *v = y + nq, *a = dy + nq, *lambda = y + nq + nv;
    double *rows = r + nq + nv;
    int code = trm_ida_motion(run, y, dy, v, r);
    code = code ? code : trm_system_acceleration_residual(system, v, a, rows);
    if (run->options.stabilization == TRM_STABILIZATION_BAUMGARTE) {
        trm_system_velocity_residual(system, v, run->work_c);
        for (int i = 0; i < nc; i++) {
            rows[i] += run->options.baumgarte.alpha1 * run->work_c[i] +
                       run->options.baumgarte.alpha0 * system->g[i];
        }
    }
    trm_ida_damp(run, 0, lambda, rows);
    return code;
}

static int residual(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    const int code = trm_system_position(run->system, t, y);
    return code ? code : residual_here(run, t, y, dy, r);
}

const trm_ida_form trm_ida_index1_form = {.multipliers = 1,
                                          .index = 1,
                                          .eliminates = 1,
                                          .residual = residual,
                                          .residual_here = residual_here};
