/// An animated SVG (SMIL, no script) from the texts of its frames.
#pragma once

#include "trammel/trammel_status.h"

#include <stdio.h>

/// The frames must have the same lines, one element each, up to the values of attributes:
/// those that differ become animations over `seconds`, endlessly repeated. `steps`: nonzero
/// where values must not be interpolated. The texts are cut into lines. Errors: OPTIONS
/// (lines that do not match), MEMORY.
trm_status trm_svg_animate(FILE *out, int nframes, char *const *frames, double seconds, int steps,
                           trm_error *err);
