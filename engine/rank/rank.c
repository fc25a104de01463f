/// The rank of each component: rows of unit length, QR with column pivoting where there are few,
/// masks by two dampings where there are many (rank.h).
#include "engine/rank/rank.h"
#include "base/rank_numbers.h"
#include "engine/rank/row_rank.h"

#include <math.h>
#include <string.h>

/// Rows of a part. Null directions of a ladder of planar loops cost as much as the rest of an
/// evaluation from 80 rows on, and grow with the cube; half and twice of that change no rank and no
/// crossing (validation/campaign/numbers). A loop of it has 16 rows, and 5 of its cut.
enum { FEW_ROWS = 100, FEW_CUTS = FEW_ROWS * 5 / 16 };

int trm_rank_rows(const trm_rank *rank, int p)
{
    const int *first = rank->model->components.first_row + p;
    return first[1] - first[0];
}

static int is_dense(const trm_rank *rank, int p)
{
    return trm_rank_rows(rank, p) <= rank->dense;
}

static int columns_of(const trm_rank *rank, int p)
{
    const int *first = rank->model->components.first_column + p;
    return first[1] - first[0];
}

void trm_rank_layout(trm_rank *rank, const trm_model *model, trm_arena *arena)
{
    const size_t workspace = arena->used;
    size_t directions = 0, rows = 0, values = 0, work = 0; // the last three of one part, at most
    rank->model = model;
    rank->unit = trm_arena_doubles(arena, model->sizes.nc);
    rank->x = trm_arena_doubles(arena, model->sizes.nv);
    rank->dependent = trm_arena_take(arena, (size_t)model->sizes.nc, 1);
    rank->component = trm_arena_take(arena, (size_t)model->components.n, sizeof *rank->component);
    for (int p = 0; p < model->components.n; p++) {
        const size_t n = (size_t)trm_rank_rows(rank, p), m = (size_t)columns_of(rank, p);
        if (n <= TRM_DENSE_ROWS) {
            const size_t needed = trm_row_rank_work((int)n);
            directions += n * n;
            rows = n > rows ? n : rows;
            values = n * m > values ? n * m : values;
            work = needed > work ? needed : work;
        }
    }
    rank->W = trm_arena_take(arena, directions, sizeof(double));
    rank->J = trm_arena_take(arena, values, sizeof(double));
    rank->inverse = trm_arena_take(arena, rows, sizeof(double));
    rank->C = trm_arena_take(arena, rows * rows / 4 + rows, sizeof(double));
    rank->order = trm_arena_take(arena, rows, sizeof(int));
    rank->work = trm_arena_take(arena, work, sizeof(double));
    trm_arena_workspace(arena, workspace);
}

void trm_rank_start(trm_rank *rank, double bound)
{
    size_t W = 0;
    rank->bound = fmax(bound, TRM_DEPENDENT);
    for (int p = 0; p < rank->model->components.n; p++) {
        const size_t n = (size_t)trm_rank_rows(rank, p);
        rank->component[p] = (trm_rank_component){.rank = -1, .rank_now = -1, .W = W};
        W += n <= TRM_DENSE_ROWS ? n * n : 0;
    }
}

/// The nullity of component p; 0 while its rank is unknown.
static int nullity_of(const trm_rank *rank, int p)
{
    return rank->component[p].rank >= 0 ? trm_rank_rows(rank, p) - rank->component[p].rank : 0;
}

void trm_rank_prefer(trm_rank *rank, int directions)
{
    rank->dense = directions                           ? TRM_DENSE_ROWS
                  : rank->model && rank->model->joints ? FEW_CUTS
                                                       : FEW_ROWS;
}

int trm_rank_wants_directions(const trm_rank *rank)
{
    int wants = 0;
    for (int p = 0; p < rank->model->components.n; p++) {
        const int sparse = !is_dense(rank, p) && trm_rank_rows(rank, p) <= TRM_DENSE_ROWS;
        wants |= sparse && (nullity_of(rank, p) > 0 || !isfinite(rank->component[p].left));
    }
    return wants;
}

void trm_rank_restart(trm_rank *rank, int p)
{
    rank->component[p].rank = -1;
}

// -------------------------------------------------------------------------------------- a position

/// Open by a gap e, two sheets of motions that coincide are sqrt(e) apart, and so is the length of
/// the row that they have lost; a direction is known where sigma^2 is TRM_TANGENT gaps.
static double lost_by_gap(const trm_rank *rank, const trm_system *system, const trm_extents *extent,
                          int p)
{
    const trm_connected_components *components = &rank->model->components;
    double gap = 0;
    for (int k = components->first_row[p]; k < components->first_row[p + 1]; k++) {
        const int i = components->row[k];
        gap = fmax(fabs(system->g[i]) / extent->g[i], gap);
    }
    return sqrt(TRM_TANGENT * gap);
}

/// The unit of a row. From joint coordinates a row of a joint that others hold except for a misfit
/// is as short as that; bodies give it the length of its extent.
static double usual_length(const trm_model *model, const trm_extents *extent, int row)
{
    const int first = model->sizes.njoint; // of other blocks
    const int is_joint = first == model->nblocks || row < model->blocks[first].row;
    return model->joints && is_joint ? extent->g[row] : 0;
}

/// J[rows*columns] of unit rows of component p, columns in units of the mechanism, and 1/length of
/// each; 0 for a row of zeros: of rounding, or a part `lost` of its usual length or less.
static void rows_of(trm_rank *rank, trm_system *system, const trm_extents *extent, double lost,
                    int p)
{
    const trm_connected_components *components = &rank->model->components;
    const int *column = components->column + components->first_column[p], m = columns_of(rank, p);
    const double least = fmax(TRM_LEAST_SCALE, lost);
    double *row = rank->J;
    for (int i = 0; i < trm_rank_rows(rank, p); i++, row += m) {
        const int number = components->row[components->first_row[p] + i];
        double sum = 0;
        memset(rank->unit, 0, (size_t)system->nc * sizeof(double));
        rank->unit[number] = 1;
        trm_system_multiply_GT(system, rank->unit, rank->x);
        for (int j = 0; j < m; j++) {
            row[j] = rank->x[column[j]] * extent->v[column[j]];
            sum += row[j] * row[j];
        }
        const double length = sqrt(sum),
                     unit = fmax(length, usual_length(rank->model, extent, number));
        rank->inverse[i] = length > least * extent->g[number] ? 1 / unit : 0;
        for (int j = 0; j < m; j++) {
            row[j] *= rank->inverse[i];
        }
    }
}

/// Row order[rank + k] of unit length is C_k times the independent
/// ones: its difference from them is W_k.
static void keep_directions(const trm_rank *rank, int p, const trm_row_basis *basis)
{
    const int n = trm_rank_rows(rank, p);
    const double *inverse = rank->inverse;
    const int *const row = rank->model->components.row + rank->model->components.first_row[p];
    double *W = rank->W + rank->component[p].W;
    memset(W, 0, (size_t)(n - basis->rank) * (size_t)n * sizeof *W);
    for (int i = 0; i < n; i++) {
        rank->dependent[row[basis->order[i]]] = i >= basis->rank;
    }
    for (int k = 0; k < n - basis->rank; k++, W += n) {
        const int dependent = basis->order[basis->rank + k];
        const double *C = basis->C + (size_t)k * (size_t)basis->rank;
        W[dependent] = inverse[dependent] > 0 ? inverse[dependent] : 1;
        for (int i = 0; i < basis->rank && inverse[dependent] > 0; i++) {
            W[basis->order[i]] = -C[i] * inverse[basis->order[i]];
        }
    }
}

/// Look at component p, rows up to `lost` of their usual length being no rows.
static void look_at(trm_rank *rank, trm_system *system, const trm_extents *extent, double lost,
                    double off, int p)
{
    trm_rank_component *component = &rank->component[p];
    trm_row_basis basis = {.order = rank->order, .C = rank->C, .work = rank->work};
    rows_of(rank, system, extent, lost, p);
    (void)trm_row_rank(trm_rank_rows(rank, p), columns_of(rank, p), rank->J,
                       fmax(fmax(lost, off), rank->bound), &basis);
    const double left = basis.left > TRM_LEAST_SCALE ? basis.left : 0;
    component->rank_now = basis.rank;
    component->start = component->rank < 0 ? basis.rank : component->start;
    if (basis.rank > component->rank) {
        component->rank = basis.rank;
        component->left = left;
        keep_directions(rank, p, &basis);
    }
}

// A part of too many rows: the rank by the pivots of S.

/// Row i's pivot in units of D: what of it the rows before it leave, s, and delta (1 + |c|^2), c
/// the combination of these.
static double pivot_of(const trm_solver *solver, int i)
{
    const int place = solver->pattern->place_of[i];
    return solver->pivot[place] / solver->D[place];
}

/// Rows of part p of which s is nothing, TRM_DEPENDENT^2 of 1 + |c|^2 by two dampings, into
/// rank->dependent if `keep`. Returns how many; -1 where it is not certain, or a factorization
/// fails.
static int count_dependent(const trm_rank *rank, trm_system *system, int p, int keep)
{
    const double apart = 16; // s then has the error of a pivot
    const trm_connected_components *const parts = &rank->model->components;
    const trm_solver *const solver = &system->solver;
    const double more = solver->delta, less = more / apart;
    int count = 0, certain = !trm_system_factor_damped(system, TRM_METRIC_MASS, more, NULL);
    if (!certain || !solver->damped) {
        return certain - 1;
    }
    for (int i = 0; i < system->nc; i++) {
        rank->unit[i] = pivot_of(solver, i);
    }
    certain = !trm_system_factor_damped(system, TRM_METRIC_MASS, less, NULL) && solver->damped;
    for (int k = parts->first_row[p]; certain && k < parts->first_row[p + 1]; k++) {
        const int i = parts->row[k];
        const double s = (apart * pivot_of(solver, i) - rank->unit[i]) / (apart - 1);
        const int depends = s * more < TRM_DEPENDENT * TRM_DEPENDENT * rank->unit[i];
        certain = depends || s > rank->unit[i] / 2;
        rank->dependent[i] = keep ? (char)depends : rank->dependent[i];
        count += depends;
    }
    return certain ? count : -1;
}

/// Where another position shows another rank, it stays unknown.
static void look_sparse(trm_rank *rank, trm_system *system, int p)
{
    trm_rank_component *const component = &rank->component[p];
    trm_null_space *const null = &system->solver.null;
    const trm_null_size used = null->used;
    const int first = component->rank < 0;
    if (!isfinite(component->left)) {
        return;
    }
    null->used = (trm_null_size){.components = 0};
    const int count = count_dependent(rank, system, p, first);
    const int now = trm_rank_rows(rank, p) - count;
    null->used = used;
    (void)trm_system_factor(system, TRM_METRIC_MASS); // where it succeeded before
    if (count < 0 || (!first && now > component->rank)) {
        component->rank = component->rank_now = -1;
        component->left = INFINITY;
        return;
    }
    component->rank_now = now;
    component->rank = first ? now : component->rank;
    component->start = first ? now : component->start;
}

void trm_rank_look_near(trm_rank *rank, trm_system *system, const trm_extents *extent, double off)
{
    for (int p = 0; p < rank->model->components.n; p++) {
        if (is_dense(rank, p)) {
            const int closed = off >= 0;
            look_at(rank, system, extent, closed ? lost_by_gap(rank, system, extent, p) : 0, off,
                    p);
        } else {
            look_sparse(rank, system, p);
        }
    }
}

void trm_rank_look_open(trm_rank *rank, trm_system *system, const trm_extents *extent)
{
    trm_rank_look_near(rank, system, extent, -1);
}

void trm_rank_look(trm_rank *rank, trm_system *system, const trm_extents *extent)
{
    trm_rank_look_near(rank, system, extent, 0);
}

/// Of a body all coordinates, where one is.
static void hold_bodies(const trm_model *model, char *held)
{
    for (int b = 0; b < model->sizes.nbody && !model->from_equations; b++) {
        const trm_body_info *info = &model->body_info[b];
        if (memchr(held + info->v0, 1, (size_t)info->nv)) {
            memset(held + info->v0, 1, (size_t)info->nv);
        }
    }
}

void trm_rank_held(const trm_rank *rank, trm_system *system, const trm_extents *extent, char *held)
{
    const trm_connected_components *components = &rank->model->components;
    memset(held, 0, (size_t)system->nv);
    for (int p = 0; p < components->n; p++) {
        const int n = trm_rank_rows(rank, p), nullity = nullity_of(rank, p);
        const double *W = rank->W + rank->component[p].W;
        if (!is_dense(rank, p) && nullity > 0) { // any of them
            for (int j = components->first_column[p]; j < components->first_column[p + 1]; j++) {
                held[components->column[j]] = 1;
            }
            continue;
        }
        for (int i = 0; i < n && nullity > 0; i++) {
            const int row = components->row[components->first_row[p] + i];
            memset(rank->unit, 0, (size_t)system->nc * sizeof(double));
            for (int k = 0; k < nullity; k++) { // unit rows weigh 1 at most
                rank->unit[row] = fmax(fabs(W[k * n + i]), rank->unit[row]);
            }
            trm_system_multiply_GT(system, rank->unit, rank->x);
            for (int j = 0; j < system->nv; j++) {
                held[j] |= fabs(rank->x[j]) * extent->v[j] > TRM_DEPENDENT;
            }
        }
    }
    hold_bodies(rank->model, held);
}

double trm_rank_left(const trm_rank *rank)
{
    double left = 0;
    for (int p = 0; p < rank->model->components.n; p++) {
        left = rank->component[p].rank >= 0 ? fmax(rank->component[p].left, left) : left;
    }
    return left;
}

int trm_rank_rises(trm_rank *rank, trm_system *system, const trm_extents *extent, double bound,
                   const trm_null_space *null)
{
    int rises = 0, held = 0;
    trm_rank_start(rank, bound);
    trm_rank_look(rank, system, extent);
    if (null->used.masks > 0) {
        return trm_rank_nullity(rank) < null->nullity;
    }
    for (int p = 0; p < rank->model->components.n; p++) {
        const int k = held < null->used.components && null->component[held].number == p;
        const int nullity = k ? null->component[held].nullity : 0;
        held += k;
        if (rank->component[p].rank >= 0 && nullity_of(rank, p) > nullity) {
            return 0; // a singular position: later
        }
        rises |= nullity_of(rank, p) < nullity;
    }
    return rises;
}

// --------------------------------------------------------------------------------- null directions

int trm_rank_nullity(const trm_rank *rank)
{
    int nullity = 0;
    for (int p = 0; p < rank->model->components.n; p++) {
        nullity += nullity_of(rank, p);
    }
    return nullity;
}

int trm_rank_is_masked(const trm_rank *rank)
{
    int masked = 0;
    for (int p = 0; p < rank->model->components.n; p++) {
        const trm_rank_component *const component = &rank->component[p];
        if (nullity_of(rank, p) > 0 && component->rank != component->start) {
            return 0;
        }
        masked |= nullity_of(rank, p) > 0 && !is_dense(rank, p);
    }
    return masked && trm_rank_left(rank) <= TRM_DEPENDENT;
}

void trm_rank_mask(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null)
{
    null->used = (trm_null_size){.masks = pattern->n};
    null->most = 0;
    null->nullity = trm_rank_nullity(rank);
    for (int i = 0; i < pattern->n; i++) {
        null->kept[i] = 1;
    }
    for (int i = 0; i < rank->model->sizes.nc; i++) {
        const int masked = nullity_of(rank, rank->model->components.of_row[i]) > 0;
        null->kept[pattern->place_of[i]] = masked && rank->dependent[i] ? 0 : 1;
    }
}

trm_null_size trm_rank_size(const trm_rank *rank, const trm_pattern *pattern)
{
    trm_null_size size = {.components = 0};
    int many = 0;
    for (int p = 0; p < rank->model->components.n; p++) {
        const int rows = trm_rank_rows(rank, p), nullity = nullity_of(rank, p);
        many |= !is_dense(rank, p);
        if (nullity > 0 && rows <= TRM_DENSE_ROWS) {
            size.components++;
            size.rows += rows;
            size.values += nullity * rows;
        }
    }
    size.masks = many && trm_rank_nullity(rank) > 0 ? pattern->n : 0;
    return size;
}

void trm_rank_install(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null)
{
    null->used = (trm_null_size){.components = 0};
    null->most = null->nullity = 0;
    for (int p = 0; p < rank->model->components.n; p++) {
        const int nullity = is_dense(rank, p) ? nullity_of(rank, p) : 0;
        const int rows = trm_rank_rows(rank, p);
        const int *row = rank->model->components.row + rank->model->components.first_row[p];
        const double *W = rank->W + rank->component[p].W;
        if (nullity == 0) {
            continue;
        }
        trm_null_component *to = &null->component[null->used.components];
        *to =
            (trm_null_component){null->used.rows,           rows,       nullity, null->used.values,
                                 .all = rows == pattern->n, .number = p};
        for (int i = 0; i < rows; i++) {
            const int place = pattern->place_of[row[i]], at = to->all ? place : i;
            null->row[to->first + at] = place;
            for (int k = 0; k < nullity; k++) {
                null->accepted[to->W + k * rows + at] = W[k * rows + i];
            }
        }
        null->used.components++;
        null->nullity += nullity;
        null->used.rows += rows;
        null->used.values += nullity * rows;
        null->most = nullity > null->most ? nullity : null->most;
    }
}
