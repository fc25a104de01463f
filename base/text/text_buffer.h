/// A growing text. When memory runs short it stays as it is and remembers that.
#pragma once

#include <stddef.h>

typedef struct trm_text_buffer {
    char *data; ///< terminated once something was put; goes to free
    size_t used, size;
    int failed; ///< nonzero: memory was short, the text is not complete
} trm_text_buffer;

void trm_text_buffer_close(trm_text_buffer *out);

void trm_put_bytes(trm_text_buffer *out, const char *text, size_t length);
void trm_put(trm_text_buffer *out, const char *text);
/// Formatted; one call may put 2000 bytes at most.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void trm_putf(trm_text_buffer *out, const char *format, ...);
/// As a JSON string, in quotes.
void trm_put_quoted(trm_text_buffer *out, const char *text);
/// A JSON text without white space, laid out: what fits in 100 columns stays on one line.
void trm_put_pretty(trm_text_buffer *out, const char *json);

/// What trm_text_create is made of.
void trm_put_schema(trm_text_buffer *out);
void trm_put_markdown(trm_text_buffer *out);
/// The lines of scenes/schema/scene_format.md.in; NULL ends them.
extern const char *const trm_scene_format[];
