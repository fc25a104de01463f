#define _DEFAULT_SOURCE
#include "tools/sweep/report/envelopes.h"

#include "tools/convert/table.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 20000000 }; // floats that are kept at a time: 80 MB

/// bar.x of max(bar.x), bar.x@0.5; *t the time behind @, NAN without.
static void base_name(const char *output, char out[160], double *t)
{
    const char *const open = strchr(output, '('), *const at = strchr(output, '@');
    const char *const from = open != NULL ? open + 1 : output;
    const size_t n = open != NULL ? strcspn(from, ")") : strcspn(from, "@");
    snprintf(out, 160, "%.*s", (int)n, from);
    *t = open == NULL && at != NULL ? strtod(at + 1, NULL) : NAN;
}

static trm_status add(trm_envelopes *e, const char *name, const char *unit, int n, trm_error *err)
{
    trm_envelope *const one = &e->at[e->n];
    *one = (trm_envelope){.n = n};
    snprintf(one->name, sizeof one->name, "%s", name);
    snprintf(one->unit, sizeof one->unit, "%s", unit);
    one->t = calloc((size_t)n, sizeof *one->t);
    one->quantile = calloc((size_t)n * TRM_QUANTILES, sizeof *one->quantile);
    one->runs = calloc((size_t)n, sizeof *one->runs);
    e->n++;
    return one->t && one->quantile && one->runs
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
}

/// Of x[n], which is sorted.
static void set_point(trm_envelope *e, int k, double t, double *x, long n)
{
    trm_statistics s;
    trm_statistics_of(x, n, &s);
    e->t[k] = t;
    e->runs[k] = n;
    for (int q = 0; q < TRM_QUANTILES; q++) {
        e->quantile[k * TRM_QUANTILES + q] = n > 0 ? s.quantile[q] : NAN;
    }
}

// ----------------------------------------------------------------------------- outputs at times

typedef struct moment {
    double t;
    const double *x; // [data->n]
} moment;

static int by_time(const void *a, const void *b)
{
    const moment *const x = a, *const y = b;
    return (x->t > y->t) - (x->t < y->t);
}

static trm_status of_outputs(const trm_sweep_data *d, const char *name, const char *unit,
                             double *work, trm_envelopes *out, trm_error *err)
{
    enum { FEWEST = 3 };
    char base[160];
    int n = 0;
    moment *const moments = malloc((size_t)d->ncolumns * sizeof *moments);
    if (moments == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
    }
    for (int i = d->nvaried; i < d->ncolumns; i++) {
        double t;
        base_name(d->at[i].name, base, &t);
        if (isfinite(t) && strcmp(base, name) == 0) {
            moments[n++] = (moment){t, d->at[i].x};
        }
    }
    qsort(moments, (size_t)n, sizeof *moments, by_time);
    trm_status status = n >= FEWEST ? add(out, name, unit, n, err) : TRM_OK;
    for (int k = 0; n >= FEWEST && status == TRM_OK && k < n; k++) {
        long m = 0;
        for (long r = 0; r < d->n; r++) {
            if (isfinite(moments[k].x[r])) {
                work[m++] = moments[k].x[r];
            }
        }
        set_point(&out->at[out->n - 1], k, moments[k].t, work, m);
    }
    free(moments);
    return status;
}

// ------------------------------------------------------------------------------------ recordings

typedef struct gather {
    const trm_sweep_data *data;
    trm_envelopes *out;
    int first;    // envelope
    int n;        // columns
    long runs;    // that are read
    float *value; // [runs][n][TRM_ENVELOPE_TIMES]
} gather;

static int column_of(const trm_csv *csv, const char *name)
{
    for (int i = 0; i < csv->n; i++) {
        if (strcmp(csv->at[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Values at the times of the envelope, linear between two lines of the recording.
static trm_status sample(trm_csv *csv, const int *column, int n, double end, float *value,
                         trm_error *err)
{
    double t0 = NAN, *const before = malloc((size_t)n * sizeof *before);
    int rows = 1, k = 0;
    trm_status status = before ? TRM_OK : TRM_ERR_MEMORY;
    while (status == TRM_OK && rows > 0 && (status = trm_csv_next(csv, &rows, err)) == TRM_OK) {
        for (int r = 0; r < rows; r++) {
            const double t1 = csv->at[column[n]].x[r];
            for (; k < TRM_ENVELOPE_TIMES && end * k / (TRM_ENVELOPE_TIMES - 1) <= t1; k++) {
                const double t = end * k / (TRM_ENVELOPE_TIMES - 1);
                const double part = t1 > t0 ? (t - t0) / (t1 - t0) : 1;
                for (int c = 0; c < n; c++) {
                    const double x = csv->at[column[c]].x[r], x0 = isnan(t0) ? x : before[c];
                    value[c * TRM_ENVELOPE_TIMES + k] = (float)(x0 + part * (x - x0));
                }
            }
            for (int c = 0; c < n; c++) {
                before[c] = csv->at[column[c]].x[r];
            }
            t0 = t1;
        }
    }
    free(before);
    return status;
}

/// One run; whether its recording was there and whole.
static int read_recording(gather *g, long index, float *value)
{
    char path[4096];
    int column[TRM_ENVELOPES + 1];
    trm_error ignored = {0};
    trm_csv csv;
    for (int i = 0; i < g->n * TRM_ENVELOPE_TIMES; i++) {
        value[i] = NAN;
    }
    snprintf(path, sizeof path, "%s/%ld.csv", g->data->recordings, index);
    int well = trm_csv_open(path, &csv, &ignored) == TRM_OK;
    for (int c = 0; well && c <= g->n; c++) {
        column[c] = column_of(&csv, c < g->n ? g->out->at[g->first + c].name : "t");
        well = column[c] >= 0;
    }
    well = well && sample(&csv, column, g->n, g->data->end, value, &ignored) == TRM_OK;
    trm_csv_close(&csv);
    return well;
}

static trm_status take_quantiles(const gather *g, double *work)
{
    for (int c = 0; c < g->n; c++) {
        for (int k = 0; k < TRM_ENVELOPE_TIMES; k++) {
            long m = 0;
            for (long r = 0; r < g->runs; r++) {
                const float x = g->value[(r * g->n + c) * TRM_ENVELOPE_TIMES + k];
                if (isfinite(x)) {
                    work[m++] = (double)x;
                }
            }
            set_point(&g->out->at[g->first + c], k, g->data->end * k / (TRM_ENVELOPE_TIMES - 1),
                      work, m);
        }
    }
    return TRM_OK;
}

/// When there are more runs than fit, those whose mixed index is least, an even choice.
static trm_status of_recordings(gather *g, double *work, trm_error *err)
{
    const long room = MOST_NUMBERS / ((long)g->n * TRM_ENVELOPE_TIMES);
    const double share = room < g->data->n ? (double)room / (double)g->data->n : 1;
    const size_t each = (size_t)g->n * TRM_ENVELOPE_TIMES;
    const size_t most = (size_t)(room < g->data->n ? room : g->data->n);
    g->value = malloc(most * each * sizeof *g->value);
    if (g->value == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
    }
    for (long i = 0; i < g->data->n && g->runs < (long)most; i++) {
        if ((double)trm_sweep_shuffled(i) * 0x1p-53 >= share) {
            continue;
        }
        const int well = read_recording(g, i, g->value + (size_t)g->runs * each);
        g->runs += well;
        g->out->missing += !well;
    }
    g->out->recordings = g->runs;
    const trm_status status = take_quantiles(g, work);
    free(g->value);
    return status;
}

// ---------------------------------------------------------------------------------- all together

static int is_known(const trm_envelopes *e, const char *name)
{
    for (int i = 0; i < e->n; i++) {
        if (strcmp(e->at[i].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

trm_status trm_envelopes_of(const trm_sweep_data *d, trm_envelopes *out, trm_error *err)
{
    *out = (trm_envelopes){0};
    double *const work = malloc(((size_t)d->n + 1) * sizeof *work);
    trm_status status = work ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
    const int recorded = *d->recordings != '\0' && d->end > 0;
    for (int i = d->nvaried; status == TRM_OK && i < d->ncolumns && out->n < TRM_ENVELOPES; i++) {
        const trm_sweep_column *const c = &d->at[i];
        const int of_run = strncmp(c->name, "run.", 4) == 0 || strcmp(c->name, "t") == 0;
        const int time = strncmp(c->name, "tm", 2) == 0 && strchr(c->name, '(') != NULL;
        char base[160];
        double t;
        base_name(c->name, base, &t);
        if (of_run || is_known(out, base)) {
            continue;
        }
        status = recorded ? add(out, base, time ? "" : c->unit, TRM_ENVELOPE_TIMES, err)
                          : of_outputs(d, base, c->unit, work, out, err);
    }
    gather g = {.data = d, .out = out, .n = out->n};
    if (status == TRM_OK && recorded && out->n > 0) {
        status = of_recordings(&g, work, err);
    }
    free(work);
    return status;
}

void trm_envelopes_destroy(trm_envelopes *e)
{
    for (int i = 0; i < e->n; i++) {
        free(e->at[i].t);
        free(e->at[i].quantile);
        free(e->at[i].runs);
    }
    *e = (trm_envelopes){0};
}
