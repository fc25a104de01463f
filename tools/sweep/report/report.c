/// The numbers of the report as one JSON object in the page. Statistics are of runs that are
/// independent of each other: of a Sobol design the rows of A and B.
#define _DEFAULT_SOURCE
#include "tools/sweep/report/report.h"

#include "tools/common/json_out.h"
#include "tools/common/output.h"
#include "tools/compare/report/report.h"
#include "tools/sweep/report/data.h"
#include "tools/sweep/report/envelopes.h"
#include "tools/sweep/report/page.h"
#include "tools/sweep/report/sensitivity.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 600, STAGES = 24 }; // of the scatter matrix; of convergence

typedef struct report {
    const trm_sweep_data *data;
    trm_json json;
    double *work; // [4 (n + 1)]
    long *order;  // [n + 1]
} report;

static int is_independent(const trm_sweep_data *d, long run)
{
    return d->design != TRM_DESIGN_SOBOL || run % (d->ndrawn + 2) < 2;
}

// -------------------------------------------------------------------------------------- columns

static void write_column(report *r, const trm_sweep_column *c, int varied)
{
    trm_statistics s;
    long m = 0;
    for (long i = 0; i < r->data->n; i++) {
        if (is_independent(r->data, i) && isfinite(c->x[i])) {
            r->work[m++] = c->x[i];
        }
    }
    trm_statistics_of(r->work, m, &s);
    trm_json_object(&r->json);
    trm_json_key_string(&r->json, "name", c->name);
    trm_json_key_string(&r->json, "unit", c->unit);
    trm_json_key_boolean(&r->json, "varied", varied);
    trm_json_key_integer(&r->json, "n", s.n);
    trm_json_key_number(&r->json, "mean", s.mean);
    trm_json_key_number(&r->json, "deviation", s.deviation);
    trm_json_key_vector(&r->json, "quantiles", m > 0 ? TRM_QUANTILES : 0, s.quantile);
    trm_json_key_number(&r->json, "from", s.from);
    trm_json_key_number(&r->json, "to", s.to);
    trm_json_key_integers(&r->json, "bins", s.nbins, s.bin);
    trm_json_end(&r->json);
}

static void write_columns(report *r)
{
    trm_json_key(&r->json, "columns");
    trm_json_list(&r->json);
    for (int i = 0; i < r->data->ncolumns; i++) {
        write_column(r, &r->data->at[i], i < r->data->nvaried);
    }
    trm_json_end(&r->json);
}

/// An even choice of runs: those whose mixed number is least.
static void write_points(report *r)
{
    const trm_sweep_data *const d = r->data;
    const long n = d->design == TRM_DESIGN_SOBOL ? 2 * d->rows : d->n;
    const double share = n > POINTS ? (double)POINTS / (double)n : 1;
    trm_json_key(&r->json, "points");
    trm_json_list(&r->json);
    for (long i = 0; i < d->n; i++) {
        if (!is_independent(d, i) || (double)trm_sweep_shuffled(i) * 0x1p-53 >= share) {
            continue;
        }
        trm_json_array(&r->json);
        for (int k = 0; k < d->ncolumns; k++) {
            trm_json_short(&r->json, d->at[k].x[i]);
        }
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
}

// ---------------------------------------------------------------------------------- sensitivity

/// Numbers 1, 2, 3, 5, 7, 10, ... up to n, the last one n: at most STAGES.
static int stages_of(long n, long fewest, long out[STAGES])
{
    const double grow = pow((double)n / (double)fewest, 1.0 / (STAGES - 1));
    int count = 0;
    for (int k = 0; k < STAGES && n >= fewest; k++) {
        const long m = k == STAGES - 1 ? n : (long)((double)fewest * pow(grow, k));
        if (count == 0 || m > out[count - 1]) {
            out[count++] = m;
        }
    }
    return count;
}

static void write_sobol(report *r, const double *y, trm_sobol *s)
{
    const trm_sweep_data *const d = r->data;
    const int k = d->ndrawn;
    long stage[STAGES];
    const long whole = trm_sobol_of(y, d->rows, k, s);
    trm_json_key_integer(&r->json, "rows", whole);
    trm_json_key(&r->json, "parameters");
    trm_json_list(&r->json);
    for (int i = 0; i < k; i++) {
        trm_json_object(&r->json);
        trm_json_key_number(&r->json, "first", s[i].first);
        trm_json_key_number(&r->json, "first_error", s[i].first_error);
        trm_json_key_number(&r->json, "total", s[i].total);
        trm_json_key_number(&r->json, "total_error", s[i].total_error);
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
    trm_json_key(&r->json, "convergence");
    trm_json_list(&r->json);
    const int n = stages_of(d->rows, 8, stage);
    for (int m = 0; m < n; m++) {
        trm_sobol_of(y, stage[m], k, s);
        trm_json_array(&r->json);
        trm_json_integer(&r->json, stage[m]);
        for (int i = 0; i < k; i++) {
            trm_json_short(&r->json, s[i].first);
        }
        for (int i = 0; i < k; i++) {
            trm_json_short(&r->json, s[i].total);
        }
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
}

static void write_morris(report *r, const double *y, const double *const *x, const double *range,
                         trm_morris *s)
{
    const trm_sweep_data *const d = r->data;
    long stage[STAGES];
    trm_json_key_integer(&r->json, "rows", trm_morris_of(y, x, range, d->rows, d->ndrawn, s));
    trm_json_key(&r->json, "parameters");
    trm_json_list(&r->json);
    for (int i = 0; i < d->ndrawn; i++) {
        trm_json_object(&r->json);
        trm_json_key_number(&r->json, "mu", s[i].mu);
        trm_json_key_number(&r->json, "mu_star", s[i].mu_star);
        trm_json_key_number(&r->json, "sigma", s[i].sigma);
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
    trm_json_key(&r->json, "convergence");
    trm_json_list(&r->json);
    const int n = stages_of(d->rows, 2, stage);
    for (int m = 0; m < n; m++) {
        trm_morris_of(y, x, range, stage[m], d->ndrawn, s);
        trm_json_array(&r->json);
        trm_json_integer(&r->json, stage[m]);
        for (int i = 0; i < d->ndrawn; i++) {
            trm_json_short(&r->json, s[i].mu_star);
        }
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
}

static void write_correlations(report *r, const double *y)
{
    trm_json_key(&r->json, "parameters");
    trm_json_list(&r->json);
    for (int i = 0; i < r->data->nvaried; i++) {
        trm_json_object(&r->json);
        trm_json_key_number(
            &r->json, "rank",
            trm_rank_correlation(r->data->at[i].x, y, r->data->n, r->work, r->order));
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
}

/// Parameters in the order of their columns; those of a design are the drawn ones, which are all.
static trm_status write_sensitivity(report *r, trm_error *err)
{
    const trm_sweep_data *const d = r->data;
    static const char *const names[] = {"rank", "sobol", "morris"};
    const size_t k = (size_t)d->nvaried + 1;
    trm_sobol *const sobol = malloc(k * sizeof *sobol);
    trm_morris *const morris = malloc(k * sizeof *morris);
    const double **const x = malloc(k * sizeof *x);
    double *const range = malloc(k * sizeof *range);
    const int well = sobol && morris && x && range;
    for (int i = 0; well && i < d->nvaried; i++) {
        x[i] = d->at[i].x;
        range[i] = d->at[i].range;
    }
    trm_json_key_string(&r->json, "sensitivity", names[d->design]);
    trm_json_key(&r->json, "effects");
    trm_json_list(&r->json);
    for (int i = d->nvaried; well && i < d->ncolumns; i++) {
        const double *const y = d->at[i].x;
        trm_json_object(&r->json);
        if (d->design == TRM_DESIGN_SOBOL) {
            write_sobol(r, y, sobol);
        } else if (d->design == TRM_DESIGN_MORRIS) {
            write_morris(r, y, x, range, morris);
        } else {
            write_correlations(r, y);
        }
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
    free(sobol);
    free(morris);
    free(x);
    free(range);
    return well ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
}

// ---------------------------------------------------------------------------------- convergence

typedef struct ticket {
    uint64_t key;
    long run;
} ticket;

static int by_key(const void *a, const void *b)
{
    const ticket *const x = a, *const y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/// Runs that are drawn come in their order; a grid is gone through by chance.
static ticket *arrange(const trm_sweep_data *d, long *n)
{
    ticket *const tickets = malloc(((size_t)d->n + 1) * sizeof *tickets);
    *n = 0;
    for (long i = 0; tickets != NULL && i < d->n; i++) {
        if (is_independent(d, i)) {
            const uint64_t key = d->ndrawn == d->nvaried ? (uint64_t)i : trm_sweep_shuffled(i);
            tickets[(*n)++] = (ticket){key, i};
        }
    }
    if (tickets != NULL) {
        qsort(tickets, (size_t)*n, sizeof *tickets, by_key);
    }
    return tickets;
}

/// Mean and deviation of the first m runs, for m up to all: [runs, mean, deviation].
static void write_running(report *r, const trm_sweep_column *c, const ticket *tickets, long n)
{
    long stage[STAGES];
    const int nstages = stages_of(n, n < 4 ? n : 4, stage);
    double mean = 0, squares = 0;
    long m = 0;
    trm_json_list(&r->json);
    for (int k = 0, i = 0; k < nstages; k++) {
        for (; i < stage[k]; i++) {
            const double x = c->x[tickets[i].run];
            if (isfinite(x)) {
                const double step = x - mean;
                m++;
                mean += step / (double)m;
                squares += step * (x - mean);
            }
        }
        trm_json_array(&r->json);
        trm_json_integer(&r->json, stage[k]);
        trm_json_number(&r->json, m > 0 ? mean : NAN);
        trm_json_number(&r->json, m > 1 ? sqrt(squares / (double)(m - 1)) : NAN);
        trm_json_integer(&r->json, m);
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
}

static trm_status write_convergence(report *r, trm_error *err)
{
    long n;
    ticket *const tickets = arrange(r->data, &n);
    if (tickets == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
    }
    trm_json_key(&r->json, "running");
    trm_json_list(&r->json);
    for (int i = r->data->nvaried; i < r->data->ncolumns; i++) {
        write_running(r, &r->data->at[i], tickets, n);
    }
    trm_json_end(&r->json);
    free(tickets);
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- envelopes

static void write_envelope(trm_json *json, const trm_envelope *e)
{
    trm_json_object(json);
    trm_json_key_string(json, "name", e->name);
    trm_json_key_string(json, "unit", e->unit);
    trm_json_key(json, "bands");
    trm_json_list(json);
    for (int k = 0; k < e->n; k++) { // time, runs, quantiles
        trm_json_array(json);
        trm_json_short(json, e->t[k]);
        trm_json_integer(json, e->runs[k]);
        for (int q = 0; q < TRM_QUANTILES; q++) {
            trm_json_short(json, e->quantile[k * TRM_QUANTILES + q]);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}

static trm_status write_envelopes(report *r, trm_error *err)
{
    trm_envelopes envelopes;
    const trm_status status = trm_envelopes_of(r->data, &envelopes, err);
    trm_json_key_integer(&r->json, "recordings", envelopes.recordings);
    trm_json_key_integer(&r->json, "recordings_missing", envelopes.missing);
    trm_json_key(&r->json, "envelopes");
    trm_json_list(&r->json);
    for (int i = 0; status == TRM_OK && i < envelopes.n; i++) {
        write_envelope(&r->json, &envelopes.at[i]);
    }
    trm_json_end(&r->json);
    trm_envelopes_destroy(&envelopes);
    return status;
}

// ---------------------------------------------------------------------------------- all together

static void write_head(report *r, const char *table)
{
    const trm_sweep_data *const d = r->data;
    const char *const slash = strrchr(table, '/');
    const cJSON *word;
    trm_json_key_string(&r->json, "title", d->title);
    trm_json_key_string(&r->json, "table", slash != NULL ? slash + 1 : table);
    trm_json_key(&r->json, "command");
    trm_json_array(&r->json);
    cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(d->manifest, "command"))
    {
        trm_json_string(&r->json, cJSON_GetStringValue(word));
    }
    trm_json_end(&r->json);
    trm_json_key_string(&r->json, "version", trm_version());
    trm_json_key_number(&r->json, "end", d->end);
    trm_json_key_integer(&r->json, "runs", d->n);
    trm_json_key_integer(&r->json, "rows", d->rows);
    trm_json_key(&r->json, "states");
    trm_json_list(&r->json);
    for (int i = 0; i < d->nstates; i++) {
        trm_json_object(&r->json);
        trm_json_key_string(&r->json, "name", d->states[i].name);
        trm_json_key_integer(&r->json, "runs", d->states[i].runs);
        trm_json_key_integer(&r->json, "first", d->states[i].first);
        trm_json_key_string(&r->json, "reason", d->states[i].reason);
        trm_json_end(&r->json);
    }
    trm_json_end(&r->json);
}

static trm_status write_json(report *r, const char *table, trm_error *err)
{
    trm_json_object(&r->json);
    write_head(r, table);
    write_columns(r);
    trm_status status = write_sensitivity(r, err);
    status = status == TRM_OK ? write_convergence(r, err) : status;
    status = status == TRM_OK ? write_envelopes(r, err) : status;
    write_points(r);
    trm_json_end(&r->json);
    return status;
}

static trm_status memory(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, "--report", "out of memory");
}

/// The JSON of `data`, then the page around it.
static trm_status make_page(const trm_sweep_data *data, const char *table, char **page,
                            size_t *size, trm_error *err)
{
    char *json = NULL;
    size_t length = 0;
    report r = {.data = data, .json.out = trm_text_stream(&json, &length)};
    r.work = malloc(4 * ((size_t)data->n + 1) * sizeof *r.work);
    r.order = malloc(((size_t)data->n + 1) * sizeof *r.order);
    trm_status status = r.json.out && r.work && r.order ? write_json(&r, table, err) : memory(err);
    free(r.work);
    free(r.order);
    if (r.json.out != NULL && trm_stream_close(r.json.out) != 0 && status == TRM_OK) {
        status = memory(err);
    }
    FILE *const out = status == TRM_OK ? trm_text_stream(page, size) : NULL;
    if (out != NULL) {
        const int bad =
            trm_report_fill(out, trm_sweep_page_head, trm_sweep_page_tail, json, length) != 0;
        status = (trm_stream_close(out) != 0) | bad ? memory(err) : status;
    } else if (status == TRM_OK) {
        status = memory(err);
    }
    free(json);
    return status;
}

trm_status trm_sweep_report(const char *table, const char *manifest, const char *page,
                            trm_error *err)
{
    trm_sweep_data data;
    char *text = NULL;
    size_t size = 0;
    trm_status status = trm_sweep_data_read(table, manifest, &data, err);
    status = status == TRM_OK ? make_page(&data, table, &text, &size, err) : status;
    if (status == TRM_OK) {
        status = trm_outfile_save(&(trm_outfile_wish){.path = page}, text, size, err);
    }
    free(text);
    trm_sweep_data_close(&data);
    return status;
}
