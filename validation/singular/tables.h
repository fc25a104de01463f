/// The tables of docs/validation/singular.md; `scenes` is the directory of the scenes.
#pragma once

void crossings_table(const char *scenes);
void unequal_table(const char *scenes);
void start_table(const char *scenes);
void steps_table(const char *scenes);
void tolerances_table(const char *scenes);
void accuracies_table(const char *scenes);
void large_table(const char *scenes);
void noise_table(const char *scenes);
