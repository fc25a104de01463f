/// The line Misfit of a run: what redundant joints miss each other by.
#pragma once

#include "tools/common/json_out.h"
#include "tools/run/run.h"
#include "trammel/trammel_report.h"

void trm_play_print(const trm_program_run *run, const trm_report *report);
/// Parts that nothing can move, by name.
void trm_play_print_locked(const trm_program_run *run);
void trm_play_json(const trm_program_run *run, const trm_report *report, trm_json *json);
