/// A drawing board of characters: each cell has 2 x 4 dots, shown by the Braille patterns of
/// Unicode, or, where the terminal does not say that it has them, a star where any dot is set.
#pragma once

#include <stdio.h>

typedef struct trm_characters {
    int width, height; ///< cells
    int braille;
    unsigned char *dots; ///< [width*height] bits as in Unicode
    char *letter;        ///< [width*height] shown in place of dots; 0: none
} trm_characters;

/// Returns 0 when memory is short. Whether Braille goes is read from LC_ALL, LC_CTYPE and LANG.
int trm_characters_create(trm_characters *out, int width, int height);
void trm_characters_destroy(trm_characters *board);
void trm_characters_clear(trm_characters *board);

/// In dots, (0, 0) the upper left one; what lies outside is left out.
void trm_characters_dot(trm_characters *board, int x, int y);
void trm_characters_line(trm_characters *board, double x0, double y0, double x1, double y1);
void trm_characters_letter(trm_characters *board, double x, double y, char letter); ///< in dots too

void trm_characters_row(const trm_characters *board, int row, FILE *out); ///< without a line break

/// Columns of the terminal on stdout; 80 where it is none.
int trm_terminal_width(int *height);
