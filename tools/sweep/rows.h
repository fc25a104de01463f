/// Many runs, a step of each in turn, in the lanes of a processor: their lines are those of runs
/// made one by one.
#pragma once

#include "tools/sweep/study.h"

/// Where indices come from and lines go to.
typedef struct trm_rows_ends {
    /// The next index. -1: there is none yet, which is no answer when `wait` is nonzero. -2: there
    /// will be none.
    long (*next)(void *user, int wait);
    /// A line, in the order of the indices. Nonzero: nobody takes any more.
    int (*put)(void *user, const char *line);
    void *user;
} trm_rows_ends;

/// Until there are no more indices, in `lanes` lanes at most (0: as many as there are). Returns 0;
/// -1 when memory is short, or nobody takes lines any more.
int trm_rows_make(const trm_study *study, int lanes, const trm_rows_ends *ends);

/// How many lanes runs of the study have; 1, and why: a clause, or NULL where it was asked for.
int trm_rows_lanes(const trm_study *study, const char **why);
