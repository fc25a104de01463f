/// A number of a kernel: a double, or W of them side by side, each of a run of its own, a lane.
///
/// Kernels are written once, for trm_lane and trm_pair, and compiled with TRM_W = 1 for the
/// ordinary engine, with 2, 4 and 8 for runs that are stepped together (integrators/lanes). Lanes
/// do not mix, and the operations of each are those of W = 1 in their order: so are its bits.
#pragma once

#include <stdint.h>

#ifndef TRM_W
#define TRM_W 1
#endif

#if TRM_W == 1
typedef double trm_lane;
typedef int64_t trm_lane_truth;
#else
#ifdef __x86_64__
#include <immintrin.h>
#endif

// What is compiled for each width, in one program.
#define TRM_OF_WIDTH_(name, width) name##_##width
#define TRM_OF_WIDTH(name, width) TRM_OF_WIDTH_(name, width)
#define trm_pins_prepare TRM_OF_WIDTH(trm_pins_prepare, TRM_W)
#define trm_pins_position TRM_OF_WIDTH(trm_pins_position, TRM_W)
#define trm_pins_acceleration_residual TRM_OF_WIDTH(trm_pins_acceleration_residual, TRM_W)
#define trm_pins_multiply_G TRM_OF_WIDTH(trm_pins_multiply_G, TRM_W)
#define trm_pins_multiply_GT TRM_OF_WIDTH(trm_pins_multiply_GT, TRM_W)
#define trm_pins_form_S TRM_OF_WIDTH(trm_pins_form_S, TRM_W)
#define trm_pairs_factor TRM_OF_WIDTH(trm_pairs_factor, TRM_W)
#define trm_pairs_forward TRM_OF_WIDTH(trm_pairs_forward, TRM_W)
#define trm_pairs_backward TRM_OF_WIDTH(trm_pairs_backward, TRM_W)
#define trm_pairs_solve_two TRM_OF_WIDTH(trm_pairs_solve_two, TRM_W)
#define trm_pivots_scale TRM_OF_WIDTH(trm_pivots_scale, TRM_W)
#define trm_pivots_decide TRM_OF_WIDTH(trm_pivots_decide, TRM_W)
#define trm_spring_energy TRM_OF_WIDTH(trm_spring_energy, TRM_W)
#define trm_planar_kinetic TRM_OF_WIDTH(trm_planar_kinetic, TRM_W)
#define trm_planar_height TRM_OF_WIDTH(trm_planar_height, TRM_W)
#define trm_spring_push TRM_OF_WIDTH(trm_spring_push, TRM_W)
#define trm_spring_loss TRM_OF_WIDTH(trm_spring_loss, TRM_W)
#define trm_stage_weights_set TRM_OF_WIDTH(trm_stage_weights_set, TRM_W)
#define trm_stage_sum TRM_OF_WIDTH(trm_stage_sum, TRM_W)
#define trm_lane_width TRM_OF_WIDTH(trm_lane_width, TRM_W)

typedef double trm_lane __attribute__((vector_size(TRM_W * sizeof(double))));
/// The result of a comparison: all bits or none.
typedef int64_t trm_lane_truth __attribute__((vector_size(TRM_W * sizeof(int64_t))));
#endif

/// truth ? x : y
static inline trm_lane trm_lane_choose(trm_lane_truth truth, trm_lane x, trm_lane y)
{
#if TRM_W == 1
    return truth ? x : y;
#elif TRM_W == 4 && defined(__AVX2__)
    return _mm256_blendv_pd(y, x, (trm_lane)truth);
#else
    return (trm_lane)((truth & (trm_lane_truth)x) | (~truth & (trm_lane_truth)y));
#endif
}

/// x > y ? x : y, which is what MAXPD does, with NaN and zeros too.
static inline trm_lane trm_lane_larger(trm_lane x, trm_lane y)
{
#if TRM_W == 2 && defined(__x86_64__)
    return _mm_max_pd(x, y);
#elif TRM_W == 4 && defined(__AVX2__)
    return _mm256_max_pd(x, y);
#elif TRM_W == 8 && defined(__AVX512F__)
    return _mm512_max_pd(x, y);
#else
    return trm_lane_choose(x > y, x, y);
#endif
}

/// x < y ? x : y
static inline trm_lane trm_lane_smaller(trm_lane x, trm_lane y)
{
    return trm_lane_choose(x < y, x, y);
}

/// |x|
static inline trm_lane trm_lane_magnitude(trm_lane x)
{
#if TRM_W == 1
    return __builtin_fabs(x);
#else
    return (trm_lane)((trm_lane_truth)x & INT64_MAX);
#endif
}

/// The square root.
static inline trm_lane trm_lane_root(trm_lane x)
{
#if TRM_W == 1
    return __builtin_sqrt(x);
#elif TRM_W == 2 && defined(__x86_64__)
    return _mm_sqrt_pd(x);
#elif TRM_W == 4 && defined(__AVX2__)
    return _mm256_sqrt_pd(x);
#elif TRM_W == 8 && defined(__AVX512F__)
    return _mm512_sqrt_pd(x);
#else
    for (int l = 0; l < TRM_W; l++) {
        x[l] = __builtin_sqrt(x[l]);
    }
    return x;
#endif
}

/// The same number in every lane.
static inline trm_lane trm_lane_of(double x)
{
    return x - (trm_lane){0};
}
