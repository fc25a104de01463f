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

/// A program that makes `path`, with NULL behind its arguments; `package` of Debian has it.
static trm_status run_program(const char *const *arguments, const char *package, const char *path,
                              trm_error *err)
{
    const char *const program = arguments[0];
    union {
        const char *const *ours;
        char *const *theirs; // which posix_spawn does not change
    } list = {arguments};
    pid_t child;
    const int wrong = posix_spawnp(&child, program, NULL, NULL, list.theirs, environ);
    if (wrong == ENOENT) {
        return TRM_FAIL(err, TRM_ERR_IO, path,
                        "%s needs the program %s (Debian: %s); .svg does not", strrchr(path, '.'),
                        program, package);
    }
    int answer = 0;
    while (wrong == 0 && waitpid(child, &answer, 0) < 0 && errno == EINTR) {
    }
    return wrong == 0 && WIFEXITED(answer) && WEXITSTATUS(answer) == 0
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_IO, path, "%s could not make it", program);
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
        const char *const arguments[] = {"rsvg-convert", "--zoom=2", "--unlimited", "-o",
                                         drawn,          temporary,  NULL};
        status = status == TRM_OK ? run_program(arguments, "librsvg2-bin", path, err) : status;
        status = status == TRM_OK ? copy(drawn, path, err) : status;
        unlink(drawn);
    }
    unlink(temporary);
    return status;
}

// ------------------------------------------------------------------------------------------ videos

/// How ffmpeg writes a kind of file. A GIF has 256 colours, chosen for these frames; MP4 wants even
/// sizes, and in this form of colours plays everywhere.
typedef struct video_kind {
    const char *end, *format, *codec, *filter;
} video_kind;

static const video_kind kinds[] = {
    {".gif", "gif", "gif", "split[a][b];[a]palettegen[p];[b][p]paletteuse"},
    {".webp", "webp", "libwebp_anim", "format=yuva420p"},
    {".mp4", "mp4", "libx264", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p"},
};

static const video_kind *kind_of(const char *path)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (trm_output_is(path, kinds[i].end)) {
            return &kinds[i];
        }
    }
    return NULL;
}

int trm_picture_is_video(const char *path)
{
    return kind_of(path) != NULL;
}

trm_status trm_picture_video(const char *path, int n, char *const *frames, double rate, int width,
                             trm_error *err)
{
    const video_kind *const kind = kind_of(path);
    char drawn[1024], frame[1100], pattern[1100], per_second[32], wide[32];
    TRM_TRY(trm_page_temporary(drawn, sizeof drawn, err));
    trm_status status = TRM_OK;
    int written = 0;
    for (; written < n && status == TRM_OK; written++) {
        snprintf(frame, sizeof frame, "%s.%05d.svg", drawn, written);
        status = trm_save_text(frame, frames[written], strlen(frames[written]), err);
    }
    snprintf(pattern, sizeof pattern, "%s.%%05d.svg", drawn);
    snprintf(per_second, sizeof per_second, "%.6g", rate);
    snprintf(wide, sizeof wide, "%d", width);
    const char *const arguments[] = {
        "ffmpeg", "-nostdin",   "-loglevel",  "error", "-y",        "-framerate", per_second,
        "-c:v",   "librsvg",    "-width",     wide,    "-keep_ar",  "1",          "-i",
        pattern,  "-vf",        kind->filter, "-c:v",  kind->codec, "-loop",      "0",
        "-f",     kind->format, drawn,        NULL};
    status = status == TRM_OK ? run_program(arguments, "ffmpeg", path, err) : status;
    status = status == TRM_OK ? copy(drawn, path, err) : status;
    for (int k = 0; k < written; k++) {
        snprintf(frame, sizeof frame, "%s.%05d.svg", drawn, k);
        unlink(frame);
    }
    unlink(drawn);
    return status;
}
