/// Each kernel is written for any number of rows and instantiated for those of joints, so that its
/// loops unroll: 3 spherical, 4 universal, 5 revolute, 6 weld and driven revolute.
#include "engine/fixed_points.h"
#include "engine/loops.h"

#define TRM_ROWS_OF_JOINTS(X) X(3) X(4) X(5) X(6)

static inline void multiply(int rows, double s, const double *G, const double *x,
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

static inline void spread(int rows, double s, const double *G, const double *y, double *restrict x)
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

TRM_WIDE static void multiply_wide(int rows, double s, const double *G, const double *x, double *y)
{
#define MULTIPLY(n)                                                                                \
    case n:                                                                                        \
        multiply(n, s, G, x, y);                                                                   \
        break;
    switch (rows) {
        TRM_ROWS_OF_JOINTS(MULTIPLY)
    default:
        multiply(rows, s, G, x, y);
    }
}

void trm_fixed_point_multiply(int rows, double s, const double *G, const double *x, double *y)
{
    multiply_wide(rows, s, G, x, y);
}

TRM_WIDE static void spread_wide(int rows, double s, const double *G, const double *y, double *x)
{
#define SPREAD(n)                                                                                  \
    case n:                                                                                        \
        spread(n, s, G, y, x);                                                                     \
        break;
    switch (rows) {
        TRM_ROWS_OF_JOINTS(SPREAD)
    default:
        spread(rows, s, G, y, x);
    }
}

void trm_fixed_point_spread(int rows, double s, const double *G, const double *y, double *x)
{
    spread_wide(rows, s, G, y, x);
}
