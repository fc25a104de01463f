/// Which of the rows that depend on each other are kept, the others being masked (null_space.h).
///
/// Rows that were chosen in one position may come near to dependence in another, where the rank of
/// all rows is as it was. The motion u that they lose opens a masked row m then. In place of the
/// row i it is kept of which m has the largest part c_i, m = sum c_i row_i: the volume that the
/// kept rows span grows by |c_i| [Gu, Eisenstat 1996, Lemma 3.1]. Rows with |c| <= f are regular to
/// 1/sqrt(1 + f^2 k (n - k)) of what all n rows are, k of them kept [Theorem 3.2].
#pragma once

#include "engine/system/system.h"

/// f, above 1, so that volumes grow.
#define TRM_MASKED_PART 2.0

/// Choose anew at the system's current point, factored before and after. x[nc], y[nc], u[nv] for
/// use. Returns how many rows were changed.
int trm_rank_masks_renew(trm_system *system, double *x, double *y, double *u);
