#define _DEFAULT_SOURCE
#include "tools/sweep/collect.h"

#include "trammel/trammel_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trm_study_tell(const trm_study *study)
{
    printf("study %016llx %ld %s\n", (unsigned long long)study->sum, study->axes.runs,
           study->header);
}

static void list_missing(const trm_study *study, trm_part part, const trm_log *log)
{
    const long step = part.n > 0 ? part.n : 1;
    long first = -1, last = -1;
    for (long i = part.n > 0 ? part.i - 1 : 0; i < study->axes.runs; i += step) {
        if (!trm_log_has(log, i)) {
            first = first < 0 ? i : first;
            last = i;
        } else if (first >= 0) {
            printf("todo %ld %ld %ld\n", first, last, step);
            first = -1;
        }
    }
    if (first >= 0) {
        printf("todo %ld %ld %ld\n", first, last, step);
    }
    puts("go");
    fflush(stdout);
}

/// "killed 17 its worker was lost"
static trm_status keep_killed(const trm_study *study, char *line, trm_log *log, trm_error *err)
{
    char *reason;
    const long index = strtol(line + strlen("killed "), &reason, 10);
    reason[strcspn(reason, "\r\n")] = '\0';
    if (index < 0 || index >= study->axes.runs || *reason != ' ') {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--collect", "expected \"killed INDEX REASON\"");
    }
    if (trm_log_has(log, index)) {
        return TRM_OK;
    }
    char *const row = trm_row_killed(study, index, reason + 1);
    const trm_status status = row != NULL
                                  ? trm_log_append(log, row, err)
                                  : TRM_FAIL(err, TRM_ERR_MEMORY, "--collect", "out of memory");
    free(row);
    return status;
}

static trm_status keep_line(const trm_study *study, char *line, size_t length, trm_log *log,
                            trm_error *err)
{
    trm_log_row row;
    if (strncmp(line, "killed ", strlen("killed ")) == 0) {
        return keep_killed(study, line, log, err);
    }
    if (!trm_log_read_row(line, length, &row) || row.index < 0 || row.index >= study->axes.runs ||
        trm_log_has(log, row.index)) {
        return TRM_OK;
    }
    return trm_log_append(log, line, err);
}

trm_status trm_collect(const trm_study *study, trm_part part, trm_log *log, trm_error *err)
{
    char *line = NULL;
    size_t room = 0;
    trm_status status = TRM_OK;
    trm_study_tell(study);
    list_missing(study, part, log);
    for (ssize_t n; status == TRM_OK && (n = getline(&line, &room, stdin)) > 0;) {
        status = keep_line(study, line, (size_t)n, log, err);
        if (status == TRM_OK) {
            status = trm_log_sync(log, 0, err);
        }
    }
    free(line);
    return status == TRM_OK ? trm_log_sync(log, 1, err) : status;
}
