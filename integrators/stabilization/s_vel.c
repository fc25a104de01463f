/// Post-stabilization of the velocity constraints alone [ACPR95 section 6, S-vel]:
///
///     v := v~ - alpha F(q~) (G(q~) v~ + g_t)
///
/// They are linear in v: with alpha = 1 nothing is left of their residual. Nothing protects g,
/// which drifts with the steps' own errors.
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

static int correct(trm_run *run, double t, double *z)
{
    return trm_post_correct(run, TRM_POST_VELOCITY, t, z);
}

const trm_stabilization_ops trm_s_vel = {
    .id = TRM_STABILIZATION_S_VEL,
    .name = "s-vel",
    .doc = "velocities corrected after each step",
    .source = "ACPR95 (5.4)-(5.6), velocities",
    .parameters = "alpha metric",
    .takes_contacts = 1,
    .rates = trm_index1_rates,
    .correct = correct,
};
