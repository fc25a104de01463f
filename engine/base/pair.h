/// Two numbers side by side: rows and columns of 2 by 2 blocks, as vectors of gcc and clang. A pair
/// is stored and loaded whole: a load of one pair from two stores waits for both.
#ifndef TRM_PAIR_H
#define TRM_PAIR_H

#include <stdint.h>

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

/// The result of comparing two pairs: all bits or none.
typedef int64_t trm_pair_truth __attribute__((vector_size(2 * sizeof(int64_t))));

/// truth ? x : y
static inline trm_pair trm_pair_choose(trm_pair_truth truth, trm_pair x, trm_pair y)
{
    return (trm_pair)((truth & (trm_pair_truth)x) | (~truth & (trm_pair_truth)y));
}

/// x < y ? x : y, entry by entry
static inline trm_pair trm_pair_smaller(trm_pair x, trm_pair y)
{
    return trm_pair_choose(x < y, x, y);
}

/// x > y ? x : y
static inline trm_pair trm_pair_larger(trm_pair x, trm_pair y)
{
    return trm_pair_choose(x > y, x, y);
}

#endif
