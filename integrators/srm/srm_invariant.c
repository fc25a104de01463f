/// Sequential regularization of the invariants [AL95 (4.12)]:
///
///     z_s'   = fhat(z_s) - D zeta_s,    zeta_s = zeta_{s-1} + (1/epsilon) E h(z_s),    zeta_0 = 0,
///     h      = (g, G v + g_t),    D = W diag(G^T, G^T),    W = M^-1 or the identity
///
/// fhat is the index-1 form, so that zeta = 0 is exact; the iterates correct only the error of the
/// steps. Stable with explicit steps for epsilon >= h rho(G W G^T E)/2; E = (G W G^T)^-1 is for
/// mechanisms whose rows differ in scale.
#include "integrators/srm/srm_heun.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <string.h>

/// zeta of one half of h: zeta = before + E residual/epsilon; x = W G^T zeta.
static void renew(trm_run *run, const double *residual, const double *before, double *zeta,
                  double *x)
{
    memcpy(zeta, residual, (size_t)run->system->nc * sizeof(double));
    trm_srm_apply_E(run, run->options.srm.E, trm_post_metric(run), zeta);
    for (int i = 0; i < run->system->nc; i++) {
        zeta[i] = before[i] + zeta[i] / run->stats.epsilon;
    }
    trm_system_spread(run->system, trm_post_metric(run), zeta, x);
}

static int rates(trm_run *run, double t, const double *z, const double *y_before, double *dz,
                 double *y, double *lambda)
{
    trm_system *system = run->system;
    const int nc = system->nc;
    const double *v = z + system->nq;
    int code = trm_index1_rates(run, t, z, dz, lambda); // fhat
    if (!code && run->unfactored) {
        code = trm_system_factor(system, TRM_METRIC_IDENTITY);
    }
    if (code) {
        return code;
    }
    trm_system_velocity_residual(system, v, run->work_c);
    renew(run, run->work_c, y_before + nc, y + nc, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        dz[system->nq + i] -= run->work_v[i];
    }
    renew(run, system->g, y_before, y, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        run->work_v[i] = v[i] - run->work_v[i];
    }
    trm_system_rates(system, z, run->work_v, dz);
    return 0;
}

/// With E = (G W G^T)^-1 it is the identity on the range of G.
static void multiply_GDE(trm_run *run, double *x)
{
    if (run->options.srm.E != TRM_SRM_MATRIX_GB_INVERSE) {
        trm_srm_apply_E(run, run->options.srm.E, trm_post_metric(run), x);
        trm_srm_multiply_GB(run, trm_post_metric(run), x);
    }
}

static const trm_srm_form form = {
    .rates = rates,
    .of = TRM_SRM_INVARIANTS,
    .multiply_GBE = multiply_GDE,
    .margin = TRM_SRM_MARGIN,
};
/// G G^T, which fhat does not factor
static const trm_srm_form form_inverse = {
    .rates = rates,
    .of = TRM_SRM_INVARIANTS,
    .multiply_GBE = multiply_GDE,
    .margin = TRM_SRM_MARGIN,
    .unfactored = 1,
};

static const trm_srm_form *form_of(const trm_run *run)
{
    return run->options.srm.E == TRM_SRM_MATRIX_GB_INVERSE && !run->options.mass_metric
               ? &form_inverse
               : &form;
}

/// Its own integrator and stabilization: one row of the list.
static const trm_stabilization_ops *const partners[] = {&trm_srm_invariant_entry, NULL};

const trm_stabilization_ops trm_srm_invariant_entry = {
    .id = TRM_STABILIZATION_SRM_INVARIANT,
    .name = "srm-invariant",
    .doc = "regularized invariants of the index-1 form",
    .source = "AL95 (4.12)",
    .parameters = "epsilon iterations E metric",
};

const trm_method_ops trm_srm_invariant = {
    TRM_SRM_HEUN,
    .partners = partners,
    .form = form_of,
    .layout = trm_srm_layout,
};
