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

#endif
