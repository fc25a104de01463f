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
#include <stdlib.h>
#include <string.h>

/// From one corner to the next; the ends in the order of their coordinates.
typedef struct edge {
    double low[3], high[3];
    int forth; ///< 1 from low to high, -1 back
} edge;

static int by_ends(const void *a, const void *b)
{
    const edge *const x = a, *const y = b;
    for (int i = 0; i < 3; i++) {
        if (x->low[i] != y->low[i]) {
            return x->low[i] < y->low[i] ? -1 : 1;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (x->high[i] != y->high[i]) {
            return x->high[i] < y->high[i] ? -1 : 1;
        }
    }
    return 0;
}

static edge edge_of(const double *from, const double *to)
{
    edge e = {.forth = 1};
    int i = 0;
    while (i < 2 && from[i] == to[i]) {
        i++;
    }
    const int forth = from[i] <= to[i];
    memcpy(e.low, forth ? from : to, sizeof e.low);
    memcpy(e.high, forth ? to : from, sizeof e.high);
    e.forth = forth ? 1 : -1;
    return e;
}

/// Whether every edge runs as often forth as back; -1 without memory.
static int is_closed(const trm_triangles *mesh)
{
    edge *const edges = calloc(mesh->n, sizeof *edges);
    if (!edges) {
        return -1;
    }
    size_t n = 0;
    for (size_t i = 0; i < mesh->n; i++) {
        const size_t next = i % 3 == 2 ? i - 2 : i + 1;
        const edge one = edge_of(mesh->corners + 3 * i, mesh->corners + 3 * next);
        if (one.low[0] != one.high[0] || one.low[1] != one.high[1] ||
            one.low[2] != one.high[2]) { // corners that coincide: no edge
            edges[n++] = one;
        }
    }
    qsort(edges, n, sizeof *edges, by_ends);
    int closed = 1;
    for (size_t i = 0, sum = 0; i < n; i++) {
        sum += (size_t)edges[i].forth;
        if (i + 1 == n || by_ends(&edges[i], &edges[i + 1]) != 0) {
            closed = closed && sum == 0;
            sum = 0;
        }
    }
    free(edges);
    return closed;
}

int trm_mesh_of(trm_triangles *mesh, trm_mass *out, double *volume)
{
    const int closed = is_closed(mesh);
    double sum = 0, first[3] = {0}, second[9] = {0};
    const double *const origin = mesh->corners;
    for (size_t i = 0; i < mesh->n; i += 3) {
        double x[3][3], s[3] = {0}, normal[3];
        for (size_t k = 0; k < 3; k++) {
            subtract(mesh->corners + 3 * (i + k), origin, x[k]);
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
    if (closed < 1 || sum == 0 || !isfinite(sum)) {
        return closed < 0 ? -1 : 0;
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
        one->wrong = trm_describe_text(d, "its mesh is not drawn: %s", why.message);
    }
    free(mesh.corners);
    return one->wrong;
}

/// A need be no rotation: scales are in it.
void trm_mesh_solid(trm_description *d, const trm_xml *node, const char *file, const trm_frame *map,
                    trm_mass *out, double *volume)
{
    trm_error why = {0};
    trm_triangles mesh = {0};
    if (open_mesh(d, file, &mesh, &why) != TRM_OK) {
        TRM_REFUSE(d, node, "mesh \"%.60s\": %.150s", file, why.message);
        return;
    }
    for (size_t i = 0; i < mesh.n; i++) {
        double moved[3];
        trm_frame_point(map, mesh.corners + 3 * i, moved);
        memcpy(mesh.corners + 3 * i, moved, sizeof moved);
    }
    const int found = trm_mesh_of(&mesh, out, volume);
    free(mesh.corners);
    if (found < 0) {
        trm_describe_no_memory(d);
    } else if (!found) {
        TRM_REFUSE(d, node,
                   "mesh \"%.60s\" is not closed, so that it has no volume; close it, or give an "
                   "inertia",
                   file);
    }
}
