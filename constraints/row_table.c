// The kinds of rows in the plane and in space.

#include <stddef.h>

#include "constraints/rows.h"

extern const trm_row_ops trm_row_coincident_planar, trm_row_coincident_spatial;
extern const trm_row_ops trm_row_in_plane_planar, trm_row_in_plane_spatial;
extern const trm_row_ops trm_row_aligned_spatial, trm_row_perpendicular_spatial;
extern const trm_row_ops trm_row_angle_planar, trm_row_angle_spatial;
extern const trm_row_ops trm_row_distance_planar, trm_row_distance_spatial, trm_row_twist_spatial;

static const trm_row_ops nothing = {.rows = 0}; // no joint of that dimension has such rows

const trm_row_ops *const trm_row_table[2][TRM_ROW_KINDS] = {
    {
        [TRM_ROW_COINCIDENT] = &trm_row_coincident_planar,
        [TRM_ROW_IN_PLANE] = &trm_row_in_plane_planar,
        [TRM_ROW_ALIGNED] = &nothing,
        [TRM_ROW_PERPENDICULAR] = &nothing,
        [TRM_ROW_ANGLE] = &trm_row_angle_planar,
        [TRM_ROW_DISTANCE] = &trm_row_distance_planar,
        [TRM_ROW_TWIST] = &nothing,
    },
    {
        [TRM_ROW_COINCIDENT] = &trm_row_coincident_spatial,
        [TRM_ROW_IN_PLANE] = &trm_row_in_plane_spatial,
        [TRM_ROW_ALIGNED] = &trm_row_aligned_spatial,
        [TRM_ROW_PERPENDICULAR] = &trm_row_perpendicular_spatial,
        [TRM_ROW_ANGLE] = &trm_row_angle_spatial,
        [TRM_ROW_DISTANCE] = &trm_row_distance_spatial,
        [TRM_ROW_TWIST] = &trm_row_twist_spatial,
    },
};
