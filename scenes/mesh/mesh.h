/// Meshes of triangles, STL and OBJ.
#pragma once

#include "trammel/trammel_error.h"
#include "trammel/trammel_status.h"

#include <stddef.h>
#include <stdint.h>

/// Vertices, and the three of each triangle. Both are freed by the caller.
typedef struct trm_triangles {
    size_t nvertices, n; ///< n: corners, three a triangle
    double *vertices;    ///< [nvertices][3]
    uint32_t *corners;   ///< [n], each a vertex
} trm_triangles;

/// By the ending of the name: .stl (binary or text) or .obj. Errors: SCENE (also: too large).
trm_status trm_mesh_parse(const char *name, const char *bytes, size_t length, trm_triangles *out,
                          trm_error *err);

/// Its triangles become those of the convex hull of its vertices, outwards. Returns 0 where the
/// hull has no volume, is too large or has no memory; the mesh is then as it was.
int trm_mesh_hull(trm_triangles *mesh);

void trm_triangles_free(trm_triangles *mesh);
