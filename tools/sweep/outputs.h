/// What is kept of each run, by name:
///
///   bar.x            a column of the recording, at the end of the run
///   bar.x@0.5        at 0.5 s; nothing where the run ends before
///   max(bar.x) min() its extremes over the run, within the steps too; tmax(bar.x) tmin() their
///   times run.steps ...    what is counted and checked along the run, a table in outputs.c
#pragma once

#include "tools/recording/csv_values.h"

typedef enum trm_kept_form {
    TRM_OUTPUT_END,
    TRM_OUTPUT_AT,
    TRM_OUTPUT_EXTREME,
    TRM_OUTPUT_EXTREME_TIME,
    TRM_OUTPUT_RUN
} trm_kept_form;

typedef struct trm_kept {
    char name[200]; ///< as asked for
    char column[160];
    trm_kept_form kind;
    double t;      ///< s, AT
    int sign;      ///< EXTREME: 1 max, -1 min
    int word;      ///< RUN
    char unit[32]; ///< "" where there is none
    int open;      ///< redundancy leaves the column undetermined at the start
} trm_kept;

typedef struct trm_outputs {
    int n;
    trm_kept *at; ///< [n]
} trm_outputs;

/// Of the kind RUN.
double trm_kept_of_run(const trm_kept *output, trm_sim *sim);

/// `wanted` NULL: the end state. `scene` and `model`: any of the runs. Errors: OPTIONS, MEMORY.
trm_status trm_outputs_create(const char *wanted, const trm_scene *scene, const trm_model *model,
                              trm_outputs *out, trm_error *err);
void trm_outputs_destroy(trm_outputs *outputs);

/// Follows one run.
typedef struct trm_follower {
    const trm_outputs *outputs;
    trm_columns columns;
    trm_column_values values;
    int *column;    ///< [n] of the output among the columns
    double t;       ///< s, up to where it was followed
    double *result; ///< [n]
    double *time;   ///< [n] of extremes
    double *step;   ///< [n*pieces] the numbers within the step
    int extremes;   ///< there are some
    int within;     ///< there are some of times on the way
} trm_follower;

/// Errors: OPTIONS (this model has no such column), MEMORY; *out can be closed all the same.
trm_status trm_follower_open(const trm_outputs *outputs, const trm_scene *scene,
                             const trm_model *model, trm_follower *out, trm_error *err);
/// At the start, and after each accepted step. Errors: CALLBACK.
trm_status trm_follower_look(trm_follower *follower, trm_sim *sim, trm_error *err);
/// Then result[n] is complete. Errors: CALLBACK.
trm_status trm_follower_finish(trm_follower *follower, trm_sim *sim, trm_error *err);
void trm_follower_close(trm_follower *follower);
