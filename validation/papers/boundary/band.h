/// Banded linear algebra.
#pragma once

/// A square matrix whose entries (i, j) vanish for |i - j| > width.
typedef struct trm_band {
    int n, width;
    int rows;  ///< length of a column in A
    double *A; ///< [rows*n] column by column, room for the fill of the factors
} trm_band;

/// A band without its arrays.
trm_band trm_band_of(int n, int width);
/// The number of doubles in A.
int trm_band_size(const trm_band *band);
void trm_band_clear(trm_band *band);
/// The place of entry (i, j).
double *trm_band_at(const trm_band *band, int i, int j);
/// x[n] := A^-1 x; A is overwritten. Returns nonzero when A is singular.
int trm_band_solve(trm_band *band, double *x);
