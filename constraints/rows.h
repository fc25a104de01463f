/// Rows of g: the scalar equations that every joint consists of, arrays by kind.
///
///   coincident      0 = r_b - r_a                    2 or 3 rows, m
///   in_plane        0 = n_a . (r_b - r_a)            1 row, m; n fixed in a
///   aligned         0 = u_a . w_b, u_a . s_b         2 rows, rad; spatial only
///   perpendicular   0 = u_a . w_b                    1 row, rad; spatial only
///   angle           0 = angle of b relative to a     1 row, rad; spatial: about u, within a turn
///   twist           0 = angle about u, without swing  1 row, rad; spatial only, within a turn
///   distance        0 = (|r_b - r_a|^2 - L^2)/(2 L)  1 row, m
///
/// r_a = p_a + R_a l_a. A driven row has c(t) subtracted; the assembler does that for all kinds.
#pragma once

#include "bodies/pose.h"

typedef enum trm_row_kind {
    TRM_ROW_COINCIDENT,
    TRM_ROW_IN_PLANE,
    TRM_ROW_ALIGNED,
    TRM_ROW_PERPENDICULAR,
    TRM_ROW_ANGLE,
    TRM_ROW_DISTANCE,
    TRM_ROW_TWIST,
    TRM_ROW_KINDS
} trm_row_kind;

/// One entry as a joint specifies it.
typedef struct trm_row {
    trm_row_kind kind;
    int a, b;            ///< body indices, ground = nbody
    double la[3], lb[3]; ///< m, points in the frames of a and b
    double ua[3],
        ub[3]; ///< unit vectors in the frames of a and b: in_plane ua = n; aligned and
               ///< perpendicular u, w; angle, twist, spatial: ua = axis in a, ub = axis in b
    double sa[3], sb[3]; ///< angle, twist, spatial: directions perpendicular to the axis whose
                         ///< angle is measured; aligned sb = s
    double constant;     ///< distance: L, m; angle, planar: the value that counts as zero, rad
} trm_row;

/// All rows of one kind. Vectors are component-major: la[k*stride + i] is component k of entry i.
typedef struct trm_row_batch {
    int n, stride;    ///< entries; stride = n rounded up to 8
    const int *a, *b; ///< [n] bodies
    const int *row;   ///< [n] first row in g
    const int *Ga,
        *Gb; ///< [n] where in G the first row's entries for a and b begin; the next row of
             ///< the same entry follows `width` later
    const double *la, *lb;  ///< [dimension*stride]
    const double *ua, *ub;  ///< [dimension*stride]
    const double *sa, *sb;  ///< [dimension*stride]
    const double *constant; ///< [n]
} trm_row_batch;

typedef struct trm_row_ops {
    int rows; ///< scalar rows per entry
    /// Write g and both G blocks (every entry of them) of all rows of the batch.
    void (*position)(const trm_row_batch *batch, const trm_pose *pose, double *g, double *G);
    /// Write gamma = -(what is free of v' in g''), V in slots, in the
    /// plane without those of the ground.
    void (*gamma)(const trm_row_batch *batch, const trm_pose *pose, const double *V, double *gamma);
} trm_row_ops;

/// [dimension - 2][kind]; perpendicular has no planar form (rows = 0).
extern const trm_row_ops *const trm_row_table[2][TRM_ROW_KINDS];
