/// The numbers of columns at one time of a run.
#pragma once

#include "tools/common/csv_columns.h"
#include "trammel/trammel_simulation.h"

/// Borrows model and columns.
typedef struct trm_column_values {
    const trm_model *model;
    const trm_columns *columns;
    int nsensors;
    trm_sensor *sensors; ///< [nsensors], of size 1
    double *read;        ///< [nsensors]
    double *at;          ///< [columns->n] the numbers of the last time
} trm_column_values;

/// Errors: MEMORY; *out can be closed all the same.
trm_status trm_column_values_open(const trm_model *model, trm_columns *columns,
                                  trm_column_values *out, trm_error *err);
/// A sample that `sim` has just given, and sigma, of
/// trm_sim_singular_value at its time. Errors: CALLBACK.
trm_status trm_column_values_read(trm_column_values *values, const trm_sim *sim,
                                  const trm_sample *sample, double sigma, trm_error *err);
void trm_column_values_close(trm_column_values *values);
