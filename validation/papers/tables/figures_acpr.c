/// Figures 2.1 and 6.1 - 6.4 of [ACPR95].
#include "tools/drawing/plot.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_simulation.h"
#include "validation/papers/problems/problems.h"
#include "validation/papers/shared/run.h"
#include "validation/papers/tables/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ------------------------------------------------------------------- Figure 6.1: the two-link arm

trm_status trm_paper_draw_acpr_6_1(FILE *out, trm_error *err)
{
    enum { STATES = 5 };
    trm_options options;
    trm_paper_trace trace;
    double x[TRM_PAPER_MOST_STATES][3], y[TRM_PAPER_MOST_STATES][3];
    TRM_TRY(trm_paper_method("heun", "s-both2", &options, err));
    options.h = 1e-3;
    const trm_status status =
        trm_paper_trace_create(trm_paper_parabola_arm(), &options, 2, 0.5, &trace, err);
    for (int i = 0; status == TRM_OK && i < STATES; i++) {
        const double theta1 = trace.q[2 * i], theta12 = theta1 + trace.q[2 * i + 1];
        x[i][0] = y[i][0] = 0;
        x[i][1] = cos(theta1);
        y[i][1] = sin(theta1);
        x[i][2] = x[i][1] + cos(theta12);
        y[i][2] = y[i][1] + sin(theta12);
    }
    if (status == TRM_OK) {
        trm_paper_draw_states(out, "ACPR, Figure 6.1: the two-link arm",
                              "theta1 from the horizontal, theta2 from the first link; Case I",
                              "every 0.5 s", 320, x, y, STATES);
    }
    trm_paper_trace_destroy(&trace);
    return status;
}

// ------------------------------------------------------------------------ Figures 6.2, 6.3: paths

/// End point of the arm: two rows of n.
static double *end_points(const trm_paper_trace *trace)
{
    double *const rows = calloc(2 * (size_t)trace->n, sizeof *rows);
    for (int i = 0; rows != NULL && i < trace->n; i++) {
        const double theta1 = trace->q[2 * i], theta12 = theta1 + trace->q[2 * i + 1];
        rows[i] = cos(theta1) + cos(theta12);
        rows[trace->n + i] = sin(theta1) + sin(theta12);
    }
    return rows;
}

static trm_status draw_path(FILE *out, const trm_equations *arm, double t_end, const char *title,
                            const char *subtitle, double height, trm_error *err)
{
    trm_options options;
    trm_paper_trace trace;
    TRM_TRY(trm_paper_method("heun", "s-both2", &options, err));
    options.h = 1e-3;
    options.mass_metric = 0;
    trm_status status = trm_paper_trace_create(arm, &options, t_end, 0.005, &trace, err);
    double *const rows = status == TRM_OK ? end_points(&trace) : NULL;
    if (rows != NULL) {
        const trm_plot_series path[] = {
            {.label = "(x2, y2)", .colour = 0, .n = trace.n, .x = rows, .y = rows + trace.n},
            {.label = "t = 0",
             .line = TRM_PLOT_POINTS,
             .colour = 1,
             .width = 1.6,
             .n = 1,
             .x = rows,
             .y = rows + trace.n}};
        const trm_plot_series time[] = {
            {.label = "x2", .colour = 0, .n = trace.n, .x = trace.t, .y = rows},
            {.label = "y2", .colour = 1, .n = trace.n, .x = trace.t, .y = rows + trace.n}};
        const trm_plot_panel panels[] = {
            {"x2 [m]", "y2 [m]", 2, path, .equal = 1, .height = height},
            {"t [s]", "x2, y2 [m]", 2, time, .height = 160}};
        trm_plot_draw(out, title, subtitle, 2, panels);
    } else if (status == TRM_OK) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    free(rows);
    trm_paper_trace_destroy(&trace);
    return status;
}

trm_status trm_paper_draw_acpr_6_2(FILE *out, trm_error *err)
{
    return draw_path(
        out, trm_paper_parabola_arm(), 40, "ACPR, Figure 6.2: path of the end point, Case I",
        "two-link arm on y2 = x2^2 - beta, 0 to 40 s; Heun, h = 1e-3, S-both^2", 420, err);
}

trm_status trm_paper_draw_acpr_6_3(FILE *out, trm_error *err)
{
    const double omega = 0.5;
    const trm_equations arm = trm_paper_sine_arm(&omega);
    return draw_path(out, &arm, 10, "ACPR, Figure 6.3: path of the end point, Case II",
                     "two-link arm with y2 = sin^2(t/2), 0 to 10 s; Heun, h = 1e-3, S-both^2", 240,
                     err);
}

// ------------------------------------------------------------------- Figure 6.4: the seven angles

enum { ANGLES = 7 };

/// Angle k modulo 2 pi, the line interrupted where it wraps; rows of n.
static double *wrapped(const trm_paper_trace *trace)
{
    double *const rows = calloc(ANGLES * (size_t)trace->n, sizeof *rows);
    for (int k = 0; rows != NULL && k < ANGLES; k++) {
        long turns = 0;
        for (int i = 0; i < trace->n; i++) {
            const double angle = trace->q[i * ANGLES + k];
            const long turn = lround(angle / (2 * pi)); // to -pi ... pi
            rows[k * trace->n + i] = turn == turns ? angle - 2 * pi * (double)turn : NAN;
            turns = turn;
        }
    }
    return rows;
}

trm_status trm_paper_draw_acpr_6_4(FILE *out, trm_error *err)
{
    static const char *const names[ANGLES] = {"beta",  "Theta", "gamma",  "Phi",
                                              "delta", "Omega", "epsilon"};
    trm_options options;
    trm_paper_trace trace;
    trm_plot_series series[ANGLES];
    TRM_TRY(trm_paper_method("dopri5", "s-both2", &options, err));
    options.rtol = 1e-8;
    options.atol = 1e-9;
    options.mass_metric = 0;
    trm_status status = trm_paper_trace_create(&trm_paper_andrews, &options, 0.3, 0, &trace, err);
    double *const rows = status == TRM_OK ? wrapped(&trace) : NULL;
    if (rows != NULL) {
        for (int k = 0; k < ANGLES; k++) {
            series[k] = (trm_plot_series){.label = names[k],
                                          .colour = k,
                                          .n = trace.n,
                                          .x = trace.t,
                                          .y = rows + k * trace.n};
        }
        const trm_plot_panel panels[] = {
            {"t [s]", "angle [rad]", 2, series, .height = 220},
            {"t [s]", "angle [rad]", ANGLES - 2, series + 2, .height = 260}};
        trm_plot_draw(out, "ACPR, Figure 6.4: the seven angles of the squeezing mechanism",
                      "modulo 2 pi; Dormand-Prince 5(4), rtol = 1e-8, S-both^2", 2, panels);
    } else if (status == TRM_OK) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    free(rows);
    trm_paper_trace_destroy(&trace);
    return status;
}

// ---------------------------------------------------- Figure 2.1: error against the parameter

enum { SWEEP = 61, TIMES = 40 };

static const double sweep_h = 0.01, sweep_end = 10;

/// States at TIMES equal intervals, four numbers each.
static trm_status states_of(const trm_options *options, double *states, trm_error *err)
{
    trm_paper_run run;
    trm_status status = trm_paper_run_open(trm_paper_parabola_arm(), options, &run, err);
    for (int k = 0; status == TRM_OK && k < TIMES; k++) {
        status = trm_sim_run(run.sim, sweep_end * (k + 1) / TIMES, NULL, NULL, err);
        const trm_state s = trm_sim_state(run.sim);
        const double state[4] = {s.q[0], s.q[1], s.v[0], s.v[1]};
        memcpy(states + 4 * k, state, sizeof state);
    }
    trm_paper_run_close(&run);
    return status;
}

/// Largest error in (q, v) at these times; NAN when the run breaks off.
static double error_of(const trm_options *options, const double *exact)
{
    double states[4 * TIMES], error = 0;
    if (states_of(options, states, NULL) != TRM_OK) {
        return NAN;
    }
    for (int i = 0; i < 4 * TIMES; i++) {
        error = fmax(error, fabs(states[i] - exact[i]));
    }
    return error;
}

static trm_status exact_states(double *exact, trm_error *err)
{
    trm_options options;
    TRM_TRY(trm_paper_method("dop853", "s-both2", &options, err));
    options.rtol = options.atol = 1e-13;
    return states_of(&options, exact, err);
}

/// The implicit form (5.2) with alpha = gamma h, and Baumgarte's with (2 gamma, gamma^2).
static trm_status sweep(double *gamma, double *invariant, double *baumgarte, trm_error *err)
{
    double exact[4 * TIMES];
    trm_options implicit, classical;
    TRM_TRY(trm_paper_method("heun", "s-implicit", &implicit, err));
    TRM_TRY(trm_paper_method("heun", "baumgarte", &classical, err));
    TRM_TRY(exact_states(exact, err));
    implicit.h = classical.h = sweep_h;
    implicit.mass_metric = 0;
    for (int i = 0; i < SWEEP; i++) {
        gamma[i] = pow(10, -1 + 4.0 * i / (SWEEP - 1));
        implicit.post.alpha = gamma[i] * sweep_h;
        classical.baumgarte.alpha1 = 2 * gamma[i];
        classical.baumgarte.alpha0 = gamma[i] * gamma[i];
        invariant[i] = error_of(&implicit, exact);
        baumgarte[i] = error_of(&classical, exact);
    }
    return TRM_OK;
}

trm_status trm_paper_draw_acpr_2_1(FILE *out, trm_error *err)
{
    double gamma[SWEEP], invariant[SWEEP], baumgarte[SWEEP];
    TRM_TRY(sweep(gamma, invariant, baumgarte, err));
    const trm_plot_series series[] = {{.label = "invariant stabilization (5.2), alpha = gamma h",
                                       .colour = 0,
                                       .n = SWEEP,
                                       .x = gamma,
                                       .y = invariant},
                                      {.label = "Baumgarte (2 gamma, gamma^2)",
                                       .line = TRM_PLOT_DASHED,
                                       .colour = 1,
                                       .n = SWEEP,
                                       .x = gamma,
                                       .y = baumgarte}};
    const trm_plot_panel panel = {.x_label = "gamma [1/s]",
                                  .y_label = "largest error up to t = 10 s [rad, rad/s]",
                                  .nseries = 2,
                                  .series = series,
                                  .log_x = 1,
                                  .log_y = 1,
                                  .height = 360};
    trm_plot_draw(out, "ACPR, Figure 2.1: error against the stabilization parameter",
                  "arm on a parabola, Heun, h = 0.01; a curve that ends has blown up", 1, &panel);
    return TRM_OK;
}
