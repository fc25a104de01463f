/// The recording: one line of numbers per sample, under the columns of csv_columns.h.
#pragma once

#include "tools/common/csv_columns.h"
#include "tools/common/output.h"
#include "trammel/trammel_simulation.h"

typedef struct trm_recording trm_recording;

/// What goes into the file, and under which names.
typedef struct trm_recording_form {
    const int *unique;   ///< [nc] which multipliers redundancy leaves open, see trammel_check.h;
                         ///< NULL: not known
    const char *columns; ///< as trm_columns_choose has it; NULL: all
    trm_header header;
} trm_recording_form;

/// Open the file and write its header through to it; tools/common/output.h says where. Nothing is
/// left behind when that fails. Scene, model and the path of the wish are borrowed. Errors: IO,
/// MEMORY, OPTIONS (no such column).
trm_status trm_recording_open(const trm_outfile_wish *wish, const trm_scene *scene,
                              const trm_model *model, const trm_recording_form *form,
                              trm_recording **out, trm_error *err);

/// Append one line: a sample that `sim` has just given. After an error the file ends with the last
/// line that fitted. Errors: IO, CALLBACK.
trm_status trm_recording_write(trm_recording *recording, trm_sim *sim, const trm_sample *sample,
                               trm_error *err);

/// How far a recording was.
typedef struct trm_recording_point {
    long rows;
    off_t bytes; ///< of the file
    double t;    ///< s, of the last line
} trm_recording_point;

/// All lines so far to the disk. Errors: IO.
trm_status trm_recording_mark(trm_recording *recording, trm_recording_point *out, trm_error *err);
/// Of a recording opened to `resume`: cut off what is behind that
/// point and go on there. Errors: IO.
trm_status trm_recording_go_back(trm_recording *recording, const trm_recording_point *point,
                                 trm_error *err);

/// Write what is buffered when the last write is a second old, or lines come seldom.
trm_status trm_recording_tick(trm_recording *recording, trm_error *err);

/// Write what is still buffered and close the file; when the run is `whole`, under its name. The
/// recording stays for those below. Errors: IO.
trm_status trm_recording_close(trm_recording *recording, int whole, trm_error *err);
void trm_recording_destroy(trm_recording *recording);

long trm_recording_rows(const trm_recording *recording); ///< lines in the file, header not counted
int trm_recording_columns(const trm_recording *recording);
const char *trm_recording_path(const trm_recording *recording); ///< of the file that has the lines
double trm_recording_last(const trm_recording *recording); ///< s, time of the last line; NAN: none

/// The first columns, those of time and of the state, separated by commas: t, q, v body by body. To
/// be given to free; NULL when memory is short.
char *trm_recording_state_columns(const trm_scene *scene, const trm_model *model);
