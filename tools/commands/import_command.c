/// trammel import: the scene that a robot of another format becomes, and what it lost.
#include "program/texts.h"
#include "program/view.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/common/terminal.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// What the motion may differ for comes first; returns its number.
static int tell(const trm_scene *scene)
{
    int counts[2] = {0};
    for (int moves = 1; moves >= 0; moves--) {
        trm_loss_info loss;
        for (int i = 0; (loss = trm_scene_loss_info(scene, i)).element != NULL; i++) {
            if (loss.moves != moves) {
                continue;
            }
            if (counts[moves] == 0) {
                fputs(moves ? "not in the scene:\n" : "no matter to the motion:\n", stderr);
            }
            trm_terminal_printf(stderr, "%s:%ld: %s: %s", loss.file, loss.line, loss.element,
                                loss.consequence);
            fputc('\n', stderr);
            counts[moves]++;
        }
    }
    return counts[1];
}

/// Bytes of a path up to its last "/".
static int folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? (int)(slash - path) + 1 : 0;
}

/// Folders of a path, beyond its first `from` bytes.
static trm_status make_folders(char *path, int from, trm_error *err)
{
    for (char *slash = path + from; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        const int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed) {
            return TRM_FAIL(err, TRM_ERR_IO, path, "cannot make the folder: %s", strerror(errno));
        }
    }
    return TRM_OK;
}

/// Meshes lie beside a scene as they lie beside the robot: where these are two folders, copies do.
static trm_status copy_meshes(const trm_arguments *arguments, const trm_scene *scene,
                              trm_error *err)
{
    const int from = folder_of(arguments->scene), to = folder_of(arguments->output);
    trm_status status = TRM_OK;
    for (int i = 0; i < trm_view_scene(scene).nlooks && status == TRM_OK; i++) {
        const trm_look_view look = trm_view_look(scene, i);
        char path[TRM_OUTPUT_PATH], *bytes = NULL;
        struct stat own, other;
        size_t size = 0;
        if (look.mesh != i || snprintf(path, sizeof path, "%.*s%s", to, arguments->output,
                                       look.file + from) >= (int)sizeof path) {
            continue;
        }
        if (stat(path, &other) == 0 && stat(look.file, &own) == 0 && own.st_ino == other.st_ino &&
            own.st_dev == other.st_dev) {
            continue;
        }
        TRM_TRY(make_folders(path, to, err));
        TRM_TRY(trm_file_read(look.file, &bytes, &size, err));
        status = trm_outfile_save(&(trm_outfile_wish){.path = path}, bytes, size, err);
        free(bytes);
    }
    return status;
}

static trm_status write_scene(const trm_arguments *arguments, const trm_scene *scene,
                              trm_error *err)
{
    const char *const text = trm_scene_get_info(scene).text;
    if (arguments->output == NULL) {
        fputs(text, stdout);
        return TRM_OK;
    }
    TRM_TRY(trm_input_note_scene(scene, err));
    TRM_TRY(copy_meshes(arguments, scene, err));
    return trm_outfile_save(&(trm_outfile_wish){.path = arguments->output}, text, strlen(text),
                            err);
}

static trm_status import(const trm_arguments *arguments, trm_error *err)
{
    trm_scene *scene = NULL;
    const trm_scene_source source = {.path = arguments->scene,
                                     .root = arguments->root,
                                     .start = arguments->start,
                                     .loops = arguments->loops};
    TRM_TRY(trm_output_kind(arguments->output, ".json", err));
    TRM_TRY(trm_scene_open(&source, &scene, err));
    const int lost = tell(scene);
    const trm_status status =
        arguments->strict && lost > 0
            ? TRM_FAIL(err, TRM_ERR_SCENE, arguments->scene,
                       "no scene is written: the motion may differ for %d of its elements", lost)
            : write_scene(arguments, scene, err);
    trm_scene_destroy(scene);
    return status;
}

int trm_command_import(int argc, char **argv)
{
    trm_error err = {.t = NAN};
    trm_arguments arguments;
    trm_status status = trm_arguments_parse(TRM_COMMAND_IMPORT, argc, argv, &arguments, &err);
    if (status == TRM_OK && arguments.help) {
        trm_help(TRM_COMMAND_IMPORT);
    } else if (status == TRM_OK) {
        status = import(&arguments, &err);
    }
    const char *const path = arguments.scene;
    if (status != TRM_OK) {
        err.status = status;
        trm_diagnose(&err, status == TRM_ERR_SCENE ? path : NULL);
    }
    trm_arguments_destroy(&arguments);
    return trm_exit_code(status, 0);
}
