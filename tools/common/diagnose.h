/// Telling a person what went wrong, on stderr:
///
///     error: scenes/x.json:41:17: /joints/3/axis: expected 3 numbers, got 2
///         {"name": "P", "type": "prismatic", "axis": [1, 0]}
///                                                    ^
#pragma once

#include "trammel/trammel_scene.h"

#include <stdio.h>

/// What the program returns to its caller; scripts depend on it.
typedef enum trm_exit {
    TRM_EXIT_DONE = 0,
    TRM_EXIT_USAGE = 1,
    TRM_EXIT_SCENE = 2,
    TRM_EXIT_INCONSISTENT = 3,
    TRM_EXIT_FAILED = 4,
    TRM_EXIT_IO = 5,
    TRM_EXIT_INTERRUPTED = 130 ///< by Ctrl-C, as shells report it
} trm_exit;

/// `started`: nonzero once the start was accepted and time advances.
int trm_exit_code(trm_status status, int started);

/// The library names fields of trm_options, the command line its options: "options.assemble"
/// becomes "--assemble", and a value out of range is that of "--alpha".
void trm_diagnose_as_options(trm_error *err);

/// `scene_path` is the file whose source line may be shown; NULL for none.
void trm_diagnose(const trm_error *err, const char *scene_path);

/// The line of the scene file that `where` names, and a caret below its
/// place; nothing when it names none.
void trm_diagnose_show(FILE *out, const char *where, const char *scene_path);

/// Split "a.json:14:7 /bodies/2/mass" into line and column; returns where the JSON pointer starts,
/// NULL when `where` is no place in the file `scene_path`.
const char *trm_diagnose_place(const char *where, const char *scene_path, int *line, int *column);

/// Where a scene in space is planar by its joints: that it is cheaper in the plane, behind a label
/// of `width`.
void trm_plane_print(const trm_scene *scene, int width);
