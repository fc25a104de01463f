/// Near names for messages: "did you mean ...?".
#pragma once

#include <stddef.h>

/// The best candidate so far for a word.
typedef struct trm_suggestion {
    const char *word; ///< what was written, `length` bytes
    size_t length;
    const char *best; ///< NULL while nothing is near
    int distance;     ///< letters to insert, delete, replace or swap
} trm_suggestion;

trm_suggestion trm_suggest(const char *word, size_t length);
/// Near by its spelling, or as a synonym (hinge: revolute).
void trm_suggest_consider(trm_suggestion *suggestion, const char *candidate);
/// `; did you mean "crank"?`, or "" when nothing is near. Returns out.
const char *trm_suggest_text(const trm_suggestion *suggestion, char *out, size_t size);
