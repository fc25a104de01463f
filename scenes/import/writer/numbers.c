// Numbers of a scene: the shortest decimals that say what is meant.

#include "scenes/import/writer/writer.h"

#include "base/text/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// The shortest decimals within `slack` of x.
static void put_within(trm_text_buffer *out, double x, double slack)
{
    char text[40] = "0";
    for (int digits = 15; digits <= 17 && fabs(x) > slack; digits++) {
        size_t taken;
        snprintf(text, sizeof text, "%.*g", digits, x);
        char *const comma = strchr(text, ','); // the decimal point of the process's locale
        if (comma) {
            *comma = '.';
        }
        if (fabs(trm_decimal(text, strlen(text), &taken) - x) <= slack) {
            break;
        }
    }
    trm_put(out, text);
}

void trm_put_number(trm_text_buffer *out, double x)
{
    put_within(out, x, 0);
}

/// Parts of a vector err by the rounding of the largest.
void trm_put_vector(trm_text_buffer *out, int n, const double *x)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    trm_put(out, "[");
    for (int i = 0; i < n; i++) {
        trm_put(out, i > 0 ? ", " : "");
        put_within(out, x[i], 2 * DBL_EPSILON * largest);
    }
    trm_put(out, "]");
}

void trm_put_key_vector(trm_text_buffer *out, const char *key, int n, const double *x)
{
    trm_putf(out, ", \"%s\": ", key);
    trm_put_vector(out, n, x);
}

void trm_put_key_number(trm_text_buffer *out, const char *key, double x)
{
    trm_putf(out, ", \"%s\": ", key);
    trm_put_number(out, x);
}
