// RFC 8259, with these additions: a byte order mark may come first, nesting and the number of
// values are limited, and a string may not contain the character U+0000.
//
//     value  = object | array | string | number | true | false | null
//     number = [-] (0 | 1-9 {digit}) [. digit {digit}] [(e|E) [+|-] digit {digit}]
#include "scenes/json/json_scan.h"

#include "base/status.h"
#include "base/text/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    const char *path, *text;
    size_t length, at;
    uint32_t line;
    size_t line_start;
    int nesting;
    char *texts; // room for the next string
    trm_node *nodes;
    size_t count, capacity;
    trm_error *err;
    char where[160];
} scan;

static trm_spot spot_at(const scan *s, size_t at)
{
    return (trm_spot){(uint32_t)at, s->line, (uint32_t)(at - s->line_start + 1)};
}

/// "path:line:column" of a byte of the current line.
static const char *where_at(scan *s, size_t at)
{
    const trm_spot spot = spot_at(s, at);
    snprintf(s->where, sizeof s->where, "%s:%u:%u", s->path, spot.line, spot.column);
    return s->where;
}

/// The byte under the cursor, -1 at the end.
static int here(const scan *s)
{
    return s->at < s->length ? (unsigned char)s->text[s->at] : -1;
}

static void skip_space(scan *s)
{
    for (int c = here(s); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = here(s)) {
        s->at++;
        if (c == '\n') {
            s->line++;
            s->line_start = s->at;
        }
    }
}

static const char *describe_byte(int c, char out[16])
{
    if (c < 0) {
        return "the end of the text";
    }
    snprintf(out, 16, c > 0x20 && c < 0x7f ? "'%c'" : "the byte 0x%02x", c);
    return out;
}

/// What the text probably is instead of JSON in UTF-8.
static const char *mistaken(const scan *s)
{
    const int c = here(s), next = s->at + 1 < s->length ? (unsigned char)s->text[s->at + 1] : -1;
    if (c == '#' || (c == '/' && (next == '/' || next == '*'))) {
        return "; JSON has no comments";
    }
    return c == 0 && s->at < 2 ? "; the text looks like UTF-16, not UTF-8" : "";
}

static trm_status expected(scan *s, const char *what)
{
    char found[16];
    return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at), "expected %s, got %s%s", what,
                    describe_byte(here(s), found), mistaken(s));
}

// ------------------------------------------------------------------------------------- strings

/// Bytes of the UTF-8 sequence at p, 0 when it is none: too long, a surrogate, above U+10FFFF.
static size_t utf8_length(const unsigned char *p, size_t available)
{
    const size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (n == 0 || p[0] > 0xf4 || n > available) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const int bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
                    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90);
    return bad ? 0 : n;
}

/// The value of four hexadecimal digits at `at`, -1 when they are none.
static long hexadecimal(const scan *s, size_t at)
{
    long value = 0;
    for (size_t i = at; i < at + 4; i++) {
        const int c = i < s->length ? (unsigned char)s->text[i] : 0;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return -1;
        }
        value = 16 * value + digit;
    }
    return value;
}

/// At the u of \uXXXX, with the second half of a surrogate pair.
static trm_status scan_unicode(scan *s)
{
    const long unit = hexadecimal(s, s->at + 1);
    if (unit < 0) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at - 1),
                        "expected four hexadecimal digits after \\u");
    }
    if (unit == 0) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at - 1),
                        "a string may not contain \\u0000");
    }
    s->at += 5;
    if (unit < 0xd800 || unit > 0xdfff) {
        return TRM_OK;
    }
    const int pair = unit < 0xdc00 && s->at + 1 < s->length && s->text[s->at] == '\\' &&
                     s->text[s->at + 1] == 'u';
    const long low = pair ? hexadecimal(s, s->at + 2) : -1;
    if (low < 0xdc00 || low > 0xdfff) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at - 6),
                        "\\u%04lx is half of a character; the other half is missing",
                        (unsigned long)unit);
    }
    s->at += 6;
    return TRM_OK;
}

static trm_status scan_escape(scan *s)
{
    s->at++;
    const int c = here(s);
    if (c == 'u') {
        return scan_unicode(s);
    }
    if (c <= 0 || !strchr("\"\\/bfnrt", c)) {
        char found[16];
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at - 1),
                        "unknown escape: backslash and %s", describe_byte(c, found));
    }
    s->at++;
    return TRM_OK;
}

/// The code point at the u of \uXXXX, and how many characters after the backslash it takes.
static long code_point(const scan *s, size_t at, size_t *taken)
{
    const long unit = hexadecimal(s, at + 1);
    const int pair = unit >= 0xd800 && unit <= 0xdbff;
    *taken = pair ? 11 : 5;
    return pair ? 0x10000 + (unit - 0xd800) * 0x400 + hexadecimal(s, at + 7) - 0xdc00 : unit;
}

static char *put_utf8(long c, char *to)
{
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; // bytes after the first
    const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(lead[more] | c >> 6 * more);
    for (int i = more - 1; i >= 0; i--) {
        *to++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    }
    return to;
}

/// The text of the string from the quote at `from` to that before the cursor; the scan has checked
/// its escapes.
static const char *take_text(scan *s, size_t from)
{
    static const char escaped[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *const text = s->texts;
    char *to = s->texts;
    for (size_t i = from + 1; i < s->at - 1;) {
        if (s->text[i] != '\\') {
            *to++ = s->text[i++];
            continue;
        }
        size_t taken = 1;
        const char c = s->text[++i];
        if (c == 'u') {
            to = put_utf8(code_point(s, i, &taken), to);
        } else {
            *to++ = meant[strchr(escaped, c) - escaped];
        }
        i += taken;
    }
    *to++ = '\0';
    s->texts = to;
    return text;
}

static trm_status scan_string(scan *s, const char **text)
{
    const size_t start = s->at++;
    for (int c = here(s); c != '"'; c = here(s)) {
        if (c < 0) {
            return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, start),
                            "this string has no closing quote");
        }
        if (c == '\\') {
            TRM_TRY(scan_escape(s));
        } else if (c < 0x20) {
            return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at), "%s",
                            c == '\n' ? "a string may not run over the end of a line; write \\n"
                            : c == '\t'
                                ? "a string may not contain a tab; write \\t"
                                : "a string may not contain a control character; write \\u00XX");
        } else {
            const size_t n = utf8_length((const unsigned char *)s->text + s->at, s->length - s->at);
            if (n == 0) {
                return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at),
                                "the byte 0x%02x is not valid UTF-8", (unsigned)c);
            }
            s->at += n;
        }
    }
    s->at++;
    *text = take_text(s, start);
    return TRM_OK;
}

// ------------------------------------------------------------------------------ numbers and words

static size_t skip_digits(scan *s)
{
    const size_t start = s->at;
    while (here(s) >= '0' && here(s) <= '9') {
        s->at++;
    }
    return s->at - start;
}

static trm_status scan_fraction(scan *s)
{
    if (here(s) == '.') {
        s->at++;
        if (skip_digits(s) == 0) {
            return expected(s, "a digit after the decimal point");
        }
    }
    if (here(s) == 'e' || here(s) == 'E') {
        s->at++;
        s->at += here(s) == '+' || here(s) == '-';
        if (skip_digits(s) == 0) {
            return expected(s, "a digit in the exponent");
        }
    }
    return TRM_OK;
}

static trm_status scan_number(scan *s, double *value)
{
    const size_t start = s->at;
    s->at += here(s) == '-';
    const int zero = here(s) == '0';
    const size_t digits = skip_digits(s);
    if (digits == 0) {
        return expected(s, "a digit after '-'");
    }
    if (zero && digits > 1) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, start),
                        "a number may not start with 0 and another digit");
    }
    TRM_TRY(scan_fraction(s));
    size_t taken = s->at - start;
    if (taken > TRM_DECIMAL_LENGTH) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, start),
                        "a number may have %d characters at most", TRM_DECIMAL_LENGTH);
    }
    *value = trm_decimal(s->text + start, taken, &taken);
    return TRM_OK;
}

static int is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static trm_status scan_word(scan *s, trm_node_type *type)
{
    const size_t start = s->at;
    while (is_letter(here(s))) {
        s->at++;
    }
    const size_t length = s->at - start;
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (strlen(words[i]) == length && !memcmp(s->text + start, words[i], length)) {
            *type = TRM_NODE_TRUE + (trm_node_type)i;
            return TRM_OK;
        }
    }
    return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, start),
                    "unknown word %.*s; text stands in double quotes",
                    length > 40 ? 40 : (int)length, s->text + start);
}

// ------------------------------------------------------------------------- values inside values

/// A member of an object, or an element of an array.
typedef struct member {
    const char *name;
    trm_spot key;
    uint32_t among; // its index among its siblings
} member;

static trm_status add_node(scan *s, size_t parent, member as, size_t *index)
{
    if (s->count == TRM_MAX_VALUES) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at), "more than %d values",
                        TRM_MAX_VALUES);
    }
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 64;
        trm_node *grown = realloc(s->nodes, capacity * sizeof *grown);
        if (!grown) {
            return TRM_FAIL(s->err, TRM_ERR_MEMORY, s->path, "out of memory");
        }
        s->nodes = grown;
        s->capacity = capacity;
    }
    *index = s->count++;
    s->nodes[*index] = (trm_node){.name = as.name,
                                  .up = (uint32_t)(*index - parent),
                                  .index = as.among,
                                  .key = as.key,
                                  .value = spot_at(s, s->at)};
    return TRM_OK;
}

static trm_status scan_value(scan *s, size_t parent, member as);

static trm_status not_closed(scan *s, size_t node)
{
    const trm_spot start = s->nodes[node].value;
    return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at),
                    "the text ends before the '%c' of line %u, column %u is closed",
                    s->text[start.offset], start.line, start.column);
}

static trm_status scan_key(scan *s, member *out)
{
    if (here(s) != '"') {
        return expected(s, "a key in double quotes");
    }
    out->key = spot_at(s, s->at);
    TRM_TRY(scan_string(s, &out->name));
    skip_space(s);
    if (here(s) != ':') {
        return expected(s, "':' after the key");
    }
    s->at++;
    skip_space(s);
    return TRM_OK;
}

/// Behind a comma: the list goes on.
static trm_status check_comma(scan *s, size_t comma, char close)
{
    if (here(s) == close) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, comma), "a comma before '%c'", close);
    }
    return TRM_OK;
}

/// At '{' or '['.
static trm_status scan_list(scan *s, size_t node)
{
    const char close = here(s) == '{' ? '}' : ']';
    s->at++;
    skip_space(s);
    for (uint32_t n = 0; here(s) != close; n++) {
        if (n > 0) {
            if (here(s) < 0) {
                return not_closed(s, node);
            }
            if (here(s) != ',') {
                return expected(s, close == '}' ? "',' or '}'" : "',' or ']'");
            }
            // the comma's own place, in case it is one too many at the end of this line
            const size_t comma = s->at++;
            const uint32_t line = s->line;
            skip_space(s);
            TRM_TRY(check_comma(s, line == s->line ? comma : s->at, close));
        }
        if (here(s) < 0) {
            return not_closed(s, node);
        }
        member as = {.among = n};
        if (close == '}') {
            TRM_TRY(scan_key(s, &as));
        }
        TRM_TRY(scan_value(s, node, as));
        skip_space(s);
    }
    s->at++;
    return TRM_OK;
}

static trm_status scan_nested(scan *s, size_t node)
{
    if (++s->nesting > TRM_MAX_NESTING) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, s->at), "nested deeper than %d levels",
                        TRM_MAX_NESTING);
    }
    TRM_TRY(scan_list(s, node));
    s->nesting--;
    return TRM_OK;
}

static trm_status scan_value(scan *s, size_t parent, member as)
{
    const int c = here(s);
    size_t node = 0;
    TRM_TRY(add_node(s, parent, as, &node));
    if (c == '{' || c == '[') {
        s->nodes[node].type = c == '{' ? TRM_NODE_OBJECT : TRM_NODE_ARRAY;
        TRM_TRY(scan_nested(s, node));
    } else if (c == '"') {
        s->nodes[node].type = TRM_NODE_STRING;
        TRM_TRY(scan_string(s, &s->nodes[node].text));
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        s->nodes[node].type = TRM_NODE_NUMBER;
        TRM_TRY(scan_number(s, &s->nodes[node].number));
    } else if (is_letter(c)) {
        TRM_TRY(scan_word(s, &s->nodes[node].type));
    } else {
        return expected(s, "a value");
    }
    s->nodes[node].span = (uint32_t)(s->count - node);
    return TRM_OK;
}

static trm_status scan_text(scan *s)
{
    if (s->length == 0) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, s->path,
                        "expected a JSON object, got an empty text");
    }
    if (s->length >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3)) {
        s->at = s->line_start = 3;
    }
    if (s->length >= 2 && (!memcmp(s->text, "\xff\xfe", 2) || !memcmp(s->text, "\xfe\xff", 2))) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, where_at(s, 0),
                        "the text is UTF-16, not UTF-8; save it as UTF-8");
    }
    skip_space(s);
    if (here(s) < 0) {
        return TRM_FAIL(s->err, TRM_ERR_SYNTAX, s->path,
                        "expected a JSON object, got only white space");
    }
    if (here(s) == '<') {
        return expected(
            s, "a JSON object; this is XML: the file of a robot ends in .xml, .urdf or .sdf");
    }
    if (here(s) != '{') {
        return expected(s, "a JSON object");
    }
    TRM_TRY(scan_value(s, 0, (member){0}));
    skip_space(s);
    return here(s) < 0 ? TRM_OK : expected(s, "the end of the text after the last '}'");
}

trm_status trm_json_scan(const char *path, const char *text, size_t length, char *texts,
                         trm_node **nodes, size_t *count, trm_error *err)
{
    scan s = {.path = path, .text = text, .length = length, .line = 1, .texts = texts, .err = err};
    const trm_status status = scan_text(&s);
    if (status != TRM_OK) {
        free(s.nodes);
        return status;
    }
    *nodes = s.nodes;
    *count = s.count;
    return TRM_OK;
}
