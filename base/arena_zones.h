/// In a build with AddressSanitizer each array of an arena ends at its last byte, and a line
/// follows that nobody may read or write; elsewhere arrays end with their cache line and nothing is
/// said.
#pragma once

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define TRM_ARENA_ZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRM_ARENA_ZONES 1
#endif
#endif
#ifndef TRM_ARENA_ZONES
#define TRM_ARENA_ZONES 0
#endif

enum { TRM_ARENA_LINE = 64 }; ///< bytes

struct trm_arena;

#if TRM_ARENA_ZONES
/// The zone behind an array, and bytes of an arena that keep the array's place: a number a line,
/// how many bytes of it belong to an array. They stand behind the arena, in its block.
enum { TRM_ARENA_ZONE = TRM_ARENA_LINE };
#define TRM_ARENA_PLACES(size) ((size) / TRM_ARENA_LINE)

/// The array in bytes [from, end) of the arena, just taken.
void trm_arena_zone(struct trm_arena *arena, size_t from, size_t end);
/// Whoever copies the arena as a block opens its zones before, and closes them after.
void trm_arena_zones_open(const struct trm_arena *arena);
void trm_arena_zones_close(const struct trm_arena *arena);
#else
enum { TRM_ARENA_ZONE = 0 };
#define TRM_ARENA_PLACES(size) ((size_t)0)

static inline void trm_arena_zone(struct trm_arena *arena, size_t from, size_t end)
{
    (void)arena, (void)from, (void)end;
}

static inline void trm_arena_zones_open(const struct trm_arena *arena)
{
    (void)arena;
}

static inline void trm_arena_zones_close(const struct trm_arena *arena)
{
    (void)arena;
}
#endif
