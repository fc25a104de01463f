#include "tools/watch/watch.h"
#include "tools/common/progress.h"

#include "program/view.h"
#include "tools/drawing/characters.h"
#include "tools/drawing/figure.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 6, PER_SECOND = 20 }; // on paper; in a terminal

struct trm_terminal_view {
    const trm_scene *scene;
    trm_scene_view view;
    const trm_model *model;
    trm_figure *figure; // [nbodies]
    trm_characters board;
    double low[2], high[2]; // m, of what is shown
    int terminal;
    double end, interval, speed; // s; s; s of motion in a second
    double started;              // s of wall clock
    long next;                   // frame
};

static void place(const trm_terminal_view *w, int body, const double local[3], const double *q,
                  double x[3])
{
    memcpy(x, local, 3 * sizeof *x);
    if (body >= 0) {
        trm_model_point(w->model, body, local, q, NULL, x, NULL);
    }
}

// -------------------------------------------------------------------------------------------- view

static void include(trm_terminal_view *w, const double x[3], double radius)
{
    for (int k = 0; k < 2; k++) {
        w->low[k] = fmin(w->low[k], x[k] - radius);
        w->high[k] = fmax(w->high[k], x[k] + radius);
    }
}

static double farthest(const trm_terminal_view *w, const double from[3], const double *q)
{
    double most = 0, x[3];
    for (int b = 0; b < w->view.nbodies; b++) {
        for (int i = 0; i < w->figure[b].n; i++) {
            place(w, b, w->figure[b].point[i], q, x);
            most = fmax(most, hypot(x[0] - from[0], x[1] - from[1]) + w->figure[b].radius);
        }
    }
    return most;
}

/// All of the start, and what turns about a joint of the ground.
static void look(trm_terminal_view *w, const double *q)
{
    double x[3];
    for (int k = 0; k < 2; k++) {
        w->low[k] = INFINITY;
        w->high[k] = -INFINITY;
    }
    for (int b = 0; b < w->view.nbodies; b++) {
        for (int i = 0; i < w->figure[b].n; i++) {
            place(w, b, w->figure[b].point[i], q, x);
            include(w, x, w->figure[b].radius);
        }
    }
    for (int i = 0; i < w->view.njoints; i++) {
        const trm_joint_view j = trm_view_joint(w->scene, i);
        const int side = j.body[0] < 0 ? 0 : 1;
        if (j.body[side] < 0) {
            const double reach = farthest(w, j.local[side], q);
            include(w, j.local[side], w->view.njoints == 1 ? reach : 0.6 * reach);
        }
    }
}

/// What leaves the view makes it larger by half.
static void widen(trm_terminal_view *w, const double *q)
{
    const double low[2] = {w->low[0], w->low[1]}, high[2] = {w->high[0], w->high[1]};
    double x[3];
    for (int b = 0; b < w->view.nbodies; b++) {
        for (int i = 0; i < w->figure[b].n; i++) {
            place(w, b, w->figure[b].point[i], q, x);
            include(w, x, w->figure[b].radius);
        }
    }
    for (int k = 0; k < 2; k++) {
        w->low[k] = w->low[k] < low[k] ? w->low[k] - 0.5 * (high[k] - low[k]) : low[k];
        w->high[k] = w->high[k] > high[k] ? w->high[k] + 0.5 * (high[k] - low[k]) : high[k];
    }
}

// ---------------------------------------------------------------------------------------- drawing

/// Dots; a cell is taken to be twice as high as wide, so that dots are square.
static void project(const trm_terminal_view *w, const double x[3], double p[2])
{
    const double width = 2.0 * w->board.width, height = 4.0 * w->board.height;
    const double dx = fmax(w->high[0] - w->low[0], 1e-9), dy = fmax(w->high[1] - w->low[1], 1e-9);
    const double scale = fmin((width - 2) / dx, (height - 2) / dy);
    p[0] = width / 2 + scale * (x[0] - (w->low[0] + w->high[0]) / 2);
    p[1] = height / 2 - scale * (x[1] - (w->low[1] + w->high[1]) / 2);
}

static void draw_body(trm_terminal_view *w, int body, const double *q)
{
    const trm_figure *const f = &w->figure[body];
    double x[3], a[2], b[2];
    if (trm_view_body(w->scene, body).rotor) {
        return;
    }
    for (int i = 0; i < f->n; i++) {
        place(w, body, f->point[i], q, x);
        project(w, x, a);
        place(w, body, f->point[(i + 1) % f->n], q, x);
        project(w, x, b);
        trm_characters_line(&w->board, a[0], a[1], b[0], b[1]);
    }
    for (int i = 0; i < 48 && f->kind == TRM_FIGURE_BALL && f->radius > 0; i++) {
        const double angle = i * 0.1308996938995747; // pi/24
        const double rim[3] = {f->radius * cos(angle), f->radius * sin(angle), 0};
        place(w, body, rim, q, x);
        project(w, x, a);
        trm_characters_dot(&w->board, (int)floor(a[0]), (int)floor(a[1]));
    }
    if (f->kind == TRM_FIGURE_BALL && f->radius == 0) {
        place(w, body, f->point[0], q, x);
        project(w, x, a);
        trm_characters_letter(&w->board, a[0], a[1], '@');
    }
}

static void draw(trm_terminal_view *w, const double *q)
{
    widen(w, q);
    trm_characters_clear(&w->board);
    for (int b = 0; b < w->view.nbodies; b++) {
        draw_body(w, b, q);
    }
    for (int i = 0; i < w->view.njoints; i++) {
        const trm_joint_view j = trm_view_joint(w->scene, i);
        const int grounded = j.body[0] < 0 || j.body[1] < 0;
        double x[3], p[2];
        place(w, j.body[1], j.local[1], q, x);
        project(w, x, p);
        if (!j.rotor) {
            trm_characters_letter(&w->board, p[0], p[1], grounded ? '#' : 'o');
        }
    }
}

static void print(const trm_terminal_view *w, double t)
{
    fputs(w->terminal ? "\033[H" : "\n", stdout);
    for (int i = 0; i < w->board.height; i++) {
        trm_characters_row(&w->board, i, stdout);
        fputs(w->terminal ? "\033[K\n" : "\n", stdout);
    }
    printf("t = %.3f of %g s%s%s\n", t, w->end, w->speed == 1 ? "" : ", not in real time",
           w->terminal ? "\033[K" : "");
    fflush(stdout);
}

static void wait_for(const trm_terminal_view *w, double t)
{
    const double left = w->started + t / w->speed - trm_wall_clock();
    if (w->terminal && left > 0) {
        const struct timespec pause = {(time_t)left, (long)(1e9 * (left - floor(left)))};
        nanosleep(&pause, NULL);
    }
}

trm_status trm_terminal_view_show(trm_terminal_view *w, trm_sim *sim, trm_error *err)
{
    const double now = trm_sim_state(sim).t;
    for (; (double)w->next * w->interval <= now; w->next++) {
        trm_sample sample;
        const double t = fmin((double)w->next * w->interval, now);
        TRM_TRY(trm_sim_sample(sim, t, &sample, err));
        wait_for(w, t);
        draw(w, sample.state.q);
        print(w, t);
    }
    return TRM_OK;
}

// --------------------------------------------------------------------------------------- beginning

static void choose_pace(trm_terminal_view *w, double end)
{
    const int real = end >= 2 && end <= 20;
    w->end = end;
    w->terminal = isatty(STDOUT_FILENO) != 0;
    w->speed = !w->terminal || real ? 1 : fmax(end, 1e-9) / 10;
    w->interval = w->terminal ? w->speed / PER_SECOND : fmax(end, 1e-9) / (FRAMES - 1);
    w->started = trm_wall_clock();
}

trm_status trm_terminal_view_create(const trm_scene *scene, const trm_model *model, double end,
                                    trm_terminal_view **out, trm_error *err)
{
    int height;
    const int width = trm_terminal_width(&height);
    *out = NULL;
    const trm_scene_view view = trm_view_scene(scene);
    if (view.dimension != 2) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--watch",
                        "draws planar scenes; for this one write a page: -o x.html");
    }
    const trm_sizes n = trm_model_sizes(model);
    trm_terminal_view *const w = calloc(1, sizeof *w);
    double *const start = calloc((size_t)(n.nq + n.nv) + 1, sizeof *start);
    if (w != NULL) {
        w->scene = scene;
        w->view = view;
        w->model = model;
        w->figure = trm_figures_of(scene, &(int){0});
    }
    if (w == NULL || start == NULL || w->figure == NULL ||
        !trm_characters_create(&w->board, width > 200 ? 200 : width - 1,
                               height > 6 ? height - 3 : 3)) {
        free(start);
        trm_terminal_view_destroy(w);
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    trm_model_initial_state(model, start, start + n.nq);
    look(w, start);
    choose_pace(w, end);
    draw(w, start);
    fputs(w->terminal ? "\033[2J" : "", stdout);
    print(w, 0);
    w->next = 1;
    free(start);
    *out = w;
    return TRM_OK;
}

void trm_terminal_view_destroy(trm_terminal_view *w)
{
    if (w != NULL) {
        free(w->figure);
        trm_characters_destroy(&w->board);
        free(w);
    }
}
