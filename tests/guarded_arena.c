/// The arena of base/arena.h with a zone behind each array, linked in place of the
/// library's. Up to the end of the array's last cache line, where sums of four numbers end
/// (integrators/rk/stage_sum.h), it must stay no number; the line behind must stay as it is. Words
/// of a zone are NaN as doubles and negative as ints: what reads there computes with these. What
/// writes there is found when the arena closes, and ends the test.
#include "base/arena.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

typedef struct zone {
    size_t from, line,
        to; ///< of the arena's bytes: the array's end, that of its last line, the next
} zone;

/// The zones of an arena; its block begins with a pointer to them.
typedef struct guards {
    size_t n, room;
    zone *zones;
} guards;

static guards *guards_of(const trm_arena *arena)
{
    return *(guards **)(void *)arena->block;
}

int trm_arena_open(trm_arena *arena)
{
    const size_t size = arena->used > 0 ? arena->used : LINE;
    guards *list = arena->too_much ? NULL : calloc(1, sizeof *list);
    arena->used = arena->text = arena->text_end = 0;
    arena->nworkspaces = 0;
    arena->size = size;
    arena->block = list ? aligned_alloc(LINE, size + LINE) : NULL;
    arena->base = arena->block ? (char *)arena->block + LINE : NULL;
    if (!arena->base) {
        free(list);
        return 0;
    }
    memset(arena->base, 0, size);
    *(guards **)arena->block = list;
    return 1;
}

/// Byte `at` of the arena in zone k.
static unsigned char mark_of(size_t k, size_t at)
{
    const uint32_t word = UINT32_MAX - (uint32_t)(k % 65536);
    return (unsigned char)(word >> 8 * (at % 4));
}

static int is_no_number(const char *at)
{
    double x;
    memcpy(&x, at, sizeof x);
    return x != x;
}

static int is_whole(const trm_arena *arena, const guards *list, size_t k)
{
    const zone *z = &list->zones[k];
    int whole = 1;
    for (size_t i = (z->from + 7) / 8 * 8; i < z->line; i += 8) {
        whole &= is_no_number(arena->base + i);
    }
    for (size_t i = z->line; i < z->to; i++) {
        whole &= (unsigned char)arena->base[i] == mark_of(k, i);
    }
    return whole;
}

static void check(const trm_arena *arena, const guards *list)
{
    for (size_t k = 0; k < list->n; k++) {
        if (!is_whole(arena, list, k)) {
            fprintf(stderr, "array %zu of an arena was written behind its end\n", k);
            abort();
        }
    }
}

void trm_arena_close(trm_arena *arena)
{
    if (arena->block) {
        guards *list = guards_of(arena);
        check(arena, list);
        free(list->zones);
        free(list);
    }
    free(arena->block);
    *arena = (trm_arena){0};
}

/// A layout that runs once more takes its arrays anew.
static void guard(const trm_arena *arena, size_t from, size_t line)
{
    const size_t to = line + LINE;
    guards *list = guards_of(arena);
    while (list->n > 0 && list->zones[list->n - 1].to > from) {
        list->n--;
    }
    if (list->n == list->room) {
        list->room = 2 * list->room + 64;
        list->zones = realloc(list->zones, list->room * sizeof *list->zones);
        if (!list->zones) {
            abort();
        }
    }
    for (size_t i = from; i < to; i++) {
        arena->base[i] = (char)mark_of(list->n, i);
    }
    list->zones[list->n++] = (zone){from, line, to};
}

void *trm_arena_take(trm_arena *arena, size_t count, size_t size)
{
    const size_t end = arena->used + count * size;
    const size_t line = (end + LINE - 1) / LINE * LINE, next = line + LINE;
    char *taken = arena->base ? arena->base + arena->used : NULL;
    if (taken && next > arena->size) {
        fprintf(stderr, "an arena hands out more than was counted\n");
        abort();
    }
    if (taken) {
        guard(arena, end, line);
    }
    arena->used = next;
    return taken;
}

void trm_arena_workspace(trm_arena *arena, size_t from)
{
    (void)arena, (void)from; // for saved states
}

void *trm_arena_struct(trm_arena *arena, size_t size, void *counted, void **placed)
{
    *placed = trm_arena_take(arena, 1, size);
    return *placed ? *placed : counted;
}

const char *trm_arena_text(trm_arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = trm_arena_take(arena, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

double *trm_arena_matrix(trm_arena *arena, int rows, int columns)
{
    const double count = (double)rows * columns;
    arena->too_much |= count > INT_MAX;
    return count > INT_MAX ? NULL : trm_arena_doubles(arena, rows * columns);
}

double *trm_arena_doubles(trm_arena *arena, int count)
{
    return trm_arena_take(arena, (size_t)count, sizeof(double));
}

int *trm_arena_ints(trm_arena *arena, int count)
{
    return trm_arena_take(arena, (size_t)count, sizeof(int));
}
