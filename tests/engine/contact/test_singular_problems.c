/// Impulses of more points than a body can tell apart, with friction: random problems w = b + W p
/// whose W = G G^T is singular, beside an enumeration of all modes.
#include "engine/contact/coulomb.h"
#include "engine/contact/projected.h"
#include "tests/near.h"

#include <math.h>
#include <string.h>

enum { POINTS = 3, MOST = 2 * POINTS, FREEDOMS = 3 };

static unsigned long long seed;

/// Uniform in -1 ... 1.
static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(seed >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct problem {
    int points;
    double mu, G[MOST][FREEDOMS], W[MOST * MOST], b[MOST];
} problem;

/// Points of one body, normals then tangents, at rates of one velocity. Normals point up, so that a
/// motion opens all: then a solution exists [Stewart, Trinkle 1996].
static problem random_problem(void)
{
    problem p = {.points = 2 + (uniform() > 0), .mu = 0.75 * (1 + uniform())};
    const int n = 2 * p.points;
    double v[FREEDOMS];
    for (int j = 0; j < FREEDOMS; j++) {
        v[j] = uniform();
    }
    for (int i = 0; i < p.points; i++) {
        const double x = uniform(), y = 0.5 * uniform(), a = 0.3 * uniform();
        const double normal[] = {sin(a), cos(a)}, tangent[] = {cos(a), -sin(a)};
        const double *const along[] = {normal, tangent};
        for (int k = 0; k < 2; k++) {
            double *const row = p.G[i + k * p.points];
            row[0] = along[k][0];
            row[1] = along[k][1];
            row[2] = x * along[k][1] - y * along[k][0];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < FREEDOMS; j++) {
            p.b[i] += p.G[i][j] * v[j];
        }
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < FREEDOMS; k++) {
                p.W[i * n + j] += p.G[i][k] * p.G[j][k];
            }
        }
    }
    return p;
}

/// How far p is from the conditions of the problem.
static double misfit(const problem *o, const double *p)
{
    const int n = 2 * o->points;
    double w[MOST], worst = 0;
    for (int i = 0; i < n; i++) {
        w[i] = o->b[i];
        for (int j = 0; j < n; j++) {
            w[i] += o->W[i * n + j] * p[j];
        }
    }
    for (int i = 0; i < o->points; i++) {
        const int t = i + o->points;
        const double most = o->mu * p[i];
        worst = fmax(fmax(worst, -p[i]), fmax(-w[i], fmin(fabs(p[i]), fabs(w[i]))));
        worst = fmax(worst, fabs(p[t]) - most);
        worst = fmax(worst, fmin(fabs(w[t]), fabs(p[t] + (w[t] > 0 ? most : -most))));
    }
    return worst;
}

/// x[m] := A^-1 x by elimination. Returns zero where A is singular.
static int eliminate(int m, double A[MOST][MOST], double *x)
{
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k; i < m; i++) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        if (fabs(A[best][k]) < 1e-9) {
            return 0;
        }
        for (int j = 0; j < m; j++) {
            const double kept = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = kept;
        }
        const double kept = x[k];
        x[k] = x[best];
        x[best] = kept;
        for (int i = 0; i < m; i++) {
            const double part = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j < m; j++) {
                A[i][j] -= part * A[k][j];
            }
            x[i] -= part * x[k];
        }
    }
    for (int k = 0; k < m; k++) {
        x[k] /= A[k][k];
    }
    return 1;
}

/// Mode of each point by two bits: open, sticks, slides to either side. Returns nonzero if p of
/// that mode is unique and fits.
static int try_mode(const problem *o, int mode, double *p)
{
    const int n = 2 * o->points;
    double A[MOST][MOST] = {{0}};
    for (int i = 0; i < o->points; i++) {
        const int t = i + o->points, way = mode >> (2 * i) & 3;
        p[i] = way == 0 ? 0 : -o->b[i];
        p[t] = way == 1 ? -o->b[t] : 0;
        for (int j = 0; j < n; j++) {
            A[i][j] = way == 0 ? j == i : o->W[i * n + j];
            A[t][j] = way == 1 ? o->W[t * n + j] : j == t;
        }
        A[t][i] = way == 2 ? o->mu : way == 3 ? -o->mu : A[t][i];
    }
    return eliminate(n, A, p) && misfit(o, p) < 1e-9;
}

CLAIM(problems_are_solved)
{
    enum { PROBLEMS = 4000, SWEEPS = 20000 };
    trm_arena arena = {0};
    trm_coulomb c;
    trm_projected_rows rows;
    trm_coulomb_layout(&c, MOST, MOST, 1, &arena);
    trm_projected_layout(&rows, MOST, &arena);
    assert_true(trm_arena_open(&arena));
    trm_coulomb_layout(&c, MOST, MOST, 1, &arena);
    trm_projected_layout(&rows, MOST, &arena);
    seed = 1;
    int enumerated = 0, solved = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        const problem o = random_problem();
        const int n = 2 * o.points;
        double p[MOST], noise[MOST] = {0}, other[MOST];
        int found = 0;
        for (int i = 0; i < n; i++) {
            const int tangent = i >= o.points;
            c.row[i] = (trm_coulomb_row){.hi = tangent ? 0 : INFINITY,
                                         .kin = tangent ? i - o.points : -1,
                                         .mu = o.mu,
                                         .mate = -1};
        }
        for (int mode = 0; mode < 1 << n && !found; mode++) {
            found = try_mode(&o, mode, other);
        }
        enumerated += found;
        int code = trm_coulomb_solve(&c, n, o.W, o.b, noise, p);
        if (code) {
            memset(p, 0, sizeof p);
            trm_projected_link(&rows, n, o.W);
            code = trm_projected_solve(&rows, c.row, o.b, 1e-12, SWEEPS, p);
        }
        solved += !code && misfit(&o, p) < 1e-9;
    }
    assert_int_equal(solved, PROBLEMS);
    assert_true(enumerated > PROBLEMS / 2); // the others have no unique impulses in any mode
    trm_arena_close(&arena);
}

/// Feet on legs that move each other: W is regular, and one foot's friction lifts another one.
CLAIM(feet_that_load_each_other_take_64_sweeps)
{
    enum { PROBLEMS = 200, FEET = 4, N = 3 * FEET, SWEEPS = 65 };
    trm_arena arena = {0};
    trm_projected_rows rows;
    trm_projected_layout(&rows, N, &arena);
    assert_true(trm_arena_open(&arena));
    trm_projected_layout(&rows, N, &arena);
    seed = 2;
    for (int k = 0; k < PROBLEMS; k++) {
        trm_coulomb_row row[N];
        double G[N][N], W[N * N] = {0}, b[N], p[N] = {0}, left[N];
        for (int i = 0; i < N; i++) {
            const int foot = i / 3, tangent = i % 3;
            row[i] = (trm_coulomb_row){.hi = tangent ? 0 : INFINITY,
                                       .mu = 1,
                                       .kin = tangent ? 3 * foot : -1,
                                       .mate = tangent ? 3 * foot + 3 - tangent : -1};
            b[i] = tangent ? 2 * uniform() : -1 + uniform();
            for (int j = 0; j < N; j++) {
                G[i][j] = uniform() + (i == j);
            }
        }
        for (int i = 0; i < N * N; i++) {
            for (int j = 0; j < N; j++) {
                W[i] += G[i / N][j] * G[i % N][j];
            }
        }
        trm_projected_link(&rows, N, W);
        assert_int_equal(trm_projected_solve(&rows, row, b, 1e-12, SWEEPS, p), 0);
        for (int i = 0; i < N; i++) {
            left[i] = trm_projected_rate(&rows, b, p, i);
        }
        for (int i = 0; i < N; i += 3) {
            const double rest = hypot(p[i + 1], p[i + 2]) - p[i],
                         slides = hypot(left[i + 1], left[i + 2]);
            assert_true(p[i] >= 0 && left[i] > -1e-9 && fabs(p[i] * left[i]) < 1e-9 && rest < 1e-9);
            assert_true(fabs(p[i + 1] * left[i + 1] + p[i + 2] * left[i + 2] + p[i] * slides) <
                        1e-9);
        }
    }
    trm_arena_close(&arena);
}
