/// Which rows a comparison has.
#pragma once

#include "tools/compare/compare.h"

/// --methods: the pairs, in the order asked for; without it all that make a difference here. *out
/// goes to free, c has those with parameters. Errors: OPTIONS, MEMORY.
trm_status trm_plan_pairs(trm_comparison *c, const trm_method ***out, int *n, trm_error *err);

/// --reference: of the pairs that a name stands for the most exact one. Errors: OPTIONS.
trm_status trm_plan_reference(const char *name, const trm_method **out, trm_error *err);

/// Common times: n of them, equally spaced, between 40 and 100 so that the interval is a round
/// number when it can be.
void trm_plan_times(double end, trm_reference *reference);

/// The interval of those times, s.
double trm_plan_interval(double end);

/// A step of about `wanted` that divides the interval of the common times by 1, 2 or 5 times a
/// power of ten.
double trm_plan_step(double end, double wanted);

/// The rows of c->rows: of every pair its steps or tolerances, given or chosen.
/// `exact_evaluations`: of f, by dop853 at rtol 1e-13, to tell the cost from; 0: unknown.
/// Errors: OPTIONS, MEMORY.
trm_status trm_plan_rows(trm_comparison *c, const trm_method **pairs, int npairs,
                         long exact_evaluations, trm_error *err);
