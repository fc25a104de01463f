/// Functions of a shared library that is loaded when a method asks for it.
#pragma once

#include <pthread.h>
#include <stddef.h>

/// Puts the functions names[...], which end with NULL, of the library `file` into the pointers
/// to functions table[...]. Returns 1 where all are there, TRM_LATE_NO_MEMORY where it cannot be
/// loaded for want of memory, else 0. The library stays loaded.
/// Where it brings OpenBLAS along, that computes in the calling thread alone.
enum { TRM_LATE_NO_MEMORY = -1 };
int trm_late_load(const char *file, const char *const *names, void *table);

#define TRM_LATE_POINTER(name) __typeof__(&name) name;
#define TRM_LATE_NAME(name) #name,

/// Pointers to the functions of a list USE(f) USE(g) ..., by their names; and TABLE_load(), which
/// fills them once, and returns what trm_late_load did.
#define TRM_LATE(linkage, table, file, LIST)                                                       \
    linkage struct table##_functions table;                                                        \
    static pthread_once_t table##_once = PTHREAD_ONCE_INIT;                                        \
    static int table##_there;                                                                      \
    static void table##_take(void)                                                                 \
    {                                                                                              \
        static const char *const names[] = {LIST(TRM_LATE_NAME) NULL};                             \
        table##_there = trm_late_load(file, names, &table);                                        \
    }                                                                                              \
    linkage int table##_load(void)                                                                 \
    {                                                                                              \
        pthread_once(&table##_once, table##_take);                                                 \
        return table##_there;                                                                      \
    }
