#include "engine/check_rank.h"
#include "engine/check_posture.h"

enum { MOST_ROWS = 1000 }; // dense algebra: about a second

int trm_rank_at(const trm_model *model, const trm_input *inputs, double t, const double *q)
{
    trm_posture posture;
    int rank = -1;
    if (model->sizes.nc > MOST_ROWS) {
        return -1;
    }
    const double damping = trm_default_options(TRM_RK4, TRM_PLAIN).damping; // not used
    if (trm_posture_open(&posture, model, TRM_POSTURE_RANK, damping, NULL) == TRM_OK) {
        for (int i = 0; inputs && i < model->sizes.ninput; i++) {
            posture.system->inputs[i] = inputs[i];
        }
        if (trm_posture_at(&posture, t, q) == 0 && trm_posture_rank(&posture)) {
            rank = posture.basis.rank;
        }
    }
    trm_posture_close(&posture);
    return rank;
}
