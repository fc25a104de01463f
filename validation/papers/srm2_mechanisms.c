/// Runs behind Tables 6.4 and 6.5 of [AL95]: sequential regularization of mechanisms.
///
/// Iterate s does not depend on later ones, so each is the last one of a run of its own.
#include "trammel/trammel_error.h"
#include "trammel/trammel_simulation.h"
#include "validation/papers/problems/problems.h"
#include "validation/papers/shared/run.h"
#include "validation/papers/tables/tables.h"

#include <math.h>

/// Rows eq, ev, |g|, |G v| of one iterate; exact: q = (sin t, -2 sin t).
static void arm_errors(trm_sim *sim, int columns, double *ours)
{
    const trm_state s = trm_sim_state(sim);
    const trm_drift drift = trm_sim_drift(sim);
    ours[0] = fmax(fabs(s.q[0] - sin(s.t)), fabs(s.q[1] + 2 * sin(s.t)));
    ours[columns] = fmax(fabs(s.v[0] - cos(s.t)), fabs(s.v[1] + 2 * cos(s.t)));
    ours[2 * columns] = drift.position;
    ours[3 * columns] = drift.velocity;
}

trm_status trm_paper_run_srm2_6_4(double *ours, trm_error *err)
{
    static const double times[] = {0.1, 0.5, 1};
    for (int s = 1; s <= 3; s++) {
        trm_options options;
        trm_paper_run run;
        TRM_TRY(trm_paper_method("heun", "srm", &options, err));
        options.h = 1e-3;
        options.srm.epsilon = 5e-3;
        options.srm.iterations = s;
        options.srm.E = TRM_SRM_MATRIX_IDENTITY;
        options.srm.lambda0_zero = 1;
        trm_status status = trm_paper_run_open(trm_paper_prescribed_arm(), &options, &run, err);
        for (int k = 0; status == TRM_OK && k < 3; k++) {
            status = trm_sim_run(run.sim, times[k], NULL, NULL, err);
            arm_errors(run.sim, 3, ours + 12 * (s - 1) + k);
        }
        trm_paper_run_close(&run);
        TRM_TRY(status);
    }
    return TRM_OK;
}

trm_status trm_paper_run_srm2_6_5(double *ours, trm_error *err)
{
    for (int s = 1; s <= 2; s++) {
        trm_options options;
        trm_paper_run run;
        TRM_TRY(trm_paper_method("heun", "srm", &options, err));
        options.srm.form = TRM_SRM_LAMBDA_HAT;
        options.h = options.srm.epsilon = 1e-4;
        options.srm.iterations = s;
        options.srm.lambda0_zero = 1;
        trm_status status = trm_paper_run_open(trm_paper_swinging_crank(), &options, &run, err);
        if (status == TRM_OK) {
            status = trm_sim_run(run.sim, 30, NULL, NULL, err);
            ours[2 * (s - 1)] = trm_sim_drift(run.sim).position;
            ours[2 * (s - 1) + 1] = trm_sim_drift(run.sim).velocity;
        }
        trm_paper_run_close(&run);
        TRM_TRY(status);
    }
    return TRM_OK;
}
