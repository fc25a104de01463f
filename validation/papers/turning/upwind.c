/// Upwind differences of -eps Lap u + (-y u_x + x u_y)/r^2 on the points between the two circles; a
/// neighbour beyond a circle has the value of the solution ln(r/a)/ln(b/a) there. The matrix A is
/// an M-matrix, so that the norm of its inverse is the largest component of the solution of A z =
/// (1, .., 1).
#include "validation/papers/turning/turning.h"

#include <math.h>
#include <stdlib.h>

static const double a = 0.5, b = 1;

static double exact(double x, double y)
{
    return log(hypot(x, y) / a) / log(b / a);
}

static int inside(double x, double y)
{
    const double r = hypot(x, y);
    return r > a && r < b;
}

/// A band of `width` on each side, rows of 2*width + 1, with two right sides.
typedef struct band {
    int n, width;
    double *A, *r, *z;
} band;

static void eliminate(band *m)
{
    const int w = m->width;
    for (int i = 0; i < m->n; i++) {
        const double *pivot = m->A + (size_t)i * (size_t)(2 * w + 1) + w;
        for (int j = i + 1; j <= i + w && j < m->n; j++) {
            double *row = m->A + (size_t)j * (size_t)(2 * w + 1) + w - (j - i);
            const double factor = row[0] / pivot[0];
            for (int k = 0; factor != 0 && k <= w; k++) {
                row[k] -= factor * pivot[k];
            }
            m->r[j] -= factor * m->r[i];
            m->z[j] -= factor * m->z[i];
        }
    }
    for (int i = m->n - 1; i >= 0; i--) {
        const double *pivot = m->A + (size_t)i * (size_t)(2 * w + 1) + w;
        for (int k = 1; k <= w && i + k < m->n; k++) {
            m->r[i] -= pivot[k] * m->r[i + k];
            m->z[i] -= pivot[k] * m->z[i + k];
        }
        m->r[i] /= pivot[0];
        m->z[i] /= pivot[0];
    }
}

/// The equation of the point (i, j); place[] numbers the points, -1 outside.
static void equation(double eps, int n, const int *place, int i, int j, band *m)
{
    static const int di[4] = {-1, 1, 0, 0}, dj[4] = {0, 0, -1, 1};
    const double h = 2.0 / n;
    const double x = -1 + i * h, y = -1 + j * h, r2 = x * x + y * y;
    const double speed[4] = {fmax(-y, 0), fmax(y, 0), fmax(x, 0), fmax(-x, 0)};
    const int own = place[j * (n + 1) + i];
    double *row = m->A + (size_t)own * (size_t)(2 * m->width + 1) + m->width;
    m->z[own] = 1;
    for (int side = 0; side < 4; side++) { // what flows in comes from the side upwind
        const double weight = eps / (h * h) + speed[side] / (r2 * h);
        const int there = place[(j + dj[side]) * (n + 1) + i + di[side]];
        row[0] += weight;
        if (there >= 0) {
            row[there - own] -= weight;
        } else {
            m->r[own] += weight * exact(x + di[side] * h, y + dj[side] * h);
        }
    }
}

static int number_points(int n, int *place)
{
    int count = 0;
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        const double x = -1 + k % (n + 1) * 2.0 / n, y = -1 + k / (n + 1) * 2.0 / n;
        place[k] = inside(x, y) ? count++ : -1;
    }
    return count;
}

static trm_paper_spiral solve(double eps, int n, const int *place, band *m)
{
    trm_paper_spiral found = {0, 0};
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        if (place[k] >= 0) {
            equation(eps, n, place, k % (n + 1), k / (n + 1), m);
        }
    }
    eliminate(m);
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        if (place[k] >= 0) {
            const double x = -1 + k % (n + 1) * 2.0 / n, y = -1 + k / (n + 1) * 2.0 / n;
            found.error = fmax(found.error, fabs(m->r[place[k]] - exact(x, y)));
            found.inverse = fmax(found.inverse, m->z[place[k]]);
        }
    }
    return found;
}

trm_paper_spiral trm_paper_upwind(double eps, int n)
{
    trm_paper_spiral found = {NAN, NAN};
    int *const place = calloc((size_t)((n + 1) * (n + 1)), sizeof *place);
    if (place == NULL) {
        return found;
    }
    band m = {.n = number_points(n, place), .width = n + 1};
    const size_t points = (size_t)m.n;
    m.A = calloc(points * (size_t)(2 * m.width + 1) + 2 * points, sizeof *m.A);
    if (m.A != NULL) {
        m.r = m.A + points * (size_t)(2 * m.width + 1);
        m.z = m.r + points;
        found = solve(eps, n, place, &m);
    }
    free(m.A);
    free(place);
    return found;
}
