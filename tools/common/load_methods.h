/// Methods of a shared library: --load FILE.so.
#pragma once

#include "trammel/trammel_status.h"

/// Calls its trammel_load; the library stays. Errors: IO (no such library), OPTIONS (it has no
/// trammel_load, or its methods are refused).
trm_status trm_load_methods(const char *path, trm_error *err);
