// The kinds of constraints. A new one is one file and one line here.

#include "constraints/transmissions/relation.h"

extern const trm_relation_kind trm_relation_expression, trm_relation_gear,
    trm_relation_rack_and_pinion, trm_relation_screw, trm_relation_belt, trm_relation_cam,
    trm_relation_velocity, trm_relation_knife_edge, trm_relation_rolling, trm_relation_rolling_pair;

const trm_relation_kind *const trm_relation_kinds[] = {
    &trm_relation_expression,
    &trm_relation_coupling,
    &trm_relation_gear,
    &trm_relation_rack_and_pinion,
    &trm_relation_screw,
    &trm_relation_belt,
    &trm_relation_cam,
    &trm_relation_curve,
    &trm_relation_velocity,
    &trm_relation_knife_edge,
    &trm_relation_rolling,
    &trm_relation_rolling_pair,
    NULL,
};
