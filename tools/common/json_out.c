/// value = object | array | string | number | "true" | "false" | "null"          RFC 8259
///
/// separate() writes what stands between the previous token and the next value: a comma, a new line
/// with its indent, or nothing after a key.
#include "tools/common/json_out.h"

#include <math.h>
#include <string.h>

static void new_line(const trm_json *json)
{
    fputc('\n', json->out);
    for (int i = 0; i < json->depth; i++) {
        fputs("  ", json->out);
    }
}

static void separate(trm_json *json)
{
    if (json->keyed || json->depth == 0) {
        json->keyed = 0;
        return;
    }
    const int top = json->depth - 1;
    if (json->count[top]++ > 0) {
        fputc(',', json->out);
        if (json->container[top] == '[') {
            fputc(' ', json->out);
        }
    }
    if (json->container[top] != '[') {
        new_line(json);
    }
}

static void open_container(trm_json *json, char kind)
{
    separate(json);
    fputc(kind == '{' ? '{' : '[', json->out);
    json->container[json->depth] = kind;
    json->count[json->depth] = 0;
    json->depth++;
}

void trm_json_object(trm_json *json)
{
    open_container(json, '{');
}

void trm_json_array(trm_json *json)
{
    open_container(json, '[');
}

void trm_json_list(trm_json *json)
{
    open_container(json, 'L');
}

void trm_json_end(trm_json *json)
{
    json->depth--;
    const char kind = json->container[json->depth];
    if (kind != '[' && json->count[json->depth] > 0) {
        new_line(json);
    }
    fputc(kind == '{' ? '}' : ']', json->out);
    if (json->depth == 0) {
        fputc('\n', json->out);
    }
}

/// Bytes of the well-formed UTF-8 sequence at s, 0 when there is none (RFC 3629: no surrogates, no
/// overlong forms, nothing above U+10FFFF).
static int utf8_length(const unsigned char *s)
{
    const unsigned char c = s[0];
    if (c < 0x80) {
        return 1;
    }
    const int n = c >= 0xC2 && c <= 0xDF   ? 2
                  : (c & 0xF0) == 0xE0     ? 3
                  : c >= 0xF0 && c <= 0xF4 ? 4
                                           : 0;
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const int overlong = (c == 0xE0 && s[1] < 0xA0) || (c == 0xF0 && s[1] < 0x90);
    const int outside = (c == 0xED && s[1] > 0x9F) || (c == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : n;
}

static void escape(FILE *out, unsigned char c)
{
    static const char names[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *at = c != '\0' ? strchr(names, c) : NULL;
    if (at != NULL) {
        fprintf(out, "\\%c", letters[at - names]);
    } else {
        fprintf(out, "\\u%04x", c);
    }
}

static void quoted(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', out);
    while (*s != '\0') {
        const int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            s++;
        } else if (*s == 0xC2 && s[1] < 0xA0) { // U+0080 to U+009F control terminals
            escape(out, s[1]);
            s += 2;
        } else if (*s < 0x20 || *s == 0x7F || *s == '"' || *s == '\\') {
            escape(out, *s++);
        } else {
            fwrite(s, 1, (size_t)n, out);
            s += n;
        }
    }
    fputc('"', out);
}

void trm_json_key(trm_json *json, const char *key)
{
    separate(json);
    quoted(json->out, key);
    fputs(": ", json->out);
    json->keyed = 1;
}

void trm_json_number(trm_json *json, double x)
{
    separate(json);
    if (isfinite(x)) {
        fprintf(json->out, "%.17g", x);
    } else {
        fputs("null", json->out);
    }
}

void trm_json_short(trm_json *json, double x)
{
    separate(json);
    if (isfinite(x)) {
        fprintf(json->out, "%.5g", x);
    } else {
        fputs("null", json->out);
    }
}

void trm_json_integer(trm_json *json, long x)
{
    separate(json);
    fprintf(json->out, "%ld", x);
}

void trm_json_string(trm_json *json, const char *text)
{
    separate(json);
    if (text != NULL) {
        quoted(json->out, text);
    } else {
        fputs("null", json->out);
    }
}

void trm_json_boolean(trm_json *json, int x)
{
    separate(json);
    fputs(x ? "true" : "false", json->out);
}

void trm_json_null(trm_json *json)
{
    trm_json_string(json, NULL);
}

void trm_json_vector(trm_json *json, int n, const double *x)
{
    trm_json_array(json);
    for (int i = 0; i < n; i++) {
        trm_json_number(json, x[i]);
    }
    trm_json_end(json);
}

void trm_json_key_number(trm_json *json, const char *key, double x)
{
    trm_json_key(json, key);
    trm_json_number(json, x);
}

void trm_json_key_integer(trm_json *json, const char *key, long x)
{
    trm_json_key(json, key);
    trm_json_integer(json, x);
}

void trm_json_key_string(trm_json *json, const char *key, const char *text)
{
    trm_json_key(json, key);
    trm_json_string(json, text);
}

void trm_json_key_boolean(trm_json *json, const char *key, int x)
{
    trm_json_key(json, key);
    trm_json_boolean(json, x);
}
