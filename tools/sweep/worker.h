/// A worker: indices in, one to a line; rows out.
#pragma once

#include "tools/sweep/study.h"

/// Until the input ends, in `lanes` lanes at most (0: as many as there are). Returns 0; -1 when
/// memory is short, nobody reads any more, or a line is no index.
int trm_worker_serve(const trm_study *study, int lanes, int in, int out);
