#define _GNU_SOURCE // realpath, flock, fopencookie
#include "tools/common/output.h"

#include "program/settings.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static trm_status cannot(const char *path, const char *what, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, path, "%s: %s", what, strerror(errno));
}

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// ------------------------------------------------------------------------------------------ inputs

static struct {
    int n;
    char **path;
} inputs;

trm_status trm_input_note(const char *path, trm_error *err)
{
    char **const grown = realloc(inputs.path, ((size_t)inputs.n + 1) * sizeof *grown);
    char *const copy = strdup(path);
    inputs.path = grown != NULL ? grown : inputs.path;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    grown[inputs.n++] = copy;
    return TRM_OK;
}

trm_status trm_input_note_scene(const trm_scene *scene, trm_error *err)
{
    trm_file_info file;
    for (int i = 0; (file = trm_scene_file_info(scene, i)).path != NULL; i++) {
        TRM_TRY(trm_input_note(file.path, err));
    }
    return TRM_OK;
}

/// Errors: OPTIONS: what stands at `path` is an input, by device and inode.
static trm_status refuse_input(const char *path, const char *name, trm_error *err)
{
    struct stat ours, its;
    const int exists = stat(path, &ours) == 0;
    for (int i = 0; exists && i < inputs.n; i++) {
        if (stat(inputs.path[i], &its) == 0 && same_file(&ours, &its)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, name,
                            "would overwrite \"%.80s\", which is read; nothing was written",
                            inputs.path[i]);
        }
    }
    return TRM_OK;
}

static trm_status refuse_inputs(const trm_outfile *out, const char *name, trm_error *err)
{
    TRM_TRY(refuse_input(name, name, err));
    return refuse_input(out->written, name, err);
}

// ----------------------------------------------------------------------------------------- outputs

/// Where NAME leads, and where the bytes go meanwhile.
static trm_status find_places(const trm_outfile_wish *wish, trm_outfile *out, trm_error *err)
{
    struct stat about;
    char *const real = realpath(wish->path, NULL);
    const int n = snprintf(out->path, sizeof out->path, "%s", real != NULL ? real : wish->path);
    free(real);
    if (n >= (int)sizeof out->path) {
        errno = ENAMETOOLONG;
        return cannot(wish->path, "cannot be written", err);
    }
    const int exists = stat(out->path, &about) == 0;
    if (exists && access(out->path, W_OK) != 0) {
        return cannot(wish->path, "cannot be written", err);
    }
    out->live = wish->live || (exists && !S_ISREG(about.st_mode));
    out->kept = exists;
    snprintf(out->written, sizeof out->written, "%s%s", out->path, out->live ? "" : ".part");
    return TRM_OK;
}

/// The call again while a signal has interrupted it: who writes learns of the signal by itself.
static int lock(int file)
{
    int code;
    while ((code = flock(file, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
    }
    return code;
}

/// Opens `written` and locks it. The file may have been renamed by who held the lock before: then
/// it is another one that has the name. Returns -1 with errno; EWOULDBLOCK: somebody writes there.
static int open_locked(const char *written)
{
    enum { TRIES = 10 };
    for (int i = 0; i < TRIES; i++) {
        struct stat ours, named;
        const int file = open(written, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0 || fstat(file, &ours) != 0 || !S_ISREG(ours.st_mode)) {
            return file;
        }
        if (lock(file) != 0 && errno == EWOULDBLOCK) {
            close(file);
            errno = EWOULDBLOCK;
            return -1;
        } // other errors: a file system without locks
        if (stat(written, &named) == 0 && same_file(&ours, &named)) {
            return file;
        }
        close(file);
    }
    errno = EWOULDBLOCK;
    return -1;
}

trm_status trm_outfile_refuse(const char *path, trm_error *err)
{
    trm_outfile out = {.file = -1};
    const trm_outfile_wish wish = {.path = path};
    if (path == NULL) {
        return TRM_OK;
    }
    TRM_TRY(find_places(&wish, &out, err));
    return refuse_inputs(&out, path, err);
}

trm_status trm_outfile_open(const trm_outfile_wish *wish, trm_outfile *out, trm_error *err)
{
    struct stat about;
    *out = (trm_outfile){.file = -1};
    TRM_TRY(find_places(wish, out, err));
    TRM_TRY(refuse_inputs(out, wish->path, err));
    signal(SIGPIPE, SIG_IGN); // a reader that leaves then shows as a write error
    out->file = open_locked(out->written);
    if (out->file < 0) {
        return errno == EWOULDBLOCK
                   ? TRM_FAIL(err, TRM_ERR_IO, wish->path, "another run is writing to it")
                   : cannot(wish->path, "cannot be written", err);
    }
    if (!wish->resume && fstat(out->file, &about) == 0 && S_ISREG(about.st_mode) &&
        ftruncate(out->file, 0) != 0) {
        trm_outfile_abandon(out, 1);
        return cannot(wish->path, "cannot be written", err);
    }
    if (!out->live && stat(out->path, &about) == 0) {
        (void)!fchmod(out->file, about.st_mode & 07777); // that of the file it will replace
    }
    return TRM_OK;
}

int trm_outfile_sync(const trm_outfile *out)
{
    int code;
    while ((code = fsync(out->file)) != 0 && errno == EINTR) {
    }
    return code == 0;
}

trm_status trm_outfile_commit(trm_outfile *out, trm_error *err)
{
    const int unsaved = !trm_outfile_sync(out) && errno != EINVAL && errno != EROFS;
    const int reason = errno;
    const int failed = unsaved || (!out->live && rename(out->written, out->path) != 0) ||
                       (close(out->file) != 0 && errno != EINTR); // then it is closed
    if (failed) {
        errno = unsaved ? reason : errno;
        const trm_status status = cannot(out->path, "writing failed", err);
        trm_outfile_abandon(out, 0);
        return status;
    }
    out->file = -1;
    return TRM_OK;
}

void trm_outfile_abandon(trm_outfile *out, int keep)
{
    if (out->file < 0) {
        return;
    }
    if (!keep && (!out->live || !out->kept)) {
        unlink(out->written);
    }
    close(out->file);
    out->file = -1;
}

size_t trm_outfile_write(const trm_outfile *out, const char *bytes, size_t size)
{
    size_t written = 0;
    while (written < size) {
        const ssize_t n = write(out->file, bytes + written, size - written);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n < 0 ? errno : ENOSPC;
            break;
        }
        written += (size_t)n;
    }
    return written;
}

trm_status trm_outfile_save(const trm_outfile_wish *wish, const char *bytes, size_t size,
                            trm_error *err)
{
    trm_outfile out;
    TRM_TRY(trm_outfile_open(wish, &out, err));
    if (trm_outfile_write(&out, bytes, size) < size) {
        const trm_status status = cannot(wish->path, "writing failed", err);
        trm_outfile_abandon(&out, 0);
        return status;
    }
    return trm_outfile_commit(&out, err);
}

// ------------------------------------------------------------------------------- texts in memory

typedef struct text_cookie {
    char **text;
    size_t *length, room;
} text_cookie;

/// Returns how many bytes were taken: all, or none.
static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    text_cookie *const c = cookie;
    const size_t needed = *c->length + size + 1;
    if (needed > c->room) {
        char *const larger = realloc(*c->text, 2 * needed);
        if (larger == NULL) {
            return 0;
        }
        *c->text = larger;
        c->room = 2 * needed;
    }
    memcpy(*c->text + *c->length, bytes, size);
    *c->length += size;
    (*c->text)[*c->length] = '\0';
    return (ssize_t)size;
}

static int leave(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *trm_text_stream(char **text, size_t *length)
{
    text_cookie *const cookie = malloc(sizeof *cookie);
    char *const first = calloc(1, 1);
    FILE *const out =
        cookie != NULL && first != NULL
            ? fopencookie(cookie, "w", (cookie_io_functions_t){.write = take, .close = leave})
            : NULL;
    if (out == NULL) {
        free(cookie);
        free(first);
        return NULL;
    }
    *cookie = (text_cookie){.text = text, .length = length, .room = 1};
    *text = first;
    *length = 0;
    return out;
}

int trm_stream_close(FILE *out)
{
    const int lost = ferror(out);
    return (fclose(out) != 0) | (lost != 0);
}
