#define _GNU_SOURCE // fopencookie
#include "tools/cli/text_stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct text_cookie {
    char **text;
    size_t *length, room;
} text_cookie;

/// Returns how many bytes were taken: all, or none.
static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    text_cookie *const c = cookie;
    const size_t needed = *c->length + size + 1;
    if (needed > c->room) {
        char *const larger = realloc(*c->text, 2 * needed);
        if (larger == NULL) {
            return 0;
        }
        *c->text = larger;
        c->room = 2 * needed;
    }
    memcpy(*c->text + *c->length, bytes, size);
    *c->length += size;
    (*c->text)[*c->length] = '\0';
    return (ssize_t)size;
}

static int leave(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *trm_text_stream(char **text, size_t *length)
{
    text_cookie *const cookie = malloc(sizeof *cookie);
    char *const first = calloc(1, 1);
    FILE *const out =
        cookie != NULL && first != NULL
            ? fopencookie(cookie, "w", (cookie_io_functions_t){.write = take, .close = leave})
            : NULL;
    if (out == NULL) {
        free(cookie);
        free(first);
        return NULL;
    }
    *cookie = (text_cookie){.text = text, .length = length, .room = 1};
    *text = first;
    *length = 0;
    return out;
}

int trm_stream_close(FILE *out)
{
    const int lost = ferror(out);
    return (fclose(out) != 0) | (lost != 0);
}
