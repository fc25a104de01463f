// STL and OBJ.

#include "scenes/mesh/mesh.h"

#include "base/status.h"
#include "base/text/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// Room for one more corner.
static double *corner(trm_triangles *mesh)
{
    if (mesh->n >= TRM_MESH_CORNERS) {
        return NULL;
    }
    if (mesh->n == 0 || (mesh->n >= 64 && (mesh->n & (mesh->n - 1)) == 0)) {
        const size_t room = mesh->n > 0 ? 2 * mesh->n : 64;
        double *const grown = realloc(mesh->corners, 3 * room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        mesh->corners = grown;
    }
    return mesh->corners + 3 * mesh->n++;
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
            double *const x = corner(out);
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

static const char *skip(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) {
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
            double *const x = corner(out);
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

/// The corner that a word of a face names, from 1, or from the end; NULL: none.
static const double *named(const trm_triangles *vertices, const char **at, const char *end)
{
    size_t taken = 0;
    const char *const from = skip(*at, end);
    const double i = trm_decimal(from, (size_t)(end - from), &taken);
    const double index = i < 0 ? (double)vertices->n + i : i - 1;
    *at = from + taken;
    while (*at < end && !strchr(" \t\r", **at)) { // texture and normal
        (*at)++;
    }
    return taken > 0 && index >= 0 && index < (double)vertices->n
               ? vertices->corners + 3 * (size_t)index
               : NULL;
}

/// A polygon as a fan about its first corner.
static const char *read_face(const char *at, const char *end, const trm_triangles *vertices,
                             trm_triangles *out)
{
    const double *first = NULL, *before = NULL;
    for (int n = 0; skip(at, end) < end; n++) {
        const double *const one = named(vertices, &at, end);
        if (!one) {
            return "a face names corners that are not there";
        }
        if (n >= 2) {
            const double *const of[3] = {first, before, one};
            for (int k = 0; k < 3; k++) {
                double *const x = corner(out);
                if (!x) {
                    return "too large";
                }
                memcpy(x, of[k], 3 * sizeof *x);
            }
        }
        first = n == 0 ? one : first;
        before = one;
    }
    return NULL;
}

static const char *read_obj(const char *at, const char *end, trm_triangles *vertices,
                            trm_triangles *out)
{
    const char *wrong = NULL;
    for (const char *next; at < end && !wrong; at = next < end ? next + 1 : end) {
        next = line_end(at, end);
        const char *const comment = memchr(at, '#', (size_t)(next - at));
        const char *const last = comment ? comment : next;
        at = skip(at, last);
        if (last - at > 2 && at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
            double *const x = corner(vertices);
            wrong = !x ? "too large" : three(at + 1, last, x) ? NULL : "a vertex has three numbers";
        } else if (last - at > 2 && at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
            wrong = read_face(at + 1, last, vertices, out);
        }
    }
    return wrong;
}

static int ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcasecmp(name + n - m, ending);
}

trm_status trm_mesh_parse(const char *name, const char *bytes, size_t length, trm_triangles *out,
                          trm_error *err)
{
    trm_triangles vertices = {0};
    const char *wrong = "meshes are read from .stl and .obj";
    *out = (trm_triangles){0};
    if (ends_in(name, ".stl")) {
        wrong = read_stl(bytes, length, out);
    } else if (ends_in(name, ".obj")) {
        wrong = read_obj(bytes, bytes + length, &vertices, out);
    }
    free(vertices.corners);
    if (!wrong && out->n == 0) {
        wrong = "it holds no triangle";
    }
    if (wrong) {
        free(out->corners);
        *out = (trm_triangles){0};
        return TRM_FAIL(err, TRM_ERR_SCENE, name, "%s", wrong);
    }
    return TRM_OK;
}
