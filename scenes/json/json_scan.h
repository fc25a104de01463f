/// Strict scan of a JSON text: the judge of syntax.
#pragma once

#include "scenes/json/scene_where.h"

/// Nodes of all values; *nodes goes to free. Strings and keys are written to texts[length + 1].
/// Errors: SYNTAX, MEMORY.
trm_status trm_json_scan(const char *path, const char *text, size_t length, char *texts,
                         trm_node **nodes, size_t *count, trm_error *err);
