/// @file
/// Raising errors as the library does, for programs and functions of a user's own.
///
/// @code
///     static trm_status load(const char *path, trm_scene **scene, trm_error *err)
///     {
///         if (!path) {
///             return TRM_FAIL(err, TRM_ERR_OPTIONS, "path", "expected a file, got NULL");
///         }
///         TRM_TRY(trm_scene_load(path, scene, err));
///         return TRM_OK;
///     }
/// @endcode
#ifndef TRAMMEL_ERROR_H
#define TRAMMEL_ERROR_H

#include "trammel_status.h"

TRM_API_BEGIN

/// Where in the source an error was raised.
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

#ifdef __GNUC__
#define TRM_PRINTF_LIKE(text, rest) __attribute__((format(printf, text, rest)))
#else
#define TRM_PRINTF_LIKE(text, rest)
#endif

/// Called by TRM_FAIL. Returns `status`.
TRM_PRINTF_LIKE(5, 6)
trm_status trm_fail(trm_error *err, trm_status status, trm_source source, const char *where,
                    const char *format, ...);

TRM_API_END

#endif
