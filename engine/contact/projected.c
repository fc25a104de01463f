#include "engine/contact/projected.h"
#include "base/linear/dense.h"
#include "engine/contact/contact_numbers.h"

#include <math.h>
#include <string.h>

void trm_projected_layout(trm_projected_rows *rows, int room, trm_arena *arena)
{
    const size_t all = (size_t)room * (size_t)room;
    rows->first = trm_arena_ints(arena, room + 1);
    rows->column = trm_arena_take(arena, all, sizeof *rows->column);
    rows->own = trm_arena_doubles(arena, room);
    rows->value = trm_arena_take(arena, all, sizeof *rows->value);
}

void trm_projected_link(trm_projected_rows *rows, int n, const double *W)
{
    int count = 0;
    rows->n = n;
    rows->W = W;
    for (int i = 0; i < n; i++) {
        rows->first[i] = count;
        rows->own[i] = W[i * n + i];
        for (int j = 0; j < n; j++) {
            rows->column[count] = j;
            rows->value[count] = W[i * n + j];
            count += W[i * n + j] != 0;
        }
    }
    rows->first[n] = count;
}

double trm_projected_rate(const trm_projected_rows *W, const double *b, const double *p, int i)
{
    double w = b[i];
    for (int j = W->first[i]; j < W->first[i + 1]; j++) {
        w += W->value[j] * p[W->column[j]];
    }
    return w;
}

/// Of a row's own W, on the diagonal of J: where dependent rows leave a step of Newton's method
/// open it is a short one.
static const double beside = 1e-9;

/// Where row i, a box or friction in the plane, goes to in a sweep. J (or NULL), row i: the
/// derivative of p_i less that.
static double project_row(const trm_projected_rows *W, const trm_coulomb_row *row, const double *b,
                          const double *p, int i, double *J)
{
    const int n = W->n;
    const double own = W->own[i] > 0 ? W->own[i] : INFINITY;
    const double most = row->kin >= 0 ? row->mu * fmax(p[row->kin], 0) : 0;
    const double lo = row->kin >= 0 ? -most : row->lo, hi = row->kin >= 0 ? most : row->hi;
    const int none = lo == 0 && hi == 0 && p[i] == 0 && !J; // takes no part
    const double x = none ? 0 : p[i] - trm_projected_rate(W, b, p, i) / own;
    const double to = fmin(fmax(x, lo), hi);
    const int inside = to == x;
    for (int k = 0; J && k < n; k++) {
        J[i * n + k] = (inside ? W->W[i * n + k] / own : 0) + (k != i ? 0 : inside ? beside : 1);
    }
    if (J && !inside && most > 0) {
        J[i * n + row->kin] -= copysign(row->mu, x);
    }
    return to;
}

/// The largest eigenvalue of W of rows i and j.
static double largest_of(const trm_projected_rows *W, int i, int j)
{
    const double a = W->own[i], c = W->own[j];
    return 0.5 * (a + c) + hypot(0.5 * (a - c), W->W[i * W->n + j]);
}

/// The same of the rows ij, friction in space.
static void project_pair(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                         const double *p, const int *ij, double *J, double *to)
{
    const int n = W->n;
    const trm_coulomb_row *const row = &rows[ij[0]];
    const double own = largest_of(W, ij[0], ij[1]), largest = own > 0 ? own : INFINITY;
    const double most = row->mu * fmax(p[row->kin], 0);
    double x[2];
    for (int r = 0; r < 2; r++) {
        x[r] =
            row->slip ? -rows[ij[r]].way : p[ij[r]] - trm_projected_rate(W, b, p, ij[r]) / largest;
    }
    const double length = row->slip ? 1 : hypot(x[0], x[1]);
    const int slides = row->slip || length > most;
    const double part = slides ? most / length : 1, turns = row->slip ? 0 : part;
    const double way[] = {slides ? x[0] / length : 0, slides ? x[1] / length : 0};
    for (int r = 0; r < 2; r++) {
        to[r] = part * x[r];
        for (int k = 0; J && k < n; k++) {
            const double dx[] = {(ij[0] == k) - W->W[ij[0] * n + k] / largest,
                                 (ij[1] == k) - W->W[ij[1] * n + k] / largest};
            const double along = way[0] * dx[0] + way[1] * dx[1];
            J[ij[r] * n + k] = (ij[r] == k) * (slides ? 1 : 1 + beside) -
                               turns * (dx[r] - way[r] * along) -
                               (k == row->kin && most > 0 ? row->mu * way[r] : 0);
        }
    }
}

/// The rows that go together with row i, to[]: how many; none with a row before it.
static int project(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                   const double *p, const int *ij, double *J, double *to)
{
    if (ij[1] > ij[0]) {
        project_pair(W, rows, b, p, ij, J, to);
    } else if (ij[1] < 0) {
        to[0] = project_row(W, &rows[ij[0]], b, p, ij[0], J);
    }
    return ij[1] > ij[0] ? 2 : ij[1] < 0;
}

double trm_projected_sweep(const trm_projected_rows *W, const trm_coulomb_row *rows,
                           const double *b, double part, double *p)
{
    double most = 0;
    for (int i = 0; i < W->n; i++) {
        const int mate = rows[i].mate, kin = rows[i].kin, ij[] = {i, mate};
        const double stop = kin >= 0 ? W->own[kin] : 0; // rates of rolling as of their stop, in m/s
        const double unit = rows[kin >= 0 ? kin : i].unit;
        const int counts = stop > 0 && W->own[i] > 0; // a row that moves nothing changes by 0
        const double scale = (counts ? sqrt(stop / W->own[i]) : 1) / (unit > 0 ? unit : 1);
        const double own = mate > i ? largest_of(W, i, mate) : W->own[i];
        double to[2], square = 0;
        const int n = own > 0 ? project(W, rows, b, p, ij, NULL, to) : 0; // else the joints hold it
        for (int r = 0; r < n; r++) {
            const double change = to[r] - p[ij[r]];
            square = hypot(square, change);
            p[ij[r]] = n == 2 ? to[r] : p[ij[r]] + part * change;
        }
        const double change = scale * own * square;
        most = change > most || isnan(change) ? change : most;
    }
    return most;
}

// ------------------------------------------------------------------------------- Newton's method

/// Blocks of more rows are left to sweeps.
enum { ROWS = 48 };

/// Steps of Newton's method from p, then a sweep, where that changes less than `change`, by the
/// last sweep. Returns the change by the sweep that is kept.
static double leap(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                   double part, double change, double *p)
{
    enum { STEPS = 10 };
    const int n = W->n;
    double J[ROWS * ROWS], f[ROWS], tried[ROWS];
    int pivots[ROWS];
    memcpy(tried, p, (size_t)n * sizeof *p);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < n; i++) {
            const int ij[] = {i, rows[i].mate};
            double to[2];
            for (int r = project(W, rows, b, tried, ij, J, to) - 1; r >= 0; r--) {
                f[ij[r]] = to[r] - tried[ij[r]];
            }
        }
        trm_lu(n, J, pivots);
        trm_lu_solve(n, J, pivots, f);
        for (int i = 0; i < n; i++) {
            tried[i] += f[i];
        }
    }
    const double left = trm_projected_sweep(W, rows, b, part, tried);
    if (!(left < change)) {
        return change;
    }
    memcpy(p, tried, (size_t)n * sizeof *p);
    return left;
}

int trm_projected_solve(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                        double least, int sweeps, double *p)
{
    enum { FIRST = 16, LAST = 4096 }; // powers of two
    enum { HALVINGS = 4 };            // mu |W_nt|/W_nn up to 2^5 - 1
    double change = INFINITY, part = 1;
    int most = 0; // in the plane Lemke's method follows
    for (int i = 0; i < W->n; i++) {
        most = rows[i].mate >= 0 ? HALVINGS : most;
    }
    const int leaps = W->n <= ROWS, last = leaps && sweeps > LAST ? LAST + 1 : sweeps;
    for (int i = 0; i <= most && !(change <= least); i++, part *= 0.5) {
        for (int j = 0; j < W->n && i > 0; j++) {
            p[j] = 0;
        }
        change = INFINITY;
        for (int s = 0; s < last && change > least; s++) {
            change = trm_projected_sweep(W, rows, b, part, p);
            if (leaps && s >= FIRST && (s & (s - 1)) == 0 && change > least) {
                change = leap(W, rows, b, part, change, p);
            }
        }
    }
    return !(change <= least);
}

int trm_projected_gains(const trm_projected_rows *W, const double *u, const double *p, double *lost)
{
    double exchanged = *lost = 0;
    for (int i = 0; i < W->n; i++) {
        *lost -= p[i] * u[i] / 2;
        *lost -= p[i] * trm_projected_rate(W, u, p, i) / 2;
        exchanged += fabs(p[i] * u[i]);
    }
    return *lost < -TRM_CONTACT_ROUNDOFF * exchanged;
}

void trm_projected_bound(const trm_projected_rows *W, const double *u, double *bounces, double *p)
{
    double lost = 0, first = 0, second = 0; // J: lost + first s - second s^2
    for (int i = 0; i < W->n; i++) {
        bounces[i] -= p[i];
    }
    for (int i = 0; i < W->n; i++) {
        const double left = trm_projected_rate(W, u, p, i);
        lost -= p[i] * (u[i] + left) / 2;
        first -= bounces[i] * left;
        second += bounces[i] * (trm_projected_rate(W, u, bounces, i) - u[i]) / 2;
    }
    const double root = sqrt(first * first + 4 * second * fmax(lost, 0));
    const double s = second > 0 ? fmin((first + root) / (2 * second), 1) : 0;
    for (int i = 0; i < W->n; i++) {
        p[i] += s * bounces[i];
    }
}
