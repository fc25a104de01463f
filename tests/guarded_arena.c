/// The arena of engine/base/arena.h with a zone of bytes 0xff behind each array (NaN as doubles, -1
/// as ints), linked in place of the library's. What reads behind its array computes with NaN; what
/// writes there is found when the arena closes, and ends the test.
#include "engine/base/arena.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MARK = 0xff };

typedef struct zone {
    size_t from, to; ///< of the arena's bytes
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

static void check(const trm_arena *arena, const guards *list)
{
    for (size_t k = 0; k < list->n; k++) {
        for (size_t i = list->zones[k].from; i < list->zones[k].to; i++) {
            if ((unsigned char)arena->base[i] != MARK) {
                fprintf(stderr, "array %zu of an arena: byte %zu behind its end was written\n", k,
                        i - list->zones[k].from);
                abort();
            }
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
static void guard(const trm_arena *arena, size_t from, size_t to)
{
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
    list->zones[list->n++] = (zone){from, to};
    memset(arena->base + from, MARK, to - from);
}

void *trm_arena_take(trm_arena *arena, size_t count, size_t size)
{
    const size_t end = arena->used + count * size, next = (end + LINE - 1) / LINE * LINE + LINE;
    char *taken = arena->base ? arena->base + arena->used : NULL;
    if (taken && next > arena->size) {
        fprintf(stderr, "an arena hands out more than was counted\n");
        abort();
    }
    if (taken) {
        guard(arena, end, next);
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
