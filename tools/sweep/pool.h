/// Workers in processes of their own: a run that crashes, hangs up or is
/// killed takes nothing else with it.
#pragma once

#include "tools/sweep/store/log.h"
#include "tools/sweep/store/parts.h"
#include "tools/sweep/study.h"

#include <signal.h>

/// A run whose workers have died so often is a row that says so, as
/// with the allowed-failures of Dask.
enum { TRM_DEATHS = 3 };

typedef struct trm_crew {
    const trm_study *study;
    trm_log *log;
    int width;                                ///< workers at a time
    trm_part part;                            ///< whose runs are made
    const volatile sig_atomic_t *interrupted; ///< nonzero: end all workers and return
    void (*look)(void *user); ///< now and then, ten times a second and at most after each row
    void *user;
} trm_crew;

/// What makes the runs: all of the part that the log has not. Errors: IO, MEMORY.
typedef trm_status trm_engine(const trm_crew *crew, trm_error *err);

/// By processes of this machine.
trm_status trm_crew_work(const trm_crew *crew, trm_error *err);

/// How many runs a part has in all.
long trm_part_runs(trm_part part, long runs);
