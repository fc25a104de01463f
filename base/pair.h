/// Two numbers side by side: rows and columns of 2 by 2 blocks. With one lane (lane.h) a vector of
/// gcc and clang, which is stored and loaded whole: a load of one pair from two stores waits for
/// both. With more lanes every number is a vector already. Hence functions instead of operators.
#pragma once

#include "base/lane.h"

#if TRM_W == 1

typedef double trm_pair __attribute__((vector_size(2 * sizeof(double))));
/// A pair as it lies in an array.
typedef trm_pair trm_pair_there __attribute__((aligned(sizeof(double)), may_alias));

static inline trm_pair trm_pair_load(const double *x)
{
    return *(const trm_pair_there *)x;
}

static inline void trm_pair_store(trm_pair pair, double *x)
{
    *(trm_pair_there *)x = pair;
}

static inline trm_pair trm_pair_of(double x, double y)
{
    return (trm_pair){x, y};
}

static inline double trm_first(trm_pair x)
{
    return x[0];
}

static inline double trm_second(trm_pair x)
{
    return x[1];
}

static inline trm_pair trm_plus(trm_pair x, trm_pair y)
{
    return x + y;
}

static inline trm_pair trm_minus(trm_pair x, trm_pair y)
{
    return x - y;
}

/// Entry by entry.
static inline trm_pair trm_times(trm_pair x, trm_pair y)
{
    return x * y;
}

static inline trm_pair trm_scaled(double c, trm_pair x)
{
    return c * x;
}

static inline trm_pair trm_negative(trm_pair x)
{
    return -x;
}

static inline trm_pair trm_swapped(trm_pair x)
{
    return (trm_pair){x[1], x[0]};
}

#else

typedef struct trm_pair {
    trm_lane x, y;
} trm_pair;

static inline trm_pair trm_pair_load(const trm_lane *x)
{
    return (trm_pair){x[0], x[1]};
}

static inline void trm_pair_store(trm_pair pair, trm_lane *x)
{
    x[0] = pair.x;
    x[1] = pair.y;
}

static inline trm_pair trm_pair_of(trm_lane x, trm_lane y)
{
    return (trm_pair){x, y};
}

static inline trm_lane trm_first(trm_pair x)
{
    return x.x;
}

static inline trm_lane trm_second(trm_pair x)
{
    return x.y;
}

static inline trm_pair trm_plus(trm_pair x, trm_pair y)
{
    return (trm_pair){x.x + y.x, x.y + y.y};
}

static inline trm_pair trm_minus(trm_pair x, trm_pair y)
{
    return (trm_pair){x.x - y.x, x.y - y.y};
}

static inline trm_pair trm_times(trm_pair x, trm_pair y)
{
    return (trm_pair){x.x * y.x, x.y * y.y};
}

static inline trm_pair trm_scaled(trm_lane c, trm_pair x)
{
    return (trm_pair){c * x.x, c * x.y};
}

static inline trm_pair trm_negative(trm_pair x)
{
    return (trm_pair){-x.x, -x.y};
}

static inline trm_pair trm_swapped(trm_pair x)
{
    return (trm_pair){x.y, x.x};
}

#endif
