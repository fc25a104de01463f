/// Changes for libFuzzer that keep XML whole: an element goes elsewhere or away, a value is that of
/// another attribute or a number at the edge of what is read. Every other change is its own.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

typedef struct span {
    size_t at, n;
} span;

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/// The first place with this byte at or behind a random one; size: there is none.
static size_t find(const uint8_t *bytes, size_t size, char what, uint64_t *state)
{
    const size_t from = (size_t)next(state) % size;
    const uint8_t *const found = memchr(bytes + from, what, size - from);
    return found ? (size_t)(found - bytes) : size;
}

/// From its "<" to the end of what closes it.
static span element(const uint8_t *bytes, size_t size, uint64_t *state)
{
    const size_t at = find(bytes, size, '<', state);
    int depth = 0;
    for (size_t i = at; i < size; i++) {
        depth += bytes[i] == '<' ? (i + 1 < size && bytes[i + 1] == '/' ? -1 : 1) : 0;
        depth -= bytes[i] == '>' && bytes[i - 1] == '/';
        if (bytes[i] == '>' && depth <= 0) {
            return (span){at, i + 1 - at};
        }
    }
    return (span){at, 0};
}

/// Within the quotes behind a "=", or the text behind a ">".
static span value(const uint8_t *bytes, size_t size, uint64_t *state)
{
    const int is_text = next(state) % 4 == 0;
    const size_t at = find(bytes, size, is_text ? '>' : '=', state) + (is_text ? 1 : 2);
    size_t end = at;
    while (end < size && bytes[end] != (is_text ? '<' : bytes[at - 1])) {
        end++;
    }
    return end < size ? (span){at, end - at} : (span){0, 0};
}

static size_t replace(uint8_t *bytes, size_t size, size_t most, span out, const uint8_t *in,
                      size_t n)
{
    if (size - out.n + n > most) {
        return size;
    }
    memmove(bytes + out.at + n, bytes + out.at + out.n, size - out.at - out.n);
    memcpy(bytes + out.at, in, n);
    return size - out.n + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    static const char *const edges[] = {"0",   "-1",  "1e300",   "1e-300", "nan",
                                        "inf", "1e9", "0 0 0",   "1 2 3",  "",
                                        "-0",  "x y", "0 0 0 1", "1e16"};
    uint64_t state = seed;
    uint8_t kept[4096];
    const uint64_t way = next(&state) % 8;
    if (size < 8 || bytes[0] != '<' || way < 4) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    const span from = way < 6 ? element(bytes, size, &state) : value(bytes, size, &state);
    if (from.n > sizeof kept) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    if (from.n > 0) {
        memcpy(kept, bytes + from.at, from.n);
    }
    switch (way) {
    case 4:
        return replace(bytes, size, most, from, kept, 0);
    case 5:
        return replace(bytes, size, most, (span){find(bytes, size, '<', &state), 0}, kept, from.n);
    case 6:
        return replace(bytes, size, most, value(bytes, size, &state), kept, from.n);
    default: {
        const char *const edge = edges[next(&state) % (sizeof edges / sizeof *edges)];
        return replace(bytes, size, most, from, (const uint8_t *)edge, strlen(edge));
    }
    }
}
