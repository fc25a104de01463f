/// Baumgarte's stabilization [B72], [ACPR95 (2.1)]:
///
///     G a = gamma - alpha1 (G v + g_t) - alpha0 g,    that is  g'' + alpha1 g' + alpha0 g = 0.
///
/// No choice of alpha1, alpha0 is good for every step size, and near a singular position the added
/// terms are divided by a vanishing pivot: runs across one can leave the branch or lose energy.
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

static int rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    return trm_index1(run, t, z, run->options.baumgarte.alpha1, run->options.baumgarte.alpha0, dz,
                      lambda);
}

const trm_stabilization_ops trm_baumgarte = {
    .id = TRM_STABILIZATION_BAUMGARTE,
    .name = "baumgarte",
    .doc = "index 1 with a spring and a damper on each row",
    .source = "B72; ACPR95 (2.1)",
    .parameters = "alpha1 alpha0",
    .takes_contacts = 1,
    .rates = rates,
};
