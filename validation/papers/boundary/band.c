#include "validation/papers/boundary/band.h"

#include <math.h>
#include <string.h>

trm_band trm_band_of(int n, int width)
{
    // the band, and `width` more rows that row exchanges fill
    return (trm_band){.n = n, .width = width, .rows = 3 * width + 1};
}

int trm_band_size(const trm_band *band)
{
    return band->rows * band->n;
}

void trm_band_clear(trm_band *band)
{
    memset(band->A, 0, (size_t)band->rows * (size_t)band->n * sizeof(double));
}

double *trm_band_at(const trm_band *band, int i, int j)
{
    return &band->A[j * band->rows + 2 * band->width + i - j];
}

/// Column by column, with row exchanges; x goes along.
int trm_band_solve(trm_band *band, double *x)
{
    const int n = band->n, w = band->width;
    for (int k = 0; k < n; k++) {
        const int low = k + w < n - 1 ? k + w : n - 1,
                  right = k + 2 * w < n - 1 ? k + 2 * w : n - 1;
        int best = k;
        for (int i = k + 1; i <= low; i++) {
            best = fabs(*trm_band_at(band, i, k)) > fabs(*trm_band_at(band, best, k)) ? i : best;
        }
        const double pivot = *trm_band_at(band, best, k), first = x[best];
        if (pivot == 0) {
            return 1;
        }
        x[best] = x[k];
        x[k] = first;
        for (int i = k + 1; i <= low; i++) {
            const double kept = i == best ? *trm_band_at(band, k, k) : *trm_band_at(band, i, k);
            *trm_band_at(band, i, k) = kept / pivot;
            x[i] -= kept / pivot * first;
        }
        *trm_band_at(band, k, k) = pivot;
        for (int j = k + 1; j <= right; j++) {
            const double top = *trm_band_at(band, best, j);
            *trm_band_at(band, best, j) = *trm_band_at(band, k, j);
            *trm_band_at(band, k, j) = top;
            for (int i = k + 1; i <= low; i++) {
                *trm_band_at(band, i, j) -= *trm_band_at(band, i, k) * top;
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j <= k + 2 * w && j < n; j++) {
            x[k] -= *trm_band_at(band, k, j) * x[j];
        }
        x[k] /= *trm_band_at(band, k, k);
    }
    return 0;
}
