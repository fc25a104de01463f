/// A study: a scene, what is varied in it, and what is kept of each run.
#pragma once

#include "tools/sweep/axes.h"
#include "tools/sweep/outputs.h"

#include <stdint.h>

enum { TRM_FACTS = 20, TRM_FACT = 4096 };

/// One thing that the numbers depend on: of the manifest.
typedef struct trm_fact {
    const char *name; ///< as it is called to people: "--seed", "scene"
    char *value;
} trm_fact;

typedef struct trm_study {
    trm_arguments arguments;
    trm_scene *scene; ///< a worker's own: every run sets all that is varied
    trm_model *model; ///< of the scene without settings
    trm_axes axes;
    trm_outputs outputs;
    char *header; ///< names of the columns of the table
    int nfacts;
    trm_fact facts[TRM_FACTS];
    uint64_t sum; ///< of all facts
} trm_study;

/// Everything that can be refused without a run is refused here. `out->arguments` is set. Errors:
/// IO, SYNTAX, SCENE, OPTIONS, MEMORY.
trm_status trm_study_create(trm_study *out, trm_error *err);
void trm_study_destroy(trm_study *study); ///< not its arguments

/// s, where its runs end; 0 when nothing says so.
double trm_study_end(const trm_study *study);

/// A run on its way to its line.
typedef struct trm_row trm_row;

/// The run `index` at its start. NULL when memory is short.
trm_row *trm_row_begin(const trm_study *study, long index);
/// Its next step. Returns nonzero when it has ended, well or not.
int trm_row_step(trm_row *row);
/// All steps that are left.
void trm_row_go(trm_row *row);
/// NULL when it has ended; *end (s) is where it will.
trm_sim *trm_row_sim(const trm_row *row, double *end);
/// Its line of the log, to be given to free: index, status, verdict, values, outputs, reason, sum,
/// newline. NULL when memory is short. The row is gone.
char *trm_row_close(trm_row *row);
/// The line of a run whose worker has died.
char *trm_row_killed(const trm_study *study, long index, const char *reason);
