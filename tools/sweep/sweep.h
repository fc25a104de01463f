/// trammel sweep, with any engine that makes the runs.
#pragma once

#include "tools/sweep/pool.h"

/// Returns a trm_exit. argv[0] is the subcommand.
int trm_sweep(trm_engine *engine, int argc, char **argv);
