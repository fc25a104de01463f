/// A file that a command writes: never one it reads, never half of it under its name.
///
/// What is written goes to NAME.part, which is locked while it is written and renamed to NAME when
/// it is whole: until then what NAME was stays. With `live`, and where NAME is no regular file (a
/// pipe, a terminal), it is written in place.
#pragma once

#include "trammel/trammel_scene.h"

#include <stdio.h>
#include <sys/types.h>

enum { TRM_OUTPUT_PATH = 4096 };

typedef struct trm_outfile {
    int file;                          ///< -1 when closed
    int live;                          ///< nonzero: `written` is the file itself
    int kept;                          ///< nonzero: it was there before
    char path[TRM_OUTPUT_PATH];        ///< what NAME stands for, links followed
    char written[TRM_OUTPUT_PATH + 8]; ///< where the bytes go
} trm_outfile;

typedef struct trm_outfile_wish {
    const char *path;
    int live;
    int resume; ///< go on behind what NAME.part has
} trm_outfile_wish;

/// The inputs of the process: what it has read is written by no command, under no name. One list,
/// since no command may forget a file that another part of it has opened.
trm_status trm_input_note(const char *path, trm_error *err);
trm_status trm_input_note_scene(const trm_scene *scene, trm_error *err);

/// Open and lock. Errors: IO: also when another process writes there; OPTIONS: `path` is one of the
/// inputs, by device and inode; nothing is changed then.
trm_status trm_outfile_open(const trm_outfile_wish *wish, trm_outfile *out, trm_error *err);

/// Whether it may be opened: the errors OPTIONS of trm_outfile_open,
/// for files that somebody else writes. NULL: there is nothing to write.
trm_status trm_outfile_refuse(const char *path, trm_error *err);

/// Whole: to the disk, then renamed. Errors: IO; then NAME is as it was, and NAME.part is removed.
trm_status trm_outfile_commit(trm_outfile *out, trm_error *err);

/// Close what is not whole; NAME.part stays when `keep`.
void trm_outfile_abandon(trm_outfile *out, int keep);

/// write() until all is written. Returns the bytes that were; fewer than size: errno says why.
size_t trm_outfile_write(const trm_outfile *out, const char *bytes, size_t size);

/// Whether the bytes are on the disk; errno says why not: EINVAL a pipe, EROFS a device.
int trm_outfile_sync(const trm_outfile *out);

/// All of it: open, write, commit. Errors: IO, OPTIONS.
trm_status trm_outfile_save(const trm_outfile_wish *wish, const char *bytes, size_t size,
                            trm_error *err);

// ------------------------------------------------------------------------------- texts in memory

// open_memstream of glibc forgets a write that found no memory: the text is then torn, and neither
// ferror nor fclose says so.

/// As open_memstream: *text (to be freed by the caller, ended by 0) and *length are valid behind
/// fflush and the end. NULL without memory.
FILE *trm_text_stream(char **text, size_t *length);

/// fclose. Returns nonzero where anything that was written is lost, by a write before as well.
int trm_stream_close(FILE *out);
