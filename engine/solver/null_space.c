#include "engine/solver/null_space.h"
#include "engine/base/quad.h"

#include <math.h>
#include <string.h>

void trm_null_layout(trm_null_space *null, trm_null_size size, trm_arena *arena)
{
    null->room = size;
    null->used = (trm_null_size){0, 0, 0};
    null->most = 0;
    null->part = trm_arena_take(arena, (size_t)size.parts, sizeof *null->part);
    null->row = trm_arena_ints(arena, size.rows);
    null->accepted = trm_arena_doubles(arena, size.values);
    null->W = trm_arena_doubles(arena, size.values);
    null->DW = trm_arena_doubles(arena, size.values);
    null->x = trm_arena_doubles(arena, size.rows);
}

void trm_null_accept(trm_null_space *null)
{
    memcpy(null->accepted, null->W, (size_t)null->used.values * sizeof(double));
}

/// x[n] := x - y (z^T x)
TRM_WIDE static void subtract(int n, const double *y, const double *z, double *x)
{
    const double part = trm_product(n, z, x);
    for (int i = 0; i < n; i++) {
        x[i] -= part * y[i];
    }
}

/// x := x - Y Z^T x, Y = D W, Z = W, or the other way round.
static void leave_out(const trm_null_space *null, const double *Y, const double *Z, double *x)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const int *row = null->row + part->first;
        for (int i = 0; i < part->rows; i++) {
            null->x[i] = x[row[i]];
        }
        for (int k = 0; k < part->nullity; k++) {
            const int at = part->W + k * part->rows;
            subtract(part->rows, Y + at, Z + at, null->x);
        }
        for (int i = 0; i < part->rows; i++) {
            x[row[i]] = null->x[i];
        }
    }
}

void trm_null_leave_out(const trm_null_space *null, double *b)
{
    leave_out(null, null->DW, null->W, b);
}

void trm_null_leave_out_of_solution(const trm_null_space *null, double *x)
{
    leave_out(null, null->W, null->DW, x);
}

// ------------------------------------------------------------------------------- inverse iteration

void trm_null_right_side(const trm_null_space *null, int k, const double *D, double *b)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const double *W = null->accepted + part->W + k * part->rows;
        const int *row = null->row + part->first;
        for (int i = 0; k < part->nullity && i < part->rows; i++) {
            b[row[i]] = D[row[i]] * W[i];
        }
    }
}

/// Column k of a part made orthogonal to those before it, twice against roundoff, and of unit
/// length.
static void orthonormalize(const trm_null_space *null, const trm_null_part *part, int k,
                           const double *D)
{
    const int n = part->rows, *row = null->row + part->first;
    double *W = null->W + part->W, *DW = null->DW + part->W, *w = W + k * n, *Dw = DW + k * n;
    for (int j = 0; j < 2 * k; j++) {
        subtract(n, W + j % k * n, DW + j % k * n, w);
    }
    double length = 0;
    for (int i = 0; i < n; i++) {
        Dw[i] = D[row[i]] * w[i];
        length += w[i] * Dw[i];
    }
    const double shorter = length > 0 ? 1 / sqrt(length) : 0;
    for (int i = 0; i < n; i++) {
        w[i] *= shorter;
        Dw[i] *= shorter;
    }
}

void trm_null_solution(trm_null_space *null, int k, const double *D, const double *x)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        double *W = null->W + part->W + k * part->rows;
        for (int i = 0; k < part->nullity && i < part->rows; i++) {
            W[i] = x[null->row[part->first + i]];
        }
        if (k < part->nullity) {
            orthonormalize(null, part, k, D);
        }
    }
}
