/// One page that shows a mechanism moving: scene, recordings and scripts in a single file.
#pragma once

#include "tools/page/tape.h"
#include "trammel/trammel_scene.h"

#include <stdio.h>

/// Several tapes are drawn over each other. Tapes get notes; their text may be changed where
/// numbers are missing. Errors: OPTIONS (a recording of another scene), MEMORY.
trm_status trm_page_write(FILE *out, const trm_scene *scene, const trm_model *model, int ntapes,
                          trm_tape *tapes, const char *command, trm_error *err);

/// Lines up to a NULL.
void trm_page_lines(FILE *out, const char *const *lines);

extern const char *const trm_view_page_head[];  ///< lines before the data; NULL ends them
extern const char *const trm_view_page_space[]; ///< what a scene in space needs besides
extern const char *const trm_view_page_tail[];  ///< lines after the data
