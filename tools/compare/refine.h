/// Rows between rows.
#pragma once

#include "tools/compare/compare.h"

/// Adds to each pair a row aimed at each accuracy that lies between the errors of two of its rows,
/// where the steps or tolerances are ours to choose; c->rows may move. Errors: MEMORY.
trm_status trm_plan_refine(trm_comparison *c, trm_error *err);
