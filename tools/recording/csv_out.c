/// Lines are gathered in a buffer and written whole, so that the file ends with a complete line at
/// any moment, even when the disk is full.
#include "tools/recording/csv_out.h"
#include "tools/common/progress.h"

#include "tools/recording/csv_values.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NUMBER = 26,     // bytes of "%.17g" and its comma at most
    BUFFER = 1 << 16 // bytes gathered before a write
};

struct trm_recording {
    const trm_scene *scene;
    const trm_model *model;
    const char *path;
    trm_outfile output;
    trm_columns columns;
    trm_column_values values;
    size_t line_bytes; // of a line at most
    size_t used, size;
    long rows;      // in the file or the buffer
    long rows_kept; // in the file
    double t;       // of the last row
    off_t complete; // bytes of the file up to the end of its last complete line
    int seekable, renamed;
    char *buffer;
    double flushed, ticked; // s on the wall: the last write, the last call of trm_recording_tick
};

// -------------------------------------------------------------------------------------- file

static trm_status cannot(const trm_recording *r, const char *what, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, r->path, "%s: %s", what, strerror(errno));
}

/// The disk took only part of the buffer: keep its complete lines.
static void cut_back(trm_recording *r, size_t written)
{
    size_t whole = 0;
    long lines = 0;
    for (size_t i = 0; i < written; i++) {
        if (r->buffer[i] == '\n') {
            whole = i + 1;
            lines++;
        }
    }
    r->complete += (off_t)whole;
    r->rows_kept += lines;
    if (r->seekable && ftruncate(r->output.file, r->complete) != 0) {
        r->seekable = 0; // the torn line stays; the write error is what gets reported
    }
}

static trm_status flush(trm_recording *r, trm_error *err)
{
    const size_t written = trm_outfile_write(&r->output, r->buffer, r->used);
    if (written < r->used) {
        const int reason = errno;
        cut_back(r, written);
        r->used = 0;
        r->rows = r->rows_kept;
        errno = reason;
        return cannot(r, "writing the recording failed", err);
    }
    r->complete += (off_t)r->used;
    r->rows_kept = r->rows;
    r->used = 0;
    r->flushed = trm_wall_clock();
    return TRM_OK;
}

trm_status trm_recording_mark(trm_recording *r, trm_recording_point *out, trm_error *err)
{
    TRM_TRY(flush(r, err));
    if (!r->seekable || !trm_outfile_sync(&r->output)) {
        errno = r->seekable ? errno : ESPIPE;
        return cannot(r, "a checkpoint needs the lines so far on a disk", err);
    }
    *out = (trm_recording_point){.rows = r->rows, .bytes = r->complete, .t = r->t};
    return TRM_OK;
}

trm_status trm_recording_go_back(trm_recording *r, const trm_recording_point *point, trm_error *err)
{
    struct stat about;
    if (!r->seekable || fstat(r->output.file, &about) != 0 || about.st_size < point->bytes) {
        return TRM_FAIL(err, TRM_ERR_IO, r->output.written,
                        "has not the lines that were there at the checkpoint");
    }
    if (ftruncate(r->output.file, point->bytes) != 0 ||
        lseek(r->output.file, point->bytes, SEEK_SET) < 0) {
        return cannot(r, "cannot be written", err);
    }
    r->rows = r->rows_kept = point->rows;
    r->complete = point->bytes;
    r->t = point->t;
    return TRM_OK;
}

trm_status trm_recording_tick(trm_recording *r, trm_error *err)
{
    static const double most = 0.9, seldom = 0.01; // s since the last write; between two lines
    const double now = trm_wall_clock();
    const int due = now - r->flushed >= most || now - r->ticked >= seldom;
    r->ticked = now;
    return due && r->used > 0 ? flush(r, err) : TRM_OK;
}

// ----------------------------------------------------------------------------------- columns

char *trm_recording_state_columns(const trm_scene *scene, const trm_model *model)
{
    trm_columns columns;
    char *header = NULL;
    if (trm_columns_of_state(scene, model, &columns, NULL) == TRM_OK) {
        (void)trm_columns_header(&columns, TRM_HEADER_UNITS, &header, NULL);
        trm_columns_destroy(&columns);
    }
    return header;
}

/// Put the header into the buffer and make the buffer large enough for lines.
static trm_status start_buffer(trm_recording *r, trm_header how, trm_error *err)
{
    char *header = NULL;
    TRM_TRY(trm_columns_header(&r->columns, how, &header, err));
    const size_t used = strlen(header);
    r->line_bytes = (size_t)r->columns.n * NUMBER;
    r->size = BUFFER + r->line_bytes + used + 1;
    r->buffer = malloc(r->size);
    if (r->buffer != NULL) {
        memcpy(r->buffer, header, used);
        r->buffer[used] = '\n';
        r->used = used + 1;
    }
    free(header);
    return r->buffer != NULL ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, r->path, "out of memory");
}

static trm_status start_table(trm_recording *r, const trm_recording_form *form, trm_error *err)
{
    TRM_TRY(trm_columns_create(r->scene, r->model, form->unique, &r->columns, err));
    if (form->columns != NULL) {
        TRM_TRY(trm_columns_choose(&r->columns, form->columns, err));
    }
    TRM_TRY(trm_column_values_open(r->model, &r->columns, &r->values, err));
    return start_buffer(r, form->header, err);
}

trm_status trm_recording_open(const trm_outfile_wish *wish, const trm_scene *scene,
                              const trm_model *model, const trm_recording_form *form,
                              trm_recording **out, trm_error *err)
{
    *out = NULL;
    trm_recording *const r = calloc(1, sizeof *r);
    if (r == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, wish->path, "out of memory");
    }
    *r = (trm_recording){.scene = scene, .model = model, .path = wish->path, .t = NAN};
    r->output.file = -1;
    trm_status status = start_table(r, form, err);
    if (status == TRM_OK) {
        status = trm_outfile_open(wish, &r->output, err);
    }
    if (status == TRM_OK) {
        struct stat about;
        r->seekable = fstat(r->output.file, &about) == 0 && S_ISREG(about.st_mode);
        r->used = wish->resume ? 0 : r->used;
        status = flush(r, err);
    }
    if (status != TRM_OK) {
        trm_outfile_abandon(&r->output, 0);
        trm_recording_destroy(r);
        return status;
    }
    *out = r;
    return TRM_OK;
}

// ---------------------------------------------------------------------------------------- rows

static void number(trm_recording *r, double x)
{
    r->used += (size_t)snprintf(r->buffer + r->used, NUMBER, "%.17g,", x);
}

trm_status trm_recording_write(trm_recording *r, trm_sim *sim, const trm_sample *sample,
                               trm_error *err)
{
    if (r->used + r->line_bytes > r->size) {
        TRM_TRY(flush(r, err));
    }
    TRM_TRY(trm_column_values_read(&r->values, sim, sample, err));
    for (int i = 0; i < r->columns.n; i++) {
        number(r, r->values.at[i]);
    }
    r->buffer[r->used - 1] = '\n';
    r->rows++;
    r->t = sample->state.t;
    return TRM_OK;
}

trm_status trm_recording_close(trm_recording *r, int whole, trm_error *err)
{
    if (r->output.file < 0) {
        return TRM_OK;
    }
    const trm_status status = flush(r, err);
    if (status == TRM_OK && whole) {
        r->renamed = 1;
        return trm_outfile_commit(&r->output, err);
    }
    trm_outfile_abandon(&r->output, 1);
    return status;
}

const char *trm_recording_path(const trm_recording *r)
{
    return r->renamed || r->output.live ? r->path : r->output.written;
}

void trm_recording_destroy(trm_recording *r)
{
    if (r == NULL) {
        return;
    }
    trm_outfile_abandon(&r->output, 1);
    trm_columns_destroy(&r->columns);
    free(r->buffer);
    trm_column_values_close(&r->values);
    free(r);
}

long trm_recording_rows(const trm_recording *r)
{
    return r->rows;
}

int trm_recording_columns(const trm_recording *r)
{
    return r->columns.n;
}

double trm_recording_last(const trm_recording *r)
{
    return r->t;
}
