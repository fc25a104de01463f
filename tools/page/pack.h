/// Bytes -> gzip -> base 85, as the page unpacks them with DecompressionStream.
#pragma once

#include "trammel/trammel_status.h"

#include <stdio.h>

/// Errors: MEMORY.
trm_status trm_pack(FILE *out, const unsigned char *bytes, size_t n, trm_error *err);
