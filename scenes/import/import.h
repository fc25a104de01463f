/// A robot of another format as the text of a scene.
#pragma once

#include "scenes/json/scene_file.h"
#include "scenes/json/scene_store.h"
#include "trammel/trammel_scene.h"

/// Whether the name of the file ends as those of MJCF, URDF or SDF do; a text without a file begins
/// with "<".
int trm_import_is(const trm_scene_source *source);

/// bytes := the scene that they describe, where they held XML; `losses` what is not in it, by
/// `pool`. Errors: IO, SYNTAX, SCENE, OPTIONS, MEMORY; the bytes are then freed.
trm_status trm_import(const trm_scene_source *source, trm_pool *pool, trm_bytes *bytes,
                      trm_losses *losses, trm_error *err);
