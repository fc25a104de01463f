// The convex hull of the vertices of a mesh, one vertex after another: what it sees of the hull so
// far is taken off, and the border of that is joined to it.
//
// The border is that of the facets taken off, whatever they are: the surface stays closed, and a
// facet that rounding judges wrongly changes the volume by rounding.

#include "scenes/mesh/mesh.h"

#include "bodies/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Facets looked at in all: some seconds.
#define MOST_LOOKS 1e9

typedef struct facet {
    uint32_t v[3];
    double normal[3], offset;
} facet;

/// An edge of facets taken off: from low to high, or back.
typedef struct edge {
    uint32_t low, high;
    int back;
} edge;

typedef struct hull {
    const double *x; ///< [nvertices][3]
    facet *facets;
    edge *edges; ///< room for three of each facet
    size_t n, room;
    double grain; ///< m, of distances
} hull;

static const double *at(const hull *h, uint32_t i)
{
    return h->x + 3 * (size_t)i;
}

/// Returns 0 where there is no memory.
static int add_facet(hull *h, uint32_t a, uint32_t b, uint32_t c)
{
    if (h->n == h->room) {
        const size_t room = 2 * h->room + 64;
        facet *const facets = realloc(h->facets, room * sizeof *facets);
        h->facets = facets ? facets : h->facets;
        edge *const edges = realloc(h->edges, 3 * room * sizeof *edges);
        h->edges = edges ? edges : h->edges;
        if (!facets || !edges) {
            return 0;
        }
        h->room = room;
    }
    facet *const f = &h->facets[h->n++];
    double ab[3], ac[3];
    subtract(at(h, b), at(h, a), ab);
    subtract(at(h, c), at(h, a), ac);
    cross(ab, ac, f->normal);
    const double size = sqrt(dot(f->normal, f->normal));
    scale(size > 0 ? 1 / size : 0, f->normal, f->normal); // without an area nothing sees it
    f->offset = dot(f->normal, at(h, a));
    memcpy(f->v, (const uint32_t[]){a, b, c}, sizeof f->v);
    return 1;
}

static int compare_edges(const void *p, const void *q)
{
    const edge *const a = p, *const b = q;
    return a->low != b->low     ? (a->low < b->low ? -1 : 1)
           : a->high != b->high ? (a->high < b->high ? -1 : 1)
                                : 0;
}

/// Takes off the facets that vertex p sees, into the list of their edges. Returns how many edges.
static size_t take_off(hull *h, uint32_t p)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n;) {
        const facet *const f = &h->facets[i];
        if (!(dot(f->normal, at(h, p)) - f->offset > h->grain)) {
            i++;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const uint32_t a = f->v[k], b = f->v[(k + 1) % 3];
            h->edges[n++] = a < b ? (edge){a, b, 0} : (edge){b, a, 1};
        }
        h->facets[i] = h->facets[--h->n];
    }
    return n;
}

/// An edge between two facets that were taken off runs forth and back.
static int insert(hull *h, uint32_t p)
{
    const size_t n = take_off(h, p);
    qsort(h->edges, n, sizeof *h->edges, compare_edges);
    for (size_t i = 0, next; i < n; i = next) {
        long forth = 0;
        for (next = i; next < n && !compare_edges(&h->edges[i], &h->edges[next]); next++) {
            forth += h->edges[next].back ? -1 : 1;
        }
        const edge one = h->edges[i];
        for (; forth != 0; forth += forth > 0 ? -1 : 1) {
            if (!add_facet(h, forth > 0 ? one.low : one.high, forth > 0 ? one.high : one.low, p)) {
                return 0;
            }
        }
    }
    return 1;
}

/// How far vertex i is from the first k of v: from a point, a line, a plane.
static double distance(const hull *h, const uint32_t *v, int k, uint32_t i)
{
    double to[3], along[3], other[3], normal[3];
    subtract(at(h, i), at(h, v[0]), to);
    if (k == 1) {
        return sqrt(dot(to, to));
    }
    subtract(at(h, v[1]), at(h, v[0]), along);
    if (k == 2) {
        cross(along, to, normal);
        return sqrt(dot(normal, normal) / dot(along, along));
    }
    subtract(at(h, v[2]), at(h, v[0]), other);
    cross(along, other, normal);
    return dot(normal, to) / sqrt(dot(normal, normal));
}

/// Some roundings of a coordinate: half and twice of 64 change no hull by more than 4e-15 of its
/// volume (validation/campaign/hulls).
#define GRAIN (64 * DBL_EPSILON)

/// Four vertices far from each other. Returns 0 where all lie in a plane.
static int first_facets(hull *h, size_t nvertices)
{
    uint32_t v[4] = {0};
    for (int k = 1; k < 4; k++) {
        double most = 0;
        for (uint32_t i = 0; i < nvertices; i++) {
            const double far = fabs(distance(h, v, k, i));
            v[k] = far > most ? i : v[k];
            most = fmax(far, most);
        }
        h->grain = k == 1 ? GRAIN * most : h->grain;
        if (!(most > h->grain)) {
            return 0;
        }
    }
    const int turned = distance(h, v, 3, v[3]) > 0;
    const uint32_t a = v[0], b = v[turned ? 2 : 1], c = v[turned ? 1 : 2], d = v[3];
    return add_facet(h, a, b, c) && add_facet(h, a, d, b) && add_facet(h, b, d, c) &&
           add_facet(h, c, d, a);
}

int trm_mesh_hull(trm_triangles *mesh)
{
    hull h = {.x = mesh->vertices};
    double looks = 0;
    int done = mesh->nvertices > 3 && first_facets(&h, mesh->nvertices);
    for (uint32_t p = 0; done && p < mesh->nvertices; p++) {
        looks += (double)h.n;
        done = looks < MOST_LOOKS && insert(&h, p);
    }
    uint32_t *const corners = done ? malloc(3 * h.n * sizeof *corners) : NULL;
    for (size_t i = 0; corners && i < h.n; i++) {
        memcpy(corners + 3 * i, h.facets[i].v, sizeof h.facets[i].v);
    }
    if (corners) {
        free(mesh->corners);
        mesh->corners = corners;
        mesh->n = 3 * h.n;
    }
    free(h.facets);
    free(h.edges);
    return corners != NULL;
}
