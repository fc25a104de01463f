/// The lines of a recording while its run goes on.
#pragma once

#include "tools/run/run.h"

#include <signal.h>

typedef struct trm_lines {
    int whole;                                ///< nonzero: all lines of the last step are written
    const volatile sig_atomic_t *interrupted; ///< nonzero: no more lines
} trm_lines;

/// A line of the present state. Errors: IO, CALLBACK, into run->error.
trm_status trm_lines_now(trm_program_run *run);
/// Those that are due since the last step, and one at the end of the run. Errors: likewise.
trm_status trm_lines_due(trm_lines *lines, trm_program_run *run);
