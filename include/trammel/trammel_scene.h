/// @file
/// Trammel: a scene, the editable description of a mechanism: from
/// a file, from text, changed by name.
///
/// @code
///     trm_scene *scene = NULL;
///     trm_status status = trm_scene_load("scenes/four_bar.json", &scene, &err);
///     if (!status) {
///         status = trm_scene_set(scene, "crank", "0.25", &err);
///     }
///     if (!status) {
///         const trm_scene_info about = trm_scene_get_info(scene);
///         printf("%s, %d-D\n", about.title, about.dimension);
///     }
///     trm_scene_destroy(scene);
/// @endcode
#ifndef TRAMMEL_SCENE_H
#define TRAMMEL_SCENE_H

#include "trammel_status.h"

#include <stddef.h>
#include <stdint.h>

TRM_API_BEGIN

void trm_scene_destroy(trm_scene *scene);

/// Where a scene comes from, and what it may read.
typedef struct trm_scene_source {
    const char *path; ///< of the file; NULL with `json`
    const char *json; ///< the text itself, `length` bytes; NULL with `path`
    size_t length;
    const char *allow_files; ///< a folder in which its tables may lie beside the scene's own (of a
                             ///< text: the working directory); NULL: no other
    const char *root;        ///< of an imported robot: "fixed" or "free"; NULL: as its file says
    const char *start;       ///< of an imported robot: the keyframe to start from; NULL: its zero
    const char *loops;       ///< of an imported URDF: a file of pairs of frames that close loops
} trm_scene_source;

/// A scene, or a robot: .xml and .mjcf (MJCF of MuJoCo), .urdf or .sdf, see trm_scene_loss_info.
/// Errors: OPTIONS, IO, SYNTAX, SCENE, MEMORY. On failure *out is NULL.
trm_status trm_scene_open(const trm_scene_source *source, trm_scene **out, trm_error *err);
/// Of a file.
static inline trm_status trm_scene_load(const char *path, trm_scene **out, trm_error *err)
{
    const trm_scene_source source = {path, NULL, 0, NULL, NULL, NULL, NULL};
    return trm_scene_open(&source, out, err);
}
/// Of a text of `length` bytes.
static inline trm_status trm_scene_parse(const char *json, size_t length, trm_scene **out,
                                         trm_error *err)
{
    const trm_scene_source source = {NULL, json || length ? json : "", length, NULL, NULL, NULL,
                                     NULL};
    return trm_scene_open(&source, out, err);
}

/// What the file of an imported robot says and the scene does not.
typedef struct trm_loss_info {
    const char *element; ///< borrowed from the scene; NULL: no more of them
    const char *file;
    long line;
    const char *consequence;
    int moves; ///< nonzero: the motion may differ for it; 0: it is only seen, or named
} trm_loss_info;

/// Loss 0, 1, ...; one without an element ends the list.
trm_loss_info trm_scene_loss_info(const trm_scene *scene, int loss);

/// Override a parameter of the scene, or a coordinate with which a joint starts ("start.hinge",
/// "start.crank.rate"), by a constant expression ("7*pi/4"), as --set does: every
/// number of the file that depends on it is evaluated anew. Errors: SCENE (no such parameter, or
/// the scene makes no sense with this value), SYNTAX, MEMORY; the scene is then as it was before.
trm_status trm_scene_set(trm_scene *scene, const char *parameter, const char *expression,
                         trm_error *err);

/// The entry "simulation" of a scene file. Defaults for a front end.
typedef struct trm_simulation {
    double end;      ///< s; 0 when the file does not say
    double every;    ///< s, interval of recording; 0: every accepted step
    double accuracy; ///< see trm_choose_options; 0 when the file does not say
    int assemble;    ///< nonzero: "assemble": true
    double misfit;   ///< see trm_options; 1e-3 unless the file says another
    int coordinates; ///< trm_coordinates, see trammel_simulate.h
} trm_simulation;

/// What a scene is. Its texts are borrowed until it changes.
typedef struct trm_scene_info {
    const char *title; ///< "" without one; never NULL
    int dimension;     ///< 2 or 3; 0 without a scene
    const char *text;  ///< that it was read from; of an imported robot the scene that was made of
                       ///< it; NULL without a scene
} trm_scene_info;

trm_scene_info trm_scene_get_info(const trm_scene *scene);
trm_simulation trm_scene_simulation(const trm_scene *scene);

/// A named point of a body.
typedef struct trm_marker_info {
    const char *name; ///< borrowed from the model, or from the scene until it changes; NULL: none
    int body;         ///< index as in trm_model; -1: the ground
    double local[3];  ///< m, body frame (ground: world)
} trm_marker_info;

typedef struct trm_parameter_info {
    const char *name; ///< borrowed from the scene until it changes; NULL: no such parameter
    double value;
} trm_parameter_info;

/// Element 0, 1, ... in the order of the file; an element without a name ends the list.
trm_marker_info trm_scene_marker_info(const trm_scene *scene, int marker);
trm_parameter_info trm_scene_parameter_info(const trm_scene *scene, int parameter);

/// User functions. Return 0; or > 0 when the argument is outside the domain (adaptive integrators
/// retry with a smaller step, fixed-step ones fail); or < 0 to abort. They run on the thread that
/// steps, must not keep the pointers they get, and must give equal results for equal arguments.
typedef int trm_force_fn(const trm_model *model, double t, const double *q, const double *v,
                         double *f, void *user);
typedef int trm_position_fn(const trm_model *model, double t, const double *q, double *out,
                            void *user);
typedef int trm_velocity_fn(const trm_model *model, double t, const double *q, const double *v,
                            double *out, void *user);

/// Anything that adds to the right-hand side f of [EOM].
typedef struct trm_force_def {
    const char *name;    ///< for messages and reports
    trm_force_fn *force; ///< f[nv] += generalized force, N or N m
    void *user;          ///< borrowed until the last destroy
    const double *times; ///< [ntimes] s, rising, copied; may be NULL: times of sudden changes of
                         ///< the force. A step ends at each: it calls the function with earlier
                         ///< times only, the next step with this time and later times
    int ntimes;
} trm_force_def;

/// Rows appended to g in [EOM].
typedef struct trm_constraint_def {
    const char *name;
    int rows;               ///< scalar equations, >= 1
    trm_position_fn *g;     ///< out[rows] = g, m or rad
    trm_position_fn *G;     ///< out[rows*nv] = (dg/dq) N
    trm_position_fn *g_t;   ///< out[rows], see [VEL]; NULL when g does not depend on t
    trm_velocity_fn *gamma; ///< out[rows], see [ACC]; NULL: central differences along the motion
    void *user;             ///< borrowed until the last destroy
} trm_constraint_def;

/// Errors: SCENE (duplicate name, missing function, rows < 1), MEMORY.
trm_status trm_scene_add_force(trm_scene *scene, const trm_force_def *def, trm_error *err);
trm_status trm_scene_add_constraint(trm_scene *scene, const trm_constraint_def *def,
                                    trm_error *err);

TRM_API_END

#endif
