/// The list of claims and open ends, measured and printed.
#pragma once

#include "trammel/trammel_status.h"

/// To stdout; *failed is how many claims do not hold. Errors: what a run failed with.
trm_status trm_paper_claims_print(int as_json, int *failed, trm_error *err);
