/// Good, fair or POOR: what the checks of a run come to. docs/recordings.md has the table.
#ifndef TRM_TOOLS_RATING_H
#define TRM_TOOLS_RATING_H

#include "engine/trammel.h"

typedef enum trm_rating { TRM_RATING_GOOD, TRM_RATING_FAIR, TRM_RATING_POOR } trm_rating;

/// Up to the first a check is good, up to the second fair; beyond, and where it is no number, poor.
/// Gaps in rad or over the size of the mechanism, energy relative to the exchanged energy.
extern const double trm_limit_good, trm_limit_fair;

trm_rating trm_rating_of(double error);
const char *trm_rating_name(trm_rating verdict); ///< "good", "fair", "POOR"

/// Of a gap, over the size of the mechanism. Where less than the usual bound was asked for, a gap
/// of more than 10 A is not good: a body is off by half of it at least.
trm_rating trm_rating_of_gap(double relative, double accuracy);
/// Of the ends of steps, of recorded lines and of the points looked at between, before those are
/// closed. `accuracy` asked for, 0 where none was: the motion between two steps may err by 10 A of
/// the size and be what was asked for; that is fair, where it is more than the usual bound.
trm_rating trm_rating_of_constraints(const trm_report *report, double accuracy);
trm_rating trm_rating_between(const trm_report *report, double accuracy);
/// Likewise: the energy may err by twice that, since it goes with the square of the motion. A loss
/// is over the exchanged energy.
trm_rating trm_rating_of_loss(double relative, double accuracy);
trm_rating trm_rating_of_energy(const trm_report *report, double accuracy);
/// energy_error over what moved; the error itself where nothing did and nothing bears a load.
double trm_energy_relative(const trm_report *report);
/// A change of assembly, or a bifurcation, is POOR; what double precision does not decide is fair.
trm_rating trm_rating_of_branch(const trm_report *report);
/// POOR where gaps and energy show that the motion is off by more than 10 A; else good.
trm_rating trm_rating_of_motion(const trm_report *report, double accuracy);
/// The worst of these.
trm_rating trm_rating_of_report(const trm_report *report, double accuracy);

#endif
