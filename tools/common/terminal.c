#include "tools/common/terminal.h"

#include <stdarg.h>
#include <string.h>

size_t trm_terminal_character(const char *text, size_t i, size_t to)
{
    const unsigned char c = (unsigned char)text[i];
    const size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (n == 0 || i + n > to || (c < 0x20 && c != '\t') || c == 0x7F) {
        return 0;
    }
    for (size_t k = 1; k < n; k++) {
        if (((unsigned char)text[i + k] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return c == 0xC2 && (unsigned char)text[i + 1] < 0xA0 ? 0 : n;
}

void trm_terminal_text(FILE *out, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        const size_t n = trm_terminal_character(text, i, length);
        if (n > 0) {
            fwrite(text + i, 1, n, out);
        } else {
            fprintf(out, "\\x%02x", (unsigned char)text[i]);
        }
        i += n > 0 ? n : 1;
    }
}

void trm_terminal_printf(FILE *out, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trm_terminal_text(out, text);
}
