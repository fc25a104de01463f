/// Sines and cosines of many angles at once.
#pragma once

/// s[n] = sin x[n], c[n] = cos x[n], within 1.5e-16 for |x| < 1e6 and by the C library beyond. The
/// same bits on every machine with IEEE arithmetic.
void trm_sincos(int n, const double *x, double *s, double *c);
