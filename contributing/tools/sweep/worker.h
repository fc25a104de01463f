/// A worker: indices in, one to a line; rows out.
#ifndef TRM_SWEEP_WORKER_H
#define TRM_SWEEP_WORKER_H

#include "tools/sweep/study.h"

#include <stdio.h>

/// Until the input ends. Returns 0; -1 when memory is short, or nobody reads any more.
int trm_worker_serve(const trm_study *study, FILE *in, int out);

#endif
