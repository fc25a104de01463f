/// Blocks of G of spatial joints that fix a point: sphericals, revolutes, universals, welds.
///
///     G = [s I; 0 | A],   s = -1 for the first body of the joint, 1 for the second
///
/// The first three rows say that two points coincide, the others only turn; A has three columns. That makes half of
/// the arithmetic of six columns; form_spatial.h has the other use of it. Rows of G are stored with all six.
#ifndef TRM_FIXED_POINTS_H
#define TRM_FIXED_POINTS_H

/// y[rows] += G x[6]
void trm_fixed_point_multiply(int rows, double s, const double *G, const double *x, double *y);

/// x[6] += G^T y[rows]
void trm_fixed_point_spread(int rows, double s, const double *G, const double *y, double *x);

#endif
