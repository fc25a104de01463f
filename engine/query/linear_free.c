/// Eigenvalues of A, exact about free motions: displacements N of which the motion does not depend,
/// as the place of a wheel on its plane.
///
///   A (N, 0) = 0,   so that in (N, rest)   A = (0  F; 0  B)
///
///   0 for each of N,   x = (1, 0),         y = (1, -B^-T F^T)
///   s of B,            x = (F x_B/s, x_B), y = (0, y_B)
///
/// Without this an eigenvalue near to zero is coupled with those zeros by the errors of A, and
/// loses its digits: the capsize of a bicycle. N: what A takes to less than the norm of the errors
/// of those columns.
#include "engine/base/dense.h"
#include "engine/query/linear.h"

#include <math.h>
#include <string.h>

typedef struct reduction {
    int n, p, k, m; ///< of A, of its positions; of N; n - k
    double *V;      ///< [p*p] by rows: N, then what is perpendicular to it
    double *T;      ///< [n*n] A in these coordinates
    double *B;      ///< [m*m]
    double *room;   ///< [m*m]
    double *X, *Y;  ///< [m*m]
    double *line;   ///< [2*n]
} reduction;

static int take(reduction *r, int n, int p, trm_pieces *pool)
{
    const size_t nn = (size_t)n * (size_t)n;
    double *const memory = trm_pieces_take(pool, 6 * nn + 3 * (size_t)n + 1, sizeof *memory);
    *r = (reduction){.n = n, .p = p};
    if (memory) {
        r->V = memory;
        r->T = memory + nn;
        r->B = memory + 2 * nn;
        r->room = memory + 3 * nn;
        r->X = memory + 4 * nn;
        r->Y = memory + 5 * nn;
        r->line = memory + 6 * nn;
    }
    return memory != NULL;
}

/// |A (y, 0)|^2
static double moved(const reduction *r, const double *A, const double *y)
{
    double square = 0;
    for (int i = 0; i < r->n; i++) {
        double sum = 0;
        for (int j = 0; j < r->p; j++) {
            sum += A[i * r->n + j] * y[j];
        }
        square += sum * sum;
    }
    return square;
}

/// N among the eigenvectors of the positions' A^T A. Returns nonzero as trm_eigen_symmetric.
static int find_free(reduction *r, const double *A, const double *E)
{
    const int n = r->n, p = r->p;
    double errors = 0;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++) {
                sum += A[l * n + i] * A[l * n + j];
            }
            r->V[i * p + j] = sum;
        }
        for (int l = 0; l < n; l++) {
            errors += E[l * n + i] * E[l * n + i];
        }
    }
    const int code = trm_eigen_symmetric(p, r->V, r->line);
    for (int k = 0; !code && k < p && moved(r, A, r->V + k * p) <= errors; k++) {
        r->k = k + 1;
    }
    r->m = n - r->k;
    return code;
}

/// T = Q A Q^T, Q = (V  0; 0  1), and B.
static void turn(reduction *r, const double *A)
{
    const int n = r->n, p = r->p, k = r->k, m = r->m;
    double *const half = r->X; // V A
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i < p ? 0 : A[i * n + j];
            for (int l = 0; i < p && l < p; l++) {
                sum += r->V[i * p + l] * A[l * n + j];
            }
            half[i * n + j] = sum;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = j < p ? 0 : half[i * n + j];
            for (int l = 0; j < p && l < p; l++) {
                sum += half[i * n + l] * r->V[j * p + l];
            }
            r->T[i * n + j] = sum;
        }
    }
    for (int i = 0; i < m; i++) {
        memcpy(r->B + i * m, r->T + (k + i) * n + k, (size_t)m * sizeof(double));
    }
}

/// x[n] := Q^T x.
static void turn_back(const reduction *r, double *x)
{
    memset(r->line, 0, (size_t)r->p * sizeof(double));
    for (int i = 0; i < r->p; i++) {
        for (int j = 0; j < r->p; j++) {
            r->line[j] += x[i] * r->V[i * r->p + j];
        }
    }
    memcpy(x, r->line, (size_t)r->p * sizeof(double));
}

/// Zeros and their vectors; the left ones with B^T factored in room.
static void put_free(reduction *r, double *re, double *im, double *X, double *Y, int *pivots)
{
    const int n = r->n, k = r->k, m = r->m;
    for (int i = 0; i < m * m; i++) {
        r->room[i] = r->B[(i % m) * m + i / m];
    }
    trm_lu(m, r->room, pivots);
    for (int j = 0; j < k; j++) {
        double *const x = X + j * n, *const y = Y + j * n;
        re[j] = im[j] = 0;
        memset(x, 0, (size_t)n * sizeof *x);
        memset(y, 0, (size_t)n * sizeof *y);
        x[j] = y[j] = 1;
        for (int i = 0; i < m; i++) {
            y[k + i] = -r->T[j * n + k + i];
        }
        trm_lu_solve(m, r->room, pivots, y + k);
        turn_back(r, x);
        turn_back(r, y);
    }
}

/// (F x/s, x), (a + i b)/(re + i im) = ((re a + im b) + i (re b - im a))/|s|^2, of the part `row`
/// of eigenvector j of B, the other part `other` (NULL: real).
static void widen(const reduction *r, double re, double im, const double *row, const double *other,
                  double *out)
{
    const double square = re * re + im * im;
    for (int i = 0; i < r->k; i++) {
        double a = 0, b = 0;
        for (int l = 0; l < r->m; l++) {
            a += r->T[i * r->n + r->k + l] * row[l];
            b += other ? r->T[i * r->n + r->k + l] * other[l] : 0;
        }
        out[i] = square > 0 ? (re * a + im * b) / square : a;
    }
    for (int l = 0; l < r->m; l++) { // a zero of B: the free motion itself
        out[r->k + l] = square > 0 ? row[l] : 0;
    }
    turn_back(r, out);
}

static void put_others(const reduction *r, const double *re, const double *im, double *X, double *Y)
{
    const int n = r->n, k = r->k, m = r->m;
    for (int j = 0; j < m; j++) {
        // the second of a pair has the imaginary part, and the other sign of im
        const double *const own = r->X + j * m;
        const double *const other = im[j] > 0 ? own + m : im[j] < 0 ? own - m : NULL;
        widen(r, re[j], im[j], own, other, X + (k + j) * n);
        double *const y = Y + (k + j) * n;
        memset(y, 0, (size_t)k * sizeof *y);
        memcpy(y + k, r->Y + j * m, (size_t)m * sizeof *y);
        turn_back(r, y);
    }
}

int trm_linear_eigen(int n, int p, const double *A, const double *E, trm_pieces *pool, double *re,
                     double *im, double *X, double *Y)
{
    reduction r;
    int *const pivots = trm_pieces_take(pool, (size_t)n + 1, sizeof *pivots);
    if (!pivots || !take(&r, n, p, pool)) {
        return -1;
    }
    int code = find_free(&r, A, E);
    if (code) {
        return code;
    }
    turn(&r, A);
    memcpy(r.room, r.B, (size_t)(r.m * r.m) * sizeof(double));
    code = trm_eigen(r.m, r.room, re + r.k, im + r.k, r.X, r.Y);
    if (!code) {
        put_free(&r, re, im, X, Y, pivots);
        put_others(&r, re + r.k, im + r.k, X, Y);
    }
    return code;
}
