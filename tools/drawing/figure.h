/// What a body looks like, in its own frame: a bar, a ball or a solid.
#pragma once

#include "program/view.h"

enum { TRM_FIGURE_POINTS = 72 };

typedef enum trm_figure_kind {
    TRM_FIGURE_BAR,  ///< between point[0] and point[1], round ends; radius 0: as thin as looks well
    TRM_FIGURE_BALL, ///< about point[0]; radius 0: a dot
    TRM_FIGURE_SOLID ///< convex hull of point[n]; in the plane a polygon
} trm_figure_kind;

typedef struct trm_figure {
    int body; ///< or TRM_INDEX_GROUND
    trm_figure_kind kind;
    int n;
    double point[TRM_FIGURE_POINTS][3]; ///< m, body frame
    double radius;                      ///< m
    int nedges;
    int edge[TRM_FIGURE_POINTS][2]; ///< lines drawn on it, as pairs of points
    double reach;                   ///< m, of a body: how far what is drawn of it goes
    int is_hidden;                  ///< a rotor, or a body that has shapes for eyes
    char fill[8], edges[8];         ///< "#rrggbb"; "": as the body
} trm_figure;

/// Of bodies, [nbodies], then of shapes for eyes, [nlooks]; to be freed, NULL without memory. A
/// body without a shape is drawn through the points where joints, markers and springs hold it, a
/// mesh as the hull of some of its corners.
trm_figure *trm_figures_of(const trm_scene *scene, int *n);

/// Nonzero: the joint has a motor, or a force with an effort of its own acts on it.
int trm_joint_is_driven(const trm_model *model, int joint);
