/// Householder factors A P = Q R of column-major matrices A[m*n], as LAPACK stores them: R in and
/// above the diagonal, the reflectors v (v_1 = 1) below it, their factors in tau.
#pragma once

/// order[n] := the columns in the order of their remainders, greatest first; NULL: no exchanges.
/// Remainders are carried on from column to column, and formed anew where roundoff would count
/// [Drmac and Bujanovic, On the failure of rank-revealing QR factorization software, 2008].
/// work[2n].
void trm_qr(int m, int n, double *A, int *order, double *tau, double *work);

/// A[m*n] := the first n columns of Q = H_1 ... H_k, k <= n <= m, reflectors in its first k
/// columns.
void trm_qr_form(int m, int n, int k, double *A, const double *tau);
