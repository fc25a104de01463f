/// A study of one method's parameters: which rows it has, and how errors fall along them.
#pragma once

#include "tools/compare/compare.h"

enum { TRM_STUDY_LINES = 8, TRM_STUDY_POINTS = 6 };

/// Errors along one parameter, the others held.
typedef struct trm_study_line {
    const char *along; ///< "epsilon" or "h"
    int iterations, n;
    double x[TRM_STUDY_POINTS], error[TRM_STUDY_POINTS]; ///< NAN: no error is known
    double slope[TRM_STUDY_POINTS];                      ///< [n-1] between neighbours
    double theory;                                       ///< the slope
} trm_study_line;

typedef struct trm_study {
    int n, parted; ///< lines; points whose run stopped, or is off by the size of the motion
    trm_study_line line[TRM_STUDY_LINES];
} trm_study;

/// --study: sets the list of methods and the steps. Errors: OPTIONS, MEMORY.
trm_status trm_study_plan(trm_comparison *c, trm_error *err);

/// From the rows that were run.
void trm_study_find(const trm_comparison *c, trm_study *out);
