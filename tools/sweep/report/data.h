/// A finished sweep: its table and what its manifest says of the columns.
#pragma once

#include "tools/sweep/design/design.h"
#include "trammel/trammel_status.h"

#include <cjson/cJSON.h>

typedef struct trm_sweep_column {
    char *name, *unit; ///< unit "" without one
    int drawn;         ///< varied, by a uniform or normal law
    double range;      ///< of a drawn one: b - a, or sqrt(12) times the deviation
    double *x;         ///< [n] NAN: missing
} trm_sweep_column;

enum { TRM_STATES = 16 };

/// Why runs ended: "done" first.
typedef struct trm_sweep_state {
    char name[24];
    long runs, first;
    char reason[240]; ///< of the first of them
} trm_sweep_state;

typedef struct trm_sweep_data {
    cJSON *manifest;
    const char *title, *recordings; ///< "" without; of the manifest
    double end;                     ///< s, 0: not known
    trm_design design;
    long n;              ///< runs
    int ncolumns;        ///< varied ones first, then outputs
    int nvaried, ndrawn; ///< drawn ones in the order of the design
    trm_sweep_column *at;
    long rows; ///< of the design: rows or trajectories; 0 of a plain one
    int nstates;
    trm_sweep_state states[TRM_STATES];
} trm_sweep_data;

/// Errors: IO, OPTIONS (not the table of a sweep, or not the one of the manifest), MEMORY; *out can
/// be closed all the same.
trm_status trm_sweep_data_read(const char *table, const char *manifest, trm_sweep_data *out,
                               trm_error *err);
void trm_sweep_data_close(trm_sweep_data *data);

/// A well mixed number for each run: the order in which runs are taken when only some are.
uint64_t trm_sweep_shuffled(long index);
