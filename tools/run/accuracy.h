/// The line Accuracy of a run: what is known of its end state.
#ifndef TRM_TOOLS_ACCURACY_H
#define TRM_TOOLS_ACCURACY_H

#include "tools/common/json_out.h"
#include "tools/run/run.h"

/// The accuracy that was asked for, relative to the size of the
/// mechanism; 0: fixed steps ask for none.
double trm_accuracy_asked(const trm_program_run *run);
/// Up to what was asked for good, up to ten times that fair. Only of a run that was verified.
trm_verdict trm_accuracy_verdict(const trm_program_run *run);

void trm_accuracy_print_length(const trm_program_run *run); ///< a line under Method
void trm_accuracy_print(const trm_program_run *run);
void trm_accuracy_json(const trm_program_run *run, trm_json *json);

#endif
