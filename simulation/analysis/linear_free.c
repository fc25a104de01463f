/// Eigenvalues of A that keep their digits beside free motions. N spans the free motions:
/// deviations that stay or drift for ever, as the place of a wheel on its plane, and its heading
/// and speed, by which the place drifts.
///
///   A N in N,   so that in (N, rest)   A = (T  F; 0  B),   T strictly upper in steps
///
///   0 for each of N,   x = (1, 0)
///   s of B,            x = ((s - T)^-1 F x_B, x_B)
///
/// Without this reduction the errors of A couple an eigenvalue near zero with these zeros, and it
/// loses its digits: the capsize of a bicycle. N is found as what A maps into N, up to the norm of
/// its errors.
///
/// Errors: of B |ds| <= |y_B|^T |E_B| |x_B| / |y_B^H x_B|. What is left of A N, e (differences
/// along N itself, not a sum of the columns that were found), couples s with the zeros,
///
///   x^m (x - s) = c,   |c| <= |y_B| |e| |T^(m-1) F x_B| / |y_B^H x_B|,   e of the first steps of N
///
/// which moves them by c/|s|^m; where s is zero too, by the root of order m + 1 of c: a motion
/// that goes on for ever has m = 1, a heading that drifts for ever has m = 2.
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "simulation/analysis/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct reduction {
    int n, k, m;   ///< of A; of N; n - k
    int depth;     ///< of N: steps after which A takes it to zero
    int *step;     ///< [n] of its columns
    double *rest;  ///< [n] what is left of A N outside of the steps before, of each column
    double *V;     ///< [n*n] by rows: N, then what is perpendicular to it
    double *T;     ///< [n*n] A in these coordinates
    double *B;     ///< [m*m]
    double *room;  ///< [m*m]
    double *X, *Y; ///< [m*m]
    double *own;   ///< [m*m] errors of B
    double *line;  ///< [2*n]
} reduction;

static int take(reduction *r, int n, trm_pool *pool)
{
    int *const step = trm_pool_take(pool, (size_t)n + 1, sizeof *step);
    const size_t nn = (size_t)n * (size_t)n;
    double *const memory = trm_pool_take(pool, 7 * nn + 4 * (size_t)n + 1, sizeof *memory);
    *r = (reduction){.n = n, .m = n, .step = step};
    if (memory) {
        r->V = memory;
        r->T = memory + nn;
        r->B = memory + 2 * nn;
        r->room = memory + 3 * nn;
        r->X = memory + 4 * nn;
        r->Y = memory + 5 * nn;
        r->own = memory + 6 * nn;
        r->line = memory + 7 * nn;
        r->rest = r->line + 2 * n;
    }
    return memory && step;
}

/// T = V A V^T, and B.
static void turn(reduction *r, const double *A)
{
    const int n = r->n, k = r->k, m = r->m;
    double *const half = r->X; // V A
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            half[i * n + j] = 0;
            for (int l = 0; l < n; l++) {
                half[i * n + j] += r->V[i * n + l] * A[l * n + j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        trm_rows_multiply(n, n, r->V, half + i * n, r->T + i * n);
    }
    for (int i = 0; i < m; i++) {
        memcpy(r->B + i * m, r->T + (k + i) * n + k, (size_t)m * sizeof(double));
    }
}

/// |B c|^2: c[m] is a deviation in the rows of V behind N.
static double moved(const reduction *r, const double *c)
{
    double square = 0;
    for (int i = r->k; i < r->n; i++) {
        double sum = 0;
        for (int j = r->k; j < r->n; j++) {
            sum += r->T[i * r->n + j] * c[j - r->k];
        }
        square += sum * sum;
    }
    return square;
}

/// Adds to N the directions that A maps into N: eigenvectors of T^T T behind N, as new rows of V.
/// *found: how many. Returns nonzero as trm_eigen_symmetric.
static int add_free(reduction *r, double errors, int *found)
{
    const int n = r->n, k = r->k, left = n - k;
    double *const C = r->room, *const V = r->X;
    for (int i = 0; i < left; i++) {
        for (int j = 0; j < left; j++) {
            double sum = 0;
            for (int l = k; l < n; l++) {
                sum += r->T[l * n + k + i] * r->T[l * n + k + j];
            }
            C[i * left + j] = sum;
        }
    }
    const int code = left > 0 ? trm_eigen_symmetric(left, C, r->line) : 0;
    *found = 0;
    for (int i = 0; !code && i < left && moved(r, C + i * left) <= errors; i++) {
        *found = i + 1;
    }
    for (int i = 0; i < left; i++) {
        for (int j = 0; j < n; j++) {
            V[i * n + j] = 0;
            for (int l = 0; l < left; l++) {
                V[i * n + j] += C[i * left + l] * r->V[(k + l) * n + j];
            }
        }
    }
    memcpy(r->V + k * n, V, (size_t)(left * n) * sizeof(double));
    return code;
}

/// N, step by step: the place, then the heading by which the place drifts, and so on.
static int find_free(reduction *r, const double *A, const double *E)
{
    double errors = 0;
    int code = 0, found = 1;
    for (int i = 0; i < r->n * r->n; i++) {
        errors += E[i] * E[i];
        r->V[i] = i % (r->n + 1) == 0;
    }
    for (int step = 0; !code && found > 0 && step <= r->n; step++) {
        turn(r, A);
        code = add_free(r, errors, &found);
        for (int i = r->k; i < r->k + found; i++) {
            r->step[i] = step;
        }
        r->k += found;
        r->m = r->n - r->k;
        r->depth += found > 0;
    }
    turn(r, A);
    return code;
}

/// x[n] := V^T x.
static void turn_back(const reduction *r, double *x)
{
    trm_rows_spread(r->n, r->n, r->V, x, r->line);
    memcpy(x, r->line, (size_t)r->n * sizeof(double));
}

/// x of the zeros.
static void put_free(reduction *r, double *re, double *im, double *X)
{
    for (int j = 0; j < r->k; j++) {
        double *const x = X + j * r->n;
        re[j] = im[j] = 0;
        memset(x, 0, (size_t)r->n * sizeof *x);
        x[j] = 1;
        turn_back(r, x);
    }
}

/// Of eigenvector j of B, x[k] and its imaginary part above it: s x = T (x, x_B), from below; a
/// zero of B is the free motion itself.
static void widen(const reduction *r, double re, double im, int j, double *x, double *other)
{
    const int n = r->n, k = r->k, m = r->m, pair = im > 0;
    const double square = re * re + im * im;
    const double *const B = r->X + j * m;
    for (int l = 0; l < m; l++) {
        x[k + l] = square > 0 ? B[l] : 0;
        other[k + l] = pair ? B[m + l] : 0;
    }
    for (int i = k - 1; i >= 0; i--) {
        double a = 0, b = 0;
        for (int l = i + 1; l < n; l++) {
            a += r->T[i * n + l] * (l < k || square > 0 ? x[l] : B[l - k]);
            b += r->T[i * n + l] * other[l];
        }
        x[i] = square > 0 ? (re * a + im * b) / square : a; // (a + i b)/(re + i im)
        other[i] = square > 0 ? (re * b - im * a) / square : 0;
    }
}

static void put_others(const reduction *r, const double *re, const double *im, double *X)
{
    const int n = r->n;
    for (int j = 0; j<r->m; j += im[j]> 0 ? 2 : 1) {
        double *const x = X + (r->k + j) * n, *const other = im[j] > 0 ? x + n : r->line + n;
        widen(r, re[j], im[j], j, x, other);
        turn_back(r, x);
        turn_back(r, other);
    }
}

// ----------------------------------------------------------------------------------------- errors

/// E of B: entries of |V| E |V|^T.
static void turn_errors(const reduction *r, const double *E, double *out)
{
    const int n = r->n, k = r->k, m = r->m;
    double *const half = r->X;
    for (int i = k; i < n; i++) {
        for (int j = 0; j < n; j++) {
            half[i * n + j] = 0;
            for (int l = 0; l < n; l++) {
                half[i * n + j] += fabs(r->V[i * n + l]) * E[l * n + j];
            }
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            out[i * m + j] = 0;
            for (int l = 0; l < n; l++) {
                out[i * m + j] += half[(k + i) * n + l] * fabs(r->V[(k + j) * n + l]);
            }
        }
    }
}

/// Replaces A N in A by differences along N, and takes their error. Returns nonzero where the
/// differences fail, below zero without memory.
static int measure_rest(const reduction *r, trm_linear_work *work, double *A)
{
    const int n = r->n;
    double *const D = r->line;
    for (int j = 0; j < r->k; j++) {
        const double *const N = r->V + j * n;
        double error, square = 0;
        TRM_TRY(trm_linear_along(work, N, D, &error));
        for (int i = 0; i < n; i++) {
            const int before = i < r->k && r->step[i] < r->step[j];
            square += before ? 0 : pow(trm_dot(n, r->V + i * n, D), 2);
        }
        for (int i = 0; i < n; i++) {
            const double more = D[i] - trm_dot(n, A + i * n, N);
            for (int l = 0; l < n; l++) {
                A[i * n + l] += more * N[l];
            }
        }
        r->rest[j] = hypot(error, sqrt(square));
    }
    return 0;
}

/// The norm of that of the first `steps` steps.
static double rest_of(const reduction *r, int steps)
{
    double square = 0;
    for (int j = 0; j < r->k; j++) {
        square += r->step[j] < steps ? r->rest[j] * r->rest[j] : 0;
    }
    return sqrt(square);
}

/// |x[from ... to]| of eigenvector j of B.
static double part_of(const reduction *r, const double *X, int pair, int j, int from, int to)
{
    double square = 0;
    for (int i = from; i < to; i++) {
        square += pow(X[j * r->m + i], 2) + (pair ? pow(X[(j + 1) * r->m + i], 2) : 0);
    }
    return sqrt(square);
}

/// |y^H x| of it, and in *own |y|^T E |x|.
static double angle_of(const reduction *r, const double *E, int pair, int j, double *own)
{
    const double *const x = r->X + j * r->m, *const y = r->Y + j * r->m;
    double re = 0, im = 0, sum = 0;
    for (int i = 0; i < r->m; i++) {
        re += y[i] * x[i] + (pair ? y[r->m + i] * x[r->m + i] : 0);
        im += pair ? y[i] * x[r->m + i] - y[r->m + i] * x[i] : 0;
        for (int l = 0; l < r->m; l++) {
            sum += part_of(r, r->Y, pair, j, i, i + 1) * E[i * r->m + l] *
                   part_of(r, r->X, pair, j, l, l + 1);
        }
    }
    *own = sum;
    return fmax(hypot(re, im), DBL_MIN);
}

/// Powers of T carry eigenvector j of B into N: length[i], i < depth, of T_N^i F x_B.
static void reach(const reduction *r, int pair, int j, double *length)
{
    const int n = r->n, k = r->k;
    double *const x = r->line;
    for (int i = 0; i < r->depth; i++) {
        length[i] = 0;
    }
    for (int part = 0; part <= pair; part++) {
        memset(x, 0, (size_t)k * sizeof *x);
        memcpy(x + k, r->X + (j + part) * r->m, (size_t)r->m * sizeof *x);
        for (int i = 0; i < r->depth; i++) {
            double square = 0;
            for (int row = 0; row < k; row++) { // from above: what is below is still the old one
                double sum = 0;
                for (int l = i == 0 ? k : row + 1; l < (i == 0 ? n : k); l++) {
                    sum += r->T[row * n + l] * x[l];
                }
                x[row] = sum;
                square += sum * sum;
            }
            length[i] = hypot(length[i], sqrt(square));
        }
    }
}

/// With an error c of A N, the eigenvalue s of B and the zeros become the roots of x^m (x - s) =
/// c, and no error of this size moves them farther. Where c < (s/2)^(m+1), x > s/2.
static double split(double s, double c, int m)
{
    const double root = 2 * pow(c, 1.0 / (m + 1));
    return s > root ? fmin(pow(2 / s, m) * c, root) : root;
}

/// The error e of A N moves the zeros themselves: by the powers of T, x^(i+1) = |e| |T|^i.
static double spread_of_zeros(const reduction *r)
{
    double square = 0, sum = 0;
    for (int i = 0; i < r->k; i++) {
        for (int j = i + 1; j < r->k; j++) {
            square += r->T[i * r->n + j] * r->T[i * r->n + j];
        }
    }
    for (int i = 0; i < r->depth; i++) {
        sum += pow(rest_of(r, r->depth - i) * pow(square, 0.5 * i), 1.0 / (i + 1));
    }
    return sum;
}

/// Errors of B's eigenvalues, to first order, behind those of the zeros of N.
static void put_errors(const reduction *r, const double *E, const double *re, const double *im,
                       double *length, double *error)
{
    const int k = r->k, m = r->m;
    double zero = spread_of_zeros(r);
    for (int j = 0; j<m; j += im[j]> 0 ? 2 : 1) {
        const int pair = im[j] > 0;
        double own;
        const double angle = angle_of(r, E, pair, j, &own);
        const double left = part_of(r, r->Y, pair, j, 0, m) / angle;
        const double least = fmax(0, hypot(re[j], im[j]) - own / angle);
        double more = 0;
        reach(r, pair, j, length);
        for (int i = 0; i < r->depth; i++) {
            more += split(least, left * rest_of(r, r->depth - i) * length[i], i + 1);
        }
        error[k + j] = error[k + j + pair] = own / angle + more;
        zero += more;
    }
    for (int j = 0; j < k; j++) {
        error[j] = zero;
    }
}

/// Finds N, then again with the A that differences along N have improved.
static int find_and_measure(reduction *r, trm_linear_work *work, double *A, const double *E)
{
    int code = 0;
    for (int pass = 0; !code && pass < 2; pass++) {
        r->k = r->depth = 0;
        r->m = r->n;
        code = find_free(r, A, E);
        code = code ? code : measure_rest(r, work, A);
    }
    return code;
}

int trm_linear_eigen(trm_linear_work *work, double *A, const double *E, double *re, double *im,
                     double *X, double *error)
{
    reduction r;
    if (!take(&r, work->found.n, &work->pool)) {
        return -1;
    }
    TRM_TRY(find_and_measure(&r, work, A, E));
    turn(&r, A);
    turn_errors(&r, E, r.own);
    memcpy(r.room, r.B, (size_t)(r.m * r.m) * sizeof(double));
    const int code = trm_eigen(r.m, r.room, re + r.k, im + r.k, r.X, r.Y);
    if (!code) {
        put_errors(&r, r.own, re + r.k, im + r.k, r.room, error);
        put_free(&r, re, im, X);
        put_others(&r, re + r.k, im + r.k, X);
    }
    return code;
}
