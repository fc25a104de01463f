/// trammel view: simulate with the default method and draw the motion.
#include "engine/status.h"
#include "tools/commands.h"
#include "tools/diagnose.h"
#include "tools/load.h"
#include "tools/method_choice.h"
#include "tools/motion.h"
#include "tools/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 4000, FEWEST_STATES = 400, NUMBERS = 4000000 };

typedef struct view {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_sim *sim;
    trm_motion motion;
    char *picture; // the text of the file
    size_t length;
    char path[1024];
    trm_error error;
} view;

/// "scenes/x.json" -> "x.svg", in the current folder.
static void default_path(const char *scene, char *out, size_t size)
{
    const char *const slash = strrchr(scene, '/');
    const char *const name = slash != NULL ? slash + 1 : scene;
    const char *const dot = strrchr(name, '.');
    const int length = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "%.*s.svg", length, name);
}

static trm_status choose_path(view *v)
{
    const char *const output = v->arguments.output;
    if (output == NULL) {
        default_path(v->arguments.scene, v->path, sizeof v->path);
        return TRM_OK;
    }
    snprintf(v->path, sizeof v->path, "%s", output);
    return trm_output_kind(output, ".svg", &v->error);
}

static trm_status start(view *v, double *end)
{
    trm_choice choice;
    TRM_TRY(trm_load(&v->arguments, &v->scene, &v->model, &v->error));
    const trm_simulation of_scene = trm_scene_simulation(v->scene);
    *end = v->arguments.given & TRM_GIVEN_END ? v->arguments.end : of_scene.end;
    if (!(v->arguments.given & TRM_GIVEN_END) && *end <= 0) {
        return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "--end",
                        "the scene has no simulation.end; say how many seconds to simulate");
    }
    v->arguments.assemble |= of_scene.assemble != 0;
    TRM_TRY(trm_choose_method(&v->arguments, v->model, of_scene.accuracy, &choice, &v->error));
    return trm_sim_create(v->model, &choice.options, &v->sim, &v->error);
}

static trm_status draw(view *v)
{
    FILE *const out = open_memstream(&v->picture, &v->length);
    if (out == NULL) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    const trm_status status = trm_picture_draw(out, v->scene, v->model, &v->motion, &v->error);
    if (fclose(out) != 0 && status == TRM_OK) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    return status;
}

static trm_status save(view *v)
{
    const int existed = access(v->path, F_OK) == 0;
    FILE *const file = fopen(v->path, "w");
    if (file == NULL) {
        return TRM_FAIL(&v->error, TRM_ERR_IO, v->path, "cannot be written: %s", strerror(errno));
    }
    const size_t written = fwrite(v->picture, 1, v->length, file);
    if (fclose(file) != 0 || written != v->length) {
        if (!existed) {
            unlink(v->path);
        }
        return TRM_FAIL(&v->error, TRM_ERR_IO, v->path, "writing the picture failed: %s",
                        strerror(errno));
    }
    return TRM_OK;
}

/// A run that fails on the way is drawn up to there; its error is passed on.
static trm_status make(view *v, int *started)
{
    double end = 0;
    TRM_TRY(choose_path(v));
    TRM_TRY(start(v, &end));
    const int nq = trm_model_sizes(v->model).nq;
    int n = nq > 0 ? NUMBERS / nq : STATES;
    n = n > STATES ? STATES : n < FEWEST_STATES ? FEWEST_STATES : n;
    const trm_status status =
        trm_motion_record(v->sim, trm_model_sizes(v->model), end, n + 1, &v->motion, &v->error);
    if (v->motion.n == 0) {
        return status;
    }
    *started = 1;
    TRM_TRY(draw(v));
    TRM_TRY(save(v));
    printf("Wrote %s\n", v->path);
    return status;
}

int trm_command_view(int argc, char **argv)
{
    view v = {.error.t = NAN};
    int started = 0;
    trm_status status = trm_arguments_parse(TRM_COMMAND_VIEW, argc, argv, &v.arguments, &v.error);
    if (status == TRM_OK && v.arguments.help) {
        trm_help(TRM_COMMAND_VIEW);
    } else if (status == TRM_OK) {
        status = make(&v, &started);
    }
    if (status != TRM_OK) {
        trm_diagnose_as_options(&v.error);
        trm_diagnose(&v.error, v.arguments.scene);
    }
    const int code = trm_exit_code(status, started);
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help view\".\n", stderr);
    }
    trm_motion_destroy(&v.motion);
    free(v.picture);
    trm_sim_destroy(v.sim);
    trm_model_destroy(v.model);
    trm_scene_destroy(v.scene);
    trm_arguments_destroy(&v.arguments);
    return code;
}
