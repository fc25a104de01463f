#include "engine/linear/null_space.h"
#include "base/quad.h"
#include "engine/linear/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_null_layout(trm_null_space *null, trm_null_size size, trm_arena *arena)
{
    null->room = size;
    null->used = (trm_null_size){.components = 0};
    null->most = null->nullity = 0;
    null->component = trm_arena_take(arena, (size_t)size.components, sizeof *null->component);
    null->row = trm_arena_ints(arena, size.rows);
    TRM_ARENA_DOUBLES(arena, size.values, &null->accepted, &null->W, &null->DW);
    null->x = trm_arena_doubles(arena, size.rows);
    null->kept = trm_arena_doubles(arena, size.masks);
    TRM_ARENA_DOUBLES(arena, size.turns, &null->light.B, &null->light.Z);
    null->light.K = trm_arena_doubles(arena, size.light * size.light);
    TRM_ARENA_DOUBLES(arena, size.light, &null->light.over_C, &null->light.x);
}

void trm_null_copy(const trm_null_space *from, trm_null_space *to)
{
    to->used = from->used;
    to->most = from->most;
    to->nullity = from->nullity;
    memcpy(to->component, from->component, (size_t)from->used.components * sizeof *to->component);
    memcpy(to->row, from->row, (size_t)from->used.rows * sizeof *to->row);
    memcpy(to->accepted, from->accepted, (size_t)from->used.values * sizeof(double));
    memcpy(to->kept, from->kept, (size_t)from->used.masks * sizeof(double));
}

void trm_null_accept(trm_null_space *null)
{
    memcpy(null->accepted, null->W, (size_t)null->used.values * sizeof(double));
}

/// trm_columns_leave_out of one column of a few numbers.
TRM_WIDE static void leave_out_one(int n, const double *Y, const double *Z, double *x)
{
    const double part = trm_product(n, Z, x);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        *trm_quad_to(x + i) -= part * *trm_quad_at(Y + i);
    }
    for (; i < n; i++) {
        x[i] -= part * Y[i];
    }
}

/// x := x - Y Z^T x, Y = D W, Z = W, or the other way round.
static void leave_out(const trm_null_space *null, const double *Y, const double *Z, double *x)
{
    if (null->used.components == 1 && null->component->all && null->component->nullity == 1) {
        leave_out_one(null->component->rows, Y, Z, x);
        return;
    }
    for (int p = 0; p < null->used.components; p++) {
        const trm_null_component *component = &null->component[p];
        const int *row = null->row + component->first;
        double *const its = component->all ? x : null->x;
        for (int i = 0; i < component->rows && !component->all; i++) {
            its[i] = x[row[i]];
        }
        trm_columns_leave_out(component->nullity, component->rows, Y + component->W,
                              Z + component->W, its);
        for (int i = 0; i < component->rows && !component->all; i++) {
            x[row[i]] = its[i];
        }
    }
}

static void leave_out_masked(const trm_null_space *null, double *x)
{
    for (int i = 0; i < null->used.masks; i++) {
        x[i] *= null->kept[i];
    }
}

void trm_null_leave_out(const trm_null_space *null, double *b)
{
    leave_out_masked(null, b);
    leave_out(null, null->DW, null->W, b);
}

void trm_null_leave_out_of_solution(const trm_null_space *null, double *x)
{
    leave_out_masked(null, x);
    leave_out(null, null->W, null->DW, x);
}

void trm_null_column(const trm_null_space *null, int k, int n, double *x)
{
    memset(x, 0, (size_t)n * sizeof(double));
    for (int p = 0; p < null->used.components; p++) {
        const trm_null_component *component = &null->component[p];
        const double *W = null->W + component->W + k * component->rows;
        for (int i = 0; k < component->nullity && i < component->rows; i++) {
            x[null->row[component->first + i]] = W[i];
        }
    }
}

// ------------------------------------------------------------------------------- inverse iteration

void trm_null_right_side(const trm_null_space *null, const double *from, int k, const double *D,
                         double *b)
{
    for (int p = 0; p < null->used.components; p++) {
        const trm_null_component *component = &null->component[p];
        const double *W = from + component->W + k * component->rows;
        const int *row = null->row + component->first;
        if (component->all && k < component->nullity) {
            (void)trm_columns_weigh(component->rows, D, W, b);
        }
        for (int i = 0; !component->all && k < component->nullity && i < component->rows; i++) {
            b[row[i]] = D[row[i]] * W[i];
        }
    }
}

/// W := x of a part. Returns its D.
static const double *take(const trm_null_space *null, const trm_null_component *component,
                          const double *x, const double *D, double *W)
{
    const int *row = null->row + component->first;
    if (component->all) {
        memcpy(W, x, (size_t)component->rows * sizeof(double));
        return D;
    }
    for (int i = 0; i < component->rows; i++) {
        W[i] = x[row[i]];
        null->x[i] = D[row[i]];
    }
    return null->x;
}

double trm_null_solution(trm_null_space *null, int k, const double *D, const double *x)
{
    double shortest = DBL_MAX;
    for (int p = 0; p < null->used.components; p++) {
        const trm_null_component *component = &null->component[p];
        if (k < component->nullity) {
            const double *its =
                take(null, component, x, D, null->W + component->W + k * component->rows);
            const double length = trm_columns_append(
                k, component->rows, its, null->W + component->W, null->DW + component->W);
            shortest = trm_lesser(length, shortest);
        }
    }
    return shortest;
}
