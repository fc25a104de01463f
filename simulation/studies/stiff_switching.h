/// Which method a run goes on by: the one owner of that decision.
#pragma once

#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

/// A run with other options that goes on where `from` is: its state, work, inputs, events, impacts,
/// counters and report. `from` is as it was. Kept crossings (trm_sim_crossing) are those of the new
/// run. Errors: as trm_sim_create.
trm_status trm_sim_create_from(const trm_sim *from, const trm_options *options, trm_sim **out,
                               trm_error *err);

/// To be called between two steps. Where stability limits the steps, the run is IDA's from here on;
/// where IDA does not pay, it is handed back. What refuses to take over leaves the run as it was.
/// Errors: MEMORY, and those of trm_sim_step of a run that is not ready.
trm_status trm_stiff_switching_where_due(trm_sim *sim, trm_error *err);

/// A run that IDA steps is handed back to the chosen method, at its state. Errors: MEMORY,
/// and those of trm_sim_create_from.
trm_status trm_stiff_switching_back(trm_sim *sim, trm_error *err);
/// The same where IDA has found no step.
trm_status trm_stiff_switching_failed(trm_sim *sim, trm_error *err);
/// A run of the chosen method at the start of the model, for a state that is to be restored;
/// then `sim` becomes it. Errors: as trm_sim_create.
trm_status trm_stiff_switching_blank(const trm_sim *sim, trm_sim **out, trm_error *err);
void trm_stiff_switching_become(trm_sim *sim, trm_sim *next);
