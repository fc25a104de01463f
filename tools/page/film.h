/// A recording of a scene as the page shows it: poses thinned as far as the eye allows, reactions
/// of joints, columns for plots, events. Written as one JSON object; the numbers go into channels.
#pragma once

#include "program/view.h"
#include "tools/common/json_out.h"
#include "tools/drawing/figure.h"
#include "tools/page/channels.h"
#include "tools/page/tape.h"

typedef struct trm_film {
    const trm_scene *scene;
    trm_scene_view view;
    const trm_model *model;
    trm_tape *tape;
    int nfigures;
    const trm_figure *figure; ///< [nfigures] of bodies, then of shapes for eyes
    long rows;                ///< of the tape, those whose poses are all finite
    double *q;                ///< [rows*nq]
    double *v;                ///< [rows*nv]
    double low[3], high[3];   ///< m, of everything that is drawn of bodies, over all rows
} trm_film;

/// Finds the state of the scene's bodies in the tape. Errors: OPTIONS (the recording has none of
/// them), MEMORY. What is merely odd becomes a note of the tape.
trm_status trm_film_begin(const trm_scene *scene, const trm_model *model, int nfigures,
                          const trm_figure *figure, trm_tape *tape, trm_film *out, trm_error *err);

/// `size` (m): diameter of the picture, 1/8192 of which is the precision. Errors: MEMORY.
trm_status trm_film_write(trm_film *film, double size, trm_json *json, trm_channels *channels,
                          trm_error *err);
void trm_film_end(trm_film *film);

/// Joint forces and moments (film_reactions.c): F[n*6*njoint], force (N) on b and moment (N m)
/// about the joint's point of b, world axes, at n rows first, first + stride, ... and the last; and
/// in gap[njoint] (m or rad) how far each joint is open at most. Errors: MEMORY, and those of
/// trm_sim_create.
trm_status trm_film_reactions(const trm_film *film, long n, const long *row, double *F, double *gap,
                              trm_error *err);

/// Forces and moments on each body but its weight (film_forces.c): F[n*6*nbody], force (N) and
/// moment (N m) about the centre of mass, world axes, at n rows as above. Errors: MEMORY, and those
/// of trm_sim_create.
trm_status trm_film_forces(const trm_film *film, long n, const long *row, double *F,
                           trm_error *err);

void trm_film_cross(const double a[3], const double b[3], double out[3]);

/// A run to ask for terms of the model in; the caller's. Errors: those of trm_sim_create.
trm_status trm_film_sim(const trm_film *film, trm_sim **out, trm_error *err);
