#include "tools/view/picture_file.h"

#include "engine/trammel_error.h"
#include "tools/cli/commands.h"
#include "tools/page/record.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static trm_status convert(const char *from, const char *to, trm_error *err)
{
    char program[] = "rsvg-convert", zoom[] = "--zoom=2", unlimited[] = "--unlimited", out[] = "-o";
    char *const arguments[] = {
        program, zoom, unlimited, out, (char *)(size_t)to, (char *)(size_t)from, NULL};
    pid_t child;
    const int wrong = posix_spawnp(&child, program, NULL, NULL, arguments, environ);
    if (wrong == ENOENT) {
        return TRM_FAIL(err, TRM_ERR_IO, to,
                        "PNG needs the program rsvg-convert (Debian: librsvg2-bin); .svg does not");
    }
    int answer = 0;
    while (wrong == 0 && waitpid(child, &answer, 0) < 0 && errno == EINTR) {
    }
    return wrong == 0 && WIFEXITED(answer) && WEXITSTATUS(answer) == 0
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_IO, to, "rsvg-convert could not write it");
}

trm_status trm_picture_save(const char *path, const char *svg, size_t length, trm_error *err)
{
    char temporary[1024];
    if (!trm_output_is(path, ".png")) {
        return trm_save_text(path, svg, length, err);
    }
    TRM_TRY(trm_page_temporary(temporary, sizeof temporary, err));
    trm_status status = trm_save_text(temporary, svg, length, err);
    if (status == TRM_OK) {
        status = convert(temporary, path, err);
    }
    unlink(temporary);
    return status;
}
