/// Lines are gathered in a buffer and written whole, so that the file ends with a complete line at
/// any moment, even when the disk is full.
#include "tools/csv_out.h"

#include "engine/status.h"
#include "scenes/scene.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NUMBER = 26,      // bytes of "%.17g" and its comma at most
    BUFFER = 1 << 16, // bytes gathered before a write
    NAMED = 512       // bytes of one column's name at most
};

struct trm_recording {
    const trm_scene *scene;
    const trm_model *model;
    const char *path;
    int file; // -1 when closed
    int columns;
    int ncoordinates, nsensors; // numbers read by sensors; those of joints come first
    trm_sensor *sensors;        // [nsensors], of size 1
    double *read;               // [nsensors]
    size_t line_bytes;          // of a line at most
    size_t used, size;
    long rows;      // in the file or the buffer
    long rows_kept; // in the file
    double t;       // of the last row
    off_t complete; // bytes of the file up to the end of its last complete line
    int seekable;
    char *buffer;
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
    if (r->seekable && ftruncate(r->file, r->complete) != 0) {
        r->seekable = 0; // the torn line stays; the write error is what gets reported
    }
}

static trm_status flush(trm_recording *r, trm_error *err)
{
    size_t written = 0;
    while (written < r->used) {
        const ssize_t n = write(r->file, r->buffer + written, r->used - written);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            const int reason = n < 0 ? errno : ENOSPC;
            cut_back(r, written);
            r->used = 0;
            r->rows = r->rows_kept;
            errno = reason;
            return cannot(r, "writing the recording failed", err);
        }
        written += (size_t)n;
    }
    r->complete += (off_t)r->used;
    r->rows_kept = r->rows;
    r->used = 0;
    return TRM_OK;
}

/// Opens the file; *created tells whether it is new.
static int open_file(const char *path, int *created)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *created = file >= 0;
    if (file < 0 && errno == EEXIST) {
        file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    return file;
}

// ------------------------------------------------------------------------------------ columns

typedef struct text {
    char *at;
    size_t used, size;
    int columns, failed;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add_column(text *header, const char *format, ...)
{
    if (header->used + NAMED > header->size) {
        const size_t size = 2 * header->size + 4 * NAMED;
        char *const grown = realloc(header->at, size);
        header->failed |= grown == NULL;
        header->at = grown != NULL ? grown : header->at;
        header->size = grown != NULL ? size : header->size;
    }
    if (header->failed) {
        return;
    }
    if (header->columns++ > 0) {
        header->at[header->used++] = ',';
    }
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(header->at + header->used, NAMED - 2, format, args);
    va_end(args);
    header->used += n < NAMED - 3 ? (size_t)n : NAMED - 3;
}

static void body_columns(text *header, const char *name, int dimension, int rotates)
{
    static const char *const axes[] = {"x", "y", "z"};
    static const char *const quaternion[] = {"qw", "qx", "qy", "qz"};
    for (int i = 0; i < dimension && i < 3; i++) {
        add_column(header, "%s.%s[m]", name, axes[i]);
    }
    if (rotates && dimension == 2) {
        add_column(header, "%s.angle[rad]", name);
    }
    for (int i = 0; rotates && dimension == 3 && i < 4; i++) {
        add_column(header, "%s.%s", name, quaternion[i]);
    }
    for (int i = 0; i < dimension && i < 3; i++) {
        add_column(header, "%s.v%s[m/s]", name, axes[i]);
    }
    if (rotates && dimension == 2) {
        add_column(header, "%s.rate[rad/s]", name);
    }
    for (int i = 0; rotates && dimension == 3 && i < 3; i++) {
        add_column(header, "%s.w%s[rad/s]", name, axes[i]);
    }
}

static void marker_columns(text *header, const trm_scene *scene)
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 0; i < scene->nmarkers; i++) {
        for (int k = 0; k < scene->dimension && k < 3 && scene->markers[i].body >= 0; k++) {
            add_column(header, "%s.%s[m]", scene->markers[i].name, axes[k]);
        }
    }
}

/// Another number that is read by a sensor, OWNER.WHAT or OWNER alone.
static trm_status add_sensor(trm_recording *r, const char *owner, const char *what, trm_error *err)
{
    char name[NAMED];
    snprintf(name, sizeof name, "%s%s%s", owner, *what ? "." : "", what);
    return trm_model_sensor(r->model, name, &r->sensors[r->nsensors++], err);
}

/// Coordinates of joints, efforts of actuators, inputs.
static trm_status find_sensors(trm_recording *r, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(r->model);
    const size_t most = 2 * (size_t)n.njoint + (size_t)n.nactuator + (size_t)n.ninput + 1;
    r->sensors = calloc(most, sizeof *r->sensors);
    r->read = calloc(most, sizeof *r->read);
    if (r->sensors == NULL || r->read == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, r->path, "out of memory");
    }
    for (int i = 0; i < n.njoint; i++) {
        const trm_joint_info joint = trm_model_joint_info(r->model, i);
        if (*joint.unit) {
            TRM_TRY(add_sensor(r, joint.name, "coordinate", err));
            TRM_TRY(add_sensor(r, joint.name, "coordinate_rate", err));
        }
    }
    r->ncoordinates = r->nsensors;
    for (int i = 0; i < n.nactuator; i++) {
        TRM_TRY(add_sensor(r, trm_model_actuator_info(r->model, i).name, "effort", err));
    }
    for (int i = 0; i < n.ninput; i++) {
        TRM_TRY(add_sensor(r, trm_model_input_info(r->model, i).name, "", err));
    }
    return TRM_OK;
}

static void joint_columns(text *header, const trm_model *model)
{
    for (int i = 0; i < trm_model_sizes(model).njoint; i++) {
        const trm_joint_info joint = trm_model_joint_info(model, i);
        if (*joint.unit) {
            add_column(header, "%s.coordinate[%s]", joint.name, joint.unit);
            add_column(header, "%s.coordinate_rate[%s/s]", joint.name, joint.unit);
        }
    }
}

static void drive_columns(text *header, const trm_model *model)
{
    const trm_sizes n = trm_model_sizes(model);
    for (int i = 0; i < n.nactuator; i++) {
        const trm_actuator_info actuator = trm_model_actuator_info(model, i);
        add_column(header, "%s.effort[%s]", actuator.name, actuator.unit);
    }
    for (int i = 0; i < n.ninput; i++) {
        add_column(header, "%s", trm_model_input_info(model, i).name);
    }
}

static void state_columns(text *header, const trm_scene *scene, const trm_model *model)
{
    add_column(header, "t");
    for (int i = 0; i < trm_model_sizes(model).nbody; i++) {
        body_columns(header, trm_model_body_info(model, i).name, scene->dimension,
                     !scene->bodies[i].point_mass);
    }
}

char *trm_recording_state_columns(const trm_scene *scene, const trm_model *model)
{
    text header = {0};
    state_columns(&header, scene, model);
    if (header.failed) {
        free(header.at);
        return NULL;
    }
    header.at[header.used] = '\0';
    return header.at;
}

static void all_columns(text *header, const trm_recording *r, const int *unique)
{
    const trm_sizes n = trm_model_sizes(r->model);
    state_columns(header, r->scene, r->model);
    marker_columns(header, r->scene);
    joint_columns(header, r->model);
    for (int i = 0; i < n.nc; i++) {
        const trm_row_info row = trm_model_row_info(r->model, i);
        add_column(header, "%s.lambda%s%s%s[%s]", row.name, *row.label ? "_" : "", row.label,
                   unique == NULL || unique[i] ? "" : ".undetermined_at_start",
                   strcmp(row.unit, "rad") == 0 ? "N m" : "N");
    }
    drive_columns(header, r->model);
    add_column(header, "drift.position");
    add_column(header, "drift.velocity");
    add_column(header, "energy.kinetic[J]");
    add_column(header, "energy.potential[J]");
    add_column(header, "energy.work[J]");
    add_column(header, "singularity.rcond");
    add_column(header, "singularity.sigma");
    add_column(header, "singularity.crossings");
    add_column(header, "singularity.bifurcations");
    add_column(header, "singularity.branch_changes");
}

/// Put the header into the buffer and make the buffer large enough for lines.
static trm_status start_buffer(trm_recording *r, const int *unique, trm_error *err)
{
    text header = {0};
    all_columns(&header, r, unique);
    r->columns = header.columns;
    r->line_bytes = (size_t)r->columns * NUMBER;
    r->size = BUFFER + r->line_bytes + header.used;
    r->buffer = malloc(r->size);
    if (header.failed || r->buffer == NULL) {
        free(header.at);
        return TRM_FAIL(err, TRM_ERR_MEMORY, r->path, "out of memory");
    }
    memcpy(r->buffer, header.at, header.used);
    r->buffer[header.used] = '\n';
    r->used = header.used + 1;
    free(header.at);
    return TRM_OK;
}

trm_status trm_recording_open(const char *path, const trm_scene *scene, const trm_model *model,
                              const int *unique, trm_recording **out, trm_error *err)
{
    *out = NULL;
    trm_recording *const r = calloc(1, sizeof *r);
    if (r == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    *r = (trm_recording){.scene = scene, .model = model, .path = path, .file = -1, .t = NAN};
    int created = 0;
    trm_status status = find_sensors(r, err);
    if (status == TRM_OK) {
        status = start_buffer(r, unique, err);
    }
    if (status == TRM_OK) {
        r->file = open_file(path, &created);
        status = r->file >= 0 ? TRM_OK : cannot(r, "cannot be written", err);
    }
    if (status == TRM_OK) {
        struct stat about;
        r->seekable = fstat(r->file, &about) == 0 && S_ISREG(about.st_mode);
        status = flush(r, err);
    }
    if (status != TRM_OK) {
        if (created) {
            unlink(path);
        }
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

static void numbers(trm_recording *r, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        number(r, x[i]);
    }
}

static void marker_numbers(trm_recording *r, const trm_state *state)
{
    for (int i = 0; i < r->scene->nmarkers; i++) {
        const trm_scene_marker *const marker = &r->scene->markers[i];
        double x[3];
        if (marker->body >= 0) {
            trm_model_point(r->model, marker->body, marker->local, state->q, NULL, x, NULL);
            numbers(r, r->scene->dimension, x);
        }
    }
}

trm_status trm_recording_write(trm_recording *r, const trm_sim *sim, const trm_sample *sample,
                               double sigma, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(r->model);
    const trm_state *const state = &sample->state;
    if (r->used + r->line_bytes > r->size) {
        TRM_TRY(flush(r, err));
    }
    TRM_TRY(trm_sim_read_sample(sim, sample, r->nsensors, r->sensors, r->read, err));
    number(r, state->t);
    for (int i = 0; i < n.nbody; i++) {
        const trm_body_info body = trm_model_body_info(r->model, i);
        numbers(r, body.nq, state->q + body.q0);
        numbers(r, body.nv, state->v + body.v0);
    }
    marker_numbers(r, state);
    numbers(r, r->ncoordinates, r->read);
    numbers(r, n.nc, state->lambda);
    numbers(r, r->nsensors - r->ncoordinates, r->read + r->ncoordinates);
    number(r, sample->drift.position);
    number(r, sample->drift.velocity);
    number(r, sample->energy.kinetic);
    number(r, sample->energy.potential);
    number(r, sample->energy.work);
    number(r, sample->rcond);
    number(r, sigma);
    number(r, (double)sample->crossings);
    number(r, (double)sample->bifurcations);
    number(r, (double)sample->branch_changes);
    r->buffer[r->used - 1] = '\n';
    r->rows++;
    r->t = state->t;
    return TRM_OK;
}

trm_status trm_recording_close(trm_recording *r, trm_error *err)
{
    if (r->file < 0) {
        return TRM_OK;
    }
    trm_status status = flush(r, err);
    if (close(r->file) != 0 && status == TRM_OK) {
        status = cannot(r, "closing the recording failed", err);
    }
    r->file = -1;
    return status;
}

void trm_recording_destroy(trm_recording *r)
{
    if (r == NULL) {
        return;
    }
    if (r->file >= 0) {
        close(r->file);
    }
    free(r->buffer);
    free(r->sensors);
    free(r->read);
    free(r);
}

long trm_recording_rows(const trm_recording *r)
{
    return r->rows;
}

int trm_recording_columns(const trm_recording *r)
{
    return r->columns;
}

double trm_recording_last(const trm_recording *r)
{
    return r->t;
}
