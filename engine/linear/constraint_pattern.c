#include "engine/linear/constraint_pattern.h"
#include "engine/linear/elimination_order.h"
#include "engine/linear/sparse.h"

#include <limits.h>
#include <stdlib.h>

static int *new_ints(int count)
{
    return calloc(count > 0 ? (size_t)count : 1, sizeof(int));
}

/// Neighbours of every block, both directions, without repeats: columns of a sparse matrix.
typedef struct block_graph {
    int n;
    int *start;     ///< [n+1]
    int *neighbour; ///< [start[n]]
} block_graph;

static void graph_destroy(block_graph *graph)
{
    free(graph->start);
    free(graph->neighbour);
}

/// Sort each list and drop repeats.
static void graph_tidy(block_graph *graph)
{
    int kept = 0;
    int from = 0;
    for (int i = 0; i < graph->n; i++) {
        const int to = graph->start[i + 1];
        qsort(graph->neighbour + from, (size_t)(to - from), sizeof(int), trm_ascending);
        const int first = kept;
        for (int k = from; k < to; k++) {
            if (kept == first || graph->neighbour[kept - 1] != graph->neighbour[k]) {
                graph->neighbour[kept++] = graph->neighbour[k];
            }
        }
        graph->start[i] = first;
        from = to;
    }
    graph->start[graph->n] = kept;
}

static int graph_create(block_graph *graph, int n, int npairs, const int *pairs)
{
    int *end = new_ints(n);
    *graph = (block_graph){.n = n, .start = new_ints(n + 1), .neighbour = new_ints(2 * npairs)};
    const int ok = end && graph->start && graph->neighbour;
    if (ok) {
        for (int k = 0; k < 2 * npairs; k++) {
            graph->start[pairs[k] + 1]++;
        }
        for (int i = 0; i < n; i++) {
            graph->start[i + 1] += graph->start[i];
            end[i] = graph->start[i];
        }
        for (int k = 0; k < npairs; k++) {
            const int i = pairs[2 * k];
            const int j = pairs[2 * k + 1];
            graph->neighbour[end[i]++] = j;
            graph->neighbour[end[j]++] = i;
        }
        graph_tidy(graph);
    }
    free(end);
    return ok;
}

/// What the symbolic factorization works on: children of a column are linked from `child` through
/// `sibling`; mark[i] == k says that column k has block i already.
typedef struct symbolic {
    trm_pattern *p;
    const block_graph *graph;
    int *child, *sibling, *mark;
    int capacity; ///< of p->block
} symbolic;

static int append_block(symbolic *sy, int *count, int i)
{
    trm_pattern *p = sy->p;
    if (*count == sy->capacity) {
        if (sy->capacity > INT_MAX / 4) {
            return 0;
        }
        const int capacity = 2 * sy->capacity + 64;
        int *block = realloc(p->block, (size_t)capacity * sizeof(int));
        if (!block) {
            return 0;
        }
        p->block = block;
        sy->capacity = capacity;
    }
    p->block[(*count)++] = i;
    return 1;
}

/// Column k of L touches its later neighbours and the blocks that its children touch.
static int column_structure(symbolic *sy, int k, int *count)
{
    trm_pattern *p = sy->p;
    const int first = *count;
    int ok = 1;
    sy->mark[k] = k;
    const int original = p->order[k];
    for (int e = sy->graph->start[original]; ok && e < sy->graph->start[original + 1]; e++) {
        const int i = p->place[sy->graph->neighbour[e]];
        if (i > k && sy->mark[i] != k) {
            sy->mark[i] = k;
            ok = append_block(sy, count, i);
        }
    }
    for (int c = sy->child[k]; ok && c >= 0; c = sy->sibling[c]) {
        for (int e = p->column[c]; ok && e < p->column[c + 1]; e++) {
            const int i = p->block[e];
            if (sy->mark[i] != k) {
                sy->mark[i] = k;
                ok = append_block(sy, count, i);
            }
        }
    }
    if (ok && *count > first) {
        qsort(p->block + first, (size_t)(*count - first), sizeof(int), trm_ascending);
        const int parent = p->block[first];
        sy->sibling[k] = sy->child[parent];
        sy->child[parent] = k;
    }
    return ok;
}

static int symbolic_factorization(trm_pattern *p, const block_graph *graph)
{
    symbolic sy = {.p = p,
                   .graph = graph,
                   .child = new_ints(p->nblocks),
                   .sibling = new_ints(p->nblocks),
                   .mark = new_ints(p->nblocks)};
    int ok = sy.child && sy.sibling && sy.mark;
    for (int k = 0; ok && k < p->nblocks; k++) {
        sy.child[k] = -1;
        sy.mark[k] = -1;
    }
    int count = 0;
    for (int k = 0; ok && k < p->nblocks; k++) {
        ok = column_structure(&sy, k, &count);
        p->column[k + 1] = count;
    }
    free(sy.child);
    free(sy.sibling);
    free(sy.mark);
    return ok;
}

/// The number of rows that all blocks below the diagonal of column k have; its own number where it
/// has no such block, 0 where they differ.
static int rows_below(const trm_pattern *p, int k)
{
    const int begin = p->column[k];
    const int rows = p->column[k + 1] > begin ? p->size[p->block[begin]] : p->size[k];
    for (int e = begin; e < p->column[k + 1]; e++) {
        if (p->size[p->block[e]] != rows) {
            return 0;
        }
    }
    return rows;
}

static trm_stretch stretch_of(const trm_pattern *p, int k)
{
    const int size = p->size[k];
    const int rows = rows_below(p, k);
    const int blocks = p->column[k + 1] - p->column[k];
    const int counted = size <= 3 && blocks <= 2 ? blocks + 1 : 0;
    const int alike = rows == size && size <= 6;
    const int mixed = counted > 0 && rows + size == 3 && rows > 0;
    return alike || mixed ? (trm_stretch){k, k + 1, size, rows, counted}
                          : (trm_stretch){k, k + 1, size >= 3 && size <= 6 ? size : 0, 0, 0};
}

/// Blocks without rows, which no other touches, are in none.
static int find_stretches(trm_pattern *p)
{
    p->stretches = calloc((size_t)p->nblocks + 1, sizeof *p->stretches);
    for (int k = 0; p->stretches && k < p->nblocks; k++) {
        const trm_stretch next = stretch_of(p, k);
        trm_stretch *last = p->nstretches > 0 ? &p->stretches[p->nstretches - 1] : NULL;
        if (last && last->end == k && last->size == next.size && last->rows == next.rows &&
            last->blocks == next.blocks) {
            last->end++;
        } else if (p->size[k] > 0) {
            p->stretches[p->nstretches++] = next;
        }
    }
    return p->stretches != NULL;
}

/// Number the values: per column the diagonal block, then its off-diagonal blocks.
static int number_values(trm_pattern *p)
{
    double values = 0;
    for (int k = 0; k < p->nblocks; k++) {
        values += (double)p->size[k] * p->size[k];
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            values += (double)p->size[k] * p->size[p->block[e]];
        }
    }
    if (values > INT_MAX) {
        return 0;
    }
    p->offset = new_ints(p->column[p->nblocks]);
    p->row = new_ints(p->column[p->nblocks]);
    p->large = new_ints(p->nblocks);
    p->diagonal = new_ints(p->nblocks);
    p->pivot = new_ints(p->n);
    if (!p->offset || !p->row || !p->large || !p->diagonal || !p->pivot) {
        return 0;
    }
    for (int k = 0; k < p->nblocks; k++) {
        p->large[k] = p->size[k] >= 4 && p->size[k] <= 6 && rows_below(p, k) == p->size[k];
        p->diagonal[k] = p->values;
        for (int i = 0; i < p->size[k]; i++) {
            p->pivot[p->first[k] + i] = p->values + i * (p->size[k] + 1);
        }
        p->values += p->size[k] * p->size[k];
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            p->offset[e] = p->values;
            p->row[e] = p->first[p->block[e]];
            p->values += p->size[p->block[e]] * p->size[k];
        }
    }
    return 1;
}

/// Offset of block (i, j), i >= j in elimination order.
static int find_block(const trm_pattern *p, int i, int j)
{
    if (i == j) {
        return p->diagonal[j];
    }
    int low = p->column[j];
    int high = p->column[j + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (p->block[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return p->offset[low];
}

/// For every column the places that its elimination updates: all pairs of its blocks.
static int number_targets(trm_pattern *p)
{
    p->targets = new_ints(p->nblocks + 1);
    if (!p->targets) {
        return 0;
    }
    double total = 0;
    for (int k = 0; k < p->nblocks; k++) {
        const double m = p->column[k + 1] - p->column[k];
        total += m * (m + 1) / 2;
        if (total > INT_MAX) {
            return 0; // thousands of joints between the same bodies: no memory for the factor
        }
        p->targets[k + 1] = (int)total;
    }
    p->target = new_ints(p->targets[p->nblocks]);
    int next = 0;
    for (int k = 0; p->target && k < p->nblocks; k++) {
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            for (int f = p->column[k]; f <= e; f++) {
                p->target[next++] = find_block(p, p->block[e], p->block[f]);
            }
        }
    }
    return p->target != NULL;
}

static int collect_pairs(trm_pattern *p)
{
    p->pairs = calloc((size_t)p->nblocks + 1, sizeof *p->pairs);
    for (int k = 0; p->pairs && k < p->nblocks; k++) {
        trm_pair_column *pair = &p->pairs[k];
        const int m = p->column[k + 1] - p->column[k];
        pair->first = p->first[k];
        pair->values = p->diagonal[k];
        for (int e = 0; e < m && e < 2; e++) {
            pair->row[e] = p->row[p->column[k] + e];
        }
        for (int i = 0; i < m * (m + 1) / 2 && i < 3; i++) {
            pair->target[i] = p->target[p->targets[k] + i];
        }
    }
    return p->pairs != NULL;
}

/// Whether blocks of one row get a filler, so that all that have rows are pairs.
static int takes_fillers(int nblocks, const int *size)
{
    int ones = 0, twos = 0, more = 0;
    for (int i = 0; i < nblocks; i++) {
        ones += size[i] == 1;
        twos += size[i] == 2;
        more += size[i] > 2;
    }
    return twos > 0 && twos >= ones && more == 0;
}

/// Sizes in elimination order, and where the rows of g are in S.
static void number_rows(trm_pattern *p, const int *size)
{
    const int fills = takes_fillers(p->nblocks, size);
    int row = 0;
    int place = 0;
    int fillers = 0;
    for (int block = 0; block < p->nblocks; block++) {
        const int k = p->place[block];
        p->size[k] = fills && size[block] > 0 ? 2 : size[block];
        p->first[k] = place;
        for (int i = 0; i < p->size[k]; i++, place++) {
            if (i < size[block]) {
                p->place_of[row++] = place;
            } else {
                p->filler[fillers++] = place;
            }
        }
    }
}

trm_pattern *trm_pattern_create(int nblocks, const int *size, int npairs, const int *pairs)
{
    trm_pattern *p = calloc(1, sizeof *p);
    block_graph graph = {0};
    if (!p) {
        return NULL;
    }
    p->nblocks = nblocks;
    const int fills = takes_fillers(nblocks, size);
    for (int i = 0; i < nblocks; i++) {
        p->rows += size[i];
        p->n += fills && size[i] > 0 ? 2 : size[i];
    }
    p->order = new_ints(nblocks);
    p->place = new_ints(nblocks);
    p->size = new_ints(nblocks);
    p->first = new_ints(nblocks);
    p->filler = new_ints(p->n - p->rows);
    p->place_of = new_ints(p->rows);
    p->column = new_ints(nblocks + 1);
    int ok = p->order && p->place && p->size && p->first && p->place_of && p->filler && p->column &&
             graph_create(&graph, nblocks, npairs, pairs);
    ok = ok && trm_elimination_order(nblocks, graph.start, graph.neighbour, p->order);
    if (ok) {
        for (int k = 0; k < nblocks; k++) {
            p->place[p->order[k]] = k;
        }
        number_rows(p, size);
        ok = symbolic_factorization(p, &graph) && number_values(p) && number_targets(p) &&
             find_stretches(p) && (!fills || collect_pairs(p));
    }
    graph_destroy(&graph);
    if (!ok) {
        trm_pattern_destroy(p);
        p = NULL;
    }
    return p;
}

void trm_pattern_destroy(trm_pattern *p)
{
    if (p) {
        free(p->order);
        free(p->place);
        free(p->size);
        free(p->first);
        free(p->filler);
        free(p->place_of);
        free(p->least);
        free(p->column);
        free(p->block);
        free(p->row);
        free(p->offset);
        free(p->large);
        free(p->diagonal);
        free(p->pivot);
        free(p->target);
        free(p->targets);
        free(p->stretches);
        free(p->pairs);
        free(p);
    }
}

int trm_pattern_set_least(trm_pattern *p, const double *least)
{
    p->least = calloc((size_t)p->n + 1, sizeof(double));
    for (int row = 0; p->least && row < p->rows; row++) {
        p->least[p->place_of[row]] = least[row];
    }
    return p->least != NULL;
}

int trm_pattern_offset(const trm_pattern *p, int i, int j, int *transposed)
{
    const int a = p->place[i];
    const int b = p->place[j];
    *transposed = a != b && (a < b) != p->large[a < b ? a : b];
    return a < b ? find_block(p, b, a) : find_block(p, a, b);
}
