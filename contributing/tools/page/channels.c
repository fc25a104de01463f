#include "tools/page/channels.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ORDER = 4 };

static const double largest_integer = 1 << 26; // its fourth differences fit into 31 bits

void trm_channels_begin(trm_channels *out, FILE *bytes, FILE *text)
{
    *out = (trm_channels){.bytes = bytes, .text = text};
}

void trm_channels_end(trm_channels *channels)
{
    free(channels->work);
    channels->work = NULL;
}

/// In place; the first `order` entries are differences against zeros.
static void difference(long n, int32_t *k)
{
    for (long i = n - 1; i > 0; i--) {
        k[i] -= k[i - 1];
    }
}

static void integrate(long n, int32_t *k)
{
    for (long i = 1; i < n; i++) {
        k[i] += k[i - 1];
    }
}

/// Bits that the numbers behind the first few need.
static double cost(long n, const int32_t *k)
{
    double bits = 0;
    for (long i = MOST_ORDER; i < n; i++) {
        bits += log2(1 + fabs((double)k[i]));
    }
    return bits;
}

/// Leaves the best differences in k and returns their order.
static int best_difference(long n, int32_t *k)
{
    int best = 0;
    double least = cost(n, k);
    for (int order = 1; order <= MOST_ORDER; order++) {
        difference(n, k);
        const double bits = cost(n, k);
        if (bits < least) {
            least = bits;
            best = order;
        }
    }
    for (int order = MOST_ORDER; order > best; order--) {
        integrate(n, k);
    }
    return best;
}

static uint32_t zigzag(int32_t k)
{
    return k < 0 ? 2 * (uint32_t)(-(k + 1)) + 1 : 2 * (uint32_t)k;
}

static int write_planes(const trm_channels *c, long n, const int32_t *k)
{
    uint32_t all = 0;
    for (long i = 0; i < n; i++) {
        all |= zigzag(k[i]);
    }
    int planes = 0;
    for (; all >> (8 * planes) != 0; planes++) {
        for (long i = 0; i < n; i++) {
            fputc((int)(zigzag(k[i]) >> (8 * planes) & 255), c->bytes);
        }
        if (planes == 3) {
            return 4;
        }
    }
    return planes;
}

/// Turned round where they go down at first; returns the sign. A force and its reaction are the
/// same bytes then, which deflate finds.
static int upward(long n, int32_t *k)
{
    long i = 0;
    while (i < n && k[i] == 0) {
        i++;
    }
    if (i == n || k[i] > 0) {
        return 1;
    }
    for (; i < n; i++) {
        k[i] = -k[i];
    }
    return -1;
}

int trm_channels_add(trm_channels *c, long n, const double *x, long step, double quantum)
{
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < n; i++) {
        low = fmin(low, x[i * step]);
        high = fmax(high, x[i * step]);
    }
    if (n > c->size) {
        free(c->work);
        c->work = malloc((size_t)n * sizeof *c->work);
        c->size = c->work != NULL ? n : 0;
    }
    if (c->work == NULL) {
        return -1;
    }
    const double digits = 1e-7 * fmax(fabs(low), fabs(high));
    const double origin = n > 0 ? x[0] : 0;
    quantum = fmax(quantum > 0 ? quantum : digits, (high - low) / largest_integer);
    quantum = quantum > 0 && isfinite(1 / quantum) ? quantum : 1;
    for (long i = 0; i < n; i++) {
        c->work[i] = (int32_t)lrint((x[i * step] - origin) / quantum);
    }
    quantum *= upward(n, c->work);
    const int order = best_difference(n, c->work);
    const int planes = write_planes(c, n, c->work);
    fprintf(c->text, "%s[%ld,%d,%d,%.17g,%.17g]", c->n > 0 ? "," : "", n, planes, order, origin,
            quantum);
    return c->n++;
}

// --------------------------------------------------------------------------------------- thinning

/// Row number i of those kept: every stride-th, and the last.
static long kept(long i, long stride, long n)
{
    return i * stride < n ? i * stride : n - 1;
}

/// The cubic through four kept rows around row `at` of the gap behind kept row `gap`.
static double cubic(long n, const double *t, long t_step, const double *x, long step, long stride,
                    long gap, long at)
{
    const long rows = (n - 2) / stride + 2; // kept ones
    const long first = gap < 1 ? 0 : gap + 2 > rows - 1 ? rows - 4 : gap - 1;
    double sum = 0;
    for (long i = first; i < first + 4; i++) {
        double weight = 1;
        for (long k = first; k < first + 4; k++) {
            const double tk = t[kept(k, stride, n) * t_step];
            weight *= k == i ? 1 : (t[at * t_step] - tk) / (t[kept(i, stride, n) * t_step] - tk);
        }
        sum += weight * x[kept(i, stride, n) * step];
    }
    return sum;
}

static int holds(long n, const double *t, long t_step, const double *x, long step, long stride,
                 double error)
{
    for (long i = 0; i < n; i++) {
        const long gap = i / stride;
        if (i % stride != 0 && i != n - 1 &&
            !(fabs(cubic(n, t, t_step, x, step, stride, gap, i) - x[i * step]) <= error)) {
            return 0;
        }
    }
    return 1;
}

long trm_channels_stride(long n, const double *t, long t_step, const double *x, long step,
                         double error, long most)
{
    long stride = 1;
    while (2 * stride <= most && 8 * stride < n &&
           holds(n, t, t_step, x, step, 2 * stride, error)) {
        stride *= 2;
    }
    return stride;
}
