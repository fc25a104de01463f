/// Each kernel is written for any number of rows and instantiated for those of joints, so that its
/// loops unroll: 3 spherical, 4 universal, 5 revolute, 6 weld and driven revolute.
#include "engine/multibody/sides.h"
#include "base/loops.h"
#include "base/pair.h"

#define TRM_ROWS_OF_JOINTS(X) X(3) X(4) X(5) X(6)

TRM_INLINE void multiply_columns(int rows, int width, int columns, const double *G, const double *x,
                                 double *y)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c < columns; c++) {
            sum += G[r * width + c] * x[c];
        }
        y[r] += sum;
    }
}

TRM_INLINE void multiply_point(int rows, double s, const double *G, const double *x,
                               double *restrict y)
{
    for (int r = 0; r < rows; r++) {
        const double *A = G + 6 * r + 3;
        y[r] += A[0] * x[3] + A[1] * x[4] + A[2] * x[5];
    }
    for (int r = 0; r < 3; r++) {
        y[r] += s * x[r];
    }
}

TRM_INLINE void spread_columns(int rows, int width, int columns, const double *G, const double *y,
                               double *x)
{
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            x[c] += G[r * width + c] * y[r];
        }
    }
}

TRM_INLINE void spread_point(int rows, double s, const double *G, const double *y,
                             double *restrict x)
{
    for (int c = 0; c < 3; c++) {
        x[c] += s * y[c];
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 3; c < 6; c++) {
            x[c] += G[6 * r + c] * y[r];
        }
    }
}

static void multiply_planar(const trm_model *model, const double *G, const double *x, double *y)
{
    for (const trm_side *side = model->sides, *end = side + model->nsides; side < end; side++) {
        const double *own = G + side->G, *v = x + side->v0;
        const trm_pair plain = trm_pair_load(own) * trm_pair_load(v);
        const double turning = side->columns == 3 ? own[2] * v[2] : 0;
        y[side->row] += (plain[0] + plain[1]) + turning;
    }
}

TRM_WIDE static void multiply_spatial(const trm_model *model, const double *G, const double *x,
                                      double *y)
{
#define MULTIPLY(n)                                                                                \
    case n:                                                                                        \
        multiply_point(n, side->fixed_point, G + side->G, x + side->v0, y + side->row);            \
        break;
    for (const trm_side *side = model->sides; side < model->sides + model->nsides; side++) {
        switch (side->fixed_point != 0 ? side->rows : 0) {
            TRM_ROWS_OF_JOINTS(MULTIPLY)
        default:
            multiply_columns(side->rows, 6, side->columns, G + side->G, x + side->v0,
                             y + side->row);
        }
    }
}

void trm_sides_multiply(const trm_model *model, const double *G, const double *x, double *y)
{
    if (model->bodies.dimension == 2) {
        multiply_planar(model, G, x, y);
    } else {
        multiply_spatial(model, G, x, y);
    }
}

static void spread_planar(const trm_model *model, const double *G, const double *y, double *F)
{
    for (const trm_side *side = model->sides, *end = side + model->nsides; side < end; side++) {
        const double *own = G + side->G, force = y[side->row];
        double *f = F + 3 * side->body;
        trm_pair_store(trm_pair_load(f) + trm_pair_load(own) * force, f);
        f[2] += own[2] * force;
    }
}

TRM_WIDE static void spread_spatial(const trm_model *model, const double *G, const double *y,
                                    double *F)
{
#define SPREAD(n)                                                                                  \
    case n:                                                                                        \
        spread_point(n, side->fixed_point, G + side->G, y + side->row, F + 6 * side->body);        \
        break;
    for (const trm_side *side = model->sides; side < model->sides + model->nsides; side++) {
        switch (side->fixed_point != 0 ? side->rows : 0) {
            TRM_ROWS_OF_JOINTS(SPREAD)
        default:
            spread_columns(side->rows, 6, side->columns, G + side->G, y + side->row,
                           F + 6 * side->body);
        }
    }
}

void trm_sides_spread(const trm_model *model, const double *G, const double *y, double *F)
{
    if (model->bodies.dimension == 2) {
        spread_planar(model, G, y, F);
    } else {
        spread_spatial(model, G, y, F);
    }
}
