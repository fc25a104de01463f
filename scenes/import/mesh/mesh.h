/// Meshes of triangles, STL and OBJ: the solid that they enclose.
#ifndef TRM_MESH_H
#define TRM_MESH_H

#include "scenes/import/description/description.h"

enum { TRM_MESH_CORNERS = 30000000 }; ///< three a triangle

/// Corners of triangles, x y z each, `scale` applied. Freed by the caller.
typedef struct trm_mesh {
    size_t n;        ///< corners
    double *corners; ///< [n][3]
} trm_mesh;

/// By the ending of the name: .stl (binary or text) or .obj. Errors: IO, SCENE, MEMORY.
trm_status trm_mesh_parse(const char *name, const char *bytes, size_t length, trm_mesh *out,
                          trm_error *err);

/// Mass 1 in the frame of the file, by the divergence theorem. Returns 0 where the surface is not
/// closed: an edge that does not run as often forth as back, or no volume.
int trm_mesh_of(trm_mesh *mesh, trm_mass *out, double *volume);

/// The solid of the file that an element names, below the folder of the model, each corner x taken
/// to A x + b. Refuses a mesh that is not closed.
void trm_mesh_solid(trm_description *d, trm_xml_files *files, const trm_xml *node, const char *file,
                    const trm_frame *map, trm_mass *out, double *volume);

#endif
