/// Rows as they come, in a file that survives: each ends with a sum of itself and a newline, and is
/// written at once.
#pragma once

#include "tools/common/output.h"

#include <stdio.h>

/// What a row begins with.
typedef struct trm_log_row {
    long index;  ///< -1: the header
    int failed;  ///< its status is not "done"
    char checks; ///< 'g', 'f', 'P'; 0 of a run that failed
} trm_log_row;

typedef struct trm_log {
    trm_outfile file;
    const char *path; ///< borrowed
    off_t whole;      ///< bytes up to the end of the last whole row
    long runs;
    unsigned char *done;           ///< [runs/8 + 1] a bit for each
    long rows, failed, fair, poor; ///< in the file
    double synced;                 ///< s on the wall
} trm_log;

/// Of a line in a memory stream: ",CRC-32\n" behind it, closed. Returns the line, to be given to
/// free; NULL when memory is short.
char *trm_log_seal(FILE *out, char **line, size_t *size);

/// Returns nonzero if `line` of `length` bytes, its newline included, is whole and unchanged.
int trm_log_read_row(const char *line, size_t length, trm_log_row *out);

/// Open to append, locked; what is there is read, a torn end cut off. `header` without its sum.
/// Errors: IO, MEMORY; OPTIONS (the file is the log of something else, or one of the inputs).
trm_status trm_log_open(const char *path, const char *header, long runs, trm_log *out,
                        trm_error *err);
int trm_log_has(const trm_log *log, long index);
/// Errors: IO: then the file ends with the last row that fitted.
trm_status trm_log_append(trm_log *log, const char *line, trm_error *err);
/// To the disk, when the last time is a second ago, or `now`. Errors: IO.
trm_status trm_log_sync(trm_log *log, int now, trm_error *err);
void trm_log_close(trm_log *log);
