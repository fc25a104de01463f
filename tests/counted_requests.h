/// Requests for memory, counted, and made to fail. The linker puts the functions below in place of
/// malloc, calloc, realloc, aligned_alloc and free of the library (--wrap in meson.build).
#pragma once

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static long requests; ///< so far
static long alive;    ///< blocks not yet freed
static long fail_at;  ///< this request fails, and with `forever` all after it; 0: none
static int forever;

static int fails(void)
{
    requests++;
    return fail_at > 0 && (forever ? requests >= fail_at : requests == fail_at);
}

static void *counted(void *memory)
{
    alive += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = fails() ? NULL : __real_realloc(old, size);
    return old == NULL ? counted(memory) : memory;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    alive -= memory != NULL;
    __real_free(memory);
}
