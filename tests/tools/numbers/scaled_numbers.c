// The numbers of one header, each behind a call (scaled_numbers.py): TRAMMEL_NUMBER="WELL 2" takes
// one of them times a factor. At its end the program adds the names that it asked for to the file
// TRAMMEL_ASKED: a run that never asks for a number is the same run with every value of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {TRM_SCALED_NAMES};
enum { COUNT = sizeof names / sizeof *names };
static double factors[COUNT];
static unsigned char asked[COUNT];

static void write_asked(void)
{
    const char *path = getenv("TRAMMEL_ASKED");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) {
        return;
    }
    for (int i = 0; i < COUNT; i++) {
        if (asked[i]) {
            fprintf(file, "%s\n", names[i]);
        }
    }
    fputs("end\n", file);
    fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
    char chosen[64] = "";
    double factor = 1;
    const char *wanted = getenv("TRAMMEL_NUMBER");
    if (wanted && sscanf(wanted, "%63s %lf", chosen, &factor) != 2) {
        chosen[0] = '\0';
    }
    for (int i = 0; i < COUNT; i++) {
        factors[i] = strcmp(chosen, names[i]) == 0 ? factor : 1;
    }
    atexit(write_asked);
}

double trm_scaled_number(int which, double value)
{
    asked[which] = 1;
    return factors[which] * value;
}
