#include "base/text/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(trm_text_buffer *out, size_t more)
{
    if (out->failed || out->used + more + 1 <= out->size) {
        return !out->failed;
    }
    size_t size = out->size ? out->size : 4096;
    while (size < out->used + more + 1) {
        size *= 2;
    }
    char *grown = realloc(out->data, size);
    out->failed = !grown;
    if (grown) {
        out->data = grown;
        out->size = size;
    }
    return !out->failed;
}

void trm_text_buffer_close(trm_text_buffer *out)
{
    free(out->data);
    *out = (trm_text_buffer){0};
}

void trm_put_bytes(trm_text_buffer *out, const char *text, size_t length)
{
    if (reserve(out, length)) {
        memcpy(out->data + out->used, text, length);
        out->used += length;
        out->data[out->used] = '\0';
    }
}

void trm_put(trm_text_buffer *out, const char *text)
{
    trm_put_bytes(out, text, strlen(text));
}

void trm_putf(trm_text_buffer *out, const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trm_put(out, text);
}

void trm_put_quoted(trm_text_buffer *out, const char *text)
{
    trm_put(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            trm_put(out, "\\");
        }
        trm_put_bytes(out, text, 1);
    }
    trm_put(out, "\"");
}

// ----------------------------------------------------------------------------------------- layout

enum { COLUMNS = 100, INDENT = 2 };

static size_t string_length(const char *json)
{
    size_t n = 1;
    while (json[n] != '"') {
        n += json[n] == '\\' ? 2 : 1;
    }
    return n + 1;
}

/// Bytes up to the bracket that closes the one at json[0], itself included.
static size_t bracket_length(const char *json)
{
    size_t n = 0;
    for (int depth = 0;;) {
        const char c = json[n];
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        n += c == '"' ? string_length(json + n) : 1;
        if (depth == 0) {
            return n;
        }
    }
}

static void put_line_break(trm_text_buffer *out, int depth)
{
    trm_putf(out, "\n%*s", INDENT * depth, "");
}

/// One value or separator of a list that is kept on one line.
static size_t put_token(trm_text_buffer *out, const char *json)
{
    const size_t n = *json == '"' ? string_length(json) : 1;
    trm_put_bytes(out, json, n);
    if (*json == ':' || *json == ',') {
        trm_put(out, " ");
    }
    return n;
}

static void put_line(trm_text_buffer *out, const char *json, size_t length)
{
    for (size_t n = 0; n < length;) {
        n += put_token(out, json + n);
    }
}

void trm_put_pretty(trm_text_buffer *out, const char *json)
{
    int depth = 0;
    size_t line_start = out->used;
    while (*json && !out->failed) {
        const int opens = *json == '{' || *json == '[', closes = *json == '}' || *json == ']';
        const size_t length = opens ? bracket_length(json) : 0;
        if (opens && out->used - line_start + length + length / 8 < COLUMNS) {
            put_line(out, json, length);
            json += length;
            continue;
        }
        depth += opens - closes;
        if (closes) {
            put_line_break(out, depth);
            line_start = out->used - (size_t)(INDENT * depth);
        }
        if (*json == ',') {
            trm_put(out, ",");
            json++;
        } else {
            json += put_token(out, json);
        }
        if (opens || json[-1] == ',') {
            put_line_break(out, depth);
            line_start = out->used - (size_t)(INDENT * depth);
        }
    }
    trm_put(out, "\n");
}
