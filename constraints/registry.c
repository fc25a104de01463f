// The kinds of joints. A new kind takes one file and one line here.

#include "constraints/joint.h"

extern const trm_joint_kind trm_joint_revolute, trm_joint_prismatic, trm_joint_weld, trm_joint_rod,
    trm_joint_pin_in_slot, trm_joint_spherical, trm_joint_universal, trm_joint_cylindrical,
    trm_joint_planar, trm_joint_point_on_line, trm_joint_point_on_plane, trm_joint_screw;

const trm_joint_kind *const trm_joint_kinds[] = {
    &trm_joint_revolute,
    &trm_joint_prismatic,
    &trm_joint_weld,
    &trm_joint_rod,
    &trm_joint_pin_in_slot,
    &trm_joint_spherical,
    &trm_joint_universal,
    &trm_joint_cylindrical,
    &trm_joint_planar,
    &trm_joint_point_on_line,
    &trm_joint_point_on_plane,
    &trm_joint_screw,
    NULL,
};
