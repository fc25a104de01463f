#include "tools/sweep/design/draws.h"

#include <math.h>

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t trm_draw_key(uint64_t seed, const char *column)
{
    uint64_t key = mix(seed);
    for (; *column != '\0'; column++) {
        key = mix(key ^ (unsigned char)*column);
    }
    return key;
}

double trm_draw(uint64_t key, uint64_t index)
{
    return ((double)(mix(key ^ mix(index)) >> 11) + 0.5) * 0x1p-53;
}

void trm_draw_order(uint64_t key, uint32_t n, uint32_t *order)
{
    const uint64_t other = mix(~key); // not the numbers that place a draw within its stratum
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = (uint32_t)(trm_draw(other, i) * (i + 1.0));
        order[i] = order[k < i ? k : i];
        order[k < i ? k : i] = i;
    }
}

/// Halley's iteration on Phi(x) = erfc(-x/sqrt 2)/2, from Abramowitz & Stegun 26.2.23, whose error
/// is below 4.5e-4: its cube, and the cube of that, are below rounding.
double trm_normal_quantile(double u)
{
    const double tail = u < 0.5 ? u : 1 - u;
    const double s = sqrt(-2 * log(tail));
    double x = -(s - (2.515517 + s * (0.802853 + s * 0.010328)) /
                         (1 + s * (1.432788 + s * (0.189269 + s * 0.001308))));
    for (int i = 0; i < 3; i++) {
        const double density = exp(-x * x / 2) / sqrt(2 * acos(-1.0));
        const double newton = (erfc(-x / sqrt(2)) / 2 - tail) / density;
        x -= newton / (1 + x * newton / 2);
    }
    return u < 0.5 ? x : -x;
}
