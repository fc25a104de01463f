/// Loops over long arrays that are compiled twice, for the registers that every x86-64 has and for
/// twice as wide ones; the choice is made when the program is loaded. Only for loops whose entries have
/// nothing to do with each other: then the bits are the same. (AVX2 without fused multiply-add.)
#ifndef TRM_WIDE_H
#define TRM_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define TRM_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TRM_WIDE
#endif

#endif
