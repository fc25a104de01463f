/// Blocks of G of spatial joints that fix a point: sphericals, revolutes, universals, welds.
///
///     G = [s I; 0 | A],   s = -1 for the first body of the joint, 1 for the second
///
/// The first three rows say that two points coincide, the others only turn; A has three columns. Hence
///
///     G_i W G_j^T = s_i s_j w [I 0; 0 0] + A_i J^-1 A_j^T,    W = diag(w, w, w, J^-1),
///
/// a third of the arithmetic of six columns. Rows of G are stored with all six columns.
#ifndef TRM_FIXED_POINTS_H
#define TRM_FIXED_POINTS_H

/// What a side contributes to S, in 6*rows doubles: A W, three to a row, and A^T, `rows` to a row.
/// W[9] is J^-1 or the identity.
void trm_fixed_point_weigh(int rows, const double *G, const double *W, double *out);

/// S += (A_i W) A_j^T, and `linear` = s_i s_j w on the diagonal of the first three rows; i and j point
/// to what trm_fixed_point_weigh made.
void trm_fixed_point_couple(int rows_i, int rows_j, const double *i, const double *j, double linear,
                            double *S);

/// y[rows] += G x[6]
void trm_fixed_point_multiply(int rows, double s, const double *G, const double *x, double *y);

/// x[6] += G^T y[rows]
void trm_fixed_point_spread(int rows, double s, const double *G, const double *y, double *x);

#endif
