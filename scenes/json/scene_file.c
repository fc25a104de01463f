#define _XOPEN_SOURCE 700 // realpath
#include "scenes/json/scene_file.h"

#include "base/status.h"
#include "program/settings.h"
#include "program/texts.h"
#include "scenes/json/scene_where.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static trm_status fail(const char *path, const char *what, int error, trm_error *err)
{
    char reason[128] = "";
    if (error == ENOMEM) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    if (strerror_r(error, reason, sizeof reason) != 0) {
        reason[0] = '\0';
    }
    return TRM_FAIL(err, TRM_ERR_IO, path, "cannot %s the file: %s", what, reason);
}

static trm_status too_large(const char *path, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, path, "the file is larger than %d MB",
                    TRM_MAX_FILE / (1024 * 1024));
}

/// Until the end of the file, or until the buffer of `size` bytes is full. -1: see errno.
static ssize_t read_all(int file, char *buffer, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const ssize_t n = read(file, buffer + used, size - used);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        used += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)used;
}

/// Sizes are only a guess: pipes have none, and a file may grow while it is read.
static trm_status read_growing(int file, size_t guess, const char *path, char **text,
                               size_t *length, trm_error *err)
{
    size_t capacity = guess + 1, used = 0;
    *text = NULL;
    while (used <= TRM_MAX_FILE) {
        char *grown = realloc(*text, capacity + 1);
        if (!grown) {
            return fail(path, "read", ENOMEM, err);
        }
        *text = grown;
        const ssize_t n = read_all(file, *text + used, capacity - used);
        if (n < 0) {
            return fail(path, "read", errno, err);
        }
        used += (size_t)n;
        if (used < capacity) {
            (*text)[used] = '\0';
            *length = used;
            return TRM_OK;
        }
        capacity *= 2;
    }
    return too_large(path, err);
}

/// Fowler-Noll-Vo, 64 bit.
static uint64_t sum_of(const char *bytes, size_t size)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    }
    return sum;
}

static trm_status read_open_file(int file, const char *path, int plain, trm_bytes *out,
                                 trm_error *err)
{
    struct stat info;
    if (fstat(file, &info) != 0) {
        return fail(path, "read", errno, err);
    }
    if (S_ISDIR(info.st_mode)) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "this is a directory, not a scene file");
    }
    if (plain && !S_ISREG(info.st_mode)) {
        return TRM_FAIL(err, TRM_ERR_IO, path,
                        "this is a device, a pipe or a socket; expected a plain file");
    }
    if (info.st_size > TRM_MAX_FILE) {
        return too_large(path, err);
    }
    const size_t guess = info.st_size > 0 ? (size_t)info.st_size : 65535;
    const trm_status status = read_growing(file, guess, path, &out->text, &out->length, err);
    if (status != TRM_OK) {
        free(out->text);
        *out = (trm_bytes){0};
        return status;
    }
    out->file = (trm_file_info){path, sum_of(out->text, out->length)};
    return TRM_OK;
}

trm_status trm_bytes_read(const char *path, int plain, trm_bytes *out, trm_error *err)
{
    *out = (trm_bytes){0};
    // a pipe without a writer opens at once with O_NONBLOCK, and is empty; others are waited for
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return fail(path, "open", errno, err);
    }
    (void)fcntl(file, F_SETFL, O_RDONLY);
    const trm_status status = read_open_file(file, path, plain, out, err);
    close(file);
    return status;
}

trm_status trm_file_read(const char *path, char **text, size_t *length, trm_error *err)
{
    trm_bytes bytes;
    if (!path || !text || !length) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, path ? "text" : "path",
                        "expected a path and a place for the text, got NULL");
    }
    TRM_TRY(trm_bytes_read(path, 0, &bytes, err));
    *text = bytes.text;
    *length = bytes.length;
    return TRM_OK;
}

// ---------------------------------------------------------------------------- files that are named

/// No absolute path, and no step upwards.
static int stays_below(const char *file)
{
    int below = file[0] != '/';
    for (const char *part = file; below && part; part = strchr(part, '/')) {
        part += part[0] == '/';
        below = strncmp(part, "..", 2) != 0 || (part[2] != '/' && part[2] != '\0');
    }
    return below;
}

/// Whether the real path lies in the folder, which may be NULL.
static int lies_in(const char *real, const char *folder)
{
    char *const root = folder ? realpath(folder, NULL) : NULL;
    const size_t n = root ? strlen(root) : 0;
    const int is_root = n == 1; // "/"
    const int in = root && strncmp(real, root, n) == 0 && (is_root || real[n] == '/');
    free(root);
    return in;
}

trm_status trm_file_beside(const char *folder, const char *file, const char *allowed, char **real,
                           trm_error *err)
{
    static const char outside[] = "a scene names files of its own folder only; "
                                  "--allow-files DIR (allow_files) admits another folder";
    *real = NULL;
    if (!allowed && !stays_below(file)) {
        return TRM_FAIL(err, TRM_ERR_SCENE, file, outside);
    }
    const int own = file[0] == '/' ? 0 : (int)strlen(folder);
    const size_t size = (size_t)own + strlen(file) + 2;
    char *const path = malloc(size);
    if (!path) {
        return fail(file, "open", ENOMEM, err);
    }
    snprintf(path, size, "%.*s%s%s", own, folder, own > 0 ? "/" : "", file);
    *real = realpath(path, NULL);
    free(path);
    if (!*real) {
        return fail(file, "open", errno, err);
    }
    if (!lies_in(*real, folder) && !lies_in(*real, allowed)) {
        free(*real);
        *real = NULL;
        return TRM_FAIL(err, TRM_ERR_SCENE, file, outside);
    }
    return TRM_OK;
}
