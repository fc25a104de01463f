#include "integrators/bdf/newton_matrix.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------------- pattern

/// Entries as keys column*n + row, in any order and with repeats;
/// counted only while `keys` is NULL.
typedef struct entry_list {
    int64_t *keys;
    int64_t count, n;
} entry_list;

/// Half open.
typedef struct range {
    int begin, end;
} range;

static void add_block(entry_list *list, range rows, range columns)
{
    for (int j = columns.begin; j < columns.end; j++) {
        for (int i = rows.begin; i < rows.end; i++) {
            if (list->keys) {
                list->keys[list->count] = j * list->n + i;
            }
            list->count++;
        }
    }
}

/// The unknowns of a cell or a tie.
static range q_of(const trm_structure *s, int cell)
{
    return (range){s->q0[cell], s->q0[cell + 1]};
}

static range v_of(const trm_structure *s, int cell)
{
    const int nq = s->q0[s->ncells];
    return (range){nq + s->v0[cell], nq + s->v0[cell + 1]};
}

static range rows_of(const trm_newton_shape *shape, const trm_tie *tie, int multiplier)
{
    const trm_structure *s = shape->structure;
    const int first = s->q0[s->ncells] + s->v0[s->ncells] + multiplier * shape->nc + tie->row;
    return (range){first, first + tie->rows};
}

/// N, M, df/dv and df/dq of a cell by itself.
static void add_cell(entry_list *list, const trm_structure *s, int cell)
{
    add_block(list, q_of(s, cell), q_of(s, cell));
    add_block(list, q_of(s, cell), v_of(s, cell));
    add_block(list, v_of(s, cell), q_of(s, cell));
    add_block(list, v_of(s, cell), v_of(s, cell));
}

/// G^T lambda on cell a, or a force on it, depends on cell b.
static void add_pair(entry_list *list, const trm_newton_shape *shape, const trm_tie *tie, int a,
                     int b)
{
    const trm_structure *s = shape->structure;
    add_block(list, v_of(s, a), q_of(s, b));
    if (tie->rows == 0) {
        add_block(list, v_of(s, a), v_of(s, b));
    } else if (shape->multipliers > 1) {
        add_block(list, q_of(s, a), q_of(s, b));
    }
}

static void add_rows(entry_list *list, const trm_newton_shape *shape, const trm_tie *tie, int cell)
{
    const trm_structure *s = shape->structure;
    const range lambda = rows_of(shape, tie, 0);
    add_block(list, lambda, q_of(s, cell));
    add_block(list, lambda, v_of(s, cell));
    add_block(list, v_of(s, cell), lambda);
    if (shape->multipliers > 1) {
        const range mu = rows_of(shape, tie, 1);
        add_block(list, mu, q_of(s, cell));
        add_block(list, q_of(s, cell), mu);
    }
}

static void add_all(entry_list *list, const trm_newton_shape *shape)
{
    const trm_structure *s = shape->structure;
    list->count = 0;
    for (int i = 0; i < list->n; i++) {
        add_block(list, (range){i, i + 1}, (range){i, i + 1});
    }
    for (int cell = 0; cell < s->ncells; cell++) {
        add_cell(list, s, cell);
    }
    for (int k = 0; k < s->nties; k++) {
        const trm_tie *tie = &s->ties[k];
        const int *members = s->members + tie->first;
        for (int a = 0; a < tie->n; a++) {
            add_rows(list, shape, tie, members[a]);
            for (int b = 0; b < tie->n; b++) {
                add_pair(list, shape, tie, members[a], members[b]);
            }
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/// Place of entry (i, j), which exists.
static int place_of(const trm_newton_matrix *m, int i, int j)
{
    int low = m->column[j], high = m->column[j + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (m->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int take_arrays(trm_newton_matrix *m)
{
    const size_t entries = (size_t)m->entries, n = (size_t)m->n;
    m->column = trm_pool_take(&m->pool, n + 1, sizeof(int));
    m->diagonal = trm_pool_take(&m->pool, n, sizeof(int));
    m->row = trm_pool_take(&m->pool, entries, sizeof(int));
    m->mirror = trm_pool_take(&m->pool, entries, sizeof(int));
    m->values = trm_pool_take(&m->pool, entries, sizeof(double));
    m->M = trm_pool_take(&m->pool, entries, sizeof(double));
    return m->column && m->diagonal && m->row && m->mirror && m->values && m->M;
}

static void index_entries(trm_newton_matrix *m, const entry_list *list, int nc)
{
    for (int k = 0; k < m->entries; k++) {
        m->row[k] = (int)(list->keys[k] % m->n);
        m->column[list->keys[k] / m->n + 1]++;
    }
    for (int j = 0; j < m->n; j++) {
        m->column[j + 1] += m->column[j];
    }
    for (int j = 0; j < m->n; j++) {
        m->diagonal[j] = place_of(m, j, j);
        for (int k = m->column[j]; k < m->column[j + 1]; k++) {
            const int in_GT =
                j >= m->nl0 && j < m->nl0 + nc && m->row[k] >= m->nv0 && m->row[k] < m->nl0;
            m->mirror[k] = in_GT ? place_of(m, j, m->row[k]) : -1;
        }
    }
}

static int make_pattern(trm_newton_matrix *m, const trm_newton_shape *shape)
{
    entry_list list = {.n = m->n};
    add_all(&list, shape);
    list.keys = malloc((size_t)list.count * sizeof *list.keys);
    if (!list.keys || list.count > INT32_MAX) {
        free(list.keys);
        return 0;
    }
    add_all(&list, shape);
    qsort(list.keys, (size_t)list.count, sizeof *list.keys, by_value);
    for (int64_t k = 0; k < list.count; k++) {
        if (k == 0 || list.keys[k] != list.keys[k - 1]) {
            list.keys[m->entries++] = list.keys[k];
        }
    }
    const int ok = take_arrays(m);
    if (ok) {
        index_entries(m, &list, shape->nc);
    }
    free(list.keys);
    return ok;
}

// ---------------------------------------------------------------------------------------- groups

/// Whether column j has no row in common with the columns of this
/// group so far: rows below `rows` only.
static int fits(const trm_newton_matrix *m, int j, int rows, const int *taken, int group)
{
    for (int k = m->column[j]; k < m->column[j + 1] && m->row[k] < rows; k++) {
        if (taken[m->row[k]] == group) {
            return 0;
        }
    }
    return 1;
}

/// Greedy colouring of columns (Curtis, Powell and Reid). waiting[]
/// lists the columns without a group.
static void fill_groups(const trm_newton_matrix *m, int rows, int left, int *waiting, int *taken,
                        trm_column_groups *out)
{
    int placed = 0;
    while (left > 0) {
        const int group = ++out->n;
        int kept = 0;
        for (int w = 0; w < left; w++) {
            const int j = waiting[w];
            if (!fits(m, j, rows, taken, group)) {
                waiting[kept++] = j;
                continue;
            }
            for (int k = m->column[j]; k < m->column[j + 1] && m->row[k] < rows; k++) {
                taken[m->row[k]] = group;
            }
            out->member[placed++] = j;
        }
        out->first[group] = placed;
        left = kept;
    }
}

static int make_groups(trm_newton_matrix *m, range columns, int rows, trm_column_groups *out)
{
    const int count = columns.end - columns.begin;
    out->first = trm_pool_take(&m->pool, (size_t)count + 1, sizeof(int));
    out->member = trm_pool_take(&m->pool, (size_t)count + 1, sizeof(int));
    int *waiting = malloc(((size_t)count + 1) * sizeof(int));
    int *taken = calloc((size_t)m->n, sizeof(int));
    const int ok = out->first && out->member && waiting && taken;
    if (ok) {
        for (int w = 0; w < count; w++) {
            waiting[w] = columns.begin + w;
        }
        fill_groups(m, rows, count, waiting, taken, out);
    }
    free(waiting);
    free(taken);
    return ok;
}

int trm_newton_matrix_open(trm_newton_matrix *matrix, const trm_newton_shape *shape)
{
    const trm_structure *s = shape->structure;
    const int nq = s->q0[s->ncells], nl0 = nq + s->v0[s->ncells];
    *matrix = (trm_newton_matrix){.n = nl0 + shape->multipliers * shape->nc, .nv0 = nq, .nl0 = nl0};
    // a column of v has G and no more in the rows of lambda, unless these are quadratic in v
    const int v_rows = shape->quadratic ? matrix->n : nl0;
    return make_pattern(matrix, shape) &&
           make_groups(matrix, (range){0, nq}, matrix->n, &matrix->q) &&
           make_groups(matrix, (range){nq, nl0}, v_rows, &matrix->v) &&
           make_groups(matrix, (range){nl0, nl0 + shape->nc}, nl0, &matrix->lambda);
}

void trm_newton_matrix_close(trm_newton_matrix *matrix)
{
    trm_pool_close(&matrix->pool);
}
