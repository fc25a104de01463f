/// Text of strangers on a terminal: titles, paths, arguments.
#pragma once

#include <stddef.h>
#include <stdio.h>

/// Bytes of the well-formed UTF-8 character at text[i] and its code; 0 when there is none before
/// `to` (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF).
size_t trm_utf8(const char *text, size_t i, size_t to, unsigned *code);

/// Returns nonzero if a character steers who shows it: controls, and what ends a line or turns it
/// round (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069).
int trm_steers(unsigned code);

/// Bytes of the printable UTF-8 character at text[i], 0 when it is none or ends behind `to`.
/// Characters that steer are not printable; a tab is.
size_t trm_terminal_character(const char *text, size_t i, size_t to);

/// The text, each byte that is no printable character as \x1b. A tab is one.
void trm_terminal_text(FILE *out, const char *text);

/// The same with the format and the size of a message.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void trm_terminal_printf(FILE *out, const char *format, ...);
