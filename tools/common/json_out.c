/// value = object | array | string | number | "true" | "false" | "null"          RFC 8259
///
/// separate() writes what stands between the previous token and the next value: a comma, a new line
/// with its indent, or nothing after a key.
#include "tools/common/json_out.h"

#include "tools/common/terminal.h"

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

static void escape(FILE *out, unsigned c)
{
    static const char names[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *at = c != '\0' && c < 0x80 ? strchr(names, (int)c) : NULL;
    if (at != NULL) {
        fprintf(out, "\\%c", letters[at - names]);
    } else {
        fprintf(out, "\\u%04x", c);
    }
}

static void quoted(FILE *out, const char *text)
{
    const size_t length = strlen(text);
    unsigned code;
    fputc('"', out);
    for (size_t i = 0, n = 0; i<length; i += n> 0 ? n : 1) {
        n = trm_utf8(text, i, length, &code);
        if (n == 0) {
            fputs("\\ufffd", out);
        } else if (trm_steers(code) || code == '"' || code == '\\') {
            escape(out, code);
        } else {
            fwrite(text + i, 1, n, out);
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

void trm_json_key_integers(trm_json *json, const char *key, int n, const int *x)
{
    trm_json_key(json, key);
    trm_json_array(json);
    for (int i = 0; i < n; i++) {
        trm_json_integer(json, x[i]);
    }
    trm_json_end(json);
}

void trm_json_key_vector(trm_json *json, const char *key, int n, const double *x)
{
    trm_json_key(json, key);
    trm_json_vector(json, n, x);
}
