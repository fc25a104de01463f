/// What single checks of a run come to, by the table of docs/reference/verdicts.md.
#pragma once

#include "trammel/trammel_report.h"

/// Verdict of an error over the size of the mechanism or in rad, or of energy over the exchanged
/// energy, where no accuracy is known: good up to 1e-6, fair up to 1e-3; what is no number is poor.
trm_verdict trm_verdict_of(double error);
/// Verdict of a gap, over the size of the mechanism. Where less than the usual bound was asked for,
/// a gap of more than 10 A is not good: a body is off by half of it at least.
trm_verdict trm_verdict_of_gap(double relative, double accuracy);
/// Verdict of the constraints, the worst of: gaps at step ends and samples, gaps between samples
/// before projection, velocity residuals, and of velocities. Of trm_report.accuracy
/// A: the motion between two steps and velocities may err by 10 A of the size and be what was
/// asked for; that is fair, where it is more than the usual bound.
trm_verdict trm_verdict_of_constraints(const trm_report *report);
trm_verdict trm_verdict_between(const trm_report *report);
trm_verdict trm_verdict_of_velocities(const trm_report *report);
/// Verdict of a loss of energy, which may err by twice that, since it goes with the square of the
/// motion. A loss is over the exchanged energy.
trm_verdict trm_verdict_of_loss(double relative, double accuracy);
trm_verdict trm_verdict_of_energy(const trm_report *report);
/// energy_error over what moved; the error itself where nothing did and nothing bears a load.
double trm_energy_relative(const trm_report *report);
/// Verdict of the largest of these figures; what is not known does not count. A part of the forces
/// may err as the motion may, by 10 A, or 10 times the misfit.
trm_verdict trm_verdict_of_forces(const trm_forces *forces, const trm_report *report);
/// A change of assembly, or a bifurcation, is POOR; what double precision does not decide is fair.
trm_verdict trm_verdict_of_branch(const trm_report *report);
/// The worst of these.
trm_verdict trm_verdict_of_report(const trm_report *report);
/// Of a difference over the motion (trm_accuracy.differs): good up to the accuracy asked for, fair
/// up to ten times that; as trm_verdict_of where none was.
trm_verdict trm_verdict_of_end(double relative, double accuracy);
