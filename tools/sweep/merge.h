/// From logs to one table, sorted by index.
#pragma once

#include "trammel/trammel_status.h"

typedef struct trm_merged {
    long runs, failed, fair, poor;
} trm_merged;

/// All parts of `table`, to `table`. Errors: IO (parts or rows are missing: they are named),
/// OPTIONS (parts that overlap, or of different studies), MEMORY.
trm_status trm_merge(const char *table, trm_merged *out, trm_error *err);
