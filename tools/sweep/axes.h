/// What run number i is: a value for each setting.
///
/// Grids and lists are multiplied, the last one runs fastest; each of their points is taken as
/// often as there are draws. A file of samples stands alone, and so does a design (design.h).
#pragma once

#include "tools/common/load.h"
#include "tools/common/options.h"
#include "tools/sweep/design/design.h"

#include <stdint.h>

typedef enum trm_axis_kind {
    TRM_AXIS_FIXED,   ///< one text for all runs
    TRM_AXIS_GRID,    ///< a + (b - a) k/(n - 1)
    TRM_AXIS_LOG,     ///< a (b/a)^(k/(n - 1))
    TRM_AXIS_LIST,    ///< list[n]
    TRM_AXIS_UNIFORM, ///< drawn from (a, b)
    TRM_AXIS_NORMAL,  ///< drawn, with mean a and deviation b
    TRM_AXIS_TABLE    ///< column n of the file of samples
} trm_axis_kind;

typedef struct trm_axis {
    char name[128];
    trm_axis_kind kind;
    trm_setting_target target;
    char unit[16];    ///< of a number of the state; "" of a parameter, whose unit the scene knows
    const char *text; ///< FIXED: borrowed from the command line
    double a, b;
    long n;
    double *list;    ///< LIST
    uint64_t key;    ///< of the draws
    int drawn;       ///< its number among the drawn ones
    uint32_t *order; ///< [runs] the stratum of each run; NULL: plain draws
} trm_axis;

typedef struct trm_axes {
    int n;
    trm_axis *at;     ///< [n]
    long runs, draws; ///< draws: with a design, its rows or trajectories
    trm_design design;
    int ndrawn;
    uint64_t *keys; ///< [ndrawn]
    double *table;  ///< [runs*columns] of the file of samples; NULL without
    int columns;
} trm_axes;

enum { TRM_MOST_RUNS = 100000000 }; ///< a bit for each is kept in memory, and where its row lies

/// What the command line says. `scene` and `model` are as they are without any setting. Errors:
/// OPTIONS, IO, MEMORY.
trm_status trm_axes_create(const trm_arguments *arguments, const trm_scene *scene,
                           const trm_model *model, trm_axes *out, trm_error *err);
void trm_axes_destroy(trm_axes *axes);

/// The value of an axis, not FIXED, in run `index`.
double trm_axis_value(const trm_axes *axes, int axis, long index);

/// The table of samples: sets table, columns and runs, and appends an axis for each column. Errors:
/// IO, OPTIONS, MEMORY.
trm_status trm_samples_read(const char *path, trm_axes *axes, trm_error *err);

/// One more axis; NULL when memory is short.
trm_axis *trm_axes_add(trm_axes *axes, const char *name, trm_axis_kind kind);
