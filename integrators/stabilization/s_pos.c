/// Post-stabilization of the position constraints alone [ACPR95 section 6, S-pos]:
///
///     q := q~ - alpha F(q~) g(q~)
///
/// Nothing protects G v + g_t; a run may leave every bound, as one of [ACPR95 Table 6.1] does.
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

static int correct(trm_run *run, double t, double *z)
{
    return trm_post_correct(run, TRM_POST_POSITION, t, z);
}

const trm_stabilization_ops trm_s_pos = {
    .id = TRM_STABILIZATION_S_POS,
    .name = "s-pos",
    .doc = "positions corrected after each step",
    .source = "ACPR95 (5.4)-(5.6), positions",
    .parameters = "alpha metric",
    .takes_contacts = 1,
    .rates = trm_index1_rates,
    .correct = correct,
};
