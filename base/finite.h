#pragma once

/// Nonzero when every entry is finite.
int trm_all_finite(int n, const double *x);
