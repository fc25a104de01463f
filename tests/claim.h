/// A claim: a test case that the driver (driver.c) finds by itself, in the order of its file.
///
///     CLAIM(a_ball_falls)
///     {
///         assert_true(...);
///     }
#ifndef TESTS_CLAIM_H
#define TESTS_CLAIM_H

// cmocka.h wants these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct claim {
    const char *file;
    struct CMUnitTest test;
    struct claim *next;
} claim;

/// Called before main() begins.
void claim_add(claim *added);

#define CLAIM(name) CLAIM_BETWEEN(name, NULL, NULL)

/// With functions of cmocka before and after it, or NULL.
#define CLAIM_BETWEEN(name, before, after)                                                         \
    static void name(void **);                                                                     \
    __attribute__((constructor)) static void claim_##name(void)                                    \
    {                                                                                              \
        static claim added = {__FILE__, {#name, name, before, after, NULL}, NULL};                 \
        claim_add(&added);                                                                         \
    }                                                                                              \
    static void name(__attribute__((unused)) void **claim_state)

#endif
