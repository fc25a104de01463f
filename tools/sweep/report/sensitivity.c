#include "tools/sweep/report/sensitivity.h"

#include "tools/sweep/report/statistics.h"

#include <math.h>

static int all_finite(const double *y, int n)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(y[i])) {
            return 0;
        }
    }
    return 1;
}

// ----------------------------------------------------------------------------------------- Sobol

typedef struct spread {
    long rows;
    double mean, variance; // of A and B
} spread;

static spread spread_of(const double *y, long rows, int k)
{
    spread s = {0};
    double squares = 0;
    for (long j = 0; j < rows; j++, y += k + 2) {
        for (int b = 0; all_finite(y, k + 2) && b < 2; b++) {
            const double step = y[b] - s.mean;
            s.mean += step / (double)(2 * s.rows + b + 1);
            squares += step * (y[b] - s.mean);
            s.rows += b;
        }
    }
    s.variance = s.rows > 0 ? squares / (double)(2 * s.rows) : 0;
    return s;
}

/// One index is sum g/sum h; its error by first order in the errors of both sums.
static trm_sobol one_parameter(const double *y, long rows, int k, int i, const spread *s)
{
    const double n = (double)s->rows;
    double first = 0, total = 0, of_first = 0, of_total = 0;
    for (int pass = 0; pass < 2; pass++) {
        const double *row = y;
        for (long j = 0; j < rows; j++, row += k + 2) {
            if (!all_finite(row, k + 2)) {
                continue;
            }
            const double a = row[0] - s->mean, b = row[1] - s->mean, c = row[2 + i] - s->mean;
            const double alone = b * (c - a), both = (a - c) * (a - c) / 2;
            const double varies = (a * a + b * b) / 2;
            if (pass == 0) {
                first += alone / n / s->variance;
                total += both / n / s->variance;
            } else {
                of_first += pow(alone - first * varies, 2);
                of_total += pow(both - total * varies, 2);
            }
        }
    }
    return (trm_sobol){first, total, sqrt(of_first) / n / s->variance,
                       sqrt(of_total) / n / s->variance};
}

long trm_sobol_of(const double *y, long rows, int k, trm_sobol *out)
{
    const spread s = spread_of(y, rows, k);
    // an output that is constant but for the rounding of its mean has no shares
    const int varies = s.rows > 1 && sqrt(s.variance) > 1e-14 * fabs(s.mean);
    for (int i = 0; i < k; i++) {
        out[i] = varies ? one_parameter(y, rows, k, i, &s) : (trm_sobol){NAN, NAN, NAN, NAN};
    }
    return s.rows;
}

// ---------------------------------------------------------------------------------------- Morris

long trm_morris_of(const double *y, const double *const *x, const double *range, long trajectories,
                   int k, trm_morris *out)
{
    long whole = 0;
    for (int i = 0; i < k; i++) {
        double mean = 0, size = 0, squares = 0;
        whole = 0;
        for (long r = 0; r < trajectories; r++) {
            const long at = r * (k + 1);
            if (!all_finite(y + at, k + 1)) {
                continue;
            }
            for (int s = 0; s < k; s++) { // the step that changes parameter i
                const double moved = x[i][at + s + 1] - x[i][at + s];
                if (moved == 0 || !(range[i] > 0)) {
                    continue;
                }
                const double effect = (y[at + s + 1] - y[at + s]) / (moved / range[i]);
                const double step = effect - mean;
                whole++;
                mean += step / (double)whole;
                squares += step * (effect - mean);
                size += (fabs(effect) - size) / (double)whole;
            }
        }
        out[i] = whole > 0 ? (trm_morris){mean, size, sqrt(squares / (double)(whole - 1))}
                           : (trm_morris){NAN, NAN, NAN};
    }
    return whole;
}

// ----------------------------------------------------------------------------------- correlation

double trm_rank_correlation(const double *x, const double *y, long n, double *work, long *order)
{
    double *const a = work, *const b = work + n, *const ra = work + 2 * n, *const rb = work + 3 * n;
    long m = 0;
    for (long i = 0; i < n; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            a[m] = x[i];
            b[m++] = y[i];
        }
    }
    if (m < 3) {
        return NAN;
    }
    trm_ranks(a, m, order, ra);
    trm_ranks(b, m, order, rb);
    const double mean = (double)(m + 1) / 2;
    double ab = 0, aa = 0, bb = 0;
    for (long i = 0; i < m; i++) {
        ab += (ra[i] - mean) * (rb[i] - mean);
        aa += (ra[i] - mean) * (ra[i] - mean);
        bb += (rb[i] - mean) * (rb[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}
