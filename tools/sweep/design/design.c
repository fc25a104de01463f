#include "tools/sweep/design/design.h"

#include "tools/sweep/design/draws.h"

int trm_design_block(trm_design design, int parameters)
{
    return design == TRM_DESIGN_SOBOL    ? parameters + 2
           : design == TRM_DESIGN_MORRIS ? parameters + 1
                                         : 1;
}

static int is_prime(int n)
{
    for (int d = 2; d * d <= n; d++) {
        if (n % d == 0) {
            return 0;
        }
    }
    return 1;
}

/// 2, 3, 5, ... for place = 0, 1, 2, ...
static int prime(int place)
{
    int p = 2;
    for (int found = 0; found < place; found += is_prime(p)) {
        p++;
    }
    return p;
}

/// Element j of the scrambled sequence: digit d of place l in base b becomes a d + c mod b, with a
/// and c of the key. Digits go on to the last bit, where j has only zeros.
static double halton(uint64_t key, int b, uint64_t j)
{
    double x = 0, weight = 1.0 / b;
    for (uint64_t l = 0; weight > 0x1p-54; l++) {
        const uint64_t a = 1 + (uint64_t)(trm_draw(key, 2 * l) * (b - 1));
        const uint64_t c = (uint64_t)(trm_draw(key, 2 * l + 1) * b);
        const uint64_t base = (uint64_t)b;
        x += (double)((a * (j % base) + c) % base) * weight;
        j /= base;
        weight /= b;
    }
    const double most = 1 - 0x1p-53;
    return x < 0x1p-54 ? 0x1p-54 : x > most ? most : x;
}

static double of_sobol(int k, uint64_t key, int i, long index)
{
    const int b = (int)(index % (k + 2));
    const int from_b = b == 1 || b == i + 2;
    return halton(key, prime(from_b ? k + i : i), (uint64_t)(index / (k + 2)));
}

/// Parameter i has its step at the place that its number takes among those of all, in this
/// trajectory. It goes up from 0 or 1/3, or down from 1 or 2/3, by 2/3.
static double of_morris(int k, const uint64_t *keys, int i, long index)
{
    const uint64_t r = (uint64_t)(index / (k + 1));
    const int s = (int)(index % (k + 1));
    const double mine = trm_draw(keys[i], 2 * r);
    int place = 0;
    for (int other = 0; other < k; other++) {
        const double its = trm_draw(keys[other], 2 * r);
        place += its < mine || (its == mine && other < i);
    }
    const int quarter = (int)(4 * trm_draw(keys[i], 2 * r + 1));
    const int up = quarter < 2, low = quarter % 2;
    const int moved = s > place;
    return (low + (up == moved ? 2 : 0)) / 3.0;
}

double trm_design_draw(trm_design design, int k, const uint64_t *keys, int i, long index)
{
    return design == TRM_DESIGN_SOBOL ? of_sobol(k, keys[i], i, index)
                                      : of_morris(k, keys, i, index);
}
