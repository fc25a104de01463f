/// The coordinate x of a contact: a formula, a row of two shapes, or a row of a joint that is
/// switched in a run (constraints/rows.h).
#pragma once

#include "engine/multibody/model.h"

/// Numbers of the place of a row: la and ub of a joint's entry, or `rest` of a rim.
enum { TRM_COORDINATE_PLACE = 6 };

/// The place of a joint's row by the initial pose.
void trm_joint_row_begin(const trm_joint_row *row, double place[TRM_COORDINATE_PLACE]);
/// The place at which a row that moves is zero at this pose; an angle in the plane keeps its own.
void trm_joint_row_move(const trm_joint_row *row, const trm_pose *pose,
                        double place[TRM_COORDINATE_PLACE]);

/// x, x' and what of x'' is free of accelerations; V NULL: x alone, but of shapes. `place`: of
/// shapes NULL: by their position; `pressed`: they are held.
void trm_coordinate_jet(const trm_contact_row *row, double *place, int pressed,
                        const trm_pose *pose, const double *V, double x[3]);
/// The gradient of shapes, or of a joint's row, added to slots of moving bodies. Returns what of x'
/// is not linear in v.
double trm_coordinate_gradient(const trm_contact_row *row, double *place, int pressed,
                               const trm_pose *pose, const double *V, double *slots);
