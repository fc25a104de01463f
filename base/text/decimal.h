/// Decimal numbers of texts, whatever the locale.
#pragma once

#include <stddef.h>

enum { TRM_DECIMAL_LENGTH = 100 }; ///< characters that are read at most

/// The number at the beginning of text[length], and how many characters it took: 0 where none is.
double trm_decimal(const char *text, size_t length, size_t *taken);
