/// A whole file in memory.
#ifndef TRM_SCENE_FILE_H
#define TRM_SCENE_FILE_H

#include "engine/trammel.h"

/// *text (terminated, *length bytes before that) goes to free. Errors: IO, MEMORY.
trm_status trm_file_read(const char *path, char **text, size_t *length, trm_error *err);

#endif
