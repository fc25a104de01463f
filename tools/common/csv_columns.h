/// The columns of a recording: one table from which the header and every line are written.
///
/// Names are OWNER.QUANTITY, the unit behind them in brackets; docs/reference/recordings.md lists
/// them.
#pragma once

#include "trammel/trammel_model.h"

/// Where the number of a column comes from.
typedef enum trm_column_source {
    TRM_COLUMN_TIME,
    TRM_COLUMN_Q,      ///< index into q
    TRM_COLUMN_V,      ///< index into v
    TRM_COLUMN_MARKER, ///< 3 * marker + axis
    TRM_COLUMN_LAMBDA, ///< row
    TRM_COLUMN_SENSOR, ///< the sensor of the column's name
    TRM_COLUMN_CHECK   ///< trm_column_check
} trm_column_source;

typedef enum trm_column_check {
    TRM_CHECK_POSITION,
    TRM_CHECK_VELOCITY,
    TRM_CHECK_KINETIC,
    TRM_CHECK_POTENTIAL,
    TRM_CHECK_WORK,
    TRM_CHECK_RCOND,
    TRM_CHECK_SIGMA,
    TRM_CHECK_CROSSINGS,
    TRM_CHECK_BIFURCATIONS,
    TRM_CHECK_BRANCH_CHANGES
} trm_column_check;

typedef struct trm_column {
    char *name;       ///< without unit
    const char *unit; ///< "" where there is none
    int open;         ///< nonzero: redundancy leaves it undetermined at the start
    trm_column_source source;
    int index;
    trm_sensor sensor;
} trm_column;

typedef struct trm_columns {
    int n, room;
    trm_column *at; ///< [n]
} trm_columns;

/// How the header writes a name: bar.x[m] with its unit, or bar_x, which readers that allow
/// letters, digits and underscores only keep as it is.
typedef enum trm_header { TRM_HEADER_UNITS, TRM_HEADER_PLAIN } trm_header;

/// All columns of a model. unique[nc]: as trm_recording_open has it. Errors: MEMORY.
trm_status trm_columns_create(const trm_scene *scene, const trm_model *model, const int *unique,
                              trm_columns *out, trm_error *err);
/// The first of them alone: time, q and v. Errors: MEMORY.
trm_status trm_columns_of_state(const trm_scene *scene, const trm_model *model, trm_columns *out,
                                trm_error *err);
void trm_columns_destroy(trm_columns *columns);
/// O.angle, S.position, O.rate: the coordinate of a joint and its rate by their names in formulas.
int trm_column_is_in_formulas(const char *wanted, const trm_column *column);

/// Keep t and what `wanted` names, separated by commas: a column (bar.x), all of an owner (bar),
/// all that begins so (O.force), or a pattern (*.angle). Errors: OPTIONS (a name that fits nothing;
/// near names are suggested).
trm_status trm_columns_choose(trm_columns *columns, const char *wanted, trm_error *err);

/// The header line without its end, to be given to free. Errors: OPTIONS
/// (two plain names are equal), MEMORY.
trm_status trm_columns_header(const trm_columns *columns, trm_header how, char **out,
                              trm_error *err);
