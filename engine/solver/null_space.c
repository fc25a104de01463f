#include "engine/solver/null_space.h"
#include "engine/base/quad.h"

#include <math.h>
#include <string.h>

void trm_null_layout(trm_null_space *null, trm_null_size size, trm_arena *arena)
{
    null->room = size;
    null->used = (trm_null_size){0, 0, 0};
    null->most = 0;
    null->next = 1;
    null->part = trm_arena_take(arena, (size_t)size.parts, sizeof *null->part);
    null->row = trm_arena_ints(arena, size.rows);
    null->root = trm_arena_doubles(arena, size.rows);
    null->W = trm_arena_doubles(arena, size.values);
    null->V = trm_arena_doubles(arena, size.values);
    null->times_root = trm_arena_doubles(arena, size.values);
    null->over_root = trm_arena_doubles(arena, size.values);
}

void trm_null_accept(trm_null_space *null)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        for (int i = 0; i < (part->nullity + 1) * part->rows; i++) {
            null->W[part->V + i] = null->V[part->V + i] / null->root[part->first + i % part->rows];
        }
    }
}

/// x := x - Y Z^T x, Y = sqrt(D) V, Z = V/sqrt(D), or the other way round.
static void leave_out(const trm_null_space *null, const double *Y, const double *Z, double *x)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const int *row = null->row + part->first;
        for (int k = 0; k < part->nullity; k++) {
            const double *y = Y + part->V + k * part->rows, *z = Z + part->V + k * part->rows;
            double sum = 0;
            for (int i = 0; i < part->rows; i++) {
                sum += z[i] * x[row[i]];
            }
            for (int i = 0; i < part->rows; i++) {
                x[row[i]] -= sum * y[i];
            }
        }
    }
}

void trm_null_leave_out(const trm_null_space *null, double *b)
{
    leave_out(null, null->times_root, null->over_root, b);
}

void trm_null_leave_out_of_solution(const trm_null_space *null, double *x)
{
    leave_out(null, null->over_root, null->times_root, x);
}

// ------------------------------------------------------------------------------- inverse iteration

void trm_null_begin(trm_null_space *null, const double *D)
{
    for (int i = 0; i < null->used.rows; i++) {
        null->root[i] = sqrt(D[null->row[i]]);
    }
}

void trm_null_right_side(const trm_null_space *null, int k, double *b)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const double *W = null->W + part->V + k * part->rows;
        for (int i = 0; k <= part->nullity && i < part->rows; i++) {
            const double root = null->root[part->first + i];
            b[null->row[part->first + i]] = root * root * W[i];
        }
    }
}

void trm_null_solution(trm_null_space *null, int k, const double *x)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        double *V = null->V + part->V + k * part->rows;
        for (int i = 0; k <= part->nullity && i < part->rows; i++) {
            V[i] = null->root[part->first + i] * x[null->row[part->first + i]];
        }
    }
}

TRM_WIDE static double dot(int n, const double *x, const double *y)
{
    return trm_product(n, x, y);
}

TRM_WIDE static void subtract(int n, double part, const double *y, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] -= part * y[i];
    }
}

/// Column k made orthogonal to those before it, twice against roundoff, and of unit length. Returns
/// its length before.
static double orthonormalize(int n, int k, double *V)
{
    double *x = V + k * n;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < k; j++) {
            subtract(n, dot(n, V + j * n, x), V + j * n, x);
        }
    }
    const double length = sqrt(dot(n, x, x));
    for (int i = 0; i < n && length > 0; i++) {
        x[i] /= length;
    }
    return length;
}

/// The columns of a part that are left out, in both units.
static void scale_columns(trm_null_space *null, const trm_null_part *part)
{
    const double *root = null->root + part->first;
    for (int i = 0; i < part->nullity * part->rows; i++) {
        const double V = null->V[part->V + i];
        null->times_root[part->V + i] = V * root[i % part->rows];
        null->over_root[part->V + i] = V / root[i % part->rows];
    }
}

/// The length of W in units of sqrt(D).
static double length_of(const trm_null_space *null, const trm_null_part *part, int k)
{
    const double *W = null->W + part->V + k * part->rows;
    double sum = 0;
    for (int i = 0; i < part->rows; i++) {
        const double v = W[i] * null->root[part->first + i];
        sum += v * v;
    }
    return sqrt(sum);
}

void trm_null_finish(trm_null_space *null)
{
    null->next = 1;
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        double length = 0;
        for (int k = 0; k <= part->nullity; k++) {
            length = orthonormalize(part->rows, k, null->V + part->V);
        }
        scale_columns(null, part);
        if (part->nullity <
            part->rows) { // (S + delta D)^-1 has made it longer by 1/(sigma^2 + delta)
            null->next = fmin(null->next, length_of(null, part, part->nullity) / length);
        }
    }
}
