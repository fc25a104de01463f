/// Two columns of a text file with a header: numbers separated by commas, semicolons, tabs or
/// spaces.
#ifndef TRM_COLUMNS_H
#define TRM_COLUMNS_H

#include "trammel/trammel.h"

#include <stddef.h>

typedef struct trm_columns {
    int n;
    double *x, *y; ///< [n]; to be freed, x alone: one block
    int *line;     ///< [n] in the file, counted from 1; in the same block
    int *column;   ///< [n] of x in its line, counted from 1; in the same block
} trm_columns;

/// The columns of these names (which may be quoted in the file). Lines that begin with # and empty
/// ones are left out. Errors: IO, SCENE (no such column, no number), MEMORY.
trm_status trm_columns_read(const char *path, const char *x, const char *y, trm_columns *out,
                            trm_error *err);

#endif
