/// Post-stabilization S-both [ACPR95 (5.4) with (5.5) or (5.6)]:
///
///     q := q~ - alpha F(q~) g(q~),    v := v~ - alpha F(q~) (G(q~) v~ + g_t)
///     F  = W G^T (G W G^T)^-1,    W = M^-1 (5.5) or the identity (5.6)
///
/// One solve with two right-hand sides. With alpha = 1 the drift is O(h^(p+1)).
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

static int correct(trm_run *run, double t, double *z)
{
    return trm_post_correct(run, TRM_POST_BOTH, t, z);
}

const trm_stabilization_ops trm_s_both = {
    .id = TRM_STABILIZATION_S_BOTH,
    .name = "s-both",
    .doc = "positions and velocities corrected once after each step",
    .source = "ACPR95 (5.4)-(5.6)",
    .parameters = "alpha metric",
    .takes_contacts = 1,
    .rates = trm_index1_rates,
    .correct = correct,
    .closes = 1,
};
