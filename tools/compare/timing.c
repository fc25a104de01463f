/// Which rows are timed: with --repeat all, N times. Without, three times those that matter, as
/// many as fit into a fixed time: first those whose
///
///     disadvantage = CPU time / CPU time of the fastest row that is at least as exact
///
/// is small. The others keep the time of the first pass, when other rows ran beside them.
#include "tools/compare/timing.h"

#include "tools/compare/row.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double time_for_timing = 15, overhead = 0.03; // s of wall time; of each visit
static const double least_noise = 0.1;

typedef struct stopwatch {
    trm_comparison *c;
    int *chosen; // [n] rows, in the order of the table
    int n, repeats, started;
    double *seconds; // [n*repeats], NAN: none
} stopwatch;

static int usable(const trm_compare_row *row)
{
    return row->status == TRM_ROW_DONE && isfinite(row->error.relative) && isfinite(row->cpu);
}

static double disadvantage(const trm_comparison *c, const trm_compare_row *row)
{
    double least = row->cpu;
    for (int i = 0; i < c->nrows; i++) {
        const trm_compare_row *const other = &c->rows[i];
        if (usable(other) && other->error.relative <= row->error.relative) {
            least = fmin(least, other->cpu);
        }
    }
    return row->cpu / fmax(least, 1e-9);
}

typedef struct rank {
    int row;
    double disadvantage;
} rank;

static int by_disadvantage(const void *a, const void *b)
{
    const rank *const x = a, *const y = b;
    return x->disadvantage != y->disadvantage ? (x->disadvantage > y->disadvantage ? 1 : -1)
                                              : x->row - y->row;
}

static int by_row(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void choose_rows(stopwatch *w, rank *ranks)
{
    const trm_comparison *const c = w->c;
    int n = 0;
    for (int i = 0; i < c->nrows; i++) {
        if (usable(&c->rows[i])) {
            ranks[n++] = (rank){i, disadvantage(c, &c->rows[i])};
        }
    }
    qsort(ranks, (size_t)n, sizeof *ranks, by_disadvantage);
    double left = c->repeat > 0 ? INFINITY : time_for_timing;
    for (int i = 0; i < n; i++) {
        const double costs = w->repeats * (c->rows[ranks[i].row].cpu + overhead);
        if (costs <= left) {
            w->chosen[w->n++] = ranks[i].row;
            left -= costs;
        }
    }
    qsort(w->chosen, (size_t)w->n, sizeof *w->chosen, by_row);
}

static int next(void *user)
{
    stopwatch *const w = user;
    return w->started < w->n * w->repeats ? w->started++ : -1;
}

static void work(int job, FILE *out, void *user)
{
    const stopwatch *const w = user;
    trm_row_time(w->c, &w->c->rows[w->chosen[job % w->n]], out);
}

static void done(int job, const trm_child_result *result, void *user)
{
    stopwatch *const w = user;
    double *const seconds = &w->seconds[job % w->n * w->repeats + job / w->n];
    *seconds = NAN;
    if (result->end == TRM_CHILD_DONE && result->length == sizeof *seconds) {
        memcpy(seconds, result->bytes, sizeof *seconds);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void conclude(stopwatch *w)
{
    for (int i = 0; i < w->n; i++) {
        trm_compare_row *const row = &w->c->rows[w->chosen[i]];
        double *const all = w->seconds + (ptrdiff_t)i * w->repeats;
        int n = 0;
        for (int k = 0; k < w->repeats; k++) {
            if (isfinite(all[k])) {
                all[n++] = all[k];
            }
        }
        if (n > 0) {
            qsort(all, (size_t)n, sizeof *all, by_size);
            row->cpu = (all[(n - 1) / 2] + all[n / 2]) / 2;
            row->cpu_min = all[0];
            row->cpu_max = all[n - 1];
            row->repeats = n;
        }
    }
}

/// The median spread of the rows.
static trm_status find_noise(trm_comparison *c, trm_error *err)
{
    double *const spread = calloc((size_t)c->nrows + 1, sizeof *spread);
    int n = 0;
    if (spread == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int i = 0; i < c->nrows; i++) {
        const trm_compare_row *const row = &c->rows[i];
        if (row->repeats > 1 && row->cpu > 0) {
            spread[n++] = (row->cpu_max - row->cpu_min) / row->cpu;
        }
    }
    qsort(spread, (size_t)n, sizeof *spread, by_size);
    c->noise = fmax(least_noise, n > 0 ? spread[n / 2] : 0);
    free(spread);
    return TRM_OK;
}

static trm_status measure(stopwatch *w, trm_error *err)
{
    const trm_pool alone = {
        .width = 1,
        .budget = 3 * w->c->budget,
        .next = next,
        .work = work,
        .done = done,
        .user = w,
        .interrupted = w->c->stop,
    };
    w->seconds = calloc((size_t)w->n * (size_t)w->repeats + 1, sizeof *w->seconds);
    for (int i = 0; w->seconds != NULL && i < w->n * w->repeats; i++) {
        w->seconds[i] = NAN;
    }
    if (w->seconds == NULL || trm_pool_run(&alone) != 0) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    conclude(w);
    return find_noise(w->c, err);
}

trm_status trm_compare_time(trm_comparison *c, trm_error *err)
{
    stopwatch w = {.c = c, .repeats = c->repeat > 0 ? c->repeat : 3};
    rank *const ranks = calloc((size_t)c->nrows + 1, sizeof *ranks);
    w.chosen = calloc((size_t)c->nrows + 1, sizeof *w.chosen);
    trm_status status = TRM_ERR_MEMORY;
    if (ranks == NULL || w.chosen == NULL) {
        TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    } else {
        choose_rows(&w, ranks);
        status = measure(&w, err);
    }
    free(ranks);
    free(w.chosen);
    free(w.seconds);
    return status;
}
