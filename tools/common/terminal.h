/// Text of strangers on a terminal: titles, paths, arguments.
#ifndef TRM_TOOLS_TERMINAL_H
#define TRM_TOOLS_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/// Bytes of the printable UTF-8 character at text[i], 0 when it is none or ends behind `to`.
/// Characters that control a terminal (below U+0020, U+007F to U+009F) are not printable.
size_t trm_terminal_character(const char *text, size_t i, size_t to);

/// The text, each byte that is no printable character as \x1b. A tab is one.
void trm_terminal_text(FILE *out, const char *text);

/// The same with the format and the size of a message.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void trm_terminal_printf(FILE *out, const char *format, ...);

#endif
