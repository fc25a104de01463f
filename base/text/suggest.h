/// Near names for error messages, which users have as well.
#pragma once

#include "program/suggest.h"
#include "trammel/trammel_error.h"

/// As trm_suggest_text; where the word is one of other programs that has no counterpart here:
/// "; Trammel has none; instead: ...".
const char *trm_foreign_hint(const trm_suggestion *suggestion, char *out, size_t size);
