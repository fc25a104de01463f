/// x = k pi/2 + r, |r| <= pi/4, then polynomials in z = r^2:
///
///     sin r = r + r z (S1 + S2 z + ... + S6 z^5)
///     cos r = 1 - z/2 + z^2 (C1 + C2 z + ... + C6 z^5)
///
/// and k mod 4 decides which is which and the signs. Coefficients are the minimax polynomials of
/// FDLIBM (Sun Microsystems, freely distributable). No branch in the loop, so that compilers turn
/// it into vector code; a call of the C library costs three times as much.
#include "bodies/sincos.h"
#include "base/loops.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// clang-format off
static const double S1 = -1.66666666666666324348e-01, S2 =  8.33333333332248946124e-03,
                    S3 = -1.98412698298579493134e-04, S4 =  2.75573137070700676789e-06,
                    S5 = -2.50507602534068634195e-08, S6 =  1.58969099521155010221e-10;
static const double C1 =  4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03,
                    C3 =  2.48015872894767294178e-05, C4 = -2.75573143513906633035e-07,
                    C5 =  2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;
// clang-format on

static const double two_over_pi = 6.36619772367581382433e-01;
/// pi/2 = high + low, high with so few bits that k high is exact for |k| < 2^20.
static const double high = 1.57079632673412561417e+00;
static const double low = 6.07710050650619224932e-11;
/// Adding it rounds to an integer, whose low bits are then the low bits of the sum.
static const double rounder = 6755399441055744.0; // 1.5 * 2^52

static const double largest = 1e6;

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void sincos_small(double x, double *s, double *c)
{
    const double shifted = x * two_over_pi + rounder;
    const uint64_t k = bits_of(shifted);
    const double turns = shifted - rounder;
    const double r = (x - turns * high) - turns * low;
    const double z = r * r;
    const double zz = z * z;
    const double S = (S1 + z * S2) + zz * ((S3 + z * S4) + zz * (S5 + z * S6));
    const double C = (C1 + z * C2) + zz * ((C3 + z * C4) + zz * (C5 + z * C6));
    const double sine = r + r * z * S;
    const double cosine = 1 - (0.5 * z - zz * C);
    const uint64_t swap = 0 - (k & 1);
    const uint64_t a = bits_of(sine);
    const uint64_t b = bits_of(cosine);
    *s = number_of(((a & ~swap) | (b & swap)) ^ ((k & 2) << 62));
    *c = number_of(((b & ~swap) | (a & swap)) ^ (((k + 1) & 2) << 62));
}

/// Returns how many arguments are too large, NaN included.
TRM_WIDE static int64_t sincos_of_small(int n, const double *restrict x, double *restrict s,
                                        double *restrict c)
{
    int64_t large = 0; // as wide as a double
    for (int i = 0; i < n; i++) {
        sincos_small(x[i], &s[i], &c[i]);
        large += !(fabs(x[i]) < largest);
    }
    return large;
}

void trm_sincos(int n, const double *x, double *s, double *c)
{
    const int64_t large = sincos_of_small(n, x, s, c);
    for (int i = 0; large > 0 && i < n; i++) {
        if (!(fabs(x[i]) < largest)) {
            s[i] = sin(x[i]);
            c[i] = cos(x[i]);
        }
    }
}
