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
    int sigma;           ///< nonzero: that is among them
} trm_column_values;

/// Errors: MEMORY; *out can be closed all the same.
trm_status trm_column_values_open(const trm_model *model, trm_columns *columns,
                                  trm_column_values *out, trm_error *err);
/// Of a sample that `sim` has just given. Errors: CALLBACK.
trm_status trm_column_values_read(trm_column_values *values, trm_sim *sim, const trm_sample *sample,
                                  trm_error *err);
void trm_column_values_close(trm_column_values *values);
