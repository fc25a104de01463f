#include "tools/drawing/characters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/// The first of the three that is set decides, as in setlocale.
static int terminal_has_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *const value = getenv(names[i]);
        if (value != NULL && *value) {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
        }
    }
    return 0;
}

int trm_characters_create(trm_characters *out, int width, int height)
{
    const size_t n = (size_t)width * (size_t)height;
    *out = (trm_characters){.width = width, .height = height, .braille = terminal_has_unicode()};
    out->dots = calloc(n + 1, 1);
    out->letter = calloc(n + 1, 1);
    return out->dots != NULL && out->letter != NULL;
}

void trm_characters_destroy(trm_characters *board)
{
    free(board->dots);
    free(board->letter);
    *board = (trm_characters){0};
}

void trm_characters_clear(trm_characters *board)
{
    const size_t n = (size_t)board->width * (size_t)board->height;
    memset(board->dots, 0, n);
    memset(board->letter, 0, n);
}

/// Index of the cell of a dot; -1: outside.
static int cell(const trm_characters *board, int x, int y)
{
    const int inside = x >= 0 && y >= 0 && x < 2 * board->width && y < 4 * board->height;
    return inside ? y / 4 * board->width + x / 2 : -1;
}

void trm_characters_dot(trm_characters *board, int x, int y)
{
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int at = cell(board, x, y);
    if (at >= 0) {
        board->dots[at] |= bit[y % 4][x % 2];
    }
}

void trm_characters_line(trm_characters *board, double x0, double y0, double x1, double y1)
{
    const double most =
        4.0 * (board->width + 2 * board->height); // dots that any line can show, twice
    const double length = fmax(fabs(x1 - x0), fabs(y1 - y0));
    if (!(length < 1e6)) {
        return;
    }
    const int n = (int)fmin(ceil(length), 16 * most) + 1;
    for (int i = 0; i <= n; i++) {
        trm_characters_dot(board, (int)floor(x0 + (x1 - x0) * i / n),
                           (int)floor(y0 + (y1 - y0) * i / n));
    }
}

void trm_characters_letter(trm_characters *board, double x, double y, char letter)
{
    const int at = fabs(x) < 1e6 && fabs(y) < 1e6 ? cell(board, (int)floor(x), (int)floor(y)) : -1;
    if (at >= 0) {
        board->letter[at] = letter;
    }
}

void trm_characters_row(const trm_characters *board, int row, FILE *out)
{
    for (int i = 0; i < board->width; i++) {
        const int at = row * board->width + i;
        const unsigned dots = board->dots[at];
        if (board->letter[at]) {
            fputc(board->letter[at], out);
        } else if (dots == 0 || !board->braille) {
            fputc(dots == 0 ? ' ' : '*', out);
        } else { // U+2800 + dots in UTF-8
            fputc(0xE2, out);
            fputc((int)(0xA0 | dots >> 6), out);
            fputc((int)(0x80 | (dots & 63)), out);
        }
    }
}

int trm_terminal_width(int *height)
{
    struct winsize size = {0};
    const int known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    *height = known && size.ws_row > 0 ? size.ws_row : 24;
    return known ? size.ws_col : 80;
}
