/// Recordings that trammel view is given, with the scene they belong to.
#pragma once

#include "tools/common/options.h"
#include "tools/page/tape.h"
#include "tools/view/motion.h"

/// Reads them; *scene (loaded, or made of the first recording's columns) and *model are the
/// caller's. Errors: those of loading and of trm_tape_read.
trm_status trm_view_load_tapes(const trm_arguments *arguments, trm_scene **scene, trm_model **model,
                               trm_tape *tapes, trm_error *err);

/// The motion of a recording at n equal times, for stills. Errors:
/// OPTIONS (of another scene), MEMORY.
trm_status trm_view_motion(const trm_scene *scene, const trm_model *model, trm_tape *tape, int n,
                           trm_motion *out, trm_error *err);
