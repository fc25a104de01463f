/// Memory: where the row of each run lies, 16 bytes a run.
#include "tools/sweep/merge.h"

#include "tools/common/output.h"
#include "tools/sweep/manifest.h"
#include "tools/sweep/store/log.h"
#include "tools/sweep/store/parts.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL = 10, BUFFER = 1 << 16 };

typedef struct place {
    int32_t part; // -1: no row so far
    int32_t length;
    off_t at;
} place;

typedef struct merge {
    const char *table;
    trm_part *parts;
    long nparts;
    trm_manifest manifest; // of the first part
    place *places;         // [runs]
    trm_merged *out;
} merge;

/// Opens the log of a part. Errors: IO.
static FILE *open_part(const merge *m, long part, trm_error *err)
{
    char path[TRM_PART_PATH];
    if (trm_part_path(m->table, m->parts[part], ".log", path, err) != TRM_OK) {
        return NULL;
    }
    FILE *const in = trm_input_note(path, err) == TRM_OK ? fopen(path, "rb") : NULL;
    if (in == NULL) {
        (void)TRM_FAIL(err, TRM_ERR_IO, path, "cannot be read: %s", strerror(errno));
    }
    return in;
}

/// All parts belong to the study of the first.
static trm_status read_manifests(merge *m, trm_error *err)
{
    char path[TRM_PART_PATH];
    for (long k = 0; k < m->nparts; k++) {
        trm_manifest one;
        TRM_TRY(trm_part_path(m->table, m->parts[k], ".json", path, err));
        trm_status status = trm_manifest_read(path, &one, err);
        if (status == TRM_OK && k > 0 && strcmp(one.facts, m->manifest.facts) != 0) {
            status = TRM_FAIL(err, TRM_ERR_OPTIONS, path,
                              "belongs to another sweep than part %ld: scene, version or options "
                              "differ",
                              m->parts[0].i);
        }
        if (status == TRM_OK && k == 0) {
            m->manifest = one;
        } else {
            trm_manifest_destroy(&one);
        }
        TRM_TRY(status);
    }
    return TRM_OK;
}

static trm_status note_row(merge *m, long part, const trm_log_row *row, place found, trm_error *err)
{
    if (row->index < 0 || row->index >= m->manifest.runs) {
        return TRM_OK;
    }
    place *const p = &m->places[row->index];
    if (p->part >= 0 && p->part != part) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, m->table,
                        "the parts overlap: run %ld is in part %ld and in part %ld", row->index,
                        m->parts[p->part].i, m->parts[part].i);
    }
    if (p->part < 0) {
        *p = found;
        m->out->failed += row->failed;
        m->out->fair += row->checks == 'f';
        m->out->poor += row->checks == 'P';
        m->out->runs++;
    }
    return TRM_OK;
}

static trm_status cannot_read(const merge *m, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, m->table, "the log cannot be read: %s", strerror(errno));
}

static trm_status scan(merge *m, long part, trm_error *err)
{
    FILE *const in = open_part(m, part, err);
    if (in == NULL) {
        return TRM_ERR_IO;
    }
    char *line = NULL;
    size_t room = 0;
    off_t at = 0;
    trm_status status = TRM_OK;
    for (ssize_t n; status == TRM_OK && (n = getline(&line, &room, in)) > 0; at += n) {
        trm_log_row row;
        if (trm_log_read_row(line, (size_t)n, &row)) {
            status = note_row(m, part, &row, (place){(int32_t)part, (int32_t)n, at}, err);
        }
    }
    if (status == TRM_OK && !feof(in)) { // its end is not what ended the reading
        status = cannot_read(m, err);
    }
    free(line);
    fclose(in);
    return status;
}

/// Which part has to go on.
static trm_status check_complete(const merge *m, trm_error *err)
{
    long missing = 0, first = -1;
    for (long i = 0; i < m->manifest.runs; i++) {
        missing += m->places[i].part < 0;
        first = m->places[i].part < 0 && first < 0 ? i : first;
    }
    if (missing == 0) {
        return TRM_OK;
    }
    const long n = m->parts[0].n > 0 ? m->parts[0].n : 1;
    return TRM_FAIL(
        err, TRM_ERR_IO, m->table,
        "%ld of %ld runs are missing, the first is run %ld of part %ld of %ld; give its "
        "command again",
        missing, m->manifest.runs, first, first % n + 1, n);
}

static trm_status cannot_write(const merge *m, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, m->table, "writing failed: %s; the rows are safe in the log",
                    strerror(errno));
}

/// Row by row, without their sums.
static trm_status copy_rows(const merge *m, FILE *const *in, const trm_outfile *out, trm_error *err)
{
    char *line = NULL, *buffer = malloc(BUFFER);
    size_t room = 0, used = 0;
    trm_status status =
        buffer != NULL ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, m->table, "out of memory");
    for (long i = 0; status == TRM_OK && i < m->manifest.runs; i++) {
        const place *const p = &m->places[i];
        const size_t length = (size_t)p->length - TAIL;
        errno = 0;
        if (fseeko(in[p->part], p->at, SEEK_SET) != 0 ||
            getline(&line, &room, in[p->part]) != p->length) {
            status = errno == ENOMEM
                         ? cannot_read(m, err)
                         : TRM_FAIL(err, TRM_ERR_IO, m->table, "the log has changed meanwhile");
            break;
        }
        line[length] = '\n';
        if (used + length + 1 > BUFFER) {
            status = trm_outfile_write(out, buffer, used) == used ? TRM_OK : cannot_write(m, err);
            used = 0;
        }
        if (status == TRM_OK && length + 1 > BUFFER) {
            status = trm_outfile_write(out, line, length + 1) == length + 1 ? TRM_OK
                                                                            : cannot_write(m, err);
        } else if (status == TRM_OK) {
            memcpy(buffer + used, line, length + 1);
            used += length + 1;
        }
    }
    if (status == TRM_OK && trm_outfile_write(out, buffer, used) < used) {
        status = cannot_write(m, err);
    }
    free(line);
    free(buffer);
    return status;
}

static trm_status write_table(const merge *m, FILE *const *in, trm_error *err)
{
    trm_outfile out;
    const size_t n = strlen(m->manifest.header);
    TRM_TRY(trm_outfile_open(&(trm_outfile_wish){.path = m->table}, &out, err));
    trm_status status =
        trm_outfile_write(&out, m->manifest.header, n) == n && trm_outfile_write(&out, "\n", 1) == 1
            ? TRM_OK
            : cannot_write(m, err);
    if (status == TRM_OK) {
        status = copy_rows(m, in, &out, err);
    }
    if (status == TRM_OK) {
        return trm_outfile_commit(&out, err);
    }
    trm_outfile_abandon(&out, 0);
    return status;
}

static trm_status merge_parts(merge *m, trm_error *err)
{
    TRM_TRY(trm_sweep_parts_find(m->table, &m->parts, &m->nparts, err));
    TRM_TRY(read_manifests(m, err));
    m->places = malloc((size_t)m->manifest.runs * sizeof *m->places);
    FILE **const in = calloc((size_t)m->nparts, sizeof *in);
    trm_status status = m->places != NULL && in != NULL
                            ? TRM_OK
                            : TRM_FAIL(err, TRM_ERR_MEMORY, m->table, "out of memory");
    for (long i = 0; status == TRM_OK && i < m->manifest.runs; i++) {
        m->places[i].part = -1;
    }
    for (long k = 0; status == TRM_OK && k < m->nparts; k++) {
        status = scan(m, k, err);
    }
    if (status == TRM_OK) {
        status = check_complete(m, err);
    }
    for (long k = 0; status == TRM_OK && k < m->nparts; k++) {
        in[k] = open_part(m, k, err);
        status = in[k] != NULL ? TRM_OK : TRM_ERR_IO;
    }
    if (status == TRM_OK) {
        status = write_table(m, in, err);
    }
    for (long k = 0; in != NULL && k < m->nparts; k++) {
        if (in[k] != NULL) {
            fclose(in[k]);
        }
    }
    free(in);
    return status;
}

trm_status trm_merge(const char *table, trm_merged *out, trm_error *err)
{
    *out = (trm_merged){0};
    merge m = {.table = table, .out = out};
    const trm_status status = merge_parts(&m, err);
    free(m.parts);
    free(m.places);
    trm_manifest_destroy(&m.manifest);
    return status;
}
