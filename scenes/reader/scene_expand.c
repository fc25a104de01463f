// Texts of a repeated entry: "bar{i + 1}" with the value of i + 1.

#include "base/status.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Text of one {...}: *at is behind the brace, and moves behind the closing one.
static trm_status put_value(trm_reader *reader, const trm_node *node, const char *text, size_t *at,
                            char *out, size_t size)
{
    const char *end = strchr(text + *at, '}');
    if (!end) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, node, *at - 1),
                        "this { has no }");
    }
    const size_t length = (size_t)(end - text) - *at;
    char *inside = trm_pool_copy(reader->pool, text + *at, length);
    double value = 0;
    if (!inside) {
        return trm_reader_no_memory(reader);
    }
    TRM_TRY(trm_evaluate_from(reader, node, *at, inside, &value));
    if (value != floor(value) || fabs(value) > 1e15) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_byte(reader, node, *at),
                        "{%.40s} must be an integer, got %g", inside, value);
    }
    snprintf(out, size, "%.0f", value);
    *at += length + 1;
    return TRM_OK;
}

trm_status trm_expand_text(trm_reader *reader, const trm_node *node, const char *text,
                           const char **out)
{
    enum { DIGITS = 24 };
    *out = text;
    if (reader->nindex == 0 || !strchr(text, '{')) {
        return TRM_OK;
    }
    size_t room = strlen(text) + 1, used = 0;
    for (const char *c = text; *c; c++) {
        room += *c == '{' ? DIGITS : 0;
    }
    char *copy = NULL;
    TRM_TRY(trm_reader_take(reader, room, 1, &copy));
    for (size_t at = 0; text[at];) {
        if (text[at] != '{') {
            copy[used++] = text[at++];
            continue;
        }
        at++;
        TRM_TRY(put_value(reader, node, text, &at, copy + used, DIGITS));
        used += strlen(copy + used);
    }
    *out = copy;
    return TRM_OK;
}

size_t trm_unexpanded(trm_reader *reader, const trm_node *node, size_t index)
{
    const char *text = node->type == TRM_NODE_STRING ? node->text : "";
    size_t at = 0, used = 0;
    while (reader->nindex > 0 && text[at] && used < index) {
        const size_t start = at++;
        char digits[24] = "x";
        if (text[start] == '{' &&
            put_value(reader, node, text, &at, digits, sizeof digits) != TRM_OK) {
            return 0;
        }
        used += strlen(digits);
        if (used > index) { // inside the braces
            return start;
        }
    }
    return reader->nindex > 0 ? at : index;
}
