/// Columns W[k*n ...] that are orthonormal in units of D, W^T D W = 1, beside D W: directions that
/// are left out of right-hand sides, b := b - D W W^T b, and of solutions, x := x - W (D W)^T x.
#pragma once

/// x[n] := x - Y Z^T x of `count` columns: Y = D W, Z = W, or the other way round.
void trm_columns_leave_out(int count, int n, const double *Y, const double *Z, double *x);
/// y[n] := D x. Returns x^T y.
double trm_columns_weigh(int n, const double *D, const double *x, double *y);
/// x^T y
double trm_columns_product(int n, const double *x, const double *y);
/// Column k of W, of any length, becomes orthonormal to the k before it; its D W. Returns the
/// length of what was orthogonal to these.
double trm_columns_append(int k, int n, const double *D, double *W, double *DW);
