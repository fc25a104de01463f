#define _DEFAULT_SOURCE
#include "tools/sweep/report/data.h"

#include "program/texts.h"
#include "tools/convert/table.h"
#include "tools/sweep/design/draws.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 3, BEHIND = 1 }; // columns index, status, checks; reason

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

uint64_t trm_sweep_shuffled(long index)
{
    return (uint64_t)(trm_draw(0, (uint64_t)index) * 0x1p53);
}

static trm_status read_manifest(const char *path, trm_sweep_data *d, trm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    TRM_TRY(trm_file_read(path, &text, &length, err));
    d->manifest = cJSON_Parse(text);
    trm_text_destroy(text);
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(d->manifest, "varied"))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, path,
                        "is not the manifest of a sweep by this version");
    }
    const char *const design = text_of(d->manifest, "design");
    d->design = strcmp(design, "sobol") == 0    ? TRM_DESIGN_SOBOL
                : strcmp(design, "morris") == 0 ? TRM_DESIGN_MORRIS
                                                : TRM_DESIGN_PLAIN;
    d->title = text_of(d->manifest, "title");
    d->recordings = text_of(d->manifest, "recordings");
    d->end = number_of(d->manifest, "end");
    return TRM_OK;
}

/// Names and laws of the columns.
static trm_status name_columns(trm_sweep_data *d, const trm_csv *csv, trm_error *err)
{
    const cJSON *const varied = cJSON_GetObjectItemCaseSensitive(d->manifest, "varied");
    d->nvaried = cJSON_GetArraySize(varied);
    d->ncolumns = csv->n - BEFORE - BEHIND;
    d->n = csv->rows;
    if (d->ncolumns < d->nvaried || strcmp(csv->at[0].name, "index") != 0 ||
        d->n != (long)number_of(d->manifest, "runs")) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, csv->path, "is not the table of its manifest");
    }
    d->at = calloc((size_t)d->ncolumns + 1, sizeof *d->at);
    for (int i = 0; d->at != NULL && i < d->ncolumns; i++) {
        trm_sweep_column *const c = &d->at[i];
        c->name = strdup(csv->at[BEFORE + i].name);
        c->unit = strdup(csv->at[BEFORE + i].unit);
        c->x = malloc((size_t)d->n * sizeof *c->x);
        if (c->name == NULL || c->unit == NULL || c->x == NULL) {
            return TRM_FAIL(err, TRM_ERR_MEMORY, csv->path, "out of memory");
        }
        if (i < d->nvaried) {
            const cJSON *const law = cJSON_GetArrayItem(varied, i);
            const char *const kind = text_of(law, "kind");
            const int normal = strcmp(kind, "normal") == 0;
            c->drawn = normal || strcmp(kind, "uniform") == 0;
            c->range =
                normal ? sqrt(12) * number_of(law, "b") : number_of(law, "b") - number_of(law, "a");
            d->ndrawn += c->drawn;
        }
    }
    d->rows = d->design == TRM_DESIGN_PLAIN ? 0 : d->n / trm_design_block(d->design, d->ndrawn);
    return d->at != NULL ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, csv->path, "out of memory");
}

static void count_state(trm_sweep_data *d, const char *name, const char *reason, long index)
{
    int k = 0;
    while (k < d->nstates && strcmp(d->states[k].name, name) != 0) {
        k++;
    }
    if (k == TRM_STATES) {
        return;
    }
    trm_sweep_state *const s = &d->states[k];
    if (k == d->nstates) {
        d->nstates++;
        *s = (trm_sweep_state){.first = index};
        snprintf(s->name, sizeof s->name, "%s", name);
        snprintf(s->reason, sizeof s->reason, "%s", reason);
    }
    s->runs++;
}

static trm_status read_rows(trm_sweep_data *d, trm_csv *csv, trm_error *err)
{
    int n = 1;
    count_state(d, "done", "", 0);
    d->states[0].runs = 0;
    for (long first = 0; n > 0; first += n) {
        TRM_TRY(trm_csv_next(csv, &n, err));
        if (first + n > d->n) {
            return TRM_FAIL(err, TRM_ERR_IO, csv->path, "has changed meanwhile");
        }
        for (int i = 0; i < d->ncolumns; i++) {
            memcpy(d->at[i].x + first, csv->at[BEFORE + i].x, (size_t)n * sizeof(double));
        }
        for (int r = 0; r < n; r++) {
            count_state(d, csv->at[1].text[r], csv->at[csv->n - 1].text[r], first + r);
        }
    }
    return TRM_OK;
}

trm_status trm_sweep_data_read(const char *table, const char *manifest, trm_sweep_data *out,
                               trm_error *err)
{
    *out = (trm_sweep_data){0};
    TRM_TRY(read_manifest(manifest, out, err));
    trm_csv csv;
    trm_status status = trm_csv_open(table, &csv, err);
    status = status == TRM_OK ? name_columns(out, &csv, err) : status;
    status = status == TRM_OK ? read_rows(out, &csv, err) : status;
    trm_csv_close(&csv);
    return status;
}

void trm_sweep_data_close(trm_sweep_data *d)
{
    for (int i = 0; d->at != NULL && i < d->ncolumns; i++) {
        free(d->at[i].name);
        free(d->at[i].unit);
        free(d->at[i].x);
    }
    free(d->at);
    cJSON_Delete(d->manifest);
    *d = (trm_sweep_data){0};
}
