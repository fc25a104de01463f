#include "engine/linear/null_space.h"
#include "base/loops.h"
#include "engine/linear/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_null_layout(trm_null_space *null, trm_null_size size, trm_arena *arena)
{
    null->room = size;
    null->used = (trm_null_size){0, 0, 0};
    null->most = null->nullity = 0;
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

/// x := x - Y Z^T x, Y = D W, Z = W, or the other way round.
static void leave_out(const trm_null_space *null, const double *Y, const double *Z, double *x)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const int *row = null->row + part->first;
        double *const its = part->all ? x : null->x;
        for (int i = 0; i < part->rows && !part->all; i++) {
            its[i] = x[row[i]];
        }
        trm_columns_leave_out(part->nullity, part->rows, Y + part->W, Z + part->W, its);
        for (int i = 0; i < part->rows && !part->all; i++) {
            x[row[i]] = its[i];
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

void trm_null_column(const trm_null_space *null, int k, int n, double *x)
{
    memset(x, 0, (size_t)n * sizeof(double));
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const double *W = null->W + part->W + k * part->rows;
        for (int i = 0; k < part->nullity && i < part->rows; i++) {
            x[null->row[part->first + i]] = W[i];
        }
    }
}

// ------------------------------------------------------------------------------- inverse iteration

void trm_null_right_side(const trm_null_space *null, const double *from, int k, const double *D,
                         double *b)
{
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        const double *W = from + part->W + k * part->rows;
        const int *row = null->row + part->first;
        if (part->all && k < part->nullity) {
            (void)trm_columns_weigh(part->rows, D, W, b);
        }
        for (int i = 0; !part->all && k < part->nullity && i < part->rows; i++) {
            b[row[i]] = D[row[i]] * W[i];
        }
    }
}

/// W := x of a part. Returns its D.
static const double *take(const trm_null_space *null, const trm_null_part *part, const double *x,
                          const double *D, double *W)
{
    const int *row = null->row + part->first;
    if (part->all) {
        memcpy(W, x, (size_t)part->rows * sizeof(double));
        return D;
    }
    for (int i = 0; i < part->rows; i++) {
        W[i] = x[row[i]];
        null->x[i] = D[row[i]];
    }
    return null->x;
}

double trm_null_solution(trm_null_space *null, int k, const double *D, const double *x)
{
    double shortest = DBL_MAX;
    for (int p = 0; p < null->used.parts; p++) {
        const trm_null_part *part = &null->part[p];
        if (k < part->nullity) {
            const double *its = take(null, part, x, D, null->W + part->W + k * part->rows);
            const double length =
                trm_columns_append(k, part->rows, its, null->W + part->W, null->DW + part->W);
            shortest = trm_lesser(length, shortest);
        }
    }
    return shortest;
}
