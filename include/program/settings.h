/// What options of the program set in a scene, and what it tells of one.
#pragma once

#include "trammel/trammel_status.h"

#include <stdint.h>

/// A file that the scene was read from: its own, then those of its tables.
typedef struct trm_file_info {
    const char *path; ///< borrowed from the scene until it changes; NULL: no such file
    uint64_t sum;     ///< of its bytes: Fowler-Noll-Vo 1a, 64 bit
} trm_file_info;

/// File 0, 1, ...; a file without a path ends the list.
trm_file_info trm_scene_file_info(const trm_scene *scene, int file);

/// A name of the scene that nothing in it uses: of a marker, a parameter, an input, a definition or
/// a table. Programs may use it all the same, markers as sensors, say.
typedef struct trm_unused_info {
    const char *kind, *name; ///< borrowed from the scene until it changes; NULL: no more of them
    int line;                ///< 0 without a file
} trm_unused_info;

trm_unused_info trm_scene_unused_info(const trm_scene *scene, int unused);

/// Whether a scene in space is planar by its joints: all of its bodies, two or more, hang on the
/// ground by joints that turn about normal[3], or slide across it.
int trm_scene_plane(const trm_scene *scene, double normal[3]);

/// *out := the value of a constant expression ("7*pi/4"), a finite number.
/// Errors: SYNTAX, OPTIONS (NULL), MEMORY.
trm_status trm_constant(const char *expression, double *out, trm_error *err);

/// Set n parameters at once: only the scene with all of them has to make sense. Errors: as
/// trm_scene_set.
trm_status trm_scene_set_all(trm_scene *scene, int n, const char *const *parameters,
                             const char *const *expressions, trm_error *err);

/// End a run where this condition ("tip.y < 0") begins to hold, as an event with the
/// name "until" and `stop` would; NULL: no longer. Errors: SCENE, SYNTAX, MEMORY;
/// the scene is then as it was before.
trm_status trm_scene_stop_when(trm_scene *scene, const char *condition, trm_error *err);

/// In place of what the file says: see trm_options. After all other settings, before a model
/// is built. Errors: OPTIONS.
trm_status trm_scene_set_misfit(trm_scene *scene, double misfit, trm_error *err);

/// Another number there: q[index], or v[index] with is_velocity, in a model that nobody uses yet.
void trm_model_start_at(trm_model *model, int is_velocity, int index, double value);
