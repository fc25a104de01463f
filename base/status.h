/// Raising and passing on errors, by the two macros that users have as well.
#ifndef TRM_STATUS_H
#define TRM_STATUS_H

#include "trammel/trammel_error.h"

/// *out is NULL after every failure, also when another argument is wrong.
#define TRM_CLEAR(out)                                                                             \
    do {                                                                                           \
        if (out) {                                                                                 \
            *(out) = NULL;                                                                         \
        }                                                                                          \
    } while (0)

/// *err is of the time t. Returns `status`.
static inline trm_status trm_at_time(trm_error *err, double t, trm_status status)
{
    if (err) {
        err->t = t;
    }
    return status;
}

#endif
