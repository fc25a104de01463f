// One number of engine/base/rank_numbers.h times a factor: TRAMMEL_NUMBER="WELL 2".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double trm_scaled_number(const char *name, double value);

double trm_scaled_number(const char *name, double value)
{
    static char chosen[64] = "?";
    static double factor = 1;
    if (chosen[0] == '?') {
        const char *wanted = getenv("TRAMMEL_NUMBER");
        if (!wanted || sscanf(wanted, "%63s %lf", chosen, &factor) != 2) {
            chosen[0] = '\0';
        }
    }
    return strcmp(chosen, name) == 0 ? factor * value : value;
}
