/// Texts: of the format of scenes, and of files.
#pragma once

#include "trammel/trammel_status.h"

/// Texts generated from the tables that drive the reader.
typedef enum trm_text {
    TRM_TEXT_SCHEMA,  ///< JSON schema, draft 2020-12: scenes/scene.schema.json
    TRM_TEXT_FORMAT,  ///< Markdown reference of the scene format: docs/reference/scene_format.md
    TRM_TEXT_ELEMENTS ///< one line per element, for terminals
} trm_text;

/// *out is a terminated text, to be given to trm_text_destroy. Errors: MEMORY.
trm_status trm_text_create(trm_text which, char **out, trm_error *err);
void trm_text_destroy(char *text);

/// A whole file of text, terminated, *length bytes before that; to be given to trm_text_destroy.
/// Errors: IO, OPTIONS (NULL), MEMORY.
trm_status trm_file_read(const char *path, char **text, size_t *length, trm_error *err);
