/// The state of a run as bytes that may lie anywhere.
///
/// All that a run remembers is in two blocks: its head (a struct) and its arena. The blocks hold
/// pointers into the arena, which methods exchange as they go, but which are always pointers: the
/// layout sets every one of them. So the words that a layout at another address makes different are
/// exactly the pointers; a saved state has offsets there.
#pragma once

#include "base/arena.h"
#include "trammel/trammel_status.h"

#include <stdint.h>

/// Where the pointers are, in bytes from the beginning of the block.
typedef struct trm_pointer_map {
    size_t nhead, narena;
    size_t *at;   ///< [nhead + narena]
    uint64_t sum; ///< of all that
} trm_pointer_map;

/// Parts of the arena that a run does not remember, multiples of a word, in order: workspaces, and
/// of the watch the room for more directions and crossings than there were.
enum { TRM_IDLE_RANGES = TRM_WORKSPACES + 3 };

/// The two blocks of a run, and the data that must agree with the run that was saved.
typedef struct trm_state_blocks {
    void *head;
    size_t head_size;
    const trm_arena *arena;
    const trm_pointer_map *map;
    trm_arena_range idle[TRM_IDLE_RANGES]; ///< left out of saved states
    const void *model[3]; ///< its addresses: what the blocks point to outside the arena
    const void *method;
} trm_state_blocks;

/// Compare two runs just laid out. Returns 0 when memory is short.
int trm_pointer_map_open(trm_pointer_map *map, const trm_state_blocks *one,
                         const trm_state_blocks *other);
void trm_pointer_map_close(trm_pointer_map *map);

/// The largest size of a state of this run, saved or exported.
size_t trm_saved_size(const trm_state_blocks *run);
/// `bytes` has room for trm_saved_size; bytes behind those that the state takes are not touched.
void trm_saved_write(const trm_state_blocks *run, char *bytes);
/// Errors: OPTIONS (bytes that are no state, or not of this kind of run); nothing is touched then.
trm_status trm_saved_check(const trm_state_blocks *run, const char *bytes, size_t size,
                           trm_error *err);
/// Bytes that trm_saved_check accepted become the contents of the two blocks.
void trm_saved_read(const trm_state_blocks *run, const char *bytes);

/// The same for another process of the same program. `fresh` is a run just laid out alike: words
/// that differ from its words are what is saved; addresses of functions, tables and the model stand
/// in both, and never change. `print` is a sum of all that must agree. Errors: OPTIONS (a pointer
/// out of the arena: it cannot be carried).
trm_status trm_exported_write(const trm_state_blocks *run, const trm_state_blocks *fresh,
                              uint64_t print, char *bytes, trm_error *err);
/// Errors: OPTIONS, as trm_saved_check; nothing is touched then.
trm_status trm_exported_read(const trm_state_blocks *run, const trm_state_blocks *fresh,
                             uint64_t print, const char *bytes, size_t size, trm_error *err);

/// The checksum of bytes.
uint64_t trm_saved_sum(uint64_t sum, const void *bytes, size_t size);
