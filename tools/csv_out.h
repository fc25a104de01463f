/// The recording: one line of numbers per sample, columns named with their unit.
///
///     t, BODY.x[m] ... BODY.rate[rad/s], MARKER.x[m] ..., JOINT.coordinate[rad],
///     JOINT.coordinate_rate[rad/s] ..., ROW.lambda_LABEL[N] ..., ACTUATOR.effort[N m] ..., INPUT ...,
///     drift.position, drift.velocity, energy.kinetic[J], energy.potential[J], energy.work[J],
///     singularity.rcond, singularity.sigma, singularity.crossings, singularity.bifurcations,
///     singularity.branch_changes
///
/// Spatial bodies have x y z qw qx qy qz vx vy vz wx wy wz (w: body axes).
#ifndef TRM_CSV_OUT_H
#define TRM_CSV_OUT_H

#include "engine/trammel.h"

typedef struct trm_recording trm_recording;

/// Create or overwrite the file and write its header through to it. Nothing is left behind when
/// that fails. Scene and model are borrowed. unique[nc] (NULL: not known) tells which multipliers
/// redundancy leaves open, see trammel_check.h: their columns are named so. Errors: IO, MEMORY.
trm_status trm_recording_open(const char *path, const trm_scene *scene, const trm_model *model,
                              const int *unique, trm_recording **out, trm_error *err);

/// Append one line: a sample that `sim` has just given, and sigma, of trm_sim_singular_value at its
/// time. After an error the file ends with the last line that fitted. Errors: IO, CALLBACK.
trm_status trm_recording_write(trm_recording *recording, const trm_sim *sim,
                               const trm_sample *sample, double sigma, trm_error *err);

/// Write what is still buffered and close the file; the recording stays for the three below.
/// Errors: IO.
trm_status trm_recording_close(trm_recording *recording, trm_error *err);
void trm_recording_destroy(trm_recording *recording);

long trm_recording_rows(const trm_recording *recording); ///< lines in the file, header not counted
int trm_recording_columns(const trm_recording *recording);
double trm_recording_last(const trm_recording *recording); ///< s, time of the last line; NAN: none

/// The first columns, those of time and of the state, separated by commas: t, q, v body by body. To
/// be given to free; NULL when memory is short.
char *trm_recording_state_columns(const trm_scene *scene, const trm_model *model);

#endif
