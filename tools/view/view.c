/// trammel view: a scene, simulated with the default method, or recordings of it, as a page (.html)
/// that moves, as a picture (.svg, .png), or as a video (.gif, .webp, .mp4).
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/load.h"
#include "tools/common/method_choice.h"
#include "tools/common/output.h"
#include "tools/common/terminal.h"
#include "tools/page/record.h"
#include "tools/run/run.h"
#include "tools/view/live.h"
#include "tools/view/motion.h"
#include "tools/view/picture.h"
#include "tools/view/picture_file.h"
#include "tools/view/svg_animate.h"
#include "tools/view/view_tapes.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 4000, FEWEST_STATES = 400, NUMBERS = 4000000, TAPES = 8 };

typedef struct view {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_sim *sim;
    trm_motion motion;
    trm_tape tapes[TAPES];
    int video;
    char *picture; // the text of the file
    size_t length;
    char path[1024], command[1024];
    trm_error error;
} view;

/// "scenes/x.json" -> "x.html", in the current folder.
static void default_path(const char *file, char *out, size_t size)
{
    const char *const slash = strrchr(file, '/');
    const char *const name = slash != NULL ? slash + 1 : file;
    const char *const dot = strrchr(name, '.');
    const int length = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "%.*s.html", length, name);
}

static trm_status choose_path(view *v)
{
    const trm_arguments *const a = &v->arguments;
    if (a->output == NULL) {
        default_path(a->scene != NULL ? a->scene : a->recordings[0], v->path, sizeof v->path);
        if (a->animate) {
            strcpy(strrchr(v->path, '.'), ".svg");
        }
        return a->phases.n == 0 ? TRM_OK
                                : TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "--at",
                                           "is for stills: name one with -o x.svg or x.png");
    }
    snprintf(v->path, sizeof v->path, "%s", a->output);
    if (a->phases.n > 0 &&
        (a->animate || trm_picture_is_video(a->output) || trm_output_is(a->output, ".html"))) {
        return TRM_FAIL(
            &v->error, TRM_ERR_OPTIONS, "--at",
            "is for stills, -o x.svg or x.png; pages and moving pictures show all times");
    }
    v->video = trm_picture_is_video(a->output);
    if (a->width > 8192) {
        return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "--width", "is 8192 px at most");
    }
    if (a->animate && !v->video && !trm_output_is(a->output, ".svg")) {
        return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "--animate",
                        "makes a moving .svg, .gif, .webp or .mp4; pages move anyway");
    }
    if (!v->video && !trm_output_is(a->output, ".html") && !trm_output_is(a->output, ".svg") &&
        !trm_output_is(a->output, ".png")) {
        return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "-o",
                        "view writes .html, .svg, .png, .gif, .webp and .mp4 files, not \"%.60s\"",
                        a->output);
    }
    return v->video || (a->fps == 0 && a->width == 0)
               ? TRM_OK
               : TRM_FAIL(&v->error, TRM_ERR_OPTIONS, a->fps > 0 ? "--fps" : "--width",
                          "is for videos: -o x.gif, x.webp or x.mp4");
}

// -------------------------------------------------------------------------------------- pictures

static trm_status start(view *v, double *end)
{
    trm_choice choice;
    TRM_TRY(trm_load(&v->arguments, &v->scene, &v->model, &v->error));
    TRM_TRY(trm_outfile_refuse(v->path, &v->error));
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

/// s of playing: real time where that takes two to twelve seconds, else six.
static double playing(const view *v)
{
    const double end = v->motion.interval * (v->motion.n - 1);
    return end >= 2 && end <= 12 ? end : 6;
}

static trm_status draw_still(view *v)
{
    FILE *const out = trm_text_stream(&v->picture, &v->length);
    if (out == NULL) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    const trm_status status =
        trm_picture_draw(out, v->scene, v->model, &v->motion, v->arguments.phases.n,
                         v->arguments.phases.x, &v->error);
    if (trm_stream_close(out) != 0 && status == TRM_OK) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    return status;
}

static trm_status join_frames(view *v, int n, char *const *frames)
{
    FILE *const out = trm_text_stream(&v->picture, &v->length);
    if (out == NULL) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    const int steps = trm_scene_get_info(v->scene).dimension == 3;
    const trm_status status = trm_svg_animate(out, n, frames, playing(v), steps, &v->error);
    if (trm_stream_close(out) != 0 && status == TRM_OK) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    return status;
}

/// Pictures at `rate` a second of playing, as a video or in v->picture.
static trm_status draw_frames(view *v, double rate)
{
    const int n = (int)fmax(round(rate * playing(v)), 1), width = (int)v->arguments.width;
    char **const frames = calloc((size_t)n, sizeof *frames);
    if (frames == NULL) {
        return TRM_FAIL(&v->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    trm_status status =
        trm_picture_frames(v->scene, v->model, &v->motion, n, frames, NULL, &v->error);
    if (status == TRM_OK) {
        status = v->video ? trm_picture_video(v->path, n, frames, rate, width > 0 ? width : 800,
                                              &v->error)
                          : join_frames(v, n, frames);
    }
    for (int k = 0; k < n; k++) {
        free(frames[k]);
    }
    free(frames);
    return status;
}

/// Twenty frames a second; of an SVG that becomes large, down to five.
static trm_status draw_moving(view *v)
{
    const size_t large = 60000; // bytes: what a page of text with ten of them bears
    for (int rate = 20;; rate /= 2) {
        TRM_TRY(draw_frames(v, rate));
        if (v->length < large || rate <= 5) {
            return TRM_OK;
        }
        free(v->picture);
        v->picture = NULL;
    }
}

static trm_status save_picture(view *v)
{
    if (v->video) {
        TRM_TRY(draw_frames(v, v->arguments.fps > 0 ? v->arguments.fps : 20));
    } else {
        TRM_TRY(v->arguments.animate ? draw_moving(v) : draw_still(v));
        TRM_TRY(trm_picture_save(v->path, v->picture, v->length, &v->error));
    }
    trm_terminal_printf(stdout, "Wrote %s", v->path);
    putchar('\n');
    return TRM_OK;
}

/// A run that fails on the way is drawn up to there; its error is passed on.
static trm_status picture_of_scene(view *v, int *started)
{
    double end = 0;
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
    TRM_TRY(save_picture(v));
    return status;
}

static trm_status picture_of_recording(view *v)
{
    if (v->arguments.nrecordings > 1) {
        return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, v->arguments.recordings[1],
                        "a picture shows one recording; a page (-o x.html) shows several");
    }
    TRM_TRY(trm_view_motion(v->scene, v->model, &v->tapes[0], STATES + 1, &v->motion, &v->error));
    return save_picture(v);
}

// ----------------------------------------------------------------------------------------- pages

/// As trammel run does, with the default method.
static trm_status page_of_scene(view *v, int *started)
{
    char temporary[1024];
    trm_program_run run = {
        .arguments = v->arguments, .record = temporary, .paged = 1, .error.t = NAN};
    run.arguments.quiet = run.arguments.no_verify = 1;
    TRM_TRY(trm_can_write(v->path, &v->error));
    TRM_TRY(trm_page_temporary(temporary, sizeof temporary, &v->error));
    trm_status status = trm_run_simulate(&run);
    v->error = run.error;
    *started = run.started;
    if (run.started) {
        trm_error late = {.t = NAN};
        const trm_status drawn = trm_page_of_run(&run, v->path, v->command, &late);
        if (drawn == TRM_OK) {
            trm_terminal_printf(stdout, "Wrote %s", v->path);
            putchar('\n');
        } else if (status >= 0) {
            v->error = late;
            status = drawn;
        }
    }
    unlink(temporary);
    memset(&run.arguments, 0, sizeof run.arguments); // they are the view's
    trm_run_destroy(&run);
    return status;
}

static trm_status page_of_recordings(view *v)
{
    TRM_TRY(trm_page_save(v->path, v->scene, v->model, v->arguments.nrecordings, v->tapes,
                          v->command, &v->error));
    trm_terminal_printf(stdout, "Wrote %s", v->path);
    putchar('\n');
    for (int i = 0; i < v->arguments.nrecordings; i++) {
        for (int k = 0; k < v->tapes[i].nnotes; k++) {
            fprintf(stderr, "warning: %s: %s\n", v->arguments.recordings[i], v->tapes[i].note[k]);
        }
    }
    return TRM_OK;
}

static trm_status live(view *v)
{
#ifdef TRM_WITH_LIVE
    trm_choice choice;
    if (v->arguments.scene == NULL || v->arguments.nrecordings > 0 || v->arguments.output) {
        return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "--live", "shows a scene, and writes nothing");
    }
    TRM_TRY(trm_load(&v->arguments, &v->scene, &v->model, &v->error));
    const trm_simulation of_scene = trm_scene_simulation(v->scene);
    v->arguments.assemble |= of_scene.assemble != 0;
    TRM_TRY(trm_choose_method(&v->arguments, v->model, of_scene.accuracy, &choice, &v->error));
    return trm_live_serve(v->scene, &choice.options, (int)v->arguments.port, &v->error);
#else
    return TRM_FAIL(&v->error, TRM_ERR_OPTIONS, "--live",
                    "is not in this program: it was built without libmicrohttpd (Debian: "
                    "libmicrohttpd-dev)");
#endif
}

static trm_status make(view *v, int *started)
{
    if (v->arguments.serve) {
        return live(v);
    }
    TRM_TRY(choose_path(v));
    TRM_TRY(trm_outfile_refuse(v->path, &v->error));
    const int page = trm_output_is(v->path, ".html");
    if (v->arguments.nrecordings == 0) {
        return page ? page_of_scene(v, started) : picture_of_scene(v, started);
    }
    TRM_TRY(trm_view_load_tapes(&v->arguments, &v->scene, &v->model, v->tapes, &v->error));
    TRM_TRY(trm_outfile_refuse(v->path, &v->error));
    return page ? page_of_recordings(v) : picture_of_recording(v);
}

static void destroy(view *v)
{
    for (int i = 0; i < TAPES; i++) {
        trm_tape_destroy(&v->tapes[i]);
    }
    trm_motion_destroy(&v->motion);
    free(v->picture);
    trm_sim_destroy(v->sim);
    trm_model_destroy(v->model);
    trm_scene_destroy(v->scene);
    trm_arguments_destroy(&v->arguments);
}

int trm_command_view(int argc, char **argv)
{
    view v = {.error.t = NAN};
    int started = 0;
    trm_page_command(argc, argv, v.command, sizeof v.command);
    trm_status status = trm_arguments_parse(TRM_COMMAND_VIEW, argc, argv, &v.arguments, &v.error);
    if (status == TRM_OK && v.arguments.help) {
        trm_help(TRM_COMMAND_VIEW);
    } else if (status == TRM_OK) {
        status = make(&v, &started);
    }
    if (status < 0) {
        v.error.status = status;
        trm_diagnose_as_options(&v.error);
        trm_diagnose(&v.error, v.arguments.scene);
    }
    const int code = trm_run_exit_code(status, started);
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help view\".\n", stderr);
    }
    destroy(&v);
    return code;
}
