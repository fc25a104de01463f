/// Post-stabilization of the positions alone [ACPR95 section 6, S-pos], applied twice.
#include "integrators/index1/post.h"

static int correct(trm_run *run, double t, double *z)
{
    const int code = trm_post_correct(run, TRM_POST_POSITION, t, z);
    return code ? code : trm_post_correct(run, TRM_POST_POSITION, t, z);
}

const trm_stabilization_ops trm_s_pos2 = {
    .id = TRM_S_POS2,
    .name = "s-pos2",
    .source = "ACPR95 (5.4)-(5.6), positions, twice",
    .parameters = "alpha metric",
    .rates = trm_index1_rates,
    .correct = correct,
};
