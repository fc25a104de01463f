/// Each kernel is written for any number of rows and instantiated for those of joints, so that its
/// loops unroll: 3 spherical, 4 universal, 5 revolute, 6 weld and driven revolute.
#include "engine/fixed_points.h"
#include "engine/loops.h"
#include "engine/pair.h"

#define TRM_ROWS_OF_JOINTS(X) X(3) X(4) X(5) X(6)

static inline void weigh(int rows, const double *restrict G, const double *restrict W,
                         double *restrict out)
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

/// One row: S += t A^T, two columns at a time.
static inline void couple_row(int rows, const double t[3], const double *transposed, double *S)
{
    for (int b = 0; b + 2 <= rows; b += 2) {
        const trm_pair sum =
            (t[0] * trm_pair_load(transposed + b) + t[1] * trm_pair_load(transposed + rows + b)) +
            t[2] * trm_pair_load(transposed + 2 * rows + b);
        trm_pair_store(trm_pair_load(S + b) + sum, S + b);
    }
    for (int b = rows - rows % 2; b < rows; b++) {
        S[b] +=
            (t[0] * transposed[b] + t[1] * transposed[rows + b]) + t[2] * transposed[2 * rows + b];
    }
}

static inline void couple(int rows_i, int rows_j, const double *i, const double *j, double linear,
                          double *S)
{
    for (int a = 0; a < rows_i; a++) {
        const double turned[3] = {i[3 * a], i[3 * a + 1], i[3 * a + 2]};
        couple_row(rows_j, turned, j + 3 * rows_j, S + a * rows_j);
    }
    for (int a = 0; a < 3; a++) {
        S[a * rows_j + a] += linear;
    }
}

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

TRM_WIDE static void weigh_wide(int rows, const double *G, const double *W, double *out)
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

void trm_fixed_point_weigh(int rows, const double *G, const double *W, double *out)
{
    weigh_wide(rows, G, W, out);
}

TRM_WIDE static void couple_wide(int rows_i, int rows_j, const double *i, const double *j,
                                 double linear, double *S)
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

void trm_fixed_point_couple(int rows_i, int rows_j, const double *i, const double *j, double linear,
                            double *S)
{
    couple_wide(rows_i, rows_j, i, j, linear, S);
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
