/// Figures beyond the thesis: the lid-driven cavity, the five-spot, the
/// error against epsilon and iterates.
#include "tools/plot/plot.h"
#include "trammel/trammel_error.h"
#include "validation/papers/darcy/cases.h"
#include "validation/papers/flow/cavity.h"
#include "validation/papers/flow/taylor_green.h"
#include "validation/papers/shared/contour.h"
#include "validation/papers/tables/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LEVELS = 24 };

/// Level lines of one field, ready to be drawn.
typedef struct lines {
    int n;
    double *block;
    trm_plot_series series[MOST_LEVELS];
} lines;

/// Negative levels dashed, in colour `colour`. Returns nonzero without memory.
static int lines_open(lines *l, int n, const double *z, int levels, const double *level, int colour)
{
    const size_t room = 6 * (size_t)n * (size_t)n;
    *l = (lines){.n = levels, .block = calloc(2 * room * (size_t)levels, sizeof *l->block)};
    for (int k = 0; l->block != NULL && k < levels; k++) {
        double *x = l->block + 2 * room * (size_t)k, *y = x + room;
        l->series[k] = (trm_plot_series){.line = level[k] < 0 ? TRM_PLOT_SOLID : TRM_PLOT_DASHED,
                                         .colour = colour,
                                         .n = trm_paper_contour(n, 1.0 / n, z, level[k], x, y),
                                         .x = x,
                                         .y = y};
    }
    return l->block == NULL;
}

// -------------------------------------------------------------------------------------- the cavity

enum { CAVITY = 64 };

static void draw_cavity(FILE *out, const lines *stream, const lines *vorticity,
                        const trm_paper_cavity *found)
{
    char text[200];
    snprintf(
        text, sizeof text,
        "%d x %d cells, alpha1 = 1, epsilon = 1e-3, Heun to the steady state; u on x = 1/2 falls "
        "to %.4f at y = %.4f",
        CAVITY, CAVITY, found->u_min, found->y_min);
    const trm_plot_panel panels[] = {
        {"x", "y: stream function", stream->n, stream->series, .equal = 1, .height = 460},
        {"x", "y: vorticity", vorticity->n, vorticity->series, .equal = 1, .height = 460}};
    trm_plot_draw(out, "Lid-driven cavity, Re = 1000", text, 2, panels);
}

static trm_status cavity(FILE *out, trm_paper_mac *mac, double *x, double *corners, trm_error *err)
{
    static const double stream_levels[] = {-0.11, -0.1,   -0.09, -0.07, -0.05, -0.03,
                                           -0.01, -1e-3,  -1e-4, 1e-6,  1e-5,  5e-5,
                                           1e-4,  2.5e-4, 5e-4,  1e-3,  1.5e-3};
    static const double vorticity_levels[] = {-5, -4, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3};
    enum { S = sizeof stream_levels / sizeof *stream_levels };
    enum { V = sizeof vorticity_levels / sizeof *vorticity_levels };
    lines stream = {0}, vorticity = {0};
    trm_paper_cavity found;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.h = 0.5 / CAVITY;
    options.epsilon = 1e-3;
    options.iterations = 1;
    options.alpha1 = 1;
    options.start = TRM_DAE_START_GIVEN;
    trm_status status = trm_paper_cavity_run(mac, &options, 200, 1e-5, &found, x, err);
    if (status == TRM_OK) {
        double *const second = corners + (CAVITY + 1) * (CAVITY + 1);
        trm_paper_cavity_corners(mac, x, corners, second);
        const int failed = lines_open(&stream, CAVITY, corners, S, stream_levels, 0) ||
                           lines_open(&vorticity, CAVITY, second, V, vorticity_levels, 1);
        if (failed) {
            status = TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
        } else {
            draw_cavity(out, &stream, &vorticity, &found);
        }
    }
    free(stream.block);
    free(vorticity.block);
    return status;
}

trm_status trm_paper_draw_cavity(FILE *out, trm_error *err)
{
    trm_paper_mac mac;
    TRM_TRY(trm_paper_mac_open(&mac, CAVITY, 1e-3, 1, 0, 1, err));
    const size_t nx = (size_t)mac.problem.nx;
    double *const x = calloc(nx + 2 * (CAVITY + 1) * (CAVITY + 1), sizeof *x);
    const trm_status status = x == NULL ? TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory")
                                        : cavity(out, &mac, x, x + nx, err);
    free(x);
    trm_paper_mac_close(&mac);
    return status;
}

// ----------------------------------------------------------------------------------- the five-spot

enum { SPOT = 40, PICTURES = 2 };

trm_status trm_paper_draw_five_spot(FILE *out, trm_error *err)
{
    static const double levels[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    static const double times[PICTURES] = {0.1, 0.3};
    enum { LEVELS = sizeof levels / sizeof *levels };
    static const double dt = 2e-3;
    static const char *const labels[PICTURES] = {"y at 0.1 pore volumes", "y at 0.3 pore volumes"};
    trm_paper_displacement run;
    lines front[PICTURES] = {0};
    trm_plot_panel panels[PICTURES];
    trm_status status =
        trm_paper_displacement_open(&run, &trm_paper_five_spot, SPOT, dt, 1e-4, 2, err);
    if (status != TRM_OK) {
        return status;
    }
    for (int k = 0; k < PICTURES && status == TRM_OK; k++) {
        while (run.t < times[k] - dt / 2 && status == TRM_OK) {
            status = trm_paper_displacement_step(&run, err);
        }
        if (status == TRM_OK && lines_open(&front[k], SPOT, run.c, LEVELS, levels, k)) {
            status = TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
        }
        for (int l = 0; l < LEVELS; l++) {
            front[k].series[l].line = l == 2 ? TRM_PLOT_SOLID : TRM_PLOT_DASHED;
        }
        panels[k] =
            (trm_plot_panel){"x", labels[k], LEVELS, front[k].series, .equal = 1, .height = 420};
    }
    if (status == TRM_OK) {
        trm_plot_draw(out, "A quarter of the five-spot: the front of the solvent",
                      "c = 0.1, 0.3, 0.5 (solid), 0.7, 0.9; mobility ratio 10, 40 x 40 cells, two "
                      "iterates, epsilon = 1e-4",
                      PICTURES, panels);
    }
    for (int k = 0; k < PICTURES; k++) {
        free(front[k].block);
    }
    trm_paper_displacement_close(&run);
    return status;
}

// --------------------------------------------------------------------------- error against epsilon

enum { GRID = 16, ITERATES = 3, EPSILONS = 9, FACES = 2 * GRID * (GRID - 1) };

/// Velocities of Taylor-Green at t = 0.1 of one setting into x[FACES].
static trm_status decayed(const trm_paper_mac *mac, const trm_dae_options *options, double *x,
                          trm_error *err)
{
    trm_dae_sim *sim = NULL;
    trm_paper_taylor_green(mac, 0, x);
    trm_status status = trm_dae_sim_create(&mac->problem, options, 0, x, &sim, err);
    status = status == TRM_OK ? trm_dae_sim_run(sim, 0.1, err) : status;
    for (int i = 0; status == TRM_OK && i < FACES; i++) {
        x[i] = trm_dae_sim_state(sim, 0).x[i];
    }
    trm_dae_sim_destroy(sim);
    return status;
}

static trm_dae_options setting(double epsilon, int s)
{
    trm_dae_options options =
        trm_dae_default_options(s > 0 ? TRM_DAE_METHOD_SRM : TRM_DAE_METHOD_BAUMGARTE);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.h = 1e-3;
    options.epsilon = epsilon;
    options.iterations = s > 0 ? s : 1;
    options.alpha1 = 1;
    options.alpha2 = 1;
    options.start = TRM_DAE_START_GIVEN;
    options.solve_tolerance = 1e-13;
    return options;
}

static trm_status errors(const trm_paper_mac *mac, double epsilon[EPSILONS],
                         double off[ITERATES][EPSILONS], trm_error *err)
{
    double exact[FACES], x[FACES];
    const trm_dae_options limit = setting(1, 0);
    trm_status status = decayed(mac, &limit, exact, err);
    for (int k = 0; k < ITERATES * EPSILONS && status == TRM_OK; k++) {
        const int s = k / EPSILONS, e = k % EPSILONS;
        epsilon[e] = pow(10, -0.5 * e);
        const trm_dae_options options = setting(epsilon[e], s + 1);
        status = decayed(mac, &options, x, err);
        off[s][e] = 0;
        for (int i = 0; i < FACES; i++) {
            off[s][e] = fmax(off[s][e], fabs(x[i] - exact[i]));
        }
    }
    return status;
}

trm_status trm_paper_draw_iterates(FILE *out, trm_error *err)
{
    double epsilon[EPSILONS], off[ITERATES][EPSILONS];
    trm_paper_mac mac;
    TRM_TRY(trm_paper_mac_open(&mac, GRID, 0.01, 0, 1, 1, err));
    const trm_status status = errors(&mac, epsilon, off, err);
    if (status == TRM_OK) {
        static const char *const labels[ITERATES] = {"one iterate", "two", "three"};
        trm_plot_series series[ITERATES];
        for (int s = 0; s < ITERATES; s++) {
            series[s] = (trm_plot_series){
                .label = labels[s], .colour = s, .n = EPSILONS, .x = epsilon, .y = off[s]};
        }
        const trm_plot_panel panel = {"epsilon",    "distance from the limit epsilon = 0",
                                      ITERATES,     series,
                                      .log_x = 1,   .log_y = 1,
                                      .height = 360};
        trm_plot_draw(out, "Every iterate gains a factor epsilon in a flow",
                      "Taylor-Green, nu = 0.01, 16 x 16 cells, alpha1 = 1, Heun, k = 1e-3, t = 0.1",
                      1, &panel);
    }
    trm_paper_mac_close(&mac);
    return status;
}
