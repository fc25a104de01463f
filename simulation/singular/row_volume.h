/// Volume of the rows of a part, the product of all sigma, by which directions that are not
/// followed are known not to vanish: their product is what the volume is without those followed.
#pragma once

#include "simulation/singular/singularity_monitor.h"

/// Nothing is known of a step before, at the system's current point, factored.
void trm_volume_start(trm_singularity_monitor *monitor, const trm_run *run);
/// At the end of the last step, the system's current point, factored.
void trm_volume_measure(trm_singularity_monitor *monitor, const trm_run *run);
/// Whether directions of component p other than the n from the first on may have vanished in the
/// last step: their volume may have been 0, as fast as it changes there and, where the same were
/// followed, in the step before; or rows have turned by more than a rad, of which two points tell
/// nothing.
int trm_volume_may_vanish(const trm_singularity_monitor *monitor, const trm_run *run, int p,
                          int first, int n);
/// The last step becomes the step before.
void trm_volume_keep(trm_singularity_monitor *monitor, const trm_run *run);
