/// @file
/// Trammel: the status that every function returns, and the error that says why.
///
/// @code
///     trm_error err;
///     if (trm_scene_load("arm.json", &scene, &err)) {
///         fprintf(stderr, "%s: %s\n", err.where, err.message); // arm.json:14:7: ...
///         return err.status == TRM_ERR_MEMORY ? 5 : 2;
///     }
/// @endcode
#ifndef TRAMMEL_STATUS_H
#define TRAMMEL_STATUS_H

#include <stddef.h>

// Around what the shared library shows, for C and C++.
#ifdef __GNUC__
#define TRM_API_SEEN _Pragma("GCC visibility push(default)")
#define TRM_API_UNSEEN _Pragma("GCC visibility pop")
#else
#define TRM_API_SEEN
#define TRM_API_UNSEEN
#endif
#ifdef __cplusplus
#define TRM_API_BEGIN                                                                              \
    extern "C" {                                                                                   \
    TRM_API_SEEN
#define TRM_API_END                                                                                \
    TRM_API_UNSEEN                                                                                 \
    }
#else
#define TRM_API_BEGIN TRM_API_SEEN
#define TRM_API_END TRM_API_UNSEEN
#endif

TRM_API_BEGIN

/// Of these headers.
#define TRM_VERSION "0.1.0"
#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 1
#define TRM_VERSION_PATCH 0
const char *trm_version(void); ///< of the linked library

/// Every function that can fail returns one: 0 success, > 0 orderly early stop, < 0 failure.
/// X(name, value, sentence): one list, so that no code can lack its sentence.
#define TRM_STATUS_LIST(X)                                                                         \
    X(TRM_OK, 0, "done")                                                                           \
    X(TRM_STOPPED, 1, "the observer or an event asked to stop; the state is valid")                \
    X(TRM_ERR_IO, -1, "file missing, unreadable or not writable")                                  \
    X(TRM_ERR_SYNTAX, -2, "not JSON")                                                              \
    X(TRM_ERR_SCENE, -3, "JSON, but no meaningful scene: unknown key, bad name, mass <= 0")        \
    X(TRM_ERR_OPTIONS, -4, "value out of range, or integrator and stabilization do not mix")       \
    X(TRM_ERR_INCONSISTENT, -5, "the initial state violates g = 0 or [VEL]")                       \
    X(TRM_ERR_SINGULAR, -6, "the constraints contradict each other here")                          \
    X(TRM_ERR_DIVERGED, -7, "state not finite, or step size underflow")                            \
    X(TRM_ERR_CALLBACK, -8, "a user function or an expression failed")                             \
    X(TRM_ERR_MEMORY, -9, "allocation failed")

typedef enum trm_status {
#define TRM_STATUS_ENUM(name, value, sentence) name = value,
    TRM_STATUS_LIST(TRM_STATUS_ENUM)
#undef TRM_STATUS_ENUM
} trm_status;

const char *trm_status_name(trm_status status); ///< "TRM_ERR_SCENE"; never NULL.

/// Filled on failure, untouched on success. Every `err` argument below may be NULL.
typedef struct trm_error {
    trm_status status;
    char message[256]; ///< one sentence: what was found, and what was expected
    char where[160];   ///< in the user's world: "a.json:14:7 /bodies/2/mass", "joint 'rod' row 0"
    double t;          ///< s, simulation time; NAN before the first step
    const char *file;  ///< in Trammel's world: the source file, line and function that raised it
    const char *func;
    int line;
} trm_error;

/// Whether a program made with headers of version major.minor may call the linked library: it is of
/// the same major version, and not older; before version 1 of the same minor version. Structs that
/// report may have more members in a newer library: a call says how large the caller's is. Errors:
/// OPTIONS.
trm_status trm_version_check(int major, int minor, trm_error *err);
/// The same of these headers: `if (TRM_VERSION_CHECK(&err)) ...` at the beginning of a program.
#define TRM_VERSION_CHECK(err) trm_version_check(TRM_VERSION_MAJOR, TRM_VERSION_MINOR, (err))

TRM_API_END

#endif
