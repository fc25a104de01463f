/// The keeper of a log for engines of others: says which runs are missing, takes their rows.
#pragma once

#include "tools/sweep/store/log.h"
#include "tools/sweep/store/parts.h"
#include "tools/sweep/study.h"

/// To stdout: "study SUM RUNS COLUMNS", "todo FIRST LAST STEP" for each range of missing runs,
/// "go". Then from stdin, to its end: rows, or "killed INDEX REASON". A row that is torn, or that
/// the log has, is passed over. Errors: IO, OPTIONS (no such line), MEMORY.
trm_status trm_collect(const trm_study *study, trm_part part, trm_log *log, trm_error *err);

/// "study SUM RUNS COLUMNS" of a worker or keeper.
void trm_study_tell(const trm_study *study);
