/// Meshes of triangles, STL and OBJ.
#ifndef TRM_MESH_H
#define TRM_MESH_H

#include "trammel/trammel_error.h"
#include "trammel/trammel_status.h"

#include <stddef.h>

enum { TRM_MESH_CORNERS = 30000000 }; ///< three a triangle

/// Corners of triangles, x y z each. Freed by the caller.
typedef struct trm_triangles {
    size_t n;        ///< corners
    double *corners; ///< [n][3]
} trm_triangles;

/// By the ending of the name: .stl (binary or text) or .obj. Errors: SCENE (also: too large).
trm_status trm_mesh_parse(const char *name, const char *bytes, size_t length, trm_triangles *out,
                          trm_error *err);

#endif
