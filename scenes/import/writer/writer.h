/// A description as the text of a scene: readable, grouped, one element a line.
#pragma once

#include "base/text/text_buffer.h"
#include "scenes/import/description/description.h"
#include "scenes/json/scene_names.h"

/// Names as the model has them, changed where a scene needs other letters or they are taken.
typedef struct trm_writer {
    trm_description *d;
    trm_text_buffer *out;
    trm_names points, elements, inputs, outputs;
    const char **links, **marks, **joints, **couplings, **tendons, **drives, **controls, **sensors;
    int first;  ///< no element of the group was written yet
    int sensor; ///< the one that is written
} trm_writer;

/// Writes the scene. Failures are noted in the description.
void trm_write_scene(trm_description *d, trm_text_buffer *out);

void trm_writer_names(trm_writer *w);
/// A further name among joints, constraints, forces and stops: "knee_spring".
const char *trm_writer_element(trm_writer *w, const char *of, const char *suffix);
const char *trm_writer_link(const trm_writer *w, int link);

/// ",\n    {" of one more element; the end is put by the caller.
void trm_writer_entry(trm_writer *w, const char *name);
/// The shortest decimals that read back as x.
void trm_put_number(trm_text_buffer *out, double x);
/// [x, y, z], to the rounding of the largest.
void trm_put_vector(trm_text_buffer *out, int n, const double *x);
void trm_put_key_vector(trm_text_buffer *out, const char *key, int n, const double *x);
void trm_put_key_number(trm_text_buffer *out, const char *key, double x);

/// Definitions, forces and stops of tendons and drives.
void trm_write_inputs(trm_writer *w);
void trm_write_definitions(trm_writer *w);
void trm_write_forces(trm_writer *w);
void trm_write_stops(trm_writer *w);
/// What sensors read, by formulas.
void trm_write_outputs(trm_writer *w);
