// The solid within a closed surface of triangles, by the divergence theorem: the sum over the
// tetrahedra that the triangles (a, b, c) make with one point, volumes with their sign.
//
//     V = a.(b x c)/6,   V x = V (a + b + c)/4,
//     int x x^T = V (a a^T + b b^T + c c^T + s s^T)/20,   s = a + b + c

#include "scenes/import/description/description.h"

#include "base/status.h"
#include "bodies/vector.h"
#include "scenes/json/scene_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Mixed bits of the coordinates of a corner; 0 and -0 are one.
static uint64_t mixed(uint64_t sum, const double x[3])
{
    for (int i = 0; i < 3; i++) {
        const double one = x[i] + 0.0;
        uint64_t bits;
        memcpy(&bits, &one, sizeof bits);
        sum = (sum ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        sum = (sum ^ (sum >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
        sum ^= sum >> 32;
    }
    return sum;
}

static const double *corner_of(const trm_triangles *mesh, size_t i)
{
    return mesh->vertices + 3 * (size_t)mesh->corners[i];
}

/// Whether every edge runs as often forth as back: then the sum over edges of a number of their
/// own, +1 forth, -1 back, is 0. Modulo 2^64 that of an open surface is 0 once in 2^64.
static int is_closed(const trm_triangles *mesh)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < mesh->n; i++) {
        const double *const a = corner_of(mesh, i);
        const double *const b = corner_of(mesh, i % 3 == 2 ? i - 2 : i + 1);
        sum += mixed(mixed(0, a), b) - mixed(mixed(0, b), a);
    }
    return sum == 0;
}

int trm_mesh_of(const trm_triangles *mesh, trm_mass *out, double *volume)
{
    double sum = 0, first[3] = {0}, second[9] = {0};
    const double *const origin = corner_of(mesh, 0);
    for (size_t i = 0; i < mesh->n; i += 3) {
        double x[3][3], s[3] = {0}, normal[3];
        for (size_t k = 0; k < 3; k++) {
            subtract(corner_of(mesh, i + k), origin, x[k]);
            add(s, x[k], s);
        }
        const double v = dot(x[0], cross(x[1], x[2], normal)) / 6;
        sum += v;
        for (int k = 0; k < 9; k++) {
            const int a = k / 3, b = k % 3;
            second[k] +=
                v / 20 * (x[0][a] * x[0][b] + x[1][a] * x[1][b] + x[2][a] * x[2][b] + s[a] * s[b]);
        }
        for (int k = 0; k < 3; k++) {
            first[k] += v / 4 * s[k];
        }
    }
    if (sum == 0 || !isfinite(sum) || !is_closed(mesh)) {
        return 0;
    }
    double c[3], C[9];
    scale(1 / sum, first, c);
    for (int k = 0; k < 9; k++) {
        C[k] = second[k] / sum - c[k / 3] * c[k % 3];
    }
    *out = (trm_mass){.mass = 1};
    add(c, origin, out->centre);
    for (int k = 0; k < 9; k++) {
        out->inertia[k] = (k % 4 == 0 ? C[0] + C[4] + C[8] : 0) - C[k];
    }
    *volume = fabs(sum);
    return 1;
}

static trm_status open_mesh(trm_description *d, const char *file, trm_triangles *mesh,
                            trm_error *why)
{
    trm_error *const err = d->files->err;
    const char *path = NULL;
    trm_bytes bytes = {0};
    d->files->err = why;
    trm_status status = trm_xml_beside(d->files, file, &path);
    status = status == TRM_OK ? trm_bytes_read(path, 1, &bytes, why) : status;
    status = status == TRM_OK ? trm_mesh_parse(path, bytes.text, bytes.length, mesh, why) : status;
    d->files->err = err;
    free(bytes.text);
    return status;
}

const char *trm_mesh_wrong(trm_description *d, const char *file)
{
    trm_error why = {0};
    trm_triangles mesh = {0};
    for (int i = 0; i < d->nmeshes; i++) {
        if (!strcmp(d->meshes[i].file, file)) {
            return d->meshes[i].wrong;
        }
    }
    trm_link_mesh *const one = TRM_DESCRIBE(d, meshes);
    if (!one) {
        return "";
    }
    *one = (trm_link_mesh){file, ""};
    if (open_mesh(d, file, &mesh, &why) != TRM_OK) {
        one->wrong = trm_describe_text(d, "its mesh is not drawn: %s: %s", file, why.message);
    }
    trm_triangles_free(&mesh);
    return one->wrong;
}

/// A need be no rotation: scales are in it.
void trm_mesh_solid(trm_description *d, const trm_xml *node, const char *file, const trm_frame *map,
                    int is_hull, trm_mass *out, double *volume)
{
    trm_error why = {0};
    trm_triangles mesh = {0};
    if (open_mesh(d, file, &mesh, &why) != TRM_OK) {
        TRM_REFUSE(d, node, "mesh \"%.60s\": %.150s", file, why.message);
        return;
    }
    for (size_t i = 0; i < mesh.nvertices; i++) {
        double moved[3];
        trm_frame_point(map, mesh.vertices + 3 * i, moved);
        memcpy(mesh.vertices + 3 * i, moved, sizeof moved);
    }
    if (is_hull && !trm_mesh_hull(&mesh)) {
        TRM_REFUSE(d, node, "mesh \"%.60s\": its convex hull is flat or too large; give an inertia",
                   file);
    } else if (!trm_mesh_of(&mesh, out, volume)) {
        TRM_REFUSE(d, node,
                   "mesh \"%.60s\" is not closed, so that it has no volume; close it, or give an "
                   "inertia",
                   file);
    }
    trm_triangles_free(&mesh);
}
