/// Intervals that a run takes at the impulse level, by the projected steps of `moreau`.
#pragma once

#include "simulation/run/simulation.h"

/// To be called between two steps. Where no forces fit, several do, or located events crowd, the
/// run goes on by projected steps; where these have come to an end it is handed back. Errors:
/// MEMORY, and those of trm_sim_create_from.
trm_status trm_projected_steps_where_due(trm_sim *sim, trm_error *err);

/// A run in projected steps is handed back to the chosen method, at its state, contacts that
/// overlap parted. Errors: MEMORY, and those of trm_sim_create_from.
trm_status trm_projected_steps_back(trm_sim *sim, trm_error *err);
