/// Recordings of `trammel run -o`, or of other programs, as the reference and as rows.
#pragma once

#include "tools/compare/compare.h"

/// c->recorded from --row. Errors: IO, OPTIONS, MEMORY.
trm_status trm_recordings_list(trm_comparison *c, trm_error *err);

/// All files: the common times, c->reference where reference.from_file is set, the states of
/// c->recorded, and c->end where --end is not given. Errors: IO, OPTIONS (a file does not belong to
/// this scene, or has no time that all have), MEMORY.
trm_status trm_recordings_read(trm_comparison *c, trm_error *err);

/// Number i of c->recorded as a row, once the reference is known.
void trm_recorded_row(const trm_comparison *c, int i, trm_compare_row *row);
