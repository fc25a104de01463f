/// Raising and passing on errors: the only two macros of the library.
#ifndef TRM_STATUS_H
#define TRM_STATUS_H

#include "engine/trammel.h"

/// Where in Trammel's source an error was raised.
typedef struct trm_source {
    const char *file, *func;
    int line;
} trm_source;

/// Fill *err (which may be NULL) and return `status`, so that a failing function can end in
/// `return TRM_FAIL(err, TRM_ERR_SCENE, where, "expected 3 numbers, got %d", n);`
/// `where` may be NULL. Texts that do not fit are cut with "...".
#define TRM_FAIL(err, status, where, ...)                                                          \
    trm_fail((err), (status), (trm_source){__FILE__, __func__, __LINE__}, (where), __VA_ARGS__)

/// Leave the enclosing function when `call` did not return TRM_OK.
#define TRM_TRY(call)                                                                              \
    do {                                                                                           \
        const trm_status trm_try_status = (call);                                                  \
        if (trm_try_status != TRM_OK) {                                                            \
            return trm_try_status;                                                                 \
        }                                                                                          \
    } while (0)

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
trm_status
trm_fail(trm_error *err, trm_status status, trm_source source, const char *where,
         const char *format, ...);

#endif
