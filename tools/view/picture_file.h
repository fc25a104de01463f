/// Pictures as files: SVG text, or PNG by rsvg-convert.
#pragma once

#include "trammel/trammel_status.h"

/// The text at `path`: as it is, or drawn (path ends in .png) by the program rsvg-convert, twice as
/// fine. Errors: IO (not writable; no rsvg-convert).
trm_status trm_picture_save(const char *path, const char *svg, size_t length, trm_error *err);
