/// Shared by all files about general DAEs: names in messages, sizes.
#include "engine/system/dae_system.h"

#include <math.h>
#include <stdio.h>

const char *trm_dae_place(const trm_dae_problem *problem, const char *function, char text[128])
{
    snprintf(text, 128, "problem '%s'%s%s", problem->name ? problem->name : "",
             function ? ", function " : "", function ? function : "");
    return text;
}

int trm_dae_finite(int n, const double *x)
{
    int finite = 1;
    for (int i = 0; i < n; i++) {
        finite &= isfinite(x[i]) != 0;
    }
    return finite;
}

trm_dae_code trm_dae_answer(trm_dae_system *system, const char *name, int answer, int n,
                            const double *out)
{
    const trm_dae_code code = answer > 0                ? TRM_DAE_OUTSIDE
                              : answer < 0              ? TRM_DAE_ABORTED
                              : !trm_dae_finite(n, out) ? TRM_DAE_NOT_FINITE
                                                        : TRM_DAE_FINE;
    if (code != TRM_DAE_FINE) {
        system->failed = name;
    }
    return code;
}
