//     torn: |g| > size/2 (m), |g| > 1 (rad)
//
// A method that drifts (plain, baumgarte) stays far below that as long as its result shows the
// mechanism at all.
#include "simulation/run/constraint_violation.h"

#include <math.h>
#include <string.h>

/// Any unit: no mechanism survives it.
static const double absurd = 1e6;

int trm_violation_row(const trm_model *model, const double *g, double size)
{
    int worst = -1;
    double most = 1;
    for (int i = 0; i < model->sizes.nc; i++) {
        const char unit = model->row_info[i].unit[0];
        const double limit = unit == 'm' && size > 0 ? size / 2 : unit == 'r' ? 1 : absurd;
        if (!(fabs(g[i]) <= most * limit)) { // or not a number
            worst = i;
            most = fabs(g[i]) / limit;
        }
    }
    return worst;
}

double trm_violation_gap(const trm_model *model, const double *g, int row)
{
    const trm_row_info *info = model->row_info;
    double sum = 0;
    for (int i = 0; i < model->sizes.nc; i++) {
        if (info[i].name == info[row].name && strcmp(info[i].unit, info[row].unit) == 0) {
            sum += g[i] * g[i];
        }
    }
    return sqrt(sum);
}
