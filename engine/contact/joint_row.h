/// A row of a joint that is switched in a run (constraints/rows.h), as the coordinate of a contact.
#pragma once

#include "engine/multibody/model.h"

enum { TRM_JOINT_PLACE = 6 }; ///< numbers of the place of a row: la and ub of its entry

/// The place by the initial pose.
void trm_joint_row_begin(const trm_joint_row *row, double place[TRM_JOINT_PLACE]);
/// The place at which a row that moves is zero at this pose; an angle in the plane keeps its own.
void trm_joint_row_move(const trm_joint_row *row, const trm_pose *pose,
                        double place[TRM_JOINT_PLACE]);
/// x, x' and what of x'' is free of accelerations.
void trm_joint_row_jet(const trm_joint_row *row, const double place[TRM_JOINT_PLACE],
                       const trm_pose *pose, const double *V, double x[3]);
/// The gradient, added to slots of moving bodies.
void trm_joint_row_gradient(const trm_joint_row *row, const double place[TRM_JOINT_PLACE],
                            const trm_pose *pose, double *slots);
