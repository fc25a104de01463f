/// Two columns of a text with a header: numbers separated by commas, semicolons, tabs or
/// spaces.
#pragma once

#include "trammel/trammel_status.h"

#include <stddef.h>

typedef struct trm_columns {
    int n;
    double *x, *y; ///< [n]; to be freed, x alone: one block
    int *line;     ///< [n] in the file, counted from 1; in the same block
    int *column;   ///< [n] of x in its line, counted from 1; in the same block
} trm_columns;

/// The columns of these names (which may be quoted in the text). Lines that begin with # and empty
/// ones are left out. Messages call the file `name`, and quote nothing of it: it need not belong to
/// who wrote the scene. Errors: SCENE (no such column, no number), MEMORY.
trm_status trm_columns_read(const char *name, const char *text, const char *x, const char *y,
                            trm_columns *out, trm_error *err);
