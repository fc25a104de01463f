#include "base/saved_state.h"
#include "base/arena_zones.h"
#include "base/loops.h"
#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = sizeof(uintptr_t) };

/// The header, before the blocks.
typedef struct header {
    char magic[16];
    uint64_t sum; ///< of everything behind it
    uint64_t head_size, arena_size;
    uint64_t layout; ///< sum of the pointer map
    uintptr_t model[3], method;
    trm_arena_range idle[TRM_IDLE_RANGES]; ///< ranges of the arena that are left out of the state
} header;

enum { SUMMED = offsetof(header, head_size) };

static const char magic[16] = "trammel " TRM_VERSION;

static uintptr_t word_at(const char *block, size_t at)
{
    uintptr_t word;
    memcpy(&word, block + at, WORD);
    return word;
}

static void set_word(char *block, size_t at, uintptr_t word)
{
    memcpy(block + at, &word, WORD);
}

static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum << 29 | sum >> 35;
}

/// Four words as one vector of gcc and clang.
typedef uint64_t words __attribute__((vector_size(4 * sizeof(uint64_t))));
enum { VECTORS = 4, STRIPE = VECTORS * sizeof(words) };

/// Sixteen sums side by side, of every sixteenth word each, after Fletcher: `plain` of the words,
/// and `placed` of these sums, which knows their order. Returns the bytes done, whole stripes.
TRM_WIDE static size_t add_stripes(const char *bytes, size_t size, words *plain, words *placed)
{
    words a[VECTORS] = {0}, b[VECTORS] = {0};
    size_t i = 0;
    for (; i + STRIPE <= size; i += STRIPE) {
        for (int k = 0; k < VECTORS; k++) {
            words word;
            memcpy(&word, bytes + i + (size_t)k * sizeof word, sizeof word);
            a[k] += word;
            b[k] += a[k];
        }
    }
    memcpy(plain, a, sizeof a);
    memcpy(placed, b, sizeof b);
    return i;
}

/// One changed word changes a plain sum, and every one of them enters a chain x -> (x ^ word) *
/// odd, rotated, which is a bijection of x and of the word.
uint64_t trm_saved_sum(uint64_t sum, const void *block, size_t size)
{
    const char *const bytes = block;
    words plain[VECTORS], placed[VECTORS];
    uint64_t word;
    size_t i = add_stripes(bytes, size, plain, placed);
    for (int k = 0; k < VECTORS; k++) {
        for (int j = 0; j < 4; j++) {
            sum = add_word(add_word(sum, plain[k][j]), placed[k][j]);
        }
    }
    for (; i < size; i += sizeof word) {
        word = 0;
        memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
        sum = add_word(sum, word);
    }
    return sum;
}

static void open_zones(const trm_state_blocks *one, const trm_state_blocks *other)
{
    trm_arena_zones_open(one->arena);
    trm_arena_zones_open(other->arena);
}

static void close_zones(const trm_state_blocks *one, const trm_state_blocks *other)
{
    trm_arena_zones_close(one->arena);
    trm_arena_zones_close(other->arena);
}

// ---------------------------------------------------------------------------- where pointers are

/// How many words differ; `at` (NULL: only count) gets their places. Nearly all lines are alike.
static size_t differences(const char *one, const char *other, size_t size, size_t *at)
{
    enum { LINE = 64 * WORD };
    size_t count = 0;
    for (size_t line = 0; line < size; line += LINE) {
        const size_t end = size - line < LINE ? size : line + LINE;
        const int alike = memcmp(one + line, other + line, end - line) == 0;
        for (size_t i = line; i + WORD <= end && !alike; i += WORD) {
            if (word_at(one, i) != word_at(other, i)) {
                if (at) {
                    at[count] = i;
                }
                count++;
            }
        }
    }
    return count;
}

int trm_pointer_map_open(trm_pointer_map *map, const trm_state_blocks *one,
                         const trm_state_blocks *other)
{
    const char *head[2] = {one->head, other->head};
    const char *arena[2] = {one->arena->base, other->arena->base};
    const size_t size = one->arena->size;
    open_zones(one, other);
    map->nhead = differences(head[0], head[1], one->head_size, NULL);
    map->narena = differences(arena[0], arena[1], size, NULL);
    map->at = malloc((map->nhead + map->narena + 1) * sizeof *map->at);
    if (map->at) {
        differences(head[0], head[1], one->head_size, map->at);
        differences(arena[0], arena[1], size, map->at + map->nhead);
    }
    close_zones(one, other);
    if (!map->at) {
        return 0;
    }
    map->sum = trm_saved_sum(map->nhead, map->at, (map->nhead + map->narena) * sizeof *map->at);
    return 1;
}

void trm_pointer_map_close(trm_pointer_map *map)
{
    free(map->at);
    *map = (trm_pointer_map){0};
}

// ------------------------------------------------------------------------------ pointers, offsets

/// Pointers become offsets + 1; NULL stays 0.
static void unbind(char *block, const size_t *at, size_t count, uintptr_t base)
{
    for (size_t k = 0; k < count; k++) {
        const uintptr_t pointer = word_at(block, at[k]);
        set_word(block, at[k], pointer ? pointer - base + 1 : 0);
    }
}

static void bind(char *block, const size_t *at, size_t count, uintptr_t base)
{
    for (size_t k = 0; k < count; k++) {
        const uintptr_t offset = word_at(block, at[k]);
        set_word(block, at[k], offset ? offset - 1 + base : 0);
    }
}

/// The first pointer of the arena at or behind `at`, from *next on.
static const size_t *skip_to(const trm_pointer_map *map, const size_t *next, size_t at)
{
    const size_t *const end = map->at + map->nhead + map->narena;
    while (next < end && *next < at) {
        next++;
    }
    return next;
}

/// The live parts of the arena, one behind the other.
static size_t live_size(const trm_arena_range *idle, size_t arena_size)
{
    size_t size = arena_size;
    for (int i = 0; i < TRM_IDLE_RANGES; i++) {
        size -= idle[i].to - idle[i].from;
    }
    return size;
}

/// Part number i of the arena that is live: [from, to).
static trm_arena_range live_part(const trm_arena_range *idle, int i, size_t arena_size)
{
    return (trm_arena_range){i > 0 ? idle[i - 1].to : 0,
                             i < TRM_IDLE_RANGES ? idle[i].from : arena_size};
}

static void pack_arena(const trm_state_blocks *run, char *to)
{
    const char *const base = run->arena->base;
    const size_t *first = run->map->at + run->map->nhead;
    for (int i = 0; i <= TRM_IDLE_RANGES; i++) {
        const trm_arena_range part = live_part(run->idle, i, run->arena->size);
        const size_t *const end = skip_to(run->map, first, part.to);
        memcpy(to, base + part.from, part.to - part.from);
        for (first = skip_to(run->map, first, part.from); first < end; first++) {
            const uintptr_t pointer = word_at(base, *first);
            set_word(to, *first - part.from, pointer ? pointer - (uintptr_t)base + 1 : 0);
        }
        to += part.to - part.from;
    }
}

static void unpack_arena(const trm_state_blocks *run, const trm_arena_range *idle, const char *from)
{
    char *const base = run->arena->base;
    const size_t *first = run->map->at + run->map->nhead;
    for (int i = 0; i <= TRM_IDLE_RANGES; i++) {
        const trm_arena_range part = live_part(idle, i, run->arena->size);
        const size_t *const end = skip_to(run->map, first, part.to);
        memcpy(base + part.from, from, part.to - part.from);
        first = skip_to(run->map, first, part.from);
        bind(base, first, (size_t)(end - first), (uintptr_t)base);
        first = end;
        from += part.to - part.from;
    }
}

static header header_of(const trm_state_blocks *run)
{
    header h = {
        .head_size = run->head_size,
        .arena_size = run->arena->size,
        .layout = run->map->sum,
        .model = {(uintptr_t)run->model[0], (uintptr_t)run->model[1], (uintptr_t)run->model[2]},
        .method = (uintptr_t)run->method};
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

/// Rings of the watch count in full: the size is that of every state of the run.
size_t trm_saved_size(const trm_state_blocks *run)
{
    size_t size = sizeof(header) + run->head_size + run->arena->size;
    for (int i = 0; i < run->arena->nworkspaces; i++) {
        size -= run->arena->workspace[i].to - run->arena->workspace[i].from;
    }
    return size;
}

/// What lives of both blocks, pointers as offsets.
static void pack(const trm_state_blocks *run, char *bytes)
{
    char *const head = bytes + sizeof(header);
    memcpy(head, run->head, run->head_size);
    unbind(head, run->map->at, run->map->nhead, (uintptr_t)run->arena->base);
    pack_arena(run, head + run->head_size);
}

static void sign(const trm_state_blocks *run, header h, char *bytes)
{
    memcpy(h.idle, run->idle, sizeof h.idle);
    memcpy(bytes, &h, sizeof h);
    const size_t live = live_size(run->idle, run->arena->size);
    h.sum = trm_saved_sum(0, bytes + SUMMED, sizeof h - SUMMED + run->head_size + live);
    memcpy(bytes, &h, sizeof h);
}

void trm_saved_write(const trm_state_blocks *run, char *bytes)
{
    trm_arena_zones_open(run->arena);
    pack(run, bytes);
    trm_arena_zones_close(run->arena);
    sign(run, header_of(run), bytes);
}

void trm_saved_read(const trm_state_blocks *run, const char *bytes)
{
    header h;
    memcpy(&h, bytes, sizeof h);
    memcpy(run->head, bytes + sizeof h, run->head_size);
    bind(run->head, run->map->at, run->map->nhead, (uintptr_t)run->arena->base);
    trm_arena_zones_open(run->arena);
    unpack_arena(run, h.idle, bytes + sizeof h + run->head_size);
    trm_arena_zones_close(run->arena);
}

/// Whether the ranges are valid: in order, within the arena.
static int ranges_fit(const trm_arena_range *idle, size_t arena_size)
{
    size_t at = 0;
    for (int i = 0; i < TRM_IDLE_RANGES; i++) {
        if (idle[i].from < at || idle[i].to < idle[i].from || idle[i].to > arena_size) {
            return 0;
        }
        at = idle[i].to;
    }
    return 1;
}

/// Whether these bytes are the whole state, and as they were written.
static int is_whole(const trm_state_blocks *run, const header *h, const char *bytes, size_t size)
{
    if (!ranges_fit(h->idle, run->arena->size)) {
        return 0;
    }
    const size_t summed =
        sizeof *h - SUMMED + run->head_size + live_size(h->idle, run->arena->size);
    return size >= trm_saved_size(run) && size >= SUMMED + summed &&
           trm_saved_sum(0, bytes + SUMMED, summed) == h->sum;
}

trm_status trm_saved_check(const trm_state_blocks *run, const char *bytes, size_t size,
                           trm_error *err)
{
    const header want = header_of(run);
    header h;
    if (size < sizeof h) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "size", "expected a saved state, got %zu bytes",
                        size);
    }
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, want.magic, sizeof h.magic) != 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "expected a state saved by version %s of the library", TRM_VERSION);
    }
    if (memcmp(h.model, want.model, sizeof h.model) != 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "the state was saved by a run of another model, or of another process");
    }
    if (h.method != want.method || h.head_size != want.head_size ||
        h.arena_size != want.arena_size || h.layout != want.layout) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "the state was saved by a run of another method, or with options that "
                        "need other memory");
    }
    if (!is_whole(run, &h, bytes, size)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "the saved state was changed or cut off after it was saved");
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------ to another process

static const char exported[16] = "trammel> " TRM_VERSION;

/// Whether all pointers lead into the arena, or nowhere.
static int are_within(const char *block, const size_t *at, size_t count, const trm_arena *arena)
{
    for (size_t k = 0; k < count; k++) {
        const uintptr_t pointer = word_at(block, at[k]);
        if (pointer &&
            (pointer < (uintptr_t)arena->base || pointer - (uintptr_t)arena->base > arena->size)) {
            return 0;
        }
    }
    return 1;
}

static void add_words(char *block, const char *other, size_t size)
{
    for (size_t i = 0; i + WORD <= size; i += WORD) {
        set_word(block, i, word_at(block, i) ^ word_at(other, i));
    }
}

/// packed ^= what lives of the arena `other`.
static void add_parts(const trm_arena_range *idle, const trm_arena *other, char *packed)
{
    for (int i = 0; i <= TRM_IDLE_RANGES; i++) {
        const trm_arena_range part = live_part(idle, i, other->size);
        add_words(packed, other->base + part.from, part.to - part.from);
        packed += part.to - part.from;
    }
}

/// The blocks of a run just laid out, pointers as offsets. It can only be destroyed then.
static void unbind_blocks(const trm_state_blocks *fresh, const trm_pointer_map *map)
{
    const uintptr_t base = (uintptr_t)fresh->arena->base;
    unbind(fresh->head, map->at, map->nhead, base);
    unbind(fresh->arena->base, map->at + map->nhead, map->narena, base);
}

/// Rings in full: every byte of an exported state is signed.
static trm_state_blocks with_rings(const trm_state_blocks *run)
{
    trm_state_blocks all = *run;
    for (int i = 0; i < TRM_IDLE_RANGES; i++) {
        const size_t end = run->arena->size;
        all.idle[i] =
            i < run->arena->nworkspaces ? run->arena->workspace[i] : (trm_arena_range){end, end};
    }
    return all;
}

static header exported_header(const trm_state_blocks *run, uint64_t print)
{
    header h = {.head_size = run->head_size,
                .arena_size = run->arena->size,
                .layout = run->map->sum,
                .model = {(uintptr_t)print}};
    memcpy(h.magic, exported, sizeof exported);
    return h;
}

static trm_status write_exported(const trm_state_blocks *run, const trm_state_blocks *fresh,
                                 uint64_t print, char *bytes, trm_error *err)
{
    const trm_pointer_map *map = run->map;
    char *const head = bytes + sizeof(header);
    if (!are_within(run->head, map->at, map->nhead, run->arena) ||
        !are_within(run->arena->base, map->at + map->nhead, map->narena, run->arena)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "integrator",
                        "the state of this method cannot be carried to another process");
    }
    pack(run, bytes);
    unbind_blocks(fresh, map);
    add_words(head, fresh->head, run->head_size);
    add_parts(run->idle, fresh->arena, head + run->head_size);
    sign(run, exported_header(run, print), bytes);
    return TRM_OK;
}

trm_status trm_exported_write(const trm_state_blocks *run, const trm_state_blocks *fresh,
                              uint64_t print, char *bytes, trm_error *err)
{
    const trm_state_blocks all = with_rings(run);
    open_zones(run, fresh);
    const trm_status status = write_exported(&all, fresh, print, bytes, err);
    close_zones(run, fresh);
    return status;
}

/// Whether a sum that fits by chance or by intent makes a pointer that leads out of the arena.
static int offsets_fit(const char *block, const size_t *at, size_t count, size_t size)
{
    for (size_t k = 0; k < count; k++) {
        if (word_at(block, at[k]) > size) {
            return 0;
        }
    }
    return 1;
}

static trm_status check_exported(const trm_state_blocks *run, uint64_t print, const char *bytes,
                                 size_t size, trm_error *err)
{
    const header want = exported_header(run, print);
    header h = {.sum = 0};
    if (size >= sizeof h) {
        memcpy(&h, bytes, sizeof h);
    }
    if (memcmp(h.magic, want.magic, sizeof h.magic) != 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "expected a state exported by version %s of the library", TRM_VERSION);
    }
    if (h.model[0] != want.model[0] || h.head_size != want.head_size ||
        h.arena_size != want.arena_size || h.layout != want.layout) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "the state was exported by a run of another model, with other options, or "
                        "by another build of the library");
    }
    if (!is_whole(run, &h, bytes, size)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer",
                        "the exported state was changed or cut off");
    }
    return TRM_OK;
}

/// `fresh` becomes the state, its pointers as offsets, before the run is touched.
static trm_status read_exported(const trm_state_blocks *run, const trm_state_blocks *fresh,
                                const char *bytes, trm_error *err)
{
    const trm_pointer_map *map = run->map;
    const uintptr_t base = (uintptr_t)run->arena->base;
    char *const head = fresh->head, *const arena = fresh->arena->base;
    const size_t size = run->arena->size;
    header h;
    memcpy(&h, bytes, sizeof h);
    bytes += sizeof h;
    unbind_blocks(fresh, map);
    add_words(head, bytes, run->head_size);
    bytes += run->head_size;
    for (int i = 0; i <= TRM_IDLE_RANGES; i++) {
        const trm_arena_range part = live_part(h.idle, i, size);
        add_words(arena + part.from, bytes, part.to - part.from);
        bytes += part.to - part.from;
    }
    if (!offsets_fit(head, map->at, map->nhead, size) ||
        !offsets_fit(arena, map->at + map->nhead, map->narena, size)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer", "the exported state was changed");
    }
    memcpy(run->head, head, run->head_size);
    memcpy(run->arena->base, arena, size);
    bind(run->head, map->at, map->nhead, base);
    bind(run->arena->base, map->at + map->nhead, map->narena, base);
    return TRM_OK;
}

trm_status trm_exported_read(const trm_state_blocks *run, const trm_state_blocks *fresh,
                             uint64_t print, const char *bytes, size_t size, trm_error *err)
{
    TRM_TRY(check_exported(run, print, bytes, size, err));
    open_zones(run, fresh);
    const trm_status status = read_exported(run, fresh, bytes, err);
    close_zones(run, fresh);
    return status;
}
