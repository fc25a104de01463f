/// Fill decides the number of operations. The longest chain of dependent pivots decides the time on
/// a processor that works on several operations at once; with the little fill of mechanisms the
/// chain counts more. General ordering libraries minimize fill only. Here
///
/// - blocks that cause no fill come first: their neighbours are
/// neighbours of each other, as those of
///   the pins between cranks and ground; those that wait for the fewest pivots before the others;
/// - then those of least degree.
///
/// A chain is so eliminated from both ends in turn.
#include "engine/linear/elimination_order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Neighbours of one block among those not yet eliminated, ascending.
typedef struct neighbours {
    int *list;
    int n, capacity;
} neighbours;

/// Candidates by key_of.
typedef struct queue {
    uint64_t *key; ///< a binary heap
    int n, capacity;
} queue;

typedef struct elimination {
    int n;
    neighbours *of;
    int *level; ///< how many pivots a block waits for, one after the other
    int *done;
    queue queue;
    uint64_t *queued; ///< the entry of a block in the queue; others of it are stale
    int *merged;      ///< [n] workspace
} elimination;

// ------------------------------------------------------------------------------------ the queue

static int are_neighbours(const elimination *e, int i, int j)
{
    const neighbours *own = &e->of[i];
    int low = 0;
    int high = own->n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (own->list[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < own->n && own->list[low] == j;
}

/// Whether all neighbours of i are neighbours of each other; no for blocks with many neighbours.
static int causes_no_fill(const elimination *e, int i)
{
    enum { MANY = 6 };
    const neighbours *own = &e->of[i];
    int complete = own->n < MANY;
    for (int a = 0; complete && a < own->n; a++) {
        for (int b = 0; complete && b < a; b++) {
            complete = are_neighbours(e, own->list[a], own->list[b]);
        }
    }
    return complete;
}

/// (no fill, level, degree, index) or (fill, degree, level, index): 1, 15, 24, 24 bits.
static uint64_t key_of(const elimination *e, int i)
{
    const uint64_t most = (1 << 15) - 1;
    const uint64_t count = (uint64_t)e->of[i].n;
    const uint64_t degree = count < most ? count : most;
    const uint64_t level = (uint64_t)e->level[i];
    return causes_no_fill(e, i) ? level << 39 | degree << 24 | (uint64_t)i
                                : (uint64_t)1 << 63 | degree << 48 | level << 24 | (uint64_t)i;
}

static int push(queue *q, uint64_t key)
{
    if (q->n == q->capacity) {
        const int capacity = 2 * q->capacity + 64;
        uint64_t *grown = realloc(q->key, (size_t)capacity * sizeof *grown);
        if (!grown) {
            return 0;
        }
        q->key = grown;
        q->capacity = capacity;
    }
    int i = q->n++;
    for (; i > 0 && q->key[(i - 1) / 2] > key; i = (i - 1) / 2) {
        q->key[i] = q->key[(i - 1) / 2];
    }
    q->key[i] = key;
    return 1;
}

static uint64_t pop(queue *q)
{
    const uint64_t least = q->key[0];
    const uint64_t last = q->key[--q->n];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child + 1 < q->n && q->key[child + 1] < q->key[child]) {
            child++;
        }
        if (child >= q->n || q->key[child] >= last) {
            break;
        }
        q->key[i] = q->key[child];
        i = child;
    }
    q->key[i] = last;
    return least;
}

static int enqueue(elimination *e, int i)
{
    e->queued[i] = key_of(e, i);
    return push(&e->queue, e->queued[i]);
}

/// The next block. A block whose neighbours have become neighbours of each other meanwhile goes
/// back into the queue. -1 without memory.
static int next_block(elimination *e)
{
    for (;;) {
        const uint64_t key = pop(&e->queue);
        const int i = (int)(key & 0xffffff);
        if (e->done[i] || key != e->queued[i]) {
            continue;
        }
        if (key == key_of(e, i)) {
            return i;
        }
        if (!enqueue(e, i)) {
            return -1;
        }
    }
}

// -------------------------------------------------------------------------------- the elimination

/// of[u] := of[u] and of[v] without u and v.
static int merge(elimination *e, int u, int v)
{
    neighbours *a = &e->of[u];
    const neighbours *b = &e->of[v];
    int n = 0;
    int i = 0;
    int j = 0;
    while (i < a->n || j < b->n) {
        const int x = i < a->n ? a->list[i] : e->n;
        const int y = j < b->n ? b->list[j] : e->n;
        const int least = x < y ? x : y;
        i += x == least;
        j += y == least;
        if (least != u && least != v) {
            e->merged[n++] = least;
        }
    }
    if (n > a->capacity) {
        int *grown = realloc(a->list, 2 * (size_t)n * sizeof *grown);
        if (!grown) {
            return 0;
        }
        a->list = grown;
        a->capacity = 2 * n;
    }
    memcpy(a->list, e->merged, (size_t)n * sizeof(int));
    a->n = n;
    return 1;
}

static int eliminate(elimination *e, int v)
{
    e->done[v] = 1;
    int ok = 1;
    for (int k = 0; ok && k < e->of[v].n; k++) {
        const int u = e->of[v].list[k];
        ok = merge(e, u, v);
        e->level[u] = e->level[u] > e->level[v] ? e->level[u] : e->level[v] + 1;
    }
    for (int k = 0; ok && k < e->of[v].n; k++) {
        ok = enqueue(e, e->of[v].list[k]);
    }
    return ok;
}

static int begin(elimination *e, const int *start, const int *neighbour)
{
    const size_t count = (size_t)e->n + 1;
    e->of = calloc(count, sizeof *e->of);
    e->level = calloc(count, sizeof *e->level);
    e->done = calloc(count, sizeof *e->done);
    e->merged = calloc(count, sizeof *e->merged);
    e->queued = calloc(count, sizeof *e->queued);
    int ok = e->of && e->level && e->done && e->merged && e->queued;
    for (int i = 0; ok && i < e->n; i++) {
        neighbours *own = &e->of[i];
        own->n = start[i + 1] - start[i];
        own->capacity = own->n + 4;
        own->list = malloc((size_t)own->capacity * sizeof(int));
        ok = own->list != NULL;
        if (ok) {
            memcpy(own->list, neighbour + start[i], (size_t)own->n * sizeof(int));
        }
    }
    for (int i = 0; ok && i < e->n; i++) {
        ok = enqueue(e, i);
    }
    return ok;
}

static void end(elimination *e)
{
    for (int i = 0; e->of && i < e->n; i++) {
        free(e->of[i].list);
    }
    free(e->of);
    free(e->level);
    free(e->done);
    free(e->merged);
    free(e->queued);
    free(e->queue.key);
}

/// The blocks left are all neighbours of each other, as those of many joints between two bodies:
/// there is no further fill, and each pivot waits for all before it. They are ordered as the queue
/// would order them, in n^2 steps instead of n^3.
static void order_clique(elimination *e, int left, int *order)
{
    int level = 0; // that all others wait for
    for (int k = 0; k < left; k++) {
        int first = -1, least = 0;
        for (int i = 0; i < e->n; i++) {
            const int own = e->level[i] > level ? e->level[i] : level;
            if (!e->done[i] && (first < 0 || own < least)) {
                first = i;
                least = own;
            }
        }
        e->done[first] = 1;
        level = least + 1;
        order[k] = first;
    }
}

int trm_elimination_order(int n, const int *start, const int *neighbour, int *order)
{
    elimination e = {.n = n};
    int ok = n < 1 << 24 && begin(&e, start, neighbour);
    for (int k = 0; ok && k < n; k++) {
        order[k] = next_block(&e);
        ok = order[k] >= 0;
        if (ok && e.of[order[k]].n == n - k - 1) {
            order_clique(&e, n - k, order + k);
            break;
        }
        ok = ok && eliminate(&e, order[k]);
    }
    end(&e);
    return ok;
}
