// Of a mechanism with points x_i at its start,
//
//     size = |max x_i - min x_i|,    torn: |g| > size/2 (m), |g| > 1 (rad)
//
// A method that drifts (plain, baumgarte) stays far below that as long as its result shows the
// mechanism at all.
#include "engine/tear.h"

#include <math.h>
#include <string.h>

/// Any unit: no mechanism survives it.
static const double absurd = 1e6;

typedef struct box {
    double low[3], high[3];
} box;

static void include(box *b, const trm_model *model, const double *q, int body,
                    const double local[3])
{
    double x[3];
    trm_model_point(model, body, local, q, NULL, x, NULL);
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], x[k]);
        b->high[k] = fmax(b->high[k], x[k]);
    }
}

static double distance(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/// The ground's points count where they hold something. Returns how far from its centre a body is held.
static double include_joint(box *b, const trm_model *model, const double *q, int joint)
{
    double reach = 0;
    const trm_joint_axis *axis = &model->joint_axis[joint];
    const int bodies[] = {axis->a, axis->b};
    for (int side = 0; side < 2; side++) {
        const int body = bodies[side] < model->sizes.nbody ? bodies[side] : -1;
        include(b, model, q, body, axis->point[side]);
        reach = fmax(reach, body >= 0 ? distance(axis->point[side]) : 0);
    }
    return reach;
}

double trm_tear_size(const trm_model *model, const double *q)
{
    static const double centre[3] = {0, 0, 0};
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double longest = 0;
    if (model->from_equations || model->sizes.nbody == 0) {
        return 0;
    }
    for (int i = 0; i < model->sizes.nbody; i++) {
        include(&b, model, q, i, centre);
    }
    for (int j = 0; j < model->sizes.njoint; j++) {
        longest = fmax(longest, 2 * include_joint(&b, model, q, j));
    }
    for (int i = 0; i < model->sizes.nmarker; i++) {
        if (model->marker_info[i].body >= 0) {
            include(&b, model, q, model->marker_info[i].body, model->marker_info[i].local);
        }
    }
    for (int i = 0; i < model->batch[TRM_ROW_DISTANCE].n; i++) {
        longest = fmax(longest, fabs(model->batch[TRM_ROW_DISTANCE].constant[i]));
    }
    const double diagonal[] = {b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]};
    return fmax(distance(diagonal), longest);
}

int trm_tear_row(const trm_model *model, const double *g, double size)
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

double trm_tear_gap(const trm_model *model, const double *g, int row)
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
