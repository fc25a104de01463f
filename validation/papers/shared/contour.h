/// Level lines of values on a square grid, as a series of trm_plot: segments with NAN between them.
#pragma once

/// z[(n+1)*(n+1)] at (i h, j h), row by row; cells with a NAN have no lines. Writes at most 6*n*n
/// numbers into x and y each; returns how many.
int trm_paper_contour(int n, double h, const double *z, double level, double *x, double *y);
