#include "tools/view/picture_file.h"

#include "tools/common/commands.h"
#include "tools/page/record.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static trm_status convert(const char *from, const char *to, const char *path, trm_error *err)
{
    char program[] = "rsvg-convert", zoom[] = "--zoom=2", unlimited[] = "--unlimited", out[] = "-o";
    char *const arguments[] = {
        program, zoom, unlimited, out, (char *)(size_t)to, (char *)(size_t)from, NULL};
    pid_t child;
    const int wrong = posix_spawnp(&child, program, NULL, NULL, arguments, environ);
    if (wrong == ENOENT) {
        return TRM_FAIL(err, TRM_ERR_IO, path,
                        "PNG needs the program rsvg-convert (Debian: librsvg2-bin); .svg does not");
    }
    int answer = 0;
    while (wrong == 0 && waitpid(child, &answer, 0) < 0 && errno == EINTR) {
    }
    return wrong == 0 && WIFEXITED(answer) && WEXITSTATUS(answer) == 0
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_IO, path, "rsvg-convert could not make it");
}

/// All of the file `from` to `path`, by way of its NAME.part.
static trm_status copy(const char *from, const char *path, trm_error *err)
{
    struct stat about;
    FILE *const file = fopen(from, "rb");
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        const int why = errno;
        if (file != NULL) {
            fclose(file);
        }
        return TRM_FAIL(err, TRM_ERR_IO, path, "the picture cannot be read: %s", strerror(why));
    }
    const size_t size = (size_t)about.st_size;
    char *const bytes = malloc(size + 1);
    const int whole = bytes != NULL && fread(bytes, 1, size, file) == size;
    fclose(file);
    const trm_status status = bytes == NULL ? TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory")
                              : whole       ? trm_save_text(path, bytes, size, err)
                                      : TRM_FAIL(err, TRM_ERR_IO, path, "the picture is torn");
    free(bytes);
    return status;
}

trm_status trm_picture_save(const char *path, const char *svg, size_t length, trm_error *err)
{
    char temporary[1024], drawn[1024];
    if (!trm_output_is(path, ".png")) {
        return trm_save_text(path, svg, length, err);
    }
    TRM_TRY(trm_page_temporary(temporary, sizeof temporary, err));
    trm_status status = trm_page_temporary(drawn, sizeof drawn, err);
    if (status == TRM_OK) {
        status = trm_save_text(temporary, svg, length, err);
        status = status == TRM_OK ? convert(temporary, drawn, path, err) : status;
        status = status == TRM_OK ? copy(drawn, path, err) : status;
        unlink(drawn);
    }
    unlink(temporary);
    return status;
}
