/// The runs of a comparison that say most, as one page that moves, beside the report.
#pragma once

#include "tools/compare/compare.h"

/// "page.html" -> "page.view.html".
void trm_compare_views_path(const char *report, char *out, size_t size);

/// Runs those that are recommended and, of each stabilization with a warning, the first that went
/// wrong once more, each in a process of its own, and writes their page; c->views tells which. What
/// cannot be run within the budget is left out. Errors: IO, MEMORY.
trm_status trm_compare_views(trm_comparison *c, trm_error *err);
