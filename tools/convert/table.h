/// A CSV file of this program, read in pieces: columns of numbers, and those of words that the
/// table of a sweep has.
#pragma once

#include "trammel/trammel_status.h"

#include <stdio.h>

enum { TRM_TABLE_PIECE = 8192 }; ///< rows

typedef struct trm_table_column {
    char *name, *unit; ///< "bar.x" and "m" of bar.x[m]; unit "" without one
    int words;         ///< nonzero: text
    double *x;         ///< [TRM_TABLE_PIECE]
    char **text;       ///< [TRM_TABLE_PIECE]
} trm_table_column;

typedef struct trm_csv {
    const char *path;
    FILE *file;
    int n;
    trm_table_column *at; ///< [n]
    long rows;            ///< of the file
    long line;            ///< read last
    char *text;           ///< of that line
    size_t room;
} trm_csv;

/// Errors: IO, OPTIONS (no names, a line that is not whole),
/// MEMORY; *out can be closed all the same.
trm_status trm_csv_open(const char *path, trm_csv *out, trm_error *err);
/// The next rows, TRM_TABLE_PIECE at most; *n 0: the end. Errors: OPTIONS (not a number, other
/// counts of fields), MEMORY.
trm_status trm_csv_next(trm_csv *csv, int *n, trm_error *err);
void trm_csv_close(trm_csv *csv);
