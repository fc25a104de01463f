/// The derivatives of W runs of one structure at once: what width.c is for each W.
#ifndef TRM_WIDTH_H
#define TRM_WIDTH_H

#include "engine/solver/constraint_pattern.h"
#include "integrators/rk/stage_sum.h"

#include <stddef.h>

enum { TRM_MOST_LANES = 8 };

/// Elements of a model that consist of indices and then numbers, as the ordinary engine has them.
typedef struct trm_lane_array {
    const void *at;
    int count;
    size_t indices, head, size; ///< bytes of the indices, before the numbers, and in all, of each
} trm_lane_array;

enum { TRM_GROUND_PINS, TRM_PINS, TRM_DIAGONALS, TRM_PIN_PAIRS, TRM_LINKS, TRM_LANE_ARRAYS };

/// What the kernels read of a model. Runs of one structure differ in numbers alone: those of the
/// arrays, inverse_M and free.
typedef struct trm_lane_shape {
    int reduced; ///< nonzero: an open tree in its angles, y = (u, w, work); else y = (q, v, work)
    int n;       ///< numbers of y
    int nv;      ///< half of them
    int nbody;
    int nc, nfirst, nmoments;
    const trm_pattern *pattern;
    int nblanks;
    const int *blanks; ///< [2*nblanks] where they begin in S, how many
    int nfree;
    const int *free; ///< [nfree] places in the tree
    trm_lane_array array[TRM_LANE_ARRAYS];
    const double *inverse_M; ///< [nv]
    int nconstant;
    const double *constant; ///< [nconstant] M^-1 f; of a tree f
} trm_lane_shape;

typedef struct trm_lane_group trm_lane_group;

typedef struct trm_lane_ops {
    int width;
    /// Memory for runs of this structure; NULL when it is short.
    trm_lane_group *(*create)(const trm_lane_shape *shape);
    void (*destroy)(trm_lane_group *group);
    /// The numbers of a model.
    void (*take)(trm_lane_group *group, int lane, const trm_lane_shape *shape);
    /// The beginning of a step, y and y' there, and scale[pattern->n] of its solver (NULL: a tree).
    void (*begin)(trm_lane_group *group, int lane, const double *y, const double *dy,
                  const double *scale);
    /// k_stage of all lanes, h[width]. Bit l of the result: of lane l the constraints are not
    /// regular enough, its ratio min d/D not at least least[l], and its k is left to the caller.
    unsigned (*stage)(trm_lane_group *group, const trm_lane_shape *shape,
                      const trm_stage_weights *weights, int stage, const double *h,
                      const double *least);
    /// The argument y of the last stage.
    void (*argument)(const trm_lane_group *group, int lane, double *y);
    void (*put)(trm_lane_group *group, int lane, int stage, const double *k);
    void (*get)(const trm_lane_group *group, int lane, int stage, double *k);
} trm_lane_ops;

extern const trm_lane_ops trm_lane_width_2, trm_lane_width_4, trm_lane_width_8;

#endif
