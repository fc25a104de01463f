/// The forces of a run that are compared: reactions of joints, multipliers of constraints, efforts
/// of drives, forces of contacts. What redundancy leaves open counts by what it does together: by
/// the accelerations of the bodies.
#pragma once

#include "tools/compare/compare.h"

/// c->forces, for a start at q0. Errors: MEMORY.
trm_status trm_forces_find(trm_comparison *c, trm_error *err);
void trm_forces_destroy(trm_force_list *list);

/// out[list->n] in a sample that `sim` has just given. Errors: as trm_sim_read_sample.
trm_status trm_forces_read(const trm_force_list *list, const trm_sim *sim, const trm_sample *sample,
                           double *out, trm_error *err);

/// out->forces: how far x is from `than`, the largest of each kind. Where friction is undetermined,
/// only accelerations count; what is no number does not.
void trm_forces_apart(const trm_force_list *list, const double *than, const double *x,
                      trm_distance *out);

/// The largest of each kind in n samples.
void trm_forces_scale(const trm_force_list *list, int n, const double *x, trm_distance *out);

/// Of n times the largest difference of each kind. Forces jump where modes change, which two runs
/// do at times that differ by an error: a time counts by the smaller of its difference and the one
/// before.
void trm_forces_worst(int n, const trm_distance *at, double out[TRM_FORCE_KINDS]);

/// The largest over the kinds, each over its scale, of those that the reference tells: where two
/// runs for the reference are two digits closer, and that is nonzero. NAN: no forces are known.
double trm_forces_relative(const trm_comparison *c, const trm_compare_row *row);

/// Whether the row's forces are those of the reference: off by at most ten times `accuracy`, as the
/// verdict on forces has it, and that verdict is not POOR.
int trm_forces_fit(const trm_comparison *c, const trm_compare_row *row, double accuracy);
