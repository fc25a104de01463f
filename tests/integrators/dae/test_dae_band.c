/// The banded solution of boundary values, against products of known matrices.
#include "tests/engine/linear/random_system.h"
#include "validation/papers/boundary/band.h"

enum { MOST = 24 };

static void fill(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        A[i] = uniform();
    }
}

CLAIM(band_solves_what_needs_exchanges)
{
    double A[(3 * MOST + 1) * MOST], x[MOST], y[MOST];
    seed = 5;
    for (int n = 1; n <= MOST; n++) {
        for (int width = 0; width < 5 && width < n; width++) {
            trm_band band = trm_band_of(n, width);
            band.A = A;
            trm_band_clear(&band);
            fill(n, x);
            for (int i = 0; i < n; i++) {
                y[i] = 0;
                for (int j = i > width ? i - width : 0; j < n && j <= i + width; j++) {
                    const double entry = i == j && width > 0 ? 1e-3 * uniform() : uniform();
                    *trm_band_at(&band, i, j) = entry;
                    y[i] += entry * x[j];
                }
            }
            assert_int_equal(trm_band_solve(&band, y), 0);
            for (int i = 0; i < n; i++) {
                assert_near(y[i], x[i], 1e-6);
            }
        }
    }
    trm_band zero = trm_band_of(2, 1);
    zero.A = A;
    trm_band_clear(&zero);
    assert_int_not_equal(trm_band_solve(&zero, y), 0);
}
