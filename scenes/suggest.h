/// Near names for error messages: "did you mean ...?".
#ifndef TRM_SUGGEST_H
#define TRM_SUGGEST_H

#include <stddef.h>

/// The best candidate seen so far for one misspelled word.
typedef struct trm_suggestion {
    const char *word; ///< what was written, `length` bytes
    size_t length;
    const char *best; ///< NULL while nothing is near
    int distance;
} trm_suggestion;

trm_suggestion trm_suggest(const char *word, size_t length);
/// By spelling, or as another word for the same thing (hinge: revolute).
void trm_suggest_consider(trm_suggestion *suggestion, const char *candidate);

/// `; did you mean "crank"?`, or "" when nothing is near. Returns out.
const char *trm_suggest_text(const trm_suggestion *suggestion, char *out, size_t size);

#endif
