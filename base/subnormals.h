/// Numbers below 2.2e-308 taken as zero for a while. Processors compute with them a hundred times
/// slower, and they do occur: the reactions in a long chain that starts to fall fade by a constant
/// factor from joint to joint. No effect on processors other than x86-64.
#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>

/// For the calling thread. Returns the state for trm_subnormals_restore.
static inline unsigned trm_subnormals_flush(void)
{
    const unsigned results = 0x8000; // FTZ
    const unsigned operands = 0x40;  // DAZ
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | results | operands);
    return before;
}

static inline void trm_subnormals_restore(unsigned before)
{
    _mm_setcsr(before);
}
#else
static inline unsigned trm_subnormals_flush(void)
{
    return 0;
}

static inline void trm_subnormals_restore(unsigned before)
{
    (void)before;
}
#endif
