/// A run on the disk, to go on from: NAME.state beside its recording NAME.
///
/// The state as trm_sim_export gives it, how far the recording was, the command line, and a sum of
/// the scene's bytes. A checkpoint is written to a file of its own and renamed, so that there is a
/// whole one at any moment.
#pragma once

#include "tools/recording/csv_out.h"

#include <stdint.h>

typedef struct trm_checkpoint {
    int argc;
    char **argv;    ///< [argc + 1] of the subcommand, NULL at its end
    uint64_t scene; ///< sum of the bytes of the scene file
    trm_recording_point recorded;
    int unfinished; ///< nonzero: lines of the last step are still due
    double cpu;     ///< s, of the steps so far
    char *state;
    size_t state_size;
    char *bytes; ///< that argv and state lie in
} trm_checkpoint;

/// "NAME.state" of the recording NAME; to be given to free. NULL when memory is short.
char *trm_checkpoint_path(const char *recording);

/// The sum of a file. Errors: IO.
trm_status trm_checkpoint_sum(const char *path, uint64_t *out, trm_error *err);

/// Errors: IO, MEMORY.
trm_status trm_checkpoint_write(const char *path, const trm_checkpoint *checkpoint, trm_error *err);
/// Errors: IO (also: no checkpoint of this version, or changed), MEMORY.
trm_status trm_checkpoint_read(const char *path, trm_checkpoint *out, trm_error *err);
void trm_checkpoint_destroy(trm_checkpoint *checkpoint);
