/// Figures 5.1, 6.1 and 6.2 of [AL95]: the equal-bar slider-crank, bars of 2 m. The crank turns by
/// phi1 about the origin, the second bar by phi2, and the slider is at 2 cos phi1 + 2 cos phi2.
#include "tools/drawing/plot.h"
#include "trammel/trammel_error.h"
#include "validation/papers/problems/problems.h"
#include "validation/papers/shared/run.h"
#include "validation/papers/tables/figures.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

enum { PHI1 = 2, PHI2 = 5, NQ = 6 };

/// (5.5)-(5.6) with h = epsilon = 1e-4, as in the paper.
static trm_status run(const trm_equations *crank, int iterations, double t_end, double interval,
                      trm_paper_trace *out, trm_error *err)
{
    trm_options options;
    *out = (trm_paper_trace){0};
    TRM_TRY(trm_paper_method("heun", "srm", &options, err));
    options.srm.form = TRM_SRM_LAMBDA_HAT;
    options.h = options.srm.epsilon = 1e-4;
    options.srm.iterations = iterations;
    options.srm.lambda0_zero = 1;
    return trm_paper_trace_create(crank, &options, t_end, interval, out, err);
}

void trm_paper_draw_states(FILE *out, const char *title, const char *subtitle, const char *every,
                           double height, double x[TRM_PAPER_MOST_STATES][3],
                           double y[TRM_PAPER_MOST_STATES][3], int states)
{
    trm_plot_series series[TRM_PAPER_MOST_STATES];
    for (int i = 0; i < states; i++) {
        series[i] = (trm_plot_series){.line = i == 0 ? TRM_PLOT_SOLID : TRM_PLOT_DOTTED,
                                      .label = i == 0   ? "t = 0"
                                               : i == 1 ? every
                                                        : NULL,
                                      .colour = i == 0 ? 0 : 1,
                                      .width = i == 0 ? 2.2 : 1.4,
                                      .n = 3,
                                      .x = x[i],
                                      .y = y[i]};
    }
    const trm_plot_panel panel = {"x [m]", "y [m]", states, series, .equal = 1, .height = height};
    trm_plot_draw(out, title, subtitle, 1, &panel);
}

trm_status trm_paper_draw_srm2_5_1(FILE *out, trm_error *err)
{
    enum { STATES = 7 };
    trm_paper_trace trace;
    double x[TRM_PAPER_MOST_STATES][3], y[TRM_PAPER_MOST_STATES][3];
    const trm_equations crank = trm_paper_turning_crank();
    const trm_status status = run(&crank, 3, 0.71, 0.1177, &trace, err);
    for (int i = 0; status == TRM_OK && i < STATES; i++) {
        const double *const q = trace.q + i * NQ;
        x[i][0] = y[i][0] = 0;
        x[i][1] = 2 * cos(q[PHI1]);
        y[i][1] = 2 * sin(q[PHI1]);
        x[i][2] = x[i][1] + 2 * cos(q[PHI2]);
        y[i][2] = y[i][1] + 2 * sin(q[PHI2]);
    }
    if (status == TRM_OK) {
        trm_paper_draw_states(
            out, "SRM-II, Figure 5.1: the slider-crank passes its singular position",
            "equal bars; at t = 0.353 s both stand upright and the slider row of G vanishes",
            "every 0.118 s", 260, x, y, STATES);
    }
    trm_paper_trace_destroy(&trace);
    return status;
}

/// theta1, theta2, their rates: four rows of n.
static double *angles_of(const trm_paper_trace *trace)
{
    double *const rows = calloc(4 * (size_t)trace->n, sizeof *rows);
    for (int i = 0; rows != NULL && i < trace->n; i++) {
        rows[i] = trace->q[i * NQ + PHI1] - 1.5 * pi;
        rows[trace->n + i] = trace->q[i * NQ + PHI2] + 1.5 * pi;
        rows[2 * trace->n + i] = trace->v[i * NQ + PHI1];
        rows[3 * trace->n + i] = trace->v[i * NQ + PHI2];
    }
    return rows;
}

trm_status trm_paper_draw_srm2_6_1(FILE *out, trm_error *err)
{
    trm_paper_trace trace;
    trm_status status = run(trm_paper_swinging_crank(), 2, 70, 0.02, &trace, err);
    double *const rows = status == TRM_OK ? angles_of(&trace) : NULL;
    if (rows != NULL) {
        const int n = trace.n;
        const double *const t = trace.t;
        const trm_plot_series angles[] = {
            {.label = "theta1 = phi1 - 3 pi/2", .colour = 0, .n = n, .x = t, .y = rows},
            {.label = "theta2 = phi2 + 3 pi/2", .colour = 1, .n = n, .x = t, .y = rows + n}};
        const trm_plot_series rates[] = {
            {.label = "theta1'", .colour = 0, .n = n, .x = t, .y = rows + 2 * n},
            {.label = "theta2'", .colour = 1, .n = n, .x = t, .y = rows + 3 * n}};
        const trm_plot_panel panels[] = {{"t [s]", "angle [rad]", 2, angles, .height = 220},
                                         {"t [s]", "rate [rad/s]", 2, rates, .height = 220}};
        trm_plot_draw(out, "SRM-II, Figure 6.1: 33 passages of the singular position",
                      "(5.5)-(5.6), Heun, h = epsilon = 1e-4, two iterates; both angles vanish at "
                      "the singular position",
                      2, panels);
    } else if (status == TRM_OK) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    free(rows);
    trm_paper_trace_destroy(&trace);
    return status;
}

trm_status trm_paper_draw_srm2_6_2(FILE *out, trm_error *err)
{
    trm_paper_trace trace;
    const trm_equations crank = trm_paper_turning_crank();
    trm_status status = run(&crank, 3, 10, 0.002, &trace, err);
    double *const x = status == TRM_OK ? calloc((size_t)trace.n, sizeof *x) : NULL;
    for (int i = 0; x != NULL && i < trace.n; i++) { // -2 sum (cos phi phi'^2 + sin phi phi'')
        const double *const q = trace.q + i * NQ, *const v = trace.v + i * NQ,
                            *const a = trace.a + i * NQ;
        x[i] = -2 * (cos(q[PHI1]) * v[PHI1] * v[PHI1] + sin(q[PHI1]) * a[PHI1] +
                     cos(q[PHI2]) * v[PHI2] * v[PHI2] + sin(q[PHI2]) * a[PHI2]);
    }
    if (x != NULL) {
        const double ends[] = {0, 10}, top[] = {124.038, 124.038}, bottom[] = {-124.038, -124.038};
        const trm_plot_series series[] = {
            {.label = "slider", .colour = 0, .n = trace.n, .x = trace.t, .y = x},
            {.label = "extremes of the exact motion, 124.038 m/s^2",
             .line = TRM_PLOT_DASHED,
             .colour = -1,
             .n = 2,
             .x = ends,
             .y = top},
            {.line = TRM_PLOT_DASHED, .colour = -1, .n = 2, .x = ends, .y = bottom}};
        const trm_plot_panel panel = {"t [s]", "acceleration [m/s^2]", 3, series, .height = 320};
        trm_plot_draw(out, "SRM-II, Figure 6.2: acceleration of the slider",
                      "phi1(0) = pi/4, phi1'(0) = 2 sqrt 2; (5.5)-(5.6), Heun, h = epsilon = 1e-4, "
                      "three iterates",
                      1, &panel);
    } else if (status == TRM_OK) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    free(x);
    trm_paper_trace_destroy(&trace);
    return status;
}
