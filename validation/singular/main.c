/// The tables of docs/validation/singular.md.
///
///     singular_tables DIRECTORY [TABLE ...]
///
/// DIRECTORY holds the scenes; TABLE is one of crossings, unequal, start, steps, tolerances, large,
/// accuracies, noise; without one all are printed, as Markdown.
#include "validation/singular/tables.h"

#include <stdio.h>
#include <string.h>

typedef struct table {
    const char *name;
    void (*print)(const char *scenes);
} table;

static const table tables[] = {{"crossings", crossings_table},   {"unequal", unequal_table},
                               {"start", start_table},           {"steps", steps_table},
                               {"tolerances", tolerances_table}, {"large", large_table},
                               {"accuracies", accuracies_table}, {"noise", noise_table}};

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: singular_tables SCENES [TABLE ...]\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int wanted = argc == 2;
        for (int a = 2; a < argc; a++) {
            wanted |= strcmp(argv[a], tables[i].name) == 0;
        }
        if (wanted) {
            tables[i].print(argv[1]);
        }
    }
    return 0;
}
