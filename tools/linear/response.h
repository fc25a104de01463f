/// The frequency response of one input to one number that a sensor reads.
#pragma once

#include "tools/linear/linearize.h"

/// Reads --response IN,OUT: l->inputs and l->sensor. Errors: OPTIONS (no such input or sensor, a
/// sensor of several numbers).
trm_status trm_response_read(trm_linearized *l);
/// The figure of both, l->arguments.output (response_figure.c). Errors: IO, MEMORY.
trm_status trm_response_draw(trm_linearized *l);
/// l->response, at l->arguments.points frequencies, and l->step, at as many times. Errors: OPTIONS
/// (a range that is none), MEMORY.
trm_status trm_response_find(trm_linearized *l);
