/// A whole file in memory.
#include "trammel/trammel.h"

#include "base/status.h"
#include "scenes/json/scene_where.h"

#include <errno.h>
#include <fcntl.h>
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

static trm_status read_open_file(int file, const char *path, char **text, size_t *length,
                                 trm_error *err)
{
    struct stat info;
    if (fstat(file, &info) != 0) {
        return fail(path, "read", errno, err);
    }
    if (S_ISDIR(info.st_mode)) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "this is a directory, not a scene file");
    }
    if (info.st_size > TRM_MAX_FILE) {
        return too_large(path, err);
    }
    const size_t guess = info.st_size > 0 ? (size_t)info.st_size : 65535;
    const trm_status status = read_growing(file, guess, path, text, length, err);
    if (status != TRM_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

trm_status trm_file_read(const char *path, char **text, size_t *length, trm_error *err)
{
    if (!path || !text || !length) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, path ? "text" : "path",
                        "expected a path and a place for the text, got NULL");
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return fail(path, "open", errno, err);
    }
    const trm_status status = read_open_file(file, path, text, length, err);
    close(file);
    return status;
}
