/// Decisions of null-vector continuation: what the last two points, f->seen and f->now, tell of a
/// row in between.
#pragma once

#include "simulation/singular/singularity_monitor.h"

/// Returns nonzero if component p is near a singular position.
int trm_continuation_is_near(const trm_singularity_monitor *monitor, const trm_continuation *f,
                             int p);
/// Returns nonzero if a row of component p may be that small because the joints are open: on x y =
/// e, sigma^2 is some e, in units of the row's change by a radian.
int trm_continuation_gap_explains(const trm_singularity_monitor *monitor, int p, double sigma);
/// Returns nonzero if any row of component p may have vanished in between.
int trm_continuation_may_have_vanished(const trm_singularity_monitor *monitor, const trm_run *run,
                                       const trm_continuation *f, int p);
/// What the null vector does, where the points decide; else it has left its branch.
trm_null_vector_change trm_continuation_change(const trm_singularity_monitor *monitor,
                                               const trm_run *run, const trm_continuation *f,
                                               int p);
/// Returns nonzero if the points decide for all undecided components.
int trm_continuation_is_decided(const trm_singularity_monitor *monitor, const trm_run *run);
/// Mark the components for which the ends of the last step do not decide. Returns how many there
/// are; *open: one of them is open.
int trm_continuation_count_undecided(trm_singularity_monitor *monitor, const trm_run *run,
                                     int *open);
/// Longest substep of the last step, by halving, whose ends can decide for the undecided
/// components.
double trm_continuation_longest_substep(const trm_singularity_monitor *monitor, const trm_run *run);
/// Which direction of component p is its smallest at the last point.
int trm_continuation_smallest(const trm_singularity_monitor *monitor, int p);
/// sigma of component p over its largest value that is near a singular position: with a misfit F a
/// corner of the width sqrt(F) is passed beside it.
double trm_monitor_near(const trm_singularity_monitor *monitor, int p);
/// sigma below which a zero between the last two points is one: that of a direction so far from it,
/// in radians or mechanisms, as counts as near. Masses may make it larger than the smallest ever
/// is.
double trm_continuation_near_zero(const trm_singularity_monitor *monitor, const trm_run *run,
                                  const trm_continuation *f, int p);
/// delta of a correction by a gap near a singular position of component p. What a misfit F leaves
/// open there is none of the run's: along a row of sigma^2 below 10 F it is not closed
/// (TRM_TANGENT).
double trm_monitor_damping(const trm_singularity_monitor *monitor, int p, double gap);

/// Volume of the rows of a part, the product of all sigma, by which directions that are not
/// followed are known not to vanish: their product is what the volume is without those followed.
/// Now at the end of the last step, the system's current point, factored.
void trm_volume_measure(trm_singularity_monitor *monitor, const trm_run *run);
/// Whether directions of component p other than the n from the first on may have vanished in the
/// last step: their volume may have been 0, as fast as it changes there and in the step before,
/// where one that is not the same counts as it was; or rows have turned by more than a rad, of
/// which two points tell nothing. And whether that is so without `more` of them that change as the
/// pivot does that changes most: of forty loops that fold together eight directions tell nothing.
int trm_volume_may_vanish(const trm_singularity_monitor *monitor, const trm_run *run, int p,
                          int first, int n, int more);
/// The last step becomes the step before.
void trm_volume_keep(trm_singularity_monitor *monitor, const trm_run *run);
