/// Raising and passing on errors: the only two macros of the library, which users have as well.
#ifndef TRM_STATUS_H
#define TRM_STATUS_H

#include "engine/trammel_error.h"

/// *out is NULL after every failure, that of other arguments included.
#define TRM_CLEAR(out)                                                                             \
    do {                                                                                           \
        if (out) {                                                                                 \
            *(out) = NULL;                                                                         \
        }                                                                                          \
    } while (0)

#endif
