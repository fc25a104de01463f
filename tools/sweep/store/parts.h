/// The files of a sweep whose table is NAME:
///
///   NAME.log, NAME.json                            its rows and its manifest
///   NAME.part-2-of-8.log, NAME.part-2-of-8.json    those of a part
#pragma once

#include "tools/common/options.h"

enum { TRM_PART_PATH = 4096, TRM_MOST_PARTS = 1000000 };

/// Part i of n, 1 <= i <= n; 0 of 0: the whole.
typedef struct trm_part {
    long i, n;
} trm_part;

/// From --shard, else from the environment of a Slurm array. Errors: OPTIONS.
trm_status trm_part_choose(const trm_arguments *arguments, trm_part *out, trm_error *err);

/// `extension`: ".log" or ".json". Errors: OPTIONS (too long).
trm_status trm_part_path(const char *table, trm_part part, const char *extension,
                         char out[TRM_PART_PATH], trm_error *err);

/// The parts of a table that have a log, in order; *out is to be given to free. Errors: IO (none,
/// or some are missing: they are named), OPTIONS (they overlap), MEMORY.
trm_status trm_sweep_parts_find(const char *table, trm_part **out, long *n, trm_error *err);
