#define _DEFAULT_SOURCE
#include "tools/sweep/store/log.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"

#include "trammel/trammel_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { TAIL = 10 }; // ",89abcdef\n"

static trm_status cannot(const trm_log *log, const char *what, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, log->path, "%s: %s", what, strerror(errno));
}

// ----------------------------------------------------------------------------------------- a row

static unsigned long crc_of(const char *bytes, size_t size)
{
    return crc32(crc32(0, NULL, 0), (const Bytef *)bytes, (uInt)size);
}

char *trm_log_seal(FILE *out, char **line, size_t *size)
{
    int failed = fflush(out) != 0;
    if (!failed) {
        failed = fprintf(out, ",%08lx\n", crc_of(*line, *size)) < 0;
    }
    failed |= trm_stream_close(out) != 0;
    if (failed) {
        free(*line);
        *line = NULL;
    }
    return *line;
}

int trm_log_read_row(const char *line, size_t length, trm_log_row *out)
{
    char *end;
    if (length <= TAIL || line[length - 1] != '\n' || line[length - TAIL] != ',') {
        return 0;
    }
    char sum[TAIL];
    snprintf(sum, sizeof sum, ",%08lx", crc_of(line, length - TAIL));
    if (memcmp(sum, line + length - TAIL, TAIL - 1) != 0) {
        return 0;
    }
    *out = (trm_log_row){.index = strtol(line, &end, 10)};
    if (end == line) {
        out->index = -1;
        return 1;
    }
    out->failed = strncmp(end, ",done,", 6) != 0;
    out->checks = out->failed ? '\0' : end[6];
    return 1;
}

// ---------------------------------------------------------------------------------------- the file

int trm_log_has(const trm_log *log, long index)
{
    return log->done[index / 8] >> (index % 8) & 1;
}

static void count(trm_log *log, const trm_log_row *row)
{
    if (row->index < 0 || row->index >= log->runs || trm_log_has(log, row->index)) {
        return;
    }
    log->done[row->index / 8] |= (unsigned char)(1 << (row->index % 8));
    log->rows++;
    log->failed += row->failed;
    log->fair += row->checks == 'f';
    log->poor += row->checks == 'P';
}

/// Rows that are not whole are passed over: their runs are made again.
static trm_status read_rows(trm_log *log, const char *header, trm_error *err)
{
    FILE *const in = fopen(log->file.written, "rb");
    if (in == NULL) {
        return cannot(log, "cannot be read", err);
    }
    char *line = NULL;
    size_t room = 0;
    trm_status status = TRM_OK;
    for (ssize_t n; status == TRM_OK && (n = getline(&line, &room, in)) > 0;) {
        trm_log_row row = {.index = -1};
        const int sound = trm_log_read_row(line, (size_t)n, &row);
        const size_t wanted = strlen(header);
        const int first = log->whole == 0;
        if (first && line[n - 1] == '\n' &&
            !(sound && (size_t)n == wanted + TAIL && memcmp(line, header, wanted) == 0)) {
            status = TRM_FAIL(err, TRM_ERR_OPTIONS, log->path,
                              "is there, and is no log of this sweep; give another name with -o");
        }
        log->whole += line[n - 1] == '\n' ? n : 0;
        if (sound && !first) {
            count(log, &row);
        }
    }
    free(line);
    fclose(in);
    return status;
}

static trm_status begin(trm_log *log, const char *header, trm_error *err)
{
    if (ftruncate(log->file.file, log->whole) != 0 ||
        lseek(log->file.file, log->whole, SEEK_SET) < 0) {
        return cannot(log, "cannot be written", err);
    }
    if (log->whole > 0) {
        return TRM_OK;
    }
    char *line = NULL;
    size_t size = 0;
    FILE *const out = trm_text_stream(&line, &size);
    if (out != NULL) {
        fputs(header, out);
    }
    if (out == NULL || trm_log_seal(out, &line, &size) == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, log->path, "out of memory");
    }
    const trm_status status = trm_log_append(log, line, err);
    free(line);
    return status;
}

trm_status trm_log_open(const char *path, const char *header, long runs, trm_log *out,
                        trm_error *err)
{
    const trm_outfile_wish wish = {.path = path, .live = 1, .resume = 1};
    *out = (trm_log){.file.file = -1, .path = path, .runs = runs, .synced = trm_wall_clock()};
    out->done = calloc((size_t)runs / 8 + 1, 1);
    if (out->done == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    TRM_TRY(trm_outfile_open(&wish, &out->file, err));
    TRM_TRY(read_rows(out, header, err));
    return begin(out, header, err);
}

trm_status trm_log_append(trm_log *log, const char *line, trm_error *err)
{
    trm_log_row row = {.index = -1};
    const size_t size = strlen(line);
    if (!trm_log_read_row(line, size, &row)) {
        return TRM_FAIL(err, TRM_ERR_IO, log->path, "a row is torn");
    }
    if (trm_outfile_write(&log->file, line, size) < size) {
        const int reason = errno;
        if (ftruncate(log->file.file, log->whole) != 0) {
            // the torn row stays; it is found when the sweep goes on
        }
        errno = reason;
        return cannot(log, "writing failed; all finished runs are kept", err);
    }
    log->whole += (off_t)size;
    count(log, &row);
    return TRM_OK;
}

trm_status trm_log_sync(trm_log *log, int now, trm_error *err)
{
    const double clock = trm_wall_clock();
    if (!now && clock - log->synced < 1) {
        return TRM_OK;
    }
    log->synced = clock;
    return trm_outfile_sync(&log->file) || errno == EINVAL || errno == EROFS
               ? TRM_OK
               : cannot(log, "writing failed", err);
}

void trm_log_close(trm_log *log)
{
    trm_outfile_abandon(&log->file, 1);
    free(log->done);
    log->done = NULL;
}
