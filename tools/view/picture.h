/// The picture of a motion: page layout (picture.c), bodies (picture_bodies.c), joints
/// (picture_joints.c) with their symbols (picture_symbols.c), curves, wheels, stops and limits
/// (picture_lines.c), springs, forces and markers (picture_forces.c).
#pragma once

#include "program/view.h"
#include "tools/drawing/figure.h"
#include "tools/drawing/lines/lines.h"
#include "tools/view/camera.h"
#include "tools/view/motion.h"

#include <stdio.h>

enum { TRM_GHOSTS = 7, TRM_PHASES = 12, TRM_TRACKS = 12 };

/// A body-fixed point whose path is drawn.
typedef struct trm_track {
    int body;
    double local[3];
} trm_track;

typedef struct trm_picture {
    FILE *out;
    const trm_scene *scene;
    trm_scene_view view;
    const trm_model *model;
    const trm_motion *motion;
    int nfigures;
    trm_figure *figure; ///< [nfigures] of bodies, then of shapes for eyes
    trm_lines lines;
    trm_camera camera;
    int now;       ///< state drawn solid
    int animated;  ///< nonzero: every frame must have the same elements
    double size;   ///< m, diameter of everything drawn
    double stroke; ///< px, radius of a pin; smaller when there are many bodies
    int ntracks;
    trm_track track[TRM_TRACKS];
    int path_end; ///< last state of the paths
    int chosen;   ///< nonzero: the times were given
    int nghosts;
    int ghost[TRM_PHASES]; ///< states drawn faintly, in order of time
} trm_picture;

/// A still. Solid at phase[0] (s), faint at the others, at most TRM_PHASES, each at the nearest
/// state of the motion; without any at the start and at later times of its choice. Errors: MEMORY,
/// OPTIONS (a time beyond the motion).
trm_status trm_picture_draw(FILE *out, const trm_scene *scene, const trm_model *model,
                            const trm_motion *motion, int nphases, const double *phase,
                            trm_error *err);

/// The same `frames` times from the start to the end of the motion, without faint poses, as
/// text[frames]: NULL before, and to be freed, after an error too. `camera` (may be NULL): what was
/// seen before, which stays in the picture, and then all that is. Errors: MEMORY.
trm_status trm_picture_frames(const trm_scene *scene, const trm_model *model,
                              const trm_motion *motion, int frames, char **text, trm_camera *camera,
                              trm_error *err);

/// World position of a point fixed in a body or in the ground.
void trm_picture_point(const trm_picture *picture, int body, const double local[3], const double *q,
                       double x[3]);
trm_page_point trm_picture_project(const trm_picture *picture, int body, const double local[3],
                                   const double *q);

void trm_picture_include_bodies(trm_picture *picture, const double *q);
void trm_picture_ghost(const trm_picture *picture, const double *q, double opacity);
trm_status trm_picture_bodies(const trm_picture *picture, const double *q, trm_error *err);
const char *trm_picture_fill(const trm_picture *picture, int body); ///< colours, "#rrggbb"
const char *trm_picture_edge(const trm_picture *picture, int body);

void trm_picture_include_joints(trm_picture *picture);
void trm_picture_include_lines(trm_picture *picture);
void trm_picture_faces(const trm_picture *picture);   ///< lines and planes of stops, under all
void trm_picture_lines(const trm_picture *picture);   ///< curves, wheels, belts, stops, limits
void trm_picture_guides(const trm_picture *picture);  ///< what lies under the bodies
void trm_picture_joints(const trm_picture *picture);  ///< what lies over them
void trm_picture_struts(const trm_picture *picture);  ///< springs, dampers and ropes
void trm_picture_forces(const trm_picture *picture);  ///< arrows, as at t = 0; in stills
void trm_picture_markers(const trm_picture *picture); ///< dots and names
/// Short strokes on the right-hand side of the line from a to b: what stands still.
void trm_picture_hatch(const trm_picture *picture, trm_page_point a, trm_page_point b);
/// What a joint looks like, without guide and support; a, b: its points; axis: world.
void trm_picture_symbol(const trm_picture *picture, const trm_joint_view *joint, trm_page_point a,
                        trm_page_point b, const double axis[3], const char *style);
/// A marker of the ground that nothing uses is not shown.
int trm_picture_shows_marker(const trm_scene *scene, int marker);
void trm_picture_rods(const trm_picture *picture, const double *q); ///< massless rods alone
