#include "engine/rank/rank.h"
#include "engine/base/rank_numbers.h"
#include "engine/rank/row_rank.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 1000 }; // of a part: dense algebra, about a second

// ------------------------------------------------------------------------------------------- parts

void trm_parts_layout(trm_parts *parts, const trm_model *model, trm_arena *arena)
{
    parts->of_row = trm_arena_ints(arena, model->sizes.nc);
    parts->of_velocity = trm_arena_ints(arena, model->sizes.nv);
    parts->n = model->sizes.nv > 0 ? model->sizes.nv : 1; // at most
}

/// of_row[nc] := the velocity that stands for the part whose bodies the row's block moves; 0 where
/// it moves none.
static void find_rows(const trm_model *model, int *of_row)
{
    memset(of_row, 0, (size_t)model->sizes.nc * sizeof(int));
    for (int b = 0; b < model->nblocks && !model->from_equations; b++) {
        const trm_block *block = &model->blocks[b];
        for (int k = 0; k < block->nbodies; k++) {
            const int body = model->block_bodies[block->body + k];
            for (int i = 0; body < model->sizes.nbody && i < block->rows; i++) {
                of_row[block->row + i] = model->part[model->body_info[body].v0];
            }
        }
    }
}

void trm_parts_find(trm_parts *parts, const trm_model *model)
{
    const int nc = model->sizes.nc, nv = model->sizes.nv;
    const int whole = model->from_equations || !model->part;
    find_rows(model, parts->of_row);
    for (int i = 0; i < nv; i++) {
        parts->of_velocity[i] = -1;
    }
    parts->n = 0;
    for (int i = 0; i < nc; i++) { // of_velocity[representative] is the number of the part, for now
        int *number = &parts->of_velocity[whole ? 0 : parts->of_row[i]];
        *number = *number < 0 ? parts->n++ : *number;
        parts->of_row[i] = *number;
    }
    for (int i = 0; i < nv; i++) {
        const int representative = whole ? 0 : model->part[i];
        parts->of_velocity[i] = parts->of_velocity[representative];
    }
}

static int count(int n, const int *of, int p)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        found += of[i] == p;
    }
    return found;
}

/// out[] := those i with of[i] == p
static void list(int n, const int *of, int p, int *out)
{
    for (int i = 0; i < n; i++) {
        *out = i;
        out += of[i] == p;
    }
}

static int take_part(trm_rank *rank, const trm_parts *parts, int p)
{
    trm_rank_part *part = &rank->part[p];
    part->rank = -1;
    part->nrows = count(rank->nc, parts->of_row, p);
    part->ncolumns = count(rank->nv, parts->of_velocity, p);
    part->row = trm_pieces_take(&rank->pool, (size_t)part->nrows + 1, sizeof(int));
    part->column = trm_pieces_take(&rank->pool, (size_t)part->ncolumns + 1, sizeof(int));
    if (!part->row || !part->column) {
        return 0;
    }
    list(rank->nc, parts->of_row, p, part->row);
    list(rank->nv, parts->of_velocity, p, part->column);
    return 1;
}

int trm_rank_open(trm_rank *rank, const trm_parts *parts, int nc, int nv)
{
    *rank = (trm_rank){.nparts = parts->n, .nc = nc, .nv = nv};
    rank->unit = trm_pieces_take(&rank->pool, (size_t)nc, sizeof(double));
    rank->x = trm_pieces_take(&rank->pool, (size_t)nv, sizeof(double));
    rank->part = trm_pieces_take(&rank->pool, (size_t)parts->n, sizeof *rank->part);
    int ok = rank->unit && rank->x && rank->part;
    for (int p = 0; ok && p < parts->n; p++) {
        ok = take_part(rank, parts, p);
    }
    return ok;
}

void trm_rank_close(trm_rank *rank)
{
    trm_pieces_close(&rank->pool);
}

// -------------------------------------------------------------------------------------- a position

/// J[nrows*ncolumns] of unit rows, columns in units of the mechanism, and 1/length of each; 0 of a
/// row that is nothing.
static void rows_of(trm_rank *rank, trm_system *system, const trm_extents *extent,
                    const trm_rank_part *part, double *J, double *inverse)
{
    for (int i = 0; i < part->nrows; i++) {
        double *row = J + (size_t)i * (size_t)part->ncolumns;
        double sum = 0;
        memset(rank->unit, 0, (size_t)rank->nc * sizeof(double));
        rank->unit[part->row[i]] = 1;
        trm_system_multiply_GT(system, rank->unit, rank->x);
        for (int j = 0; j < part->ncolumns; j++) {
            row[j] = rank->x[part->column[j]] * extent->v[part->column[j]];
            sum += row[j] * row[j];
        }
        const double length = sqrt(sum);
        inverse[i] = length > TRM_LEAST_SCALE * extent->g[part->row[i]] ? 1 / length : 0;
        for (int j = 0; j < part->ncolumns; j++) {
            row[j] *= inverse[i];
        }
    }
}

/// Row order[rank + k] of unit length is C_k times the independent ones: its difference from them
/// is W_k.
static int keep_directions(trm_rank *rank, trm_rank_part *part, const trm_row_basis *basis,
                           const double *inverse)
{
    const int nullity = part->nrows - basis->rank;
    part->W = trm_pieces_take(&rank->pool, (size_t)nullity * (size_t)part->nrows, sizeof(double));
    if (!part->W) {
        return 0;
    }
    for (int k = 0; k < nullity; k++) {
        double *W = part->W + (size_t)k * (size_t)part->nrows;
        const int dependent = basis->order[basis->rank + k];
        const double *C = basis->C + (size_t)k * (size_t)basis->rank;
        W[dependent] = inverse[dependent] > 0 ? inverse[dependent] : 1;
        for (int i = 0; i < basis->rank && inverse[dependent] > 0; i++) {
            W[basis->order[i]] = -C[i] * inverse[basis->order[i]];
        }
    }
    return 1;
}

static int look_at_part(trm_rank *rank, trm_system *system, const trm_extents *extent,
                        trm_rank_part *part)
{
    const size_t n = (size_t)part->nrows, m = (size_t)part->ncolumns;
    trm_pieces pool = {NULL};
    double *J = trm_pieces_take(&pool, n * m, sizeof(double));
    double *inverse = trm_pieces_take(&pool, n, sizeof(double));
    trm_row_basis basis = {.order = trm_pieces_take(&pool, n, sizeof(int)),
                           .C = trm_pieces_take(&pool, n * n / 4 + n, sizeof(double))};
    int ok = J && inverse && basis.order && basis.C;
    if (ok) {
        rows_of(rank, system, extent, part, J, inverse);
        ok = trm_row_rank(part->nrows, part->ncolumns, J, TRM_DEPENDENT, &basis);
    }
    if (ok) {
        part->rank_now = basis.rank;
    }
    if (ok && basis.rank > part->rank) {
        part->rank = basis.rank;
        ok = keep_directions(rank, part, &basis, inverse);
    }
    trm_pieces_close(&pool);
    return ok;
}

int trm_rank_look(trm_rank *rank, trm_system *system, const trm_extents *extent)
{
    for (int p = 0; p < rank->nparts; p++) {
        trm_rank_part *part = &rank->part[p];
        if (part->nrows <= MOST_ROWS && !look_at_part(rank, system, extent, part)) {
            return 0;
        }
    }
    return 1;
}

// --------------------------------------------------------------------------------- null directions

/// 0 where there is nothing to be left out. One direction is always followed beside them.
static int nullity_of(const trm_rank_part *part)
{
    return part->rank > 0 ? part->nrows - part->rank : 0;
}

int trm_rank_nullity(const trm_rank *rank)
{
    int nullity = 0;
    for (int p = 0; p < rank->nparts; p++) {
        nullity += nullity_of(&rank->part[p]);
    }
    return nullity;
}

trm_null_size trm_rank_size(const trm_rank *rank)
{
    trm_null_size size = {0, 0, 0};
    for (int p = 0; p < rank->nparts; p++) {
        const int nullity = nullity_of(&rank->part[p]), rows = rank->part[p].nrows;
        size.parts += nullity > 0;
        size.rows += nullity > 0 ? rows : 0;
        size.values += nullity > 0 ? (nullity + 1) * rows : 0;
    }
    return size;
}

/// Any direction: uniform in [-1, 1], the same in every run.
static void any_direction(int n, double *x)
{
    unsigned long long seed = 88172645463325252ULL;
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        x[i] = (double)(seed >> 11) / 4503599627370496.0 - 1;
    }
}

void trm_rank_install(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null)
{
    null->used = (trm_null_size){0, 0, 0};
    null->most = 0;
    for (int p = 0; p < rank->nparts; p++) {
        const trm_rank_part *part = &rank->part[p];
        const int nullity = nullity_of(part);
        if (nullity == 0) {
            continue;
        }
        trm_null_part *to = &null->part[null->used.parts];
        *to = (trm_null_part){null->used.rows, part->nrows, nullity, null->used.values};
        for (int i = 0; i < part->nrows; i++) {
            null->row[to->first + i] = pattern->place_of[part->row[i]];
        }
        memcpy(null->W + to->V, part->W, (size_t)(nullity * part->nrows) * sizeof(double));
        any_direction(part->nrows, null->W + to->V + nullity * part->nrows);
        null->used.parts++;
        null->used.rows += part->nrows;
        null->used.values += (nullity + 1) * part->nrows;
        null->most = nullity > null->most ? nullity : null->most;
    }
}
