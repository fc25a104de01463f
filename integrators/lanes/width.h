/// Steps of W runs of one structure at once: what width.c is for each W.
#pragma once

#include "engine/linear/constraint_pattern.h"
#include "integrators/rk/stage_sum.h"

#include <stddef.h>

enum { TRM_MOST_LANES = 8 };

/// Elements of a model that consist of indices and then numbers, as the ordinary engine has them.
typedef struct trm_lane_array {
    const void *at;
    int count;
    size_t indices, head, size; ///< bytes of the indices, before the numbers, and in all, of each
    int numbers;                ///< of each that are read
} trm_lane_array;

enum {
    TRM_GROUND_PINS,
    TRM_PINS,
    TRM_DIAGONALS,
    TRM_PIN_PAIRS,
    TRM_SPRINGS,
    TRM_TORQUES,
    TRM_LANE_ARRAYS
};

/// Where forces come from.
typedef enum trm_lane_forces {
    TRM_FORCES_CONSTANT, ///< they depend on nothing
    TRM_FORCES_IN_LANES, ///< weights, springs and constant torques
    TRM_FORCES_OF_RUNS   ///< from the runs, one by one
} trm_lane_forces;

/// What the kernels read of a model. Runs of one structure differ in numbers alone: those of the
/// arrays, inverse_M and free.
typedef struct trm_lane_shape {
    int n;  ///< numbers of y = (q, v, work)
    int nv; ///< half of them
    int nbody;
    int nc, nfirst, nmoments;
    const trm_pattern *pattern;
    int nblanks;
    const int *blanks; ///< [2*nblanks] where they begin in S, how many
    trm_lane_array array[TRM_LANE_ARRAYS];
    const double *inverse_M;      ///< [nv]
    const double *mass, *inertia; ///< [nbody]
    const double *field;          ///< [2] m/s^2 of gravity; NULL: none
    trm_lane_forces forces;
    int nconstant;
    const double *constant; ///< [nconstant] of constant forces M^-1 f; of those in lanes f of the
                            ///< weights
} trm_lane_shape;

/// Arrays of a group.
typedef enum trm_lane_place {
    TRM_LANE_Y,        ///< [n] y at the beginning of the step
    TRM_LANE_ARGUMENT, ///< [n] y of the last stage, then that of the end before its correction
    TRM_LANE_SCALE,    ///< [nc] scales of S
    TRM_LANE_EXTENT,   ///< [nc] extents of g
    TRM_LANE_END,      ///< [n] y at the end
    TRM_LANE_LAMBDA,   ///< [nc] at the end
    TRM_LANE_X,        ///< [nbody+1] the pose at the end: as in trm_pose
    TRM_LANE_HEIGHT,   ///< [nbody+1] its y
    TRM_LANE_ANGLE,    ///< [nbody+1]
    TRM_LANE_COSINE,   ///< [nbody+1]
    TRM_LANE_SINE,     ///< [nbody+1]
    TRM_LANE_G,        ///< [nc] g at the end
    TRM_LANE_MOMENTS,  ///< [nmoments] of the pins at the end
    TRM_LANE_S,        ///< [pattern->values] S at the end, factored
    TRM_LANE_PIVOT,    ///< [nc] its pivots
    TRM_LANE_INVERSE,  ///< [nc] and their inverses
    TRM_LANE_D,        ///< [nc] in units of which they are judged
    TRM_LANE_W,        ///< [nc] the weakest direction at the beginning, then that at the end
    TRM_LANE_GT_W,     ///< [nv] G^T w at the end
    TRM_LANE_U,        ///< [nv] M^-1 G^T w at the end
    TRM_LANE_K,        ///< [n] k_0; k_1 and those that follow are the next places
    TRM_LANE_PLACES = TRM_LANE_K + TRM_STAGE_WEIGHTS
} trm_lane_place;

/// What differs from run to run in one round.
typedef struct trm_lane_round {
    int stages;
    int passes;                      ///< of the correction
    double h[TRM_MOST_LANES];        ///< s
    double least[TRM_MOST_LANES];    ///< below this ratio min d/D a run evaluates by itself
    double delta[TRM_MOST_LANES];    ///< the least damping
    double row_size[TRM_MOST_LANES]; ///< of each run
    double alpha[TRM_MOST_LANES];    ///< of the correction
    double ratio[TRM_MOST_LANES];    ///< out: min d/D at the end
    unsigned again; ///< out: bit l: corrections of lane l took a second factorization
    // out: as in trm_found
    double position[TRM_MOST_LANES], row[TRM_MOST_LANES], velocity[TRM_MOST_LANES];
    double gap[TRM_MOST_LANES], load[TRM_MOST_LANES];
    double rate[TRM_MOST_LANES], rate_row[TRM_MOST_LANES];
    double kinetic[TRM_MOST_LANES], potential[TRM_MOST_LANES];
    double sigma[TRM_MOST_LANES], along[TRM_MOST_LANES], before[TRM_MOST_LANES];
} trm_lane_round;

/// An array of every run, of a lane each.
typedef double *trm_lane_arrays[TRM_MOST_LANES];

typedef struct trm_lane_group trm_lane_group;

/// Results of stage, correct and end: bit l is set where the constraints of lane l are not regular
/// enough, or its numbers not finite: these are left to the caller.
typedef struct trm_lane_ops {
    int width;
    /// Memory for runs of this structure; NULL when it is short.
    trm_lane_group *(*create)(const trm_lane_shape *shape);
    void (*destroy)(trm_lane_group *group);
    /// The numbers of a model.
    void (*take)(trm_lane_group *group, int lane, const trm_lane_shape *shape);
    /// The arrays first ... last of the runs, at[place][lane]. Lanes whose bit is set in `but` (not
    /// all) get the numbers of another.
    void (*load)(trm_lane_group *group, int first, int last, trm_lane_arrays *at, unsigned but);
    /// Into the runs whose bit is not set in `but`.
    void (*store)(trm_lane_group *group, int first, int last, trm_lane_arrays *at, unsigned but);
    /// An array of one lane.
    void (*put)(trm_lane_group *group, int place, int lane, const double *from);
    void (*get)(const trm_lane_group *group, int place, int lane, double *to);
    /// The argument of a stage, or the end before its correction.
    void (*sum)(trm_lane_group *group, const trm_lane_shape *shape,
                const trm_stage_weights *weights, const trm_lane_round *round);
    /// k_stage at the argument; where forces come from the runs, M^-1 f and the power stand in it.
    unsigned (*stage)(trm_lane_group *group, const trm_lane_shape *shape, int stage,
                      const trm_lane_round *round);
    /// The end, from the argument.
    unsigned (*correct)(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round);
    /// k_stages and all that belongs to the end.
    unsigned (*end)(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round);
    /// Gaps, drift, load and energies at the end.
    void (*measure)(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round);
    /// A step of inverse iteration at the end.
    void (*iterate)(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round);
} trm_lane_ops;

extern const trm_lane_ops trm_lane_width_2, trm_lane_width_4, trm_lane_width_8;
