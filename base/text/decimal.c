#include "base/text/decimal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

double trm_decimal(const char *text, size_t length, size_t *taken)
{
    char copy[TRM_DECIMAL_LENGTH + 1], *end = copy;
    const size_t n = length < TRM_DECIMAL_LENGTH ? length : TRM_DECIMAL_LENGTH;
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *const point = strchr(copy, '.');
    if (point) { // strtod wants the decimal point of the process's locale
        *point = localeconv()->decimal_point[0];
    }
    const double value = strtod(copy, &end);
    *taken = (size_t)(end - copy);
    return value;
}
