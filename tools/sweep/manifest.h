/// What the rows of a log belong to: a JSON file beside it.
#pragma once

#include "tools/sweep/study.h"

/// Write it, or compare what is there with the study. Errors: IO, MEMORY; OPTIONS (the file is of
/// another study: the first difference is named).
trm_status trm_manifest_keep(const char *path, const trm_study *study, int argc, char **argv,
                             trm_error *err);

/// What merging needs of one.
typedef struct trm_manifest {
    long runs;
    char *header; ///< to be given to free
    char *facts;  ///< all facts but the number of the part, in one text; to be given to free
} trm_manifest;

/// Errors: IO, MEMORY.
trm_status trm_manifest_read(const char *path, trm_manifest *out, trm_error *err);
void trm_manifest_destroy(trm_manifest *manifest);
