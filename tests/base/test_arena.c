/// Arrays of an arena: zeroed, on lines of their own; under AddressSanitizer nothing beside them
/// may be touched.
#include "base/arena.h"
#include "base/arena_zones.h"
#include "tests/rig.h"

#include <stdint.h>

enum { ARRAYS = 5 };
static const size_t bytes_of[ARRAYS] = {1, 64, 0, 77, 24};

static void layout(trm_arena *arena, char *array[ARRAYS])
{
    for (int k = 0; k < ARRAYS; k++) {
        array[k] = trm_arena_take(arena, bytes_of[k], 1);
    }
}

static trm_arena open_arena(char *array[ARRAYS])
{
    trm_arena arena = {0};
    layout(&arena, array);
    assert_null(array[0]);
    assert_true(trm_arena_open(&arena));
    layout(&arena, array);
    assert_int_equal(arena.used, arena.size);
    return arena;
}

CLAIM(arrays_are_zero_and_share_no_cache_line)
{
    char *array[ARRAYS];
    trm_arena arena = open_arena(array);
    for (int k = 0; k < ARRAYS; k++) {
        assert_int_equal((uintptr_t)array[k] % TRM_ARENA_LINE, 0);
        assert_true(k == 0 || array[k] >= array[k - 1] + bytes_of[k - 1]);
        for (size_t i = 0; i < bytes_of[k]; i++) {
            assert_int_equal(array[k][i], 0);
        }
    }
    trm_arena_close(&arena);
}

#if TRM_ARENA_ZONES
#include <sanitizer/asan_interface.h>

/// Of all bytes of the arena those of the arrays are open, and no others.
static void check_zones(const trm_arena *arena, char *const array[ARRAYS])
{
    int k = 0;
    for (const char *at = arena->base; at < arena->base + arena->size; at++) {
        while (k < ARRAYS && at >= array[k] + bytes_of[k]) {
            k++;
        }
        const int taken = k < ARRAYS && at >= array[k];
        assert_int_equal(__asan_address_is_poisoned(at), !taken);
    }
    assert_int_equal(k, ARRAYS);
}

CLAIM(bytes_between_arrays_are_forbidden)
{
    char *array[ARRAYS];
    trm_arena arena = open_arena(array);
    check_zones(&arena, array);
    trm_arena_zones_open(&arena);
    memset(arena.base, 0xff, arena.size); // who copies the arena may write there
    trm_arena_zones_close(&arena);
    check_zones(&arena, array);
    trm_arena_close(&arena);
}
#else
CLAIM(bytes_between_arrays_are_forbidden)
{
    skip();
}
#endif
