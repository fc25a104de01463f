#include "tools/recording/csv_values.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <stdlib.h>

trm_status trm_column_values_open(const trm_model *model, trm_columns *columns,
                                  trm_column_values *out, trm_error *err)
{
    const size_t n = (size_t)columns->n + 1;
    *out = (trm_column_values){.model = model, .columns = columns};
    out->sensors = calloc(n, sizeof *out->sensors);
    out->read = calloc(n, sizeof *out->read);
    out->at = calloc(n, sizeof *out->at);
    if (out->sensors == NULL || out->read == NULL || out->at == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "columns", "out of memory");
    }
    for (int i = 0; i < columns->n; i++) {
        trm_column *const column = &columns->at[i];
        if (column->source == TRM_COLUMN_SENSOR) {
            column->index = out->nsensors;
            out->sensors[out->nsensors++] = column->sensor;
        }
        out->sigma |= column->source == TRM_COLUMN_CHECK && column->index == TRM_CHECK_SIGMA;
    }
    return TRM_OK;
}

/// checks[] by trm_column_check. Sensors are read.
static double value_of(const trm_column_values *values, const trm_column *column,
                       const trm_state *state, const double *checks)
{
    trm_marker_info marker;
    double x[3];
    switch (column->source) {
    case TRM_COLUMN_Q:
        return state->q[column->index];
    case TRM_COLUMN_V:
        return state->v[column->index];
    case TRM_COLUMN_MARKER:
        marker = trm_model_marker_info(values->model, column->index / 3);
        trm_model_point(values->model, marker.body, marker.local, state->q, NULL, x, NULL);
        return x[column->index % 3];
    case TRM_COLUMN_LAMBDA:
        return state->lambda[column->index];
    case TRM_COLUMN_SENSOR:
        return values->read[column->index];
    case TRM_COLUMN_CHECK:
        return checks[column->index];
    case TRM_COLUMN_TIME:
        break;
    }
    return state->t;
}

trm_status trm_column_values_read(trm_column_values *values, trm_sim *sim, const trm_sample *sample,
                                  trm_error *err)
{
    TRM_TRY(trm_sim_read_sample(sim, sample, values->nsensors, values->sensors, values->read, err));
    double sigma = sqrt(sample->rcond); // within a step
    if (values->sigma && sample->state.t == trm_sim_state(sim).t) {
        TRM_TRY(trm_sim_singular_value(sim, sample->state.t, &sigma, err));
    }
    const double checks[] = {
        [TRM_CHECK_POSITION] = sample->drift.position,
        [TRM_CHECK_VELOCITY] = sample->drift.velocity,
        [TRM_CHECK_KINETIC] = sample->energy.kinetic,
        [TRM_CHECK_POTENTIAL] = sample->energy.potential,
        [TRM_CHECK_WORK] = sample->energy.work,
        [TRM_CHECK_RCOND] = sample->rcond,
        [TRM_CHECK_SIGMA] = sigma,
        [TRM_CHECK_CROSSINGS] = (double)sample->crossings,
        [TRM_CHECK_BIFURCATIONS] = (double)sample->bifurcations,
        [TRM_CHECK_BRANCH_CHANGES] = (double)sample->branch_changes,
    };
    for (int i = 0; i < values->columns->n; i++) {
        values->at[i] = value_of(values, &values->columns->at[i], &sample->state, checks);
    }
    return TRM_OK;
}

void trm_column_values_close(trm_column_values *values)
{
    free(values->sensors);
    free(values->read);
    free(values->at);
    *values = (trm_column_values){0};
}
