/// CPU times, each row alone on the machine as far as we can see to it.
#pragma once

#include "tools/compare/compare.h"

/// Fills cpu, cpu_min, cpu_max and repeats of rows that reached the end, in rounds A B C A B C;
/// then c->noise. Errors: MEMORY.
trm_status trm_compare_time(trm_comparison *c, trm_error *err);
