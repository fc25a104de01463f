/// One run, followed for its outputs: at given times, at its end,
/// and for extremes within the steps.
///
/// The dense output of a step is a polynomial of degree 7 at most, whose derivative
/// has at most 6 zeros: eight pieces a step show each of its extremes that matters;
/// around the largest, golden section.
#include "tools/sweep/outputs.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECES = 8,
    KNOTS = PIECES + 1,
    SECTIONS = 40 // 0.618^40 = 4e-9 of two pieces: the square root of rounding, which no extreme is
                  // known beyond
};

static int is_extreme(const trm_kept *output)
{
    return output->kind == TRM_OUTPUT_EXTREME || output->kind == TRM_OUTPUT_EXTREME_TIME;
}

/// By its name, from a place on: the next output mostly has the next column. -1: there is none.
static int find_from(const trm_columns *columns, int from, const char *name)
{
    for (int i = 0; i < columns->n; i++) {
        const int k = (from + i) % columns->n;
        if (strcmp(columns->at[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/// Moves the column of output i to those that are kept, the first of all.
static trm_status keep_column(trm_follower *f, int i, int *kept, trm_error *err)
{
    trm_column *const at = f->columns.at;
    const char *const name = f->outputs->at[i].column;
    const int k = find_from(&f->columns, *kept, name);
    if (k < 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--outputs", "this run has no \"%.60s\"", name);
    }
    const trm_column found = at[k];
    f->column[i] = k < *kept ? k : *kept;
    if (k >= *kept) {
        at[k] = at[*kept];
        at[(*kept)++] = found;
    }
    return TRM_OK;
}

/// Of all columns those of the outputs, and what these ask for on the way.
static trm_status keep_columns(trm_follower *f, trm_error *err)
{
    int kept = 0;
    for (int i = 0; i < f->outputs->n; i++) {
        const trm_kept *const output = &f->outputs->at[i];
        f->extremes |= is_extreme(output);
        f->within |= output->kind == TRM_OUTPUT_AT;
        f->result[i] = is_extreme(output) ? -INFINITY : NAN;
        TRM_TRY(output->kind == TRM_OUTPUT_RUN ? TRM_OK : keep_column(f, i, &kept, err));
    }
    while (f->columns.n > kept) {
        free(f->columns.at[--f->columns.n].name);
    }
    return TRM_OK;
}

trm_status trm_follower_open(const trm_outputs *outputs, const trm_scene *scene,
                             const trm_model *model, trm_follower *out, trm_error *err)
{
    const size_t n = (size_t)outputs->n + 1;
    *out = (trm_follower){.outputs = outputs, .t = -1};
    out->column = calloc(n, sizeof *out->column);
    out->result = calloc(n, sizeof *out->result);
    out->time = calloc(n, sizeof *out->time);
    out->step = calloc(n * KNOTS, sizeof *out->step);
    if (!out->column || !out->result || !out->time || !out->step) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--outputs", "out of memory");
    }
    TRM_TRY(trm_columns_create(scene, model, NULL, &out->columns, err));
    TRM_TRY(keep_columns(out, err));
    return trm_column_values_open(model, &out->columns, &out->values, err);
}

void trm_follower_close(trm_follower *f)
{
    free(f->column);
    free(f->result);
    free(f->time);
    free(f->step);
    trm_column_values_close(&f->values);
    trm_columns_destroy(&f->columns);
    *f = (trm_follower){0};
}

/// values.at at t.
static trm_status sample(trm_follower *f, trm_sim *sim, double t, trm_error *err)
{
    trm_sample at;
    TRM_TRY(trm_sim_sample(sim, t, &at, err));
    return trm_column_values_read(&f->values, sim, &at, err);
}

/// What is made large: the number times its sign.
static trm_status height(trm_follower *f, trm_sim *sim, int i, double t, double *out,
                         trm_error *err)
{
    TRM_TRY(sample(f, sim, t, err));
    *out = f->outputs->at[i].sign * f->values.at[f->column[i]];
    return TRM_OK;
}

static void keep(trm_follower *f, int i, double t, double y)
{
    if (y > f->result[i]) {
        f->result[i] = y;
        f->time[i] = t;
    }
}

/// The largest y in [a, b], where it rises and then falls.
static trm_status refine(trm_follower *f, trm_sim *sim, int i, double a, double b, trm_error *err)
{
    const double golden = (sqrt(5) - 1) / 2;
    double t[2] = {b - golden * (b - a), a + golden * (b - a)}, y[2];
    TRM_TRY(height(f, sim, i, t[0], &y[0], err));
    TRM_TRY(height(f, sim, i, t[1], &y[1], err));
    for (int n = 0; n < SECTIONS; n++) {
        const int rising = y[1] > y[0];
        if (rising) {
            a = t[0];
            t[0] = t[1];
            y[0] = y[1];
            t[1] = a + golden * (b - a);
        } else {
            b = t[1];
            t[1] = t[0];
            y[1] = y[0];
            t[0] = b - golden * (b - a);
        }
        TRM_TRY(height(f, sim, i, t[rising], &y[rising], err));
    }
    keep(f, i, t[0], y[0]);
    keep(f, i, t[1], y[1]);
    return TRM_OK;
}

/// How high the parabola through three equidistant numbers goes.
static double vertex(double left, double middle, double right)
{
    const double slope = (right - left) / 2, curvature = 2 * middle - left - right;
    return curvature > 0 ? middle + slope * slope / (2 * curvature) : middle;
}

/// The extreme of one output within a step from a, pieces h long.
static trm_status search(trm_follower *f, trm_sim *sim, int i, double a, double h, trm_error *err)
{
    const double *const y = f->step + i * KNOTS;
    for (int k = 0; k < KNOTS; k++) {
        keep(f, i, k == PIECES ? trm_sim_state(sim).t : a + k * h, y[k]);
    }
    for (int k = 0; k < KNOTS; k++) {
        const int first = k > 0 ? k - 1 : 0, last = k < PIECES ? k + 1 : PIECES;
        const double top = k > 0 && k < PIECES
                               ? vertex(y[first], y[k], y[last])
                               : vertex(y[last], y[k], y[last]) + fabs(y[first] - y[last]);
        if (y[k] >= y[first] && y[k] >= y[last] && top > f->result[i]) {
            const double end = fmin(a + last * h, trm_sim_state(sim).t);
            TRM_TRY(refine(f, sim, i, a + first * h, end, err));
        }
    }
    return TRM_OK;
}

static trm_status look_for_extremes(trm_follower *f, trm_sim *sim, double from, double to,
                                    trm_error *err)
{
    const double h = (to - from) / PIECES;
    for (int k = 0; k < KNOTS; k++) {
        TRM_TRY(sample(f, sim, k == PIECES ? to : from + k * h, err));
        for (int i = 0; i < f->outputs->n; i++) {
            if (is_extreme(&f->outputs->at[i])) {
                f->step[i * KNOTS + k] = f->outputs->at[i].sign * f->values.at[f->column[i]];
            }
        }
    }
    for (int i = 0; i < f->outputs->n; i++) {
        if (is_extreme(&f->outputs->at[i])) {
            TRM_TRY(search(f, sim, i, from, h, err));
        }
    }
    return TRM_OK;
}

trm_status trm_follower_look(trm_follower *f, trm_sim *sim, trm_error *err)
{
    if (!f->extremes && !f->within) { // a state in joint coordinates costs two evaluations
        return TRM_OK;
    }
    const double from = f->t, to = trm_sim_state(sim).t;
    for (int i = 0; i < f->outputs->n; i++) {
        const trm_kept *const output = &f->outputs->at[i];
        if (output->kind == TRM_OUTPUT_AT && output->t > from && output->t <= to) {
            TRM_TRY(sample(f, sim, output->t, err));
            f->result[i] = f->values.at[f->column[i]];
        }
    }
    if (f->extremes) {
        TRM_TRY(look_for_extremes(f, sim, from < 0 ? to : from, to, err));
    }
    f->t = to;
    return TRM_OK;
}

trm_status trm_follower_finish(trm_follower *f, trm_sim *sim, trm_error *err)
{
    TRM_TRY(sample(f, sim, trm_sim_state(sim).t, err));
    for (int i = 0; i < f->outputs->n; i++) {
        const trm_kept *const output = &f->outputs->at[i];
        switch (output->kind) {
        case TRM_OUTPUT_END:
            f->result[i] = f->values.at[f->column[i]];
            break;
        case TRM_OUTPUT_EXTREME:
            f->result[i] *= output->sign;
            break;
        case TRM_OUTPUT_EXTREME_TIME:
            f->result[i] = f->time[i];
            break;
        case TRM_OUTPUT_RUN:
            f->result[i] = trm_kept_of_run(output, sim);
            break;
        case TRM_OUTPUT_AT:
            break;
        }
    }
    return TRM_OK;
}
