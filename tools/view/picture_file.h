/// Pictures as files: SVG text, PNG by rsvg-convert, or videos by ffmpeg.
#pragma once

#include "trammel/trammel_status.h"

/// The text at `path`: as it is, or drawn (path ends in .png) by the program rsvg-convert, twice as
/// fine. Errors: IO (not writable; no rsvg-convert).
trm_status trm_picture_save(const char *path, const char *svg, size_t length, trm_error *err);

/// Returns nonzero if the name is that of a video: .gif, .webp or .mp4.
int trm_picture_is_video(const char *path);
/// A video of n pictures of one size, by the program ffmpeg, endlessly repeated where the format
/// can say so. rate: frames a second; width: px. Errors: IO (not writable; no ffmpeg).
trm_status trm_picture_video(const char *path, int n, char *const *frames, double rate, int width,
                             trm_error *err);
