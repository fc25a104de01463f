/// The line Accuracy of a run: how far its motion is known.
#pragma once

#include "tools/common/json_out.h"
#include "tools/run/run.h"

void trm_accuracy_print(const trm_program_run *run);
void trm_accuracy_json(const trm_program_run *run, trm_json *json);
