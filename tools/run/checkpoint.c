#include "tools/run/checkpoint.h"

#include "trammel/trammel_error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[24] = "trammel run " TRM_VERSION;

/// What stands in front; then argv, each with its end, and the state.
typedef struct front {
    char magic[24];
    uint64_t sum; ///< of all behind it
    uint64_t scene, argv_size, state_size;
    int64_t argc, rows, bytes, unfinished;
    double t, cpu;
} front;

/// Fowler-Noll-Vo, 64 bit.
static uint64_t sum_of(uint64_t sum, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    }
    return sum;
}

static const uint64_t begin = UINT64_C(14695981039346656037);

static trm_status cannot(const char *path, const char *what, trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_IO, path, "%s: %s", what, strerror(errno));
}

char *trm_checkpoint_path(const char *recording)
{
    static const char suffix[] = ".state";
    char *const out = malloc(strlen(recording) + sizeof suffix);
    return out != NULL ? strcat(strcpy(out, recording), suffix) : NULL;
}

/// The whole file; *out is to be given to free.
static trm_status read_file(const char *path, char **out, size_t *size, trm_error *err)
{
    enum { PIECE = 1 << 20 };
    FILE *const file = fopen(path, "rb");
    *out = NULL;
    *size = 0;
    if (file == NULL) {
        return cannot(path, "cannot be read", err);
    }
    for (size_t n = 1; n > 0; *size += n) {
        char *const grown = realloc(*out, *size + PIECE);
        if (grown == NULL) {
            fclose(file);
            free(*out);
            *out = NULL;
            return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
        }
        *out = grown;
        n = fread(*out + *size, 1, PIECE, file);
    }
    const int failed = ferror(file);
    fclose(file);
    if (failed) {
        free(*out);
        *out = NULL;
        return cannot(path, "cannot be read", err);
    }
    return TRM_OK;
}

trm_status trm_checkpoint_sum(const char *path, uint64_t *out, trm_error *err)
{
    char *bytes;
    size_t size;
    TRM_TRY(read_file(path, &bytes, &size, err));
    *out = sum_of(begin, bytes, size);
    free(bytes);
    return TRM_OK;
}

trm_status trm_checkpoint_write(const char *path, const trm_checkpoint *c, trm_error *err)
{
    front f = {.scene = c->scene,
               .state_size = c->state_size,
               .argc = c->argc,
               .rows = c->recorded.rows,
               .bytes = c->recorded.bytes,
               .unfinished = c->unfinished,
               .t = c->recorded.t,
               .cpu = c->cpu};
    memcpy(f.magic, magic, sizeof magic);
    for (int i = 0; i < c->argc; i++) {
        f.argv_size += strlen(c->argv[i]) + 1;
    }
    const size_t size = sizeof f + f.argv_size + c->state_size;
    char *const bytes = malloc(size);
    if (bytes == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    char *at = bytes + sizeof f;
    for (int i = 0; i < c->argc; i++) {
        const size_t length = strlen(c->argv[i]) + 1;
        memcpy(at, c->argv[i], length);
        at += length;
    }
    memcpy(at, c->state, c->state_size);
    const size_t behind = offsetof(front, scene);
    memcpy(bytes, &f, sizeof f);
    f.sum = sum_of(begin, bytes + behind, size - behind);
    memcpy(bytes, &f, sizeof f);
    const trm_status status = trm_outfile_save(&(trm_outfile_wish){.path = path}, bytes, size, err);
    free(bytes);
    return status;
}

/// argv, from its bytes. Returns zero when they do not fit.
static int take_arguments(trm_checkpoint *c, char *at, size_t size, int64_t argc)
{
    const char *const end = at + size;
    if (argc < 1 || argc > 100000 || size == 0 || end[-1] != '\0') {
        return 0;
    }
    c->argv = calloc((size_t)argc + 1, sizeof *c->argv);
    for (c->argc = 0; c->argv != NULL && c->argc < argc && at < end; c->argc++) {
        c->argv[c->argc] = at;
        at += strlen(at) + 1;
    }
    return c->argv != NULL && c->argc == argc && at == end;
}

trm_status trm_checkpoint_read(const char *path, trm_checkpoint *c, trm_error *err)
{
    front f = {.argc = 0};
    size_t size;
    *c = (trm_checkpoint){0};
    TRM_TRY(read_file(path, &c->bytes, &size, err));
    const size_t behind = offsetof(front, scene);
    memcpy(&f, c->bytes, size < sizeof f ? size : sizeof f);
    if (size < sizeof f || memcmp(f.magic, magic, sizeof magic) != 0) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "is no checkpoint of trammel %s", TRM_VERSION);
    }
    const size_t rest = size - sizeof f;
    if (sum_of(begin, c->bytes + behind, size - behind) != f.sum || f.argv_size > rest ||
        f.state_size != rest - f.argv_size ||
        !take_arguments(c, c->bytes + sizeof f, f.argv_size, f.argc)) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "the checkpoint was changed or cut off");
    }
    c->scene = f.scene;
    c->recorded = (trm_recording_point){.rows = (long)f.rows, .bytes = (off_t)f.bytes, .t = f.t};
    c->unfinished = f.unfinished != 0;
    c->cpu = f.cpu;
    c->state = c->bytes + sizeof f + f.argv_size;
    c->state_size = f.state_size;
    return TRM_OK;
}

void trm_checkpoint_destroy(trm_checkpoint *checkpoint)
{
    free(checkpoint->argv);
    free(checkpoint->bytes);
    *checkpoint = (trm_checkpoint){0};
}
