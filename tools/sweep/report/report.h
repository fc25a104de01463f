/// The report of a sweep: one HTML file that needs nothing else.
#pragma once

#include "trammel/trammel_status.h"

/// Of the table and its manifest, to `page`. Errors: IO, OPTIONS, MEMORY.
trm_status trm_sweep_report(const char *table, const char *manifest, const char *page,
                            trm_error *err);
