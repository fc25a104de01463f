/// Each kernel is written for any number of rows and instantiated for those of joints, so that its
/// loops unroll: 3 spherical, 4 universal, 5 revolute, 6 weld and driven revolute.
#include "engine/fixed_points.h"

#define TRM_ROWS_OF_JOINTS(X) X(3) X(4) X(5) X(6)

static inline void weigh(int rows, const double *G, const double *W, double *out)
{
    double *turned = out;
    double *transposed = out + 3 * rows;
    for (int r = 0; r < rows; r++) {
        const double *A = G + 6 * r + 3;
        for (int c = 0; c < 3; c++) {
            turned[3 * r + c] = W[c] * A[0] + W[3 + c] * A[1] + W[6 + c] * A[2];
            transposed[c * rows + r] = A[c];
        }
    }
}

static inline void couple(int rows_i, int rows_j, const double *i, const double *j, double linear,
                          double *S)
{
    const double *transposed = j + 3 * rows_j;
    for (int a = 0; a < rows_i; a++) {
        const double *turned = i + 3 * a;
        for (int b = 0; b < rows_j; b++) {
            S[a * rows_j + b] += (turned[0] * transposed[b] + turned[1] * transposed[rows_j + b]) +
                                 turned[2] * transposed[2 * rows_j + b];
        }
    }
    for (int a = 0; a < 3; a++) {
        S[a * rows_j + a] += linear;
    }
}

static inline void multiply(int rows, double s, const double *G, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        const double *A = G + 6 * r + 3;
        y[r] += A[0] * x[3] + A[1] * x[4] + A[2] * x[5];
    }
    for (int r = 0; r < 3; r++) {
        y[r] += s * x[r];
    }
}

static inline void spread(int rows, double s, const double *G, const double *y, double *x)
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

void trm_fixed_point_weigh(int rows, const double *G, const double *W, double *out)
{
#define WEIGH(n)                                                                                   \
    case n:                                                                                        \
        weigh(n, G, W, out);                                                                       \
        break;
    switch (rows) {
        TRM_ROWS_OF_JOINTS(WEIGH)
    default:
        weigh(rows, G, W, out);
    }
}

void trm_fixed_point_couple(int rows_i, int rows_j, const double *i, const double *j, double linear,
                            double *S)
{
#define COUPLE(n)                                                                                  \
    case n:                                                                                        \
        couple(n, n, i, j, linear, S);                                                             \
        break;
    switch (rows_i == rows_j ? rows_i : 0) {
        TRM_ROWS_OF_JOINTS(COUPLE)
    default:
        couple(rows_i, rows_j, i, j, linear, S);
    }
}

void trm_fixed_point_multiply(int rows, double s, const double *G, const double *x, double *y)
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

void trm_fixed_point_spread(int rows, double s, const double *G, const double *y, double *x)
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
