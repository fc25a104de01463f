// STL and OBJ.

#include "scenes/mesh/mesh.h"

#include "base/status.h"
#include "base/text/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// Room for one more of n; NULL without memory.
static void *more(void *list_of, size_t *n, size_t size)
{
    void **const list = list_of;
    if (*n == 0 || (*n >= 64 && (*n & (*n - 1)) == 0)) {
        void *const grown = *n < UINT32_MAX / 2 ? realloc(*list, (*n ? 2 * *n : 64) * size) : NULL;
        if (!grown) {
            return NULL;
        }
        *list = grown;
    }
    return (char *)*list + (*n)++ * size;
}

static double *vertex(trm_triangles *mesh)
{
    return more(&mesh->vertices, &mesh->nvertices, 3 * sizeof *mesh->vertices);
}

/// A corner of a triangle; 0 without memory.
static int corner(trm_triangles *mesh, size_t of)
{
    uint32_t *const one = more(&mesh->corners, &mesh->n, sizeof *one);
    if (one) {
        *one = (uint32_t)of;
    }
    return one != NULL;
}

/// A vertex that is the next corner too, as of STL.
static double *vertex_as_corner(trm_triangles *mesh)
{
    return corner(mesh, mesh->nvertices) ? vertex(mesh) : NULL;
}

static float little_float(const unsigned char *at)
{
    const uint32_t bits =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// 80 bytes, a count, then 50 bytes a triangle: a normal, three corners, two bytes.
static const char *read_binary(const unsigned char *bytes, size_t triangles, trm_triangles *out)
{
    for (size_t i = 0; i < triangles; i++) {
        for (size_t k = 0; k < 3; k++) {
            double *const x = vertex_as_corner(out);
            for (size_t c = 0; x && c < 3; c++) {
                x[c] = (double)little_float(bytes + 84 + 50 * i + 12 + 12 * k + 4 * c);
            }
            if (!x || !isfinite(x[0] + x[1] + x[2])) {
                return x ? "its numbers are not finite" : "too large";
            }
        }
    }
    return NULL;
}

/// Blanks, and the ends of lines that go on.
static const char *skip(const char *at, const char *end)
{
    while (at < end && *at && strchr(" \t\r\n\\", *at)) {
        at++;
    }
    return at;
}

/// Three numbers of a line; NULL where there are fewer.
static const char *three(const char *at, const char *end, double x[3])
{
    for (int i = 0; i < 3; i++) {
        size_t taken = 0;
        at = skip(at, end);
        x[i] = trm_decimal(at, (size_t)(end - at), &taken);
        if (taken == 0 || !isfinite(x[i])) {
            return NULL;
        }
        at += taken;
    }
    return at;
}

static const char *line_end(const char *at, const char *end)
{
    const char *const found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

static const char *read_text(const char *at, const char *end, trm_triangles *out)
{
    for (const char *next; at < end; at = next < end ? next + 1 : end) {
        next = line_end(at, end);
        at = skip(at, next);
        if (next - at > 6 && !strncasecmp(at, "vertex", 6)) {
            double *const x = vertex_as_corner(out);
            if (!x || !three(at + 6, next, x)) {
                return x ? "a vertex has three numbers" : "too large";
            }
        }
    }
    return out->n % 3 ? "a triangle has three corners" : NULL;
}

static const char *read_stl(const char *bytes, size_t length, trm_triangles *out)
{
    const unsigned char *const b = (const unsigned char *)bytes;
    const size_t count = length >= 84 ? (size_t)b[80] | (size_t)b[81] << 8 | (size_t)b[82] << 16 |
                                            (size_t)b[83] << 24
                                      : 0;
    // letters in the place of the count are more than 1e8: no text is that long
    return count > 0 && length >= 84 + 50 * count ? read_binary(b, count, out)
                                                  : read_text(bytes, bytes + length, out);
}

/// The vertex that a word of a face names, from 1, or from the end; n: there is none.
static size_t named(size_t n, const char **at, const char *end)
{
    size_t taken = 0;
    const char *const from = skip(*at, end);
    const double i = trm_decimal(from, (size_t)(end - from), &taken);
    const double index = i < 0 ? (double)n + i : i - 1;
    *at = from + taken;
    while (*at < end && !strchr(" \t\r\n\\", **at)) { // texture and normal
        (*at)++;
    }
    return taken > 0 && index >= 0 && index < (double)n ? (size_t)index : n;
}

/// A polygon as a fan about its first corner.
static const char *read_face(const char *at, const char *end, trm_triangles *out)
{
    size_t first = 0, before = 0;
    for (int n = 0; skip(at, end) < end; n++) {
        const size_t one = named(out->nvertices, &at, end);
        if (one == out->nvertices) {
            return "a face names corners that are not there";
        }
        if (n >= 2 && !(corner(out, first) && corner(out, before) && corner(out, one))) {
            return "too large";
        }
        first = n == 0 ? one : first;
        before = one;
    }
    return NULL;
}

/// The end of a line, and of those that a backslash at its end continues; a comment goes no
/// further.
static const char *statement_end(const char *at, const char *end)
{
    const char *next = line_end(at, end);
    while (next < end && next > at && !memchr(at, '#', (size_t)(next - at)) &&
           (next[-1] == '\\' || (next[-1] == '\r' && next - at > 1 && next[-2] == '\\'))) {
        next = line_end(next + 1, end);
    }
    return next;
}

static const char *read_obj(const char *at, const char *end, trm_triangles *out)
{
    const char *wrong = NULL;
    for (const char *next; at < end && !wrong; at = next < end ? next + 1 : end) {
        next = statement_end(at, end);
        const char *const comment = memchr(at, '#', (size_t)(next - at));
        const char *const last = comment ? comment : next;
        at = skip(at, last);
        if (last - at > 2 && at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
            double *const x = vertex(out);
            wrong = !x ? "too large" : three(at + 1, last, x) ? NULL : "a vertex has three numbers";
        } else if (last - at > 2 && at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
            wrong = read_face(at + 1, last, out);
        }
    }
    return wrong;
}

void trm_triangles_free(trm_triangles *mesh)
{
    free(mesh->vertices);
    free(mesh->corners);
    *mesh = (trm_triangles){0};
}

static int ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcasecmp(name + n - m, ending);
}

trm_status trm_mesh_parse(const char *name, const char *bytes, size_t length, trm_triangles *out,
                          trm_error *err)
{
    const char *wrong = "meshes are read from .stl and .obj";
    *out = (trm_triangles){0};
    if (ends_in(name, ".stl")) {
        wrong = read_stl(bytes, length, out);
    } else if (ends_in(name, ".obj")) {
        wrong = read_obj(bytes, bytes + length, out);
    }
    if (!wrong && out->n == 0) {
        wrong = "it holds no triangle";
    }
    if (wrong) {
        trm_triangles_free(out);
        return TRM_FAIL(err, TRM_ERR_SCENE, name, "%s", wrong);
    }
    return TRM_OK;
}
