/// What a picture shows besides bodies and joints: curves, wheels, what stops and limits are from.
/// Lines are fixed in a body; links lie between points of two bodies.
#pragma once

#include "program/view.h"
#include "tools/drawing/figure.h"

typedef enum trm_line_kind {
    TRM_LINE_WIRE,    ///< a curve that a point is guided along
    TRM_LINE_WHEEL,   ///< pitch circle, pulley, wheel: with a spoke that turns with its body
    TRM_LINE_FACE,    ///< the line, in space the plane, through point[0] that nothing gets behind
    TRM_LINE_LIMIT,   ///< an end of the coordinate of a joint
    TRM_LINE_POINTER, ///< the coordinate: fixed in the other body
    TRM_LINE_KEEP,    ///< within it another point does not come
    TRM_LINE_BLADE,   ///< moves along itself
    TRM_LINES
} trm_line_kind;

typedef struct trm_line {
    trm_line_kind kind;
    const char *name; ///< of the constraint, joint or stop
    int body;         ///< or TRM_INDEX_GROUND
    int closed;
    int n;
    double (*point)[3]; ///< m, frame of the body
    double normal[3];   ///< unit, of a face, towards the free side
} trm_line;

typedef enum trm_link_kind {
    TRM_LINK_STRAND, ///< of a belt, from rim to rim
    TRM_LINK_STOP    ///< a stop given by a formula: it keeps these two points apart in some way
} trm_link_kind;

typedef struct trm_link {
    trm_link_kind kind;
    const char *name;
    int body[2];
    double local[2][3]; ///< m
    double radius[2];   ///< m, of a strand; the second one is negative where the belt is crossed
    double side;        ///< of a strand: 1 or -1
    double axis[3];     ///< unit, of a strand, in the frame of body[0]
} trm_link;

typedef struct trm_lines {
    int n, nlinks, room, link_room;
    trm_line *line;
    trm_link *link;
} trm_lines;

/// figure[nbodies]. Symbols without a size of their own, limits say, take theirs from the size of
/// the mechanism in its initial pose. Errors: MEMORY; *out is to be destroyed then too.
trm_status trm_lines_of(const trm_scene *scene, const trm_model *model, const trm_figure *figure,
                        trm_lines *out, trm_error *err);
void trm_lines_destroy(trm_lines *lines);

/// The ends of a strand or the points of a stop, world[2][3], in the pose q.
void trm_link_ends(const trm_model *model, const trm_link *link, const double *q,
                   double world[2][3]);

/// World direction in the pose q -> frame of the body.
void trm_direction_in(const trm_model *model, int body, const double *q, const double world[3],
                      double out[3]);

/// Two unit vectors that complete a unit vector to a right-handed frame u, v, axis.
void trm_complete_frame(const double axis[3], double u[3], double v[3]);

// for the parts of it

/// What is known while lines are made.
typedef struct trm_line_maker {
    const trm_scene *scene;
    const trm_model *model;
    const double *q0;
    double size; ///< m, of the mechanism
    trm_lines *out;
    int failed; ///< nonzero: out of memory
} trm_line_maker;

/// A new line with room for n points; NULL where there is no memory.
trm_line *trm_add_line(trm_line_maker *maker, trm_line_kind kind, const char *name, int body,
                       int n);
void trm_add_limits(trm_line_maker *maker, const trm_contact_view *contact);
void trm_place_of(const trm_model *model, int body, const double local[3], const double *q,
                  double x[3]);
