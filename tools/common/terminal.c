#include "tools/common/terminal.h"

#include <stdarg.h>
#include <string.h>

size_t trm_utf8(const char *text, size_t i, size_t to, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char c = (unsigned char)text[i];
    const size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    *code = n < 2 ? c : c & (0xFFu >> (n + 1));
    for (size_t k = 1; k < n; k++) {
        const unsigned char more = i + k < to ? (unsigned char)text[i + k] : 0;
        if ((more & 0xC0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (more & 0x3F);
    }
    const int surrogate = *code >= 0xD800 && *code < 0xE000;
    return n > 0 && *code >= least[n] && *code < 0x110000 && !surrogate ? n : 0;
}

int trm_steers(unsigned code)
{
    const int controls = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const int turns = code == 0x61C || code == 0x200E || code == 0x200F ||
                      (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return controls || turns || code == 0x2028 || code == 0x2029;
}

size_t trm_terminal_character(const char *text, size_t i, size_t to)
{
    unsigned code;
    const size_t n = i < to ? trm_utf8(text, i, to, &code) : 0;
    return n > 0 && (code == '\t' || !trm_steers(code)) ? n : 0;
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
