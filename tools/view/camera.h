/// From the world to the page: planar scenes as they are, spatial ones in isometric projection with
/// "up" against gravity.
#pragma once

#include "tools/drawing/svg_out.h"
#include "trammel/trammel_scene.h"

typedef struct trm_camera {
    double right[3], up[3], toward[3]; ///< world directions of the page; toward: to the viewer
    double low[2], high[2];            ///< m, of what was seen so far, along right and up
    double scale;                      ///< px/m
    trm_page_point origin;             ///< px, where right = low[0] and up = high[1] come to lie
} trm_camera;

trm_camera trm_camera_create(const trm_scene *scene);

/// Make room for a world point and everything within `radius` (m) of it.
void trm_camera_include(trm_camera *camera, const double x[3], double radius);

/// Fit what was included into width x height (px), its upper left corner at `corner`.
void trm_camera_fit(trm_camera *camera, trm_page_point corner, double width, double height);

trm_page_point trm_camera_project(const trm_camera *camera, const double x[3]);
double trm_camera_depth(const trm_camera *camera, const double x[3]); ///< m, larger is nearer
