#include "engine/rank/dependent_sets.h"
#include "base/linear/sums.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *row_of(const trm_row_sets *s, int i)
{
    return s->W + (size_t)i * (size_t)s->d;
}

// ------------------------------------------------------------------------------- joints and names

static int share_body(const trm_model *m, const trm_block *a, const trm_block *b)
{
    for (int i = 0; i < a->nbodies; i++) {
        for (int k = 0; k < b->nbodies; k++) {
            const int body = m->block_bodies[a->body + i];
            if (body == m->block_bodies[b->body + k] && body < m->sizes.nbody) {
                return 1;
            }
        }
    }
    return 0;
}

/// All shortest ways by Floyd and Warshall.
static void measure_distances(trm_row_sets *s, const trm_model *m)
{
    const int n = s->nblocks, far = 1 << 20;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            s->distance[i * n + j] = i == j                                        ? 0
                                     : share_body(m, &m->blocks[i], &m->blocks[j]) ? 1
                                                                                   : far;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const int way = s->distance[i * n + k] + s->distance[k * n + j];
                if (way < s->distance[i * n + j]) {
                    s->distance[i * n + j] = way;
                }
            }
        }
    }
}

/// Rows by name: insertion, joint by joint.
static void sort_by_name(trm_row_sets *s, const trm_model *m)
{
    for (int i = 0; i < s->nc; i++) {
        int k = i;
        const char *const name = m->row_info ? m->row_info[i].name : "";
        while (k > 0 && m->row_info && strcmp(m->row_info[s->by_name[k - 1]].name, name) > 0) {
            s->by_name[k] = s->by_name[k - 1];
            k--;
        }
        s->by_name[k] = i;
    }
}

// -------------------------------------------------------------------------------------------- W

/// Column k of W: row order[rank + k] minus its combination of the independent rows.
static void fill_W(trm_row_sets *s, const trm_row_basis *basis)
{
    for (int k = 0; k < s->d; k++) {
        const double *const c = basis->C + (size_t)k * (size_t)basis->rank;
        s->W[(size_t)basis->order[basis->rank + k] * (size_t)s->d + (size_t)k] = 1;
        for (int i = 0; i < basis->rank; i++) {
            const double x = fabs(c[i]) > TRM_NEGLIGIBLE ? -c[i] : 0;
            s->W[(size_t)basis->order[i] * (size_t)s->d + (size_t)k] = x;
        }
    }
}

int trm_row_sets_open(trm_row_sets *sets, const trm_conditioning *conditioning, trm_pool *pool)
{
    const trm_model *const m = conditioning->model;
    const int nc = conditioning->nc, d = nc - conditioning->basis.rank;
    const size_t blocks = m->nblocks > 0 ? (size_t)m->nblocks : 1;
    *sets = (trm_row_sets){.nc = nc, .d = d, .nblocks = (int)blocks};
    sets->W = trm_pool_take(pool, (size_t)nc * (size_t)d, sizeof(double));
    sets->block_of = trm_pool_take(pool, (size_t)nc, sizeof(int));
    sets->distance = trm_pool_take(pool, blocks * blocks, sizeof(int));
    sets->by_name = trm_pool_take(pool, (size_t)nc, sizeof(int));
    sets->order = trm_pool_take(pool, (size_t)nc, sizeof(int));
    double *const work =
        trm_pool_take(pool, 2 * (size_t)nc + (size_t)d * ((size_t)d + 2), sizeof(double));
    if (!sets->W || !sets->block_of || !sets->distance || !sets->by_name || !sets->order || !work) {
        return 0;
    }
    sets->w = work;
    sets->best = sets->w + nc;
    sets->x = sets->best + nc;
    sets->y = sets->x + d;
    sets->basis = sets->y + d;
    for (int b = 0; b < m->nblocks; b++) {
        for (int i = 0; i < m->blocks[b].rows; i++) {
            sets->block_of[m->blocks[b].row + i] = b;
        }
    }
    sort_by_name(sets, m);
    sets->model = m;
    if (d > 0) {
        fill_W(sets, &conditioning->basis);
    }
    return 1;
}

int trm_row_sets_unique(const trm_row_sets *sets, int i)
{
    return trm_length(sets->d, row_of(sets, i)) <= TRM_NEGLIGIBLE;
}

// ------------------------------------------------------------------------------------- one circuit

/// x := x minus its parts along the first `rank` rows of the basis, twice against roundoff.
static double remainder_of(trm_row_sets *s, int rank, double *x)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < rank; k++) {
            const double *const e = s->basis + (size_t)k * (size_t)s->d;
            s->work += 2.0 * s->d;
            const double part = trm_dot(s->d, e, x);
            for (int j = 0; j < s->d; j++) {
                x[j] -= part * e[j];
            }
        }
    }
    return trm_length(s->d, x);
}

static void scale_into(int n, double factor, const double *x, double *out)
{
    for (int j = 0; j < n; j++) {
        out[j] = factor * x[j];
    }
}

/// y, orthogonal to the d - 1 rows of the basis.
static void last_direction(trm_row_sets *s, int rank)
{
    double longest = 0;
    for (int k = 0; k < s->d; k++) {
        memset(s->x, 0, (size_t)s->d * sizeof(double));
        s->x[k] = 1;
        const double length = remainder_of(s, rank, s->x);
        if (length > longest) {
            longest = length;
            scale_into(s->d, 1 / length, s->x, s->y);
        }
    }
}

/// Delete rows in `order` while a dependent set remains, and leave its w.
static void circuit(trm_row_sets *s)
{
    int rank = 0;
    for (int k = 0; k < s->nc && rank < s->d - 1; k++) {
        const double *const W = row_of(s, s->order[k]);
        const double length = trm_length(s->d, W);
        if (length <= TRM_NEGLIGIBLE) {
            continue;
        }
        scale_into(s->d, 1 / length, W, s->x);
        const double rest = remainder_of(s, rank, s->x);
        if (rest > TRM_NEGLIGIBLE) {
            scale_into(s->d, 1 / rest, s->x, s->basis + (size_t)rank++ * (size_t)s->d);
        }
    }
    last_direction(s, rank);
    double largest = 0;
    for (int i = 0; i < s->nc; i++) {
        s->w[i] = trm_dot(s->d, row_of(s, i), s->y);
        largest = fmax(largest, fabs(s->w[i]));
    }
    for (int i = 0; i < s->nc; i++) {
        s->w[i] = fabs(s->w[i]) > TRM_NEGLIGIBLE * largest ? s->w[i] / largest : 0;
    }
}

/// Rows far from block `seed` first, then by name backwards.
static void order_from(trm_row_sets *s, int seed)
{
    int n = 0;
    const int *const from = s->distance + (size_t)seed * (size_t)s->nblocks;
    for (int i = s->nc - 1; i >= 0; i--) {
        const int row = s->by_name[i];
        int k = n++;
        while (k > 0 && from[s->block_of[s->order[k - 1]]] < from[s->block_of[row]]) {
            s->order[k] = s->order[k - 1];
            k--;
        }
        s->order[k] = row;
    }
}

/// Joints first, rows second.
static int size_of(const trm_row_sets *s, const double *w)
{
    int joints = 0, rows = 0, last = -1;
    for (int i = 0; i < s->nc; i++) {
        if (w[i] != 0) {
            joints += s->block_of[i] != last;
            last = s->block_of[i];
            rows++;
        }
    }
    return joints * (s->nc + 1) + rows;
}

/// The last by name among the rows with a solid coefficient.
static int superfluous(const trm_row_sets *s)
{
    for (int k = s->nc - 1; k >= 0; k--) {
        if (fabs(s->best[s->by_name[k]]) > 1e-2) {
            return s->by_name[k];
        }
    }
    return 0;
}

/// W := a basis of the part of its span with w_i = 0: reflect W_i onto the first axis, then drop
/// the first column.
void trm_row_sets_forget(trm_row_sets *sets, int i)
{
    const int d = sets->d;
    double *const u = sets->x;
    memcpy(u, row_of(sets, i), (size_t)d * sizeof(double));
    const double length = trm_length(d, u);
    if (length <= TRM_NEGLIGIBLE) {
        return;
    }
    u[0] += u[0] < 0 ? -length : length;
    const double uu = trm_dot(d, u, u);
    for (int r = 0; r < sets->nc; r++) {
        double *const W = sets->W + (size_t)r * (size_t)d;
        const double part = 2 * trm_dot(d, u, W) / uu;
        for (int j = 0; j < d; j++) {
            W[j] -= part * u[j];
        }
    }
    for (int r = 0; r < sets->nc; r++) {
        for (int j = 1; j < d; j++) {
            sets->W[(size_t)r * (size_t)(d - 1) + (size_t)(j - 1)] =
                sets->W[(size_t)r * (size_t)d + (size_t)j];
        }
    }
    sets->d = d - 1;
}

int trm_row_sets_take(trm_row_sets *sets, int *rows, double *coefficients)
{
    int smallest = INT_MAX, previous = -1, n = 0;
    if (sets->d == 0) {
        return 0;
    }
    if (!sets->measured) {
        measure_distances(sets, sets->model);
        sets->measured = 1;
    }
    for (int k = 0; k < sets->nc; k++) {
        const int seed = sets->block_of[sets->by_name[k]];
        if (seed == previous || trm_row_sets_unique(sets, sets->by_name[k])) {
            continue;
        }
        if (smallest < INT_MAX && sets->work > TRM_SETS_WORK) {
            break;
        }
        previous = seed;
        order_from(sets, seed);
        circuit(sets);
        const int size = size_of(sets, sets->w);
        if (size < smallest) {
            smallest = size;
            memcpy(sets->best, sets->w, (size_t)sets->nc * sizeof(double));
        }
    }
    const int first = superfluous(sets);
    rows[n] = first;
    coefficients[n++] = sets->best[first];
    for (int k = 0; k < sets->nc; k++) {
        const int row = sets->by_name[k];
        if (row != first && sets->best[row] != 0) {
            rows[n] = row;
            coefficients[n++] = sets->best[row];
        }
    }
    trm_row_sets_forget(sets, first);
    return n;
}

// ------------------------------------------------------------------------------- without a search

/// The entry to divide column k of W by: the largest among the columns not yet done, the last by
/// name among equals.
static int find_pivot(const trm_row_sets *s, int done, int *column)
{
    const double equal = 1e-6;
    int row = -1;
    double largest = 0;
    for (int k = s->nc - 1; k >= 0; k--) {
        const double *const W = row_of(s, s->by_name[k]);
        for (int j = done; j < s->d; j++) {
            if (fabs(W[j]) > (1 + equal) * largest) {
                largest = fabs(W[j]);
                row = s->by_name[k];
                *column = j;
            }
        }
    }
    return row;
}

static void exchange_columns(trm_row_sets *s, int i, int j)
{
    for (int r = 0; r < s->nc; r++) {
        double *const W = s->W + (size_t)r * (size_t)s->d;
        const double x = W[i];
        W[i] = W[j];
        W[j] = x;
    }
}

/// Column k := 1 in this row, the others 0.
static void clear_row(trm_row_sets *s, int k, int row)
{
    memcpy(s->x, row_of(s, row), (size_t)s->d * sizeof(double));
    for (int r = 0; r < s->nc; r++) {
        double *const W = s->W + (size_t)r * (size_t)s->d;
        const double part = W[k] / s->x[k];
        for (int j = 0; part != 0 && j < s->d; j++) {
            W[j] -= j == k ? 0 : part * s->x[j];
        }
        W[k] = part;
    }
}

int trm_row_sets_reduce(trm_row_sets *sets)
{
    int k = 0;
    for (; k < sets->d; k++) {
        int column = k;
        const int row = find_pivot(sets, k, &column);
        if (row < 0) {
            break; // what is left is roundoff
        }
        exchange_columns(sets, k, column);
        clear_row(sets, k, row);
        sets->order[k] = row;
    }
    return k;
}

int trm_row_sets_column(const trm_row_sets *sets, int k, int *rows, double *coefficients)
{
    const int first = sets->order[k];
    double largest = 0;
    int n = 0;
    for (int i = 0; i < sets->nc; i++) {
        largest = fmax(largest, fabs(row_of(sets, i)[k]));
    }
    rows[n] = first;
    coefficients[n++] = row_of(sets, first)[k];
    for (int i = 0; i < sets->nc; i++) {
        const int row = sets->by_name[i];
        const double w = row_of(sets, row)[k];
        if (row != first && fabs(w) > TRM_NEGLIGIBLE * largest) {
            rows[n] = row;
            coefficients[n++] = w;
        }
    }
    return n;
}
