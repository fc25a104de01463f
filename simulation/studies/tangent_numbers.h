/// The numbers of tangent_propagation.c. tests/tools/numbers/growth_test.py halves and doubles
/// each.
#ifndef TRM_PROPAGATION_NUMBERS_H
#define TRM_PROPAGATION_NUMBERS_H

/// Of the size of the mechanism: the disturbance. Its square is lost against it, and so is the
/// rounding of accelerations, 1e-16/1e-6: a ten-billionth.
#define TRM_PROPAGATION_AMPLITUDE 1e-6

/// Evaluations, of those of the run: the tenth that is granted.
#define TRM_PROPAGATION_SHARE 0.1

/// Of the tolerances: what steps may err by in an own period. trm_options_for_duration takes
/// tolerances for ten of them.
#define TRM_PROPAGATION_COMMITTED 0.1

/// The next step over this one, above which the steps of the start are still growing: a step of
/// order eight that is to be twice as long has erred by less than 2^-8 of its tolerance.
#define TRM_PROPAGATION_FIRST 2.0

/// |v_c - v_p| over the length of the disturbance, predicted and corrected: above it the step of
/// the run is too long for formulas of high order. The next one begins anew, and all that the
/// disturbance has grown by counts as an error.
#define TRM_PROPAGATION_ROUGH 0.3

/// Of the length of a vector: what is left of it beside others, if it is not to count as one of
/// their span. Rates are known to TRM_PROPAGATION_AMPLITUDE's 1e-10; divided by what is left they
/// keep half of the digits.
#define TRM_PROPAGATION_REST 1e-5

#endif
