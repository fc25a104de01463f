/// The numbers of contacts, impacts and friction that are no exact zero, each with what it stands
/// for. None depends on a scene. tests/tools/numbers/contact_numbers_test.py doubles and halves
/// each.
#pragma once

/// Rates and accelerations of this part of what they are made of are roundoff: a sum of tens of
/// terms with a relative error of 1e-15, through a solve of joints with a condition of 1e3 or so.
#define TRM_CONTACT_ROUNDOFF 1e-11

/// Part of a force of friction by which it may miss its bound and counts as used up: far above the
/// roundoff of forces, far below the tolerances of a run.
#define TRM_CONTACT_USED_UP 1e-9

/// Forces of held rows: thousands of roundings of their terms.
#define TRM_CONTACT_GRAIN 1e-12

/// Of all that several frictional points bear: what is not known of the friction of each. Rows that
/// depend on each other share it to eps/delta = 2e-7 of the vector of all (complementarity.c), in
/// each null direction: twice that.
#define TRM_CONTACT_SHARE 5e-7

/// Of W, the square of an angle: directions closer than 1e-6 are the same, as of stops that count
/// as independent (complementarity.c).
#define TRM_CONTACT_ALIKE 1e-12

/// Roundings of a place, from where a stop counts as met by a step of given length.
#define TRM_CONTACT_PLACE 16.0

/// Newton's method for loads has converged: some ten roundings.
#define TRM_CONTACT_LOAD 1e-14

/// Roundings of the largest rate: sums of some terms, each of which a sweep rounds anew.
#define TRM_IMPACT_SUM 64.0

/// Of a rate before an impact: ten roundings.
#define TRM_IMPACT_NOISE 1e-15

/// Of the right side of a problem with friction: a path that roundoff has led astray is seen.
#define TRM_COULOMB_EXACT 1e-10

/// Tens of roundings, of numbers of size one: two ratios of Lemke's method are the same.
#define TRM_LEMKE_EQUAL 1e-14

/// Of the largest coefficient of a column of Lemke's method: below it there is roundoff.
#define TRM_LEMKE_NOTHING 1e-12
