/// Help for fast loops over long arrays.
#pragma once

/// A function compiled twice, for the registers of every x86-64 and for registers twice as wide;
/// the choice is made when the program is loaded. Only for loops with independent entries: then the
/// bits are the same. (AVX2 without fused multiply-add.) Not under the thread sanitizer, which is
/// loaded after the choice is made. Only for static functions: gcc 12 exports the clones of others
/// from a shared library. Not with clang, where static functions of one name in two files
/// would share the choice (clang 14); not with lanes (lane.h), which are as wide as the registers.
#if (!defined(TRM_W) || TRM_W == 1) && defined(__x86_64__) && defined(__gnu_linux__) &&            \
    defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define TRM_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TRM_WIDE
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRM_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TRM_SANITIZED
#endif
#endif

/// Always inlined, and compiled for the registers of its caller. Under sanitizers the compiler
/// decides: with their checks at every access, clang takes a minute for block_ldl.c alone.
#if defined(__GNUC__) && !defined(TRM_SANITIZED)
#define TRM_INLINE static inline __attribute__((always_inline))
#else
#define TRM_INLINE static inline
#endif

/// Before a loop with a literal count of at most eight: it is unrolled completely.
#if defined(__GNUC__) && !defined(__clang__)
#define TRM_UNROLL _Pragma("GCC unroll 8")
#else
#define TRM_UNROLL
#endif

/// Returns nonzero if x is larger than all before, `most`, or the first that is no number: it stays
/// then.
static inline int trm_is_worse(double x, double most)
{
    return !(x <= most) && most == most;
}

/// fmax(x, y) without the call, for y that is a number.
static inline double trm_larger(double x, double y)
{
    return x > y ? x : y;
}

/// fmin(x, y) likewise.
static inline double trm_lesser(double x, double y)
{
    return x < y ? x : y;
}
