/// Files in memory, and the rule which files a scene may name.
#pragma once

#include "program/settings.h"
#include "trammel/trammel_status.h"

#include <stddef.h>

/// A whole file.
typedef struct trm_bytes {
    char *text; ///< terminated; to be freed
    size_t length;
    trm_file_info file; ///< its path is borrowed
} trm_bytes;

/// `plain`: pipes and devices are refused, and do not block. Errors: IO, MEMORY.
trm_status trm_bytes_read(const char *path, int plain, trm_bytes *out, trm_error *err);

/// The real path of a file that a scene names, to be freed: it lies in `folder`, from which it is
/// named, or in `allowed`, links followed. Without `allowed` (NULL) neither an absolute path nor
/// ".." is looked up. Errors: IO (no such file), SCENE (it lies elsewhere), MEMORY.
trm_status trm_file_beside(const char *folder, const char *file, const char *allowed, char **real,
                           trm_error *err);
