/// Streams into memory that tell what they have lost.
///
/// open_memstream of glibc forgets a write that found no memory: the text is then torn, and neither
/// ferror nor fclose says so.
#ifndef TRM_TEXT_STREAM_H
#define TRM_TEXT_STREAM_H

#include <stdio.h>

/// As open_memstream: *text (to be freed by the caller, ended by 0) and *length are valid behind
/// fflush and the end. NULL without memory.
FILE *trm_text_stream(char **text, size_t *length);

/// fclose. Returns nonzero where anything that was written is lost, by a write before as well.
int trm_stream_close(FILE *out);

#endif
